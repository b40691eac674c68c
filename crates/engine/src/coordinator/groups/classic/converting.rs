//! A classic group becomes one of the consumer protocol, or comes out of one.
//!
//! Follows `ConsumerGroup.fromClassicGroup` and `ClassicGroup.fromConsumerGroup` of Kafka 4.3.1. When that happens is in
//! `consumer/converting.rs`. Simplified: what a member told by its assignors is not kept in the other protocol; until it
//! joins again it counts as having told its topics and what it owns.

use std::rc::Rc;

use super::joining::answer;
use super::member::Member;
use super::requests::answer_sync;
use super::{CONSUMER, ClassicGroup};
use crate::coordinator::groups::classic::HOST;
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::error::KafkaError;
use crate::event::internal::{InternalRecord, MemberValue};
use crate::event::{Name, TopicPartition};
use crate::group::GroupState;
use crate::message::group::Subscription;
use crate::time::Duration;

impl ClassicGroup {
    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many members it has.
    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// Whoever waits is told to join again.
    pub fn give_up_waiting(&self, effects: &mut Effects) {
        let error = || KafkaError::protocol("REBALANCE_IN_PROGRESS");
        for member in self.in_map_order() {
            member.joining.iter().for_each(|asker| answer(effects, asker, &member.id, Err(error())));
        }
        for member in self.in_map_order() {
            member.syncing.iter().for_each(|asker| answer_sync(effects, asker, Err(error())));
        }
    }

    /// Its members as the other protocol knows them, with what they have.
    pub fn upgraded_members(&self) -> Vec<(Name, MemberValue, Vec<TopicPartition>)> {
        self.in_map_order().into_iter().map(|member| self.upgraded_member(member)).collect()
    }

    fn upgraded_member(&self, member: &Member) -> (Name, MemberValue, Vec<TopicPartition>) {
        let by_protocol = self.protocol.as_ref().and_then(|protocol| member.subscription(protocol));
        let told = by_protocol.or_else(|| member.protocols.first().map(|(_, told)| told));
        let mut topics = told.map_or(Vec::new(), |told| told.topics.clone());
        topics.sort();
        topics.dedup();
        let mut assigned = member.assigned.to_vec();
        assigned.sort();
        let names = member.protocols.iter().map(|(name, _)| Rc::clone(name)).collect();
        let value = MemberValue {
            instance: member.instance.clone(),
            rack: told.and_then(|told| told.rack.clone()),
            client: Rc::clone(&member.client),
            host: HOST.into(),
            topics,
            pattern: None,
            rebalance_timeout: member.rebalance_timeout,
            assignor: None,
            classic: Some((member.session_timeout, names)),
        };
        (Rc::clone(&member.id), value, assigned)
    }

    /// A group out of one of the consumer protocol whose members all use the classic one: it is stable in the
    /// generation of the group epoch. `before` is its state until now; `rebalances`: who has what has to change.
    pub fn downgraded<'a>(
        name: Name,
        (generation, before): (i32, GroupState),
        members: impl Iterator<Item = (Name, &'a MemberValue, Rc<[TopicPartition]>)>,
        rebalances: bool,
        context: &GroupContext,
        effects: &mut Effects,
    ) -> ClassicGroup {
        let mut group = ClassicGroup::empty(name, context.now);
        group.members = members.map(|(id, value, assigned)| Rc::new(downgraded_member(id, value, assigned))).collect();
        (group.generation, group.protocol_type) = (generation, Some(CONSUMER.into()));
        group.leader = group.in_map_order().first().map(|member| Rc::clone(&member.id));
        group.protocol = group.select_protocol();
        group.subscribed = group.subscribed_topics();
        for member in &mut group.members {
            let member = Rc::make_mut(member);
            member.session_ends = Some(context.now + member.session_timeout);
        }
        effects.records.push(InternalRecord::Group(group.record()));
        group.state = before;
        group.transition(GroupState::Stable, context, effects);
        if rebalances {
            group.prepare_rebalance(context, effects);
        }
        group
    }
}

fn downgraded_member(id: Name, value: &MemberValue, assigned: Rc<[TopicPartition]>) -> Member {
    let told = Rc::new(Subscription {
        topics: value.topics.clone(),
        owned: assigned.to_vec(),
        generation: -1,
        rack: value.rack.clone(),
        user_data: None,
    });
    let (session_timeout, names) = value.classic.clone().unwrap_or((Duration::ZERO, Vec::new()));
    Member {
        id,
        instance: value.instance.clone(),
        client: Rc::clone(&value.client),
        session_timeout,
        rebalance_timeout: value.rebalance_timeout,
        protocols: names.into_iter().map(|name| (name, Rc::clone(&told))).collect(),
        assigned,
        is_new: false,
        joining: None,
        syncing: None,
        session_ends: None,
    }
}
