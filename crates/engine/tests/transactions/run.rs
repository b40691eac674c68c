//! A run of a cluster of three brokers, driven by single requests.
//!
//! What should come out is the tests' business.

use engine::snapshot::TransactionSnapshot;
use engine::{Command, Event, Outcome, Scenario, Time, Timeline};

/// A run.
pub struct Run(pub Timeline);

impl Run {
    /// Three brokers with two topics of one partition; `cluster` holds further lines of the cluster's table.
    pub fn new(cluster: &str) -> Run {
        let topics =
            "[[topic]]\nname = \"t\"\nassignment = [[1, 2, 3]]\n[[topic]]\nname = \"u\"\nassignment = [[2, 3, 1]]";
        let text = format!("name = \"run\"\n[cluster]\nbrokers = 3\n{cluster}\n{topics}");
        let scenario: Scenario = toml::from_str(&text).unwrap();
        let mut run = Run(Timeline::new(scenario, ()).unwrap());
        run.pass(10);
        run
    }

    /// Lets milliseconds pass.
    pub fn pass(&mut self, millis: u64) {
        let now = self.0.now();
        self.0.advance_to(now + engine::Duration::from_millis(millis));
    }

    /// Goes on to a time in milliseconds.
    pub fn until(&mut self, millis: u64) {
        self.0.advance_to(Time::from_millis(millis));
    }

    /// The first partition of a topic.
    pub fn partition(&self, topic: &str) -> engine::snapshot::PartitionSnapshot {
        let topics = self.0.snapshot(99).topics;
        topics.into_iter().find(|other| &*other.name == topic).unwrap().partitions.swap_remove(0)
    }

    /// Acts, and waits up to two minutes for what comes of it.
    pub fn act(&mut self, json: &str) -> Outcome {
        let command: Command = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let outcome = self.0.act(command).unwrap_or_else(|error| panic!("{json}: {error}"));
        for _ in 0..12_000 {
            let now = self.0.now();
            self.0.advance_to(now);
            match self.0.outcome(outcome.command) {
                Some(found) if found.status != engine::Status::Pending => return found,
                _ => self.pass(10),
            }
        }
        panic!("{json} is not answered");
    }

    /// A request: the identity that it is answered with, or the error's name.
    pub fn request(&mut self, fields: &str) -> String {
        let outcome = self.act(&format!("{{ \"do\": \"request\", {fields} }}"));
        match (outcome.error, outcome.identity) {
            (Some(error), _) => error.error,
            (None, Some((id, epoch))) => format!("{id}/{epoch}"),
            (None, None) => "NONE".to_string(),
        }
    }

    /// InitProducerId of `x`, with further fields.
    pub fn init(&mut self, fields: &str) -> String {
        self.request(&format!("\"request\": \"init_producer_id\", \"transactional_id\": \"x\"{fields}"))
    }

    /// AddPartitionsToTxn of the partition 0 of a topic, by an identity as `0/3`.
    pub fn add(&mut self, version: u16, identity: &str, topic: &str) -> String {
        let (id, epoch) = identity.split_once('/').unwrap();
        self.request(&format!(
            r#""request": "add_partitions_to_txn", "transactional_id": "x", "producer_id": {id}, "epoch": {epoch},
               "partition": {{ "topic": "{topic}", "partition": 0 }}, "api_version": {version}"#
        ))
    }

    /// EndTxn.
    pub fn end(&mut self, version: u16, identity: &str, end: &str) -> String {
        let (id, epoch) = identity.split_once('/').unwrap();
        self.request(&format!(
            r#""request": "end_txn", "transactional_id": "x", "producer_id": {id}, "epoch": {epoch},
               "end": "{end}", "api_version": {version}"#
        ))
    }

    /// Kinds of the markers in the first partition of a topic.
    pub fn markers(&self, topic: &str) -> Vec<String> {
        let origins = self.partition(topic).records.into_iter().filter_map(|record| record.origin);
        origins.filter_map(|origin| origin.marker).map(|marker| format!("{marker:?}")).collect()
    }

    /// A command about one broker. `cut_markers` and `heal_markers` are about its link to the coordinator.
    pub fn broker(&mut self, what: &str, broker: u32) {
        if let Some(link) = what.strip_suffix("_markers") {
            self.act(&format!(r#"{{ "do": "{link}_link", "from": "broker-{broker}", "to": "broker-3" }}"#));
            return;
        }
        self.act(&format!(r#"{{ "do": "{what}", "broker": {broker} }}"#));
    }

    /// What is known of `x`.
    pub fn known(&self) -> TransactionSnapshot {
        let all = self.0.snapshot(9_999).transactions;
        all.into_iter().find(|known| &*known.transactional_id == "x").expect("x was used")
    }

    /// State and identity of `x`, such as `Ongoing 0/3 t-0`.
    pub fn state(&self) -> String {
        let known = self.known();
        let partitions: Vec<String> = known.partitions.iter().map(ToString::to_string).collect();
        let epoch = known.epoch.map_or("-".to_string(), |epoch| epoch.to_string());
        format!("{} {}/{epoch} {}", known.state.name(), known.producer_id, partitions.join(" ")).trim().to_string()
    }

    /// The records of `x`, such as `Empty 0/0`.
    pub fn log(&self) -> Vec<String> {
        let line = |record: &engine::snapshot::TransactionLogSnapshot| match (record.state, record.epoch) {
            (Some(state), Some(epoch)) => format!("{} {}/{epoch}", state.name(), record.producer_id),
            _ => "tombstone".to_string(),
        };
        self.known().log.iter().map(line).collect()
    }

    /// Sentences of the events of a kind.
    pub fn sentences(&mut self, kind: &str) -> Vec<String> {
        let is_wanted = |event: &Event| event.kind.name() == kind;
        self.0.events(Time::ZERO, Time::MAX, 99_999, &is_wanted).iter().map(Event::to_string).collect()
    }
}
