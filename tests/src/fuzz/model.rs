//! Rules about single events, checked while they happen, and what is remembered for rules about states.
//!
//! Deliberately not here: rules that need whole logs (`logs.rs`). This sees events only.

use std::collections::BTreeMap;

use engine::command::ElectionKind;
use engine::event::{BatchView, Name, RecordId, TopicPartition};
use engine::scenario::{ProducerSpec, TopicSpec};
use engine::{Command, Event, EventKind, Moment, Observer, Scenario};

/// Settings that decide what a topic promises.
const PROMISES: [&str; 3] = ["min.insync.replicas", "unclean.leader.election.enable", "cleanup.policy"];

/// What an observer of one run knows.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    seed: u64,
    /// Whether every instance of a producer's name waits for all replicas and writes each record once.
    careful: BTreeMap<String, bool>,
    topics: BTreeMap<Name, Promise>,
    were_elrs_cleared: bool,
    partitions: BTreeMap<(Name, u32), Known>,
}

/// What a topic promises; a promise is given up once and for all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    /// Leaders come from the in-sync or eligible replicas only.
    pub is_clean: bool,
    /// What is acknowledged to `acks=all` stays: clean, two replicas at least, and nothing compacts.
    pub keeps: bool,
    /// No offset is ever missing between two others.
    pub has_no_gaps: bool,
}

impl Promise {
    /// A topic that came later promises nothing but clean elections.
    const OF_LATER: Promise = Promise { is_clean: true, keeps: false, has_no_gaps: true };
}

/// What is known of a partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Log ends by broker.
    ends: BTreeMap<u32, u64>,
    leader_epoch: u32,
    /// The highest high watermark.
    highest: u64,
    /// Records acknowledged to careful producers while the topic kept its promise.
    pub acknowledged: BTreeMap<u64, RecordId>,
    /// Records as readers got them.
    pub read: BTreeMap<u64, RecordId>,
}

impl Watch {
    pub fn new(seed: u64, scenario: &Scenario) -> Watch {
        let mut watch = Watch {
            seed,
            careful: BTreeMap::new(),
            topics: BTreeMap::new(),
            were_elrs_cleared: false,
            partitions: BTreeMap::new(),
        };
        for spec in &scenario.producers {
            watch.producer(spec);
        }
        watch.topics = scenario.topics.iter().map(|topic| (topic.name.as_str().into(), promise(topic))).collect();
        watch
    }

    /// What a topic promises.
    pub fn promise(&self, topic: &str) -> Promise {
        self.topics.get(topic).copied().unwrap_or(Promise::OF_LATER)
    }

    pub fn known(&self, topic: &str, partition: u32) -> Option<&Known> {
        self.partitions.get(&(topic.into(), partition))
    }

    /// Whether `min.insync.replicas` has changed.
    pub fn were_elrs_cleared(&self) -> bool {
        self.were_elrs_cleared
    }

    /// Whether a name only ever stood for producers that write each record once.
    pub fn is_careful(&self, producer: &str) -> bool {
        self.careful.get(producer).is_some_and(|careful| *careful)
    }

    fn producer(&mut self, spec: &ProducerSpec) {
        let acks = spec.configs.get("acks").map_or("all", String::as_str);
        let is_idempotent = spec.configs.get("enable.idempotence").is_none_or(|value| value == "true");
        let is_careful = spec.client == "java" && matches!(acks, "all" | "-1") && is_idempotent;
        // Batches of a careless instance may still be on their way when another takes its name.
        let careful = self.careful.entry(spec.name.clone()).or_insert(true);
        *careful &= is_careful;
    }

    fn give_up(&mut self, topic: Option<&Name>, name: &str) {
        let change = |promise: &mut Promise| match name {
            "unclean.leader.election.enable" => (promise.is_clean, promise.keeps) = (false, false),
            "cleanup.policy" => (promise.keeps, promise.has_no_gaps) = (false, false),
            _ => promise.keeps = false,
        };
        match topic {
            Some(topic) => {
                let mut promise = self.promise(topic);
                change(&mut promise);
                self.topics.insert(topic.clone(), promise);
            }
            None => self.topics.values_mut().for_each(change),
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Producer(spec) => self.producer(spec),
            Command::ElectLeaders { election: ElectionKind::Unclean, .. } => {
                self.give_up(None, "unclean.leader.election.enable");
                let all: Vec<Name> = self.partitions.keys().map(|(topic, _)| topic.clone()).collect();
                all.iter().for_each(|topic| self.give_up(Some(topic), "unclean.leader.election.enable"));
            }
            Command::CleanLog { topic, .. } => self.give_up(Some(&topic.as_str().into()), "cleanup.policy"),
            _ => {}
        }
    }

    fn partition(&mut self, partition: &TopicPartition) -> &mut Known {
        self.partitions.entry((partition.topic.clone(), partition.partition)).or_default()
    }

    fn forget(&mut self, topic: &Name) {
        self.partitions.retain(|(known, _), _| known != topic);
    }

