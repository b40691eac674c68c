//! Records of share partitions in `__share_group_state`.
//!
//! Plain values; who writes and reads them is in `coordinator/share/`.

use std::rc::Rc;

use crate::event::{Name, TopicPartition};
use crate::share::RecordState;

/// A share partition: what a share coordinator keeps states by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShareKey {
    /// The share group.
    pub group: Name,
    /// The partition.
    pub partition: TopicPartition,
}

/// A record of a share partition.
#[derive(Clone, Debug, PartialEq)]
pub enum ShareStateRecord {
    /// `ShareSnapshotKey`: everything, or a tombstone.
    Snapshot {
        /// Whose.
        key: ShareKey,
        /// The state.
        value: Option<Rc<ShareState>>,
    },
    /// `ShareUpdateKey`: what has changed since the last record.
    Update {
        /// Whose.
        key: ShareKey,
        /// The change: only the batches that are others now.
        value: Rc<ShareState>,
    },
}

/// The state of a share partition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShareState {
    /// Counts the snapshots.
    pub snapshot_epoch: u32,
    /// Updates since the last snapshot.
    pub update_count: u64,
    /// Raised whenever the group coordinator initializes it.
    pub state_epoch: i32,
    /// The leader epoch of the partition that wrote last.
    pub leader_epoch: u32,
    /// The start offset; absent before the leader has written one.
    pub start_offset: Option<u64>,
    /// Records from there on that are done or archived.
    pub delivery_complete_count: u64,
    /// States of records from the start offset on, in order.
    pub batches: Vec<StateBatch>,
}

/// Neighbors in the same state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateBatch {
    /// The first offset.
    pub first_offset: u64,
    /// The last offset.
    pub last_offset: u64,
    /// AVAILABLE, ACKNOWLEDGED or ARCHIVED: who holds a record is not written.
    pub state: RecordState,
    /// How often they were delivered.
    pub delivery_count: u16,
}
