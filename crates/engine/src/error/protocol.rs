//! Errors of the protocol with the texts that clients show when the broker sent none.
//!
//! Follows `Errors` of Kafka 4.3.1, as far as clients, transactions, groups and leaders need it. Texts that name a
//! record or a partition are made where they are known.

use super::KafkaError;

/// Name, exception, text.
const ERRORS: &[[&str; 3]] = &[
    [
        "INVALID_RECORD_STATE",
        "InvalidRecordStateException",
        "The record state is invalid. The acknowledgement of delivery could not be completed.",
    ],
    ["SHARE_SESSION_NOT_FOUND", "ShareSessionNotFoundException", "The share session was not found."],
    ["INVALID_SHARE_SESSION_EPOCH", "InvalidShareSessionEpochException", "The share session epoch is invalid."],
    [
        "FENCED_STATE_EPOCH",
        "FencedStateEpochException",
        "The share coordinator rejected the request because the share-group state epoch did not match.",
    ],
    [
        "FENCED_LEADER_EPOCH",
        "FencedLeaderEpochException",
        "The leader epoch in the request is older than the epoch on the broker.",
    ],
    ["NETWORK_EXCEPTION", "NetworkException", "The server disconnected before a response was received."],
    ["REQUEST_TIMED_OUT", "TimeoutException", "The request timed out."],
    [
        "COORDINATOR_LOAD_IN_PROGRESS",
        "CoordinatorLoadInProgressException",
        "The coordinator is loading and hence can't process requests.",
    ],
    ["COORDINATOR_NOT_AVAILABLE", "CoordinatorNotAvailableException", "The coordinator is not available."],
    ["NOT_COORDINATOR", "NotCoordinatorException", "This is not the correct coordinator."],
    [
        "NOT_LEADER_OR_FOLLOWER",
        "NotLeaderOrFollowerException",
        "For requests intended only for the leader, this error indicates that the broker is not the current leader. \
         For requests intended for any replica, this error indicates that the broker is not a replica of the topic \
         partition.",
    ],
    [
        "UNKNOWN_TOPIC_OR_PARTITION",
        "UnknownTopicOrPartitionException",
        "This server does not host this topic-partition.",
    ],
    [
        "NOT_ENOUGH_REPLICAS",
        "NotEnoughReplicasException",
        "Messages are rejected since there are fewer in-sync replicas than required.",
    ],
    [
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "NotEnoughReplicasAfterAppendException",
        "Messages are written to the log, but to fewer in-sync replicas than required.",
    ],
    [
        "MESSAGE_TOO_LARGE",
        "RecordTooLargeException",
        "The request included a message larger than the max message size the server will accept.",
    ],
    [
        "RECORD_LIST_TOO_LARGE",
        "RecordBatchTooLargeException",
        "The request included message batch larger than the configured segment size on the server.",
    ],
    [
        "INVALID_REQUEST",
        "InvalidRequestException",
        "This most likely occurs because of a request being malformed by the client library or the message was sent \
         to an incompatible broker. See the broker logs for more details.",
    ],
    ["UNSUPPORTED_VERSION", "UnsupportedVersionException", "The version of API is not supported."],
    [
        "OUT_OF_ORDER_SEQUENCE_NUMBER",
        "OutOfOrderSequenceException",
        "The broker received an out of order sequence number.",
    ],
    ["DUPLICATE_SEQUENCE_NUMBER", "DuplicateSequenceException", "The broker received a duplicate sequence number."],
    ["INVALID_PRODUCER_EPOCH", "InvalidProducerEpochException", "Producer attempted to produce with an old epoch."],
    [
        "INVALID_TXN_STATE",
        "InvalidTxnStateException",
        "The producer attempted a transactional operation in an invalid state.",
    ],
    [
        "INVALID_PRODUCER_ID_MAPPING",
        "InvalidPidMappingException",
        "The producer attempted to use a producer id which is not currently assigned to its transactional id.",
    ],
    [
        "INVALID_TRANSACTION_TIMEOUT",
        "InvalidTxnTimeoutException",
        "The transaction timeout is larger than the maximum value allowed by the broker (as configured by \
         transaction.max.timeout.ms).",
    ],
    [
        "CONCURRENT_TRANSACTIONS",
        "ConcurrentTransactionsException",
        "The producer attempted to update a transaction while another concurrent operation on the same transaction \
         was ongoing.",
    ],
    [
        "TRANSACTION_COORDINATOR_FENCED",
        "TransactionCoordinatorFencedException",
        "Indicates that the transaction coordinator sending a WriteTxnMarker is no longer the current coordinator for \
         a given producer.",
    ],
    [
        "PRODUCER_FENCED",
        "ProducerFencedException",
        "There is a newer producer with the same transactionalId which fences the current one.",
    ],
    [
        "TRANSACTION_ABORTABLE",
        "TransactionAbortableException",
        "The server encountered an error with the transaction. The client can abort the transaction to continue \
         using this transactional ID.",
    ],
    [
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "TransactionalIdAuthorizationException",
        "Transactional Id authorization failed.",
    ],
    ["INVALID_GROUP_ID", "InvalidGroupIdException", "The configured groupId is invalid."],
    ["ILLEGAL_GENERATION", "IllegalGenerationException", "Specified group generation id is not valid."],
    ["UNKNOWN_MEMBER_ID", "UnknownMemberIdException", "The coordinator is not aware of this member."],
    [
        "INCONSISTENT_GROUP_PROTOCOL",
        "InconsistentGroupProtocolException",
        "The group member's supported protocols are incompatible with those of existing members or first group member \
         tried to join with empty protocol type or empty protocol list.",
    ],
    [
        "INVALID_SESSION_TIMEOUT",
        "InvalidSessionTimeoutException",
        "The session timeout is not within the range allowed by the broker (as configured by \
         group.min.session.timeout.ms and group.max.session.timeout.ms).",
    ],
    ["REBALANCE_IN_PROGRESS", "RebalanceInProgressException", "The group is rebalancing, so a rejoin is needed."],
    ["NON_EMPTY_GROUP", "GroupNotEmptyException", "The group is not empty."],
    ["GROUP_ID_NOT_FOUND", "GroupIdNotFoundException", "The group id does not exist."],
    [
        "MEMBER_ID_REQUIRED",
        "MemberIdRequiredException",
        "The group member needs to have a valid member id before actually entering a consumer group.",
    ],
    ["GROUP_MAX_SIZE_REACHED", "GroupMaxSizeReachedException", "The group has reached its maximum size."],
    [
        "FENCED_INSTANCE_ID",
        "FencedInstanceIdException",
        "The broker rejected this static consumer since another consumer with the same group.instance.id has \
         registered with a different member.id.",
    ],
    [
        "GROUP_SUBSCRIBED_TO_TOPIC",
        "GroupSubscribedToTopicException",
        "Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it.",
    ],
    ["UNSTABLE_OFFSET_COMMIT", "UnstableOffsetCommitException", "There are unstable offsets that need to be cleared."],
    [
        "FENCED_MEMBER_EPOCH",
        "FencedMemberEpochException",
        "The member epoch is fenced by the group coordinator. The member must abandon all its partitions and rejoin.",
    ],
    [
        "UNRELEASED_INSTANCE_ID",
        "UnreleasedInstanceIdException",
        "The instance ID is still used by another member in the consumer group. That member must leave first.",
    ],
    [
        "UNSUPPORTED_ASSIGNOR",
        "UnsupportedAssignorException",
        "The assignor or its version range is not supported by the consumer group.",
    ],
    [
        "STALE_MEMBER_EPOCH",
        "StaleMemberEpochException",
        "The member epoch is stale. The member must retry after receiving its updated member epoch via the \
         ConsumerGroupHeartbeat API.",
    ],
    ["INVALID_REGULAR_EXPRESSION", "InvalidRegularExpression", "The regular expression is not valid."],
    [
        "OPERATION_NOT_ATTEMPTED",
        "OperationNotAttemptedException",
        "The broker did not attempt to execute this operation. This may happen for batched RPCs where some operations \
         in the batch failed, causing the broker to respond without trying the rest.",
    ],
    [
        "UNKNOWN_SERVER_ERROR",
        "UnknownServerException",
        "The server experienced an unexpected error when processing the request.",
    ],
];

impl KafkaError {
    /// An error of the protocol, by its name, with the exception and text that a client gives it.
    pub fn protocol(name: &str) -> KafkaError {
        let [name, exception, text] = ERRORS.iter().find(|[known, ..]| *known == name).expect("the table has it");
        KafkaError::new(name, exception, *text)
    }

    /// The text that a broker sent along with the error; nothing if a client put its own there.
    pub fn sent_text(&self) -> Option<&str> {
        let own = ERRORS.iter().find(|[known, ..]| *known == self.error).map(|[.., text]| *text);
        Some(&*self.message).filter(|text| own != Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_broker_differ_from_those_of_the_client() {
        let own = KafkaError::protocol("INVALID_TXN_STATE");
        assert_eq!((own.exception.as_str(), own.sent_text()), ("InvalidTxnStateException", None));
        let sent = KafkaError { message: "Partition was not added to the transaction".to_string(), ..own };
        assert_eq!(sent.sent_text(), Some("Partition was not added to the transaction"));
    }
}
