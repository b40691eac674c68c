//! The lines of `kafka-topics.sh --describe`, as Kafka 4.3.1 prints them, tabs included.
//!
//! Which topics and partitions are shown is decided by the caller.

use std::collections::BTreeMap;

use engine::snapshot::{PartitionSnapshot, TopicSnapshot};

use crate::settings;

/// Everything about a topic: its line and a line for each partition, each ended by a line feed.
/// Settings of the cluster count as left at their defaults, as a snapshot of a topic does not have them.
pub fn describe_topic(topic: &TopicSnapshot) -> String {
    let mut text = topic_line(topic, &settings::of_topic(topic));
    text.push('\n');
    for partition in &topic.partitions {
        text.push_str(&describe_partition_line(&topic.name, partition));
        text.push('\n');
    }
    text
}

/// The first line of a topic with its settings, without a line feed.
pub(crate) fn topic_line(topic: &TopicSnapshot, settings: &BTreeMap<String, String>) -> String {
    let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!(
        "Topic: {}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {}\tConfigs: {}",
        topic.name,
        topic.topic_id,
        topic.partitions.len(),
        // The tool counts the replicas of the first partition.
        topic.partitions.first().map_or(0, replication_factor),
        settings.join(",")
    )
}

/// Replicas of a partition without those that a reassignment is still adding.
pub(crate) fn replication_factor(partition: &PartitionSnapshot) -> usize {
    partition.replicas.len() - partition.adding.iter().filter(|broker| partition.replicas.contains(broker)).count()
}

/// The line of a partition, with the tab in front and without a line feed.
pub fn describe_partition_line(topic: &str, partition: &PartitionSnapshot) -> String {
    let leader = partition.leader.map_or_else(|| "none".to_string(), |leader| leader.to_string());
    let moving = if partition.adding.is_empty() && partition.removing.is_empty() {
        String::new()
    } else {
        format!("\tAdding Replicas: {}\tRemoving Replicas: {}", ids(&partition.adding), ids(&partition.removing))
    };
    format!(
        "\tTopic: {topic}\tPartition: {}\tLeader: {leader}\tReplicas: {}\tIsr: {}{moving}\tElr: {}\tLastKnownElr: {}",
        partition.partition,
        ids(&partition.replicas),
        ids(&partition.isr),
        ids(&partition.elr),
        ids(&partition.last_known_elr)
    )
}

/// Broker ids with commas between them.
pub(crate) fn ids(brokers: &[u32]) -> String {
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
            is_internal: false,
            replication_factor: 3,
            configs: BTreeMap::from([("retention.ms".into(), "86400000".into())]),
            partitions: vec![partition(0, Some(2), &[2, 3, 1], &[2, 3, 1]), partition(1, None, &[3, 1, 2], &[])],
        };
        let expected = "Topic: orders\tTopicId: wmyzg8tZRB2NWMlDCjHHAQ\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=1,retention.ms=86400000\n\
            \tTopic: orders\tPartition: 0\tLeader: 2\tReplicas: 2,3,1\tIsr: 2,3,1\tElr: \tLastKnownElr: \n\
            \tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 3,1,2\tIsr: \tElr: \tLastKnownElr: \n";
        assert_eq!(describe_topic(&topic), expected);
    }

    #[test]
    fn a_reassignment_and_eligible_leaders_have_columns() {
        let check = |partition: &PartitionSnapshot, expected: &str| {
            assert_eq!(describe_partition_line("d", partition), format!("\tTopic: d\tPartition: 0\t{expected}"));
        };
        let mut moving = partition(0, Some(3), &[1, 3], &[3]);
        (moving.adding, moving.removing) = (vec![1], vec![3]);
        check(
            &moving,
            "Leader: 3\tReplicas: 1,3\tIsr: 3\tAdding Replicas: 1\tRemoving Replicas: 3\tElr: \tLastKnownElr: ",
        );
        assert_eq!(replication_factor(&moving), 1);
        let mut lost = partition(0, None, &[3], &[]);
        (lost.elr, lost.last_known_elr) = (vec![3], vec![3]);
        check(&lost, "Leader: none\tReplicas: 3\tIsr: \tElr: 3\tLastKnownElr: 3");
    }
}
