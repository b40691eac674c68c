//! Reading a log: batches from an offset on, and its last records.
//!
//! What a reader may see is decided by the broker, which gives the bound. The indexes are not used here:
//! places of batches are known; the way that Kafka takes is in `lookup.rs`.

use std::rc::Rc;

use super::batch::{Batch, ProducerStamp};
use super::log::Log;
use super::producers::sequence_after;
use super::segment::Segment;
use crate::event::Record;
use crate::snapshot::{AbortedTransaction, Fate, LogRecord, RecordOrigin};

impl Log {
    /// Batches from the one that holds `offset` on: whole ones that end at or before the offset `below`, at
    /// most `bytes_max` of them but at least one if there is any.
    pub fn read(&self, offset: u64, bytes_max: u32, below: u64) -> Vec<Rc<Batch>> {
        let mut batches: Vec<Rc<Batch>> = Vec::new();
        let mut bytes = 0;
        for batch in self.batches_from(offset) {
            let size = u64::from(batch.size_bytes);
            if batch.end() > below || (bytes > 0 && bytes + size > u64::from(bytes_max)) {
                break;
            }
            bytes += size;
            batches.push(Rc::clone(batch));
        }
        batches
    }

    /// The batch that holds an offset, or the next one.
    pub fn batch_at(&self, offset: u64) -> Option<&Rc<Batch>> {
        self.batches_from(offset).next()
    }

    /// Batches from the one that holds `offset` on; those that are no longer on the local disk, too.
    pub(super) fn batches_from(&self, offset: u64) -> impl Iterator<Item = &Rc<Batch>> {
        let local_base = self.segments[0].base_offset;
        let remote = self.remote.partition_point(|segment| segment.end() <= offset);
        let remote = self.remote[remote..].iter().take_while(move |segment| segment.base_offset < local_base);
        // The segment before the first one that begins above the offset; earlier ones end below it.
        let first = self.segments.partition_point(|segment| segment.base_offset <= offset).saturating_sub(1);
        let segments = remote.chain(&self.segments[first..]);
        segments.flat_map(move |segment| segment.batches.from(segment.place_of(offset))).map(|stored| &stored.batch)
    }

    /// All segments, oldest first: remote ones that are no longer on the local disk, and the local ones.
    pub(super) fn all_segments(&self) -> impl DoubleEndedIterator<Item = &Rc<Segment>> {
        let local_base = self.segments[0].base_offset;
        let remote_only = self.remote.partition_point(|segment| segment.base_offset < local_base);
        self.remote[..remote_only].iter().chain(&self.segments)
    }

    /// Records that are left at and above the log start offset.
    pub fn record_count(&self) -> u64 {
        let all: u64 = self.all_segments().map(|segment| segment.record_count).sum();
        let start = self.log_start_offset;
        let below = self.all_segments().take_while(|segment| segment.base_offset < start);
        let batches = below.flat_map(|segment| segment.batches.iter().take_while(|stored| stored.batch.end() <= start));
        all - batches.map(|stored| u64::from(stored.batch.count)).sum::<u64>()
    }

    /// What became of the transaction of a batch, as far as this log tells.
    fn fate(&self, batch: &Batch) -> Option<Fate> {
        let stamp = batch.stamp.filter(|_| batch.is_transactional && batch.control.is_none())?;
        let state = self.producers.get(&stamp.producer_id);
        if state.and_then(|state| state.transaction_start).is_some_and(|start| start <= batch.base_offset) {
            return Some(Fate::Open);
        }
        let covers = |entry: &AbortedTransaction| {
            let range = entry.first_offset..=entry.last_offset;
            entry.producer_id == stamp.producer_id && range.contains(&batch.base_offset)
        };
        // Its marker is in the batch's segment or in a later one.
        let from = |segment: &&Rc<Segment>| segment.end() > batch.base_offset;
        let mut later = self.all_segments().rev().take_while(from);
        let is_aborted = later.any(|segment| segment.aborted.iter().any(covers));
        Some(if is_aborted { Fate::Aborted } else { Fate::Committed })
    }

    /// The last records, oldest first.
    pub fn last_records(&self, count: usize) -> Vec<LogRecord> {
        let mut known: Option<(u64, Option<Fate>)> = None;
        let record = |(batch, offset, record): (&Batch, u64, &Rc<Record>)| {
            let base = batch.base_offset;
            let (_, fate) = match known {
                Some(known) if known.0 == base => known,
                _ => (base, self.fate(batch)),
            };
            known = Some((base, fate));
            LogRecord {
                offset,
                appended: batch.appended,
                leader_epoch: batch.leader_epoch,
                origin: batch.stamp.map(|stamp| origin(batch, stamp, (offset - base) as u32, fate)),
                record: Rc::clone(record),
            }
        };
        self.last_entries(count).into_iter().map(record).collect()
    }

    /// The last records with their batches and offsets, oldest first.
    pub fn last_entries(&self, count: usize) -> Vec<(&Batch, u64, &Rc<Record>)> {
        let mut entries = Vec::new();
        let batches = self
            .all_segments()
            .rev()
            .flat_map(|segment| (0..segment.batches.len()).rev().filter_map(|place| segment.batches.get(place)));
        let mut missing = count as u64;
        for stored in batches.take_while(|stored| stored.batch.end() > self.log_start_offset) {
            if missing == 0 {
                break;
            }
            let (batch, first) = (&*stored.batch, entries.len());
            let left = batch.entries().filter(|(offset, _)| *offset >= self.log_start_offset);
            entries.extend(left.map(|(offset, record)| (batch, offset, record)));
            let surplus = (entries.len() - first).saturating_sub(missing as usize);
            entries.drain(first..first + surplus);
            entries[first..].reverse();
            // Records without content are passed over like others, so that the walk ends.
            missing = missing.saturating_sub(u64::from(batch.count));
        }
        entries.reverse();
        entries
    }
}

/// Who wrote a record, by its place in its batch.
fn origin(batch: &Batch, stamp: ProducerStamp, delta: u32, fate: Option<Fate>) -> RecordOrigin {
    RecordOrigin {
        producer_id: stamp.producer_id,
        epoch: stamp.epoch,
        sequence: (stamp.base_sequence >= 0).then(|| sequence_after(stamp.base_sequence, delta)),
        batch: (batch.base_offset, batch.last_offset),
        is_transactional: batch.is_transactional,
        marker: batch.control.map(|control| control.marker),
        coordinator_epoch: batch.control.map(|control| control.coordinator_epoch),
        fate,
    }
}
