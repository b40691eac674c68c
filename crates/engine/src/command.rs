//! What a person, a lesson or a script may do to a running cluster, and what comes of it.
//!
//! A command says nothing about when: the timeline stores it with its moment.

mod outcome;
mod request;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::group::Callback;
use crate::scenario::{Acknowledging, ConsumerSpec, ProducerSpec, ShareConsumerSpec, Workload};
use crate::share::AcknowledgeType;
use crate::time::Duration;

/// Commands of a scenario's script are numbered from here on, so that they never meet those that are given.
pub const SCRIPT_FROM: u64 = 1 << 32;

pub use outcome::{
    ElectionKind, Outcome, PartitionName, PartitionOutcome, Reassignment, RecordMetadata, Status, Surface,
};
pub use request::RawRequest;

/// One act. Tagged by `do`, in the words of Kafka's clients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Admin: create a topic.
    CreateTopic {
        /// Its name.
        topic: String,
        /// Number of partitions; -1 or absent for the broker's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partitions: Option<i32>,
        /// Replicas of each partition; -1 or absent for the broker's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replication_factor: Option<i32>,
        /// Replicas per partition, instead of the two numbers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignment: Option<Vec<Vec<u32>>>,
        /// Topic settings.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        configs: BTreeMap<String, String>,
    },
    /// Admin: raise the number of partitions.
    CreatePartitions {
        /// The topic.
        topic: String,
        /// The new total.
        partitions: i32,
        /// Replicas of each added partition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignment: Option<Vec<Vec<u32>>>,
    },
    /// Admin: delete a topic.
    DeleteTopic {
        /// The topic.
        topic: String,
    },
    /// Start a producer; one of the same name is closed first, as when a service is deployed again.
    Producer(ProducerSpec),
    /// `producer.send(...)` of one record.
    Send {
        /// The producer's name.
        producer: String,
        /// The topic.
        topic: String,
        /// The key as text; absent for none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// How the key's text becomes bytes; `text` by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key_encoding: Option<String>,
        /// The value; absent for none (a tombstone).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// How the value's text becomes bytes; `text` by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value_encoding: Option<String>,
        /// A value of that many filler bytes instead of text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value_bytes: Option<u32>,
        /// An explicit partition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partition: Option<i32>,
        /// An explicit timestamp, in milliseconds after the start of the run; may be negative.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp_ms: Option<i64>,
        /// Headers, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        headers: Vec<(String, String)>,
    },
    /// `producer.partitionsFor(topic)`: it waits for the topic's metadata like `send`.
    PartitionsFor {
        /// The producer's name.
        producer: String,
        /// The topic.
        topic: String,
    },
    /// `producer.flush()`.
    Flush {
        /// The producer's name.
        producer: String,
        /// The `timeout` argument of librdkafka's call, in milliseconds; it waits without end by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u32>,
    },
    /// `producer.close()`, or `producer.close(Duration)` with a timeout. librdkafka's `destroy` has none: its
    /// applications flush for so long before.
    Close {
        /// The producer's name.
        producer: String,
        /// How long it may wait, in milliseconds; without end by default. What is not over then is given up. 0 is
        /// also what the Java client makes of any timeout in a callback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u32>,
    },
    /// `producer.initTransactions()`.
    InitTransactions {
        /// The producer's name.
        producer: String,
        /// The `timeout` argument of librdkafka's call, in milliseconds; it waits without end by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u32>,
    },
    /// `producer.beginTransaction()`.
    BeginTransaction {
        /// The producer's name.
        producer: String,
    },
    /// `producer.commitTransaction()`.
    CommitTransaction {
        /// The producer's name.
        producer: String,
        /// The `timeout` argument of librdkafka's call, in milliseconds; it waits without end by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u32>,
    },
    /// `producer.abortTransaction()`.
    AbortTransaction {
        /// The producer's name.
        producer: String,
        /// The `timeout` argument of librdkafka's call, in milliseconds; it waits without end by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u32>,
    },
    /// `producer.sendOffsetsToTransaction(...)`.
    SendOffsetsToTransaction {
        /// The producer's name.
        producer: String,
        /// The group.
        group: String,
        /// Offsets by partition, such as `in-0`.
        offsets: BTreeMap<String, u64>,
        /// The member's generation, if the application gives its group metadata.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<i32>,
        /// The member's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<String>,
        /// The `timeout` argument of librdkafka's call, in milliseconds; it waits without end by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u32>,
    },
    /// librdkafka's `purge`: messages in the queue and in flight are given up.
    Purge {
        /// The producer's name.
        producer: String,
        /// Whether messages in flight are given up too; true by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_flight: Option<bool>,
    },
    /// librdkafka's `poll`: the delivery reports that wait are served. Only of use after `stop_poll`; an
    /// application polls all the time by itself.
    Poll {
        /// The producer's name.
        producer: String,
    },
    /// Fault: a client's process stands still (SIGSTOP); its connections stay open.
    Freeze {
        /// The name of a producer or reader.
        client: String,
    },
    /// The client's process goes on (SIGCONT).
    Thaw {
        /// Its name.
        client: String,
    },
    /// Fault: a client's process dies; nothing in its memory is left.
    Crash {
        /// Its name.
        client: String,
    },
    /// One request of a chosen version, straight to the coordinator or the leader, no client in between.
    Request(RawRequest),
    /// Replace what a producer sends by itself; absent stops it.
    SetWorkload {
        /// The producer's name.
        producer: String,
        /// The new stream of records. Its `start` counts from now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workload: Option<Workload>,
    },
    /// Fault: the producer's connections break; requests in flight are lost.
    Disconnect {
        /// The producer's name.
        producer: String,
    },
    /// Admin: set one topic setting, or take it back to its default.
    AlterTopicConfig {
        /// The topic.
        topic: String,
        /// The setting.
        name: String,
        /// Its value; absent takes the topic's own value away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// Admin: IncrementalAlterConfigs of one resource, all or nothing. Names a topic or a broker; without
    /// either it sets the dynamic defaults of all brokers.
    AlterConfigs {
        /// The topic whose settings change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        topic: Option<String>,
        /// The broker whose dynamic settings change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broker: Option<u32>,
        /// Settings to set.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        set: BTreeMap<String, String>,
        /// Settings to take away.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        delete: Vec<String>,
    },
    /// Admin: move the log start offset of a partition.
    DeleteRecords {
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
        /// Everything below goes; -1 for the high watermark.
        before_offset: i64,
    },
    /// Admin: AlterPartitionReassignments with new replicas.
    Reassign {
        /// The moves.
        partitions: Vec<Reassignment>,
        /// Whether the number of replicas may change; true by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allow_replication_factor_change: Option<bool>,
    },
    /// Admin: take moves back that are not finished.
    CancelReassignment {
        /// The partitions.
        partitions: Vec<PartitionName>,
    },
    /// Admin: ElectLeaders.
    ElectLeaders {
        /// Which election.
        election: ElectionKind,
        /// The partitions; absent for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partitions: Option<Vec<PartitionName>>,
    },
    /// Start a broker that was stopped or killed.
    StartBroker {
        /// Its id.
        broker: u32,
    },
    /// Controlled shutdown (SIGTERM): leadership moves first.
    StopBroker {
        /// Its id.
        broker: u32,
    },
    /// Fault: the process dies (SIGKILL); its connections break.
    KillBroker {
        /// Its id.
        broker: u32,
    },
    /// Fault: the process stands still (SIGSTOP); its connections stay open.
    PauseBroker {
        /// Its id.
        broker: u32,
    },
    /// The process goes on (SIGCONT).
    ResumeBroker {
        /// Its id.
        broker: u32,
    },
    /// Fault: nothing that two nodes send to each other arrives.
    CutLink {
        /// One end: `broker-1`, `controller`, or the name of a producer or reader.
        from: String,
        /// The other end.
        to: String,
    },
    /// The link works again, and as fast as the network.
    HealLink {
        /// One end.
        from: String,
        /// The other end.
        to: String,
    },
    /// Fault: messages between two nodes take that much longer.
    SlowLink {
        /// One end.
        from: String,
        /// The other end.
        to: String,
        /// The additional delay.
        delay: Duration,
    },
    /// Fault: the broker needs that long for each Produce request; 0 ends it.
    SlowDisk {
        /// Its id.
        broker: u32,
        /// Time for one request.
        time: Duration,
    },
    /// The brokers together take one batch in that time, as `cluster.batch_time`; absent lifts the limit.
    SetBatchTime {
        /// Time between two batches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<Duration>,
        /// Fault: nothing gets through.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_stalled: bool,
    },
    /// Fault: the broker's followers stop fetching by themselves, and the broker lives on.
    HoldFetches {
        /// Its id.
        broker: u32,
    },
    /// One fetch of a broker whose fetches are held, from each leader that it follows.
    FetchOnce {
        /// Its id.
        broker: u32,
    },
    /// The broker's followers fetch by themselves again.
    ReleaseFetches {
        /// Its id.
        broker: u32,
    },
    /// Close the active segment of every replica of a partition, if it holds anything.
    RollSegment {
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
    },
    /// Run the log cleaner on every replica of a partition now, however clean it is.
    CleanLog {
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
    },
    /// Let a reader go on from an offset.
    Seek {
        /// The reader's name.
        consumer: String,
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
        /// The next offset to read.
        offset: u64,
    },
    /// A reader stops polling, or the application of a librdkafka producer.
    StopPoll {
        /// The reader's name, or the producer's.
        consumer: String,
    },
    /// A reader polls again, or the application of a librdkafka producer.
    ResumePoll {
        /// The reader's name, or the producer's.
        consumer: String,
    },
    /// Start a consumer; one of the same name that has ended is replaced.
    Consumer(ConsumerSpec),
    /// `consumer.subscribe(...)`: exactly these topics, or a pattern.
    Subscribe {
        /// The consumer's name.
        consumer: String,
        /// The topics; none unsubscribes, as in Kafka.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        topics: Vec<String>,
        /// A `java.util.regex.Pattern` that the client evaluates, instead of topics.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
        /// A `SubscriptionPattern` of RE2/J that the broker evaluates, instead of topics.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re2j: Option<String>,
    },
    /// `consumer.unsubscribe()`.
    Unsubscribe {
        /// The consumer's name.
        consumer: String,
    },
    /// `consumer.assign(...)`.
    Assign {
        /// The consumer's name.
        consumer: String,
        /// Partitions such as `orders-0`.
        partitions: Vec<String>,
    },
    /// `consumer.commitSync()`.
    CommitSync {
        /// The consumer's name.
        consumer: String,
        /// The next offset by partition, such as `orders-0`; absent for the positions of all that it owns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offsets: Option<BTreeMap<String, u64>>,
    },
    /// `consumer.commitAsync()`.
    CommitAsync {
        /// The consumer's name.
        consumer: String,
        /// The next offset by partition; absent for the positions of all that it owns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offsets: Option<BTreeMap<String, u64>>,
    },
    /// `consumer.seekToBeginning(...)`.
    SeekToBeginning {
        /// The consumer's name.
        consumer: String,
        /// Partitions such as `orders-0`; none for all that it owns.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        partitions: Vec<String>,
    },
    /// `consumer.seekToEnd(...)`.
    SeekToEnd {
        /// The consumer's name.
        consumer: String,
        /// Partitions such as `orders-0`; none for all that it owns.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        partitions: Vec<String>,
    },
    /// `consumer.pause(...)`.
    Pause {
        /// The consumer's name.
        consumer: String,
        /// Partitions such as `orders-0`.
        partitions: Vec<String>,
    },
    /// `consumer.resume(...)`.
    Resume {
        /// The consumer's name.
        consumer: String,
        /// Partitions such as `orders-0`.
        partitions: Vec<String>,
    },
    /// `consumer.enforceRebalance()`.
    EnforceRebalance {
        /// The consumer's name.
        consumer: String,
    },
    /// `consumer.close(...)`.
    CloseConsumer {
        /// The consumer's name.
        consumer: String,
        /// `CloseOptions.groupMembershipOperation`: `DEFAULT`, `LEAVE_GROUP` or `REMAIN_IN_GROUP`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operation: Option<String>,
    },
    /// The application's listener: its next call of this callback with a partition in it takes that long.
    SlowCallback {
        /// The consumer's name.
        consumer: String,
        /// Which callback.
        callback: Callback,
        /// How long it takes.
        time: Duration,
    },
    /// How long the application of a consumer works on each record from now on.
    SetProcessing {
        /// The consumer's name.
        consumer: String,
        /// Time for a record; 0 for none.
        time: Duration,
    },
    /// Admin: IncrementalAlterConfigs of a group, such as `consumer.session.timeout.ms`.
    AlterGroupConfigs {
        /// The group.
        group: String,
        /// Settings to set.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        set: BTreeMap<String, String>,
        /// Settings to take away.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        delete: Vec<String>,
    },
    /// Admin: AlterConsumerGroupOffsets, as a reset does it. An active group refuses it.
    AlterConsumerGroupOffsets {
        /// The group.
        group: String,
        /// The next offset by partition, such as `orders-0`.
        offsets: BTreeMap<String, u64>,
    },
    /// Admin: DeleteConsumerGroupOffsets.
    DeleteConsumerGroupOffsets {
        /// The group.
        group: String,
        /// Partitions such as `orders-0`.
        partitions: Vec<String>,
    },
    /// Admin: DeleteConsumerGroups of one group.
    DeleteConsumerGroup {
        /// The group.
        group: String,
    },
    /// Admin: RemoveMembersFromConsumerGroup: static members by instance id; none for all members.
    RemoveMembers {
        /// The group.
        group: String,
        /// Their `group.instance.id`s.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        instances: Vec<String>,
    },
    /// Start a share consumer; one of the same name that has ended is replaced. These commands take it by its name as
    /// well: `subscribe` (topics), `unsubscribe`, `commit_sync` and `commit_async` (without offsets), `close_consumer`,
    /// `stop_poll`, `resume_poll`, `set_processing`, `freeze`, `thaw`, `crash`, and those for links.
    ShareConsumer(ShareConsumerSpec),
    /// `shareConsumer.poll(Duration)`, once. The outcome has the records in `delivered`.
    SharePoll {
        /// The share consumer's name.
        consumer: String,
        /// How long it waits for records; 1000 by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u32>,
    },
    /// `shareConsumer.acknowledge(record, type)`.
    Acknowledge {
        /// The share consumer's name.
        consumer: String,
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
        /// The record.
        offset: u64,
        /// What is said of it; ACCEPT by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        acknowledgement: Option<AcknowledgeType>,
    },
    /// What the application of a share consumer says of its records from now on.
    SetAcknowledging {
        /// The share consumer's name.
        consumer: String,
        /// The rules.
        acknowledge: Acknowledging,
    },
    /// Admin: AlterShareGroupOffsets, as a reset does it. A group with members refuses it.
    AlterShareGroupOffsets {
        /// The share group.
        group: String,
        /// The start offset by partition, such as `orders-0`.
        offsets: BTreeMap<String, u64>,
    },
    /// Admin: DeleteShareGroupOffsets.
    DeleteShareGroupOffsets {
        /// The share group.
        group: String,
        /// The topics.
        topics: Vec<String>,
    },
}

impl Command {
    /// The `timeout` argument of a call of librdkafka.
    pub(crate) fn timeout_ms(&self) -> Option<u32> {
        match self {
            Command::Flush { timeout_ms, .. }
            | Command::Close { timeout_ms, .. }
            | Command::InitTransactions { timeout_ms, .. }
            | Command::CommitTransaction { timeout_ms, .. }
            | Command::AbortTransaction { timeout_ms, .. }
            | Command::SendOffsetsToTransaction { timeout_ms, .. } => *timeout_ms,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
