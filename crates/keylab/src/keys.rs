//! The keys of an input: different ones only, in the order of their first line, in one block of memory.
//!
//! Deliberately not here: how they were written. A key is bytes; [`crate::KeyEncoding`] shows them.

use partitioner::hash::xxh32::xxh32;

/// Different keys with their line and their weight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    lines: Vec<u32>,
    weights: Vec<u64>,
    weight_total: u64,
}

impl Keys {
    /// How many different keys there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no key?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of a key.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len); so do the other accessors.
    pub fn key(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[index] as usize]
    }

    /// The 1-based line of the input on which the key was first read.
    pub fn line(&self, index: usize) -> u32 {
        self.lines[index]
    }

    /// Records of this key: the sum of its count column, or how many lines it is on.
    pub fn weight(&self, index: usize) -> u64 {
        self.weights[index]
    }

    /// Records of all keys.
    pub fn weight_total(&self) -> u64 {
        self.weight_total
    }

    /// Bytes of all keys together.
    pub fn byte_count(&self) -> usize {
        self.bytes.len()
    }
}

/// Collects keys and merges equal ones.
#[derive(Debug)]
pub(crate) struct KeysBuilder {
    keys: Keys,
    hashes: Vec<u32>,
    shards: Vec<Shard>,
}

/// A part of an open-addressing table; a slot holds a key's position plus one. Many small tables grow one at a
/// time, so that no single step stops to move a million entries.
#[derive(Clone, Debug, Default)]
struct Shard {
    slots: Vec<u32>,
    used: usize,
}

const SHARD_BITS: u32 = 8;

impl KeysBuilder {
    pub fn new() -> Self {
        Self { keys: Keys::default(), hashes: Vec::new(), shards: vec![Shard::default(); 1 << SHARD_BITS] }
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Adds weight to a key that is known already.
    pub fn merge(&mut self, key: &[u8], weight: u64) -> bool {
        let hash = xxh32(key);
        let found = self.find(key, hash);
        if let Some(index) = found {
            self.keys.weights[index] += weight;
            self.keys.weight_total += weight;
        }
        found.is_some()
    }

    /// Adds a key that [`merge`](Self::merge) did not know.
    pub fn add(&mut self, key: &[u8], weight: u64, line: u32) {
        let hash = xxh32(key);
        let keys = &mut self.keys;
        keys.bytes.extend_from_slice(key);
        keys.ends.push(u32::try_from(keys.bytes.len()).expect("the limit on key bytes fits into 32 bits"));
        keys.lines.push(line);
        keys.weights.push(weight);
        keys.weight_total += weight;
        self.hashes.push(hash);
        let position = keys.ends.len() as u32;
        let shard = &mut self.shards[shard_of(hash)];
        if (shard.used + 1) * 4 > shard.slots.len() * 3 {
            shard.grow(&self.hashes);
        }
        shard.insert(hash, position);
    }

    pub fn finish(self) -> Keys {
        self.keys
    }

    fn find(&self, key: &[u8], hash: u32) -> Option<usize> {
        let slots = &self.shards[shard_of(hash)].slots;
        let mask = slots.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        loop {
            let index = slots[slot].checked_sub(1)? as usize;
            if self.hashes[index] == hash && self.keys.key(index) == key {
                return Some(index);
            }
            slot = (slot + 1) & mask;
        }
    }
}

fn shard_of(hash: u32) -> usize {
    (hash >> (32 - SHARD_BITS)) as usize
}

impl Shard {
    fn grow(&mut self, hashes: &[u32]) {
        let larger = vec![0; (self.slots.len() * 2).max(16)];
        for position in std::mem::replace(&mut self.slots, larger) {
            if position > 0 {
                self.used -= 1;
                self.insert(hashes[position as usize - 1], position);
            }
        }
    }

    fn insert(&mut self, hash: u32, position: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = position;
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::KeysBuilder;

    #[test]
    fn equal_keys_are_merged_and_keep_their_first_line() {
        let mut builder = KeysBuilder::new();
        for line in 1..=30_000_u32 {
            let key = format!("user-{}", line % 10_000);
            if !builder.merge(key.as_bytes(), 2) {
                builder.add(key.as_bytes(), 2, line);
            }
        }
        let keys = builder.finish();
        assert_eq!((keys.len(), keys.weight_total()), (10_000, 60_000));
        for index in 0..keys.len() {
            let line = keys.line(index);
            assert_eq!((line as usize, keys.weight(index)), (index + 1, 6));
            assert_eq!(keys.key(index), format!("user-{}", line % 10_000).as_bytes());
        }
    }
}
