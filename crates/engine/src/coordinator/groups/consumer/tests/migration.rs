//! Groups that change their protocol while members are in them.

use std::rc::Rc;

use super::bench::{Bench, answer, heartbeat, joining, partitions, texts};
use crate::coordinator::groups::effects::MigrationPolicy;
use crate::coordinator::groups::group::Group;
use crate::coordinator::groups::offset_state::OffsetState;
use crate::coordinator::groups::serving::{self, Request};
use crate::coordinator::writing::Asker;
use crate::event::Name;
use crate::event::internal::InternalRecord;
use crate::group::{GroupEvent, RemovalReason};
use crate::message::group::Subscription;
use crate::message::{ConsumerGroupHeartbeat, Heartbeat, JoinGroup, LeaveGroup, Payload, SyncGroup};
use crate::queue::Target;
use crate::time::Duration;

/// What comes of a request: the name of the error, or what it tells.
type Told<T> = Result<T, String>;

fn serve(bench: &mut Bench, payload: &Payload) -> Option<Payload> {
    let offsets = OffsetState::default();
    let asker: Asker = super::bench::asker();
    let uuid = "00000000-0000-0000-0000-000000000001";
    bench.act(|slot, context, effects| {
        serving::serve(slot, &Request { asker, payload, uuid, offsets: &offsets }, context, effects);
    })
}

fn join_request(member: &str, protocols: &[&str], owned: &[&str]) -> JoinGroup {
    let told =
        Subscription { topics: vec!["t".into()], owned: partitions(owned), generation: -1, ..Subscription::default() };
    let told = Rc::new(told);
    JoinGroup {
        group: "g".into(),
        member: member.into(),
        instance: None,
        client_id: "A".into(),
        protocol_type: "consumer".into(),
        protocols: protocols.iter().map(|name| (Name::from(*name), Rc::clone(&told))).collect(),
        session_timeout: Duration::from_secs(10),
        rebalance_timeout: Duration::from_secs(60),
        can_skip_assignment: true,
        reason: "".into(),
        sender: Target::Consumer(0),
    }
}

/// The member's id and generation.
fn join_classic(bench: &mut Bench, asked: JoinGroup) -> (String, Told<i32>) {
    match serve(bench, &Payload::JoinGroup(asked)) {
        Some(Payload::JoinGroupAnswer(answer)) => {
            let result = answer.result.map(|joined| joined.generation).map_err(|error| error.error);
            (answer.member.to_string(), result)
        }
        _ => (String::new(), Err("waits".to_string())),
    }
}

fn sync(bench: &mut Bench, member: &str, generation: i32, given: &[&str]) -> Told<Vec<String>> {
    let asked = SyncGroup {
        group: "g".into(),
        generation,
        member: member.into(),
        instance: None,
        protocol_type: "consumer".into(),
        protocol: "range".into(),
        assignments: vec![(member.into(), partitions(given))],
        sender: Target::Consumer(0),
    };
    match serve(bench, &Payload::SyncGroup(asked)) {
        Some(Payload::SyncGroupAnswer { result, .. }) => result.map(|own| texts(&own)).map_err(|error| error.error),
        other => panic!("{other:?}"),
    }
}

fn beat_classic(bench: &mut Bench, member: &str, generation: i32) -> Told<()> {
    let asked =
        Heartbeat { group: "g".into(), generation, member: member.into(), instance: None, sender: Target::Consumer(0) };
    match serve(bench, &Payload::Heartbeat(asked)) {
        Some(Payload::HeartbeatAnswer { result, .. }) => result.map_err(|error| error.error),
        other => panic!("{other:?}"),
    }
}

/// A classic group with one member that has both partitions of `t`, in generation 1. Returns the member's id.
fn classic(bench: &mut Bench) -> String {
    let (id, told) = join_classic(bench, join_request("", &["range"], &[]));
    assert_eq!(told, Err("MEMBER_ID_REQUIRED".to_string()));
    let (_, waits) = join_classic(bench, join_request(&id, &["range"], &[]));
    assert!(waits.is_err(), "the first one waits for others: {waits:?}");
    bench.later(3_000).act(serving::expire);
    assert_eq!(sync(bench, &id, 1, &["t-0", "t-1"]), Ok(vec!["t-0".to_string(), "t-1".to_string()]));
    id
}

