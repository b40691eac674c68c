//! murmur2 as Kafka writes it: one key at a time, and eight keys in lanes.
//!
//! Deliberately not here: the sign bit, which murmur2 itself knows nothing about.

/// Kafka's seed, mixed with the length of the key before the first word.
pub const SEED: u32 = 0x9747_b28c;
/// The multiplier of every mixing step.
pub const MULTIPLIER: u32 = 0x5bd1_e995;
/// How many keys [`murmur2_lanes`] hashes at once.
pub const LANES: usize = 8;

const LOW: u64 = 0xffff_ffff;

/// The hash of `key`; Java reads the same 32 bits as a signed number.
///
/// ```
/// assert_eq!(partitioner::hash::murmur2::murmur2(b"21") as i32, -973932308);
/// ```
#[inline]
pub fn murmur2(key: &[u8]) -> u32 {
    let (words, tail) = key.as_chunks::<4>();
    let mut h = start(key.len());
    for word in words {
        h = mix(h, u32::from_le_bytes(*word));
    }
    finish(absorb_tail(h, tail))
}

/// The hashes of eight keys. Their words run side by side as far as the shortest key reaches; this hides the
/// latency of the multiplications and lets the compiler use vector instructions.
#[inline]
pub fn murmur2_lanes(keys: [&[u8]; LANES]) -> [u32; LANES] {
    let shared = keys.iter().map(|key| key.len()).min().unwrap_or(0) / 4;
    let words = keys.map(|key| &key.as_chunks::<4>().0[..shared]);
    // Each lane is 64 bits wide so that a product of two 32-bit numbers fits; only the low half counts.
    let mut h = keys.map(|key| u64::from(start(key.len())));
    for index in 0..shared {
        let mut k = words.map(|lane| u64::from(u32::from_le_bytes(lane[index])));
        for lane in 0..LANES {
            k[lane] = (k[lane] * u64::from(MULTIPLIER)) & LOW;
            k[lane] ^= k[lane] >> 24;
            k[lane] = (k[lane] * u64::from(MULTIPLIER)) & LOW;
            h[lane] = ((h[lane] * u64::from(MULTIPLIER)) & LOW) ^ k[lane];
        }
    }
    let mut out = h.map(|state| state as u32);
    for lane in 0..LANES {
        let (words, tail) = keys[lane][shared * 4..].as_chunks::<4>();
        for word in words {
            out[lane] = mix(out[lane], u32::from_le_bytes(*word));
        }
        out[lane] = absorb_tail(out[lane], tail);
    }
    out.map(finish)
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
    let bits = match *tail {
        [b0, b1, b2, ..] => u32::from(b0) | u32::from(b1) << 8 | u32::from(b2) << 16,
        [b0, b1] => u32::from(b0) | u32::from(b1) << 8,
        [b0] => u32::from(b0),
        [] => return h,
    };
    (h ^ bits).wrapping_mul(MULTIPLIER)
}

/// The final avalanche.
#[inline]
pub fn finish(h: u32) -> u32 {
    let h = (h ^ (h >> 13)).wrapping_mul(MULTIPLIER);
    h ^ (h >> 15)
}
