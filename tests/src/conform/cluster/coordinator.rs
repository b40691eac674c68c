//! What coordinators know: transactional ids, their log, and committed offsets of groups.
//!
//! Deliberately not here: producers. They know less than their coordinator (`calls.rs`).

use std::collections::BTreeMap;

use engine::scenario::ProducerSpec;
use engine::snapshot::{BrokerState, GroupOffsetsSnapshot, TransactionLogSnapshot, TransactionSnapshot};
use engine::transaction::TransactionState;
use engine::{Command, Duration, KafkaError};
use serde_json::{Map, Value, json};

use super::replay::{Replay, text};
use super::sends::{exception, java};

impl Replay {
    pub fn describe_transaction(&mut self, step: &Value) -> Result<(), String> {
        let id = text(step, "transactional.id")?;
        let got = |replay: &mut Replay| replay.transaction(id).map_or_else(|_| unknown(id), |found| described(&found));
        // The question came before some of the markers that a call has just caused, or after all that could be
        // written: only the recording tells which.
        if step["saw"]["state"].as_str().is_some_and(|state| state.starts_with("Prepare")) {
            let early = got(self);
            if self.compare("saw", &step["saw"], &early).is_ok() {
                return Ok(());
            }
        }
        self.settle_instant();
        let got = got(self);
        self.compare("saw", &step["saw"], &got)
    }

    /// Waits until the coordinator has nothing left to do, and names the state.
    pub fn await_complete(&mut self, step: &Value) -> Result<(), String> {
        let id = text(step, "transactional.id")?;
        self.settle_instant();
        self.run_until(&format!("{id} is complete"), |replay| {
            replay.transaction(id).is_ok_and(|found| found.state.is_over())
        })?;
        let found = self.transaction(id)?;
        let got = json!({ "state": found.state.name(), "epoch": found.epoch });
        self.compare("saw", &step["saw"], &got)
    }

    /// The same for every id, after the broker that coordinated some of them has gone.
    pub fn await_complete_with_new_coordinator(&mut self, step: &Value) -> Result<(), String> {
        self.run_until("new coordinators have completed every transaction", |replay| {
            let snapshot = replay.snapshot();
            let runs =
                |id: u32| snapshot.brokers.iter().any(|broker| broker.id == id && broker.state == BrokerState::Running);
            let is_complete =
                |found: &TransactionSnapshot| found.state.is_over() && found.coordinator.is_some_and(runs);
            let find = |id: &String| snapshot.transactions.iter().find(|found| *found.transactional_id == **id);
            replay.ids.iter().all(|id| find(id).is_some_and(is_complete))
        })?;
        self.compare("saw", &step["saw"], &json!({}))
    }

