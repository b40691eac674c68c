//! The layer that moves: messages on their links, records on their way, pulses where something happened.
//!
//! Has no state of its own: a place is a fraction of a display span, a pulse a function of its age.

use engine::event::Event;
use engine::{Snapshot, Time};

use crate::display::DisplayList;
use crate::pace::{Display, Pace, PaceMode};
use crate::palette::Palette;
use crate::stage::Stage;

/// Everything that one frame depends on.
#[derive(Clone, Copy, Debug)]
pub struct FrameInput<'a> {
    /// The state; its messages in flight are drawn.
    pub snapshot: &'a Snapshot,
    /// The last events, oldest first: arrivals, losses and appends of the last second of display are enough.
    pub events: &'a [Event],
    /// The display axis at this moment.
    pub pace: &'a Pace,
    /// Elastic or even time.
    pub mode: PaceMode,
    /// The playhead on the display axis.
    pub display: Display,
    /// Simulated time.
    pub now: Time,
    /// The colors of keys.
    pub palette: &'a Palette,
    /// No travel: messages stand in the middle of their link until they arrive.
    pub reduced_motion: bool,
}

/// Draws everything that moves, at one point of the display axis.
pub fn frame(stage: &Stage, input: &FrameInput<'_>) -> DisplayList { let _ = (stage, input); todo!() }
