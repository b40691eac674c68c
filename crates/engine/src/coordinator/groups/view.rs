//! Groups as plain values, from the memory of their coordinators.
//!
//! Nothing here changes anything.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::GroupPartition;
use super::group::Group;
use crate::broker::Broker;
use crate::controller::topic_names::CONSUMER_OFFSETS;
use crate::message::ClusterImage;
use crate::snapshot::{GroupOffsetsSnapshot, GroupSnapshot};

/// Groups and their offsets, by group.
pub(crate) fn group_offsets(image: &ClusterImage, brokers: &[Broker]) -> Vec<GroupOffsetsSnapshot> {
    let mut all = BTreeMap::new();
    for (partition, coordinator, own) in coordinated(image, brokers) {
        for group in own.groups.keys().map(Rc::clone) {
            let (committed, pending) = own.offsets.view(&group);
            let coordinator = Some(coordinator);
            let found = GroupOffsetsSnapshot { group: Rc::clone(&group), coordinator, partition, committed, pending };
            all.insert(group, found);
        }
    }
    all.into_values().collect()
}

/// Groups with their members, by group.
pub(crate) fn groups(image: &ClusterImage, brokers: &[Broker]) -> Vec<GroupSnapshot> {
    let mut all = BTreeMap::new();
    for (partition, coordinator, own) in coordinated(image, brokers) {
        for (name, group) in &own.groups {
            let view = match &**group {
                Group::Classic(group) => group.view(),
                Group::Consumer(group) => group.view(),
                Group::Share(group) => group.view(),
            };
            all.insert(Rc::clone(name), GroupSnapshot { partition, coordinator: Some(coordinator), ..view });
        }
    }
    all.into_values().collect()
}

/// Partitions of `__consumer_offsets` with their leaders and what those know.
fn coordinated<'a>(
    image: &'a ClusterImage,
    brokers: &'a [Broker],
) -> impl Iterator<Item = (u32, u32, &'a GroupPartition)> {
    let partitions = image.topics.get(CONSUMER_OFFSETS).map_or(&[][..], |topic| &topic.partitions);
    (0..).zip(partitions).filter_map(move |(number, partition)| {
        let leader = partition.leader?;
        let broker = brokers.iter().find(|broker| broker.id == leader)?;
        Some((number, leader, broker.groups.partitions.get(&number)?))
    })
}
