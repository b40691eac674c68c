//! The share consumer: a member of a share group, its share sessions, and the application that works on records.
//!
//! Follows `ShareConsumerImpl`, `ShareConsumeRequestManager` and `ShareMembershipManager` of Kafka 4.3.1. The user thread
//! is in `thread.rs`, fetches and acknowledgements are in `sessions.rs`, the membership in `membership.rs`; it is the one
//! of the consumer protocol without callbacks. Which records a member gets is not decided here. Simplified: the
//! background thread takes no time.

mod application;
mod membership;
mod sessions;
mod thread;
mod view;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::alarm::Alarm;
use super::connections::Connections;
use super::consumer::protocol::Member;
use super::producer::metadata::Metadata;
use super::reader::{NEVER_IDLE, RECONNECT, REQUEST_TIMEOUT, RETRY};
use crate::error::KafkaError;
use crate::event::{Api, EventKind, Name, NodeId, RefreshReason, TopicPartition};
use crate::group::GroupEvent;
use crate::message::{ClusterImage, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::rng::Stream;
use crate::scenario::{Acknowledging, ShareConsumerPlan};
use crate::share::{AcknowledgeType, DeliveredRecord, ShareEvent};
use crate::snapshot::{ClientProcess, ReadRecord};
use crate::time::{Duration, Time};

use application::Application;
use membership::Coordinator;
use sessions::Session;
use thread::Frame;

/// A call of `KafkaShareConsumer`, or a change of what the application around it does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShareCall {
    Subscribe(Vec<Name>),
    Unsubscribe,
    Poll(Duration),
    Acknowledge(TopicPartition, u64, AcknowledgeType),
    CommitSync,
    CommitAsync,
    Close,
    SetProcessing(Duration),
    SetAcknowledging(Acknowledging),
}

/// A share consumer.
#[derive(Clone, Debug)]
pub(crate) struct ShareConsumer {
    number: u32,
    pub plan: Rc<ShareConsumerPlan>,
    pub process: ClientProcess,
    metadata: Metadata,
    connections: Connections,
    jitter: Stream,
    alarm: Alarm,
    /// Brokers that do not answer at present, paused or cut off.
    silent: BTreeSet<u32>,
    member: Member,
    /// The heartbeat on its way: its id, the broker, and when it is given up.
    heartbeat: Option<(u64, u32, Time)>,
    has_told_id: bool,
    coordinator: Coordinator,
    topics: Vec<Name>,
    assigned: BTreeSet<TopicPartition>,
    sessions: BTreeMap<u32, Session>,
    /// Partitions that are not asked for again before.
    not_before: BTreeMap<TopicPartition, (Time, u32)>,
    /// Fetched and not polled yet, each with the broker that it came from.
    buffer: VecDeque<(u32, DeliveredRecord)>,
    /// What `poll` returned and what is not known to be settled, in order.
    held: Vec<Held>,
    /// Errors that the next `poll` throws.
    failures: VecDeque<KafkaError>,
    /// Calls that wait until the user thread is free, each with its command.
    calls: VecDeque<(ShareCall, u64)>,
    /// The call that has not returned.
    frame: Option<Frame>,
    application: Application,
    /// When `poll` was called last.
    polled: Time,
    has_started: bool,
    is_paused: bool,
    is_closed: bool,
    error: Option<KafkaError>,
    read_count: u64,
    acknowledged_counts: [u64; 3],
    recent: VecDeque<ReadRecord>,
}

/// A record in the hands of the application.
#[derive(Clone, Debug)]
struct Held {
    /// Where it came from, and where its acknowledgement goes.
    broker: u32,
    record: DeliveredRecord,
    said: Option<AcknowledgeType>,
    /// What was said is on its way, or waits to be sent.
    is_sent: bool,
    /// Its lock was renewed: `poll` returns it again.
    is_renewed: bool,
}

impl Held {
    fn is_at(&self, partition: &TopicPartition, offset: u64) -> bool {
        self.record.offset == offset && self.record.partition == *partition
    }
}

