//! Share groups (KIP-932) from end to end: members, the leaders that deliver, the share coordinators that remember.
//!
//! The state machines of all three have tests of their own; what one real broker did is in the recordings.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

use std::collections::BTreeMap;

use engine::command::Outcome;
use engine::event::EventKind;
use engine::group::GroupState;
use engine::share::{AcknowledgeType, RecordState, ShareEvent};
use engine::snapshot::{ClientProcess, SharePartitionSnapshot};
use engine::{Command, Scenario, Simulation, Time, Timeline};

const CLUSTER: &str = r#"
    name = "share groups"
    [cluster]
    brokers = 3
    [[topic]]
    name = "jobs"
    partitions = 1
    replication_factor = 3
    [[topic.preload]]
    partition = 0
    keys = ["a", "b", "c", "d", "e", "f"]
    values = ["v"]
"#;

/// A member of the group `g`.
fn member(name: &str, mode: &str, more: &str) -> String {
    format!(
        "[[share_consumer]]\nname = \"{name}\"\nsubscribe = [\"jobs\"]\n{more}\n\
         configs = {{ \"group.id\" = \"g\", \"share.acknowledgement.mode\" = \"{mode}\" }}\n"
    )
}

fn timeline(members: &[String]) -> Timeline {
    let scenario: Scenario = toml::from_str(&format!("{CLUSTER}{}", members.concat())).unwrap();
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::ZERO);
    let set = BTreeMap::from([("share.auto.offset.reset".to_string(), "earliest".to_string())]);
    act(&mut timeline, Command::AlterGroupConfigs { group: "g".into(), set, delete: Vec::new() });
    timeline
}

/// Gives a command and waits for its end.
fn act(timeline: &mut Timeline, command: Command) -> Outcome {
    let number = timeline.submit(command).unwrap();
    let until = timeline.now() + engine::Duration::from_secs(120);
    while timeline.outcome(number).is_none() {
        assert!(timeline.peek().is_some_and(|next| next.time <= until) && timeline.step_entry(), "it never ends");
    }
    timeline.outcome(number).unwrap()
}

fn poll(timeline: &mut Timeline, consumer: &str) -> Vec<(u64, u16)> {
    for _ in 0..60 {
        let outcome = act(timeline, Command::SharePoll { consumer: consumer.into(), timeout_ms: Some(1_000) });
        assert_eq!(outcome.error, None);
        if !outcome.delivered.is_empty() {
            return outcome.delivered.iter().map(|record| (record.offset, record.delivery_count)).collect();
        }
    }
    Vec::new()
}

fn say(timeline: &mut Timeline, consumer: &str, said: AcknowledgeType, offsets: &[u64]) {
    for offset in offsets {
        let outcome = act(
            timeline,
            Command::Acknowledge {
                consumer: consumer.into(),
                topic: "jobs".into(),
                partition: 0,
                offset: *offset,
                acknowledgement: Some(said),
            },
        );
        assert_eq!(outcome.error, None, "{offset}");
    }
}

/// Errors of `commitSync` by partition.
fn commit(timeline: &mut Timeline, consumer: &str) -> Vec<Option<String>> {
    let outcome = act(timeline, Command::CommitSync { consumer: consumer.into(), offsets: None });
    outcome.partitions.into_iter().map(|one| one.error.map(|error| error.exception)).collect()
}

fn share_partition(timeline: &mut Timeline) -> SharePartitionSnapshot {
    timeline.snapshot(0).share_partitions.into_iter().find(|known| &*known.group == "g").unwrap()
}

fn counted(offsets: impl IntoIterator<Item = u64>, delivery_count: u16) -> Vec<(u64, u16)> {
    offsets.into_iter().map(|offset| (offset, delivery_count)).collect()
}

#[test]
fn a_new_leader_goes_on_with_what_the_share_coordinator_knows() {
    let mut timeline = timeline(&[member("A", "explicit", "is_manual = true")]);
    assert_eq!(poll(&mut timeline, "A"), counted(0..6, 1));
    say(&mut timeline, "A", AcknowledgeType::Accept, &[0, 1, 4]);
    say(&mut timeline, "A", AcknowledgeType::Release, &[2, 3, 5]);
    assert_eq!(commit(&mut timeline, "A"), [None]);
    let before = share_partition(&mut timeline);
    assert_eq!((before.start_offset, before.end_offset), (Some(2), Some(6)));
    let leader = before.leader.unwrap();
    timeline.act(Command::KillBroker { broker: leader }).unwrap();
    timeline.advance_to(timeline.now() + engine::Duration::from_secs(15));
    assert_eq!(poll(&mut timeline, "A"), counted([2, 3, 5], 2));
    let after = share_partition(&mut timeline);
    assert_ne!(after.leader, Some(leader));
    assert_eq!((after.start_offset, after.persisted.map(|state| state.delivery_complete_count)), (Some(2), Some(3)));
}

#[test]
fn a_new_share_coordinator_reads_its_log() {
    let mut timeline = timeline(&[member("A", "explicit", "is_manual = true")]);
    assert_eq!(poll(&mut timeline, "A"), counted(0..6, 1));
    say(&mut timeline, "A", AcknowledgeType::Accept, &[0, 1, 2, 3, 4, 5]);
    let before = share_partition(&mut timeline);
    let coordinator = before.coordinator.unwrap();
    if Some(coordinator) != before.leader {
        timeline.act(Command::KillBroker { broker: coordinator }).unwrap();
    }
    assert_eq!(commit(&mut timeline, "A"), [None], "the leader asks until somebody answers");
    let after = share_partition(&mut timeline);
    let state = after.persisted.unwrap();
    assert_eq!((state.start_offset, state.delivery_complete_count, state.lag), (0, 6, Some(0)));
}

