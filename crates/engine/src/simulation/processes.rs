//! The processes of the brokers: starting, stopping, dying, standing still; and who of them is heard by the
//! controller.
//!
//! What a broker does while its process runs is in `broker`. Simplified: every broker is a controller too,
//! and the cluster has an active controller as long as one process runs; KRaft needs a majority of them.

use std::rc::Rc;

use super::Simulation;
use crate::broker::Broker;
use crate::event::{Api, Event, EventKind, NodeId};
use crate::message::Payload;
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Body, Entry, Target, Timer};
use crate::snapshot::BrokerState;
use crate::time::{Duration, Time};

/// The process of one broker.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub state: BrokerState,
    /// Heartbeats are sent at multiples of their interval after this.
    started: Time,
    /// Whether the controller hears it.
    is_heard: bool,
    /// Whether the controller has registered this process.
    is_registered: bool,
    /// Whether it shut down in order the last time.
    is_clean: bool,
    /// What arrived or was due while it stood still.
    kept: Vec<Entry>,
}

/// The active controller: which process it lives in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosting {
    /// A failover that has begun; timers of older ones mean nothing.
    generation: u32,
    /// What waits for a controller.
    kept: Vec<Entry>,
}

impl Default for Process {
    fn default() -> Process {
        Process {
            state: BrokerState::Running,
            started: Time::ZERO,
            is_heard: true,
            is_registered: true,
            is_clean: true,
            kept: Vec::new(),
        }
    }
}

impl Process {
    /// Whether it does anything.
    pub fn is_running(&self) -> bool {
        matches!(self.state, BrokerState::Running | BrokerState::ShuttingDown)
    }

    /// Rough size in bytes.
    pub fn own_bytes(&self) -> u64 {
        (64 + self.kept.len() * 64) as u64
    }
}

impl Simulation {
    /// Takes an entry that its broker or controller cannot handle now; returns any other.
    #[inline]
    pub(super) fn intercept(&mut self, entry: Entry, trace: &mut Vec<Event>) -> Option<Entry> {
        if let Body::Message(view, _) = &entry.body
            && self.post.links.is_cut(&view.from, &view.to)
        {
            self.lose(&entry, trace);
            return None;
        }
        self.withhold(entry, trace)
    }

    /// The same for an entry that has come over its link already.
    #[inline]
    pub(super) fn withhold(&mut self, entry: Entry, trace: &mut Vec<Event>) -> Option<Entry> {
        match entry.target {
            Target::Broker(number) => {
                let process = &mut self.processes[number as usize];
                if process.state == BrokerState::Stopped
                    || (!process.is_registered && is_of_client(&entry.body))
                    || entry.incarnation != self.post.queue.incarnation(entry.target)
                {
                    self.lose(&entry, trace);
                    return None;
                }
                if process.state == BrokerState::Paused {
                    process.kept.push(entry);
                    return None;
                }
            }
            Target::Controller if self.controller.host().is_none() && !is_own(&entry.body) => {
                self.hosting.kept.push(entry);
                return None;
            }
            Target::Producer(_) | Target::Consumer(_) | Target::Share(_) => return self.intercept_client(entry, trace),
            _ => {}
        }
        Some(entry)
    }

    /// Nobody gets an entry. Who waits for an answer of a process that is gone learns that; over a cut link
    /// nobody learns anything.
    fn lose(&mut self, entry: &Entry, trace: &mut Vec<Event>) {
        let Body::Message(view, payload) = &entry.body else { return };
        let is_cut = self.post.links.is_cut(&view.from, &view.to);
        let mut outbox = self.post.open(self.moment, trace);
        if view.is_notable {
            outbox.emit_cause(EventKind::MessageLost { message: Rc::clone(view) });
        }
        if let (NodeId::Broker { id }, false, false) = (&view.to, view.is_response, is_cut)
            && let Some(sender) = sender(payload, &outbox)
        {
            outbox.refuse(*id, sender);
        }
    }

