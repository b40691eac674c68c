//! How often a partition is shared, how many each member gets, and what both builders keep book of.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::java::{DEFAULT_CAPACITY, Table, capacity_for};
use crate::{Assignment, AssignorError, TopicPartition};

/// How many members each partition shall have.
pub(super) fn desired_sharing(members: u32, partitions: u32) -> u32 {
    if partitions == 0 { 0 } else { members.div_ceil(partitions) }
}

/// How many partitions the member at a place among `members` shall have. Java computes it in doubles.
pub(super) fn desired_count(place: u32, members: u32, partitions: u32) -> u32 {
    let all = desired_sharing(members, partitions).wrapping_mul(partitions) as i32;
    let each = f64::from(all) / f64::from(members);
    let until = |members: u32| ceil(each * f64::from(members));
    until(place + 1).wrapping_sub(until(place)) as u32
}

/// `(int) Math.ceil` of a number that is not negative.
fn ceil(number: f64) -> i32 {
    let whole = number as i32;
    if f64::from(whole) < number { whole.wrapping_add(1) } else { whole }
}

/// Members by partition and partitions by member, as far as they are settled. `K` names a partition, with its hash.
pub(super) struct Book<K> {
    pub by_partition: Table<K>,
    /// The members of each entry of `by_partition`.
    pub members: Vec<Table<u32>>,
    /// Members that have anything, in the order of Java's map.
    pub by_member: Table<u32>,
    /// The partitions of each entry of `by_member`.
    pub partitions: Vec<Table<K>>,
    hash: fn(K) -> i32,
}

impl<K: Copy + PartialEq> Book<K> {
    pub(super) fn new(partitions: usize, members: usize, hash: fn(K) -> i32) -> Self {
        Self {
            by_partition: Table::with_capacity(capacity_for(partitions)),
            members: Vec::new(),
            by_member: Table::with_capacity(capacity_for(members)),
            partitions: Vec::new(),
            hash,
        }
    }

    /// The entry of a partition; a new one has room for `members`.
    pub(super) fn partition(&mut self, key: K, capacity: usize) -> usize {
        let (entry, is_new) = self.by_partition.compute((self.hash)(key), key);
        if is_new {
            self.members.push(Table::with_capacity(capacity));
        }
        entry as usize
    }

    /// The entry of a member.
    fn member(&mut self, member: u32) -> usize {
        let (entry, is_new) = self.by_member.compute(member as i32, member);
        if is_new {
            self.partitions.push(Table::with_capacity(DEFAULT_CAPACITY));
        }
        entry as usize
    }

    /// The member has the partition.
    pub(super) fn add(&mut self, key: K, member: u32) {
        let entry = self.partition(key, DEFAULT_CAPACITY);
        self.members[entry].insert(member as i32, member);
        self.add_to_member(key, member);
    }

    /// The same in the member's set only.
    pub(super) fn add_to_member(&mut self, key: K, member: u32) {
        let entry = self.member(member);
        self.partitions[entry].insert((self.hash)(key), key);
    }

    /// The member has it no more.
    pub(super) fn remove(&mut self, key: K, member: u32) {
        if let Some(entry) = self.by_partition.find((self.hash)(key), key) {
            self.members[entry as usize].remove(member as i32, member);
        }
        if let Some(entry) = self.by_member.find(member as i32, member) {
            self.partitions[entry as usize].remove((self.hash)(key), key);
        }
    }

    /// What the member has, in the order of Java's set.
    pub(super) fn of(&self, member: u32) -> Vec<K> {
        let entry = self.by_member.find(member as i32, member);
        entry.map_or_else(Vec::new, |entry| self.partitions[entry as usize].keys().collect())
    }

    /// How many partitions the member has.
    pub(super) fn count(&self, member: u32) -> u32 {
        let entry = self.by_member.find(member as i32, member);
        entry.map_or(0, |entry| self.partitions[entry as usize].len() as u32)
    }
}

/// The sets of the result, one a member.
pub(super) struct Sets {
    pub of: Vec<BTreeSet<TopicPartition>>,
}

impl Sets {
    pub(super) fn into_assignment(self) -> Assignment {
        self.of.into_iter().map(|set| set.into_iter().collect()).collect()
    }
}

/// Gives partitions that too few members share to members with room, around a circle.
///
/// `take` puts the partition of an entry into a member's set; it says whether the member has enough now.
///
/// # Errors
/// When a partition wants a member and nobody has room; Java then asks an iterator for more than it has.
pub(super) fn fill<K: Copy + PartialEq>(
    book: &mut Book<K>,
    sharing: u32,
    mut unfilled: BTreeSet<u32>,
    mut take: impl FnMut(&mut Book<K>, K, u32) -> bool,
) -> Result<(), AssignorError> {
    // The next member is the first above this one.
    let mut above: Option<u32> = None;
    let mut gave = false;
    let entries: Vec<u32> = book.by_partition.numbers().collect();
    for entry in entries {
        let key = book.by_partition.key(entry);
        let mut wanted = i64::from(sharing) - book.members[entry as usize].len() as i64;
        while wanted > 0 {
            let next = match above {
                Some(above) => unfilled.range(above + 1..).next().copied(),
                None => unfilled.first().copied(),
            };
            let member = match next {
                Some(member) => member,
                None if !gave => break,
                None => {
                    gave = false;
                    *unfilled.first().ok_or(AssignorError::NoMemberLeft)?
                }
            };
            above = Some(member);
            // Java does not keep this set up to date here, so a member can be given one partition twice.
            if book.members[entry as usize].find(member as i32, member).is_none() {
                wanted -= 1;
                gave = true;
                if take(book, key, member) {
                    unfilled.remove(&member);
                }
            }
        }
        if unfilled.is_empty() {
            break;
        }
    }
    Ok(())
}
