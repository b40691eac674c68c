//! The rebalance of a classic group: everybody joins, then a generation begins.
//!
//! Follows `prepareRebalance`, `tryCompleteInitialRebalanceElseSchedule` and `completeClassicGroupJoin` of Kafka
//! 4.3.1's `GroupMetadataManager`.

use std::rc::Rc;

use super::joining::answer;
use super::requests::answer_sync;
use super::{ClassicGroup, JoinTimer};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::error::KafkaError;
use crate::event::Name;
use crate::event::internal::InternalRecord;
use crate::group::{GroupEvent, GroupState, RemovalReason};
use crate::time::Duration;

impl ClassicGroup {
    /// `maybePrepareRebalanceOrCompleteJoin`.
    pub(super) fn rebalance_or_complete(&mut self, context: &GroupContext, effects: &mut Effects) {
        match self.state {
            GroupState::Empty | GroupState::Stable | GroupState::CompletingRebalance => {
                self.prepare_rebalance(context, effects);
            }
            _ => self.maybe_complete_join(context, effects),
        }
    }

    /// A rebalance begins. The first one of an empty group waits for more members.
    pub(super) fn prepare_rebalance(&mut self, context: &GroupContext, effects: &mut Effects) {
        if self.state == GroupState::CompletingRebalance {
            for member in self.members.iter_mut().filter(|member| member.syncing.is_some()) {
                let member = Rc::make_mut(member);
                member.session_ends = Some(context.now + member.session_timeout);
                let asker = member.syncing.take();
                let error = || KafkaError::protocol("REBALANCE_IN_PROGRESS");
                asker.iter().for_each(|asker| answer_sync(effects, asker, Err(error())));
            }
            self.members.iter_mut().for_each(|member| Rc::make_mut(member).assigned = Rc::new([]));
        }
        self.sync_due = None;
        let is_initial = self.state == GroupState::Empty;
        self.transition(GroupState::PreparingRebalance, context, effects);
        if is_initial {
            let delay = context.settings.initial_delay;
            let remaining = Duration(self.rebalance_timeout().0.saturating_sub(delay.0));
            self.has_newcomer = false;
            self.join = Some(JoinTimer { due: context.now + delay, remaining: Some(remaining) });
        } else if self.have_all_joined() {
            self.complete_join(context, effects);
        } else {
            self.join = Some(JoinTimer { due: context.now + self.rebalance_timeout(), remaining: None });
        }
    }

    /// The time for joining is over.
    pub(super) fn join_expired(&mut self, timer: JoinTimer, context: &GroupContext, effects: &mut Effects) {
        match timer.remaining {
            Some(remaining) if self.has_newcomer && remaining > Duration::ZERO => {
                self.has_newcomer = false;
                let delay = context.settings.initial_delay.min(remaining);
                let remaining = Some(Duration(remaining.0 - delay.0));
                self.join = Some(JoinTimer { due: context.now + delay, remaining });
            }
            _ => self.complete_join(context, effects),
        }
    }

    fn have_all_joined(&self) -> bool {
        self.pending.is_empty() && self.members.iter().all(|member| member.joining.is_some())
    }

    /// `maybeCompleteJoinPhase`: nothing is waited for any more, but an initial rebalance takes its time.
    pub(super) fn maybe_complete_join(&mut self, context: &GroupContext, effects: &mut Effects) {
        let is_later = self.state == GroupState::PreparingRebalance && self.previous != GroupState::Empty;
        if is_later && self.have_all_joined() {
            self.complete_join(context, effects);
        }
    }

