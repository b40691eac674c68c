//! Members by how much they have, and the question whether anything could move for a better balance.
//!
//! Java keeps one sorted set and asks every member of it; here members of one mind (equal topics, equal rack) share
//! a set, so that the least loaded one for a topic is found at once.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::Input;

/// The members that take part, sorted by size and id.
pub(super) struct Sizes<'a> {
    input: &'a Input<'a>,
    /// How many partitions each member has.
    pub of: Vec<u32>,
    /// For each member the set that it is in.
    kinds: Vec<u32>,
    /// Each set, as `key` makes its members.
    sets: Vec<BTreeSet<u64>>,
    /// How many partitions a member of each set can have at most.
    most: Vec<u32>,
    /// The rack that the members of each set have.
    racks: Vec<Option<u32>>,
    /// For each topic the sets of its subscribers.
    topics: Vec<Vec<u32>>,
    /// How many members have each size.
    count: Vec<u32>,
    /// The smallest and the largest size that any has, as long as any takes part.
    smallest: u32,
    largest: u32,
}

/// Sorts by size, then by rank.
fn key(size: u32, rank: u32) -> u64 {
    u64::from(size) << 32 | u64::from(rank)
}

fn size(key: u64) -> u32 {
    (key >> 32) as u32
}

impl<'a> Sizes<'a> {
    /// `of` are the sizes of all members, and all take part.
    pub(super) fn new(input: &'a Input<'a>, of: Vec<u32>) -> Self {
        let topics = vec![Vec::new(); input.group.topics.len()];
        let mut sizes = Self {
            input,
            of,
            kinds: Vec::new(),
            sets: Vec::new(),
            most: Vec::new(),
            racks: Vec::new(),
            topics,
            count: Vec::new(),
            smallest: u32::MAX,
            largest: 0,
        };
        let mut known: BTreeMap<(Vec<u32>, Option<u32>), u32> = BTreeMap::new();
        let mut last: Option<(&[u32], Option<u32>, u32)> = None;
        for (number, member) in input.group.members.iter().enumerate() {
            let rack = input.racks.as_ref().and_then(|racks| racks.members[number]);
            let kind = match last {
                Some((topics, same, kind)) if core::ptr::eq(topics, member.topics) && same == rack => kind,
                _ => {
                    let mut topics: Vec<u32> =
                        member.topics.iter().copied().filter(|topic| input.layout.has(*topic)).collect();
                    topics.sort_unstable();
                    *known.entry((topics, rack)).or_insert_with_key(|(topics, rack)| sizes.add_kind(topics, *rack))
                }
            };
            last = Some((member.topics, rack, kind));
            sizes.kinds.push(kind);
        }
        (0..sizes.of.len() as u32).for_each(|member| sizes.enter(member));
        sizes
    }

    fn add_kind(&mut self, topics: &[u32], rack: Option<u32>) -> u32 {
        let kind = self.sets.len() as u32;
        self.sets.push(BTreeSet::new());
        self.most.push(topics.iter().map(|topic| self.input.layout.partitions[*topic as usize]).sum());
        self.racks.push(rack);
        topics.iter().for_each(|topic| self.topics[*topic as usize].push(kind));
        kind
    }

    fn key(&self, member: u32) -> u64 {
        key(self.of[member as usize], self.input.ranks[member as usize])
    }

    fn member(&self, key: u64) -> u32 {
        self.input.by_id[key as u32 as usize]
    }

    /// The member takes part, with its present size.
    pub(super) fn enter(&mut self, member: u32) {
        let (key, size) = (self.key(member), self.of[member as usize]);
        if self.sets[self.kinds[member as usize] as usize].insert(key) {
            if self.count.len() <= size as usize {
                self.count.resize(size as usize + 1, 0);
            }
            self.count[size as usize] += 1;
            self.smallest = self.smallest.min(size);
            self.largest = self.largest.max(size);
        }
    }

