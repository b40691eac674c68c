//! The families recorded from librdkafka's producer: its verbs, its errors, its delivery reports.
//!
//! Deliberately not here: verbs of the cluster. The replay of the other families knows them.

mod calls;
pub(in crate::conform) mod errors;
mod finals;
mod keyless;
mod many;
mod queue;
mod requests;
mod sends;
mod sizes;

use std::collections::{BTreeMap, BTreeSet};

use engine::{Command, Duration, Status};
use serde_json::{Value, json};

use super::at_step;
use super::replay::Replay;
use crate::conform::relaxed::Mode;
use sends::Pending;

/// Replays a scenario; the error is the first difference.
pub(in crate::conform) fn run(case: &Value, _: Option<&Mode>) -> Result<(), String> {
    let mut replay = Library::new(case)?;
    let steps = case["steps"].as_array().ok_or("steps must be a list")?;
    for (number, step) in steps.iter().enumerate() {
        let verb = step["do"].as_str().unwrap_or_default();
        let next = steps.get(number + 1).unwrap_or(&Value::Null);
        replay.step(number, verb, step, next).map_err(|difference| at_step(number, verb, &difference))?;
    }
    replay.settle()?;
    replay.compare_final(&case["final"])
}

/// A case on its way.
struct Library {
    replay: Replay,
    family: String,
    /// What the recording has of each log, to see which messages shared a batch.
    logs: Value,
    /// The first topic of the case, for verbs that name none.
    topic: Option<String>,
    pending: Vec<Pending>,
    /// Events up to this number were looked at for requests, by producer.
    seen: BTreeMap<String, u64>,
    /// Producers that have raised their fatal error.
    raised: BTreeSet<String>,
    /// Topics that hold messages whose partition was drawn.
    drawn: BTreeSet<String>,
    bursts: u32,
}

impl Library {
    fn new(case: &Value) -> Result<Library, String> {
        let mut case = case.clone();
        // The README of the family: every file but one was recorded without it, whatever the file says.
        if case["configs"]["auto.create.topics.enable"].is_null() {
            case["configs"]["auto.create.topics.enable"] = json!("false");
        }
        if case["configs"]["group.initial.rebalance.delay.ms"].is_null() {
            case["configs"]["group.initial.rebalance.delay.ms"] = json!("3000");
        }
        Ok(Library {
            replay: Replay::new(&case)?,
            family: case["family"].as_str().unwrap_or_default().to_owned(),
            logs: case["final"]["logs"].clone(),
            topic: None,
            pending: Vec::new(),
            seen: BTreeMap::new(),
            raised: BTreeSet::new(),
            drawn: BTreeSet::new(),
            bursts: 0,
        })
    }

    fn step(&mut self, number: usize, verb: &str, step: &Value, next: &Value) -> Result<(), String> {
        match verb {
            "producer" => self.producer(step),
            "send" => self.send(step),
            "send_async" => self.send_async(number, step, next),
            "send_burst" => self.send_burst(step),
            "send_keyless" => self.send_keyless(step),
            "send_until_refused" => self.send_until_refused(step),
            "queue_length" => self.queue_length(step),
            "poll" => self.poll(step),
            "flush" => self.flush(step),
            "purge" => self.purge(step),
            "largest_accepted_by_produce" => self.largest_accepted_by_produce(step),
            "largest_accepted_by_topic" => self.largest_accepted_by_topic(step),
            "init_transactions"
            | "begin_transaction"
            | "commit_transaction"
            | "abort_transaction"
            | "send_offsets_to_transaction"
            | "close" => self.call(verb, step),
            "drop" => self.drop(step),
            "send_many" => self.send_many(step),
            "consume" | "leave" => Err("needs a live consumer group".into()),
            "await_isr" => self.await_isr(number, step),
            "observe" => {
                // The other families have the partitions outside and what was seen of each inside.
                let mut turned = step.clone();
                turned["saw"] = by_partition(&step["saw"]);
                self.replay.step(number, verb, &turned)
            }
            "describe_producers" => {
                // The other families call the list by another name.
                let mut renamed = step.clone();
                renamed["saw"] = json!({ "active": step["saw"]["producers"] });
                self.replay.step(number, verb, &renamed)
            }
            "resume_broker" => {
                self.await_timed_out()?;
                self.replay.step(number, verb, step)?;
                self.await_written(next);
                Ok(())
            }
            _ => {
                if let Some(topic) = step["topic"].as_str().filter(|_| verb == "create_topic") {
                    self.topic.get_or_insert_with(|| topic.to_owned());
                }
                self.replay.step(number, verb, step)
            }
        }
    }

    /// These recordings also show the partition afterwards.
    fn await_isr(&mut self, number: usize, step: &Value) -> Result<(), String> {
        let mut awaited = step.clone();
        awaited["saw"] = json!({ "ok": step["saw"]["ok"] });
        self.replay.step(number, "await_isr", &awaited)?;
        let name = step["partition"].as_str().ok_or("partition must be a text")?;
        let partition = self.replay.partition(name)?;
        let got = json!({
            "ok": true,
            "leader": partition.leader,
            "replicas": partition.replicas,
            "isr": partition.isr,
        });
        self.replay.compare("saw", &step["saw"], &got)
    }

    /// A command that takes no simulated time.
    fn at_once(&mut self, command: Command) -> Result<(), String> {
        self.replay.act(command).map(|_| ())
    }

    /// Lets time pass in which nobody calls anything.
    fn pass(&mut self, time: Duration) {
        let until = self.replay.timeline.now() + time;
        self.replay.timeline.advance_to(until);
    }

    /// Whether a command has its answer.
    fn is_over(&self, command: u64) -> bool {
        self.replay.timeline.outcome(command).is_some_and(|outcome| outcome.status != Status::Pending)
    }
}

/// `{ "hw": { "t-0": 1 } }` as `{ "t-0": { "hw": 1 } }`.
fn by_partition(saw: &Value) -> Value {
    let mut turned = json!({});
    for (field, partitions) in saw.as_object().into_iter().flatten() {
        for (partition, value) in partitions.as_object().into_iter().flatten() {
            turned[partition][field] = value.clone();
        }
    }
    turned
}

/// A text argument of a step that may be left out.
fn given(step: &Value, field: &str) -> Option<String> {
    step[field].as_str().map(str::to_owned)
}

/// Seconds of a `timeout_s`, with its decimals.
fn seconds(value: &Value) -> Option<Duration> {
    value.as_f64().map(|seconds| Duration((seconds * 1_000_000.0) as u64))
}
