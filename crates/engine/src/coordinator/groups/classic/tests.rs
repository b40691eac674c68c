//! Classic groups driven by requests, one line each, and what they answer.

use std::fmt::Write;
use std::rc::Rc;

use super::ClassicGroup;
use crate::coordinator::groups::effects::{Effects, GroupContext, GroupSettings, MigrationPolicy};
use crate::coordinator::groups::group::{Group, Slot};
use crate::coordinator::groups::offset_state::OffsetState;
use crate::coordinator::groups::serving::{self, Request};
use crate::coordinator::writing::Asker;
use crate::event::internal::{GroupRecord, InternalRecord};
use crate::event::{Api, MessageView, Moment, Name, NodeId, TopicPartition};
use crate::group::{GroupEvent, GroupState};
use crate::message::group::Subscription;
use crate::message::{ClusterImage, Heartbeat, JoinGroup, LeaveGroup, OffsetCommit, Payload, SyncGroup, TopicImage};
use crate::queue::Target;
use crate::time::{Duration, Time};

/// One group, its clock and its waiting requests.
struct Bench {
    slot: Slot,
    now: Time,
    ids: u32,
    settings: GroupSettings,
    image: Rc<ClusterImage>,
    /// Who asked, by message.
    askers: Vec<String>,
    log: String,
}

impl Bench {
    fn new() -> Bench {
        let settings = GroupSettings {
            initial_delay: Duration::from_secs(3),
            session_timeouts: (Duration::from_secs(6), Duration::from_secs(1_800)),
            size_max: 3,
            consumer_session_timeout: Duration::from_secs(45),
            consumer_heartbeat_interval: Duration::from_secs(5),
            consumer_size_max: 3,
            assignment_interval: Duration::from_secs(1),
            regex_refresh_interval: Duration::from_secs(600),
            migration: MigrationPolicy::default(),
            share_session_timeout: Duration::from_secs(45),
            share_heartbeat_interval: Duration::from_secs(5),
            share_size_max: 200,
            share_assignment_interval: Duration::from_secs(1),
            offsets_retention: Duration::from_secs(3_600),
        };
        let topic = TopicImage { partitions: vec![Default::default(); 4], ..TopicImage::default() };
        let topics = std::collections::BTreeMap::from([(Name::from("t"), Rc::new(topic))]);
        let image = Rc::new(ClusterImage { topics, ..ClusterImage::default() });
        let (slot, askers, log) = (None, Vec::new(), String::new());
        Bench { slot, now: Time::ZERO, ids: 0, settings, image, askers, log }
    }

    /// Does what happens between requests: timers that are due by then.
    fn pass_until(&mut self, until: Time) {
        while let Some(due) = self.slot.as_ref().and_then(|group| group.next_due()).filter(|due| *due <= until) {
            self.now = due;
            self.change(serving::expire);
        }
        self.now = until;
    }

    fn change(&mut self, change: impl FnOnce(&mut Slot, &GroupContext, &mut Effects)) {
        let (image, settings) = (Rc::clone(&self.image), self.settings.clone());
        let context = GroupContext { broker: 1, now: self.now, image: &image, settings: &settings };
        let mut effects = Effects::default();
        change(&mut self.slot, &context, &mut effects);
        for event in &effects.events {
            let millis = self.now.millis();
            match event {
                GroupEvent::GroupStateChanged { state, .. } => {
                    writeln!(self.log, "{millis} {}", state.name()).unwrap();
                }
                GroupEvent::MemberRemoved { member, reason, .. } => {
                    writeln!(self.log, "{millis} {member} out {reason:?}").unwrap();
                }
                _ => {}
            }
        }
        for reply in effects.joins.into_iter().chain(effects.replies) {
            let asker = &self.askers[reply.asker.message.id as usize];
            let answer = match (&reply.error, &reply.payload) {
                (Some(error), Payload::JoinGroupAnswer(answer)) if error.error == "MEMBER_ID_REQUIRED" => {
                    format!("is to be {}", answer.member)
                }
                (Some(error), _) => error.error.clone(),
                (None, Payload::JoinGroupAnswer(answer)) => {
                    let joined = answer.result.as_ref().unwrap();
                    let members: Vec<&str> = joined.members.iter().map(|member| &*member.member).collect();
                    let skip = if joined.skip_assignment { " skips" } else { "" };
                    let (id, leader) = (&answer.member, &joined.leader);
                    format!("{id} in {} {} led by {leader} {members:?}{skip}", joined.generation, joined.protocol)
                }
                (None, Payload::SyncGroupAnswer { result, .. }) => {
                    let names: Vec<String> = result.as_ref().unwrap().iter().map(ToString::to_string).collect();
                    format!("has {names:?}")
                }
                (None, _) => "ok".to_string(),
            };
            writeln!(self.log, "{} {asker} {answer}", self.now.millis()).unwrap();
        }
        for record in effects.records {
            if let InternalRecord::Group(GroupRecord::Classic { value, .. }) = record {
                let value = value.map_or("gone".into(), |value| {
                    let members: Vec<&str> = value.members.iter().map(|member| &*member.member).collect();
                    format!("{} {members:?}", value.generation)
                });
                writeln!(self.log, "{} record {value}", self.now.millis()).unwrap();
            }
        }
    }

