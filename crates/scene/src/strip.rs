//! The hash strip: the arithmetic from key bytes to partition, part by part.
//!
//! Computes nothing; every number comes from the partitioner's explanation.

use engine::event::Decision;
use partitioner::Explanation;

/// How much a part stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// Words between the numbers.
    Quiet,
    /// A value.
    Value,
    /// The partition.
    Result,
}

/// One part of the strip.
#[derive(Clone, Debug, PartialEq)]
pub struct StripPart {
    /// What it is, such as "bytes", "murmur2" or "mod 3".
    pub label: String,
    /// Its value, such as "75 73 65 72" or "-324981792"; may be empty.
    pub value: String,
    /// How much it stands out.
    pub emphasis: Emphasis,
}

/// The strip of a record's decision; `partition` is where it went.
pub fn strip(decision: &Decision, key_text: Option<&str>, partition: u32) -> Vec<StripPart> { let _ = (decision, key_text, partition); todo!() }

/// The strip of an explanation that belongs to no record, for "the same for every other client".
pub fn explained(explanation: &Explanation, key_text: Option<&str>) -> Vec<StripPart> { let _ = (explanation, key_text); todo!() }
