//! The state machine of a share group: epochs, initialization, assignment in one step, sessions, and its records.

use std::rc::Rc;

use super::{ShareGroup, heartbeat as serve};
use crate::coordinator::groups::consumer::tests::bench::{asker, settings, texts};
use crate::coordinator::groups::effects::{Effects, GroupContext, GroupSettings};
use crate::coordinator::groups::group::{Group, Slot, group_mut};
use crate::error::KafkaError;
use crate::event::Name;
use crate::event::internal::{GroupRecord, InternalRecord};
use crate::group::GroupState;
use crate::message::{ClusterImage, MemberHeartbeat, PartitionImage, Payload, ShareGroupHeartbeat, TopicImage};
use crate::queue::Target;
use crate::time::{Duration, Time};

/// A group by itself: requests in, answers out.
struct Bench {
    slot: Slot,
    now: Time,
    image: Rc<ClusterImage>,
    settings: GroupSettings,
    records: Vec<InternalRecord>,
}

fn bench(partitions: usize) -> Bench {
    let mut image = ClusterImage::default();
    let topic = TopicImage {
        topic_id: format!("{:A>22}", "jobs").into(),
        partitions: vec![PartitionImage::default(); partitions],
        ..TopicImage::default()
    };
    image.topics.insert("jobs".into(), Rc::new(topic));
    let now = Time::from_millis(10_000);
    Bench { slot: None, now, image: Rc::new(image), settings: settings(), records: Vec::new() }
}

impl Bench {
    fn act<T>(&mut self, act: impl FnOnce(&mut Slot, &GroupContext<'_>, &mut Effects) -> T) -> (T, Effects) {
        let context = GroupContext { broker: 1, now: self.now, image: &self.image, settings: &self.settings };
        let mut effects = Effects::default();
        let result = act(&mut self.slot, &context, &mut effects);
        self.records.append(&mut effects.records);
        (result, effects)
    }

    /// A heartbeat; share coordinators take in at once whatever they are asked to.
    fn send(&mut self, member: &str, epoch: i32) -> Result<MemberHeartbeat, KafkaError> {
        let topics = (epoch == 0).then(|| vec![Name::from("jobs")]);
        let asked = ShareGroupHeartbeat {
            group: "g".into(),
            member: member.into(),
            epoch,
            client_id: member.into(),
            rack: None,
            topics,
            sender: Target::Share(0),
        };
        let ((), mut effects) = self.act(|slot, context, effects| serve(slot, asker(), &asked, context, effects));
        for (partition, _) in effects.initialize.drain(..) {
            self.act(|slot, _, effects| {
                let Some(Group::Share(group)) = group_mut(slot) else { panic!("it is a share group") };
                group.take_initialized(&partition, true, effects)
            });
        }
        let Some(Payload::ShareGroupHeartbeatAnswer { result, .. }) = effects.replies.pop().map(|reply| reply.payload)
        else {
            panic!("another answer")
        };
        result
    }

    /// The epoch, and what the answer tells to fetch from.
    fn beat(&mut self, member: &str, epoch: i32) -> (i32, Option<Vec<String>>) {
        self.now = self.now + Duration::from_secs(2);
        let answer = self.send(member, epoch).unwrap();
        (answer.epoch, answer.assignment.map(|assignment| texts(&assignment)))
    }

    fn group(&self) -> &ShareGroup {
        let Some(Group::Share(group)) = self.slot.as_deref() else { panic!("it is a share group") };
        group
    }

    /// Group epoch, assignment epoch, state.
    fn stands(&self) -> (i32, i32, GroupState) {
        (self.group().epoch, self.group().assignment_epoch, self.group().state())
    }

    fn assigned(&self) -> Vec<(String, Vec<String>)> {
        let view = self.group().view();
        view.members.iter().map(|member| (member.member.to_string(), texts(&member.assigned))).collect()
    }
}

fn refused(result: Result<MemberHeartbeat, KafkaError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn the_first_join_makes_epoch_two_and_the_initialization_three() {
    let mut bench = bench(2);
    assert_eq!(bench.beat("a", 0), (2, Some(vec![])));
    assert_eq!(bench.stands(), (2, 2, GroupState::Stable));
    assert_eq!(bench.beat("a", 2), (3, Some(vec!["jobs-0".into(), "jobs-1".into()])));
    assert_eq!(bench.stands(), (3, 3, GroupState::Stable));
    assert_eq!(bench.beat("a", 3), (3, None));
}

#[test]
fn members_share_partitions_and_nobody_waits_for_anybody() {
    let mut bench = bench(1);
    bench.beat("a", 0);
    bench.beat("a", 2);
    assert_eq!(bench.beat("b", 0), (4, Some(vec!["jobs-0".into()])), "a has it still");
    assert_eq!(bench.beat("a", 3), (4, None));
    let both = vec!["jobs-0".to_string()];
    assert!(bench.assigned().iter().all(|(_, assigned)| *assigned == both), "{:?}", bench.assigned());
    assert_eq!(bench.send("a", -1).unwrap().epoch, -1);
    assert_eq!(bench.stands(), (5, 4, GroupState::Stable));
    bench.send("b", -1).unwrap();
    assert_eq!(bench.stands(), (6, 4, GroupState::Empty));
}

#[test]
fn a_target_waits_for_the_assignment_interval() {
    let mut bench = bench(1);
    bench.beat("a", 0);
    bench.beat("a", 2);
    assert_eq!(bench.send("b", 0).unwrap().epoch, 3, "the target was just computed");
    assert_eq!(bench.stands(), (4, 3, GroupState::Stable));
    assert_eq!(bench.beat("b", 3), (4, Some(vec!["jobs-0".into()])));
}

#[test]
fn members_are_refused_in_kafkas_words() {
    let mut bench = bench(1);
    assert!(refused(bench.send("a", 1)).contains("Share group g not found."));
    bench.settings.share_size_max = 1;
    bench.beat("a", 0);
    let full = refused(bench.send("b", 0));
    assert!(full.contains("The share group has reached its maximum capacity of 1 members."), "{full}");
    assert!(refused(bench.send("b", 2)).contains("Member b is not a member of group g."));
    let fenced = refused(bench.send("a", 9));
    assert!(
        fenced.contains("has a greater member epoch (9) than the one known by the group coordinator (2)"),
        "{fenced}"
    );
}

#[test]
fn a_silent_member_is_removed() {
    let mut bench = bench(1);
    bench.beat("a", 0);
    assert_eq!(bench.group().next_due(), Some(bench.now + Duration::from_secs(45)));
    bench.now = bench.now + Duration::from_secs(45);
    bench.act(|slot, context, effects| {
        let Some(Group::Share(group)) = group_mut(slot) else { panic!("it is a share group") };
        super::expire(group, context, effects);
    });
    assert_eq!(bench.stands(), (3, 2, GroupState::Empty));
}

#[test]
fn a_new_coordinator_knows_what_the_log_says() {
    let mut bench = bench(3);
    bench.beat("a", 0);
    bench.beat("a", 2);
    bench.beat("b", 0);
    let before = (bench.stands(), bench.assigned(), bench.group().initialized().clone());
    let mut restored = ShareGroup::new("g".into());
    for record in &bench.records {
        let InternalRecord::Group(GroupRecord::Share { record, .. }) = record else { panic!("{record:?}") };
        restored.replay(record);
    }
    bench.slot = Some(Rc::new(Group::Share(restored)));
    assert_eq!((bench.stands(), bench.assigned(), bench.group().initialized().clone()), before);
    assert_eq!(bench.beat("b", 4), (4, None));
}
