//! Who shall own what: the target assignment, computed for the whole group.
//!
//! Follows `TargetAssignmentBuilder`, `computePreferredServerAssignor` and `ModernGroup.computeMetadataHash` of
//! Kafka 4.3.1. The assignors themselves are in the crate `assignor`.

use std::collections::BTreeMap;
use std::rc::Rc;

use assignor::TopicPartition as Place;
use assignor::java::hash_map_order;
use assignor::server::{self, Assignor};

use super::{ConsumerGroup, Member, write};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::coordinator::groups::topics::Topics;
use crate::error::KafkaError;
use crate::event::internal::{GroupRecord, TargetValue};
use crate::event::{Name, TopicPartition};
use crate::group::GroupEvent;
use crate::message::ClusterImage;

/// What each member shall own; see [`Member::target`].
type Targets = Vec<(Name, Rc<[TopicPartition]>)>;

impl ConsumerGroup {
    /// Computes the target if the epoch asks for it and the last one is old enough. `newcomer` has just joined.
    pub(super) fn update_target(
        &mut self,
        newcomer: Option<&Name>,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<(), KafkaError> {
        let interval = context.settings.assignment_interval;
        let is_due = self.computed.is_none_or(|computed| context.now >= computed + interval);
        if self.epoch <= self.assignment_epoch || !is_due {
            return Ok(());
        }
        let assignor = self.preferred_assignor();
        let targets = self.compute(assignor, newcomer, context.image)?;
        for (id, target) in targets {
            let member = self.member_mut(&id);
            // A member that was never in a target is written even if it gets nothing.
            let is_known = member.current.epoch != 0 || !member.target.is_empty();
            if is_known && sorted(&member.target) == sorted(&target) {
                continue;
            }
            member.target = Rc::clone(&target);
            write(GroupRecord::TargetMember { group: Rc::clone(&self.name), member: id, value: Some(target) }, effects);
        }
        self.assignment_epoch = self.epoch;
        self.computed = Some(context.now);
        self.write_target_epoch(effects);
        effects.events.push(GroupEvent::AssignmentMade {
            broker: context.broker,
            group: Rc::clone(&self.name),
            epoch: self.assignment_epoch,
            assignor: assignor.name().into(),
            assignment: self.members.iter().map(|(id, member)| (Rc::clone(id), sorted(&member.target))).collect(),
        });
        Ok(())
    }

    pub(super) fn write_target_epoch(&self, effects: &mut Effects) {
        let value = Some(TargetValue { epoch: self.assignment_epoch, computed: self.computed });
        write(GroupRecord::Target { group: Rc::clone(&self.name), value }, effects);
    }

    /// The assignor that most members ask for; of several the first in Java's map.
    pub(super) fn preferred_assignor(&self) -> Assignor {
        let votes = |assignor: &Assignor| {
            let is_for = |member: &&Member| member.value.assignor.as_deref() == Some(assignor.name());
            self.members.values().filter(is_for).count()
        };
        let order = hash_map_order(&Assignor::ALL.map(Assignor::name));
        let candidates = order.into_iter().map(|place| Assignor::ALL[place as usize]);
        let mut best = (Assignor::ALL[0], 0);
        for assignor in candidates {
            let count = votes(&assignor);
            if count > best.1 {
                best = (assignor, count);
            }
        }
        best.0
    }

    /// The target of each member.
    fn compute(
        &self,
        assignor: Assignor,
        newcomer: Option<&Name>,
        image: &ClusterImage,
    ) -> Result<Targets, KafkaError> {
        let topics = self.topics(image);
        let described: Vec<server::Topic<'_>> = topics.names.iter().map(|name| topics.describe(name, None)).collect();
        // The map of the assignor takes a member that has just come after all others.
        let known = self.order.iter().filter(|id| Some(*id) != newcomer);
        let ids: Vec<&Name> = known.chain(newcomer).collect();
        let texts: Vec<&str> = ids.iter().map(|id| &***id).collect();
        let order: Vec<&Name> = hash_map_order(&texts).into_iter().map(|place| ids[place as usize]).collect();
        let mut lists: BTreeMap<(&[Name], Option<&Name>), u32> = BTreeMap::new();
        let mut subscriptions: Vec<Vec<u32>> = Vec::new();
        let mut previous: Vec<Vec<Place>> = Vec::new();
        let mut by_member: Vec<u32> = Vec::new();
        for id in &order {
            let member = &self.members[*id];
            let key = (&*member.value.topics, member.value.pattern.as_ref());
            let list = *lists.entry(key).or_insert_with(|| {
                subscriptions.push(self.subscription(member, &topics));
                subscriptions.len() as u32 - 1
            });
            by_member.push(list);
            previous.push(topics.places(&member.target));
        }
        let members: Vec<server::Member<'_>> = (order.iter().zip(&by_member).zip(&previous))
            .map(|((id, list), previous)| server::Member {
                id,
                instance_id: self.members[*id].value.instance.as_deref(),
                topics: &subscriptions[*list as usize],
                previous,
            })
            .collect();
        let assignment = assignor
            .deal(&server::Group { topics: &described, members: &members })
            .map_err(|error| self.not_computed(&error))?;
        Ok(order.into_iter().zip(assignment).map(|(id, places)| (Rc::clone(id), topics.dealt(places))).collect())
    }

    fn not_computed(&self, error: &assignor::AssignorError) -> KafkaError {
        let text = format!("Failed to compute a new target assignment for epoch {}: {error}", self.epoch);
        KafkaError::new("UNKNOWN_SERVER_ERROR", "UnknownServerException", text)
    }

    /// Topics that some member subscribes to and that are there.
    fn topics<'a>(&'a self, image: &'a ClusterImage) -> Topics<'a> {
        Topics::of(self.subscribed_topics(), image)
    }

    /// Names of topics that some member subscribes to; some come twice.
    fn subscribed_topics(&self) -> impl Iterator<Item = &Name> {
        let by_pattern = self.patterns.keys().filter_map(|pattern| self.resolved.get(pattern));
        self.named.keys().chain(by_pattern.flat_map(|resolved| &resolved.topics))
    }

    fn subscription(&self, member: &Member, topics: &Topics<'_>) -> Vec<u32> {
        let resolved = member.value.pattern.as_ref().and_then(|pattern| self.resolved.get(pattern));
        let by_pattern = resolved.into_iter().flat_map(|resolved| &resolved.topics);
        let numbers = member.value.topics.iter().chain(by_pattern).filter_map(|topic| topics.numbers.get(topic));
        let mut numbers: Vec<u32> = numbers.copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// `computeMetadataHash`.
    pub(super) fn hash_topics(&self, context: &GroupContext<'_>) -> u64 {
        self.topics(context.image).hash()
    }
}

/// By name and number.
pub(super) fn sorted(target: &[TopicPartition]) -> Vec<TopicPartition> {
    let mut target = target.to_vec();
    target.sort();
    target
}
