//! A classic group in the log and as a plain value; and what a coordinator does with it when it comes and goes.
//!
//! Follows `GroupMetadataValue`, `GroupMetadataManager.onLoaded` and `onUnloaded` of Kafka 4.3.1.

use std::rc::Rc;

use super::joining::answer;
use super::member::Member;
use super::requests::answer_sync;
use super::{CONSUMER, ClassicGroup};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::error::KafkaError;
use crate::event::Name;
use crate::event::internal::{ClassicGroupValue, ClassicMemberValue, GroupRecord};
use crate::group::{GroupState, GroupType};
use crate::message::group::Subscription;
use crate::snapshot::{GroupMemberSnapshot, GroupSnapshot};
use crate::time::Time;

/// Simplified: every client is on the brokers' own machine.
pub(in crate::coordinator::groups) const HOST: &str = "/127.0.0.1";

impl ClassicGroup {
    /// Its record. A group that nobody has joined yet says nothing of a protocol.
    pub(super) fn record(&self) -> GroupRecord {
        let value = ClassicGroupValue {
            protocol_type: self.protocol_type.clone().unwrap_or_else(|| "".into()),
            generation: self.generation,
            protocol: self.protocol.clone(),
            leader: self.leader.clone(),
            members: self.members.iter().map(|member| self.stored_member(member)).collect(),
        };
        // While members join for the first time, an empty group without a protocol is what counts.
        let value = if self.generation == 0 {
            ClassicGroupValue { protocol_type: "".into(), leader: None, members: Vec::new(), ..value }
        } else {
            value
        };
        GroupRecord::Classic { group: Rc::clone(&self.name), value: Some(Rc::new(value)) }
    }

    fn stored_member(&self, member: &Member) -> ClassicMemberValue {
        let told = self.protocol.as_ref().and_then(|protocol| member.subscription(protocol));
        ClassicMemberValue {
            member: Rc::clone(&member.id),
            instance: member.instance.clone(),
            client: Rc::clone(&member.client),
            host: HOST.into(),
            session_timeout: member.session_timeout,
            rebalance_timeout: member.rebalance_timeout,
            topics: told.map_or(Vec::new(), |told| told.topics.clone()),
            owned: told.map_or(Vec::new(), |told| told.owned.clone()),
            assigned: member.assigned.to_vec(),
        }
    }

    /// The group as a record left it.
    pub fn restore(name: &Name, value: &ClassicGroupValue, written: Time) -> ClassicGroup {
        let some = |text: &Name| Some(Rc::clone(text)).filter(|text| !text.is_empty());
        let member = |stored: &ClassicMemberValue| {
            let subscription = Subscription {
                topics: stored.topics.clone(),
                owned: stored.owned.clone(),
                generation: -1,
                ..Subscription::default()
            };
            let protocol = value.protocol.clone().unwrap_or_else(|| "".into());
            Rc::new(Member {
                id: Rc::clone(&stored.member),
                instance: stored.instance.clone(),
                client: Rc::clone(&stored.client),
                session_timeout: stored.session_timeout,
                rebalance_timeout: stored.rebalance_timeout,
                // Only what it told by the chosen protocol is in the log.
                protocols: vec![(protocol, Rc::new(subscription))],
                assigned: stored.assigned.as_slice().into(),
                is_new: false,
                joining: None,
                syncing: None,
                session_ends: None,
            })
        };
        let members: Vec<_> = value.members.iter().map(member).collect();
        let mut group = ClassicGroup {
            state: if members.is_empty() { GroupState::Empty } else { GroupState::Stable },
            protocol_type: some(&value.protocol_type),
            generation: value.generation,
            protocol: value.protocol.clone(),
            leader: value.leader.clone(),
            members,
            ..ClassicGroup::empty(Rc::clone(name), written)
        };
        group.subscribed = group.subscribed_topics();
        group
    }

    /// The log was read: every session begins anew.
    pub fn loaded(&mut self, context: &GroupContext, effects: &mut Effects) {
        for member in &mut self.members {
            let member = Rc::make_mut(member);
            member.session_ends = Some(context.now + member.session_timeout);
        }
        if self.members.len() > context.settings.size_max as usize {
            self.prepare_rebalance(context, effects);
        }
    }

    /// Another broker coordinates it: whoever waits is told so.
    pub fn unload(&self, effects: &mut Effects) {
        let elsewhere = || KafkaError::protocol("NOT_COORDINATOR");
        for member in &self.members {
            member.joining.iter().for_each(|asker| answer(effects, asker, &member.id, Err(elsewhere())));
            member.syncing.iter().for_each(|asker| answer_sync(effects, asker, Err(elsewhere())));
        }
    }

    /// Its tombstone.
    pub fn tombstones(&self) -> Vec<GroupRecord> {
        vec![GroupRecord::Classic { group: Rc::clone(&self.name), value: None }]
    }

    /// The group as a plain value; partition and coordinator are filled in by the caller.
    pub fn view(&self) -> GroupSnapshot {
        GroupSnapshot {
            group: Rc::clone(&self.name),
            group_type: GroupType::Classic,
            state: self.state,
            epoch: self.generation,
            assignment_epoch: self.generation,
            assignor: self.protocol.clone().unwrap_or_else(|| "".into()),
            protocol_type: self.protocol_type.clone().unwrap_or_else(|| "".into()),
            leader: self.leader.clone(),
            members: self.in_map_order().into_iter().map(|member| self.member_view(member)).collect(),
            due: self.join.map(|timer| timer.due),
            ..GroupSnapshot::default()
        }
    }

    fn member_view(&self, member: &Member) -> GroupMemberSnapshot {
        let is_consumer = self.protocol_type.as_deref() == Some(CONSUMER);
        let told = match &self.protocol {
            Some(protocol) => member.subscription(protocol),
            None => member.protocols.first().map(|(_, told)| told),
        };
        GroupMemberSnapshot {
            member: Rc::clone(&member.id),
            instance: member.instance.clone(),
            client: Rc::clone(&member.client),
            host: HOST.into(),
            rack: told.and_then(|told| told.rack.clone()),
            epoch: self.generation,
            topics: told.filter(|_| is_consumer).map_or(Vec::new(), |told| told.topics.clone()),
            assigned: member.assigned.to_vec(),
            is_joining: member.joining.is_some(),
            session_ends: member.session_ends,
            ..GroupMemberSnapshot::default()
        }
    }
}
