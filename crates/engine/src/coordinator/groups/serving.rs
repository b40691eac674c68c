//! Which part of a group serves a request: by its kind, and by the protocol of the group.
//!
//! Commits and deletions, which are alike for both protocols, are here. Follows `GroupCoordinatorShard` and
//! `OffsetMetadataManager` of Kafka 4.3.1.

use std::rc::Rc;

use super::answers::refused;
use super::effects::{Effects, GroupContext};
use super::group::{Group, Slot, group_mut};
use super::offset_state::OffsetState;
use super::{classic, consumer, share};
use crate::coordinator::offsets::exists;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::{GroupRecord, InternalRecord, OffsetRecord};
use crate::event::{Name, TopicPartition};
use crate::group::{GroupEvent, GroupState};
use crate::message::{DeleteGroup, LeaveGroup, OffsetCommit, OffsetDelete, Payload};
use crate::time::Time;

/// A request of a group, and what its broker adds.
pub(super) struct Request<'a> {
    pub asker: Asker,
    pub payload: &'a Payload,
    /// For a new member's id.
    pub uuid: &'a str,
    /// The offsets of all groups of the partition.
    pub offsets: &'a OffsetState,
}

/// Whether a member may get its id by this request.
pub(super) fn needs_id(payload: &Payload) -> bool {
    matches!(payload, Payload::JoinGroup(asked) if asked.member.is_empty())
}

/// Serves a request. OffsetFetch changes nothing and does not come here.
pub(super) fn serve(slot: &mut Slot, request: &Request, context: &GroupContext, effects: &mut Effects) {
    let asker = request.asker.clone();
    let is_consumer = matches!(slot.as_deref(), Some(Group::Consumer(_)));
    if let Some(error) = not_of_share_groups(slot.as_deref(), request.payload) {
        let payload = refused(request.payload, asker.message.id, &error);
        return effects.answer(asker, payload, Some(error));
    }
    match request.payload {
        Payload::ConsumerGroupHeartbeat(asked) => consumer::heartbeat(slot, asker, asked, context, effects),
        Payload::ShareGroupHeartbeat(asked) => share::heartbeat(slot, asker, asked, context, effects),
        Payload::JoinGroup(asked) if is_consumer => {
            consumer::classic_join(slot, asker, asked, request.uuid, context, effects);
        }
        Payload::JoinGroup(asked) => classic::join(slot, asker, asked, request.uuid, context, effects),
        Payload::SyncGroup(asked) if is_consumer => consumer::classic_sync(slot, asker, asked, context, effects),
        Payload::SyncGroup(asked) => classic::sync(slot, asker, asked, context, effects),
        Payload::Heartbeat(asked) if is_consumer => consumer::classic_heartbeat(slot, asker, asked, context, effects),
        Payload::Heartbeat(asked) => classic::heartbeat(slot, asker, asked, context, effects),
        Payload::LeaveGroup(asked) => {
            let asked = &all_of(slot.as_deref(), asked);
            if is_consumer {
                consumer::leave(slot, asker, asked, context, effects);
            } else {
                classic::leave(slot, asker, asked, context, effects);
            }
        }
        Payload::OffsetCommit(asked) => commit(slot, asker, asked, context, effects),
        Payload::DeleteGroup(asked) => delete_group(slot, asker, asked, request.offsets, context, effects),
        Payload::OffsetDelete(asked) => delete_offsets(slot, asker, asked, request.offsets, context, effects),
        other => panic!("{other:?} is not for a group"),
    }
}

/// What a share group has nothing to do with.
fn not_of_share_groups(group: Option<&Group>, payload: &Payload) -> Option<KafkaError> {
    let Some(Group::Share(group)) = group else { return None };
    match payload {
        Payload::ShareGroupHeartbeat(_) | Payload::DeleteGroup(_) => None,
        Payload::JoinGroup(_) => Some(KafkaError::protocol("INCONSISTENT_GROUP_PROTOCOL")),
        Payload::SyncGroup(_) | Payload::Heartbeat(_) | Payload::LeaveGroup(_) => {
            Some(KafkaError::protocol("UNKNOWN_MEMBER_ID"))
        }
        _ => Some(no_consumer_group(group.name())),
    }
}

