//! Groups that change their protocol while members are in them, and the requests that may do that.
//!
//! Follows `getOrMaybeCreateConsumerGroup`, `convertToConsumerGroup` and `convertToClassicGroup` of Kafka 4.3.1's
//! `GroupMetadataManager`. What the classic group makes of it is in `classic/converting.rs`.

use std::rc::Rc;

use super::checks::{check_heartbeat, group_not_found};
use super::target::sorted;
use super::{AWAY, ConsumerGroup, write};
use crate::coordinator::groups::classic::{CONSUMER, ClassicGroup};
use crate::coordinator::groups::effects::{Effects, GroupContext, MigrationPolicy};
use crate::coordinator::groups::group::{Group, Slot, group_mut};
use crate::coordinator::groups::serving::bury;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::Name;
use crate::event::internal::{CurrentValue, GroupRecord, InternalRecord};
use crate::group::MemberState;
use crate::message::{ConsumerGroupHeartbeat, MemberHeartbeat, Payload};

/// ConsumerGroupHeartbeat, to a group that may not exist or be of the other protocol.
pub(in crate::coordinator::groups) fn heartbeat(
    slot: &mut Slot,
    asker: Asker,
    asked: &ConsumerGroupHeartbeat,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) {
    let result = check_heartbeat(asked).and_then(|()| served(slot, asked, context, effects));
    downgrade_if_due(slot, context, effects);
    let error = result.as_ref().err().cloned();
    let payload = Payload::ConsumerGroupHeartbeatAnswer { request: asker.message.id, result };
    effects.answer(asker, payload, error);
}

fn served(
    slot: &mut Slot,
    asked: &ConsumerGroupHeartbeat,
    context: &GroupContext<'_>,
    effects: &mut Effects,
) -> Result<MemberHeartbeat, KafkaError> {
    if let Some(group) = consumer(slot) {
        return group.take_heartbeat(asked, context, effects);
    }
    let name = &asked.group;
    match slot.as_deref() {
        None | Some(Group::Consumer(_)) if matches!(asked.epoch, -1 | AWAY) => {
            return Err(group_not_found(format!("Group {name} not found.")));
        }
        None | Some(Group::Consumer(_)) if asked.epoch != 0 => {
            return Err(group_not_found(format!("Consumer group {name} not found.")));
        }
        Some(Group::Classic(_)) if asked.epoch != 0 => {
            return Err(group_not_found(format!("Group {name} is not a consumer group.")));
        }
        Some(Group::Classic(group)) if !group.is_empty() => check_upgrade(group, context)?,
        _ => {}
    }
    // Whatever is refused from here on leaves the group as it was.
    let mut made = Effects::default();
    let mut changed = slot.clone();
    let mut group = new_group(&mut changed, name, context, &mut made);
    let answer = group.take_heartbeat(asked, context, &mut made)?;
    *slot = Some(Rc::new(Group::Consumer(group)));
    effects.records.extend(made.records);
    effects.events.extend(made.events);
    effects.replies.extend(made.replies);
    effects.joins.extend(made.joins);
    Ok(answer)
}

/// The group that the first member of the protocol makes: an empty one, or out of the classic group.
fn new_group(slot: &mut Slot, name: &Name, context: &GroupContext<'_>, effects: &mut Effects) -> ConsumerGroup {
    match slot.as_deref() {
        Some(Group::Classic(group)) if !group.is_empty() => ConsumerGroup::upgraded(group, context, effects),
        Some(_) => {
            bury(slot, context, effects);
            ConsumerGroup::new(Rc::clone(name))
        }
        None => ConsumerGroup::new(Rc::clone(name)),
    }
}

/// `validateOnlineUpgrade`.
fn check_upgrade(group: &ClassicGroup, context: &GroupContext<'_>) -> Result<(), KafkaError> {
    let settings = context.settings;
    let reason = if !matches!(settings.migration, MigrationPolicy::Bidirectional | MigrationPolicy::Upgrade) {
        "online upgrade is disabled"
    } else if group.protocol_type.as_deref() != Some(CONSUMER) {
        "the group does not use the consumer embedded protocol"
    } else if group.size() > settings.consumer_size_max {
        "the group size exceeds the consumer group maximum size"
    } else {
        return Ok(());
    };
    let text = format!("Cannot upgrade classic group {} to consumer group because {reason}.", group.name);
    Err(group_not_found(text))
}

