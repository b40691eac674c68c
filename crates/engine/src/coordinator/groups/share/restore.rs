//! A share group out of its records: what a new coordinator does, and what deletes a group.
//!
//! Follows the `replay` methods of `GroupMetadataManager` of Kafka 4.3.1.

use std::rc::Rc;

use super::{FIRST_EPOCH, ShareGroup, new_member};
use crate::coordinator::groups::effects::GroupContext;
use crate::event::Name;
use crate::event::internal::{GroupRecord, ShareGroupRecord};

impl ShareGroupRecord {
    /// Everything that is written of a member, without values.
    pub(super) fn tombstones_of(member: &Name) -> [ShareGroupRecord; 3] {
        [
            ShareGroupRecord::Current { member: Rc::clone(member), value: None },
            ShareGroupRecord::TargetMember { member: Rc::clone(member), value: None },
            ShareGroupRecord::Member { member: Rc::clone(member), value: None },
        ]
    }
}

impl ShareGroup {
    /// Takes in a record of this group when the log is read; its end, an epoch without a value, does not come.
    pub fn replay(&mut self, record: &ShareGroupRecord) {
        match record {
            ShareGroupRecord::Epoch(value) => {
                if let Some(value) = value {
                    self.epoch = value.epoch;
                    self.metadata_hash = value.metadata_hash;
                }
            }
            ShareGroupRecord::Target(value) => {
                self.assignment_epoch = value.map_or(FIRST_EPOCH, |value| value.epoch);
                self.computed = value.and_then(|value| value.computed);
            }
            ShareGroupRecord::Member { member, value: Some(value) } => {
                self.member_mut(member).value = Rc::clone(value);
            }
            ShareGroupRecord::Member { member, value: None } => self.remove(member),
            ShareGroupRecord::TargetMember { member, value } => {
                if let Some(value) = value {
                    self.member_mut(member).target = Rc::clone(value);
                } else if let Some(known) = self.members.get_mut(member) {
                    known.target = Rc::default();
                }
            }
            ShareGroupRecord::Current { member, value } => {
                if let Some(value) = value {
                    self.member_mut(member).current = Rc::clone(value);
                } else if let Some(known) = self.members.get_mut(member) {
                    known.current = new_member().current;
                }
            }
            ShareGroupRecord::Initialized(value) => {
                self.initialized = crate::order::set(value.iter().flat_map(|all| all.iter()).cloned());
            }
        }
    }

    /// Every record was read: timers start anew.
    pub fn loaded(&mut self, context: &GroupContext<'_>) {
        self.told = Some(self.state());
        for member in self.members.values_mut() {
            member.session = Some(context.now + context.settings.share_session_timeout);
        }
    }

    /// The group is deleted.
    pub fn tombstones(&self) -> Vec<GroupRecord> {
        let members = self.members.keys().flat_map(ShareGroupRecord::tombstones_of);
        let ends = [ShareGroupRecord::Target(None), ShareGroupRecord::Initialized(None), ShareGroupRecord::Epoch(None)];
        let record = |record| GroupRecord::Share { group: Rc::clone(&self.name), record };
        members.chain(ends).map(record).collect()
    }
}
