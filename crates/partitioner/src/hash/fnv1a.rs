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
    key.iter()
        .fold(OFFSET_BASIS, |state, byte| absorb_byte(state, *byte))
}

/// The state after one byte.
#[inline]
pub fn absorb_byte(state: u32, byte: u8) -> u32 {
    (state ^ u32::from(byte)).wrapping_mul(PRIME)
}

/// How many keys [`fnv1a_lanes`] hashes at once.
pub const LANES: usize = 4;

/// The hashes of four keys, side by side as far as the shortest key reaches.
#[inline]
#[expect(
    clippy::needless_range_loop,
    reason = "an index over lanes and bytes reads better than nested iterators"
)]
pub fn fnv1a_lanes(keys: [&[u8]; LANES]) -> [u32; LANES] {
    let shared = keys.iter().map(|key| key.len()).min().unwrap_or(0);
    let heads = keys.map(|key| &key[..shared]);
    let mut states = [OFFSET_BASIS; LANES];
    for index in 0..shared {
        for lane in 0..LANES {
            states[lane] = absorb_byte(states[lane], heads[lane][index]);
        }
    }
    for lane in 0..LANES {
        states[lane] = keys[lane][shared..]
            .iter()
            .fold(states[lane], |state, byte| absorb_byte(state, *byte));
    }
    states
}
