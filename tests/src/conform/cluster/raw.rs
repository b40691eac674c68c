//! Requests of one protocol version, straight to the coordinator or to a partition's leader.
//!
//! Deliberately not here: what the answers should be. Names and numbers of errors are Kafka's (`codes.rs`).

use engine::command::{PartitionName, RawRequest};
use engine::transaction::MarkerKind;
use engine::{Command, Outcome};
use serde_json::{Value, json};

use super::codes;
use super::replay::{Replay, number, partition_name, text};

/// Names that no step has explained yet stand for ids from here on, which no broker hands out.
const UNKNOWN_IDS: u64 = 1_000_000_000;

const MINUTE_MS: i64 = 60_000;

impl Replay {
    pub fn raw_request(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let times: u32 = if verb == "raw_init_producer_id_repeated" { number(step, "times")? } else { 1 };
        let request = match verb {
            "raw_add_partitions_to_txn" => self.add_partitions(step)?,
            "raw_end_txn" => self.end_txn(step)?,
            "raw_produce" => self.produce(step)?,
            _ => self.init_producer_id(step)?,
        };
        let mut got = json!({});
        for _ in 0..times {
            let outcome = self.act(Command::Request(request.clone()))?;
            got = answer(&outcome)?;
        }
        self.compare("saw", &step["saw"], &got)
    }

    fn init_producer_id(&self, step: &Value) -> Result<RawRequest, String> {
        // The protocol says -1 where there is none.
        let given = |field: &str| !step[field].is_null() && step[field] != -1;
        Ok(RawRequest::InitProducerId {
            transactional_id: step["transactional.id"].as_str().map(str::to_owned),
            timeout_ms: if given("timeout_ms") { Some(number(step, "timeout_ms")?) } else { None },
            producer_id: if given("pid") { Some(self.producer_id(step)?) } else { None },
            epoch: if given("epoch") { Some(number(step, "epoch")?) } else { None },
            enable_2pc: step["enable_2pc"] == true,
            keep_prepared_txn: step["keep_prepared_txn"] == true,
        })
    }

    fn add_partitions(&self, step: &Value) -> Result<RawRequest, String> {
        Ok(RawRequest::AddPartitionsToTxn {
            transactional_id: text(step, "transactional.id")?.to_owned(),
            producer_id: self.producer_id(step)?,
            epoch: number(step, "epoch")?,
            partition: partition(step)?,
            api_version: number(step, "api_version")?,
        })
    }

    fn end_txn(&self, step: &Value) -> Result<RawRequest, String> {
        Ok(RawRequest::EndTxn {
            transactional_id: text(step, "transactional.id")?.to_owned(),
            producer_id: self.producer_id(step)?,
            epoch: number(step, "epoch")?,
            end: match text(step, "result")? {
                "commit" => MarkerKind::Commit,
                "abort" => MarkerKind::Abort,
                other => return Err(format!("unknown result {other}")),
            },
            api_version: number(step, "api_version")?,
        })
    }

    fn produce(&self, step: &Value) -> Result<RawRequest, String> {
        let epoch: u16 = number(step, "epoch")?;
        let name = text(step, "partition")?;
        let pid = step["pid"].as_str().unwrap_or_default();
        let writer = self.writers.get(pid).map_or(pid, String::as_str);
        let now = i64::try_from(self.timeline.now().millis()).map_err(|_| "the run is too long")?;
        Ok(RawRequest::Produce {
            transactional_id: step["transactional.id"].as_str().map(str::to_owned),
            partition: partition(step)?,
            producer_id: self.producer_id(step)?,
            epoch,
            base_sequence: number(step, "base_sequence")?,
            records: number(step, "records")?,
            value_prefix: format!("{writer}/{epoch}/"),
            api_version: number(step, "api_version")?,
            acks: if step["acks"].is_null() { -1 } else { number(step, "acks")? },
            timestamp_ms: self.offstage.stamped_back_by(name).map(|minutes| now - minutes * MINUTE_MS),
        })
    }

    /// The id that a recording's name stands for.
    fn producer_id(&self, step: &Value) -> Result<u64, String> {
        if let Some(id) = step["pid"].as_u64() {
            return Ok(id);
        }
        let name = text(step, "pid")?;
        let number = || name.strip_prefix('P')?.parse::<u64>().ok();
        let known = self.names.id(name).or_else(|| number().map(|number| UNKNOWN_IDS + number));
        known.ok_or_else(|| format!("{name} is no producer id"))
    }
}

fn partition(step: &Value) -> Result<PartitionName, String> {
    let (topic, partition) = partition_name(text(step, "partition")?)?;
    Ok(PartitionName { topic: topic.to_owned(), partition })
}

fn answer(outcome: &Outcome) -> Result<Value, String> {
    let error = outcome.error.as_ref().or(outcome.partitions.iter().find_map(|partition| partition.error.as_ref()));
    let name = error.map_or("NONE", |error| error.error.as_str());
    let (code, default_text) = codes::of(name).ok_or_else(|| format!("{name} is no error of the protocol"))?;
    let offset = outcome.record.as_ref().and_then(|record| record.offset);
    Ok(json!({
        "error": name,
        "code": code,
        "pid": outcome.identity.map(|(id, _)| id),
        "epoch": outcome.identity.map_or(-1, |(_, epoch)| i64::from(epoch)),
        "base_offset": offset.map_or(-1, |offset| offset as i64),
        // Where the broker sends no text of its own, the client takes the one that belongs to the code.
        "error_message": error.map(|error| error.message.as_str()).filter(|text| *text != default_text),
    }))
}
