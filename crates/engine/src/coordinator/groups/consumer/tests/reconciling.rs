//! The automaton of one member, row by row.

use super::bench::{partitions, texts};
use crate::coordinator::groups::consumer::reconcile::{Step, step};
use crate::event::TopicPartition;
use crate::event::internal::CurrentValue;
use crate::group::MemberState::{self, Stable, UnreleasedPartitions, UnrevokedPartitions};

/// A case: where a member at epoch 10 stands, and what is around it; the target is of epoch 11.
#[derive(Default)]
struct Case {
    state: MemberState,
    epoch: i32,
    assigned: &'static [&'static str],
    revoking: &'static [&'static str],
    target: &'static [&'static str],
    /// What others have.
    taken: &'static [&'static str],
    owned: Option<&'static [&'static str]>,
    /// Topics that it does not subscribe to.
    foreign: &'static str,
    is_subscription_changed: bool,
}

const BASE: Case = Case {
    state: Stable,
    epoch: 10,
    assigned: &["a-0", "a-1"],
    revoking: &[],
    target: &["a-0", "a-1"],
    taken: &[],
    owned: None,
    foreign: "",
    is_subscription_changed: false,
};

fn with_epoch(names: &[&str], epoch: i32) -> Vec<(TopicPartition, i32)> {
    partitions(names).into_iter().map(|partition| (partition, epoch)).collect()
}

/// Epoch, state, what it has (with the epoch of each) and what it gives up.
fn check(case: &Case, epoch: i32, state: MemberState, assigned: &[(&str, i32)], revoking: &[&str]) {
    let current = CurrentValue {
        epoch: case.epoch,
        previous_epoch: 9,
        state: case.state,
        assigned: with_epoch(case.assigned, 8),
        revoking: with_epoch(case.revoking, 8),
    };
    let taken = partitions(case.taken);
    let owned = case.owned.map(partitions);
    let next = step(
        &current,
        &Step {
            target_epoch: 11,
            target: &partitions(case.target),
            is_subscribed: &|topic| **topic != *case.foreign,
            is_taken: &|partition| taken.contains(partition),
            owned: owned.as_deref(),
            is_subscription_changed: case.is_subscription_changed,
        },
    );
    let names = |list: &[(TopicPartition, i32)]| {
        let texts = texts(&list.iter().map(|(partition, _)| partition.clone()).collect::<Vec<_>>());
        texts.into_iter().zip(list.iter().map(|(_, epoch)| *epoch)).collect::<Vec<_>>()
    };
    let expected: Vec<(String, i32)> = assigned.iter().map(|(name, epoch)| (name.to_string(), *epoch)).collect();
    assert_eq!((next.epoch, next.state), (epoch, state));
    assert_eq!(names(&next.assigned), expected);
    assert_eq!(names(&next.revoking).into_iter().map(|(name, _)| name).collect::<Vec<_>>(), revoking);
}

#[test]
fn a_stable_member_goes_to_a_new_target() {
    check(&BASE, 11, Stable, &[("a-0", 8), ("a-1", 8)], &[]);
    let more = Case { target: &["a-0", "a-1", "a-2"], ..BASE };
    check(&more, 11, Stable, &[("a-0", 8), ("a-1", 8), ("a-2", 11)], &[]);
    let taken = Case { taken: &["a-2"], ..more };
    check(&taken, 11, UnreleasedPartitions, &[("a-0", 8), ("a-1", 8)], &[]);
    let half = Case { target: &["a-0", "a-2", "a-3"], assigned: &["a-0"], taken: &["a-3"], ..BASE };
    check(&half, 11, UnreleasedPartitions, &[("a-0", 8), ("a-2", 11)], &[]);
    let nothing = Case { target: &[], assigned: &[], ..BASE };
    check(&nothing, 11, Stable, &[], &[]);
}

#[test]
fn what_has_to_go_goes_first() {
    let less = Case { target: &["a-1", "a-2"], ..BASE };
    check(&less, 10, UnrevokedPartitions, &[("a-1", 8)], &["a-0"]);
    let owning = Case { owned: Some(&["a-0", "a-1"]), ..less };
    check(&owning, 10, UnrevokedPartitions, &[("a-1", 8)], &["a-0"]);
    let gone = Case { owned: Some(&["a-1"]), ..owning };
    check(&gone, 11, Stable, &[("a-1", 8), ("a-2", 11)], &[]);
}

#[test]
fn a_member_that_revokes_waits_until_it_says_that_it_is_done() {
    let revoking =
        Case { state: UnrevokedPartitions, assigned: &["a-1"], revoking: &["a-0"], target: &["a-1", "a-2"], ..BASE };
    check(&revoking, 10, UnrevokedPartitions, &[("a-1", 8)], &["a-0"]);
    check(&Case { owned: Some(&["a-0"]), ..revoking }, 10, UnrevokedPartitions, &[("a-1", 8)], &["a-0"]);
    let revoking = Case { owned: Some(&["a-1"]), ..revoking };
    check(&revoking, 11, Stable, &[("a-1", 8), ("a-2", 11)], &[]);
    check(&Case { taken: &["a-2"], ..revoking }, 11, UnreleasedPartitions, &[("a-1", 8)], &[]);
    let again = Case { target: &["a-2"], owned: Some(&["a-1"]), ..revoking };
    check(&again, 10, UnrevokedPartitions, &[], &["a-1"]);
}

#[test]
fn a_member_that_waits_takes_what_has_become_free() {
    let waiting = Case {
        state: UnreleasedPartitions,
        epoch: 11,
        assigned: &["a-0"],
        target: &["a-0", "a-1", "a-2"],
        taken: &["a-1", "a-2"],
        ..BASE
    };
    check(&waiting, 11, UnreleasedPartitions, &[("a-0", 8)], &[]);
    let one = Case { taken: &["a-2"], ..waiting };
    check(&one, 11, UnreleasedPartitions, &[("a-0", 8), ("a-1", 11)], &[]);
    check(&Case { taken: &[], ..waiting }, 11, Stable, &[("a-0", 8), ("a-1", 11), ("a-2", 11)], &[]);
}

#[test]
fn topics_that_a_member_drops_leave_at_once() {
    let dropping = Case {
        epoch: 11,
        assigned: &["a-0", "b-0"],
        target: &["a-0", "b-0"],
        foreign: "b",
        is_subscription_changed: true,
        ..BASE
    };
    check(&dropping, 11, UnrevokedPartitions, &[("a-0", 8)], &["b-0"]);
    check(&Case { owned: Some(&["a-0"]), ..dropping }, 11, Stable, &[("a-0", 8)], &[]);
    check(&Case { is_subscription_changed: false, ..dropping }, 11, Stable, &[("a-0", 8), ("b-0", 8)], &[]);
    let revoking = Case { state: UnrevokedPartitions, epoch: 10, revoking: &["a-1"], ..dropping };
    check(&revoking, 10, UnrevokedPartitions, &[("a-0", 8)], &["a-1", "b-0"]);
    let older = Case { epoch: 10, ..dropping };
    check(&older, 10, UnrevokedPartitions, &[("a-0", 8)], &["b-0"]);
}
