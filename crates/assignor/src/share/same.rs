//! Simple for members with equal subscriptions: all partitions of all topics at once.
//!
//! `SimpleHomogeneousAssignmentBuilder`.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::shares::{Book, Result, desired_count, desired_sharing, fill};
use crate::java::DEFAULT_CAPACITY;
use crate::server::Spec;
use crate::{Assignment, AssignorError, TopicPartition};

/// A partition with its hash code: `31 * topic id + partition`.
#[derive(Clone, Copy)]
struct Key {
    own: TopicPartition,
    hash: i32,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.own == other.own
    }
}

pub(super) fn assign(spec: &Spec<'_>) -> core::result::Result<Assignment, AssignorError> {
    let subscribed = spec.subscribed(0);
    let targets = targets(spec, &subscribed)?;
    if subscribed.is_empty() {
        return Ok(vec![Vec::new(); spec.group.members.len()]);
    }
    let key = |own: TopicPartition| {
        let hash = spec.hashes[own.topic as usize].wrapping_mul(31).wrapping_add(own.partition as i32);
        Key { own, hash }
    };
    let members = spec.members();
    let sharing = desired_sharing(members, targets.len() as u32);
    let desired = |member: u32| desired_count(member, members, targets.len() as u32);
    let mut is_subscribed = vec![false; spec.group.topics.len()];
    subscribed.iter().for_each(|topic| is_subscribed[*topic as usize] = true);
    let mut book = Book::new(targets.len(), members as usize, |key: Key| key.hash);
    let mut result = Result { sets: vec![BTreeSet::new(); members as usize] };
    let (mut unfilled, mut overfilled) = (BTreeSet::new(), Vec::new());
    for member in 0..members {
        let mut count = 0;
        for (topic, partitions) in spec.previous(member) {
            if is_subscribed[topic as usize] {
                count += partitions.len() as u32;
                for own in partitions.into_iter().map(|partition| TopicPartition::new(topic, partition)) {
                    book.add(key(own), member);
                    result.sets[member as usize].insert(own);
                }
            }
        }
        match count.cmp(&desired(member)) {
            core::cmp::Ordering::Less => {
                unfilled.insert(member);
            }
            core::cmp::Ordering::Equal => (),
            core::cmp::Ordering::Greater => overfilled.push(member),
        }
    }
    for member in overfilled {
        let surplus = book.count(member) - desired(member);
        for key in book.of(member).into_iter().take(surplus as usize) {
            book.remove(key, member);
            result.sets[member as usize].remove(&key.own);
        }
    }
    revoke_overshared(&mut book, sharing, &mut result, &mut unfilled);
    targets.iter().for_each(|own| {
        book.partition(key(*own), DEFAULT_CAPACITY);
    });
    if !unfilled.is_empty() {
        fill(&mut book, sharing, unfilled, |book, key, member| {
            result.sets[member as usize].insert(key.own);
            book.add_to_member(key, member);
            book.count(member) >= desired(member)
        })?;
    }
    Ok(result.into_assignment())
}

/// The partitions that may be assigned, in the order of the topics' ids.
fn targets(spec: &Spec<'_>, subscribed: &[u32]) -> core::result::Result<Vec<TopicPartition>, AssignorError> {
    let mut targets = Vec::new();
    for &topic in subscribed {
        let partitions = spec.partitions(topic)?;
        let assignable = spec.assignable(topic);
        let all = (0..partitions).filter(|partition| assignable.is_none_or(|list| list.contains(partition)));
        targets.extend(all.map(|partition| TopicPartition::new(topic, partition)));
    }
    Ok(targets)
}

/// Takes partitions from members where too many share them.
fn revoke_overshared(book: &mut Book<Key>, sharing: u32, result: &mut Result, unfilled: &mut BTreeSet<u32>) {
    let entries: Vec<u32> = book.by_partition.numbers().collect();
    for entry in entries {
        let key = book.by_partition.key(entry);
        let surplus = book.members[entry as usize].len().saturating_sub(sharing as usize);
        let members: Vec<u32> = book.members[entry as usize].keys().take(surplus).collect();
        for member in members {
            book.remove(key, member);
            result.sets[member as usize].remove(&key.own);
            unfilled.insert(member);
        }
    }
}