    /// The member takes no part any more.
    pub(super) fn leave(&mut self, member: u32) {
        let (key, size) = (self.key(member), self.of[member as usize]);
        if self.sets[self.kinds[member as usize] as usize].remove(&key) {
            self.count[size as usize] -= 1;
            while self.smallest < self.largest && self.count[self.smallest as usize] == 0 {
                self.smallest += 1;
            }
            while self.largest > self.smallest && self.count[self.largest as usize] == 0 {
                self.largest -= 1;
            }
        }
    }

    pub(super) fn takes_part(&self, member: u32) -> bool {
        self.sets[self.kinds[member as usize] as usize].contains(&self.key(member))
    }

    /// Changes a size by one.
    pub(super) fn add(&mut self, member: u32, more: bool) {
        self.leave(member);
        let size = &mut self.of[member as usize];
        *size = if more { *size + 1 } else { size.saturating_sub(1) };
        self.enter(member);
    }

    /// The subscriber of the topic with the fewest partitions, and how many these are.
    pub(super) fn least(&self, topic: u32) -> Option<(u32, u32)> {
        let sets = self.topics[topic as usize].iter().filter_map(|kind| self.sets[*kind as usize].first());
        sets.min().map(|key| (size(*key), self.member(*key)))
    }

    /// The fewest partitions that a subscriber of the topic has, of those that have another number than all that
    /// they could get: Java takes such a member for content, whatever it has.
    fn least_wanting(&self, topic: u32) -> Option<u32> {
        let wanting = |kind: &u32| {
            let (set, most) = (&self.sets[*kind as usize], self.most[*kind as usize]);
            let first = set.first().filter(|key| size(**key) != most);
            first.or_else(|| set.range(key(most + 1, 0)..).next()).map(|key| size(*key))
        };
        self.topics[topic as usize].iter().filter_map(wanting).min()
    }

    /// The subscriber with the fewest of those that read this partition in their rack; who has no rack does so
    /// anywhere.
    pub(super) fn least_in_rack(&self, topic: u32, racks: &[u32]) -> Option<u32> {
        let fits = |kind: &&u32| self.racks[**kind as usize].is_none_or(|rack| racks.contains(&rack));
        let kinds = self.topics[topic as usize].iter().filter(fits);
        kinds.filter_map(|kind| self.sets[*kind as usize].first()).min().map(|key| self.member(*key))
    }

    /// The largest size.
    pub(super) fn largest(&self) -> u32 {
        self.largest
    }

    /// Do all sizes differ by at most one?
    fn is_even(&self) -> bool {
        self.smallest >= self.largest || self.smallest + 1 == self.largest
    }

    /// The sum of the differences between all pairs of members that take part, in Java's 32 bits.
    pub(super) fn score(sizes: impl Iterator<Item = u32>) -> i32 {
        let mut sizes: Vec<i64> = sizes.map(i64::from).collect();
        sizes.sort_unstable();
        let count = sizes.len() as i64;
        let weighted = sizes.iter().enumerate().map(|(place, size)| (2 * place as i64 - count + 1).wrapping_mul(*size));
        weighted.fold(0_i64, i64::wrapping_add) as i32
    }
}

/// Finds a partition that could move for a better balance. It begins where it found one last.
#[derive(Default)]
pub(super) struct Search {
    topic: usize,
    partition: u32,
}

impl Search {
    /// Java's `isBalanced`: no member lacks a partition whose owner has two more than it.
    pub(super) fn is_balanced(&mut self, sizes: &Sizes<'_>, owners: &[u32]) -> bool {
        let layout = &sizes.input.layout;
        if sizes.is_even() || layout.by_name.is_empty() {
            return true;
        }
        for _ in 0..=layout.by_name.len() {
            let topic = layout.by_name[self.topic];
            if let Some(least) = sizes.least_wanting(topic) {
                let start = layout.numbers(topic).start;
                let is_over = |partition: &u32| {
                    let owner = owners[(start + partition) as usize];
                    least + 1 < sizes.of[owner as usize] && sizes.takes_part(owner)
                };
                if let Some(found) = (self.partition..layout.partitions[topic as usize]).find(is_over) {
                    self.partition = found;
                    return false;
                }
            }
            self.topic = (self.topic + 1) % layout.by_name.len();
            self.partition = 0;
        }
        true
    }
}
