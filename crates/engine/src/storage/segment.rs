//! A segment: a file of batches with its sparse offset and time indexes.
//!
//! Follows `LogSegment`, `OffsetIndex` and `TimeIndex` of Kafka 4.3.1. When a segment is deleted or
//! compacted is decided elsewhere.

use std::rc::Rc;

use super::batch::Batch;
use super::settings::LogSettings;
use super::shelves::Shelves;
use crate::event::RollReason;
use crate::snapshot::AbortedTransaction;
use crate::time::Time;

/// A batch and its position in the file.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub batch: Rc<Batch>,
    pub position: u32,
}

/// One segment.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub base_offset: u64,
    pub batches: Shelves<Stored>,
    pub size_bytes: u64,
    pub record_count: u64,
    /// Relative offset and position.
    pub offset_index: Shelves<(u32, u32)>,
    /// Timestamp and relative offset.
    pub time_index: Shelves<(i64, u32)>,
    /// Largest timestamp, and the last offset of the first batch that has it.
    pub largest: Option<(i64, u64)>,
    pub bytes_since_index: u64,
    pub created: Time,
    pub last_modified: Time,
    /// How much earlier than `segment.ms` it may be closed.
    pub jitter_ms: i64,
    /// Whether the file of its offset index is there: it is made by the first append.
    pub has_index_file: bool,
    /// Transactions whose ABORT is in it: its `.txnindex`, which is there if it is not empty.
    pub aborted: Vec<AbortedTransaction>,
}

impl Segment {
    /// An empty segment.
    pub fn new(base_offset: u64, created: Time, jitter_ms: i64) -> Segment {
        Segment {
            base_offset,
            batches: Shelves::default(),
            size_bytes: 0,
            record_count: 0,
            offset_index: Shelves::default(),
            time_index: Shelves::default(),
            largest: None,
            bytes_since_index: 0,
            created,
            last_modified: created,
            jitter_ms,
            has_index_file: false,
            aborted: Vec::new(),
        }
    }

    /// The offset after its last batch.
    pub fn end(&self) -> u64 {
        self.batches.last().map_or(self.base_offset, |last| last.batch.end())
    }

    /// Why it must be closed before this batch, if it must.
    pub fn roll_reason(&self, settings: &LogSettings, batch: &Batch, now: Time) -> Option<RollReason> {
        let has_content = self.size_bytes > 0;
        let waited = match self.batches.first() {
            Some(first) => batch.max_timestamp.saturating_sub(first.batch.max_timestamp),
            None => now.since(self.created).millis() as i64,
        };
        // An empty segment takes a batch of any size; leaders refuse those above segment.bytes before.
        if has_content && self.size_bytes + u64::from(batch.size_bytes) > settings.segment_bytes {
            Some(RollReason::Size)
        } else if has_content && waited > settings.segment_ms - self.jitter_ms {
            Some(RollReason::Time)
        } else if self.offset_index.len() as u64 >= settings.offset_entries_max() {
            Some(RollReason::OffsetIndex)
        } else if self.time_index.len() as u64 + 1 >= settings.time_entries_max() {
            Some(RollReason::TimeIndex)
        } else if batch.last_offset - self.base_offset > i32::MAX as u64 {
            Some(RollReason::Offsets)
        } else {
            None
        }
    }

    /// Appends a batch at the end of the file.
    pub fn append(&mut self, batch: Rc<Batch>, index_interval_bytes: u64, now: Time) {
        // A position above 4 GiB is impossible: segment.bytes is an int, and a larger batch stands alone.
        let position = u32::try_from(self.size_bytes).expect("positions fit into 32 bits");
        if self.largest.is_none_or(|largest| batch.max_timestamp > largest.0) {
            self.largest = Some((batch.max_timestamp, batch.last_offset));
        }
        if self.bytes_since_index > index_interval_bytes {
            self.offset_index.push((self.relative(batch.last_offset), position));
            self.index_time();
            self.bytes_since_index = 0;
        }
        self.bytes_since_index += u64::from(batch.size_bytes);
        self.size_bytes += u64::from(batch.size_bytes);
        self.record_count += u64::from(batch.count);
        self.last_modified = now;
        self.has_index_file = true;
        self.batches.push(Stored { batch, position });
    }

    /// The last entry of the time index, when the segment is closed.
    pub fn close(&mut self) {
        self.index_time();
    }

    /// An entry of the time index with the largest timestamp so far, unless the last entry has it.
    fn index_time(&mut self) {
        if let Some((timestamp, offset)) = self.largest
            && self.time_index.last().is_none_or(|last| last.0 < timestamp)
        {
            self.time_index.push((timestamp, self.relative(offset)));
        }
    }

    fn relative(&self, offset: u64) -> u32 {
        u32::try_from(offset - self.base_offset).expect("relative offsets fit into 32 bits")
    }

    /// The place of the first batch that ends after an offset.
    pub fn place_of(&self, offset: u64) -> usize {
        self.batches.partition_point(|stored| stored.batch.end() <= offset)
    }

    /// Cuts off everything at and above an offset; batches go as a whole.
    pub fn truncate(&mut self, offset: u64, now: Time) {
        let kept = self.batches.partition_point(|stored| stored.batch.end() <= offset);
        if kept == self.batches.len() {
            return;
        }
        let removed: u64 = self.batches.from(kept).map(|stored| u64::from(stored.batch.count)).sum();
        self.record_count -= removed;
        self.size_bytes = self.batches.get(kept).map_or(self.size_bytes, |first| u64::from(first.position));
        self.batches.truncate(kept);
        let base_offset = self.base_offset;
        let is_below = |relative: u32| base_offset + u64::from(relative) < offset;
        self.offset_index.truncate(self.offset_index.partition_point(|entry| is_below(entry.0)));
        self.time_index.truncate(self.time_index.partition_point(|entry| is_below(entry.1)));
        self.aborted.retain(|entry| entry.last_offset < offset);
        self.largest = None;
        for stored in self.batches.iter() {
            if self.largest.is_none_or(|largest| stored.batch.max_timestamp > largest.0) {
                self.largest = Some((stored.batch.max_timestamp, stored.batch.last_offset));
            }
        }
        // As LogSegment.truncateTo: the distance to the next entry is counted anew.
        self.bytes_since_index = 0;
        self.last_modified = now;
        if self.batches.is_empty() {
            self.created = now;
        }
    }

    /// Bytes that a clone does not share.
    pub fn own_bytes(&self) -> u64 {
        let lists = self.batches.own_bytes() + self.offset_index.own_bytes() + self.time_index.own_bytes();
        let aborted = self.aborted.len() * size_of::<AbortedTransaction>();
        size_of::<Segment>() as u64 + lists + aborted as u64
    }
}
