//! Which partition of an internal topic belongs to a transactional id or to a group.
//!
//! Who coordinates is the leader of that partition; this file knows no leaders.

use crate::message::ClusterImage;

/// `String.hashCode` of an id.
pub fn hash_of(id: &str) -> i32 {
    partitioner::hash::java::string_hash_code(id)
}

/// `TransactionStateManager.partitionFor` and `GroupCoordinatorService.partitionFor` of Kafka 4.3.1:
/// `Utils.abs` of the Java hash, modulo the partitions of the internal topic.
pub fn partition_for(id: &str, partitions: u32) -> u32 {
    let hash = hash_of(id);
    // Utils.abs: Integer.MIN_VALUE, which has no positive counterpart, becomes 0.
    let absolute = if hash == i32::MIN { 0 } else { hash.unsigned_abs() };
    absolute % partitions.max(1)
}

/// The partition of an internal topic that an id belongs to and its leader, as an image tells them; nothing
/// if there is no such topic.
pub(crate) fn coordinator_of(image: &ClusterImage, topic: &str, id: &str) -> Option<(u32, Option<u32>)> {
    let topic = image.topics.get(topic)?;
    let partition = partition_for(id, topic.partitions.len() as u32);
    Some((partition, topic.partitions.get(partition as usize)?.leader))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &str, partition: u32) {
        assert_eq!(partition_for(id, 50), partition, "{id}");
    }

    #[test]
    fn ids_belong_to_the_partition_that_kafka_gives_them() {
        check("my-group", 12);
        check("orders-service", 17);
        check("test-txn", 31);
        check("payment-tx-1", 37);
        check("group1", 40);
        check("polygenelubricants", 0);
    }
}
