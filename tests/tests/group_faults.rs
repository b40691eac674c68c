//! What random runs of groups (`tests::fuzz::groups`) broke, each as small as it gets.
//!
//! The network has no delay here, so that whatever is tried again without a pause makes time stand still.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

use engine::scenario::ConsumerSpec;
use engine::snapshot::MembershipSnapshot;
use engine::{Command, Duration, Scenario, Time, Timeline};

fn member(name: &str, topic: &str, configs: &[(&str, &str)]) -> ConsumerSpec {
    let own = [("group.id", "g")];
    let configs = own.iter().chain(configs).map(|(name, value)| (name.to_string(), value.to_string()));
    let subscribe = vec![topic.to_string()];
    ConsumerSpec { name: name.to_string(), subscribe, configs: configs.collect(), ..ConsumerSpec::default() }
}

fn timeline(configs: &str, members: Vec<ConsumerSpec>) -> Timeline {
    let text = format!(
        r#"
        name = "faults"
        cluster = {{ brokers = 3, configs = {{ {configs} }} }}
        topic = [
            {{ name = "orders", partitions = 2, replication_factor = 3 }},
            {{ name = "audit", partitions = 2, replication_factor = 3 }},
        ]
        network = {{ delay = "0 ms" }}
        "#
    );
    let mut scenario: Scenario = toml::from_str(&text).unwrap();
    scenario.consumers = members;
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    timeline.advance_to(Time::from_millis(20_000));
    timeline
}

fn pass(timeline: &mut Timeline, seconds: u64) {
    timeline.advance_to(timeline.now() + Duration::from_secs(seconds));
}

fn membership(timeline: &Timeline, name: &str) -> MembershipSnapshot {
    let consumers = timeline.snapshot(0).consumers;
    consumers.into_iter().find(|consumer| &*consumer.name == name).unwrap().membership.unwrap()
}

fn coordinator(timeline: &Timeline) -> u32 {
    timeline.snapshot(0).groups[0].coordinator.unwrap()
}

const PROTOCOLS: [&str; 2] = ["classic", "consumer"];

#[test]
fn a_session_that_cannot_be_ended_for_lack_of_replicas_is_ended_later() {
    for protocol in PROTOCOLS {
        let configs = [("group.protocol", protocol)];
        let members = ["A", "B"].map(|name| member(name, "orders", &configs)).to_vec();
        let mut timeline = timeline(r#""min.insync.replicas" = "2""#, members);
        let leader = coordinator(&timeline);
        for broker in (1..=3).filter(|broker| *broker != leader) {
            timeline.act(Command::KillBroker { broker }).unwrap();
        }
        timeline.act(Command::Freeze { client: "A".to_string() }).unwrap();
        pass(&mut timeline, 60);
        for broker in (1..=3).filter(|broker| *broker != leader) {
            timeline.act(Command::StartBroker { broker }).unwrap();
        }
        pass(&mut timeline, 60);
        assert_eq!(timeline.snapshot(0).groups[0].members.len(), 1, "{protocol}");
        assert_eq!(membership(&timeline, "B").owned.len(), 2, "{protocol}");
    }
}

#[test]
fn a_coordinator_that_cannot_be_reached_is_looked_for_with_pauses() {
    for protocol in PROTOCOLS {
        let mut timeline = timeline("", vec![member("A", "orders", &[("group.protocol", protocol)])]);
        let before = timeline.moment().sequence;
        let broker = coordinator(&timeline);
        timeline.act(Command::KillBroker { broker }).unwrap();
        pass(&mut timeline, 5);
        let entries = timeline.moment().sequence - before;
        assert!(entries < 2_000, "{protocol}: {entries} entries in five seconds without a coordinator");
        pass(&mut timeline, 60);
        assert_eq!(membership(&timeline, "A").owned.len(), 2, "{protocol}");
    }
}

#[test]
fn a_leader_with_a_pattern_learns_of_the_topics_of_others() {
    let mut leader = member("A", "audit", &[]);
    leader.subscribe.clear();
    leader.pattern = Some("audit.*".to_string());
    let mut timeline = timeline("", vec![leader]);
    timeline.act(Command::Consumer(member("B", "orders", &[]))).unwrap();
    pass(&mut timeline, 20);
    let group = timeline.snapshot(0).groups.remove(0);
    assert_eq!(group.leader, Some(membership(&timeline, "A").member));
    assert_eq!((membership(&timeline, "A").owned.len(), membership(&timeline, "B").owned.len()), (2, 2));
}

#[test]
fn a_classic_member_gets_over_the_wait_for_an_assignment_by_the_coordinator() {
    let of_consumer = [("group.protocol", "consumer")];
    let interval = r#""group.consumer.assignment.interval.ms" = "4000""#;
    let mut timeline = timeline(interval, vec![member("A", "orders", &of_consumer)]);
    timeline.act(Command::Consumer(member("B", "orders", &of_consumer))).unwrap();
    pass(&mut timeline, 1);
    timeline.act(Command::Consumer(member("C", "audit", &[]))).unwrap();
    pass(&mut timeline, 30);
    assert_eq!(membership(&timeline, "C").owned.len(), 2);
}
