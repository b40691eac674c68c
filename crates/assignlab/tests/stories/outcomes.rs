//! Outcomes in the corners: empty groups, topics that grow or go, subscriptions, share groups, Kafka's exceptions.

use assignlab::{Assignor, Change, Group, GroupMember, GroupTopic, TopicPartition};

use crate::{held, moved, outcome, story};

#[track_caller]
fn check_sentence(link: &str, id: &str, expected: &str) {
    let story = story(link);
    assert_eq!(outcome(story.step(), id).sentence(&story.step().plan), expected, "{id} in {link}");
}

#[test]
fn sentences_say_what_happened() {
    check_sentence("topics=orders:6&members=A", "client-range", "6 partitions dealt for the first time.");
    check_sentence(
        "topics=orders:2&members=A&do=grow:orders:3",
        "client-range",
        "p2 dealt for the first time, 2 stay.",
    );
    check_sentence(
        "topics=orders:6&members=A,B&do=join:C",
        "client-range",
        "p2 moves to B, p4 and p5 move to C, 3 stay.",
    );
    check_sentence("topics=orders:1&members=A&do=join:B", "client-sticky", "Nothing moves, 1 stay.");
    check_sentence(
        "topics=orders:2&members=A&do=leave:A",
        "client-sticky",
        "Nobody is in the group, so no assignor runs.",
    );
    check_sentence("members=A", "server-uniform", "There is nothing to assign.");
    check_sentence("topics=a:1,b:1&members=A&do=subscribe:A:a", "client-range", "b-0 is left to nobody, 1 stays.");
}

#[test]
fn an_empty_group_has_no_assignment_and_comes_back() {
    let story = story("topics=orders:2&members=A&do=leave:A,join:A");
    for assignor in Assignor::ALL {
        let [_, gone, back] = [0, 1, 2].map(|step| story.steps()[step].outcome(assignor).clone());
        assert_eq!((gone.rounds, gone.error, gone.moves.len()), (0, None, 2), "{assignor:?}");
        assert_eq!(gone.assignment, Vec::<Vec<TopicPartition>>::new());
        assert_eq!((back.counts(), back.dealt.len(), back.moves.len()), (vec![2], 2, 0), "{assignor:?}");
    }
}

#[test]
fn an_empty_group_makes_some_assignors_throw() {
    let group = Group {
        topics: vec![GroupTopic { name: "t".into(), partitions: Some(2), ..GroupTopic::default() }],
        members: vec![],
    };
    let error = |id| Assignor::from_id(id).expect("an assignor").assign(&group).map_err(|error| error.java());
    assert_eq!(error("range"), Ok(vec![]));
    for (id, text) in [
        ("roundrobin", "java.lang.IllegalArgumentException: CircularIterator can only be used on non-empty lists"),
        ("sticky", "java.lang.ArithmeticException: / by zero"),
        ("cooperative-sticky", "java.lang.ArithmeticException: / by zero"),
    ] {
        assert_eq!(error(id), Err(Some(text.to_owned())), "{id}");
    }
}

#[test]
fn a_topic_without_metadata_is_refused_by_the_coordinators_assignors() {
    let topic = GroupTopic { name: "t".into(), ..GroupTopic::default() };
    let member = GroupMember { id: "A".into(), topics: vec![0], ..GroupMember::default() };
    let group = Group { topics: vec![topic], members: vec![member] };
    let error = |id| Assignor::from_id(id).expect("an assignor").assign(&group).map_err(|error| error.java());
    let of_coordinator = "org.apache.kafka.coordinator.group.api.assignor.PartitionAssignorException: ";
    assert_eq!(
        error("server-range"),
        Err(Some(format!("{of_coordinator}Member is subscribed to a non-existent topic")))
    );
    let Err(Some(text)) = error("uniform") else { panic!("uniform refuses it") };
    assert!(text.starts_with(of_coordinator) && text.ends_with("which doesn't exist in the topic metadata."), "{text}");
    assert_eq!(error("range"), Ok(vec![vec![]]));
}

#[test]
fn every_partition_has_one_member_in_every_step() {
    let story = story(
        "topics=orders:6,payments:4&members=A,B&do=join:C,grow:orders:9,create:new:3,leave:A,delete:payments,subscribe:B:orders,join:D:i1",
    );
    for step in story.steps() {
        for assignor in Assignor::ALL.into_iter().take(6) {
            for own in step.plan.partitions() {
                assert_eq!(step.outcome(assignor).owners(own).count(), 1, "{own:?} {assignor:?} {:?}", step.change);
            }
        }
    }
}

#[test]
fn a_deleted_topic_takes_its_partitions_along() {
    let mut story = story("topics=a:2,b:2&members=A,B:::b&do=delete:b");
    assert_eq!(held(story.step(), "client-sticky"), "A p0,p1 · B");
    assert_eq!(moved(story.step(), "client-sticky"), "");
    story.act(Change::Create(assignlab::Topic::new("b", 2))).unwrap();
    assert_eq!(outcome(story.step(), "client-sticky").dealt.len(), 2, "it is another topic");
}

#[test]
fn members_of_a_share_group_share() {
    let three = story("topics=orders:2&members=A,B,C");
    let outcome = outcome(three.step(), "share-simple");
    assert_eq!(outcome.counts().iter().sum::<usize>(), 4);
    assert_eq!(outcome.without_member(&three.step().plan), []);
}

#[test]
fn partitions_that_nobody_subscribes_to_have_nobody() {
    let story = story("topics=a:2,b:1&members=A:::a");
    for assignor in Assignor::ALL {
        let without = story.step().outcome(assignor).without_member(&story.step().plan);
        assert_eq!(without, [TopicPartition { topic: 1, partition: 0 }], "{assignor:?}");
    }
}

#[test]
fn the_whole_lab_at_its_limits_is_computed_soon() {
    let topics: Vec<String> = (0..8).map(|number| format!("t{number}:30")).collect();
    let members: Vec<String> =
        (0..23).map(|number| format!("m{number}:::t{}~t{}", number % 8, (number + 3) % 8)).collect();
    let mut story = story(&format!("topics={}&members={}", topics.join(","), members.join(",")));
    for number in 0..20 {
        let id = format!("x{number}");
        story.act(Change::Join(assignlab::Member::new(id.clone()))).unwrap();
        story.act(Change::Leave { member: id }).unwrap();
    }
    assert_eq!(story.steps().len(), 41);
}
