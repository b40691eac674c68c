//! Recordings of share groups: what members were delivered, what they said of it, and what the tools print.
//!
//! Deliberately not here: times. Steps follow each other, each when the one before has returned.

mod compare;
mod play;
mod steps;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::relaxed::Mode;
use super::strict::{self, Step, only};
use play::Play;

/// Fields of a recording.
const FIELDS: [&str; 12] =
    ["id", "title", "family", "kafka", "times", "group", "note", "brokers", "configs", "topics", "steps", "final"];

/// Parts of `configs`.
const CONFIGS: [&str; 3] = ["broker", "group", "member_defaults"];

/// Verbs, and the fields that each may have: arguments and what came of it.
const VERBS: [(&str, &[&str]); 9] = [
    ("join", &["member", "configs", "member_id"]),
    ("produce", &["partition", "count"]),
    ("wait", &["ms"]),
    ("poll", &["member", "timeout_ms", "records", "error", "message"]),
    ("acknowledge", &["member", "type", "partition", "offset", "result", "error", "message"]),
    ("commit_sync", &["member", "result", "error", "message"]),
    ("close", &["member", "result", "error", "message"]),
    ("describe", &["state", "group_epoch", "target_epoch", "members", "start_offsets"]),
    ("cli", &["command", "text"]),
];

/// Members have random ids whose hash order decides what the assignor deals: a recording shows one of several outcomes.
/// So many draws of ids are tried before it is said that none of them gives the recorded one.
const DRAWS: u64 = 16;

/// A recording.
#[derive(Debug)]
struct Recording {
    group: String,
    configs: Value,
    topics: Vec<(String, u32)>,
    steps: Vec<Step>,
}

impl Recording {
    fn read(case: &Value) -> Result<Recording, String> {
        only(case, &FIELDS, "")?;
        only(&case["configs"], &CONFIGS, "configs: ")?;
        let topics = case["topics"].as_object().ok_or("topics must be named")?.iter().map(|(name, count)| {
            let count = count.as_u64().and_then(|count| u32::try_from(count).ok());
            Ok((name.clone(), count.ok_or_else(|| format!("topics: {name} must be a number of partitions"))?))
        });
        Ok(Recording {
            group: strict::text(case, "group")?.to_owned(),
            configs: case["configs"].clone(),
            topics: topics.collect::<Result<_, String>>()?,
            steps: strict::steps(case, &VERBS)?,
        })
    }
}

/// Replays a recording; the error is the first difference.
pub(super) fn run(case: &Value, _: Option<&Mode>) -> Result<(), String> {
    let recording = Recording::read(case)?;
    let first = run_once(&recording, 0);
    if first.is_ok() || recording.steps.iter().filter(|step| step.verb == "join").count() < 2 {
        return first;
    }
    if (1..DRAWS).any(|draw| run_once(&recording, draw).is_ok()) { Ok(()) } else { first }
}

fn run_once(recording: &Recording, draw: u64) -> Result<(), String> {
    let mut play = Play::new(recording, draw)?;
    for (number, step) in recording.steps.iter().enumerate() {
        play.perform(step).map_err(|difference| format!("step {number} {}: {difference}", step.verb))?;
    }
    Ok(())
}
