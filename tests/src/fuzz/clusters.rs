//! Random clusters: brokers, topics with their guarantees, producers, readers and a network.
//!
//! Deliberately not here: what is done to them (`acts.rs`).

use std::collections::BTreeMap;

use engine::rng::Stream;
use engine::scenario::{Brokers, ConsumerSpec, KeyPattern, ProducerSpec, TopicSpec, Workload};
use engine::{Duration, Scenario};

/// Names of topics of a scenario; commands may name one more, which does not exist at first.
pub(super) const TOPICS: u64 = 3;

pub(super) fn scenario(dice: &mut Stream) -> Scenario {
    let mut scenario = Scenario::empty(dice.below(4) as u32 + 1);
    let Brokers::Count(brokers) = scenario.cluster.brokers else {
        unreachable!("an empty scenario counts its brokers")
    };
    scenario.seed = dice.draw();
    scenario.network.delay = Duration(dice.below(3) * dice.below(20_000));
    cluster(dice, &mut scenario);
    for number in 0..dice.below(TOPICS) + 1 {
        scenario.topics.push(topic(dice, number, brokers));
    }
    for number in 0..dice.below(4) {
        scenario.producers.push(producer(dice, format!("producer-{number}")));
    }
    for number in 0..dice.below(3) {
        scenario.consumers.push(ConsumerSpec {
            name: format!("reader-{number}"),
            assign: vec![format!("topic-{}", dice.below(TOPICS))],
            behind: Some(dice.below(2) * dice.below(9)),
            ..ConsumerSpec::default()
        });
    }
    scenario
}

/// Half of the clusters give up brokers and replicas soon enough for a short run to see it.
fn cluster(dice: &mut Stream, scenario: &mut Scenario) {
    if dice.below(2) == 0 {
        let hasty = [
            ("broker.session.timeout.ms", "2000"),
            ("broker.heartbeat.interval.ms", "500"),
            ("replica.lag.time.max.ms", "3000"),
        ];
        scenario.cluster.configs.extend(hasty.map(|(name, value)| (name.to_string(), value.to_string())));
    }
    if dice.below(4) == 0 {
        scenario.cluster.features.insert("eligible.leader.replicas.version".to_string(), 0);
    }
    if dice.below(4) == 0 {
        scenario.cluster.controller_failover = Some(Duration(dice.below(500_000)));
    }
}

fn topic(dice: &mut Stream, number: u64, brokers: u32) -> TopicSpec {
    let mut configs = BTreeMap::new();
    let mut set = |name: &str, value: String| configs.insert(name.to_string(), value);
    set("min.insync.replicas", (dice.below(3) + 1).to_string());
    if dice.below(4) == 0 {
        set("unclean.leader.election.enable", "true".to_string());
    }
    if dice.below(4) == 0 {
        set("segment.ms", "1000".to_string());
    }
    match dice.below(8) {
        0 => drop(set("cleanup.policy", "compact".to_string())),
        1 => drop(set("retention.ms", "2000".to_string())),
        _ => {}
    }
    TopicSpec {
        name: format!("topic-{number}"),
        partitions: Some(dice.below(6) as u32 + 1),
        replication_factor: Some(dice.below(u64::from(brokers.min(3))) as u32 + 1),
        configs,
        ..TopicSpec::default()
    }
}

/// A producer of any library; half of them are Java's, with all its ways to wait for replicas.
pub(super) fn producer(dice: &mut Stream, name: String) -> ProducerSpec {
    let clients = partitioner::clients();
    let mut configs = BTreeMap::new();
    let any = clients[dice.below(clients.len() as u64) as usize].id;
    let client = if dice.below(2) == 0 { "java" } else { any };
    if client == "java" {
        match dice.below(4) {
            0 => drop(configs.insert("acks".to_string(), dice.below(2).to_string())),
            1 => drop(configs.insert("enable.idempotence".to_string(), "false".to_string())),
            _ => {}
        }
        if dice.below(2) == 0 {
            configs.insert("linger.ms".to_string(), dice.below(50).to_string());
            configs.insert("batch.size".to_string(), dice.below(3_000).to_string());
            configs.insert("metadata.max.age.ms".to_string(), (dice.below(900) + 100).to_string());
        }
        if dice.below(2) == 0 {
            configs.insert("request.timeout.ms".to_string(), "1000".to_string());
            configs.insert("delivery.timeout.ms".to_string(), (dice.below(9_000) + 1_100).to_string());
        }
    }
    let workload = (dice.below(4) > 0).then(|| workload(dice));
    ProducerSpec {
        name,
        client: client.to_string(),
        configs,
        workload,
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    }
}

pub(super) fn workload(dice: &mut Stream) -> Workload {
    let pattern = KeyPattern { prefix: "user-".to_string(), first: 1, count: dice.below(40) + 1 };
    Workload {
        topic: format!("topic-{}", dice.below(TOPICS)),
        key_pattern: (dice.below(3) > 0).then_some(pattern),
        value_size: Some(dice.below(2_000) as u32),
        every: Some(Duration(dice.below(300_000) + 1_000)),
        burst: Some(dice.below(4) as u32 + 1),
        skew_percent: (dice.below(3) == 0).then_some(60),
        ..Workload::default()
    }
}
