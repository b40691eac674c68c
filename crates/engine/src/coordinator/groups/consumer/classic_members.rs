//! Members of the classic protocol in a group of the consumer protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup.
//!
//! Follows `classicGroupJoinToConsumerGroup` and its sisters of Kafka 4.3.1's `GroupMetadataManager`. Each of them
//! goes its own way from generation to generation: a member's generation is its epoch, and nobody leads.

use std::rc::Rc;

use assignor::Uuid;

use super::checks::{full, unknown_member};
use super::converting::{consumer, downgrade_if_due};
use super::indexes::new_member;
use super::target::sorted;
use super::{ConsumerGroup, Member};
use crate::coordinator::groups::classic::{self, CONSUMER, ClassicGroup, HOST};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::coordinator::groups::group::{Group, Slot};
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::{InternalRecord, MemberValue};
use crate::event::{Name, TopicPartition};
use crate::group::{MemberState, RemovalReason};
use crate::message::group::Joined;
use crate::message::{Heartbeat, JoinGroup, JoinGroupAnswer, LeaveGroup, Payload, SyncGroup};

/// JoinGroup. `uuid` is for the id of a member that has none. A group without members becomes a classic one.
pub(in crate::coordinator::groups) fn classic_join(
    slot: &mut Slot,
    asker: Asker,
    asked: &JoinGroup,
    uuid: &str,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) {
    let (shortest, longest) = context.settings.session_timeouts;
    let Some(group) = consumer(slot).filter(|group| !group.members.is_empty()) else {
        return classic::join(slot, asker, asked, uuid, context, effects);
    };
    let id = if asked.member.is_empty() { short(uuid) } else { Rc::clone(&asked.member) };
    let (member, result) = if asked.session_timeout < shortest || asked.session_timeout > longest {
        (Name::from(""), Err(KafkaError::protocol("INVALID_SESSION_TIMEOUT")))
    } else {
        let result = group.classic_join(&id, asked, context, effects);
        (id, result)
    };
    downgrade_by_replacing(slot, context, effects);
    let error = result.as_ref().err().cloned();
    let answer = JoinGroupAnswer { request: asker.message.id, member, result };
    effects.answer(asker, Payload::JoinGroupAnswer(answer), error);
}

/// A UUID as Kafka writes it.
fn short(uuid: &str) -> Name {
    let digits: String = uuid.chars().filter(|digit| *digit != '-').collect();
    let half = |text: Option<&str>| text.and_then(|text| u64::from_str_radix(text, 16).ok()).unwrap_or_default();
    let (most_significant, least_significant) = (half(digits.get(..16)), half(digits.get(16..)));
    Uuid { most_significant, least_significant }.to_string().into()
}

/// A member of the classic protocol took the place of the last member of the other one.
fn downgrade_by_replacing(slot: &mut Slot, context: &GroupContext<'_>, effects: &mut Effects) {
    let Some(Group::Consumer(group)) = slot.as_deref() else { return };
    let Some(rebalances) = group.downgrades_by_replacing else { return };
    effects.records.extend(group.tombstones().into_iter().map(InternalRecord::Group));
    let members =
        group.members.iter().map(|(id, member)| (Rc::clone(id), &*member.value, sorted(&member.target).into()));
    let before = group.told.unwrap_or_default();
    let classic =
        ClassicGroup::downgraded(Rc::clone(&group.name), (group.epoch, before), members, rebalances, context, effects);
    *slot = Some(Rc::new(Group::Classic(classic)));
}

/// SyncGroup.
pub(in crate::coordinator::groups) fn classic_sync(
    slot: &mut Slot,
    asker: Asker,
    asked: &SyncGroup,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) {
    let result = match consumer(slot) {
        Some(group) => group.classic_sync(asked, context),
        None => Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")),
    };
    let error = result.as_ref().err().cloned();
    let payload = Payload::SyncGroupAnswer { request: asker.message.id, result };
    effects.answer(asker, payload, error);
}

/// Heartbeat.
pub(in crate::coordinator::groups) fn classic_heartbeat(
    slot: &mut Slot,
    asker: Asker,
    asked: &Heartbeat,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) {
    let result = match consumer(slot) {
        Some(group) => group.classic_heartbeat(asked, context),
        None => Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")),
    };
    let error = result.as_ref().err().cloned();
    let payload = Payload::HeartbeatAnswer { request: asker.message.id, result };
    effects.answer(asker, payload, error);
}

