//! The words of share groups (KIP-932): states of records, acknowledgements, and what happened to records and members.
//!
//! Plain values for events, snapshots and messages. Who decides what is in `broker/share/`, `coordinator/share/` and
//! `client/share_consumer/`. Joining, leaving and assignments are told as [`crate::group::GroupEvent`].

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::error::KafkaError;
use crate::event::{Name, Record, TopicPartition};
use crate::time::Time;

/// What an application says of a record (`AcknowledgeType` of the Java client).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AcknowledgeType {
    /// It is done.
    #[default]
    Accept,
    /// Somebody shall get it again.
    Release,
    /// Nobody shall get it again.
    Reject,
    /// It is still being worked on: its lock begins anew.
    Renew,
}

impl AcknowledgeType {
    /// Its name as the client writes it.
    pub fn name(self) -> &'static str {
        match self {
            AcknowledgeType::Accept => "ACCEPT",
            AcknowledgeType::Release => "RELEASE",
            AcknowledgeType::Reject => "REJECT",
            AcknowledgeType::Renew => "RENEW",
        }
    }
}

/// The state of a record in a share partition (`RecordState`). Simplified: ARCHIVING, which belongs to dead letter
/// queues (KIP-1191), does not come up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RecordState {
    /// Somebody may get it.
    #[default]
    Available,
    /// A member holds it, until it acknowledges it or its lock expires.
    Acquired,
    /// It is done.
    Acknowledged,
    /// Nobody gets it any more.
    Archived,
}

impl RecordState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            RecordState::Available => "AVAILABLE",
            RecordState::Acquired => "ACQUIRED",
            RecordState::Acknowledged => "ACKNOWLEDGED",
            RecordState::Archived => "ARCHIVED",
        }
    }
}

/// Why nobody gets a record any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveReason {
    /// A member rejected it.
    Rejected,
    /// It was delivered as often as `share.delivery.count.limit` allows.
    DeliveryLimit,
    /// The log does not have it any more.
    LogStartMoved,
    /// There is nothing to deliver at its offset: a marker, or a record of an aborted transaction.
    NotForReaders,
}

/// A record as a member got it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeliveredRecord {
    /// The partition.
    #[serde(flatten)]
    pub partition: TopicPartition,
    /// Its offset.
    pub offset: u64,
    /// How often it was delivered, this time included (`ConsumerRecord.deliveryCount`).
    pub delivery_count: u16,
    /// The record; absent for one without content, as scenarios may have at time 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Rc<Record>>,
}

/// What became of the acknowledgements for one partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AcknowledgementResult {
    /// The partition.
    #[serde(flatten)]
    pub partition: TopicPartition,
    /// Offsets that were acknowledged, in order.
    pub offsets: Vec<u64>,
    /// Why they do not count, if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<KafkaError>,
}

/// Records of one share partition that are next to each other and were treated alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordRange {
    /// The leader of the partition.
    pub broker: u32,
    /// The share group.
    pub group: Name,
    /// The partition.
    #[serde(flatten)]
    pub partition: TopicPartition,
    /// The first offset.
    pub first_offset: u64,
    /// The last offset.
    pub last_offset: u64,
}

