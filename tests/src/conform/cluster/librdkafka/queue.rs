//! The queue of the library: its limits, its length, and what `poll()`, `flush()` and `purge()` do to it.
//!
//! Deliberately not here: the reports themselves.

use engine::snapshot::ProducerSnapshot;
use engine::{Command, Duration, Status};
use serde_json::{Value, json};

use super::super::replay::text;
use super::{Library, errors, seconds};

/// Time that `flush()` has in the recordings if they do not say it.
const FLUSH: Duration = Duration::from_secs(30);

/// Messages and events that wait in a producer.
struct Waiting {
    messages: u64,
    events: u64,
}

impl Library {
    fn waiting(&self, step: &Value) -> Result<Waiting, String> {
        let name = text(step, "p")?;
        let snapshot = self.replay.snapshot();
        let found: Option<ProducerSnapshot> = snapshot.producers.into_iter().find(|found| *found.name == *name);
        let found = found.ok_or("there is no such producer")?;
        let messages = found.buffer.messages.map_or(0, |(_, queued)| queued);
        let events = found.metrics.get("replyq").copied().unwrap_or(0) / 1_000;
        Ok(Waiting { messages, events: events as u64 })
    }

    /// `produce()` without `poll()` until it fails.
    pub(super) fn send_until_refused(&mut self, step: &Value) -> Result<(), String> {
        let mut one = step.clone();
        let key_bytes = step["key_bytes"].as_u64().unwrap_or(0);
        if key_bytes > 0 {
            one["key"] = Value::from("k".repeat(key_bytes as usize));
        }
        let mut accepted = 0;
        let thrown = loop {
            let command = self.submit(&one)?;
            match self.replay.timeline.outcome(command) {
                Some(outcome) if outcome.status == Status::Failed => {
                    break outcome.error.map(|error| errors::raised(&error, "Unable to produce message: "));
                }
                _ => accepted += 1,
            }
        };
        let got = json!({ "accepted_before": accepted, "thrown": thrown, "blocked_ms_about": 0 });
        self.replay.compare("saw", &step["saw"], &got)
    }

    /// Messages that are not reported, plus one for every batch of reports that waits; how many of those there are
    /// is chance.
    pub(super) fn queue_length(&mut self, step: &Value) -> Result<(), String> {
        let Waiting { messages, events } = self.waiting(step)?;
        let wanted = step["saw"]["len"].as_u64().ok_or("saw.len must be a number")?;
        let is_possible = match events {
            0 => wanted == messages,
            _ => wanted > messages && wanted <= 2 * messages,
        };
        if is_possible { Ok(()) } else { Err(format!("saw.len expected {wanted}, got {}", messages + events)) }
    }

    /// With a timeout it takes that time, as far as nothing is to be served.
    pub(super) fn poll(&mut self, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let timeout = seconds(&step["timeout_s"]).unwrap_or_default();
        if timeout > Duration(0) && step["saw"]["returned"].is_null() {
            self.at_once(Command::ResumePoll { consumer: producer.clone() })?;
            self.pass(timeout);
            return self.at_once(Command::StopPoll { consumer: producer });
        }
        let limit = self.replay.timeline.now() + timeout;
        let mut before = self.waiting(step)?;
        while before.events == 0 && self.replay.next_entry(limit) {
            before = self.waiting(step)?;
        }
        let failed = self.failed_count(&producer);
        self.at_once(Command::Poll { producer: producer.clone() })?;
        let after = self.waiting(step)?;
        let reported = before.messages - after.messages;
        let failed = (self.failed_count(&producer) - failed).min(reported);
        let mut expected = step["saw"].clone();
        if let Some(fields) = expected.as_object_mut()
            && let Some(wanted) = fields.remove("returned").and_then(|it| it.as_u64())
            && (wanted > 0) != (before.events > 0)
        {
            return Err(format!("saw.returned expected {wanted}, got {}", before.events));
        }
        self.replay.compare("saw", &expected, &json!({ "reports_ok": reported - failed }))
    }

    fn failed_count(&self, producer: &str) -> u64 {
        let snapshot = self.replay.snapshot();
        snapshot.producers.iter().find(|found| *found.name == *producer).map_or(0, |found| found.failed_count)
    }

    /// Returns how many messages and events are left.
    pub(super) fn flush(&mut self, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let timeout = seconds(&step["timeout_s"]).unwrap_or(FLUSH);
        let limit = self.replay.timeline.now() + timeout;
        let timeout = (timeout.0 / 1_000) as u32;
        let command = self.replay.timeline.submit(Command::Flush { producer, timeout_ms: Some(timeout) });
        let command = command.map_err(|error| error.to_string())?;
        while !self.is_over(command) {
            if !self.replay.next_entry(limit) {
                return Err("the call does not return".into());
            }
        }
        let Waiting { messages, events } = self.waiting(step)?;
        let got = json!({ "returned": messages + events, "ok": true });
        self.replay.compare("saw", &step["saw"], &got)
    }

    pub(super) fn purge(&mut self, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let in_flight = step["in_flight"].as_bool();
        self.at_once(Command::Purge { producer, in_flight })?;
        self.replay.compare("saw", &step["saw"], &json!({ "ok": true }))
    }
}
