//! Range: the partitions of each topic in runs, members sorted, the first ones with one more where they do not divide.
//!
//! `RangeAssignor`. Deliberately not here: racks, which come first where they matter.

use super::layout::Layout;
use super::racks::Racks;
use super::{Group, range_racks};
use crate::check::{Subscribers, static_first};
use crate::{Assignment, runs};

/// `by_id` are the members, sorted by id.
pub(super) fn assign(group: &Group<'_>, layout: &Layout, by_id: &[u32]) -> Assignment {
    let order = static_first(by_id, group.members.iter().map(|member| member.instance_id));
    let sorted = order.iter().map(|member| (*member, group.members[*member as usize].topics));
    let subscribers = Subscribers::new(group.topics.len(), sorted);
    if let Some(racks) = Racks::new(group, layout)
        && let Some(assignment) = range_racks::assign(group, layout, &racks, &subscribers)
    {
        return assignment;
    }
    let mut assignment = layout.lists(group.members.len());
    for topic in layout.map_order() {
        runs::deal(&mut assignment, topic, layout.partitions[topic as usize], subscribers.of(topic));
    }
    assignment
}
