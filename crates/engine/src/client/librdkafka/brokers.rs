//! Connections to brokers: which are up, which broke, and what went over a connection that is gone.
//!
//! Simplified: a connection that never broke is up from the start. After a break the first request is one for
//! metadata, and nothing else leaves before its answer; librdkafka asks for API versions first.

use std::collections::{BTreeMap, BTreeSet};

use crate::client::connections::Backoff;
use crate::event::{MessageView, NodeId};
use crate::rng::Stream;
use crate::time::Time;

/// Requests of a connection that the client has closed and that a broker still reads when it goes on: the one
/// that its network thread takes first, and one more before it notices the end
/// (`Selector.maybeReadFromClosingChannel` of Kafka).
const READ_FROM_CLOSED: usize = 2;

/// The connection to one broker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Link {
    #[default]
    Up,
    /// Broken; not tried again before.
    Down(Time),
    /// Tried again with the request of this id.
    Probing(u64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Broker {
    link: Link,
    /// Messages with a smaller id went over an older connection.
    since: u64,
    /// Breaks in a row.
    failures: u32,
    is_used: bool,
}

/// All connections of one client.
#[derive(Clone, Debug)]
pub(super) struct Brokers {
    known: BTreeMap<u32, Broker>,
    /// Requests of closed connections that brokers still read.
    readable: BTreeSet<u64>,
    backoff: Backoff,
    jitter: Stream,
    current: u32,
}

impl Brokers {
    pub fn new(backoff: Backoff, jitter: Stream) -> Brokers {
        Brokers { known: BTreeMap::new(), readable: BTreeSet::new(), backoff, jitter, current: 0 }
    }

    /// Whether requests may leave for the broker.
    pub fn is_up(&self, broker: u32) -> bool {
        self.known.get(&broker).is_none_or(|known| known.link == Link::Up)
    }

    /// A broker that is up: the one asked last, else the next id.
    pub fn choose(&mut self, brokers: &[u32]) -> Option<u32> {
        let up = brokers.iter().copied().filter(|broker| self.is_up(*broker));
        let chosen = up.min_by_key(|broker| (*broker < self.current, *broker))?;
        self.current = chosen;
        Some(chosen)
    }

    /// Brokers whose connection is to be tried again.
    pub fn to_probe(&self, now: Time) -> Vec<u32> {
        let is_due = |known: &Broker| matches!(known.link, Link::Down(at) if at <= now);
        self.known.iter().filter(|(_, known)| is_due(known)).map(|(broker, _)| *broker).collect()
    }

    /// When the next broken connection is tried again.
    pub fn next_probe(&self) -> Option<Time> {
        let due = self.known.values().filter_map(|known| match known.link {
            Link::Down(at) => Some(at),
            Link::Up | Link::Probing(_) => None,
        });
        due.min()
    }

    /// Whether the connection could break.
    pub fn is_used(&self, broker: u32) -> bool {
        self.known.get(&broker).is_some_and(|known| known.is_used)
    }

    /// Brokers whose connection could break.
    pub fn used(&self) -> Vec<u32> {
        self.known.iter().filter(|(_, known)| known.is_used).map(|(broker, _)| *broker).collect()
    }

    /// A request left.
    pub fn sent(&mut self, broker: u32) {
        self.known.entry(broker).or_default().is_used = true;
    }

    /// A request left that shall show whether the broker is there again.
    pub fn probed(&mut self, broker: u32, request: u64) {
        let known = self.known.entry(broker).or_default();
        known.link = Link::Probing(request);
        known.is_used = true;
    }

    /// The broker answered.
    pub fn answered(&mut self, broker: u32) {
        let known = self.known.entry(broker).or_default();
        known.link = Link::Up;
        known.failures = 0;
    }

    /// The connection broke. `unread` are the requests that the broker's process may still find in its socket,
    /// oldest first; `next` is the id of the next message.
    pub fn broke(&mut self, broker: u32, unread: &[u64], next: u64, now: Time) {
        let pause = self.backoff.pause(self.known.get(&broker).map_or(0, |known| known.failures), &mut self.jitter);
        let known = self.known.entry(broker).or_default();
        known.failures += 1;
        known.link = Link::Down(now + pause);
        known.since = next;
        known.is_used = false;
        self.readable.extend(unread.iter().take(READ_FROM_CLOSED));
    }

    /// Fault: the connection is broken for messages with a smaller id, and nobody has noticed yet.
    pub fn cut(&mut self, broker: u32, next: u64) {
        self.known.entry(broker).or_default().since = next;
    }

    /// Whether a message of this client went over a connection that is gone.
    pub fn has_lost(&self, message: &MessageView) -> bool {
        let broker = match (&message.from, &message.to) {
            (NodeId::Broker { id }, _) | (_, NodeId::Broker { id }) => *id,
            _ => return false,
        };
        let since = self.known.get(&broker).map_or(0, |known| known.since);
        message.id < since && !self.readable.contains(&message.id)
    }
}
