//! The tables of the lessons `range-vs-round-robin`, `sticky-moves-less` and `server-side-assignors`.

use assignlab::{Assignor, UnknownAssignor};

use crate::{held, moved, outcome, story};

const RANGE: &str = "client-range";
const ROUND_ROBIN: &str = "client-roundrobin";
const STICKY: &str = "client-sticky";
const COOPERATIVE: &str = "client-cooperative-sticky";
const UNIFORM: &str = "server-uniform";
const SERVER_RANGE: &str = "server-range";

/// A alone, B joins, C joins, B leaves.
const IN_TURN: &str = "topics=orders:6&members=A&do=join:B,join:C,leave:B";

#[track_caller]
fn check_held(link: &str, cases: &[(&str, &str)]) {
    for (id, expected) in cases {
        assert_eq!(held(story(link).step(), id), *expected, "{id} in {link}");
    }
}

#[track_caller]
fn check_counts(link: &str, cases: &[(&str, &[usize])]) {
    for (id, expected) in cases {
        assert_eq!(outcome(story(link).step(), id).counts(), *expected, "{id} in {link}");
    }
}

#[track_caller]
fn check_moved(link: &str, cases: &[(&str, &str)]) {
    for (id, expected) in cases {
        assert_eq!(moved(story(link).step(), id), *expected, "{id} in {link}");
    }
}

#[test]
fn range_gives_runs_and_round_robin_deals() {
    check_held(
        "topics=orders:6&members=c1,c2,c3,c4",
        &[(RANGE, "c1 p0,p1 · c2 p2,p3 · c3 p4 · c4 p5"), (ROUND_ROBIN, "c1 p0,p4 · c2 p1,p5 · c3 p2 · c4 p3")],
    );
    check_held(
        "topics=orders:3,payments:3&members=c1,c2",
        &[(ROUND_ROBIN, "c1 orders-0,orders-2,payments-1 · c2 orders-1,payments-0,payments-2")],
    );
}

#[test]
fn eight_members_share_six_partitions_and_two_are_idle() {
    let eight = story("topics=orders:6&members=c1,c2,c3,c4,c5,c6,c7,c8");
    for id in [RANGE, ROUND_ROBIN] {
        let outcome = outcome(eight.step(), id);
        assert_eq!(outcome.counts(), [1, 1, 1, 1, 1, 1, 0, 0], "{id}");
        assert_eq!((outcome.spread(), outcome.idle()), (Some((0, 1)), 2), "{id}");
    }
}

#[test]
fn range_loads_the_first_member_topic_after_topic() {
    check_counts("topics=a:3,b:3&members=c1,c2", &[(RANGE, &[4, 2]), (ROUND_ROBIN, &[3, 3])]);
    check_counts("topics=a:3,b:3,c:3&members=c1,c2", &[(RANGE, &[6, 3]), (ROUND_ROBIN, &[5, 4])]);
}

#[test]
fn partitions_of_one_number_meet_under_range_only() {
    let two = story("topics=orders:3,payments:3&members=c1,c2");
    assert_eq!(outcome(two.step(), RANGE).meetings(&two.step().plan), [Some(0), Some(0), Some(1)]);
    assert_eq!(outcome(two.step(), ROUND_ROBIN).meetings(&two.step().plan), [None; 3]);
}

#[test]
fn another_member_moves_more_under_round_robin() {
    check_moved(
        "topics=orders:6&members=A,B&do=join:C",
        &[(RANGE, "p2 p4 p5"), (ROUND_ROBIN, "p2 p3 p4 p5"), (SERVER_RANGE, "p2 p4 p5")],
    );
    check_moved("topics=orders:6&members=A,B,C&do=leave:B", &[(RANGE, "p2 p3"), (ROUND_ROBIN, "p1 p2 p3 p4")]);
    assert_eq!(outcome(story("topics=orders:6&members=A,B&do=join:C").step(), RANGE).moves.len(), 3);
}

