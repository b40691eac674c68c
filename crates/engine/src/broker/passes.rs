//! The passes over a broker's logs: retention, cleaning, remote storage.
//!
//! Follows `LogManager`, `LogCleaner` and `RemoteLogManager` of Kafka 4.3.1. They run on Kafka's grid, but
//! only when a log could have something for them; what they do is decided in `storage`.

use std::rc::Rc;

use super::Broker;
use crate::event::{EventKind, TopicPartition};
use crate::order::Order;
use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::storage::RetentionOutcome;
use crate::time::{Duration, Time};

/// A kind of pass.
#[derive(Clone, Copy, Debug)]
enum Pass {
    Retention,
    Cleaner,
    Remote,
}

impl Broker {
    /// A log, its settings or its role changed: the passes may have something to do.
    pub(super) fn log_changed(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        self.watch_retention(partition, outbox);
        self.watch_cleaner(partition, outbox);
        self.watch_remote(partition, outbox);
    }

    /// The high watermark of a replica moved: what it held back may be done now.
    pub(super) fn high_watermark_moved(&mut self, partition: &TopicPartition, before: u64, outbox: &mut Outbox) {
        let Some(replica) = self.replicas.get(partition) else { return };
        let (log, settings) = (&replica.log, replica.log.settings());
        let is_watched = replica.watched == Some(log.local_log_start_offset());
        let active = log.active_base_offset();
        // A record that opens a segment makes the one before it complete: the high watermark then stood at its end.
        // The end of a transaction frees segments that were closed long ago.
        let may_clean = log.has_transactions() || (before <= active && active <= log.high_watermark);
        if !is_watched || settings.retention_bytes.is_some() {
            self.watch_retention(partition, outbox);
        }
        if may_clean {
            self.watch_cleaner(partition, outbox);
            self.watch_remote(partition, outbox);
        }
    }

    fn watch_retention(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let now = outbox.now();
        let Some(replica) = self.replicas.get_mut(partition) else { return };
        let due = replica.log.next_retention_due(now);
        let watched = due.map(|_| replica.log.local_log_start_offset());
        if replica.watched != watched {
            Rc::make_mut(replica).watched = watched;
        }
        if let Some(due) = due {
            let (delay, interval) = (self.settings.disk_delay, self.settings.retention_interval);
            self.arm(Pass::Retention, delay, interval, due, outbox);
        }
    }

    fn watch_cleaner(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let Some(interval) = self.settings.cleaner_interval else { return };
        let due = self.replicas.get(partition).and_then(|replica| replica.log.cleanable_at(outbox.now()));
        if let Some(due) = due {
            self.arm(Pass::Cleaner, Duration::ZERO, interval, due, outbox);
        }
    }

    fn watch_remote(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let Some(interval) = self.settings.remote_interval else { return };
        let leader = self.replicas.get(partition).filter(|replica| replica.leadership().is_some());
        if let Some(due) = leader.and_then(|replica| replica.log.remote_due(outbox.now())) {
            self.arm(Pass::Remote, Duration::ZERO, interval, due, outbox);
        }
    }

    /// Sets the timer of a pass for the first grid point at which it is due, unless it is set for an earlier
    /// one.
    fn arm(&mut self, pass: Pass, delay: Duration, interval: Duration, due: Time, outbox: &mut Outbox) {
        let at = self.next_on_grid(delay, interval, due.max(outbox.now()) - Duration(1));
        let at = if at > outbox.now() { at } else { self.next_on_grid(delay, interval, outbox.now()) };
        let (alarm, timer) = match pass {
            Pass::Retention => (&mut self.alarms.retention, Timer::Retention),
            Pass::Cleaner => (&mut self.alarms.cleaner, Timer::Cleaner),
            Pass::Remote => (&mut self.alarms.remote, Timer::Remote),
        };
        if alarm.is_none_or(|set| at < set) {
            *alarm = Some(at);
            outbox.wake(Target::Broker(self.number), at, timer);
        }
    }

