//! Files of partitions: segments, directories, checkpoints, and kafka-dump-log.sh on one of them.
//!
//! Deliberately not here: the records inside (`logs.rs`).

use console::{Input, Invocation, Tool};
use engine::log_view::{BatchInSegment, LogView, SegmentView};
use serde_json::{Map, Value, json};

use super::replay::{Replay, partition_name, text};

impl Replay {
    pub fn show_disk(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let name = text(step, "partition")?;
        let got = match verb {
            "dump_log" => return self.dump_log(name, step),
            "segments" => {
                let directory = self.leader_directory(name)?;
                let segments: Vec<Value> = directory.segments.iter().map(segment).collect();
                with_ends(&directory, json!({ "segments": segments }))
            }
            "list_partition_directory" => {
                let directory = match step["on"].as_u64() {
                    Some(broker) => self.directory(name, broker as u32)?,
                    None => self.leader_directory(name)?,
                };
                let file = |(file, bytes): &(String, u64)| json!({ "name": file, "bytes": bytes });
                let files: Vec<Value> = directory.files.iter().map(file).collect();
                with_ends(&directory, json!({ "files": files }))
            }
            "leader_epoch_checkpoint" => self.on_each_replica(name, |directory| {
                let lines: String =
                    directory.epochs.iter().map(|(epoch, start)| format!("{epoch} {start}\n")).collect();
                Value::from(format!("0\n{}\n{lines}", directory.epochs.len()))
            })?,
            _ => self.replica_offsets(name)?,
        };
        self.compare("saw", &step["saw"], &got)
    }

    /// What a directory shows, by the broker that has it.
    pub fn on_each_replica(&self, name: &str, show: impl Fn(&LogView) -> Value) -> Result<Value, String> {
        let mut shown = Map::new();
        for broker in self.partition(name)?.replicas {
            shown.insert(format!("broker_{broker}"), show(&self.directory(name, broker)?));
        }
        Ok(Value::Object(shown))
    }

    fn replica_offsets(&self, name: &str) -> Result<Value, String> {
        let partition = self.partition(name)?;
        let mut shown = Map::new();
        for log in &partition.logs {
            let ends = json!({ "leo": log.log_end_offset, "checkpointed_hw": log.checkpointed_high_watermark });
            shown.insert(format!("broker_{}", log.broker), ends);
        }
        shown.insert("leader".to_owned(), Value::from(partition.leader));
        Ok(Value::Object(shown))
    }

    fn dump_log(&mut self, name: &str, step: &Value) -> Result<(), String> {
        let broker = self.reading_broker(name)?;
        let file = format!("{}/{name}/{}", console::place::log_dir(broker), text(step, "file")?);
        let options = step["options"].as_array().into_iter().flatten();
        let mut arguments: Vec<String> = options.filter_map(|option| option.as_str().map(str::to_owned)).collect();
        arguments.extend(["--files".to_owned(), file]);
        let invocation = Invocation { tool: Tool::DumpLog, arguments, input: Input::default() };
        let printed = console::invoke(&mut self.timeline, &invocation);
        self.compare_printed(&step["saw"], &printed)
    }

    /// The leader, or the first replica while nobody leads.
    fn reading_broker(&self, name: &str) -> Result<u32, String> {
        let partition = self.partition(name)?;
        partition.leader.or(partition.replicas.first().copied()).ok_or_else(|| format!("{name} has no replica"))
    }

    /// The leader's directory of a partition.
    pub fn leader_directory(&self, name: &str) -> Result<LogView, String> {
        self.directory(name, self.reading_broker(name)?)
    }

    /// A replica's directory.
    pub fn directory(&self, name: &str, broker: u32) -> Result<LogView, String> {
        let (topic, partition) = partition_name(name)?;
        let found = self.timeline.log_view(broker, topic, partition);
        found.ok_or_else(|| format!("broker {broker} has no replica of {name}"))
    }

    /// The segments of the leader, to see whether they change.
    pub fn leader_segments(&self, name: &str) -> Result<Vec<SegmentView>, String> {
        Ok(self.leader_directory(name)?.segments)
    }

    /// All batches of a directory, in order.
    pub fn batches_on(&self, directory: &LogView) -> Vec<BatchInSegment> {
        let LogView { broker, topic, partition, .. } = directory;
        let of = |segment: &SegmentView| self.timeline.batches(*broker, topic, *partition, segment.base_offset);
        directory.segments.iter().flat_map(of).collect()
    }
}

fn segment(segment: &SegmentView) -> Value {
    let or_none = |offset: Option<u64>| offset.map_or(-1, |offset| offset as i64);
    json!({
        "file": format!("{:020}.log", segment.base_offset),
        "bytes": segment.size_bytes,
        "first_batch_base_offset": or_none(segment.first_batch_base_offset),
        "last_offset": or_none(segment.last_offset),
        "batches": segment.batch_count,
    })
}

fn with_ends(directory: &LogView, mut shown: Value) -> Value {
    shown["log_start_offset"] = Value::from(directory.log_start_offset);
    shown["log_end_offset"] = Value::from(directory.log_end_offset);
    shown
}
