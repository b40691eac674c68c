//! A member joins a group of one, step by step; the epochs are those of a running broker.

use super::bench::{Bench, answer};

#[test]
fn a_second_member_gets_what_the_first_gives_up() {
    let mut bench = Bench::new(&[("t", 2)]);
    assert_eq!(bench.join("A", &["t"]), answer(2, Some(&["t-0", "t-1"])));
    assert_eq!(bench.owns("A", 2, &["t-0", "t-1"]), answer(2, None));
    assert_eq!(bench.stands(), (2, 2, "Stable"));

    assert_eq!(bench.later(2_000).join("B", &["t"]), answer(3, Some(&[])));
    assert_eq!(bench.member("B"), (3, "UNRELEASED_PARTITIONS", vec![]));
    assert_eq!(bench.stands(), (3, 3, "Reconciling"));

    assert_eq!(bench.later(1_000).beat("A", 2), answer(2, Some(&["t-0"])));
    assert_eq!(bench.member("A"), (2, "UNREVOKED_PARTITIONS", vec!["t-0".to_string()]));
    assert_eq!(bench.beat("A", 2), answer(2, None), "it is told once");

    assert_eq!(bench.owns("A", 2, &["t-0"]), answer(3, None));
    assert_eq!(bench.member("A"), (3, "STABLE", vec!["t-0".to_string()]));
    assert_eq!(bench.stands(), (3, 3, "Reconciling"));

    assert_eq!(bench.later(1_000).beat("B", 3), answer(3, Some(&["t-1"])));
    assert_eq!(bench.stands(), (3, 3, "Stable"));
}

#[test]
fn a_member_that_joins_within_the_assignment_interval_waits_for_a_later_heartbeat() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.join("A", &["t"]);
    assert_eq!(bench.later(999).join("B", &["t"]), answer(2, Some(&[])));
    assert_eq!(bench.stands(), (3, 2, "Assigning"));
    assert_eq!(bench.member("B"), (2, "STABLE", vec![]));
    assert_eq!(bench.later(1).beat("A", 2), answer(2, Some(&["t-0"])));
    assert_eq!(bench.stands(), (3, 3, "Reconciling"));
    assert_eq!(bench.owns("A", 2, &["t-0"]), answer(3, None));
    assert_eq!(bench.beat("B", 2), answer(3, Some(&["t-1"])));
    assert_eq!(bench.stands(), (3, 3, "Stable"));
}

#[test]
fn without_an_interval_every_join_is_assigned_at_once() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.settings.assignment_interval = crate::time::Duration::ZERO;
    bench.join("A", &["t"]);
    assert_eq!(bench.join("B", &["t"]), answer(3, Some(&[])));
    assert_eq!(bench.stands(), (3, 3, "Reconciling"));
}

#[test]
fn a_member_that_leaves_frees_its_partitions_for_the_next_heartbeat() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.join("A", &["t"]);
    bench.later(2_000).join("B", &["t"]);
    bench.beat("A", 2);
    bench.owns("A", 2, &["t-0"]);
    bench.beat("B", 3);
    assert_eq!(bench.later(2_000).beat("B", -1), answer(-1, None));
    assert_eq!(bench.stands(), (4, 3, "Assigning"));
    assert_eq!(bench.beat("A", 3), answer(4, Some(&["t-0", "t-1"])));
    assert_eq!(bench.stands(), (4, 4, "Stable"));
    assert_eq!(bench.beat("A", -1), answer(-1, None));
    assert_eq!(bench.stands(), (5, 4, "Empty"));
    assert_eq!(bench.later(2_000).join("C", &["t"]), answer(6, Some(&["t-0", "t-1"])));
}