    /// `kafka-log-retention`.
    pub(super) fn check_retention(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        self.alarms.retention = None;
        for partition in self.replicas.keys() {
            let replica = self.replicas.get_mut(&partition).expect("it was just listed");
            if replica.log.next_retention_due(now).is_some_and(|due| due <= now) {
                let outcome = Rc::make_mut(replica).log.retention_pass(now);
                self.tell_retention(&partition, outcome, outbox);
                self.watch_cleaner(&partition, outbox);
                self.watch_remote(&partition, outbox);
            }
            self.watch_retention(&partition, outbox);
        }
    }

    fn tell_retention(&mut self, partition: &TopicPartition, outcome: RetentionOutcome, outbox: &mut Outbox) {
        let broker = self.id;
        self.tell_roll(partition, outcome.roll, outbox);
        for (base_offset, reason) in outcome.deleted {
            let partition = partition.clone();
            outbox.emit(EventKind::SegmentDeleted { broker, partition, base_offset, reason });
        }
        if let Some(log_start_offset) = outcome.log_start_offset {
            self.tell_log_start(partition, log_start_offset, outbox);
        }
    }

    /// The log cleaner, the dirtiest log first. Simplified: one run cleans all logs that need it; each of
    /// Kafka's `log.cleaner.threads` takes one after the other.
    pub(super) fn run_cleaner(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        self.alarms.cleaner = None;
        let dirty_share = |partition: &TopicPartition| {
            let log = &self.replicas.get(partition)?.log;
            log.cleanable_at(now).filter(|due| *due <= now)?;
            let (dirty, all) = log.dirty_bytes(now);
            Some(u128::from(dirty) * 1_000_000_000 / u128::from(all.max(1)))
        };
        let keys = self.replicas.keys();
        let mut due: Vec<_> =
            keys.into_iter().filter_map(|partition| Some((dirty_share(&partition)?, partition))).collect();
        due.order_by(|(one, _), (other, _)| other.cmp(one));
        for (_, partition) in due {
            self.clean(&partition, false, outbox);
        }
        for partition in self.replicas.keys() {
            self.watch_cleaner(&partition, outbox);
        }
    }

    fn clean(&mut self, partition: &TopicPartition, is_forced: bool, outbox: &mut Outbox) {
        let (broker, now) = (self.id, outbox.now());
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("the caller has it"));
        if let Some(cleaned) = replica.log.clean(now, is_forced) {
            outbox.emit(EventKind::LogCleaned {
                broker,
                partition: partition.clone(),
                clean_until: cleaned.clean_until,
                before: cleaned.before,
                kept: cleaned.kept,
            });
        }
    }

    /// Cleans a replica's log now.
    pub fn clean_log(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        if self.replicas.get(partition).is_some() {
            self.clean(partition, true, outbox);
            self.log_changed(partition, outbox);
        }
    }

    /// The leader's tasks for tiered topics: copies closed segments to remote storage, and deletes there what
    /// is too old or too much.
    pub(super) fn tend_remote_storage(&mut self, outbox: &mut Outbox) {
        let (broker, now) = (self.id, outbox.now());
        self.alarms.remote = None;
        for partition in self.replicas.keys() {
            let Some(replica) = self.replicas.get_mut(&partition) else { continue };
            let is_due = replica.log.remote_due(now).is_some_and(|due| due <= now);
            if replica.leadership().is_some() && is_due {
                let log = &mut Rc::make_mut(replica).log;
                let uploaded = log.upload_pass();
                let outcome = log.remote_retention_pass(now);
                for base_offset in uploaded {
                    let partition = partition.clone();
                    outbox.emit(EventKind::SegmentUploaded { broker, partition, base_offset });
                }
                self.tell_retention(&partition, outcome, outbox);
                self.list_news(&partition, false, outbox);
                self.watch_retention(&partition, outbox);
            }
            self.watch_remote(&partition, outbox);
        }
    }
}