    /// One line: time, verb, words.
    fn step(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        self.pass_until(Time::from_millis(words[0].parse().unwrap()));
        if words[1] == "pass" {
            return;
        }
        let payload = request(words[1], &words[2..], self.slot.as_deref());
        self.ids += 1;
        let id = self.askers.len() as u64;
        self.askers.push(format!("{} {}:", words[1], words.get(2).copied().unwrap_or("")));
        let asker = Asker { message: Rc::new(message(id)), sender: Target::Admin };
        let uuid = self.ids.to_string();
        let offsets = OffsetState::default();
        self.change(|slot, context, effects| {
            serving::serve(
                slot,
                &Request { asker, payload: &payload, uuid: &uuid, offsets: &offsets },
                context,
                effects,
            );
        });
    }
}

fn message(id: u64) -> MessageView {
    MessageView {
        id,
        api: Api::JoinGroup,
        version: None,
        is_response: false,
        from: NodeId::Admin,
        to: NodeId::Broker { id: 1 },
        sent: Moment::default(),
        arrives: Time::ZERO,
        batches: Vec::new(),
        is_notable: false,
        error: None,
        end: None,
        markers: Vec::new(),
    }
}

/// A request. Words: a member (`a` for one without an id, `a-1` with one, `=i` without an id and `a-1=i` with one for
/// a static member), then what belongs to the verb. The generation is the present one unless it is given.
fn request(verb: &str, words: &[&str], group: Option<&Group>) -> Payload {
    let (who, instance) = words[0].split_once('=').map_or((words[0], None), |(who, of)| (who, Some(Name::from(of))));
    let member: Name = if who.contains('-') { who.into() } else { "".into() };
    let (group_name, sender) = (Name::from("g"), Target::Admin);
    let given = words.iter().find_map(|word| word.strip_prefix("generation="));
    let generation = given.map_or(group.map_or(0, Group::epoch), |text| text.parse().unwrap());
    match verb {
        "join" => {
            let told = words.iter().find_map(|word| word.strip_prefix("topics="));
            let topics = told.unwrap_or("t").split(',').map(Name::from).collect();
            let subscription = Rc::new(Subscription { topics, ..Subscription::default() });
            let assignors = words.iter().find_map(|word| word.strip_prefix("by=")).unwrap_or("range");
            let protocols = assignors.split(',').map(|name| (Name::from(name), Rc::clone(&subscription))).collect();
            let seconds = |name: &str, default| {
                let text = words.iter().find_map(|word| word.strip_prefix(name));
                Duration::from_secs(text.map_or(default, |text| text.parse().unwrap()))
            };
            Payload::JoinGroup(JoinGroup {
                group: group_name,
                member,
                instance,
                client_id: who.split('-').next().unwrap().into(),
                protocol_type: words.iter().find_map(|word| word.strip_prefix("type=")).unwrap_or("consumer").into(),
                protocols,
                session_timeout: seconds("session=", 10),
                rebalance_timeout: seconds("rebalance=", 20),
                can_skip_assignment: true,
                reason: "".into(),
                sender,
            })
        }
        "sync" => {
            // `a-1:t-0,t-1` for each member, from the leader.
            let assigned = words.iter().filter_map(|word| word.split_once(':'));
            let partition = |name: &str| {
                let (topic, partition) = TopicPartition::split(name).unwrap();
                TopicPartition { topic: topic.into(), partition }
            };
            let assignments = assigned.map(|(id, names)| (id.into(), names.split(',').map(partition).collect()));
            let (protocol_type, protocol) = ("".into(), "".into());
            let assignments = assignments.collect();
            let group = group_name;
            Payload::SyncGroup(SyncGroup {
                group,
                generation,
                member,
                instance,
                protocol_type,
                protocol,
                assignments,
                sender,
            })
        }
        "heartbeat" => Payload::Heartbeat(Heartbeat { group: group_name, generation, member, instance, sender }),
        "leave" => {
            let members = vec![(member, instance)];
            Payload::LeaveGroup(LeaveGroup { group: group_name, members, reason: "".into(), sender })
        }
        "commit" => {
            let offsets = vec![(TopicPartition { topic: "t".into(), partition: 0 }, 5)];
            Payload::OffsetCommit(OffsetCommit { group: group_name, generation, member, instance, offsets, sender })
        }
        other => panic!("{other}"),
    }
}

