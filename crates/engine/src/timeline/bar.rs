//! What the time bar shows: how much happens when, and marks at what is worth a stop.
//!
//! Both are collected while a branch is run for the first time.

use serde::Serialize;

use crate::event::{Event, EventKind, Moment, RefreshReason};
use crate::group::{GroupEvent, RemovalReason};
use crate::limits::MARKS_MAX;
use crate::time::Time;
use crate::transaction::{TransactionEvent, TransactionState};

/// A point worth a mark on the time bar.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// When.
    pub moment: Moment,
    /// What.
    pub kind: MarkKind,
}

/// Kinds of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// A command was given.
    Command,
    /// Topics or partition counts changed.
    Topology,
    /// A client refreshed its metadata because it was old or wrong.
    Metadata,
    /// The keyless rule moved on, or a key went to another partition than before.
    Switch,
    /// A transaction was decided, ended, or ran out of time.
    Transaction,
    /// A group is in another state, or a member gets, gives up or loses partitions.
    Group,
    /// Something failed, or a producer was fenced.
    Error,
}

/// Bins of the density strip before they are merged.
const BINS: usize = 1_024;

#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub marks: Vec<Mark>,
    bins: Vec<u32>,
    /// Width of a bin in microseconds.
    width: u64,
}

impl Default for Bar {
    fn default() -> Bar {
        Bar { marks: Vec::new(), bins: Vec::new(), width: 10_000 }
    }
}

impl Bar {
    /// Takes the events of one entry in.
    pub fn add(&mut self, moment: Moment, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        while moment.time.0 >= self.width * BINS as u64 {
            self.width *= 2;
            self.bins = self.bins.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        let bin = self.bin(moment.time);
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += events.len() as u32;
        if let Some(kind) = events.iter().find_map(|event| mark(moment, &event.kind))
            && (self.marks.len() < MARKS_MAX || kind == MarkKind::Command)
        {
            self.marks.push(Mark { moment, kind });
        }
    }

    /// The bin of an instant: the last one nearly always, and then nothing is divided.
    fn bin(&self, time: Time) -> usize {
        let last = self.bins.len().saturating_sub(1);
        let start = self.width * last as u64;
        if time.0 >= start && time.0 - start < self.width { last } else { (time.0 / self.width) as usize }
    }

    /// Forgets what is after a moment.
    pub fn truncate(&mut self, moment: Moment) {
        self.marks.retain(|mark| mark.moment.sequence <= moment.sequence);
        self.bins.truncate((moment.time.0 / self.width + 1) as usize);
    }

    /// Events in equal parts of 0 to `until`.
    pub fn density(&self, bins: usize, until: Time) -> Vec<u32> {
        let mut density = vec![0; bins];
        if bins == 0 || until == Time::ZERO {
            return density;
        }
        for (index, count) in self.bins.iter().enumerate() {
            let middle = index as u128 * u128::from(self.width) + u128::from(self.width) / 2;
            let bin = middle * bins as u128 / u128::from(until.0);
            if let Some(bin) = density.get_mut(bin as usize) {
                *bin += count;
            }
        }
        density
    }
}

fn mark(moment: Moment, kind: &EventKind) -> Option<MarkKind> {
    let is_start = moment.time == Time::ZERO;
    match kind {
        EventKind::CommandApplied { .. } => Some(MarkKind::Command),
        EventKind::TopicCreated { .. } | EventKind::TopicDeleted { .. } | EventKind::PartitionsCreated { .. }
            if !is_start =>
        {
            Some(MarkKind::Topology)
        }
        EventKind::MetadataRefreshed { reason, .. } if *reason != RefreshReason::FirstUse => Some(MarkKind::Metadata),
        EventKind::StickyPartitionSwitched { .. } | EventKind::RecordPartitioned { moved_from: Some(_), .. } => {
            Some(MarkKind::Switch)
        }
        EventKind::SendFailed { .. } | EventKind::BatchRetried { .. } | EventKind::MessageLost { .. } => {
            Some(MarkKind::Error)
        }
        EventKind::Transaction(event) => mark_of_transaction(event),
        EventKind::Group(event) => mark_of_group(event),
        _ => None,
    }
}

fn mark_of_group(event: &GroupEvent) -> Option<MarkKind> {
    match event {
        GroupEvent::GroupStateChanged { .. } => Some(MarkKind::Group),
        GroupEvent::CallbackStarted { partitions, .. } => (!partitions.is_empty()).then_some(MarkKind::Group),
        GroupEvent::MemberRemoved { reason, .. } => {
            (*reason != RemovalReason::Left && *reason != RemovalReason::Replaced).then_some(MarkKind::Error)
        }
        GroupEvent::PollFailed { .. } | GroupEvent::RecordsReadAgain { .. } => Some(MarkKind::Error),
        _ => None,
    }
}

fn mark_of_transaction(event: &TransactionEvent) -> Option<MarkKind> {
    use TransactionState as S;
    match event {
        TransactionEvent::TransactionStateChanged { state, .. } => {
            let is_end = matches!(state, S::PrepareCommit | S::PrepareAbort | S::CompleteCommit | S::CompleteAbort);
            is_end.then_some(MarkKind::Transaction)
        }
        TransactionEvent::TransactionTimedOut { .. } => Some(MarkKind::Transaction),
        TransactionEvent::ProducerFenced { .. } | TransactionEvent::CallReturned { error: Some(_), .. } => {
            Some(MarkKind::Error)
        }
        _ => None,
    }
}
