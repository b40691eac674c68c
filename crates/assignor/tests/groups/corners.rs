//! Inputs at the edge: nobody, nothing, unknown topics, conflicting claims, and what is wrong in an input.

use crate::support::{Group, id};
use assignor::client::Assignor;
use assignor::{AssignorError, InputProblem, TopicPartition, server, share};

fn own(topic: u32, partition: u32) -> TopicPartition {
    TopicPartition::new(topic, partition)
}

#[track_caller]
fn check(assignor: Assignor, group: &Group, expected: &str) {
    assert_eq!(group.text(&group.client(assignor).expect("an assignment")), expected, "{}", assignor.name());
}

#[track_caller]
fn refuses(result: Result<assignor::Assignment, AssignorError>, java: Option<&str>, sentence: &str) {
    let error = result.expect_err("an error");
    assert_eq!((error.java().as_deref(), error.to_string().as_str()), (java, sentence));
}

#[test]
fn a_group_without_members() {
    let group = Group::new(&[("o", 2)], &[]);
    assert_eq!(group.client(Assignor::Range), Ok(vec![]));
    let sentence = "The group has no member; this assignor needs at least one.";
    let circle = "java.lang.IllegalArgumentException: CircularIterator can only be used on non-empty lists";
    refuses(group.client(Assignor::RoundRobin), Some(circle), sentence);
    for assignor in [Assignor::Sticky, Assignor::CooperativeSticky] {
        refuses(group.client(assignor), Some("java.lang.ArithmeticException: / by zero"), sentence);
    }
    for assignor in server::Assignor::ALL {
        assert_eq!(group.server(|group| assignor.assign(group)), Ok(vec![]));
    }
    assert_eq!(group.server(share::assign), Ok(vec![]));
}

#[test]
fn members_without_a_subscription_and_topics_without_metadata() {
    let mut group = Group::new(&[("gone", 0), ("o", 2)], &["A", "B"]);
    for assignor in Assignor::ALL {
        check(assignor, &group, "A: o-0; B: o-1");
    }
    group.members[1].topics.clear();
    for assignor in Assignor::ALL {
        check(assignor, &group, "A: o-0 o-1; B: ");
    }
    // Java takes an empty subscription for equal as long as no other one was seen.
    group.members.swap(0, 1);
    check(Assignor::Range, &group, "B: ; A: o-0 o-1");
    check(Assignor::Sticky, &group, "B: o-1; A: o-0");
    group.members.iter_mut().for_each(|member| member.topics.clear());
    for assignor in Assignor::ALL {
        check(assignor, &group, "B: ; A: ");
    }
}

#[test]
fn unknown_topics_are_errors_on_the_server() {
    let mut group = Group::new(&[("gone", 0), ("o", 2)], &["A", "B"]);
    let class = "org.apache.kafka.coordinator.group.api.assignor.PartitionAssignorException";
    let text =
        format!("{class}: Members are subscribed to topic {} which doesn't exist in the topic metadata.", id("gone"));
    let sentence = format!(
        "A member subscribes to the topic with the id {}, and the coordinator has no metadata of it.",
        id("gone")
    );
    for is_equal in [true, false] {
        refuses(group.server(|group| server::Assignor::Uniform.assign(group)), Some(&text), &sentence);
        refuses(group.server(share::assign), Some(&text), &sentence);
        refuses(
            group.server(|group| server::Assignor::Range.assign(group)),
            Some(&format!("{class}: Member is subscribed to a non-existent topic")),
            "A member subscribes to a topic that does not exist.",
        );
        assert!(is_equal || group.members[1].topics.is_empty());
        group.members[1].topics.clear();
    }
}

#[test]
fn static_members_come_first_by_instance_id() {
    let mut group = Group::new(&[("o", 4)], &["a", "b", "c", "d"]);
    group.members[3].instance = Some("i1".into());
    group.members[1].instance = Some("i2".into());
    check(Assignor::Range, &group, "a: o-2; b: o-1; c: o-3; d: o-0");
    check(Assignor::RoundRobin, &group, "a: o-2; b: o-1; c: o-3; d: o-0");
    let on_server = group.server(|group| server::Assignor::Range.assign(group)).unwrap();
    assert_eq!(group.text(&on_server), "a: o-2; b: o-1; c: o-3; d: o-0");
    // The sticky ones sort by member id only.
    check(Assignor::Sticky, &group, "a: o-0; b: o-1; c: o-2; d: o-3");
}

