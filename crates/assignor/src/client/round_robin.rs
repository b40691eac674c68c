//! Roundrobin: all partitions of all topics by name, dealt around the circle of the sorted members.
//!
//! `RoundRobinAssignor`. A member that does not subscribe to the topic is passed over and loses its turn.

use alloc::vec;
use alloc::vec::Vec;

use super::Group;
use super::layout::Layout;
use crate::check::static_first;
use crate::{Assignment, AssignorError};

pub(super) fn assign(group: &Group<'_>) -> Result<Assignment, AssignorError> {
    if group.members.is_empty() {
        return Err(AssignorError::NoMembersInCircle);
    }
    let layout = Layout::new(group);
    let order = static_first(group.members.iter().map(|member| (member.id, member.instance_id)));
    let mut assignment = vec![Vec::new(); group.members.len()];
    let kinds = Kinds::new(group);
    let mut turn = 0;
    for own in layout.all() {
        while !kinds.subscribes(order[turn], own.topic) {
            turn = (turn + 1) % order.len();
        }
        assignment[order[turn] as usize].push(own);
        turn = (turn + 1) % order.len();
    }
    Ok(assignment)
}

/// Who subscribes to what; neighbours in the input with one list share one row.
struct Kinds {
    of_member: Vec<u32>,
    rows: Vec<Vec<bool>>,
}

impl Kinds {
    fn new(group: &Group<'_>) -> Self {
        let mut kinds = Self { of_member: Vec::with_capacity(group.members.len()), rows: Vec::new() };
        let mut last: Option<&[u32]> = None;
        for member in group.members {
            if !last.is_some_and(|last| core::ptr::eq(last, member.topics) || last == member.topics) {
                last = Some(member.topics);
                let mut row = vec![false; group.topics.len()];
                member.topics.iter().for_each(|topic| row[*topic as usize] = true);
                kinds.rows.push(row);
            }
            kinds.of_member.push(kinds.rows.len() as u32 - 1);
        }
        kinds
    }

    fn subscribes(&self, member: u32, topic: u32) -> bool {
        self.rows[self.of_member[member as usize] as usize][topic as usize]
    }
}
