//! The log cleaner: which part of a compacted log is cleaned, when, and into which segments.
//!
//! Follows `LogCleanerManager`, `LogToClean` and `Cleaner` of Kafka 4.3.1. What becomes of a single batch is
//! in `filter.rs`. Simplified: one pass takes the whole dirty part; Kafka stops when its buffer for keys is full.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::filter::{Filter, PassedTransactions};
use super::log::Log;
use super::retention::time_of;
use super::segment::Segment;
use crate::time::Time;

/// One, in the units of `min.cleanable.dirty.ratio`.
const WHOLE: u128 = 1_000_000_000;

/// What a cleaning did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cleaned {
    /// The log is clean up to here: the cleaner's checkpoint.
    pub clean_until: u64,
    /// Records in the cleaned part before.
    pub before: u64,
    /// Records in it now.
    pub kept: u64,
}

/// The dirty part of a log.
struct Dirty {
    /// Its first offset.
    first: u64,
    /// The first offset that may not be cleaned yet.
    upper: u64,
}

impl Log {
    /// Everything below was compacted.
    pub fn clean_until(&self) -> u64 {
        let is_in_log = |checkpoint: &u64| (self.log_start_offset..=self.log_end_offset).contains(checkpoint);
        self.clean_until.filter(is_in_log).unwrap_or(self.log_start_offset)
    }

    /// Bytes that a cleaning would go over, and all bytes that count for the dirty ratio.
    pub fn dirty_bytes(&self, now: Time) -> (u64, u64) {
        let dirty = self.dirty(now.millis() as i64);
        let clean: u64 = self
            .segments
            .iter()
            .take_while(|segment| segment.base_offset < dirty.first)
            .map(|segment| segment.size_bytes)
            .sum();
        let cleanable = self.cleanable(&dirty).iter().map(|segment| segment.size_bytes).sum();
        (cleanable, clean + cleanable)
    }

    /// The earliest time, `now` or later, at which the cleaner would take this log if nothing else happened.
    pub fn cleanable_at(&self, now: Time) -> Option<Time> {
        if !self.settings.is_compacted {
            return None;
        }
        let settings = &self.settings;
        // Only time passing a dirty segment's minimum or maximum lag can change the answer.
        let has_min = settings.min_compaction_lag_ms > 0;
        let has_max = settings.max_compaction_lag_ms < i64::MAX;
        let lags = self.closed_from(self.clean_until()).iter().flat_map(|segment| {
            let old_enough = segment.newest_ms().saturating_add(settings.min_compaction_lag_ms);
            let first = segment.batches.first().map(|stored| stored.batch.max_timestamp);
            let too_old = first.map(|first| first.saturating_add(settings.max_compaction_lag_ms).saturating_add(1));
            [has_min.then_some(old_enough), too_old.filter(|_| has_max)].into_iter().flatten()
        });
        let mut times: Vec<Time> = lags.map(time_of).filter(|time| *time > now).collect();
        times.push(now);
        times.sort_unstable();
        times.dedup();
        times.into_iter().find(|time| self.is_cleanable(*time))
    }

    fn is_cleanable(&self, now: Time) -> bool {
        let (cleanable, total) = self.dirty_bytes(now);
        let is_dirty_enough = u128::from(cleanable) * WHOLE > u128::from(self.settings.dirty_ratio) * u128::from(total);
        cleanable > 0 && (is_dirty_enough || self.exceeds_max_lag(now.millis() as i64))
    }

    /// Whether the first batch of a closed dirty segment is older than `max.compaction.lag.ms`.
    fn exceeds_max_lag(&self, now_ms: i64) -> bool {
        let dirty = self.dirty(now_ms);
        let latest = now_ms.saturating_sub(self.settings.max_compaction_lag_ms);
        self.closed_from(dirty.first)
            .iter()
            .any(|segment| segment.batches.first().is_some_and(|first| first.batch.max_timestamp < latest))
    }

    fn dirty(&self, now_ms: i64) -> Dirty {
        let first = self.clean_until();
        // Never beyond what is decided, the active segment, or the first segment that is too young.
        let mut upper = self.last_stable_offset().min(self.active().base_offset);
        let lag = self.settings.min_compaction_lag_ms;
        if lag > 0 {
            let young = self.closed_from(first).iter().find(|segment| segment.newest_ms() > now_ms.saturating_sub(lag));
            upper = young.map_or(upper, |young| upper.min(young.base_offset));
        }
        Dirty { first, upper: upper.max(first) }
    }

    /// The segments that a cleaning goes over for keys: those that end at or before the upper end.
    fn cleanable(&self, dirty: &Dirty) -> &[Rc<Segment>] {
        let end = self.closed_below(dirty.upper);
        let from = self.closed_below(dirty.first);
        &self.segments[from.min(end)..end]
    }

    /// Closed segments from the one that holds an offset on.
    fn closed_from(&self, offset: u64) -> &[Rc<Segment>] {
        let active = self.segments.len() - 1;
        &self.segments[self.closed_below(offset).min(active)..active]
    }

    /// How many closed segments end at or before an offset.
    fn closed_below(&self, offset: u64) -> usize {
        self.segments.partition_point(|segment| segment.base_offset <= offset).saturating_sub(1)
    }

