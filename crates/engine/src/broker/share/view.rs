//! Share partitions as plain values, from the memory of their leaders and share coordinators.
//!
//! Nothing here changes anything.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Hosted;
use super::persister::coordinator_key;
use crate::broker::Broker;
use crate::controller::topic_names::SHARE_GROUP_STATE;
use crate::event::internal::ShareKey;
use crate::internal_partition::coordinator_of;
use crate::message::ClusterImage;
use crate::snapshot::{SharePartitionSnapshot, ShareStateSnapshot};

/// All share partitions that somebody knows, by group and partition.
pub(crate) fn share_partitions(image: &ClusterImage, brokers: &[Broker]) -> Vec<SharePartitionSnapshot> {
    let mut keys: BTreeMap<ShareKey, ()> = BTreeMap::new();
    for broker in brokers {
        keys.extend(broker.shares.partitions.keys().map(|key| (key.clone(), ())));
        keys.extend(broker.initialized_share_partitions().into_iter().map(|key| (key, ())));
    }
    keys.into_keys().filter_map(|key| snapshot(&key, image, brokers)).collect()
}

fn snapshot(key: &ShareKey, image: &ClusterImage, brokers: &[Broker]) -> Option<SharePartitionSnapshot> {
    let find = |id: u32| brokers.iter().find(|broker| broker.id == id);
    let partition = image.topics.get(&key.partition.topic)?.partitions.get(key.partition.partition as usize)?;
    let leader = partition.leader.and_then(find);
    let open = leader.and_then(|leader| match leader.shares.partitions.get(key) {
        Some(Hosted::Open(open)) => Some(open),
        _ => None,
    });
    let found = coordinator_of(image, SHARE_GROUP_STATE, &coordinator_key(image, key));
    let (state_partition, coordinator) = found.unwrap_or((0, None));
    let state = coordinator.and_then(find).and_then(|coordinator| coordinator.share_state(state_partition, key));
    let end = leader.and_then(|leader| leader.replicas.get(&key.partition)).map(|replica| replica.log.high_watermark);
    let persisted = state.and_then(|state| {
        let start_offset = state.start_offset?;
        let done = state.delivery_complete_count;
        let lag = end.map(|end| end.saturating_sub(start_offset).saturating_sub(done));
        Some(ShareStateSnapshot { start_offset, leader_epoch: state.leader_epoch, delivery_complete_count: done, lag })
    });
    Some(SharePartitionSnapshot {
        group: Rc::clone(&key.group),
        partition: key.partition.clone(),
        leader: partition.leader,
        state_partition,
        coordinator,
        start_offset: open.map(|open| open.start_offset()),
        end_offset: open.map(|open| open.end_offset()),
        in_flight: open.map_or_else(Vec::new, |open| open.view()),
        persisted,
    })
}
