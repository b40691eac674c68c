//! The event queue: what will happen, ordered by time, then by kind, then by age.
//!
//! It does not know what an entry means; the simulation does.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use crate::event::MessageView;
use crate::limits::QUEUE_MAX;
use crate::message::Payload;
use crate::order::Order;
use crate::time::Time;

/// Who handles an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// The controller.
    Controller,
    /// A broker, by its position in the plan.
    Broker(u32),
    /// A producer, by its number.
    Producer(u32),
    /// A reader, by its number.
    Consumer(u32),
    /// A share consumer, by its number.
    Share(u32),
    /// The Admin client.
    Admin,
}

/// A message to oneself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The node starts.
    Start,
    /// Something may be due: linger, a timeout, a refresh.
    Wake,
    /// The workload sends its next records.
    Workload {
        /// A workload that was replaced leaves timers of an older generation behind.
        generation: u32,
    },
    /// A broker has worked off a Produce request.
    Produced,
    /// A reader's fetch has waited for `fetch.max.wait.ms` although there is less than it wants.
    FetchExpired {
        /// The fetch, by the id of its request.
        request: u64,
    },
    /// The first of the Produce requests that wait for the high watermark has waited for too long.
    ProduceExpired,
    /// A leader's question to a transaction coordinator has waited for too long.
    VerificationExpired,
    /// A leader asks a transaction coordinator again that was busy.
    VerifyAgain {
        /// The Produce request that it asks for.
        request: u64,
    },
    /// A leader looks for followers that lag.
    IsrCheck,
    /// A follower's fetch has been parked for `replica.fetch.wait.max.ms`.
    ReplicaFetchExpired {
        /// The follower.
        follower: u32,
    },
    /// Throttled bytes for a follower may leave.
    ThrottleFree {
        /// The follower.
        follower: u32,
    },
    /// A fetcher asks again for partitions that had to wait.
    FetchRetry {
        /// The leader.
        leader: u32,
    },
    /// A fetcher tries a broken connection again.
    Reconnect {
        /// The leader.
        leader: u32,
    },
    /// A broker looks for segments to delete.
    Retention,
    /// The log cleaner looks for logs to clean.
    Cleaner,
    /// A broker looks for segments to copy to remote storage, or to delete there.
    Remote,
    /// A connection to a broker broke.
    Disconnected {
        /// The broker.
        broker: u32,
    },
    /// A broker that was paused goes on: its fetchers ask anew.
    Resumed,
    /// Another broker's process takes the controller over.
    Failover {
        /// A failover that was overtaken leaves a timer of an older generation behind.
        generation: u32,
    },
    /// A broker has been silent for `broker.session.timeout.ms`.
    Session {
        /// The broker.
        broker: u32,
        /// A broker that was heard again leaves timers of an older generation behind.
        generation: u32,
    },
    /// A fenced broker that is heard again may take part.
    Unfence {
        /// The broker.
        broker: u32,
        /// A broker that was lost again leaves timers of an older generation behind.
        generation: u32,
    },
    /// A coordinator reads its part of `__transaction_state`.
    CoordinatorLoad {
        /// The partition.
        partition: u32,
        /// The leader epoch that it was elected in.
        epoch: u32,
    },
    /// The first of a coordinator's records has waited for too long to be replicated.
    CoordinatorAppends,
    /// Markers are sent again, or count as lost.
    Markers,
    /// A coordinator looks for transactions that are open for too long.
    TransactionTimeouts,
    /// A coordinator looks for transactional ids that were not used for long.
    TransactionExpiry,
    /// A coordinator reads its part of `__consumer_offsets`.
    GroupLoad {
        /// The partition.
        partition: u32,
        /// The leader epoch that it was elected in.
        epoch: u32,
    },
    /// Something is due in a group: a session, a rebalance, an offset.
    Groups,
    /// A share coordinator reads its part of `__share_group_state`.
    ShareLoad {
        /// The partition.
        partition: u32,
        /// The leader epoch that it was elected in.
        epoch: u32,
    },
    /// Something is due for share groups at a leader: a lock, a fetch, a question to a share coordinator.
    Shares,
    /// A share consumer does not poll any more: its fetch ends with its time.
    SharePollEnded {
        /// The fetch, by the id of its request.
        request: u64,
    },
    /// The connection of a share consumer broke.
    ShareClientLost {
        /// Its number.
        consumer: u32,
    },
    /// The brokers together may take the next batch.
    BatchDue {
        /// A rate that was changed leaves timers of an older generation behind.
        generation: u32,
    },
    /// The controller looks for partitions that their preferred replica could lead.
    PreferredLeaders,
    /// The controller looks for partitions without a leader that may have an unclean one.
    UncleanElections,
    /// A command of the scenario's script is due.
    Scripted {
        /// Its place in the script.
        index: u32,
    },
}

