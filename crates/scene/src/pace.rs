//! The display axis: where each entry of a run stands on the time of the picture.
//!
//! Decides nothing about Kafka's time. It is a pure function of the trace, in whole microseconds, and
//! looks only backward, so a moment has the same place however it was reached.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use engine::event::{Api, Event, EventKind, MessageView, Moment, RefreshReason};
use engine::group::{CommitKind, GroupEvent};
use engine::share::ShareEvent;
use engine::simulation::NextEntry;
use engine::standstill::Standstill;
use engine::transaction::{TransactionEvent, TransactionState};
use engine::{Observer, Time};

use crate::tally::Tally;

/// A point of the display axis, in microseconds from its start.
pub type Display = u64;

/// How simulated time becomes display time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaceMode {
    /// Hops are seen and quiet stretches pass quickly.
    #[default]
    Elastic,
    /// One simulated second is one second on screen.
    Even,
}

/// Quiet time passes one to one for so long.
const QUIET_PLAIN: u64 = 800_000;
/// After that, each doubling of the quiet time takes so much longer; a power of two.
const QUIET_DOUBLING: u64 = 1 << 17;
/// The shortest span of a request that travels alone.
const HOP_MAX: u64 = 550_000;
/// The shortest span of any hop, in the densest run.
const HOP_MIN: u64 = 200;
/// A few hops that begin within a simulated second share so much display time.
const HOPS_SHARE: u64 = 1_600_000;
/// So many are few. Of more, each gets so much less that together they take less, too: where nobody can follow the
/// single hop, time goes on.
const HOPS_FEW: u64 = 8;
/// How long something that happened is looked at before time goes on.
const DWELL_MAX: u64 = 30_000;
/// All that happens within a simulated second shares so much of it.
const DWELLS_SHARE: u64 = 120_000;
/// How long something is looked at that changes who leads, who is in sync or what a log holds.
const WEIGHT_MAX: u64 = 450_000;
/// All of that within a simulated second shares so much.
const WEIGHTS_SHARE: u64 = 900_000;
/// After so long without anything else, a client that asks for metadata because what it has is old stops nobody.
const ROUTINE_AFTER: u64 = 100_000_000;
/// After so long without anything else, what members of groups do at intervals stops nobody: heartbeats and commits.
const UPKEEP_AFTER: u64 = 10_000_000;
/// Moments whose place is kept. A pulse is over before so many more have passed unless the run is dense,
/// and every checkpoint holds them.
const RECENT_MAX: usize = 256;
/// Messages on their way whose departure is kept; beyond it the oldest moves with simulated time only.
const FLIGHTS_MAX: usize = 4_096;
/// Lost messages whose breaking point is kept.
const BREAKS_MAX: usize = 32;
/// Simulated time is counted in slots of this many microseconds, to know how dense the last second is.
const SLOT: u64 = 62_500;
const SLOTS: usize = 16;
/// So many within one slot are not dense yet.
const FEW: u64 = 8;

/// The place of every recent moment on the display axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {
    /// Time and place of the last entry.
    last: (Time, Display),
    /// Quiet time is measured from here: the time of the last notable entry, and the display just after it.
    quiet: (Time, Display),
    recent: VecDeque<(Moment, Display)>,
    flights: BTreeMap<u64, Flight>,
    breaks: VecDeque<(u64, u32)>,
    hops: Density,
    notable: Density,
    weighty: Density,
    event_count: u64,
    tally: Tally,
    standstill: Rc<Standstill>,
    /// The last entry that was more than what members of groups do at intervals.
    eventful: Time,
}

/// A notable message on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flight {
    sent: Display,
    hop: u64,
}

/// How often something happened within the last simulated second, in slots.
#[derive(Clone, Debug, Default, PartialEq)]
struct Density {
    counts: [u32; SLOTS],
    slot: u64,
}

