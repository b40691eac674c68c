//! Records that are sent many at a time.
//!
//! Deliberately not here: single records (`sends.rs`).

use engine::Time;
use serde_json::{Value, json};

use super::super::replay::{number, text};
use super::Library;

/// How long the reports of many messages may take.
const PATIENCE: engine::Duration = engine::Duration::from_secs(330);

impl Library {
    /// Many messages with numbered keys and values, then all their reports.
    pub(super) fn send_many(&mut self, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let begun: Time = self.replay.timeline.now();
        let mut commands = Vec::new();
        for index in 0..number::<u32>(step, "count")? {
            let mut one = step.clone();
            for (field, prefix) in [("key", "key_prefix"), ("value", "value_prefix")] {
                if let Some(prefix) = step[prefix].as_str() {
                    one[field] = Value::from(format!("{prefix}{index}"));
                }
            }
            commands.push(self.submit(&one)?);
        }
        self.replay.batches_are_chance = true;
        self.poll_until_all(&producer, &commands, begun + PATIENCE)?;
        let mut got = json!({ "ok": true, "last_offset": null });
        for command in commands {
            let outcome = self.replay.timeline.outcome(command).ok_or("there is no outcome")?;
            let sent = self.sent(&outcome, step);
            if sent["ok"] != true {
                got = sent;
                break;
            }
            got["last_offset"] = sent["offset"].clone();
        }
        let mut expected = step["saw"].clone();
        if let Some(fields) = expected.as_object_mut() {
            fields.remove("took_ms_about");
            fields.remove("requests");
        }
        self.replay.compare("saw", &expected, &got)?;
        self.compare_requests(&producer, step)
    }
}