    /// `completeClassicGroupJoin`.
    pub(super) fn complete_join(&mut self, context: &GroupContext, effects: &mut Effects) {
        self.join = None;
        let is_late = |member: &&Name| {
            self.member(member).is_some_and(|member| member.joining.is_none() && member.instance.is_none())
        };
        let ids: Vec<Name> = self.members.iter().map(|member| Rc::clone(&member.id)).collect();
        let late: Vec<Name> = ids.iter().filter(is_late).cloned().collect();
        late.iter().for_each(|id| self.remove(id, RemovalReason::RebalanceTimeout, context, effects));
        if !self.elect_joined_leader() && !self.members.is_empty() {
            // Only static members are left, and none has joined again.
            self.join = Some(JoinTimer { due: context.now + self.rebalance_timeout(), remaining: None });
            return;
        }
        self.generation += 1;
        self.unsynced.clear();
        self.protocol = if self.members.is_empty() { None } else { self.select_protocol() };
        self.subscribed = self.subscribed_topics();
        if self.members.is_empty() {
            self.transition(GroupState::Empty, context, effects);
            effects.records.push(InternalRecord::Group(self.record()));
            return;
        }
        self.transition(GroupState::CompletingRebalance, context, effects);
        self.start_generation(context, effects);
    }

    /// Everybody is told of the generation, and has to ask for its assignment in time.
    fn start_generation(&mut self, context: &GroupContext, effects: &mut Effects) {
        let ids: Vec<Name> = self.in_map_order().iter().map(|member| Rc::clone(&member.id)).collect();
        effects.events.push(GroupEvent::GenerationStarted {
            broker: context.broker,
            group: Rc::clone(&self.name),
            generation: self.generation,
            protocol: self.protocol.clone().unwrap_or_else(|| "".into()),
            leader: self.leader.clone().unwrap_or_else(|| "".into()),
            members: ids.clone(),
        });
        for id in &ids {
            let joined = self.joined(id, false);
            let member = self.member_mut(id).expect("it was just listed");
            member.is_new = false;
            member.session_ends = Some(context.now + member.session_timeout);
            let asker = member.joining.take();
            asker.iter().for_each(|asker| answer(effects, asker, id, Ok(joined.clone())));
        }
        self.unsynced = ids;
        self.sync_due = Some(context.now + self.rebalance_timeout());
    }

    /// `maybeElectNewJoinedLeader`: whether a member that has joined leads.
    fn elect_joined_leader(&mut self) -> bool {
        let Some(leader) = &self.leader else { return false };
        if self.member(leader).is_some_and(|member| member.joining.is_some()) {
            return true;
        }
        let next = self.in_map_order().into_iter().find(|member| member.joining.is_some());
        let next = next.map(|member| Rc::clone(&member.id));
        let is_there = next.is_some();
        self.leader = next.or_else(|| self.leader.take());
        is_there
    }

    /// Takes a member out of the group, also one that has only an id. Its waiting JoinGroup fails, so that a client
    /// that is still there comes again.
    pub(super) fn remove(&mut self, id: &str, reason: RemovalReason, context: &GroupContext, effects: &mut Effects) {
        self.pending.retain(|(pending, _)| **pending != *id);
        let Some(index) = self.members.iter().position(|member| *member.id == *id) else { return };
        let member = self.members.remove(index);
        let unknown = || KafkaError::protocol("UNKNOWN_MEMBER_ID");
        member.joining.iter().for_each(|asker| answer(effects, asker, &member.id, Err(unknown())));
        member.syncing.iter().for_each(|asker| answer_sync(effects, asker, Err(unknown())));
        self.unsynced.retain(|unsynced| **unsynced != *id);
        if self.is_leader(id) {
            self.leader = self.in_map_order().first().map(|member| Rc::clone(&member.id));
        }
        let (group, member) = (Rc::clone(&self.name), Rc::clone(&member.id));
        effects.events.push(GroupEvent::MemberRemoved { broker: context.broker, group, member, reason });
    }

    /// What follows when members are gone.
    pub(super) fn after_removal(&mut self, context: &GroupContext, effects: &mut Effects) {
        match self.state {
            GroupState::Stable | GroupState::CompletingRebalance => self.rebalance_or_complete(context, effects),
            GroupState::PreparingRebalance => self.maybe_complete_join(context, effects),
            _ => {}
        }
    }
}
