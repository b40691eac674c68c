//! Committed offsets of the groups of one partition of `__consumer_offsets`, as its log tells them.
//!
//! Follows `OffsetMetadataManager.replay` and `replayEndTransactionMarker` of Kafka 4.3.1. Members and their
//! generations are in the groups themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::event::internal::{GroupRecord, InternalRecord, OffsetRecord};
use crate::event::{Name, TopicPartition};
use crate::storage::batch::Batch;
use crate::time::Time;
use crate::transaction::MarkerKind;

/// Offsets that count, by partition.
type CommittedOffsets = Vec<(TopicPartition, u64)>;
/// Offsets in open transactions: producer id, partition, offset.
type PendingOffsets = Vec<(u64, TopicPartition, u64)>;

/// A group and a partition that it reads.
type OffsetKey = (Name, TopicPartition);

/// A committed offset, and where it was written: the later write wins, not the later commit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Committed {
    pub offset: u64,
    written: u64,
    /// When it was committed.
    pub at: Time,
}

/// What a group coordinator knows of one partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct OffsetState {
    /// The log was read up to here.
    pub read_until: u64,
    committed: BTreeMap<OffsetKey, Committed>,
    /// Offsets in open transactions, by producer id.
    pending: BTreeMap<u64, BTreeMap<OffsetKey, Committed>>,
}

impl OffsetState {
    /// Whether a group has offsets.
    pub fn knows(&self, group: &str) -> bool {
        self.of(group).next().is_some() || !self.pending_of(group).is_empty()
    }

    /// Committed offsets of a group.
    pub fn of(&self, group: &str) -> impl Iterator<Item = (&TopicPartition, &Committed)> {
        let first = (Name::from(group), TopicPartition { topic: Name::from(""), partition: 0 });
        let own = self.committed.range(first..).take_while(move |((of, _), _)| **of == *group);
        own.map(|((_, partition), committed)| (partition, committed))
    }

    /// The committed offset of a partition.
    pub fn get(&self, group: &Name, partition: &TopicPartition) -> Option<u64> {
        self.committed.get(&(Rc::clone(group), partition.clone())).map(|committed| committed.offset)
    }

    /// Partitions of a group with offsets in open transactions.
    pub fn pending_of(&self, group: &str) -> BTreeSet<TopicPartition> {
        let keys = self.pending.values().flat_map(BTreeMap::keys);
        keys.filter(|(of, _)| **of == *group).map(|(_, partition)| partition.clone()).collect()
    }

    /// Takes in what was replicated; the groups that offsets were written for.
    pub fn replay(&mut self, batch: &Batch) -> BTreeSet<Name> {
        let mut groups = BTreeSet::new();
        if batch.end() <= self.read_until {
            return groups;
        }
        self.read_until = batch.end();
        match (batch.control, batch.stamp) {
            (Some(control), Some(stamp)) => self.end(stamp.producer_id, control.marker),
            (_, stamp) => {
                let producer = stamp.filter(|_| batch.is_transactional).map(|stamp| stamp.producer_id);
                for (offset, record) in batch.entries() {
                    match record.internal.as_deref() {
                        Some(InternalRecord::Offset(content)) => {
                            groups.insert(Rc::clone(&content.group));
                            self.take(content, offset, record.timestamp, producer);
                        }
                        Some(InternalRecord::Group(GroupRecord::OffsetRemoved { group, partition })) => {
                            self.remove(group, partition);
                        }
                        _ => {}
                    }
                }
            }
        }
        groups
    }

    fn take(&mut self, record: &OffsetRecord, written: u64, at: Time, producer: Option<u64>) {
        let key = (Rc::clone(&record.group), record.partition.clone());
        let committed = Committed { offset: record.offset, written, at };
        match producer {
            Some(producer) => self.pending.entry(producer).or_default().insert(key, committed),
            None => self.committed.insert(key, committed),
        };
    }

    /// A tombstone: the offset is gone, in open transactions too.
    fn remove(&mut self, group: &Name, partition: &TopicPartition) {
        let key = (Rc::clone(group), partition.clone());
        self.committed.remove(&key);
        for offsets in self.pending.values_mut() {
            offsets.remove(&key);
        }
        self.pending.retain(|_, offsets| !offsets.is_empty());
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

    /// A group's committed offsets, and those in open transactions: producer id, partition, offset.
    pub fn view(&self, group: &Name) -> (CommittedOffsets, PendingOffsets) {
        let committed = self.of(group).map(|(partition, known)| (partition.clone(), known.offset)).collect();
        let pending = self.pending.iter().flat_map(|(producer, offsets)| {
            let own = offsets.iter().filter(|((of, _), _)| of == group);
            own.map(|((_, partition), known)| (*producer, partition.clone(), known.offset))
        });
        (committed, pending.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps such as `1 w 5` (producer 1 writes offset 5), `1 c` (its commit), `1 a` (its abort), and what is
    /// committed in the end.
    fn check(steps: &str, committed: Option<u64>, pending: usize) {
        let partition = TopicPartition { topic: "in".into(), partition: 0 };
        let mut state = OffsetState::default();
        for (written, step) in (0..).zip(steps.split(", ")) {
            let words: Vec<&str> = step.split(' ').collect();
            let producer = words[0].parse().unwrap();
            match words[1] {
                "w" => {
                    let offset = words[2].parse().unwrap();
                    let record = OffsetRecord { group: "g".into(), partition: partition.clone(), offset };
                    state.take(&record, written, Time::ZERO, Some(producer));
                }
                "c" => state.end(producer, MarkerKind::Commit),
                _ => state.end(producer, MarkerKind::Abort),
            }
        }
        let (found, open) = state.view(&"g".into());
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
