//! The words of groups: states, callbacks, and what happened to members and their partitions.
//!
//! Plain values for events, snapshots and messages. Who decides what is in `coordinator/` and in `client/`.

use serde::{Deserialize, Serialize};

use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};

/// The protocol of a group (`GroupType` of Kafka).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum GroupType {
    /// JoinGroup and SyncGroup; a member assigns.
    #[default]
    Classic,
    /// ConsumerGroupHeartbeat (KIP-848); the coordinator assigns.
    Consumer,
    /// Share group (KIP-932).
    Share,
}

impl GroupType {
    /// Its name as Kafka's tools print it.
    pub fn name(self) -> &'static str {
        match self {
            GroupType::Classic => "Classic",
            GroupType::Consumer => "Consumer",
            GroupType::Share => "Share",
        }
    }
}

/// A group's state (`GroupState` of Kafka's Admin client).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum GroupState {
    /// No members.
    #[default]
    Empty,
    /// Classic: members are to join again.
    PreparingRebalance,
    /// Classic: a generation has begun, its assignment is not there yet.
    CompletingRebalance,
    /// Consumer: the target assignment is older than the group epoch.
    Assigning,
    /// Consumer: some member is not where the target wants it.
    Reconciling,
    /// Everybody has what it shall have.
    Stable,
    /// It is gone.
    Dead,
}

impl GroupState {
    /// Its name as Kafka's tools print it.
    pub fn name(self) -> &'static str {
        match self {
            GroupState::Empty => "Empty",
            GroupState::PreparingRebalance => "PreparingRebalance",
            GroupState::CompletingRebalance => "CompletingRebalance",
            GroupState::Assigning => "Assigning",
            GroupState::Reconciling => "Reconciling",
            GroupState::Stable => "Stable",
            GroupState::Dead => "Dead",
        }
    }
}

/// A member of the consumer protocol as its coordinator sees it (`MemberState` of the broker).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MemberState {
    /// It has its target.
    #[default]
    Stable,
    /// It has to give partitions up first.
    UnrevokedPartitions,
    /// It waits for partitions that others still have.
    UnreleasedPartitions,
}

impl MemberState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            MemberState::Stable => "STABLE",
            MemberState::UnrevokedPartitions => "UNREVOKED_PARTITIONS",
            MemberState::UnreleasedPartitions => "UNRELEASED_PARTITIONS",
        }
    }
}

/// A member in its own eyes: `MemberState` of the Java client for the consumer protocol, `MemberState` of
/// `AbstractCoordinator` for the classic one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClientMemberState {
    /// It subscribes to nothing, or has left.
    #[default]
    Unsubscribed,
    /// It has asked to join.
    Joining,
    /// Classic: it prepares to join again, in its callbacks.
    PreparingRebalance,
    /// Classic: it waits for its assignment.
    CompletingRebalance,
    /// Consumer: its callbacks run.
    Reconciling,
    /// Consumer: what it owns is to be told.
    Acknowledging,
    /// It has what it was told to have.
    Stable,
    /// The coordinator does not know it any more.
    Fenced,
    /// Its last callbacks run.
    PrepareLeaving,
    /// Its leave request is on its way.
    Leaving,
    /// It has not polled for too long and has left.
    Stale,
    /// An error that it cannot get over.
    Fatal,
}

impl ClientMemberState {
    /// Its name as the client writes it.
    pub fn name(self) -> &'static str {
        match self {
            ClientMemberState::Unsubscribed => "UNSUBSCRIBED",
            ClientMemberState::Joining => "JOINING",
            ClientMemberState::PreparingRebalance => "PREPARING_REBALANCE",
            ClientMemberState::CompletingRebalance => "COMPLETING_REBALANCE",
            ClientMemberState::Reconciling => "RECONCILING",
            ClientMemberState::Acknowledging => "ACKNOWLEDGING",
            ClientMemberState::Stable => "STABLE",
            ClientMemberState::Fenced => "FENCED",
            ClientMemberState::PrepareLeaving => "PREPARE_LEAVING",
            ClientMemberState::Leaving => "LEAVING",
            ClientMemberState::Stale => "STALE",
            ClientMemberState::Fatal => "FATAL",
        }
    }
}

