//! Topics as the client knows them: unknown, there, gone; and the messages that wait for a partition.
//!
//! Follows `rd_kafka_topic_metadata_update` and `rd_kafka_topic_assign_uas` of librdkafka 2.16.0. Deliberately
//! not here: how a partition is chosen.

use std::rc::Rc;

use super::Librdkafka;
use super::errors;
use super::identity::Numbering;
use super::message::{Key, MessageQueue};
use crate::client::producer::partitioning::Sticky;
use crate::controller::topic_names::check_name;
use crate::error::KafkaError;
use crate::event::{EventKind, Name, RefreshReason};
use crate::message::{ClusterImage, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::time::{Duration, Time};

/// What is known of a topic.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Existence {
    /// No answer yet, or none that counts.
    Unknown,
    /// It has partitions.
    Exists,
    /// It has not appeared within `topic.metadata.propagation.max.ms`.
    Missing,
    /// It cannot exist.
    Illegal(KafkaError),
}

/// A topic that the application has used.
#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub existence: Existence,
    /// When the application first used it.
    created: Time,
    /// Messages without a partition.
    pub unassigned: MessageQueue,
    pub partitions: Vec<Partition>,
    /// Partitions that have a leader.
    pub available: Vec<u32>,
    pub sticky: Option<Sticky>,
}

/// A partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    pub leader: Option<u32>,
    pub queue: MessageQueue,
    /// The number of the last message.
    pub last_number: u64,
    /// Sequences of an idempotent producer.
    pub numbering: Option<Numbering>,
    /// Requests in flight.
    pub in_flight: u32,
}

/// When metadata is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Query {
    asked: Option<Asked>,
    wanted: Option<RefreshReason>,
    tries: u32,
    not_before: Time,
    pub refreshed: Option<Time>,
    pub due_by_age: Option<Time>,
    age_at_start: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    request: u64,
    broker: u32,
    reason: RefreshReason,
    deadline: Time,
}

impl Query {
    pub fn new(age_at_start: Duration) -> Query {
        Query { age_at_start, ..Query::default() }
    }

    /// Asks as soon as the pauses allow it.
    pub fn want(&mut self, reason: RefreshReason) {
        self.wanted.get_or_insert(reason);
    }

    /// When the next request is due.
    pub fn due(&self) -> Option<(Time, RefreshReason)> {
        if self.asked.is_some() {
            return None;
        }
        let by_age = self.due_by_age.map(|at| (at, RefreshReason::Age));
        self.wanted.map(|reason| (self.not_before, reason)).or(by_age)
    }

    /// The broker that owes an answer, and when it is given up.
    pub fn owed(&self) -> Option<(u32, Time)> {
        self.asked.map(|asked| (asked.broker, asked.deadline))
    }

    /// The connection to a broker broke.
    pub fn lost(&mut self, broker: u32) {
        if let Some(asked) = self.asked.take_if(|asked| asked.broker == broker) {
            self.want(asked.reason);
        }
    }
}

impl Topic {
    pub fn new(created: Time) -> Topic {
        Topic {
            existence: Existence::Unknown,
            created,
            unassigned: MessageQueue::default(),
            partitions: Vec::new(),
            available: Vec::new(),
            sticky: None,
        }
    }

    fn is_settled(&self) -> bool {
        match self.existence {
            Existence::Unknown => false,
            Existence::Exists => self.partitions.iter().all(|partition| partition.leader.is_some()),
            Existence::Missing | Existence::Illegal(_) => true,
        }
    }
}

impl Librdkafka {
    /// Asks a broker that is up for metadata, if that is due, and brokers that were lost whether they are back.
    pub(super) fn refresh_metadata(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        for broker in self.brokers.to_probe(now) {
            let request = self.send_metadata(broker, outbox);
            self.brokers.probed(broker, request);
            self.probes.insert(request, (broker, now + self.settings.socket_timeout));
        }
        if self.topics.is_empty() {
            return;
        }
        let Some((_, reason)) = self.query.due().filter(|(at, _)| *at <= now) else { return };
        let Some(broker) = self.brokers.choose(&outbox.post.brokers) else { return };
        let request = self.send_metadata(broker, outbox);
        let deadline = now + self.settings.socket_timeout;
        let query = &mut self.query;
        query.asked = Some(Asked { request, broker, reason, deadline });
        query.wanted = None;
        // The pauses double while answers do not bring what is missing, and start anew after a quiet second.
        if now >= query.not_before + Duration::from_secs(1) {
            query.tries = 0;
        }
        let pause = self.settings.refresh_fast.0 << query.tries.min(10);
        query.not_before = now + Duration(pause.min(self.plan.settings.backoff_max.0));
        query.tries += 1;
    }

    fn send_metadata(&mut self, broker: u32, outbox: &mut Outbox) -> u64 {
        let topics = self.topics.keys().cloned().collect();
        let payload = Payload::Metadata { topics, sender: Target::Producer(self.number) };
        self.request(crate::event::Api::Metadata, broker, None, payload, outbox)
    }