/// A request of consumers came to a group of another kind.
pub(super) fn no_consumer_group(group: &str) -> KafkaError {
    let text = format!("Group {group} is not a consumer group.");
    KafkaError::new("GROUP_ID_NOT_FOUND", "GroupIdNotFoundException", text)
}

/// LeaveGroup of nobody comes from an Admin client that removes all members: static ones by their instance ids.
fn all_of(group: Option<&Group>, asked: &LeaveGroup) -> LeaveGroup {
    let mut asked = asked.clone();
    if asked.members.is_empty() {
        let members = match group {
            Some(Group::Classic(group)) => group.view().members,
            Some(Group::Consumer(group)) => group.view().members,
            Some(Group::Share(_)) | None => Vec::new(),
        };
        let named = members.into_iter().map(|member| match member.instance {
            Some(instance) => ("".into(), Some(instance)),
            None => (member.member, None),
        });
        asked.members = named.collect();
    }
    asked
}

/// A timer of the group is due.
pub(super) fn expire(slot: &mut Slot, context: &GroupContext, effects: &mut Effects) {
    match slot.as_deref() {
        Some(Group::Classic(_)) => classic::expire(slot, context, effects),
        Some(Group::Consumer(_)) => consumer::expire(slot, context, effects),
        Some(Group::Share(_)) => {
            if let Some(Group::Share(group)) = group_mut(slot) {
                share::expire(group, context, effects);
            }
        }
        None => {}
    }
}

/// OffsetCommit.
fn commit(slot: &mut Slot, asker: Asker, asked: &OffsetCommit, context: &GroupContext, effects: &mut Effects) {
    let (known, unknown): (Vec<_>, Vec<_>) =
        asked.offsets.iter().cloned().partition(|(partition, _)| exists(context.image, partition));
    let checked = if known.is_empty() { Ok(()) } else { check_commit(slot.as_deref(), asked, &known) };
    // The answer has room for the error's code only.
    let checked = checked.map_err(|error| KafkaError::protocol(&error.error));
    if checked.is_ok() && !known.is_empty() {
        let simple = || Rc::new(Group::Classic(classic::ClassicGroup::simple(Rc::clone(&asked.group), context.now)));
        slot.get_or_insert_with(simple);
        if let Some(Group::Classic(group)) = group_mut(slot) {
            group.committed(&asked.member, context.now);
        }
        let record = |(partition, offset): &(TopicPartition, u64)| {
            let (group, partition) = (Rc::clone(&asked.group), partition.clone());
            InternalRecord::Offset(OffsetRecord { group, partition, offset: *offset })
        };
        effects.records.extend(known.iter().map(record));
        let (broker, group) = (context.broker, Rc::clone(&asked.group));
        effects.events.push(GroupEvent::OffsetsCommitted { broker, group, offsets: known });
    }
    let missing = |partition: &TopicPartition| unknown.iter().any(|(other, _)| other == partition);
    let result = |(partition, _): &(TopicPartition, u64)| {
        let unknown = || KafkaError::protocol("UNKNOWN_TOPIC_OR_PARTITION");
        let result = if missing(partition) { Err(unknown()) } else { checked.clone() };
        (partition.clone(), result)
    };
    let results: Vec<_> = asked.offsets.iter().map(result).collect();
    let error = results.iter().find_map(|(_, result)| result.as_ref().err().cloned());
    effects.answer(asker.clone(), Payload::OffsetCommitAnswer { request: asker.message.id, results }, error);
}

