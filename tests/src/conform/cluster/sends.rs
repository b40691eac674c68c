//! Producers and what they send.
//!
//! Deliberately not here: their other calls (`calls.rs`) and requests of a chosen version (`raw.rs`).

use std::collections::BTreeMap;

use engine::client::configs::{ConfigLibrary, check_together};
use engine::command::Surface;
use engine::error::KafkaError;
use engine::scenario::ProducerSpec;
use engine::{Command, Outcome, Status, Time};
use serde_json::{Value, json};

use super::replay::{Replay, number, text};
use super::setup::texts;

/// `retry.backoff.max.ms` with the largest jitter.
const LONGEST_PAUSE_MS: i64 = 1_200;

/// A `send_async` whose Future is not looked at yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub step: usize,
    pub sent: Time,
    pub command: u64,
    pub saw: Value,
}

impl Replay {
    pub fn producer(&mut self, step: &Value) -> Result<(), String> {
        let mut configs = BTreeMap::from([("linger.ms".to_owned(), "0".to_owned())]);
        configs.extend(texts(&step["producer_configs"]));
        for field in ["transactional.id", "bootstrap.servers"] {
            configs.extend(step[field].as_str().map(|value| (field.to_owned(), value.to_owned())));
        }
        let got = match check_together(ConfigLibrary::Java, &configs) {
            Ok(_) => {
                let name = text(step, "p")?;
                let is_lost = configs.contains_key("bootstrap.servers");
                let spec = ProducerSpec { name: name.to_owned(), ..java(configs) };
                let command = self.timeline.submit(Command::Producer(spec)).map_err(|error| error.to_string())?;
                if is_lost {
                    self.cut_off(name)?;
                }
                self.finish(command)?;
                json!({ "ok": true })
            }
            Err(refusal) => json!({ "ok": false, "thrown": exception(&refusal.kafka_error()) }),
        };
        self.compare("saw", &step["saw"], &got)
    }

