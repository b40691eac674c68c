//! The orders of Java's collections, because assignors walk through hash maps and the order decides who gets what.
//!
//! Hash codes as Java defines them, text compared as Java compares it, and a hash table that iterates as
//! `java.util.HashMap` does. Deliberately not here: the tree form of a bucket with more than eight entries.

mod table;

use alloc::vec::Vec;
use core::cmp::Ordering;

pub(crate) use table::{Table, capacity_for, capacity_of_copy};

/// The capacity of a hash map that was made without one.
pub(crate) const DEFAULT_CAPACITY: usize = 16;

/// `String.hashCode`: the sum over UTF-16 units, each step `31 * hash + unit`, in 32 bits with wrap.
pub fn string_hash(text: &str) -> i32 {
    if text.is_ascii() {
        return text.bytes().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    }
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// `String.compareTo`: UTF-16 units compared as numbers, then the length.
pub fn compare_strings(one: &str, other: &str) -> Ordering {
    if one.is_ascii() || other.is_ascii() {
        // An ASCII text meets at most the first unit of a longer character, and both encodings put that one last.
        return one.cmp(other);
    }
    one.encode_utf16().cmp(other.encode_utf16())
}

/// Indices into `texts`, sorted as Java compares texts; equal texts stay in their order.
pub(crate) fn sorted(texts: &[&str]) -> Vec<u32> {
    let is_ascii = texts.iter().all(|text| text.is_ascii());
    let first = texts.first().map_or(&[][..], |text| text.as_bytes());
    let shared = |text: &&str| text.bytes().zip(first).take_while(|(one, other)| one == *other).count();
    let prefix = if is_ascii { texts.iter().map(shared).min().unwrap_or(0) } else { 0 };
    // Ids often begin alike; what follows fits a number, and numbers compare faster than texts.
    let key = |text: &str| {
        let mut digits = [0; 16];
        let rest = &text.as_bytes()[prefix..];
        let length = rest.len().min(digits.len());
        digits[..length].copy_from_slice(&rest[..length]);
        u128::from_be_bytes(digits)
    };
    let mut order: Vec<(u128, u32)> =
        texts.iter().zip(0..).map(|(text, place)| (if is_ascii { key(text) } else { 0 }, place)).collect();
    order.sort_unstable_by(|one, other| {
        let by_text = || compare_strings(texts[one.1 as usize], texts[other.1 as usize]);
        one.0.cmp(&other.0).then_with(by_text).then(one.1.cmp(&other.1))
    });
    order.into_iter().map(|(_, place)| place).collect()
}

/// The order in which a `java.util.HashMap` (or `HashSet`) iterates over `keys` that were put in this order.
///
/// Returns indices into `keys`. The map is made without a capacity; a key that appears twice is listed once.
/// The leader of a classic group has its members in such a map, and so has the coordinator of a group of the
/// consumer protocol when it computes a target assignment.
pub fn hash_map_order(keys: &[&str]) -> Vec<u32> {
    let mut table = Table::with_capacity(DEFAULT_CAPACITY);
    for (index, key) in keys.iter().enumerate() {
        table.insert_by(string_hash(key), index as u32, |known| keys[known as usize] == *key);
    }
    table.keys().collect()
}

/// The order in which a `java.util.HashMap` of partitions iterates over these, each with the name of its topic, put in
/// this order. Indices into `partitions`; the map is made without a capacity.
pub fn partition_map_order(partitions: &[(&str, u32)]) -> Vec<u32> {
    let hash = |(topic, partition): &(&str, u32)| topic_partition_hash(string_hash(topic), *partition);
    order_of(partitions.iter().map(hash), DEFAULT_CAPACITY)
}

/// The order in which a hash map with `capacity` iterates over different keys with these hash codes.
pub(crate) fn order_of(hashes: impl Iterator<Item = i32>, capacity: usize) -> Vec<u32> {
    let mut table = Table::with_capacity(capacity);
    for (index, hash) in hashes.enumerate() {
        table.insert_by(hash, index as u32, |_| false);
    }
    table.keys().collect()
}

/// `TopicPartition.hashCode` from the hash code of the topic's name.
pub(crate) fn topic_partition_hash(topic: i32, partition: u32) -> i32 {
    31_i32.wrapping_mul(31_i32.wrapping_add(partition as i32)).wrapping_add(topic)
}

#[cfg(test)]
mod tests {
    use super::{compare_strings, hash_map_order, sorted, string_hash};
    use alloc::vec::Vec;
    use core::cmp::Ordering;

    #[test]
    fn hash_codes_are_javas() {
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("abc"), 96_354);
        assert_eq!(string_hash("polygenelubricants"), i32::MIN);
        // One character outside the basic plane is two units.
        assert_eq!(string_hash("\u{1F600}"), 0xD83D * 31 + 0xDE00);
    }

    #[test]
    fn texts_compare_by_units() {
        assert_eq!(compare_strings("m10", "m9"), Ordering::Less);
        assert_eq!(compare_strings("\u{FFFD}", "\u{1F600}"), Ordering::Greater);
        assert_eq!(compare_strings("a", "\u{1F600}"), Ordering::Less);
        assert_eq!(compare_strings("a", "ab"), Ordering::Less);
    }

    #[test]
    fn texts_are_sorted_as_one_by_one() {
        let ascii = ["consumer-10", "consumer-2", "consumer-", "consumer-2-with-a-long-tail-b", "consumer-1", "a"];
        let tails = ["consumer-2-with-a-long-tail-b", "consumer-2-with-a-long-tail-a", "consumer-2"];
        let wide = ["\u{1F600}", "\u{FFFD}", "a", "\u{1F600}x", ""];
        for texts in [&ascii[..], &tails, &wide, &[]] {
            let mut expected: Vec<u32> = (0..texts.len() as u32).collect();
            expected.sort_by(|one, other| compare_strings(texts[*one as usize], texts[*other as usize]));
            assert_eq!(sorted(texts), expected, "{texts:?}");
        }
    }

    #[test]
    fn partitions_iterate_by_their_hash() {
        // Recorded: a poll returns partition 1 before partition 0.
        assert_eq!(super::partition_map_order(&[("orders-090", 0), ("orders-090", 1)]), [1, 0]);
        assert_eq!(super::partition_map_order(&[("orders-089", 0), ("orders-089", 1)]), [0, 1]);
    }

    #[test]
    fn short_names_iterate_by_their_hash() {
        assert_eq!(hash_map_order(&["c", "a", "b", "a"]), [1, 2, 0]);
        // "Aa" and "BB" have one hash code: the first put comes first.
        assert_eq!(hash_map_order(&["BB", "Aa"]), [0, 1]);
    }
}
