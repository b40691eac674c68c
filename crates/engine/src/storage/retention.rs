//! Retention: which segments go, and when.
//!
//! Follows `UnifiedLog.deleteOldSegments` of Kafka 4.3.1. What the cleaner does with compacted topics is in
//! `cleaner.rs`; copies in remote storage are in `remote.rs`.

use super::log::{Log, Roll};
use super::segment::Segment;
use crate::event::{DeleteReason, RollReason};
use crate::time::Time;

/// What a pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RetentionOutcome {
    /// The active segment was closed for it.
    pub roll: Option<Roll>,
    /// First offsets of the segments that went, oldest first.
    pub deleted: Vec<(u64, DeleteReason)>,
    /// The new log start offset, if it moved.
    pub log_start_offset: Option<u64>,
}

impl Log {
    /// Deletes what may go: below the log start offset, then by size, then by time.
    pub fn retention_pass(&mut self, now: Time) -> RetentionOutcome {
        let start = self.log_start_offset;
        let mut outcome = RetentionOutcome::default();
        self.files.forget(now);
        let floor = self.log_start_for_deletion();
        self.delete_while(DeleteReason::LogStart, now, &mut outcome, |_, next| {
            next.is_some_and(|next| next.base_offset <= floor)
        });
        if self.limits_apply() {
            let excess = self.retention_bytes().and_then(|limit| self.size_bytes.checked_sub(limit));
            if let Some(mut excess) = excess {
                self.delete_while(self.reason(DeleteReason::Size), now, &mut outcome, |segment, _| {
                    let rest = excess.checked_sub(segment.size_bytes);
                    excess = rest.unwrap_or(excess);
                    rest.is_some()
                });
            }
            if let Some(limit) = self.retention_ms() {
                let now_ms = now.millis() as i64;
                self.delete_while(self.reason(DeleteReason::Time), now, &mut outcome, |segment, _| {
                    now_ms - segment.newest_ms() > limit
                });
            }
        }
        outcome.log_start_offset = (self.log_start_offset > start).then_some(self.log_start_offset);
        outcome
    }

    /// The earliest time, `now` or later, at which a pass would delete something if nothing else happened.
    pub fn next_retention_due(&self, now: Time) -> Option<Time> {
        let oldest = &self.segments[0];
        let next = self.segments.get(1);
        let upper = next.map_or(self.log_end_offset, |next| next.base_offset);
        let is_last_and_empty = next.is_none() && oldest.size_bytes == 0;
        if self.high_watermark < upper || is_last_and_empty {
            return None;
        }
        // An active segment of a tiered topic is closed first, which is worth a pass too.
        let is_closed_first = self.settings.is_tiered && next.is_none();
        if !is_closed_first && !self.may_go(next.map(|next| next.base_offset), upper) {
            return None;
        }
        if next.is_some_and(|next| next.base_offset <= self.log_start_for_deletion()) {
            return Some(now);
        }
        if !self.limits_apply() {
            return None;
        }
        let excess = self.retention_bytes().and_then(|limit| self.size_bytes.checked_sub(limit));
        if excess.is_some_and(|excess| excess >= oldest.size_bytes) {
            return Some(now);
        }
        let due = oldest.newest_ms().saturating_add(self.retention_ms()?).saturating_add(1);
        Some(time_of(due).max(now))
    }

    /// Deletes segments from the oldest on, as long as `may_go` and the high watermark allow it.
    fn delete_while(
        &mut self,
        reason: DeleteReason,
        now: Time,
        outcome: &mut RetentionOutcome,
        mut is_due: impl FnMut(&Segment, Option<&Segment>) -> bool,
    ) {
        let (mut count, mut closes_active) = (0, false);
        for (place, segment) in self.segments.iter().enumerate() {
            let next = self.segments.get(place + 1).map(|next| &**next);
            let upper = next.map_or(self.log_end_offset, |next| next.base_offset);
            let is_last_and_empty = next.is_none() && segment.size_bytes == 0;
            if self.high_watermark < upper || !is_due(segment, next) || is_last_and_empty {
                break;
            }
            // Rolling the active segment of a tiered topic makes it eligible for upload, and then deletion.
            closes_active |= self.settings.is_tiered && next.is_none();
            if !self.may_go(next.map(|next| next.base_offset), upper) {
                break;
            }
            count += 1;
        }
        // There is always a segment: a new one takes the place of the last one that goes.
        if closes_active || (count > 0 && count == self.segments.len()) {
            outcome.roll = self.roll(now, RollReason::Retention).or(outcome.roll);
        }
        if count > 0 {
            outcome.deleted.extend(self.segments[..count].iter().map(|segment| (segment.base_offset, reason)));
            self.remove_oldest(count, now);
        }
    }

    fn remove_oldest(&mut self, count: usize, now: Time) {
        let gone = now + self.settings.file_delete_delay;
        let oldest: Vec<_> = self.segments.drain(..count).collect();
        for segment in oldest {
            self.size_bytes -= segment.size_bytes;
            self.files.delete_segment(&segment, gone);
            self.delete_snapshot(segment.base_offset, gone);
        }
        if !self.settings.copies_to_remote() {
            self.advance_log_start(self.segments[0].base_offset);
        }
    }

    /// With remote storage, a segment goes from the local disk once a copy is there or nobody can read it.
    fn may_go(&self, next_base: Option<u64>, upper: u64) -> bool {
        let is_unreadable = next_base.is_some_and(|base| self.log_start_offset >= base);
        !self.settings.copies_to_remote() || is_unreadable || upper <= self.remote_end()
    }

    fn log_start_for_deletion(&self) -> u64 {
        if self.settings.copies_to_remote() { self.local_log_start_offset() } else { self.log_start_offset }
    }

    /// Compacted topics and those without a policy keep everything above the log start.
    fn limits_apply(&self) -> bool {
        let settings = &self.settings;
        settings.is_deleted || (!settings.is_compacted && settings.copies_to_remote())
    }

    fn retention_ms(&self) -> Option<i64> {
        let settings = &self.settings;
        if settings.copies_to_remote() { settings.local_retention_ms } else { settings.retention_ms }
    }

    fn retention_bytes(&self) -> Option<u64> {
        let settings = &self.settings;
        if settings.copies_to_remote() { settings.local_retention_bytes } else { settings.retention_bytes }
    }

    fn reason(&self, reason: DeleteReason) -> DeleteReason {
        if self.settings.copies_to_remote() { DeleteReason::Local } else { reason }
    }
}

impl Segment {
    /// Its largest record timestamp in milliseconds, or the age of its file if it holds no record.
    pub fn newest_ms(&self) -> i64 {
        self.largest.map_or(self.last_modified.millis() as i64, |(timestamp, _)| timestamp)
    }
}

/// The first instant that a clock shows as that many milliseconds; before the start of the run, its start.
pub(super) fn time_of(millis: i64) -> Time {
    Time(u64::try_from(millis).unwrap_or(0).saturating_mul(1_000))
}
