//! Records as events tell them, and why each goes to its partition.
//!
//! Sizes in bytes and offsets are the log's business.

use std::rc::Rc;

use partitioner::Explanation;
use serde::Serialize;

use super::Name;
use super::internal::InternalRecord;
use crate::time::Time;

/// One record on its way or in a log, as the picture shows it. Shared, never copied.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// Unique in a run: the producer's number and the record's number there.
    pub id: RecordId,
    /// The producer instance that sent it.
    pub producer: Name,
    /// The key's bytes; absent for a null key.
    #[serde(serialize_with = "hex_option")]
    pub key: Option<Rc<[u8]>>,
    /// The key as text to show: UTF-8 if it is, else hex with `0x`.
    pub key_text: Option<Name>,
    /// The value as text, at most [`crate::limits::VALUE_TEXT_BYTES_MAX`] bytes of it; absent for a null value.
    pub value: Option<Name>,
    /// The value's real size in bytes.
    pub value_size: u32,
    /// When the application called `send`.
    pub timestamp: Time,
    /// Its timestamp in Kafka's sense (CreateTime): milliseconds after the start of the run, negative before it.
    pub create_time: i64,
    /// Its headers, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Rc<[(Name, Name)]>>,
    /// Number of a `send` command that asked for it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<u64>,
    /// What it holds if it is one of Kafka's own.
    #[serde(skip)]
    pub internal: Option<Rc<InternalRecord>>,
}

/// The name of a record in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RecordId {
    /// Number of the producer instance, in order of creation.
    pub producer: u32,
    /// Number of the record at that instance, from 0.
    pub number: u64,
}

/// Why a record goes to its partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum Decision {
    /// The application named the partition.
    Explicit,
    /// The key's bytes decide.
    Hashed {
        /// The whole arithmetic. Serialized in short: function, raw hash, sign rule, partition, sentence.
        #[serde(serialize_with = "in_short")]
        explanation: Rc<Explanation>,
    },
    /// The client's rule for records without a (usable) key.
    Keyless {
        /// The partition count it chose from.
        partitions: u32,
        /// Bytes sent to this partition since the last switch, where the rule counts bytes.
        produced_bytes: u32,
        /// Bytes at which it may move on, where the rule counts bytes; else 0.
        threshold_bytes: u32,
    },
}

fn hex_option<S: serde::Serializer>(bytes: &Option<Rc<[u8]>>, serializer: S) -> Result<S::Ok, S::Error> {
    match bytes {
        Some(bytes) => serializer.collect_str(&Hex(bytes)),
        None => serializer.serialize_none(),
    }
}

struct Hex<'a>(&'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

fn in_short<S: serde::Serializer>(explanation: &Rc<Explanation>, serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeStruct;
    let mut fields = serializer.serialize_struct("Explanation", 6)?;
    fields.serialize_field("partitions", &explanation.partitions)?;
    if let partitioner::Decision::Hashed(hashed) = &explanation.decision {
        fields.serialize_field("function", hashed.function.name())?;
        fields.serialize_field("raw_hash", &hashed.raw)?;
        fields.serialize_field("sign", hashed.sign.words())?;
        fields.serialize_field("partition", &hashed.partition)?;
    }
    fields.serialize_field("sentence", &explanation.sentence())?;
    fields.end()
}
