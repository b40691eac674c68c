//! The lines of `kafka-topics.sh --describe`, as Kafka 4.3.1 prints them, tabs included.
//!
//! Which topics and partitions are shown is decided by the caller.

use std::collections::BTreeMap;

use engine::snapshot::{PartitionSnapshot, TopicSnapshot};

use crate::configs;

/// Everything about a topic: its line and a line for each partition, each ended by a line feed.
/// Settings of the cluster are left at their defaults; see [`describe_topic_line`].
pub fn describe_topic(topic: &TopicSnapshot) -> String {
    let mut text = describe_topic_line(topic, &BTreeMap::new());
    text.push('\n');
    for partition in &topic.partitions {
        text.push_str(&describe_partition_line(&topic.name, partition));
        text.push('\n');
    }
    text
}

/// The first line of a topic, without a line feed. `cluster` holds the broker settings that were
/// given: they show up under the topic's names.
pub fn describe_topic_line(topic: &TopicSnapshot, cluster: &BTreeMap<String, String>) -> String {
    let settings: Vec<String> =
        configs::not_default(&topic.configs, cluster).iter().map(|(name, value)| format!("{name}={value}")).collect();
    // The tool counts the replicas of the first partition.
    let replication_factor = topic.partitions.first().map_or(0, |partition| partition.replicas.len());
    format!(
        "Topic: {}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {replication_factor}\tConfigs: {}",
        topic.name,
        topic.topic_id,
        topic.partitions.len(),
        settings.join(",")
    )
}

/// The line of a partition, with the tab in front and without a line feed.
/// Simplified: `Elr` and `LastKnownElr` are empty, as long as no replica ever leaves the ISR.
pub fn describe_partition_line(topic: &str, partition: &PartitionSnapshot) -> String {
    let leader = partition.leader.map_or_else(|| "none".to_string(), |leader| leader.to_string());
    format!(
        "\tTopic: {topic}\tPartition: {}\tLeader: {leader}\tReplicas: {}\tIsr: {}\tElr: \tLastKnownElr: ",
        partition.partition,
        ids(&partition.replicas),
        ids(&partition.isr)
    )
}

fn ids(brokers: &[u32]) -> String {
    let texts: Vec<String> = brokers.iter().map(u32::to_string).collect();
    texts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(number: u32, leader: Option<u32>, replicas: &[u32], isr: &[u32]) -> PartitionSnapshot {
        PartitionSnapshot {
            partition: number,
            leader,
            replicas: replicas.to_vec(),
            isr: isr.to_vec(),
            ..PartitionSnapshot::default()
        }
    }

    #[test]
    fn topics_are_described_with_tabs_between_the_fields() {
        let topic = TopicSnapshot {
            name: "orders".into(),
            topic_id: "wmyzg8tZRB2NWMlDCjHHAQ".into(),
            replication_factor: 3,
            configs: BTreeMap::from([("retention.ms".into(), "86400000".into())]),
            partitions: vec![partition(0, Some(2), &[2, 3, 1], &[2, 3, 1]), partition(1, None, &[3, 1, 2], &[])],
        };
        let expected = "Topic: orders\tTopicId: wmyzg8tZRB2NWMlDCjHHAQ\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=1,retention.ms=86400000\n\
            \tTopic: orders\tPartition: 0\tLeader: 2\tReplicas: 2,3,1\tIsr: 2,3,1\tElr: \tLastKnownElr: \n\
            \tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 3,1,2\tIsr: \tElr: \tLastKnownElr: \n";
        assert_eq!(describe_topic(&topic), expected);
    }
}
