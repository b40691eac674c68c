//! The state at one instant, for reading: plain values with public fields.
//!
//! A snapshot never leads back into the simulation; changing it changes nothing.

mod group;
mod share;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;

use crate::event::{MessageView, Moment, Name, Record, TopicPartition};
use crate::time::{Duration, Time};
use crate::transaction::{Call, ClientState, MarkerKind, TransactionState, WaitReason};

pub use group::{GroupMemberSnapshot, GroupSnapshot, MembershipSnapshot};
pub use share::{
    HeldRecord, InFlightRecord, ShareConsumerSnapshot, SharePartitionSnapshot, ShareStateSnapshot, WorkSnapshot,
};

/// The whole cluster at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Snapshot {
    /// When.
    #[serde(flatten)]
    pub moment: Moment,
    /// The Kafka version.
    pub kafka: Name,
    /// The brokers, by id.
    pub brokers: Vec<BrokerSnapshot>,
    /// The topics, in the order of their creation.
    pub topics: Vec<TopicSnapshot>,
    /// The producers, in the order of their creation; closed ones too.
    pub producers: Vec<ProducerSnapshot>,
    /// The readers.
    pub consumers: Vec<ConsumerSnapshot>,
    /// The broker whose process is the active controller; absent while there is none.
    pub controller: Option<u32>,
    /// Links that are cut or slow.
    pub links: Vec<LinkSnapshot>,
    /// Dynamic defaults of all brokers.
    pub broker_defaults: BTreeMap<Name, Name>,
    /// Messages on their way.
    pub in_flight: Vec<Rc<MessageView>>,
    /// What coordinators know of transactional ids, by id.
    pub transactions: Vec<TransactionSnapshot>,
    /// Committed offsets of groups, by group.
    pub group_offsets: Vec<GroupOffsetsSnapshot>,
    /// Groups, by name, as their coordinators see them.
    pub groups: Vec<GroupSnapshot>,
    /// Members of share groups, in the order of their creation; the newest of each name.
    pub share_consumers: Vec<ShareConsumerSnapshot>,
    /// What share groups know of the partitions that they may use, by group and partition.
    pub share_partitions: Vec<SharePartitionSnapshot>,
}

/// A transactional id as its coordinator knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TransactionSnapshot {
    /// The id.
    pub transactional_id: Name,
    /// Its partition of `__transaction_state`.
    pub partition: u32,
    /// The broker that coordinates it, while one does.
    pub coordinator: Option<u32>,
    /// The state that counts.
    pub state: TransactionState,
    /// The state that is on its way into the log.
    pub pending_state: Option<TransactionState>,
    /// The producer id.
    pub producer_id: u64,
    /// Its epoch; absent before the first.
    pub epoch: Option<u16>,
    /// The epoch before the last raise, if it is remembered.
    pub last_epoch: Option<u16>,
    /// `transaction.timeout.ms` of its producer.
    pub timeout: Duration,
    /// When its first partition was added.
    pub started: Option<Time>,
    /// Partitions of the transaction; while markers leave, those that have none yet.
    pub partitions: Vec<TopicPartition>,
    /// Its records in `__transaction_state`, oldest first.
    pub log: Vec<TransactionLogSnapshot>,
}

/// One record of a transactional id in `__transaction_state`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TransactionLogSnapshot {
    /// Its offset.
    pub offset: u64,
    /// The state; absent for a tombstone.
    pub state: Option<TransactionState>,
    /// The producer id.
    pub producer_id: u64,
    /// The producer id before the last rotation, in format 1.
    pub previous_producer_id: Option<u64>,
    /// The producer id to come, in format 1.
    pub next_producer_id: Option<u64>,
    /// The epoch; absent for none.
    pub epoch: Option<u16>,
    /// Partitions of the transaction.
    pub partitions: Rc<[TopicPartition]>,
    /// The timeout.
    pub timeout: Duration,
    /// When the transaction began, if a time is stored.
    pub started: Option<Time>,
    /// Record format: 0 with transaction.version 0, else 1.
    pub value_version: u16,
    /// 0 until the first request of a version 2 client, then 2.
    pub client_transaction_version: u16,
}

/// Committed offsets of a group.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GroupOffsetsSnapshot {
    /// The group.
    pub group: Name,
    /// The broker that coordinates it, while one does.
    pub coordinator: Option<u32>,
    /// Its partition of `__consumer_offsets`.
    pub partition: u32,
    /// Offsets that are committed, by partition.
    pub committed: Vec<(TopicPartition, u64)>,
    /// Offsets inside open transactions: producer id, partition, offset.
    pub pending: Vec<(u64, TopicPartition, u64)>,
}

