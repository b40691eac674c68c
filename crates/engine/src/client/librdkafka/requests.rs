//! The Produce requests that wait for an answer, counted by broker and by deadline.
//!
//! There may be thousands: librdkafka has no limit of its own worth the name. So nothing that happens with every
//! answer looks at all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::sending::InFlight;
use crate::time::Time;

/// The requests by their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    list: BTreeMap<u64, InFlight>,
    counts: BTreeMap<u32, u32>,
    deadlines: BTreeSet<(Time, u64)>,
}

impl Requests {
    /// A request has left.
    pub fn insert(&mut self, id: u64, request: InFlight) {
        *self.counts.entry(request.broker).or_default() += 1;
        self.deadlines.insert((request.deadline, id));
        self.list.insert(id, request);
    }

    /// A request is over.
    pub fn remove(&mut self, id: u64) -> Option<InFlight> {
        let request = self.list.remove(&id)?;
        self.deadlines.remove(&(request.deadline, id));
        if let Some(count) = self.counts.get_mut(&request.broker) {
            *count -= 1;
        }
        Some(request)
    }

    /// A request that waits.
    pub fn get(&self, id: u64) -> Option<&InFlight> {
        self.list.get(&id)
    }

    /// Requests that wait for a broker.
    pub fn at(&self, broker: u32) -> u32 {
        self.counts.get(&broker).copied().unwrap_or(0)
    }

    /// The ids of those that wait for a broker, oldest first.
    pub fn ids_at(&self, broker: u32) -> Vec<u64> {
        self.list.iter().filter(|(_, request)| request.broker == broker).map(|(id, _)| *id).collect()
    }

    /// When the first of them is given up.
    pub fn next_deadline(&self) -> Option<Time> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// All of them, oldest first.
    pub fn values(&self) -> impl Iterator<Item = &InFlight> {
        self.list.values()
    }

    /// The messages of each, to take them out.
    pub fn messages_mut(&mut self) -> impl Iterator<Item = &mut InFlight> {
        self.list.values_mut()
    }

    /// All of them, oldest first; none is left.
    pub fn take(&mut self) -> impl Iterator<Item = InFlight> + use<> {
        std::mem::take(self).list.into_values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
