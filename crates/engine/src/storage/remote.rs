//! Tiered storage: closed segments copied to remote storage, and how long they stay there.
//!
//! Follows `RemoteLogManager` of Kafka 4.3.1. Simplified: remote segments keep their batches here, so a
//! remote read costs nothing more than a local one; Kafka asks the plugin of the object store.

use std::rc::Rc;

use super::log::Log;
use super::retention::{RetentionOutcome, time_of};
use super::segment::Segment;
use crate::event::DeleteReason;
use crate::time::Time;

/// The segments of a partition in remote storage, oldest first. All replicas see the same ones.
pub(crate) type RemoteSegments = Rc<Vec<Rc<Segment>>>;

impl Log {
    /// Copies closed segments below the high watermark to remote storage, as the leader does every
    /// `remote.log.manager.task.interval.ms`. Gives their first offsets.
    pub fn upload_pass(&mut self) -> Vec<u64> {
        if !self.settings.copies_to_remote() {
            return Vec::new();
        }
        let from = self.remote_end().max(self.log_start_offset);
        let pairs = self.segments.iter().zip(self.segments.iter().skip(1));
        let closed = pairs.filter(|(segment, next)| {
            next.base_offset > from && next.base_offset <= self.high_watermark && segment.size_bytes > 0
        });
        let copied: Vec<Rc<Segment>> = closed.map(|(segment, _)| Rc::clone(segment)).collect();
        let offsets = copied.iter().map(|segment| segment.base_offset).collect();
        Rc::make_mut(&mut self.remote).extend(copied);
        offsets
    }

    /// Deletes remote segments by `retention.ms` and `retention.bytes`, or below the log start offset. The
    /// log then begins after them.
    pub fn remote_retention_pass(&mut self, now: Time) -> RetentionOutcome {
        let start = self.log_start_offset;
        let mut outcome = RetentionOutcome::default();
        let local: u64 = self
            .segments
            .iter()
            .filter(|segment| segment.base_offset >= self.remote_end())
            .map(|segment| segment.size_bytes)
            .sum();
        let remote: u64 = self.remote.iter().map(|segment| segment.size_bytes).sum();
        let mut excess = self.settings.retention_bytes.map_or(0, |limit| (local + remote).saturating_sub(limit));
        let oldest_ms = self.settings.retention_ms.map(|limit| (now.millis() as i64).saturating_sub(limit));
        for segment in self.remote.iter() {
            let reason = if oldest_ms.is_some_and(|oldest| segment.newest_ms() <= oldest) {
                DeleteReason::Time
            } else if excess > 0 && excess >= segment.size_bytes {
                excess -= segment.size_bytes;
                DeleteReason::Size
            } else if segment.end() <= self.log_start_offset {
                DeleteReason::LogStart
            } else {
                break;
            };
            outcome.deleted.push((segment.base_offset, reason));
        }
        if !outcome.deleted.is_empty() {
            let gone: Vec<_> = Rc::make_mut(&mut self.remote).drain(..outcome.deleted.len()).collect();
            self.advance_log_start(gone.last().map_or(start, |last| last.end()));
        }
        outcome.log_start_offset = (self.log_start_offset > start).then_some(self.log_start_offset);
        outcome
    }

    /// The earliest time, `now` or later, at which the leader's tasks for remote storage have something to do.
    pub fn remote_due(&self, now: Time) -> Option<Time> {
        if !self.settings.copies_to_remote() {
            return None;
        }
        let from = self.remote_end().max(self.log_start_offset);
        let mut ends = self.segments.iter().skip(1).map(|next| next.base_offset);
        if ends.any(|end| end > from && end <= self.high_watermark) {
            return Some(now);
        }
        let oldest = self.remote.first()?;
        let bytes = || self.remote.iter().chain(&self.segments).map(|segment| segment.size_bytes).sum::<u64>();
        let is_below_start = oldest.end() <= self.log_start_offset;
        if is_below_start || self.settings.retention_bytes.is_some_and(|limit| bytes() > limit) {
            return Some(now);
        }
        let limit = self.settings.retention_ms?;
        Some(time_of(oldest.newest_ms().saturating_add(limit)).max(now))
    }

    /// What is in remote storage.
    pub fn remote(&self) -> &RemoteSegments {
        &self.remote
    }

    /// A follower learns what the leader has copied.
    pub fn set_remote(&mut self, remote: RemoteSegments) {
        self.remote = remote;
    }

    /// The offset after the last one in remote storage.
    pub fn remote_end(&self) -> u64 {
        self.remote.last().map_or(0, |last| last.end())
    }

    /// First offset on the local disk.
    pub fn local_log_start_offset(&self) -> u64 {
        self.log_start_offset.max(self.segments[0].base_offset)
    }
}
