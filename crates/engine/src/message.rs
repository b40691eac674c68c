//! Requests and responses: what nodes say to each other.
//!
//! Simplified: bytes on the wire, request headers and API versions are not built; Kafka encodes each
//! of these as a versioned binary message.

pub(crate) mod group;
pub(crate) mod share;
mod transaction;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::command::{ElectionKind, PartitionOutcome};
use crate::error::KafkaError;
use crate::event::internal::ShareState;
use crate::event::{BatchView, Name, TopicPartition};
use crate::queue::Target;
use crate::storage::RemoteSegments;
use crate::storage::batch::{Batch, ProducerStamp};
use crate::time::Duration;
use crate::transaction::MarkerKind;

pub(crate) use group::{
    ConsumerGroupHeartbeat, DeleteGroup, FetchedOffsets, Heartbeat, JoinGroup, JoinGroupAnswer, LeaveGroup,
    MemberHeartbeat, OffsetCommit, OffsetDelete, OffsetFetch, SyncGroup,
};
pub(crate) use share::{
    Acknowledgements, AlterShareOffsets, DeleteShareOffsets, ShareAcknowledge, ShareFetch, ShareFetched,
    ShareGroupHeartbeat, ShareStateAsked, ShareStateRequest,
};
pub(crate) use transaction::{
    AddOffsetsToTxn, AddPartitionsToTxn, CoordinatorKind, EndTxn, FindCoordinator, InitProducerId, PartitionResults,
    ProducerIdentity, TxnMarkers, TxnOffsetCommit,
};

