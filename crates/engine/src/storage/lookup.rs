//! The way from an offset or a timestamp to a batch: index entry, then a scan.
//!
//! Follows `LogSegment.translateOffset` and `findOffsetByTimestamp` of Kafka 4.3.1. Reads take a shorter
//! way (see `log.rs`); this one tells what Kafka's takes.

use std::rc::Rc;

use super::log::Log;
use super::segment::{Segment, Stored};
use crate::log_view::{Lookup, TimestampLookup};

impl Log {
    /// The way to an offset on the local disk; nothing if the log does not hold it there.
    pub fn lookup(&self, offset: u64) -> Option<Lookup> {
        if offset < self.local_log_start_offset() || offset >= self.log_end_offset {
            return None;
        }
        let place = self.segments.partition_point(|segment| segment.base_offset <= offset).checked_sub(1)?;
        // After a cleaning the offset may lie in a gap at a segment's end; the next segment answers then.
        let segment = self.segments[place..].iter().find(|segment| segment.end() > offset)?;
        let entry = segment.floor_entry(offset);
        let (scanned, found) = segment.scan(entry.1, |stored| stored.batch.end() > offset)?;
        Some(Lookup {
            offset,
            segment: segment.base_offset,
            entry,
            batches_scanned: scanned,
            position: u64::from(found.position),
            batch_base_offset: found.batch.base_offset,
        })
    }

    /// Timestamp and offset of the first record that is not older than a timestamp in milliseconds.
    #[cfg(test)]
    pub fn lookup_timestamp(&self, millis: i64) -> Option<(i64, u64)> {
        self.timestamp_path(millis).map(|path| path.found)
    }

    /// The way to that record.
    pub fn timestamp_path(&self, millis: i64) -> Option<TimestampLookup> {
        let is_new_enough = |segment: &&Rc<Segment>| segment.largest.is_some_and(|(newest, _)| newest >= millis);
        let segment = self.segments.iter().find(is_new_enough)?;
        let start = self.log_start_offset;
        let time_place = segment.time_index.partition_point(|entry| entry.0 <= millis);
        let time_entry = time_place.checked_sub(1).and_then(|place| segment.time_index.get(place)).copied();
        let from = segment.base_offset + time_entry.map_or(0, |(_, relative)| u64::from(relative));
        let entry = segment.floor_entry(from.max(start));
        let first_record = |stored: &Stored| {
            let batch = &stored.batch;
            let timestamp = |create_time| if batch.is_log_append_time { batch.max_timestamp } else { create_time };
            let mut records = batch.entries().map(|(offset, record)| (timestamp(record.create_time), offset));
            let found = records.find(|(timestamp, offset)| *timestamp >= millis && *offset >= start);
            let is_bare = batch.records.is_empty() && batch.count > 0 && batch.max_timestamp >= millis;
            found.or_else(|| is_bare.then_some((batch.max_timestamp, batch.base_offset.max(start))))
        };
        let (batches_scanned, stored) = segment.scan(entry.1, |stored| first_record(stored).is_some())?;
        let position = u64::from(stored.position);
        let found = first_record(stored)?;
        Some(TimestampLookup {
            timestamp: millis,
            segment: segment.base_offset,
            time_entry,
            entry,
            batches_scanned,
            position,
            found,
        })
    }
}

impl Segment {
    /// The entry of the offset index at or below an offset; (0, 0) if there is none.
    fn floor_entry(&self, offset: u64) -> (u32, u32) {
        let place = self.offset_index.partition_point(|entry| self.base_offset + u64::from(entry.0) <= offset);
        place.checked_sub(1).and_then(|place| self.offset_index.get(place)).copied().unwrap_or((0, 0))
    }

    /// How many batches are passed over from a position on, and the first one that is looked for.
    fn scan(&self, position: u32, is_found: impl Fn(&Stored) -> bool) -> Option<(u32, &Stored)> {
        let first = self.batches.partition_point(|stored| stored.position < position);
        (0..).zip(self.batches.from(first)).find(|(_, stored)| is_found(stored))
    }
}
