//! Many records at once: until the buffer refuses one, or to see where keyless ones go. And calls that send
//! nothing.
//!
//! Deliberately not here: single records and their Futures, which are `sends.rs`.

use engine::error::KafkaError;
use engine::event::EventKind;
use engine::scenario::Workload;
use engine::snapshot::ProducerSnapshot;
use engine::transaction::TransactionEvent;
use engine::{Command, Duration, Event, Status, Time};
use serde_json::{Value, json};

use super::replay::{Replay, number, text};
use super::sends::{exception, failure, record};

/// An application thread makes so many `send` calls before the client's own thread has woken up.
const SENDS_BEFORE_THE_SENDER: u32 = 3;

/// Nothing takes longer than that.
const PATIENCE: Duration = Duration::from_secs(300);

impl Replay {
    /// Records without waiting, until the Future of one fails. They are more than a run may have commands, so
    /// the producer makes them by itself.
    pub fn send_until_refused(&mut self, step: &Value) -> Result<(), String> {
        let name = text(step, "p")?.to_owned();
        let before = self.named(&name)?;
        let workload = Workload {
            topic: text(step, "topic")?.to_owned(),
            value_size: Some(number(step, "value_bytes")?),
            partition: step["partition"].as_i64().and_then(|partition| i32::try_from(partition).ok()),
            every: Some(Duration(10)),
            burst: Some(SENDS_BEFORE_THE_SENDER),
            ..Workload::default()
        };
        self.act(Command::SetWorkload { producer: name.clone(), workload: Some(workload) })?;
        let limit = self.timeline.now() + PATIENCE;
        let mut seen = self.last_event();
        let failed = loop {
            if !self.next_entry(limit) {
                return Err("no record was refused".to_owned());
            }
            if let Some(failed) = self.first_failure(seen) {
                break failed;
            }
            seen = self.last_event();
        };
        self.act(Command::SetWorkload { producer: name.clone(), workload: None })?;
        let after = self.named(&name)?;
        let accepted = after.sent_count - before.sent_count - (after.failed_count - before.failed_count);
        let (error, blocked) = failed;
        let got = json!({
            "blocked_ms_about": blocked.millis(),
            "future_failed": exception(&error),
        });
        let mut expected = step["saw"].clone();
        let wanted = expected.as_object_mut().and_then(|saw| saw.remove("accepted_before"));
        self.compare("saw", &expected, &got)?;
        let wanted = wanted.and_then(|wanted| wanted.as_u64()).unwrap_or(0);
        let tolerance = records_of_a_batch(&after, number(step, "value_bytes")?);
        if accepted.abs_diff(wanted) > tolerance {
            return Err(format!("saw.accepted_before expected {wanted} give or take {tolerance}, got {accepted}"));
        }
        if let Some(partition) = step["partition"].as_u64() {
            let place = format!("{}-{partition}", text(step, "topic")?);
            *self.surplus.entry(place).or_default() += accepted as i64 - wanted as i64;
        }
        Ok(())
    }

    /// What a step saw, had the recording accepted as many records before as the run did.
    pub fn with_surplus(&self, step: &Value) -> Value {
        let mut saw = step["saw"].clone();
        let place = format!("{}-{}", step["topic"].as_str().unwrap_or_default(), saw["partition"]);
        if let (Some(offset), Some(surplus)) = (saw["offset"].as_i64(), self.surplus.get(&place)) {
            saw["offset"] = Value::from(offset + surplus);
        }
        saw
    }

    /// The error of the first record that failed after an event, and how long its `send` had waited.
    fn first_failure(&mut self, after: u64) -> Option<(KafkaError, Duration)> {
        let accept = |event: &Event| {
            let is_return = matches!(event.kind, EventKind::Transaction(TransactionEvent::CallReturned { .. }));
            event.index > after && (is_return || matches!(event.kind, EventKind::SendFailed { .. }))
        };
        let events = self.timeline.recent_from(after, 8, &accept);
        let place = events.iter().position(|event| matches!(event.kind, EventKind::SendFailed { .. }))?;
        let EventKind::SendFailed { error, .. } = &events[place].kind else { return None };
        let waited = events[place..].iter().find_map(|event| match &event.kind {
            EventKind::Transaction(TransactionEvent::CallReturned { waited, .. }) => Some(*waited),
            _ => None,
        });
        Some((KafkaError::clone(error), waited.unwrap_or_default()))
    }

    fn last_event(&mut self) -> u64 {
        self.timeline.recent(1, &|_| true).last().map_or(0, |event| event.index)
    }

    /// Keyless records, each awaited or all at once; how many in a row went to the same partition.
    pub fn send_keyless(&mut self, step: &Value) -> Result<(), String> {
        let count: u32 = number(step, "count")?;
        let awaits_each = step["await_each"] == true;
        let one = record(step)?;
        let mut commands = Vec::new();
        for _ in 0..count {
            let command = self.timeline.submit(one.clone()).map_err(|error| error.to_string())?;
            if awaits_each {
                self.finish(command)?;
            }
            commands.push(command);
        }
        self.note_chance(step)?;
        self.partitions_are_chance = true;
        let mut runs: Vec<(u32, u64)> = Vec::new();
        for command in commands {
            let outcome = self.finish(command)?;
            let Some(sent) = outcome.record.filter(|_| outcome.status == Status::Done) else {
                return Err(format!("a record failed: {:?}", outcome.error));
            };
            match runs.last_mut().filter(|(partition, _)| *partition == sent.partition) {
                Some((_, records)) => *records += 1,
                None => runs.push((sent.partition, 1)),
            }
        }
        compare_runs(&step["saw"]["runs"], &runs, awaits_each)
    }

