//! The state at one instant, for reading: plain values with public fields.
//!
//! A snapshot never leads back into the simulation; changing it changes nothing.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;

use crate::event::{MessageView, Moment, Name, Record};
use crate::time::Time;

/// The whole cluster at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Messages on their way.
    pub in_flight: Vec<Rc<MessageView>>,
}

/// A broker.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
}

/// A record in a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogRecord {
    /// Its offset.
    pub offset: u64,
    /// When the leader appended it.
    pub appended: Moment,
    /// The record.
    #[serde(flatten)]
    pub record: Rc<Record>,
}

/// A producer instance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProducerSnapshot {
    /// Its name.
    pub name: Name,
    /// Its client id in the catalogue.
    pub client: Name,
    /// What it is doing.
    pub state: ProducerState,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProducerState {
    /// It sends.
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConsumerSnapshot {
    /// Its name.
    pub name: Name,
    /// Position per partition.
    pub positions: Vec<PositionSnapshot>,
    /// Records read so far.
    pub read_count: u64,
    /// The last records that it read, oldest first: at most 64.
    pub recent: Vec<ReadRecord>,
}

/// Where a reader stands in a partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionSnapshot {
    /// The topic.
    pub topic: Name,
    /// The partition.
    pub partition: u32,
    /// The next offset to read.
    pub position: u64,
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