/// A callback of `ConsumerRebalanceListener`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Callback {
    /// `onPartitionsRevoked`: they are still its own, offsets can be committed.
    Revoked,
    /// `onPartitionsLost`: they belong to somebody else already.
    Lost,
    /// `onPartitionsAssigned`.
    Assigned,
}

impl Callback {
    /// The method's name.
    pub fn method(self) -> &'static str {
        match self {
            Callback::Revoked => "onPartitionsRevoked",
            Callback::Lost => "onPartitionsLost",
            Callback::Assigned => "onPartitionsAssigned",
        }
    }

    /// What the callback is called in Java or librdkafka.
    pub fn name_in(self, is_librdkafka: bool) -> &'static str {
        match self {
            Callback::Revoked if is_librdkafka => "on_revoke",
            Callback::Lost if is_librdkafka => "on_lost",
            Callback::Assigned if is_librdkafka => "on_assign",
            callback => callback.method(),
        }
    }
}

/// Who committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitKind {
    /// `commitSync()`.
    Sync,
    /// `commitAsync()`.
    Async,
    /// `enable.auto.commit`.
    Auto,
    /// `commitSync()` inside a callback that revokes.
    InRevoked,
    /// `commitSync()` inside a callback that tells of a loss.
    InLost,
}

/// Why a member is no member any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemovalReason {
    /// It left.
    Left,
    /// It was silent for the session timeout.
    SessionExpired,
    /// It did not join again in time.
    RebalanceTimeout,
    /// It did not give its partitions up in time.
    RevocationTimeout,
    /// It never asked for its assignment.
    NeverSynced,
    /// Another process has its `group.instance.id`.
    Replaced,
    /// An Admin client removed it.
    ByAdmin,
}

