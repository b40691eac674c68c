//! The consumer protocol (KIP-848) from end to end: members, their coordinator, and the moments at which partitions
//! move.
//!
//! The numbers are those of the lessons on rebalances and on static members. The state machines of both sides have
//! tests of their own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

use engine::event::EventKind;
use engine::group::{Callback, ClientMemberState, GroupEvent, GroupState, MemberState};
use engine::scenario::ConsumerSpec;
use engine::snapshot::{ConsumerSnapshot, MembershipSnapshot, Snapshot};
use engine::{Command, Duration, Scenario, Status, Time, Timeline};

const CLUSTER: &str = r#"
    name = "consumer protocol"
    cluster = { brokers = [{ id = 1 }] }
    [[topic]]
    name = "orders"
    partitions = 6
    [[topic]]
    name = "__consumer_offsets"
    partitions = 50
    replication_factor = 1
"#;

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn timeline(consumers: Vec<ConsumerSpec>) -> Timeline {
    let mut scenario: Scenario = toml::from_str(CLUSTER).unwrap();
    scenario.consumers = consumers;
    Timeline::new(scenario, ()).unwrap()
}

/// A member of the consumer protocol, such as `consumer("A", 1_000, &[])`, whose member id is `consumer-A`.
fn consumer(name: &str, start: u64, configs: &[(&str, &str)]) -> ConsumerSpec {
    let of_group = [("group.id", "g"), ("group.protocol", "consumer"), ("enable.auto.commit", "false")];
    let configs = of_group.iter().chain(configs).map(|(name, value)| (name.to_string(), value.to_string()));
    ConsumerSpec {
        name: name.to_string(),
        subscribe: vec!["orders".to_string()],
        member_id: Some(format!("consumer-{name}")),
        start: Some(Duration::from_millis(start)),
        configs: configs.collect(),
        ..ConsumerSpec::default()
    }
}

fn find<'a>(snapshot: &'a Snapshot, name: &str) -> &'a ConsumerSnapshot {
    snapshot.consumers.iter().find(|consumer| &*consumer.name == name).unwrap()
}

fn membership<'a>(snapshot: &'a Snapshot, name: &str) -> &'a MembershipSnapshot {
    find(snapshot, name).membership.as_ref().unwrap()
}

/// Epoch and owned partitions of a member, in its own eyes.
fn has(timeline: &mut Timeline, millis: u64, name: &str) -> (i32, Vec<u32>) {
    timeline.advance_to(at(millis));
    let snapshot = timeline.snapshot(0);
    let member = membership(&snapshot, name);
    (member.generation, member.owned.iter().map(|own| own.partition).collect())
}

/// State, group epoch and the members' epochs and states, as the coordinator has them.
fn group(timeline: &mut Timeline, millis: u64) -> (GroupState, i32, Vec<(String, i32, MemberState)>) {
    timeline.advance_to(at(millis));
    let snapshot = timeline.snapshot(0);
    let group = snapshot.groups.iter().find(|group| &*group.group == "g").unwrap();
    let members = group.members.iter().map(|member| (member.client.to_string(), member.epoch, member.state));
    let mut members: Vec<_> = members.collect();
    members.sort_by(|one, other| one.0.cmp(&other.0));
    (group.state, group.epoch, members)
}

/// Callbacks with their partitions: who, when, what.
fn callbacks(timeline: &mut Timeline) -> Vec<(String, u64, Callback, Vec<u32>)> {
    let started = timeline.recent(usize::MAX, &|event| {
        matches!(&event.kind, EventKind::Group(GroupEvent::CallbackStarted { partitions, .. }) if !partitions.is_empty())
    });
    let mut found: Vec<_> = started
        .iter()
        .map(|event| match &event.kind {
            EventKind::Group(GroupEvent::CallbackStarted { consumer, callback, partitions, .. }) => {
                let numbers = partitions.iter().map(|partition| partition.partition).collect();
                (consumer.to_string(), event.moment.time.millis(), *callback, numbers)
            }
            other => unreachable!("{other:?}"),
        })
        .collect();
    found.sort_by_key(|(name, time, ..)| (*time, name.clone()));
    found
}

