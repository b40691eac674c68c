//! The engine from outside: where records land, what growing does, and time travel.
//!
//! The arithmetic of each client is tested in the `partitioner` crate; the lessons test their numbers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

use engine::event::Decision;
use engine::snapshot::Snapshot;
use engine::{Command, Event, EventKind, Scenario, Status, Time, Timeline};

fn scenario(text: &str) -> Scenario {
    toml::from_str(text).unwrap()
}

fn two_libraries(client: &str) -> Scenario {
    scenario(&format!(
        r#"
        name = "two"
        cluster = {{ brokers = [{{ id = 0 }}] }}
        [[topic]]
        name = "events"
        partitions = 3
        [[producer]]
        name = "orders"
        client = "{client}"
        workload = {{ topic = "events", keys = ["user-1", "user-2", "user-3", "user-4", "user-1"], value = "login", every = "500 ms" }}
        "#
    ))
}

/// Keys in each partition, in offset order.
fn keys(snapshot: &Snapshot, topic: &str) -> Vec<Vec<String>> {
    let topic = snapshot.topics.iter().find(|other| &*other.name == topic).unwrap();
    let key = |record: &engine::snapshot::LogRecord| record.record.key_text.as_deref().unwrap_or("-").to_string();
    topic.partitions.iter().map(|partition| partition.records.iter().map(key).collect()).collect()
}

fn create_partitions(partitions: i32) -> Command {
    Command::CreatePartitions { topic: "events".to_string(), partitions, assignment: None }
}

fn send(key: Option<&str>, partition: Option<i32>) -> Command {
    Command::Send {
        producer: "orders".to_string(),
        topic: "events".to_string(),
        key: key.map(str::to_string),
        key_encoding: None,
        value_encoding: None,
        value: Some("x".to_string()),
        value_bytes: None,
        partition,
        timestamp_ms: None,
        headers: Vec::new(),
    }
}

#[test]
fn java_and_librdkafka_place_the_same_keys_differently() {
    let check = |client: &str, expected: [&[&str]; 3]| {
        let mut timeline = Timeline::new(two_libraries(client), ()).unwrap();
        timeline.advance_to(timeline.horizon());
        assert_eq!(keys(&timeline.snapshot(100), "events"), expected, "{client}");
    };
    check("java", [&[], &["user-4"], &["user-1", "user-2", "user-3", "user-1"]]);
    check("librdkafka", [&["user-3", "user-4"], &["user-2"], &["user-1", "user-1"]]);
}

#[test]
fn a_topic_grows_and_never_shrinks() {
    let mut timeline = Timeline::new(two_libraries("java"), ()).unwrap();
    timeline.advance_to(Time::from_millis(100));
    let refused = timeline.act(create_partitions(2)).unwrap();
    assert_eq!(
        refused.error.unwrap().message,
        "The topic events currently has 3 partition(s); 2 would not be an increase."
    );
    assert_eq!(timeline.act(create_partitions(6)).unwrap().status, Status::Done);
    assert_eq!(timeline.snapshot(0).topics[0].partitions.len(), 6);
}

#[test]
fn keys_move_only_after_the_metadata_refresh() {
    let mut scenario = two_libraries("java");
    scenario.producers[0].workload = None;
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(1));
    let partition = |timeline: &mut Timeline| timeline.act(send(Some("user-3"), None)).map(|_| ()).unwrap();
    partition(&mut timeline);
    timeline.advance_to(Time::from_millis(1_000));
    timeline.act(create_partitions(6)).unwrap();
    partition(&mut timeline);
    timeline.advance_to(Time::from_millis(300_500));
    partition(&mut timeline);
    timeline.advance_to(Time::from_millis(301_000));
    let keys = keys(&timeline.snapshot(9), "events");
    assert_eq!((keys[2].len(), keys[5].len()), (2, 1), "stale metadata keeps user-3 in events-2 for five minutes");
    let moved =
        timeline.recent(1, &|event| matches!(event.kind, EventKind::RecordPartitioned { moved_from: Some(2), .. }));
    assert_eq!(moved.len(), 1);
    let sentence = moved[0].to_string();
    assert!(sentence.starts_with("user-3 now goes to events-5 (was events-2)."), "{sentence}");
}

