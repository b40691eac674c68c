//! Values by partition, found fast: topics in a map, and their partitions in a list.
//!
//! What is kept for a partition is its owner's business.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::event::{Name, TopicPartition};

/// A map from partitions to values, in the order of topic and number.
#[derive(Clone, Debug)]
pub(crate) struct PartitionMap<T> {
    topics: BTreeMap<Name, Vec<Option<T>>>,
}

impl<T> Default for PartitionMap<T> {
    fn default() -> PartitionMap<T> {
        PartitionMap { topics: BTreeMap::new() }
    }
}

impl<T> PartitionMap<T> {
    /// The value of a partition.
    pub fn get(&self, partition: &TopicPartition) -> Option<&T> {
        self.topics.get(&partition.topic)?.get(partition.partition as usize)?.as_ref()
    }

    /// The value of a partition, to be changed.
    pub fn get_mut(&mut self, partition: &TopicPartition) -> Option<&mut T> {
        self.topics.get_mut(&partition.topic)?.get_mut(partition.partition as usize)?.as_mut()
    }

    /// Sets the value of a partition.
    pub fn insert(&mut self, partition: &TopicPartition, value: T) {
        let list = self.topics.entry(Rc::clone(&partition.topic)).or_default();
        let index = partition.partition as usize;
        if list.len() <= index {
            list.resize_with(index + 1, || None);
        }
        list[index] = Some(value);
    }

    /// Takes the value of a partition away.
    pub fn remove(&mut self, partition: &TopicPartition) -> Option<T> {
        let list = self.topics.get_mut(&partition.topic)?;
        let value = list.get_mut(partition.partition as usize)?.take();
        if list.iter().all(Option::is_none) {
            self.topics.remove(&partition.topic);
        }
        value
    }

    /// All partitions with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, u32, &T)> {
        let numbered = |list| (0..).zip::<&Vec<Option<T>>>(list);
        self.topics.iter().flat_map(move |(topic, list)| {
            numbered(list).filter_map(move |(n, value)| Some((topic, n, value.as_ref()?)))
        })
    }

    /// All partitions.
    pub fn keys(&self) -> Vec<TopicPartition> {
        let key = |(topic, partition, _): (&Name, u32, &T)| TopicPartition { topic: Rc::clone(topic), partition };
        self.iter().map(key).collect()
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.topics.values().flatten().flatten()
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.topics.values_mut().flatten().flatten()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.topics.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(topic: &str, partition: u32) -> TopicPartition {
        TopicPartition { topic: topic.into(), partition }
    }

    #[test]
    fn partitions_are_listed_by_topic_and_number() {
        let mut map = PartitionMap::default();
        for (topic, number) in [("b", 2), ("a", 7), ("b", 0)] {
            map.insert(&partition(topic, number), number * 10);
        }
        assert_eq!(map.keys(), [partition("a", 7), partition("b", 0), partition("b", 2)]);
        assert_eq!(map.get(&partition("b", 2)), Some(&20));
        assert_eq!((map.get(&partition("b", 1)), map.get(&partition("c", 0))), (None, None));
        assert_eq!(map.remove(&partition("a", 7)), Some(70));
        assert_eq!((map.remove(&partition("a", 7)), map.values().count()), (None, 2));
    }
}
