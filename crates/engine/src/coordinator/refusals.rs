//! What a coordinator answers instead of doing what it was asked for.
//!
//! Classes and texts are in `error/protocol.rs`; when each is given is not decided here.

use crate::error::KafkaError;

/// An error of a coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    LoadInProgress,
    NotAvailable,
    NotCoordinator,
    InvalidRequest,
    InvalidTxnState,
    InvalidProducerIdMapping,
    InvalidTimeout,
    ConcurrentTransactions,
    NotAuthorized,
    UnsupportedVersion,
    ProducerFenced,
    TransactionAbortable,
    UnknownServerError,
    UnknownPartition,
    NotAttempted,
}

impl Refusal {
    /// Its name in the protocol.
    fn name(self) -> &'static str {
        match self {
            Refusal::LoadInProgress => "COORDINATOR_LOAD_IN_PROGRESS",
            Refusal::NotAvailable => "COORDINATOR_NOT_AVAILABLE",
            Refusal::NotCoordinator => "NOT_COORDINATOR",
            Refusal::InvalidRequest => "INVALID_REQUEST",
            Refusal::InvalidTxnState => "INVALID_TXN_STATE",
            Refusal::InvalidProducerIdMapping => "INVALID_PRODUCER_ID_MAPPING",
            Refusal::InvalidTimeout => "INVALID_TRANSACTION_TIMEOUT",
            Refusal::ConcurrentTransactions => "CONCURRENT_TRANSACTIONS",
            Refusal::NotAuthorized => "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
            Refusal::UnsupportedVersion => "UNSUPPORTED_VERSION",
            Refusal::ProducerFenced => "PRODUCER_FENCED",
            Refusal::TransactionAbortable => "TRANSACTION_ABORTABLE",
            Refusal::UnknownServerError => "UNKNOWN_SERVER_ERROR",
            Refusal::UnknownPartition => "UNKNOWN_TOPIC_OR_PARTITION",
            Refusal::NotAttempted => "OPERATION_NOT_ATTEMPTED",
        }
    }

    /// As it travels to whoever asked.
    pub fn error(self) -> KafkaError {
        KafkaError::protocol(self.name())
    }

    /// What a failed append to a coordinator's log means to whoever asked (`updateCacheCallback`).
    pub fn of_append(error: &KafkaError) -> Refusal {
        match error.error.as_str() {
            "UNKNOWN_TOPIC_OR_PARTITION"
            | "NOT_ENOUGH_REPLICAS"
            | "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
            | "REQUEST_TIMED_OUT" => Refusal::NotAvailable,
            "NOT_LEADER_OR_FOLLOWER" | "KAFKA_STORAGE_ERROR" => Refusal::NotCoordinator,
            _ => Refusal::UnknownServerError,
        }
    }
}
