//! A share partition at the leader of its partition: which records are in flight, in which state, and who holds them.
//!
//! Follows `SharePartition` of Kafka 4.3.1. A pure state machine: it knows neither logs nor messages. A change that an
//! acknowledgement or the end of a session makes counts once it is written; until then nobody else gets the record,
//! and it is taken back if the write fails. The start offset moves only after a write, so what is written lags one
//! write behind. Simplified: every record has a state of its own; Kafka keeps one for a batch as long as it can.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::Name;
use crate::event::internal::{ShareKey, ShareState, StateBatch};
use crate::share::{AcknowledgeType, ArchiveReason, RecordRange, RecordState, ShareEvent};
use crate::snapshot::InFlightRecord;
use crate::time::{Duration, Time};

/// Settings of the share group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShareRules {
    /// `share.record.lock.duration.ms`.
    pub lock_duration: Duration,
    /// `share.delivery.count.limit`.
    pub delivery_limit: u16,
    /// `share.partition.max.record.locks`.
    pub locks_max: u32,
    /// `share.renew.acknowledge.enable`.
    pub may_renew: bool,
}

/// A share partition.
#[derive(Clone, Debug)]
pub(crate) struct SharePartition {
    pub(super) broker: u32,
    pub(super) key: ShareKey,
    pub state_epoch: i32,
    pub leader_epoch: u32,
    /// SPSO.
    pub(super) start_offset: u64,
    /// States from the start offset on: the end is the offset after the last one that was ever acquired.
    pub(super) records: VecDeque<InFlight>,
    next_write: u64,
}

/// A record in flight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InFlight {
    pub state: RecordState,
    pub delivery_count: u16,
    /// Who holds it and until when.
    pub lock: Option<(Name, Time)>,
    /// The first offset of those that were acquired together with it the first time.
    pub batch: u64,
    /// The write that its state waits for.
    pub pending: Option<Pending>,
}

/// What a record was before a change that is being written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    write: u64,
    lock: Option<(Name, Time)>,
    why: Why,
}

/// Why a record changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Said(AcknowledgeType),
    SessionEnded,
    LockExpired,
}

/// Something for the share coordinator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Write {
    /// [`SharePartition::written`] wants it back.
    pub id: u64,
    pub state: Rc<ShareState>,
}

/// What follows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShareEffects {
    pub events: Vec<ShareEvent>,
    pub write: Option<Write>,
}

impl InFlight {
    pub(super) fn is_free(&self) -> bool {
        self.state == RecordState::Available && self.pending.is_none()
    }

    fn is_settled(&self) -> bool {
        matches!(self.state, RecordState::Acknowledged | RecordState::Archived)
    }

    /// A record that nobody has to get.
    pub(super) fn archived(batch: u64) -> InFlight {
        InFlight { state: RecordState::Archived, delivery_count: 0, lock: None, batch, pending: None }
    }
}

impl SharePartition {
    /// As its state says; `start_offset` is where it begins without one.
    pub fn open(
        broker: u32,
        key: ShareKey,
        leader_epoch: u32,
        state: &ShareState,
        start_offset: u64,
    ) -> SharePartition {
        let start_offset = state.start_offset.unwrap_or(start_offset);
        let mut records = VecDeque::new();
        for batch in &state.batches {
            for offset in start_offset.max(batch.first_offset)..=batch.last_offset {
                let known =
                    |state, delivery_count, batch| InFlight { state, delivery_count, lock: None, batch, pending: None };
                // What no batch tells of was acquired and never written about.
                while start_offset + (records.len() as u64) < offset {
                    let first = start_offset + records.len() as u64;
                    records.push_back(known(RecordState::Available, 0, first));
                }
                records.push_back(known(batch.state, batch.delivery_count, batch.first_offset));
            }
        }
        let mut partition = SharePartition {
            broker,
            key,
            state_epoch: state.state_epoch,
            leader_epoch,
            start_offset,
            records,
            next_write: 0,
        };
        partition.drop_settled();
        partition
    }

    /// SPSO.
    pub fn start_offset(&self) -> u64 {
        self.start_offset
    }

    /// The offset after the last one that was ever acquired (SPEO).
    pub fn end_offset(&self) -> u64 {
        self.start_offset + self.records.len() as u64
    }

    /// Whether something waits to be written.
    pub fn is_writing(&self) -> bool {
        self.records.iter().any(|record| record.pending.is_some())
    }

    /// When the first lock expires.
    pub fn next_due(&self) -> Option<Time> {
        let locked = self.records.iter().filter(|record| record.pending.is_none());
        locked.filter_map(|record| record.lock.as_ref().map(|(_, until)| *until)).min()
    }

    /// The records in flight as plain values.
    pub fn view(&self) -> Vec<InFlightRecord> {
        let one = |(offset, record): (u64, &InFlight)| InFlightRecord {
            offset,
            state: record.state,
            delivery_count: record.delivery_count,
            member: record.lock.as_ref().map(|(member, _)| Rc::clone(member)),
            locked_until: record.lock.as_ref().map(|(_, until)| *until),
        };
        (self.start_offset..).zip(&self.records).map(one).collect()
    }