#[test]
fn of_two_claims_the_newer_generation_wins_and_a_tie_loses_both() {
    let mut group = Group::new(&[("o", 4)], &["A", "B"]);
    group.members[0].owned = vec![own(0, 0), own(0, 1)];
    group.members[1].owned = vec![own(0, 1), own(0, 2)];
    for (generations, sticky, cooperative) in [
        ([5, 4], "A: o-0 o-1; B: o-2 o-3", "A: o-0 o-1; B: o-2 o-3"),
        ([4, 5], "A: o-0 o-3; B: o-1 o-2", "A: o-0 o-3; B: o-1 o-2"),
        // Nobody keeps partition 1, and the cooperative one gives it to nobody yet.
        ([5, 5], "A: o-0 o-1; B: o-2 o-3", "A: o-0; B: o-2 o-3"),
    ] {
        group.members.iter_mut().zip(generations).for_each(|(member, generation)| member.generation = generation);
        check(Assignor::Sticky, &group, sticky);
        check(Assignor::CooperativeSticky, &group, cooperative);
    }
}

#[test]
fn partitions_of_deleted_topics_and_lost_subscriptions_are_dropped() {
    let mut group = Group::new(&[("o", 2), ("gone", 0), ("other", 1)], &["A", "B"]);
    group.members.iter_mut().for_each(|member| member.topics = vec![0]);
    group.members[0].owned = vec![own(1, 0), own(0, 1)];
    group.members[0].generation = 3;
    check(Assignor::Sticky, &group, "A: o-1; B: o-0");
    group.members[1].owned = vec![own(2, 0)];
    group.members[1].generation = 3;
    check(Assignor::CooperativeSticky, &group, "A: o-1; B: o-0");
    // One more member makes the subscriptions different.
    group.members[1].topics = vec![0, 2];
    check(Assignor::Sticky, &group, "A: o-1 o-0; B: other-0");
}

#[test]
fn a_partition_that_does_not_exist_makes_kafka_stumble() {
    let mut group = Group::new(&[("o", 2)], &["A", "B"]);
    group.members[0].owned = vec![own(0, 7)];
    group.members[1].owned = vec![own(0, 0)];
    group.members.iter_mut().for_each(|member| member.generation = 1);
    refuses(
        group.client(Assignor::Sticky),
        Some("java.lang.IllegalStateException: No more unfilled consumers to be assigned."),
        "Partitions are left over and every member is full; a member claims a partition that does not exist.",
    );
    group.topics.push(crate::support::Topic { name: "p".into(), partitions: 1, ..Default::default() });
    group.members[1].topics.push(1);
    refuses(
        group.server(|group| server::Assignor::Uniform.assign(group)),
        Some("java.lang.ArrayIndexOutOfBoundsException: Index 7 out of bounds for length 2"),
        "A member had partition 7 of a topic with 2 partitions; drop it from its previous assignment.",
    );
}

#[test]
fn racks_count_only_where_they_tell_partitions_apart() {
    let mut group = Group::new(&[("o", 4)], &["A", "B"]);
    let racks = |rows: &[&[&str]]| rows.iter().map(|row| row.iter().map(|rack| rack.to_string()).collect()).collect();
    group.members[0].rack = Some("east".into());
    group.members[1].rack = Some("west".into());
    group.topics[0].racks = racks(&[&["west"], &["west"], &["east"], &["east"]]);
    check(Assignor::Range, &group, "A: o-2 o-3; B: o-0 o-1");
    check(Assignor::Sticky, &group, "A: o-2 o-3; B: o-0 o-1");
    // Every partition is everywhere, or nobody is where the partitions are.
    group.topics[0].racks = racks(&[&["west", "east"][..]; 4]);
    check(Assignor::Range, &group, "A: o-0 o-1; B: o-2 o-3");
    group.topics[0].racks = racks(&[&["north"], &["north"], &["south"], &["south"]]);
    check(Assignor::Range, &group, "A: o-0 o-1; B: o-2 o-3");
    check(Assignor::Sticky, &group, "A: o-0 o-2; B: o-1 o-3");
    // An empty rack is none.
    group.members[1].rack = Some(String::new());
    group.topics[0].racks = racks(&[&["west"], &["west"], &["east"], &["east"]]);
    check(Assignor::Range, &group, "A: o-2 o-3; B: o-0 o-1");
}

