//! What members are refused, what makes a new epoch, timers, commits.

use std::rc::Rc;

use super::bench::{Bench, answer, heartbeat, joining, partitions};
use crate::coordinator::groups::consumer::ConsumerGroup;
use crate::coordinator::groups::group::Group;
use crate::event::internal::InternalRecord;
use crate::group::{GroupEvent, RemovalReason};
use crate::message::ConsumerGroupHeartbeat;
use crate::time::Duration;

fn refused(bench: &mut Bench, asked: &ConsumerGroupHeartbeat, error: &str, text: &str) {
    let (records, told) = (bench.records.len(), bench.events.len());
    let refusal = bench.send(asked).expect_err(text);
    assert_eq!((refusal.error.as_str(), refusal.message.as_str()), (error, text));
    assert_eq!((bench.records.len(), bench.events.len()), (records, told), "a refusal changes nothing");
}

#[test]
fn requests_that_cannot_be_are_refused() {
    let mut bench = Bench::new(&[("t", 1)]);
    let join = || joining("A", &["t"]);
    let some = |text: &str| Some(text.into());
    let wanted = "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.";
    for (asked, text) in [
        (ConsumerGroupHeartbeat { member: "".into(), ..join() }, "MemberId can't be empty."),
        (ConsumerGroupHeartbeat { group: "".into(), ..join() }, "GroupId can't be empty."),
        (ConsumerGroupHeartbeat { instance: some(""), ..join() }, "InstanceId can't be empty."),
        (ConsumerGroupHeartbeat { rack: some(""), ..join() }, "RackId can't be empty."),
        (
            ConsumerGroupHeartbeat { rebalance_timeout: None, ..join() },
            "RebalanceTimeoutMs must be provided in first request.",
        ),
        (ConsumerGroupHeartbeat { owned: None, ..join() }, "TopicPartitions must be empty when (re-)joining."),
        (ConsumerGroupHeartbeat { topics: None, ..join() }, wanted),
        (heartbeat("A", -2), "InstanceId can't be null."),
        (heartbeat("A", -3), "MemberEpoch is invalid."),
    ] {
        refused(&mut bench, &asked, "INVALID_REQUEST", text);
    }
    let text = "ServerAssignor sticky is not supported. Supported assignors: uniform, range.";
    let asked = ConsumerGroupHeartbeat { assignor: some("sticky"), ..join() };
    refused(&mut bench, &asked, "UNSUPPORTED_ASSIGNOR", text);
    assert!(bench.slot.is_none());
}

#[test]
fn epochs_that_are_not_the_members_are_fenced() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.join("A", &["t"]);
    let greater = "The consumer group member has a greater member epoch (3) than the one known by the group coordinator \
                   (2). The member must abandon all its partitions and rejoin.";
    refused(&mut bench, &heartbeat("A", 3), "FENCED_MEMBER_EPOCH", greater);
    let smaller = "The consumer group member has a smaller member epoch (1) than the one known by the group coordinator \
                   (2). The member must abandon all its partitions and rejoin.";
    refused(&mut bench, &heartbeat("A", 1), "FENCED_MEMBER_EPOCH", smaller);
    refused(&mut bench, &heartbeat("B", 2), "UNKNOWN_MEMBER_ID", "Member B is not a member of group g.");
    refused(&mut bench, &heartbeat("B", -1), "UNKNOWN_MEMBER_ID", "Member B is not a member of group g.");
    assert_eq!(bench.join("A", &["t"]), answer(2, Some(&["t-0", "t-1"])), "who joins again is told again");
}

#[test]
fn the_epoch_before_counts_if_the_answer_may_have_been_lost() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.join("A", &["t"]);
    bench.later(2_000).join("B", &["t"]);
    bench.beat("A", 2);
    assert_eq!(bench.owns("A", 2, &["t-0"]), answer(3, None));
    assert_eq!(bench.owns("A", 2, &["t-0"]), answer(3, None));
    let owned = Some(partitions(&["t-0", "t-1"]));
    let asked = ConsumerGroupHeartbeat { owned, ..heartbeat("A", 2) };
    assert_eq!(bench.send(&asked).expect_err("it has too much").error, "FENCED_MEMBER_EPOCH");
    assert_eq!(bench.send(&heartbeat("A", 2)).expect_err("it says nothing").error, "FENCED_MEMBER_EPOCH");
}

