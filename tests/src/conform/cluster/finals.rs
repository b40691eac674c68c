//! The part `final` of a recording: logs, offsets and what coordinators know after the last step.
//!
//! Deliberately not here: what happened on the way there; that is compared step by step.

use engine::log_view::BatchInSegment;
use serde_json::{Map, Value, json};

use super::replay::Replay;

/// Compares what `final` has; a part that is absent was not looked at.
pub(super) fn compare(replay: &mut Replay, expected: &Value) -> Result<(), String> {
    let Some(parts) = expected.as_object() else { return Ok(()) };
    replay.settle_instant();
    for (part, wanted) in parts.iter().filter(|(part, _)| *part != "logs_from_offset") {
        let path = format!("final.{part}");
        let from = expected["logs_from_offset"].clone();
        let got = replay.final_part(part, wanted, &from).map_err(|reason| format!("{path}: {reason}"))?;
        match part.as_str() {
            "batches" if replay.partitions_are_chance => compare_counts(&path, wanted, &got)?,
            "batches" => replay.compare(&path, &comparable_batches(wanted, replay.batches_are_chance), &got)?,
            _ => replay.compare_logs(&path, wanted, &got)?,
        }
    }
    Ok(())
}

impl Replay {
    fn final_part(&self, part: &str, wanted: &Value, from: &Value) -> Result<Value, String> {
        if let Some(broker) = part.strip_prefix("log_on_broker_") {
            return self.only_log_on(broker.parse().map_err(|_| "there is no such broker")?);
        }
        if part == "txn_state" {
            return self.txn_state(wanted);
        }
        if part == "leo" && wanted.is_number() {
            return self.only_log_end();
        }
        let mut shown = Map::new();
        for name in wanted.as_object().ok_or("partitions must be named")?.keys() {
            let partition = self.partition(name)?;
            let directory = self.leader_directory(name)?;
            let first = from[name].as_u64().or(from.as_u64()).unwrap_or(0);
            let is_wanted = |record: &Value| record["offset"].as_u64().is_some_and(|offset| offset >= first);
            let from_first = |records: Vec<Value>| Value::Array(records.into_iter().filter(is_wanted).collect());
            let state = match part {
                "logs" => from_first(self.records(&directory)),
                "hw" => Value::from(partition.high_watermark),
                "lso" => Value::from(partition.last_stable_offset),
                "leo" => Value::from(directory.log_end_offset),
                "read_committed" => from_first(self.readable(&partition, &directory, true)),
                "read_uncommitted" => from_first(self.readable(&partition, &directory, false)),
                "producer_state" => self.in_order_of(&wanted[name], self.active_producers(name)?),
                "batches" => Value::Array(self.batches_on(&directory).iter().map(batch).collect()),
                _ => return Err("the runner does not know this part yet".into()),
            };
            shown.insert(name.clone(), state);
        }
        Ok(Value::Object(shown))
    }

    /// The order of producers in an answer says nothing: those that the recording has come in its order.
    fn in_order_of(&self, wanted: &Value, mut got: Vec<Value>) -> Value {
        let wanted: Vec<&str> = wanted.as_array().into_iter().flatten().filter_map(|one| one["pid"].as_str()).collect();
        let place = |producer: &Value| {
            let name = producer["pid"].as_u64().and_then(|id| self.names.of(id));
            wanted.iter().position(|wanted| Some(*wanted) == name).unwrap_or(wanted.len())
        };
        got.sort_by_key(place);
        Value::Array(got)
    }

    /// Records of the only partition on a broker's disk.
    fn only_log_on(&self, broker: u32) -> Result<Value, String> {
        Ok(Value::Array(self.records(&self.directory(&self.only_partition()?, broker)?)))
    }

    /// Where the only partition's log ends, without the records by which the run differs from the recording.
    fn only_log_end(&self) -> Result<Value, String> {
        let name = self.only_partition()?;
        let end = self.leader_directory(&name)?.log_end_offset as i64;
        Ok(Value::from(end - self.surplus.get(&name).copied().unwrap_or(0)))
    }

    fn only_partition(&self) -> Result<String, String> {
        let topics = self.snapshot().topics;
        let own = topics.iter().filter(|topic| !topic.is_internal);
        let mut names = own.flat_map(|topic| {
            topic.partitions.iter().map(|partition| format!("{}-{}", topic.name, partition.partition))
        });
        match (names.next(), names.next()) {
            (Some(name), None) => Ok(name),
            _ => Err("there is not exactly one partition".into()),
        }
    }
}

fn batch(batch: &BatchInSegment) -> Value {
    json!({
        "base_offset": batch.base_offset,
        "last_offset": batch.last_offset,
        "records": batch.count,
        "bytes": batch.size_bytes,
        "base_sequence": batch.producer.map_or(-1, |(_, _, first)| first),
        "compression": batch.codec.name(),
    })
}

/// Where keyless records go is chance: their number in all is not.
fn compare_counts(path: &str, wanted: &Value, got: &Value) -> Result<(), String> {
    let count = |parts: &Value| -> u64 {
        let batches = parts.as_object().into_iter().flat_map(|parts| parts.values()).filter_map(Value::as_array);
        batches.flatten().filter_map(|batch| batch["records"].as_u64()).sum()
    };
    let (wanted, got) = (count(wanted), count(got));
    if wanted == got { Ok(()) } else { Err(format!("{path} expected {wanted} records, got {got}")) }
}

/// Sizes of compressed batches are not compared, nor are batches that ended by chance.
fn comparable_batches(wanted: &Value, are_chance: bool) -> Value {
    if are_chance {
        return json!({});
    }
    let mut wanted = wanted.clone();
    for list in wanted.as_object_mut().into_iter().flat_map(|parts| parts.values_mut()) {
        for batch in list.as_array_mut().into_iter().flatten() {
            if batch["compression"] != "none" {
                batch.as_object_mut().map(|fields| fields.remove("bytes"));
            }
        }
    }
    wanted
}
