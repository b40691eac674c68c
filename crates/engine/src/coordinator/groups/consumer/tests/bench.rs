//! A group by itself: no network, no log; requests in, answers out.

use std::rc::Rc;

use crate::coordinator::groups::consumer::{ConsumerGroup, expire, heartbeat as serve};
use crate::coordinator::groups::effects::{Effects, GroupContext, GroupSettings, MigrationPolicy};
use crate::coordinator::groups::group::{Group, Slot};
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::InternalRecord;
use crate::event::{Api, MessageView, Moment, Name, NodeId, TopicPartition};
use crate::group::GroupEvent;
use crate::message::{ClusterImage, ConsumerGroupHeartbeat, MemberHeartbeat, PartitionImage, Payload, TopicImage};
use crate::queue::Target;
use crate::time::{Duration, Time};

/// The session timeout of groups here.
pub(super) const SESSION: Duration = Duration::from_secs(45);
/// `max.poll.interval.ms` of members here.
pub(super) const REBALANCE: Duration = Duration::from_secs(300);

pub(super) struct Bench {
    pub slot: Slot,
    pub now: Time,
    pub image: Rc<ClusterImage>,
    pub settings: GroupSettings,
    pub events: Vec<GroupEvent>,
    pub records: Vec<InternalRecord>,
}

impl Bench {
    /// A new group in a cluster with these topics.
    pub fn new(topics: &[(&str, u32)]) -> Bench {
        let mut bench = Bench {
            slot: None,
            now: Time::from_millis(10_000),
            image: Rc::default(),
            settings: settings(),
            events: Vec::new(),
            records: Vec::new(),
        };
        topics.iter().for_each(|(name, partitions)| bench.topic(name, *partitions));
        bench
    }

    /// Makes a topic, or gives it another number of partitions.
    pub fn topic(&mut self, name: &str, partitions: u32) {
        let image = Rc::make_mut(&mut self.image);
        let number = image.topics.len() as u64;
        let known = image.topics.entry(name.into()).or_insert_with(|| {
            Rc::new(TopicImage { number, topic_id: format!("{:A>22}", name).into(), ..TopicImage::default() })
        });
        Rc::make_mut(known).partitions.resize(partitions as usize, PartitionImage::default());
    }

    pub fn later(&mut self, millis: u64) -> &mut Bench {
        self.now = self.now + Duration::from_millis(millis);
        self
    }

    /// The group, which is of the consumer protocol.
    pub fn group(&self) -> &ConsumerGroup {
        match self.slot.as_deref() {
            Some(Group::Consumer(group)) => group,
            _ => panic!("no group of the protocol"),
        }
    }

    /// One request, and what it is answered.
    pub fn send(&mut self, asked: &ConsumerGroupHeartbeat) -> Result<MemberHeartbeat, KafkaError> {
        let reply = self.act(|slot, context, effects| serve(slot, asker(), asked, context, effects));
        let Some(Payload::ConsumerGroupHeartbeatAnswer { result, .. }) = reply else { panic!("another answer") };
        result
    }

    /// The timers that are due.
    pub fn expire(&mut self) {
        self.act(expire);
    }