/// A broker.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BrokerSnapshot {
    /// Its id.
    pub id: u32,
    /// Its rack.
    pub rack: Option<Name>,
    /// Whether it is the active controller as well.
    pub is_controller: bool,
    /// Partitions that it leads.
    pub leader_count: u32,
    /// Produce requests waiting to be worked on, the current one included.
    pub queue_size: u32,
    /// How its process is.
    pub state: BrokerState,
    /// Whether the controller has given it up.
    pub is_fenced: bool,
    /// Whether its followers fetch only when they are told to.
    pub fetches_held: bool,
    /// Its own static settings.
    pub static_configs: BTreeMap<Name, Name>,
    /// Its own dynamic settings.
    pub configs: BTreeMap<Name, Name>,
    /// Time that it needs for a Produce request.
    pub produce_time: crate::time::Duration,
    /// Raised with every start of the process.
    pub broker_epoch: u64,
}

/// How a broker's process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokerState {
    /// It runs.
    #[default]
    Running,
    /// It hands over its leaderships before it stops.
    ShuttingDown,
    /// It stands still.
    Paused,
    /// It is down.
    Stopped,
}

/// A link that is not as it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkSnapshot {
    /// One end.
    pub from: crate::event::NodeId,
    /// The other end.
    pub to: crate::event::NodeId,
    /// How it is.
    pub link: crate::event::LinkState,
}

/// A topic.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TopicSnapshot {
    /// Its name.
    pub name: Name,
    /// Its id, 22 characters of URL-safe base64.
    pub topic_id: Name,
    /// Replicas of each partition.
    pub replication_factor: u32,
    /// Settings that were given.
    pub configs: BTreeMap<Name, Name>,
    /// The partitions, from 0.
    pub partitions: Vec<PartitionSnapshot>,
    /// Whether it is one of Kafka's own: `__transaction_state`, `__consumer_offsets`.
    pub is_internal: bool,
}

/// A partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PartitionSnapshot {
    /// Its number.
    pub partition: u32,
    /// The leader's broker id.
    pub leader: Option<u32>,
    /// Raised with every election.
    pub leader_epoch: u32,
    /// Replicas, the preferred leader first.
    pub replicas: Vec<u32>,
    /// In-sync replicas.
    pub isr: Vec<u32>,
    /// First offset of the log.
    pub log_start_offset: u64,
    /// Readers see everything below.
    pub high_watermark: u64,
    /// Below it no transaction is open.
    pub last_stable_offset: u64,
    /// The next offset.
    pub log_end_offset: u64,
    /// Bytes in the log.
    pub size_bytes: u64,
    /// Records in the log.
    pub record_count: u64,
    /// The last records, oldest first, at most as many as were asked for.
    pub records: Vec<LogRecord>,
    /// Raised with every change of leader, replicas or in-sync set.
    pub partition_epoch: u32,
    /// Eligible leader replicas (KIP-966).
    pub elr: Vec<u32>,
    /// The last known leader, while nobody else may lead.
    pub last_known_elr: Vec<u32>,
    /// Replicas that a reassignment adds.
    pub adding: Vec<u32>,
    /// Replicas that a reassignment removes.
    pub removing: Vec<u32>,
    /// Whether an unclean election has not been settled yet.
    pub is_recovering: bool,
    /// `min.insync.replicas` as it applies: never more than there are replicas.
    pub min_isr: u32,
    /// Each replica's own log, in the order of `replicas`; without those whose broker is gone for good.
    pub logs: Vec<ReplicaSnapshot>,
    /// What the leader knows of the producers that wrote to it, by producer id.
    pub producers: Vec<ProducerStateSnapshot>,
    /// Aborted transactions, oldest first: the leader's `.txnindex` files.
    pub aborted: Vec<AbortedTransaction>,
}

/// What a partition's leader knows of one producer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProducerStateSnapshot {
    /// Its id.
    pub producer_id: u64,
    /// The epoch that it wrote with last.
    pub epoch: u16,
    /// Its last sequence; absent when no batch is remembered.
    pub last_sequence: Option<i32>,
    /// Timestamp of its last batch or marker, in milliseconds.
    pub last_timestamp: i64,
    /// The coordinator's epoch in its last marker.
    pub coordinator_epoch: Option<u32>,
    /// First offset of its open transaction.
    pub transaction_start: Option<u64>,
}

