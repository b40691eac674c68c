//! murmur2 as Kafka writes it: one key at a time, and a block of keys side by side.
//!
//! Deliberately not here: the sign bit, which murmur2 itself knows nothing about.

use super::BLOCK;

#[cfg(not(all(target_family = "wasm", target_feature = "simd128")))]
#[path = "murmur2/lanes.rs"]
mod lanes;
#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
#[path = "murmur2/lanes_wasm.rs"]
mod lanes;

/// Kafka's seed, mixed with the length of the key before the first word.
pub const SEED: u32 = 0x9747_b28c;
/// The multiplier of every mixing step.
pub const MULTIPLIER: u32 = 0x5bd1_e995;

/// The hash of `key`; Java reads the same 32 bits as a signed number.
///
/// ```
/// assert_eq!(partitioner::hash::murmur2::murmur2(b"21") as i32, -973932308);
/// ```
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub fn murmur2(key: &[u8]) -> u32 {
    let h = start(key.len());
    let (words, tail) = key.as_chunks::<4>();
    // Short keys are the rule: without a loop for them the processor overlaps one key with the next.
    let h = match words {
        [a, b] => absorb(absorb(h, a), b),
        [a, b, c] => absorb(absorb(absorb(h, a), b), c),
        [a, b, c, d] => absorb_four(h, [a, b, c, d]),
        _ => absorb_all(h, words),
    };
    finish(absorb_tail(h, tail))
}

/// The hashes of [`BLOCK`] keys. Keys of one length advance together, a step for all of them at a time, which the
/// compiler turns into vector instructions where the target has them; others are hashed one after the other.
#[inline]
pub fn murmur2_block<K: AsRef<[u8]>>(keys: &[K; BLOCK]) -> [u32; BLOCK] {
    let length = keys[0].as_ref().len();
    if keys.iter().all(|key| key.as_ref().len() == length) {
        return murmur2_of_one_length(keys, length);
    }
    let mut hashes = [0; BLOCK];
    for (hash, key) in hashes.iter_mut().zip(keys) {
        *hash = murmur2(key.as_ref());
    }
    hashes
}

#[inline]
fn murmur2_of_one_length<K: AsRef<[u8]>>(keys: &[K; BLOCK], length: usize) -> [u32; BLOCK] {
    let mut states = [start(length); BLOCK];
    let (mut low, mut high) = ([0u32; BLOCK], [0u32; BLOCK]);
    let mut offset = 0;
    while offset + 8 <= length {
        for ((low, high), key) in low.iter_mut().zip(&mut high).zip(keys) {
            let words = super::block_at(key.as_ref(), offset);
            (*low, *high) = (words as u32, (words >> 32) as u32);
        }
        lanes::absorb_pairs(&mut states, &low, &high);
        offset += 8;
    }
    if offset + 4 <= length {
        for (word, key) in low.iter_mut().zip(keys) {
            *word = word_at(key.as_ref(), offset);
        }
        for (state, word) in states.iter_mut().zip(&low) {
            *state = mix(*state, *word);
        }
        offset += 4;
    }
    if offset < length {
        for (bits, key) in low.iter_mut().zip(keys) {
            *bits = tail_bits(&key.as_ref()[offset..]);
        }
        for (state, bits) in states.iter_mut().zip(&low) {
            *state = (*state ^ *bits).wrapping_mul(MULTIPLIER);
        }
    }
    lanes::finish_all(&mut states);
    states
}

#[inline(always)]
fn word_at(key: &[u8], offset: usize) -> u32 {
    let (words, _) = key[offset..offset + 4].as_chunks::<4>();
    u32::from_le_bytes(words[0])
}

#[inline(always)]
fn absorb_all(mut h: u32, words: &[[u8; 4]]) -> u32 {
    let (fours, rest) = words.as_chunks::<4>();
    for [a, b, c, d] in fours {
        h = absorb_four(h, [a, b, c, d]);
    }
    rest.iter().fold(h, absorb)
}

#[inline(always)]
fn absorb_four(h: u32, [a, b, c, d]: [&[u8; 4]; 4]) -> u32 {
    absorb(absorb(absorb(absorb(h, a), b), c), d)
}

#[inline(always)]
fn absorb(h: u32, word: &[u8; 4]) -> u32 {
    mix(h, u32::from_le_bytes(*word))
}

/// The state before the first word.
#[inline]
pub fn start(length: usize) -> u32 {
    SEED ^ length as u32
}

/// A word scrambled on its own, before it meets the state.
#[inline]
pub fn scramble(word: u32) -> u32 {
    let k = word.wrapping_mul(MULTIPLIER);
    (k ^ (k >> 24)).wrapping_mul(MULTIPLIER)
}

/// The state after one word.
#[inline]
pub fn mix(h: u32, word: u32) -> u32 {
    h.wrapping_mul(MULTIPLIER) ^ scramble(word)
}

/// The state after the last one, two or three bytes; with none the state stays as it is.
#[inline]
pub fn absorb_tail(h: u32, tail: &[u8]) -> u32 {
    if tail.is_empty() { h } else { (h ^ tail_bits(tail)).wrapping_mul(MULTIPLIER) }
}

/// Up to three bytes as a little-endian number.
#[inline]
pub fn tail_bits(tail: &[u8]) -> u32 {
    match *tail {
        [b0, b1, b2, ..] => u32::from(b0) | u32::from(b1) << 8 | u32::from(b2) << 16,
        [b0, b1] => u32::from(b0) | u32::from(b1) << 8,
        [b0] => u32::from(b0),
        [] => 0,
    }
}

/// The final avalanche.
#[inline]
pub fn finish(h: u32) -> u32 {
    let h = (h ^ (h >> 13)).wrapping_mul(MULTIPLIER);
    h ^ (h >> 15)
}
