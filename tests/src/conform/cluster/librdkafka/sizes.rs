//! The largest value that `produce()` takes, and that the topic takes, found as the recordings did: by halving.
//!
//! Deliberately not here: the rules behind the numbers.

use serde_json::{Value, json};

use super::super::replay::text;
use super::{Library, errors};

/// Larger than anything that the recordings tried.
const BYTES_MAX: u64 = 1 << 21;

impl Library {
    pub(super) fn largest_accepted_by_produce(&mut self, step: &Value) -> Result<(), String> {
        let largest = self.halve(step, |saw| saw["thrown"].is_null())?;
        let refused = self.attempt(step, largest + 1)?;
        let got = json!({ "value_bytes": largest, "one_more": refused["thrown"] });
        self.replay.compare("saw", &step["saw"], &got)
    }

    pub(super) fn largest_accepted_by_topic(&mut self, step: &Value) -> Result<(), String> {
        let largest = self.halve(step, |saw| saw["ok"] == true)?;
        let refused = self.attempt(step, largest + 1)?;
        let got = json!({ "value_bytes": largest, "one_more": refused });
        self.replay.compare("saw", &step["saw"], &got)
    }

    /// The largest size that passes.
    fn halve(&mut self, step: &Value, passes: impl Fn(&Value) -> bool) -> Result<u64, String> {
        let (mut least, mut most) = (0, BYTES_MAX);
        while least + 1 < most {
            let middle = least.midpoint(most);
            let saw = self.attempt(step, middle)?;
            if passes(&saw) { least = middle } else { most = middle }
        }
        Ok(least)
    }

    /// Sends a value of that many bytes and waits for its report.
    fn attempt(&mut self, step: &Value, bytes: u64) -> Result<Value, String> {
        let producer = text(step, "p")?.to_owned();
        let topic = self.topic.clone().ok_or("there is no topic")?;
        let mut one = json!({ "p": producer, "topic": topic, "partition": 0, "value_bytes": bytes });
        let key_bytes = step["key_bytes"].as_u64().unwrap_or(0);
        if key_bytes > 0 {
            one["key"] = Value::from("k".repeat(key_bytes as usize));
        }
        let limit = self.replay.timeline.now() + engine::Duration::from_secs(330);
        let command = self.submit(&one)?;
        self.poll_until(&producer, command, limit)?;
        let outcome = self.replay.timeline.outcome(command).ok_or("there is no outcome")?;
        let mut saw = self.sent(&outcome, &one);
        if let Some(error) = outcome.error.as_ref().filter(|_| !saw["thrown"].is_null()) {
            saw["thrown"] = errors::raised(error, "Unable to produce message: ");
        }
        Ok(saw)
    }
}
