//! Cutting a log: what goes with its end.
//!
//! Where to cut is found out by the follower, from the leader's epochs. Segments that go at the other end
//! are in `retention.rs`.

use std::rc::Rc;

use super::batch::Batch;
use super::log::{Log, draw_jitter};
use super::segment::Segment;
use super::transactions::Transactions;
use crate::time::Time;

impl Log {
    /// Cuts off everything from an offset on.
    pub fn truncate_to(&mut self, offset: u64, now: Time) {
        if offset >= self.log_end_offset {
            // Nothing to cut, but an epoch without records may contradict the leader's.
            self.epochs.truncate_from_end(offset);
            return;
        }
        if self.segments[0].base_offset > offset {
            return self.truncate_fully_and_start_at(offset, now);
        }
        let kept = self.segments.partition_point(|segment| segment.base_offset < offset).max(1);
        self.drop_segments(kept, now);
        self.active_mut().truncate(offset, now);
        self.log_end_offset = offset;
        self.log_start_offset = self.log_start_offset.min(offset);
        self.set_high_watermark(self.high_watermark, now);
        self.clean_until = self.clean_until.map(|until| until.min(offset));
        self.size_bytes = self.segments.iter().map(|segment| segment.size_bytes).sum();
        self.epochs.truncate_from_end(offset);
        self.rebuild_producers();
    }

    /// Drops everything; the next offset is `offset`.
    pub fn truncate_fully_and_start_at(&mut self, offset: u64, now: Time) {
        let jitter_ms = draw_jitter(&self.settings, &mut self.jitter);
        self.drop_segments(0, now);
        self.segments.push(Rc::new(Segment::new(offset, now, jitter_ms)));
        self.log_start_offset = offset;
        self.log_end_offset = offset;
        self.set_high_watermark(offset, now);
        self.size_bytes = 0;
        self.epochs.clear();
        self.producers = Rc::default();
        self.transactions = Transactions::default();
        self.snapshots.clear();
        self.clean_until = self.clean_until.map(|until| until.min(offset));
    }

    /// Takes segments out of the log, from a place on; their files go later.
    fn drop_segments(&mut self, place: usize, now: Time) {
        let gone = now + self.settings.file_delete_delay;
        let dropped: Vec<_> = self.segments.drain(place..).collect();
        dropped.iter().for_each(|segment| self.files.delete_segment(segment, gone));
    }

    /// The producers' state anew, from the last snapshot and the batches after it.
    fn rebuild_producers(&mut self) {
        let end = self.log_end_offset;
        self.snapshots.retain(|(offset, _)| *offset <= end);
        let (from, states) = match self.snapshots.last() {
            Some((offset, states)) => (*offset, Rc::clone(states)),
            None => (self.log_start_offset, Rc::default()),
        };
        self.transactions.load(&states);
        self.producers = states;
        let batches: Vec<Rc<Batch>> = self.batches_from(from).map(Rc::clone).collect();
        for batch in batches {
            // The indexes of aborted transactions were cut already.
            self.note_producer(&batch);
        }
        self.transactions.replicated(self.high_watermark);
    }
}
