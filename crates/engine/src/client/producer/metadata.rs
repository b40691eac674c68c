//! What a client knows about topics, and when it asks again.
//!
//! Follows `org.apache.kafka.clients.Metadata` of 4.3.1: first use, age, errors, backoff between tries.
//! The broker that is asked is chosen in `client/connections.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::client::named::Named;
use crate::event::{Name, RefreshReason};
use crate::message::ClusterImage;
use crate::order;
use crate::time::{Duration, Time};

/// A topic as this client knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownTopic {
    pub leaders: Vec<Option<u32>>,
    /// Leader epoch of each partition.
    pub epochs: Vec<u32>,
    /// Partitions that have a leader.
    pub available: Vec<u32>,
}

impl KnownTopic {
    /// The leader of a partition, if it has one.
    pub fn leader(&self, partition: u32) -> Option<u32> {
        self.leaders.get(partition as usize).copied().flatten()
    }
}

/// A request on its way.
#[derive(Clone, Copy, Debug)]
struct Asked {
    request: u64,
    reason: RefreshReason,
    broker: u32,
    deadline: Time,
}

/// The client's view of the cluster.
#[derive(Clone, Debug)]
pub(crate) struct Metadata {
    pub topics: Named<Rc<KnownTopic>>,
    /// The partitions that each broker leads, in order.
    led: BTreeMap<u32, Rc<[(Name, u32)]>>,
    /// Topics in use, and when each was used last.
    wanted: Named<Time>,
    /// All topics are asked for, as for a pattern.
    is_all: bool,
    /// Topics that the last answer did not know.
    missing: BTreeSet<Name>,
    pub refreshed: Option<Time>,
    /// Racks of the brokers.
    pub racks: BTreeMap<u32, Option<Name>>,
    in_flight: Option<Asked>,
    requested: Option<RefreshReason>,
    not_before: Time,
    tries: u32,
    age_max: Duration,
    /// When age alone makes the next refresh due.
    pub due_by_age: Option<Time>,
    /// Taken off the first period: how old the first answer counts as.
    age_at_start: Duration,
    /// A topic that does not exist is asked for again soon.
    pub tries_missing: bool,
    /// A topic that was not used for that long is forgotten.
    idle_max: Duration,
    backoff: Duration,
    backoff_max: Duration,
}

impl Metadata {
    /// Knows nothing yet. The first answer counts as `age_at_start` old.
    pub fn new(
        age_max: Duration,
        age_at_start: Duration,
        idle_max: Duration,
        backoff: Duration,
        backoff_max: Duration,
    ) -> Metadata {
        Metadata {
            topics: Named::default(),
            led: BTreeMap::new(),
            wanted: Named::default(),
            is_all: false,
            missing: BTreeSet::new(),
            refreshed: None,
            racks: BTreeMap::new(),
            in_flight: None,
            requested: None,
            not_before: Time::ZERO,
            tries: 0,
            age_max,
            due_by_age: None,
            age_at_start,
            tries_missing: true,
            idle_max,
            backoff,
            backoff_max,
        }
    }

    /// The topic is used now.
    pub fn want(&mut self, topic: &Name, now: Time) {
        match self.wanted.get_mut(topic) {
            Some(used) => *used = now,
            None => {
                self.wanted.insert(Rc::clone(topic), now);
                self.request(RefreshReason::FirstUse);
            }
        }
    }

    /// The topic is used now, and the answer at hand tells of it.
    pub fn want_known(&mut self, topic: &Name, now: Time) {
        if !self.wanted.contains_key(topic) {
            self.wanted.insert(Rc::clone(topic), now);
        }
    }

    /// All topics are of interest: a pattern is matched against them.
    pub fn want_all(&mut self) {
        self.is_all = true;
        self.request(RefreshReason::FirstUse);
    }

    /// The topic is of no use: its name is illegal.
    pub fn forget(&mut self, topic: &Name) {
        self.wanted.remove(topic);
        self.missing.remove(topic);
    }

    /// Whether the last answer said that there is no such topic.
    pub fn is_missing(&self, topic: &Name) -> bool {
        self.missing.contains(topic)
    }

    /// Topics in use.
    pub fn wanted(&self) -> Vec<Name> {
        self.wanted.keys().cloned().collect()
    }

    /// Asks for a refresh as soon as the backoff allows it.
    pub fn request(&mut self, reason: RefreshReason) {
        self.requested.get_or_insert(reason);
    }

