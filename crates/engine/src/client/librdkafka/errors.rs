//! Errors of librdkafka: code, name and text of each, and the name that Kafka's protocol has for it.
//!
//! Follows `rd_kafka_err_descs` of librdkafka 2.16.0. Deliberately not here: where an error reaches the
//! application, and its flags; those belong to the call.

use crate::error::{ErrorFlags, KafkaError};

/// Code, name and text, with the protocol's name where it differs.
#[rustfmt::skip]
const ERRORS: &[(i32, &str, &str, &str)] = &[
    (-197, "_DESTROY", "Local: Broker handle destroyed", ""),
    (-195, "_TRANSPORT", "Local: Broker transport failure", "NETWORK_EXCEPTION"),
    (-192, "_MSG_TIMED_OUT", "Local: Message timed out", ""),
    (-190, "_UNKNOWN_PARTITION", "Local: Unknown partition", ""),
    (-188, "_UNKNOWN_TOPIC", "Local: Unknown topic", ""),
    (-186, "_INVALID_ARG", "Local: Invalid argument or configuration", ""),
    (-185, "_TIMED_OUT", "Local: Timed out", ""),
    (-184, "_QUEUE_FULL", "Local: Queue full", ""),
    (-173, "_CONFLICT", "Local: Conflicting use", ""),
    (-172, "_STATE", "Local: Erroneous state", ""),
    (-170, "_NOT_IMPLEMENTED", "Local: Not implemented", ""),
    (-168, "_NO_OFFSET", "Local: No offset stored", ""),
    (-152, "_PURGE_QUEUE", "Local: Purged in queue", ""),
    (-151, "_PURGE_INFLIGHT", "Local: Purged in flight", ""),
    (-150, "_FATAL", "Local: Fatal error", ""),
    (-149, "_INCONSISTENT", "Local: Inconsistent state", ""),
    (-148, "_GAPLESS_GUARANTEE", "Local: Gap-less ordering would not be guaranteed if proceeding", ""),
    (-147, "_MAX_POLL_EXCEEDED", "Local: Maximum application poll interval (max.poll.interval.ms) exceeded", ""),
    (-145, "_NOT_CONFIGURED", "Local: Functionality not configured", ""),
    (-140, "_AUTO_OFFSET_RESET", "Local: No offset to automatically reset to", ""),
    (-144, "_FENCED", "Local: This instance has been fenced by a newer instance", ""),
    (-1, "UNKNOWN", "Unknown broker error", "UNKNOWN_SERVER_ERROR"),
    (1, "OFFSET_OUT_OF_RANGE", "Broker: Offset out of range", ""),
    (2, "INVALID_MSG", "Broker: Invalid message", "CORRUPT_MESSAGE"),
    (3, "UNKNOWN_TOPIC_OR_PART", "Broker: Unknown topic or partition", "UNKNOWN_TOPIC_OR_PARTITION"),
    (5, "LEADER_NOT_AVAILABLE", "Broker: Leader not available", ""),
    (6, "NOT_LEADER_FOR_PARTITION", "Broker: Not leader for partition", "NOT_LEADER_OR_FOLLOWER"),
    (7, "REQUEST_TIMED_OUT", "Broker: Request timed out", ""),
    (8, "BROKER_NOT_AVAILABLE", "Broker: Broker not available", ""),
    (9, "REPLICA_NOT_AVAILABLE", "Broker: Replica not available", ""),
    (10, "MSG_SIZE_TOO_LARGE", "Broker: Message size too large", "MESSAGE_TOO_LARGE"),
    (14, "COORDINATOR_LOAD_IN_PROGRESS", "Broker: Coordinator load in progress", ""),
    (15, "COORDINATOR_NOT_AVAILABLE", "Broker: Coordinator not available", ""),
    (16, "NOT_COORDINATOR", "Broker: Not coordinator", ""),
    (17, "TOPIC_EXCEPTION", "Broker: Invalid topic", "INVALID_TOPIC_EXCEPTION"),
    (18, "RECORD_LIST_TOO_LARGE", "Broker: Message batch larger than configured server segment size", ""),
    (19, "NOT_ENOUGH_REPLICAS", "Broker: Not enough in-sync replicas", ""),
    (20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "Broker: Message(s) written to insufficient number of in-sync replicas", ""),
    (12, "OFFSET_METADATA_TOO_LARGE", "Broker: Offset metadata string too large", ""),
    (22, "ILLEGAL_GENERATION", "Broker: Specified group generation id is not valid", ""),
    (23, "INCONSISTENT_GROUP_PROTOCOL", "Broker: Inconsistent group protocol", ""),
    (24, "INVALID_GROUP_ID", "Broker: Invalid group.id", ""),
    (25, "UNKNOWN_MEMBER_ID", "Broker: Unknown member", ""),
    (26, "INVALID_SESSION_TIMEOUT", "Broker: Invalid session timeout", ""),
    (27, "REBALANCE_IN_PROGRESS", "Broker: Group rebalance in progress", ""),
    (28, "INVALID_COMMIT_OFFSET_SIZE", "Broker: Invalid commit offset size", ""),
    (30, "GROUP_AUTHORIZATION_FAILED", "Broker: Group authorization failed", ""),
    (32, "INVALID_TIMESTAMP", "Broker: Invalid timestamp", ""),
    (42, "INVALID_REQUEST", "Broker: Invalid request", ""),
    (45, "OUT_OF_ORDER_SEQUENCE_NUMBER", "Broker: Broker received an out of order sequence number", ""),
    (46, "DUPLICATE_SEQUENCE_NUMBER", "Broker: Broker received a duplicate sequence number", ""),
    (47, "INVALID_PRODUCER_EPOCH", "Broker: Producer attempted an operation with an old epoch", ""),
    (48, "INVALID_TXN_STATE", "Broker: Producer attempted a transactional operation in an invalid state", ""),
    (49, "INVALID_PRODUCER_ID_MAPPING", "Broker: Producer attempted to use a producer id which is not currently assigned to its transactional id", ""),
    (50, "INVALID_TRANSACTION_TIMEOUT", "Broker: Transaction timeout is larger than the maximum value allowed by the broker's max.transaction.timeout.ms", ""),
    (51, "CONCURRENT_TRANSACTIONS", "Broker: Producer attempted to update a transaction while another concurrent operation on the same transaction was ongoing", ""),
    (52, "TRANSACTION_COORDINATOR_FENCED", "Broker: Indicates that the transaction coordinator sending a WriteTxnMarker is no longer the current coordinator for a given producer", ""),
    (56, "KAFKA_STORAGE_ERROR", "Broker: Disk error when trying to access log file on disk", ""),
    (59, "UNKNOWN_PRODUCER_ID", "Broker: Unknown Producer Id", ""),
    (74, "FENCED_LEADER_EPOCH", "Broker: Leader epoch is older than broker epoch", ""),
    (75, "UNKNOWN_LEADER_EPOCH", "Broker: Leader epoch is newer than broker epoch", ""),
    (79, "MEMBER_ID_REQUIRED", "Broker: Group member needs a valid member ID", ""),
    (81, "GROUP_MAX_SIZE_REACHED", "Broker: Consumer group has reached maximum size", ""),
    (82, "FENCED_INSTANCE_ID", "Broker: Static consumer fenced by other consumer with same group.instance.id", ""),
    (87, "INVALID_RECORD", "Broker: Broker failed to validate record", ""),
    (90, "PRODUCER_FENCED", "Broker: There is a newer producer with the same transactionalId which fences the current one", ""),
    (110, "FENCED_MEMBER_EPOCH", "Broker: The member epoch is fenced by the group coordinator", ""),
    (111, "UNRELEASED_INSTANCE_ID", "Broker: The instance ID is still used by another member in the consumer group", ""),
    (112, "UNSUPPORTED_ASSIGNOR", "Broker: The assignor or its version range is not supported by the consumer group", ""),
    (113, "STALE_MEMBER_EPOCH", "Broker: The member epoch is stale", ""),
    (120, "TRANSACTION_ABORTABLE", "Broker: The server encountered an error with the transaction. The client can abort the transaction to continue using this transactional ID", ""),
];