impl ShareConsumer {
    /// A share consumer that has not started.
    pub fn new(number: u32, plan: Rc<ShareConsumerPlan>) -> ShareConsumer {
        let base = &plan.member;
        let age = base.settings.metadata_age_max;
        let owner = format!("{}/share", base.name);
        ShareConsumer {
            number,
            process: ClientProcess::Running,
            metadata: Metadata::new(age, Duration::ZERO, NEVER_IDLE, RETRY.first, RETRY.longest),
            connections: Connections::new(RECONNECT, Stream::new(base.seed, "reconnect", &owner)),
            jitter: Stream::new(base.seed, "backoff", &owner),
            alarm: Alarm::default(),
            silent: BTreeSet::new(),
            member: Member::new(base, number),
            heartbeat: None,
            has_told_id: false,
            coordinator: Coordinator::default(),
            topics: Vec::new(),
            assigned: BTreeSet::new(),
            sessions: BTreeMap::new(),
            not_before: BTreeMap::new(),
            buffer: VecDeque::new(),
            held: Vec::new(),
            failures: VecDeque::new(),
            calls: VecDeque::new(),
            frame: None,
            application: Application::new(&plan),
            polled: Time::ZERO,
            has_started: false,
            is_paused: false,
            is_closed: false,
            error: None,
            read_count: 0,
            acknowledged_counts: [0; 3],
            recent: VecDeque::new(),
            plan,
        }
    }

    /// Its name.
    pub fn name(&self) -> &Name {
        &self.plan.member.name
    }

    /// Its name on the stage.
    pub fn node(&self) -> NodeId {
        NodeId::Consumer { name: Rc::clone(self.name()) }
    }

    /// Whether another one may take its name.
    pub fn has_ended(&self) -> bool {
        self.process == ClientProcess::Crashed || self.is_closed
    }

    fn target(&self) -> Target {
        Target::Share(self.number)
    }