    /// A process starts.
    pub(super) fn start_process(&mut self, number: u32, trace: &mut Vec<Event>) {
        let now = self.moment.time;
        let process = &mut self.processes[number as usize];
        let is_clean = process.is_clean;
        *process = Process { started: now, is_heard: false, is_registered: false, is_clean, ..Process::default() };
        let broker = &mut self.brokers[number as usize];
        let id = broker.id;
        broker.started(is_clean, now);
        self.post.open(self.moment, trace).emit_cause(EventKind::BrokerStarted { broker: id });
        self.silence(&NodeId::Broker { id }, None, false, trace);
        if self.controller.host().is_none() {
            self.begin_failover(trace);
        }
        self.look_at_contact(number, trace);
    }

    /// SIGTERM: the broker asks the controller to take over what it leads, and stops when that is done. If
    /// the controller does not hear it, it stops without; Kafka's first waits for some minutes.
    pub(super) fn shut_down_process(&mut self, number: u32, trace: &mut Vec<Event>) {
        let process = &mut self.processes[number as usize];
        if !process.is_heard || !process.is_registered {
            self.stop_process(number, true, trace);
            return;
        }
        process.state = BrokerState::ShuttingDown;
        let broker = self.brokers[number as usize].id;
        let payload = Payload::ControlledShutdown { broker };
        let (from, to) = (NodeId::Broker { id: broker }, NodeId::Controller);
        let parcel = Parcel::request(Api::BrokerHeartbeat, from, to, Target::Controller, payload, true);
        self.post.open(self.moment, trace).send(parcel);
    }

    /// A process ends.
    pub(super) fn stop_process(&mut self, number: u32, is_clean: bool, trace: &mut Vec<Event>) {
        let now = self.moment.time;
        let process = &mut self.processes[number as usize];
        process.state = BrokerState::Stopped;
        process.is_clean = is_clean;
        process.kept.clear();
        self.post.queue.end_incarnation(number);
        let broker = &mut self.brokers[number as usize];
        let id = broker.id;
        broker.stopped(is_clean, now);
        self.post.open(self.moment, trace).emit_cause(EventKind::BrokerStopped { broker: id, is_clean });
        self.break_connections(number, trace);
        self.look_at_contact(number, trace);
        self.leave_controller(id, trace);
    }

    /// SIGSTOP. Simplified: fetches that wait at leaders are not answered any more, as if they had ended just
    /// before; Kafka's may still be, for half a second.
    pub(super) fn pause_process(&mut self, number: u32, trace: &mut Vec<Event>) {
        self.processes[number as usize].state = BrokerState::Paused;
        let id = self.brokers[number as usize].id;
        self.post.open(self.moment, trace).emit_cause(EventKind::BrokerPaused { broker: id });
        self.withdraw_fetches(id);
        self.silence(&NodeId::Broker { id }, None, true, trace);
        self.look_at_contact(number, trace);
        self.leave_controller(id, trace);
    }

    /// SIGCONT: what has piled up is handled, in order.
    pub(super) fn resume_process(&mut self, number: u32, trace: &mut Vec<Event>) {
        let now = self.moment.time;
        let process = &mut self.processes[number as usize];
        process.state = BrokerState::Running;
        let kept = std::mem::take(&mut process.kept);
        let id = self.brokers[number as usize].id;
        self.post.open(self.moment, trace).emit_cause(EventKind::BrokerResumed { broker: id });
        for entry in kept {
            self.post.queue.push(now, entry.target, entry.body);
        }
        self.post.queue.push(now, Target::Broker(number), Body::Timer(Timer::Resumed));
        self.silence(&NodeId::Broker { id }, None, false, trace);
        if self.controller.host().is_none() {
            self.begin_failover(trace);
        }
        self.look_at_contact(number, trace);
    }

