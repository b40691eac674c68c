//! The topics that take part, in the orders in which the assignors walk through them, and partitions as numbers.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::Group;
use crate::java::{DEFAULT_CAPACITY, order_of, string_hash};
use crate::{Assignment, TopicPartition};

/// The topic takes no part.
const NOT_HERE: u32 = u32::MAX;

/// Topics that somebody subscribes to and the metadata knows: Java's map of partitions per topic.
pub(super) struct Layout {
    /// All that are subscribed to, known or not, in the order in which Java meets them.
    subscribed: Vec<u32>,
    /// Those that take part, by name.
    pub by_name: Vec<u32>,
    /// For each topic of the input its place by name.
    pub name_rank: Vec<u32>,
    /// `String.hashCode` of each name.
    pub hashes: Vec<i32>,
    /// For each topic of the input how many partitions it has; 0 if it takes no part.
    pub partitions: Vec<u32>,
    /// For each topic of the input the number of its partition 0 among all partitions.
    starts: Vec<u32>,
    /// All partitions.
    pub total: u32,
}

impl Layout {
    /// `by_name` are all topics, sorted by name.
    pub(super) fn new(group: &Group<'_>, mut by_name: Vec<u32>) -> Self {
        let hashes: Vec<i32> = group.topics.iter().map(|topic| string_hash(topic.name)).collect();
        let mut name_rank = vec![0; group.topics.len()];
        by_name.iter().enumerate().for_each(|(rank, topic)| name_rank[*topic as usize] = rank as u32);

        let subscribed = subscribed(group);
        let mut partitions = vec![0; group.topics.len()];
        let mut starts = vec![NOT_HERE; group.topics.len()];
        subscribed.iter().for_each(|topic| partitions[*topic as usize] = group.topics[*topic as usize].partitions);
        by_name.retain(|topic| partitions[*topic as usize] > 0);
        let mut total = 0;
        for &topic in &by_name {
            starts[topic as usize] = total;
            total += partitions[topic as usize];
        }
        Self { subscribed, by_name, name_rank, hashes, partitions, starts, total }
    }

    /// Those that take part, in the order of Java's map. Java collects the names in a hash set, and then puts those
    /// with metadata into a hash map.
    pub(super) fn map_order(&self) -> Vec<u32> {
        let order = |topics: Vec<u32>| -> Vec<u32> {
            let places = order_of(topics.iter().map(|topic| self.hashes[*topic as usize]), DEFAULT_CAPACITY);
            places.into_iter().map(|place| topics[place as usize]).collect()
        };
        let mut names = order(self.subscribed.clone());
        names.retain(|topic| self.has(*topic));
        order(names)
    }

    /// A list for each member, with room for an even share.
    pub(super) fn lists(&self, members: usize) -> Assignment {
        let share = (self.total as usize).div_ceil(members.max(1));
        (0..members).map(|_| Vec::with_capacity(share)).collect()
    }

    /// Does the topic take part?
    pub(super) fn has(&self, topic: u32) -> bool {
        self.partitions[topic as usize] > 0
    }

    /// The number of a partition among all, which follow the names of the topics; none if it does not exist.
    pub(super) fn number(&self, own: TopicPartition) -> Option<u32> {
        let exists = own.partition < self.partitions[own.topic as usize];
        exists.then(|| self.starts[own.topic as usize] + own.partition)
    }

    /// The numbers of a topic's partitions.
    pub(super) fn numbers(&self, topic: u32) -> core::ops::Range<u32> {
        let start = self.starts[topic as usize];
        start..start + self.partitions[topic as usize]
    }

    /// All partitions, topics by name.
    pub(super) fn all(&self) -> impl Iterator<Item = TopicPartition> + '_ {
        self.by_name.iter().flat_map(|&topic| {
            (0..self.partitions[topic as usize]).map(move |partition| TopicPartition::new(topic, partition))
        })
    }
}

/// Every topic that is subscribed to, in the order in which it is met first.
fn subscribed(group: &Group<'_>) -> Vec<u32> {
    let mut seen = vec![false; group.topics.len()];
    let mut found = Vec::new();
    let mut last: &[u32] = &[];
    for member in group.members {
        if core::ptr::eq(member.topics, last) {
            continue;
        }
        last = member.topics;
        for &topic in member.topics {
            if !core::mem::replace(&mut seen[topic as usize], true) {
                found.push(topic);
            }
        }
    }
    found
}

/// A value for each partition, also for partitions that a member names and that do not exist.
pub(super) struct PerPartition<V> {
    /// Empty until a value is set.
    numbered: Vec<V>,
    gone: BTreeMap<TopicPartition, V>,
    empty: V,
}

impl<V: Copy> PerPartition<V> {
    /// `empty` is the value of partitions that have none.
    pub(super) fn new(empty: V) -> Self {
        Self { numbered: Vec::new(), gone: BTreeMap::new(), empty }
    }

    pub(super) fn get(&self, layout: &Layout, own: TopicPartition) -> V {
        match layout.number(own) {
            Some(number) => self.numbered.get(number as usize).copied().unwrap_or(self.empty),
            None => self.gone.get(&own).copied().unwrap_or(self.empty),
        }
    }

    pub(super) fn set(&mut self, layout: &Layout, own: TopicPartition, value: V) {
        match layout.number(own) {
            Some(number) => {
                if self.numbered.is_empty() {
                    self.numbered = vec![self.empty; layout.total as usize];
                }
                self.numbered[number as usize] = value;
            }
            None => {
                self.gone.insert(own, value);
            }
        }
    }
}
