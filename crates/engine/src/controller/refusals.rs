//! The errors with which the controller refuses, in the words of Kafka 4.3.1's `Errors`.
//!
//! When they apply is said where they are used.

use crate::error::KafkaError;
use crate::event::TopicPartition;

/// A bound of ours, told as a cluster with a policy would tell it.
pub(super) fn policy(text: String) -> KafkaError {
    KafkaError::new("POLICY_VIOLATION", "PolicyViolationException", text)
}

pub(super) fn invalid_partitions(text: String) -> KafkaError {
    KafkaError::new("INVALID_PARTITIONS", "InvalidPartitionsException", text)
}

pub(super) fn invalid_factor(text: impl Into<String>) -> KafkaError {
    KafkaError::new("INVALID_REPLICATION_FACTOR", "InvalidReplicationFactorException", text)
}

pub(super) fn invalid_request(text: impl Into<String>) -> KafkaError {
    KafkaError::new("INVALID_REQUEST", "InvalidRequestException", text)
}

pub(super) fn invalid_assignment(text: impl Into<String>) -> KafkaError {
    KafkaError::new("INVALID_REPLICA_ASSIGNMENT", "InvalidReplicaAssignmentException", text)
}

pub(super) fn invalid_config(text: impl Into<String>) -> KafkaError {
    KafkaError::new("INVALID_CONFIG", "InvalidConfigurationException", text)
}

pub(super) fn unknown_partition(text: impl Into<String>) -> KafkaError {
    KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", text)
}

/// With the text that clients fill in for the bare code.
pub(super) fn unknown_topic() -> KafkaError {
    unknown_partition("This server does not host this topic-partition.")
}

/// The partition is none of the topic's.
pub(super) fn no_such_partition(partition: &TopicPartition, topic_exists: bool) -> KafkaError {
    unknown_partition(match topic_exists {
        true => format!("No such partition as {partition}"),
        false => format!("No such topic as {}", partition.topic),
    })
}

/// Errors that travel as a bare code; the client fills in their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    UnknownTopicId,
    NotController,
    FencedLeaderEpoch,
    InvalidRequest,
    InvalidUpdateVersion,
    IneligibleReplica,
    NewLeaderElected,
    StaleBrokerEpoch,
    ElectionNotNeeded,
    PreferredLeaderNotAvailable,
    EligibleLeadersNotAvailable,
    NoReassignmentInProgress,
}

impl From<Code> for KafkaError {
    fn from(code: Code) -> KafkaError {
        let (name, exception, text) = match code {
            Code::UnknownTopicId => {
                ("UNKNOWN_TOPIC_ID", "UnknownTopicIdException", "This server does not host this topic ID.")
            }
            Code::NotController => {
                ("NOT_CONTROLLER", "NotControllerException", "This is not the correct controller for this cluster.")
            }
            Code::FencedLeaderEpoch => (
                "FENCED_LEADER_EPOCH",
                "FencedLeaderEpochException",
                "The leader epoch in the request is older than the epoch on the broker.",
            ),
            Code::InvalidRequest => (
                "INVALID_REQUEST",
                "InvalidRequestException",
                "This most likely occurs because of a request being malformed by the client library or the message \
                 was sent to an incompatible broker. See the broker logs for more details.",
            ),
            Code::InvalidUpdateVersion => {
                ("INVALID_UPDATE_VERSION", "InvalidUpdateVersionException", "The given update version was invalid.")
            }
            Code::IneligibleReplica => (
                "INELIGIBLE_REPLICA",
                "IneligibleReplicaException",
                "The new ISR contains at least one ineligible replica.",
            ),
            Code::NewLeaderElected => (
                "NEW_LEADER_ELECTED",
                "NewLeaderElectedException",
                "The AlterPartition request successfully updated the partition state but the leader has changed.",
            ),
            Code::StaleBrokerEpoch => ("STALE_BROKER_EPOCH", "StaleBrokerEpochException", "Broker epoch has changed."),
            Code::ElectionNotNeeded => {
                ("ELECTION_NOT_NEEDED", "ElectionNotNeededException", "Leader election not needed for topic partition.")
            }
            Code::PreferredLeaderNotAvailable => (
                "PREFERRED_LEADER_NOT_AVAILABLE",
                "PreferredLeaderNotAvailableException",
                "The preferred leader was not available.",
            ),
            Code::EligibleLeadersNotAvailable => (
                "ELIGIBLE_LEADERS_NOT_AVAILABLE",
                "EligibleLeadersNotAvailableException",
                "Eligible topic partition leaders are not available.",
            ),
            Code::NoReassignmentInProgress => (
                "NO_REASSIGNMENT_IN_PROGRESS",
                "NoReassignmentInProgressException",
                "No partition reassignment is in progress.",
            ),
        };
        KafkaError::new(name, exception, text)
    }
}
