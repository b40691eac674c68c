//! All that a node may do to the world while it handles something: tell what happened, send, and set
//! timers. It gives no access to other nodes.

use std::rc::Rc;

use crate::command::{Outcome, PartitionOutcome, RecordMetadata, Status, Surface};
use crate::digest::Digest;
use crate::error::KafkaError;
use crate::event::{Api, BatchView, Event, EventKind, MessageView, Moment, Name, NodeId, Record};
use crate::message::{Payload, ProducerIdentity};
use crate::processed::Processed;
use crate::queue::{Body, Queue, Target, Timer};
use crate::simulation::links::Links;
use crate::time::{Duration, Time};

/// Counters and queue of the world, behind the outbox.
#[derive(Clone, Debug, Default)]
pub(crate) struct Post {
    pub queue: Queue,
    pub digest: Digest,
    pub events: u64,
    pub messages: u64,
    pub delay: Duration,
    pub links: Links,
    /// Broker ids in the order of the plan.
    pub brokers: Vec<u32>,
    /// The next producer id.
    pub producer_ids: u64,
    /// The finalized level of the feature `transaction.version`.
    pub transaction_version: u16,
    pub outcomes: std::collections::BTreeMap<u64, Outcome>,
    /// What groups have processed, for the picture; nothing in Kafka knows it.
    pub processed: Processed,
    /// Records that consumers read and hand to a producer of their own application, in order. The simulation takes
    /// them at once: one process needs no message for it.
    pub copied: Vec<Copied>,
}

/// A record that an application sends on.
#[derive(Clone, Debug)]
pub(crate) struct Copied {
    /// The name of the producer.
    pub producer: Name,
    pub topic: Name,
    pub record: Rc<Record>,
}

/// A message that is about to leave.
pub(crate) struct Parcel {
    pub api: Api,
    /// The request's API version, where it is worth telling.
    pub version: Option<u16>,
    pub from: NodeId,
    pub to: NodeId,
    pub target: Target,
    pub payload: Payload,
    pub batches: Vec<BatchView>,
    pub is_response: bool,
    pub is_notable: bool,
    pub error: Option<KafkaError>,
    /// It does not leave before this time.
    pub held_until: Time,
}

impl Post {
    /// An outbox for an entry.
    pub fn open<'a>(&'a mut self, moment: Moment, trace: &'a mut Vec<Event>) -> Outbox<'a> {
        Outbox { moment, cause: None, post: self, trace }
    }
}

impl Parcel {
    /// A request.
    pub fn request(api: Api, from: NodeId, to: NodeId, target: Target, payload: Payload, is_notable: bool) -> Parcel {
        Parcel {
            api,
            version: payload.version(),
            from,
            to,
            target,
            payload,
            batches: Vec::new(),
            is_response: false,
            is_notable,
            error: None,
            held_until: Time::ZERO,
        }
    }

    /// The answer to a request.
    pub fn answer(request: &MessageView, target: Target, payload: Payload, is_notable: bool) -> Parcel {
        let (from, to) = (request.to.clone(), request.from.clone());
        Parcel { is_response: true, ..Parcel::request(request.api, from, to, target, payload, is_notable) }
    }
}

/// What a node holds while it handles an entry.
pub(crate) struct Outbox<'a> {
    pub moment: Moment,
    pub cause: Option<u64>,
    pub post: &'a mut Post,
    pub trace: &'a mut Vec<Event>,
}

