//! SyncGroup, Heartbeat and LeaveGroup of a classic group, and its timers.
//!
//! Follows `classicGroupSync`, `classicGroupHeartbeat`, `classicGroupLeave` and `expireClassicGroupMemberHeartbeat` of
//! Kafka 4.3.1's `GroupMetadataManager`.

use std::rc::Rc;

use super::ClassicGroup;
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::coordinator::groups::group::{Group, Slot, group_mut};
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::InternalRecord;
use crate::event::{Name, TopicPartition};
use crate::group::{GroupEvent, GroupState, RemovalReason};
use crate::message::{Heartbeat, LeaveGroup, Payload, SyncGroup};

fn classic(slot: &mut Slot) -> Option<&mut ClassicGroup> {
    match group_mut(slot) {
        Some(Group::Classic(group)) => Some(group),
        _ => None,
    }
}

/// Answers a SyncGroup.
pub(super) fn answer_sync(effects: &mut Effects, asker: &Asker, result: Result<Vec<TopicPartition>, KafkaError>) {
    let error = result.as_ref().err().cloned();
    effects.answer(asker.clone(), Payload::SyncGroupAnswer { request: asker.message.id, result }, error);
}

/// SyncGroup.
pub(in crate::coordinator::groups) fn sync(
    slot: &mut Slot,
    asker: Asker,
    asked: &SyncGroup,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let checked = match classic(slot) {
        None => Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")),
        Some(group) => group.check_sync(asked).map(|()| group),
    };
    match checked {
        Ok(group) => group.sync(asker, asked, context, effects),
        Err(error) => answer_sync(effects, &asker, Err(error)),
    }
}

/// Heartbeat.
pub(in crate::coordinator::groups) fn heartbeat(
    slot: &mut Slot,
    asker: Asker,
    asked: &Heartbeat,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let result = match classic(slot) {
        None => Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")),
        Some(group) => group.heartbeat(asked, context),
    };
    let error = result.as_ref().err().cloned();
    effects.answer(asker.clone(), Payload::HeartbeatAnswer { request: asker.message.id, result }, error);
}

/// LeaveGroup.
pub(in crate::coordinator::groups) fn leave(
    slot: &mut Slot,
    asker: Asker,
    asked: &LeaveGroup,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let result = match classic(slot) {
        None => Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")),
        Some(group) => Ok(group.leave(asked, context, effects)),
    };
    let error = match &result {
        Err(error) => Some(error.clone()),
        Ok(results) => results.iter().find_map(|result| result.as_ref().err().cloned()),
    };
    effects.answer(asker.clone(), Payload::LeaveGroupAnswer { request: asker.message.id, result }, error);
}

/// A timer is due.
pub(in crate::coordinator::groups) fn expire(slot: &mut Slot, context: &GroupContext, effects: &mut Effects) {
    let Some(group) = classic(slot) else { return };
    if let Some(timer) = group.join.take_if(|timer| timer.due <= context.now) {
        group.join_expired(timer, context, effects);
    }
    if group.sync_due.take_if(|due| *due <= context.now).is_some() {
        group.sync_expired(context, effects);
    }
    group.expire_sessions(context, effects);
}

impl ClassicGroup {
    /// `validateSyncGroup`.
    fn check_sync(&self, asked: &SyncGroup) -> Result<(), KafkaError> {
        self.check_member(&asked.member, asked.instance.as_ref())?;
        if asked.generation != self.generation {
            return Err(KafkaError::protocol("ILLEGAL_GENERATION"));
        }
        let differs = |told: &Name, own: &Option<Name>| !told.is_empty() && own.as_ref() != Some(told);
        if differs(&asked.protocol_type, &self.protocol_type) || differs(&asked.protocol, &self.protocol) {
            return Err(KafkaError::protocol("INCONSISTENT_GROUP_PROTOCOL"));
        }
        Ok(())
    }

    fn sync(&mut self, asker: Asker, asked: &SyncGroup, context: &GroupContext, effects: &mut Effects) {
        let refusal = match self.state {
            GroupState::PreparingRebalance => "REBALANCE_IN_PROGRESS",
            GroupState::CompletingRebalance => return self.await_assignment(asker, asked, context, effects),
            GroupState::Stable => {
                self.has_synced(&asked.member);
                self.keep_alive(&asked.member, context.now);
                let assigned = self.member(&asked.member).map(|member| member.assigned.to_vec());
                return answer_sync(effects, &asker, Ok(assigned.unwrap_or_default()));
            }
            _ => "UNKNOWN_MEMBER_ID",
        };
        answer_sync(effects, &asker, Err(KafkaError::protocol(refusal)));
    }

    fn has_synced(&mut self, member: &str) {
        self.unsynced.retain(|unsynced| **unsynced != *member);
        if self.unsynced.is_empty() {
            self.sync_due = None;
        }
    }

