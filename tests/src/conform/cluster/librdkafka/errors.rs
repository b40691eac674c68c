//! Errors as the recordings show them: code, name, text and flags.
//!
//! Deliberately not here: which error comes when.

use engine::Outcome;
use engine::client::librdkafka::error_code;
use engine::command::Surface;
use engine::error::{ErrorFlags, InputError, KafkaError};
use serde_json::{Value, json};

/// An error object.
pub(in crate::conform) fn object(error: &KafkaError, prefix: &str) -> Value {
    let flags = error.flags.unwrap_or_default();
    let ErrorFlags { is_fatal, is_retriable, requires_abort } = flags;
    json!({
        "code": error_code(&error.error),
        "name": error.error,
        "text": format!("{prefix}{}", error.message),
        "fatal": is_fatal,
        "retriable": is_retriable,
        "txn_requires_abort": requires_abort,
    })
}

/// What a call raised: the binding's class for a full queue is another.
pub(in crate::conform) fn raised(error: &KafkaError, prefix: &str) -> Value {
    match error.error.as_str() {
        "_QUEUE_FULL" => json!({ "class": "BufferError", "message": error.message }),
        _ => json!({ "class": "KafkaException", "error": object(error, prefix) }),
    }
}

/// What `produce()` or the delivery report said of a message that failed.
pub(super) fn failed_message(outcome: &Outcome) -> Option<Value> {
    let error = outcome.error.as_ref()?;
    Some(match outcome.surfaced {
        Some(Surface::Future) => json!({ "ok": false, "delivery_failed": object(error, "") }),
        _ => json!({ "ok": false, "thrown": raised(error, "Unable to produce message: ") }),
    })
}

/// A constructor that refused its settings.
pub(super) fn refused(error: &InputError, expected: &Value) -> Value {
    let text = expected["thrown"]["error"]["text"].as_str().unwrap_or_default();
    // Conflicts between settings are found by the constructor, single values by the call that sets them.
    let prefix = "Failed to create producer: ";
    let told = if text.starts_with(prefix) && !error.message.starts_with(prefix) {
        format!("{prefix}{}", error.message)
    } else {
        error.message.clone()
    };
    let error = KafkaError::new("_INVALID_ARG", "", told);
    json!({ "ok": false, "thrown": raised(&error, "") })
}
