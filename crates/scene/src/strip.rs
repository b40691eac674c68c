//! The hash strip: the arithmetic from key bytes to partition, part by part.
//!
//! Computes nothing; every number comes from the partitioner's explanation.

use engine::event::Decision;
use partitioner::{Explanation, Hashed, SignRule};

/// How much a part stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// Bytes and reasons.
    Quiet,
    /// A value.
    Value,
    /// The partition.
    Result,
}

/// One part of the strip. Read in turn, label before value, the parts are the whole arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StripPart {
    /// What it is, such as "key", "murmur2" or "mod 3".
    pub label: String,
    /// Its value, such as "75 73 65 72" or "-324981792"; may be empty.
    pub value: String,
    /// How much it stands out.
    pub emphasis: Emphasis,
}

/// Bytes of a key that are shown, at most; more are counted.
const BYTES: usize = 24;

fn part(label: impl Into<String>, value: impl Into<String>, emphasis: Emphasis) -> StripPart {
    StripPart { label: label.into(), value: value.into(), emphasis }
}

/// The strip of a record's decision; `partition` is where the record went.
pub fn strip(decision: &Decision, key_text: Option<&str>, partition: u32) -> Vec<StripPart> {
    let result = part("partition", partition.to_string(), Emphasis::Result);
    match decision {
        Decision::Explicit => vec![
            part("key", key_text.unwrap_or("null"), Emphasis::Quiet),
            part("not hashed", "the program named the partition", Emphasis::Quiet),
            result,
        ],
        Decision::Hashed { explanation } => explained(explanation, key_text),
        Decision::Keyless { partitions, produced_bytes, threshold_bytes } => {
            let mut parts = vec![
                part("key", key_text.unwrap_or("null"), Emphasis::Value),
                part("not hashed", "the rule for records without a key chooses", Emphasis::Quiet),
                part("of", format!("{partitions} partitions"), Emphasis::Quiet),
            ];
            if *threshold_bytes > 0 {
                parts.push(part("produced", format!("{produced_bytes} of {threshold_bytes} bytes"), Emphasis::Value));
            }
            parts.push(result);
            parts
        }
    }
}

/// The strip of an explanation that belongs to no record, for "the same for every other client".
///
/// ```
/// let java = partitioner::client("java").expect("java is in the catalogue");
/// let parts = scene::strip::explained(&java.explain(Some(b"user-2"), 3), Some("user-2"));
/// let words: Vec<String> = parts.iter().map(|part| format!("{} {}", part.label, part.value)).collect();
/// assert_eq!(
///     words.join(" | "),
///     "key user-2 | bytes 75 73 65 72 2d 32 | murmur2 -324981792 | & 0x7fffffff 1822501856 | mod 3 2 | partition 2"
/// );
/// ```
pub fn explained(explanation: &Explanation, key_text: Option<&str>) -> Vec<StripPart> {
    let mut parts = vec![part("key", key_text.unwrap_or("null"), Emphasis::Value)];
    match &explanation.decision {
        partitioner::Decision::Hashed(hashed) => {
            parts.push(part("bytes", bytes(&hashed.bytes), Emphasis::Quiet));
            parts.push(part(hashed.function.name(), hashed.raw.clone(), Emphasis::Value));
            parts.extend(arithmetic(hashed, explanation.partitions));
            parts.push(part("partition", hashed.partition.to_string(), Emphasis::Result));
        }
        partitioner::Decision::NotHashed(why) => parts.push(part("not hashed", why.reason(), Emphasis::Quiet)),
    }
    parts
}

/// Sign and modulo. A rule that leaves the number as it is has no part for it.
fn arithmetic(hashed: &Hashed, partitions: u32) -> Vec<StripPart> {
    let modulo = format!("mod {partitions}");
    let (Some(dividend), Some(remainder)) = (hashed.dividend, hashed.remainder) else {
        return vec![part(modulo, hashed.partition.to_string(), Emphasis::Value)];
    };
    let mut parts = Vec::new();
    let sign = match hashed.sign {
        SignRule::Mask => Some("& 0x7fffffff"),
        SignRule::AbsFirst => Some("negated if negative"),
        SignRule::AbsMinZero | SignRule::NaiveAbs => Some("absolute value"),
        SignRule::Unsigned | SignRule::SignedNegate | SignRule::Floor | SignRule::Signed => None,
    };
    parts.extend(sign.map(|sign| part(sign, dividend.to_string(), Emphasis::Value)));
    parts.push(part(modulo, remainder.to_string(), Emphasis::Value));
    if remainder < 0 {
        parts.push(part("negated", hashed.partition.to_string(), Emphasis::Value));
    }
    parts
}

fn bytes(key: &[u8]) -> String {
    let shown = key.iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    match key.len() {
        0 => "none".to_string(),
        1..=BYTES => shown,
        length => format!("{shown} … {length} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(client: &str, key: Option<&[u8]>, partitions: u32, expected: &str) {
        let client = partitioner::client(client).expect("the client is in the catalogue");
        let parts = explained(&client.explain(key, partitions), None);
        let words: Vec<String> = parts.iter().skip(1).map(|part| format!("{} {}", part.label, part.value)).collect();
        assert_eq!(words.join(" | "), expected);
    }

    #[test]
    fn the_strip_shows_each_step_of_the_arithmetic() {
        check("librdkafka", Some(b"user-2"), 3, "bytes 75 73 65 72 2d 32 | crc32 3878623150 | mod 3 1 | partition 1");
        check(
            "sarama",
            Some(b"foobar"),
            5,
            "bytes 66 6f 6f 62 61 72 | fnv1a -1080231576 | mod 5 -1 | negated 1 | partition 1",
        );
        check("java", None, 3, "not hashed the record has no key");
        check("java", Some(b""), 3, "bytes none | murmur2 275646681 | & 0x7fffffff 275646681 | mod 3 0 | partition 0");
    }

    #[test]
    fn an_explicit_partition_is_not_hashed() {
        let parts = strip(&Decision::Explicit, Some("cust-1"), 4);
        assert_eq!(parts.last(), Some(&part("partition", "4", Emphasis::Result)));
        assert!(parts.iter().any(|part| part.label == "not hashed"));
    }
}