#[test]
fn a_full_group_takes_nobody_else() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.settings.consumer_size_max = 1;
    bench.join("A", &["t"]);
    let text = "The consumer group has reached its maximum capacity of 1 members.";
    refused(&mut bench, &joining("B", &["t"]), "GROUP_MAX_SIZE_REACHED", text);
    bench.join("A", &["t"]);
}

#[test]
fn subscriptions_and_topics_make_epochs_and_assignors_do_not() {
    let mut bench = Bench::new(&[("t", 2), ("u", 1)]);
    bench.join("A", &["t"]);
    let asked = ConsumerGroupHeartbeat { assignor: Some("range".into()), ..heartbeat("A", 2) };
    bench.later(2_000).send(&asked).expect("it votes");
    assert_eq!(bench.stands(), (2, 2, "Stable"));
    let asked = ConsumerGroupHeartbeat { rack: Some("r".into()), ..heartbeat("A", 2) };
    bench.send(&asked).expect("it moves");
    assert_eq!(bench.stands(), (2, 2, "Stable"));
    let asked = ConsumerGroupHeartbeat { topics: Some(vec!["u".into(), "t".into()]), ..heartbeat("A", 2) };
    bench.send(&asked).expect("it subscribes");
    assert_eq!(bench.stands(), (3, 3, "Stable"));
    assert_eq!(bench.member("A").2, ["t-0", "t-1", "u-0"]);
    bench.later(2_000).topic("other", 1);
    assert_eq!(bench.beat("A", 3), answer(3, None));
    bench.topic("t", 3);
    assert_eq!(bench.later(2_000).beat("A", 3), answer(4, Some(&["t-0", "t-1", "t-2", "u-0"])));
    let image = Rc::make_mut(&mut bench.image);
    image.topics.remove("t");
    assert_eq!(bench.later(2_000).beat("A", 4), answer(4, Some(&["u-0"])));
    assert_eq!(bench.owns("A", 4, &["u-0"]), answer(5, None));
    assert_eq!(bench.stands(), (5, 5, "Stable"));
}

#[test]
fn a_topic_that_is_not_there_yet_is_assigned_when_it_is() {
    let mut bench = Bench::new(&[]);
    assert_eq!(bench.join("A", &["t"]), answer(2, Some(&[])));
    bench.later(2_000).topic("t", 1);
    assert_eq!(bench.beat("A", 2), answer(3, Some(&["t-0"])));
}

#[test]
fn most_votes_choose_the_assignor() {
    let mut bench = Bench::new(&[("t", 4)]);
    let join = |bench: &mut Bench, member: &str, assignor: Option<&str>| {
        let asked = ConsumerGroupHeartbeat { assignor: assignor.map(Into::into), ..joining(member, &["t"]) };
        bench.later(2_000).send(&asked).expect("it joins");
        bench.group().view().assignor
    };
    assert_eq!(&*join(&mut bench, "A", None), "uniform");
    assert_eq!(&*join(&mut bench, "B", Some("range")), "range");
    assert_eq!(&*join(&mut bench, "C", None), "range");
    join(&mut bench, "D", Some("uniform"));
    assert_eq!(&*join(&mut bench, "E", Some("uniform")), "uniform");
}