impl Density {
    /// Counts one more, and tells how many a second that makes: those of the last second, or more where the last
    /// moments are denser. A few at once, such as a request and its answer, do not count as dense.
    fn add(&mut self, time: Time) -> u64 {
        let slot = time.0 / SLOT;
        let passed = slot.saturating_sub(self.slot).min(SLOTS as u64);
        for step in 1..=passed {
            self.counts[((self.slot + step) % SLOTS as u64) as usize] = 0;
        }
        if passed == SLOTS as u64 {
            self.counts = [0; SLOTS];
        }
        self.slot = slot.max(self.slot);
        let current = (self.slot % SLOTS as u64) as usize;
        self.counts[current] = self.counts[current].saturating_add(1);
        let second: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        let before = (current + SLOTS - 1) % SLOTS;
        let densest = u64::from(self.counts[current].max(self.counts[before]));
        second.max(densest.saturating_sub(FEW) * SLOTS as u64)
    }
}

impl Observer for Pace {
    fn observe(&mut self, moment: Moment, events: &[Event]) {
        let is_idle = moment.time.since(self.quiet.0).0 >= ROUTINE_AFTER;
        if events.iter().any(|event| is_notable(event) && !is_upkeep(event)) {
            self.eventful = moment.time;
        }
        let is_quiet = moment.time.since(self.eventful).0 >= UPKEEP_AFTER;
        let is_seen =
            |event: &Event| is_notable(event) && !(is_idle && is_routine(event)) && !(is_quiet && is_upkeep(event));
        let mut display = self.last.1.max(self.curve(moment.time));
        for event in events {
            if let EventKind::MessageArrived { message } = &event.kind
                && let Some(flight) = self.flights.remove(&message.id)
            {
                display = display.max(flight.sent + flight.hop);
            }
        }
        for event in events {
            match &event.kind {
                EventKind::MessageSent { message } if is_seen(event) => self.depart(message, display),
                EventKind::MessageLost { message } => self.lose(message, display, moment.time),
                _ => {}
            }
        }
        self.event_count += events.len() as u64;
        for event in events {
            self.tally.count(&event.kind);
            if Standstill::concerns(&event.kind) {
                Rc::make_mut(&mut self.standstill).take(event);
            }
        }
        self.last = (moment.time, display);
        if events.iter().any(is_seen) {
            let mut dwell = (DWELLS_SHARE / self.notable.add(moment.time)).min(DWELL_MAX);
            if events.iter().any(is_weighty) {
                dwell = dwell.max((WEIGHTS_SHARE / self.weighty.add(moment.time)).min(WEIGHT_MAX));
            }
            self.quiet = (moment.time, display + dwell);
            if self.recent.len() == RECENT_MAX {
                self.recent.pop_front();
            }
            self.recent.push_back((moment, display));
        }
    }
}

impl Pace {
    /// Where a recent moment stands; none if it is too long ago to matter for the picture.
    pub fn display(&self, mode: PaceMode, moment: Moment) -> Option<Display> {
        if mode == PaceMode::Even {
            return Some(moment.time.0);
        }
        let after = self.recent.partition_point(|(other, _)| *other <= moment);
        let (found, display) = *self.recent.get(after.checked_sub(1)?)?;
        (found == moment).then_some(display)
    }

    /// Where the last entry stands.
    pub fn last(&self, mode: PaceMode) -> Display {
        match mode {
            PaceMode::Elastic => self.last.1,
            PaceMode::Even => self.last.0.0,
        }
    }

    /// Where the next entry will stand: exactly there, since later entries cannot change it.
    pub fn preview(&self, mode: PaceMode, next: &NextEntry) -> Display {
        if mode == PaceMode::Even {
            return next.time.0;
        }
        let flight = next.message.as_ref().and_then(|message| self.flights.get(&message.id));
        let arrival = flight.map_or(0, |flight| flight.sent + flight.hop);
        self.last.1.max(self.curve(next.time)).max(arrival)
    }

    /// The simulated time at a point between the last entry and the next.
    pub fn time_at(&self, mode: PaceMode, display: Display, next: Option<&NextEntry>) -> Time {
        if mode == PaceMode::Even {
            return Time(display);
        }
        let passed = display.saturating_sub(self.last.1);
        match next {
            None => Time(self.last.0.0.saturating_add(passed)),
            Some(next) => {
                let span = self.preview(mode, next) - self.last.1;
                let length = next.time.since(self.last.0).0;
                if self.is_stretched(next) {
                    return Time(self.last.0.0 + share(length, passed.min(span), span));
                }
                let quiet = stretched(display.saturating_sub(self.quiet.1));
                Time(self.quiet.0.0.saturating_add(quiet).clamp(self.last.0.0, next.time.0))
            }
        }
    }