/// The content of a message.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    /// Asks for topics, partitions and leaders.
    Metadata { topics: Vec<Name>, sender: Target },
    /// The part of the cluster image that was asked for.
    MetadataAnswer { request: u64, image: Rc<ClusterImage> },
    /// Batches to append, at most one for a partition.
    Produce(Produce),
    /// What became of each batch, in the same order.
    ProduceAnswer { request: u64, results: Vec<Result<Option<u64>, KafkaError>> },
    /// Asks for a producer id, or for a newer epoch of one.
    InitProducerId(InitProducerId),
    /// The producer id and its epoch.
    InitProducerIdAnswer { request: u64, result: Result<ProducerIdentity, KafkaError> },
    /// Asks any broker who coordinates a transactional id or a group.
    FindCoordinator(FindCoordinator),
    /// The coordinator's broker id.
    FindCoordinatorAnswer { request: u64, result: Result<u32, KafkaError> },
    /// Adds partitions to a transaction, or asks whether they are in it.
    AddPartitionsToTxn(AddPartitionsToTxn),
    /// What came of each.
    AddPartitionsToTxnAnswer { request: u64, results: PartitionResults },
    /// Adds a group's offsets to a transaction.
    AddOffsetsToTxn(AddOffsetsToTxn),
    /// Whether they were added.
    AddOffsetsToTxnAnswer { request: u64, result: Result<(), KafkaError> },
    /// Commits or aborts a transaction.
    EndTxn(EndTxn),
    /// The identity for the next transaction.
    EndTxnAnswer { request: u64, result: Result<ProducerIdentity, KafkaError> },
    /// A coordinator's markers for partitions of one leader. `sender` is a broker or the Admin client.
    WriteTxnMarkers { markers: Vec<TxnMarkers>, sender: Target },
    /// For each transaction of the request, what came of each partition.
    WriteTxnMarkersAnswer { request: u64, results: Vec<PartitionResults> },
    /// Offsets of a group inside a transaction.
    TxnOffsetCommit(TxnOffsetCommit),
    /// What came of each.
    TxnOffsetCommitAnswer { request: u64, results: PartitionResults },
    /// A member joins a classic group.
    JoinGroup(JoinGroup),
    /// The generation that it belongs to.
    JoinGroupAnswer(JoinGroupAnswer),
    /// A member brings the assignment, or asks for its own.
    SyncGroup(SyncGroup),
    /// Its own assignment.
    SyncGroupAnswer { request: u64, result: Result<Vec<TopicPartition>, KafkaError> },
    /// A member of a classic group is alive.
    Heartbeat(Heartbeat),
    /// Whether it is still one.
    HeartbeatAnswer { request: u64, result: Result<(), KafkaError> },
    /// Members leave a classic group.
    LeaveGroup(LeaveGroup),
    /// Whether they were members, by place.
    LeaveGroupAnswer { request: u64, result: Result<Vec<Result<(), KafkaError>>, KafkaError> },
    /// Offsets of a group.
    OffsetCommit(OffsetCommit),
    /// What came of each.
    OffsetCommitAnswer { request: u64, results: PartitionResults },
    /// Asks for the offsets of a group.
    OffsetFetch(OffsetFetch),
    /// The offsets.
    OffsetFetchAnswer { request: u64, result: Result<FetchedOffsets, KafkaError> },
    /// A member of the consumer protocol tells what changed.
    ConsumerGroupHeartbeat(ConsumerGroupHeartbeat),
    /// Its epoch, and what it shall own.
    ConsumerGroupHeartbeatAnswer { request: u64, result: Result<MemberHeartbeat, KafkaError> },
    /// A member of a share group is alive.
    ShareGroupHeartbeat(ShareGroupHeartbeat),
    /// Its epoch, and what it may fetch from.
    ShareGroupHeartbeatAnswer { request: u64, result: Result<MemberHeartbeat, KafkaError> },
    /// A member of a share group fetches.
    ShareFetch(ShareFetch),
    /// Records that are locked for it.
    ShareFetchAnswer { request: u64, result: Result<ShareFetched, KafkaError> },
    /// A member of a share group acknowledges.
    ShareAcknowledge(ShareAcknowledge),
    /// What came of it.
    ShareAcknowledgeAnswer { request: u64, result: Result<PartitionResults, KafkaError> },
    /// The state of a share partition is asked for, or given.
    ShareState(ShareStateRequest),
    /// The state, where it was asked for.
    ShareStateAnswer { request: u64, result: Result<Option<Rc<ShareState>>, KafkaError> },
    /// The Admin client sets start offsets of a share group.
    AlterShareOffsets(AlterShareOffsets),
    /// The Admin client deletes the states of a share group in topics.
    DeleteShareOffsets(DeleteShareOffsets),
    /// What came of either.
    ShareOffsetsAnswer { request: u64, result: Result<PartitionResults, KafkaError> },
    /// The Admin client deletes a group.
    DeleteGroup(DeleteGroup),
    /// Whether it is deleted.
    DeleteGroupAnswer { request: u64, result: Result<(), KafkaError> },
    /// The Admin client deletes offsets of a group.
    OffsetDelete(OffsetDelete),
    /// What came of each.
    OffsetDeleteAnswer { request: u64, result: Result<PartitionResults, KafkaError> },
    /// A reader asks for records from these offsets on. A new request of a reader replaces the one that
    /// may still wait at the broker.
    Fetch {
        from: Vec<(TopicPartition, u64)>,
        sender: u32,
        rack: Option<Name>,
        limits: FetchLimits,
        /// `isolation.level=read_committed`: nothing at or above the last stable offset.
        is_committed_only: bool,
    },
    /// Batches and high watermarks, or errors.
    FetchAnswer { request: u64, partitions: Vec<FetchedPartition> },
    /// A reader asks where a log begins or ends.
    ListOffsets { partitions: Vec<TopicPartition>, at: OffsetSpec, sender: u32 },
    /// The offsets.
    ListOffsetsAnswer { request: u64, offsets: Vec<(TopicPartition, Result<u64, KafkaError>)> },
    /// A follower asks its leader for what comes next.
    ReplicaFetch(ReplicaFetch),
    /// What comes next, for the partitions that have something to tell.
    ReplicaFetchAnswer { request: u64, partitions: Vec<ReplicaFetched> },
    /// A leader proposes a new in-sync set.
    AlterPartition(AlterPartition),
    /// The controller took it, or did not.
    AlterPartitionAnswer { request: u64, partition: TopicPartition, result: Result<PartitionImage, KafkaError> },
    /// A broker's process has started and joins. `is_clean`: it found its clean-shutdown marker.
    BrokerRegistration { broker: u32, is_clean: bool },
    /// The controller's answer: the broker's epoch.
    BrokerRegistrationAnswer { broker_epoch: u64 },
    /// A broker wants to shut down in order.
    ControlledShutdown { broker: u32 },
    /// It leads nothing any more and may stop.
    ControlledShutdownAnswer,
    /// A change of the cluster by the Admin client.
    Admin(AdminRequest),
    /// Whether it was accepted, as a whole and for each partition.
    AdminAnswer { request: u64, result: Result<(), KafkaError>, partitions: Vec<PartitionOutcome> },
    /// The controller's latest image for the brokers.
    Image(Rc<ClusterImage>),
}

