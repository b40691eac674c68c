//! Static members: they go for a while, come back, and are fenced.

use super::bench::{Bench, answer, heartbeat, joining};
use crate::error::KafkaError;
use crate::message::{ConsumerGroupHeartbeat, MemberHeartbeat};

fn join(bench: &mut Bench, member: &str, instance: &str) -> Result<MemberHeartbeat, KafkaError> {
    let asked = ConsumerGroupHeartbeat { instance: Some(instance.into()), ..joining(member, &["t"]) };
    bench.send(&asked)
}

fn beat(bench: &mut Bench, member: &str, epoch: i32, instance: &str) -> Result<MemberHeartbeat, KafkaError> {
    bench.send(&ConsumerGroupHeartbeat { instance: Some(instance.into()), ..heartbeat(member, epoch) })
}

fn told(answer: Result<MemberHeartbeat, KafkaError>) -> (i32, Option<Vec<String>>) {
    let answer = answer.expect("it is a member");
    (answer.epoch, answer.assignment.map(|assignment| super::bench::texts(&assignment)))
}

fn refusal(answer: Result<MemberHeartbeat, KafkaError>) -> (String, String) {
    let error = answer.expect_err("it is refused");
    (error.error, error.message)
}

#[test]
fn a_static_member_comes_back_to_what_it_had() {
    let mut bench = Bench::new(&[("t", 2)]);
    assert_eq!(told(join(&mut bench, "A", "one")), answer(2, Some(&["t-0", "t-1"])));
    bench.later(2_000);
    assert_eq!(told(beat(&mut bench, "A", -2, "one")), answer(-2, None));
    assert_eq!(bench.member("A"), (-2, "STABLE", vec!["t-0".to_string(), "t-1".to_string()]));
    assert_eq!(bench.stands(), (2, 2, "Reconciling"));
    assert_eq!(told(join(&mut bench, "A2", "one")), answer(2, Some(&["t-0", "t-1"])));
    assert_eq!((bench.stands(), bench.group().size()), ((2, 2, "Stable"), 1));
}

#[test]
fn a_member_that_went_is_removed_when_its_session_ends() {
    let mut bench = Bench::new(&[("t", 2)]);
    told(join(&mut bench, "A", "one"));
    let due = bench.group().next_due();
    bench.later(20_000);
    told(beat(&mut bench, "A", -2, "one"));
    assert_eq!(bench.group().next_due(), due, "its session counts from the last regular heartbeat");
    bench.later(25_000).expire();
    assert_eq!(bench.stands(), (3, 2, "Empty"));
    assert_eq!(told(join(&mut bench, "A2", "one")), answer(4, Some(&["t-0", "t-1"])));
}

#[test]
fn an_instance_that_runs_is_not_replaced() {
    let mut bench = Bench::new(&[("t", 2)]);
    told(join(&mut bench, "A", "one"));
    let text = "Static member A2 with instance id one cannot join the group because the instance id is owned by A \
                member.";
    let expected = ("UNRELEASED_INSTANCE_ID".to_string(), text.to_string());
    assert_eq!(refusal(join(&mut bench, "A2", "one")), expected);
    let expected = "Static member A2 with instance id one was fenced by member A.";
    let expected = ("FENCED_INSTANCE_ID".to_string(), expected.to_string());
    assert_eq!(refusal(beat(&mut bench, "A2", 2, "one")), expected);
    assert_eq!(refusal(beat(&mut bench, "A2", -1, "one")), expected);
    let expected = ("UNKNOWN_MEMBER_ID".to_string(), "Instance id two is unknown.".to_string());
    assert_eq!(refusal(beat(&mut bench, "A", 2, "two")), expected);
    assert_eq!(refusal(beat(&mut bench, "A", -2, "two")), expected);
    assert_eq!(told(beat(&mut bench, "A", 2, "one")), answer(2, None));
}

#[test]
fn a_static_member_that_leaves_for_good_is_gone_at_once() {
    let mut bench = Bench::new(&[("t", 2)]);
    told(join(&mut bench, "A", "one"));
    told(beat(&mut bench, "A", -1, "one"));
    assert_eq!((bench.stands(), bench.group().size()), ((3, 2, "Empty"), 0));
}

#[test]
fn another_subscription_of_the_member_that_comes_back_makes_an_epoch() {
    let mut bench = Bench::new(&[("t", 2), ("u", 1)]);
    told(join(&mut bench, "A", "one"));
    bench.later(2_000);
    told(beat(&mut bench, "A", -2, "one"));
    let asked = ConsumerGroupHeartbeat { instance: Some("one".into()), ..joining("A2", &["u"]) };
    assert_eq!(told(bench.send(&asked)), answer(3, Some(&["u-0"])));
}