    /// A timer fired.
    pub fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::Start => {
                self.has_started = true;
                self.subscribe(self.plan.topics.clone(), outbox.now());
            }
            _ => self.alarm.rang(outbox.now()),
        }
        self.run(outbox);
    }

    /// The application calls a method.
    pub fn call(&mut self, call: ShareCall, command: u64, outbox: &mut Outbox) {
        self.calls.push_back((call, command));
        self.run(outbox);
    }

    /// Looks at everything once: timeouts, the membership, the user thread, requests.
    fn run(&mut self, outbox: &mut Outbox) {
        if self.has_started {
            self.expire(outbox);
            self.tend_membership(outbox);
            self.advance(outbox);
            self.tend_membership(outbox);
            self.send_requests(outbox);
            self.refresh_metadata(outbox);
        }
        self.set_alarm(outbox);
    }

    fn set_alarm(&mut self, outbox: &mut Outbox) {
        if self.is_closed {
            return;
        }
        let now = outbox.now();
        let requests = self.sessions.values().filter_map(Session::due);
        let partitions = self.not_before.values().map(|(at, _)| *at);
        let due = [
            self.metadata.due().map(|(at, _)| at),
            self.metadata.asked().map(|(_, deadline)| deadline),
            self.connections.next_attempt(now),
            self.heartbeat.map(|(.., deadline)| deadline),
            self.coordinator.due(),
            self.member.next_due(now),
            self.frame.as_ref().and_then(Frame::due),
            self.application.due(),
        ];
        let due = due.into_iter().flatten().chain(requests).chain(partitions).filter(|at| *at > now).min();
        if let Some(due) = due {
            self.alarm.set(self.target(), due, outbox);
        }
    }

    /// Brokers that owe an answer for too long count as lost.
    fn expire(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let metadata = self.metadata.asked().filter(|(_, deadline)| *deadline <= now).map(|(broker, _)| broker);
        let heartbeat = self.heartbeat.filter(|(.., deadline)| *deadline <= now).map(|(_, broker, _)| broker);
        let late = self.sessions.iter().filter(|(_, session)| session.due().is_some_and(|due| due <= now));
        let sessions: Vec<u32> = late.map(|(broker, _)| *broker).collect();
        let lost = [metadata, heartbeat, self.coordinator.late(now)].into_iter().flatten().chain(sessions);
        for broker in crate::order::set(lost) {
            self.lose_connection(broker, outbox);
        }
    }

    fn refresh_metadata(&mut self, outbox: &mut Outbox) {
        if self.is_closed {
            return;
        }
        let Some((_, reason)) = self.metadata.due().filter(|(at, _)| *at <= outbox.now()) else { return };
        let Some(broker) = self.connections.choose(&outbox.post.brokers, outbox.now()) else { return };
        let payload = Payload::Metadata { topics: self.metadata.wanted(), sender: self.target() };
        let id = self.send(Api::Metadata, broker, payload, outbox);
        self.metadata.sent(id, reason, broker, outbox.now() + REQUEST_TIMEOUT);
    }

    fn send(&mut self, api: Api, broker: u32, payload: Payload, outbox: &mut Outbox) -> u64 {
        let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
        self.connections.sent(broker);
        outbox.send(Parcel::request(api, self.node(), to, target, payload, true))
    }

    /// An answer arrived.
    pub fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            Payload::MetadataAnswer { request, image } => self.metadata_answered(*request, image, outbox),
            Payload::FindCoordinatorAnswer { request, result } => self.coordinator_found(*request, result, outbox),
            Payload::ShareGroupHeartbeatAnswer { request, result } => self.heartbeat_answered(*request, result, outbox),
            Payload::ShareFetchAnswer { request, result } => self.fetch_answered(*request, result, outbox),
            Payload::ShareAcknowledgeAnswer { request, result } => {
                self.acknowledge_answered(*request, result, outbox);
            }
            other => panic!("a share consumer does not handle {other:?}"),
        }
        self.run(outbox);
    }

    fn metadata_answered(&mut self, request: u64, image: &ClusterImage, outbox: &mut Outbox) {
        let Some((broker, reason)) = self.metadata.update(request, image, outbox.now()) else { return };
        self.connections.answered(broker);
        self.not_before.clear();
        let counts = self.metadata.topics.iter().map(|(name, topic)| (Rc::clone(name), topic.leaders.len() as u32));
        let topics = counts.collect();
        outbox.emit_cause(EventKind::MetadataRefreshed { client: self.node(), reason, topics });
    }

    /// The connection to a broker broke, or could not be made.
    pub fn broker_disconnected(&mut self, broker: u32, outbox: &mut Outbox) {
        if self.connections.is_open(broker) {
            self.lose_connection(broker, outbox);
            self.run(outbox);
        }
    }

    fn lose_connection(&mut self, broker: u32, outbox: &mut Outbox) {
        self.connections.broke(broker, outbox.now());
        self.metadata.lost(broker, outbox.now());
        self.metadata.request(RefreshReason::Error);
        self.lose_session(broker, outbox);
        self.lose_coordinator_connection(broker, outbox);
    }

    /// From now on a broker does not answer: what it owes is given up after the request timeout.
    pub fn answers_stopped(&mut self, broker: u32, outbox: &mut Outbox) {
        self.silent.insert(broker);
        if let Some(session) = self.sessions.get_mut(&broker) {
            session.give_up_at(outbox.now() + REQUEST_TIMEOUT);
        }
        self.run(outbox);
    }

    /// A broker answers again. `keeps_requests`: it still has what it was sent, as after a pause.
    pub fn answers_resumed(&mut self, broker: u32, keeps_requests: bool) {
        self.silent.remove(&broker);
        if let Some(session) = self.sessions.get_mut(&broker).filter(|_| keeps_requests) {
            session.wait_on();
        }
    }

    /// The application stops calling `poll` by itself.
    pub fn stop_poll(&mut self, outbox: &mut Outbox) {
        self.is_paused = true;
        if matches!(&self.frame, Some(Frame::Poll { command: None, .. })) {
            self.frame = None;
            self.poll_returned(outbox);
        }
        self.run(outbox);
    }

    /// The application calls `poll` again.
    pub fn resume_poll(&mut self, outbox: &mut Outbox) {
        self.is_paused = false;
        self.run(outbox);
    }

    /// Its process stands still, goes on, or has died.
    pub fn set_process(&mut self, process: ClientProcess, outbox: &mut Outbox) {
        self.process = process;
        match process {
            ClientProcess::Running => {}
            ClientProcess::Frozen => self.poll_returned(outbox),
            ClientProcess::Crashed => {
                // The brokers see the connections break.
                for broker in self.connections.open() {
                    let at = outbox.now() + outbox.post.delay;
                    let timer = Timer::ShareClientLost { consumer: self.number };
                    outbox.wake(outbox.broker_target(broker), at, timer);
                }
            }
        }
    }

    fn tell(&self, event: ShareEvent, outbox: &mut Outbox) {
        outbox.emit(EventKind::Share(event));
    }

    fn tell_group(&self, event: GroupEvent, outbox: &mut Outbox) {
        outbox.emit(EventKind::Group(event));
    }
}
