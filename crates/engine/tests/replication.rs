//! Replication as people and lessons see it: high watermark, in-sync set, elections, truncation.
//!
//! Times and offsets are those of the lessons. Single rules are tested beside their code.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]
#![expect(clippy::panic, reason = "a test that cannot go on says so by a panic")]

use engine::snapshot::{PartitionSnapshot, ReplicaSnapshot};
use engine::{Command, Event, EventKind, Scenario, Status, Time, Timeline};

/// A topic `p` with one partition on brokers 1, 2 and 3, and whatever else.
fn scenario(more: &str) -> Scenario {
    toml::from_str(&format!(
        r#"
        name = "replication"
        [cluster]
        brokers = 3
        [[topic]]
        name = "p"
        assignment = [[1, 2, 3]]
        {more}
        "#
    ))
    .unwrap()
}

fn producer(acks: &str, workload: &str) -> String {
    format!(
        r#"
        [[producer]]
        name = "{acks}"
        configs = {{ acks = "{acks}", "linger.ms" = "0" }}
        {workload}
        "#
    )
}

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// A command in the form of a share link.
fn command(json: &str) -> Command {
    serde_json::from_str(json).unwrap()
}

/// Acts, and lets everything happen that follows at once.
fn act(timeline: &mut Timeline, json: &str) -> engine::Outcome {
    let outcome = timeline.act(command(json)).unwrap();
    timeline.advance_to(timeline.now());
    timeline.outcome(outcome.command).unwrap_or(outcome)
}

fn send(timeline: &mut Timeline, producer: &str) -> engine::Outcome {
    let json = format!(r#"{{ "do": "send", "producer": "{producer}", "topic": "p", "key": "k", "value": "v" }}"#);
    act(timeline, &json)
}

fn partition(timeline: &Timeline, topic: &str, partition: usize) -> PartitionSnapshot {
    let topics = timeline.snapshot(99).topics;
    topics.into_iter().find(|other| &*other.name == topic).unwrap().partitions.swap_remove(partition)
}

fn replica(timeline: &Timeline, broker: u32) -> ReplicaSnapshot {
    partition(timeline, "p", 0).logs.into_iter().find(|log| log.broker == broker).unwrap()
}

/// Log end offset and high watermark of brokers 1, 2 and 3.
fn offsets(timeline: &Timeline) -> [(u64, u64); 3] {
    [1, 2, 3].map(|broker| {
        let log = replica(timeline, broker);
        (log.log_end_offset, log.high_watermark)
    })
}

fn find(timeline: &mut Timeline, accept: &dyn Fn(&EventKind) -> bool) -> Vec<Event> {
    timeline.events(Time::ZERO, Time::MAX, 9_999, &|event| accept(&event.kind))
}

/// When the in-sync set of p-0 became this.
fn isr_times(timeline: &mut Timeline, members: &[u32]) -> Vec<Time> {
    let is_it = |kind: &EventKind| matches!(kind, EventKind::IsrChanged { isr, .. } if isr == members);
    find(timeline, &is_it).iter().map(|event| event.moment.time).collect()
}

#[test]
fn a_record_counts_once_every_in_sync_follower_has_asked_for_what_comes_after_it() {
    let mut timeline = Timeline::new(scenario(&(producer("all", "") + &producer("1", ""))), ()).unwrap();
    timeline.advance_to(at(10));
    for broker in [2, 3] {
        act(&mut timeline, &format!(r#"{{ "do": "hold_fetches", "broker": {broker} }}"#));
    }
    let fetch = |timeline: &mut Timeline, broker: u32| {
        act(timeline, &format!(r#"{{ "do": "fetch_once", "broker": {broker} }}"#));
    };
    assert_eq!(send(&mut timeline, "all").status, Status::Pending);
    assert_eq!(offsets(&timeline), [(1, 0), (0, 0), (0, 0)], "append");
    fetch(&mut timeline, 2);
    fetch(&mut timeline, 3);
    assert_eq!(offsets(&timeline), [(1, 0), (1, 0), (1, 0)], "both fetch(0)");
    fetch(&mut timeline, 2);
    assert_eq!(offsets(&timeline), [(1, 0), (1, 0), (1, 0)], "2 fetch(1)");
    assert_eq!(timeline.outcome(2), None, "acks=all is not answered");
    fetch(&mut timeline, 3);
    assert_eq!(offsets(&timeline), [(1, 1), (1, 0), (1, 1)], "3 fetch(1)");
    assert_eq!(timeline.outcome(2).unwrap().record.unwrap().offset, Some(0), "acks=all is answered");
    fetch(&mut timeline, 2);
    assert_eq!(offsets(&timeline), [(1, 1), (1, 1), (1, 1)], "2 next fetch");
    assert_eq!(send(&mut timeline, "1").record.unwrap().offset, Some(1), "acks=1 is answered at once");
    assert_eq!(offsets(&timeline)[0], (2, 1), "and not visible");
    for broker in [2, 3] {
        act(&mut timeline, &format!(r#"{{ "do": "release_fetches", "broker": {broker} }}"#));
    }
    timeline.advance_to(at(600));
    assert_eq!(offsets(&timeline), [(2, 2); 3]);
}

#[test]
fn a_follower_learns_the_high_watermark_within_half_a_second() {
    let mut timeline = Timeline::new(scenario(&producer("all", "")), ()).unwrap();
    timeline.advance_to(at(120));
    send(&mut timeline, "all");
    let leaders = offsets(&timeline);
    assert_eq!((leaders[0], leaders[1].0, leaders[2].0), ((1, 1), 1, 1), "stored everywhere in no time");
    timeline.advance_to(at(620));
    assert_eq!(offsets(&timeline), [(1, 1); 3]);
    act(&mut timeline, r#"{ "do": "close", "producer": "all" }"#);
    let before = timeline.moment().sequence;
    timeline.advance_to(at(8 * 86_400_000));
    assert!(timeline.moment().sequence - before < 20, "an idle cluster has nothing to do");
}

const STEADY: &str = r#"workload = { topic = "p", value = "v", every = "10 ms", count = 6000 }"#;

#[test]
fn a_stuck_follower_leaves_at_45_s_and_a_dead_one_at_11_s() {
    let check = |fault: &str, time: u64| {
        let mut timeline = Timeline::new(scenario(&producer("all", STEADY)), ()).unwrap();
        timeline.advance_to(at(2_000));
        act(&mut timeline, fault);
        timeline.advance_to(at(50_000));
        assert_eq!(isr_times(&mut timeline, &[1, 2]), [at(time)], "{fault}");
        assert!(partition(&timeline, "p", 0).high_watermark > 4_900, "{fault}");
    };
    check(r#"{ "do": "hold_fetches", "broker": 3 }"#, 45_000);
    check(r#"{ "do": "kill_broker", "broker": 3 }"#, 11_000);
    check(r#"{ "do": "pause_broker", "broker": 3 }"#, 11_000);
    check(r#"{ "do": "cut_link", "from": "broker-3", "to": "controller" }"#, 11_000);
}
