//! Consumers whose group metadata a transaction carries, and records that are sent many at a time.
//!
//! Deliberately not here: groups. The engine has none with members, so whoever has joined is known to the replay
//! alone: while a consumer is there, its metadata are as good as none; when it has left, the coordinator is asked.

use engine::{Command, Time};
use serde_json::{Value, json};

use super::super::replay::{number, partition_name, text};
use super::{Library, given};

/// How long the reports of many messages may take.
const PATIENCE: engine::Duration = engine::Duration::from_secs(330);

impl Library {
    /// A consumer joins its group and reads what is committed, up to a count if one is given.
    pub(super) fn consume(&mut self, step: &Value) -> Result<(), String> {
        self.replay.settle_instant();
        let limit = ["count", "max", "records"].iter().find_map(|field| step[field].as_u64()).unwrap_or(u64::MAX);
        let mut read = Vec::new();
        for name in self.subscribed(step)? {
            let partition = self.replay.partition(&name)?;
            let directory = self.replay.leader_directory(&name)?;
            for mut record in self.replay.readable(&partition, &directory, true) {
                record["partition"] = json!(partition_name(&name)?.1);
                read.push(record);
            }
        }
        read.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        self.joined.insert(member_of(step));
        let values: Vec<Value> = read.iter().map(|record| record["value"].clone()).collect();
        let saw = step["saw"].as_object().cloned().unwrap_or_default();
        for (field, wanted) in &saw {
            let path = format!("saw.{field}");
            match wanted {
                Value::Bool(_) => self.replay.compare(&path, wanted, &json!(true))?,
                Value::Number(_) if matches!(field.as_str(), "count" | "read") => {
                    self.replay.compare(&path, wanted, &json!(read.len()))?;
                }
                Value::Array(list) if list.iter().all(Value::is_object) => {
                    self.replay.compare(&path, wanted, &Value::from(read.clone()))?;
                }
                Value::Array(_) => self.replay.compare(&path, wanted, &Value::from(values.clone()))?,
                // Member ids and generations are the group's.
                _ if matches!(field.as_str(), "member" | "generation" | "group" | "note") => {}
                _ => return Err(format!("{path}: the runner does not know what that is")),
            }
        }
        Ok(())
    }

    /// The partitions of the topic or topics that a consumer subscribes to, or of the one that it is given.
    fn subscribed(&self, step: &Value) -> Result<Vec<String>, String> {
        if let Some(partition) = step["partition"].as_str() {
            return Ok(vec![partition.to_owned()]);
        }
        let named: Vec<&str> = match step["topic"].as_str() {
            Some(topic) => vec![topic],
            None => step["topics"].as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
        };
        let topics = self.replay.snapshot().topics;
        let own = topics.iter().filter(|topic| named.contains(&&*topic.name));
        Ok(own.flat_map(|topic| topic.partitions.iter().map(|it| format!("{}-{}", topic.name, it.partition))).collect())
    }

    /// The consumer closes: its member is gone from the group.
    pub(super) fn leave(&mut self, step: &Value) -> Result<(), String> {
        let member = member_of(step);
        if !self.joined.remove(&member) {
            self.joined.clear();
        }
        self.replay.compare("saw", &step["saw"], &json!({ "ok": true }))
    }

    /// Whether the metadata of a step are those of a consumer that is there.
    pub(super) fn is_of_a_member(&self, step: &Value) -> bool {
        let words = given(step, "metadata").unwrap_or_default();
        step["generation"].as_i64().is_some_and(|generation| generation != -1)
            && !self.joined.is_empty()
            && !["left", "gone", "closed"].iter().any(|word| words.contains(word))
    }

    /// Many messages with numbered keys and values, then all their reports.
    pub(super) fn send_many(&mut self, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let begun: Time = self.replay.timeline.now();
        let mut commands = Vec::new();
        for index in 0..number::<u32>(step, "count")? {
            let mut one = step.clone();
            for (field, prefix) in [("key", "key_prefix"), ("value", "value_prefix")] {
                if let Some(prefix) = step[prefix].as_str() {
                    one[field] = Value::from(format!("{prefix}{index}"));
                }
            }
            commands.push(self.submit(&one)?);
        }
        self.replay.batches_are_chance = true;
        self.poll_until_all(&producer, &commands, begun + PATIENCE)?;
        let mut got = json!({ "ok": true, "last_offset": null });
        for command in commands {
            let outcome = self.replay.timeline.outcome(command).ok_or("there is no outcome")?;
            let sent = self.sent(&outcome, step);
            if sent["ok"] != true {
                got = sent;
                break;
            }
            got["last_offset"] = sent["offset"].clone();
        }
        let mut expected = step["saw"].clone();
        if let Some(fields) = expected.as_object_mut() {
            fields.remove("took_ms_about");
            fields.remove("requests");
        }
        self.replay.compare("saw", &expected, &got)?;
        self.compare_requests(&producer, step)
    }
}

/// Who a step is about: a member's name, or its group.
fn member_of(step: &Value) -> String {
    ["member", "c", "consumer", "group"].iter().find_map(|field| given(step, field)).unwrap_or_default()
}

/// The arguments of a transactional call with the metadata of a member that is there.
pub(super) fn as_known(command: Command) -> Command {
    match command {
        Command::SendOffsetsToTransaction { producer, group, offsets, timeout_ms, .. } => {
            Command::SendOffsetsToTransaction { producer, group, offsets, generation: None, member: None, timeout_ms }
        }
        other => other,
    }
}
