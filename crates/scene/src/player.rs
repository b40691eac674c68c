//! The one owner of a playhead: one to three timelines on one clock, played, stepped and sought.
//!
//! Knows no frame loop and no browser; it is told how much real time has passed.

use engine::event::Event;
use engine::timeline::{BranchInfo, TimedCommand};
use engine::{Command, InputError, Outcome, Scenario, Snapshot, Time, Timeline};

use crate::pace::{Display, Pace, PaceMode};

/// What a tick changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Equal as long as nothing that a reader of snapshots could see has changed: panels render when it differs.
    pub revision: u64,
    /// The playhead moved: the picture's moving layer has to be painted.
    pub moved: bool,
    /// Playing ended by itself.
    pub finished: bool,
    /// The budget was too small for the speed; the rest of the time was let go.
    pub behind: bool,
}

/// A playhead over one timeline, or over two or three that are compared.
pub struct Player {
    sides: Vec<Timeline<Pace>>,
}

impl Player {
    /// A player at time 0. `sides` are one to three scenarios with their commands.
    pub fn new(sides: Vec<(Scenario, Vec<TimedCommand>)>) -> Result<Player, InputError> { let _ = sides; todo!() }
    /// How many timelines there are.
    pub fn sides(&self) -> usize { self.sides.len() }
    /// A timeline, for reading.
    pub fn timeline(&self, side: usize) -> &Timeline<Pace> { &self.sides[side] }
    /// A timeline, for its event log; moving it by hand breaks the clock.
    pub fn timeline_mut(&mut self, side: usize) -> &mut Timeline<Pace> { &mut self.sides[side] }
    /// The state of a side.
    pub fn snapshot(&self, side: usize, records_max: usize) -> Snapshot { self.sides[side].snapshot(records_max) }
    /// Simulated time of all sides.
    pub fn now(&self) -> Time { todo!() }
    /// The playhead on the display axis of a side, in microseconds.
    pub fn display(&self, side: usize) -> Display { let _ = side; todo!() }
    /// Changes whenever a snapshot may have changed.
    pub fn revision(&self) -> u64 { todo!() }
    /// Whether it plays.
    pub fn is_playing(&self) -> bool { todo!() }
    /// How far the time bar reaches.
    pub fn horizon(&self) -> Time { todo!() }
    /// Speed in thousandths: 1,000 is 1x.
    pub fn speed(&self) -> u32 { todo!() }
    /// Sets the speed in thousandths, 100 to 100,000.
    pub fn set_speed(&mut self, thousandths: u32) { let _ = thousandths; todo!() }
    /// Elastic or even time.
    pub fn mode(&self) -> PaceMode { todo!() }
    /// Chooses elastic or even time.
    pub fn set_mode(&mut self, mode: PaceMode) { let _ = mode; todo!() }
    /// Starts playing; false if nothing is left to happen.
    pub fn play(&mut self) -> bool { todo!() }
    /// Stops playing.
    pub fn pause(&mut self) { todo!() }
    /// Advances by `elapsed_us` of real time, taking at most `budget_entries` entries from the queues.
    pub fn tick(&mut self, elapsed_us: u64, budget_entries: u64) -> Changed { let _ = (elapsed_us, budget_entries); todo!() }
    /// One event forward, on every side on which it happens at that time. The events, by side.
    pub fn step(&mut self) -> Vec<(usize, Event)> { todo!() }
    /// One event back.
    pub fn step_back(&mut self) -> Vec<(usize, Event)> { todo!() }
    /// To the next mark, or the one before; false if there is none.
    pub fn next_mark(&mut self, forward: bool) -> bool { let _ = forward; todo!() }
    /// To a simulated time.
    pub fn seek(&mut self, time: Time) { let _ = time; todo!() }
    /// Acts on one side, or on all.
    pub fn act(&mut self, side: Option<usize>, command: &Command) -> Result<Vec<Outcome>, InputError> { let _ = (side, command); todo!() }
    /// Takes back the last command of every side; false if there was none.
    pub fn undo(&mut self) -> bool { todo!() }
    /// Futures that were set aside on a side.
    pub fn branches(&self, side: usize) -> Vec<BranchInfo> { self.sides[side].branches() }
    /// Goes on with a branch of a side.
    pub fn open_branch(&mut self, side: usize, id: u64) -> bool { let _ = (side, id); todo!() }
    /// The same commands on a changed scenario, at the same time.
    pub fn rebase(&mut self, side: usize, scenario: Scenario) -> Result<(), InputError> { let _ = (side, scenario); todo!() }
}
