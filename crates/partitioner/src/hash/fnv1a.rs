//! FNV-1a with 32 bits, the hash of Sarama and of Go's `hash/fnv`.
//!
//! Deliberately not here: the sign treatments, in which Sarama, its "reference" variant and kafka-go differ.

use super::{BLOCK, block_at, lengths};

/// The state before the first byte.
pub const OFFSET_BASIS: u32 = 0x811c_9dc5;
/// The multiplier.
pub const PRIME: u32 = 0x0100_0193;

/// The hash of `key`.
///
/// ```
/// assert_eq!(partitioner::hash::fnv1a::fnv1a(b"foobar"), 3214735720);
/// ```
#[inline]
pub fn fnv1a(key: &[u8]) -> u32 {
    key.iter().fold(OFFSET_BASIS, |state, byte| absorb_byte(state, *byte))
}

/// The state after one byte.
#[inline]
pub fn absorb_byte(state: u32, byte: u8) -> u32 {
    (state ^ u32::from(byte)).wrapping_mul(PRIME)
}

/// The hashes of [`BLOCK`] keys, side by side as far as the shortest key reaches.
#[inline]
pub fn fnv1a_block<K: AsRef<[u8]>>(keys: &[K; BLOCK]) -> [u32; BLOCK] {
    let shared = lengths(keys).into_iter().fold(usize::MAX, usize::min) / 8 * 8;
    let mut states = [OFFSET_BASIS; BLOCK];
    for offset in (0..shared).step_by(8) {
        for (state, key) in states.iter_mut().zip(keys) {
            let bytes = block_at(key.as_ref(), offset).to_le_bytes();
            *state = bytes.into_iter().fold(*state, absorb_byte);
        }
    }
    for (state, key) in states.iter_mut().zip(keys) {
        *state = key.as_ref()[shared..].iter().copied().fold(*state, absorb_byte);
    }
    states
}
