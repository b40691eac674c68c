//! Which owned partitions count: what members report, and who wins when two claim one partition.

use alloc::vec;
use alloc::vec::Vec;

use super::super::layout::{Layout, PerPartition};
use super::super::{Group, Member, NO_GENERATION};
use super::{NOBODY, Protocol};
use crate::TopicPartition;
use crate::java::{DEFAULT_CAPACITY, Table};

/// What the members' reports come to.
pub(super) struct Claims {
    /// All members subscribe to the same topics, as Java tells it.
    pub equal_subscriptions: bool,
    /// For each member what it owned and keeps the right to.
    pub owned: Vec<Vec<TopicPartition>>,
    /// Partitions that two members of one generation claimed; nobody has a right to these.
    pub doubly: PerPartition<bool>,
    /// Is any partition in `doubly`?
    pub any_doubly: bool,
    /// The generation that goes with what each member reports; -1 if none.
    pub generations: Vec<i32>,
    /// The highest of them.
    pub newest: i32,
}

impl Claims {
    pub(super) fn new(group: &Group<'_>, layout: &Layout, protocol: Protocol) -> Self {
        let generations: Vec<i32> = group.members.iter().map(|member| generation(member, protocol)).collect();
        let mut claims = Self {
            equal_subscriptions: equal_subscriptions(group),
            owned: vec![Vec::new(); group.members.len()],
            doubly: PerPartition::new(false),
            any_doubly: false,
            newest: generations.iter().copied().fold(NO_GENERATION, i32::max),
            generations,
        };
        let mut owners = PerPartition::new(NOBODY);
        for number in 0..group.members.len() as u32 {
            let member = &group.members[number as usize];
            let reported = match protocol {
                // The order matters to the general algorithm only.
                Protocol::Eager if !claims.equal_subscriptions => by_topic(layout, member.owned),
                _ => member.owned.to_vec(),
            };
            for own in reported.into_iter().filter(|own| layout.has(own.topic)) {
                claims.add(group, layout, &mut owners, number, own);
            }
        }
        claims
    }

    /// One more claim. Of two claims to one partition the newer generation wins; in one generation both lose.
    fn add(
        &mut self,
        group: &Group<'_>,
        layout: &Layout,
        owners: &mut PerPartition<u32>,
        number: u32,
        own: TopicPartition,
    ) {
        let owner = owners.get(layout, own);
        if owner != NOBODY {
            let mine = self.generations[number as usize];
            // Java reads the other one's generation in the subscription, also where the claim is in the user data.
            let theirs = group.members[owner as usize].generation.max(NO_GENERATION);
            if mine < theirs {
                return;
            }
            let list = &mut self.owned[owner as usize];
            if let Some(found) = list.iter().position(|other| *other == own) {
                list.remove(found);
            }
            if mine == theirs {
                self.any_doubly = true;
                self.doubly.set(layout, own, true);
                owners.set(layout, own, number);
                return;
            }
        }
        self.owned[number as usize].push(own);
        owners.set(layout, own, number);
    }
}

/// The generation that goes with a member's owned partitions.
fn generation(member: &Member<'_>, protocol: Protocol) -> i32 {
    let reported = match protocol {
        Protocol::Cooperative if member.generation >= 0 => member.generation,
        _ => member.user_data_generation,
    };
    reported.max(NO_GENERATION)
}

/// Java compares every subscription with the first one that is not empty, and takes empty ones before that for equal.
fn equal_subscriptions(group: &Group<'_>) -> bool {
    let mut rest = group.members.iter().skip_while(|member| member.topics.is_empty());
    let Some(first) = rest.next() else {
        return true;
    };
    let mut subscribed = vec![false; group.topics.len()];
    first.topics.iter().for_each(|topic| subscribed[*topic as usize] = true);
    rest.all(|member| {
        core::ptr::eq(member.topics, first.topics)
            || member.topics.len() == first.topics.len()
                && member.topics.iter().all(|topic| subscribed[*topic as usize])
    })
}

/// Owned partitions in the order in which user data lists them: by topic, topics as in a Java hash map of names.
fn by_topic(layout: &Layout, owned: &[TopicPartition]) -> Vec<TopicPartition> {
    let mut topics = Table::with_capacity(DEFAULT_CAPACITY);
    let mut groups: Vec<Vec<TopicPartition>> = Vec::new();
    for own in owned {
        let (entry, is_new) = topics.compute(layout.hashes[own.topic as usize], own.topic);
        if is_new {
            groups.push(Vec::new());
        }
        groups[entry as usize].push(*own);
    }
    topics.numbers().flat_map(|entry| core::mem::take(&mut groups[entry as usize])).collect()
}
