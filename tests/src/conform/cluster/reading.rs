//! The verb `fetch`: a consumer without a reset policy, positioned at an offset.
//!
//! Deliberately not here: what can be read of a log as a whole (`logs.rs`).

use engine::snapshot::ConsumerSnapshot;
use engine::{Command, Duration};
use serde_json::{Value, json};

use super::replay::{Replay, number, partition_name, text};
use super::sends::exception;
use super::setup::reader_name;

/// A poll that finds nothing returns after that.
const POLL: Duration = Duration::from_secs(2);

impl Replay {
    pub fn fetch(&mut self, step_number: usize, step: &Value) -> Result<(), String> {
        let (topic, partition) = partition_name(text(step, "partition")?)?;
        let consumer = reader_name(step_number);
        let topic = topic.to_owned();
        self.act(Command::Seek { consumer: consumer.clone(), topic, partition, offset: number(step, "offset")? })?;
        self.act(Command::ResumePoll { consumer: consumer.clone() })?;
        let deadline = self.timeline.now() + POLL;
        let mut reader = self.reader(&consumer)?;
        while reader.error.is_none() && reader.recent.is_empty() {
            if !self.next_entry(deadline) {
                break;
            }
            reader = self.reader(&consumer)?;
        }
        if reader.error.is_none() {
            self.act(Command::StopPoll { consumer })?;
        }
        let got = match &reader.error {
            Some(error) => json!({ "thrown": of_consumer(exception(error)) }),
            None => json!({ "first_offset": reader.recent.first().map(|read| read.offset) }),
        };
        self.compare("saw", &step["saw"], &got)
    }

    fn reader(&self, name: &str) -> Result<ConsumerSnapshot, String> {
        let readers = self.snapshot().consumers;
        readers.into_iter().find(|reader| *reader.name == *name).ok_or_else(|| format!("there is no reader {name}"))
    }
}

/// The consumer has an exception of its own for offsets that are out of range.
fn of_consumer(mut exception: Value) -> Value {
    if let Some(class) = exception["class"].as_str().filter(|class| class.ends_with(".OffsetOutOfRangeException")) {
        exception["class"] = Value::from(class.replace("common.errors", "clients.consumer"));
    }
    if let Some(message) = exception["message"].as_str() {
        exception["message"] = Value::from(super::text::normalize(message, &[1, 2, 3]));
    }
    exception
}
