//! The order in which librdkafka looks at partitions when all members subscribe to the same topics.
//!
//! `sort_partitions` of `rdkafka_sticky_assignor.c` 2.16.0, which is `AbstractStickyAssignor.sortPartitions` of Java
//! before 2.7. Deliberately not here: what becomes of a partition when its turn comes.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::{Input, NOBODY};
use crate::{Assignment, TopicPartition};

/// Whoever has the most gives the next one, and of several the last by id: first what somebody else had before, then
/// its lowest. What nobody has comes last, and backwards: a map of librdkafka hands out what was put in last first.
pub(super) fn order(input: &Input<'_>, assignment: &Assignment, previous: &[u32]) -> Vec<TopicPartition> {
    let layout = &input.layout;
    let key = |own: &TopicPartition| (layout.name_rank[own.topic as usize], own.partition);
    let had_before = |own: &TopicPartition| layout.number(*own).is_some_and(|at| previous[at as usize] != NOBODY);
    let mut lists: Vec<Vec<TopicPartition>> = assignment.clone();
    for list in &mut lists {
        list.retain(|own| layout.number(*own).is_some());
        // The next one is taken from the end.
        list.sort_by_key(|own| core::cmp::Reverse((!had_before(own), key(own))));
    }
    let place = |member: usize, lists: &[Vec<TopicPartition>]| (lists[member].len(), input.ranks[member], member);
    let mut members: BTreeSet<(usize, u32, usize)> = (0..lists.len()).map(|member| place(member, &lists)).collect();
    let mut order = Vec::with_capacity(layout.total as usize);
    while let Some((_, _, member)) = members.pop_last() {
        if let Some(own) = lists[member].pop() {
            order.push(own);
            members.insert(place(member, &lists));
        }
    }
    let taken: BTreeSet<TopicPartition> = order.iter().copied().collect();
    let mut open: Vec<TopicPartition> = layout.all().filter(|own| !taken.contains(own)).collect();
    open.reverse();
    order.extend(open);
    order
}