/// What an entry is.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A message arrives.
    Message(Rc<MessageView>, Rc<Payload>),
    /// A timer fires.
    Timer(Timer),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub time: Time,
    order: u64,
    pub target: Target,
    /// Of a broker's process, when the entry was made: it dies with the process.
    pub incarnation: u32,
    pub body: Body,
}

impl Entry {
    /// Messages come before timers of the same instant: with no network delay a request and its answer
    /// take no time, so they are over before anything else that is due at that instant. Scripted commands come
    /// last, as those do that a person gives at that time.
    fn key(&self) -> (Time, u8, u64) {
        let rank = match self.body {
            Body::Message(..) => 0,
            Body::Timer(Timer::Scripted { .. }) => 2,
            Body::Timer(_) => 1,
        };
        (self.time, rank, self.order)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Entries to come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// Comes before everything in the heap: what is set for soon leaves next, nearly always, and never goes in.
    front: Option<Entry>,
    heap: BinaryHeap<Reverse<Entry>>,
    next_order: u64,
    /// How often the process of each broker has ended, by the broker's place in the plan.
    incarnations: BTreeMap<u32, u32>,
}

impl Queue {
    /// Adds an entry.
    pub fn push(&mut self, time: Time, target: Target, body: Body) {
        assert!(self.len() < QUEUE_MAX, "the event queue holds {QUEUE_MAX} entries at most");
        let order = self.next_order;
        self.next_order += 1;
        let incarnation = self.incarnation(target);
        let entry = Entry { time, order, target, incarnation, body };
        let later = match self.peek() {
            Some(first) if *first < entry => Some(entry),
            _ => self.front.replace(entry),
        };
        if let Some(later) = later {
            self.heap.push(Reverse(later));
        }
    }

    /// The present process of a broker; 0 for all other nodes.
    pub fn incarnation(&self, target: Target) -> u32 {
        match target {
            Target::Broker(number) if !self.incarnations.is_empty() => {
                self.incarnations.get(&number).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The process of a broker has ended: what was on its way to it belongs to nobody.
    pub fn end_incarnation(&mut self, number: u32) {
        *self.incarnations.entry(number).or_default() += 1;
    }

    /// The next entry.
    pub fn peek(&self) -> Option<&Entry> {
        self.front.as_ref().or_else(|| self.heap.peek().map(|entry| &entry.0))
    }

    /// Takes the next entry.
    pub fn pop(&mut self) -> Option<Entry> {
        self.front.take().or_else(|| self.heap.pop().map(|entry| entry.0))
    }

    /// Entries waiting.
    pub fn len(&self) -> usize {
        self.heap.len() + usize::from(self.front.is_some())
    }

    /// Messages on their way, oldest first.
    pub fn messages(&self) -> Vec<Rc<MessageView>> {
        let entries = self.front.iter().chain(self.heap.iter().map(|entry| &entry.0));
        let mut messages: Vec<_> = entries
            .filter_map(|entry| match &entry.body {
                Body::Message(view, _) => Some(Rc::clone(view)),
                Body::Timer(_) => None,
            })
            .collect();
        messages.order_by_key(|message| message.id);
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_leave_by_time_and_then_by_age() {
        let mut queue = Queue::default();
        for (millis, target) in [(5, 0), (1, 1), (5, 2), (0, 3)] {
            queue.push(Time::from_millis(millis), Target::Broker(target), Body::Timer(Timer::Wake));
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|entry| entry.target).collect();
        assert_eq!(order, [Target::Broker(3), Target::Broker(1), Target::Broker(0), Target::Broker(2)]);
    }

    #[test]
    fn what_is_pushed_between_two_pops_finds_its_place() {
        let mut queue = Queue::default();
        let mut left = Vec::new();
        for round in 0..200_u64 {
            for step in 0..round % 4 {
                let millis = round + (round * 7 + step * 5) % 11;
                queue.push(Time::from_millis(millis), Target::Admin, Body::Timer(Timer::Wake));
            }
            let rest = queue.heap.iter().map(|entry| entry.0.key()).min();
            let next = queue.pop().map(|entry| entry.key());
            assert!(rest.is_none_or(|rest| next.is_some_and(|next| next <= rest)), "round {round}");
            left.extend(next);
        }
        left.extend(std::iter::from_fn(|| queue.pop()).map(|entry| entry.key()));
        left.sort_unstable_by_key(|key| key.2);
        assert!(left.iter().map(|key| key.2).eq(0..300), "each leaves once");
    }
}
