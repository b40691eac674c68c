//! FNV-1a with 32 bits, the hash of Sarama and of Go's `hash/fnv`.
//!
//! Deliberately not here: the sign treatments, in which Sarama, its "reference" variant and kafka-go differ.

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
