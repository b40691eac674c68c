//! The one owner of a playhead: one to three timelines on one clock, played, stepped and sought.
//!
//! Knows no frame loop and no browser; it is told how much real time has passed.

mod clock;
mod compare;
mod hurry;
mod operate;
mod start;

pub use hurry::Hurry;
pub use start::seek_start;

use engine::event::Event;
use engine::simulation::NextEntry;
use engine::timeline::{BranchInfo, TimedCommand};
use engine::{Command, Duration, InputError, Outcome, Scenario, Snapshot, Time, Timeline};

use crate::pace::{Display, Pace, PaceMode};
use crate::share::with_share_members;

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

/// The slowest speed in thousandths.
pub const SPEED_MIN: u32 = 100;
/// The fastest speed in thousandths.
pub const SPEED_MAX: u32 = 100_000;
/// How much further the time bar reaches when somebody acts or plays at its end.
const EXTENSION: Duration = Duration::from_secs(10);
/// What is left to see after the last command that was given.
const HORIZON_TAIL: Duration = Duration::from_secs(2);

/// A playhead over one timeline, or over two or three that are compared. All sides share simulated time; each
/// has its own display axis.
#[derive(Clone, Debug)]
pub struct Player {
    sides: Vec<Side>,
    now: Time,
    horizon: Time,
    speed: u32,
    mode: PaceMode,
    is_playing: bool,
    revision: u64,
    /// Real time that was too short for a microsecond of display, in thousandths.
    rest: u64,
    /// In a run that gets faster the longer it takes.
    hurry: Option<Hurry>,
}

#[derive(Clone, Debug)]
struct Side {
    timeline: Timeline<Pace>,
    display: Display,
}

impl Side {
    fn peek(&self) -> Option<NextEntry> {
        self.timeline.peek()
    }

    fn pace(&self) -> &Pace {
        self.timeline.observer()
    }

    /// How far the time bar has to reach for this side.
    fn horizon(&self) -> Time {
        let last = self.timeline.commands().last().map_or(Time::ZERO, |command| command.moment.time + HORIZON_TAIL);
        self.timeline.horizon().max(last)
    }
}

impl Player {
    /// A player at time 0. `sides` are one to three scenarios with their commands; more than three are refused.
    ///
    /// # Errors
    /// The scenario's or command's own error.
    ///
    /// # Panics
    /// If `sides` is empty.
    pub fn new(sides: Vec<(Scenario, Vec<TimedCommand>)>) -> Result<Player, InputError> {
        assert!(!sides.is_empty(), "a player has at least one side");
        if sides.len() > 3 {
            let message = format!("Three runs can be compared at once, not {}.", sides.len());
            return Err(InputError::new("player.too_many_sides", message));
        }
        let sides = sides.into_iter().map(|(scenario, commands)| {
            let timeline = Timeline::with_commands(scenario, commands, Pace::default())?;
            Ok(Side { timeline, display: 0 })
        });
        let sides = sides.collect::<Result<Vec<Side>, InputError>>()?;
        let mut player = Player {
            horizon: sides.iter().map(Side::horizon).max().expect("a player has at least one side"),
            sides,
            now: Time::ZERO,
            speed: 1_000,
            mode: PaceMode::Elastic,
            is_playing: false,
            revision: 0,
            rest: 0,
            hurry: None,
        };
        player.settle(player.sides[0].timeline.now());
        Ok(player)
    }

    /// How many timelines there are.
    pub fn sides(&self) -> usize {
        self.sides.len()
    }

    /// A timeline, for reading.
    pub fn timeline(&self, side: usize) -> &Timeline<Pace> {
        &self.sides[side].timeline
    }

    /// A timeline, for its event log, which may have to be derived again. To move it, use the player.
    pub fn timeline_mut(&mut self, side: usize) -> &mut Timeline<Pace> {
        &mut self.sides[side].timeline
    }

    /// The state of a side, with at most so many last records of each partition. Members of share groups are among the
    /// consumers as well, as the picture has them.
    pub fn snapshot(&self, side: usize, records_max: usize) -> Snapshot {
        with_share_members(self.sides[side].timeline.snapshot(records_max))
    }