    /// A producer for each id, which stays open; then where the coordinators wrote.
    pub fn find_records(&mut self, number: usize, step: &Value) -> Result<(), String> {
        let ids = step["ids"].as_array().ok_or("ids must be a list")?;
        let mut rows = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            let id = id.as_str().ok_or("an id must be a text")?;
            let producer = format!("step-{number}-{index}");
            let configs = BTreeMap::from([("transactional.id".to_owned(), id.to_owned())]);
            self.act(Command::Producer(ProducerSpec { name: producer.clone(), ..java(configs) }))?;
            let outcome = self.act(Command::InitTransactions { producer, timeout_ms: None })?;
            if let Some(error) = outcome.error {
                return Err(format!("{id}: {error}"));
            }
            rows.push(json!({
                "id": id,
                "java_hash_code": partitioner::hash::java::string_hash_code(id),
                "partition": self.transaction(id)?.partition,
            }));
        }
        self.compare("saw", &step["saw"], &json!({ "rows": rows }))
    }

    /// Committed offsets, as Admin's `listConsumerGroupOffsets` gives them without and with `requireStable`.
    pub fn group_offsets(&mut self, step: &Value) -> Result<(), String> {
        let name = text(step, "group")?;
        self.settle_instant();
        let groups = self.snapshot().group_offsets;
        let group = groups.into_iter().find(|found| *found.group == *name).unwrap_or_default();
        let asked = step["partitions"].as_array();
        let asked = asked.map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>());
        for (field, is_stable_only) in [("plain", false), ("require_stable", true)] {
            // confluent-kafka answers for every partition that was asked for; one without an offset is null.
            if let Some(bare) = step["saw"][field].as_object().filter(|answer| is_by_partition(answer)) {
                let asked: Vec<String> = bare.keys().cloned().collect();
                let listed = listed_offsets(&group, Some(&asked), is_stable_only);
                let got = asked.into_iter().map(|name| (name.clone(), listed[&name].clone())).collect();
                self.compare(&format!("saw.{field}"), &step["saw"][field], &Value::Object(got))?;
                continue;
            }
            let offsets = listed_offsets(&group, asked.as_deref(), is_stable_only);
            let expected = step["saw"][field].as_object().and_then(|answer| answer.get("offsets"));
            let path = format!("saw.{field}.offsets");
            match expected {
                Some(expected) => self.compare(&path, &pairs(expected), &pairs(&offsets))?,
                // What is absent was not looked at.
                None if step["saw"].get(field).is_none() => {}
                None => self.compare(&format!("saw.{field}"), &step["saw"][field], &json!({ "offsets": offsets }))?,
            }
        }
        Ok(())
    }

    /// `final.txn_state` of some ids.
    pub fn txn_state(&self, wanted: &Value) -> Result<Value, String> {
        let ids = wanted.as_object().ok_or("transactional ids must be named")?.keys();
        let known = self.timeline.snapshot(usize::MAX).transactions;
        let state = |id: &String| {
            let found = known.iter().find(|found| *found.transactional_id == **id);
            let found = found.ok_or_else(|| format!("no coordinator knows {id}"))?;
            let log: Vec<Value> = found.log.iter().map(logged).collect();
            Ok((id.clone(), json!({ "describe": described(found), "log": log })))
        };
        Ok(Value::Object(ids.map(state).collect::<Result<Map<_, _>, String>>()?))
    }

    fn transaction(&self, id: &str) -> Result<TransactionSnapshot, String> {
        let known = self.snapshot().transactions;
        known
            .into_iter()
            .find(|found| *found.transactional_id == *id)
            .ok_or_else(|| format!("no coordinator knows {id}"))
    }
}

/// `Admin.describeTransactions` of an id that no coordinator has.
fn unknown(id: &str) -> Value {
    let text =
        format!("DescribeTransactions request for transactionalId `{id}` failed because the ID could not be found");
    let error = KafkaError::new("TRANSACTIONAL_ID_NOT_FOUND", "TransactionalIdNotFoundException", text);
    json!({ "ok": false, "thrown": exception(&error) })
}

fn described(found: &TransactionSnapshot) -> Value {
    json!({
        "state": found.state.name(),
        "pid": found.producer_id,
        "epoch": found.epoch.map_or(-1, i64::from),
        "timeout_ms": millis(found.timeout),
        "start_time_set": found.started.is_some(),
        "partitions": found.partitions.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn logged(record: &TransactionLogSnapshot) -> Value {
    json!({
        "state": record.state.map(TransactionState::name),
        "pid": record.producer_id,
        "prev_pid": record.previous_producer_id,
        "next_pid": record.next_producer_id,
        "epoch": record.epoch.map_or(-1, i64::from),
        "partitions": record.partitions.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "timeout_ms": millis(record.timeout),
        "start_time_set": record.started.is_some(),
        "value_version": record.value_version,
        "client_transaction_version": record.client_transaction_version,
    })
}

fn millis(time: Duration) -> u64 {
    time.0 / 1_000
}

/// Whether an answer is nothing but offsets by partition.
fn is_by_partition(answer: &Map<String, Value>) -> bool {
    !answer.is_empty() && answer.values().all(|offset| offset.is_null() || offset.is_u64())
}

/// Partitions that were asked for and have no offset are null. Unstable ones are left out.
fn listed_offsets(group: &GroupOffsetsSnapshot, asked: Option<&[String]>, is_stable_only: bool) -> Value {
    let committed: BTreeMap<String, u64> =
        group.committed.iter().map(|(partition, offset)| (partition.to_string(), *offset)).collect();
    let is_unstable =
        |name: &str| is_stable_only && group.pending.iter().any(|(_, partition, _)| partition.to_string() == name);
    let names: Vec<String> = asked.map_or_else(|| committed.keys().cloned().collect(), <[String]>::to_vec);
    let stable = names.into_iter().filter(|name| !is_unstable(name));
    Value::Object(stable.map(|name| (name.clone(), Value::from(committed.get(&name).copied()))).collect())
}

/// An object as a list, because one more entry than expected is a difference here.
fn pairs(map: &Value) -> Value {
    let sorted: BTreeMap<&String, &Value> = map.as_object().into_iter().flatten().collect();
    Value::Array(sorted.into_iter().map(|(name, value)| json!([name, value])).collect())
}