fn check(steps: &str, expected: &str) {
    let mut bench = Bench::new();
    steps.trim().lines().for_each(|line| bench.step(line));
    let found: Vec<&str> = bench.log.lines().collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(found, expected, "{steps}");
}

/// Two members in generation 1, from 6 s on: the second one put the end off.
const TWO: &str = "0 join a
    0 join a-1
    0 join b
    0 join b-3
    6000 sync b-3
    6000 sync a-1 a-1:t-0,t-1 b-3:t-2";

/// What comes of that.
const TWO_LOG: &str = "0 Empty
    0 join a: is to be a-1
    0 record 0 []
    0 PreparingRebalance
    0 join b: is to be b-3
    6000 CompletingRebalance
    6000 join a-1: a-1 in 1 range led by a-1 [\"a-1\", \"b-3\"]
    6000 join b-3: b-3 in 1 range led by a-1 []
    6000 Stable
    6000 sync a-1: has [\"t-0\", \"t-1\"]
    6000 sync b-3: has [\"t-2\"]
    6000 record 1 [\"a-1\", \"b-3\"]";

/// Goes on from two members.
fn check_two(steps: &str, expected: &str) {
    let mut bench = Bench::new();
    TWO.lines().for_each(|line| bench.step(line));
    bench.log.clear();
    steps.trim().lines().for_each(|line| bench.step(line));
    let found: Vec<&str> = bench.log.lines().collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(found, expected, "{steps}");
}

#[test]
fn the_first_generation_waits_for_members_and_the_leader_assigns() {
    check(TWO, TWO_LOG);
}

#[test]
fn newcomers_put_the_first_generation_off_until_the_rebalance_timeout() {
    check(
        "0 join a
        0 join a-1 rebalance=8
        2000 join b
        2000 join b-3 rebalance=8
        5000 join c
        5000 join c-5 rebalance=8
        7000 pass
        8000 pass",
        "0 Empty
        0 join a: is to be a-1
        0 record 0 []
        0 PreparingRebalance
        2000 join b: is to be b-3
        5000 join c: is to be c-5
        8000 CompletingRebalance
        8000 join a-1: a-1 in 1 range led by a-1 [\"a-1\", \"b-3\", \"c-5\"]
        8000 join b-3: b-3 in 1 range led by a-1 []
        8000 join c-5: c-5 in 1 range led by a-1 []",
    );
}

#[test]
fn requests_are_answered_by_state() {
    check_two(
        "7000 heartbeat a-1
        7000 heartbeat a-1 generation=0
        7000 heartbeat x-9
        7000 commit a-1
        7000 commit a-1 generation=0
        7000 commit a generation=-1
        7000 join b-3
        7000 join a-1
        7000 heartbeat b-3
        7000 commit b-3
        7000 sync b-3
        7000 join b-3
        7000 heartbeat b-3
        7000 commit b-3
        7000 join b-3",
        "7000 heartbeat a-1: ok
        7000 heartbeat a-1: ILLEGAL_GENERATION
        7000 heartbeat x-9: UNKNOWN_MEMBER_ID
        7000 commit a-1: ok
        7000 commit a-1: ILLEGAL_GENERATION
        7000 commit a: UNKNOWN_MEMBER_ID
        7000 join b-3: b-3 in 1 range led by a-1 []
        7000 PreparingRebalance
        7000 heartbeat b-3: REBALANCE_IN_PROGRESS
        7000 commit b-3: ok
        7000 sync b-3: REBALANCE_IN_PROGRESS
        7000 CompletingRebalance
        7000 join a-1: a-1 in 2 range led by a-1 [\"a-1\", \"b-3\"]
        7000 join b-3: b-3 in 2 range led by a-1 []
        7000 heartbeat b-3: ok
        7000 commit b-3: REBALANCE_IN_PROGRESS
        7000 join b-3: b-3 in 2 range led by a-1 []",
    );
}

#[test]
fn members_that_leave_fall_silent_or_do_not_join_again_are_out() {
    // The leader leaves; the next one in the map leads.
    check_two(
        "7000 leave a-1
        7000 leave a-1
        8000 join b-3",
        "7000 a-1 out Left
        7000 PreparingRebalance
        7000 leave a-1: ok
        7000 leave a-1: UNKNOWN_MEMBER_ID
        8000 CompletingRebalance
        8000 join b-3: b-3 in 2 range led by b-3 [\"b-3\"]",
    );
    // Sessions of 10 s from the answer to SyncGroup.
    check_two(
        "15000 heartbeat b-3
        16000 pass
        30000 pass",
        "15000 heartbeat b-3: ok
        16000 a-1 out SessionExpired
        16000 PreparingRebalance
        25000 b-3 out SessionExpired
        25000 Empty
        25000 record 2 []",
    );
    // One joins and the other only sends heartbeats: out after the rebalance timeout of 20 s.
    check_two(
        "7000 join a-1
        12000 heartbeat b-3
        18000 heartbeat b-3
        27000 pass",
        "7000 PreparingRebalance
        12000 heartbeat b-3: REBALANCE_IN_PROGRESS
        18000 heartbeat b-3: REBALANCE_IN_PROGRESS
        27000 b-3 out RebalanceTimeout
        27000 CompletingRebalance
        27000 join a-1: a-1 in 2 range led by a-1 [\"a-1\"]",
    );
    // An id that was given away and never used holds up the rebalance until its session is over.
    check_two(
        "7000 join c
        7500 join a-1
        8000 join b-3
        12000 heartbeat a-1
        17000 pass",
        "7000 join c: is to be c-7
        7500 PreparingRebalance
        12000 heartbeat a-1: REBALANCE_IN_PROGRESS
        17000 CompletingRebalance
        17000 join a-1: a-1 in 2 range led by a-1 [\"a-1\", \"b-3\"]
        17000 join b-3: b-3 in 2 range led by a-1 []",
    );
}

#[test]
fn members_that_never_ask_for_their_assignment_are_out() {
    check_two(
        "7000 join a-1 session=1000
        7000 join b-3 session=1000
        8000 sync b-3
        27000 pass",
        "7000 PreparingRebalance
        7000 CompletingRebalance
        7000 join a-1: a-1 in 2 range led by a-1 [\"a-1\", \"b-3\"]
        7000 join b-3: b-3 in 2 range led by a-1 []
        27000 a-1 out NeverSynced
        27000 PreparingRebalance
        27000 sync b-3: REBALANCE_IN_PROGRESS",
    );
}

#[test]
fn whoever_does_not_fit_is_refused() {
    check_two(
        "7000 join c by=sticky
        7000 join c type=connect
        7000 join c session=5
        7000 join x-9
        7000 join c
        7000 join c-11
        7000 join d
        7000 join d-13
        7000 join a-1
        7000 join b-3",
        "7000 join c: INCONSISTENT_GROUP_PROTOCOL
        7000 join c: INCONSISTENT_GROUP_PROTOCOL
        7000 join c: INVALID_SESSION_TIMEOUT
        7000 join x-9: UNKNOWN_MEMBER_ID
        7000 join c: is to be c-11
        7000 PreparingRebalance
        7000 join d: is to be d-13
        7000 b-3 out Left
        7000 join b-3: GROUP_MAX_SIZE_REACHED",
    );
}

#[test]
fn members_vote_for_the_first_assignor_that_all_know() {
    for (a, b, c, chosen) in [
        ("range,sticky", "sticky,range", "sticky,range", "sticky"),
        ("range,sticky", "range,sticky", "sticky", "sticky"),
        ("range,roundrobin", "roundrobin,range", "range,sticky", "range"),
    ] {
        let mut bench = Bench::new();
        for line in [
            format!("0 join a by={a}"),
            format!("0 join a-1 by={a}"),
            format!("0 join b by={b}"),
            format!("0 join b-3 by={b}"),
            format!("0 join c by={c}"),
            format!("0 join c-5 by={c}"),
        ] {
            bench.step(&line);
        }
        bench.step("9000 pass");
        assert!(bench.log.contains(&format!("a-1 in 1 {chosen} led by")), "{a} {b} {c}: {}", bench.log);
    }
}

/// Two static members in generation 1.
const STATIC: &str = "0 join a=i
    0 join b=j
    6000 sync j-2=j
    6000 sync i-1=i i-1:t-0 j-2:t-1";

fn check_static(steps: &str, expected: &str) {
    let mut bench = Bench::new();
    STATIC.lines().for_each(|line| bench.step(line));
    assert!(bench.log.contains("6000 record 1 [\"i-1\", \"j-2\"]"), "{}", bench.log);
    bench.log.clear();
    steps.trim().lines().for_each(|line| bench.step(line));
    let found: Vec<&str> = bench.log.lines().collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(found, expected, "{steps}");
}

#[test]
fn a_static_member_comes_back_without_a_rebalance() {
    // The leader: it is told not to assign again. The old id is fenced.
    check_static(
        "8000 join a=i
        8000 sync i-5=i
        9000 heartbeat i-1=i
        9000 heartbeat z-1=nobody
        9000 leave =j",
        "8000 i-1 out Replaced
        8000 join a=i: i-5 in 1 range led by i-5 [\"i-5\", \"j-2\"] skips
        8000 record 1 [\"j-2\", \"i-5\"]
        8000 sync i-5=i: has [\"t-0\"]
        9000 heartbeat i-1=i: FENCED_INSTANCE_ID
        9000 heartbeat z-1=nobody: UNKNOWN_MEMBER_ID
        9000 j-2 out ByAdmin
        9000 PreparingRebalance
        9000 leave =j: ok",
    );
    // Another choice of assignors that changes what the group uses makes it rebalance. With one vote for each, `sticky`
    // comes first in Java's map.
    check_static(
        "8000 join a=i by=range,sticky
        9000 join b=j by=sticky,range
        9000 join i-5=i by=range,sticky",
        "8000 i-1 out Replaced
        8000 join a=i: i-5 in 1 range led by i-5 [\"i-5\", \"j-2\"] skips
        8000 record 1 [\"j-2\", \"i-5\"]
        9000 j-2 out Replaced
        9000 PreparingRebalance
        9000 CompletingRebalance
        9000 join i-5=i: i-5 in 2 sticky led by i-5 [\"i-5\", \"j-6\"]
        9000 join b=j: j-6 in 2 sticky led by i-5 []",
    );
}

#[test]
fn static_members_stay_until_their_session_is_over() {
    // Neither joins again in the rebalance that a third one asks for, so it is put off.
    check_static(
        "7000 join c
        7000 join c-5 session=30
        15000 heartbeat j-2=j
        27000 pass",
        "7000 join c: is to be c-5
        7000 PreparingRebalance
        15000 heartbeat j-2=j: REBALANCE_IN_PROGRESS
        16000 i-1 out SessionExpired
        25000 j-2 out SessionExpired
        25000 CompletingRebalance
        25000 join c-5: c-5 in 2 range led by c-5 [\"c-5\"]",
    );
}

#[test]
fn a_group_that_became_empty_takes_its_time_again_and_its_offsets_count_from_there() {
    let mut bench = Bench::new();
    TWO.lines().for_each(|line| bench.step(line));
    bench.step("9000 pass");
    bench.step("60000 pass");
    let group = bench.slot.clone().expect("it has its generation still");
    let Group::Classic(group) = &*group else { panic!("it is classic") };
    assert_eq!((group.state, group.generation), (GroupState::Empty, 2));
    let partition = TopicPartition { topic: "t".into(), partition: 0 };
    assert_eq!(group.expiry_base(&partition, Time::ZERO), Some(group.since));
    bench.log.clear();
    bench.step("70000 join c");
    bench.step("70000 join c-7");
    bench.step("73000 pass");
    assert!(bench.log.contains("73000 join c-7: c-7 in 3 range led by c-7"), "{}", bench.log);
}

#[test]
fn a_new_coordinator_knows_what_the_last_assignment_left() {
    let mut bench = Bench::new();
    TWO.lines().for_each(|line| bench.step(line));
    let group = bench.slot.clone().expect("it is there");
    let Group::Classic(group) = &*group else { panic!("it is classic") };
    let GroupRecord::Classic { value: Some(value), .. } = group.record() else { panic!("it has a value") };
    let restored = ClassicGroup::restore(&"g".into(), &value, Time::ZERO);
    let view = |group: &ClassicGroup| {
        let members = group.view().members.into_iter();
        (
            group.view().state,
            group.epoch_and_leader(),
            members.map(|m| (m.member, m.topics, m.assigned)).collect::<Vec<_>>(),
        )
    };
    assert_eq!(view(&restored), view(group));
    assert!(restored.is_subscribed_to("t") && !restored.is_subscribed_to("u"));
    assert_eq!(restored.next_due(), None, "timers begin when the whole log was read");
}

impl ClassicGroup {
    fn epoch_and_leader(&self) -> (i32, Option<Name>) {
        (self.generation, self.leader.clone())
    }
}
