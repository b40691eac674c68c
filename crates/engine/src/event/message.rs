//! Requests and batches as the picture shows them.
//!
//! What nodes really say to each other is in the engine's own `message.rs`.

use std::rc::Rc;

use serde::Serialize;

use super::{Moment, NodeId, Record, TopicPartition};
use crate::error::KafkaError;
use crate::time::Time;
use crate::transaction::MarkerKind;

/// The API of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Api {
    /// Topics, partitions and leaders.
    Metadata,
    /// Record batches.
    Produce,
    /// Records back.
    Fetch,
    /// New topics.
    CreateTopics,
    /// More partitions.
    CreatePartitions,
    /// Topic deletion.
    DeleteTopics,
    /// Settings.
    IncrementalAlterConfigs,
    /// A new log start offset.
    DeleteRecords,
    /// New replicas.
    AlterPartitionReassignments,
    /// A new leader.
    ElectLeaders,
    /// A leader's new in-sync set.
    AlterPartition,
    /// A broker joins the cluster.
    BrokerRegistration,
    /// A broker asks to leave the cluster.
    BrokerHeartbeat,
    /// A producer id.
    InitProducerId,
    /// Offsets by timestamp.
    ListOffsets,
    /// The coordinator of a transactional id or a group.
    FindCoordinator,
    /// Partitions that take part in a transaction.
    AddPartitionsToTxn,
    /// A group whose offsets take part in a transaction.
    AddOffsetsToTxn,
    /// The end of a transaction.
    EndTxn,
    /// Markers for the partitions of a transaction.
    WriteTxnMarkers,
    /// Offsets inside a transaction.
    TxnOffsetCommit,
    /// A member joins a classic group.
    JoinGroup,
    /// The assignment of a classic group.
    SyncGroup,
    /// A member of a classic group is alive.
    Heartbeat,
    /// A member leaves a classic group.
    LeaveGroup,
    /// Offsets of a group.
    OffsetCommit,
    /// Offsets of a group back.
    OffsetFetch,
    /// A member of the consumer protocol.
    ConsumerGroupHeartbeat,
    /// A group is deleted.
    DeleteGroups,
    /// Offsets of a group are deleted.
    OffsetDelete,
    /// A member of a share group.
    ShareGroupHeartbeat,
    /// Records that are locked for a member of a share group.
    ShareFetch,
    /// What a member of a share group says of records.
    ShareAcknowledge,
    /// A new state of a share partition.
    InitializeShareGroupState,
    /// The state of a share partition.
    ReadShareGroupState,
    /// What has changed in a share partition.
    WriteShareGroupState,
    /// A share partition is forgotten.
    DeleteShareGroupState,
    /// Start offsets of a share group.
    AlterShareGroupOffsets,
    /// A share group forgets topics.
    DeleteShareGroupOffsets,
}

/// A batch as it travels or lies in a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BatchView {
    /// Where it belongs.
    #[serde(flatten)]
    pub partition: TopicPartition,
    /// Its records.
    pub records: Rc<[Rc<Record>]>,
    /// Its size in bytes.
    pub size_bytes: u32,
    /// How its records are compressed.
    #[serde(skip_serializing_if = "Codec::is_none")]
    pub codec: Codec,
}

/// How the records of a batch are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Codec {
    /// They are not.
    #[default]
    None,
    /// GZIP.
    Gzip,
    /// Snappy.
    Snappy,
    /// LZ4.
    Lz4,
    /// Zstandard.
    Zstd,
}

impl Codec {
    /// The value of `compression.type` that stands for it.
    pub fn name(self) -> &'static str {
        match self {
            Codec::None => "none",
            Codec::Gzip => "gzip",
            Codec::Snappy => "snappy",
            Codec::Lz4 => "lz4",
            Codec::Zstd => "zstd",
        }
    }

    /// The codec that a value of `compression.type` stands for.
    pub(crate) fn of(name: &str) -> Codec {
        let all = [Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd];
        all.into_iter().find(|codec| codec.name() == name).unwrap_or_default()
    }

    fn is_none(&self) -> bool {
        *self == Codec::None
    }
}

/// A message between two nodes. It knows its arrival from birth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MessageView {
    /// Unique in a run.
    pub id: u64,
    /// What it is for.
    pub api: Api,
    /// The request's API version, where Kafka's answer depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u16>,
    /// The answer to a request, or the request itself.
    pub is_response: bool,
    /// Who sends.
    pub from: NodeId,
    /// Who receives.
    pub to: NodeId,
    /// When it was sent.
    pub sent: Moment,
    /// When it arrives.
    pub arrives: Time,
    /// Batches inside a Produce request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<BatchView>,
    /// Whether it carries something worth watching; empty fetches do not.
    pub is_notable: bool,
    /// The error that an answer carries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<KafkaError>,
    /// Which end of a transaction an EndTxn or WriteTxnMarkers request asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<MarkerKind>,
    /// Partitions that get a marker by this request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<TopicPartition>,
}
