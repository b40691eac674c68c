//! A reader: what fetches, and where it stands in each partition.
//!
//! Follows `KafkaConsumer` of Kafka 4.3.1 with `assign`. Without a group it reads all the time by itself; with an
//! application around it (`client/consumer.rs`) what was fetched waits for `poll`. Simplified: fetch sessions and the
//! check of positions against leader epochs are not modelled, and a fetch that finds nothing waits at the broker
//! until something comes.

pub(super) mod fetching;
mod offsets;
pub(crate) mod settings;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use assignor::client::Library;

use super::alarm::Alarm;
use super::connections::{Backoff, Connections};
use super::consumer::Consumer;
use super::consumer_call::ConsumerCall;
use super::producer::metadata::Metadata;
use crate::error::KafkaError;
use crate::event::{Api, EventKind, Name, NodeId, RefreshReason, TopicPartition};
use crate::message::{ClusterImage, OffsetSpec, Payload};
use crate::order;
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::rng::Stream;
use crate::scenario::ConsumerPlan;
use crate::snapshot::{ClientProcess, ConsumerSnapshot, PositionSnapshot, ReadRecord};
use crate::time::{Duration, Time};

pub(crate) use fetching::AbortedFilter;
use fetching::Fetching;
use offsets::Listing;
use settings::Reset;

/// `request.timeout.ms`: a broker that owes an answer for so long counts as lost.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// `retry.backoff.ms` and `retry.backoff.max.ms`.
pub(super) const RETRY: Backoff = Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(1) };
/// `reconnect.backoff.ms` and `reconnect.backoff.max.ms`.
pub(super) const RECONNECT: Backoff = Backoff { first: Duration::from_millis(50), longest: Duration::from_secs(1) };

/// A reader names its topics for as long as it lives.
pub(super) const NEVER_IDLE: Duration = Duration(u64::MAX / 4);

/// A reader.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(super) number: u32,
    pub plan: ConsumerPlan,
    pub process: ClientProcess,
    pub(super) metadata: Metadata,
    pub(super) connections: Connections,
    pub(super) jitter: Stream,
    pub(super) partitions: BTreeMap<TopicPartition, Reading>,
    /// The fetch that each broker has.
    pub(super) fetching: BTreeMap<u32, Fetching>,
    /// Requests for offsets on their way.
    pub(super) listing: BTreeMap<u64, Listing>,
    /// Brokers that do not answer at present, paused or cut off.
    pub(super) silent: BTreeSet<u32>,
    pub(super) is_paused: bool,
    pub(super) error: Option<KafkaError>,
    pub(super) alarm: Alarm,
    pub(super) read_count: u64,
    /// Records of aborted transactions that it fetched and dropped.
    pub(super) skipped_count: u64,
    /// From brokers of the own rack, and from others.
    pub(super) read_bytes: (u64, u64),
    pub(super) recent: VecDeque<ReadRecord>,
    /// The application around it, with its group.
    pub(super) consumer: Option<Box<Consumer>>,
}

/// How far a partition is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The next offset; absent until a broker was asked for it.
    pub(super) position: Option<u64>,
    /// The offset behind the last record that the application has got since the partition was assigned.
    pub(super) stored: Option<u64>,
    /// Leader epoch of the batch that was read last.
    pub(super) epoch: Option<u32>,
    /// The position is to be asked for.
    pub(super) reset: Option<Pending>,
    /// A follower to read from, and until when (KIP-392).
    pub(super) preferred: Option<(u32, Time)>,
    /// A reader that stays behind reads on only when the high watermark is above this.
    pub(super) watched: Option<u64>,
    pub(super) failures: u32,
    pub(super) not_before: Time,
    /// `pause` was called.
    pub(super) is_paused: bool,
    /// It is about to be given up, and not read any further.
    pub(super) is_held: bool,
    /// The coordinator has no committed offset for it.
    pub(super) is_looked_up: bool,
}

/// A position that is to be set anew.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) at: OffsetSpec,
    /// The position before and the error that asked for it; nothing at the start.
    pub(super) lost: Option<(u64, KafkaError)>,
}

impl Reading {
    /// Begins where the reset policy says; without one the application has to say it.
    fn new(reset: Reset, now: Time) -> Reading {
        Reading { reset: reset.spec(now).map(|at| Pending { at, lost: None }), ..Reading::default() }
    }

