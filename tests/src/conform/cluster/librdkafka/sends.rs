//! Producers, single messages and bursts.
//!
//! Deliberately not here: messages without a key, whose partition is drawn.

use std::collections::BTreeMap;

use engine::scenario::ProducerSpec;
use engine::{Command, Duration, Outcome, Time};
use serde_json::{Value, json};

use super::super::replay::{number, text};
use super::super::setup::texts;
use super::{Library, errors, given};

/// How long any message may take: longer than `message.timeout.ms`.
const PATIENCE: Duration = Duration::from_secs(330);
/// Half-width of the band around recorded times, in milliseconds: the library looks for old messages once a second.
const ABOUT: i64 = 1_000;

/// A message whose report is compared later.
#[derive(Debug)]
pub(super) struct Pending {
    pub step: usize,
    pub command: u64,
    pub producer: String,
    pub begun: Time,
    pub args: Value,
}

/// What decides where a message goes if the application does not say it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    Named,
    Hashed,
    Drawn,
}

impl Library {
    pub(super) fn producer(&mut self, step: &Value) -> Result<(), String> {
        let name = text(step, "p")?.to_owned();
        let mut configs = BTreeMap::new();
        if self.family == "librdkafka-transactions" {
            configs.insert("linger.ms".to_owned(), "0".to_owned());
        }
        configs.extend(texts(&step["producer_configs"]));
        if let Some(id) = given(step, "transactional.id") {
            configs.insert("transactional.id".to_owned(), id);
        }
        let is_cut_off = configs.get("bootstrap.servers").is_some_and(|servers| servers == "<closed port>");
        let spec = ProducerSpec {
            name: name.clone(),
            client: "librdkafka".to_owned(),
            configs,
            workload: None,
            metadata_age: None,
            random_start: None,
            only: Vec::new(),
        };
        if let Err(error) = self.replay.timeline.act(Command::Producer(spec)) {
            let got = errors::refused(&error, &step["saw"]);
            return self.replay.compare("saw", &step["saw"], &got);
        }
        if is_cut_off {
            let brokers = self.replay.snapshot().brokers;
            for broker in brokers {
                self.at_once(Command::CutLink { from: name.clone(), to: format!("broker-{}", broker.id) })?;
            }
        }
        self.at_once(Command::StopPoll { consumer: name })?;
        self.replay.compare("saw", &step["saw"], &json!({ "ok": true }))
    }

    /// `produce()`, then `poll()` until its report.
    pub(super) fn send(&mut self, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let begun = self.replay.timeline.now();
        let command = self.submit(step)?;
        self.poll_until(&producer, command, begun + PATIENCE)?;
        let got = self.came_to(command, step, begun)?;
        let mut got = got;
        if let Some(error) = self.newly_raised(&producer).filter(|_| !step["saw"]["delivery_failed"].is_null()) {
            got["poll_raised"] = errors::raised(&error, "");
        }
        self.compare_message(step, got)?;
        self.compare_requests(&producer, step)
    }

    pub(super) fn send_async(&mut self, number: usize, step: &Value, next: &Value) -> Result<(), String> {
        if let Some(later) = step["note"].as_str().and_then(seconds_later) {
            self.pass(later);
        }
        let producer = text(step, "p")?.to_owned();
        let begun = self.replay.timeline.now();
        let command = self.submit(step)?;
        self.pending.push(Pending { step: number, command, producer, begun, args: step.clone() });
        // Which of two messages still gets into a batch without linger is chance; the recording tells.
        let is_alone = next["do"] == "send_async" && self.recorded_batch(step) != self.recorded_batch(next);
        if is_alone {
            let now = self.replay.timeline.now();
            self.replay.timeline.advance_to(now);
        }
        self.await_group(next)
    }

    /// The batch that the recording has a message in.
    fn recorded_batch(&self, step: &Value) -> Option<String> {
        let partition = format!("{}-{}", step["topic"].as_str()?, step["partition"].as_i64()?);
        let log = self.logs[&partition].as_array()?;
        let value = match step["value_bytes"].as_u64() {
            Some(bytes) => json!(format!("<{bytes} bytes>")),
            None => step["value"].clone(),
        };
        let record = log.iter().find(|record| record["value"] == value)?;
        record["batch"].as_str().map(str::to_owned)
    }

