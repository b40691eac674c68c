//! Simple for members with equal subscriptions: all partitions of all topics at once.
//!
//! `SimpleHomogeneousAssignmentBuilder`.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::shares::{Book, Sets, desired_count, desired_sharing, fill};
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

pub(super) fn assign(spec: &Spec<'_>) -> Result<Assignment, AssignorError> {
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
    let mut sets = Sets { of: vec![BTreeSet::new(); members as usize] };
    let (mut unfilled, mut overfilled) = (BTreeSet::new(), Vec::new());
    for member in 0..members {
        let mut count = 0;
        for (topic, partitions) in spec.previous(member) {
            if is_subscribed[topic as usize] {
                count += partitions.len() as u32;
                for own in partitions.into_iter().map(|partition| TopicPartition::new(topic, partition)) {
                    book.add(key(own), member);
                    sets.of[member as usize].insert(own);
                }
            }
        }
        if count < desired(member) {
            unfilled.insert(member);
        } else if count > desired(member) {
            overfilled.push(member);
        }
    }
    for member in overfilled {
        let surplus = book.count(member) - desired(member);
        for key in book.of(member).into_iter().take(surplus as usize) {
            book.remove(key, member);
            sets.of[member as usize].remove(&key.own);
        }
    }
    revoke_overshared(&mut book, sharing, &mut sets, &mut unfilled);
    targets.iter().for_each(|own| {
        book.partition(key(*own), DEFAULT_CAPACITY);
    });
    if !unfilled.is_empty() {
        fill(&mut book, sharing, unfilled, |book, key, member| {
            sets.of[member as usize].insert(key.own);
            book.add_to_member(key, member);
            book.count(member) >= desired(member)
        })?;
    }
    Ok(sets.into_assignment())
}

/// The partitions that may be assigned, in the order of the topics' ids.
fn targets(spec: &Spec<'_>, subscribed: &[u32]) -> Result<Vec<TopicPartition>, AssignorError> {
    let mut targets = Vec::new();
    for &topic in subscribed {
        targets.extend(spec.assignable(topic)?.into_iter().map(|partition| TopicPartition::new(topic, partition)));
    }
    Ok(targets)
}

/// Takes partitions from members where too many share them.
fn revoke_overshared(book: &mut Book<Key>, sharing: u32, sets: &mut Sets, unfilled: &mut BTreeSet<u32>) {
    let entries: Vec<u32> = book.by_partition.numbers().collect();
    for entry in entries {
        let key = book.by_partition.key(entry);
        let surplus = book.members[entry as usize].len().saturating_sub(sharing as usize);
        let members: Vec<u32> = book.members[entry as usize].keys().take(surplus).collect();
        for member in members {
            book.remove(key, member);
            sets.of[member as usize].remove(&key.own);
            unfilled.insert(member);
        }
    }
}
