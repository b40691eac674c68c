//! Committed offsets of the groups of one partition of `__consumer_offsets`, as its log tells them.
//!
//! Follows `OffsetMetadataManager.replay` and `replayEndTransactionMarker` of Kafka 4.3.1. Members and their
//! generations are not here: groups without members only.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::event::internal::{InternalRecord, OffsetRecord};
use crate::event::{Name, TopicPartition};
use crate::storage::batch::Batch;
use crate::transaction::MarkerKind;

/// Offsets that count, by partition.
type CommittedOffsets = Vec<(TopicPartition, u64)>;
/// Offsets in open transactions: producer id, partition, offset.
type PendingOffsets = Vec<(u64, TopicPartition, u64)>;

/// A group and a partition that it reads.
type OffsetKey = (Name, TopicPartition);

/// A committed offset, and where it was written: the later write wins, not the later commit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Committed {
    offset: u64,
    written: u64,
}

/// What a group coordinator knows of one partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupState {
    /// The log was read up to here.
    pub read_until: u64,
    committed: BTreeMap<OffsetKey, Committed>,
    /// Offsets in open transactions, by producer id.
    pending: BTreeMap<u64, BTreeMap<OffsetKey, Committed>>,
    /// Groups that were mentioned; one without members exists once it has committed something.
    groups: BTreeSet<Name>,
}

impl GroupState {
    /// Whether a group was ever heard of.
    pub fn knows(&self, group: &str) -> bool {
        self.groups.contains(group)
    }

    /// Takes in what was replicated.
    pub fn replay(&mut self, batch: &Batch) {
        if batch.end() <= self.read_until {
            return;
        }
        self.read_until = batch.end();
        match (batch.control, batch.stamp) {
            (Some(control), Some(stamp)) => self.end(stamp.producer_id, control.marker),
            (_, stamp) => {
                let producer = stamp.filter(|_| batch.is_transactional).map(|stamp| stamp.producer_id);
                for (offset, record) in batch.entries() {
                    if let Some(InternalRecord::Offset(record)) = record.internal.as_deref() {
                        self.take(record, offset, producer);
                    }
                }
            }
        }
    }

    fn take(&mut self, record: &OffsetRecord, written: u64, producer: Option<u64>) {
        self.groups.insert(Rc::clone(&record.group));
        let key = (Rc::clone(&record.group), record.partition.clone());
        let committed = Committed { offset: record.offset, written };
        match producer {
            Some(producer) => self.pending.entry(producer).or_default().insert(key, committed),
            None => self.committed.insert(key, committed),
        };
    }

    /// A transaction has ended here.
    fn end(&mut self, producer: u64, end: MarkerKind) {
        let Some(pending) = self.pending.remove(&producer).filter(|_| end == MarkerKind::Commit) else { return };
        for (key, new) in pending {
            let known = self.committed.entry(key).or_insert(new);
            if known.written < new.written {
                *known = new;
            }
        }
    }

    /// Groups with their committed offsets, and with those in open transactions: producer id, partition, offset.
    pub fn groups(&self) -> impl Iterator<Item = (&Name, CommittedOffsets, PendingOffsets)> {
        self.groups.iter().map(|group| {
            let committed = self.committed.iter().filter(|((of, _), _)| of == group);
            let committed = committed.map(|((_, partition), known)| (partition.clone(), known.offset));
            let pending = self.pending.iter().flat_map(|(producer, offsets)| {
                let own = offsets.iter().filter(|((of, _), _)| of == group);
                own.map(|((_, partition), known)| (*producer, partition.clone(), known.offset))
            });
            (group, committed.collect(), pending.collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps such as `1 w 5` (producer 1 writes offset 5), `1 c` (its commit), `1 a` (its abort), and what is
    /// committed in the end.
    fn check(steps: &str, committed: Option<u64>, pending: usize) {
        let partition = TopicPartition { topic: "in".into(), partition: 0 };
        let mut state = GroupState::default();
        for (written, step) in (0..).zip(steps.split(", ")) {
            let words: Vec<&str> = step.split(' ').collect();
            let producer = words[0].parse().unwrap();
            match words[1] {
                "w" => {
                    let offset = words[2].parse().unwrap();
                    let record = OffsetRecord { group: "g".into(), partition: partition.clone(), offset };
                    state.take(&record, written, Some(producer));
                }
                "c" => state.end(producer, MarkerKind::Commit),
                _ => state.end(producer, MarkerKind::Abort),
            }
        }
        let (_, found, open) = state.groups().next().unwrap();
        assert_eq!((found.first().map(|(_, offset)| *offset), open.len()), (committed, pending), "{steps}");
    }

    #[test]
    fn the_later_write_wins_and_aborted_ones_are_dropped() {
        check("1 w 5, 2 w 9", None, 2);
        check("1 w 5, 2 w 9, 2 c", Some(9), 1);
        check("1 w 5, 2 w 9, 2 c, 1 c", Some(9), 0);
        check("2 w 20, 1 w 15, 2 c, 1 c", Some(15), 0);
        check("1 w 7, 1 c, 1 w 9, 1 a", Some(7), 0);
        check("1 w 7, 1 a", None, 0);
    }
}
