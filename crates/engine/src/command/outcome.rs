//! What came of a command, and the small values that commands and outcomes share.
//!
//! Nothing here is decided; nodes fill it in.

use serde::{Deserialize, Serialize};

use crate::error::KafkaError;
use crate::share::DeliveredRecord;

/// New replicas of a partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reassignment {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: u32,
    /// The replicas it shall have, the preferred leader first.
    pub replicas: Vec<u32>,
}

/// A partition by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartitionName {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: u32,
}

/// Which election is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElectionKind {
    /// The first replica shall lead.
    Preferred,
    /// Anybody shall lead, even at the price of records.
    Unclean,
}

/// What an Admin request came to for one partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartitionOutcome {
    /// The partition.
    #[serde(flatten)]
    pub partition: PartitionName,
    /// Kafka's error, if it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<KafkaError>,
    /// The new log start offset, for `delete_records`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_watermark: Option<u64>,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Which command of the branch this is, from 0.
    pub command: u64,
    /// Whether it is finished.
    pub status: Status,
    /// Partition and offset of a record that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordMetadata>,
    /// Kafka's error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<KafkaError>,
    /// How the error reached the application; set with `error` for calls of a producer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surfaced: Option<Surface>,
    /// Producer id and epoch in the answer of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<(u64, u16)>,
    /// What it came to for each partition, for requests that name several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<PartitionOutcome>,
    /// What `share_poll` returned, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delivered: Vec<DeliveredRecord>,
}

impl Outcome {
    /// A command whose answer is not there yet.
    pub fn pending(command: u64) -> Outcome {
        Outcome {
            command,
            status: Status::Pending,
            record: None,
            error: None,
            surfaced: None,
            identity: None,
            partitions: Vec::new(),
            delivered: Vec::new(),
        }
    }
}

/// Where an application meets an error of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The call itself throws, or returns an error.
    Thrown,
    /// The Future fails; with librdkafka the delivery report.
    Future,
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The answer needs simulated time; an event will tell.
    Pending,
    /// Done.
    Done,
    /// Refused by Kafka; see the error.
    Failed,
}

/// Where a record was written, as `RecordMetadata` of the clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordMetadata {
    /// The topic.
    pub topic: crate::event::Name,
    /// The partition.
    pub partition: u32,
    /// Its offset; absent when the broker did not tell (acks=0).
    pub offset: Option<u64>,
}
