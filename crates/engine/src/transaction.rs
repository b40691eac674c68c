//! The words of transactions: states, markers, calls, and what happened to them.
//!
//! Plain values for events, snapshots and messages. Who decides what is in `coordinator/` and in
//! `client/producer/transactions.rs`.

use serde::{Deserialize, Serialize};

use crate::error::KafkaError;
use crate::event::{Name, NodeId, TopicPartition};
use crate::time::{Duration, Time};

/// Which of the two ends of a transaction a control record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkerKind {
    /// What the producer wrote counts.
    Commit,
    /// What the producer wrote does not count.
    Abort,
}

/// A transaction in the eyes of its coordinator (`TransactionState` of Kafka).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum TransactionState {
    /// The id is known, nothing is open.
    #[default]
    Empty,
    /// Partitions take part.
    Ongoing,
    /// The decision to commit is written; markers are on their way.
    PrepareCommit,
    /// The decision to abort is written; markers are on their way.
    PrepareAbort,
    /// Every partition has its COMMIT.
    CompleteCommit,
    /// Every partition has its ABORT.
    CompleteAbort,
    /// The id has expired. Never written to the log.
    Dead,
    /// A new instance has asked to end an open transaction. Never written to the log.
    PrepareEpochFence,
}

impl TransactionState {
    /// Its name as Kafka's tools print it.
    pub fn name(self) -> &'static str {
        match self {
            TransactionState::Empty => "Empty",
            TransactionState::Ongoing => "Ongoing",
            TransactionState::PrepareCommit => "PrepareCommit",
            TransactionState::PrepareAbort => "PrepareAbort",
            TransactionState::CompleteCommit => "CompleteCommit",
            TransactionState::CompleteAbort => "CompleteAbort",
            TransactionState::Dead => "Dead",
            TransactionState::PrepareEpochFence => "PrepareEpochFence",
        }
    }

    /// Whether nothing is open and nothing on its way.
    pub fn is_over(self) -> bool {
        matches!(self, TransactionState::Empty | TransactionState::CompleteCommit | TransactionState::CompleteAbort)
    }
}

/// A transaction in the eyes of its producer (`TransactionManager.State` of the Java client).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClientState {
    /// `initTransactions` has not been called.
    #[default]
    Uninitialized,
    /// `initTransactions` waits for its answer.
    Initializing,
    /// A transaction can begin.
    Ready,
    /// A transaction has begun.
    InTransaction,
    /// The first phase of a two-phase commit is over (KIP-939).
    PreparedTransaction,
    /// `commitTransaction` waits.
    CommittingTransaction,
    /// `abortTransaction` waits.
    AbortingTransaction,
    /// Something failed; only an abort helps.
    AbortableError,
    /// Something failed for good; only `close` helps.
    FatalError,
}

impl ClientState {
    /// Its name in the Java client, as its exceptions print it.
    pub fn name(self) -> &'static str {
        match self {
            ClientState::Uninitialized => "UNINITIALIZED",
            ClientState::Initializing => "INITIALIZING",
            ClientState::Ready => "READY",
            ClientState::InTransaction => "IN_TRANSACTION",
            ClientState::PreparedTransaction => "PREPARED_TRANSACTION",
            ClientState::CommittingTransaction => "COMMITTING_TRANSACTION",
            ClientState::AbortingTransaction => "ABORTING_TRANSACTION",
            ClientState::AbortableError => "ABORTABLE_ERROR",
            ClientState::FatalError => "FATAL_ERROR",
        }
    }
}

/// A call of an application that can wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// `send`.
    Send,
    /// `partitionsFor`.
    PartitionsFor,
    /// `flush`.
    Flush,
    /// `close`.
    Close,
    /// `initTransactions`.
    InitTransactions,
    /// `beginTransaction`: it never waits, but other calls may wait for it in the picture.
    BeginTransaction,
    /// `commitTransaction`.
    CommitTransaction,
    /// `abortTransaction`.
    AbortTransaction,
    /// `sendOffsetsToTransaction`.
    SendOffsetsToTransaction,
}

impl Call {
    /// The method's name in the Java client.
    pub fn method(self) -> &'static str {
        match self {
            Call::Send => "send",
            Call::PartitionsFor => "partitionsFor",
            Call::Flush => "flush",
            Call::Close => "close",
            Call::InitTransactions => "initTransactions",
            Call::BeginTransaction => "beginTransaction",
            Call::CommitTransaction => "commitTransaction",
            Call::AbortTransaction => "abortTransaction",
            Call::SendOffsetsToTransaction => "sendOffsetsToTransaction",
        }
    }
}

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// The topic's metadata.
    Metadata,
    /// Room in the buffer pool.
    Buffer,
    /// An answer of the transaction coordinator.
    Coordinator,
    /// Batches that are not acknowledged yet.
    Batches,
}