impl Payload {
    /// Who waits for the answer, where the request says it.
    pub fn sender(&self) -> Option<Target> {
        match self {
            Payload::Metadata { sender, .. } | Payload::WriteTxnMarkers { sender, .. } => Some(*sender),
            Payload::Produce(produce) => Some(produce.sender),
            Payload::InitProducerId(asked) => Some(asked.sender),
            Payload::FindCoordinator(asked) => Some(asked.sender),
            Payload::AddPartitionsToTxn(asked) => Some(asked.sender),
            Payload::AddOffsetsToTxn(asked) => Some(asked.sender),
            Payload::EndTxn(asked) => Some(asked.sender),
            Payload::TxnOffsetCommit(asked) => Some(asked.sender),
            Payload::Fetch { sender, .. } | Payload::ListOffsets { sender, .. } => Some(Target::Consumer(*sender)),
            Payload::JoinGroup(asked) => Some(asked.sender),
            Payload::SyncGroup(asked) => Some(asked.sender),
            Payload::Heartbeat(asked) => Some(asked.sender),
            Payload::LeaveGroup(asked) => Some(asked.sender),
            Payload::OffsetCommit(asked) => Some(asked.sender),
            Payload::OffsetFetch(asked) => Some(asked.sender),
            Payload::ConsumerGroupHeartbeat(asked) => Some(asked.sender),
            Payload::DeleteGroup(asked) => Some(asked.sender),
            Payload::ShareGroupHeartbeat(asked) => Some(asked.sender),
            Payload::ShareFetch(asked) => Some(asked.sender),
            Payload::ShareAcknowledge(asked) => Some(asked.sender),
            Payload::ShareState(asked) => Some(asked.sender),
            Payload::AlterShareOffsets(asked) => Some(asked.sender),
            Payload::DeleteShareOffsets(asked) => Some(asked.sender),
            Payload::OffsetDelete(asked) => Some(asked.sender),
            Payload::Admin(_) => Some(Target::Admin),
            _ => None,
        }
    }

    /// The API version of a request whose answer depends on it.
    pub fn version(&self) -> Option<u16> {
        match self {
            Payload::Produce(produce) => Some(produce.version),
            Payload::AddPartitionsToTxn(asked) => Some(asked.version),
            Payload::EndTxn(asked) => Some(asked.version),
            Payload::TxnOffsetCommit(asked) => Some(asked.version),
            _ => None,
        }
    }

    /// Which end of a transaction is asked for.
    pub fn end(&self) -> Option<MarkerKind> {
        match self {
            Payload::EndTxn(asked) => Some(asked.end),
            Payload::WriteTxnMarkers { markers, .. } => markers.first().map(|one| one.end),
            _ => None,
        }
    }