/// A timer is due.
pub(in crate::coordinator::groups) fn expire(slot: &mut Slot, context: &GroupContext<'_>, effects: &mut Effects) {
    if let Some(group) = consumer(slot) {
        group.take_timers(context, effects);
    }
    downgrade_if_due(slot, context, effects);
}

pub(super) fn consumer(slot: &mut Slot) -> Option<&mut ConsumerGroup> {
    match group_mut(slot) {
        Some(Group::Consumer(group)) => Some(group),
        _ => None,
    }
}

/// `convertToClassicGroup`, after the last member of the consumer protocol has gone.
pub(super) fn downgrade_if_due(slot: &mut Slot, context: &GroupContext<'_>, effects: &mut Effects) {
    let Some(Group::Consumer(group)) = slot.as_deref() else { return };
    if !group.has_to_downgrade {
        return;
    }
    let members =
        group.members.iter().map(|(id, member)| (Rc::clone(id), &*member.value, sorted(&member.target).into()));
    let before = group.told.unwrap_or_default();
    let classic =
        ClassicGroup::downgraded(Rc::clone(&group.name), (group.epoch, before), members, true, context, effects);
    *slot = Some(Rc::new(Group::Classic(classic)));
}

impl ConsumerGroup {
    /// `validateOnlineDowngradeWithFencedMembers`.
    pub(super) fn can_downgrade_without(&self, gone: &[Name], context: &GroupContext<'_>) -> bool {
        let left = self.members.keys().filter(|id| !gone.contains(id)).count();
        left > 0 && left <= context.settings.size_max as usize && self.is_classic_without(gone, context)
    }

    /// `validateOnlineDowngradeWithReplacedMember`.
    pub(super) fn can_downgrade_by_replacing(&self, replaced: &Name, context: &GroupContext<'_>) -> bool {
        self.size() <= context.settings.size_max && self.is_classic_without(std::slice::from_ref(replaced), context)
    }

    /// Whether these are the only members of the consumer protocol, and the group may become a classic one.
    fn is_classic_without(&self, gone: &[Name], context: &GroupContext<'_>) -> bool {
        let policy = context.settings.migration;
        let mut modern = self.members.iter().filter(|(_, member)| member.value.classic.is_none()).peekable();
        matches!(policy, MigrationPolicy::Bidirectional | MigrationPolicy::Downgrade)
            && modern.peek().is_some()
            && modern.all(|(id, _)| gone.contains(id))
    }

    /// `convertToConsumerGroup`: whoever waits in the classic group is told to join again, and keeps what it has.
    fn upgraded(classic: &ClassicGroup, context: &GroupContext<'_>, effects: &mut Effects) -> ConsumerGroup {
        classic.give_up_waiting(effects);
        effects.records.extend(classic.tombstones().into_iter().map(InternalRecord::Group));
        let mut group = ConsumerGroup::new(Rc::clone(&classic.name));
        (group.epoch, group.assignment_epoch) = (classic.generation, classic.generation);
        group.told = Some(classic.state);
        let mut ids = Vec::new();
        for (id, value, assigned) in classic.upgraded_members() {
            let session = value.classic.as_ref().map(|(session, _)| context.now + *session);
            let assigned: Vec<_> =
                assigned.into_iter().filter(|own| context.image.topics.contains_key(&own.topic)).collect();
            let member = group.member_mut(&id);
            member.target = assigned.as_slice().into();
            member.timers.session = session;
            group.write_member(&id, &value, effects);
            group.set_value(&id, Rc::new(value));
            ids.push((id, assigned));
        }
        group.metadata_hash = group.hash_topics(context);
        group.seen = Rc::downgrade(context.image);
        group.write_epoch(effects);
        for (member, _) in &ids {
            let (name, target) = (Rc::clone(&group.name), Rc::clone(&group.members[member].target));
            let record = GroupRecord::TargetMember { group: name, member: Rc::clone(member), value: Some(target) };
            write(record, effects);
        }
        group.write_target_epoch(effects);
        for (id, assigned) in ids {
            let epoch = classic.generation;
            let assigned = assigned.into_iter().map(|partition| (partition, epoch)).collect();
            let (state, revoking) = (MemberState::Stable, Vec::new());
            group.move_to(&id, CurrentValue { epoch, previous_epoch: epoch, state, assigned, revoking }, effects);
        }
        group
    }
}