/// The number that librdkafka has for an error, by its name: negative if the library itself raises it.
pub fn error_code(name: &str) -> Option<i32> {
    ERRORS.iter().find(|(_, known, ..)| *known == name).map(|(code, ..)| *code)
}

/// An error with its own text.
pub(in crate::client) fn plain(name: &str) -> KafkaError {
    worded(name, text(name))
}

/// An error with another text.
pub(in crate::client) fn worded(name: &str, text: impl Into<String>) -> KafkaError {
    KafkaError::new(name, "", text).flagged(ErrorFlags::default())
}

/// The text of an error.
pub(in crate::client) fn text(name: &str) -> &'static str {
    ERRORS.iter().find(|(_, known, ..)| *known == name).map_or("", |(_, _, text, _)| *text)
}

/// The error of a broker, or of a connection, in librdkafka's words.
pub(in crate::client) fn of_broker(error: &KafkaError) -> KafkaError {
    let name = error.error.as_str();
    match ERRORS.iter().find(|(_, own, _, protocol)| *own == name || *protocol == name) {
        Some((_, own, ..)) => plain(own),
        None => worded(name, error.message.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_one_name_and_one_code() {
        let order = |of: fn(&(i32, &'static str, &str, &str)) -> String| {
            let mut all: Vec<String> = ERRORS.iter().map(of).collect();
            let count = all.len();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), count);
        };
        order(|(code, ..)| code.to_string());
        order(|(_, name, ..)| (*name).to_string());
    }

    #[test]
    fn a_broker_s_error_gets_the_library_s_words() {
        let check = |protocol: &str, expected: &str| {
            assert_eq!(of_broker(&KafkaError::new(protocol, "SomeException", "x")).to_string(), expected);
        };
        check("UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_OR_PART: Broker: Unknown topic or partition");
        check("MESSAGE_TOO_LARGE", "MSG_SIZE_TOO_LARGE: Broker: Message size too large");
        check("NETWORK_EXCEPTION", "_TRANSPORT: Local: Broker transport failure");
        check("SOMETHING_NEW", "SOMETHING_NEW: x");
        assert_eq!(error_code("_QUEUE_FULL"), Some(-184));
    }
}
