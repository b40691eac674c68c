//! Which partition moved from whom to whom, so that none of a topic moves back along the same way.
//!
//! `AbstractStickyAssignor.PartitionMovements`.

use alloc::collections::BTreeMap;

use super::super::layout::Layout;
use crate::TopicPartition;
use crate::java::{DEFAULT_CAPACITY, Table, topic_partition_hash};

/// A way of partitions of one topic between two members.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    topic: u32,
    from: u32,
    to: u32,
}

/// The moves of one rebalance.
#[derive(Default)]
pub(super) struct Movements {
    moved: BTreeMap<TopicPartition, Way>,
    /// Along each way, in the order of a Java hash set of topic-partitions.
    ways: BTreeMap<Way, Table<u32>>,
}

impl Movements {
    /// The partition to move instead, so that one of the topic that came the other way goes back.
    pub(super) fn instead_of(&self, own: TopicPartition, from: u32, to: u32) -> TopicPartition {
        let from = self.moved.get(&own).map_or(from, |way| way.from);
        let back = self.ways.get(&Way { topic: own.topic, from: to, to: from });
        let partition = back.and_then(|table| table.keys().next()).unwrap_or(own.partition);
        TopicPartition::new(own.topic, partition)
    }

    /// Notes a move. What moves on counts as one move from its first owner; what returns counts as none.
    pub(super) fn note(&mut self, layout: &Layout, own: TopicPartition, from: u32, to: u32) {
        let hash = topic_partition_hash(layout.hashes[own.topic as usize], own.partition);
        let way = match self.moved.remove(&own) {
            None => Way { topic: own.topic, from, to },
            Some(known) => {
                if let Some(table) = self.ways.get_mut(&known) {
                    table.remove(hash, own.partition);
                    if table.is_empty() {
                        self.ways.remove(&known);
                    }
                }
                if known.from == to {
                    return;
                }
                Way { to, ..known }
            }
        };
        self.moved.insert(own, way);
        let table = self.ways.entry(way).or_insert_with(|| Table::with_capacity(DEFAULT_CAPACITY));
        table.insert(hash, own.partition);
    }
}
