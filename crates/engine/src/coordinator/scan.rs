//! What a coordinator does at intervals: aborts transactions that are open for too long, and forgets ids.
//!
//! Follows `abortTimedOutTransactions` and `removeExpiredTransactionalIds` of Kafka 4.3.1. They run on Kafka's
//! grid, but only when an id could be concerned: nothing is set while no transaction is open.

use std::rc::Rc;

use super::decision::End;
use super::end::{Ending, Waiting};
use super::metadata::TransactionMetadata;
use super::state_record::tombstone;
use super::writing::{Append, Appending};
use super::{TICKET, state_partition};
use crate::broker::Broker;
use crate::event::{EventKind, Name};
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::time::{Duration, Time};
use crate::transaction::{MarkerKind, TransactionEvent};

impl Broker {
    /// Ids of a partition changed: the scans may have something to do.
    pub(super) fn watch_ids(&mut self, partition: u32, outbox: &mut Outbox) {
        let Some(ids) = self.coordinator.partitions.get(&partition).and_then(|own| own.ids.as_ref()) else { return };
        let expiration = self.settings.transactional_id_expiration;
        let expiry = ids.values().filter(|known| known.is_idle()).map(|known| known.updated + expiration).min();
        let timeout = ids.values().filter_map(|known| timeout_of(known)).min();
        self.arm_scans(timeout, expiry, outbox);
    }

    fn watch_all_ids(&mut self, outbox: &mut Outbox) {
        let partitions: Vec<u32> = self.coordinator.partitions.keys().copied().collect();
        partitions.into_iter().for_each(|partition| self.watch_ids(partition, outbox));
    }

    /// Sets the timers of the scans for the first points of their grids at which they find something.
    fn arm_scans(&mut self, timeout: Option<Time>, expiry: Option<Time>, outbox: &mut Outbox) {
        let now = outbox.now();
        let (every, expiry_every) = (self.settings.transaction_timeout_interval, self.settings.id_expiry_interval);
        // Timeouts have to be over, expirations only reached.
        if let Some(after) = timeout {
            let at = self.next_on_grid(every, every, after.max(now));
            if self.coordinator.alarms.timeouts.is_none_or(|set| at < set) {
                self.coordinator.alarms.timeouts = Some(at);
                outbox.wake(self.target(), at, Timer::TransactionTimeouts);
            }
        }
        if let Some(due) = expiry {
            let at = self.next_on_grid(expiry_every, expiry_every, (due - Duration(1)).max(now));
            if self.coordinator.alarms.expiry.is_none_or(|set| at < set) {
                self.coordinator.alarms.expiry = Some(at);
                outbox.wake(self.target(), at, Timer::TransactionExpiry);
            }
        }
    }

    /// `transaction-abort`: open transactions whose timeout is over are aborted, above the epoch of their producer.
    pub(super) fn abort_timed_out(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        if self.coordinator.alarms.timeouts.is_none_or(|set| set > now) {
            return;
        }
        self.coordinator.alarms.timeouts = None;
        for (partition, epoch, id) in self.ids_that(|known| timeout_of(known).is_some_and(|after| after < now)) {
            let known = self.coordinator.find_in_epoch(partition, &id, epoch).expect("it was just listed");
            if known.pending.is_some() {
                continue;
            }
            let identity = known.prepare_fence(now).identity();
            let open_for = known.started.map_or(Duration::ZERO, |started| now.since(started));
            outbox.emit_cause(EventKind::Transaction(TransactionEvent::TransactionTimedOut {
                broker: self.id,
                transactional_id: Rc::clone(&id),
                open_for,
                limit: known.timeout,
            }));
            let version = self.transaction_version;
            let asked = End { identity, end: MarkerKind::Abort, is_from_client: false, version };
            self.end_transaction(&id, Ending { asked, is_fence: true, waiting: Waiting::Nobody }, outbox);
        }
        self.watch_all_ids(outbox);
    }

    /// `transactionalId-expiration`: ids that were not used for long get a tombstone.
    pub(super) fn expire_ids(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        if self.coordinator.alarms.expiry.is_none_or(|set| set > now) {
            return;
        }
        self.coordinator.alarms.expiry = None;
        let expiration = self.settings.transactional_id_expiration;
        let is_due = |known: &TransactionMetadata| {
            known.pending.is_none() && known.is_idle() && known.updated + expiration <= now
        };
        let mut due = self.ids_that(is_due);
        while let Some((partition, epoch, _)) = due.first().cloned() {
            let (own, others) = due.into_iter().partition(|(other, ..)| *other == partition);
            due = others;
            let ids = Vec::from_iter(own).into_iter().map(|(_, _, id): (u32, u32, Name)| id).collect();
            self.write_tombstones(partition, epoch, ids, outbox);
        }
        self.watch_all_ids(outbox);
    }

    fn write_tombstones(&mut self, partition: u32, epoch: u32, ids: Vec<Name>, outbox: &mut Outbox) {
        let now = outbox.now();
        let mut records = Vec::new();
        for id in &ids {
            let known = self.coordinator.find_in_epoch(partition, id, epoch).expect("it was just listed");
            known.prepare_dead();
            let number = self.coordinator.ticket();
            records.push(tombstone(id, self.writer(number & !TICKET, now)));
        }
        let ticket = self.coordinator.ticket();
        let deadline = now + self.settings.request_timeout;
        let appended = self.append_own(&state_partition(partition), records, None, ticket, outbox);
        let what = Appending::Tombstones { ids };
        self.coordinator.appends.insert(ticket, Append { partition, epoch, deadline, what });
        match appended {
            Ok(_) => self.arm_appends(outbox),
            Err(error) => self.coordinator.settle(ticket, Some(error)),
        }
    }

    /// Tombstones are replicated, or are not going to be.
    pub(super) fn tombstones_settled(
        &mut self,
        partition: u32,
        epoch: u32,
        ids: &[Name],
        is_written: bool,
        outbox: &mut Outbox,
    ) {
        for id in ids {
            let Some(known) = self.coordinator.find_in_epoch(partition, id, epoch) else { continue };
            known.pending = None;
            let own = self.coordinator.partitions.get_mut(&partition).and_then(|own| own.ids.as_mut());
            if is_written && let Some(ids) = own {
                ids.remove(id);
                outbox.emit(EventKind::Transaction(TransactionEvent::TransactionalIdExpired {
                    broker: self.id,
                    transactional_id: Rc::clone(id),
                }));
            }
        }
    }

    /// Partition, epoch and name of every id of which something is true.
    fn ids_that(&self, is_wanted: impl Fn(&TransactionMetadata) -> bool) -> Vec<(u32, u32, Name)> {
        let mut found = Vec::new();
        for (partition, own) in &self.coordinator.partitions {
            let ids = own.ids.iter().flatten().filter(|(_, known)| is_wanted(known));
            found.extend(ids.map(|(id, _)| (*partition, own.epoch, Rc::clone(id))));
        }
        found
    }
}

/// After this time an open transaction has timed out.
fn timeout_of(known: &TransactionMetadata) -> Option<Time> {
    known.started.filter(|_| known.may_time_out()).map(|started| started + known.timeout)
}
