//! Roundrobin: all partitions of all topics by name, dealt around the circle of the sorted members.
//!
//! `RoundRobinAssignor`. A member that does not subscribe to the topic is passed over and loses its turn.

use alloc::vec;
use alloc::vec::Vec;

use super::Group;
use super::layout::Layout;
use crate::check::static_first;
use crate::{Assignment, AssignorError};

/// `by_id` are the members, sorted by id.
pub(super) fn assign(group: &Group<'_>, layout: &Layout, by_id: &[u32]) -> Result<Assignment, AssignorError> {
    if group.members.is_empty() {
        return Err(AssignorError::NoMembersInCircle);
    }
    let order = static_first(by_id, group.members.iter().map(|member| member.instance_id));
    let mut assignment = layout.lists(group.members.len());
    let kinds = Kinds::new(group);
    let mut turn = 0;
    let next = |turn: usize| if turn + 1 == order.len() { 0 } else { turn + 1 };
    for own in layout.all() {
        while !kinds.subscribes(order[turn], own.topic) {
            turn = next(turn);
        }
        assignment[order[turn] as usize].push(own);
        turn = next(turn);
    }
    Ok(assignment)
}

/// Who subscribes to what; members with one list share one row, as far as that is seen quickly.
struct Kinds {
    of_member: Vec<u32>,
    rows: Vec<Vec<bool>>,
}

impl Kinds {
    fn new(group: &Group<'_>) -> Self {
        /// How many lists are looked through.
        const KNOWN_MAX: usize = 16;
        let mut kinds = Self { of_member: Vec::with_capacity(group.members.len()), rows: Vec::new() };
        let mut known: Vec<(&[u32], u32)> = Vec::new();
        for member in group.members {
            let same = known.iter().find(|(list, _)| core::ptr::eq(*list, member.topics));
            let kind = same.map_or(kinds.rows.len() as u32, |(_, kind)| *kind);
            if kinds.rows.len() as u32 == kind {
                let mut row = vec![false; group.topics.len()];
                member.topics.iter().for_each(|topic| row[*topic as usize] = true);
                kinds.rows.push(row);
                if known.len() < KNOWN_MAX {
                    known.push((member.topics, kind));
                }
            }
            kinds.of_member.push(kind);
        }
        kinds
    }

    fn subscribes(&self, member: u32, topic: u32) -> bool {
        self.rows[self.of_member[member as usize] as usize][topic as usize]
    }
}
