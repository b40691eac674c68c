//! A hash table that iterates in the order of `java.util.HashMap`: by bucket, inside a bucket as put.
//!
//! It holds keys only; whoever needs values keeps them beside, under the number of the entry.

use alloc::vec;
use alloc::vec::Vec;

/// No entry.
const NONE: u32 = u32::MAX;
/// A bucket of so many entries makes a small table grow.
const CROWDED: usize = 9;
/// A table of at least so many buckets turns a crowded bucket into a tree instead, which is not modelled.
const TREES_FROM: usize = 64;

/// `AssignorHelpers.newHashMap`: the capacity that is asked for when so many entries are expected.
pub(crate) fn capacity_for(entries: usize) -> usize {
    // Java computes it in 32-bit floats.
    ((entries + 1) as f32 / 0.75 + 1.0) as usize
}

/// `new HashSet<>(collection)`: the capacity for a copy of so many entries.
pub(crate) fn capacity_of_copy(entries: usize) -> usize {
    (((entries as f32 / 0.75) as usize) + 1).max(super::DEFAULT_CAPACITY)
}

#[derive(Clone, Debug)]
struct Entry<K> {
    hash: u32,
    next: u32,
    key: K,
}

/// The keys of a hash map or hash set.
#[derive(Clone, Debug)]
pub(crate) struct Table<K> {
    /// First entry of each bucket; none before the first key.
    heads: Vec<u32>,
    entries: Vec<Entry<K>>,
    len: usize,
    capacity: usize,
}

impl<K: Copy + PartialEq> Table<K> {
    /// As `new HashMap<>(capacity)`.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { heads: Vec::new(), entries: Vec::new(), len: 0, capacity: capacity.max(1).next_power_of_two() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts a key; the number of its entry, and whether the key is new.
    pub(crate) fn insert(&mut self, hash: i32, key: K) -> (u32, bool) {
        self.insert_by(hash, key, |known| known == key)
    }

    /// The same where equal keys are told by `is_same`; it is asked only about keys with the same hash code.
    pub(crate) fn insert_by(&mut self, hash: i32, key: K, is_same: impl Fn(K) -> bool) -> (u32, bool) {
        if self.heads.is_empty() {
            self.heads = vec![NONE; self.capacity];
        }
        let hash = spread(hash);
        let bucket = self.bucket(hash);
        let (mut at, mut last, mut length) = (self.heads[bucket], NONE, 1);
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.hash == hash && is_same(entry.key) {
                return (at, false);
            }
            (last, at, length) = (at, entry.next, length + 1);
        }
        let number = self.entries.len() as u32;
        self.entries.push(Entry { hash, next: NONE, key });
        match last {
            NONE => self.heads[bucket] = number,
            last => self.entries[last as usize].next = number,
        }
        self.len += 1;
        if length >= CROWDED && self.capacity < TREES_FROM {
            self.grow();
        }
        if self.len > self.threshold() {
            self.grow();
        }
        (number, true)
    }

    /// As `computeIfAbsent`: a new key goes to the front of its bucket, and the table grows one call later, when it
    /// is looked into again. The number of the entry, and whether the key is new.
    pub(crate) fn compute(&mut self, hash: i32, key: K) -> (u32, bool) {
        if self.heads.is_empty() {
            self.heads = vec![NONE; self.capacity];
        } else if self.len > self.threshold() {
            self.grow();
        }
        if let Some(number) = self.find(hash, key) {
            return (number, false);
        }
        let hash = spread(hash);
        let bucket = self.bucket(hash);
        let head = self.heads[bucket];
        let length = self.chain(head).count();
        let number = self.entries.len() as u32;
        self.entries.push(Entry { hash, next: head, key });
        self.heads[bucket] = number;
        self.len += 1;
        if length + 2 >= CROWDED && self.capacity < TREES_FROM {
            self.grow();
        }
        (number, true)
    }

    /// The number of a key's entry.
    pub(crate) fn find(&self, hash: i32, key: K) -> Option<u32> {
        let hash = spread(hash);
        let head = if self.heads.is_empty() { NONE } else { self.heads[self.bucket(hash)] };
        self.chain(head).find(|number| self.entries[*number as usize].key == key)
    }

    /// How many keys there may be before the table grows.
    fn threshold(&self) -> usize {
        self.capacity / 4 * 3 + self.capacity % 4 * 3 / 4
    }

    /// Takes a key out; whether it was there.
    pub(crate) fn remove(&mut self, hash: i32, key: K) -> bool {
        if self.heads.is_empty() {
            return false;
        }
        let hash = spread(hash);
        let bucket = self.bucket(hash);
        let (mut at, mut last) = (self.heads[bucket], NONE);
        while at != NONE {
            let entry = &self.entries[at as usize];
            let next = entry.next;
            if entry.hash == hash && entry.key == key {
                match last {
                    NONE => self.heads[bucket] = next,
                    last => self.entries[last as usize].next = next,
                }
                self.len -= 1;
                return true;
            }
            (last, at) = (at, next);
        }
        false
    }

    /// The keys in the order of iteration.
    pub(crate) fn keys(&self) -> impl Iterator<Item = K> + '_ {
        self.numbers().map(|number| self.entries[number as usize].key)
    }

    /// The numbers of the entries in the order of iteration.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.heads.iter().flat_map(|head| self.chain(*head))
    }

    /// The key of an entry.
    pub(crate) fn key(&self, number: u32) -> K {
        self.entries[number as usize].key
    }

    fn chain(&self, head: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |number: u32| (number != NONE).then_some(number);
        core::iter::successors(some(head), move |number| some(self.entries[*number as usize].next))
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.capacity - 1)
    }

    /// Doubles the buckets; what shared a bucket keeps its order.
    fn grow(&mut self) {
        let old = core::mem::take(&mut self.heads);
        self.capacity *= 2;
        self.heads = vec![NONE; self.capacity];
        let mut tails = vec![NONE; self.capacity];
        for head in old {
            let mut at = head;
            while at != NONE {
                let next = self.entries[at as usize].next;
                self.entries[at as usize].next = NONE;
                let bucket = self.bucket(self.entries[at as usize].hash);
                match tails[bucket] {
                    NONE => self.heads[bucket] = at,
                    tail => self.entries[tail as usize].next = at,
                }
                tails[bucket] = at;
                at = next;
            }
        }
    }
}