    /// The point of a simulated time between the last entry and the next.
    pub fn display_at(&self, mode: PaceMode, time: Time, next: Option<&NextEntry>) -> Display {
        if mode == PaceMode::Even {
            return time.0;
        }
        let passed = time.since(self.last.0).0;
        match next {
            None => self.last.1.saturating_add(passed),
            Some(next) => {
                if !self.is_stretched(next) {
                    return self.last.1.max(self.curve(time.min(next.time)));
                }
                let length = next.time.since(self.last.0).0;
                let span = self.preview(mode, next) - self.last.1;
                self.last.1 + if length == 0 { 0 } else { share(span, passed.min(length), length) }
            }
        }
    }

    /// How far a message has come, from 0 to 1. It arrives neither before its own time nor before the eye has
    /// seen it travel.
    pub fn progress(&self, mode: PaceMode, message: &MessageView, display: Display, now: Time) -> f32 {
        let length = message.arrives.since(message.sent.time).0;
        let by_time = fraction(now.since(message.sent.time).0, length);
        match self.flights.get(&message.id) {
            Some(flight) if mode == PaceMode::Elastic => {
                by_time.min(fraction(display.saturating_sub(flight.sent), flight.hop))
            }
            _ => by_time,
        }
    }

    /// How far a lost message had come, from 0 to 1; none if that is long ago.
    pub fn broken_at(&self, message: &MessageView) -> Option<f32> {
        let place = self.breaks.iter().rev().find(|(id, _)| *id == message.id)?.1;
        Some(place as f32 / 1_000.0)
    }

    /// Events observed so far.
    pub fn event_count(&self) -> u64 {
        self.event_count
    }

    /// Whether the way to the next entry takes longer than its quiet time does, since a message is seen on it.
    fn is_stretched(&self, next: &NextEntry) -> bool {
        self.preview(PaceMode::Elastic, next) > self.last.1.max(self.curve(next.time))
    }

    /// How often in-sync sets changed up to now.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// How long partitions of groups have stood still up to now.
    pub fn standstill(&self) -> &Standstill {
        &self.standstill
    }

    /// Where a time stands if nothing notable happens before it.
    fn curve(&self, time: Time) -> Display {
        self.quiet.1 + compressed(time.since(self.quiet.0).0)
    }

    fn depart(&mut self, message: &MessageView, display: Display) {
        let hops = self.hops.add(message.sent.time);
        let alone = HOPS_SHARE / hops * HOPS_FEW / hops.max(HOPS_FEW);
        let request = alone.clamp(HOP_MIN, HOP_MAX);
        let hop = if message.is_response { (request * 6 / 11).max(HOP_MIN) } else { request };
        if self.flights.len() == FLIGHTS_MAX {
            self.flights.pop_first();
        }
        self.flights.insert(message.id, Flight { sent: display, hop });
    }

    fn lose(&mut self, message: &MessageView, display: Display, now: Time) {
        let place = self.progress(PaceMode::Elastic, message, display, now);
        self.flights.remove(&message.id);
        if self.breaks.len() == BREAKS_MAX {
            self.breaks.pop_front();
        }
        self.breaks.push_back((message.id, (place * 1_000.0) as u32));
    }
}

/// Whether something happened that is worth looking at.
fn is_notable(event: &Event) -> bool {
    match &event.kind {
        EventKind::MessageSent { message } | EventKind::MessageArrived { message } => message.is_notable,
        _ => true,
    }
}

/// Whether it is what clients do at intervals even if nothing happens.
fn is_routine(event: &Event) -> bool {
    match &event.kind {
        EventKind::MessageSent { message } | EventKind::MessageArrived { message } => message.api == Api::Metadata,
        EventKind::MetadataRefreshed { reason, .. } => *reason == RefreshReason::Age,
        _ => false,
    }
}

/// Whether it is what members of a group do at intervals even if nothing happens.
fn is_upkeep(event: &Event) -> bool {
    match &event.kind {
        EventKind::MessageSent { message } | EventKind::MessageArrived { message } => {
            let is_api = matches!(
                message.api,
                Api::Heartbeat | Api::ConsumerGroupHeartbeat | Api::ShareGroupHeartbeat | Api::OffsetCommit
            );
            is_api && message.error.is_none()
        }
        EventKind::Group(GroupEvent::OffsetsCommitted { .. }) => true,
        EventKind::Group(GroupEvent::CommitReturned { how, error, .. }) => *how == CommitKind::Auto && error.is_none(),
        _ => false,
    }
}