    /// Gives `produce()` a message; returns the number of the command.
    pub(super) fn submit(&mut self, step: &Value) -> Result<u64, String> {
        let topic = text(step, "topic")?.to_owned();
        let partition = step["partition"].as_i64().and_then(|partition| i32::try_from(partition).ok());
        if self.choice(step) == Choice::Drawn {
            self.drawn.insert(topic.clone());
        }
        let command = Command::Send {
            producer: text(step, "p")?.to_owned(),
            topic,
            key: given(step, "key"),
            key_encoding: None,
            value_encoding: None,
            value: given(step, "value"),
            value_bytes: step["value_bytes"].as_u64().and_then(|bytes| u32::try_from(bytes).ok()),
            partition,
            timestamp_ms: step["timestamp_ms"].as_i64(),
            headers: Vec::new(),
        };
        self.replay.timeline.submit(command).map_err(|error| error.to_string())
    }

    /// What decides about the partition of a message.
    pub(super) fn choice(&self, step: &Value) -> Choice {
        if step["partition"].as_i64().is_some_and(|partition| partition != -1) || step["partition"].is_string() {
            return Choice::Named;
        }
        let rule = self.setting(step, "partitioner").unwrap_or_else(|| "consistent_random".to_owned());
        let is_drawn = match step["key"].as_str() {
            None => rule.contains("random"),
            Some("") => matches!(rule.as_str(), "random" | "consistent_random"),
            Some(_) => rule == "random",
        };
        if is_drawn { Choice::Drawn } else { Choice::Hashed }
    }

    /// A setting that the step's producer was given.
    pub(super) fn setting(&self, step: &Value, name: &str) -> Option<String> {
        let producer = step["p"].as_str()?;
        let snapshot = self.replay.snapshot();
        let found = snapshot.producers.iter().find(|found| *found.name == *producer)?;
        found.configs.get(name).map(|value| value.to_string())
    }

    /// Polls until a command has its answer.
    pub(super) fn poll_until(&mut self, producer: &str, command: u64, limit: Time) -> Result<(), String> {
        self.poll_until_all(producer, &[command], limit)
    }

    /// Polls until several commands have their answers.
    pub(super) fn poll_until_all(&mut self, producer: &str, commands: &[u64], limit: Time) -> Result<(), String> {
        self.at_once(Command::ResumePoll { consumer: producer.to_owned() })?;
        for command in commands {
            while !self.is_over(*command) {
                if !self.replay.next_entry(limit) {
                    return Err("no delivery report".into());
                }
            }
        }
        self.at_once(Command::StopPoll { consumer: producer.to_owned() })
    }

    /// What became of a message, with the time that it took.
    fn came_to(&mut self, command: u64, step: &Value, begun: Time) -> Result<Value, String> {
        let outcome = self.replay.timeline.outcome(command).ok_or("there is no outcome")?;
        let mut got = self.sent(&outcome, step);
        got["took_ms_about"] = json!(self.finished(command)?.since(begun).0 / 1_000);
        Ok(got)
    }

    /// When a command was finished.
    fn finished(&mut self, command: u64) -> Result<Time, String> {
        let is_own = |event: &engine::Event| matches!(&event.kind, engine::EventKind::CommandFinished { outcome } if outcome.command == command);
        let events = self.replay.timeline.recent(1, &is_own);
        events.last().map(|event| event.moment.time).ok_or_else(|| "the command is not finished".to_owned())
    }

    pub(super) fn sent(&self, outcome: &Outcome, step: &Value) -> Value {
        if let Some(mut failed) = errors::failed_message(outcome) {
            failed["partition"] = step["partition"].as_i64().map_or(Value::Null, |partition| json!(partition));
            return failed;
        }
        let record = outcome.record.as_ref();
        json!({
            "ok": true,
            "partition": record.map(|record| record.partition),
            "offset": record.and_then(|record| record.offset),
        })
    }

