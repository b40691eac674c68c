//! The display axis: where each entry of a run stands on the time of the picture.
//!
//! Decides nothing about Kafka's time. It is a pure function of the trace, in whole microseconds, and
//! looks only backward, so a moment has the same place however it was reached.

use std::collections::{BTreeMap, VecDeque};

use engine::event::{Event, EventKind, MessageView, Moment};
use engine::simulation::NextEntry;
use engine::{Observer, Time};

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

/// The place of every recent moment on the display axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {}

impl Observer for Pace {
    fn observe(&mut self, _moment: Moment, _events: &[Event]) {}
}

impl Pace {
    /// Where a recent moment stands; none if it is too long ago to matter for the picture.
    pub fn display(&self, mode: PaceMode, moment: Moment) -> Option<Display> { let _ = (mode, moment); todo!() }
    /// Where the last entry stands.
    pub fn last(&self, mode: PaceMode) -> Display { let _ = mode; todo!() }
    /// Where the next entry will stand.
    pub fn preview(&self, mode: PaceMode, next: &NextEntry) -> Display { let _ = (mode, next); todo!() }
    /// The simulated time at a point between the last entry and the next.
    pub fn time_at(&self, mode: PaceMode, display: Display, next: Option<&NextEntry>) -> Time { let _ = (mode, display, next); todo!() }
    /// The point of a simulated time between the last entry and the next.
    pub fn display_at(&self, mode: PaceMode, time: Time, next: Option<&NextEntry>) -> Display { let _ = (mode, time, next); todo!() }
    /// How far a message has come, from 0 to 1, when the display stands at `display` and simulated time at `now`.
    pub fn progress(&self, mode: PaceMode, message: &MessageView, display: Display, now: Time) -> f32 { let _ = (mode, message, display, now); todo!() }
    /// Events observed so far.
    pub fn event_count(&self) -> u64 { todo!() }
}
