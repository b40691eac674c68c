//! A group of any protocol.
//!
//! What is the same for all is here; the rest is in `classic.rs`, `consumer.rs` and `share.rs`.

use std::rc::Rc;

use super::classic::ClassicGroup;
use super::consumer::ConsumerGroup;
use super::share::ShareGroup;
use crate::event::Name;
use crate::group::{GroupState, GroupType};
use crate::time::Time;

/// A group.
#[derive(Clone, Debug)]
pub(crate) enum Group {
    /// JoinGroup and SyncGroup. Groups that have only offsets are of this kind too.
    Classic(ClassicGroup),
    /// KIP-848.
    Consumer(ConsumerGroup),
    /// KIP-932.
    Share(ShareGroup),
}

/// A group while it is served: none if it does not exist, or is gone.
pub(crate) type Slot = Option<Rc<Group>>;

/// The group, to be changed.
pub(crate) fn group_mut(slot: &mut Slot) -> Option<&mut Group> {
    slot.as_mut().map(Rc::make_mut)
}

impl Group {
    /// Its protocol.
    pub fn group_type(&self) -> GroupType {
        match self {
            Group::Classic(_) => GroupType::Classic,
            Group::Consumer(_) => GroupType::Consumer,
            Group::Share(_) => GroupType::Share,
        }
    }

    /// Its state.
    pub fn state(&self) -> GroupState {
        match self {
            Group::Classic(group) => group.state,
            Group::Consumer(group) => group.state(),
            Group::Share(group) => group.state(),
        }
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.state() == GroupState::Empty
    }

    /// Generation or group epoch.
    pub fn epoch(&self) -> i32 {
        match self {
            Group::Classic(group) => group.generation,
            Group::Consumer(group) => group.epoch(),
            Group::Share(group) => group.epoch(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &Name {
        match self {
            Group::Classic(group) => &group.name,
            Group::Consumer(group) => group.name(),
            Group::Share(group) => group.name(),
        }
    }

    /// When its next timer is due.
    pub fn next_due(&self) -> Option<Time> {
        match self {
            Group::Classic(group) => group.next_due(),
            Group::Consumer(group) => group.next_due(),
            Group::Share(group) => group.next_due(),
        }
    }

    /// Whether a member subscribes to a topic, so that its offsets stay.
    pub fn is_subscribed_to(&self, topic: &str) -> bool {
        match self {
            Group::Classic(group) => group.is_subscribed_to(topic),
            Group::Consumer(group) => group.is_subscribed_to(topic),
            Group::Share(group) => group.is_subscribed_to(topic),
        }
    }
}
