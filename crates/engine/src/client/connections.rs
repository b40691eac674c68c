//! A client's connections: which broker is asked for what any of them can answer, and how long one that
//! failed is left alone.
//!
//! Follows `ClusterConnectionStates` and `NetworkClient.leastLoadedNode` of Kafka 4.3.1. Bytes and sockets
//! are not modelled. Simplified: a client keeps asking the broker that answered last and goes on to the next
//! id when it fails; Kafka's prefers the one with the fewest requests in flight and starts at a random one.

use std::collections::{BTreeMap, BTreeSet};

use crate::rng::Stream;
use crate::time::{Duration, Time};

/// The connections of one client.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    /// The broker that was chosen last.
    current: u32,
    /// Brokers that something was sent to since their connection broke.
    open: BTreeSet<u32>,
    broken: BTreeMap<u32, Broken>,
    /// Brokers to which no connection comes about: nothing answers. When the next try is, and how many there were.
    silent: BTreeMap<u32, (Time, u32)>,
    backoff: Backoff,
    jitter: Stream,
}

/// TCP tries again after a second, then after twice as long each time.
const FIRST_RETRANSMISSION: Duration = Duration::from_secs(1);
const RETRANSMISSIONS_DOUBLED: u32 = 3;

/// A broker whose connection broke.
#[derive(Clone, Copy, Debug)]
struct Broken {
    /// In a row, without an answer in between.
    failures: u32,
    /// It is not tried again before.
    not_before: Time,
}

/// `ExponentialBackoff`: doubles from a first to a longest pause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Backoff {
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// The pause after that many failures before this one, give or take 20 %.
    pub fn pause(self, failures: u32, jitter: &mut Stream) -> Duration {
        let doubled = self.first.0.saturating_mul(1 << failures.min(20)).min(self.longest.0.max(self.first.0));
        Duration(doubled * (80 + jitter.below(41)) / 100)
    }
}

impl Connections {
    /// No connections yet.
    pub fn new(backoff: Backoff, jitter: Stream) -> Connections {
        Connections {
            current: 0,
            open: BTreeSet::new(),
            broken: BTreeMap::new(),
            silent: BTreeMap::new(),
            backoff,
            jitter,
        }
    }

    /// Whether something may be sent to the broker now.
    pub fn may_send(&self, broker: u32, now: Time) -> bool {
        let is_left_alone = self.broken.get(&broker).is_some_and(|broken| broken.not_before > now);
        !is_left_alone && !self.silent.contains_key(&broker)
    }

    /// Tries to set up a connection over a link that is cut or not. Simplified: whether that works is looked up;
    /// no messages are exchanged, and the limits of `socket.connection.setup.timeout.ms` do not matter.
    pub fn set_up(&mut self, broker: u32, is_cut: bool, now: Time) {
        if !is_cut || self.open.contains(&broker) {
            self.silent.remove(&broker);
            return;
        }
        let (next, tries) = self.silent.entry(broker).or_insert((now, 0));
        if *next <= now {
            *next = now + Duration(FIRST_RETRANSMISSION.0 << (*tries).min(RETRANSMISSIONS_DOUBLED));
            *tries += 1;
        }
    }

    /// A broker to ask: the one asked last, else the next id that is not left alone.
    pub fn choose(&mut self, brokers: &[u32], now: Time) -> Option<u32> {
        let usable = brokers.iter().copied().filter(|broker| self.may_send(*broker, now));
        let chosen = usable.min_by_key(|broker| (*broker < self.current, *broker))?;
        self.current = chosen;
        Some(chosen)
    }

    /// When the next broker that is left alone may be tried again, if one is.
    pub fn next_attempt(&self, now: Time) -> Option<Time> {
        let left_alone = self.broken.values().map(|broken| broken.not_before);
        left_alone.chain(self.silent.values().map(|(next, _)| *next)).filter(|at| *at > now).min()
    }

    /// Whether some broker does not answer.
    pub fn has_silent(&self) -> bool {
        !self.silent.is_empty()
    }

    /// Whether the connection could break.
    pub fn is_open(&self, broker: u32) -> bool {
        self.open.contains(&broker)
    }

    /// Brokers whose connection could break.
    pub fn open(&self) -> Vec<u32> {
        self.open.iter().copied().collect()
    }

    /// Something was sent.
    pub fn sent(&mut self, broker: u32) {
        self.open.insert(broker);
    }

    /// The broker answered.
    pub fn answered(&mut self, broker: u32) {
        self.broken.remove(&broker);
    }

    /// The connection broke, or could not be made.
    pub fn broke(&mut self, broker: u32, now: Time) {
        self.open.remove(&broker);
        let failures = self.broken.get(&broker).map_or(0, |broken| broken.failures);
        let not_before = now + self.backoff.pause(failures, &mut self.jitter);
        self.broken.insert(broker, Broken { failures: failures + 1, not_before });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections() -> Connections {
        let backoff = Backoff { first: Duration::from_millis(50), longest: Duration::from_secs(1) };
        Connections::new(backoff, Stream::new(1, "test", ""))
    }

    #[test]
    fn brokers_are_tried_in_the_order_of_their_ids() {
        let mut connections = connections();
        let brokers = [3, 1, 2];
        let mut chosen = Vec::new();
        for _ in 0..4 {
            let broker = connections.choose(&brokers, Time::ZERO);
            chosen.push(broker);
            broker.into_iter().for_each(|broker| connections.broke(broker, Time::ZERO));
        }
        assert_eq!(chosen, [Some(1), Some(2), Some(3), None]);
        assert_eq!(connections.choose(&brokers, Time::from_millis(60)), Some(3), "the one asked last comes first");
    }

    #[test]
    fn a_broker_that_fails_again_is_left_alone_for_longer() {
        let mut connections = connections();
        let mut pauses = Vec::new();
        let mut now = Time::ZERO;
        for _ in 0..8 {
            connections.broke(7, now);
            let next = connections.next_attempt(now).unwrap();
            pauses.push(next.since(now).millis());
            now = next;
        }
        let expected = [50, 100, 200, 400, 800, 1_000, 1_000, 1_000];
        let is_near = |(pause, middle): (&u64, &u64)| *pause >= middle * 8 / 10 && *pause <= middle * 12 / 10;
        assert!(pauses.iter().zip(&expected).all(is_near), "{pauses:?}");
        connections.answered(7);
        assert!(connections.may_send(7, now));
        connections.broke(7, now);
        assert!(connections.next_attempt(now).unwrap().since(now) <= Duration::from_millis(60), "it begins anew");
    }
}
