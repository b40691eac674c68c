//! Random clusters, commands and jumps in time, and the rules that hold for all of them.
//!
//! A seed decides everything, so a seed that breaks a rule is its own reproduction. Nothing is timed.

use std::collections::{BTreeMap, BTreeSet};

use engine::rng::Stream;
use engine::scenario::{Brokers, ConsumerSpec, KeyPattern, ProducerSpec, TopicSpec, Workload};
use engine::snapshot::PartitionSnapshot;
use engine::{Command, Duration, EventKind, Scenario, Time, Timeline};

/// Runs one seed; panics with the rule that it breaks.
pub fn run(seed: u64) {
    let mut dice = Stream::new(seed, "fuzz", "");
    let scenario = scenario(&mut dice);
    let mut timeline = Timeline::new(scenario.clone(), ()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let mut at = Time::ZERO;
    for _ in 0..dice.below(12) + 3 {
        at = at + Duration(dice.below(900_000));
        timeline.advance_to(at);
        // A refused command is an answer like any other.
        let _ = timeline.act(command(&mut dice));
    }
    timeline.advance_to(at + Duration::from_secs(3));
    let hash = timeline.trace_hash();
    check_logs(seed, &mut timeline);
    check_jumps(seed, &mut dice, &mut timeline);
    check_repeat(seed, scenario, &timeline, hash);
    check_past(seed, &mut dice, &mut timeline);
}

/// Playing a second time, from the commands alone, gives the same trace.
fn check_repeat(seed: u64, scenario: Scenario, timeline: &Timeline, hash: u64) {
    let commands = timeline.commands().to_vec();
    let mut again =
        Timeline::with_commands(scenario, commands, ()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    again.advance_to(timeline.now());
    assert_eq!(again.trace_hash(), hash, "seed {seed}: a second run differs");
}

/// A moment looks the same however it is reached.
fn check_jumps(seed: u64, dice: &mut Stream, timeline: &mut Timeline) {
    let end = timeline.now();
    let hash = timeline.trace_hash();
    let mut seen = BTreeMap::new();
    for _ in 0..12 {
        timeline.seek(Time(dice.below(end.0 + 1)));
        let here = timeline.trace_hash();
        assert_eq!(
            *seen.entry(timeline.now()).or_insert(here),
            here,
            "seed {seed}: two visits of {} differ",
            timeline.now()
        );
        if dice.below(2) == 0 && timeline.step_back().is_some() {
            timeline.step();
        }
    }
    timeline.seek(end);
    assert_eq!(timeline.trace_hash(), hash, "seed {seed}: the end differs after jumping about");
}

/// Acting in the past keeps the future, and the future can be opened again.
fn check_past(seed: u64, dice: &mut Stream, timeline: &mut Timeline) {
    let (end, hash) = (timeline.now(), timeline.trace_hash());
    let branches = timeline.branches().len();
    timeline.seek(Time(end.0 / 2));
    if timeline.act(command(dice)).is_err() || timeline.branches().len() == branches {
        return;
    }
    timeline.advance_to(end);
    let Some(branch) = timeline.branches().pop() else { return };
    assert!(timeline.open_branch(branch.id), "seed {seed}: a listed branch opens");
    timeline.seek(end);
    assert_eq!(timeline.trace_hash(), hash, "seed {seed}: the future that was set aside differs");
}

/// Offsets have no gaps, and every acknowledged record is in its log at its offset, once.
fn check_logs(seed: u64, timeline: &mut Timeline) {
    let snapshot = timeline.snapshot(usize::MAX);
    let idempotent = idempotent_producers(timeline);
    let mut written = BTreeSet::new();
    for topic in &snapshot.topics {
        for partition in &topic.partitions {
            let may_repeat = |producer: &str| !idempotent.contains(producer);
            for (expected, record) in
                (partition.log_end_offset - partition.records.len() as u64..).zip(&partition.records)
            {
                assert_eq!(record.offset, expected, "seed {seed}: a gap in {}-{}", topic.name, partition.partition);
                let is_new = written.insert((record.record.id, topic.name.clone()));
                assert!(
                    is_new || may_repeat(&record.record.producer),
                    "seed {seed}: {:?} is written twice",
                    record.record.id
                );
            }
        }
    }
    let is_whole = |partition: &PartitionSnapshot| partition.record_count == partition.records.len() as u64;
    let is_complete = snapshot.topics.iter().flat_map(|topic| &topic.partitions).all(is_whole);
    let deleted = timeline.recent(1, &|event| matches!(event.kind, EventKind::TopicDeleted { .. }));
    if !deleted.is_empty() || !is_complete {
        return;
    }
    for event in timeline.recent(usize::MAX, &|event| matches!(event.kind, EventKind::BatchAcknowledged { .. })) {
        let EventKind::BatchAcknowledged { batch, base_offset: Some(_), .. } = &event.kind else { continue };
        for record in batch.records.iter() {
            let key = (record.id, batch.partition.topic.clone());
            assert!(written.contains(&key), "seed {seed}: {:?} was acknowledged and is not in the log", record.id);
        }
    }
}

/// Names that only ever stood for Java producers of today, which are idempotent by default.
fn idempotent_producers(timeline: &Timeline) -> BTreeSet<String> {
    let started = timeline.commands().iter().filter_map(|timed| match &*timed.command {
        Command::Producer(spec) => Some(spec),
        _ => None,
    });
    let all: Vec<&ProducerSpec> = timeline.scenario().producers.iter().chain(started).collect();
    let is_plain = |spec: &ProducerSpec| spec.client == "java";
    let names = all.iter().filter(|spec| is_plain(spec)).map(|spec| spec.name.clone());
    names.filter(|name| all.iter().all(|spec| spec.name != *name || is_plain(spec))).collect()
}

fn scenario(dice: &mut Stream) -> Scenario {
    let mut scenario = Scenario::empty(dice.below(4) as u32 + 1);
    let Brokers::Count(brokers) = scenario.cluster.brokers else {
        unreachable!("an empty scenario counts its brokers")
    };
    scenario.seed = dice.draw();
    scenario.network.delay = Duration(dice.below(3) * dice.below(20_000));
    for number in 0..dice.below(3) + 1 {
        scenario.topics.push(TopicSpec {
            name: format!("topic-{number}"),
            partitions: Some(dice.below(8) as u32 + 1),
            replication_factor: Some(dice.below(u64::from(brokers)) as u32 + 1),
            ..TopicSpec::default()
        });
    }
    for number in 0..dice.below(4) {
        scenario.producers.push(producer(dice, format!("producer-{number}")));
    }
    for number in 0..dice.below(3) {
        scenario.consumers.push(ConsumerSpec {
            name: format!("reader-{number}"),
            assign: vec![format!("topic-{}", dice.below(3))],
            behind: Some(dice.below(2) * dice.below(9)),
            configs: BTreeMap::new(),
        });
    }
    scenario
}

fn producer(dice: &mut Stream, name: String) -> ProducerSpec {
    let clients = partitioner::clients();
    let mut configs = BTreeMap::new();
    let client = clients[dice.below(clients.len() as u64) as usize].id;
    if client == "java" && dice.below(2) == 0 {
        configs.insert("linger.ms".to_string(), dice.below(50).to_string());
        configs.insert("batch.size".to_string(), dice.below(3_000).to_string());
        configs.insert("metadata.max.age.ms".to_string(), (dice.below(900) + 100).to_string());
    }
    let workload = (dice.below(4) > 0).then(|| workload(dice));
    ProducerSpec { name, client: client.to_string(), configs, workload, metadata_age: None, random_start: None }
}

fn workload(dice: &mut Stream) -> Workload {
    let pattern = KeyPattern { prefix: "user-".to_string(), first: 1, count: dice.below(40) + 1 };
    Workload {
        topic: format!("topic-{}", dice.below(3)),
        key_pattern: (dice.below(3) > 0).then_some(pattern),
        value_size: Some(dice.below(2_000) as u32),
        every: Some(Duration(dice.below(300_000) + 1_000)),
        burst: Some(dice.below(4) as u32 + 1),
        skew_percent: (dice.below(3) == 0).then_some(60),
        ..Workload::default()
    }
}

fn command(dice: &mut Stream) -> Command {
    let topic = format!("topic-{}", dice.below(4));
    let producer = format!("producer-{}", dice.below(4));
    match dice.below(9) {
        0 => Command::CreateTopic {
            topic,
            partitions: Some(dice.below(6) as i32 - 1),
            replication_factor: Some(dice.below(4) as i32 - 1),
            assignment: None,
            configs: BTreeMap::new(),
        },
        1 | 2 => Command::CreatePartitions { topic, partitions: dice.below(14) as i32 - 1, assignment: None },
        3 => Command::DeleteTopic { topic },
        4 => Command::Producer(self::producer(dice, producer)),
        5 => Command::Send {
            producer,
            topic,
            key: (dice.below(3) > 0).then(|| format!("user-{}", dice.below(9))),
            key_encoding: None,
            value: Some("x".to_string()),
            value_bytes: None,
            partition: (dice.below(4) == 0).then(|| dice.below(10) as i32 - 1),
            timestamp_ms: None,
            headers: Vec::new(),
        },
        6 => Command::SetWorkload { producer, workload: (dice.below(2) == 0).then(|| workload(dice)) },
        7 => Command::Disconnect { producer },
        _ if dice.below(2) == 0 => Command::Flush { producer },
        _ => Command::Close { producer },
    }
}
