//! A partition of a topic, an assignment, and the id of a topic.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

/// A partition of a topic of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicPartition {
    /// The topic's place in the list of topics, from 0.
    pub topic: u32,
    /// The partition, from 0. A member may name one that the topic does not have any more.
    pub partition: u32,
}

impl TopicPartition {
    /// The partition of a topic.
    pub const fn new(topic: u32, partition: u32) -> Self {
        Self { topic, partition }
    }
}

/// For each member, in the order of the input, its partitions. A member without any has an empty list.
pub type Assignment = Vec<Vec<TopicPartition>>;

/// The id of a topic, `org.apache.kafka.common.Uuid`: two halves of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uuid {
    /// The first eight bytes.
    pub most_significant: u64,
    /// The last eight bytes.
    pub least_significant: u64,
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Uuid {
    /// Reads the form that Kafka prints: 22 digits of URL-safe base64 without padding. `None` if it is not that.
    /// As in Java, the lower four bits of the last digit are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 22 {
            return None;
        }
        let digit = |byte: u8| DIGITS.iter().position(|known| *known == byte);
        // 22 digits are 132 bits: 21 whole ones, and the upper two bits of the last.
        let (start, end) = text.as_bytes().split_at_checked(21)?;
        let start = start.iter().try_fold(0_u128, |bits, &byte| Some((bits << 6) | digit(byte)? as u128))?;
        let end = digit(*end.first()?)? as u128;
        let value = (start << 2) | (end >> 4);
        Some(Self { most_significant: (value >> 64) as u64, least_significant: value as u64 })
    }

    /// `Uuid.hashCode`.
    pub fn hash(self) -> i32 {
        let mixed = self.most_significant ^ self.least_significant;
        ((mixed >> 32) as i32) ^ (mixed as i32)
    }

    /// `Uuid.compareTo`: the halves as signed numbers.
    pub fn compare(self, other: Self) -> Ordering {
        let halves = |id: Self| (id.most_significant as i64, id.least_significant as i64);
        halves(self).cmp(&halves(other))
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = (u128::from(self.most_significant) << 64) | u128::from(self.least_significant);
        let digit = |place: u32| {
            // Digit 0 is the upper six bits; digit 21 has two bits and four zeros.
            let six = if place == 21 { (value << 4) as usize & 63 } else { (value >> (122 - 6 * place)) as usize & 63 };
            char::from(DIGITS[six])
        };
        f.write_str(&(0..22).map(digit).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::Uuid;
    use alloc::string::ToString;

    #[test]
    fn ids_have_javas_hash_and_text() {
        for (text, hash) in [
            ("T1-A4s3VTwiI5CTbEp6POw", 418_407_434),
            ("T2-B4s3VTwiI5YHbPp6YUe", 885_118_816),
            ("T3-CU8fVTLCz5YMkLoDQsa", 365_927_798),
            ("T4-Tw9fVTLCz5HbPp6YQsa", -1_944_536_819),
        ] {
            let id = Uuid::parse(text).unwrap();
            assert_eq!(id.hash(), hash);
            assert_eq!(id.to_string()[..21], text[..21]);
            assert_eq!(Uuid::parse(&id.to_string()), Some(id));
        }
        assert_eq!(Uuid::parse("AAAAAAAAAAAAAAAAAAAAAQ").unwrap().least_significant, 1);
    }

    #[test]
    fn other_texts_are_no_ids() {
        for text in ["", "orders", "AAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(Uuid::parse(text), None, "{text}");
        }
    }
}
