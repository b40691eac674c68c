//! librdkafka's cooperative-sticky where it differs from Java's: who gives what away, and who gets what is left.
//!
//! The groups are those of recordings of librdkafka 2.16.0. Deliberately not here: range and roundrobin, which deal as
//! Java's do.

use crate::support::Group;
use assignor::TopicPartition;
use assignor::client::{Assignor, Library};

/// One letter for a member, and the partitions that it owns.
type Owner<'a> = (&'a str, &'a [u32]);

#[track_caller]
fn check(partitions: u32, owners: &[Owner<'_>], expected: &str) {
    let ids: Vec<&str> = owners.iter().map(|(id, _)| *id).collect();
    let mut group = Group::new(&[("o", partitions)], &ids);
    for (member, (_, owned)) in group.members.iter_mut().zip(owners) {
        member.owned = owned.iter().map(|partition| TopicPartition::new(0, *partition)).collect();
        member.generation = 1;
    }
    let assignment = group.client_by(Library::Librdkafka, Assignor::CooperativeSticky).expect("an assignment");
    assert_eq!(group.text(&assignment), expected);
}

#[test]
fn the_first_deal_goes_round_by_id() {
    let nobody: &[u32] = &[];
    let expected = "A: o-0 o-5 o-10; B: o-1 o-6 o-11; C: o-2 o-7; D: o-3 o-8; E: o-4 o-9";
    check(12, &["A", "B", "C", "D", "E"].map(|id| (id, nobody)), expected);
}

#[test]
fn a_newcomer_gets_the_lowest_of_those_with_the_most() {
    check(6, &[("A", &[0, 1, 2, 3, 4, 5]), ("B", &[])], "A: o-3 o-4 o-5; B: ");
    check(6, &[("A", &[3, 4, 5]), ("B", &[0, 1, 2]), ("C", &[])], "A: o-4 o-5; B: o-1 o-2; C: ");
}

#[test]
fn what_is_left_is_dealt_from_the_highest() {
    check(6, &[("A", &[4, 5]), ("C", &[0, 3])], "A: o-4 o-5 o-2; C: o-0 o-3 o-1");
    let owners: [Owner<'_>; 4] = [("B", &[1, 6, 11]), ("C", &[2, 7]), ("D", &[3, 8]), ("E", &[4, 9])];
    check(12, &owners, "B: o-1 o-6 o-11; C: o-2 o-7 o-10; D: o-3 o-8 o-5; E: o-4 o-9 o-0");
}

#[test]
fn static_members_have_no_precedence() {
    let mut group = Group::new(&[("o", 2)], &["a", "b"]);
    group.members[1].instance = Some("i".into());
    for (library, expected) in [(Library::Java, "a: o-1; b: o-0"), (Library::Librdkafka, "a: o-0; b: o-1")] {
        assert_eq!(group.text(&group.client_by(library, Assignor::Range).unwrap()), expected);
    }
}
