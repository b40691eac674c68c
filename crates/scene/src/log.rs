//! One replica's log as a lane shows it, whoever keeps the records: the partition or the replica itself.
//!
//! Borrows from a snapshot and decides nothing about places.

use engine::snapshot::{LogRecord, PartitionSnapshot, ReplicaSnapshot};

use crate::stage::{LaneBox, LaneKind};

/// What a lane shows of a log.
#[derive(Clone, Copy, Debug)]
pub struct Log<'a> {
    /// The last records, oldest first.
    pub records: &'a [LogRecord],
    /// Records in the log; of a follower offsets, since nobody counts its records.
    pub record_count: u64,
    /// First offset.
    pub log_start_offset: u64,
    /// What this replica takes for the high watermark.
    pub high_watermark: u64,
    /// Below it no transaction is open; a follower's is not told.
    pub last_stable_offset: Option<u64>,
    /// The next offset.
    pub log_end_offset: u64,
    /// First offset of the active segment, if it is not the only one.
    pub active_base_offset: Option<u64>,
}

impl<'a> Log<'a> {
    /// The log on a lane.
    pub fn of(lane: &LaneBox, partition: &'a PartitionSnapshot) -> Log<'a> {
        match (lane.kind, lane.broker) {
            (LaneKind::Follower, Some(broker)) => Log::of_replica(partition, broker),
            _ => Log::of_leader(partition),
        }
    }

    /// The leader's log: the partition as clients see it.
    pub fn of_leader(partition: &'a PartitionSnapshot) -> Log<'a> {
        let replica = partition.leader.and_then(|leader| replica_of(partition, leader));
        Log {
            records: &partition.records,
            record_count: partition.record_count,
            log_start_offset: partition.log_start_offset,
            high_watermark: partition.high_watermark,
            last_stable_offset: Some(partition.last_stable_offset),
            log_end_offset: partition.log_end_offset,
            active_base_offset: replica.and_then(active_base_offset),
        }
    }

    /// The log of a replica that does not lead.
    pub fn of_replica(partition: &'a PartitionSnapshot, broker: u32) -> Log<'a> {
        let Some(replica) = replica_of(partition, broker) else {
            let none = Log::of_leader(partition);
            return Log {
                records: &[],
                record_count: 0,
                high_watermark: 0,
                log_start_offset: 0,
                log_end_offset: 0,
                ..none
            };
        };
        let start = replica.log_start_offset.min(replica.log_end_offset);
        let first = replica.records.first().map_or(replica.log_end_offset, |record| record.offset);
        Log {
            records: &replica.records,
            record_count: replica.records.len() as u64 + first.saturating_sub(start),
            log_start_offset: replica.log_start_offset,
            high_watermark: replica.high_watermark,
            last_stable_offset: None,
            log_end_offset: replica.log_end_offset,
            active_base_offset: active_base_offset(replica),
        }
    }

    /// Whether offsets without a record come before the record at an index, or at the end before the next offset.
    pub fn has_gap_before(&self, index: usize) -> bool {
        self.gap_before(index).is_some()
    }

    /// The first and the last of those offsets.
    pub fn gap_before(&self, index: usize) -> Option<(u64, u64)> {
        let before = match index.checked_sub(1) {
            Some(before) => self.records.get(before)?.offset + 1,
            // What is before the first record at hand is known only if that is the first of all.
            None if self.record_count == self.records.len() as u64 => self.log_start_offset,
            None => return None,
        };
        let after = match self.records.get(index) {
            Some(record) => record.offset,
            None if index == self.records.len() && index > 0 => self.log_end_offset,
            None => return None,
        };
        (after > before).then(|| (before, after - 1))
    }
}

/// A replica's own log.
pub fn replica_of(partition: &PartitionSnapshot, broker: u32) -> Option<&ReplicaSnapshot> {
    partition.logs.iter().find(|replica| replica.broker == broker)
}

fn active_base_offset(replica: &ReplicaSnapshot) -> Option<u64> {
    (replica.segment_count > 1).then_some(replica.active_base_offset)
}
