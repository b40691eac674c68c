//! Range with racks (KIP-881): partitions go to members in their own racks first, without changing how many each
//! member gets; topics with equal members and equal counts stay together.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::Group;
use super::layout::Layout;
use super::racks::Racks;
use crate::check::Subscribers;
use crate::{Assignment, TopicPartition};

/// None if racks change nothing: no member shares a rack with a partition, or all partitions are in all racks.
pub(super) fn assign(
    group: &Group<'_>,
    layout: &Layout,
    racks: &Racks,
    subscribers: &Subscribers,
) -> Option<Assignment> {
    let mut states: Vec<State<'_>> =
        layout.map_order().into_iter().map(|topic| State::new(topic, layout, racks, subscribers.of(topic))).collect();
    if !states.iter().any(|state| state.racks_matter) {
        return None;
    }
    let mut assignment = vec![Vec::new(); group.members.len()];
    // Topics with the same members and the same count of partitions with racks; the order of the sets is no matter.
    let mut sets: BTreeMap<(&[u32], u32), Vec<usize>> = BTreeMap::new();
    for (place, state) in states.iter().enumerate() {
        sets.entry((state.members, state.rack_rows)).or_default().push(place);
    }
    for ((_, partitions), places) in sets {
        match places[..] {
            [place] if states[place].racks_matter => states[place].deal_in_rack(&mut assignment),
            [_] => (),
            _ => deal_together(&mut states, &places, partitions, &mut assignment),
        }
    }
    states.iter_mut().for_each(|state| state.deal_rest(&mut assignment));
    for list in &mut assignment {
        list.sort_unstable_by_key(|own| (layout.name_rank[own.topic as usize], own.partition));
    }
    Some(assignment)
}

/// Partition `p` of all the topics goes to the first member that has its rack in every topic and room in every topic.
fn deal_together(states: &mut [State<'_>], places: &[usize], partitions: u32, assignment: &mut Assignment) {
    let mut open: Vec<usize> = (0..states[places[0]].members.len()).collect();
    for partition in 0..partitions {
        let fits = |at: &usize| {
            places.iter().all(|&place| states[place].matches(*at, partition) && states[place].room(*at) > 0)
        };
        let Some(found) = open.iter().position(fits) else {
            continue;
        };
        let at = open[found];
        places.iter().for_each(|&place| states[place].give(at, partition, assignment));
        if places.iter().all(|&place| states[place].room(at) == 0) {
            open.remove(found);
        }
    }
}

/// One topic while it is dealt.
struct State<'a> {
    topic: u32,
    layout: &'a Layout,
    racks: &'a Racks,
    /// The members that subscribe, sorted.
    members: &'a [u32],
    racks_matter: bool,
    /// For how many partitions Java knows racks: 0 if no member of the topic has one.
    rack_rows: u32,
    /// Partitions that nobody has yet, ascending.
    open: Vec<u32>,
    /// For each place in `members` how many partitions it has.
    given: Vec<u32>,
    quota: u32,
    /// How many members may still have one more.
    extra: u32,
}

impl<'a> State<'a> {
    fn new(topic: u32, layout: &'a Layout, racks: &'a Racks, members: &'a [u32]) -> Self {
        let partitions = layout.partitions[topic as usize];
        let has_racks = members.iter().any(|member| racks.members[*member as usize].is_some());
        let count = members.len() as u32;
        Self {
            topic,
            layout,
            racks,
            members,
            racks_matter: racks.matter(members.iter().copied(), layout.numbers(topic)),
            rack_rows: if has_racks { partitions } else { 0 },
            open: (0..partitions).collect(),
            given: vec![0; members.len()],
            quota: partitions / count,
            extra: partitions % count,
        }
    }

    fn matches(&self, at: usize, partition: u32) -> bool {
        self.racks.matches(self.layout, self.members[at], TopicPartition::new(self.topic, partition))
    }

    fn room(&self, at: usize) -> u32 {
        (self.quota + u32::from(self.extra > 0)).saturating_sub(self.given[at])
    }

    fn give(&mut self, at: usize, partition: u32, assignment: &mut Assignment) {
        if let Ok(found) = self.open.binary_search(&partition) {
            self.open.remove(found);
        }
        assignment[self.members[at] as usize].push(TopicPartition::new(self.topic, partition));
        self.given[at] += 1;
        if self.given[at] > self.quota {
            self.extra = self.extra.saturating_sub(1);
        }
    }

    /// Each member takes what is in its rack, up to its room.
    fn deal_in_rack(&mut self, assignment: &mut Assignment) {
        self.deal(assignment, Self::matches);
    }

    /// Each member takes what is left, up to its room.
    fn deal_rest(&mut self, assignment: &mut Assignment) {
        self.deal(assignment, |_, _, _| true);
    }

    fn deal(&mut self, assignment: &mut Assignment, may: impl Fn(&Self, usize, u32) -> bool) {
        for at in 0..self.members.len() {
            if self.open.is_empty() {
                break;
            }
            let room = self.room(at);
            let mut taken = Vec::new();
            let mut open = core::mem::take(&mut self.open);
            open.retain(|&partition| {
                let takes = (taken.len() as u32) < room && may(self, at, partition);
                if takes {
                    taken.push(TopicPartition::new(self.topic, partition));
                }
                !takes
            });
            self.open = open;
            self.given[at] += taken.len() as u32;
            if self.given[at] > self.quota && !taken.is_empty() {
                self.extra = self.extra.saturating_sub(1);
            }
            assignment[self.members[at] as usize].append(&mut taken);
        }
    }
}
