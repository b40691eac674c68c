//! What the end and the start of a broker's process do to a log.
//!
//! Follows `LogManager.shutdown` and `LogLoader` of Kafka 4.3.1. Simplified: fsync is not modelled, so a
//! killed process loses no records; with Kafka the machine may still lose what only the page cache held.

use std::rc::Rc;

use super::log::Log;
use super::segment::Segment;
use crate::time::{Duration, Time};

impl Log {
    /// The process ends. In order: the high watermark goes to its checkpoint and the indexes are closed;
    /// otherwise the checkpoint is as old as it is. Only what is on disk is left.
    pub fn close(&mut self, now: Time, is_clean: bool) {
        if is_clean {
            self.active_mut().close();
        }
        let written = if is_clean { self.high_watermark } else { self.checkpointed_high_watermark(now) };
        self.checkpoint.write(written);
        self.high_watermark = written.clamp(self.log_start_offset, self.log_end_offset);
    }

    /// A process starts and loads the log. `checkpoint_interval` is
    /// `replica.high.watermark.checkpoint.interval.ms`; `is_clean` tells how the last process ended.
    pub fn open(&mut self, now: Time, checkpoint_interval: Duration, is_clean: bool) {
        self.checkpoint.restart(now, checkpoint_interval);
        if !is_clean {
            let interval = self.settings.index_interval_bytes;
            let recovered = self.active().recovered(interval);
            *self.active_mut() = recovered;
        }
        let active = self.active_mut();
        active.created = now;
        active.has_index_file = true;
        // The distance to the last index entry is not stored: it is counted anew.
        active.bytes_since_index = 0;
        self.forget_producers(now);
        // What is read from a snapshot is taken for replicated; what follows it is not.
        let high_watermark = if is_clean { u64::MAX } else { self.high_watermark };
        self.transactions.replicated(high_watermark);
        self.transactions.forget_verifications();
        self.producer_expiry.since = now;
        self.take_snapshot();
    }

    /// When the high watermark is written to its checkpoint: at this interval after the start of the process.
    pub fn set_checkpoint_interval(&mut self, started: Time, interval: Duration) {
        self.checkpoint.restart(started, interval);
    }

    /// The producers' state at the log end. Earlier snapshots that no segment begins at are dropped.
    fn take_snapshot(&mut self) {
        let bases: Vec<u64> = self.segments.iter().map(|segment| segment.base_offset).collect();
        self.snapshots.retain(|(offset, _)| bases.binary_search(offset).is_ok());
        let is_newer = self.snapshots.last().map_or(self.log_end_offset > 0, |last| last.0 < self.log_end_offset);
        if is_newer {
            self.snapshots.push((self.log_end_offset, Rc::clone(&self.producers)));
        }
    }
}

impl Segment {
    /// The segment with its indexes built again from its batches, as after an unclean end.
    fn recovered(&self, index_interval_bytes: u64) -> Segment {
        let mut anew = Segment::new(self.base_offset, self.created, self.jitter_ms);
        for stored in self.batches.iter() {
            anew.append(Rc::clone(&stored.batch), index_interval_bytes, self.last_modified);
        }
        anew.close();
        anew.last_modified = self.last_modified;
        anew.aborted.clone_from(&self.aborted);
        anew
    }
}
