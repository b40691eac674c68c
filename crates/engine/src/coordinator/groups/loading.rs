//! A coordinator takes a partition of `__consumer_offsets` over: what its log says of groups, and timers anew.
//!
//! Follows `CoordinatorLoaderImpl`, `GroupMetadataManager.replay` and `onLoaded` of Kafka 4.3.1. Simplified: reading
//! the log takes no time of its own; requests that come at the same instant are still refused.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::classic::ClassicGroup;
use super::consumer::ConsumerGroup;
use super::effects::{Effects, GroupContext};
use super::group::Group;
use super::share::ShareGroup;
use super::{GroupPartition, offsets_partition};
use crate::broker::Broker;
use crate::controller::topic_names::CONSUMER_OFFSETS;
use crate::event::internal::{GroupRecord, InternalRecord, ShareGroupRecord};
use crate::event::{EventKind, Name, TopicPartition};
use crate::group::GroupEvent;
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::time::{Duration, Time};

impl Broker {
    /// This broker leads a partition of `__consumer_offsets` from now on.
    pub(in crate::coordinator) fn groups_elected(&mut self, partition: u32, epoch: u32, outbox: &mut Outbox) {
        let log = self.replicas.get(&offsets_partition(partition)).map(|replica| &replica.log);
        let is_empty = log.is_none_or(|log| log.log_end_offset == log.log_start_offset);
        // A leader that goes on in another epoch goes on with its groups.
        if let Some(own) = self.groups.partitions.get_mut(&partition).filter(|own| own.is_loaded) {
            own.epoch = epoch;
            return;
        }
        let own = GroupPartition {
            epoch,
            is_loaded: is_empty,
            loaded: outbox.now(),
            check: None,
            offsets: Rc::default(),
            groups: BTreeMap::new(),
        };
        self.groups.partitions.insert(partition, own);
        if !is_empty {
            outbox.wake(self.target(), outbox.now(), Timer::GroupLoad { partition, epoch });
        }
    }

    /// Reads the log.
    pub(in crate::coordinator) fn load_groups(&mut self, partition: u32, epoch: u32, outbox: &mut Outbox) {
        let is_awaited = |own: &&GroupPartition| own.epoch == epoch && !own.is_loaded;
        if self.groups.partitions.get(&partition).filter(is_awaited).is_none() {
            return;
        }
        let mut groups = self.read_groups(partition);
        let mut effects = Effects::default();
        for (name, group) in &mut groups {
            let settings = self.group_settings(name);
            let context = GroupContext { broker: self.id, now: outbox.now(), image: &self.image, settings: &settings };
            match group {
                Group::Classic(group) => group.loaded(&context, &mut effects),
                Group::Consumer(group) => group.loaded(&context),
                Group::Share(group) => group.loaded(&context),
            }
        }
        let own = self.groups.partitions.get_mut(&partition).expect("it was just there");
        own.is_loaded = true;
        own.loaded = outbox.now();
        own.groups = groups.into_iter().map(|(name, group)| (name, Rc::new(group))).collect();
        self.read_offsets(partition);
        // Offsets that were removed later leave no group behind.
        if let Some(own) = self.groups.partitions.get_mut(&partition) {
            let offsets = Rc::clone(&own.offsets);
            let is_bare = |group: &Group| matches!(group, Group::Classic(group) if group.is_simple());
            own.groups.retain(|name, group| !is_bare(group) || offsets.knows(name));
        }
        self.plan_check(partition, outbox.now() + Duration(1));
        let groups = self.groups.partitions.get(&partition).map_or(0, |own| own.groups.len() as u32);
        outbox.emit_cause(EventKind::Group(GroupEvent::GroupsLoaded { broker: self.id, partition, groups }));
        self.carry_out(partition, effects, outbox);
        self.arm_groups(outbox);
    }