    /// Sends a request to a broker.
    pub(super) fn request(
        &mut self,
        api: crate::event::Api,
        broker: u32,
        version: Option<u16>,
        payload: Payload,
        outbox: &mut Outbox,
    ) -> u64 {
        let (to, target) = (crate::event::NodeId::Broker { id: broker }, outbox.broker_target(broker));
        let parcel = Parcel::request(api, self.node(), to, target, payload, true);
        let version = version.or(parcel.version);
        self.brokers.sent(broker);
        outbox.send(Parcel { version, ..parcel })
    }

    /// A metadata answer arrived.
    pub fn metadata_answer(&mut self, request: u64, image: &ClusterImage, outbox: &mut Outbox) {
        let reason = match self.query.asked.take_if(|asked| asked.request == request) {
            Some(asked) => {
                self.brokers.answered(asked.broker);
                asked.reason
            }
            None => match self.probes.remove(&request) {
                Some((broker, _)) => {
                    self.brokers.answered(broker);
                    RefreshReason::Error
                }
                None => return,
            },
        };
        let now = outbox.now();
        self.query.refreshed = Some(now);
        let age = std::mem::take(&mut self.query.age_at_start);
        let interval = self.settings.refresh_interval;
        self.query.due_by_age = interval.map(|interval| now + Duration(interval.0.saturating_sub(age.0)));
        for name in self.topics.keys().cloned().collect::<Vec<_>>() {
            self.update_topic(&name, image, outbox);
        }
        if self.topics.values().any(|topic| !topic.is_settled()) {
            self.query.want(RefreshReason::FirstUse);
        }
        let known = |(name, topic): (&Name, &Topic)| (Rc::clone(name), topic.partitions.len() as u32);
        let exists = |(_, topic): &(&Name, &Topic)| topic.existence == Existence::Exists;
        let topics = self.topics.iter().filter(exists).map(known).collect();
        outbox.emit_cause(EventKind::MetadataRefreshed { client: self.node(), reason, topics });
        self.assign_all(outbox);
        self.run(outbox);
    }

    fn update_topic(&mut self, name: &Name, image: &ClusterImage, outbox: &mut Outbox) {
        let now = outbox.now();
        let topic = self.topics.get_mut(name).expect("it is one of the topics");
        match image.topics.get(name).filter(|found| !found.partitions.is_empty()) {
            Some(found) => {
                topic.existence = Existence::Exists;
                topic.partitions.resize_with(found.partitions.len().max(topic.partitions.len()), Partition::default);
                for (partition, image) in topic.partitions.iter_mut().zip(&found.partitions) {
                    partition.leader = image.leader;
                }
                let leaders = (0..).zip(&topic.partitions);
                let led = leaders.filter(|(_, partition)| partition.leader.is_some());
                topic.available = led.map(|(number, _)| number).collect();
            }
            None => match check_name(name) {
                // The broker says INVALID_TOPIC_EXCEPTION.
                Err(_) => {
                    let error = errors::plain("TOPIC_EXCEPTION");
                    topic.existence = Existence::Illegal(error.clone());
                    self.lose_topic(name, error, outbox);
                }
                Ok(()) if now < topic.created + self.settings.propagation_max => {}
                Ok(()) => {
                    topic.existence = Existence::Missing;
                    self.lose_topic(name, errors::plain("UNKNOWN_TOPIC_OR_PART"), outbox);
                }
            },
        }
    }

    /// A topic is not there: messages that wait for a partition fail for that reason, those of partitions
    /// because the partition is gone.
    fn lose_topic(&mut self, name: &Name, error: KafkaError, outbox: &mut Outbox) {
        let topic = self.topics.get_mut(name).expect("it is one of the topics");
        topic.available.clear();
        topic.sticky = None;
        let unassigned = topic.unassigned.take_all();
        let partitions = std::mem::take(&mut topic.partitions);
        self.report_failed(unassigned, None, &error, outbox);
        for (number, mut partition) in (0..).zip(partitions) {
            let key: Key = (Rc::clone(name), number);
            let queued = partition.queue.take_all();
            self.report_failed(queued, Some(&key), &errors::plain("_UNKNOWN_PARTITION"), outbox);
        }
    }

    /// Gives the messages that waited for metadata their partitions.
    fn assign_all(&mut self, outbox: &mut Outbox) {
        for name in self.topics.keys().cloned().collect::<Vec<_>>() {
            let topic = self.topics.get_mut(&name).expect("it is one of the topics");
            if topic.existence != Existence::Exists {
                continue;
            }
            for message in topic.unassigned.take_all() {
                if let Err((message, error)) = self.assign(&name, message, outbox) {
                    self.report_failed(vec![message], None, &error, outbox);
                }
            }
        }
    }

    /// A partition that is known.
    pub(super) fn partition_mut(&mut self, key: &Key) -> Option<&mut Partition> {
        self.topics.get_mut(&key.0)?.partitions.get_mut(key.1 as usize)
    }
}
