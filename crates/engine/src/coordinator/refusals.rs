//! Errors of coordinators with their classes and texts, as `Errors` of Kafka 4.3.1 words them.
//!
//! When each is given is not decided here.

use crate::error::KafkaError;

/// What a coordinator answers instead of doing what it was asked for.
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
    IllegalGeneration,
    UnknownMember,
    OffsetMetadataTooLarge,
}

impl Refusal {
    fn parts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Refusal::LoadInProgress => (
                "COORDINATOR_LOAD_IN_PROGRESS",
                "CoordinatorLoadInProgressException",
                "The coordinator is loading and hence can't process requests.",
            ),
            Refusal::NotAvailable => (
                "COORDINATOR_NOT_AVAILABLE",
                "CoordinatorNotAvailableException",
                "The coordinator is not available.",
            ),
            Refusal::NotCoordinator => {
                ("NOT_COORDINATOR", "NotCoordinatorException", "This is not the correct coordinator.")
            }
            Refusal::InvalidRequest => (
                "INVALID_REQUEST",
                "InvalidRequestException",
                "This most likely occurs because of a request being malformed by the client library or the message \
                 was sent to an incompatible broker. See the broker logs for more details.",
            ),
            Refusal::InvalidTxnState => (
                "INVALID_TXN_STATE",
                "InvalidTxnStateException",
                "The producer attempted a transactional operation in an invalid state.",
            ),
            Refusal::InvalidProducerIdMapping => (
                "INVALID_PRODUCER_ID_MAPPING",
                "InvalidPidMappingException",
                "The producer attempted to use a producer id which is not currently assigned to its transactional id.",
            ),
            Refusal::InvalidTimeout => (
                "INVALID_TRANSACTION_TIMEOUT",
                "InvalidTxnTimeoutException",
                "The transaction timeout is larger than the maximum value allowed by the broker (as configured by \
                 transaction.max.timeout.ms).",
            ),
            Refusal::ConcurrentTransactions => (
                "CONCURRENT_TRANSACTIONS",
                "ConcurrentTransactionsException",
                "The producer attempted to update a transaction while another concurrent operation on the same \
                 transaction was ongoing.",
            ),
            Refusal::NotAuthorized => (
                "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
                "TransactionalIdAuthorizationException",
                "Transactional Id authorization failed.",
            ),
            Refusal::UnsupportedVersion => {
                ("UNSUPPORTED_VERSION", "UnsupportedVersionException", "The version of API is not supported.")
            }
            Refusal::ProducerFenced => (
                "PRODUCER_FENCED",
                "ProducerFencedException",
                "There is a newer producer with the same transactionalId which fences the current one.",
            ),
            other => other.more_parts(),
        }
    }

    fn more_parts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Refusal::TransactionAbortable => (
                "TRANSACTION_ABORTABLE",
                "TransactionAbortableException",
                "The server encountered an error with the transaction. The client can abort the transaction to \
                 continue using this transactional ID.",
            ),
            Refusal::UnknownPartition => (
                "UNKNOWN_TOPIC_OR_PARTITION",
                "UnknownTopicOrPartitionException",
                "This server does not host this topic-partition.",
            ),
            Refusal::NotAttempted => (
                "OPERATION_NOT_ATTEMPTED",
                "OperationNotAttemptedException",
                "The broker did not attempt to execute this operation. This may happen for batched RPCs where some \
                 operations in the batch failed, causing the broker to respond without trying the rest.",
            ),
            Refusal::IllegalGeneration => (
                "ILLEGAL_GENERATION",
                "IllegalGenerationException",
                "Specified group generation id is not valid.",
            ),
            Refusal::UnknownMember => (
                "UNKNOWN_MEMBER_ID",
                "UnknownMemberIdException",
                "The coordinator is not aware of this member.",
            ),
            Refusal::OffsetMetadataTooLarge => (
                "OFFSET_METADATA_TOO_LARGE",
                "OffsetMetadataTooLarge",
                "The metadata field of the offset request was too large.",
            ),
            _ => (
                "UNKNOWN_SERVER_ERROR",
                "UnknownServerException",
                "The server experienced an unexpected error when processing the request.",
            ),
        }
    }

    /// As it travels to whoever asked.
    pub fn error(self) -> KafkaError {
        let (error, exception, text) = self.parts();
        KafkaError::new(error, exception, text)
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