fn three() -> Timeline {
    timeline(vec![consumer("A", 1_000, &[]), consumer("B", 8_400, &[]), consumer("C", 16_200, &[])])
}

fn close(consumer: &str) -> Command {
    Command::CloseConsumer { consumer: consumer.to_string(), operation: None }
}

#[test]
fn partitions_move_one_by_one_without_a_barrier() {
    let mut timeline = three();
    assert_eq!(has(&mut timeline, 1_000, "A"), (2, vec![0, 1, 2, 3, 4, 5]));
    assert_eq!(has(&mut timeline, 8_400, "B"), (3, vec![]));
    assert_eq!(has(&mut timeline, 11_000, "A"), (3, vec![0, 1, 2]));
    assert_eq!(has(&mut timeline, 13_400, "B"), (3, vec![3, 4, 5]));
    assert_eq!(has(&mut timeline, 16_200, "C"), (4, vec![]));
    let waits = ("C".to_string(), 4, MemberState::UnreleasedPartitions);
    assert!(group(&mut timeline, 16_200).2.contains(&waits));
    assert_eq!(has(&mut timeline, 18_399, "B"), (3, vec![3, 4, 5]));
    assert_eq!(has(&mut timeline, 18_400, "B"), (4, vec![3, 4]));
    assert_eq!(has(&mut timeline, 20_999, "A"), (3, vec![0, 1, 2]));
    assert_eq!(has(&mut timeline, 21_000, "A"), (4, vec![0, 1]));
    assert_eq!(group(&mut timeline, 21_100).0, GroupState::Reconciling);
    assert_eq!(has(&mut timeline, 21_200, "C"), (4, vec![2, 5]));
    assert_eq!(group(&mut timeline, 21_200).0, GroupState::Stable);
    timeline.advance_to(at(24_100));
    assert_eq!(timeline.act(close("B")).unwrap().status, Status::Done);
    let (state, epoch, members) = group(&mut timeline, 24_100);
    assert_eq!((state, epoch, members.len()), (GroupState::Assigning, 5, 2));
    assert_eq!(has(&mut timeline, 26_000, "A"), (5, vec![0, 1, 4]));
    assert_eq!(group(&mut timeline, 26_000).0, GroupState::Reconciling);
    assert_eq!(has(&mut timeline, 26_200, "C"), (5, vec![2, 3, 5]));
    assert_eq!(group(&mut timeline, 26_200).0, GroupState::Stable);
    let expected: [(&str, u64, Callback, &[u32]); 9] = [
        ("A", 1_000, Callback::Assigned, &[0, 1, 2, 3, 4, 5]),
        ("A", 11_000, Callback::Revoked, &[3, 4, 5]),
        ("B", 13_400, Callback::Assigned, &[3, 4, 5]),
        ("B", 18_400, Callback::Revoked, &[5]),
        ("A", 21_000, Callback::Revoked, &[2]),
        ("C", 21_200, Callback::Assigned, &[2, 5]),
        ("B", 24_100, Callback::Revoked, &[3, 4]),
        ("A", 26_000, Callback::Assigned, &[4]),
        ("C", 26_200, Callback::Assigned, &[3]),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, time, callback, numbers)| (name.to_string(), *time, *callback, numbers.to_vec()))
        .collect();
    assert_eq!(callbacks(&mut timeline), expected);
}

#[test]
fn a_busy_member_holds_back_its_own_partition_only() {
    let mut timeline = three();
    timeline.advance_to(at(17_000));
    timeline.act(Command::StopPoll { consumer: "B".to_string() }).unwrap();
    assert_eq!(has(&mut timeline, 21_000, "A"), (4, vec![0, 1]));
    assert_eq!(has(&mut timeline, 21_200, "C"), (4, vec![2]));
    assert_eq!(has(&mut timeline, 27_999, "B"), (3, vec![3, 4, 5]), "it heartbeats and revokes nothing");
    timeline.advance_to(at(28_000));
    timeline.act(Command::ResumePoll { consumer: "B".to_string() }).unwrap();
    assert_eq!(has(&mut timeline, 28_000, "B"), (4, vec![3, 4]));
    assert_eq!(has(&mut timeline, 31_200, "C"), (4, vec![2, 5]));
}

