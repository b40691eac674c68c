//! Checkpoints: clones of the world, from which any moment is reached by running forward.
//!
//! They are thinned under a bound of memory; log chunks are shared between them.

use super::{Observer, Timeline};
use crate::event::Moment;
use crate::limits::{CHECKPOINT_BYTES_MAX, CHECKPOINT_ENTRIES};
use crate::simulation::Simulation;

#[derive(Clone, Debug)]
pub(super) struct Checkpoint<O> {
    pub simulation: Simulation,
    pub observer: O,
    /// Commands applied up to here.
    pub applied: usize,
    bytes: u64,
}

impl<O> Checkpoint<O> {
    pub fn moment(&self) -> Moment {
        self.simulation.moment()
    }
}

/// Checkpoints in time order; the first is at time 0 and stays.
#[derive(Clone, Debug)]
pub(super) struct Checkpoints<O> {
    pub list: Vec<Checkpoint<O>>,
    spacing: u64,
    bytes: u64,
}

impl<O> Checkpoints<O> {
    /// Only the start.
    pub fn new(simulation: Simulation, observer: O) -> Checkpoints<O> {
        let first = Checkpoint { simulation, observer, applied: 0, bytes: 0 };
        Checkpoints { list: vec![first], spacing: CHECKPOINT_ENTRIES, bytes: 0 }
    }

    /// Adds a checkpoint at the end.
    pub fn push(&mut self, simulation: Simulation, observer: O, applied: usize) {
        let bytes = simulation.own_bytes();
        self.bytes += bytes;
        self.list.push(Checkpoint { simulation, observer, applied, bytes });
    }

    /// Drops every second checkpoint once they take too much memory; true if it did.
    pub fn thin(&mut self) -> bool {
        if self.bytes <= CHECKPOINT_BYTES_MAX || self.list.len() < 3 {
            return false;
        }
        let mut index = 0;
        self.list.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.bytes = self.list.iter().map(|checkpoint| checkpoint.bytes).sum();
        self.spacing *= 2;
        true
    }

    /// Whether a chunk of the trace ends at this sequence: at a checkpoint that is there, or at one to make.
    pub fn boundary(&self, sequence: u64, is_new: bool) -> bool {
        let last = self.list.last().map_or(0, |checkpoint| checkpoint.moment().sequence);
        if is_new {
            return sequence - last >= self.spacing;
        }
        self.list.binary_search_by_key(&sequence, |checkpoint| checkpoint.moment().sequence).is_ok()
    }

    /// Sequence of the last checkpoint before this one.
    pub fn start_before(&self, sequence: u64) -> u64 {
        let index = self.list.partition_point(|checkpoint| checkpoint.moment().sequence < sequence);
        self.list[index - 1].moment().sequence
    }

    /// The last checkpoint at or before a moment.
    pub fn at_or_before(&self, moment: Moment) -> &Checkpoint<O> {
        let is_before = |checkpoint: &Checkpoint<O>| match moment.sequence {
            u64::MAX => checkpoint.moment().time <= moment.time,
            sequence => checkpoint.moment().sequence <= sequence,
        };
        let index = self.list.partition_point(is_before);
        &self.list[index.max(1) - 1]
    }

    /// Forgets checkpoints after a sequence.
    pub fn truncate(&mut self, sequence: u64) {
        self.list.retain(|checkpoint| checkpoint.moment().sequence <= sequence);
        self.bytes = self.list.iter().map(|checkpoint| checkpoint.bytes).sum();
    }

    /// Bytes of all checkpoints, roughly.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<O: Observer> Timeline<O> {
    /// Bytes that all checkpoints take, roughly.
    pub fn checkpoint_bytes(&self) -> u64 {
        self.checkpoints.bytes()
    }

    /// Goes to a checkpoint at or before the moment, if that is nearer than the present.
    pub(super) fn jump(&mut self, moment: Moment) {
        let here = self.moment();
        let target = self.checkpoints.at_or_before(moment);
        let is_back = match moment.sequence {
            u64::MAX => moment.time < here.time,
            sequence => sequence < here.sequence,
        } || moment.time < here.time;
        if is_back || target.moment().sequence > here.sequence {
            self.load(target.clone());
        }
    }

    /// Goes back (or forward within what has been run) to the state after the entry `sequence`.
    pub(super) fn restore(&mut self, sequence: u64) {
        let target = self.checkpoints.at_or_before(Moment { time: self.now(), sequence });
        self.load(target.clone());
        while self.simulation.moment().sequence < sequence && self.step_entry() {}
    }

    fn load(&mut self, checkpoint: Checkpoint<O>) {
        self.simulation = checkpoint.simulation;
        self.observer = checkpoint.observer;
        self.applied = checkpoint.applied;
        self.trace.clear();
    }
}