impl Outbox<'_> {
    /// Simulated time.
    pub fn now(&self) -> Time {
        self.moment.time
    }

    /// Who handles what is sent to a broker.
    pub fn broker_target(&self, id: u32) -> Target {
        let number = self.post.brokers.iter().position(|broker| *broker == id);
        Target::Broker(number.expect("leaders are brokers of the plan") as u32)
    }

    /// Tells what happened.
    pub fn emit(&mut self, kind: EventKind) -> u64 {
        let index = self.post.events;
        self.post.events += 1;
        self.post.digest.event(self.moment, &kind);
        self.trace.push(Event { moment: self.moment, index, cause: self.cause, kind });
        index
    }

    /// Tells what happened; what follows in this entry is caused by it.
    pub fn emit_cause(&mut self, kind: EventKind) {
        self.cause = Some(self.emit(kind));
    }

    /// Sends a message; returns its id.
    pub fn send(&mut self, parcel: Parcel) -> u64 {
        let id = self.post.messages;
        self.post.messages += 1;
        let leaves = self.now().max(parcel.held_until);
        // What a broker sends to itself takes no time.
        let is_far = parcel.from != parcel.to;
        let delay = if is_far { self.post.delay } else { Duration::ZERO };
        let arrives = leaves + delay + self.post.links.delay(&parcel.from, &parcel.to);
        let view = Rc::new(MessageView {
            id,
            api: parcel.api,
            version: parcel.version,
            is_response: parcel.is_response,
            from: parcel.from,
            to: parcel.to,
            sent: self.moment,
            arrives,
            batches: parcel.batches,
            is_notable: parcel.is_notable,
            error: parcel.error,
            end: parcel.payload.end(),
            markers: parcel.payload.markers(),
        });
        if view.is_notable {
            self.emit(EventKind::MessageSent { message: Rc::clone(&view) });
        }
        self.post.queue.push(arrives, parcel.target, Body::Message(view, Rc::new(parcel.payload)));
        id
    }

    /// A request reached a broker whose process does not know the connection: the sender learns that it is
    /// broken.
    pub fn refuse(&mut self, broker: u32, sender: Target) {
        let at = self.now() + self.post.delay;
        self.wake(sender, at, Timer::Disconnected { broker });
    }

    /// Sets a timer for a node.
    pub fn wake(&mut self, target: Target, time: Time, timer: Timer) {
        self.post.queue.push(time.max(self.now()), target, Body::Timer(timer));
    }

    /// A call of a client threw.
    pub fn throw(&mut self, command: u64, error: KafkaError) {
        self.fail(command, error, Surface::Thrown);
    }

    /// The Future of a record, or its delivery report, holds an error.
    pub fn fail_future(&mut self, command: u64, error: KafkaError) {
        self.fail(command, error, Surface::Future);
    }

    fn fail(&mut self, command: u64, error: KafkaError, surface: Surface) {
        let outcome = Outcome {
            status: Status::Failed,
            error: Some(error),
            surfaced: Some(surface),
            ..Outcome::pending(command)
        };
        self.post.outcomes.insert(command, outcome.clone());
        self.emit(EventKind::CommandFinished { outcome: outcome.into() });
    }

    /// A command is finished.
    pub fn finish(&mut self, command: u64, result: Result<Option<RecordMetadata>, KafkaError>) {
        self.finish_partitions(command, result, Vec::new());
    }

    /// A request of a chosen version was answered.
    pub fn finish_request(&mut self, command: u64, result: Result<Option<ProducerIdentity>, KafkaError>) {
        let outcome = match result {
            Ok(identity) => Outcome {
                status: Status::Done,
                identity: identity.map(|identity| (identity.producer_id, identity.epoch)),
                ..Outcome::pending(command)
            },
            Err(error) => Outcome { status: Status::Failed, error: Some(error), ..Outcome::pending(command) },
        };
        self.post.outcomes.insert(command, outcome.clone());
        self.emit(EventKind::CommandFinished { outcome: outcome.into() });
    }

    /// A command is finished, with what it came to for each partition.
    pub fn finish_partitions(
        &mut self,
        command: u64,
        result: Result<Option<RecordMetadata>, KafkaError>,
        partitions: Vec<PartitionOutcome>,
    ) {
        let (status, record, error) = match result {
            Ok(record) => (Status::Done, record, None),
            Err(error) => (Status::Failed, None, Some(error)),
        };
        let outcome = Outcome { status, record, error, partitions, ..Outcome::pending(command) };
        self.post.outcomes.insert(command, outcome.clone());
        self.emit(EventKind::CommandFinished { outcome: outcome.into() });
    }
}