/// `validateOffsetCommit`.
fn check_commit(
    group: Option<&Group>,
    asked: &OffsetCommit,
    offsets: &[(TopicPartition, u64)],
) -> Result<(), KafkaError> {
    let (member, instance, generation) = (&*asked.member, asked.instance.as_ref(), asked.generation);
    match group {
        None if generation < 0 => Ok(()),
        None => Err(KafkaError::protocol("GROUP_ID_NOT_FOUND")),
        Some(Group::Classic(group)) => group.check_commit(member, instance, generation, false),
        Some(Group::Consumer(group)) => group.check_commit(member, instance, generation, false, offsets),
        Some(Group::Share(group)) => Err(no_consumer_group(group.name())),
    }
}

/// `validateTransactionalOffsetCommit`.
pub(in crate::coordinator) fn check_transactional(
    group: Option<&Group>,
    member: &str,
    generation: i32,
    offsets: &[(TopicPartition, u64)],
) -> Result<(), KafkaError> {
    match group {
        None if generation < 0 => Ok(()),
        None => Err(KafkaError::protocol("ILLEGAL_GENERATION")),
        Some(Group::Classic(group)) => group.check_commit(member, None, generation, true),
        Some(Group::Consumer(group)) => {
            let checked = group.check_commit(member, None, generation, true, offsets);
            checked.map_err(|error| match error.error.as_str() {
                "STALE_MEMBER_EPOCH" => KafkaError::protocol("ILLEGAL_GENERATION"),
                _ => error,
            })
        }
        Some(Group::Share(group)) => Err(no_consumer_group(group.name())),
    }
}

/// DeleteGroups.
fn delete_group(
    slot: &mut Slot,
    asker: Asker,
    asked: &DeleteGroup,
    offsets: &OffsetState,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let result = match slot.as_deref() {
        None => Err(KafkaError::protocol("GROUP_ID_NOT_FOUND")),
        Some(group) if !group.is_empty() => Err(KafkaError::protocol("NON_EMPTY_GROUP")),
        Some(_) => Ok(()),
    };
    if result.is_ok() {
        let mut partitions = offsets.pending_of(&asked.group);
        partitions.extend(offsets.of(&asked.group).map(|(partition, _)| partition.clone()));
        remove_offsets(&asked.group, partitions.into_iter().collect(), context, effects);
        if let Some(Group::Share(group)) = slot.as_deref() {
            effects.forget.extend(group.initialized().iter().cloned());
        }
        bury(slot, context, effects);
    }
    let error = result.as_ref().err().cloned();
    effects.answer(asker.clone(), Payload::DeleteGroupAnswer { request: asker.message.id, result }, error);
}

/// OffsetDelete.
fn delete_offsets(
    slot: &mut Slot,
    asker: Asker,
    asked: &OffsetDelete,
    offsets: &OffsetState,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let checked = match slot.as_deref() {
        None => Err(KafkaError::protocol("GROUP_ID_NOT_FOUND")),
        Some(Group::Classic(group)) => group.check_offset_delete(),
        Some(Group::Consumer(_)) => Ok(()),
        Some(Group::Share(group)) => Err(no_consumer_group(group.name())),
    };
    let group = slot.as_deref();
    let pending = offsets.pending_of(&asked.group);
    let result = checked.map(|()| {
        let one = |partition: &TopicPartition| {
            let result = if !exists(context.image, partition) {
                Err(KafkaError::protocol("UNKNOWN_TOPIC_OR_PARTITION"))
            } else if group.is_some_and(|group| group.is_subscribed_to(&partition.topic)) {
                Err(KafkaError::protocol("GROUP_SUBSCRIBED_TO_TOPIC"))
            } else {
                Ok(())
            };
            (partition.clone(), result)
        };
        asked.partitions.iter().map(one).collect::<Vec<_>>()
    });
    let gone = result.iter().flatten().filter(|(partition, result)| {
        result.is_ok() && (offsets.get(&asked.group, partition).is_some() || pending.contains(partition))
    });
    let gone: Vec<_> = gone.map(|(partition, _)| partition.clone()).collect();
    remove_offsets(&asked.group, gone, context, effects);
    let error = match &result {
        Ok(results) => results.iter().find_map(|(_, result)| result.as_ref().err().cloned()),
        Err(error) => Some(error.clone()),
    };
    effects.answer(asker.clone(), Payload::OffsetDeleteAnswer { request: asker.message.id, result }, error);
}

