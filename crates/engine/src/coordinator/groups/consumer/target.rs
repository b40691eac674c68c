//! Who shall own what: the target assignment, computed for the whole group.
//!
//! Follows `TargetAssignmentBuilder`, `computePreferredServerAssignor` and `ModernGroup.computeMetadataHash` of
//! Kafka 4.3.1. The assignors themselves are in the crate `assignor`.

use std::collections::BTreeMap;
use std::rc::Rc;

use assignor::java::hash_map_order;
use assignor::server::{self, Assignor};
use assignor::{TopicPartition as Place, Uuid};

use super::{ConsumerGroup, Member, write};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::error::KafkaError;
use crate::event::internal::{GroupRecord, TargetValue};
use crate::event::{Name, TopicPartition};
use crate::group::GroupEvent;
use crate::message::{BrokerImage, ClusterImage};

/// What each member shall own, by name and number.
type Targets = Vec<(Name, Rc<[TopicPartition]>)>;

/// Topics by number, as the assignor wants them.
struct Topics<'a> {
    names: Vec<&'a Name>,
    numbers: BTreeMap<&'a Name, u32>,
    image: &'a ClusterImage,
}

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
            if is_known && member.target == target {
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
            assignment: self.members.iter().map(|(id, member)| (Rc::clone(id), member.target.to_vec())).collect(),
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

    /// The target of each member, by name and number.
    fn compute(
        &self,
        assignor: Assignor,
        newcomer: Option<&Name>,
        image: &ClusterImage,
    ) -> Result<Targets, KafkaError> {
        let topics = self.topics(image);
        let described: Vec<server::Topic<'_>> = topics.names.iter().map(|name| topics.describe(name)).collect();
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
            .assign(&server::Group { topics: &described, members: &members })
            .map_err(|error| self.not_computed(&error))?;
        Ok(order.into_iter().zip(assignment).map(|(id, places)| (Rc::clone(id), topics.partitions(places))).collect())
    }

    fn not_computed(&self, error: &assignor::AssignorError) -> KafkaError {
        let text = format!("Failed to compute a new target assignment for epoch {}: {error}", self.epoch);
        KafkaError::new("UNKNOWN_SERVER_ERROR", "UnknownServerException", text)
    }

    /// Topics that some member subscribes to and that are there.
    fn topics<'a>(&'a self, image: &'a ClusterImage) -> Topics<'a> {
        let mut numbers: BTreeMap<&Name, u32> = BTreeMap::new();
        for name in self.subscribed_topics() {
            if let Some((known, _)) = image.topics.get_key_value(name) {
                numbers.insert(known, 0);
            }
        }
        numbers.values_mut().zip(0..).for_each(|(number, place)| *number = place);
        Topics { names: numbers.keys().copied().collect(), numbers, image }
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

    /// `computeMetadataHash`: another id, other partitions or other racks of a subscribed topic make another hash.
    pub(super) fn hash_topics(&self, context: &GroupContext<'_>) -> u64 {
        let image = context.image;
        let topics = self.topics(image);
        if topics.names.is_empty() {
            return 0;
        }
        let rack = |(id, broker): (&u32, &BrokerImage)| Some((*id, Hash::of(broker.rack.as_ref()?)));
        let racks: BTreeMap<u32, u64> = image.brokers.iter().filter_map(rack).collect();
        let mut hash = Hash::default();
        for name in topics.names {
            let topic = &image.topics[name];
            hash.text(name);
            hash.text(&topic.topic_id);
            hash.number(topic.partitions.len() as u64);
            let by_rack = topic.partitions.iter().filter(|_| !racks.is_empty());
            by_rack.for_each(|partition| {
                // Racks of a partition have no order.
                let known = partition.replicas.iter().filter_map(|id| racks.get(id));
                hash.number(known.fold(0, |sum, rack| sum.wrapping_add(*rack)));
            });
        }
        hash.0
    }
}

impl Topics<'_> {
    fn describe<'b>(&self, name: &'b Name) -> server::Topic<'b> {
        let topic = &self.image.topics[name];
        server::Topic {
            name,
            id: Uuid::parse(&topic.topic_id).unwrap_or_default(),
            partitions: Some(topic.partitions.len() as u32),
            assignable: None,
        }
    }

    /// Partitions that are there, by number.
    fn places(&self, partitions: &[TopicPartition]) -> Vec<Place> {
        let place = |partition: &TopicPartition| {
            let (name, topic) = self.numbers.get_key_value(&partition.topic)?;
            let count = self.image.topics[*name].partitions.len() as u32;
            (partition.partition < count).then(|| Place::new(*topic, partition.partition))
        };
        partitions.iter().filter_map(place).collect()
    }

    fn partitions(&self, mut places: Vec<Place>) -> Rc<[TopicPartition]> {
        places.sort_unstable();
        let name = |place: Place| TopicPartition {
            topic: Rc::clone(self.names[place.topic as usize]),
            partition: place.partition,
        };
        places.into_iter().map(name).collect()
    }
}

/// FNV-1a over bytes, 64 bits.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn of(text: &str) -> u64 {
        let mut hash = Hash::default();
        hash.text(text);
        hash.0
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        text.bytes().for_each(|byte| self.word(u64::from(byte)));
    }

    fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.word(u64::from(byte)));
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }
}