/// What happened to share groups: at leaders, at share coordinators, and at members.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ShareEvent {
    /// A share coordinator read its part of `__share_group_state`.
    ShareCoordinatorLoaded {
        /// The broker.
        broker: u32,
        /// The partition of `__share_group_state`.
        partition: u32,
        /// How many share partitions it knows.
        share_partitions: u32,
    },
    /// The group coordinator has had share partitions initialized: they can be assigned from now on.
    SharePartitionsInitialized {
        /// The group coordinator.
        broker: u32,
        /// The share group.
        group: Name,
        /// The partitions.
        partitions: Vec<TopicPartition>,
    },
    /// A leader has read the state of a share partition, and delivers from now on.
    SharePartitionOpened {
        /// The leader.
        broker: u32,
        /// The share group.
        group: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The first offset that matters.
        start_offset: u64,
        /// Records above it that have a state already.
        in_flight: u32,
    },
    /// Records are locked for a member and on their way to it. AVAILABLE to ACQUIRED.
    RecordsAcquired {
        /// Which.
        #[serde(flatten)]
        range: RecordRange,
        /// The member's id.
        member: Name,
        /// How often they were delivered, this time included.
        delivery_count: u16,
        /// When the locks expire.
        locked_until: Time,
    },
    /// An acknowledgement counts: it is written in `__share_group_state`; RENEW counts without being written.
    RecordsAcknowledged {
        /// Which.
        #[serde(flatten)]
        range: RecordRange,
        /// The member's id.
        member: Name,
        /// What it said.
        acknowledgement: AcknowledgeType,
    },
    /// A member did not acknowledge in time: the records are AVAILABLE again, or ARCHIVED at the limit.
    LocksExpired {
        /// Which.
        #[serde(flatten)]
        range: RecordRange,
        /// The member's id.
        member: Name,
    },
    /// A member's share session ended while it held records: they are AVAILABLE again, or ARCHIVED at the limit.
    LocksReleased {
        /// Which.
        #[serde(flatten)]
        range: RecordRange,
        /// The member's id.
        member: Name,
    },
    /// Nobody gets these records any more.
    RecordsArchived {
        /// Which.
        #[serde(flatten)]
        range: RecordRange,
        /// Why.
        reason: ArchiveReason,
    },
    /// A share coordinator has written the state of a share partition.
    ShareStateWritten {
        /// The share coordinator.
        broker: u32,
        /// The share group.
        group: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The start offset as it was when the leader wrote; it moves on afterward.
        start_offset: u64,
        /// Records above it that are done or archived.
        delivery_complete_count: u64,
    },
    /// Everything below is done or archived.
    ShareStartOffsetMoved {
        /// The leader.
        broker: u32,
        /// The share group.
        group: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The start offset before.
        before: u64,
        /// The start offset now.
        start_offset: u64,
    },
    /// `poll` returned records.
    RecordsPolled {
        /// The member.
        consumer: Name,
        /// The records, in order; never none.
        records: Vec<DeliveredRecord>,
    },
    /// The application works on a record from now on.
    RecordWorkStarted {
        /// The member.
        consumer: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The record.
        offset: u64,
        /// When it will be done.
        until: Time,
    },
    /// `acknowledge` was called, or the implicit mode accepts. It counts when [`ShareEvent::RecordsAcknowledged`] tells.
    AcknowledgementChosen {
        /// The member.
        consumer: Name,
        /// The partition.
        #[serde(flatten)]
        partition: TopicPartition,
        /// The record.
        offset: u64,
        /// What the application says.
        acknowledgement: AcknowledgeType,
    },
    /// The member learned what became of its acknowledgements.
    AcknowledgementsReturned {
        /// The member.
        consumer: Name,
        /// By partition.
        results: Vec<AcknowledgementResult>,
    },
}

impl ShareEvent {
    /// Its name, such as `records_acquired`: what `kind` is in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            ShareEvent::ShareCoordinatorLoaded { .. } => "share_coordinator_loaded",
            ShareEvent::SharePartitionsInitialized { .. } => "share_partitions_initialized",
            ShareEvent::SharePartitionOpened { .. } => "share_partition_opened",
            ShareEvent::RecordsAcquired { .. } => "records_acquired",
            ShareEvent::RecordsAcknowledged { .. } => "records_acknowledged",
            ShareEvent::LocksExpired { .. } => "locks_expired",
            ShareEvent::LocksReleased { .. } => "locks_released",
            ShareEvent::RecordsArchived { .. } => "records_archived",
            ShareEvent::ShareStateWritten { .. } => "share_state_written",
            ShareEvent::ShareStartOffsetMoved { .. } => "share_start_offset_moved",
            ShareEvent::RecordsPolled { .. } => "records_polled",
            ShareEvent::RecordWorkStarted { .. } => "record_work_started",
            ShareEvent::AcknowledgementChosen { .. } => "acknowledgement_chosen",
            ShareEvent::AcknowledgementsReturned { .. } => "acknowledgements_returned",
        }
    }
}
