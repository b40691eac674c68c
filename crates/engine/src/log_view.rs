//! A partition's folder opened: segments, indexes, producer state, and the way a lookup takes.
//!
//! Read models only, made when somebody opens a partition; the log itself is in `storage/`.

use serde::Serialize;

use crate::event::Name;
use crate::snapshot::AbortedTransaction;
use crate::transaction::MarkerKind;

/// One replica's log directory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogView {
    /// The topic.
    pub topic: Name,
    /// The partition.
    pub partition: u32,
    /// The broker.
    pub broker: u32,
    /// First offset, remote storage included.
    pub log_start_offset: u64,
    /// First offset on the local disk.
    pub local_log_start_offset: u64,
    /// What this replica takes for the high watermark.
    pub high_watermark: u64,
    /// The next offset.
    pub log_end_offset: u64,
    /// Everything below was compacted.
    pub clean_until: u64,
    /// Bytes that the cleaner would go over now, and all bytes that count for the dirty ratio.
    pub dirty_bytes: (u64, u64),
    /// Segments on the local disk, oldest first; the last one is active.
    pub segments: Vec<SegmentView>,
    /// First offsets of segments in remote storage, and their sizes.
    pub remote_segments: Vec<(u64, u64)>,
    /// Leader epochs and the offsets at which they began.
    pub epochs: Vec<(u32, u64)>,
    /// Producer state of the leader (or of this replica), by producer id.
    pub producers: Vec<ProducerStateView>,
    /// Producer state at the start of segments and where a process began, by offset: the `.snapshot` files.
    pub snapshots: Vec<(u64, Vec<ProducerStateView>)>,
    /// Names of all files of the directory with their sizes in bytes, in name order. Files with the ending
    /// `.deleted` go after `file.delete.delay.ms`. Index files of the active segment have their full size.
    pub files: Vec<(String, u64)>,
}

/// One segment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SegmentView {
    /// First offset, which names its files.
    pub base_offset: u64,
    /// Bytes in the `.log` file.
    pub size_bytes: u64,
    /// First batch's base offset; absent if it is empty.
    pub first_batch_base_offset: Option<u64>,
    /// Last offset; absent if it is empty.
    pub last_offset: Option<u64>,
    /// Batches.
    pub batch_count: u64,
    /// Records.
    pub record_count: u64,
    /// Largest record timestamp in milliseconds, if it holds records.
    pub largest_timestamp: Option<i64>,
    /// Whether it is the active one.
    pub is_active: bool,
    /// Offset index: offset relative to the base, position in bytes. The file of an active segment goes on
    /// with zeros, so that `kafka-dump-log.sh` shows one entry (0, 0) of an empty one.
    pub offset_index: Vec<(u32, u32)>,
    /// Time index: timestamp in milliseconds, offset relative to the base. Zeros follow as above.
    pub time_index: Vec<(i64, u32)>,
    /// Index of aborted transactions; the file is there if it is not empty.
    pub aborted: Vec<AbortedTransaction>,
}

/// One batch in a segment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BatchInSegment {
    /// Base offset.
    pub base_offset: u64,
    /// Last offset; compaction keeps it even when the record is gone.
    pub last_offset: u64,
    /// Records that are left.
    pub count: u32,
    /// Position in the file.
    pub position: u64,
    /// Size in bytes.
    pub size_bytes: u32,
    /// How its records are compressed.
    pub codec: crate::event::Codec,
    /// The leader epoch.
    pub leader_epoch: u32,
    /// Producer id, epoch and base sequence, for an idempotent producer.
    pub producer: Option<(u64, u16, i32)>,
    /// Sequence of the last record when it was written; -1 without a producer.
    pub last_sequence: i32,
    /// Base timestamp in the header: of the first record, or the delete horizon if there is one.
    pub base_timestamp: i64,
    /// Largest timestamp, in milliseconds.
    pub max_timestamp: i64,
    /// Whether timestamps are the broker's (`LogAppendTime`); all records then have the largest one.
    pub is_log_append_time: bool,
    /// Whether it belongs to a transaction.
    pub is_transactional: bool,
    /// Set for a transaction's marker: which one, and the coordinator's epoch.
    pub control: Option<(MarkerKind, u32)>,
    /// When its tombstones may go, in milliseconds, once a cleaning has seen them.
    pub delete_horizon: Option<i64>,
    /// Offsets and records that are left; empty for records without content.
    pub records: Vec<(u64, std::rc::Rc<crate::event::Record>)>,
}

/// What a replica knows about a producer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProducerStateView {
    /// The producer id.
    pub producer_id: u64,
    /// Its epoch.
    pub producer_epoch: u16,
    /// Sequence of its last record; -1 if no batch is remembered.
    pub last_sequence: i32,
    /// First sequence of its last batch; -1 if no batch is remembered.
    pub first_sequence: i32,
    /// Offset of its last record; -1 if no batch is remembered.
    pub last_offset: i64,
    /// Offset of the last record of its last batch, relative to the first.
    pub offset_delta: u32,
    /// Timestamp of its last batch or marker, in milliseconds.
    pub last_timestamp: i64,
    /// The coordinator's epoch in its last marker.
    pub coordinator_epoch: Option<u32>,
    /// First offset of its open transaction.
    pub transaction_start: Option<u64>,
}

/// The way from an offset to its bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lookup {
    /// The offset that was looked for.
    pub offset: u64,
    /// Base offset of the segment.
    pub segment: u64,
    /// The index entry at or below it: relative offset and position; (0, 0) if there is none.
    pub entry: (u32, u32),
    /// Batches that were passed over.
    pub batches_scanned: u32,
    /// Position of the batch that holds the offset.
    pub position: u64,
    /// Base offset of that batch.
    pub batch_base_offset: u64,
}

/// The way from a timestamp to the first record that is not older.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimestampLookup {
    /// The timestamp that was looked for, in milliseconds.
    pub timestamp: i64,
    /// Base offset of the first segment that holds a timestamp as large.
    pub segment: u64,
    /// The entry of the time index at or below it: timestamp and relative offset; absent if there is none.
    pub time_entry: Option<(i64, u32)>,
    /// The entry of the offset index at or below that offset: relative offset and position; (0, 0) if
    /// there is none.
    pub entry: (u32, u32),
    /// Batches that were passed over.
    pub batches_scanned: u32,
    /// Position of the batch that holds the record.
    pub position: u64,
    /// Timestamp and offset of the record.
    pub found: (i64, u64),
}
