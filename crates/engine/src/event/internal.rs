//! What records of Kafka's own topics hold: states of transactional ids, and committed offsets.
//!
//! Plain values, kept beside the bytes that a record stands for. Who writes and reads them is in `coordinator/`.

mod group;
mod share;

use std::rc::Rc;

use super::{Name, TopicPartition};
use crate::time::{Duration, Time};
use crate::transaction::TransactionState;

pub use share::{ShareKey, ShareState, ShareStateRecord, StateBatch};

pub use group::{
    ClassicGroupValue, ClassicMemberValue, CurrentValue, EpochValue, GroupRecord, MemberValue, RegexValue,
    ShareGroupRecord, TargetValue,
};

/// The content of a record of `__transaction_state` or `__consumer_offsets`; tombstones have none.
#[derive(Clone, Debug, PartialEq)]
pub enum InternalRecord {
    /// `TransactionLogValue`.
    State(StateRecord),
    /// `OffsetCommitValue`.
    Offset(OffsetRecord),
    /// A group, a member, an assignment; tombstones too.
    Group(GroupRecord),
    /// A share partition, in `__share_group_state`; tombstones too.
    Share(ShareStateRecord),
}

/// A state of a transactional id. The key of the record names the id.
#[derive(Clone, Debug, PartialEq)]
pub struct StateRecord {
    /// The state.
    pub state: TransactionState,
    /// The producer id.
    pub producer_id: u64,
    /// The producer id before; only stored in format 1.
    pub previous_producer_id: Option<u64>,
    /// The producer id to come; only stored in format 1.
    pub next_producer_id: Option<u64>,
    /// The epoch.
    pub epoch: u16,
    /// `transaction.timeout.ms` of its producer.
    pub timeout: Duration,
    /// Partitions of the transaction, in order.
    pub partitions: Rc<[TopicPartition]>,
    /// When it was last changed.
    pub updated: Time,
    /// When the transaction began.
    pub started: Option<Time>,
    /// Record format: 0 with transaction.version 0, else 1.
    pub value_version: u16,
    /// Version of the request behind it: 0 or 2; only stored in format 1.
    pub client_transaction_version: u16,
}

/// A committed offset of a group. The key of the record names group and partition.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetRecord {
    /// The group.
    pub group: Name,
    /// The partition.
    pub partition: TopicPartition,
    /// The next offset to read.
    pub offset: u64,
}