/// From when the retention of an offset counts; none while it may not expire.
pub(super) fn expiry_base(group: &Group, partition: &TopicPartition, committed: Time) -> Option<Time> {
    match group {
        Group::Classic(group) => group.expiry_base(partition, committed),
        Group::Consumer(group) => Some(committed).filter(|_| !group.is_subscribed_to(&partition.topic)),
        Group::Share(_) => None,
    }
}

/// `cleanupExpiredOffsets` and `maybeDeleteGroup`.
pub(super) fn clean_up(slot: &mut Slot, offsets: &OffsetState, context: &GroupContext, effects: &mut Effects) {
    // `ShareGroup.shouldExpire`: they stay.
    let Some(group) = slot.as_deref().filter(|group| !matches!(group, Group::Share(_))) else { return };
    let (name, retention) = (Rc::clone(group.name()), context.settings.offsets_retention);
    let pending = offsets.pending_of(&name);
    let is_expired = |partition: &TopicPartition, at: Time| {
        let base = expiry_base(group, partition, at);
        !pending.contains(partition) && base.is_some_and(|base| base + retention <= context.now)
    };
    let (expired, left): (Vec<_>, Vec<_>) = offsets
        .of(&name)
        .map(|(partition, known)| (partition.clone(), known.at))
        .partition(|(p, at)| is_expired(p, *at));
    let is_bare = left.is_empty() && pending.is_empty() && group.is_empty();
    remove_offsets(&name, expired.into_iter().map(|(partition, _)| partition).collect(), context, effects);
    if is_bare {
        bury(slot, context, effects);
    }
}

/// `onPartitionsDeleted`: a topic is gone, and so are the offsets in it.
pub(super) fn forget_topic(
    group: &Name,
    topic: &str,
    offsets: &OffsetState,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let mut partitions = offsets.pending_of(group);
    partitions.extend(offsets.of(group).map(|(partition, _)| partition.clone()));
    let gone = partitions.into_iter().filter(|partition| *partition.topic == *topic).collect();
    remove_offsets(group, gone, context, effects);
}

fn remove_offsets(group: &Name, partitions: Vec<TopicPartition>, context: &GroupContext, effects: &mut Effects) {
    if partitions.is_empty() {
        return;
    }
    effects.records.extend(partitions.iter().map(|partition| {
        let (group, partition) = (Rc::clone(group), partition.clone());
        InternalRecord::Group(GroupRecord::OffsetRemoved { group, partition })
    }));
    let (broker, group) = (context.broker, Rc::clone(group));
    effects.events.push(GroupEvent::OffsetsRemoved { broker, group, partitions });
}

/// The group is gone: its records get tombstones.
pub(super) fn bury(slot: &mut Slot, context: &GroupContext, effects: &mut Effects) {
    let Some(group) = slot.take() else { return };
    let tombstones = match &*group {
        Group::Classic(group) => group.tombstones(),
        Group::Consumer(group) => group.tombstones(),
        Group::Share(group) => group.tombstones(),
    };
    effects.records.extend(tombstones.into_iter().map(InternalRecord::Group));
    effects.events.push(GroupEvent::GroupStateChanged {
        broker: context.broker,
        group: Rc::clone(group.name()),
        group_type: group.group_type(),
        before: Some(group.state()),
        state: GroupState::Dead,
        epoch: group.epoch(),
    });
}
