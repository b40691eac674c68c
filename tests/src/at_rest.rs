//! What must be true of a partition once everything has come to rest, whatever was done to it before.
//!
//! The crash matrix and the fuzz of transactions both ask for it.

use engine::snapshot::{Fate, LogRecord, PartitionSnapshot};

/// No transaction is open, and readers of committed data reach the end.
pub(crate) fn ends_clean(partition: &PartitionSnapshot) -> Result<(), String> {
    let PartitionSnapshot { last_stable_offset, high_watermark, log_end_offset, .. } = partition;
    if last_stable_offset != log_end_offset || high_watermark != log_end_offset {
        return Err(format!("LSO {last_stable_offset}, high watermark {high_watermark}, end {log_end_offset}"));
    }
    let is_open = |record: &&LogRecord| record.origin.is_some_and(|origin| origin.fate == Some(Fate::Open));
    match partition.records.iter().find(is_open) {
        Some(record) => Err(format!("the transaction of offset {} is open", record.offset)),
        None => Ok(()),
    }
}

/// Whether a record is one that an application wrote.
pub(crate) fn is_data(record: &&LogRecord) -> bool {
    record.origin.is_none_or(|origin| origin.marker.is_none())
}

/// Whether a reader of committed data gets a record.
pub(crate) fn is_committed(record: &&LogRecord) -> bool {
    is_data(record) && record.origin.is_none_or(|origin| !matches!(origin.fate, Some(Fate::Aborted | Fate::Open)))
}
