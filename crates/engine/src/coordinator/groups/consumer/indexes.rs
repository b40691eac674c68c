//! What a group keeps beside its members so that a heartbeat need not look at all of them.
//!
//! Everything here follows from the members; nothing is written for it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{ConsumerGroup, Member, Timers};
use crate::event::internal::{CurrentValue, MemberValue};
use crate::event::{Name, TopicPartition};
use crate::group::MemberState;

/// A member that is in no group yet.
pub(super) fn new_member() -> Member {
    Member {
        value: Rc::new(MemberValue {
            instance: None,
            rack: None,
            client: Rc::from(""),
            host: Rc::from(""),
            topics: Vec::new(),
            pattern: None,
            rebalance_timeout: crate::time::Duration::ZERO,
            assignor: None,
            classic: None,
        }),
        current: Rc::new(CurrentValue {
            epoch: 0,
            previous_epoch: -1,
            state: MemberState::Stable,
            assigned: Vec::new(),
            revoking: Vec::new(),
        }),
        target: Rc::default(),
        timers: Timers::default(),
    }
}

/// What is told of a member that is in no group yet, for groups of another protocol with the same records.
pub(in crate::coordinator::groups) fn unknown_member() -> (Rc<MemberValue>, Rc<CurrentValue>) {
    let Member { value, current, .. } = new_member();
    (value, current)
}

fn add(counts: &mut BTreeMap<Name, u32>, name: &Name) {
    *counts.entry(Rc::clone(name)).or_default() += 1;
}

fn subtract(counts: &mut BTreeMap<Name, u32>, name: &Name) {
    let Some(count) = counts.get_mut(name) else { return };
    *count -= 1;
    if *count == 0 {
        counts.remove(name);
    }
}

impl ConsumerGroup {
    /// The member of that id; a new one if there is none.
    pub(super) fn member_mut(&mut self, id: &Name) -> &mut Member {
        if !self.members.contains_key(id) {
            self.order.add(id);
        }
        self.members.entry(Rc::clone(id)).or_insert_with(new_member)
    }

    /// What a member tells of itself.
    pub(super) fn set_value(&mut self, id: &Name, value: Rc<MemberValue>) {
        let old = std::mem::replace(&mut self.member_mut(id).value, Rc::clone(&value));
        self.forget_value(id, &old);
        value.topics.iter().for_each(|topic| add(&mut self.named, topic));
        if let Some(pattern) = &value.pattern {
            add(&mut self.patterns, pattern);
        }
        if let Some(instance) = &value.instance {
            self.instances.insert(Rc::clone(instance), Rc::clone(id));
        }
    }

    fn forget_value(&mut self, id: &Name, old: &MemberValue) {
        old.topics.iter().for_each(|topic| subtract(&mut self.named, topic));
        if let Some(pattern) = &old.pattern {
            subtract(&mut self.patterns, pattern);
        }
        if let Some(instance) = &old.instance
            && self.instances.get(instance) == Some(id)
        {
            self.instances.remove(instance);
        }
    }

    /// Where a member stands.
    pub(super) fn set_current(&mut self, id: &Name, current: Rc<CurrentValue>) {
        let old = std::mem::replace(&mut self.member_mut(id).current, Rc::clone(&current));
        self.forget_owned(id, &old);
        for (partition, _) in current.assigned.iter().chain(&current.revoking) {
            self.owners.insert(partition.clone(), Rc::clone(id));
        }
    }

    fn forget_owned(&mut self, id: &Name, old: &CurrentValue) {
        for (partition, _) in old.assigned.iter().chain(&old.revoking) {
            if self.owners.get(partition) == Some(id) {
                self.owners.remove(partition);
            }
        }
    }

    /// Takes a member out.
    pub(super) fn take(&mut self, id: &Name) -> Option<Member> {
        let member = self.members.remove(id)?;
        self.order.remove(id);
        self.forget_value(id, &member.value);
        self.forget_owned(id, &member.current);
        Some(member)
    }

    /// Whether another member has the partition.
    pub(super) fn is_taken(&self, id: &Name, partition: &TopicPartition) -> bool {
        self.owners.get(partition).is_some_and(|owner| owner != id)
    }
}
