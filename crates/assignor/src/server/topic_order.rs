//! The order of topics in the map of a member's partitions.
//!
//! Only the order of topics in one bucket is Java's; where buckets are is not known here.

use alloc::collections::BTreeMap;

use crate::TopicPartition;

/// Topics by the order in which they came into a map.
#[derive(Clone, Default)]
pub(super) struct TopicOrder {
    ranks: BTreeMap<u32, i64>,
}

impl TopicOrder {
    /// A topic of the map that was copied: `put` puts it last.
    pub fn put(&mut self, topic: u32) {
        let last = self.ranks.len() as i64;
        self.ranks.entry(topic).or_insert(last);
    }

    /// A topic that the member gets a partition of: `computeIfAbsent` puts a new one first.
    pub fn compute(&mut self, topic: u32) {
        let first = -(self.ranks.len() as i64) - 1;
        self.ranks.entry(topic).or_insert(first);
    }

    /// Sorts a member's partitions: topics in this order, each with its partitions ascending.
    pub fn sort(&self, list: &mut [TopicPartition]) {
        list.sort_by_key(|own| (self.ranks.get(&own.topic).copied(), own.partition));
    }
}
