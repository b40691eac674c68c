//! Range on the coordinator: as on the client, without racks, and an unknown topic is an error.
//!
//! `RangeAssignor` of the coordinator.

use alloc::vec;
use alloc::vec::Vec;

use super::Spec;
use crate::check::{Subscribers, static_first};
use crate::{Assignment, AssignorError, runs};

/// `by_id` are the members, sorted by id.
pub(super) fn assign(spec: &Spec<'_>, by_id: &[u32]) -> Result<Assignment, AssignorError> {
    let members = spec.group.members;
    let order = static_first(by_id, members.iter().map(|member| member.instance_id));
    let sorted = order.iter().map(|member| (*member, members[*member as usize].topics));
    let subscribers = Subscribers::new(spec.group.topics.len(), sorted);
    let mut assignment = vec![Vec::new(); members.len()];
    for (topic, described) in spec.group.topics.iter().enumerate() {
        let topic = topic as u32;
        let members = subscribers.of(topic);
        if members.is_empty() {
            continue;
        }
        let partitions = described.partitions.ok_or(AssignorError::NonExistentTopic)?;
        runs::deal(&mut assignment, topic, partitions, members);
    }
    Ok(assignment)
}
