//! The order in which Java's hash tables give their entries out, for messages that list partitions.
//!
//! Follows `HashMap` with its default capacity and load factor. Simplified: entries of one bucket stay
//! in the order of insertion; the trees that Java makes of crowded buckets are not built.

use engine::command::PartitionName;
use engine::order::Order;

/// The hash that Java's `String` has.
pub(crate) fn string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// The hash that Kafka's `TopicPartition` has.
pub(crate) fn partition_hash(partition: &PartitionName) -> i32 {
    (31 + partition.partition as i32).wrapping_mul(31).wrapping_add(string_hash(&partition.topic))
}

/// The same entries in the order of a hash table that took them one by one.
pub(crate) fn hash_order<T>(mut entries: Vec<T>, hash: impl Fn(&T) -> i32) -> Vec<T> {
    let needed = (entries.len() * 4).div_ceil(3).max(16);
    let buckets = needed.next_power_of_two() as u32;
    entries.order_by_key(|entry| {
        let hash = hash(entry) as u32;
        (hash ^ (hash >> 16)) & (buckets - 1)
    });
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_come_as_kafka_lists_them() {
        let partitions = (0..2).map(|partition| PartitionName { topic: "le".to_string(), partition }).collect();
        let ordered = hash_order(partitions, partition_hash);
        assert_eq!(ordered.iter().map(|partition| partition.partition).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn small_numbers_come_in_their_order() {
        assert_eq!(hash_order(vec![3, 1, 2, 20], |broker| *broker), [1, 2, 3, 20]);
        assert_eq!(string_hash("hello"), 99_162_322);
    }
}
