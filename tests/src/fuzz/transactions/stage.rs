//! Random clusters for transactions: three brokers, topics that lose nothing, producers of every kind, two readers.
//!
//! Deliberately not here: what is done to them (`acts.rs`).

use std::collections::BTreeMap;

use engine::rng::Stream;
use engine::scenario::{ConsumerSpec, ProducerSpec, TopicSpec};
use engine::{Duration, Scenario};

/// The topic that every scenario has.
pub(super) const TOPIC: &str = "t";
/// A topic with one replica, so that its partition can be without a leader.
pub(super) const LONELY: &str = "lonely";
/// Names of producers; the first two share their transactional id, and so may the third.
pub(super) const PRODUCERS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

pub(super) fn scenario(dice: &mut Stream) -> Scenario {
    let mut scenario = Scenario::empty(3);
    scenario.seed = dice.draw();
    scenario.network.delay = Duration(dice.below(3) * dice.below(8_000));
    let mut set = |name: &str, value: String| scenario.cluster.configs.insert(name.to_string(), value);
    set("min.insync.replicas", "2".to_string());
    if dice.below(2) == 0 {
        set("broker.session.timeout.ms", "2000".to_string());
        set("broker.heartbeat.interval.ms", "500".to_string());
        set("replica.lag.time.max.ms", "3000".to_string());
    }
    if dice.below(2) == 0 {
        let scan = (dice.below(9) + 1) * 1_000;
        set("transaction.abort.timed.out.transaction.cleanup.interval.ms", scan.to_string());
    }
    let version = [0, 1, 1, 2, 2, 2, 2][dice.below(7) as usize];
    scenario.cluster.features.insert("transaction.version".to_string(), version);
    if dice.below(3) == 0 {
        scenario.cluster.features.insert("eligible.leader.replicas.version".to_string(), 0);
    }
    if dice.below(8) == 0 {
        scenario.cluster.first_producer_id = Some(dice.below(1_000));
    }
    scenario.topics.push(topic(TOPIC, dice.below(3) as u32 + 1, 3));
    if dice.below(4) == 0 {
        scenario.topics.push(topic(LONELY, 1, 1));
    }
    let many = dice.below(4) as usize + 2;
    for name in PRODUCERS.into_iter().take(many) {
        scenario.producers.push(producer(dice, name));
    }
    for isolation in ["read_committed", "read_uncommitted"] {
        scenario.consumers.push(ConsumerSpec {
            name: isolation.to_string(),
            assign: scenario.topics.iter().map(|topic| topic.name.clone()).collect(),
            configs: BTreeMap::from([("isolation.level".to_string(), isolation.to_string())]),
            ..ConsumerSpec::default()
        });
    }
    scenario
}

fn topic(name: &str, partitions: u32, replicas: u32) -> TopicSpec {
    let min_isr = replicas.min(2).to_string();
    TopicSpec {
        name: name.to_string(),
        partitions: Some(partitions),
        replication_factor: Some(replicas),
        configs: BTreeMap::from([("min.insync.replicas".to_string(), min_isr)]),
        ..TopicSpec::default()
    }
}

/// A producer; what it is follows from its name as far as its `transactional.id` goes.
pub(super) fn producer(dice: &mut Stream, name: &str) -> ProducerSpec {
    let is_java = dice.below(3) > 0;
    let id = match name {
        "A" | "B" => Some("tx-0"),
        "C" if dice.below(2) == 0 => Some("tx-0"),
        "C" | "D" => Some("tx-1"),
        _ => None,
    };
    let mut configs = if is_java { java(dice) } else { librdkafka(dice) };
    match id {
        Some(id) => drop(configs.insert("transactional.id".to_string(), id.to_string())),
        None => drop(configs.insert("enable.idempotence".to_string(), (dice.below(3) > 0).to_string())),
    }
    ProducerSpec {
        name: name.to_string(),
        client: if is_java { "java" } else { "librdkafka" }.to_string(),
        configs,
        workload: None,
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    }
}

fn java(dice: &mut Stream) -> BTreeMap<String, String> {
    let mut configs = BTreeMap::new();
    let mut set = |name: &str, value: u64| configs.insert(name.to_string(), value.to_string());
    let (linger, request) = (dice.below(2) * dice.below(60), dice.below(4_000) + 500);
    set("linger.ms", linger);
    set("request.timeout.ms", request);
    set("delivery.timeout.ms", linger + request + dice.below(12_000));
    set("transaction.timeout.ms", dice.below(28_000) + 1_500);
    set("max.block.ms", dice.below(9_000) + 500);
    set("batch.size", [1, 100, 500, 2_000, 16_384][dice.below(5) as usize]);
    set("buffer.memory", [2_000, 20_000, 100_000][dice.below(3) as usize]);
    set("max.in.flight.requests.per.connection", dice.below(5) + 1);
    set("metadata.max.age.ms", dice.below(9_000) + 500);
    configs
}

fn librdkafka(dice: &mut Stream) -> BTreeMap<String, String> {
    let mut configs = BTreeMap::new();
    let mut set = |name: &str, value: u64| configs.insert(name.to_string(), value.to_string());
    let timeout = dice.below(28_000) + 1_500;
    set("linger.ms", dice.below(2) * dice.below(60));
    set("transaction.timeout.ms", timeout);
    set("message.timeout.ms", timeout - dice.below(1_000));
    set("socket.timeout.ms", dice.below(4_000) + 1_000);
    set("batch.num.messages", dice.below(10) + 1);
    set("topic.metadata.refresh.interval.ms", dice.below(9_000) + 500);
    configs
}