    /// Partitions of all topics of a side.
    pub fn partition_count(&self, side: usize) -> u64 {
        self.sides[side].timeline.partition_count()
    }

    /// Simulated time of all sides.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The playhead on the display axis of a side, in microseconds.
    pub fn display(&self, side: usize) -> Display {
        match self.mode {
            PaceMode::Elastic => self.sides[side].display,
            PaceMode::Even => self.now.0,
        }
    }

    /// Changes whenever a snapshot may have changed.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// How far the time bar reaches.
    pub fn horizon(&self) -> Time {
        self.horizon
    }

    /// Speed in thousandths: 1,000 is 1x.
    pub fn speed(&self) -> u32 {
        self.speed
    }

    /// Sets the speed in thousandths, between [`SPEED_MIN`] and [`SPEED_MAX`].
    pub fn set_speed(&mut self, thousandths: u32) {
        self.speed = thousandths.clamp(SPEED_MIN, SPEED_MAX);
    }

    /// Elastic or even time.
    pub fn mode(&self) -> PaceMode {
        self.mode
    }

    /// Chooses elastic or even time; the simulated time stays.
    pub fn set_mode(&mut self, mode: PaceMode) {
        self.mode = mode;
        self.place_displays();
    }

    /// Starts playing. At the end of the time bar it goes further, if anything is left to happen there. False, and
    /// still paused, if nothing is.
    pub fn play(&mut self) -> bool {
        if self.sides.iter().all(|side| side.peek().is_none()) {
            return false;
        }
        if self.now >= self.horizon {
            self.horizon = self.now + EXTENSION;
        }
        self.hurry = None;
        self.is_playing = true;
        true
    }

    /// Starts playing up to a time that may be days away: for some seconds at the chosen speed, and then faster and
    /// faster. The time bar reaches that far from now on. Pausing ends the hurry.
    pub fn hurry_to(&mut self, until: Time) {
        self.horizon = self.horizon.max(until);
        self.hurry = Some(Hurry::default());
        self.is_playing = true;
    }

    /// Stops playing.
    pub fn pause(&mut self) {
        self.is_playing = false;
        self.hurry = None;
    }

    /// One event forward, on every side on which one happens at that time. The events, by side; none are left if
    /// it is empty.
    pub fn step(&mut self) -> Vec<(usize, Event)> {
        self.pause();
        let mut events = Vec::new();
        while events.is_empty() {
            let Some(time) = self.next_time() else { break };
            for (index, side) in self.sides.iter_mut().enumerate() {
                if side.peek().is_some_and(|next| next.time == time) {
                    let before = side.pace().event_count();
                    side.timeline.step_entry();
                    let count = side.pace().event_count().saturating_sub(before) as usize;
                    if count > 0 {
                        events.extend(
                            side.timeline.recent(count, &|_| true).into_iter().next().map(|event| (index, event)),
                        );
                    }
                }
            }
            self.now = time;
        }
        self.settle(self.now);
        events
    }

    /// One event back, on every side on which the last one happened at that time. The events that are undone.
    pub fn step_back(&mut self) -> Vec<(usize, Event)> {
        self.pause();
        let last = |side: &mut Side| side.timeline.recent(1, &|_| true).pop().map(|event| event.moment.time);
        let times: Vec<Option<Time>> = self.sides.iter_mut().map(last).collect();
        let Some(time) = times.iter().flatten().max().copied() else { return Vec::new() };
        let mut events = Vec::new();
        for (index, side) in self.sides.iter_mut().enumerate() {
            if times[index] == Some(time) {
                events.extend(side.timeline.step_back().map(|event| (index, event)));
            }
        }
        let now = self.sides.iter().map(|side| side.timeline.now()).max().unwrap_or(Time::ZERO);
        self.rewind(now.min(time));
        events
    }