#[test]
fn a_member_that_joins_within_the_assignment_interval_gets_the_old_epoch_first() {
    let mut timeline = timeline(vec![consumer("A", 0, &[]), consumer("B", 400, &[])]);
    assert_eq!(has(&mut timeline, 400, "B"), (2, vec![]));
    assert_eq!(group(&mut timeline, 400).0, GroupState::Assigning);
    assert_eq!(has(&mut timeline, 5_000, "A"), (3, vec![0, 1, 2]));
    assert_eq!(has(&mut timeline, 5_400, "B"), (3, vec![3, 4, 5]));
}

/// worker-2 joined first, worker-1 beats 0.4 s after it. Both are static if `is_static`.
fn workers(is_static: bool) -> Timeline {
    timeline(vec![worker(2, 0, is_static), worker(1, 400, is_static)])
}

fn worker(number: u32, start: u64, is_static: bool) -> ConsumerSpec {
    let name = format!("worker-{number}");
    let instance = [("group.instance.id", name.as_str())];
    ConsumerSpec { member_id: None, ..consumer(&name, start, if is_static { &instance } else { &[] }) }
}

#[test]
fn a_static_member_that_comes_back_in_time_finds_its_partitions() {
    let mut timeline = workers(true);
    timeline.advance_to(at(20_100));
    let before = has(&mut timeline, 20_100, "worker-1");
    timeline.act(close("worker-2")).unwrap();
    let (_, epoch, members) = group(&mut timeline, 20_100);
    assert_eq!((epoch, members[1].1), (3, -2));
    timeline.advance_to(at(30_300));
    let outcome = timeline.act(Command::Consumer(worker(2, 0, true))).unwrap();
    assert_eq!((outcome.status, outcome.error), (Status::Done, None));
    let (epoch, owned) = has(&mut timeline, 30_300, "worker-2");
    assert_eq!((epoch, owned.len()), (3, 3));
    assert_eq!(has(&mut timeline, 60_000, "worker-1"), before, "nothing moved");
    assert_eq!(group(&mut timeline, 60_000).1, 3);
    let snapshot = timeline.snapshot(0);
    assert_eq!(snapshot.consumers.len(), 2, "one of each name");
}

#[test]
fn a_static_member_that_comes_back_late_has_lost_them() {
    let check = |back: u64, removed: bool| {
        let mut timeline = workers(true);
        timeline.advance_to(at(20_100));
        let before = has(&mut timeline, 20_100, "worker-2").1;
        timeline.act(close("worker-2")).unwrap();
        timeline.advance_to(at(back));
        assert_eq!(group(&mut timeline, back).2.len(), if removed { 1 } else { 2 }, "the session ends at 65.0 s");
        timeline.act(Command::Consumer(worker(2, 0, true))).unwrap();
        let later = has(&mut timeline, 80_000, "worker-2").1;
        assert_eq!((later.len(), later == before), (3, !removed));
    };
    check(64_000, false);
    check(66_000, true);
}

#[test]
fn a_dynamic_member_that_comes_back_moves_partitions_twice() {
    let mut timeline = workers(false);
    timeline.advance_to(at(20_100));
    timeline.act(close("worker-2")).unwrap();
    assert_eq!(group(&mut timeline, 20_100).1, 4);
    assert_eq!(has(&mut timeline, 20_400, "worker-1").1.len(), 6);
    timeline.advance_to(at(30_300));
    timeline.act(Command::Consumer(worker(2, 0, false))).unwrap();
    assert_eq!(has(&mut timeline, 30_400, "worker-1"), (5, vec![0, 1, 2]));
    assert_eq!(has(&mut timeline, 35_300, "worker-2"), (5, vec![3, 4, 5]));
}