#[test]
fn a_member_of_the_consumer_protocol_converts_the_group() {
    let mut bench = Bench::new(&[("t", 2)]);
    let id = classic(&mut bench);
    assert_eq!(bench.later(5_000).join("B", &["t"]), answer(2, Some(&[])));
    assert_eq!(bench.stands(), (2, 2, "Reconciling"));
    assert_eq!(bench.member(&id), (1, "STABLE", vec!["t-0".to_string(), "t-1".to_string()]));

    // The classic member gives everything up before it joins.
    let in_progress = || "REBALANCE_IN_PROGRESS".to_string();
    assert_eq!(beat_classic(&mut bench, &id, 1), Err(in_progress()));
    assert_eq!(sync(&mut bench, &id, 1, &[]), Err(in_progress()));
    assert_eq!(join_classic(&mut bench, join_request(&id, &["range"], &[])), (id.clone(), Ok(2)));
    assert_eq!(beat_classic(&mut bench, &id, 1), Err("ILLEGAL_GENERATION".to_string()));
    assert_eq!(sync(&mut bench, &id, 2, &[]).map(|own| own.len()), Ok(1));
    assert_eq!(beat_classic(&mut bench, &id, 2), Ok(()));
    assert_eq!(bench.beat("B", 2).1.map(|own| own.len()), Some(1));
    assert_eq!(bench.stands(), (2, 2, "Stable"));
    assert!(bench.group().view().members.iter().any(|member| member.is_classic));

    // And back: the last member of the consumer protocol leaves.
    assert_eq!(bench.later(5_000).beat("B", -1), answer(-1, None));
    let view = match bench.slot.as_deref() {
        Some(Group::Classic(group)) => group.view(),
        other => panic!("{other:?}"),
    };
    assert_eq!((view.epoch, view.state.name(), view.members.len()), (2, "PreparingRebalance", 1));
    assert_eq!(beat_classic(&mut bench, &id, 2), Err(in_progress()));
    assert_eq!(join_classic(&mut bench, join_request(&id, &["range"], &[])), (id.clone(), Ok(3)));
}

#[test]
fn a_cooperative_member_keeps_its_generation_while_it_gives_partitions_up() {
    let mut bench = Bench::new(&[("t", 2)]);
    let id = classic(&mut bench);
    bench.later(5_000).join("B", &["t"]);
    assert_eq!(join_classic(&mut bench, join_request(&id, &["range"], &["t-0", "t-1"])), (id.clone(), Ok(1)));
    let kept = sync(&mut bench, &id, 1, &[]).expect("it has joined");
    assert_eq!(kept.len(), 1);
    assert_eq!(beat_classic(&mut bench, &id, 1), Err("REBALANCE_IN_PROGRESS".to_string()));
    let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
    assert_eq!(join_classic(&mut bench, join_request(&id, &["range"], &kept)), (id.clone(), Ok(2)));
    assert_eq!(sync(&mut bench, &id, 2, &[]).map(|own| own.len()), Ok(1));
}

#[test]
fn a_classic_member_joins_a_group_of_the_consumer_protocol() {
    let mut bench = Bench::new(&[("t", 2)]);
    bench.join("B", &["t"]);
    let (id, told) = join_classic(bench.later(2_000), join_request("", &["range", "sticky"], &[]));
    assert_eq!((id.len(), told), (22, Err("MEMBER_ID_REQUIRED".to_string())), "an id as Kafka writes it");
    assert_eq!(join_classic(&mut bench, join_request(&id, &["range", "sticky"], &[])), (id.clone(), Ok(3)));
    let (_, told) = join_classic(&mut bench, join_request("other", &["roundrobin"], &[]));
    assert_eq!(told, Err("INCONSISTENT_GROUP_PROTOCOL".to_string()));
    assert_eq!(sync(&mut bench, &id, 3, &[]), Ok(vec![]), "the other one has everything still");
    assert_eq!(beat_classic(&mut bench, &id, 3), Ok(()), "it waits");
    bench.beat("B", 2);
    bench.owns("B", 2, &["t-0"]);
    assert_eq!(beat_classic(&mut bench, &id, 3), Err("REBALANCE_IN_PROGRESS".to_string()));
    assert_eq!(join_classic(&mut bench, join_request(&id, &["range", "sticky"], &[])), (id.clone(), Ok(3)));
    assert_eq!(sync(&mut bench, &id, 3, &[]), Ok(vec!["t-1".to_string()]));
    let leave = LeaveGroup {
        group: "g".into(),
        members: vec![(id.as_str().into(), None), ("nobody".into(), None)],
        reason: "".into(),
        sender: Target::Consumer(0),
    };
    let Some(Payload::LeaveGroupAnswer { result: Ok(results), .. }) = serve(&mut bench, &Payload::LeaveGroup(leave))
    else {
        panic!("another answer")
    };
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false]);
    assert_eq!(bench.stands(), (4, 3, "Assigning"));
}

