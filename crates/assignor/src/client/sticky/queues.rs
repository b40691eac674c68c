//! The two lists of members that may take more, and the search for the next one in a rack of a partition.
//!
//! Java walks through linked lists; here every rack has its own ordered set, which finds the same member.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::racks::Racks;

/// Members below the smallest share, around a circle by id.
pub(super) struct Circle<'a> {
    racks: &'a Racks,
    ranks: &'a [u32],
    /// Rank and member, all and in each rack.
    all: BTreeSet<(u32, u32)>,
    in_rack: BTreeMap<u32, BTreeSet<(u32, u32)>>,
    /// The rank at which the next search starts.
    cursor: u32,
}

impl<'a> Circle<'a> {
    pub(super) fn new(racks: &'a Racks, ranks: &'a [u32], members: impl Iterator<Item = u32>) -> Self {
        let mut circle = Self { racks, ranks, all: BTreeSet::new(), in_rack: BTreeMap::new(), cursor: 0 };
        for member in members {
            let entry = (ranks[member as usize], member);
            circle.all.insert(entry);
            if let Some(rack) = racks.members[member as usize] {
                circle.in_rack.entry(rack).or_default().insert(entry);
            }
        }
        circle
    }

    /// The first member from the cursor on, and around, that is in one of the racks.
    pub(super) fn next(&self, racks: &[u32]) -> Option<u32> {
        let sets = racks.iter().filter_map(|rack| self.in_rack.get(rack));
        let ahead = sets.clone().filter_map(|set| set.range((self.cursor, 0)..).next()).min();
        ahead.or_else(|| sets.filter_map(|set| set.first()).min()).map(|(_, member)| *member)
    }

    /// The search goes on behind this member, or at the start if it is the last.
    pub(super) fn pass(&mut self, member: u32) {
        self.settle(self.ranks[member as usize] + 1);
    }

    /// Takes a member out; the search goes on at the one that moves into its place.
    pub(super) fn remove(&mut self, member: u32) {
        let entry = (self.ranks[member as usize], member);
        self.all.remove(&entry);
        if let Some(set) = self.racks.members[member as usize].and_then(|rack| self.in_rack.get_mut(&rack)) {
            set.remove(&entry);
        }
        self.settle(entry.0);
    }

    fn settle(&mut self, rank: u32) {
        self.cursor = if self.all.range((rank, 0)..).next().is_some() { rank } else { 0 };
    }

    /// Who is left, by id.
    pub(super) fn into_members(self) -> VecDeque<u32> {
        self.all.into_iter().map(|(_, member)| member).collect()
    }
}

/// Members with exactly the smallest share, in the order in which they came.
pub(super) struct Line<'a> {
    racks: &'a Racks,
    all: BTreeMap<u32, u32>,
    /// For each rack the places in `all`.
    in_rack: BTreeMap<u32, BTreeSet<u32>>,
    next: u32,
}

impl<'a> Line<'a> {
    pub(super) fn new(racks: &'a Racks, members: impl Iterator<Item = u32>) -> Self {
        let mut line = Self { racks, all: BTreeMap::new(), in_rack: BTreeMap::new(), next: 0 };
        members.for_each(|member| line.push(member));
        line
    }

    pub(super) fn push(&mut self, member: u32) {
        self.all.insert(self.next, member);
        if let Some(rack) = self.racks.members[member as usize] {
            self.in_rack.entry(rack).or_default().insert(self.next);
        }
        self.next += 1;
    }

    /// The place of the first member in one of the racks, and the member.
    pub(super) fn first(&self, racks: &[u32]) -> Option<(u32, u32)> {
        let places = racks.iter().filter_map(|rack| self.in_rack.get(rack)?.first());
        let place = *places.min()?;
        Some((place, *self.all.get(&place)?))
    }

    /// Takes the member at a place out.
    pub(super) fn remove(&mut self, place: u32) {
        let rack = self.all.remove(&place).and_then(|member| self.racks.members[member as usize]);
        if let Some(set) = rack.and_then(|rack| self.in_rack.get_mut(&rack)) {
            set.remove(&place);
        }
    }

    /// Takes all out.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.in_rack.clear();
    }

    /// Who is left, first come first.
    pub(super) fn into_members(self) -> VecDeque<u32> {
        self.all.into_values().collect()
    }
}