/// An entry of a partition's index of aborted transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AbortedTransaction {
    /// Whose.
    pub producer_id: u64,
    /// Its first record.
    pub first_offset: u64,
    /// Its marker.
    pub last_offset: u64,
    /// The last stable offset when the marker was written.
    pub last_stable_offset: u64,
}

/// One replica's own log.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReplicaSnapshot {
    /// The broker.
    pub broker: u32,
    /// Whether it leads, as its broker sees it.
    pub is_leader: bool,
    /// Whether it is in the in-sync set.
    pub is_in_sync: bool,
    /// First offset, remote storage included.
    pub log_start_offset: u64,
    /// First offset on the local disk.
    pub local_log_start_offset: u64,
    /// What this replica takes for the high watermark.
    pub high_watermark: u64,
    /// The high watermark in its checkpoint file.
    pub checkpointed_high_watermark: u64,
    /// The next offset.
    pub log_end_offset: u64,
    /// Bytes on the local disk.
    pub size_bytes: u64,
    /// Segments on the local disk.
    pub segment_count: u32,
    /// First offset of the active segment.
    pub active_base_offset: u64,
    /// Everything below was compacted.
    pub clean_until: u64,
    /// The last records of a follower, oldest first, at most [`crate::limits::FOLLOWER_RECORDS_MAX`];
    /// empty at the leader, whose records are the partition's.
    pub records: Vec<LogRecord>,
    /// Leader epochs and the offsets at which they began, as in `leader-epoch-checkpoint`.
    pub epochs: Vec<(u32, u64)>,
}

/// A record in a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogRecord {
    /// Its offset.
    pub offset: u64,
    /// When the leader appended it.
    pub appended: Moment,
    /// The leader epoch of its batch.
    pub leader_epoch: u32,
    /// What kind of record it is, and whose; absent without a producer id.
    #[serde(flatten)]
    pub origin: Option<RecordOrigin>,
    /// The record.
    #[serde(flatten)]
    pub record: Rc<Record>,
}

/// Who wrote a record of an idempotent or transactional producer, and what became of its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RecordOrigin {
    /// The producer id.
    pub producer_id: u64,
    /// The producer epoch.
    pub epoch: u16,
    /// The record's sequence; absent for markers.
    pub sequence: Option<i32>,
    /// First and last offset of its batch.
    pub batch: (u64, u64),
    /// Whether its batch is part of a transaction.
    pub is_transactional: bool,
    /// Set for control records.
    pub marker: Option<MarkerKind>,
    /// The coordinator's epoch, in markers.
    pub coordinator_epoch: Option<u32>,
    /// What became of the transaction, as the log tells it; none for records outside of transactions and
    /// for markers.
    pub fate: Option<Fate>,
}

/// What became of a record in a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// No marker yet.
    Open,
    /// A COMMIT came.
    Committed,
    /// An ABORT came.
    Aborted,
}

/// A producer instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProducerSnapshot {
    /// Its name.
    pub name: Name,
    /// Its client id in the catalogue.
    pub client: Name,
    /// What it is doing.
    pub state: ProducerState,
    /// Its producer id, once the idempotent producer has one.
    pub producer_id: Option<u64>,
    /// Its producer epoch.
    pub producer_epoch: Option<u16>,
    /// Settings that were given.
    pub configs: BTreeMap<Name, Name>,
    /// What it knows: topic and partition count.
    pub metadata: BTreeMap<Name, u32>,
    /// When its metadata was last refreshed.
    pub metadata_refreshed: Option<Time>,
    /// When the next refresh is due by age.
    pub metadata_due: Option<Time>,
    /// The record that it handed over last, with its partition.
    pub last: Option<LastRecord>,
    /// Open and waiting batches.
    pub batches: Vec<BatchSnapshot>,
    /// The keyless rule's state per topic.
    pub sticky: Vec<StickySnapshot>,
    /// Records given to `send`.
    pub sent_count: u64,
    /// Records acknowledged.
    pub acknowledged_count: u64,
    /// Records failed.
    pub failed_count: u64,
    /// Records waiting for metadata.
    pub waiting_count: u64,
    /// Its `transactional.id`.
    pub transactional_id: Option<Name>,
    /// Its transaction manager's state; absent without a `transactional.id`.
    pub client_state: Option<ClientState>,
    /// The error behind an error state.
    pub client_error: Option<crate::error::KafkaError>,
    /// Partitions of the open transaction, as far as the client knows.
    pub transaction_partitions: Vec<TopicPartition>,
    /// How its process is.
    pub process: ClientProcess,
    /// The application's call that waits, oldest first; later ones queue behind it.
    pub calls: Vec<CallSnapshot>,
    /// Its memory.
    pub buffer: BufferSnapshot,
    /// The client's metrics under their real names, in thousandths of their unit.
    pub metrics: BTreeMap<&'static str, i64>,
}

