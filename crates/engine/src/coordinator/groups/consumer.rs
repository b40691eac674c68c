//! Groups of the consumer protocol (KIP-848).
//!
//! Follows `ConsumerGroup` and `GroupMetadataManager` of Kafka 4.3.1.

use super::effects::{Effects, GroupContext};
use super::group::Slot;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::GroupRecord;
use crate::event::{Name, TopicPartition};
use crate::group::GroupState;
use crate::message::{ConsumerGroupHeartbeat, Heartbeat, JoinGroup, LeaveGroup, SyncGroup};
use crate::snapshot::GroupSnapshot;
use crate::time::Time;

/// A group.
#[derive(Clone, Debug)]
pub(crate) struct ConsumerGroup {
    name: Name,
}

/// ConsumerGroupHeartbeat, to a group that may not exist or be of the other protocol.
pub(crate) fn heartbeat(
    slot: &mut Slot,
    asker: Asker,
    asked: &ConsumerGroupHeartbeat,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let _ = (slot, asker, asked, context, effects);
    unimplemented!("consumer groups");
}

/// JoinGroup of a member that uses the classic protocol. `uuid` is for a new member's id.
pub(crate) fn classic_join(
    slot: &mut Slot,
    asker: Asker,
    asked: &JoinGroup,
    uuid: &str,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let _ = (slot, asker, asked, uuid, context, effects);
    unimplemented!("consumer groups");
}

/// SyncGroup of such a member.
pub(crate) fn classic_sync(
    slot: &mut Slot,
    asker: Asker,
    asked: &SyncGroup,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let _ = (slot, asker, asked, context, effects);
    unimplemented!("consumer groups");
}

/// Heartbeat of such a member.
pub(crate) fn classic_heartbeat(
    slot: &mut Slot,
    asker: Asker,
    asked: &Heartbeat,
    context: &GroupContext,
    effects: &mut Effects,
) {
    let _ = (slot, asker, asked, context, effects);
    unimplemented!("consumer groups");
}

/// LeaveGroup: of such members, or of members that the Admin client removes.
pub(crate) fn leave(slot: &mut Slot, asker: Asker, asked: &LeaveGroup, context: &GroupContext, effects: &mut Effects) {
    let _ = (slot, asker, asked, context, effects);
    unimplemented!("consumer groups");
}

/// A timer is due.
pub(crate) fn expire(slot: &mut Slot, context: &GroupContext, effects: &mut Effects) {
    let _ = (slot, context, effects);
    unimplemented!("consumer groups");
}

impl ConsumerGroup {
    /// A group without anything.
    pub fn new(name: Name) -> ConsumerGroup {
        ConsumerGroup { name }
    }

    pub fn name(&self) -> &Name {
        &self.name
    }

    pub fn state(&self) -> GroupState {
        GroupState::Empty
    }

    pub fn epoch(&self) -> i32 {
        0
    }

    /// When its next timer is due.
    pub fn next_due(&self) -> Option<Time> {
        None
    }

    /// Takes in a record when the log is read; `Consumer` without a value does not come.
    pub fn replay(&mut self, record: &GroupRecord) {
        let _ = record;
    }

    /// The log was read: timers start anew.
    pub fn loaded(&mut self, context: &GroupContext, effects: &mut Effects) {
        let _ = (context, effects);
    }

    pub fn is_subscribed_to(&self, topic: &str) -> bool {
        let _ = topic;
        false
    }

    /// `validateOffsetCommit`. Without membership the epoch is negative and the member empty.
    pub fn check_commit(
        &self,
        member: &str,
        instance: Option<&Name>,
        epoch: i32,
        is_transactional: bool,
        partitions: &[(TopicPartition, u64)],
    ) -> Result<(), KafkaError> {
        let _ = (member, instance, epoch, is_transactional, partitions);
        Ok(())
    }

    /// `validateOffsetFetch`; no member asks without membership.
    pub fn check_fetch(&self, member: Option<&(Name, i32)>) -> Result<(), KafkaError> {
        let _ = member;
        Ok(())
    }

    /// Records that make the group vanish from the log (`createGroupTombstoneRecords`).
    pub fn tombstones(&self) -> Vec<GroupRecord> {
        Vec::new()
    }

    /// The group as a plain value; partition and coordinator are filled in by the caller.
    pub fn view(&self) -> GroupSnapshot {
        GroupSnapshot::default()
    }
}
