//! Members that subscribe by a pattern.

use super::bench::{Bench, answer, joining, texts};
use crate::message::ConsumerGroupHeartbeat;

fn subscribing(member: &str, pattern: &str) -> ConsumerGroupHeartbeat {
    ConsumerGroupHeartbeat { topics: None, pattern: Some(pattern.into()), ..joining(member, &[]) }
}

fn join(bench: &mut Bench, member: &str, pattern: &str) -> (i32, Option<Vec<String>>) {
    let answer = bench.send(&subscribing(member, pattern)).expect("it joins");
    (answer.epoch, answer.assignment.map(|assignment| texts(&assignment)))
}

#[test]
fn a_new_pattern_is_resolved_after_the_answer() {
    let mut bench = Bench::new(&[("orders", 2), ("other", 1)]);
    assert_eq!(join(&mut bench, "A", "ord.*"), answer(1, Some(&[])));
    assert_eq!(bench.stands(), (2, 1, "Assigning"));
    // Whoever asked for it gets it with its next heartbeat, however soon that comes.
    assert_eq!(bench.beat("A", 1), answer(2, Some(&["orders-0", "orders-1"])));

    // The pattern is known by now.
    assert_eq!(join(bench.later(2_000), "B", "ord.*"), answer(3, Some(&[])));
    assert_eq!(bench.stands(), (3, 3, "Reconciling"));
}

#[test]
fn patterns_are_looked_at_again_ten_seconds_later_at_the_earliest() {
    let mut bench = Bench::new(&[("orders", 1)]);
    join(&mut bench, "A", "o.*");
    bench.beat("A", 1);
    bench.topic("offers", 1);
    bench.later(10_000).beat("A", 2);
    assert_eq!(bench.stands(), (2, 2, "Stable"), "ten seconds have not passed");
    bench.later(1).beat("A", 2);
    assert_eq!(bench.stands(), (3, 2, "Assigning"));
    assert_eq!(bench.later(1).beat("A", 2), answer(3, Some(&["offers-0", "orders-0"])));

    // Another pattern waits as long, and its member has nothing meanwhile.
    assert_eq!(join(bench.later(5_000), "B", "offers"), answer(3, Some(&[])));
    assert_eq!(bench.stands(), (3, 3, "Stable"));
    bench.later(6_000).beat("A", 3);
    assert_eq!(bench.stands(), (4, 3, "Assigning"));
}

#[test]
fn a_pattern_that_is_none_is_refused() {
    let mut bench = Bench::new(&[("rxa", 3)]);
    let refusal = bench.send(&subscribing("A", "rx(a")).expect_err("it is none");
    let text = "SubscribedTopicRegex `rx(a` is not a valid regular expression: missing closing ).";
    assert_eq!((refusal.error.as_str(), refusal.message.as_str()), ("INVALID_REGULAR_EXPRESSION", text));
    assert!(bench.slot.is_none());
}

#[test]
fn who_takes_its_pattern_back_has_nothing() {
    let mut bench = Bench::new(&[("orders", 1)]);
    join(&mut bench, "A", "o.*");
    bench.beat("A", 1);
    let asked = ConsumerGroupHeartbeat { pattern: Some("".into()), ..super::bench::heartbeat("A", 2) };
    let told = bench.later(2_000).send(&asked).expect("it is a member");
    assert_eq!((told.epoch, told.assignment.map(|own| own.len())), (2, Some(0)));
    assert_eq!(bench.owns("A", 2, &[]), answer(3, None));
    assert!(!bench.group().is_subscribed_to("orders"));
}
