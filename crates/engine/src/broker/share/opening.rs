//! A leader opens a share partition: its state, its start offset, and the part of the log that may be delivered.
//!
//! Follows `SharePartition.maybeInitialize` and `ShareFetchUtils` of Kafka 4.3.1. Whom records go to is not decided here.

use std::rc::Rc;

use super::acquiring::Readable;
use super::{Broker, CallFor, Hosted, SharePartition};
use crate::client::reader::AbortedFilter;
use crate::client::reader::settings::Reset;
use crate::error::KafkaError;
use crate::event::EventKind;
use crate::event::internal::{ShareKey, ShareState};
use crate::message::OffsetSpec;
use crate::outbox::Outbox;
use crate::share::ShareEvent;
use crate::storage::Log;

impl Broker {
    /// Has a share partition opened that is not. An error if this broker does not lead the partition.
    pub(super) fn open_share_partition(&mut self, key: &ShareKey, outbox: &mut Outbox) -> Result<(), KafkaError> {
        let leads = self.replicas.get(&key.partition).filter(|replica| replica.leadership().is_some());
        let leader_epoch = match leads {
            Some(replica) => replica.leader_epoch,
            None => return Err(KafkaError::protocol("NOT_LEADER_OR_FOLLOWER")),
        };
        if !self.shares.partitions.contains_key(key) {
            self.shares.partitions.insert(key.clone(), Hosted::Opening);
            self.call_share_coordinator(key.clone(), CallFor::Open { leader_epoch }, outbox);
        }
        Ok(())
    }

    /// The state of a share partition came.
    pub(super) fn share_state_read(
        &mut self,
        key: &ShareKey,
        leader_epoch: u32,
        result: &Result<Option<Rc<ShareState>>, KafkaError>,
        outbox: &mut Outbox,
    ) {
        if !matches!(self.shares.partitions.get(key), Some(Hosted::Opening)) {
            return;
        }
        let state = match result {
            Ok(state) => state.clone().unwrap_or_default(),
            Err(error) => {
                self.shares.partitions.remove(key);
                return self.fail_share_fetches(key, error, outbox);
            }
        };
        let Some(start) = self.first_share_offset(key, outbox) else {
            self.shares.partitions.remove(key);
            return;
        };
        let open = SharePartition::open(self.id, key.clone(), leader_epoch, &state, start);
        outbox.emit_cause(EventKind::Share(ShareEvent::SharePartitionOpened {
            broker: self.id,
            group: Rc::clone(&key.group),
            partition: key.partition.clone(),
            start_offset: open.start_offset(),
            in_flight: (open.end_offset() - open.start_offset()) as u32,
        }));
        self.shares.partitions.insert(key.clone(), Hosted::Open(Rc::new(open)));
        self.look_at_share_fetches(std::slice::from_ref(&key.partition), outbox);
    }

    /// `share.auto.offset.reset` of the group.
    fn first_share_offset(&self, key: &ShareKey, outbox: &Outbox) -> Option<u64> {
        let log = &self.replicas.get(&key.partition)?.log;
        let view = self.view();
        Some(match Reset::named(&view.group(&key.group, "share.auto.offset.reset")).spec(outbox.now()) {
            Some(OffsetSpec::Earliest) => log.log_start_offset,
            Some(OffsetSpec::Since(millis)) => {
                let found = log.timestamp_path(millis).map(|path| path.found.1);
                found.unwrap_or(log.high_watermark).min(log.high_watermark)
            }
            _ => log.high_watermark,
        })
    }

    /// Up to where members of a group see a log.
    pub(super) fn share_end(&self, key: &ShareKey) -> Option<u64> {
        let log = &self.replicas.get(&key.partition)?.log;
        Some(if self.reads_committed(&key.group) { log.last_stable_offset() } else { log.high_watermark })
    }

    fn reads_committed(&self, group: &str) -> bool {
        &*self.view().group(group, "share.isolation.level") == "read_committed"
    }

    /// What of a log may be delivered from an offset on, about so many records.
    pub(super) fn readable(&self, key: &ShareKey, from: u64, until: u64, locks_max: u32) -> Option<Readable> {
        let log = &self.replicas.get(&key.partition)?.log;
        let end = self.share_end(key)?;
        let bound = from + u64::from(locks_max);
        Some(read(log, from, until.min(end), (bound, end), self.reads_committed(&key.group)))
    }
}

/// Records from an offset on; the batches that hold `until` and less are read to their ends, but records without content
/// only up to a bound.
fn read(log: &Log, from: u64, until: u64, (bound, end_offset): (u64, u64), is_committed_only: bool) -> Readable {
    let mut readable = Readable { end_offset, ..Readable::default() };
    let from = from.max(log.log_start_offset);
    let aborted = if is_committed_only { log.aborted_between(from, end_offset) } else { Vec::new() };
    let aborted: Vec<(u64, u64)> = aborted.iter().map(|entry| (entry.producer_id, entry.first_offset)).collect();
    let mut aborted = AbortedFilter::new(&aborted);
    for batch in log.read(from, u32::MAX, end_offset) {
        if batch.base_offset >= until {
            break;
        }
        readable.batch_ends.push(batch.last_offset);
        if aborted.drops(&batch) || batch.control.is_some() {
            continue;
        }
        for (offset, record) in batch.entries().filter(|(offset, _)| *offset >= from) {
            readable.records.insert(offset, Some(Rc::clone(record)));
        }
        if batch.records.is_empty() {
            (from.max(batch.base_offset)..(batch.base_offset + u64::from(batch.count)).min(bound)).for_each(|offset| {
                readable.records.insert(offset, None);
            });
        }
    }
    readable
}