    /// Compares what became of a message. Where its partition was drawn, only that it went somewhere.
    pub(super) fn compare_message(&mut self, step: &Value, mut got: Value) -> Result<(), String> {
        let mut expected = step["saw"].clone();
        if let Some(fields) = expected.as_object_mut() {
            fields.remove("requests");
            if self.choice(step) == Choice::Drawn {
                fields.remove("partition");
            }
            if step["topic"].as_str().is_some_and(|topic| self.drawn.contains(topic)) {
                fields.remove("offset");
            }
            if let Some(took) = fields.remove("took_ms_about").and_then(|took| took.as_i64()) {
                let found = got["took_ms_about"].as_i64().unwrap_or(0);
                if (took - found).abs() > ABOUT {
                    return Err(format!("saw.took_ms_about expected {took}, got {found}"));
                }
            }
        }
        // A message that failed before it had a partition has none in its report.
        if expected["partition"].is_null() && got["ok"] == false {
            got["partition"] = Value::Null;
        }
        self.hide_numbers(&mut expected, &mut got);
        self.replay.compare("saw", &expected, &got)
    }

    /// Many messages at once; then their reports are waited for.
    pub(super) fn send_burst(&mut self, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let count: u32 = number(step, "count")?;
        let begun = self.replay.timeline.now();
        let burst = self.bursts;
        self.bursts += 1;
        let before = self.log_ends(text(step, "topic")?);
        let mut commands = Vec::new();
        for index in 0..count {
            let mut one = step.clone();
            if let Some(modulus) = step["partition"].as_str().and_then(|rule| rule.strip_prefix("index % ")) {
                let modulus: u32 = modulus.parse().map_err(|_| "partition must be a number or index % n")?;
                one["partition"] = json!(index % modulus);
            }
            if one["value_bytes"].is_null() && one["value"].is_null() {
                one["value"] = json!(format!("{burst}-{index}"));
            }
            commands.push(self.submit(&one)?);
        }
        let limit = begun + PATIENCE;
        let (mut delivered, mut failed) = (0, 0);
        let (mut first, mut last) = (None, Duration(0));
        self.poll_until_all(&producer, &commands, limit)?;
        for command in &commands {
            let took = self.finished(*command)?.since(begun);
            first = Some(first.map_or(took, |first: Duration| first.min(took)));
            last = last.max(took);
            let outcome = self.replay.timeline.outcome(*command).ok_or("there is no outcome")?;
            if outcome.error.is_none() { delivered += 1 } else { failed += 1 }
        }
        let mut expected = step["saw"].clone();
        for (field, found) in [("first_report_ms_about", first.unwrap_or(last)), ("last_report_ms_about", last)] {
            let wanted = expected.as_object_mut().and_then(|fields| fields.remove(field)).and_then(|it| it.as_i64());
            let found = (found.0 / 1_000) as i64;
            if wanted.is_some_and(|wanted| (wanted - found).abs() > ABOUT / 5) {
                return Err(format!("saw.{field} expected {}, got {found}", wanted.unwrap_or(0)));
            }
        }
        let mut got = json!({ "ok": failed == 0, "delivered": delivered, "failed": failed });
        if !expected["batches"].is_null() {
            got["batches"] = self.batches_since(step, &before)?;
            if self.setting(step, "linger.ms").is_some_and(|linger| linger == "0") {
                // Without linger it is chance where batches end.
                let [wanted, found] = [&expected["batches"], &got["batches"]].map(records_in);
                (expected["batches"], got["batches"]) = (json!(wanted), json!(found));
            }
        }
        self.replay.compare("saw", &expected, &got)
    }

    fn log_ends(&self, topic: &str) -> BTreeMap<u32, u64> {
        let snapshot = self.replay.snapshot();
        let found = snapshot.topics.iter().find(|found| *found.name == *topic);
        let partitions = found.into_iter().flat_map(|topic| &topic.partitions);
        partitions.map(|partition| (partition.partition, partition.log_end_offset)).collect()
    }

