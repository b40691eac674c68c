//! A group as a plain value.

use std::rc::Rc;

use super::heartbeat::names;
use super::target::sorted;
use super::{ConsumerGroup, Member};
use crate::event::Name;
use crate::group::GroupType;
use crate::snapshot::{GroupMemberSnapshot, GroupSnapshot};

impl ConsumerGroup {
    /// Members are in the coordinator's order. The partition and the coordinator are filled in by whoever asks.
    pub fn view(&self) -> GroupSnapshot {
        GroupSnapshot {
            group: Rc::clone(&self.name),
            group_type: GroupType::Consumer,
            state: self.state(),
            epoch: self.epoch,
            assignment_epoch: self.assignment_epoch,
            assignor: self.preferred_assignor().name().into(),
            protocol_type: "consumer".into(),
            members: self.order.iter().map(|id| snapshot(id, &self.members[id])).collect(),
            ..GroupSnapshot::default()
        }
    }

    /// Topics that some member subscribes to by name, or by a pattern that was resolved.
    pub fn is_subscribed_to(&self, topic: &str) -> bool {
        self.named.contains_key(topic)
            || self.resolved.values().any(|resolved| resolved.topics.iter().any(|known| **known == *topic))
    }
}

fn snapshot(id: &Name, member: &Member) -> GroupMemberSnapshot {
    let Member { value, current, target, timers } = member;
    GroupMemberSnapshot {
        member: Rc::clone(id),
        instance: value.instance.clone(),
        client: Rc::clone(&value.client),
        host: Rc::clone(&value.host),
        rack: value.rack.clone(),
        is_classic: value.classic.is_some(),
        epoch: current.epoch,
        state: current.state,
        topics: value.topics.clone(),
        pattern: value.pattern.clone(),
        assigned: names(&current.assigned),
        target: sorted(target),
        revoking: names(&current.revoking),
        is_joining: timers.join.is_some(),
        session_ends: timers.session,
    }
}
