//! Why a tool ends before its work is done.
//!
//! How an exception is printed differs from tool to tool, so that is left to each of them.

use engine::InputError;

use crate::Printed;
use crate::exception::Exception;
use crate::options::{OptionSpec, usage};

/// The end of a tool's run, other than success.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// An exception that the tool tells in its own way.
    Failed(Exception),
    /// A text and nothing else (`TerseException`).
    Terse(String),
    /// The options do not fit together: a text and the list of options on standard error, status 1.
    Usage(String),
    /// `--help` or `--version` was answered: a text on standard output, status 0.
    Answered(String),
    /// The simulator objects, not Kafka.
    Refused(InputError),
}

impl Stop {
    /// The class and text of an exception of the tools' own.
    pub(crate) fn of_tools(class: &str, message: impl Into<String>) -> Stop {
        Stop::Failed(Exception::of_tools(class, message))
    }

    /// What every tool prints alike; the exception of the rest.
    pub(crate) fn print(self, options: &[OptionSpec], printed: &mut Printed) -> Option<Exception> {
        printed.exit = 1;
        match self {
            Stop::Failed(exception) => return Some(exception),
            Stop::Terse(text) => printed.stderr.push_str(&format!("{text}\n")),
            Stop::Usage(text) => printed.stderr.push_str(&format!("{text}\n{}", usage(options))),
            Stop::Refused(error) => printed.stderr.push_str(&format!("{error}\n")),
            Stop::Answered(text) => {
                printed.exit = 0;
                printed.stdout.push_str(&text);
            }
        }
        None
    }
}

/// `CommandLineUtils.maybePrintHelpOrVersion`: without any argument, with `--help` or with `--version`.
pub(crate) fn help_or_version(words: &[String], has: impl Fn(&str) -> bool, purpose: &str) -> Result<(), Stop> {
    if words.is_empty() || has("help") {
        return Err(Stop::Usage(purpose.to_string()));
    }
    if has("version") {
        return Err(Stop::Answered(format!("{}\n", engine::version::KAFKA)));
    }
    Ok(())
}
