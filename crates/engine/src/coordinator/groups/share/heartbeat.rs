//! ShareGroupHeartbeat: a member joins, tells its topics, is told its partitions, and leaves.
//!
//! Follows `GroupMetadataManager.shareGroupHeartbeat`, `shareGroupLeave` and `shareGroupFenceMember` of Kafka 4.3.1.

use std::rc::Rc;

use super::{ShareGroup, new_member};
use crate::coordinator::groups::classic::HOST;
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::coordinator::groups::group::{Group, Slot, group_mut};
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::{CurrentValue, MemberValue, ShareGroupRecord};
use crate::event::{Name, TopicPartition};
use crate::group::{GroupEvent, MemberState, RemovalReason};
use crate::message::{MemberHeartbeat, Payload, ShareGroupHeartbeat};
use crate::time::Duration;

/// The epoch of a member that leaves.
const LEAVE: i32 = -1;

/// A heartbeat, which may make the group.
pub(in crate::coordinator::groups) fn heartbeat(
    slot: &mut Slot,
    asker: Asker,
    asked: &ShareGroupHeartbeat,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) {
    let result = check(asked).and_then(|()| serve(slot, asked, context, effects));
    let error = result.as_ref().err().cloned();
    let payload = Payload::ShareGroupHeartbeatAnswer { request: asker.message.id, result };
    effects.answer(asker, payload, error);
}

/// `throwIfShareGroupHeartbeatRequestIsInvalid`.
fn check(asked: &ShareGroupHeartbeat) -> Result<(), KafkaError> {
    let wrong = [
        (asked.member.is_empty(), "MemberId can't be empty."),
        (asked.group.is_empty(), "GroupId can't be empty."),
        (asked.rack.as_ref().is_some_and(|rack| rack.is_empty()), "RackId can't be empty."),
        (asked.epoch == 0 && asked.topics.is_none(), "SubscribedTopicNames must be set in first request."),
        (asked.epoch < LEAVE, "MemberEpoch is invalid."),
    ];
    match wrong.iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, text)) => Err(KafkaError::new("INVALID_REQUEST", "InvalidRequestException", *text)),
        None => Ok(()),
    }
}

fn serve(
    slot: &mut Slot,
    asked: &ShareGroupHeartbeat,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) -> Result<MemberHeartbeat, KafkaError> {
    let not_found = |text| Err(KafkaError::new("GROUP_ID_NOT_FOUND", "GroupIdNotFoundException", text));
    match slot.as_deref() {
        Some(Group::Share(_)) => {}
        Some(_) => return not_found(format!("Group {} is not a share group.", asked.group)),
        None if asked.epoch == 0 => {}
        None => return not_found(format!("Share group {} not found.", asked.group)),
    }
    let new = || Rc::new(Group::Share(ShareGroup::new(Rc::clone(&asked.group))));
    slot.get_or_insert_with(new);
    let Some(Group::Share(group)) = group_mut(slot) else { unreachable!("it was just found or made") };
    if asked.epoch == LEAVE { group.leave(asked, context, effects) } else { group.beat(asked, context, effects) }
}

/// Sessions that end.
pub(in crate::coordinator::groups) fn expire(
    group: &mut ShareGroup,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) {
    let is_late = |member: &super::Member| member.session.is_some_and(|due| due <= context.now);
    let late: Vec<Name> =
        group.members.iter().filter(|(_, member)| is_late(member)).map(|(id, _)| Rc::clone(id)).collect();
    for id in late {
        group.fence(&id, RemovalReason::SessionExpired, context, effects);
    }
}

