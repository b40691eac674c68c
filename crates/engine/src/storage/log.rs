//! The log of one replica: batches in offset order, with start, end and high watermark.
//!
//! Full chunks, and shelves of chunks, are shared between checkpoints, so a clone of a log costs a pointer
//! for some thousand batches.
//! It does not decide what may be appended; the broker does.

use std::rc::Rc;

use super::batch::{Batch, ProducerStamp};
use crate::event::{BatchView, Moment};
use crate::snapshot::LogRecord;

/// Batches in a shared chunk.
const CHUNK_BATCHES: usize = 32;
/// Chunks in a shared shelf.
const SHELF_CHUNKS: usize = 64;

type Chunk = Rc<[Rc<Batch>]>;

/// One replica's log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    shelves: Vec<Rc<[Chunk]>>,
    chunks: Vec<Chunk>,
    tail: Vec<Rc<Batch>>,
    pub log_start_offset: u64,
    pub log_end_offset: u64,
    pub high_watermark: u64,
    pub size_bytes: u64,
}

impl Log {
    /// Appends a batch at the end; returns the offset of its first record.
    pub fn append(&mut self, view: &BatchView, stamp: Option<ProducerStamp>, appended: Moment) -> u64 {
        let base_offset = self.log_end_offset;
        self.log_end_offset += view.records.len() as u64;
        self.size_bytes += u64::from(view.size_bytes);
        let times = || view.records.iter().map(|record| record.create_time);
        self.tail.push(Rc::new(Batch {
            base_offset,
            last_offset: self.log_end_offset - 1,
            leader_epoch: 0,
            stamp,
            size_bytes: view.size_bytes,
            count: view.records.len() as u32,
            records: Rc::clone(&view.records),
            offsets: None,
            base_timestamp: times().next().unwrap_or(0),
            max_timestamp: times().max().unwrap_or(0),
            is_log_append_time: false,
            delete_horizon: None,
            appended,
        }));
        if self.tail.len() == CHUNK_BATCHES {
            self.chunks.push(std::mem::take(&mut self.tail).into());
        }
        if self.chunks.len() == SHELF_CHUNKS {
            self.shelves.push(std::mem::take(&mut self.chunks).into());
        }
        base_offset
    }

    /// Batches from the one that holds `offset` up to the high watermark, at most `bytes_max` of them
    /// but at least one.
    pub fn read(&self, offset: u64, bytes_max: u32) -> Vec<Rc<Batch>> {
        let mut batches: Vec<Rc<Batch>> = Vec::new();
        let mut bytes = 0;
        for batch in self.from(offset) {
            if batch.end() > self.high_watermark || (bytes > 0 && bytes + batch.size_bytes > bytes_max) {
                break;
            }
            bytes += batch.size_bytes;
            batches.push(Rc::clone(batch));
        }
        batches
    }

    /// The last records, oldest first.
    pub fn last_records(&self, count: usize) -> Vec<LogRecord> {
        let from = self.log_end_offset.saturating_sub(count as u64).max(self.log_start_offset);
        let mut records = Vec::new();
        for batch in self.from(from) {
            for (offset, record) in batch.entries().filter(|(offset, _)| *offset >= from) {
                let record = Rc::clone(record);
                records.push(LogRecord { offset, appended: batch.appended, leader_epoch: batch.leader_epoch, record });
            }
        }
        records
    }

    /// Bytes that a clone does not share.
    pub fn own_bytes(&self) -> u64 {
        ((self.shelves.len() + self.chunks.len()) * 16 + self.tail.len() * size_of::<Rc<Batch>>()) as u64
    }

    /// Batches from the one that holds `offset` on.
    fn from(&self, offset: u64) -> impl Iterator<Item = &Rc<Batch>> {
        let is_before = move |chunk: &Chunk| chunk.last().is_some_and(|last| end(last) <= offset);
        let shelf = self.shelves.partition_point(|shelf| shelf.last().is_some_and(is_before));
        let shelved = self.shelves[shelf..].iter().flat_map(|shelf| shelf.iter());
        let chunks = shelved.chain(self.chunks.iter()).skip_while(move |chunk| is_before(chunk));
        let batches = chunks.flat_map(|chunk| chunk.iter()).chain(self.tail.iter());
        batches.skip_while(move |stored| end(stored) <= offset)
    }
}

fn end(batch: &Rc<Batch>) -> u64 {
    batch.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Record, RecordId, TopicPartition};
    use crate::time::Time;

    fn batch(first: u64, count: u64) -> BatchView {
        let record = |number| {
            Rc::new(Record {
                id: RecordId { producer: 0, number },
                producer: "p".into(),
                key: None,
                key_text: None,
                value: None,
                value_size: 0,
                timestamp: Time::ZERO,
                create_time: 0,
                headers: None,
                command: None,
            })
        };
        let partition = TopicPartition { topic: "t".into(), partition: 0 };
        BatchView { partition, records: (first..first + count).map(record).collect(), size_bytes: 100 }
    }

    #[test]
    fn reads_start_at_the_batch_that_holds_the_offset_and_end_at_the_high_watermark() {
        let mut log = Log::default();
        for number in 0..5_000 {
            assert_eq!(log.append(&batch(number * 3, 3), None, Moment::default()), number * 3);
        }
        log.high_watermark = 14_991;
        let offsets = |offset, bytes| log.read(offset, bytes).iter().map(|batch| batch.base_offset).collect::<Vec<_>>();
        assert_eq!(offsets(14_983, 1_000), [14_982, 14_985, 14_988]);
        assert_eq!(offsets(0, 1), [0], "at least one batch");
        assert_eq!(offsets(14_991, 1_000), [0u64; 0]);
        let last: Vec<_> = log.last_records(4).iter().map(|record| record.offset).collect();
        assert_eq!(last, [14_996, 14_997, 14_998, 14_999]);
    }
}
