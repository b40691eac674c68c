//! The tools that Kafka 4.3.1 ships, by name.
//!
//! What each one does is in a module of its own.

/// A program of Kafka's `bin` folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// kafka-topics.sh
    Topics,
    /// kafka-configs.sh
    Configs,
    /// kafka-console-producer.sh
    ConsoleProducer,
    /// kafka-console-consumer.sh
    ConsoleConsumer,
    /// kafka-get-offsets.sh
    GetOffsets,
    /// kafka-leader-election.sh
    LeaderElection,
    /// kafka-reassign-partitions.sh
    ReassignPartitions,
    /// kafka-log-dirs.sh
    LogDirs,
    /// kafka-dump-log.sh
    DumpLog,
    /// kafka-transactions.sh
    Transactions,
    /// kafka-consumer-groups.sh
    ConsumerGroups,
    /// kafka-groups.sh
    Groups,
    /// kafka-share-groups.sh
    ShareGroups,
    /// kafka-features.sh
    Features,
    /// kafka-storage.sh
    Storage,
    /// kafka-server-start.sh
    ServerStart,
    /// A tool that this console does not have yet, by its file name.
    Later(&'static str),
}

/// The tools of this console, by file name.
pub(crate) const HERE: [(&str, Tool); 16] = [
    ("kafka-topics.sh", Tool::Topics),
    ("kafka-configs.sh", Tool::Configs),
    ("kafka-console-producer.sh", Tool::ConsoleProducer),
    ("kafka-console-consumer.sh", Tool::ConsoleConsumer),
    ("kafka-get-offsets.sh", Tool::GetOffsets),
    ("kafka-leader-election.sh", Tool::LeaderElection),
    ("kafka-reassign-partitions.sh", Tool::ReassignPartitions),
    ("kafka-log-dirs.sh", Tool::LogDirs),
    ("kafka-dump-log.sh", Tool::DumpLog),
    ("kafka-transactions.sh", Tool::Transactions),
    ("kafka-consumer-groups.sh", Tool::ConsumerGroups),
    ("kafka-groups.sh", Tool::Groups),
    ("kafka-share-groups.sh", Tool::ShareGroups),
    ("kafka-features.sh", Tool::Features),
    ("kafka-storage.sh", Tool::Storage),
    ("kafka-server-start.sh", Tool::ServerStart),
];

/// Tools that exist in Kafka and not yet here.
pub(crate) const LATER: [&str; 13] = [
    "kafka-acls.sh",
    "kafka-broker-api-versions.sh",
    "kafka-client-metrics.sh",
    "kafka-cluster.sh",
    "kafka-console-share-consumer.sh",
    "kafka-consumer-perf-test.sh",
    "kafka-delegation-tokens.sh",
    "kafka-delete-records.sh",
    "kafka-metadata-quorum.sh",
    "kafka-metadata-shell.sh",
    "kafka-producer-perf-test.sh",
    "kafka-replica-verification.sh",
    "kafka-streams-groups.sh",
];

impl Tool {
    /// The tool that a command names, with or without its folder and its `.sh`.
    pub fn named(command: &str) -> Option<Tool> {
        let file = command.rsplit('/').next().unwrap_or(command);
        let stem = file.strip_suffix(".sh").unwrap_or(file);
        let is_named = |name: &str| name.strip_suffix(".sh") == Some(stem);
        let here = HERE.into_iter().find(|(name, _)| is_named(name)).map(|(_, tool)| tool);
        here.or_else(|| LATER.into_iter().find(|name| is_named(name)).map(Tool::Later))
    }

    /// Whether it reads the lines that are typed after its command.
    pub fn reads_lines(self) -> bool {
        self == Tool::ConsoleProducer
    }
}
