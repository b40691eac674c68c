//! Which records a member gets, and in which portions.
//!
//! Follows `SharePartition.acquire` of Kafka 4.3.1: first what is available again, then what nobody has had yet.
//! Records that were delivered often go out in ever smaller portions, so that one that nobody can work on takes no
//! others with it. Who asks, and for how long it waits, is not decided here.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::partition::{InFlight, SharePartition, ShareRules, runs};
use crate::event::{Name, Record};
use crate::share::{ArchiveReason, RecordState, ShareEvent};
use crate::time::Time;

/// `BAD_RECORD_DELIVERY_THRESHOLD`: from so many deliveries on a record may be one that nobody can work on.
const SUSPICIOUS_COUNT: u16 = 3;

/// What a member asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub member: &'a Name,
    pub records_max: u32,
    /// Not one record more, where else batches are not torn apart.
    pub is_limited: bool,
}

/// The part of a log that may be delivered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readable {
    /// Readers see everything below.
    pub end_offset: u64,
    /// Records by offset; without content none. Markers and what was aborted are not among them.
    pub records: BTreeMap<u64, Option<Rc<Record>>>,
    /// The last offset of each batch.
    pub batch_ends: Vec<u64>,
}

impl Readable {
    /// The end of the batch that holds an offset.
    fn batch_end(&self, offset: u64) -> u64 {
        let place = self.batch_ends.partition_point(|end| *end < offset);
        self.batch_ends.get(place).copied().unwrap_or(offset)
    }
}

impl SharePartition {
    /// Whether a member would get anything of a log that ends there.
    pub fn has_something(&self, end_offset: u64, rules: &ShareRules) -> bool {
        let is_new = self.end_offset() < end_offset && self.records.len() < rules.locks_max as usize;
        is_new || self.records.iter().any(InFlight::is_free)
    }

    /// Locks records for a member: their offsets, in order, with delivery counts.
    pub fn acquire(
        &mut self,
        wanted: Wanted<'_>,
        readable: &Readable,
        rules: &ShareRules,
        now: Time,
    ) -> (Vec<(u64, u16)>, Vec<ShareEvent>) {
        let before = self.start_offset;
        let mut events = Vec::new();
        let mut taken = self.take_again(wanted, readable, rules, &mut events);
        if !taken.1 {
            self.take_new(wanted, readable, rules, &mut taken.0, &mut events);
        }
        let taken = taken.0;
        let locked_until = now + rules.lock_duration;
        for offset in &taken {
            let record = self.record_mut(*offset);
            record.state = RecordState::Acquired;
            record.delivery_count += 1;
            record.lock = Some((Rc::clone(wanted.member), locked_until));
        }
        let counted = |offset: u64| (offset, self.records[(offset - self.start_offset) as usize].delivery_count);
        let acquired: Vec<(u64, u16)> = taken.into_iter().map(counted).collect();
        for ((first, last), delivery_count) in runs(acquired.iter().copied()) {
            let (range, member) = (self.range(first, last), Rc::clone(wanted.member));
            events.push(ShareEvent::RecordsAcquired { range, member, delivery_count, locked_until });
        }
        self.drop_settled();
        events.extend(self.moved_from(before));
        (acquired, events)
    }

    /// What was delivered before; whether nothing else may go with it.
    fn take_again(
        &mut self,
        wanted: Wanted<'_>,
        readable: &Readable,
        rules: &ShareRules,
        events: &mut Vec<ShareEvent>,
    ) -> (Vec<u64>, bool) {
        let mut taken: Vec<u64> = Vec::new();
        let mut gone = Vec::new();
        let mut portion: Option<(u64, u64)> = None;
        let mut last_batch = None;
        for (offset, record) in (self.start_offset..).zip(&self.records) {
            if !record.is_free() || offset >= readable.end_offset {
                continue;
            }
            if !readable.records.contains_key(&offset) {
                gone.push(offset);
                continue;
            }
            let is_full = taken.len() >= wanted.records_max as usize;
            if is_full && (wanted.is_limited || last_batch != Some(record.batch)) {
                break;
            }
            let is_suspicious = record.delivery_count >= threshold(rules);
            if let Some((batch, size)) = portion {
                let goes_with_it = record.batch == batch && is_suspicious && (taken.len() as u64) < size;
                if !goes_with_it {
                    break;
                }
            } else if is_suspicious {
                if !taken.is_empty() {
                    break;
                }
                let last = self.records.iter().rposition(|other| other.batch == record.batch).unwrap_or(0) as u64;
                let batch = self.start_offset + last + 1 - record.batch;
                portion = Some((record.batch, portion_size(batch, record.delivery_count, rules)));
            }
            taken.push(offset);
            last_batch = Some(record.batch);
        }
        for offset in &gone {
            self.record_mut(*offset).state = RecordState::Archived;
        }
        events.extend(self.archived(gone, ArchiveReason::NotForReaders));
        (taken, portion.is_some())
    }

    /// What nobody has had yet, as far as there is room for locks.
    fn take_new(
        &mut self,
        wanted: Wanted<'_>,
        readable: &Readable,
        rules: &ShareRules,
        taken: &mut Vec<u64>,
        events: &mut Vec<ShareEvent>,
    ) {
        let room = (rules.locks_max as usize).saturating_sub(self.records.len()) as u64;
        let count = u64::from(wanted.records_max).saturating_sub(taken.len() as u64).min(room);
        let first = self.end_offset();
        if count == 0 || first >= readable.end_offset {
            return;
        }
        let last = first + count - 1;
        let last = if wanted.is_limited { last } else { readable.batch_end(last).min(first + room - 1) };
        let mut gone = Vec::new();
        for offset in first..=last.min(readable.end_offset - 1) {
            self.records.push_back(InFlight::archived(first));
            if readable.records.contains_key(&offset) {
                self.record_mut(offset).state = RecordState::Available;
                taken.push(offset);
            } else {
                gone.push(offset);
            }
        }
        events.extend(self.archived(gone, ArchiveReason::NotForReaders));
    }
}

/// From so many deliveries on records go out in portions.
fn threshold(rules: &ShareRules) -> u16 {
    rules.delivery_limit.div_ceil(2).max(SUSPICIOUS_COUNT)
}

/// Half of a batch, then a quarter and so on; the last time one record.
fn portion_size(batch: u64, delivery_count: u16, rules: &ShareRules) -> u64 {
    if delivery_count + 1 >= rules.delivery_limit {
        return 1;
    }
    let halvings = u32::from(delivery_count - threshold(rules)) + 1;
    batch.checked_shr(halvings).unwrap_or(0).max(1)
}
