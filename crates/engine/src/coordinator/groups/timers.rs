//! Timers of groups: one timer of the broker for the first that is due, and what expires with time.
//!
//! Follows `GroupCoordinatorShard.cleanupGroupMetadata` of Kafka 4.3.1 for offsets. Expired offsets are
//! looked for at Kafka's intervals, as long as something may expire.

use std::rc::Rc;

use super::effects::Effects;
use super::group::Group;
use super::{GroupPartition, Place, serving};
use crate::broker::Broker;
use crate::event::Name;
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::time::{Duration, Time};

/// A timer whose records could not be written comes again after that (`CoordinatorTimerImpl`).
const RETRY: Duration = Duration::from_millis(500);

impl Broker {
    /// Sets the timer for what is due in one group, and for the next look at the offsets of its partition.
    pub(super) fn arm_group(&mut self, place: &Place, outbox: &mut Outbox) {
        let Some(own) = self.groups.partitions.get(&place.partition) else { return };
        let due = own.groups.get(&place.group).and_then(|group| group.next_due());
        let due = due.into_iter().chain(own.check).min();
        self.wake_groups_at(due, outbox);
    }

    /// Sets the timer for the first thing that is due in any group.
    pub(super) fn arm_groups(&mut self, outbox: &mut Outbox) {
        self.wake_groups_at(self.first_due(), outbox);
    }

    fn first_due(&self) -> Option<Time> {
        let in_groups = |own: &GroupPartition| own.groups.values().filter_map(|group| group.next_due()).min();
        let due = self.groups.partitions.values().filter_map(|own| in_groups(own).into_iter().chain(own.check).min());
        due.min()
    }

    pub(super) fn wake_groups_at(&mut self, due: Option<Time>, outbox: &mut Outbox) {
        if let Some(due) = due
            && self.groups.alarm.is_none_or(|set| due < set)
        {
            self.groups.alarm = Some(due);
            outbox.wake(self.target(), due, Timer::Groups);
        }
    }

    /// Something changed in a partition: expired offsets and empty groups are looked for at the next point of the
    /// grid at or after `from`.
    pub(super) fn plan_check(&mut self, partition: u32, from: Time) {
        let every = self.settings.offsets_check_interval.0.max(1);
        let Some(own) = self.groups.partitions.get_mut(&partition) else { return };
        let passed = from.since(own.loaded).0.div_ceil(every);
        let at = own.loaded + Duration(passed.saturating_mul(every));
        own.check = Some(own.check.map_or(at, |planned| planned.min(at)));
    }

    /// When the first offset or group of a partition expires.
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
        // What becomes due meanwhile is looked for at the end.
        self.groups.alarm = Some(now);
        let partitions: Vec<u32> = self.groups.partitions.keys().copied().collect();
        for partition in partitions {
            let Some(own) = self.groups.partitions.get_mut(&partition).filter(|own| own.is_loaded) else { continue };
            let is_check = own.check.take_if(|due| *due <= now).is_some();
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
            let own = self.groups.partitions.get(&partition).filter(|_| is_check);
            if let Some(expiry) = own.and_then(|own| self.first_expiry(own)) {
                self.plan_check(partition, expiry.max(now + Duration(1)));
            }
        }
        // What is due still could not be written.
        self.groups.alarm = None;
        self.wake_groups_at(self.first_due().map(|due| if due <= now { now + RETRY } else { due }), outbox);
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