/// Whether the cluster itself changed: time stands still for a moment, so that it is seen.
fn is_weighty(event: &Event) -> bool {
    match &event.kind {
        EventKind::BrokerStopped { .. }
        | EventKind::BrokerPaused { .. }
        | EventKind::BrokerFenced { .. }
        | EventKind::ControllerElected { .. }
        | EventKind::LeaderLost { .. }
        | EventKind::LogTruncated { .. }
        | EventKind::SegmentDeleted { .. }
        | EventKind::LogCleaned { .. }
        | EventKind::ReassignmentStarted { .. }
        | EventKind::ReassignmentCompleted { .. }
        | EventKind::ReassignmentCancelled { .. } => true,
        // The first leader of a new partition, and its first in-sync set, come with its creation.
        EventKind::LeaderElected { leader_epoch, .. } => *leader_epoch > 0,
        EventKind::IsrChanged { before, .. } => !before.is_empty(),
        EventKind::Transaction(event) => is_weighty_to_transactions(event),
        EventKind::Group(event) => is_weighty_to_groups(event),
        // A member lost records that it had.
        EventKind::Share(event) => matches!(
            event,
            ShareEvent::LocksExpired { .. } | ShareEvent::LocksReleased { .. } | ShareEvent::RecordsArchived { .. }
        ),
        _ => false,
    }
}

/// Whether somebody has other partitions than before, or the group is about to give everybody others.
fn is_weighty_to_groups(event: &GroupEvent) -> bool {
    match event {
        GroupEvent::GroupStateChanged { .. }
        | GroupEvent::MemberRemoved { .. }
        | GroupEvent::AssignmentMade { .. }
        | GroupEvent::RecordsReadAgain { .. }
        | GroupEvent::PollFailed { .. } => true,
        GroupEvent::CallbackStarted { partitions, .. } => !partitions.is_empty(),
        _ => false,
    }
}

/// Whether a transaction was decided, or somebody lost the right to decide it.
fn is_weighty_to_transactions(event: &TransactionEvent) -> bool {
    match event {
        TransactionEvent::TransactionStateChanged { state, .. } => {
            matches!(state, TransactionState::PrepareCommit | TransactionState::PrepareAbort)
        }
        TransactionEvent::TransactionTimedOut { .. }
        | TransactionEvent::ProducerFenced { .. }
        | TransactionEvent::CoordinatorLoaded { .. }
        | TransactionEvent::ClientCrashed { .. }
        | TransactionEvent::ClientFrozen { .. } => true,
        _ => false,
    }
}

/// Display time of a quiet stretch: as it is at first, then logarithmic. Whole numbers only, so that every
/// machine gets the same: the logarithm is straight between powers of two.
fn compressed(quiet: u64) -> Display {
    if quiet <= QUIET_PLAIN {
        return quiet;
    }
    let scaled = quiet - QUIET_PLAIN + QUIET_DOUBLING;
    let octave = scaled.ilog2();
    let within = scaled - (1 << octave);
    QUIET_PLAIN
        + u64::from(octave - QUIET_DOUBLING.ilog2()) * QUIET_DOUBLING
        + share(QUIET_DOUBLING, within, 1 << octave)
}

/// The quiet stretch that takes a display time: the inverse of [`compressed`].
fn stretched(display: Display) -> u64 {
    if display <= QUIET_PLAIN {
        return display;
    }
    let rest = display - QUIET_PLAIN;
    // Forty doublings are thousands of years.
    let octave = (rest / QUIET_DOUBLING).min(40);
    ((QUIET_DOUBLING + rest % QUIET_DOUBLING) << octave) - QUIET_DOUBLING + QUIET_PLAIN
}

/// `whole * part / of` without overflow; the whole if `of` is 0.
fn share(whole: u64, part: u64, of: u64) -> u64 {
    if of == 0 { whole } else { (u128::from(whole) * u128::from(part) / u128::from(of)) as u64 }
}

fn fraction(part: u64, of: u64) -> f32 {
    if of == 0 { 1.0 } else { (part as f64 / of as f64).min(1.0) as f32 }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
