//! Random clusters for groups: three brokers, two or three topics with producers, groups of every kind.
//!
//! Deliberately not here: what is done to them (`acts.rs`).

use std::collections::BTreeMap;

use engine::rng::Stream;
use engine::scenario::{ConsumerSpec, KeyPattern, Listener, ProducerSpec, TopicSpec, Workload};
use engine::{Duration, Scenario};

/// Names of topics; the last one does not exist at first.
pub(super) const TOPICS: [&str; 4] = ["orders", "orders-eu", "audit", "late"];
/// Names of consumers; which group one belongs to follows from its place.
pub(super) const CONSUMERS: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];
/// Patterns that both kinds of regular expressions read alike, with the topics that they match. Each matches something:
/// the sticky assignors of Kafka give partitions to a member without topics, which then joins again without end.
pub(super) const PATTERNS: [(&str, &[&str]); 3] =
    [("orders.*", &["orders", "orders-eu"]), ("audit|orders", &["audit", "orders"]), (".*", &TOPICS)];

const CLASSES: &str = "org.apache.kafka.clients.consumer.";

/// What the members of a group agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Everybody names this one assignor.
    Classic(&'static str),
    /// `[RangeAssignor, CooperativeStickyAssignor]`, the default.
    Default,
    /// Some name `CooperativeStickyAssignor` alone, others `RangeAssignor` besides.
    Rolling,
    /// The consumer protocol.
    Consumer,
    /// Classic members among those of the consumer protocol.
    Mixed,
}

const KINDS: [Kind; 12] = [
    Kind::Classic("Range"),
    Kind::Classic("RoundRobin"),
    Kind::Classic("Sticky"),
    Kind::Classic("CooperativeSticky"),
    Kind::Classic("CooperativeSticky"),
    Kind::Default,
    Kind::Rolling,
    Kind::Consumer,
    Kind::Consumer,
    Kind::Consumer,
    Kind::Mixed,
    Kind::Mixed,
];

/// A group: its id, and what its members agree on.
pub(super) type Plan = (String, Kind);

/// One or two groups.
pub(super) fn plans(dice: &mut Stream) -> Vec<Plan> {
    let many = dice.below(2) + 1;
    (0..many).map(|number| (format!("g-{number}"), KINDS[dice.below(KINDS.len() as u64) as usize])).collect()
}

/// The group of a consumer.
pub(super) fn plan_of<'a>(plans: &'a [Plan], consumer: &str) -> &'a Plan {
    let place = CONSUMERS.iter().position(|name| *name == consumer).unwrap_or(0);
    &plans[place % plans.len()]
}

pub(super) fn scenario(dice: &mut Stream, plans: &[Plan]) -> Scenario {
    let mut scenario = Scenario::empty(3);
    scenario.seed = dice.draw();
    scenario.network.delay = Duration(dice.below(3) * dice.below(8_000));
    cluster(dice, &mut scenario);
    for name in &TOPICS[..dice.below(2) as usize + 2] {
        scenario.topics.push(topic(dice, name));
        scenario.producers.push(producer(dice, name));
    }
    for name in &CONSUMERS[..dice.below(4) as usize + 1] {
        scenario.consumers.push(member(dice, name, plan_of(plans, name)));
    }
    scenario
}

fn cluster(dice: &mut Stream, scenario: &mut Scenario) {
    let mut set = |name: &str, value: String| scenario.cluster.configs.insert(name.to_string(), value);
    if dice.below(2) == 0 {
        set("broker.session.timeout.ms", "2000".to_string());
        set("broker.heartbeat.interval.ms", "500".to_string());
        set("replica.lag.time.max.ms", "3000".to_string());
    }
    set("offsets.topic.num.partitions", (dice.below(4) + 1).to_string());
    if dice.below(2) == 0 {
        set("min.insync.replicas", "2".to_string());
    }
    set("group.initial.rebalance.delay.ms", [0, 500, 3_000][dice.below(3) as usize].to_string());
    set("group.consumer.assignment.interval.ms", [0, 1_000, 1_000, 4_000][dice.below(4) as usize].to_string());
    set("group.consumer.regex.refresh.interval.ms", "10000".to_string());
    if dice.below(2) == 0 {
        set("group.consumer.min.session.timeout.ms", "6000".to_string());
        set("group.consumer.session.timeout.ms", "9000".to_string());
        set("group.consumer.min.heartbeat.interval.ms", "1000".to_string());
        set("group.consumer.heartbeat.interval.ms", [1_000, 3_000][dice.below(2) as usize].to_string());
    }
}

fn topic(dice: &mut Stream, name: &str) -> TopicSpec {
    let partitions = Some(dice.below(6) as u32 + 1);
    TopicSpec { name: name.to_string(), partitions, replication_factor: Some(3), ..TopicSpec::default() }
}

