//! A group out of its records: what a new coordinator does, and what deletes a group.
//!
//! Follows the `replay` methods of `GroupMetadataManager` and `onLoaded` of Kafka 4.3.1. Records may come in any order,
//! because compaction moves none but drops the older ones.

use std::rc::Rc;

use super::{ConsumerGroup, FIRST_EPOCH};
use crate::coordinator::groups::effects::GroupContext;
use crate::event::Name;
use crate::event::internal::{CurrentValue, GroupRecord};
use crate::group::MemberState;

impl ConsumerGroup {
    /// Takes in a record of this group when the log is read; its end, `Consumer` without a value, does not come.
    pub fn replay(&mut self, record: &GroupRecord) {
        match record {
            GroupRecord::Consumer { value: Some(value), .. } => {
                self.epoch = value.epoch;
                self.metadata_hash = value.metadata_hash;
            }
            GroupRecord::Target { value: Some(value), .. } => {
                self.assignment_epoch = value.epoch;
                self.computed = value.computed;
            }
            GroupRecord::Target { value: None, .. } => {
                self.assignment_epoch = FIRST_EPOCH;
                self.computed = None;
            }
            GroupRecord::Member { member, value: Some(value), .. } => self.set_value(member, Rc::clone(value)),
            GroupRecord::Member { member, value: None, .. } => {
                self.take(member);
            }
            GroupRecord::TargetMember { member, value: Some(value), .. } => {
                self.member_mut(member).target = Rc::clone(value);
            }
            GroupRecord::TargetMember { member, value: None, .. } => {
                self.members.get_mut(member).into_iter().for_each(|member| member.target = Rc::default());
            }
            GroupRecord::Current { member, value: Some(value), .. } => self.set_current(member, Rc::clone(value)),
            GroupRecord::Current { member, value: None, .. } => self.restore_nothing(member),
            GroupRecord::Regex { pattern, value: Some(value), .. } => {
                self.resolved.insert(Rc::clone(pattern), Rc::clone(value));
            }
            GroupRecord::Regex { pattern, value: None, .. } => {
                self.resolved.remove(pattern);
            }
            GroupRecord::Consumer { value: None, .. }
            | GroupRecord::Classic { .. }
            | GroupRecord::Share { .. }
            | GroupRecord::OffsetRemoved { .. } => {}
        }
    }

    /// A member has no current assignment any more: it is as a new one.
    fn restore_nothing(&mut self, member: &Name) {
        if self.members.contains_key(member) {
            let nothing = CurrentValue {
                epoch: 0,
                previous_epoch: -1,
                state: MemberState::Stable,
                assigned: Vec::new(),
                revoking: Vec::new(),
            };
            self.set_current(member, Rc::new(nothing));
        }
    }

    /// Every record was read: timers start anew.
    pub fn loaded(&mut self, context: &GroupContext<'_>) {
        self.told = Some(self.state());
        for member in self.members.values_mut() {
            let session = member.value.classic.as_ref().map(|(session, _)| *session);
            let session = session.unwrap_or(context.settings.consumer_session_timeout);
            member.timers.session = Some(context.now + session);
            if member.current.state == MemberState::UnrevokedPartitions && member.value.classic.is_none() {
                let until = context.now + member.value.rebalance_timeout;
                member.timers.revocation = Some((until, member.current.epoch));
            }
        }
    }

    /// `createGroupTombstoneRecords`: the group is deleted, or becomes a classic one.
    pub fn tombstones(&self) -> Vec<GroupRecord> {
        let group = || Rc::clone(&self.name);
        let ids = || self.members.keys().map(Rc::clone);
        let current = ids().map(|member| GroupRecord::Current { group: group(), member, value: None });
        let targets = ids().map(|member| GroupRecord::TargetMember { group: group(), member, value: None });
        let members = ids().map(|member| GroupRecord::Member { group: group(), member, value: None });
        let patterns = self.resolved.keys().map(Rc::clone);
        let patterns = patterns.map(|pattern| GroupRecord::Regex { group: group(), pattern, value: None });
        let (target, end) = (
            GroupRecord::Target { group: group(), value: None },
            GroupRecord::Consumer { group: group(), value: None },
        );
        current.chain(targets).chain([target]).chain(members).chain(patterns).chain([end]).collect()
    }
}
