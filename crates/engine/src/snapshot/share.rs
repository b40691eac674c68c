//! Share groups as plain values: share partitions at their leaders, and members as they see themselves.
//!
//! The group itself (state, epochs, members and their partitions) is a [`super::GroupSnapshot`] of type Share.

use serde::Serialize;

use super::{ClientProcess, ReadRecord};
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::group::ClientMemberState;
use crate::share::{AcknowledgeType, RecordState};
use crate::time::Time;

/// A share partition: a partition as one share group uses it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharePartitionSnapshot {
    /// The share group.
    pub group: Name,
    /// The partition.
    #[serde(flatten)]
    pub partition: TopicPartition,
    /// The broker that leads the partition and delivers its records.
    pub leader: Option<u32>,
    /// The partition of `__share_group_state` that has its state.
    pub state_partition: u32,
    /// The share coordinator: the broker that leads that partition.
    pub coordinator: Option<u32>,
    /// The leader's first offset that matters (SPSO); absent while the leader has not opened it.
    pub start_offset: Option<u64>,
    /// The offset after the last one that was ever acquired (SPEO); absent while it is not open.
    pub end_offset: Option<u64>,
    /// Records from the start offset up to the end offset, in order; done ones below are gone.
    pub in_flight: Vec<InFlightRecord>,
    /// The state that is written; absent while nothing was.
    pub persisted: Option<ShareStateSnapshot>,
}

/// A record of a share partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InFlightRecord {
    /// Its offset.
    pub offset: u64,
    /// Its state.
    pub state: RecordState,
    /// How often it was delivered.
    pub delivery_count: u16,
    /// Id of the member that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<Name>,
    /// When its lock expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked_until: Option<Time>,
}

/// What `__share_group_state` says of a share partition: what `SharePartitionOffsetInfo` and
/// `kafka-share-groups.sh --describe` show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ShareStateSnapshot {
    /// The start offset as it was written: one write behind the leader's.
    pub start_offset: u64,
    /// The leader epoch that wrote it.
    pub leader_epoch: u32,
    /// Records from there on that are done or archived.
    pub delivery_complete_count: u64,
    /// End of the log, less the start offset, less that count; absent without a leader.
    pub lag: Option<u64>,
}

/// A share consumer as it sees itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShareConsumerSnapshot {
    /// Its name.
    pub name: Name,
    /// `group.id`.
    pub group: Name,
    /// Its member id.
    pub member: Name,
    /// Its state as a member.
    pub state: ClientMemberState,
    /// Its member epoch.
    pub epoch: i32,
    /// How its process is.
    pub process: ClientProcess,
    /// Whether its application acknowledges by itself (`share.acknowledgement.mode=explicit`).
    pub is_explicit: bool,
    /// Whether it only does what commands say.
    pub is_manual: bool,
    /// Whether its application stopped polling.
    pub is_paused: bool,
    /// Whether it is closed.
    pub is_closed: bool,
    /// What ended it, if something did.
    pub error: Option<KafkaError>,
    /// Topics that it subscribes to.
    pub topics: Vec<Name>,
    /// Partitions that it fetches from.
    pub assigned: Vec<TopicPartition>,
    /// Records that `poll` returned and that are not known to be settled, in order.
    pub held: Vec<HeldRecord>,
    /// The record that its application works on, and until when.
    pub working_on: Option<WorkSnapshot>,
    /// Records polled so far.
    pub read_count: u64,
    /// Acknowledgements that count, by ACCEPT, RELEASE and REJECT.
    pub acknowledged_counts: [u64; 3],
    /// The last records that it polled, oldest first: at most 64.
    pub recent: Vec<ReadRecord>,
    /// When its next heartbeat is due.
    pub heartbeat_due: Option<Time>,
}

/// A record in the hands of an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldRecord {
    /// The partition.
    #[serde(flatten)]
    pub partition: TopicPartition,
    /// Its offset.
    pub offset: u64,
    /// How often it was delivered, this time included.
    pub delivery_count: u16,
    /// What the application says of it, once it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledgement: Option<AcknowledgeType>,
}

/// What an application works on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkSnapshot {
    /// The partition.
    #[serde(flatten)]
    pub partition: TopicPartition,
    /// The record.
    pub offset: u64,
    /// Since when.
    pub since: Time,
    /// Until when.
    pub until: Time,
}
