//! Requests of transactions: producer ids, partitions that take part, ends, markers, offsets.
//!
//! `version` is the request's API version where Kafka's answer depends on it.

use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::queue::Target;
use crate::time::Duration;
use crate::transaction::MarkerKind;

/// A producer id with its epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProducerIdentity {
    pub producer_id: u64,
    pub epoch: u16,
}

/// What a coordinator is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoordinatorKind {
    Group,
    Transaction,
}

/// FindCoordinator, to any broker.
#[derive(Clone, Debug)]
pub(crate) struct FindCoordinator {
    pub kind: CoordinatorKind,
    pub key: Name,
    pub sender: Target,
}

/// InitProducerId: to any broker without a transactional id, else to its coordinator.
#[derive(Clone, Debug)]
pub(crate) struct InitProducerId {
    pub transactional_id: Option<Name>,
    pub timeout: Duration,
    /// The identity that the producer has already and wants raised (KIP-360).
    pub expected: Option<ProducerIdentity>,
    pub keep_prepared: bool,
    pub enable_two_phase_commit: bool,
    pub sender: Target,
}

/// AddPartitionsToTxn: by a client (up to version 3), or by a partition's leader (from version 4 on).
#[derive(Clone, Debug)]
pub(crate) struct AddPartitionsToTxn {
    pub transactional_id: Name,
    pub identity: ProducerIdentity,
    pub partitions: Vec<TopicPartition>,
    /// Only ask whether they take part.
    pub is_verify_only: bool,
    pub version: u16,
    pub sender: Target,
}

/// AddOffsetsToTxn, by clients of transaction version 0 and 1.
#[derive(Clone, Debug)]
pub(crate) struct AddOffsetsToTxn {
    pub transactional_id: Name,
    pub identity: ProducerIdentity,
    pub group: Name,
    pub sender: Target,
}

/// EndTxn. From version 5 on it is transaction version 2, and the answer carries the next identity.
#[derive(Clone, Debug)]
pub(crate) struct EndTxn {
    pub transactional_id: Name,
    pub identity: ProducerIdentity,
    pub end: MarkerKind,
    pub version: u16,
    pub sender: Target,
}

/// The markers of one transaction for the partitions that one broker leads.
#[derive(Clone, Debug)]
pub(crate) struct TxnMarkers {
    pub identity: ProducerIdentity,
    pub end: MarkerKind,
    pub coordinator_epoch: u32,
    pub partitions: Vec<TopicPartition>,
    /// 2 where the epoch of the marker must be larger than the producer's (KIP-1228).
    pub transaction_version: u16,
}

/// TxnOffsetCommit, to the group's coordinator.
#[derive(Clone, Debug)]
pub(crate) struct TxnOffsetCommit {
    pub transactional_id: Name,
    pub identity: ProducerIdentity,
    pub group: Name,
    /// Generation and member, if the application gave group metadata of a member.
    pub member: Option<(i32, Name)>,
    pub offsets: Vec<(TopicPartition, u64)>,
    /// From version 5 on the coordinator adds its partition to the transaction itself.
    pub version: u16,
    pub sender: Target,
}

/// What came of each partition.
pub(crate) type PartitionResults = Vec<(TopicPartition, Result<(), KafkaError>)>;
