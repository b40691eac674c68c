//! A group of the consumer protocol (KIP-848) at its coordinator: members, epochs, what they shall own and what
//! they own.
//!
//! Follows `ConsumerGroup` and the consumer part of `GroupMetadataManager` of Kafka 4.3.1. A pure state machine:
//! it changes itself at once, and what has to be written, told and answered is in [`Effects`]. Deliberately not
//! here: which groups there are, and when records count. Reading order: `heartbeat.rs`, `reconcile.rs`,
//! `target.rs`, `leave.rs`, `regexes.rs`, `restore.rs`; `converting.rs` and `classic_members.rs` for members of the
//! classic protocol.
//!
//! Simplified: topics are known by name. Kafka keeps ids, so that a topic that is deleted and made again between two
//! heartbeats is another one to it.

mod checks;
mod classic_members;
mod converting;
mod heartbeat;
mod indexes;
mod leave;
mod offsets;
mod reconcile;
mod regexes;
mod restore;
mod target;
mod view;

#[cfg(test)]
pub(in crate::coordinator::groups) mod tests;

use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use super::effects::{Effects, GroupContext};
use super::timeline_order::TimelineOrder;
use crate::event::internal::{CurrentValue, EpochValue, GroupRecord, InternalRecord, MemberValue, RegexValue};
use crate::event::{Name, TopicPartition};
use crate::group::{GroupEvent, GroupState, GroupType, MemberState};
use crate::message::ClusterImage;
use crate::time::Time;

pub(super) use classic_members::{classic_heartbeat, classic_join, classic_sync, leave};
pub(super) use converting::{expire, heartbeat};
pub(super) use indexes::unknown_member;

/// The epoch of a group that has just been made: its first subscription makes it 2.
const FIRST_EPOCH: i32 = 1;
/// `LEAVE_GROUP_STATIC_MEMBER_EPOCH`: a static member that left for a while.
const AWAY: i32 = -2;

/// A group.
#[derive(Clone, Debug)]
pub(crate) struct ConsumerGroup {
    name: Name,
    epoch: i32,
    /// What the epoch was made for; see [`GroupRecord::Consumer`].
    metadata_hash: u64,
    assignment_epoch: i32,
    /// When the target was last computed.
    computed: Option<Time>,
    /// The image that the hash was last computed of.
    seen: Weak<ClusterImage>,
    members: BTreeMap<Name, Member>,
    /// The order in which members are described and handed to assignors.
    order: TimelineOrder,
    /// Member ids by `group.instance.id`.
    instances: BTreeMap<Name, Name>,
    /// Who has a partition, or has to give it up: nobody else gets it before.
    owners: BTreeMap<TopicPartition, Name>,
    /// How many members name a topic.
    named: BTreeMap<Name, u32>,
    /// How many members subscribe by a pattern.
    patterns: BTreeMap<Name, u32>,
    /// Patterns that were resolved.
    resolved: BTreeMap<Name, Rc<RegexValue>>,
    /// The state that was told last; none for a group that is not made yet.
    told: Option<GroupState>,
    /// Only members of the classic protocol are left: it becomes a group of that one.
    has_to_downgrade: bool,
    /// The same because such a member took the place of the last other one; and whether that changes who has what.
    downgrades_by_replacing: Option<bool>,
}

/// A member.
#[derive(Clone, Debug)]
struct Member {
    value: Rc<MemberValue>,
    /// Where it stands.
    current: Rc<CurrentValue>,
    /// What it shall own: topics in the order in which the assignor came by them, each with its partitions ascending.
    target: Rc<[TopicPartition]>,
    timers: Timers,
}

/// What removes a member.
#[derive(Clone, Copy, Debug, Default)]
struct Timers {
    /// Silence until then.
    session: Option<Time>,
    /// It does not give up what it has to until then, and is in that epoch still.
    revocation: Option<(Time, i32)>,
    /// A member of the classic protocol does not join again until then.
    join: Option<Time>,
    /// A member of the classic protocol does not ask for its assignment until then.
    sync: Option<Time>,
}

impl ConsumerGroup {
    /// A group without members that is written nowhere yet.
    pub fn new(name: Name) -> ConsumerGroup {
        ConsumerGroup {
            name,
            epoch: FIRST_EPOCH,
            metadata_hash: 0,
            assignment_epoch: FIRST_EPOCH,
            computed: None,
            seen: Weak::new(),
            members: BTreeMap::new(),
            order: TimelineOrder::default(),
            instances: BTreeMap::new(),
            owners: BTreeMap::new(),
            named: BTreeMap::new(),
            patterns: BTreeMap::new(),
            resolved: BTreeMap::new(),
            told: None,
            has_to_downgrade: false,
            downgrades_by_replacing: None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The group epoch.
    pub fn epoch(&self) -> i32 {
        self.epoch
    }

    /// How many members it has.
    fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// `maybeUpdateGroupState`.
    pub fn state(&self) -> GroupState {
        if self.members.is_empty() {
            GroupState::Empty
        } else if self.epoch > self.assignment_epoch {
            GroupState::Assigning
        } else if self.members.values().all(|member| self.is_reconciled(member)) {
            GroupState::Stable
        } else {
            GroupState::Reconciling
        }
    }

    /// `isReconciledTo`.
    fn is_reconciled(&self, member: &Member) -> bool {
        member.current.state == MemberState::Stable && member.current.epoch == self.assignment_epoch
    }

    /// Tells the state if it is another one.
    fn tell_state(&mut self, context: &GroupContext<'_>, effects: &mut Effects) {
        let state = self.state();
        if self.told != Some(state) && !self.has_to_downgrade {
            effects.events.push(GroupEvent::GroupStateChanged {
                broker: context.broker,
                group: Rc::clone(&self.name),
                group_type: GroupType::Consumer,
                before: self.told,
                state,
                epoch: self.epoch,
            });
            self.told = Some(state);
        }
    }

    /// Makes the next epoch for the topics as they are now.
    fn bump(&mut self, metadata_hash: u64, effects: &mut Effects) {
        self.epoch += 1;
        self.metadata_hash = metadata_hash;
        self.write_epoch(effects);
    }

    fn write_epoch(&self, effects: &mut Effects) {
        let value = EpochValue { epoch: self.epoch, metadata_hash: self.metadata_hash };
        write(GroupRecord::Consumer { group: Rc::clone(&self.name), value: Some(value) }, effects);
    }
}

fn write(record: GroupRecord, effects: &mut Effects) {
    effects.records.push(InternalRecord::Group(record));
}