    /// To the next mark within the time bar, or to the one before; false if there is none.
    pub fn next_mark(&mut self, forward: bool) -> bool {
        self.pause();
        let horizon = self.horizon;
        let here: Vec<_> = self.sides.iter().map(|side| side.timeline.moment()).collect();
        let mut found = Vec::new();
        for side in &mut self.sides {
            found.push(side.timeline.step_to_mark(forward, horizon).then(|| side.timeline.moment()));
        }
        let times = found.iter().flatten().map(|moment| moment.time);
        let Some(time) = (if forward { times.min() } else { times.max() }) else {
            for (side, moment) in self.sides.iter_mut().zip(here) {
                side.timeline.seek_moment(moment);
            }
            return false;
        };
        for (side, found) in self.sides.iter_mut().zip(found) {
            if found.is_none_or(|moment| moment.time != time) {
                side.timeline.seek(time);
            }
        }
        self.settle(time);
        true
    }

    /// To a simulated time, forward or back: the state after the last event at it.
    pub fn seek(&mut self, time: Time) {
        for side in &mut self.sides {
            side.timeline.seek(time);
        }
        self.horizon = self.horizon.max(time);
        self.settle(time);
    }

    /// To a moment of one side, such as an event of the log; the other sides go to its time.
    pub fn seek_moment(&mut self, side: usize, moment: engine::Moment) {
        for (index, other) in self.sides.iter_mut().enumerate() {
            if index == side {
                other.timeline.seek_moment(moment);
            } else {
                other.timeline.seek(moment.time);
            }
        }
        self.horizon = self.horizon.max(moment.time);
        self.settle(moment.time);
    }

    /// Acts on one side, or on all. In the past this sets the future aside. While playing, what follows is left to
    /// be watched and the outcome is pending; while paused, what follows without simulated time passing is done.
    ///
    /// # Errors
    /// The first side's error; sides before it have acted.
    pub fn act(&mut self, side: Option<usize>, command: &Command) -> Result<Vec<Outcome>, InputError> {
        self.align();
        let mut outcomes = Vec::new();
        for (index, one) in self.sides.iter_mut().enumerate() {
            if side.is_none_or(|side| side == index) {
                outcomes.push(if self.is_playing {
                    let number = one.timeline.submit(command.clone())?;
                    Outcome::pending(number)
                } else {
                    one.timeline.act(command.clone())?
                });
            }
        }
        self.horizon = self.horizon.max(self.now + EXTENSION);
        self.revision += 1;
        self.keep_displays();
        Ok(outcomes)
    }

    /// Takes back the last command of one side, or of all; false if there was none.
    pub fn undo(&mut self, side: Option<usize>) -> bool {
        let mut undone = false;
        for (index, one) in self.sides.iter_mut().enumerate() {
            if side.is_none_or(|side| side == index) {
                undone |= one.timeline.undo();
            }
        }
        if undone {
            let now = self.sides.iter().map(|side| side.timeline.now()).min().unwrap_or(self.now);
            self.rewind(now);
        }
        undone
    }

    /// Futures that were set aside on a side.
    pub fn branches(&self, side: usize) -> Vec<BranchInfo> {
        self.sides[side].timeline.branches()
    }

    /// Goes on with a branch of a side; the other sides go to its time. False if there is no such branch.
    pub fn open_branch(&mut self, side: usize, id: u64) -> bool {
        let opened = self.sides[side].timeline.open_branch(id);
        if opened {
            let now = self.sides[side].timeline.now();
            self.rewind(now);
        }
        opened
    }

    /// The same commands on a changed scenario, at the same time.
    ///
    /// # Errors
    /// The scenario's or a command's own error; the side is unchanged then.
    pub fn rebase(&mut self, side: usize, scenario: Scenario) -> Result<(), InputError> {
        self.align();
        self.sides[side].timeline.rebase(scenario)?;
        self.horizon = self.horizon.max(self.sides[side].horizon());
        self.settle(self.now);
        Ok(())
    }

    /// After a side went back: all sides stand at its time.
    fn rewind(&mut self, now: Time) {
        for side in &mut self.sides {
            if side.timeline.now() > now {
                side.timeline.seek(now);
            }
        }
        self.settle(now);
    }

    /// After any jump: the clock is set, displays follow from it, and readers look again.
    fn settle(&mut self, now: Time) {
        self.now = now;
        self.rest = 0;
        self.revision += 1;
        self.align();
        self.place_displays();
    }

    fn next_time(&self) -> Option<Time> {
        self.sides.iter().filter_map(Side::peek).map(|next| next.time).min()
    }
}

#[cfg(test)]
#[path = "player_tests.rs"]
mod tests;
