//! What range does on the client and on the coordinator: one topic in runs of neighbours.
//!
//! Deliberately not here: who the members are and in which order (`check.rs`).

use crate::{Assignment, TopicPartition};

/// Gives each member a run of a topic's partitions, the first ones one more where they do not divide.
pub(crate) fn deal(assignment: &mut Assignment, topic: u32, partitions: u32, members: &[u32]) {
    let (quota, extra) = (partitions / members.len() as u32, partitions % members.len() as u32);
    let mut next = 0;
    for (place, &member) in members.iter().enumerate() {
        if next == partitions {
            break;
        }
        let end = next + quota + u32::from((place as u32) < extra);
        assignment[member as usize].extend((next..end).map(|partition| TopicPartition::new(topic, partition)));
        next = end;
    }
}
