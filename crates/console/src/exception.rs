//! Java exceptions as the tools print them: class, text, cause, and what was suppressed.
//!
//! Only the lines with a class are printed; there are no stack frames in a simulation.

use engine::KafkaError;

/// An exception with its full class name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exception {
    /// The class with its package.
    pub(crate) class: String,
    /// What `getMessage()` gives; absent for null.
    pub(crate) message: Option<String>,
    /// What caused it.
    pub(crate) cause: Option<Box<Exception>>,
    /// Others that were collected on the way.
    pub(crate) suppressed: Vec<Exception>,
}

impl Exception {
    /// An exception with that class.
    pub(crate) fn new(class: &str, message: impl Into<String>) -> Exception {
        Exception { class: class.to_string(), message: Some(message.into()), cause: None, suppressed: Vec::new() }
    }

    /// A class of the tools' own package.
    pub(crate) fn of_tools(class: &str, message: impl Into<String>) -> Exception {
        Exception::new(&format!("org.apache.kafka.tools.{class}"), message)
    }

    /// An error that Kafka reports, as its client throws it.
    pub(crate) fn of_kafka(error: &KafkaError) -> Exception {
        Exception::new(&format!("org.apache.kafka.common.errors.{}", error.exception), error.message.as_str())
    }

    /// An argument that makes no sense.
    pub(crate) fn of_argument(message: impl Into<String>) -> Exception {
        Exception::new("java.lang.IllegalArgumentException", message)
    }

    /// The parser of the command line objects.
    pub(crate) fn of_options(class: &str, message: impl Into<String>) -> Exception {
        Exception::new(&format!("joptsimple.{class}"), message)
    }

    /// A request waited in vain.
    pub(crate) fn timeout(call: &str) -> Exception {
        let text = format!("Timed out waiting for a node assignment. Call: {call}");
        Exception::new("org.apache.kafka.common.errors.TimeoutException", text)
    }

    /// The same inside an exception that has no text of its own: it repeats its cause.
    pub(crate) fn inside(self, class: &str) -> Exception {
        Exception { cause: Some(Box::new(self.clone())), ..Exception::new(class, self.line()) }
    }

    /// The same as a future throws it.
    pub(crate) fn in_future(self) -> Exception {
        self.inside("java.util.concurrent.ExecutionException")
    }

    /// What `getMessage()` prints.
    pub(crate) fn text(&self) -> &str {
        self.message.as_deref().unwrap_or("null")
    }

    /// What `toString()` prints.
    pub(crate) fn line(&self) -> String {
        match &self.message {
            Some(message) => format!("{}: {message}", self.class),
            None => self.class.clone(),
        }
    }

    /// The lines of `printStackTrace()` without frames, each ended by a line feed.
    pub(crate) fn trace(&self) -> String {
        let mut text = format!("{}\n", self.line());
        for suppressed in &self.suppressed {
            text.push_str(&format!("\tSuppressed: {}\n", suppressed.line()));
        }
        let mut cause = self.cause.as_deref();
        while let Some(exception) = cause {
            text.push_str(&format!("Caused by: {}\n", exception.line()));
            cause = exception.cause.as_deref();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_prints_its_cause_and_what_it_suppressed() {
        let error = KafkaError::new("INVALID_REQUEST", "InvalidRequestException", "no");
        let kafka = "org.apache.kafka.common.errors.InvalidRequestException: no";
        let wrapped = Exception::of_kafka(&error).in_future();
        let lines = format!("java.util.concurrent.ExecutionException: {kafka}\nCaused by: {kafka}\n");
        assert_eq!((wrapped.text(), wrapped.trace()), (kafka, lines));

        let mut root = Exception::of_tools("AdminCommandFailedException", "1 replica(s) could not be elected");
        root.suppressed.push(Exception::of_kafka(&error));
        let lines = format!(
            "org.apache.kafka.tools.AdminCommandFailedException: 1 replica(s) could not be elected\n\tSuppressed: {kafka}\n"
        );
        assert_eq!(root.trace(), lines);
    }
}
