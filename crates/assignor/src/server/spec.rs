//! `GroupSpec` and `SubscribedTopicDescriber`: a group as the coordinator's assignors read it, in Java's orders.

use alloc::vec;
use alloc::vec::Vec;

use super::{Group, Topic};
use crate::java::{DEFAULT_CAPACITY, Table, order_of, string_hash};
use crate::{AssignorError, TopicPartition};

/// A group with what several steps ask for.
pub(crate) struct Spec<'a> {
    pub group: &'a Group<'a>,
    /// All members subscribe to the same topics.
    pub is_homogeneous: bool,
    /// `Uuid.hashCode` of each topic.
    pub hashes: Vec<i32>,
}

impl<'a> Spec<'a> {
    /// The group has at least one member.
    pub(crate) fn new(group: &'a Group<'a>) -> Self {
        let hashes = group.topics.iter().map(|topic| topic.id.hash()).collect();
        let first = group.members.first().map_or(&[][..], |member| member.topics);
        let mut subscribed = vec![false; group.topics.len()];
        first.iter().for_each(|topic| subscribed[*topic as usize] = true);
        let is_homogeneous = group.members.iter().all(|member| {
            core::ptr::eq(member.topics, first)
                || member.topics.len() == first.len() && member.topics.iter().all(|topic| subscribed[*topic as usize])
        });
        Self { group, is_homogeneous, hashes }
    }

    pub(crate) fn topic(&self, topic: u32) -> &Topic<'a> {
        &self.group.topics[topic as usize]
    }

    pub(crate) fn members(&self) -> u32 {
        self.group.members.len() as u32
    }

    /// How many partitions a subscribed topic has.
    pub(crate) fn partitions(&self, topic: u32) -> Result<u32, AssignorError> {
        let topic = self.topic(topic);
        topic.partitions.ok_or(AssignorError::UnknownTopic { id: topic.id })
    }

    /// The partitions of a subscribed topic that may be assigned, ascending.
    pub(crate) fn assignable(&self, topic: u32) -> Result<Vec<u32>, AssignorError> {
        let partitions = self.partitions(topic)?;
        let Some(listed) = self.topic(topic).assignable else {
            return Ok((0..partitions).collect());
        };
        let mut listed: Vec<u32> = listed.iter().copied().filter(|partition| *partition < partitions).collect();
        listed.sort_unstable();
        listed.dedup();
        Ok(listed)
    }

    /// A member's topics in the order of its hash set of ids, which was filled from a hash set of names.
    pub(crate) fn subscribed(&self, member: u32) -> Vec<u32> {
        let topics = self.group.members[member as usize].topics;
        let names = topics.iter().map(|topic| string_hash(self.topic(*topic).name));
        let by_name = order_of(names, DEFAULT_CAPACITY).into_iter().map(|place| topics[place as usize]).collect();
        self.ids(by_name, DEFAULT_CAPACITY)
    }

    /// Topics in the order of a hash set of ids with `capacity` that they are put into in this order.
    pub(crate) fn ids(&self, topics: Vec<u32>, capacity: usize) -> Vec<u32> {
        let order = order_of(topics.iter().map(|topic| self.hashes[*topic as usize]), capacity);
        order.into_iter().map(|place| topics[place as usize]).collect()
    }

    /// Calls `visit` for each member with its topics in the order of its hash set; neighbours with one list share it.
    pub(crate) fn each_subscription(
        &self,
        mut visit: impl FnMut(u32, &[u32]) -> Result<(), AssignorError>,
    ) -> Result<(), AssignorError> {
        let mut last: Option<(&[u32], Vec<u32>)> = None;
        for (number, member) in self.group.members.iter().enumerate() {
            let number = number as u32;
            match &last {
                Some((list, topics)) if core::ptr::eq(*list, member.topics) => visit(number, topics)?,
                _ => {
                    let topics = self.subscribed(number);
                    visit(number, &topics)?;
                    last = Some((member.topics, topics));
                }
            }
        }
        Ok(())
    }

    /// A member's previous assignment: topics in the order of Java's hash map, each with its partitions in the
    /// order of Java's hash set.
    pub(crate) fn previous(&self, member: u32) -> Vec<(u32, Vec<u32>)> {
        let mut topics = Table::with_capacity(DEFAULT_CAPACITY);
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let mut last: Option<(u32, u32)> = None;
        for &TopicPartition { topic, partition } in self.group.members[member as usize].previous {
            let entry = match last {
                Some((same, entry)) if same == topic => entry,
                _ => topics.insert(self.hashes[topic as usize], topic).0,
            };
            last = Some((topic, entry));
            if sets.len() == entry as usize {
                sets.push(Vec::new());
            }
            sets[entry as usize].push(partition);
        }
        topics
            .numbers()
            .map(|entry| (topics.key(entry), set_order(core::mem::take(&mut sets[entry as usize]))))
            .collect()
    }
}

/// Numbers in the order of a Java hash set that they are put into in this order; one that is there twice comes once.
fn set_order(numbers: Vec<u32>) -> Vec<u32> {
    // Ascending ones below the number of buckets have a bucket each.
    let is_ascending = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    let buckets = (numbers.len() as u32).max(DEFAULT_CAPACITY as u32);
    if is_ascending && numbers.last().is_none_or(|last| *last < buckets) {
        return numbers;
    }
    let mut table = Table::with_capacity(DEFAULT_CAPACITY);
    numbers.into_iter().for_each(|number| {
        table.insert(number as i32, number);
    });
    table.keys().collect()
}

/// Partitions of all topics numbered in a row.
pub(crate) struct Numbers {
    starts: Vec<u32>,
}

impl Numbers {
    pub(crate) fn new(group: &Group<'_>) -> Self {
        let mut starts = vec![0; group.topics.len() + 1];
        for (place, topic) in group.topics.iter().enumerate() {
            starts[place + 1] = starts[place] + topic.partitions.unwrap_or(0);
        }
        Self { starts }
    }

    pub(crate) fn all(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// None if the topic has no such partition.
    pub(crate) fn of(&self, own: TopicPartition) -> Option<usize> {
        let number = self.starts[own.topic as usize].checked_add(own.partition)?;
        (number < self.starts[own.topic as usize + 1]).then_some(number as usize)
    }
}
