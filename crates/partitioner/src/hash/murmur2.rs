//! murmur2 as Kafka writes it: one key at a time, and a block of keys side by side.
//!
//! Deliberately not here: the sign bit, which murmur2 itself knows nothing about.

use super::{BLOCK, lengths};

/// Kafka's seed, mixed with the length of the key before the first word.
pub const SEED: u32 = 0x9747_b28c;
/// The multiplier of every mixing step.
pub const MULTIPLIER: u32 = 0x5bd1_e995;

/// The hash of `key`; Java reads the same 32 bits as a signed number.
///
/// ```
/// assert_eq!(partitioner::hash::murmur2::murmur2(b"21") as i32, -973932308);
/// ```
#[inline]
pub fn murmur2(key: &[u8]) -> u32 {
    finish(absorb(start(key.len()), key))
}

/// The hashes of [`BLOCK`] keys. They advance together as far as the shortest key reaches, and to the end if all
/// are equally long: the compiler turns each step into vector instructions where the target has them.
#[inline]
pub fn murmur2_block<K: AsRef<[u8]>>(keys: &[K; BLOCK]) -> [u32; BLOCK] {
    let lengths = lengths(keys);
    let mut states = lengths.map(start);
    let (shortest, longest) =
        lengths.iter().fold((usize::MAX, 0), |(low, high), length| (low.min(*length), high.max(*length)));
    let shared = shortest / 4 * 4;
    for offset in (0..shortest / 8 * 8).step_by(8) {
        absorb_two_words(keys, offset, &mut states);
    }
    if shared % 8 == 4 {
        let words = keys.each_ref().map(|key| word_at(key.as_ref(), shared - 4));
        for (state, word) in states.iter_mut().zip(words) {
            *state = mix(*state, word);
        }
    }
    if shortest != longest {
        for (state, key) in states.iter_mut().zip(keys) {
            *state = absorb(*state, &key.as_ref()[shared..]);
        }
    } else if shared < shortest {
        let tails = keys.each_ref().map(|key| tail_bits(&key.as_ref()[shared..]));
        for (state, bits) in states.iter_mut().zip(tails) {
            *state = (*state ^ bits).wrapping_mul(MULTIPLIER);
        }
    }
    for state in &mut states {
        *state = finish(*state);
    }
    states
}

#[inline(always)]
fn absorb_two_words<K: AsRef<[u8]>>(keys: &[K; BLOCK], offset: usize, states: &mut [u32; BLOCK]) {
    let (mut low, mut high) = ([0u32; BLOCK], [0u32; BLOCK]);
    for ((low, high), key) in low.iter_mut().zip(&mut high).zip(keys) {
        let words = super::block_at(key.as_ref(), offset);
        (*low, *high) = (words as u32, (words >> 32) as u32);
    }
    for ((state, low), high) in states.iter_mut().zip(&low).zip(&high) {
        *state = mix(mix(*state, *low), *high);
    }
}

#[inline(always)]
fn word_at(key: &[u8], offset: usize) -> u32 {
    let (words, _) = key[offset..offset + 4].as_chunks::<4>();
    u32::from_le_bytes(words[0])
}

/// The state after all words of `key` and its tail. Two words a turn: half as many branches.
#[inline(always)]
fn absorb(mut h: u32, key: &[u8]) -> u32 {
    let (blocks, rest) = key.as_chunks::<8>();
    for block in blocks {
        let words = u64::from_le_bytes(*block);
        h = mix(mix(h, words as u32), (words >> 32) as u32);
    }
    let (word, tail) = rest.as_chunks::<4>();
    if let [word] = word {
        h = mix(h, u32::from_le_bytes(*word));
    }
    absorb_tail(h, tail)
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
