//! Producers and what they send.
//!
//! Deliberately not here: transactional producers and requests of a chosen version.

use std::collections::BTreeMap;

use engine::error::KafkaError;
use engine::scenario::ProducerSpec;
use engine::snapshot::ProducerSnapshot;
use engine::{Command, Duration, Outcome, Status};
use serde_json::{Value, json};

use super::replay::{Replay, number, text};
use super::setup::texts;

/// The recordings read a producer's view so long after a call that failed.
const AFTER_FAILURE: Duration = Duration::from_millis(60);

/// A `send_async` whose Future is not looked at yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub step: usize,
    pub command: u64,
    pub saw: Value,
}

impl Replay {
    pub fn producer(&mut self, step: &Value) -> Result<(), String> {
        if !step["transactional.id"].is_null() {
            return Err("transactions are not simulated yet".into());
        }
        let mut configs = BTreeMap::from([("linger.ms".to_owned(), "0".to_owned())]);
        configs.extend(texts(&step["producer_configs"]));
        if let Some(servers) = step["bootstrap.servers"].as_str() {
            configs.insert("bootstrap.servers".to_owned(), servers.to_owned());
        }
        let spec = ProducerSpec {
            name: text(step, "p")?.to_owned(),
            client: "java".to_owned(),
            configs,
            workload: None,
            metadata_age: None,
            random_start: None,
            only: Vec::new(),
        };
        self.act(Command::Producer(spec))?;
        self.compare("saw", &step["saw"], &json!({ "ok": true }))
    }

    pub fn send(&mut self, step: &Value) -> Result<(), String> {
        let begun = self.timeline.now();
        let outcome = self.act(record(step)?)?;
        let mut got = self.sent(&outcome, &step["saw"]);
        got["elapsed_ms_about"] = json!(self.timeline.now().since(begun).0 / 1_000);
        if !step["saw"]["client"].is_null() {
            if outcome.status == Status::Failed {
                self.pass(AFTER_FAILURE);
            }
            got["client"] = self.client(text(step, "p")?);
        }
        self.compare("saw", &step["saw"], &got)
    }

    pub fn send_async(&mut self, number: usize, step: &Value) -> Result<(), String> {
        let command = self.timeline.submit(record(step)?).map_err(|error| error.to_string())?;
        self.pending.push(Pending { step: number, command, saw: step["saw"].clone() });
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
        for command in commands {
            let outcome = self.finish(command).map_err(|reason| format!("{verb}: {reason}"))?;
            let sent = self.sent(&outcome, &step["saw"]);
            if sent["ok"] == false {
                got = sent;
                break;
            }
            got["last_offset"] = sent["offset"].clone();
        }
        if !step["saw"]["client"].is_null() {
            got["client"] = self.client(text(step, "p")?);
        }
        self.compare("saw", &step["saw"], &got)
    }

    /// Without linger it is chance which of many records still get into a batch.
    fn note_chance(&mut self, step: &Value) -> Result<(), String> {
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
        let timestamp = ahead.or(step["timestamp"].as_i64()).ok_or("a timestamp is missing")?;
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

    pub fn producer_call(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let name = producer.clone();
        let command = if verb == "flush" { Command::Flush { producer } } else { Command::Close { producer } };
        let outcome = self.act(command)?;
        let mut got = match &outcome.error {
            Some(error) => failure(error, &step["saw"]),
            None => json!({ "ok": true }),
        };
        got["client"] = self.client(&name);
        self.compare("saw", &step["saw"], &got)
    }

    /// What the Future of a record came to.
    pub fn sent(&self, outcome: &Outcome, saw: &Value) -> Value {
        if let Some(error) = &outcome.error {
            return failure(error, saw);
        }
        let record = outcome.record.as_ref();
        json!({
            "ok": outcome.status == Status::Done,
            "partition": record.map(|record| record.partition),
            // An ack that carries no offset says -1.
            "offset": record.map(|record| record.offset.map_or(-1, |offset| offset as i64)),
        })
    }

    /// The producer's own view of its id.
    fn client(&self, name: &str) -> Value {
        let view =
            |producer: ProducerSnapshot| json!({ "pid": producer.producer_id, "epoch": producer.producer_epoch });
        self.producer_named(name).map_or(Value::Null, view)
    }

    fn producer_named(&self, name: &str) -> Option<ProducerSnapshot> {
        self.snapshot().producers.into_iter().find(|producer| *producer.name == *name)
    }
}

/// An exception as the recording shows it: thrown, or of a Future. The engine does not tell the two apart.
pub(super) fn failure(error: &KafkaError, saw: &Value) -> Value {
    let field = if saw["future_failed"].is_null() { "thrown" } else { "future_failed" };
    json!({ "ok": false, field: exception(error) })
}

/// Class and text of an exception.
pub(super) fn exception(error: &KafkaError) -> Value {
    let package = match error.exception.as_str() {
        "BufferExhaustedException" => "org.apache.kafka.clients.producer",
        "CommitFailedException"
        | "InvalidOffsetException"
        | "LogTruncationException"
        | "NoOffsetForPartitionException" => "org.apache.kafka.clients.consumer",
        "ConfigException" => "org.apache.kafka.common.config",
        "KafkaException" => "org.apache.kafka.common",
        "IllegalArgumentException" | "IllegalStateException" | "NullPointerException" => "java.lang",
        _ => "org.apache.kafka.common.errors",
    };
    json!({ "class": format!("{package}.{}", error.exception), "message": error.message })
}

/// One record as a step describes it.
fn record(step: &Value) -> Result<Command, String> {
    let given = |field: &str| step[field].as_str().map(str::to_owned);
    Ok(Command::Send {
        producer: text(step, "p")?.to_owned(),
        topic: text(step, "topic")?.to_owned(),
        key: given("key"),
        key_encoding: None,
        value: given("value"),
        value_bytes: step["value_bytes"].as_u64().and_then(|bytes| u32::try_from(bytes).ok()),
        partition: step["partition"].as_i64().and_then(|partition| i32::try_from(partition).ok()),
        timestamp_ms: step["timestamp_ms"].as_i64(),
        headers: Vec::new(),
    })
}