    /// A member acknowledges: all of it or, if one record is not its own any more, nothing.
    pub fn acknowledge(
        &mut self,
        member: &Name,
        said: &[(u64, AcknowledgeType)],
        rules: &ShareRules,
        now: Time,
    ) -> Result<ShareEffects, KafkaError> {
        let holds = |offset: &u64| {
            let place = offset.checked_sub(self.start_offset).map(|place| place as usize);
            let record = place.and_then(|place| self.records.get(place));
            record.is_some_and(|record| {
                record.state == RecordState::Acquired
                    && record.pending.is_none()
                    && record.lock.as_ref().is_some_and(|(owner, _)| owner == member)
            })
        };
        if !said.iter().all(|(offset, _)| holds(offset)) {
            return Err(KafkaError::protocol("INVALID_RECORD_STATE"));
        }
        if !rules.may_renew && said.iter().any(|(_, said)| *said == AcknowledgeType::Renew) {
            return Err(KafkaError::protocol("INVALID_REQUEST"));
        }
        let mut effects = ShareEffects::default();
        let mut changed = Vec::new();
        let mut renewed = Vec::new();
        for (offset, said) in said {
            if *said == AcknowledgeType::Renew {
                let lock = &mut self.record_mut(*offset).lock;
                lock.iter_mut().for_each(|(_, until)| *until = now + rules.lock_duration);
                renewed.push(*offset);
            } else {
                self.change(*offset, Why::Said(*said), rules);
                changed.push(*offset);
            }
        }
        for (first, last) in runs(renewed.into_iter().map(|offset| (offset, ()))).into_iter().map(|(range, ())| range) {
            let (range, member) = (self.range(first, last), Rc::clone(member));
            let acknowledgement = AcknowledgeType::Renew;
            effects.events.push(ShareEvent::RecordsAcknowledged { range, member, acknowledgement });
        }
        effects.write = self.write(&changed);
        Ok(effects)
    }

    /// A member's session ended: what it holds goes back.
    pub fn release(&mut self, member: &Name, rules: &ShareRules) -> ShareEffects {
        let is_held = |record: &InFlight| {
            record.pending.is_none() && record.lock.as_ref().is_some_and(|(owner, _)| owner == member)
        };
        let held = self.places(is_held);
        held.iter().for_each(|offset| self.change(*offset, Why::SessionEnded, rules));
        ShareEffects { events: Vec::new(), write: self.write(&held) }
    }

    /// Locks that are over by now: nobody waits for that to be written.
    pub fn expire(&mut self, rules: &ShareRules, now: Time) -> ShareEffects {
        let is_late = |record: &InFlight| {
            record.pending.is_none() && record.lock.as_ref().is_some_and(|(_, until)| *until <= now)
        };
        let late = self.places(is_late);
        late.iter().for_each(|offset| self.change(*offset, Why::LockExpired, rules));
        let write = self.write(&late);
        let events = write.as_ref().map_or_else(Vec::new, |write| self.settle(write.id, true));
        ShareEffects { events, write }
    }

    /// Whether the share coordinator has taken a write. What has changed by it counts, or is taken back.
    pub fn written(&mut self, write: u64, is_written: bool) -> Vec<ShareEvent> {
        self.settle(write, is_written)
    }

    /// The log begins later: what was not acquired below is gone.
    pub fn log_moved(&mut self, log_start_offset: u64) -> Vec<ShareEvent> {
        if log_start_offset <= self.start_offset {
            return Vec::new();
        }
        let below = (log_start_offset - self.start_offset).min(self.records.len() as u64) as usize;
        let free: Vec<u64> = (self.start_offset..)
            .zip(self.records.range(..below))
            .filter(|(_, record)| record.is_free())
            .map(|(offset, _)| offset)
            .collect();
        free.iter().for_each(|offset| self.record_mut(*offset).state = RecordState::Archived);
        let mut events = self.archived(free, ArchiveReason::LogStartMoved);
        let before = self.start_offset;
        self.drop_settled();
        if self.records.is_empty() && self.start_offset < log_start_offset {
            self.start_offset = log_start_offset;
        }
        events.extend(self.moved_from(before));
        events
    }

    pub(super) fn record_mut(&mut self, offset: u64) -> &mut InFlight {
        let place = (offset - self.start_offset) as usize;
        self.records.get_mut(place).expect("the caller has found it")
    }

    /// Offsets of records of a kind.
    fn places(&self, is_meant: impl Fn(&InFlight) -> bool) -> Vec<u64> {
        (self.start_offset..)
            .zip(&self.records)
            .filter(|(_, record)| is_meant(record))
            .map(|(offset, _)| offset)
            .collect()
    }

