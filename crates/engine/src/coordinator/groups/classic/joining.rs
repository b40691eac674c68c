//! JoinGroup: who becomes a member, and when that makes the group rebalance.
//!
//! Follows `GroupMetadataManager.classicGroupJoin` of Kafka 4.3.1.

use std::rc::Rc;

use super::member::Member;
use super::{ClassicGroup, NEW_MEMBER_TIMEOUT};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::coordinator::groups::group::{Group, Slot, group_mut};
use crate::coordinator::groups::serving::bury;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::Name;
use crate::event::internal::InternalRecord;
use crate::group::{GroupEvent, GroupState, GroupType, RemovalReason};
use crate::message::group::Joined;
use crate::message::group::JoinedMember;
use crate::message::{JoinGroup, JoinGroupAnswer, Payload};

/// JoinGroup. `uuid` is for the id of a member that has none.
pub(in crate::coordinator::groups) fn join(
    slot: &mut Slot,
    asker: Asker,
    asked: &JoinGroup,
    uuid: &str,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let (shortest, longest) = context.settings.session_timeouts;
    if asked.session_timeout < shortest || asked.session_timeout > longest {
        let nobody = Name::from("");
        return answer(effects, &asker, &nobody, Err(KafkaError::protocol("INVALID_SESSION_TIMEOUT")));
    }
    // An empty group of the other protocol makes way.
    if matches!(slot.as_deref(), Some(Group::Consumer(_))) {
        bury(slot, context, effects);
    }
    let is_new = slot.is_none();
    if is_new {
        if !asked.member.is_empty() {
            return answer(effects, &asker, &asked.member, Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")));
        }
        *slot = Some(Rc::new(Group::Classic(ClassicGroup::empty(Rc::clone(&asked.group), context.now))));
        effects.events.push(GroupEvent::GroupStateChanged {
            broker: context.broker,
            group: Rc::clone(&asked.group),
            group_type: GroupType::Classic,
            before: None,
            state: GroupState::Empty,
            epoch: 0,
        });
    }
    let Some(Group::Classic(group)) = group_mut(slot) else { return };
    group.join(asker, asked, uuid, context, effects);
    // A new group is written down even if nothing else is.
    if is_new && effects.records.is_empty() {
        effects.records.push(InternalRecord::Group(group.record()));
    }
}

/// Answers a JoinGroup.
pub(super) fn answer(effects: &mut Effects, asker: &Asker, member: &Name, result: Result<Joined, KafkaError>) {
    let error = result.as_ref().err().cloned();
    let answer = JoinGroupAnswer { request: asker.message.id, member: Rc::clone(member), result };
    effects.answer_join(asker.clone(), Payload::JoinGroupAnswer(answer), error);
}

impl ClassicGroup {
    fn join(&mut self, asker: Asker, asked: &JoinGroup, uuid: &str, context: &GroupContext, effects: &mut Effects) {
        let refusal = if !self.has_room(&asked.member, context) {
            self.remove(&asked.member, RemovalReason::Left, context, effects);
            "GROUP_MAX_SIZE_REACHED"
        } else if !self.fits(&asked.protocol_type, &asked.protocols) {
            "INCONSISTENT_GROUP_PROTOCOL"
        } else if asked.member.is_empty() {
            return self.join_without_id(asker, asked, uuid, context, effects);
        } else if self.is_pending(&asked.member) {
            return self.add(Rc::clone(&asked.member), asker, asked, context, effects);
        } else {
            match self.check_member(&asked.member, asked.instance.as_ref()) {
                Ok(()) => return self.join_again(asker, asked, context, effects),
                Err(error) => return answer(effects, &asker, &asked.member, Err(error)),
            }
        };
        answer(effects, &asker, &asked.member, Err(KafkaError::protocol(refusal)));
    }

    /// `acceptJoiningMember`.
    fn has_room(&self, member: &str, context: &GroupContext) -> bool {
        let known = self.member(member);
        let max = context.settings.size_max as usize;
        match self.state {
            GroupState::PreparingRebalance => {
                let waiting = self.members.iter().filter(|member| member.joining.is_some()).count();
                known.is_some_and(|member| member.joining.is_some()) || waiting < max
            }
            GroupState::CompletingRebalance | GroupState::Stable => known.is_some() || self.members.len() < max,
            _ => true,
        }
    }

    /// A member without an id: a dynamic one is told to come again with the id that it gets, a static one is in.
    fn join_without_id(
        &mut self,
        asker: Asker,
        asked: &JoinGroup,
        uuid: &str,
        context: &GroupContext,
        effects: &mut Effects,
    ) {
        let Some(instance) = &asked.instance else {
            let id: Name = format!("{}-{uuid}", asked.client_id).into();
            self.pending.push((Rc::clone(&id), context.now + asked.session_timeout));
            return answer(effects, &asker, &id, Err(KafkaError::protocol("MEMBER_ID_REQUIRED")));
        };
        let id: Name = format!("{instance}-{uuid}").into();
        match self.static_member(instance).map(|known| Rc::clone(&known.id)) {
            Some(before) => self.replace(&before, id, asker, asked, context, effects),
            None => self.add(id, asker, asked, context, effects),
        }
    }

    /// `addMemberThenRebalanceOrCompleteJoin`.
    fn add(&mut self, id: Name, asker: Asker, asked: &JoinGroup, context: &GroupContext, effects: &mut Effects) {
        if self.state == GroupState::PreparingRebalance && self.previous == GroupState::Empty {
            self.has_newcomer = true;
        }
        if self.members.is_empty() {
            self.protocol_type = Some(Rc::clone(&asked.protocol_type));
        }
        self.leader.get_or_insert_with(|| Rc::clone(&id));
        self.pending.retain(|(pending, _)| *pending != id);
        let member = Member::new(Rc::clone(&id), asked, asker, context.now + NEW_MEMBER_TIMEOUT);
        self.members.push(Rc::new(member));
        effects.events.push(GroupEvent::MemberJoined {
            broker: context.broker,
            group: Rc::clone(&self.name),
            member: id,
            client: Rc::clone(&asked.client_id),
            instance: asked.instance.clone(),
        });
        self.rebalance_or_complete(context, effects);
    }

    /// A member that is known joins again.
    fn join_again(&mut self, asker: Asker, asked: &JoinGroup, context: &GroupContext, effects: &mut Effects) {
        let id = &asked.member;
        let member = self.member_mut(id).expect("it was just checked");
        let is_same = member.protocols == asked.protocols;
        let is_current = match self.state {
            GroupState::CompletingRebalance => is_same,
            // The leader's JoinGroup always makes the group rebalance: it may know of changes that no member tells.
            GroupState::Stable => is_same && !self.is_leader(id),
            GroupState::PreparingRebalance => false,
            _ => return answer(effects, &asker, id, Err(KafkaError::protocol("UNKNOWN_MEMBER_ID"))),
        };
        if is_current {
            let joined = self.joined(id, false);
            return answer(effects, &asker, id, Ok(joined));
        }
        self.member_mut(id).expect("it was just checked").update(asked, asker);
        self.rebalance_or_complete(context, effects);
    }

    /// `updateStaticMemberThenRebalanceOrCompleteJoin`: another process has the instance id now.
    fn replace(
        &mut self,
        before: &Name,
        id: Name,
        asker: Asker,
        asked: &JoinGroup,
        context: &GroupContext,
        effects: &mut Effects,
    ) {
        let index = self.members.iter().position(|member| member.id == *before).expect("it was just found");
        let old = Rc::unwrap_or_clone(self.members.remove(index));
        let fenced = || KafkaError::protocol("FENCED_INSTANCE_ID");
        old.joining.iter().for_each(|asker| answer(effects, asker, before, Err(fenced())));
        old.syncing.iter().for_each(|asker| super::requests::answer_sync(effects, asker, Err(fenced())));
        if self.is_leader(before) {
            self.leader = Some(Rc::clone(&id));
        }
        self.unsynced.iter_mut().filter(|unsynced| *unsynced == before).for_each(|unsynced| *unsynced = Rc::clone(&id));
        let (group, member) = (Rc::clone(&self.name), Rc::clone(before));
        let (broker, reason) = (context.broker, RemovalReason::Replaced);
        effects.events.push(GroupEvent::MemberRemoved { broker, group: Rc::clone(&group), member, reason });
        let (client, instance) = (Rc::clone(&old.client), old.instance.clone());
        effects.events.push(GroupEvent::MemberJoined { broker, group, member: Rc::clone(&id), client, instance });
        let session_ends = Some(context.now + old.session_timeout);
        let mut member = Member { id: Rc::clone(&id), joining: None, syncing: None, session_ends, ..old };
        member.update(asked, asker);
        self.members.push(Rc::new(member));
        match self.state {
            GroupState::Stable if self.protocol == self.select_protocol() => {
                self.stay_stable(&id, asked.can_skip_assignment, effects)
            }
            GroupState::Stable => self.rebalance_or_complete(context, effects),
            // The leader may have assigned to the old id already.
            GroupState::CompletingRebalance => self.prepare_rebalance(context, effects),
            _ => self.maybe_complete_join(context, effects),
        }
    }

    /// A static member came back and nothing else changed: it goes on where it was.
    fn stay_stable(&mut self, id: &Name, can_skip_assignment: bool, effects: &mut Effects) {
        effects.records.push(InternalRecord::Group(self.record()));
        let mut joined = self.joined(id, can_skip_assignment && self.is_leader(id));
        if !can_skip_assignment {
            // An older client that leads would deal anew: nobody is there to deal to, and what it sends is not taken.
            joined.members.clear();
        }
        let asker = self.member_mut(id).and_then(|member| member.joining.take());
        // This one waits for its record.
        asker.iter().for_each(|asker| {
            let answer =
                JoinGroupAnswer { request: asker.message.id, member: Rc::clone(id), result: Ok(joined.clone()) };
            effects.answer(asker.clone(), Payload::JoinGroupAnswer(answer), None);
        });
    }

    /// The present generation, as a member is told.
    pub(super) fn joined(&self, id: &str, skip_assignment: bool) -> Joined {
        let protocol = self.protocol.clone().unwrap_or_else(|| "".into());
        let member = |member: &&Rc<Member>| JoinedMember {
            member: Rc::clone(&member.id),
            instance: member.instance.clone(),
            subscription: member.subscription(&protocol).map(Rc::clone).unwrap_or_default(),
        };
        let members = if self.is_leader(id) { self.in_map_order().iter().map(member).collect() } else { Vec::new() };
        let leader = self.leader.clone().unwrap_or_else(|| "".into());
        Joined { generation: self.generation, protocol, leader, members, skip_assignment }
    }
}