    /// The constructor of a record; nobody sends it.
    pub fn new_producer_record(&mut self, step: &Value) -> Result<(), String> {
        let partition = step["partition"].as_i64();
        let got = match partition.filter(|partition| *partition < 0) {
            // As the engine's `send` refuses it before any producer sees it.
            Some(_) => self.refused_record(step)?,
            // Commands of the engine always name a topic, so only the constructor can find it missing.
            None if step["topic"].is_null() => {
                let error = KafkaError::new("", "IllegalArgumentException", "Topic cannot be null.");
                json!({ "ok": false, "thrown": exception(&error) })
            }
            None => json!({ "ok": true }),
        };
        self.compare("saw", &step["saw"], &got)
    }

    fn refused_record(&mut self, step: &Value) -> Result<Value, String> {
        let producer = self.snapshot().producers.first().map(|producer| producer.name.to_string());
        let mut one = step.clone();
        one["p"] = Value::from(producer.ok_or("there is no producer that could make a record")?);
        let outcome = self.act(record(&one)?)?;
        Ok(failure(&outcome, &step["saw"]))
    }

    pub fn partitions_for(&mut self, step: &Value) -> Result<(), String> {
        let (producer, topic) = (text(step, "p")?.to_owned(), text(step, "topic")?.to_owned());
        let begun = self.timeline.now();
        let outcome = self.act(Command::PartitionsFor { producer: producer.clone(), topic: topic.clone() })?;
        let mut got = match outcome.error {
            Some(_) => failure(&outcome, &step["saw"]),
            None => json!({ "ok": true, "partitions": self.named(&producer)?.metadata.get(topic.as_str()) }),
        };
        got["elapsed_ms_about"] = json!(self.timeline.now().since(begun).millis());
        self.add_view(&mut got, &outcome, step)?;
        self.compare("saw", &step["saw"], &got)
    }

    /// From the first `send_async` before to the last of their results.
    pub fn elapsed(&mut self, step: &Value) -> Result<(), String> {
        let first: Time = self.pending.iter().map(|pending| pending.sent).min().ok_or("nothing was sent before")?;
        self.settle()?;
        let got = json!({ "elapsed_ms_about": self.timeline.now().since(first).millis() });
        self.compare("saw", &step["saw"], &got)
    }

    fn named(&self, name: &str) -> Result<ProducerSnapshot, String> {
        self.producer_named(name).ok_or_else(|| format!("there is no producer {name}"))
    }
}

/// How many records of that size fill a batch: the tolerance of `accepted_before`.
fn records_of_a_batch(producer: &ProducerSnapshot, value_bytes: u64) -> u64 {
    let batch_size = u64::from(producer.buffer.buffer_bytes);
    (batch_size / (value_bytes + 10)).max(1)
}

/// Lengths of runs are whole visits, since the same partition may be drawn again; the last one may be cut short.
fn compare_runs(wanted: &Value, got: &[(u32, u64)], awaits_each: bool) -> Result<(), String> {
    let wanted: Vec<(u64, u64)> = wanted
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|run| Some((run["partition"].as_u64()?, run["records"].as_u64()?)))
        .collect();
    let total = |lengths: &mut dyn Iterator<Item = u64>| lengths.sum::<u64>();
    let (all, sent) = (total(&mut wanted.iter().map(|run| run.1)), total(&mut got.iter().map(|run| run.1)));
    if all != sent {
        return Err(format!("saw.runs expected {all} records in all, got {sent}"));
    }
    let whole = &wanted[..wanted.len().saturating_sub(1)];
    let visit = whole.iter().map(|run| run.1).fold(0, greatest_common_divisor);
    if visit == 0 || !awaits_each {
        return Ok(());
    }
    let own = &got[..got.len().saturating_sub(1)];
    match own.iter().find(|(_, records)| records % visit != 0) {
        Some((partition, records)) => {
            Err(format!("saw.runs expected multiples of {visit} records, got {records} to partition {partition}"))
        }
        None => Ok(()),
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &[u64], got: &[u64], is_fine: bool) {
        let wanted: Vec<Value> = wanted.iter().map(|records| json!({ "partition": 0, "records": records })).collect();
        let got: Vec<(u32, u64)> = (0..).zip(got.iter().copied()).collect();
        assert_eq!(compare_runs(&Value::from(wanted), &got, true).is_ok(), is_fine, "{got:?}");
    }

    #[test]
    fn runs_are_whole_visits() {
        check(&[5, 10, 5], &[10, 10], true);
        check(&[5, 10, 5], &[15, 5], true);
        check(&[5, 10, 5], &[12, 8], false);
        check(&[5, 10, 5], &[10, 5], false);
        check(&[10, 5, 3], &[5, 10, 3], true);
    }
}