impl ShareGroup {
    fn beat(
        &mut self,
        asked: &ShareGroupHeartbeat,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<MemberHeartbeat, KafkaError> {
        let id = &asked.member;
        self.admit(asked, context)?;
        let is_new = !self.members.contains_key(id);
        let before = self.members.get(id).cloned().unwrap_or_else(new_member);
        let value = updated(&before.value, asked);
        if is_new {
            self.tell_joined(id, &value, context, effects);
        }
        let is_subscribed_anew = value.topics != before.value.topics;
        if is_new || value != *before.value {
            let value = Rc::new(value);
            self.member_mut(id).value = Rc::clone(&value);
            self.write(ShareGroupRecord::Member { member: Rc::clone(id), value: Some(value) }, effects);
        }
        let hash = self.hash(context.image);
        if is_subscribed_anew || hash != self.metadata_hash {
            self.epoch += 1;
            self.metadata_hash = hash;
            self.write_epoch(effects);
        }
        self.ask_for_initialization(context, effects);
        self.update_target(Some(id).filter(|_| is_new), context, effects)?;
        self.reconcile(id, context, effects);
        let session = context.now + context.settings.share_session_timeout;
        self.member_mut(id).session = Some(session);
        self.tell_state(context, effects);
        let current = &self.members[id].current;
        let is_told = asked.epoch == 0 || asked.topics.is_some() || names(current) != names(&before.current);
        Ok(MemberHeartbeat {
            member: Rc::clone(id),
            epoch: current.epoch,
            interval: context.settings.share_heartbeat_interval,
            assignment: is_told.then(|| names(current)),
        })
    }

    /// Everything that a member can be refused for.
    fn admit(&self, asked: &ShareGroupHeartbeat, context: &GroupContext<'_>) -> Result<(), KafkaError> {
        let (id, received) = (&asked.member, asked.epoch);
        let Some(member) = self.members.get(id) else {
            let size_max = context.settings.share_size_max;
            if received == 0 && self.members.len() as u32 >= size_max {
                let text = format!("The share group has reached its maximum capacity of {size_max} members.");
                return Err(KafkaError::new("GROUP_MAX_SIZE_REACHED", "GroupMaxSizeReachedException", text));
            }
            return if received == 0 { Ok(()) } else { Err(self.unknown(id)) };
        };
        let known = member.current.epoch;
        let side = match received {
            0 => return Ok(()),
            received if received > known => "greater",
            received if received < known && received != member.current.previous_epoch => "smaller",
            _ => return Ok(()),
        };
        let text = format!(
            "The share group member has a {side} member epoch ({received}) than the one known by the group coordinator \
             ({known}). The member must abandon all its partitions and rejoin."
        );
        Err(KafkaError::new("FENCED_MEMBER_EPOCH", "FencedMemberEpochException", text))
    }

    fn unknown(&self, id: &str) -> KafkaError {
        let text = format!("Member {id} is not a member of group {}.", self.name);
        KafkaError::new("UNKNOWN_MEMBER_ID", "UnknownMemberIdException", text)
    }

    /// A member is where the target wants it at once: others may have the same partitions.
    fn reconcile(&mut self, id: &Name, context: &GroupContext<'_>, effects: &mut Effects) {
        let epoch = self.assignment_epoch;
        let member = self.member_mut(id);
        if member.current.epoch == epoch {
            return;
        }
        let assigned: Vec<(TopicPartition, i32)> =
            member.target.iter().map(|partition| (partition.clone(), epoch)).collect();
        let current = Rc::new(CurrentValue {
            epoch,
            previous_epoch: member.current.epoch,
            state: MemberState::Stable,
            assigned,
            revoking: Vec::new(),
        });
        member.current = Rc::clone(&current);
        effects.events.push(GroupEvent::MemberReconciled {
            broker: context.broker,
            group: Rc::clone(&self.name),
            member: Rc::clone(id),
            epoch,
            state: MemberState::Stable,
            assigned: names(&current),
        });
        self.write(ShareGroupRecord::Current { member: Rc::clone(id), value: Some(current) }, effects);
    }

    fn leave(
        &mut self,
        asked: &ShareGroupHeartbeat,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<MemberHeartbeat, KafkaError> {
        if !self.members.contains_key(&asked.member) {
            return Err(self.unknown(&asked.member));
        }
        self.fence(&asked.member, RemovalReason::Left, context, effects);
        let member = Rc::clone(&asked.member);
        Ok(MemberHeartbeat { member, epoch: LEAVE, interval: Duration::ZERO, assignment: None })
    }

    /// Removes a member: the others are assigned anew.
    fn fence(&mut self, id: &Name, reason: RemovalReason, context: &GroupContext<'_>, effects: &mut Effects) {
        self.remove(id);
        for record in ShareGroupRecord::tombstones_of(id) {
            self.write(record, effects);
        }
        effects.events.push(GroupEvent::MemberRemoved {
            broker: context.broker,
            group: Rc::clone(&self.name),
            member: Rc::clone(id),
            reason,
        });
        self.epoch += 1;
        self.write_epoch(effects);
        self.tell_state(context, effects);
    }

    fn tell_joined(&self, id: &Name, value: &MemberValue, context: &GroupContext<'_>, effects: &mut Effects) {
        effects.events.push(GroupEvent::MemberJoined {
            broker: context.broker,
            group: Rc::clone(&self.name),
            member: Rc::clone(id),
            client: Rc::clone(&value.client),
            instance: None,
        });
    }
}

/// The member as the request changes it. What the request leaves out stays.
fn updated(before: &MemberValue, asked: &ShareGroupHeartbeat) -> MemberValue {
    let mut topics = asked.topics.clone().unwrap_or_else(|| before.topics.clone());
    topics.sort();
    topics.dedup();
    MemberValue {
        rack: asked.rack.clone().or_else(|| before.rack.clone()),
        client: Rc::clone(&asked.client_id),
        host: HOST.into(),
        topics,
        ..before.clone()
    }
}

/// The partitions without their epochs.
fn names(current: &CurrentValue) -> Vec<TopicPartition> {
    current.assigned.iter().map(|(partition, _)| partition.clone()).collect()
}
