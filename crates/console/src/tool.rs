//! The tools that Kafka 4.3.1 ships, by name.
//!
//! What each one does is in a module of its own.

/// A program of Kafka's `bin` folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// kafka-topics.sh
    Topics,
    /// A tool that this console does not have yet, by its file name.
    Later(&'static str),
}

/// Tools that exist in Kafka and not yet here.
pub(crate) const LATER: [&str; 27] = [
    "kafka-acls.sh",
    "kafka-broker-api-versions.sh",
    "kafka-client-metrics.sh",
    "kafka-cluster.sh",
    "kafka-configs.sh",
    "kafka-console-consumer.sh",
    "kafka-console-producer.sh",
    "kafka-console-share-consumer.sh",
    "kafka-consumer-groups.sh",
    "kafka-consumer-perf-test.sh",
    "kafka-delegation-tokens.sh",
    "kafka-delete-records.sh",
    "kafka-dump-log.sh",
    "kafka-features.sh",
    "kafka-get-offsets.sh",
    "kafka-groups.sh",
    "kafka-leader-election.sh",
    "kafka-log-dirs.sh",
    "kafka-metadata-quorum.sh",
    "kafka-metadata-shell.sh",
    "kafka-producer-perf-test.sh",
    "kafka-reassign-partitions.sh",
    "kafka-replica-verification.sh",
    "kafka-share-groups.sh",
    "kafka-storage.sh",
    "kafka-streams-groups.sh",
    "kafka-transactions.sh",
];

impl Tool {
    /// The tool that a command names, with or without its folder and its `.sh`.
    pub fn named(command: &str) -> Option<Tool> {
        let file = command.rsplit('/').next().unwrap_or(command);
        let stem = file.strip_suffix(".sh").unwrap_or(file);
        if stem == "kafka-topics" {
            return Some(Tool::Topics);
        }
        LATER.into_iter().find(|later| later.strip_suffix(".sh") == Some(stem)).map(Tool::Later)
    }
}
