//! Sticky and cooperative-sticky: balanced first, and members keep what they had.
//!
//! `AbstractStickyAssignor`: one algorithm for members with equal subscriptions (`constrained`), one for all others
//! (`general`). librdkafka has only the general one, which Java had for all members before 2.7, with an order of its own
//! (`turns`). The cooperative one takes what changes hands out of the result, so that it is revoked first.
//! Simplified: the sticky assignor of a leader remembers the highest generation of earlier rebalances; here the highest
//! one in the input counts.

mod balance;
mod claims;
mod constrained;
mod general;
mod movements;
mod queues;
mod turns;

use alloc::vec::Vec;

use super::layout::{Layout, PerPartition};
use super::racks::Racks;
use super::{Group, Library};
use crate::java::{DEFAULT_CAPACITY, order_of, string_hash};
use crate::{Assignment, AssignorError, TopicPartition};
use claims::Claims;

/// Nobody.
const NOBODY: u32 = u32::MAX;

/// How members give up partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// All of them before they join.
    Eager,
    /// Only what moves.
    Cooperative,
}

/// What both algorithms work on.
struct Input<'a> {
    library: Library,
    group: &'a Group<'a>,
    layout: Layout,
    /// None if racks change nothing.
    racks: Option<Racks>,
    /// Members in the order of a Java hash map of their ids.
    order: Vec<u32>,
    /// Members by id.
    by_id: Vec<u32>,
    /// For each member its place by id.
    ranks: Vec<u32>,
}

/// `by_id` are the members, sorted by id.
pub(super) fn assign(
    library: Library,
    group: &Group<'_>,
    layout: Layout,
    by_id: Vec<u32>,
    protocol: Protocol,
) -> Result<Assignment, AssignorError> {
    let racks = Racks::new(group, &layout).filter(|racks| racks.matter(0..group.members.len() as u32, 0..layout.total));
    let is_fresh = group.members.iter().all(|member| member.owned.is_empty());
    // The order decides who keeps what.
    let order = if is_fresh {
        (0..group.members.len() as u32).collect()
    } else {
        order_of(group.members.iter().map(|member| string_hash(member.id)), DEFAULT_CAPACITY)
    };
    let mut ranks = alloc::vec![0; by_id.len()];
    by_id.iter().enumerate().for_each(|(rank, member)| ranks[*member as usize] = rank as u32);

    let claims = Claims::new(group, &layout, protocol);
    let input = Input { library, group, layout, racks, order, by_id, ranks };
    let (mut assignment, moving) = if claims.equal_subscriptions && library == Library::Java {
        constrained::assign(&input, claims)?
    } else {
        let assignment = general::assign(&input, claims)?;
        let moving = match protocol {
            Protocol::Eager => Vec::new(),
            Protocol::Cooperative => moving(&input, &assignment),
        };
        (assignment, moving)
    };
    if protocol == Protocol::Cooperative {
        take_out(&input.layout, &mut assignment, &moving);
    }
    Ok(assignment)
}

/// Partitions that a member gets and another one still owns, each with the member that gets it.
fn moving(input: &Input<'_>, assignment: &Assignment) -> Vec<(TopicPartition, u32)> {
    let layout = &input.layout;
    let mut receivers = PerPartition::new(NOBODY);
    let mut revoked = PerPartition::new(false);
    // The last list that was looked at and named the partition.
    let mut marks = PerPartition::new(NOBODY);
    let lists = input.group.members.iter().map(|member| member.owned).zip(assignment).enumerate();
    for (member, (owned, assigned)) in lists {
        let (before, after) = (2 * member as u32, 2 * member as u32 + 1);
        owned.iter().for_each(|own| marks.set(layout, *own, before));
        for own in assigned.iter().filter(|own| marks.get(layout, **own) != before).copied().collect::<Vec<_>>() {
            receivers.set(layout, own, member as u32);
        }
        assigned.iter().for_each(|own| marks.set(layout, *own, after));
        for own in owned.iter().filter(|own| marks.get(layout, **own) != after).copied().collect::<Vec<_>>() {
            revoked.set(layout, own, true);
        }
    }
    let all = assignment.iter().flatten().copied();
    let moves = all.filter(|own| revoked.get(layout, *own)).map(|own| (own, receivers.get(layout, own)));
    moves.filter(|(_, receiver)| *receiver != NOBODY).collect()
}

/// Removes each moving partition from the list of the member that gets it.
fn take_out(layout: &Layout, assignment: &mut Assignment, moving: &[(TopicPartition, u32)]) {
    if moving.is_empty() {
        return;
    }
    let mut receivers = PerPartition::new(NOBODY);
    moving.iter().for_each(|(own, receiver)| receivers.set(layout, *own, *receiver));
    for (member, list) in assignment.iter_mut().enumerate() {
        list.retain(|own| receivers.get(layout, *own) != member as u32);
    }
}
