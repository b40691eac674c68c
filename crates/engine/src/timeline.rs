//! Time travel: one timeline owns one simulation, its commands, its checkpoints and its branches.
//!
//! Everything here can be thrown away and derived again from the scenario and the commands.

mod bar;
mod branches;
mod checkpoints;
mod logs;
mod trace;

use std::rc::Rc;

use serde::{Deserialize, Serialize};

pub use bar::{Mark, MarkKind};
pub use branches::BranchInfo;

use crate::command::{Command, Outcome};
use crate::config_view::{ConfigEntry, ConfigsOf};
use crate::error::InputError;
use crate::event::{Event, Moment, Name};
use crate::limits::COMMANDS_MAX;
use crate::scenario::Scenario;
use crate::simulation::{NextEntry, Simulation};
use crate::snapshot::Snapshot;
use crate::time::Time;
use bar::Bar;
use branches::Branches;
use checkpoints::Checkpoints;
use trace::Chunks;

/// Something derived from the trace while it is made, kept with every checkpoint, so that it has the
/// same value at a moment however the moment was reached. The picture's pace is one; `()` is none.
pub trait Observer: Clone {
    /// One entry was processed; `events` is what happened, perhaps nothing.
    fn observe(&mut self, moment: Moment, events: &[Event]);
}

impl Observer for () {
    fn observe(&mut self, _moment: Moment, _events: &[Event]) {}
}

/// A command and its moment. A sequence of 0 means "after everything at that time".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedCommand {
    /// When.
    pub moment: Moment,
    /// What.
    pub command: Rc<Command>,
}

/// A run that can be moved through in both directions.
///
/// ```
/// use engine::{Command, Scenario, Time, Timeline};
///
/// let mut timeline = Timeline::new(Scenario::empty(1), ()).unwrap();
/// timeline.advance_to(Time::from_millis(10));
/// let command = Command::CreateTopic {
///     topic: "events".to_string(),
///     partitions: Some(3),
///     replication_factor: None,
///     assignment: None,
///     configs: Default::default(),
/// };
/// timeline.act(command).unwrap();
/// assert_eq!(timeline.snapshot(0).topics.len(), 1);
/// timeline.seek(Time::from_millis(9));
/// assert_eq!(timeline.snapshot(0).topics.len(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Timeline<O: Observer = ()> {
    scenario: Rc<Scenario>,
    blank: O,
    commands: Vec<TimedCommand>,
    /// Commands applied up to the present moment.
    applied: usize,
    simulation: Simulation,
    observer: O,
    /// Events since the last checkpoint before the present moment.
    trace: Vec<Event>,
    checkpoints: Checkpoints<O>,
    chunks: Chunks,
    end: Moment,
    bar: Bar,
    branches: Branches,
    revision: u64,
}

impl<O: Observer> Timeline<O> {
    /// A timeline at time 0.
    pub fn new(scenario: Scenario, observer: O) -> Result<Timeline<O>, InputError> {
        Timeline::with_commands(scenario, Vec::new(), observer)
    }