#[test]
fn what_may_not_be_assigned_is_left_out_of_a_share_group() {
    let mut group = Group::new(&[("o", 3), ("p", 1)], &["A", "B"]);
    group.topics[0].assignable = Some(vec![1]);
    group.topics[1].assignable = Some(vec![]);
    assert_eq!(group.text(&group.server(share::assign).unwrap()), "A: o-1; B: o-1");
}

#[test]
fn inputs_that_contradict_themselves_are_refused_with_a_sentence() {
    let refuses_both = |group: &Group, sentence: &str| {
        for assignor in Assignor::ALL {
            refuses(group.client(assignor), None, sentence);
        }
        refuses(group.server(share::assign), None, sentence);
    };
    refuses_both(&Group::new(&[("o", 1)], &["A", "A"]), "Two members have the id A; ids are unique in a group.");
    refuses_both(&Group::new(&[("o", 1), ("o", 2)], &["A"]), "Two topics have the name o.");
    let mut group = Group::new(&[("o", 1)], &["A"]);
    group.members[0].topics = vec![0, 0];
    refuses_both(&group, "Member A subscribes to o twice; name it once.");
    group.members[0].topics = vec![3];
    refuses_both(&group, "Member A names topic number 3, and the list of topics is shorter.");
    group.members[0].topics = vec![0];
    group.members[0].owned = vec![own(2, 0)];
    refuses_both(&group, "Member A names topic number 2, and the list of topics is shorter.");
    let huge = Group::new(&[("o", u32::MAX), ("p", 2)], &["A"]);
    refuses_both(&huge, "There are more than 4294967294 partitions; use fewer.");
    let mut group = Group::new(&[("o", 2)], &["A"]);
    group.topics[0].racks = vec![vec![]];
    assert_eq!(
        group.client(Assignor::Range),
        Err(InputProblem::RacksMissing { topic: "o".into(), partitions: 2, racks: 1 }.into())
    );
}

#[test]
fn names_lead_to_assignors_and_back() {
    let names: Vec<&str> = Assignor::ALL.map(Assignor::name).to_vec();
    assert_eq!(names, ["range", "roundrobin", "sticky", "cooperative-sticky"]);
    assert!(Assignor::ALL.into_iter().all(|assignor| Assignor::from_name(assignor.name()) == Some(assignor)));
    assert_eq!(server::Assignor::ALL.map(server::Assignor::name), ["uniform", "range"]);
    assert_eq!((Assignor::from_name("uniform"), server::Assignor::from_name("sticky")), (None, None));
}

#[test]
fn of_topics_in_one_bucket_the_newest_comes_first() {
    // Java's map has these two in one bucket, as in the recording `rebalances/two-topics-consumer-uniform`.
    let ids = ["xJoh_7XjQgCGm8MDUnloTg", "MRPkiz8XQbO5Q48C6xM2dw"].map(|text| assignor::Uuid::parse(text).unwrap());
    let topic = |name, id, partitions| server::Topic { name, id, partitions: Some(partitions), assignable: None };
    let topics = [topic("orders-017", ids[0], 4), topic("pay-017", ids[1], 3)];
    let [alone, shared] = ["rwLu8NXQQJKHXYE938G8qQ", "pMBwk27G-MIeU1eJnzV8pA"];
    let member = |id, previous| server::Member { id, instance_id: None, topics: &[0, 1], previous };
    let deal = |members: &[server::Member<'_>]| {
        server::Assignor::Uniform.deal(&server::Group { topics: &topics, members }).expect("an assignment")
    };
    let all = deal(&[member(alone, &[])]).remove(0);
    assert_eq!(all[0], own(1, 0), "{all:?}");
    // Of its four it keeps what comes first.
    let both = deal(&[member(shared, &[]), member(alone, &all)]);
    assert_eq!(both[1], [own(1, 0), own(1, 1), own(1, 2), own(0, 0)]);
}
