//! Timers of groups: one timer of the broker for the first that is due, and what expires with time.
//!
//! Follows `GroupCoordinatorShard.cleanupGroupMetadata` of Kafka 4.3.1 for offsets. Simplified: expired offsets are
//! looked for at Kafka's intervals, but only when some could be there.

use std::rc::Rc;

use super::effects::Effects;
use super::group::Group;
use super::{GroupPartition, Place, serving};
use crate::broker::Broker;
use crate::event::Name;
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::time::{Duration, Time};

impl Broker {
    /// Sets the timer for the first thing that is due in any group.
    pub(super) fn arm_groups(&mut self, outbox: &mut Outbox) {
        let due = self.groups.partitions.values().filter_map(|own| self.next_due(own, outbox.now())).min();
        if let Some(due) = due
            && self.groups.alarm.is_none_or(|set| due < set)
        {
            self.groups.alarm = Some(due);
            outbox.wake(self.target(), due, Timer::Groups);
        }
    }

    fn next_due(&self, own: &GroupPartition, now: Time) -> Option<Time> {
        let groups = own.groups.values().filter_map(|group| group.next_due()).min();
        groups.into_iter().chain(self.next_check(own, now)).min()
    }

    /// When expired offsets or empty groups are looked for with success, after `now`.
    fn next_check(&self, own: &GroupPartition, now: Time) -> Option<Time> {
        let every = self.settings.offsets_check_interval.0.max(1);
        let expiry = self.first_expiry(own)?.max(now + Duration(1));
        let passed = expiry.since(own.loaded).0.div_ceil(every);
        Some(own.loaded + Duration(passed.saturating_mul(every)))
    }

    /// Whether something expired is found by looking at this time.
    fn is_check(&self, own: &GroupPartition, now: Time) -> bool {
        let every = self.settings.offsets_check_interval.0.max(1);
        let passed = now.since(own.loaded).0;
        passed > 0 && passed.is_multiple_of(every) && self.first_expiry(own).is_some_and(|expiry| expiry <= now)
    }

    fn first_expiry(&self, own: &GroupPartition) -> Option<Time> {
        own.groups.iter().filter_map(|(name, group)| self.expires(own, name, group)).min()
    }

    /// When a group's first offset expires, or the group itself because it has none and no members.
    fn expires(&self, own: &GroupPartition, name: &Name, group: &Group) -> Option<Time> {
        let retention = self.settings.groups.offsets_retention;
        let is_bare = group.is_empty() && !own.offsets.knows(name);
        let expiries = own.offsets.of(name).filter_map(|(partition, committed)| {
            serving::expiry_base(group, partition, committed.at).map(|base| base + retention)
        });
        if is_bare { Some(Time::ZERO) } else { expiries.min() }
    }

    /// The timer fired.
    pub(in crate::coordinator) fn groups_woke(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        if self.groups.alarm.is_none_or(|set| set > now) {
            return;
        }
        self.groups.alarm = None;
        let partitions: Vec<u32> = self.groups.partitions.keys().copied().collect();
        for partition in partitions {
            let Some(own) = self.groups.partitions.get(&partition).filter(|own| own.is_loaded) else { continue };
            let is_check = self.is_check(own, now);
            let is_due = |group: &&Name| is_check || own.groups[*group].next_due().is_some_and(|due| due <= now);
            let due: Vec<Name> = own.groups.keys().filter(is_due).map(Rc::clone).collect();
            for group in due {
                self.change_group(&Place { partition, group }, outbox, |slot, offsets, context, effects| {
                    if slot.as_ref().is_some_and(|group| group.next_due().is_some_and(|due| due <= now)) {
                        serving::expire(slot, context, effects);
                    }
                    if is_check {
                        serving::clean_up(slot, offsets, context, effects);
                    }
                });
            }
        }
        self.arm_groups(outbox);
    }

    /// The groups of a partition are given up: whoever waits in them learns it.
    pub(in crate::coordinator) fn give_up_groups(&mut self, partition: u32, outbox: &mut Outbox) {
        let Some(own) = self.groups.partitions.remove(&partition) else { return };
        for mut group in own.groups.into_values() {
            let mut effects = Effects::default();
            if let Group::Classic(group) = Rc::make_mut(&mut group) {
                group.unload(&mut effects);
            }
            effects.joins.into_iter().chain(effects.replies).for_each(|reply| super::give(reply, outbox));
        }
    }
}