/// `HashMap.hash`: the upper half is mixed into the lower one.
fn spread(hash: i32) -> u32 {
    let hash = hash as u32;
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::{Table, capacity_for, capacity_of_copy};
    use alloc::vec::Vec;

    fn numbers(capacity: usize, keys: impl IntoIterator<Item = i32>) -> Vec<i32> {
        let mut table = Table::with_capacity(capacity);
        keys.into_iter().for_each(|key| {
            table.insert(key, key);
        });
        table.keys().collect()
    }

    #[test]
    fn small_numbers_iterate_by_bucket() {
        assert_eq!(numbers(16, [17, 3, 16, 0]), [16, 0, 17, 3]);
        assert_eq!(numbers(16, 0..13), (0..13).collect::<Vec<_>>());
        // The thirteenth makes 32 buckets of 16, and 17 is behind 12 then.
        assert_eq!(numbers(16, (0..12).chain([17])), (0..12).chain([17]).collect::<Vec<_>>());
    }

    #[test]
    fn a_crowded_bucket_makes_a_small_table_grow() {
        // Nine multiples of 16 share a bucket of 16 buckets; 32 buckets separate odd from even multiples.
        assert_eq!(numbers(16, (0..9).map(|n| n * 16)), [0, 32, 64, 96, 128, 16, 48, 80, 112]);
    }

    #[test]
    fn the_smallest_tables_grow_as_javas_do() {
        let mut table = Table::with_capacity(0);
        assert_eq!(table.capacity, 1);
        let capacities: Vec<usize> = (0..5)
            .map(|key| {
                table.insert(key, key);
                table.capacity
            })
            .collect();
        assert_eq!(capacities, [2, 4, 4, 8, 8]);
    }

    #[test]
    fn removed_keys_are_gone_and_may_return() {
        let mut table = Table::with_capacity(16);
        for key in [0, 16, 32] {
            table.insert(key, key);
        }
        assert!(table.remove(16, 16) && !table.remove(16, 16) && !table.remove(48, 48));
        assert_eq!((table.len(), table.keys().collect::<Vec<_>>()), (2, [0, 32].to_vec()));
        table.insert(16, 16);
        assert_eq!(table.keys().collect::<Vec<_>>(), [0, 32, 16]);
    }

    #[test]
    fn a_computed_key_comes_first_in_its_bucket_and_growth_waits() {
        let mut table = Table::with_capacity(16);
        assert_eq!([16, 0, 32, 0].map(|key| table.compute(key, key).1), [true, true, true, false]);
        assert_eq!(table.keys().collect::<Vec<_>>(), [32, 0, 16]);
        (1..11).for_each(|key| {
            table.compute(key, key);
        });
        assert_eq!((table.len(), table.capacity), (13, 16));
        table.compute(1, 1);
        assert_eq!((table.len(), table.capacity), (13, 32));
        assert_eq!(table.keys().take(2).collect::<Vec<_>>(), [32, 0]);
        assert_eq!((table.find(16, 16), table.find(11, 11)), (Some(0), None));
    }

    #[test]
    fn capacities_are_javas() {
        assert_eq!([0, 1, 11, 12, 24].map(capacity_of_copy), [16, 16, 16, 17, 33]);
        assert_eq!([0, 2, 12, 47].map(capacity_for), [2, 5, 18, 65]);
    }
}
