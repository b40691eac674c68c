//! Simple for members with different subscriptions: topic by topic, each as if it were alone.
//!
//! `SimpleHeterogeneousAssignmentBuilder`. What a member had of a topic that nobody subscribes to any more stays.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::shares::{Book, Sets, desired_count, desired_sharing, fill};
use crate::java::{DEFAULT_CAPACITY, Table, capacity_for};
use crate::server::Spec;
use crate::{Assignment, AssignorError, TopicPartition};

pub(super) fn assign(spec: &Spec<'_>) -> Result<Assignment, AssignorError> {
    let mut subscribers = vec![Vec::new(); spec.group.topics.len()];
    let mut all = Table::with_capacity(DEFAULT_CAPACITY);
    spec.each_subscription(|member, topics| {
        for &topic in topics {
            all.insert(spec.hashes[topic as usize], topic);
            subscribers[topic as usize].push(member);
        }
        Ok(())
    })?;
    let topics: Vec<u32> = all.keys().collect();
    topics.iter().try_for_each(|topic| spec.partitions(*topic).map(|_| ()))?;
    let mut previous: Vec<Vec<(u32, Vec<u32>)>> = vec![Vec::new(); spec.group.topics.len()];
    let mut sets = Sets { of: vec![BTreeSet::new(); spec.group.members.len()] };
    for member in 0..spec.members() {
        for (topic, partitions) in spec.previous(member) {
            let owned = partitions.iter().map(|partition| TopicPartition::new(topic, *partition));
            sets.of[member as usize].extend(owned);
            previous[topic as usize].push((member, partitions));
        }
    }
    for topic in topics {
        let dealer = Dealer::new(spec, topic, &subscribers[topic as usize])?;
        dealer.deal(&previous[topic as usize], &mut sets)?;
    }
    Ok(sets.into_assignment())
}

/// One topic while it is dealt.
struct Dealer<'a> {
    topic: u32,
    subscribers: &'a [u32],
    /// The partitions that may be assigned.
    targets: Vec<u32>,
    sharing: u32,
}

impl<'a> Dealer<'a> {
    fn new(spec: &Spec<'_>, topic: u32, subscribers: &'a [u32]) -> Result<Self, AssignorError> {
        let targets = spec.assignable(topic)?;
        let sharing = desired_sharing(subscribers.len() as u32, targets.len() as u32);
        Ok(Self { topic, subscribers, targets, sharing })
    }

    fn desired(&self, member: u32) -> u32 {
        match self.subscribers.binary_search(&member) {
            Ok(place) => desired_count(place as u32, self.subscribers.len() as u32, self.targets.len() as u32),
            Err(_) => 0,
        }
    }

    fn deal(&self, previous: &[(u32, Vec<u32>)], sets: &mut Sets) -> Result<(), AssignorError> {
        let mut book = Book::new(self.targets.len(), self.subscribers.len(), |partition: u32| partition as i32);
        for (member, partitions) in previous {
            partitions.iter().for_each(|partition| book.add(*partition, *member));
        }
        self.revoke(&mut book, sets);
        let capacity = capacity_for(self.subscribers.len());
        self.targets.iter().for_each(|partition| {
            book.partition(*partition, capacity);
        });
        let mut unfilled = BTreeSet::new();
        for &member in self.subscribers {
            if book.count(member) < self.desired(member) {
                unfilled.insert(member);
            }
        }
        fill(&mut book, self.sharing, unfilled, |book, partition, member| {
            sets.of[member as usize].insert(TopicPartition::new(self.topic, partition));
            book.add_to_member(partition, member);
            book.count(member) >= self.desired(member)
        })
    }

    /// Takes what is too much from members, and then members from partitions that too many share.
    fn revoke(&self, book: &mut Book<u32>, sets: &mut Sets) {
        let mut remove = |book: &mut Book<u32>, partition: u32, member: u32| {
            book.remove(partition, member);
            sets.of[member as usize].remove(&TopicPartition::new(self.topic, partition));
        };
        for member in book.by_member.keys().collect::<Vec<u32>>() {
            let surplus = book.count(member).saturating_sub(self.desired(member));
            let surplus = book.of(member).into_iter().take(surplus as usize);
            surplus.for_each(|partition| remove(book, partition, member));
        }
        let entries: Vec<u32> = book.by_partition.numbers().collect();
        for entry in entries {
            let partition = book.by_partition.key(entry);
            let members = &book.members[entry as usize];
            let surplus = members.len().saturating_sub(self.sharing as usize);
            let surplus: Vec<u32> = members.keys().take(surplus).collect();
            surplus.into_iter().for_each(|member| remove(book, partition, member));
        }
    }
}
