//! What happened: facts in the past tense, each with its moment, its node and its cause.
//!
//! Sentences for people are in `event/sentence.rs`; nothing here changes state.

pub mod internal;
mod kind_name;
mod message;
mod node;
mod reason;
mod record;
mod sentence;

use std::rc::Rc;

use serde::Serialize;

use crate::command::{Command, Outcome};
use crate::error::KafkaError;
use crate::group::GroupEvent;
use crate::share::ShareEvent;
use crate::time::Time;
use crate::transaction::TransactionEvent;

pub use message::{Api, BatchView, Codec, MessageView};
pub use node::{NodeId, TopicPartition};
pub use reason::{DeleteReason, LinkState, RefreshReason, RollReason};
pub use record::{Decision, Record, RecordId};

/// A name shared by everything that mentions it.
pub type Name = Rc<str>;

/// A point of a run. Many things can happen at one time; `sequence` counts the queue entries that
/// have been processed, so it tells them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
pub struct Moment {
    /// Simulated time.
    pub time: Time,
    /// Entries processed up to and including this one.
    pub sequence: u64,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// When.
    #[serde(flatten)]
    pub moment: Moment,
    /// Its place in the trace, from 0.
    pub index: u64,
    /// The event that led to it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<u64>,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The fact itself. A run has hundreds of thousands of them, so what is large and rare is boxed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// A broker joined the cluster.
    BrokerRegistered {
        /// Its id.
        broker: u32,
    },
    /// A topic was created.
    TopicCreated {
        /// Its name.
        topic: Name,
        /// Partitions.
        partitions: u32,
        /// Replicas of each.
        replication_factor: u32,
    },
    /// A topic grew.
    PartitionsCreated {
        /// The topic.
        topic: Name,
        /// Partitions before.
        before: u32,
        /// Partitions now.
        after: u32,
    },
    /// A topic was deleted.
    TopicDeleted {
        /// Its name.
        topic: Name,
    },
    /// A partition got a leader.
    LeaderElected {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The broker.
        leader: u32,
        /// The new epoch.
        leader_epoch: u32,
    },
    /// A producer instance started.
    ProducerStarted {
        /// Its name.
        producer: Name,
        /// Its client id in the catalogue.
        client: Name,
    },
    /// A producer instance was closed.
    ProducerClosed {
        /// Its name.
        producer: Name,
    },
    /// A client took over a metadata answer.
    MetadataRefreshed {
        /// Who.
        client: NodeId,
        /// Why it asked.
        reason: RefreshReason,
        /// Topic and its partition count, in name order.
        topics: Vec<(Name, u32)>,
    },
    /// A record got its partition and went into a batch.
    RecordPartitioned {
        /// The record.
        record: Rc<Record>,
        /// The producer.
        producer: Name,
        /// Where it will go.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Why.
        decision: Decision,
        /// Partition count the client knew.
        partitions: u32,
        /// Whether it opened a new batch.
        opened_batch: bool,
        /// Size of its batch so far, in bytes.
        batch_size_bytes: u32,
        /// The partition that the same key went to before, at this producer, if it was another.
        #[serde(skip_serializing_if = "Option::is_none")]
        moved_from: Option<u32>,
    },
    /// The keyless rule moved on.
    StickyPartitionSwitched {
        /// The producer.
        producer: Name,
        /// The topic.
        topic: Name,
        /// The partition before.
        before: u32,
        /// The partition from now on.
        after: u32,
        /// Records that went to the one before.
        records: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// A request or response left.
    MessageSent {
        /// The message.
        message: Rc<MessageView>,
    },
    /// A request or response arrived.
    MessageArrived {
        /// The message.
        message: Rc<MessageView>,
    },
    /// A message was lost on a broken connection.
    MessageLost {
        /// The message.
        message: Rc<MessageView>,
    },
    /// A leader appended a batch.
    BatchAppended {
        /// The leader.
        broker: u32,
        /// The batch.
        #[serde(flatten)]
        batch: BatchView,
        /// Offset of its first record.
        base_offset: u64,
    },
    /// A leader already had a batch and answers with its old offset; nothing is appended.
    DuplicateIgnored {
        /// The leader.
        broker: u32,
        /// The batch.
        #[serde(flatten)]
        batch: BatchView,
        /// Offset at which it had been appended.
        base_offset: u64,
    },
    /// Everything below became readable.
    HighWatermarkAdvanced {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The new high watermark.
        high_watermark: u64,
    },
    /// A producer learned that its batch is written.
    BatchAcknowledged {
        /// The producer.
        producer: Name,
        /// The batch.
        #[serde(flatten)]
        batch: BatchView,
        /// Offset of its first record; absent with acks=0.
        base_offset: Option<u64>,
    },
    /// A batch goes back into the queue.
    BatchRetried {
        /// The producer.
        producer: Name,
        /// The batch.
        #[serde(flatten)]
        batch: BatchView,
        /// Why.
        error: Box<KafkaError>,
    },
    /// Records will not be written, as far as the producer knows.
    SendFailed {
        /// The producer.
        producer: Name,
        /// The records.
        records: Rc<[Rc<Record>]>,
        /// What the application gets.
        error: Box<KafkaError>,
    },
    /// A reader received records.
    RecordsRead {
        /// The reader.
        consumer: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Offset of the first.
        first_offset: u64,
        /// The records.
        records: Vec<Rc<Record>>,
    },
    /// Somebody acted.
    CommandApplied {
        /// Number of the command on this branch, from 0.
        number: u64,
        /// The command.
        command: Rc<Command>,
    },
    /// A command is finished.
    CommandFinished {
        /// What came of it.
        outcome: Box<Outcome>,
    },
    /// A broker's process started.
    BrokerStarted {
        /// Its id.
        broker: u32,
    },
    /// A broker's process ended.
    BrokerStopped {
        /// Its id.
        broker: u32,
        /// Whether it shut down in order, with a clean-shutdown marker.
        is_clean: bool,
    },
    /// A broker's process stands still.
    BrokerPaused {
        /// Its id.
        broker: u32,
    },
    /// A broker's process goes on.
    BrokerResumed {
        /// Its id.
        broker: u32,
    },
    /// The controller gave a broker up: it leads nothing and is in no in-sync set.
    BrokerFenced {
        /// Its id.
        broker: u32,
    },
    /// The controller lets a broker take part (again).
    BrokerUnfenced {
        /// Its id.
        broker: u32,
    },
    /// Another broker's process is the active controller now.
    ControllerElected {
        /// Its id; absent while there is none.
        controller: Option<u32>,
    },
    /// A partition has no leader any more.
    LeaderLost {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
    },
    /// The in-sync set of a partition changed, or the sets that stand in for it.
    IsrChanged {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// In-sync replicas before.
        before: Box<[u32]>,
        /// In-sync replicas now.
        isr: Box<[u32]>,
        /// Eligible leader replicas now.
        elr: Box<[u32]>,
        /// The last known leader, while nobody else may lead.
        last_known_elr: Box<[u32]>,
    },
    /// A follower appended what it fetched.
    BatchReplicated {
        /// The follower.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Its log end offset now.
        log_end_offset: u64,
    },
    /// A follower learned the leader's high watermark.
    FollowerHighWatermarkAdvanced {
        /// The follower.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Its high watermark now.
        high_watermark: u64,
    },
    /// A replica cut off its end.
    LogTruncated {
        /// The replica's broker.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Log end offset before.
        before: u64,
        /// Log end offset now.
        log_end_offset: u64,
    },
    /// A replica opened a new segment.
    SegmentRolled {
        /// The replica's broker.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// First offset of the new segment.
        base_offset: u64,
        /// Why.
        reason: RollReason,
    },
    /// A replica deleted a segment.
    SegmentDeleted {
        /// The replica's broker.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Its first offset.
        base_offset: u64,
        /// Why.
        reason: DeleteReason,
    },
    /// A replica's log start offset moved.
    LogStartMoved {
        /// The replica's broker.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The log start offset now.
        log_start_offset: u64,
    },
    /// The cleaner went over a replica's log.
    LogCleaned {
        /// The replica's broker.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// It is clean up to here.
        clean_until: u64,
        /// Records in the cleaned part before.
        before: u64,
        /// Records in it now.
        kept: u64,
    },
    /// A segment was copied to remote storage.
    SegmentUploaded {
        /// The leader.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Its first offset.
        base_offset: u64,
    },
    /// New replicas were asked for.
    ReassignmentStarted {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// All replicas for now.
        replicas: Vec<u32>,
        /// Those to come.
        adding: Box<[u32]>,
        /// Those to go.
        removing: Box<[u32]>,
    },
    /// A partition has its new replicas.
    ReassignmentCompleted {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The replicas.
        replicas: Vec<u32>,
    },
    /// A move was taken back.
    ReassignmentCancelled {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The replicas.
        replicas: Vec<u32>,
    },
    /// A setting changed; without a value it is back at its default.
    ConfigChanged {
        /// The topic, if it is a topic's.
        #[serde(skip_serializing_if = "Option::is_none")]
        topic: Option<Name>,
        /// The broker, if it is one broker's; neither is the default of all brokers.
        #[serde(skip_serializing_if = "Option::is_none")]
        broker: Option<u32>,
        /// The setting.
        name: Name,
        /// Its value.
        value: Option<Name>,
    },
    /// A link between two nodes changed.
    LinkChanged {
        /// One end.
        from: NodeId,
        /// The other end.
        to: NodeId,
        /// How it is now.
        link: LinkState,
    },
    /// A reader's position was set anew.
    PositionReset {
        /// The reader.
        consumer: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The position before.
        before: u64,
        /// The position now.
        position: u64,
        /// The error that asked for it; none if the application did.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Box<KafkaError>>,
    },
    /// A reader failed for good.
    ConsumerFailed {
        /// The reader.
        consumer: Name,
        /// What its application gets.
        error: Box<KafkaError>,
    },
    /// A client printed a warning.
    Warned {
        /// Who.
        client: NodeId,
        /// The text, as the library prints it.
        text: Name,
    },
    /// Something happened to a producer's id, a transaction or its markers. In JSON its fields stand here,
    /// under its own `kind`.
    #[serde(untagged)]
    Transaction(TransactionEvent),
    /// Something happened to a group, a member or its offsets. In JSON its fields stand here, under its own `kind`.
    #[serde(untagged)]
    Group(GroupEvent),
    /// Something happened to records of a share group. In JSON its fields stand here, under its own `kind`.
    #[serde(untagged)]
    Share(ShareEvent),
}
