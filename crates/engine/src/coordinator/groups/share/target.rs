//! Which partitions a share group may use, and which of them each member shall fetch from.
//!
//! Follows `TargetAssignmentBuilder.ShareTargetAssignmentBuilder` and `subscribedTopicsChangeMap` of Kafka 4.3.1. The
//! assignor itself is in the crate `assignor`.

use std::collections::BTreeMap;
use std::rc::Rc;

use assignor::java::hash_map_order;
use assignor::{TopicPartition as Place, server};

use super::ShareGroup;
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::coordinator::groups::topics::Topics;
use crate::error::KafkaError;
use crate::event::internal::{ShareGroupRecord, TargetValue};
use crate::event::{Name, TopicPartition};
use crate::group::GroupEvent;
use crate::message::ClusterImage;

/// What each member shall fetch from.
type Targets = Vec<(Name, Rc<[TopicPartition]>)>;

impl ShareGroup {
    fn topics<'a>(&'a self, image: &'a ClusterImage) -> Topics<'a> {
        Topics::of(self.members.values().flat_map(|member| &member.value.topics), image)
    }

    /// Another one asks for another epoch: other topics, or more of their partitions that may be assigned.
    pub(super) fn hash(&self, image: &ClusterImage) -> u64 {
        let topics = self.topics(image);
        let usable = self.initialized.iter().filter(|partition| topics.numbers.contains_key(&partition.topic)).count();
        topics.hash().wrapping_add(usable as u64)
    }

    /// Partitions of subscribed topics that no share coordinator knows of, and that none was asked to take in.
    pub(super) fn ask_for_initialization(&mut self, context: &GroupContext<'_>, effects: &mut Effects) {
        let mut missing = Vec::new();
        for topic in self.topics(context.image).names {
            let count = context.image.topics[topic].partitions.len() as u32;
            let all = (0..count).map(|partition| TopicPartition { topic: Rc::clone(topic), partition });
            missing.extend(all.filter(|own| !self.initialized.contains(own) && !self.asked.contains(own)));
        }
        self.asked.extend(missing.iter().cloned());
        effects.initialize.extend(missing.into_iter().map(|partition| (partition, self.epoch)));
    }

    /// A share coordinator has taken a partition in, or refuses to: then it is asked again with the next heartbeat. When
    /// all are settled that were asked for, those that were taken may be assigned, and are returned.
    pub fn take_initialized(
        &mut self,
        partition: &TopicPartition,
        is_taken: bool,
        effects: &mut Effects,
    ) -> Option<Vec<TopicPartition>> {
        if !self.asked.remove(partition) {
            return None;
        }
        self.taken.extend(is_taken.then(|| partition.clone()));
        if !self.asked.is_empty() || self.taken.is_empty() {
            return None;
        }
        let taken = std::mem::take(&mut self.taken);
        self.initialized.extend(taken.iter().cloned());
        self.write_initialized(effects);
        Some(taken)
    }

    /// A topic is gone, and so are its states.
    pub fn forget_topic(&mut self, topic: &str, effects: &mut Effects) {
        let before = self.initialized.len();
        self.initialized.retain(|partition| *partition.topic != *topic);
        self.asked.retain(|partition| *partition.topic != *topic);
        if self.initialized.len() < before {
            self.write_initialized(effects);
        }
    }

    /// Computes the target if the epoch asks for it and the last one is old enough. `newcomer` has just joined.
    pub(super) fn update_target(
        &mut self,
        newcomer: Option<&Name>,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<(), KafkaError> {
        let interval = context.settings.share_assignment_interval;
        let is_due = self.computed.is_none_or(|computed| context.now >= computed + interval);
        if self.epoch <= self.assignment_epoch || !is_due {
            return Ok(());
        }
        for (id, target) in self.compute(newcomer, context.image)? {
            let member = self.member_mut(&id);
            let is_known = member.current.epoch != 0 || !member.target.is_empty();
            if is_known && member.target == target {
                continue;
            }
            member.target = Rc::clone(&target);
            self.write(ShareGroupRecord::TargetMember { member: id, value: Some(target) }, effects);
        }
        self.assignment_epoch = self.epoch;
        self.computed = Some(context.now);
        let value = TargetValue { epoch: self.assignment_epoch, computed: self.computed };
        self.write(ShareGroupRecord::Target(Some(value)), effects);
        effects.events.push(GroupEvent::AssignmentMade {
            broker: context.broker,
            group: Rc::clone(&self.name),
            epoch: self.assignment_epoch,
            assignor: assignor::share::SIMPLE.into(),
            assignment: self.members.iter().map(|(id, member)| (Rc::clone(id), member.target.to_vec())).collect(),
        });
        Ok(())
    }

    /// The target of each member.
    fn compute(&self, newcomer: Option<&Name>, image: &ClusterImage) -> Result<Targets, KafkaError> {
        let topics = self.topics(image);
        let mut usable: BTreeMap<&Name, Vec<u32>> = BTreeMap::new();
        for partition in &self.initialized {
            usable.entry(&partition.topic).or_default().push(partition.partition);
        }
        let of = |name: &Name| usable.get(name).map_or(&[][..], Vec::as_slice);
        let described: Vec<server::Topic<'_>> =
            topics.names.iter().map(|name| topics.describe(name, Some(of(name)))).collect();
        // The map of the assignor takes a member that has just come after all others.
        let known = self.order.iter().filter(|id| Some(*id) != newcomer);
        let ids: Vec<&Name> = known.chain(newcomer).collect();
        let texts: Vec<&str> = ids.iter().map(|id| &***id).collect();
        let order: Vec<&Name> = hash_map_order(&texts).into_iter().map(|place| ids[place as usize]).collect();
        let subscribed = |id: &&Name| -> Vec<u32> {
            let mut numbers: Vec<u32> =
                self.members[*id].value.topics.iter().filter_map(|topic| topics.numbers.get(topic)).copied().collect();
            numbers.sort_unstable();
            numbers
        };
        let subscriptions: Vec<Vec<u32>> = order.iter().map(subscribed).collect();
        let previous: Vec<Vec<Place>> = order.iter().map(|id| topics.places(&self.members[*id].target)).collect();
        let members: Vec<server::Member<'_>> = (order.iter().zip(&subscriptions).zip(&previous))
            .map(|((id, topics), previous)| server::Member { id, instance_id: None, topics, previous })
            .collect();
        let assigned = assignor::share::assign(&server::Group { topics: &described, members: &members });
        let assigned = assigned.map_err(|error| {
            let text = format!("Failed to compute a new target assignment for epoch {}: {error}", self.epoch);
            KafkaError::new("UNKNOWN_SERVER_ERROR", "UnknownServerException", text)
        })?;
        Ok(order.into_iter().zip(assigned).map(|(id, places)| (Rc::clone(id), topics.partitions(places))).collect())
    }
}