#[test]
fn a_member_that_dies_gives_back_what_it_held() {
    let mut timeline =
        timeline(&[member("A", "explicit", "is_manual = true"), member("B", "explicit", "is_manual = true")]);
    assert_eq!(poll(&mut timeline, "A"), counted(0..6, 1));
    timeline.act(Command::Crash { client: "A".into() }).unwrap();
    assert_eq!(poll(&mut timeline, "B"), counted(0..6, 2));
    timeline.advance_to(timeline.now() + engine::Duration::from_secs(60));
    let snapshot = timeline.snapshot(0);
    let group = snapshot.groups.iter().find(|group| &*group.group == "g").unwrap();
    assert_eq!((group.state, group.members.len()), (GroupState::Stable, 1));
    assert_eq!(snapshot.share_consumers[0].process, ClientProcess::Crashed);
}

#[test]
fn a_member_that_stands_still_loses_its_locks_and_learns_it_late() {
    let mut timeline =
        timeline(&[member("A", "explicit", "is_manual = true"), member("B", "explicit", "is_manual = true")]);
    assert_eq!(poll(&mut timeline, "A"), counted(0..6, 1));
    say(&mut timeline, "A", AcknowledgeType::Accept, &[0, 1, 2, 3, 4, 5]);
    timeline.act(Command::Freeze { client: "A".into() }).unwrap();
    assert_eq!(poll(&mut timeline, "B"), counted(0..6, 2));
    timeline.act(Command::Thaw { client: "A".into() }).unwrap();
    assert_eq!(commit(&mut timeline, "A"), [Some("InvalidRecordStateException".to_string())]);
}

#[test]
fn a_renewed_record_stays_with_its_member() {
    let mut timeline =
        timeline(&[member("A", "explicit", "is_manual = true"), member("B", "explicit", "is_manual = true")]);
    poll(&mut timeline, "A");
    for _ in 0..3 {
        timeline.advance_to(timeline.now() + engine::Duration::from_secs(20));
        say(&mut timeline, "A", AcknowledgeType::Renew, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(commit(&mut timeline, "A"), [None]);
    }
    let held = share_partition(&mut timeline).in_flight;
    assert!(held.iter().all(|record| (record.state, record.delivery_count) == (RecordState::Acquired, 1)), "{held:?}");
    assert_eq!(poll(&mut timeline, "A"), counted(0..6, 1), "they come back to whoever renewed them");
}

#[test]
fn an_application_by_itself_says_what_its_rules_say() {
    let rules = "processing = \"100 ms\"\nacknowledge = { reject_every = 3, release_every = 4, commit_every = 1 }";
    let mut timeline = timeline(&[member("A", "explicit", rules)]);
    timeline.advance_to(Time::from_millis(60_000));
    let snapshot = timeline.snapshot(0);
    let member = &snapshot.share_consumers[0];
    // Of 1 to 6 the third and the sixth are rejected and the fourth released; it comes back as the seventh.
    assert_eq!((member.read_count, member.acknowledged_counts), (7, [4, 1, 2]));
    let partition = share_partition(&mut timeline);
    assert_eq!((partition.start_offset, partition.in_flight.len()), (Some(6), 0));
    let began = timeline
        .recent(usize::MAX, &|event| matches!(&event.kind, EventKind::Share(ShareEvent::RecordWorkStarted { .. })));
    assert_eq!(began.len(), 7);
}

#[test]
fn two_members_by_themselves_share_one_partition() {
    let slow = "processing = \"1 s\"";
    let mut scenario: Scenario =
        toml::from_str(&format!("{CLUSTER}{}{}", member("A", "implicit", slow), member("B", "implicit", slow)))
            .unwrap();
    for consumer in &mut scenario.share_consumers {
        consumer.configs.insert("max.poll.records".into(), "1".into());
        consumer.configs.insert("share.acquire.mode".into(), "record_limit".into());
    }
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::ZERO);
    let set = BTreeMap::from([("share.auto.offset.reset".to_string(), "earliest".to_string())]);
    act(&mut timeline, Command::AlterGroupConfigs { group: "g".into(), set, delete: Vec::new() });
    timeline.advance_to(Time::from_millis(60_000));
    let counts: Vec<u64> = timeline.snapshot(0).share_consumers.iter().map(|member| member.read_count).collect();
    assert_eq!(counts, [3, 3]);
}

#[test]
fn equal_runs_are_equal() {
    let rules = "processing = \"700 ms\"\nacknowledge = { release_every = 2 }";
    let text = format!("{CLUSTER}{}{}", member("A", "explicit", rules), member("B", "explicit", rules));
    let scenario: Scenario = toml::from_str(&text).unwrap();
    let hash = || {
        let mut simulation = Simulation::new(&scenario).unwrap();
        simulation.run_until(Time::from_millis(90_000), &mut Vec::new());
        (simulation.trace_hash(), simulation.moment())
    };
    assert_eq!(hash(), hash());
}

#[test]
fn an_idle_day_costs_no_more_than_heartbeats() {
    let mut timeline = timeline(&[member("A", "explicit", "")]);
    timeline.advance_to(Time::from_millis(60_000));
    let before = timeline.moment().sequence;
    timeline.advance_to(Time::from_millis(60_000 + 3_600_000));
    let entries = timeline.moment().sequence - before;
    // 720 heartbeats of three entries each, and metadata every five minutes.
    assert!(entries < 720 * 4, "{entries}");
}