    /// When the next request is due; `None` while one is on its way or nothing is wanted.
    pub fn due(&self) -> Option<(Time, RefreshReason)> {
        if self.in_flight.is_some() || (self.wanted.is_empty() && !self.is_all) {
            return None;
        }
        let by_age = self.due_by_age.map(|at| (at, RefreshReason::Age));
        match self.requested {
            Some(reason) => Some((self.not_before, reason)),
            None => by_age.or(Some((self.not_before, RefreshReason::FirstUse))),
        }
    }

    /// A request left for a broker; it is given up at the deadline.
    pub fn sent(&mut self, request: u64, reason: RefreshReason, broker: u32, deadline: Time) {
        self.in_flight = Some(Asked { request, reason, broker, deadline });
        self.requested = None;
    }

    /// The broker that owes an answer, and when it is given up.
    pub fn asked(&self) -> Option<(u32, Time)> {
        self.in_flight.map(|asked| (asked.broker, asked.deadline))
    }

    /// The connection to a broker broke: a request to it is not answered, and the next broker may be asked.
    pub fn lost(&mut self, broker: u32, now: Time) {
        if let Some(asked) = self.in_flight.take_if(|asked| asked.broker == broker) {
            self.request(asked.reason);
            self.not_before = self.not_before.min(now);
        }
    }

    /// Takes an answer over and tells who sent it; `None` if it is not the one that is waited for.
    pub fn update(&mut self, request: u64, image: &ClusterImage, now: Time) -> Option<(u32, RefreshReason)> {
        let asked = self.in_flight.take_if(|asked| asked.request == request)?;
        // `ProducerMetadata.retainTopic`.
        self.wanted.retain(|_, used| *used + self.idle_max > now);
        let mut topics = Named::default();
        for topic in self.wanted.keys() {
            if let Some(known) = known(image, topic) {
                topics.insert(Rc::clone(topic), known);
            }
        }
        self.missing = self.wanted.keys().filter(|topic| !topics.contains_key(topic)).cloned().collect();
        // `equivalentResponseCount`: answers that bring nothing new make the pauses longer.
        let is_news = topics != self.topics || asked.reason == RefreshReason::Age;
        if topics != self.topics {
            self.topics = topics;
            self.led = led(&self.topics);
        }
        self.racks = order::map(image.brokers.iter().map(|(id, broker)| (*id, broker.rack.clone())));
        self.refreshed = Some(now);
        self.due_by_age = Some(now + self.age_max - std::mem::take(&mut self.age_at_start));
        let is_complete = self.topics.len() == self.wanted.len();
        self.tries = if is_complete && is_news { 0 } else { self.tries + 1 };
        self.not_before = now + self.wait();
        if !is_complete && self.tries_missing {
            self.request(RefreshReason::FirstUse);
        }
        Some((asked.broker, asked.reason))
    }

    /// The leader of a partition, as far as it is known.
    pub fn leader(&self, topic: &Name, partition: u32) -> Option<u32> {
        self.topics.get(topic)?.leader(partition)
    }

    /// The partitions that a broker leads, in order of topic and number.
    pub fn led_by(&self, broker: u32) -> Rc<[(Name, u32)]> {
        self.led.get(&broker).cloned().unwrap_or_default()
    }

    /// The leader epoch of a partition that has a leader.
    pub fn epoch(&self, topic: &Name, partition: u32) -> Option<u32> {
        self.leader(topic, partition)?;
        self.topics.get(topic)?.epochs.get(partition as usize).copied()
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
    let partitions = &image.topics.get(topic)?.partitions;
    let leaders: Vec<_> = partitions.iter().map(|partition| partition.leader).collect();
    let epochs = partitions.iter().map(|partition| partition.leader_epoch).collect();
    let available = (0..).zip(&leaders).filter(|(_, leader)| leader.is_some()).map(|(number, _)| number).collect();
    Some(Rc::new(KnownTopic { leaders, epochs, available }))
}

fn led(topics: &Named<Rc<KnownTopic>>) -> BTreeMap<u32, Rc<[(Name, u32)]>> {
    let mut led: BTreeMap<u32, Vec<(Name, u32)>> = BTreeMap::new();
    for (name, topic) in topics.iter() {
        for (number, leader) in (0..).zip(&topic.leaders) {
            if let Some(leader) = leader {
                led.entry(*leader).or_default().push((Rc::clone(name), number));
            }
        }
    }
    order::map(led.into_iter().map(|(broker, partitions)| (broker, partitions.into())))
}
