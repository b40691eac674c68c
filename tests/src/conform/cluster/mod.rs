//! Families recorded from a whole cluster: one replay that knows every verb they share.
//!
//! Deliberately not here: what Kafka would have answered. The recording says it; this replays and compares.

mod admin;
mod await_state;
mod bursts;
mod calls;
mod cli;
mod codes;
mod compare;
mod coordinator;
mod disk;
mod faults;
mod finals;
pub(super) mod librdkafka;
mod logs;
mod notes;
mod offstage;
mod raw;
mod reading;
mod replay;
mod sends;
mod setup;
mod tables;
mod text;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::relaxed::Mode;
use replay::Replay;

pub(super) use sends::exception;

/// Replays a scenario; the error is the first difference.
pub(super) fn run(case: &Value, _: Option<&Mode>) -> Result<(), String> {
    let mut replay = Replay::new(case)?;
    let steps = case["steps"].as_array().ok_or("steps must be a list")?;
    for (number, step) in steps.iter().enumerate() {
        let verb = step["do"].as_str().unwrap_or_default();
        replay.step(number, verb, step).map_err(|difference| at_step(number, verb, &difference))?;
    }
    replay.settle()?;
    finals::compare(&mut replay, &case["final"])
}

/// A difference with its place.
fn at_step(number: usize, verb: &str, difference: &str) -> String {
    format!("step {number} {verb}: {difference}")
}