#[test]
fn an_explicit_partition_that_does_not_exist_times_out_as_in_java() {
    let mut scenario = two_libraries("java");
    scenario.producers[0].workload = None;
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    let outcome = timeline.act(send(Some("user-1"), Some(3))).unwrap();
    assert_eq!(outcome.status, Status::Pending);
    timeline.advance_to(Time::from_millis(59_999));
    assert_eq!(timeline.outcome(0), None);
    timeline.advance_to(Time::from_millis(60_000));
    let error = timeline.outcome(0).unwrap().error.unwrap();
    assert_eq!(error.exception, "TimeoutException");
    assert_eq!(
        error.message,
        "Partition 3 of topic events with partition count 3 is not present in metadata after 60000 ms."
    );
    let negative = timeline.act(send(None, Some(-1))).unwrap().error.unwrap();
    assert_eq!(negative.exception, "IllegalArgumentException");
}

fn keyless(client: &str, random_start: u32, workload: &str) -> Scenario {
    scenario(&format!(
        r#"
        name = "keyless"
        cluster = {{ brokers = 3, placement = 17 }}
        [[topic]]
        name = "clicks"
        partitions = 3
        replication_factor = 3
        [[producer]]
        name = "web"
        client = "{client}"
        random_start = {random_start}
        workload = {{ topic = "clicks", value_size = 1024, {workload} }}
        "#
    ))
}

/// Partition and length of each run of keyless records.
fn runs(scenario: Scenario, until: u64) -> Vec<(u32, usize)> {
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(until));
    let events = timeline.events(Time::ZERO, Time::MAX, usize::MAX, &|event| {
        matches!(event.kind, EventKind::RecordPartitioned { decision: Decision::Keyless { .. }, .. })
    });
    let mut runs: Vec<(u32, usize)> = Vec::new();
    for event in &events {
        let EventKind::RecordPartitioned { partition, .. } = &event.kind else { continue };
        match runs.last_mut().filter(|(last, _)| *last == partition.partition) {
            Some((_, length)) => *length += 1,
            None => runs.push((partition.partition, 1)),
        }
    }
    runs
}

