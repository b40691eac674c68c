//! xxHash with 32 bits and seed 0, the hash of the Rust crate `kafka`.
//!
//! Deliberately not here: other seeds and the 64-bit variant.

const PRIME_1: u32 = 0x9e37_79b1;
const PRIME_2: u32 = 0x85eb_ca77;
const PRIME_3: u32 = 0xc2b2_ae3d;
const PRIME_4: u32 = 0x27d4_eb2f;
const PRIME_5: u32 = 0x1656_67b1;

/// The hash of `key`.
///
/// ```
/// assert_eq!(partitioner::hash::xxh32::xxh32(b"abc"), 852579327);
/// ```
pub fn xxh32(key: &[u8]) -> u32 {
    let (stripes, rest) = key.as_chunks::<16>();
    let mut h = if stripes.is_empty() { PRIME_5 } else { stripes_hash(stripes) };
    h = h.wrapping_add(key.len() as u32);
    let (words, bytes) = rest.as_chunks::<4>();
    for word in words {
        h = h.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(PRIME_3)).rotate_left(17).wrapping_mul(PRIME_4);
    }
    for byte in bytes {
        h = h.wrapping_add(u32::from(*byte).wrapping_mul(PRIME_5)).rotate_left(11).wrapping_mul(PRIME_1);
    }
    h = (h ^ (h >> 15)).wrapping_mul(PRIME_2);
    h = (h ^ (h >> 13)).wrapping_mul(PRIME_3);
    h ^ (h >> 16)
}

fn stripes_hash(stripes: &[[u8; 16]]) -> u32 {
    let mut lanes = [PRIME_1.wrapping_add(PRIME_2), PRIME_2, 0, 0u32.wrapping_sub(PRIME_1)];
    for stripe in stripes {
        for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<4>().0) {
            let word = u32::from_le_bytes(*word);
            *lane = lane.wrapping_add(word.wrapping_mul(PRIME_2)).rotate_left(13).wrapping_mul(PRIME_1);
        }
    }
    let rotated =
        [lanes[0].rotate_left(1), lanes[1].rotate_left(7), lanes[2].rotate_left(12), lanes[3].rotate_left(18)];
    rotated.into_iter().fold(0, u32::wrapping_add)
}
