//! Racks as numbers: who is in which, which partitions have a replica in which, and whether they are worth a look.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Group;
use super::layout::Layout;
use crate::TopicPartition;

/// Racks of members and of replicas.
pub(super) struct Racks {
    /// The rack of each member.
    pub members: Vec<Option<u32>>,
    /// Where the racks of each numbered partition start in `listed`, with an end.
    starts: Vec<u32>,
    listed: Vec<u32>,
    /// How many racks there are.
    pub count: u32,
}

impl Racks {
    /// None if no member has a rack.
    pub(super) fn new(group: &Group<'_>, layout: &Layout) -> Option<Self> {
        let named = |member: &super::Member<'_>| member.rack.is_some_and(|rack| !rack.is_empty());
        if !group.members.iter().any(named) {
            return None;
        }
        let mut names = BTreeMap::new();
        let members = group.members.iter();
        let members =
            members.map(|member| member.rack.filter(|rack| !rack.is_empty()).map(|rack| number(&mut names, rack)));
        let members = members.collect();
        let mut starts = Vec::with_capacity(layout.total as usize + 1);
        let mut listed = Vec::new();
        starts.push(0);
        for own in layout.all() {
            let start = listed.len();
            for rack in group.topics[own.topic as usize].racks.get(own.partition as usize).into_iter().flatten() {
                let rack = number(&mut names, rack);
                if !listed[start..].contains(&rack) {
                    listed.push(rack);
                }
            }
            starts.push(listed.len() as u32);
        }
        Some(Self { members, starts, listed, count: names.len() as u32 })
    }

    /// The racks of a numbered partition.
    pub(super) fn of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.listed[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// Does the member read this partition in its own rack? Who has no rack matches everything; a partition that
    /// does not exist matches nobody else.
    pub(super) fn matches(&self, layout: &Layout, member: u32, own: TopicPartition) -> bool {
        let Some(rack) = self.members[member as usize] else {
            return true;
        };
        layout.number(own).is_some_and(|number| self.of(number).contains(&rack))
    }

    /// `AbstractPartitionAssignor.useRackAwareAssignment`: some member shares a rack with some of the partitions,
    /// and not every one of these has replicas in all racks that any of them has.
    pub(super) fn matter(
        &self,
        members: impl Iterator<Item = u32>,
        partitions: impl Iterator<Item = u32> + Clone,
    ) -> bool {
        let mut of_members = alloc::vec![false; self.count as usize];
        let mut of_partitions = of_members.clone();
        members.filter_map(|member| self.members[member as usize]).for_each(|rack| of_members[rack as usize] = true);
        for number in partitions.clone() {
            self.of(number).iter().for_each(|rack| of_partitions[*rack as usize] = true);
        }
        let all = of_partitions.iter().filter(|has| **has).count();
        let share = of_members.iter().zip(&of_partitions).any(|(member, partition)| *member && *partition);
        share && partitions.into_iter().any(|number| self.of(number).len() != all)
    }
}

fn number<'a>(names: &mut BTreeMap<&'a str, u32>, rack: &'a str) -> u32 {
    let next = names.len() as u32;
    *names.entry(rack).or_insert(next)
}