    /// Connections to a process that ended break: clients and other brokers learn it.
    fn break_connections(&mut self, number: u32, trace: &mut Vec<Event>) {
        let now = self.moment.time;
        let id = self.brokers[number as usize].id;
        let node = NodeId::Broker { id };
        self.withdraw_fetches(id);
        let clients = (0..).zip(&self.producers).map(|(number, it)| (Target::Producer(number), it.node()));
        let readers = (0..).zip(&self.readers).map(|(number, it)| (Target::Consumer(number), it.node()));
        let shares = (0..).zip(&self.shares).map(|(number, it)| (Target::Share(number), it.node()));
        let ends: Vec<_> =
            clients.chain(readers).chain(shares).filter(|(_, other)| !self.post.links.is_cut(&node, other)).collect();
        for (target, other) in ends {
            let at = now + self.post.delay + self.post.links.delay(&node, &other);
            self.post.open(self.moment, trace).wake(target, at, Timer::Disconnected { broker: id });
        }
        let mut outbox = self.post.open(self.moment, trace);
        if self.admin.waits_for(id) {
            let at = now + outbox.post.delay;
            outbox.wake(Target::Admin, at, Timer::Disconnected { broker: id });
        }
        for broker in &mut self.brokers {
            broker.leader_disconnected(id, now);
            broker.marker_peer_lost(id, &mut outbox);
        }
        // Who waits for its answer as a coordinator learns it like any client.
        let waiting: Vec<Target> = (0..)
            .zip(&self.brokers)
            .filter(|(_, other)| other.verifications.waits_for(id) || other.waits_for_share_coordinator(id))
            .filter(|(_, other)| !self.post.links.is_cut(&node, &other.node()))
            .map(|(other, _)| Target::Broker(other))
            .collect();
        let at = now + self.post.delay;
        let mut outbox = self.post.open(self.moment, trace);
        waiting.into_iter().for_each(|target| outbox.wake(target, at, Timer::Disconnected { broker: id }));
    }

    /// A broker does not answer readers any more, or does again: all, or the one at the other end of a link.
    pub(super) fn silence(&mut self, broker: &NodeId, reader: Option<&NodeId>, begins: bool, trace: &mut Vec<Event>) {
        let NodeId::Broker { id } = *broker else { return };
        let mut outbox = self.post.open(self.moment, trace);
        for other in self.readers.iter_mut().filter(|other| reader.is_none_or(|reader| other.node() == *reader)) {
            if begins {
                other.answers_stopped(id, &mut outbox);
            } else {
                // A cut link has swallowed what was on its way.
                other.answers_resumed(id, reader.is_none());
            }
        }
        for other in self.shares.iter_mut().filter(|other| reader.is_none_or(|reader| other.node() == *reader)) {
            if begins {
                other.answers_stopped(id, &mut outbox);
            } else {
                other.answers_resumed(id, reader.is_none());
            }
        }
    }

    /// A broker's fetches are not answered any more where they wait.
    pub(super) fn withdraw_fetches(&mut self, follower: u32) {
        let now = self.moment.time;
        self.brokers.iter_mut().for_each(|broker| broker.withdraw_fetch(follower, now));
    }

    /// A process that was away can be reached: others find out with their next try.
    fn reach(&mut self, number: u32, trace: &mut Vec<Event>) {
        let id = self.brokers[number as usize].id;
        let mut outbox = self.post.open(self.moment, trace);
        self.brokers.iter_mut().for_each(|broker| broker.leader_reachable(id, &mut outbox));
    }

    /// A broker found a connection broken; if the other end is up again, the next try gets through.
    pub(super) fn reach_again(&mut self, number: u32, other: u32, trace: &mut Vec<Event>) {
        let is_up = |(broker, process): (&Broker, &Process)| {
            broker.id == other && process.state != BrokerState::Stopped && process.is_registered
        };
        if self.brokers.iter().zip(&self.processes).any(is_up) {
            let mut outbox = self.post.open(self.moment, trace);
            self.brokers[number as usize].leader_reachable(other, &mut outbox);
        }
    }

    /// Looks whether the controller hears a broker, and tells it what is new.
    pub(super) fn look_at_contact(&mut self, number: u32, trace: &mut Vec<Event>) {
        let id = self.brokers[number as usize].id;
        let process = &self.processes[number as usize];
        let is_linked = !self.post.links.is_cut(&NodeId::Broker { id }, &NodeId::Controller);
        let is_heard = process.is_running() && is_linked;
        if is_heard == process.is_heard {
            return;
        }
        if !is_heard {
            let last = self.last_heartbeat(number);
            self.processes[number as usize].is_heard = false;
            let mut outbox = self.post.open(self.moment, trace);
            self.controller.contact_lost(id, last, &mut outbox);
        } else {
            self.processes[number as usize].is_heard = true;
            self.hear(number, trace);
        }
    }