    /// Cleans the dirty part: now and however little it is if `forced`, else only if the cleaner would.
    pub fn clean(&mut self, now: Time, forced: bool) -> Option<Cleaned> {
        let is_due = forced || self.is_cleanable(now);
        if !self.settings.is_compacted || !is_due {
            return None;
        }
        let dirty = self.dirty(now.millis() as i64);
        let keys = self.latest_offsets(&dirty);
        let end = self.closed_below(dirty.upper);
        if self.cleanable(&dirty).is_empty() {
            return None;
        }
        let clean_until = self.segments[end].base_offset;
        let filter = Filter {
            keys,
            clean_until,
            now_ms: now.millis() as i64,
            delete_retention_ms: self.settings.delete_retention_ms,
            producers: &self.producers,
        };
        let before = self.segments[..end].iter().map(|segment| segment.record_count).sum();
        let groups = self.groups(end, clean_until);
        let mut transactions = PassedTransactions::default();
        transactions.announce(self.aborted_between(0, clean_until));
        let mut cleaned: Vec<Rc<Segment>> = Vec::new();
        for group in &groups {
            cleaned.push(Rc::new(self.rewrite(group, &filter, &mut transactions, now)));
        }
        let kept = cleaned.iter().map(|segment| segment.record_count).sum();
        self.replace(end, cleaned, now);
        self.clean_until = Some(clean_until);
        Some(Cleaned { clean_until, before, kept })
    }

    /// The last offset of each key in the dirty part.
    fn latest_offsets(&self, dirty: &Dirty) -> BTreeMap<Rc<[u8]>, u64> {
        let mut keys = BTreeMap::new();
        let mut transactions = PassedTransactions::default();
        transactions.announce(self.aborted_between(dirty.first, dirty.upper));
        let stored = self.cleanable(dirty).iter().flat_map(|segment| segment.batches.iter());
        // What was aborted supersedes nothing; markers have no keys.
        let counts = stored.filter(|stored| stored.batch.end() > dirty.first && !transactions.discards(&stored.batch));
        for (offset, record) in counts.flat_map(|stored| stored.batch.entries()) {
            if let Some(key) = record.key.as_ref().filter(|_| offset >= dirty.first) {
                keys.insert(Rc::clone(key), offset);
            }
        }
        keys
    }

    /// Neighbours that are small enough to become one segment (`groupSegmentsBySize`).
    fn groups(&self, end: usize, clean_until: u64) -> Vec<&[Rc<Segment>]> {
        let mut groups = Vec::new();
        let mut first = 0;
        while first < end {
            let mut next = first + 1;
            while next < end && self.fits(&self.segments[first..next], next, clean_until) {
                next += 1;
            }
            groups.push(&self.segments[first..next]);
            first = next;
        }
        groups
    }

    /// Whether the segment at a place can join the group before it.
    fn fits(&self, group: &[Rc<Segment>], place: usize, clean_until: u64) -> bool {
        let next = &self.segments[place];
        let with = |size: fn(&Segment) -> u64| group.iter().map(|segment| size(segment)).sum::<u64>() + size(next);
        let following = self.segments.get(place + 1).map(|following| following.base_offset);
        let last_offset = following.unwrap_or(clean_until).saturating_sub(1);
        let is_in_reach = next.size_bytes == 0 || last_offset - group[0].base_offset <= i32::MAX as u64;
        with(|segment| segment.size_bytes) <= self.settings.segment_bytes
            && with(|segment| segment.offset_index.len() as u64) <= self.settings.offset_entries_max()
            && with(|segment| segment.time_index.len() as u64) <= self.settings.time_entries_max()
            && is_in_reach
    }

    /// One new segment from a group of old ones.
    fn rewrite(
        &self,
        group: &[Rc<Segment>],
        filter: &Filter,
        transactions: &mut PassedTransactions,
        now: Time,
    ) -> Segment {
        let mut cleaned = Segment::new(group[0].base_offset, now, 0);
        for stored in group.iter().flat_map(|segment| segment.batches.iter()) {
            let is_discarded = transactions.discards(&stored.batch);
            if let Some(batch) = filter.apply(&stored.batch, is_discarded) {
                cleaned.append(batch, self.settings.index_interval_bytes, now);
            }
        }
        cleaned.aborted = std::mem::take(&mut transactions.index);
        cleaned.close();
        cleaned.has_index_file = true;
        cleaned.last_modified = group.last().map_or(now, |last| last.last_modified);
        cleaned
    }

    /// Puts the new segments in the place of the first `end` old ones.
    fn replace(&mut self, end: usize, cleaned: Vec<Rc<Segment>>, now: Time) {
        let gone = now + self.settings.file_delete_delay;
        self.files.forget(now);
        let old: Vec<Rc<Segment>> = self.segments.splice(..end, cleaned).collect();
        for segment in &old {
            self.files.delete_segment(segment, gone);
            let is_replaced = self.segments.iter().any(|left| left.base_offset == segment.base_offset);
            if !is_replaced {
                self.delete_snapshot(segment.base_offset, gone);
            }
        }
        self.size_bytes = self.segments.iter().map(|segment| segment.size_bytes).sum();
    }
}
