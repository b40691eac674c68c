//! The run that a check looks at.
//!
//! Deliberately not here: running it; see `check/compute.rs`.

use engine::Duration;
use serde::Deserialize;

use crate::settings::Settings;
use crate::stage::Planned;

/// A run of an act.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The act's id.
    pub act: String,
    /// Laid over the settings of the act.
    #[serde(default)]
    pub settings: Settings,
    /// Commands on the way.
    #[serde(default)]
    pub commands: Vec<Planned>,
    /// How far to run.
    pub until: Duration,
}

impl Stage {
    /// Whether both are the same run, seen at any instant.
    pub(super) fn is_same_run(&self, other: &Stage) -> bool {
        (&self.act, &self.settings, &self.commands) == (&other.act, &other.settings, &other.commands)
    }

    /// Whether this is the beginning of another run: the same up to here, and every command was given.
    pub(super) fn is_begun(&self, other: &Stage) -> bool {
        let given = self.commands.iter().all(|planned| planned.at <= self.until);
        self.is_same_run(other) && self.until <= other.until && given
    }
}
