//! Admin calls, and what the Admin client can see of topics, partitions and producers.
//!
//! Deliberately not here: command lines (`cli.rs`) and files on disk (`disk.rs`).

use engine::command::{ElectionKind, PartitionName, Reassignment};
use engine::error::KafkaError;
use engine::{Command, Outcome, Status};
use serde_json::{Map, Value, json};

use super::replay::{Replay, listed, number, partition_name, text};
use super::sends::exception;
use super::setup::texts;

impl Replay {
    pub fn admin(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        self.settle_instant();
        let got = match verb {
            "create_topic" => {
                if step["assignment"].is_null() {
                    self.placed.insert(text(step, "topic")?.to_owned());
                }
                self.call(create_topic(step)?)?
            }
            "delete_topic" => self.call(Command::DeleteTopic { topic: text(step, "topic")?.to_owned() })?,
            "create_partitions" => {
                let topic = text(step, "topic")?.to_owned();
                let field = if step["total"].is_null() { "partitions" } else { "total" };
                let lists = step["assignment"].as_object().map(assignment).transpose()?;
                if lists.is_none() {
                    self.placed.insert(topic.clone());
                }
                let partitions = number(step, field)?;
                self.call(Command::CreatePartitions { topic, partitions, assignment: lists })?
            }
            "alter_topic_config" => {
                let value = texts(&json!({ "value": step["value"] })).next().map(|(_, value)| value);
                let command = Command::AlterTopicConfig {
                    topic: text(step, "topic")?.to_owned(),
                    name: text(step, "name")?.to_owned(),
                    value: value.filter(|_| !step["value"].is_null()),
                };
                self.call(command)?
            }
            "delete_records" => self.delete_records(step)?,
            "move_leadership" => self.move_leadership(step)?,
            "partition_count" => {
                let topic = text(step, "topic")?;
                let snapshot = self.snapshot();
                let found = snapshot.topics.iter().find(|known| *known.name == *topic);
                json!({ "count": found.map(|found| found.partitions.len()) })
            }
            "describe_partition" => self.describe_partitions(step)?,
            _ => json!({ "active": self.active_producers(text(step, "partition")?)? }),
        };
        self.compare("saw", &step["saw"], &got)
    }

    /// An Admin call that returns nothing but success or an exception.
    fn call(&mut self, command: Command) -> Result<Value, String> {
        let outcome = self.act(command)?;
        Ok(returned(&outcome, json!({ "ok": true })))
    }

    fn delete_records(&mut self, step: &Value) -> Result<Value, String> {
        let (topic, partition) = partition_name(text(step, "partition")?)?;
        let before_offset = number(step, "before_offset")?;
        let outcome = self.act(Command::DeleteRecords { topic: topic.to_owned(), partition, before_offset })?;
        let low_watermark = outcome.partitions.first().and_then(|partition| partition.low_watermark);
        Ok(returned(&outcome, json!({ "ok": true, "low_watermark": low_watermark })))
    }

    /// Puts another replica first and lets it lead.
    fn move_leadership(&mut self, step: &Value) -> Result<Value, String> {
        let name = text(step, "partition")?;
        let (topic, partition) = partition_name(name)?;
        let replicas = brokers(&step["replicas"]).ok_or("replicas must be a list of brokers")?;
        let moved = Reassignment { topic: topic.to_owned(), partition, replicas };
        self.done(Command::Reassign { partitions: vec![moved], allow_replication_factor_change: None })?;
        self.await_reassignment_done()?;
        let partitions = Some(vec![PartitionName { topic: topic.to_owned(), partition }]);
        self.done(Command::ElectLeaders { election: ElectionKind::Preferred, partitions })?;
        Ok(json!({ "leader": self.partition(name)?.leader }))
    }

    fn done(&mut self, command: Command) -> Result<(), String> {
        let outcome = self.act(command)?;
        refusal(&outcome).map_or(Ok(()), |error| Err(error.to_string()))
    }

    fn describe_partitions(&self, step: &Value) -> Result<Value, String> {
        let mut shown = Map::new();
        for name in listed(step) {
            let partition = self.partition(name)?;
            let state = json!({
                "leader": partition.leader,
                "replicas": partition.replicas,
                "isr": partition.isr,
                "elr": partition.elr,
                "last_known_elr": partition.last_known_elr,
            });
            shown.insert(name.to_owned(), state);
        }
        Ok(Value::Object(shown))
    }

    /// Producers that the leader of a partition knows.
    pub fn active_producers(&self, partition: &str) -> Result<Vec<Value>, String> {
        let active = self.partition(partition)?.producers.into_iter().map(|producer| {
            json!({
                "pid": producer.producer_id,
                "epoch": producer.epoch,
                "last_sequence": producer.last_sequence.unwrap_or(-1),
                "coordinator_epoch": producer.coordinator_epoch,
                "txn_start_offset": producer.transaction_start,
            })
        });
        Ok(active.collect())
    }
}

/// The exception of a call's only partition, or of the request.
fn refusal(outcome: &Outcome) -> Option<&KafkaError> {
    outcome.partitions.iter().find_map(|partition| partition.error.as_ref()).or(outcome.error.as_ref())
}

/// The answer of a call: what it returns, or its exception.
fn returned(outcome: &Outcome, success: Value) -> Value {
    match refusal(outcome) {
        Some(error) => json!({ "ok": false, "thrown": exception(error) }),
        None if outcome.status == Status::Done => success,
        None => json!({ "ok": false }),
    }
}

fn create_topic(step: &Value) -> Result<Command, String> {
    let count = |field: &str| step[field].as_i64().and_then(|number| i32::try_from(number).ok());
    let lists = step["assignment"].as_object().map(assignment).transpose()?;
    Ok(Command::CreateTopic {
        topic: text(step, "topic")?.to_owned(),
        partitions: count("partitions").filter(|_| lists.is_none()),
        replication_factor: count("replication_factor").filter(|_| lists.is_none()),
        assignment: lists,
        configs: texts(&step["topic_configs"]).collect(),
    })
}

/// `{"0": [1, 2]}` as a list by partition.
fn assignment(map: &Map<String, Value>) -> Result<Vec<Vec<u32>>, String> {
    // Added partitions of a topic are numbered on from those it has.
    let mut lists: Vec<(u32, Vec<u32>)> = Vec::new();
    for (partition, list) in map {
        let entry = partition.parse().ok().zip(brokers(list));
        lists.push(entry.ok_or("assignment must hold a list of brokers for each partition")?);
    }
    lists.sort();
    Ok(lists.into_iter().map(|(_, brokers)| brokers).collect())
}

fn brokers(list: &Value) -> Option<Vec<u32>> {
    list.as_array()?.iter().map(|broker| broker.as_u64().and_then(|broker| u32::try_from(broker).ok())).collect()
}
