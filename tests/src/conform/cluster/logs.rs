//! Records in logs, as `final.logs` lists them, and what readers get of them.
//!
//! Deliberately not here: the broker's decision what is stable and what was aborted; the picture has it.

use std::rc::Rc;

use engine::event::Record;
use engine::log_view::{BatchInSegment, LogView};
use engine::snapshot::{AbortedTransaction, PartitionSnapshot};
use engine::transaction::MarkerKind;
use serde_json::{Map, Value, json};

use super::replay::{Replay, listed, text};

impl Replay {
    /// The verbs `log` and `log_on_each_replica`.
    pub fn show_log(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let name = text(step, "partition")?;
        let got = if verb == "log" {
            json!({ "records": self.records(&self.leader_directory(name)?) })
        } else {
            self.on_each_replica(name, |directory| Value::Array(self.records(directory)))?
        };
        self.compare_logs("saw", &step["saw"], &got)
    }

    /// Compares records; where batches ended by chance, it leaves that out.
    pub fn compare_logs(&mut self, path: &str, expected: &Value, got: &Value) -> Result<(), String> {
        let mut expected = expected.clone();
        if self.batches_are_chance {
            leave_out_batches(&mut expected);
        }
        self.compare(path, &expected, got)
    }

    /// Every record on a replica's disk.
    pub fn records(&self, directory: &LogView) -> Vec<Value> {
        let batches = self.batches_on(directory);
        batches
            .iter()
            .flat_map(|batch| batch.records.iter().map(|(offset, record)| shown(batch, *offset, record)))
            .collect()
    }

    /// What a reader gets from the start of the log on: everything below the high watermark, or only what
    /// is committed.
    pub fn readable(&self, partition: &PartitionSnapshot, directory: &LogView, is_committed_only: bool) -> Vec<Value> {
        let end = if is_committed_only { partition.last_stable_offset } else { partition.high_watermark };
        let is_aborted = |batch: &BatchInSegment| {
            let id = batch.producer.filter(|_| batch.is_transactional).map(|(id, _, _)| id);
            let of = |aborted: &AbortedTransaction| {
                Some(aborted.producer_id) == id
                    && (aborted.first_offset..aborted.last_offset).contains(&batch.base_offset)
            };
            partition.aborted.iter().any(of)
        };
        let batches = self.batches_on(directory).into_iter().filter(|batch| batch.control.is_none());
        let batches = batches.filter(|batch| !is_committed_only || !is_aborted(batch));
        let records = batches.flat_map(|batch| batch.records);
        let visible = records.filter(|(offset, _)| (directory.log_start_offset..end).contains(offset));
        let read = |(offset, record): (u64, Rc<Record>)| json!({ "offset": offset, "key": key(&record), "value": value(&record) });
        visible.map(read).collect()
    }

    /// `observe`: the ends of a log and what both isolation levels read.
    pub fn observe(&mut self, step: &Value) -> Result<(), String> {
        self.settle_instant();
        let mut shown = Map::new();
        for name in listed(step) {
            let partition = self.partition(name)?;
            let directory = self.leader_directory(name)?;
            let values = |is_committed_only: bool| -> Vec<Value> {
                let read = self.readable(&partition, &directory, is_committed_only);
                read.iter().map(|record| record["value"].clone()).collect()
            };
            let state = json!({
                "log_start": directory.log_start_offset,
                "leo": directory.log_end_offset,
                "hw": partition.high_watermark,
                "lso": partition.last_stable_offset,
                "read_uncommitted": values(false),
                "read_committed": values(true),
            });
            shown.insert(name.to_owned(), state);
        }
        self.compare("saw", &step["saw"], &Value::Object(shown))
    }

    /// The batch at the leader that holds an offset.
    pub fn leader_batch(&self, partition: &str, offset: u64) -> Result<Option<BatchInSegment>, String> {
        let directory = self.leader_directory(partition)?;
        let holds = |batch: &BatchInSegment| (batch.base_offset..=batch.last_offset).contains(&offset);
        Ok(self.batches_on(&directory).into_iter().find(holds))
    }
}

fn shown(batch: &BatchInSegment, offset: u64, record: &Record) -> Value {
    let delta = (offset - batch.base_offset) as i64;
    let sequence = |first: i32| if first < 0 { -1 } else { (i64::from(first) + delta) % (1_i64 << 31) };
    let mut shown = json!({
        "offset": offset,
        "kind": "data",
        "pid": batch.producer.map(|(id, _, _)| id),
        "epoch": batch.producer.map_or(-1, |(_, epoch, _)| i64::from(epoch)),
        "seq": batch.producer.map_or(-1, |(_, _, first)| sequence(first)),
        "batch": format!("{}-{}", batch.base_offset, batch.last_offset),
        "txn": batch.is_transactional,
        "leader_epoch": batch.leader_epoch,
    });
    match batch.control {
        Some((marker, coordinator_epoch)) => {
            shown["kind"] = Value::from(if marker == MarkerKind::Commit { "commit" } else { "abort" });
            shown["coordinator_epoch"] = Value::from(coordinator_epoch);
        }
        None => {
            shown["key"] = key(record);
            shown["value"] = value(record);
        }
    }
    shown
}

fn key(record: &Record) -> Value {
    Value::from(record.key.as_ref().and(record.key_text.as_deref()))
}

/// Filler bytes are not kept as text; they are as many as the value has.
fn value(record: &Record) -> Value {
    Value::from(record.value.as_deref())
}

fn leave_out_batches(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(leave_out_batches),
        Value::Object(fields) => {
            fields.remove("batch");
            fields.values_mut().for_each(leave_out_batches);
        }
        _ => {}
    }
}
