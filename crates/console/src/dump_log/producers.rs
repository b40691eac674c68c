//! Files that tell of producers: snapshots of their state, and indexes of aborted transactions.
//!
//! Follows `ProducerStateManager.readSnapshot` and `TransactionIndex` of 4.3.1. The records that they wrote are
//! in `log.rs`.

use super::file::LogFile;
use crate::java_order::hash_order;
use crate::place::unix_millis;

/// A `.snapshot` file: what was known of each producer at its offset, in the order of the broker's hash table.
pub(super) fn snapshot(file: &LogFile<'_>, out: &mut String) {
    let found = file.view.snapshots.iter().find(|(offset, _)| *offset == file.offset);
    let states = found.map(|(_, producers)| producers.clone()).unwrap_or_default();
    for state in hash_order(states, |state| long_hash(state.producer_id)) {
        let time = unix_millis(state.last_timestamp);
        let coordinator_epoch = state.coordinator_epoch.map_or(-1, i64::from);
        let start = match state.transaction_start {
            Some(offset) => format!("OptionalLong[{offset}]"),
            None => "OptionalLong.empty".to_string(),
        };
        out.push_str(&format!(
            "producerId: {} producerEpoch: {} coordinatorEpoch: {coordinator_epoch} currentTxnFirstOffset: {start} lastTimestamp: {time} ",
            state.producer_id, state.producer_epoch
        ));
        if state.last_offset >= 0 {
            out.push_str(&format!(
                "firstSequence: {} lastSequence: {} lastOffset: {} offsetDelta: {} timestamp: {time}",
                state.first_sequence, state.last_sequence, state.last_offset, state.offset_delta
            ));
        }
        out.push('\n');
    }
}

/// A `.txnindex` file: the transactions whose ABORT is in its segment.
pub(super) fn aborted(file: &LogFile<'_>, out: &mut String) {
    let segment = file.view.segments.iter().find(|segment| segment.base_offset == file.offset);
    for entry in segment.map(|segment| segment.aborted.as_slice()).unwrap_or_default() {
        out.push_str(&format!(
            "version: 0 producerId: {} firstOffset: {} lastOffset: {} lastStableOffset: {}\n",
            entry.producer_id, entry.first_offset, entry.last_offset, entry.last_stable_offset
        ));
    }
}

/// `Long.hashCode`.
fn long_hash(number: u64) -> i32 {
    (number ^ (number >> 32)) as i32
}
