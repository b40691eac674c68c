//! What a client knows about topics, and when it asks again.
//!
//! Follows `org.apache.kafka.clients.Metadata` of 4.3.1: first use, age, errors, backoff between tries.
//! Choosing the broker to ask is not modelled: it is always the first one.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::event::{Name, RefreshReason};
use crate::message::ClusterImage;
use crate::time::{Duration, Time};

/// A topic as this client knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownTopic {
    pub leaders: Vec<Option<u32>>,
    /// Partitions that have a leader.
    pub available: Vec<u32>,
}

/// The client's view of the cluster.
#[derive(Clone, Debug)]
pub(crate) struct Metadata {
    pub topics: BTreeMap<Name, Rc<KnownTopic>>,
    wanted: BTreeSet<Name>,
    pub refreshed: Option<Time>,
    /// The request on its way, and why it was sent.
    in_flight: Option<(u64, RefreshReason)>,
    requested: Option<RefreshReason>,
    not_before: Time,
    tries: u32,
    age_max: Duration,
    /// When age alone makes the next refresh due.
    pub due_by_age: Option<Time>,
    /// Taken off the first period: how old the first answer counts as.
    age_at_start: Duration,
    backoff: Duration,
    backoff_max: Duration,
}

impl Metadata {
    /// Knows nothing yet. The first answer counts as `age_at_start` old.
    pub fn new(age_max: Duration, age_at_start: Duration, backoff: Duration, backoff_max: Duration) -> Metadata {
        Metadata {
            topics: BTreeMap::new(),
            wanted: BTreeSet::new(),
            refreshed: None,
            in_flight: None,
            requested: None,
            not_before: Time::ZERO,
            tries: 0,
            age_max,
            due_by_age: None,
            age_at_start,
            backoff,
            backoff_max,
        }
    }

    /// The topic is used from now on.
    pub fn want(&mut self, topic: &Name) {
        if self.wanted.insert(Rc::clone(topic)) {
            self.request(RefreshReason::FirstUse);
        }
    }

    /// Topics in use.
    pub fn wanted(&self) -> Vec<Name> {
        self.wanted.iter().cloned().collect()
    }

    /// Asks for a refresh as soon as the backoff allows it.
    pub fn request(&mut self, reason: RefreshReason) {
        self.requested.get_or_insert(reason);
    }

    /// When the next request is due; `None` while one is on its way or nothing is wanted.
    pub fn due(&self) -> Option<(Time, RefreshReason)> {
        if self.in_flight.is_some() || self.wanted.is_empty() {
            return None;
        }
        let by_age = self.due_by_age.map(|at| (at, RefreshReason::Age));
        match self.requested {
            Some(reason) => Some((self.not_before, reason)),
            None => by_age.or(Some((self.not_before, RefreshReason::FirstUse))),
        }
    }

    /// A request left.
    pub fn sent(&mut self, request: u64, reason: RefreshReason) {
        self.in_flight = Some((request, reason));
        self.requested = None;
    }

    /// The request on its way will not be answered.
    pub fn lost(&mut self, now: Time) {
        if let Some((_, reason)) = self.in_flight.take() {
            self.request(reason);
            self.not_before = now + self.backoff;
        }
    }

    /// Takes an answer over; `None` if it is not the one that is waited for.
    pub fn update(&mut self, request: u64, image: &ClusterImage, now: Time) -> Option<RefreshReason> {
        let (waiting, reason) = self.in_flight?;
        if waiting != request {
            return None;
        }
        self.in_flight = None;
        self.topics.clear();
        self.topics.extend(self.wanted.iter().filter_map(|topic| Some((Rc::clone(topic), known(image, topic)?))));
        self.refreshed = Some(now);
        self.due_by_age = Some(now + self.age_max - std::mem::take(&mut self.age_at_start));
        let is_complete = self.topics.len() == self.wanted.len();
        self.tries = if is_complete { 0 } else { self.tries + 1 };
        self.not_before = now + self.wait();
        if !is_complete {
            self.request(RefreshReason::FirstUse);
        }
        Some(reason)
    }

    /// The answer did not bring what is waited for: ask again after a growing pause.
    pub fn again(&mut self, now: Time) {
        self.tries += 1;
        self.not_before = now + self.wait();
        self.request(RefreshReason::Error);
    }

    fn wait(&self) -> Duration {
        let doubled = self.backoff.0.saturating_mul(1 << self.tries.saturating_sub(1).min(10));
        Duration(doubled.min(self.backoff_max.0.max(self.backoff.0)))
    }
}

fn known(image: &ClusterImage, topic: &Name) -> Option<Rc<KnownTopic>> {
    let leaders: Vec<_> = image.topics.get(topic)?.partitions.iter().map(|partition| partition.leader).collect();
    let available = (0..).zip(&leaders).filter(|(_, leader)| leader.is_some()).map(|(number, _)| number).collect();
    Some(Rc::new(KnownTopic { leaders, available }))
}