/// How a client's process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientProcess {
    /// It runs.
    #[default]
    Running,
    /// It stands still.
    Frozen,
    /// It died.
    Crashed,
}

/// A call that waits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallSnapshot {
    /// The call.
    pub call: Call,
    /// What it waits for.
    pub reason: WaitReason,
    /// Since when.
    pub since: Time,
    /// When it gives up.
    pub deadline: Option<Time>,
}

/// A producer's memory for records: the Java client's buffer pool, or librdkafka's queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BufferSnapshot {
    /// `buffer.memory`, or `queue.buffering.max.kbytes` in bytes.
    pub total_bytes: u64,
    /// What is not handed out.
    pub available_bytes: u64,
    /// Size of a pooled buffer: `batch.size`; 0 for librdkafka.
    pub buffer_bytes: u32,
    /// `queue.buffering.max.messages` and how many are queued; librdkafka only.
    pub messages: Option<(u64, u64)>,
    /// Batches that hold memory, those in flight included, by partition.
    pub batches: Vec<(TopicPartition, u32)>,
}

/// The record that a producer handed over last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastRecord {
    /// The record.
    pub record: Rc<Record>,
    /// Its topic.
    pub topic: Name,
    /// Its partition.
    pub partition: u32,
    /// Why it goes there.
    pub decision: crate::event::Decision,
}

/// Whether a producer runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProducerState {
    /// It sends.
    #[default]
    Ready,
    /// `close()` was called; batches are still on their way.
    Closing,
    /// It is gone.
    Closed,
}

/// A batch inside a producer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BatchSnapshot {
    /// Its topic.
    pub topic: Name,
    /// Its partition.
    pub partition: u32,
    /// Records inside.
    pub record_count: u32,
    /// Bytes inside.
    pub size_bytes: u32,
    /// Whether it is on its way to the broker.
    pub is_in_flight: bool,
}

/// The keyless rule at one topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StickySnapshot {
    /// The topic.
    pub topic: Name,
    /// The current partition, once one was chosen.
    pub partition: Option<u32>,
    /// Bytes since the last switch, where the rule counts them.
    pub produced_bytes: u32,
    /// Bytes at which it may move on; 0 where the rule does not count.
    pub threshold_bytes: u32,
}

/// A reader.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConsumerSnapshot {
    /// Its name.
    pub name: Name,
    /// Its `client.rack`.
    pub rack: Option<Name>,
    /// Whether it stopped polling.
    pub is_paused: bool,
    /// How its process is.
    pub process: ClientProcess,
    /// What ended it, if something did.
    pub error: Option<crate::error::KafkaError>,
    /// Bytes that it read from brokers of its own rack, and from others.
    pub read_bytes: (u64, u64),
    /// Position per partition.
    pub positions: Vec<PositionSnapshot>,
    /// Records read so far.
    pub read_count: u64,
    /// Whether it reads with `isolation.level=read_committed`.
    pub is_read_committed: bool,
    /// Records of aborted transactions that it fetched and dropped.
    pub skipped_count: u64,
    /// The last records that it read, oldest first: at most 64.
    pub recent: Vec<ReadRecord>,
    /// Its membership of a group, if it has a `group.id`.
    pub membership: Option<MembershipSnapshot>,
}

/// Where a reader stands in a partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PositionSnapshot {
    /// The topic.
    pub topic: Name,
    /// The partition.
    pub partition: u32,
    /// The next offset to read.
    pub position: u64,
    /// The broker that it reads from.
    pub read_from: Option<u32>,
}

/// A record as a reader got it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadRecord {
    /// The topic.
    pub topic: Name,
    /// The partition.
    pub partition: u32,
    /// Its offset.
    pub offset: u64,
    /// When it was read.
    pub read: Moment,
    /// The record.
    #[serde(flatten)]
    pub record: Rc<Record>,
}