/// LeaveGroup: of such members, or of members that the Admin client removes.
pub(in crate::coordinator::groups) fn leave(
    slot: &mut Slot,
    asker: Asker,
    asked: &LeaveGroup,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) {
    let results = consumer(slot).map_or(Vec::new(), |group| group.classic_leave(asked, context, effects));
    downgrade_if_due(slot, context, effects);
    let error = results.iter().find_map(|result: &Result<(), KafkaError>| result.as_ref().err().cloned());
    let payload = Payload::LeaveGroupAnswer { request: asker.message.id, result: Ok(results) };
    effects.answer(asker, payload, error);
}

impl ConsumerGroup {
    fn classic_join(
        &mut self,
        id: &Name,
        asked: &JoinGroup,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<Joined, KafkaError> {
        let size_max = context.settings.consumer_size_max;
        if self.size() >= size_max && !self.members.contains_key(id) {
            return Err(full(size_max));
        }
        if !self.supports(asked) {
            return Err(KafkaError::protocol("INCONSISTENT_GROUP_PROTOCOL"));
        }
        let is_without_id = asked.member.is_empty();
        if is_without_id && asked.instance.is_none() {
            return Err(KafkaError::protocol("MEMBER_ID_REQUIRED"));
        }
        let owner = asked.instance.as_ref().and_then(|instance| self.instances.get(instance)).cloned();
        if let Some(instance) = asked.instance.as_ref().filter(|_| !is_without_id) {
            self.check_instance(id, instance)?;
        }
        let downgrades = owner.as_ref().is_some_and(|owner| self.can_downgrade_by_replacing(owner, context));
        let is_new = !self.members.contains_key(id);
        if let Some(owner) = owner.filter(|owner| owner != id) {
            self.replace(&owner, id, context, effects);
        }
        let before = self.members.get(id).cloned().unwrap_or_else(new_member);
        let value = updated(&before.value, asked);
        if is_new {
            self.tell_joined(id, &value, context, effects);
        }
        let mut owned = told(asked).map_or(Vec::new(), |told| told.owned.clone());
        owned.sort();
        let subscribed = self.subscribe(id, &before.value, value, context, effects);
        self.refresh_epoch(subscribed.is_changed, context, effects);
        if downgrades {
            if !subscribed.is_changed {
                self.reconcile(id, Some(&owned), false, context, effects);
            }
            self.downgrades_by_replacing = Some(subscribed.is_changed);
        } else {
            self.update_target(Some(id).filter(|_| is_new), context, effects)?;
            self.reconcile(id, Some(&owned), subscribed.is_changed, context, effects);
            self.tell_state(context, effects);
        }
        let member = self.member_mut(id);
        member.timers.join = None;
        member.timers.session = Some(context.now + asked.session_timeout);
        member.timers.sync = Some(context.now + asked.rebalance_timeout);
        let (leader, members, skip_assignment) = (Name::from(""), Vec::new(), false);
        let protocol = asked.protocols.first().map_or_else(|| "".into(), |(name, _)| Rc::clone(name));
        Ok(Joined { generation: member.current.epoch, protocol, leader, members, skip_assignment })
    }

    /// `supportsClassicProtocols`: one of the protocols is supported by all members of the classic protocol.
    fn supports(&self, asked: &JoinGroup) -> bool {
        let is_shared = |name: &Name| {
            let mut classic = self.members.values().filter_map(|member| member.value.classic.as_ref());
            classic.all(|(_, names)| names.contains(name))
        };
        &*asked.protocol_type == CONSUMER && asked.protocols.iter().any(|(name, _)| is_shared(name))
    }

    /// `validateConsumerGroupMember` and what follows it: a member of the classic protocol in its generation.
    fn check_classic(&self, id: &Name, instance: Option<&Name>, generation: i32) -> Result<&Member, KafkaError> {
        if let Some(instance) = instance {
            self.check_instance(id, instance)?;
        }
        let member = self.known(id)?;
        if member.value.classic.is_none() {
            return Err(unknown_member(format!("Member {id} does not use the classic protocol.")));
        }
        if member.current.epoch == generation { Ok(member) } else { Err(KafkaError::protocol("ILLEGAL_GENERATION")) }
    }

    fn classic_sync(
        &mut self,
        asked: &SyncGroup,
        context: &GroupContext<'_>,
    ) -> Result<Vec<TopicPartition>, KafkaError> {
        let id = &asked.member;
        let member = self.check_classic(id, asked.instance.as_ref(), asked.generation)?;
        let first = member.value.classic.as_ref().and_then(|(_, names)| names.first());
        let is_other = |told: &Name, own: Option<&str>| !told.is_empty() && own != Some(told);
        if is_other(&asked.protocol_type, Some(CONSUMER)) || is_other(&asked.protocol, first.map(|name| &**name)) {
            return Err(KafkaError::protocol("INCONSISTENT_GROUP_PROTOCOL"));
        }
        // A member that has to give partitions up first has joined already.
        if self.epoch > member.current.epoch && member.current.state != MemberState::UnrevokedPartitions {
            self.await_join(id, context);
            return Err(KafkaError::protocol("REBALANCE_IN_PROGRESS"));
        }
        let assigned = super::heartbeat::names(&member.current.assigned);
        self.member_mut(id).timers.sync = None;
        self.keep_alive(id, context);
        Ok(assigned)
    }

    fn classic_heartbeat(&mut self, asked: &Heartbeat, context: &GroupContext<'_>) -> Result<(), KafkaError> {
        let id = &asked.member;
        let member = self.check_classic(id, asked.instance.as_ref(), asked.generation)?;
        let has_to_join = match member.current.state {
            _ if member.current.epoch < self.epoch => true,
            MemberState::Stable => false,
            MemberState::UnrevokedPartitions => true,
            MemberState::UnreleasedPartitions => !self.waits(id, member),
        };
        self.keep_alive(id, context);
        if has_to_join {
            self.await_join(id, context);
            return Err(KafkaError::protocol("REBALANCE_IN_PROGRESS"));
        }
        Ok(())
    }

    /// `waitingOnUnreleasedPartition`: something that the member shall own belongs to another one still.
    fn waits(&self, id: &Name, member: &Member) -> bool {
        member.target.iter().any(|partition| self.is_taken(id, partition))
    }

    fn keep_alive(&mut self, id: &Name, context: &GroupContext<'_>) {
        let member = self.member_mut(id);
        if let Some((session, _)) = &member.value.classic {
            member.timers.session = Some(context.now + *session);
        }
    }

    /// `scheduleConsumerGroupJoinTimeoutIfAbsent`.
    fn await_join(&mut self, id: &Name, context: &GroupContext<'_>) {
        let member = self.member_mut(id);
        member.timers.join.get_or_insert(context.now + member.value.rebalance_timeout);
    }

    fn classic_leave(
        &mut self,
        asked: &LeaveGroup,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Vec<Result<(), KafkaError>> {
        let mut gone: Vec<Name> = Vec::new();
        let mut reason = RemovalReason::Left;
        let mut results = Vec::new();
        for (id, instance) in &asked.members {
            let found = match instance {
                None => self.known(id).map(|_| Rc::clone(id)),
                Some(instance) if id.is_empty() => {
                    reason = RemovalReason::ByAdmin;
                    let unknown = || unknown_member(format!("Instance id {instance} is unknown."));
                    self.instances.get(instance).cloned().ok_or_else(unknown)
                }
                Some(instance) => self.check_instance(id, instance).map(|()| Rc::clone(id)),
            };
            results.push(found.map(|id| {
                if !gone.contains(&id) {
                    gone.push(id);
                }
            }));
        }
        if !gone.is_empty() {
            self.fence(&gone, reason, context, effects);
            self.tell_state(context, effects);
        }
        results
    }
}

/// What a member tells by its first protocol.
fn told(asked: &JoinGroup) -> Option<&crate::message::group::Subscription> {
    asked.protocols.first().map(|(_, told)| &**told)
}

/// The member as a JoinGroup changes it.
fn updated(before: &MemberValue, asked: &JoinGroup) -> MemberValue {
    let mut topics = told(asked).map_or(Vec::new(), |told| told.topics.clone());
    topics.sort();
    topics.dedup();
    let names = asked.protocols.iter().map(|(name, _)| Rc::clone(name)).collect();
    MemberValue {
        instance: asked.instance.clone().or_else(|| before.instance.clone()),
        rack: told(asked).and_then(|told| told.rack.clone()).or_else(|| before.rack.clone()),
        client: Rc::clone(&asked.client_id),
        host: HOST.into(),
        topics,
        pattern: None,
        rebalance_timeout: asked.rebalance_timeout,
        assignor: before.assignor.clone(),
        classic: Some((asked.session_timeout, names)),
    }
}