    /// Partitions that get a marker.
    pub fn markers(&self) -> Vec<TopicPartition> {
        match self {
            Payload::WriteTxnMarkers { markers, .. } => {
                markers.iter().flat_map(|one| one.partitions.iter().cloned()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Produce.
#[derive(Clone, Debug)]
pub(crate) struct Produce {
    pub acks: Acks,
    pub batches: Vec<ProduceBatch>,
    /// A producer, or the Admin client for a request of a chosen version.
    pub sender: Target,
    pub timeout: Duration,
    /// The transactional id, if the batches belong to a transaction.
    pub transactional_id: Option<Name>,
    /// The API version: from 12 on the leader adds the partition to the transaction itself (TV2).
    pub version: u16,
}

/// A batch on its way to the leader.
#[derive(Clone, Debug)]
pub(crate) struct ProduceBatch {
    pub view: BatchView,
    /// Of an idempotent producer: who sends it, and its first sequence.
    pub stamp: Option<ProducerStamp>,
}

/// A follower's Fetch. Incremental fetch sessions (KIP-227): only what changed since the last request
/// of the session is in it.
#[derive(Clone, Debug)]
pub(crate) struct ReplicaFetch {
    /// The follower.
    pub replica: u32,
    pub broker_epoch: u64,
    /// The first request of a session names everything; the leader forgets what it knew.
    pub is_full: bool,
    /// It is answered at once, even if there is nothing to tell.
    pub is_once: bool,
    pub partitions: Vec<ReplicaFetchPartition>,
    pub forgotten: Vec<TopicPartition>,
}

/// Where a follower stands in a partition.
#[derive(Clone, Debug)]
pub(crate) struct ReplicaFetchPartition {
    pub partition: TopicPartition,
    pub fetch_offset: u64,
    /// Epoch of the last batch in the follower's log.
    pub last_fetched_epoch: Option<u32>,
    /// The leader epoch that the follower knows.
    pub leader_epoch: u32,
    pub log_start_offset: u64,
}

/// What a leader tells a follower about a partition.
#[derive(Clone, Debug)]
pub(crate) struct ReplicaFetched {
    pub partition: TopicPartition,
    pub answer: ReplicaAnswer,
}

#[derive(Clone, Debug)]
pub(crate) enum ReplicaAnswer {
    /// Batches (perhaps none), the leader's offsets, and what it has copied to remote storage.
    Records { batches: Vec<Rc<Batch>>, high_watermark: u64, log_start_offset: u64, remote: RemoteSegments },
    /// The follower's log parts from the leader's after the end of this epoch.
    Diverging { epoch: u32, end_offset: u64 },
    /// The fetch offset is outside the leader's log.
    OutOfRange { log_start_offset: u64, log_end_offset: u64 },
    /// NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH ...
    Failed(KafkaError),
}

/// AlterPartition for one partition.
#[derive(Clone, Debug)]
pub(crate) struct AlterPartition {
    pub broker: u32,
    pub broker_epoch: u64,
    pub partition: TopicPartition,
    pub leader_epoch: u32,
    pub partition_epoch: u32,
    /// The members with the broker epochs that the leader saw them with.
    pub isr: Vec<(u32, u64)>,
    /// The unclean election is settled.
    pub is_recovered: bool,
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

/// How much a reader wants in one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FetchLimits {
    /// `fetch.min.bytes`: the broker waits until there is this much ...
    pub bytes_min: u32,
    /// ... but not longer than `fetch.max.wait.ms`, if there is something.
    pub wait_max: Duration,
    /// `max.partition.fetch.bytes`: at most this much of one partition, and at least one batch.
    pub partition_bytes_max: u32,
    /// `fetch.max.bytes`: at most this much in all, and at least one batch.
    pub bytes_max: u32,
}

/// Which offset a reader asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OffsetSpec {
    /// The log start.
    Earliest,
    /// The high watermark.
    Latest,
    /// The same for readers of committed data: the last stable offset.
    LastStable,
    /// The first record that is not older than a timestamp, in milliseconds after the start of the run; the high
    /// watermark if there is none.
    Since(i64),
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
    /// IncrementalAlterConfigs of one resource; no value takes the setting away.
    AlterConfigs { resource: ConfigResource, changes: Vec<(Name, Option<Name>)> },
    /// DeleteRecords of one partition, handled by its leader. -1 stands for the high watermark.
    DeleteRecords { partition: TopicPartition, before_offset: i64 },
    /// AlterPartitionReassignments; no replicas cancels.
    AlterReassignments { changes: Vec<(TopicPartition, Option<Vec<u32>>)>, allow_factor_change: bool },
    /// ElectLeaders; no partitions means all.
    ElectLeaders { election: ElectionKind, partitions: Option<Vec<TopicPartition>> },
}

/// Whose settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ConfigResource {
    /// A topic's own.
    Topic(Name),
    /// Dynamic settings of one broker.
    Broker(u32),
    /// Dynamic defaults of all brokers.
    Brokers,
    /// A group's own.
    Group(Name),
}

/// A topic to create. -1 stands for the broker's default, as in the protocol.
#[derive(Clone, Debug)]
pub(crate) struct NewTopic {
    pub name: Name,
    pub partitions: i32,
    pub replication_factor: i32,
    pub assignment: Option<Vec<Vec<u32>>>,
    /// A random one by default.
    pub topic_id: Option<Name>,
    pub configs: BTreeMap<Name, Name>,
}

/// Records of one partition in a reader's fetch answer.
#[derive(Clone, Debug)]
pub(crate) struct FetchedPartition {
    pub partition: TopicPartition,
    pub high_watermark: u64,
    pub last_stable_offset: u64,
    /// Aborted transactions among the batches, for readers of committed data: producer id and first offset.
    pub aborted: Vec<(u64, u64)>,
    pub batches: Vec<Rc<Batch>>,
    /// OFFSET_OUT_OF_RANGE, NOT_LEADER_OR_FOLLOWER ...
    pub error: Option<KafkaError>,
    /// Read from this follower from now on (KIP-392).
    pub preferred_read_replica: Option<u32>,
}

/// What the controller knows, as brokers and clients see it. Never changed, only replaced; a topic that
/// did not change is the same `Rc` in the next image.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClusterImage {
    pub topics: BTreeMap<Name, Rc<TopicImage>>,
    /// All registered brokers, by id.
    pub brokers: BTreeMap<u32, BrokerImage>,
    /// Dynamic defaults of all brokers.
    pub broker_defaults: Rc<BTreeMap<Name, Name>>,
    /// Dynamic settings of single brokers.
    pub broker_configs: Rc<BTreeMap<u32, BTreeMap<Name, Name>>>,
    /// Settings of groups.
    pub group_configs: Rc<BTreeMap<Name, BTreeMap<Name, Name>>>,
}

/// A broker of the image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BrokerImage {
    pub rack: Option<Name>,
    pub epoch: u64,
    pub is_fenced: bool,
    pub is_shutting_down: bool,
}

/// A topic of the image.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TopicImage {
    /// Order of creation.
    pub number: u64,
    pub topic_id: Name,
    pub replication_factor: u32,
    pub configs: BTreeMap<Name, Name>,
    pub partitions: Vec<PartitionImage>,
}

/// A partition of the image.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PartitionImage {
    pub leader: Option<u32>,
    pub leader_epoch: u32,
    pub partition_epoch: u32,
    /// The preferred leader first; during a reassignment the target's, then those to be removed.
    pub replicas: Vec<u32>,
    pub isr: Vec<u32>,
    pub elr: Vec<u32>,
    pub last_known_elr: Vec<u32>,
    pub adding: Vec<u32>,
    pub removing: Vec<u32>,
    /// An unclean election that the leader has not settled yet.
    pub is_recovering: bool,
}
