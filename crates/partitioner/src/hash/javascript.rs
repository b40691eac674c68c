//! Two hashes that depend on JavaScript: KafkaJS 1.x on doubles, and kafka-node on text.
//!
//! Deliberately not here: the correct murmur2 of KafkaJS 2, which is [`super::murmur2`].

use alloc::string::String;

use super::murmur2::{MULTIPLIER, SEED};

/// KafkaJS before 2.0 (2.x: `LegacyPartitioner`): the text of murmur2 on IEEE doubles.
///
/// A product is not truncated to 32 bits before the next step, so bits above 2^53 are lost, and a partial last
/// word is counted both as a word and as a tail. Doubles are used here because their rounding is the function.
///
/// ```
/// assert_eq!(partitioner::hash::javascript::kafkajs_legacy(b"100:48069"), 1713501762);
/// ```
pub fn kafkajs_legacy(key: &[u8]) -> u32 {
    let multiplier = f64::from(MULTIPLIER);
    let byte = |index: usize| key.get(index).copied().map_or(0, i32::from);
    let mut h = f64::from(SEED as i32 ^ key.len() as i32);
    for start in (0..key.len()).step_by(4) {
        let low = byte(start) + (byte(start + 1) << 8) + (byte(start + 2) << 16);
        let k = (f64::from(low) + f64::from(byte(start + 3) << 24)) * multiplier;
        let k = f64::from(to_i32(k) ^ (to_i32(k) as u32 >> 24) as i32) * multiplier;
        h = f64::from(to_i32(h * multiplier) ^ to_i32(k));
    }
    let tail = key.len() & !3;
    if tail < key.len() {
        let bits = byte(tail) ^ (byte(tail + 1) << 8) ^ (byte(tail + 2) << 16);
        h = f64::from(to_i32(h) ^ bits) * multiplier;
    }
    let h = f64::from(to_i32(h) ^ (to_i32(h) as u32 >> 13) as i32) * multiplier;
    (to_i32(h) ^ (to_i32(h) as u32 >> 15) as i32) as u32
}

/// ECMAScript's ToInt32. The numbers above stay below 2^63, so the cast to `i64` is exact.
fn to_i32(number: f64) -> i32 {
    number as i64 as i32
}

/// kafka-node's keyed partitioner: 31 · h + UTF-16 unit in 31 bits; a final 0 becomes 1. Bytes that are not
/// UTF-8 are read as U+FFFD, so different invalid keys share a hash.
///
/// ```
/// assert_eq!(partitioner::hash::javascript::kafka_node(b"42"), 1662);
/// ```
pub fn kafka_node(key: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(key);
    let h = text.encode_utf16().fold(0u32, |h, unit| h.wrapping_mul(31).wrapping_add(u32::from(unit)) & 0x7fff_ffff);
    if h == 0 { 1 } else { h }
}
