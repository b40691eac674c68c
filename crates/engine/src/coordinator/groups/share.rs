//! A share group (KIP-932) at its coordinator: members, epochs, and which partitions each fetches from.
//!
//! Follows `ShareGroup` and the share part of `GroupMetadataManager` of Kafka 4.3.1. A pure state machine like the
//! groups of the other protocols. Several members may have one partition, so nobody waits for anybody: a member is
//! where the target wants it after one heartbeat. A partition can only be assigned once a share coordinator has been
//! told of it. Which records a member holds is not known here; that is `broker/share/`.

mod heartbeat;
mod offsets;
mod restore;
mod target;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::effects::{Effects, GroupContext};
use super::timeline_order::TimelineOrder;
use crate::event::internal::{CurrentValue, EpochValue, GroupRecord, InternalRecord, MemberValue, ShareGroupRecord};
use crate::event::{Name, TopicPartition};
use crate::group::{GroupEvent, GroupState, GroupType};
use crate::snapshot::{GroupMemberSnapshot, GroupSnapshot};
use crate::time::Time;

pub(super) use heartbeat::{expire, heartbeat};
pub(super) use offsets::Changing;

/// The epoch of a group that has just been made: its first subscription makes it 2.
const FIRST_EPOCH: i32 = 1;

/// A group.
#[derive(Clone, Debug)]
pub(crate) struct ShareGroup {
    name: Name,
    epoch: i32,
    /// What the epoch was made for: subscribed topics, and how many of their partitions are initialized.
    metadata_hash: u64,
    assignment_epoch: i32,
    /// When the target was last computed.
    computed: Option<Time>,
    members: BTreeMap<Name, Member>,
    /// The order in which members are described and handed to the assignor.
    order: TimelineOrder,
    /// Partitions that a share coordinator knows of.
    initialized: BTreeSet<TopicPartition>,
    /// Partitions that a share coordinator has been asked to take in, and those that it has taken meanwhile.
    asked: BTreeSet<TopicPartition>,
    taken: Vec<TopicPartition>,
    /// The state that was told last; none for a group that is not made yet.
    told: Option<GroupState>,
}

/// A member.
#[derive(Clone, Debug)]
struct Member {
    value: Rc<MemberValue>,
    /// Where it stands.
    current: Rc<CurrentValue>,
    /// What it shall fetch from.
    target: Rc<[TopicPartition]>,
    /// Silence until then removes it.
    session: Option<Time>,
}

impl ShareGroup {
    /// A group without members that is written nowhere yet.
    pub fn new(name: Name) -> ShareGroup {
        ShareGroup {
            name,
            epoch: FIRST_EPOCH,
            metadata_hash: 0,
            assignment_epoch: FIRST_EPOCH,
            computed: None,
            members: BTreeMap::new(),
            order: TimelineOrder::default(),
            initialized: BTreeSet::new(),
            asked: BTreeSet::new(),
            taken: Vec::new(),
            told: None,
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

    /// `ShareGroup.maybeUpdateGroupState`: members or none.
    pub fn state(&self) -> GroupState {
        if self.members.is_empty() { GroupState::Empty } else { GroupState::Stable }
    }

    /// When the first session ends.
    pub fn next_due(&self) -> Option<Time> {
        self.members.values().filter_map(|member| member.session).min()
    }

    /// Whether a member subscribes to a topic.
    pub fn is_subscribed_to(&self, topic: &str) -> bool {
        self.members.values().any(|member| member.value.topics.iter().any(|own| **own == *topic))
    }

    /// Partitions that a share coordinator knows of.
    pub fn initialized(&self) -> &BTreeSet<TopicPartition> {
        &self.initialized
    }

    /// The group as a plain value; whoever asks fills in partition and coordinator.
    pub fn view(&self) -> GroupSnapshot {
        GroupSnapshot {
            group: Rc::clone(&self.name),
            group_type: GroupType::Share,
            state: self.state(),
            epoch: self.epoch,
            assignment_epoch: self.assignment_epoch,
            assignor: assignor::share::SIMPLE.into(),
            protocol_type: "share".into(),
            members: self.order.iter().map(|id| snapshot(id, &self.members[id])).collect(),
            ..GroupSnapshot::default()
        }
    }

    /// Tells the state if it is another one.
    fn tell_state(&mut self, context: &GroupContext<'_>, effects: &mut Effects) {
        let state = self.state();
        if self.told != Some(state) {
            effects.events.push(GroupEvent::GroupStateChanged {
                broker: context.broker,
                group: Rc::clone(&self.name),
                group_type: GroupType::Share,
                before: self.told,
                state,
                epoch: self.epoch,
            });
            self.told = Some(state);
        }
    }

    fn write(&self, record: ShareGroupRecord, effects: &mut Effects) {
        let record = GroupRecord::Share { group: Rc::clone(&self.name), record };
        effects.records.push(InternalRecord::Group(record));
    }

    fn write_epoch(&self, effects: &mut Effects) {
        let value = EpochValue { epoch: self.epoch, metadata_hash: self.metadata_hash };
        self.write(ShareGroupRecord::Epoch(Some(value)), effects);
    }

    fn write_initialized(&self, effects: &mut Effects) {
        let all: Rc<[TopicPartition]> = self.initialized.iter().cloned().collect();
        self.write(ShareGroupRecord::Initialized(Some(all)), effects);
    }

    /// The member of that id; a new one if there is none.
    fn member_mut(&mut self, id: &Name) -> &mut Member {
        if !self.members.contains_key(id) {
            self.order.add(id);
        }
        self.members.entry(Rc::clone(id)).or_insert_with(new_member)
    }

    fn remove(&mut self, id: &Name) {
        if self.members.remove(id).is_some() {
            self.order.remove(id);
        }
    }
}

/// A member that is in no group yet.
fn new_member() -> Member {
    let modern = super::consumer::unknown_member();
    Member { value: modern.0, current: modern.1, target: Rc::default(), session: None }
}

fn snapshot(id: &Name, member: &Member) -> GroupMemberSnapshot {
    let Member { value, current, target, session } = member;
    GroupMemberSnapshot {
        member: Rc::clone(id),
        client: Rc::clone(&value.client),
        host: Rc::clone(&value.host),
        rack: value.rack.clone(),
        epoch: current.epoch,
        state: current.state,
        topics: value.topics.clone(),
        assigned: current.assigned.iter().map(|(partition, _)| partition.clone()).collect(),
        target: target.to_vec(),
        session_ends: *session,
        ..GroupMemberSnapshot::default()
    }
}
