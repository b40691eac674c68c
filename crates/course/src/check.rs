//! Acceptance checks of a lesson: what to compute from the stage, and the value it must have.
//!
//! Deliberately not here: any table of results. Each check runs the engine or the partitioner.

use serde::Deserialize;

/// One acceptance value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {}