#[test]
fn sticky_moves_less() {
    let mut story = story(IN_TURN);
    let counters = [(STICKY, 2, 2), (COOPERATIVE, 2, 2), (RANGE, 3, 2), (ROUND_ROBIN, 4, 4), (UNIFORM, 2, 2)];
    for (id, joins, leaves) in counters {
        let moves = [2, 3].map(|step| outcome(&story.steps()[step], id).moves.len());
        assert_eq!(moves, [joins, leaves], "{id}");
    }
    for (id, last) in [
        (STICKY, "A p0,p1,p3 · C p2,p4,p5"),
        (COOPERATIVE, "A p0,p1,p3 · C p2,p4,p5"),
        (RANGE, "A p0,p1,p2 · C p3,p4,p5"),
        (ROUND_ROBIN, "A p0,p2,p4 · C p1,p3,p5"),
    ] {
        assert_eq!(held(story.step(), id), last, "{id}");
    }
    for id in [STICKY, COOPERATIVE] {
        let steps = story.steps();
        assert_eq!(held(&steps[0], id), "A p0,p1,p2,p3,p4,p5", "{id}");
        assert_eq!(held(&steps[1], id), "A p0,p1,p2 · B p3,p4,p5", "{id}");
        assert_eq!(moved(&steps[2], id), "p2 p5", "{id}");
        let to: Vec<_> = outcome(&steps[3], id).moves.iter().map(|moved| moved.to.join("")).collect();
        assert_eq!((moved(&steps[3], id).as_str(), to.join("")), ("p3 p4", "AC".to_owned()), "{id}");
    }
    story.go(2);
    let sentence = outcome(story.step(), STICKY).sentence(&story.step().plan);
    assert_eq!(sentence, "p2 and p5 move to C, 4 stay.");
}

#[test]
fn sticky_takes_everything_away_and_cooperative_sticky_what_moves() {
    let story = story(IN_TURN);
    let joined = &story.steps()[2];
    let figures = |id| (outcome(joined, id).revoked, outcome(joined, id).rounds, outcome(joined, id).freed.len());
    assert_eq!(figures(STICKY), (6, 1, 0));
    assert_eq!(figures(RANGE), (6, 1, 0));
    assert_eq!(figures(COOPERATIVE), (2, 2, 2));
    assert_eq!(figures(UNIFORM), (2, 1, 0));
    assert_eq!(outcome(&story.steps()[3], COOPERATIVE).rounds, 1, "what B had is free already");
}

#[test]
fn assignors_of_the_coordinator_balance_counts() {
    let joined = story("topics=orders:6&members=A&do=join:B,join:C");
    assert_eq!(outcome(joined.step(), UNIFORM).counts(), [2, 2, 2]);
    assert_eq!(moved(joined.step(), UNIFORM), "p2 p5");
    assert_eq!(held(joined.step(), UNIFORM).rsplit(" · ").next(), Some("C p2,p5"));
    assert_eq!(moved(joined.step(), SERVER_RANGE), "p2 p4 p5");
    check_counts("topics=orders:5&members=A,B", &[(UNIFORM, &[2, 3]), (SERVER_RANGE, &[3, 2])]);
}

#[test]
fn uniform_of_4_0_0_leaves_what_does_not_divide_with_the_first_new_members() {
    let first = |link, counts| check_counts(link, &[("server-uniform-4.0.0", counts)]);
    first("topics=orders:5&members=A,B", &[3, 2]);
    first("topics=orders:8&members=A,B,C", &[3, 3, 2]);
    first("topics=orders:6&members=A,B,C", &[2, 2, 2]);
    first("topics=orders:5&members=A,B&do=leave:A,join:C", &[3, 2]);
}

#[test]
fn assignors_of_the_coordinator_ignore_racks() {
    let racks = "topics=orders:6:a.b.c&members=A::c,B::a,C::b";
    let none = "topics=orders:6&members=A,B,C";
    for id in [UNIFORM, SERVER_RANGE, "share-simple"] {
        assert_eq!(held(story(racks).step(), id), held(story(none).step(), id), "{id}");
    }
    check_held(racks, &[(RANGE, "A p2,p5 · B p0,p3 · C p1,p4")]);
}

#[test]
fn an_unknown_assignor_is_refused_in_kafkas_words() {
    let error = |id| Assignor::from_id(id).map_err(|error: UnknownAssignor| error.to_string());
    assert_eq!(
        error("server-X"),
        Err("ServerAssignor X is not supported. Supported assignors: uniform, range.".to_owned())
    );
    assert_eq!(error("rack"), Err("There is no assignor \"rack\".".to_owned()));
    assert_eq!(error("uniform"), Ok(Assignor::ALL[4]));
    assert_eq!(error("range"), Ok(Assignor::ALL[0]));
}

#[test]
fn static_members_come_first_and_by_instance_id() {
    check_held(
        "topics=orders:3&members=a,b:i2,c:i1",
        &[(RANGE, "a p2 · b p1 · c p0"), (SERVER_RANGE, "a p2 · b p1 · c p0")],
    );
}
