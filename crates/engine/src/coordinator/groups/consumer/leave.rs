//! Members that leave, that are removed, and timers.
//!
//! Follows `consumerGroupLeave`, `consumerGroupFenceMembers` and the timers of `GroupMetadataManager` of Kafka 4.3.1.

use std::rc::Rc;

use super::heartbeat::NO_INTERVAL;
use super::{AWAY, ConsumerGroup, write};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::error::KafkaError;
use crate::event::Name;
use crate::event::internal::{CurrentValue, GroupRecord, InternalRecord};
use crate::group::{GroupEvent, RemovalReason};
use crate::message::{ConsumerGroupHeartbeat, MemberHeartbeat};
use crate::time::Time;

impl ConsumerGroup {
    /// A heartbeat with epoch -1 or -2.
    pub(super) fn leave(
        &mut self,
        asked: &ConsumerGroupHeartbeat,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<MemberHeartbeat, KafkaError> {
        let id = &asked.member;
        if let Some(instance) = &asked.instance {
            self.check_instance(id, instance)?;
        }
        let current = Rc::clone(&self.known(id)?.current);
        if asked.instance.is_some() && asked.epoch == AWAY {
            let assigned = current.assigned.iter().map(|(partition, _)| (partition.clone(), 0)).collect();
            let away = CurrentValue { epoch: AWAY, assigned, revoking: Vec::new(), ..(*current).clone() };
            self.tell_moved(id, &away, context, effects);
            self.move_to(id, away, effects);
        } else {
            self.fence(&[Rc::clone(id)], RemovalReason::Left, context, effects);
        }
        let (member, epoch) = (Rc::clone(id), asked.epoch);
        Ok(MemberHeartbeat { member, epoch, interval: NO_INTERVAL, assignment: None })
    }

    /// Removes members: the others are assigned anew.
    pub(super) fn fence(
        &mut self,
        ids: &[Name],
        reason: RemovalReason,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) {
        let mut patterns = Vec::new();
        let downgrades = self.can_downgrade_without(ids, context);
        if downgrades {
            effects.records.extend(self.tombstones().into_iter().map(InternalRecord::Group));
        }
        for id in ids {
            let Some(member) = self.take(id) else { continue };
            if !downgrades {
                self.write_removal(id, effects);
            }
            patterns.extend(member.value.pattern.clone());
            effects.events.push(GroupEvent::MemberRemoved {
                broker: context.broker,
                group: Rc::clone(&self.name),
                member: Rc::clone(id),
                reason,
            });
        }
        if downgrades {
            self.has_to_downgrade = true;
            return;
        }
        patterns.iter().for_each(|pattern| self.drop_pattern(pattern, effects));
        let hash = self.hash_topics(context);
        self.bump(hash, effects);
    }

    /// Tombstones of a member, in Kafka's order.
    pub(super) fn write_removal(&self, id: &Name, effects: &mut Effects) {
        let named = || (Rc::clone(&self.name), Rc::clone(id));
        let (group, member) = named();
        write(GroupRecord::Current { group, member, value: None }, effects);
        let (group, member) = named();
        write(GroupRecord::TargetMember { group, member, value: None }, effects);
        let (group, member) = named();
        write(GroupRecord::Member { group, member, value: None }, effects);
    }

    /// When a timer is due.
    pub fn next_due(&self) -> Option<Time> {
        let timers = self.members.values().filter_map(|member| member.timers.next()).map(|(due, _)| due);
        timers.min()
    }

    /// What is due by now: members are removed in the order in which their timers fire.
    pub(super) fn take_timers(&mut self, context: &GroupContext<'_>, effects: &mut Effects) {
        while let Some((reason, id)) = self.first_due(context.now) {
            if reason == RemovalReason::RevocationTimeout && !self.is_late(&id) {
                self.member_mut(&id).timers.revocation = None;
                continue;
            }
            self.fence(&[id], reason, context, effects);
            self.tell_state(context, effects);
            if self.has_to_downgrade {
                return;
            }
        }
    }

    fn first_due(&self, now: Time) -> Option<(RemovalReason, Name)> {
        let due = |(id, member): (&Name, &super::Member)| {
            member.timers.next().filter(|(due, _)| *due <= now).map(|(due, reason)| (due, Rc::clone(id), reason))
        };
        let first = self.members.iter().filter_map(due).min_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        first.map(|(_, id, reason)| (reason, id))
    }

    /// Whether a member that should have given partitions up is in the same epoch still.
    fn is_late(&self, id: &Name) -> bool {
        self.members
            .get(id)
            .is_some_and(|member| member.timers.revocation.is_some_and(|(_, epoch)| member.current.epoch == epoch))
    }
}

impl super::Timers {
    /// The timer that fires first.
    fn next(&self) -> Option<(Time, RemovalReason)> {
        let revocation = self.revocation.map(|(due, _)| due);
        [
            (self.session, RemovalReason::SessionExpired),
            (revocation, RemovalReason::RevocationTimeout),
            (self.join, RemovalReason::RebalanceTimeout),
            (self.sync, RemovalReason::NeverSynced),
        ]
        .into_iter()
        .filter_map(|(due, reason)| due.map(|due| (due, reason)))
        .min_by_key(|(due, _)| *due)
    }
}