    /// `startStateTransition`: the state to be, with the way back.
    fn change(&mut self, offset: u64, why: Why, rules: &ShareRules) {
        let write = self.next_write;
        let record = self.record_mut(offset);
        let lock = record.lock.take();
        record.pending = Some(Pending { write, lock, why });
        record.state = match why {
            Why::Said(AcknowledgeType::Accept) => RecordState::Acknowledged,
            Why::Said(AcknowledgeType::Reject) => RecordState::Archived,
            _ if record.delivery_count >= rules.delivery_limit => RecordState::Archived,
            _ => RecordState::Available,
        };
    }

    /// What is to be written of these records.
    fn write(&mut self, offsets: &[u64]) -> Option<Write> {
        if offsets.is_empty() {
            return None;
        }
        let id = self.next_write;
        self.next_write += 1;
        let states = offsets.iter().map(|offset| {
            let record = &self.records[(offset - self.start_offset) as usize];
            (*offset, (record.state, record.delivery_count))
        });
        let batch = |((first_offset, last_offset), (state, delivery_count))| StateBatch {
            first_offset,
            last_offset,
            state,
            delivery_count,
        };
        let batches = runs(states).into_iter().map(batch).collect();
        let state = ShareState {
            state_epoch: self.state_epoch,
            leader_epoch: self.leader_epoch,
            start_offset: Some(self.start_offset),
            delivery_complete_count: self.records.iter().filter(|record| record.is_settled()).count() as u64,
            batches,
            ..ShareState::default()
        };
        Some(Write { id, state: Rc::new(state) })
    }

    /// Ends a write, well or not.
    fn settle(&mut self, write: u64, is_written: bool) -> Vec<ShareEvent> {
        let mut told = Vec::new();
        for (offset, record) in (self.start_offset..).zip(self.records.iter_mut()) {
            let Some(Pending { lock, why, .. }) = record.pending.take_if(|pending| pending.write == write) else {
                continue;
            };
            if is_written {
                let member = lock.map_or_else(|| Name::from(""), |(member, _)| member);
                told.push((offset, (member, why, record.state)));
            } else {
                record.state = RecordState::Acquired;
                record.lock = lock;
            }
        }
        let mut events = Vec::new();
        let mut archived: Vec<((u64, u64), ArchiveReason)> = Vec::new();
        for ((first, last), (member, why, state)) in runs(told.into_iter()) {
            let range = self.range(first, last);
            events.push(match why {
                Why::Said(acknowledgement) => ShareEvent::RecordsAcknowledged { range, member, acknowledgement },
                Why::SessionEnded => ShareEvent::LocksReleased { range, member },
                Why::LockExpired => ShareEvent::LocksExpired { range, member },
            });
            if state == RecordState::Archived {
                let is_rejected = why == Why::Said(AcknowledgeType::Reject);
                let reason = if is_rejected { ArchiveReason::Rejected } else { ArchiveReason::DeliveryLimit };
                archived.push(((first, last), reason));
            }
        }
        for ((first, last), reason) in archived {
            events.push(ShareEvent::RecordsArchived { range: self.range(first, last), reason });
        }
        let before = self.start_offset;
        self.drop_settled();
        events.extend(self.moved_from(before));
        events
    }

    /// Moves the start offset over what is done, and not over what is being written.
    pub(super) fn drop_settled(&mut self) {
        while self.records.front().is_some_and(|record| record.is_settled() && record.pending.is_none()) {
            self.records.pop_front();
            self.start_offset += 1;
        }
    }

    pub(super) fn moved_from(&self, before: u64) -> Option<ShareEvent> {
        (self.start_offset != before).then(|| ShareEvent::ShareStartOffsetMoved {
            broker: self.broker,
            group: Rc::clone(&self.key.group),
            partition: self.key.partition.clone(),
            before,
            start_offset: self.start_offset,
        })
    }

    pub(super) fn archived(&self, offsets: Vec<u64>, reason: ArchiveReason) -> Vec<ShareEvent> {
        let ranges = runs(offsets.into_iter().map(|offset| (offset, ())));
        let event = |((first, last), ())| ShareEvent::RecordsArchived { range: self.range(first, last), reason };
        ranges.into_iter().map(event).collect()
    }

    pub(super) fn range(&self, first_offset: u64, last_offset: u64) -> RecordRange {
        RecordRange {
            broker: self.broker,
            group: Rc::clone(&self.key.group),
            partition: self.key.partition.clone(),
            first_offset,
            last_offset,
        }
    }
}

/// Neighbors that are alike, out of offsets in order.
pub(super) fn runs<T: PartialEq>(offsets: impl Iterator<Item = (u64, T)>) -> Vec<((u64, u64), T)> {
    let mut runs: Vec<((u64, u64), T)> = Vec::new();
    for (offset, kind) in offsets {
        match runs.last_mut() {
            Some(((_, last), known)) if *last + 1 == offset && *known == kind => *last = offset,
            _ => runs.push(((offset, offset), kind)),
        }
    }
    runs
}