    /// Lets the group do something; the last answer is returned.
    pub fn act(&mut self, act: impl FnOnce(&mut Slot, &GroupContext<'_>, &mut Effects)) -> Option<Payload> {
        let context = GroupContext { broker: 1, now: self.now, image: &self.image, settings: &self.settings };
        let mut effects = Effects::default();
        act(&mut self.slot, &context, &mut effects);
        let reply = effects.replies.pop().or_else(|| effects.joins.pop());
        self.take(effects);
        reply.map(|reply| reply.payload)
    }

    fn take(&mut self, effects: Effects) {
        self.records.extend(effects.records);
        self.events.extend(effects.events);
    }

    /// A member joins.
    pub fn join(&mut self, member: &str, topics: &[&str]) -> (i32, Option<Vec<String>>) {
        told(self.send(&joining(member, topics)).expect("it joins"))
    }

    /// A heartbeat that tells nothing.
    pub fn beat(&mut self, member: &str, epoch: i32) -> (i32, Option<Vec<String>>) {
        told(self.send(&heartbeat(member, epoch)).expect("it is a member"))
    }

    /// A heartbeat that tells what the member owns.
    pub fn owns(&mut self, member: &str, epoch: i32, owned: &[&str]) -> (i32, Option<Vec<String>>) {
        let owned = Some(partitions(owned));
        told(self.send(&ConsumerGroupHeartbeat { owned, ..heartbeat(member, epoch) }).expect("it is a member"))
    }

    /// Group epoch, assignment epoch and state.
    pub fn stands(&self) -> (i32, i32, &'static str) {
        let group = self.group().view();
        (group.epoch, group.assignment_epoch, group.state.name())
    }

    /// Epoch, state and partitions of a member.
    pub fn member(&self, id: &str) -> (i32, &'static str, Vec<String>) {
        let group = self.group().view();
        let member = group.members.iter().find(|member| *member.member == *id).expect("it is a member");
        (member.epoch, member.state.name(), texts(&member.assigned))
    }
}

pub(in crate::coordinator::groups) fn settings() -> GroupSettings {
    GroupSettings {
        initial_delay: Duration::from_secs(3),
        session_timeouts: (Duration::from_secs(6), Duration::from_secs(1800)),
        size_max: u32::MAX,
        consumer_session_timeout: SESSION,
        consumer_heartbeat_interval: Duration::from_secs(5),
        consumer_size_max: u32::MAX,
        assignment_interval: Duration::from_secs(1),
        regex_refresh_interval: Duration::from_secs(600),
        migration: MigrationPolicy::Bidirectional,
        share_session_timeout: Duration::from_secs(45),
        share_heartbeat_interval: Duration::from_secs(5),
        share_size_max: 200,
        share_assignment_interval: Duration::from_secs(1),
        offsets_retention: Duration::from_secs(604_800),
    }
}

/// The request of a member that knows nothing new.
pub(super) fn heartbeat(member: &str, epoch: i32) -> ConsumerGroupHeartbeat {
    ConsumerGroupHeartbeat {
        group: "g".into(),
        member: member.into(),
        epoch,
        instance: None,
        client_id: "c".into(),
        rack: None,
        rebalance_timeout: None,
        topics: None,
        pattern: None,
        assignor: None,
        owned: None,
        sender: Target::Consumer(0),
    }
}

/// The request of a member that joins.
pub(super) fn joining(member: &str, topics: &[&str]) -> ConsumerGroupHeartbeat {
    ConsumerGroupHeartbeat {
        rebalance_timeout: Some(REBALANCE),
        topics: Some(topics.iter().map(|topic| Name::from(*topic)).collect()),
        owned: Some(Vec::new()),
        ..heartbeat(member, 0)
    }
}

pub(in crate::coordinator::groups) fn asker() -> Asker {
    let at = Moment { time: Time::ZERO, sequence: 0 };
    let message = MessageView {
        id: 1,
        api: Api::ConsumerGroupHeartbeat,
        version: None,
        is_response: false,
        from: NodeId::Consumer { name: "c".into() },
        to: NodeId::Broker { id: 1 },
        sent: at,
        arrives: Time::ZERO,
        batches: Vec::new(),
        is_notable: false,
        error: None,
        end: None,
        markers: Vec::new(),
    };
    Asker { message: Rc::new(message), sender: Target::Consumer(0) }
}

pub(super) fn partitions(names: &[&str]) -> Vec<TopicPartition> {
    let split = |name: &&str| {
        let (topic, partition) = TopicPartition::split(name).expect("a partition");
        TopicPartition { topic: topic.into(), partition }
    };
    names.iter().map(split).collect()
}

pub(in crate::coordinator::groups) fn texts(partitions: &[TopicPartition]) -> Vec<String> {
    partitions.iter().map(|partition| format!("{}-{}", partition.topic, partition.partition)).collect()
}

fn told(answer: MemberHeartbeat) -> (i32, Option<Vec<String>>) {
    (answer.epoch, answer.assignment.map(|assignment| texts(&assignment)))
}

/// An answer: the epoch, and what it tells to own.
pub(super) fn answer(epoch: i32, assignment: Option<&[&str]>) -> (i32, Option<Vec<String>>) {
    (epoch, assignment.map(|names| names.iter().map(ToString::to_string).collect()))
}