    /// A broker reaches the controller (again): it registers, or heartbeats.
    fn hear(&mut self, number: u32, trace: &mut Vec<Event>) {
        let id = self.brokers[number as usize].id;
        let process = &self.processes[number as usize];
        let mut outbox = self.post.open(self.moment, trace);
        if process.is_registered {
            self.controller.contact_restored(id, &mut outbox);
            self.brokers[number as usize].resend_proposals(&mut outbox);
            return;
        }
        let payload = Payload::BrokerRegistration { broker: id, is_clean: process.is_clean };
        let (from, to) = (NodeId::Broker { id }, NodeId::Controller);
        outbox.send(Parcel::request(Api::BrokerRegistration, from, to, Target::Controller, payload, true));
    }

    /// The controller has registered a process.
    ///
    /// Simplified: a broker that was restarted accepts connections as soon as it is registered; Kafka's does once it
    /// has read the metadata up to there.
    pub(super) fn registered(&mut self, number: u32, trace: &mut Vec<Event>) {
        self.processes[number as usize].is_registered = true;
        self.reach(number, trace);
    }

    /// The last heartbeat that a broker sent, at the present or before.
    fn last_heartbeat(&self, number: u32) -> Time {
        let started = self.processes[number as usize].started;
        let id = self.brokers[number as usize].id;
        let interval = self.controller.configs(Some(id)).broker_millis("broker.heartbeat.interval.ms");
        let passed = self.moment.time.since(started).0 / interval.0.max(1);
        started + Duration(passed * interval.0)
    }

    /// A process does nothing any more. If it was the active controller, another one becomes it.
    fn leave_controller(&mut self, broker: u32, trace: &mut Vec<Event>) {
        if self.controller.host() == Some(broker) {
            self.begin_failover(trace);
        }
    }

    fn begin_failover(&mut self, trace: &mut Vec<Event>) {
        self.hosting.generation += 1;
        let wait = self.plan.controller_failover;
        if wait == Duration::ZERO {
            self.finish_failover(trace);
            return;
        }
        let mut outbox = self.post.open(self.moment, trace);
        if self.controller.host().is_some() {
            self.controller.activate(None, &mut outbox);
        }
        let timer = Timer::Failover { generation: self.hosting.generation };
        outbox.wake(Target::Controller, self.moment.time + wait, timer);
    }

    /// `controller_failover` is over.
    pub(super) fn failover(&mut self, generation: u32, trace: &mut Vec<Event>) {
        if generation == self.hosting.generation && self.controller.host().is_none() {
            self.finish_failover(trace);
        }
    }

    /// The running broker with the lowest id takes the controller over.
    fn finish_failover(&mut self, trace: &mut Vec<Event>) {
        let running = self.brokers.iter().zip(&self.processes).filter(|(_, process)| process.is_running());
        let host = running.map(|(broker, _)| broker.id).min();
        if host.is_none() && self.controller.host().is_none() {
            return;
        }
        let mut outbox = self.post.open(self.moment, trace);
        self.controller.activate(host, &mut outbox);
        if host.is_some() {
            for entry in std::mem::take(&mut self.hosting.kept) {
                self.post.queue.push(self.moment.time, entry.target, entry.body);
            }
        }
    }
}

/// What the simulation handles itself.
fn is_own(body: &Body) -> bool {
    matches!(body, Body::Timer(Timer::Failover { .. } | Timer::BatchDue { .. } | Timer::Start))
}

/// Whether it has come over a connection that a client or another broker has made.
fn is_of_client(body: &Body) -> bool {
    matches!(body, Body::Message(view, _) if !view.is_response && view.from != NodeId::Controller)
}

/// Who waits for the answer to a request.
fn sender(payload: &Payload, outbox: &Outbox) -> Option<Target> {
    match payload {
        Payload::ReplicaFetch(fetch) => Some(outbox.broker_target(fetch.replica)),
        other => other.sender(),
    }
}
