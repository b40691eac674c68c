//! The trace in chunks between checkpoints. Old chunks are dropped and derived again when asked for.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Observer, Timeline};
use crate::event::Event;
use crate::limits::TRACE_EVENTS_MAX;
use crate::time::Time;

/// Whole chunks by the sequence of the checkpoint that they start at.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunks {
    chunks: BTreeMap<u64, Rc<Vec<Event>>>,
    events: usize,
}

impl Chunks {
    /// Keeps a chunk; the oldest ones go when there are too many events.
    pub fn insert(&mut self, start: u64, events: Rc<Vec<Event>>) {
        self.events += events.len();
        if let Some(old) = self.chunks.insert(start, events) {
            self.events -= old.len();
        }
        while self.events > TRACE_EVENTS_MAX && self.chunks.len() > 1 {
            if let Some((_, oldest)) = self.chunks.pop_first() {
                self.events -= oldest.len();
            }
        }
    }

    /// Forgets chunks that start at or after a sequence.
    pub fn truncate(&mut self, start: u64) {
        for events in self.chunks.split_off(&start).into_values() {
            self.events -= events.len();
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Chunks::default();
    }

    fn get(&self, start: u64) -> Option<Rc<Vec<Event>>> {
        self.chunks.get(&start).cloned()
    }

    /// The first event after `sequence` in the newest chunk.
    pub fn last_events_after(&self, sequence: u64) -> Option<Event> {
        let (_, events) = self.chunks.last_key_value()?;
        let first = events.partition_point(|event| event.moment.sequence <= sequence);
        events.get(first).cloned()
    }
}

impl<O: Observer> Timeline<O> {
    /// The last `limit` events up to this moment, oldest first, that the filter accepts.
    pub fn recent(&mut self, limit: usize, accept: &dyn Fn(&Event) -> bool) -> Vec<Event> {
        self.recent_from(0, limit, accept)
    }

    /// As [`Timeline::recent`], of the events from number `first` on. It looks no further back, so a filter that
    /// accepts few events stays cheap in a long run.
    pub fn recent_from(&mut self, first: u64, limit: usize, accept: &dyn Fn(&Event) -> bool) -> Vec<Event> {
        let accept = |event: &&Event| event.index >= first && accept(event);
        let mut found: Vec<Event> = self.trace.iter().rev().filter(accept).take(limit).cloned().collect();
        let mut oldest = self.trace.first().map(|event| event.index);
        let mut chunk = self.present_chunk();
        while found.len() < limit && chunk > 0 && oldest.is_none_or(|oldest| oldest > first) {
            chunk -= 1;
            let events = self.chunk(chunk);
            found.extend(events.iter().rev().filter(accept).take(limit - found.len()).cloned());
            oldest = events.first().map(|event| event.index).or(oldest);
        }
        found.reverse();
        found
    }

    /// Events with `from <= time <= to` up to the present moment, oldest first, at most `limit`.
    pub fn events(&mut self, from: Time, to: Time, limit: usize, accept: &dyn Fn(&Event) -> bool) -> Vec<Event> {
        let present = self.present_chunk();
        let first = self.checkpoints.list.partition_point(|checkpoint| checkpoint.moment().time < from);
        let mut found = Vec::new();
        let wanted = |event: &&Event| event.moment.time >= from && event.moment.time <= to && accept(event);
        for chunk in first.saturating_sub(1)..present {
            let events = self.chunk(chunk);
            found.extend(events.iter().filter(wanted).take(limit - found.len()).cloned());
            if found.len() == limit || events.last().is_some_and(|event| event.moment.time > to) {
                return found;
            }
        }
        found.extend(self.trace.iter().filter(wanted).take(limit - found.len()).cloned());
        found
    }

    /// Index of the chunk (and checkpoint) that the present moment is in.
    fn present_chunk(&self) -> usize {
        let sequence = self.simulation.moment().sequence;
        self.checkpoints.list.partition_point(|checkpoint| checkpoint.moment().sequence <= sequence) - 1
    }

    /// The whole chunk after a checkpoint, derived again if it is not kept.
    fn chunk(&mut self, index: usize) -> Rc<Vec<Event>> {
        let checkpoint = &self.checkpoints.list[index];
        let start = checkpoint.moment().sequence;
        if let Some(events) = self.chunks.get(start) {
            return events;
        }
        let until = self.checkpoints.list[index + 1].moment().sequence;
        let mut replay = Timeline {
            simulation: checkpoint.simulation.clone(),
            observer: self.blank.clone(),
            applied: checkpoint.applied,
            commands: self.commands.clone(),
            checkpoints: super::Checkpoints::new(checkpoint.simulation.clone(), self.blank.clone()),
            scenario: Rc::clone(&self.scenario),
            blank: self.blank.clone(),
            trace: Vec::new(),
            chunks: Chunks::default(),
            end: crate::event::Moment { time: Time::MAX, sequence: u64::MAX },
            bar: super::Bar::default(),
            branches: super::Branches::default(),
            revision: 0,
        };
        while replay.simulation.moment().sequence < until && replay.step_entry() {}
        let events = Rc::new(std::mem::take(&mut replay.trace));
        // Where there is no room for so old a chunk it is only handed out.
        self.chunks.insert(start, Rc::clone(&events));
        events
    }
}
