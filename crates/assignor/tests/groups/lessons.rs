//! The assignors on a few partitions, with the numbers that the lessons show, and the worked examples of the sources.

use crate::support::{Group, moves};
use assignor::client::Assignor;
use assignor::{Assignment, server, share};

const RANGE: Assignor = Assignor::Range;
const ROUND_ROBIN: Assignor = Assignor::RoundRobin;

#[track_caller]
fn check(assignor: Assignor, topics: &[(&str, u32)], ids: &[&str], expected: &str) {
    let group = Group::new(topics, ids);
    assert_eq!(group.text(&group.client(assignor).expect("an assignment")), expected);
}

#[test]
fn range_gives_runs_and_round_robin_deals() {
    let four = ["c1", "c2", "c3", "c4"];
    check(RANGE, &[("o", 6)], &four, "c1: o-0 o-1; c2: o-2 o-3; c3: o-4; c4: o-5");
    check(ROUND_ROBIN, &[("o", 6)], &four, "c1: o-0 o-4; c2: o-1 o-5; c3: o-2; c4: o-3");
    check(RANGE, &[("o", 7)], &["c1", "c2", "c3"], "c1: o-0 o-1 o-2; c2: o-3 o-4; c3: o-5 o-6");
    check(ROUND_ROBIN, &[("o", 3), ("p", 3)], &["c1", "c2"], "c1: o-0 o-2 p-1; c2: o-1 p-0 p-2");
}

#[test]
fn range_loads_the_first_member_topic_after_topic() {
    let counts = |assignor: Assignor, topics: &[(&str, u32)], ids: &[&str]| -> Vec<usize> {
        Group::new(topics, ids).client(assignor).unwrap().iter().map(Vec::len).collect()
    };
    let (two, three) = ([("a", 3), ("b", 3)], [("a", 3), ("b", 3), ("c", 3)]);
    assert_eq!(counts(RANGE, &two, &["c1", "c2"]), [4, 2]);
    assert_eq!(counts(ROUND_ROBIN, &two, &["c1", "c2"]), [3, 3]);
    assert_eq!(counts(RANGE, &three, &["c1", "c2"]), [6, 3]);
    assert_eq!(counts(ROUND_ROBIN, &three, &["c1", "c2"]), [5, 4]);
    let eight = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
    for assignor in [RANGE, ROUND_ROBIN] {
        assert_eq!(counts(assignor, &[("o", 6)], &eight), [1, 1, 1, 1, 1, 1, 0, 0]);
    }
}

/// A alone, then B, then C joins, then B leaves: the final assignment, and what moved in the last two steps.
fn story(assign: impl Fn(&Group) -> Assignment, waits: bool) -> (String, [usize; 2]) {
    let mut before: (Vec<String>, Assignment) = Default::default();
    let mut moved = Vec::new();
    let mut text = String::new();
    for (step, ids) in [&["A"][..], &["A", "B"], &["A", "B", "C"], &["A", "C"]].into_iter().enumerate() {
        let mut group = Group::new(&[("o", 6)], ids);
        let mut known = before.clone();
        // A cooperative member gives up first; the next rebalance hands over.
        for round in 0..=i32::from(waits) {
            for member in &mut group.members {
                let place = known.0.iter().position(|id| *id == member.id);
                member.owned = place.map(|place| known.1[place].clone()).unwrap_or_default();
                member.generation = if place.is_some() { 2 * step as i32 + round } else { -1 };
            }
            let assignment = assign(&group);
            known = (ids.iter().map(|id| id.to_string()).collect(), assignment);
        }
        moved.push(moves(&before.1, &before.0, &known.1, &known.0));
        known.1.iter_mut().for_each(|list| list.sort_unstable());
        text = group.text(&known.1);
        before = known;
    }
    (text, [moved[2], moved[3]])
}

#[test]
fn sticky_moves_less() {
    let client = |assignor: Assignor| move |group: &Group| group.client(assignor).unwrap();
    let sticky = ("A: o-0 o-1 o-3; C: o-2 o-4 o-5".to_string(), [2, 2]);
    assert_eq!(story(client(Assignor::Sticky), false), sticky);
    assert_eq!(story(client(Assignor::CooperativeSticky), true), sticky);
    assert_eq!(story(client(RANGE), false), ("A: o-0 o-1 o-2; C: o-3 o-4 o-5".to_string(), [3, 2]));
    assert_eq!(story(client(ROUND_ROBIN), false), ("A: o-0 o-2 o-4; C: o-1 o-3 o-5".to_string(), [4, 4]));
}

#[test]
fn uniform_keeps_and_range_on_the_server_does_not() {
    let on_server =
        |assignor: server::Assignor| move |group: &Group| group.server(|group| assignor.assign(group)).unwrap();
    let (text, moved) = story(on_server(server::Assignor::Uniform), false);
    assert_eq!((text.as_str(), moved), ("A: o-0 o-1 o-3; C: o-2 o-4 o-5", [2, 2]));
    let (text, moved) = story(on_server(server::Assignor::Range), false);
    assert_eq!((text.as_str(), moved), ("A: o-0 o-1 o-2; C: o-3 o-4 o-5", [3, 2]));
}

#[test]
fn two_new_members_share_five_partitions_as_since_4_0_1() {
    let group = Group::new(&[("o", 5)], &["A", "B"]);
    let counts = |assignment: Assignment| assignment.iter().map(Vec::len).collect::<Vec<_>>();
    let assign = |assignor: server::Assignor| group.server(|group| assignor.assign(group)).unwrap();
    assert_eq!(counts(assign(server::Assignor::Uniform)), [2, 3]);
    assert_eq!(counts(assign(server::Assignor::Range)), [3, 2]);
}

#[test]
fn a_share_group_shares_partitions_when_members_are_more() {
    let group = Group::new(&[("o", 2)], &["A", "B", "C"]);
    let counts: Vec<usize> = group.server(share::assign).unwrap().iter().map(Vec::len).collect();
    assert_eq!(counts, [2, 1, 1]);
}