    /// A timeline with commands already on it (a share link, a lesson); at time 0.
    pub fn with_commands(
        scenario: Scenario,
        commands: Vec<TimedCommand>,
        observer: O,
    ) -> Result<Timeline<O>, InputError> {
        if commands.len() > COMMANDS_MAX {
            return Err(too_many_commands());
        }
        if commands.windows(2).any(|pair| pair[0].moment.time > pair[1].moment.time) {
            return Err(
                InputError::new("command.order", "Commands are listed in the order of their time.").at("commands")
            );
        }
        let simulation = Simulation::new(&scenario)?;
        Ok(Timeline {
            scenario: Rc::new(scenario),
            checkpoints: Checkpoints::new(simulation.clone(), observer.clone()),
            blank: observer.clone(),
            commands,
            applied: 0,
            simulation,
            observer,
            trace: Vec::new(),
            chunks: Chunks::default(),
            end: Moment::default(),
            bar: Bar::default(),
            branches: Branches::default(),
            revision: 0,
        })
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Settings with their sources at the present moment; see [`Simulation::configs`].
    pub fn configs(&self, of: &ConfigsOf) -> Option<Vec<ConfigEntry>> {
        self.simulation.configs(of)
    }

    /// Groups that have settings of their own, by id; there need not be such a group yet.
    pub fn configured_groups(&self) -> Vec<Name> {
        self.simulation.configured_groups()
    }

    /// Where it is.
    pub fn moment(&self) -> Moment {
        self.simulation.moment()
    }

    /// Simulated time.
    pub fn now(&self) -> Time {
        self.simulation.now()
    }

    /// How far a time bar should reach at first.
    pub fn horizon(&self) -> Time {
        self.simulation.horizon()
    }

    /// How far this branch has been run.
    pub fn end(&self) -> Moment {
        self.end
    }

    /// The state, with at most `records_max` last records of each partition.
    pub fn snapshot(&self, records_max: usize) -> Snapshot {
        self.simulation.snapshot(records_max)
    }

    /// Partitions of all topics, without making a snapshot.
    pub fn partition_count(&self) -> u64 {
        self.simulation.partition_count()
    }

    /// The observer at this moment.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The commands of this branch.
    pub fn commands(&self) -> &[TimedCommand] {
        &self.commands
    }

    /// What came of a command, as far as this moment knows.
    pub fn outcome(&self, number: u64) -> Option<Outcome> {
        self.simulation.outcome(number).cloned()
    }

    /// A digest of everything that has happened up to this moment.
    pub fn trace_hash(&self) -> u64 {
        self.simulation.trace_hash()
    }

    /// Changes whenever what a reader could see may have changed.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The entry, or the command already given, that comes next.
    pub fn peek(&self) -> Option<NextEntry> {
        match self.due_command(Time::MAX) {
            Some(time) => Some(NextEntry { time: time.max(self.now()), message: None }),
            None => self.simulation.peek(),
        }
    }

    /// Processes one queue entry, or a command already given; false if nothing is left.
    pub fn step_entry(&mut self) -> bool {
        self.step_before(Time::MAX)
    }

    /// Goes on until something has happened; the first event of it.
    pub fn step(&mut self) -> Option<Event> {
        loop {
            let before = self.simulation.moment().sequence;
            if !self.step_entry() {
                return None;
            }
            let happened = self.trace.iter().rev().take_while(|event| event.moment.sequence > before).last();
            // A step that completed a checkpoint has moved its events into a chunk.
            let moved = || self.chunks.last_events_after(before);
            if let Some(event) = happened.cloned().or_else(moved) {
                return Some(event);
            }
        }
    }

    /// Goes back to before the last thing that happened; that event.
    pub fn step_back(&mut self) -> Option<Event> {
        let last = self.recent(1, &|_| true).pop()?;
        self.restore(last.moment.sequence - 1);
        self.revision += 1;
        Some(last)
    }

    /// Goes to the next (or previous) mark; false if there is none up to `limit`.
    pub fn step_to_mark(&mut self, forward: bool, limit: Time) -> bool {
        let here = self.moment();
        if !forward {
            let before =
                self.bar.marks.iter().rev().find(|mark| mark.moment.sequence < here.sequence).map(|mark| mark.moment);
            return before.map(|moment| self.seek_moment(moment)).is_some();
        }
        loop {
            if let Some(mark) = self.bar.marks.iter().find(|mark| mark.moment.sequence > here.sequence) {
                let moment = mark.moment;
                self.seek_moment(moment);
                return true;
            }
            if !self.step_before(limit) {
                return false;
            }
        }
    }

    /// Runs to `time`, entries at it included; returns how many were processed.
    pub fn advance_to(&mut self, time: Time) -> u64 {
        let before = self.simulation.moment().sequence;
        while self.step_before(time) {}
        self.wait_until(time);
        self.simulation.moment().sequence - before
    }

    /// Goes to `time`, back or forward: the state after the last event at it.
    pub fn seek(&mut self, time: Time) {
        self.jump(Moment { time, sequence: u64::MAX });
        self.advance_to(time);
        self.revision += 1;
    }

    /// Goes to a moment.
    pub fn seek_moment(&mut self, moment: Moment) {
        self.jump(moment);
        while self.simulation.moment().sequence < moment.sequence && self.step_before(moment.time) {}
        self.wait_until(moment.time);
        self.revision += 1;
    }

    /// Acts now. Before the end, the future is set aside as a branch. The outcome is final when the
    /// answer comes without simulated time passing, else `Pending`.
    pub fn act(&mut self, command: Command) -> Result<Outcome, InputError> {
        let number = self.submit(command)?;
        let now = self.now();
        while self.simulation.outcome(number).is_none() && self.step_before(now) {}
        Ok(self.outcome(number).unwrap_or_else(|| Outcome::pending(number)))
    }

    /// Acts now like `act`, but leaves what follows from it, even at this instant, to be watched.
    /// Returns the number of the command on this branch.
    pub fn submit(&mut self, command: Command) -> Result<u64, InputError> {
        if self.applied >= COMMANDS_MAX {
            return Err(too_many_commands());
        }
        if self.simulation.moment().sequence == 0 {
            // Nothing exists before the cluster has started, so the start comes first.
            self.advance_to(Time::ZERO);
        }
        let number = self.applied as u64;
        let before = self.moment();
        let first = self.trace.len();
        self.simulation.act(number, &command, &mut self.trace)?;
        self.set_future_aside(before);
        self.commands.push(TimedCommand { moment: self.simulation.moment(), command: Rc::new(command) });
        self.applied += 1;
        self.stepped(first);
        Ok(number)
    }

    /// Takes back the last command; false if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(last) = self.commands.last().cloned() else { return false };
        let now = self.now();
        // A command that has not been reached yet has no sequence; it only has to be forgotten.
        if self.applied == self.commands.len() {
            self.restore(last.moment.sequence - 1);
        }
        self.forget_future();
        self.commands.pop();
        self.seek(now);
        true
    }

