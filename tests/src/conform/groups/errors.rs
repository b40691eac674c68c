//! Exceptions in the words of the recordings: class, text and cause.

use engine::error::KafkaError;
use serde_json::{Map, Value, json};

use super::super::cluster::exception;

/// Classes that the consumer has a package of its own for.
const OF_CONSUMER: [&str; 3] =
    ["OffsetOutOfRangeException", "RetriableCommitFailedException", "InvalidOffsetException"];

/// `error`, `message`, and `cause` if there is one.
pub(in crate::conform) fn thrown(error: &KafkaError) -> Map<String, Value> {
    let shown = shown(error);
    let mut fields = Map::new();
    fields.insert("error".into(), shown["class"].clone());
    fields.insert("message".into(), shown["message"].clone());
    if let Some(cause) = error.cause.as_deref().map(self::shown) {
        let text = format!("{}: {}", cause["class"].as_str().unwrap_or(""), cause["message"].as_str().unwrap_or(""));
        fields.insert("cause".into(), json!(text));
    }
    fields
}

fn shown(error: &KafkaError) -> Value {
    let mut shown = exception(error);
    if OF_CONSUMER.contains(&error.exception.as_str()) {
        shown["class"] = Value::from(format!("org.apache.kafka.clients.consumer.{}", error.exception));
    }
    shown
}

#[cfg(test)]
mod tests {
    use engine::error::KafkaError;
    use serde_json::{Value, json};

    use super::thrown;

    #[test]
    fn classes_have_their_packages_and_causes_are_one_text() {
        let cause = KafkaError::new("", "IllegalArgumentException", "lower");
        let error = KafkaError::new("", "KafkaException", "Failed").caused_by(cause);
        let expected = json!({ "error": "org.apache.kafka.common.KafkaException", "message": "Failed",
                               "cause": "java.lang.IllegalArgumentException: lower" });
        assert_eq!(Value::Object(thrown(&error)), expected);
        let error = KafkaError::new("", "OffsetOutOfRangeException", "x");
        assert_eq!(thrown(&error)["error"], "org.apache.kafka.clients.consumer.OffsetOutOfRangeException");
    }
}