/// What happened to groups, at coordinators and at members.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GroupEvent {
    /// A coordinator read its part of `__consumer_offsets`.
    GroupsLoaded {
        /// The coordinator.
        broker: u32,
        /// The partition.
        partition: u32,
        /// How many groups are in it.
        groups: u32,
    },
    /// A group is in another state.
    GroupStateChanged {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// Its protocol.
        group_type: GroupType,
        /// The state before; absent for a new group.
        #[serde(skip_serializing_if = "Option::is_none")]
        before: Option<GroupState>,
        /// The state now.
        state: GroupState,
        /// Generation or group epoch.
        epoch: i32,
    },
    /// The coordinator has a new member.
    MemberJoined {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// The member's id.
        member: Name,
        /// Its `client.id`.
        client: Name,
        /// Its `group.instance.id`.
        #[serde(skip_serializing_if = "Option::is_none")]
        instance: Option<Name>,
    },
    /// The coordinator has removed a member.
    MemberRemoved {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// The member's id.
        member: Name,
        /// Why.
        reason: RemovalReason,
    },
    /// Classic: everybody has joined, a generation begins.
    GenerationStarted {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// The generation.
        generation: i32,
        /// The assignor that the members agreed on.
        protocol: Name,
        /// Id of the member that assigns.
        leader: Name,
        /// Ids of all members.
        members: Vec<Name>,
    },
    /// Who shall have what: the leader's assignment, or the coordinator's target.
    AssignmentMade {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// Generation or assignment epoch.
        epoch: i32,
        /// The assignor.
        assignor: Name,
        /// Partitions by member id.
        assignment: Vec<(Name, Vec<TopicPartition>)>,
    },
    /// Consumer: a member is at another epoch, state or assignment.
    MemberReconciled {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// The member's id.
        member: Name,
        /// Its epoch.
        epoch: i32,
        /// Its state.
        state: MemberState,
        /// What it may own now.
        assigned: Vec<TopicPartition>,
    },
    /// A coordinator took offsets.
    OffsetsCommitted {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// The next offset to read of each partition.
        offsets: Vec<(TopicPartition, u64)>,
    },
    /// Offsets of a group are gone: expired, or deleted.
    OffsetsRemoved {
        /// The coordinator.
        broker: u32,
        /// The group.
        group: Name,
        /// The partitions.
        partitions: Vec<TopicPartition>,
    },
    /// A member is in another state, in its own eyes.
    ClientMemberStateChanged {
        /// The consumer.
        consumer: Name,
        /// The state before.
        before: ClientMemberState,
        /// The state now.
        state: ClientMemberState,
    },
    /// A member learned its id.
    MemberIdAssigned {
        /// The consumer.
        consumer: Name,
        /// The id.
        member: Name,
    },
    /// librdkafka's main thread had an answer to its JoinGroup; the application is not told.
    JoinAnswered {
        /// The consumer.
        consumer: Name,
        /// The generation; -1 with an error.
        generation: i32,
        /// The assignor that the members agreed on; empty with an error.
        protocol: Name,
        /// Whether it is the one that assigns.
        is_leader: bool,
        /// Members in the answer: a leader gets the list.
        members: u32,
        /// Why it is not in.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Box<KafkaError>>,
    },
    /// A callback began.
    CallbackStarted {
        /// The consumer.
        consumer: Name,
        /// Which.
        callback: Callback,
        /// Its argument, in the order of the client.
        partitions: Vec<TopicPartition>,
        /// `groupMetadata().generationId()` inside it.
        generation: i32,
        /// `assignment()` inside it.
        owned: Vec<TopicPartition>,
        /// It is one of librdkafka.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_librdkafka: bool,
    },
    /// A callback returned.
    CallbackReturned {
        /// The consumer.
        consumer: Name,
        /// Which.
        callback: Callback,
        /// It is one of librdkafka.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_librdkafka: bool,
    },
    /// What a consumer may read has changed, after its callbacks.
    AssignmentChanged {
        /// The consumer.
        consumer: Name,
        /// What it owns now.
        owned: Vec<TopicPartition>,
    },
    /// `poll` threw.
    PollFailed {
        /// The consumer.
        consumer: Name,
        /// What.
        error: Box<KafkaError>,
    },
    /// A commit ended at the consumer.
    CommitReturned {
        /// The consumer.
        consumer: Name,
        /// Who committed.
        how: CommitKind,
        /// The offsets.
        offsets: Vec<(TopicPartition, u64)>,
        /// What it threw, or what its callback was given.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Box<KafkaError>>,
    },
    /// Records that this group has processed before were read again.
    RecordsReadAgain {
        /// The consumer.
        consumer: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The first of them.
        first_offset: u64,
        /// How many.
        count: u64,
    },
    /// A consumer was closed.
    ConsumerClosed {
        /// The consumer.
        consumer: Name,
    },
}

impl GroupEvent {
    /// Its name, such as `member_joined`: what `kind` is in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            GroupEvent::GroupsLoaded { .. } => "groups_loaded",
            GroupEvent::GroupStateChanged { .. } => "group_state_changed",
            GroupEvent::MemberJoined { .. } => "member_joined",
            GroupEvent::MemberRemoved { .. } => "member_removed",
            GroupEvent::GenerationStarted { .. } => "generation_started",
            GroupEvent::AssignmentMade { .. } => "assignment_made",
            GroupEvent::MemberReconciled { .. } => "member_reconciled",
            GroupEvent::OffsetsCommitted { .. } => "offsets_committed",
            GroupEvent::OffsetsRemoved { .. } => "offsets_removed",
            GroupEvent::ClientMemberStateChanged { .. } => "client_member_state_changed",
            GroupEvent::MemberIdAssigned { .. } => "member_id_assigned",
            GroupEvent::JoinAnswered { .. } => "join_answered",
            GroupEvent::CallbackStarted { .. } => "callback_started",
            GroupEvent::CallbackReturned { .. } => "callback_returned",
            GroupEvent::AssignmentChanged { .. } => "assignment_changed",
            GroupEvent::PollFailed { .. } => "poll_failed",
            GroupEvent::CommitReturned { .. } => "commit_returned",
            GroupEvent::RecordsReadAgain { .. } => "records_read_again",
            GroupEvent::ConsumerClosed { .. } => "consumer_closed",
        }
    }
}