#[test]
fn a_classic_member_that_does_not_join_again_in_time_is_removed() {
    let mut bench = Bench::new(&[("t", 2)]);
    let id = classic(&mut bench);
    bench.later(5_000).join("B", &["t"]);
    for _ in 0..12 {
        let _ = beat_classic(&mut bench, &id, 1);
        bench.later(5_000);
        bench.beat("B", 2);
        bench.expire();
    }
    let removed = bench.events.iter().find_map(|event| match event {
        GroupEvent::MemberRemoved { member, reason, .. } => Some((member.to_string(), *reason)),
        _ => None,
    });
    assert_eq!(removed, Some((id, RemovalReason::RebalanceTimeout)));
}

#[test]
fn the_policy_can_forbid_it() {
    let mut bench = Bench::new(&[("t", 2)]);
    classic(&mut bench);
    bench.settings.migration = MigrationPolicy::Downgrade;
    let refusal = bench.send(&joining("B", &["t"])).expect_err("it is forbidden");
    let text = "Cannot upgrade classic group g to consumer group because online upgrade is disabled.";
    assert_eq!((refusal.error.as_str(), refusal.message.as_str()), ("GROUP_ID_NOT_FOUND", text));
    let text = "Group g is not a consumer group.";
    assert_eq!(bench.send(&heartbeat("B", 3)).expect_err("it is none").message, text);

    bench.settings.migration = MigrationPolicy::Upgrade;
    bench.join("B", &["t"]);
    bench.beat("B", -1);
    assert_eq!(bench.stands(), (3, 2, "Assigning"), "it stays a group of the consumer protocol");
}

#[test]
fn a_refused_member_leaves_the_classic_group_as_it_was() {
    let mut bench = Bench::new(&[("t", 2)]);
    classic(&mut bench);
    let (records, events) = (bench.records.len(), bench.events.len());
    let asked = ConsumerGroupHeartbeat { topics: None, pattern: Some("(".into()), ..joining("B", &[]) };
    assert_eq!(bench.send(&asked).expect_err("no pattern").error, "INVALID_REGULAR_EXPRESSION");
    assert!(matches!(bench.slot.as_deref(), Some(Group::Classic(group)) if group.generation == 1));
    assert_eq!((bench.records.len(), bench.events.len()), (records, events));
}

#[test]
fn an_empty_classic_group_makes_way() {
    let mut bench = Bench::new(&[("t", 2)]);
    let id = classic(&mut bench);
    let leave = LeaveGroup {
        group: "g".into(),
        members: vec![(id.as_str().into(), None)],
        reason: "".into(),
        sender: Target::Consumer(0),
    };
    serve(&mut bench, &Payload::LeaveGroup(leave));
    assert_eq!(bench.join("B", &["t"]), answer(2, Some(&["t-0", "t-1"])));
}

#[test]
fn a_converted_group_comes_back_out_of_its_records() {
    use crate::coordinator::groups::consumer::ConsumerGroup;

    let mut bench = Bench::new(&[("t", 2)]);
    classic(&mut bench);
    bench.later(5_000).join("B", &["t"]);
    let mut other = ConsumerGroup::new("g".into());
    for record in &bench.records {
        if let InternalRecord::Group(record) = record {
            other.replay(record);
        }
    }
    let strip = |group: &ConsumerGroup| {
        let mut view = group.view();
        view.members.iter_mut().for_each(|member| (member.session_ends, member.is_joining) = (None, false));
        view
    };
    assert_eq!(strip(&other), strip(bench.group()));
}