    /// Not tried again before its backoff is over.
    fn back_off(&mut self, now: Time, jitter: &mut Stream) {
        self.not_before = now + RETRY.pause(self.failures, jitter);
        self.failures += 1;
    }
}

impl Reader {
    /// A reader that has not started.
    pub fn new(number: u32, plan: ConsumerPlan) -> Reader {
        let age = plan.settings.metadata_age_max;
        let mut metadata = Metadata::new(age, Duration::ZERO, NEVER_IDLE, RETRY.first, RETRY.longest);
        metadata.tries_missing = plan.settings.member.library == Library::Java;
        Reader {
            number,
            process: ClientProcess::Running,
            metadata,
            connections: Connections::new(RECONNECT, Stream::new(plan.seed, "reconnect", &plan.name)),
            jitter: Stream::new(plan.seed, "backoff", &plan.name),
            partitions: BTreeMap::new(),
            fetching: BTreeMap::new(),
            listing: BTreeMap::new(),
            silent: BTreeSet::new(),
            is_paused: false,
            error: None,
            alarm: Alarm::default(),
            read_count: 0,
            skipped_count: 0,
            read_bytes: (0, 0),
            recent: VecDeque::new(),
            consumer: plan.is_consumer().then(|| Box::new(Consumer::new(&plan, number))),
            plan,
        }
    }

    /// The reader's name on the stage.
    pub fn node(&self) -> NodeId {
        NodeId::Consumer { name: Rc::clone(&self.plan.name) }
    }