fn producer(dice: &mut Stream, topic: &str) -> ProducerSpec {
    let workload = Workload {
        topic: topic.to_string(),
        key_pattern: Some(KeyPattern { prefix: "user-".to_string(), first: 1, count: 40 }),
        value_size: Some(100),
        every: Some(Duration(dice.below(500_000) + 50_000)),
        burst: Some(dice.below(3) as u32 + 1),
        ..Workload::default()
    };
    ProducerSpec {
        name: format!("to-{topic}"),
        client: "java".to_string(),
        configs: BTreeMap::new(),
        workload: Some(workload),
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    }
}

/// A consumer that may join the group.
pub(super) fn member(dice: &mut Stream, name: &str, (group, kind): &Plan) -> ConsumerSpec {
    let mut configs = BTreeMap::new();
    let mut set = |name: &str, value: String| configs.insert(name.to_string(), value);
    set("group.id", group.clone());
    set("auto.offset.reset", if dice.below(6) == 0 { "latest" } else { "earliest" }.to_string());
    set("enable.auto.commit", (dice.below(3) > 0).to_string());
    set("auto.commit.interval.ms", (dice.below(4_500) + 500).to_string());
    set("metadata.max.age.ms", (dice.below(4_000) + 1_000).to_string());
    set("max.poll.records", (dice.below(20) + 1).to_string());
    if dice.below(3) == 0 {
        set("request.timeout.ms", (dice.below(8_000) + 2_000).to_string());
    }
    if dice.below(4) == 0 {
        // Now and then two processes have the same.
        let owner = if dice.below(4) == 0 { "both" } else { name };
        set("group.instance.id", format!("i-{owner}"));
    }
    let is_of_consumer = match kind {
        Kind::Consumer => true,
        Kind::Mixed => dice.below(2) == 0,
        _ => false,
    };
    // Not shorter than a session of the classic protocol: librdkafka refuses that, and so do people.
    set("max.poll.interval.ms", (dice.below(30_000) + 10_000).to_string());
    if is_of_consumer {
        set("group.protocol", "consumer".to_string());
        if let assignor @ 1.. = dice.below(3) {
            set("group.remote.assignor", ["uniform", "range"][assignor as usize - 1].to_string());
        }
    } else {
        set("session.timeout.ms", (dice.below(4_000) + 6_000).to_string());
        set("heartbeat.interval.ms", (dice.below(2_500) + 500).to_string());
        if let Some(assignors) = assignors(dice, *kind) {
            set("partition.assignment.strategy", assignors);
        }
    }
    let mut spec = ConsumerSpec {
        name: name.to_string(),
        configs,
        processing: (dice.below(3) == 0).then(|| Duration(dice.below(20_000))),
        listener: Listener {
            commit_in_revoked: dice.below(3) == 0,
            commit_in_lost: dice.below(5) == 0,
            reload: (dice.below(5) == 0).then(|| Duration(dice.below(200_000))),
            ..Listener::default()
        },
        keep_on_error: (dice.below(2) == 0).then_some(1_000),
        ..ConsumerSpec::default()
    };
    match dice.below(if is_of_consumer { 8 } else { 7 }) {
        0 => spec.subscribe = vec![TOPICS[1].to_string(), TOPICS[3].to_string()],
        1 => spec.subscribe = vec![TOPICS[0].to_string()],
        2 => spec.pattern = Some(PATTERNS[dice.below(3) as usize].0.to_string()),
        7 => spec.re2j = Some(PATTERNS[dice.below(3) as usize].0.to_string()),
        _ => spec.subscribe = vec![TOPICS[0].to_string(), TOPICS[1].to_string()],
    }
    spec
}

fn assignors(dice: &mut Stream, kind: Kind) -> Option<String> {
    let named = |name: &str| format!("{CLASSES}{name}Assignor");
    match kind {
        Kind::Classic(name) => Some(named(name)),
        Kind::Default => None,
        Kind::Rolling | Kind::Mixed if dice.below(2) == 0 => Some(named("CooperativeSticky")),
        Kind::Rolling | Kind::Mixed => Some(format!("{},{}", named("CooperativeSticky"), named("Range"))),
        Kind::Consumer => None,
    }
}

/// How a member goes through a rebalance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Classic: it lets everything go before it joins.
    Eager,
    /// Classic: it keeps what does not move.
    Cooperative,
    /// The consumer protocol.
    Consumer,
}

/// Which way a consumer's settings make it go.
pub(super) fn way(spec: &ConsumerSpec) -> Way {
    if spec.configs.get("group.protocol").is_some_and(|protocol| protocol == "consumer") {
        return Way::Consumer;
    }
    let assignors = spec.configs.get("partition.assignment.strategy");
    let is_cooperative = assignors.is_some_and(|list| *list == format!("{CLASSES}CooperativeStickyAssignor"));
    if is_cooperative { Way::Cooperative } else { Way::Eager }
}