    /// Waits for the leader; what it brings makes the group stable.
    fn await_assignment(&mut self, asker: Asker, asked: &SyncGroup, context: &GroupContext, effects: &mut Effects) {
        if let Some(member) = self.member_mut(&asked.member) {
            member.syncing = Some(asker);
        }
        self.has_synced(&asked.member);
        if !self.is_leader(&asked.member) {
            return;
        }
        let mut assignment = Vec::new();
        for member in &mut self.members {
            let own = asked.assignments.iter().find(|(id, _)| *id == member.id);
            let member = Rc::make_mut(member);
            member.assigned = own.map(|(_, partitions)| partitions.as_slice().into()).unwrap_or_default();
            assignment.push((Rc::clone(&member.id), member.assigned.to_vec()));
        }
        effects.records.push(InternalRecord::Group(self.record()));
        effects.events.push(GroupEvent::AssignmentMade {
            broker: context.broker,
            group: Rc::clone(&self.name),
            epoch: self.generation,
            assignor: self.protocol.clone().unwrap_or_else(|| "".into()),
            assignment,
        });
        self.transition(GroupState::Stable, context, effects);
        for member in self.members.iter_mut().filter(|member| member.syncing.is_some()) {
            let member = Rc::make_mut(member);
            member.session_ends = Some(context.now + member.session_timeout);
            let asker = member.syncing.take();
            asker.iter().for_each(|asker| answer_sync(effects, asker, Ok(member.assigned.to_vec())));
        }
    }

    /// Members that did not ask for their assignment in time are out.
    fn sync_expired(&mut self, context: &GroupContext, effects: &mut Effects) {
        let is_synced = self.unsynced.is_empty();
        if is_synced || !matches!(self.state, GroupState::CompletingRebalance | GroupState::Stable) {
            return;
        }
        for id in std::mem::take(&mut self.unsynced) {
            self.remove(&id, RemovalReason::NeverSynced, context, effects);
        }
        self.prepare_rebalance(context, effects);
    }

    fn heartbeat(&mut self, asked: &Heartbeat, context: &GroupContext) -> Result<(), KafkaError> {
        self.check_member(&asked.member, asked.instance.as_ref())?;
        if asked.generation != self.generation {
            return Err(KafkaError::protocol("ILLEGAL_GENERATION"));
        }
        match self.state {
            GroupState::PreparingRebalance => {
                self.keep_alive(&asked.member, context.now);
                Err(KafkaError::protocol("REBALANCE_IN_PROGRESS"))
            }
            GroupState::CompletingRebalance | GroupState::Stable => {
                self.keep_alive(&asked.member, context.now);
                Ok(())
            }
            _ => Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")),
        }
    }

    fn leave(
        &mut self,
        asked: &LeaveGroup,
        context: &GroupContext,
        effects: &mut Effects,
    ) -> Vec<Result<(), KafkaError>> {
        let mut results = Vec::new();
        for (member, instance) in &asked.members {
            let found = if member.is_empty() {
                // The Admin client removes static members by their instance ids.
                let known = instance.as_ref().and_then(|instance| self.static_member(instance));
                let known = known.map(|known| (Rc::clone(&known.id), RemovalReason::ByAdmin));
                known.ok_or_else(|| KafkaError::protocol("UNKNOWN_MEMBER_ID"))
            } else if self.is_pending(member) {
                Ok((Rc::clone(member), RemovalReason::Left))
            } else {
                self.check_member(member, instance.as_ref()).map(|()| (Rc::clone(member), RemovalReason::Left))
            };
            results.push(found.map(|(id, reason)| self.remove(&id, reason, context, effects)));
        }
        if results.iter().any(Result::is_ok) {
            self.after_removal(context, effects);
        }
        results
    }

    /// Sessions that are over, one after the other.
    fn expire_sessions(&mut self, context: &GroupContext, effects: &mut Effects) {
        let now = context.now;
        let unused: Vec<Name> =
            self.pending.iter().filter(|(_, ends)| *ends <= now).map(|(id, _)| Rc::clone(id)).collect();
        for id in unused {
            self.pending.retain(|(pending, _)| *pending != id);
            self.maybe_complete_join(context, effects);
        }
        let is_over = |member: &&Rc<super::member::Member>| member.session_ends.is_some_and(|ends| ends <= now);
        let over: Vec<Name> = self.members.iter().filter(is_over).map(|member| Rc::clone(&member.id)).collect();
        for id in over {
            let Some(member) = self.member_mut(&id) else { continue };
            // Earlier removals may have begun a generation, which starts sessions anew.
            let Some(_) = member.session_ends.take_if(|ends| *ends <= now) else { continue };
            if !member.is_waiting() {
                self.remove(&id, RemovalReason::SessionExpired, context, effects);
                self.after_removal(context, effects);
            }
        }
    }
}
