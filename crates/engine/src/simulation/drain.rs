//! One queue in front of all brokers: together they take one batch of producers in a given time.
//!
//! It stands for whatever limits a cluster as a whole, where a lesson wants a rate and not its causes. Single
//! slow brokers are `produce_time`, in `broker`. Kafka has no such queue.

use std::collections::VecDeque;
use std::rc::Rc;

use super::Simulation;
use crate::event::Event;
use crate::message::Payload;
use crate::queue::{Body, Entry, Target, Timer};
use crate::time::{Duration, Time};

/// The queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drain {
    /// Between two batches; 0 for no limit.
    pub time: Duration,
    /// Nothing gets through.
    pub is_stalled: bool,
    /// When the last batch got through.
    last: Option<Time>,
    queue: VecDeque<Queued>,
    generation: u32,
}

/// A Produce request in the queue.
#[derive(Clone, Debug)]
struct Queued {
    entry: Entry,
    /// Batches that are not through yet.
    batches: u32,
}

impl Drain {
    /// An empty queue.
    pub fn new(time: Duration) -> Drain {
        Drain { time, ..Drain::default() }
    }

    /// Whether requests queue at all.
    fn is_on(&self) -> bool {
        self.is_stalled || self.time > Duration::ZERO || !self.queue.is_empty()
    }

    /// Requests that wait for a broker.
    pub fn waiting(&self, target: Target) -> u32 {
        self.queue.iter().filter(|queued| queued.entry.target == target).count() as u32
    }

    /// Rough size in bytes.
    pub fn own_bytes(&self) -> usize {
        self.queue.len() * 96
    }

    /// When the next batch may go.
    fn next(&self) -> Option<Time> {
        let last = self.last.map_or(Time::ZERO, |last| last + self.time);
        (!self.is_stalled && !self.queue.is_empty()).then_some(last)
    }
}

impl Simulation {
    /// Puts a Produce request in line; returns any other entry.
    pub(super) fn queue_up(&mut self, entry: Entry, trace: &mut Vec<Event>) -> Option<Entry> {
        if !self.drain.is_on() {
            return Some(entry);
        }
        let batches = match &entry.body {
            Body::Message(_, payload) => match &**payload {
                Payload::Produce(produce) => produce.batches.len() as u32,
                _ => return Some(entry),
            },
            Body::Timer(_) => return Some(entry),
        };
        let is_first = self.drain.queue.is_empty();
        self.drain.queue.push_back(Queued { entry, batches });
        if is_first {
            self.let_through(trace);
        }
        None
    }

    /// Another time for each batch, or none at all.
    pub(super) fn set_drain(&mut self, time: Duration, is_stalled: bool, trace: &mut Vec<Event>) {
        self.drain.time = time;
        self.drain.is_stalled = is_stalled;
        self.let_through(trace);
    }

    /// The timer of the next batch fired.
    pub(super) fn drained(&mut self, generation: u32, trace: &mut Vec<Event>) {
        if generation == self.drain.generation {
            self.let_through(trace);
        }
    }

    /// Lets through what is due, and sets the timer for the next batch.
    fn let_through(&mut self, trace: &mut Vec<Event>) {
        let now = self.moment.time;
        self.drain.generation += 1;
        while self.drain.next().is_some_and(|next| next <= now) {
            self.drain.last = Some(now);
            let Some(first) = self.drain.queue.front_mut() else { break };
            first.batches = first.batches.saturating_sub(1);
            if first.batches > 0 {
                continue;
            }
            let Some(done) = self.drain.queue.pop_front() else { break };
            // Its broker may have stopped since it came.
            let Some(Entry { target, body: Body::Message(view, payload), .. }) = self.withhold(done.entry, trace)
            else {
                continue;
            };
            self.deliver(target, &view, &Rc::clone(&payload), trace);
        }
        if let Some(next) = self.drain.next() {
            let timer = Timer::BatchDue { generation: self.drain.generation };
            self.post.queue.push(next, Target::Controller, Body::Timer(timer));
        }
    }
}
