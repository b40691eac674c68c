//! Recordings of share groups, read strictly.
//!
//! Deliberately not here: a replay. The engine has no share groups yet, so every case fails with that reason.

use serde_json::Value;

use super::relaxed::Mode;

/// Fields of a recording.
const FIELDS: [&str; 11] =
    ["id", "title", "family", "kafka", "times", "group", "note", "configs", "topics", "steps", "final"];

/// Verbs, and the fields that each may have besides `do` and `at_ms`: arguments and what came of it.
const VERBS: [(&str, &[&str]); 9] = [
    ("join", &["member", "configs"]),
    ("produce", &["partition", "count"]),
    ("wait", &["ms"]),
    ("poll", &["member", "timeout_ms", "records", "error", "message"]),
    ("acknowledge", &["member", "type", "partition", "offset", "result", "error", "message"]),
    ("commit_sync", &["member", "result", "error", "message"]),
    ("close", &["member", "result", "error", "message"]),
    ("describe", &["state", "group_epoch", "target_epoch", "members", "start_offsets"]),
    ("cli", &["command", "text"]),
];

/// Reads a recording; the error is why it does not pass.
pub(super) fn run(case: &Value, _: Option<&Mode>) -> Result<(), String> {
    only(case, &FIELDS, "")?;
    let steps = case["steps"].as_array().ok_or("steps must be a list")?;
    for (number, step) in steps.iter().enumerate() {
        let verb = step["do"].as_str().unwrap_or_default();
        let place = format!("step {number} {verb}: ");
        let known = VERBS.iter().find(|(known, _)| *known == verb).ok_or_else(|| format!("{place}unknown verb"))?;
        let mut allowed = known.1.to_vec();
        allowed.extend(["do", "at_ms"]);
        only(step, &allowed, &place)?;
    }
    Err("the engine has no share groups yet".into())
}

/// Refuses a field that nobody knows.
fn only(value: &Value, allowed: &[&str], place: &str) -> Result<(), String> {
    let unknown = value.as_object().into_iter().flatten().find(|(name, _)| !allowed.contains(&name.as_str()));
    unknown.map_or(Ok(()), |(name, _)| Err(format!("{place}unknown field {name:?}")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn check(step: Value, reason: &str) {
        assert_eq!(super::run(&json!({ "steps": [step] }), None).unwrap_err(), reason);
    }

    #[test]
    fn what_nobody_knows_is_a_failure() {
        check(json!({ "do": "wait", "ms": 5 }), "the engine has no share groups yet");
        check(json!({ "do": "wait", "s": 5 }), "step 0 wait: unknown field \"s\"");
        check(json!({ "do": "dream" }), "step 0 dream: unknown verb");
    }
}
