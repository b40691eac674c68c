//! What a producer makes of errors: which are tried again, which call for fresh metadata, and how its library
//! shows them.
//!
//! The errors themselves come from brokers, with the texts of the Java client.

use super::settings::Dialect;
use crate::error::KafkaError;

/// Errors whose exception is an `InvalidMetadataException` of the Java client.
const STALE_METADATA: [&str; 8] = [
    "NETWORK_EXCEPTION",
    "NOT_LEADER_OR_FOLLOWER",
    "LEADER_NOT_AVAILABLE",
    "UNKNOWN_TOPIC_OR_PARTITION",
    "UNKNOWN_LEADER_EPOCH",
    "FENCED_LEADER_EPOCH",
    "KAFKA_STORAGE_ERROR",
    "REPLICA_NOT_AVAILABLE",
];

/// Other errors whose exception is a `RetriableException`.
const RETRIABLE: [&str; 10] = [
    "COORDINATOR_LOAD_IN_PROGRESS",
    "COORDINATOR_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "CONCURRENT_TRANSACTIONS",
    "UNSTABLE_OFFSET_COMMIT",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "REQUEST_TIMED_OUT",
    "CORRUPT_MESSAGE",
    "OFFSET_NOT_AVAILABLE",
];

/// Whether a client refreshes its metadata after the error.
pub(crate) fn is_stale_metadata(error: &KafkaError) -> bool {
    STALE_METADATA.contains(&error.error.as_str())
}

/// Whether a producer sends the batch or the request again.
pub(super) fn is_retriable(error: &KafkaError) -> bool {
    is_stale_metadata(error) || RETRIABLE.contains(&error.error.as_str()) || is_timeout(error)
}

/// Whether the exception is a `TimeoutException`, which is a `RetriableException` too.
fn is_timeout(error: &KafkaError) -> bool {
    matches!(error.exception.as_str(), "TimeoutException" | "BufferExhaustedException")
}

/// The error as the application of this library sees it. librdkafka has a producer of its own.
/// Simplified: libraries other than these two show the protocol's name with the Java client's text.
pub(super) fn as_told_by(dialect: Dialect, error: KafkaError) -> KafkaError {
    match dialect {
        Dialect::Java => error,
        Dialect::Librdkafka | Dialect::Other => KafkaError { exception: String::new(), ..error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_tried_again_as_the_java_client_does() {
        let check = |name: &str, is_tried: bool, is_stale: bool| {
            let error = KafkaError::new(name, "", "");
            assert_eq!((is_retriable(&error), is_stale_metadata(&error)), (is_tried, is_stale), "{name}");
        };
        check("NOT_LEADER_OR_FOLLOWER", true, true);
        check("NOT_ENOUGH_REPLICAS", true, false);
        check("REQUEST_TIMED_OUT", true, false);
        check("MESSAGE_TOO_LARGE", false, false);
        check("INVALID_RECORD", false, false);
        check("OUT_OF_ORDER_SEQUENCE_NUMBER", false, false);
    }

    #[test]
    fn each_library_has_its_own_words() {
        let error = KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", "This server …");
        assert_eq!(as_told_by(Dialect::Java, error.clone()), error);
        let told = as_told_by(Dialect::Other, error);
        assert_eq!(told.to_string(), "UNKNOWN_TOPIC_OR_PARTITION: This server …");
    }
}