    fn acknowledged(&mut self, producer: &str, batch: &BatchView, base_offset: u64) {
        if self.is_careful(producer) && self.promise(&batch.partition.topic).keeps {
            let records = (base_offset..).zip(batch.records.iter().map(|record| record.id));
            self.partition(&batch.partition).acknowledged.extend(records);
        }
    }

    /// A new leader has everything that was acknowledged and everything that could be read.
    fn elected(&mut self, partition: &TopicPartition, leader: u32, leader_epoch: u32) {
        let (seed, promise) = (self.seed, self.promise(&partition.topic));
        let known = self.partition(partition);
        let end = known.ends.get(&leader).copied().unwrap_or(0);
        if let Some((last, _)) = known.acknowledged.last_key_value().filter(|_| promise.keeps) {
            assert!(end > *last, "seed {seed}: {partition:?} is led by {leader} without acknowledged offset {last}");
        }
        if promise.is_clean {
            let highest = known.highest;
            assert!(
                end >= highest,
                "seed {seed}: {partition:?} is led by {leader} that ends at {end}, below {highest}"
            );
        } else {
            known.highest = end.min(known.highest);
            known.read.split_off(&end);
        }
        assert!(leader_epoch >= known.leader_epoch, "seed {seed}: the epoch of {partition:?} goes back");
        known.leader_epoch = leader_epoch;
    }

    /// A leader that does not know yet that it leads no more may tell of a lower one.
    fn readable(&mut self, partition: &TopicPartition, high_watermark: u64) {
        let known = self.partition(partition);
        known.highest = known.highest.max(high_watermark);
    }

    /// Whoever joins the in-sync set has everything that can be read.
    fn in_sync(&mut self, partition: &TopicPartition, before: &[u32], isr: &[u32]) {
        let (seed, promise) = (self.seed, self.promise(&partition.topic));
        let known = self.partition(partition);
        let joined = isr.iter().filter(|broker| !before.contains(broker) && promise.is_clean);
        for broker in joined {
            let end = known.ends.get(broker).copied().unwrap_or(0);
            let least = known.highest;
            assert!(end >= least, "seed {seed}: {broker} joins the ISR of {partition:?} at {end}, below {least}");
        }
    }

    fn event(&mut self, kind: &EventKind) {
        match kind {
            EventKind::CommandApplied { command, .. } => self.command(command),
            EventKind::ConfigChanged { topic, name, .. } if PROMISES.contains(&&**name) => {
                self.were_elrs_cleared |= &**name == "min.insync.replicas";
                self.give_up(topic.as_ref(), name);
            }
            EventKind::TopicDeleted { topic } => {
                self.forget(topic);
                self.topics.insert(topic.clone(), Promise::OF_LATER);
            }
            EventKind::TopicCreated { topic, .. } => self.forget(topic),
            EventKind::BatchAppended { broker, batch, base_offset } => {
                let end = base_offset + batch.records.len() as u64;
                self.partition(&batch.partition).ends.insert(*broker, end);
            }
            EventKind::BatchReplicated { broker, partition, log_end_offset }
            | EventKind::LogTruncated { broker, partition, log_end_offset, .. } => {
                self.partition(partition).ends.insert(*broker, *log_end_offset);
            }
            EventKind::BatchAcknowledged { producer, batch, base_offset: Some(base_offset) } => {
                self.acknowledged(producer, batch, *base_offset);
            }
            EventKind::LeaderElected { partition, leader, leader_epoch } => {
                self.elected(partition, *leader, *leader_epoch);
            }
            EventKind::HighWatermarkAdvanced { partition, high_watermark } => {
                self.readable(partition, *high_watermark);
            }
            EventKind::IsrChanged { partition, before, isr, .. } => self.in_sync(partition, before, isr),
            // Compaction leaves gaps, behind which the offsets of one answer are not known.
            EventKind::RecordsRead { partition, first_offset, records, .. }
                if self.promise(&partition.topic).has_no_gaps =>
            {
                let records = (*first_offset..).zip(records.iter().map(|record| record.id));
                self.partition(partition).read.extend(records);
            }
            _ => {}
        }
    }
}

impl Observer for Watch {
    fn observe(&mut self, _moment: Moment, events: &[Event]) {
        for event in events {
            self.event(&event.kind);
        }
    }
}

fn promise(topic: &TopicSpec) -> Promise {
    let is = |name: &str, value: &str| topic.configs.get(name).is_some_and(|found| found == value);
    let min_isr = topic.configs.get("min.insync.replicas").and_then(|value| value.parse().ok()).unwrap_or(1);
    let is_clean = !is("unclean.leader.election.enable", "true");
    let has_no_gaps = !is("cleanup.policy", "compact");
    let replicas = topic.replication_factor.unwrap_or(1);
    Promise { is_clean, keeps: is_clean && has_no_gaps && replicas.min(min_isr) >= 2, has_no_gaps }
}