    /// Recordings name `bootstrap.servers` only where nothing listens there: such a client reaches no broker.
    fn cut_off(&mut self, producer: &str) -> Result<(), String> {
        for broker in self.snapshot().brokers {
            let to = format!("broker-{}", broker.id);
            let cut = Command::CutLink { from: producer.to_owned(), to };
            self.timeline.submit(cut).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    pub fn send(&mut self, step: &Value) -> Result<(), String> {
        let begun = self.timeline.now();
        let outcome = self.act(record(step)?)?;
        let mut got = self.sent(&outcome, &step["saw"]);
        got["elapsed_ms_about"] = json!(self.timeline.now().since(begun).0 / 1_000);
        if outcome.status == Status::Failed {
            self.failed = step["p"].as_str().map(str::to_owned);
        }
        self.add_view(&mut got, &outcome, step)?;
        let mut expected = self.with_surplus(step);
        let topic = text(step, "topic")?;
        if !self.topic_exists(topic) {
            self.missed.insert(topic.to_owned());
        } else if self.missed.remove(topic) {
            expect_any_pause(&mut expected, &got);
        }
        self.compare("saw", &expected, &got)
    }

    pub fn send_async(&mut self, number: usize, step: &Value) -> Result<(), String> {
        let command = self.timeline.submit(record(step)?).map_err(|error| error.to_string())?;
        let sent = self.timeline.now();
        self.pending.push(Pending { step: number, sent, command, saw: step["saw"].clone() });
        self.note_chance(step)
    }

    /// Many records without waiting in between, then all their Futures.
    pub fn send_together(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let count: u32 = number(step, "count")?;
        let mut commands = Vec::new();
        for index in 0..count {
            let mut one = step.clone();
            for (field, prefix) in [("key", "key_prefix"), ("value", "value_prefix")] {
                if let Some(prefix) = step[prefix].as_str() {
                    one[field] = Value::from(format!("{prefix}{index}"));
                }
            }
            commands.push(self.timeline.submit(record(&one)?).map_err(|error| error.to_string())?);
        }
        self.note_chance(step)?;
        let mut got = json!({ "ok": true, "last_offset": null });
        let mut last = Outcome::pending(0);
        for command in commands {
            last = self.finish(command).map_err(|reason| format!("{verb}: {reason}"))?;
            let sent = self.sent(&last, &step["saw"]);
            if sent["ok"] == false {
                got = sent;
                break;
            }
            got["last_offset"] = sent["offset"].clone();
        }
        self.add_view(&mut got, &last, step)?;
        self.compare("saw", &step["saw"], &got)
    }

    /// Without linger it is chance which of many records still get into a batch.
    pub(super) fn note_chance(&mut self, step: &Value) -> Result<(), String> {
        let name = text(step, "p")?;
        let lingers = self
            .producer_named(name)
            .is_some_and(|producer| producer.configs.get("linger.ms").is_some_and(|ms| &**ms != "0"));
        self.batches_are_chance |= !lingers;
        Ok(())
    }

    pub fn send_with_timestamp(&mut self, step: &Value) -> Result<(), String> {
        let now = i64::try_from(self.timeline.now().millis()).map_err(|_| "the run is too long")?;
        // The field is the timestamp minus the present time, so it lies ahead if it is positive.
        let ahead = step["timestamp_minus_now_ms"].as_i64().map(|ahead| now + ahead);
        // A plain timestamp counts from 1970, those of the engine from the start of the run.
        let given = step["timestamp"].as_i64().map(|timestamp| timestamp - console::place::RUN_START);
        let timestamp = ahead.or(given).ok_or("a timestamp is missing")?;
        let mut one = step.clone();
        one["timestamp_ms"] = Value::from(timestamp);
        let outcome = self.act(record(&one)?)?;
        let mut got = self.sent(&outcome, &step["saw"]);
        if let Some(offset) = got["offset"].as_u64() {
            let partition = format!("{}-{}", text(step, "topic")?, got["partition"]);
            let stored = self.leader_batch(&partition, offset)?.map(|batch| batch.max_timestamp);
            got["returned_timestamp_is_the_sent_one"] = Value::from(stored == Some(timestamp));
        }
        self.compare("saw", &step["saw"], &got)
    }

    /// What the Future of a record came to.
    pub fn sent(&self, outcome: &Outcome, saw: &Value) -> Value {
        if outcome.error.is_some() {
            return failure(outcome, saw);
        }
        let record = outcome.record.as_ref();
        json!({
            "ok": outcome.status == Status::Done,
            "partition": record.map(|record| record.partition),
            // An ack that carries no offset says -1.
            "offset": record.map(|record| record.offset.map_or(-1, |offset| offset as i64)),
        })
    }
}

/// A producer that looks for a topic in vain asks again after pauses of up to a second, give or take a fifth. How
/// much of the last one is left when the topic is there at last depends on how long making it took.
fn expect_any_pause(expected: &mut Value, got: &Value) {
    let is_short = |saw: &Value| saw["elapsed_ms_about"].as_i64().is_some_and(|millis| millis <= LONGEST_PAUSE_MS);
    if is_short(expected) && is_short(got) {
        expected["elapsed_ms_about"] = got["elapsed_ms_about"].clone();
    }
}

/// A producer with these settings, without a name.
pub(super) fn java(configs: BTreeMap<String, String>) -> ProducerSpec {
    ProducerSpec {
        name: String::new(),
        client: "java".to_owned(),
        configs,
        workload: None,
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    }
}

/// An exception as the recording shows it: thrown, or of a Future. Admin calls have no choice of the two.
pub(super) fn failure(outcome: &Outcome, saw: &Value) -> Value {
    let field = match outcome.surfaced {
        Some(Surface::Thrown) => "thrown",
        // Recordings that do not look at the client's view did not tell the two apart.
        Some(Surface::Future) if !saw["thrown"].is_null() && saw["client"].is_null() => "thrown",
        Some(Surface::Future) => "future_failed",
        None if saw["future_failed"].is_null() => "thrown",
        None => "future_failed",
    };
    json!({ "ok": false, field: outcome.error.as_ref().map(exception) })
}

/// Class and text of an exception, and of the one inside it.
pub(in crate::conform) fn exception(error: &KafkaError) -> Value {
    let package = match error.exception.as_str() {
        "BufferExhaustedException" => "org.apache.kafka.clients.producer",
        "CommitFailedException"
        | "InvalidOffsetException"
        | "LogTruncationException"
        | "NoOffsetForPartitionException" => "org.apache.kafka.clients.consumer",
        "ConfigException" => "org.apache.kafka.common.config",
        "KafkaException" => "org.apache.kafka.common",
        "ConcurrentModificationException" => "java.util",
        "IllegalArgumentException"
        | "IllegalStateException"
        | "ClassCastException"
        | "NullPointerException"
        | "UnsupportedOperationException" => "java.lang",
        _ => "org.apache.kafka.common.errors",
    };
    let mut shown = json!({ "class": format!("{package}.{}", error.exception), "message": error.message });
    if let Some(cause) = &error.cause {
        shown["cause"] = exception(cause);
    }
    shown
}

/// One record as a step describes it.
pub(super) fn record(step: &Value) -> Result<Command, String> {
    // A number stands for an Integer of the application.
    let given = |field: &str| match &step[field] {
        Value::Number(number) => Some(number.to_string()),
        other => other.as_str().map(str::to_owned),
    };
    let encoding = |field: &str| step[field].is_number().then(|| "int32".to_owned());
    Ok(Command::Send {
        producer: text(step, "p")?.to_owned(),
        topic: text(step, "topic")?.to_owned(),
        key: given("key"),
        key_encoding: encoding("key"),
        value_encoding: encoding("value"),
        value: given("value"),
        value_bytes: step["value_bytes"].as_u64().and_then(|bytes| u32::try_from(bytes).ok()),
        partition: step["partition"].as_i64().and_then(|partition| i32::try_from(partition).ok()),
        timestamp_ms: step["timestamp_ms"].as_i64(),
        headers: Vec::new(),
    })
}
