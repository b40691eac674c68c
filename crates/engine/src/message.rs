//! Requests and responses: what nodes say to each other.
//!
//! Simplified: bytes on the wire, request headers and API versions are not built; Kafka encodes each
//! of these as a versioned binary message.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::{BatchView, Name, TopicPartition};
use crate::queue::Target;

/// The content of a message.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    /// Asks for topics, partitions and leaders.
    Metadata { topics: Vec<Name>, sender: Target },
    /// The part of the cluster image that was asked for.
    MetadataAnswer { request: u64, image: Rc<ClusterImage> },
    /// Batches to append, at most one for a partition.
    Produce { acks: Acks, batches: Vec<BatchView>, sender: u32, is_idempotent: bool },
    /// What became of each batch, in the same order.
    ProduceAnswer { request: u64, results: Vec<Result<Option<u64>, KafkaError>> },
    /// Asks for records from these offsets on.
    Fetch { from: Vec<(TopicPartition, u64)>, sender: u32 },
    /// Batches and high watermarks.
    FetchAnswer { request: u64, partitions: Vec<FetchedPartition> },
    /// A change of the cluster by the Admin client.
    Admin(AdminRequest),
    /// Whether it was accepted.
    AdminAnswer { request: u64, result: Result<(), KafkaError> },
    /// The controller's latest image for the brokers.
    Image(Rc<ClusterImage>),
}

/// How many replicas must have a batch before it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acks {
    /// Nobody answers.
    None,
    /// The leader.
    Leader,
    /// All in-sync replicas.
    All,
}

/// What the Admin client can ask for.
#[derive(Clone, Debug)]
pub(crate) enum AdminRequest {
    /// CreateTopics with one topic.
    CreateTopic(NewTopic),
    /// CreatePartitions of one topic.
    CreatePartitions { topic: Name, partitions: i32, assignment: Option<Vec<Vec<u32>>> },
    /// DeleteTopics with one topic.
    DeleteTopic { topic: Name },
}

/// A topic to create. -1 stands for the broker's default, as in the protocol.
#[derive(Clone, Debug)]
pub(crate) struct NewTopic {
    pub name: Name,
    pub partitions: i32,
    pub replication_factor: i32,
    pub assignment: Option<Vec<Vec<u32>>>,
    pub configs: BTreeMap<Name, Name>,
}

/// Records of one partition in a fetch answer.
#[derive(Clone, Debug)]
pub(crate) struct FetchedPartition {
    pub partition: TopicPartition,
    pub high_watermark: u64,
    /// Base offset and batch.
    pub batches: Vec<(u64, BatchView)>,
}

/// What the controller knows about topics, as brokers and clients see it. Never changed, only replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClusterImage {
    pub topics: BTreeMap<Name, TopicImage>,
}

/// A topic of the image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TopicImage {
    /// Order of creation.
    pub number: u64,
    pub topic_id: Name,
    pub replication_factor: u32,
    pub configs: BTreeMap<Name, Name>,
    pub partitions: Vec<PartitionImage>,
}

/// A partition of the image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartitionImage {
    pub leader: Option<u32>,
    pub leader_epoch: u32,
    pub replicas: Vec<u32>,
    pub isr: Vec<u32>,
}
