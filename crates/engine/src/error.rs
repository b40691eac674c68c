//! The two kinds of failure: input of ours that is wrong, and errors that Kafka itself would report.
//!
//! A broken invariant of the engine is neither: it panics.

mod protocol;

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Wrong input, raised once at the edge: a scenario, a command or a value typed by somebody.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize)]
pub struct InputError {
    /// A stable name, such as `scenario.unknown_client`.
    pub code: &'static str,
    /// What was expected, in one sentence.
    pub message: String,
    /// Where inside the input, such as `producer[0].client`; empty if it is the whole.
    pub path: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl InputError {
    /// An error without a path; see [`InputError::at`].
    pub fn new(code: &'static str, message: impl Into<String>) -> InputError {
        InputError { code, message: message.into(), path: String::new(), hint: String::new() }
    }

    /// The same error at a place inside the input.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> InputError {
        self.path = path.into();
        self
    }

    /// The same error with a piece of advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> InputError {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)?;
        if !self.hint.is_empty() {
            write!(out, " {}", self.hint)?;
        }
        if !self.path.is_empty() {
            write!(out, " ({})", self.path)?;
        }
        Ok(())
    }
}

/// An error that Kafka reports: data that travels in responses, outcomes and events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KafkaError {
    /// The protocol name, such as `INVALID_PARTITIONS`, or the library's own, such as `_QUEUE_FULL`.
    pub error: String,
    /// The exception class of the Java client, without its package; empty for other libraries.
    pub exception: String,
    /// The text exactly as Kafka words it.
    pub message: String,
    /// The exception inside it (`getCause`), if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Box<KafkaError>>,
    /// What librdkafka says of it besides; absent for other libraries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<ErrorFlags>,
}

/// The three flags of an error of librdkafka.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorFlags {
    /// The client cannot go on.
    pub is_fatal: bool,
    /// The call may be made again.
    pub is_retriable: bool,
    /// The transaction must be aborted first.
    pub requires_abort: bool,
}

impl KafkaError {
    /// An error with its protocol name, Java class and text.
    pub fn new(error: &str, exception: &str, message: impl Into<String>) -> KafkaError {
        KafkaError {
            error: error.to_string(),
            exception: exception.to_string(),
            message: message.into(),
            cause: None,
            flags: None,
        }
    }
}

impl KafkaError {
    /// The same error with the exception inside it.
    #[must_use]
    pub fn caused_by(mut self, cause: KafkaError) -> KafkaError {
        self.cause = Some(Box::new(cause));
        self
    }

    /// The same error with librdkafka's flags.
    #[must_use]
    pub fn flagged(mut self, flags: ErrorFlags) -> KafkaError {
        self.flags = Some(flags);
        self
    }
}

impl fmt::Display for KafkaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.exception.is_empty() { &self.error } else { &self.exception };
        write!(out, "{name}: {}", self.message)
    }
}