    /// The same commands (by time) on a changed scenario, at the same time as now.
    pub fn rebase(&mut self, scenario: Scenario) -> Result<(), InputError> {
        let now = self.now();
        let by_time = |timed: &TimedCommand| TimedCommand {
            moment: Moment { time: timed.moment.time, sequence: 0 },
            command: Rc::clone(&timed.command),
        };
        let commands = self.commands.iter().map(by_time).collect();
        let revision = self.revision + 1;
        *self = Timeline::with_commands(scenario, commands, self.blank.clone())?;
        self.seek(now);
        self.revision += revision;
        Ok(())
    }

    /// Marks of this branch up to its end.
    pub fn marks(&self) -> &[Mark] {
        &self.bar.marks
    }

    /// How much happens in each of `bins` equal parts of 0 to `until`.
    pub fn density(&self, bins: usize, until: Time) -> Vec<u32> {
        self.bar.density(bins, until)
    }

    /// Processes the next entry or command if it is due up to `limit`.
    fn step_before(&mut self, limit: Time) -> bool {
        let first = self.trace.len();
        if let Some(time) = self.due_command(limit) {
            self.simulation.wait_until(time);
            self.apply_next_command();
        } else if self.simulation.next_time().is_some_and(|next| next <= limit) {
            self.simulation.step(&mut self.trace);
        } else {
            return false;
        }
        self.stepped(first);
        true
    }

    /// The time of the next command, if it comes before the next entry and not after `limit`.
    fn due_command(&self, limit: Time) -> Option<Time> {
        let Moment { time, sequence } = self.commands.get(self.applied)?.moment;
        if self.simulation.moment().sequence == 0 {
            return None;
        }
        let is_exact = sequence == self.simulation.moment().sequence + 1;
        let is_next = is_exact || self.simulation.next_time().is_none_or(|next| next > time);
        (is_next && time <= limit).then_some(time)
    }

    /// Commands were checked when they were given; on a changed scenario one may not apply any more, and
    /// is then passed over.
    fn apply_next_command(&mut self) {
        let timed = self.commands[self.applied].clone();
        if self.simulation.act(self.applied as u64, &timed.command, &mut self.trace).is_err() {
            self.simulation.pass_over(self.applied as u64, &timed.command, &mut self.trace);
        }
        self.commands[self.applied].moment = self.simulation.moment();
        self.applied += 1;
    }

    /// Book-keeping after the simulation has moved by one entry; `first` is the index of its first event.
    fn stepped(&mut self, first: usize) {
        let moment = self.simulation.moment();
        let events = &self.trace[first..];
        self.observer.observe(moment, events);
        self.revision += u64::from(!events.is_empty());
        let is_new = moment.sequence > self.end.sequence;
        if is_new {
            self.bar.add(moment, events);
        }
        self.end = self.end.max(moment);
        let boundary = self.checkpoints.boundary(moment.sequence, is_new);
        if boundary {
            let start = self.checkpoints.start_before(moment.sequence);
            // The next chunk will be about as long.
            let next = Vec::with_capacity(self.trace.len());
            self.chunks.insert(start, Rc::new(std::mem::replace(&mut self.trace, next)));
            if is_new {
                self.checkpoints.push(self.simulation.clone(), self.observer.clone(), self.applied);
                if self.checkpoints.thin() {
                    // Chunks reach from checkpoint to checkpoint, so they would not fit any more.
                    self.chunks.clear();
                }
            }
        }
    }

    fn wait_until(&mut self, time: Time) {
        if time > self.now() {
            self.simulation.wait_until(time);
            self.end = self.end.max(self.moment());
        }
    }
}

fn too_many_commands() -> InputError {
    InputError::new("command.too_many", format!("A run holds {COMMANDS_MAX} commands at most."))
}