    /// A timer fired.
    pub fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::Start if self.consumer.is_some() => self.start_consumer(outbox),
            Timer::Start => {
                for assigned in &self.plan.assign {
                    self.metadata.want(&assigned.topic, outbox.now());
                }
            }
            _ => self.alarm.rang(outbox.now()),
        }
        self.run(outbox);
    }

    /// What `poll` does: timeouts, positions, metadata, fetches, then the next timer.
    pub(super) fn run(&mut self, outbox: &mut Outbox) {
        if self.consumer.is_some() {
            self.run_consumer(outbox);
            return self.set_alarm(outbox);
        }
        if self.is_paused || self.error.is_some() {
            return;
        }
        self.expire(outbox);
        self.demand_positions(outbox);
        if self.error.is_some() {
            return;
        }
        self.ask_for_offsets(outbox);
        self.fetch(outbox);
        self.refresh_metadata(outbox);
        self.set_alarm(outbox);
    }

    fn set_alarm(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let next = match &self.consumer {
            None => self.next_due(now),
            Some(_) if self.has_ended() => None,
            Some(_) => self.next_due(now).into_iter().chain(self.consumer_due(now)).min(),
        };
        if let Some(next) = next {
            self.alarm.set(Target::Consumer(self.number), next, outbox);
        }
    }

    fn next_due(&self, now: Time) -> Option<Time> {
        let metadata = self.metadata.due().map(|(at, _)| at);
        let asked = self.metadata.asked().map(|(_, deadline)| deadline);
        let fetches = self.fetching.values().filter_map(|fetching| fetching.deadline);
        let listings = self.listing.values().map(|listing| listing.deadline);
        let readings = self.partitions.values().flat_map(|reading| {
            let preferred = reading.preferred.map(|(_, until)| until);
            [Some(reading.not_before), preferred].into_iter().flatten()
        });
        let broker = self.connections.next_attempt(now);
        let due = metadata.into_iter().chain(asked).chain(fetches).chain(listings).chain(readings).chain(broker);
        due.filter(|at| *at > now).min()
    }

    pub(super) fn refresh_metadata(&mut self, outbox: &mut Outbox) {
        let Some((_, reason)) = self.metadata.due().filter(|(at, _)| *at <= outbox.now()) else { return };
        let Some(broker) = self.connections.choose(&outbox.post.brokers, outbox.now()) else { return };
        let payload = Payload::Metadata { topics: self.metadata.wanted(), sender: Target::Consumer(self.number) };
        let id = self.send(Api::Metadata, broker, payload, true, outbox);
        self.metadata.sent(id, reason, broker, outbox.now() + REQUEST_TIMEOUT);
    }

    pub(super) fn send(
        &mut self,
        api: Api,
        broker: u32,
        payload: Payload,
        is_notable: bool,
        outbox: &mut Outbox,
    ) -> u64 {
        let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
        self.connections.sent(broker);
        outbox.send(Parcel::request(api, self.node(), to, target, payload, is_notable))
    }

    /// A metadata answer arrived: new partitions get their positions, new leaders are asked at once.
    pub fn metadata_answer(&mut self, request: u64, image: &Rc<ClusterImage>, outbox: &mut Outbox) {
        if self.consumer.is_some() {
            self.see_topics(image, outbox);
        }
        let before = self.metadata.topics.clone();
        let Some((broker, reason)) = self.metadata.update(request, image, outbox.now()) else { return };
        self.connections.answered(broker);
        let counts = self.metadata.topics.iter().map(|(name, topic)| (Rc::clone(name), topic.leaders.len() as u32));
        let topics: Vec<(Name, u32)> = counts.collect();
        for (topic, count) in &topics {
            for partition in 0..*count {
                let partition = TopicPartition { topic: Rc::clone(topic), partition };
                if self.is_assigned(&partition) {
                    let reset = Some(self.plan.settings.reset).filter(|_| self.consumer.is_none());
                    let now = outbox.now();
                    let new = || reset.map_or_else(Reading::default, |reset| Reading::new(reset, now));
                    self.partitions.entry(partition).or_insert_with(new);
                }
            }
        }
        for (partition, reading) in &mut self.partitions {
            let (topic, number) = (&partition.topic, partition.partition as usize);
            let known = before.get(topic).and_then(|topic| topic.epochs.get(number));
            let now_known = self.metadata.topics.get(topic).and_then(|topic| topic.epochs.get(number));
            if known != now_known {
                reading.not_before = Time::ZERO;
            }
        }
        outbox.emit_cause(EventKind::MetadataRefreshed { client: self.node(), reason, topics });
        self.run(outbox);
    }

    /// Whether a partition belongs to this reader.
    pub fn is_assigned(&self, partition: &TopicPartition) -> bool {
        self.plan.assign.iter().any(|assigned| {
            assigned.topic == partition.topic && assigned.partition.is_none_or(|only| only == partition.partition)
        })
    }

    /// The application calls `seek` on a partition that is assigned; a reader that failed reads on.
    pub fn seek(&mut self, partition: &TopicPartition, offset: u64, outbox: &mut Outbox) {
        let reading = self.partitions.entry(partition.clone()).or_default();
        let before = reading.position.unwrap_or(0);
        let preferred = reading.preferred.take();
        *reading = Reading { position: Some(offset), preferred, ..Reading::default() };
        self.error = None;
        outbox.emit_cause(EventKind::PositionReset {
            consumer: Rc::clone(&self.plan.name),
            partition: partition.clone(),
            before,
            position: offset,
            error: None,
        });
        self.run(outbox);
    }

    /// The application calls a method; its outcome is told by the number of the command. A reader that gets a call
    /// has an application from then on.
    pub fn call(&mut self, call: ConsumerCall, command: u64, outbox: &mut Outbox) {
        if self.consumer.is_none() {
            self.consumer = Some(Box::new(Consumer::new(&self.plan, self.number)));
        }
        self.take_call(call, command, outbox);
    }

    /// Whether an application polls it.
    pub fn is_consumer(&self) -> bool {
        self.consumer.is_some()
    }

    /// A coordinator answered.
    pub fn group_answer(&mut self, answer: &Rc<Payload>, outbox: &mut Outbox) {
        self.consumer_answer(answer, outbox);
    }

    /// Its process stands still, goes on, or has died.
    pub fn set_process(&mut self, process: ClientProcess, outbox: &mut Outbox) {
        self.process = process;
        if self.consumer.is_some() {
            self.process_changed(outbox);
        }
    }

    /// Whether another consumer may take its name.
    pub fn has_ended(&self) -> bool {
        let is_closed = self.consumer.as_ref().is_some_and(|consumer| consumer.thread.is_closed);
        self.process == ClientProcess::Crashed || is_closed
    }

    /// The application stops calling `poll`. What arrives meanwhile is fetched again later.
    pub fn stop_poll(&mut self, now: Time) {
        if self.consumer.is_some() {
            self.leave_poll(now);
        }
        self.is_paused = true;
    }

    /// The application calls `poll` again.
    pub fn resume_poll(&mut self, outbox: &mut Outbox) {
        self.is_paused = false;
        self.run(outbox);
    }

    /// The connection to a broker broke, or could not be made: the broker is down.
    pub fn broker_disconnected(&mut self, broker: u32, outbox: &mut Outbox) {
        if self.connections.is_open(broker) {
            self.lose_connection(broker, outbox);
            self.run(outbox);
        }
    }

    /// From now on a broker does not answer: what it owes is given up after the request timeout. Until then
    /// it is not told apart from one that has nothing new.
    pub fn answers_stopped(&mut self, broker: u32, outbox: &mut Outbox) {
        self.silent.insert(broker);
        if let Some(fetching) = self.fetching.get_mut(&broker) {
            fetching.deadline = Some(outbox.now() + REQUEST_TIMEOUT);
        }
        self.run(outbox);
    }

    /// A broker answers again. `keeps_requests`: it still has what it was sent, as after a pause.
    pub fn answers_resumed(&mut self, broker: u32, keeps_requests: bool) {
        self.silent.remove(&broker);
        if let Some(fetching) = self.fetching.get_mut(&broker).filter(|_| keeps_requests) {
            fetching.deadline = None;
        }
    }

    pub(super) fn lose_connection(&mut self, broker: u32, outbox: &mut Outbox) {
        self.connections.broke(broker, outbox.now());
        self.metadata.lost(broker, outbox.now());
        self.metadata.request(RefreshReason::Error);
        self.fetching.remove(&broker);
        self.listing.retain(|_, listing| listing.broker != broker);
        for reading in self.partitions.values_mut() {
            reading.preferred.take_if(|(preferred, _)| *preferred == broker);
        }
        if self.consumer.is_some() {
            self.coordinator_disconnected(broker, outbox);
            if outbox.post.brokers.iter().all(|broker| !self.connections.may_send(*broker, outbox.now())) {
                self.membership_rebootstrapped();
            }
        }
    }

    /// Brokers that did not answer in time count as lost.
    pub(super) fn expire(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let metadata = self.metadata.asked().filter(|(_, deadline)| *deadline <= now).map(|(broker, _)| broker);
        let is_late = |fetching: &Fetching| fetching.deadline.is_some_and(|deadline| deadline <= now);
        let fetches = self.fetching.iter().filter(|(_, fetching)| is_late(fetching)).map(|(broker, _)| *broker);
        let listings = self.listing.values().filter(|listing| listing.deadline <= now).map(|listing| listing.broker);
        let late: BTreeSet<u32> = order::set(fetches.chain(listings).chain(metadata));
        for broker in late {
            self.lose_connection(broker, outbox);
        }
    }

    /// `poll` throws: the application is on its own.
    fn fail(&mut self, error: KafkaError, outbox: &mut Outbox) {
        if let Some(consumer) = &mut self.consumer {
            return consumer.failures.push_back(error);
        }
        self.error = Some(error.clone());
        self.fetching.clear();
        self.listing.clear();
        outbox.emit(EventKind::ConsumerFailed { consumer: Rc::clone(&self.plan.name), error: error.into() });
    }

    /// The reader as plain values.
    pub fn snapshot(&self) -> ConsumerSnapshot {
        let positions = self.partitions.iter().map(|(partition, reading)| PositionSnapshot {
            topic: Rc::clone(&partition.topic),
            partition: partition.partition,
            position: reading.position.unwrap_or(0),
            read_from: match reading.preferred {
                Some((follower, _)) => Some(follower),
                None => self.metadata.leader(&partition.topic, partition.partition),
            },
        });
        ConsumerSnapshot {
            name: Rc::clone(&self.plan.name),
            rack: self.plan.settings.rack.clone(),
            is_paused: self.is_paused,
            process: self.process,
            error: self.error.clone(),
            read_bytes: self.read_bytes,
            positions: positions.collect(),
            read_count: self.read_count,
            is_read_committed: self.plan.settings.is_committed_only,
            skipped_count: self.skipped_count,
            recent: self.recent.iter().cloned().collect(),
            membership: self.membership_snapshot(),
        }
    }
}