    /// The groups as the log leaves them; everything in it counts for a new leader.
    fn read_groups(&self, partition: u32) -> BTreeMap<Name, Group> {
        let mut groups = BTreeMap::new();
        let Some(replica) = self.replicas.get(&offsets_partition(partition)) else { return groups };
        let log = &replica.log;
        for batch in log.read(log.log_start_offset, u32::MAX, log.log_end_offset) {
            for (_, record) in batch.entries() {
                if let Some(InternalRecord::Group(content)) = record.internal.as_deref() {
                    replay(&mut groups, content, record.timestamp);
                }
            }
        }
        groups
    }

    /// The high watermark of a partition moved: what was replicated counts.
    pub(crate) fn offsets_replicated(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        if !self.groups.partitions.is_empty()
            && *partition.topic == *CONSUMER_OFFSETS
            && self.read_offsets(partition.partition)
        {
            self.plan_check(partition.partition, outbox.now() + Duration(1));
            let due = self.groups.partitions.get(&partition.partition).and_then(|own| own.check);
            self.wake_groups_at(due, outbox);
        }
    }

    /// Takes in offsets, and makes groups that have only offsets. Whether there were any.
    fn read_offsets(&mut self, partition: u32) -> bool {
        let Some(replica) = self.replicas.get(&offsets_partition(partition)) else { return false };
        let Some(own) = self.groups.partitions.get_mut(&partition).filter(|own| own.is_loaded) else { return false };
        let log = &replica.log;
        let from = own.offsets.read_until.max(log.log_start_offset);
        let mut is_any = false;
        if from >= log.high_watermark {
            return is_any;
        }
        let offsets = Rc::make_mut(&mut own.offsets);
        for batch in log.read(from, u32::MAX, log.high_watermark) {
            for group in offsets.replay(&batch) {
                is_any = true;
                let simple = || Rc::new(Group::Classic(ClassicGroup::simple(Rc::clone(&group), batch.appended.time)));
                own.groups.entry(Rc::clone(&group)).or_insert_with(simple);
            }
        }
        is_any
    }
}

/// Takes in one record.
fn replay(groups: &mut BTreeMap<Name, Group>, record: &GroupRecord, written: Time) {
    let group = match record {
        GroupRecord::Classic { group, value } => {
            match value {
                Some(value) => {
                    groups.insert(Rc::clone(group), Group::Classic(ClassicGroup::restore(group, value, written)));
                }
                None if matches!(groups.get(group), Some(Group::Classic(_))) => drop(groups.remove(group)),
                None => {}
            }
            return;
        }
        GroupRecord::OffsetRemoved { .. } => return,
        GroupRecord::Share { group, record } => return replay_share(groups, group, record),
        GroupRecord::Consumer { group, value: None } => {
            if matches!(groups.get(group), Some(Group::Consumer(_))) {
                groups.remove(group);
            }
            return;
        }
        GroupRecord::Consumer { group, .. }
        | GroupRecord::Member { group, .. }
        | GroupRecord::Target { group, .. }
        | GroupRecord::TargetMember { group, .. }
        | GroupRecord::Current { group, .. }
        | GroupRecord::Regex { group, .. } => group,
    };
    let known = groups.remove(group).filter(|known| matches!(known, Group::Consumer(_)));
    let mut known = known.unwrap_or_else(|| Group::Consumer(ConsumerGroup::new(Rc::clone(group))));
    if let Group::Consumer(known) = &mut known {
        known.replay(record);
    }
    groups.insert(Rc::clone(group), known);
}

/// Takes in a record of a share group.
fn replay_share(groups: &mut BTreeMap<Name, Group>, group: &Name, record: &ShareGroupRecord) {
    if matches!(record, ShareGroupRecord::Epoch(None)) {
        if matches!(groups.get(group), Some(Group::Share(_))) {
            groups.remove(group);
        }
        return;
    }
    let known = groups.remove(group).filter(|known| matches!(known, Group::Share(_)));
    let mut known = known.unwrap_or_else(|| Group::Share(ShareGroup::new(Rc::clone(group))));
    if let Group::Share(known) = &mut known {
        known.replay(record);
    }
    groups.insert(Rc::clone(group), known);
}