#[test]
fn a_second_process_with_the_same_instance_id_is_refused() {
    let mut timeline = workers(true);
    timeline.advance_to(at(20_000));
    let before = has(&mut timeline, 20_000, "worker-2");
    let mut second = worker(2, 0, true);
    second.name = "second".to_string();
    second.configs.insert("group.instance.id".to_string(), "worker-2".to_string());
    timeline.act(Command::Consumer(second)).unwrap();
    timeline.advance_to(at(21_000));
    let snapshot = timeline.snapshot(0);
    let error = find(&snapshot, "second").error.clone().unwrap();
    assert_eq!(error.exception, "UnreleasedInstanceIdException");
    assert!(error.message.contains("with instance id worker-2 cannot join the group because"), "{error}");
    assert!(membership(&snapshot, "second").is_closed, "the application closes it");
    assert_eq!(has(&mut timeline, 40_000, "worker-2"), before);
}

#[test]
fn a_member_that_does_not_poll_is_put_out_and_comes_back() {
    let slow = [("max.poll.interval.ms", "6000")];
    let mut timeline = timeline(vec![consumer("A", 0, &slow), consumer("B", 2_000, &slow)]);
    assert_eq!(has(&mut timeline, 12_000, "B"), (3, vec![3, 4, 5]));
    timeline.act(Command::StopPoll { consumer: "B".to_string() }).unwrap();
    timeline.advance_to(at(21_999));
    assert_eq!(membership(&timeline.snapshot(0), "B").state, ClientMemberState::Stable);
    timeline.advance_to(at(22_000));
    assert_eq!(membership(&timeline.snapshot(0), "B").state, ClientMemberState::Stale, "the heartbeat after 18 s");
    assert_eq!(has(&mut timeline, 25_000, "A"), (4, vec![0, 1, 2, 3, 4, 5]));
    timeline.advance_to(at(26_000));
    let commit = Command::CommitSync { consumer: "B".to_string(), offsets: Some([("orders-3".to_string(), 0)].into()) };
    let number = timeline.act(commit).unwrap().command;
    timeline.advance_to(at(26_100));
    let error = timeline.outcome(number).unwrap().error.unwrap();
    let text = "OffsetCommit failed with unknown member ID. The coordinator is not aware of this member.";
    assert_eq!((error.exception.as_str(), error.message.as_str()), ("CommitFailedException", text));
    timeline.act(Command::ResumePoll { consumer: "B".to_string() }).unwrap();
    assert_eq!(has(&mut timeline, 26_100, "B"), (5, vec![]));
    let lost = ("B".to_string(), 26_100, Callback::Lost, vec![3, 4, 5]);
    assert!(callbacks(&mut timeline).contains(&lost));
    assert_eq!(has(&mut timeline, 35_000, "B").1.len(), 3);
}

#[test]
fn what_a_constructor_throws_is_the_outcome_of_the_command() {
    let mut timeline = timeline(Vec::new());
    let refused = timeline.act(Command::Consumer(consumer("A", 0, &[("session.timeout.ms", "6000")]))).unwrap();
    assert_eq!(refused.status, Status::Failed);
    let text = "session.timeout.ms cannot be set when group.protocol=CONSUMER";
    assert_eq!(refused.error.unwrap().message, text);
    assert!(timeline.snapshot(0).consumers.is_empty(), "there is no such consumer");
    assert_eq!(timeline.act(Command::Consumer(consumer("A", 0, &[]))).unwrap().status, Status::Done);
    let twice = timeline.act(Command::Consumer(consumer("A", 0, &[]))).unwrap_err();
    assert_eq!(twice.code, "command.consumer_state");
}

#[test]
fn playing_and_going_back_give_the_same_trace() {
    let mut played = three();
    played.advance_to(at(24_100));
    played.act(close("B")).unwrap();
    played.advance_to(at(30_000));
    let (hash, snapshot) = (played.trace_hash(), played.snapshot(0));
    played.seek(at(12_000));
    played.seek(at(30_000));
    assert_eq!((played.trace_hash(), played.snapshot(0)), (hash, snapshot));
}