#[test]
fn silence_and_slow_revocation_remove_members() {
    let removed = |bench: &Bench| {
        let reason = |event: &GroupEvent| match event {
            GroupEvent::MemberRemoved { member, reason, .. } => Some((member.to_string(), *reason)),
            _ => None,
        };
        bench.events.iter().filter_map(reason).collect::<Vec<_>>()
    };
    let mut bench = Bench::new(&[("t", 2)]);
    bench.join("A", &["t"]);
    assert_eq!(bench.group().next_due(), Some(bench.now + Duration::from_secs(45)));
    bench.later(44_999).expire();
    assert_eq!(removed(&bench), []);
    bench.beat("A", 2);
    bench.later(45_000).expire();
    assert_eq!(removed(&bench), [("A".to_string(), RemovalReason::SessionExpired)]);
    assert_eq!((bench.stands(), bench.group().next_due()), ((3, 2, "Empty"), None));

    let mut bench = Bench::new(&[("t", 2)]);
    bench.settings.consumer_session_timeout = Duration::from_secs(600);
    bench.join("A", &["t"]);
    bench.later(2_000).join("B", &["t"]);
    bench.beat("A", 2);
    bench.later(299_999).expire();
    bench.beat("A", 2);
    assert_eq!(removed(&bench), []);
    bench.later(1).expire();
    assert_eq!(removed(&bench), [("A".to_string(), RemovalReason::RevocationTimeout)]);
    assert_eq!(bench.beat("B", 3), answer(4, Some(&["t-0", "t-1"])));
}

#[test]
fn commits_count_for_partitions_that_a_member_has_had_long_enough() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.join("A", &["t"]);
    let commit = |bench: &Bench, member: &str, epoch, names: &[&str]| {
        let offsets: Vec<_> = partitions(names).into_iter().map(|partition| (partition, 5)).collect();
        bench.group().check_commit(member, None, epoch, false, &offsets).map_err(|error| error.error)
    };
    let stale = Err("STALE_MEMBER_EPOCH".to_string());
    assert_eq!(commit(&bench, "", -1, &["t-0"]), Err("UNKNOWN_MEMBER_ID".to_string()));
    assert_eq!(bench.group().check_commit("", None, -1, true, &[]), Ok(()), "a producer without a member");
    assert_eq!(commit(&bench, "A", 2, &["t-0"]), Ok(()));
    assert_eq!(commit(&bench, "A", 3, &["t-0"]), stale);
    bench.later(2_000).join("B", &["t"]);
    bench.beat("A", 2);
    bench.owns("A", 2, &["t-0"]);
    bench.beat("B", 3);
    assert_eq!(commit(&bench, "A", 2, &["t-0"]), Ok(()), "it has it since epoch 2");
    assert_eq!(commit(&bench, "A", 1, &["t-0"]), stale);
    assert_eq!(commit(&bench, "A", 2, &["t-0", "t-1"]), stale);
    assert_eq!(commit(&bench, "A", 3, &["t-1"]), Ok(()), "the epoch is looked at, not the owner");
    assert_eq!(commit(&bench, "B", 2, &["t-1"]), stale);
    let fetch = |epoch| bench.group().check_fetch(Some(&("A".into(), epoch))).map_err(|error| error.error);
    assert_eq!((fetch(3), fetch(2)), (Ok(()), stale));
    assert_eq!(bench.group().check_fetch(None), Ok(()));
    bench.beat("A", -1);
    bench.beat("B", -1);
    assert_eq!(commit(&bench, "", -1, &["t-0"]), Ok(()), "a group without members");
}

#[test]
fn a_group_comes_back_out_of_its_records() {
    let mut bench = Bench::new(&[("t", 4), ("u", 1)]);
    bench.join("A", &["t"]);
    bench.later(2_000).join("B", &["t", "u"]);
    bench.beat("A", 2);
    bench.owns("A", 2, &["t-0"]);
    bench.beat("B", -1);
    bench.later(2_000).join("C", &["u"]);
    let mut other = ConsumerGroup::new("g".into());
    for record in &bench.records {
        let InternalRecord::Group(record) = record else { panic!("a record of the group") };
        other.replay(record);
    }
    let strip = |group: &ConsumerGroup| {
        let mut snapshot = group.view();
        snapshot.members.iter_mut().for_each(|member| member.session_ends = None);
        snapshot
    };
    assert_eq!(strip(&other), strip(bench.group()));
    bench.slot = Some(Rc::new(Group::Consumer(other)));
    let before = bench.stands();
    let epoch = bench.member("A").0;
    bench.owns("A", epoch, &["t-0"]);
    assert_eq!(bench.stands().0, before.0, "the same topics make no new epoch");
}