    fn batches_since(&self, step: &Value, before: &BTreeMap<u32, u64>) -> Result<Value, String> {
        let partition: u32 = number(step, "partition")?;
        let name = format!("{}-{partition}", text(step, "topic")?);
        let start = before.get(&partition).copied().unwrap_or(0);
        let directory = self.replay.leader_directory(&name)?;
        let batches = self.replay.batches_on(&directory);
        let new = batches.iter().filter(|batch| batch.base_offset >= start);
        let shown = new.map(|batch| {
            let range = format!("{}-{}", batch.base_offset, batch.last_offset);
            json!({ "batch": range, "records": batch.count, "bytes": batch.size_bytes })
        });
        Ok(Value::Array(shown.collect()))
    }

    /// Reports that say that time is over came while everything stood still.
    pub(super) fn await_timed_out(&mut self) -> Result<(), String> {
        let is_timed_out = |pending: &Pending| pending.args["saw"]["delivery_failed"]["name"] == "_MSG_TIMED_OUT";
        let waited: Vec<(String, u64, Time)> = self
            .pending
            .iter()
            .filter(|pending| is_timed_out(pending))
            .map(|pending| (pending.producer.clone(), pending.command, pending.begun))
            .collect();
        for (producer, command, begun) in &waited {
            self.poll_until(producer, *command, *begun + PATIENCE)?;
        }
        // In which moment of a second the library looks is chance; the next step came when the recording had them.
        let reported = |pending: &Pending| {
            let took = pending.args["saw"]["took_ms_about"].as_u64()?;
            Some(pending.begun + Duration::from_millis(took))
        };
        let recorded = self.pending.iter().filter(|pending| is_timed_out(pending)).filter_map(reported).max();
        if let Some(recorded) = recorded {
            self.replay.timeline.advance_to(recorded);
        }
        Ok(())
    }

    /// The process that writes a recording needs a moment for a broker to go on, and nobody polls meanwhile. How
    /// long it took, a message tells whose report the next step has served, if that step itself took no time.
    pub(super) fn await_written(&mut self, next: &Value) {
        if !next["saw"]["took_ms_about"].is_null() {
            return;
        }
        let written = self.pending.iter().filter(|pending| pending.args["saw"]["ok"] == true);
        let reported = written.filter_map(|pending| {
            let took = pending.args["saw"]["took_ms_about"].as_u64()?;
            Some(pending.begun + Duration::from_millis(took))
        });
        if let Some(reported) = reported.min() {
            self.replay.timeline.advance_to(reported.max(self.replay.timeline.now()));
        }
    }

    /// The recordings wait for the reports of a group of messages before they go on with others.
    fn await_group(&mut self, next: &Value) -> Result<(), String> {
        if !matches!(next["do"].as_str(), Some("send" | "producer")) {
            return Ok(());
        }
        let is_reported = |pending: &&Pending| !pending.args["saw"]["ok"].is_null();
        let open: Vec<(String, u64, Time)> = self
            .pending
            .iter()
            .filter(is_reported)
            .map(|pending| (pending.producer.clone(), pending.command, pending.begun))
            .collect();
        for (producer, command, begun) in open {
            self.poll_until(&producer, command, begun + PATIENCE)?;
        }
        Ok(())
    }

    /// Compares the reports that were not waited for.
    pub(super) fn settle(&mut self) -> Result<(), String> {
        for Pending { step, command, producer, begun, args } in std::mem::take(&mut self.pending) {
            let place = |difference: String| super::at_step(step, "send_async", &difference);
            // Some reports were never fetched.
            if args["saw"]["ok"].is_null() {
                continue;
            }
            self.poll_until(&producer, command, begun + PATIENCE).map_err(place)?;
            let got = self.came_to(command, &args, begun).map_err(place)?;
            self.compare_message(&args, got).map_err(place)?;
        }
        Ok(())
    }
}

fn records_in(batches: &Value) -> u64 {
    batches.as_array().into_iter().flatten().filter_map(|batch| batch["records"].as_u64()).sum()
}

/// `0.3 s later` as a time.
fn seconds_later(note: &str) -> Option<Duration> {
    let seconds: f64 = note.strip_suffix(" s later")?.parse().ok()?;
    Some(Duration((seconds * 1_000_000.0) as u64))
}