/// What happened to producers' ids, transactions and their markers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TransactionEvent {
    /// A producer got its producer id and epoch from a broker.
    ProducerIdAssigned {
        /// The producer.
        producer: Name,
        /// The id.
        producer_id: u64,
        /// Its epoch.
        epoch: u16,
    },
    /// A producer holds a newer epoch: raised by itself, or by the end of a transaction.
    ProducerEpochRaised {
        /// The producer.
        producer: Name,
        /// Its id.
        producer_id: u64,
        /// The epoch now.
        epoch: u16,
    },
    /// A producer's transaction manager is in another state.
    ClientStateChanged {
        /// The producer.
        producer: Name,
        /// The state before.
        before: ClientState,
        /// The state now.
        state: ClientState,
        /// The error behind it, if one is.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Box<KafkaError>>,
    },
    /// A call of the application began to wait.
    CallBlocked {
        /// The producer.
        producer: Name,
        /// The call.
        call: Call,
        /// What for.
        reason: WaitReason,
        /// When it gives up.
        #[serde(skip_serializing_if = "Option::is_none")]
        deadline: Option<Time>,
    },
    /// A call that waited returned, or threw.
    CallReturned {
        /// The producer.
        producer: Name,
        /// The call.
        call: Call,
        /// How long it waited.
        waited: Duration,
        /// What it threw, or what its future holds.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Box<KafkaError>>,
    },
    /// A client's process died.
    ClientCrashed {
        /// The client.
        client: NodeId,
    },
    /// A client's process stands still; its connections stay open.
    ClientFrozen {
        /// The client.
        client: NodeId,
    },
    /// A client's process goes on.
    ClientThawed {
        /// The client.
        client: NodeId,
    },
    /// A broker has read its part of `__transaction_state` and coordinates its ids from now on.
    CoordinatorLoaded {
        /// The broker.
        broker: u32,
        /// The partition of `__transaction_state`.
        partition: u32,
        /// Transactional ids in it.
        transactional_ids: u32,
    },
    /// A coordinator appended a state to its log. It does not count before it is replicated.
    TransactionStateLogged {
        /// The coordinator.
        broker: u32,
        /// Whose.
        transactional_id: Name,
        /// The state.
        state: TransactionState,
        /// The producer id.
        producer_id: u64,
        /// The epoch in the record.
        epoch: u16,
        /// Partitions of the transaction.
        partitions: Vec<TopicPartition>,
        /// Its offset in the coordinator's partition.
        offset: u64,
    },
    /// A state is replicated: from now on it counts, whatever crashes.
    TransactionStateChanged {
        /// The coordinator.
        broker: u32,
        /// Whose.
        transactional_id: Name,
        /// The state before.
        before: TransactionState,
        /// The state now.
        state: TransactionState,
        /// The producer id.
        producer_id: u64,
        /// The epoch now.
        epoch: u16,
        /// Partitions of the transaction.
        partitions: Vec<TopicPartition>,
    },
    /// A coordinator gives up on a transaction that was open for too long.
    TransactionTimedOut {
        /// The coordinator.
        broker: u32,
        /// Whose.
        transactional_id: Name,
        /// How long it has been open.
        open_for: Duration,
        /// `transaction.timeout.ms`.
        limit: Duration,
    },
    /// A request of an older instance was refused.
    ProducerFenced {
        /// Who refused it: the coordinator or a partition's leader.
        broker: u32,
        /// Whose, where it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        transactional_id: Option<Name>,
        /// The producer id.
        producer_id: u64,
        /// The epoch of the request.
        epoch: u16,
        /// The epoch in force.
        current: u16,
    },
    /// A leader appended a marker.
    MarkerAppended {
        /// The leader.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// Commit or abort.
        marker: MarkerKind,
        /// The producer id.
        producer_id: u64,
        /// The epoch that it carries.
        epoch: u16,
        /// The coordinator's epoch.
        coordinator_epoch: u32,
        /// Its offset.
        offset: u64,
    },
    /// A coordinator sends no marker to a partition that has no leader.
    MarkerSkipped {
        /// The coordinator.
        broker: u32,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
    },
    /// Readers of committed data see everything below.
    LastStableOffsetAdvanced {
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The new last stable offset.
        last_stable_offset: u64,
    },
    /// A transactional id was not used for `transactional.id.expiration.ms` and is forgotten.
    TransactionalIdExpired {
        /// The coordinator.
        broker: u32,
        /// The id.
        transactional_id: Name,
    },
}

impl TransactionEvent {
    /// Its name, such as `marker_appended`: what `kind` is in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            TransactionEvent::ProducerIdAssigned { .. } => "producer_id_assigned",
            TransactionEvent::ProducerEpochRaised { .. } => "producer_epoch_raised",
            TransactionEvent::ClientStateChanged { .. } => "client_state_changed",
            TransactionEvent::CallBlocked { .. } => "call_blocked",
            TransactionEvent::CallReturned { .. } => "call_returned",
            TransactionEvent::ClientCrashed { .. } => "client_crashed",
            TransactionEvent::ClientFrozen { .. } => "client_frozen",
            TransactionEvent::ClientThawed { .. } => "client_thawed",
            TransactionEvent::CoordinatorLoaded { .. } => "coordinator_loaded",
            TransactionEvent::TransactionStateLogged { .. } => "transaction_state_logged",
            TransactionEvent::TransactionStateChanged { .. } => "transaction_state_changed",
            TransactionEvent::TransactionTimedOut { .. } => "transaction_timed_out",
            TransactionEvent::ProducerFenced { .. } => "producer_fenced",
            TransactionEvent::MarkerAppended { .. } => "marker_appended",
            TransactionEvent::MarkerSkipped { .. } => "marker_skipped",
            TransactionEvent::LastStableOffsetAdvanced { .. } => "last_stable_offset_advanced",
            TransactionEvent::TransactionalIdExpired { .. } => "transactional_id_expired",
        }
    }
}