#[test]
fn a_saturated_java_producer_sends_two_batches_a_visit() {
    let runs = runs(keyless("java", 5, r#"every = "50 us", count = 120"#), 100);
    assert_eq!(runs, [(2, 30), (0, 30), (1, 30), (2, 30)]);
}

#[test]
fn a_slow_java_producer_stays_for_fifteen_batches() {
    let runs = runs(keyless("java", 2, r#"every = "100 ms", count = 32"#), 4_000);
    assert_eq!(runs, [(2, 15), (0, 15), (1, 2)]);
}

#[test]
fn older_eras_move_with_every_batch_or_every_record() {
    let slow = r#"every = "100 ms", count = 6"#;
    let lengths =
        |client| runs(keyless(client, 2, slow), 1_000).into_iter().map(|(_, length)| length).collect::<Vec<_>>();
    assert_eq!(lengths("java-2.4"), [1; 6]);
    assert_eq!(runs(keyless("java-0.9", 2, slow), 1_000), [(2, 1), (0, 1), (1, 1), (2, 1), (0, 1), (1, 1)]);
}

fn sent_messages(events: &[Event]) -> Vec<u64> {
    let id = |event: &Event| match &event.kind {
        EventKind::MessageSent { message } => Some(message.id),
        _ => None,
    };
    events.iter().filter_map(id).collect()
}

#[test]
fn a_lost_request_is_sent_again_with_fresh_metadata() {
    let mut timeline = Timeline::new(two_libraries("java"), ()).unwrap();
    timeline.advance_to(Time::from_millis(900));
    timeline.act(Command::Disconnect { producer: "orders".to_string() }).unwrap();
    timeline.advance_to(timeline.horizon());
    let keys = keys(&timeline.snapshot(9), "events");
    assert_eq!(keys[2], ["user-1", "user-2", "user-3", "user-1"], "nothing is lost or doubled");
    let once: [fn(&EventKind) -> bool; 3] = [
        |kind| matches!(kind, EventKind::MessageLost { .. }),
        |kind| matches!(kind, EventKind::BatchRetried { .. }),
        |kind| matches!(kind, EventKind::MetadataRefreshed { reason: engine::event::RefreshReason::Error, .. }),
    ];
    for accept in once {
        assert_eq!(timeline.recent(usize::MAX, &|event| accept(&event.kind)).len(), 1);
    }
    let sent = timeline.recent(usize::MAX, &|_| true);
    assert!(sent_messages(&sent).windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn readers_see_records_below_the_high_watermark_and_may_stay_behind() {
    let mut scenario = two_libraries("java");
    for (name, behind) in [("current", None), ("slow", Some(2))] {
        scenario.consumers.push(engine::scenario::ConsumerSpec {
            name: name.to_string(),
            assign: vec!["events-2".to_string()],
            behind,
            ..Default::default()
        });
    }
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(5_000));
    let read: Vec<_> = timeline.snapshot(0).consumers.iter().map(|consumer| consumer.read_count).collect();
    assert_eq!(read, [4, 2]);
}

#[test]
fn time_travel_ends_where_playing_does() {
    let mut played = Timeline::new(two_libraries("java"), ()).unwrap();
    let mut hashes = Vec::new();
    for millis in (0..3_000).step_by(250) {
        played.advance_to(Time::from_millis(millis));
        hashes.push((millis, played.trace_hash(), played.snapshot(99)));
    }
    let end = played.trace_hash();
    for (millis, hash, snapshot) in hashes.iter().rev() {
        played.seek(Time::from_millis(*millis));
        assert_eq!((played.trace_hash(), &played.snapshot(99)), (*hash, snapshot), "at {millis} ms");
    }
    played.seek(Time::from_millis(2_750));
    assert_eq!(played.trace_hash(), end);
    let mut steps = 0;
    while played.step_back().is_some() {
        steps += 1;
    }
    assert!(steps > 20, "{steps}");
    assert_eq!(played.moment().sequence, 0);
    while played.now() < Time::from_millis(2_000) {
        assert!(played.step().is_some());
    }
}

#[test]
fn acting_in_the_past_sets_the_future_aside() {
    let mut timeline = Timeline::new(two_libraries("java"), ()).unwrap();
    timeline.advance_to(Time::from_millis(1_100));
    timeline.act(create_partitions(4)).unwrap();
    timeline.advance_to(Time::from_millis(3_000));
    let first_future = timeline.trace_hash();
    timeline.seek(Time::from_millis(600));
    timeline.act(create_partitions(6)).unwrap();
    timeline.advance_to(Time::from_millis(3_000));
    assert_eq!(timeline.snapshot(0).topics[0].partitions.len(), 6);
    let branches = timeline.branches();
    assert_eq!(branches.len(), 1);
    assert!(timeline.open_branch(branches[0].id));
    assert_eq!(timeline.now(), Time::from_millis(600));
    timeline.seek(Time::from_millis(3_000));
    assert_eq!(timeline.trace_hash(), first_future);
    assert_eq!(timeline.branches().len(), 1, "the other future is kept in turn");
    assert!(timeline.undo());
    assert_eq!(timeline.snapshot(0).topics[0].partitions.len(), 3);
    assert!(!timeline.undo());
}

#[test]
fn long_runs_seek_through_checkpoints() {
    let mut scenario = two_libraries("java");
    let workload = scenario.producers[0].workload.as_mut().unwrap();
    workload.every = Some(engine::Duration(1_000));
    workload.count = Some(20_000);
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(10_000));
    let middle = timeline.trace_hash();
    let recent = timeline.recent(5_000, &|_| true);
    timeline.advance_to(Time::from_millis(21_000));
    let end = timeline.trace_hash();
    let total: u64 = timeline.snapshot(0).topics[0].partitions.iter().map(|partition| partition.record_count).sum();
    assert_eq!(total, 20_000);
    timeline.seek(Time::from_millis(10_000));
    assert_eq!(timeline.trace_hash(), middle);
    assert_eq!(timeline.recent(5_000, &|_| true), recent, "the trace is derived again");
    assert_eq!(timeline.events(Time::from_millis(3), Time::from_millis(90), 100, &|_| true).len(), 100);
    timeline.seek(Time::from_millis(21_000));
    assert_eq!(timeline.trace_hash(), end);
}

#[test]
fn a_look_back_ends_where_it_is_told_to() {
    let mut scenario = two_libraries("java");
    let workload = scenario.producers[0].workload.as_mut().unwrap();
    workload.every = Some(engine::Duration(1_000));
    workload.count = Some(5_000);
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(6_000));
    let all = timeline.recent(usize::MAX, &|_| true);
    for first in [0, 1, all.len() / 2, all.len() - 3] {
        let later = timeline.recent_from(all[first].index, usize::MAX, &|_| true);
        assert_eq!(later, all[first..], "from number {first}");
    }
    let last = all.len() as u64 - 1;
    assert_eq!(timeline.recent_from(0, 2, &|event| event.index < last), all[all.len() - 3..all.len() - 1]);
}

#[test]
fn unknown_topics_are_created_when_the_broker_may() {
    let mut scenario = two_libraries("java");
    scenario.topics.clear();
    let mut timeline = Timeline::new(scenario.clone(), ()).unwrap();
    timeline.advance_to(Time::from_millis(5_000));
    assert_eq!(keys(&timeline.snapshot(9), "events"), [["user-1", "user-2", "user-3", "user-4", "user-1"]]);
    scenario.cluster.configs.insert("auto.create.topics.enable".to_string(), "false".to_string());
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(61_000));
    let failed = timeline.recent(1, &|event| matches!(event.kind, EventKind::SendFailed { .. }));
    assert!(failed[0].to_string().contains("Topic events not present in metadata after 60000 ms."), "{}", failed[0]);
}

#[test]
fn wrong_scenarios_are_refused_with_a_path() {
    let check = |change: fn(&mut Scenario), code: &str, path: &str| {
        let mut scenario = two_libraries("java");
        change(&mut scenario);
        let error = Timeline::new(scenario, ()).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, path), "{error}");
    };
    check(|s| s.kafka = "3.0.0".into(), "scenario.version", "kafka");
    check(|s| s.producers[0].client = "jav".into(), "scenario.unknown_client", "producer[0].client");
    check(|s| s.topics[0].name = "no good".into(), "scenario.topic_refused", "topic[0]");
    check(|s| s.topics[0].replication_factor = Some(2), "scenario.topic_refused", "topic[0]");
    check(|s| s.topics[0].partitions = Some(0), "scenario.topic", "topic[0].partitions");
    let linger = |s: &mut Scenario| drop(s.producers[0].configs.insert("linger.ms".into(), "soon".into()));
    check(linger, "scenario.config", "producer[0].configs.\"linger.ms\"");
    check(|s| s.producers.push(s.producers[0].clone()), "scenario.name", "producer[1].name");
}

#[test]
fn a_waiting_fetch_is_answered_as_soon_as_records_come() {
    let mut scenario = two_libraries("java");
    let workload = scenario.producers[0].workload.as_mut().unwrap();
    workload.every = Some(engine::Duration::from_millis(1_700));
    scenario.consumers.push(engine::scenario::ConsumerSpec {
        name: "reader".to_string(),
        assign: vec!["events".to_string()],
        ..Default::default()
    });
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(9_000));
    let appended =
        timeline.events(Time::ZERO, Time::MAX, 99, &|event| matches!(event.kind, EventKind::BatchAppended { .. }));
    let read = timeline.events(Time::ZERO, Time::MAX, 99, &|event| matches!(event.kind, EventKind::RecordsRead { .. }));
    let times = |events: &[Event]| events.iter().map(|event| event.moment.time).collect::<Vec<_>>();
    assert_eq!(times(&read), times(&appended));
}
