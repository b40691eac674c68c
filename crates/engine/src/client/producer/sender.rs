//! The sender: metadata requests, and the batches that are ready.
//!
//! Follows `Sender.sendProducerData` of Kafka 4.3.1. Which batches leave is in `draining.rs`, what becomes of
//! them after they were sent in `retries.rs`.

use std::rc::Rc;

use super::Producer;
use super::accumulator::{Batch, Key};
use crate::event::{Api, BatchView, EventKind, NodeId, TopicPartition};
use crate::message::{Acks, ClusterImage, Payload, Produce, ProduceBatch};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::snapshot::ProducerState;
use crate::time::Time;

/// The latest version of Produce in Kafka 4.3.1.
const PRODUCE_VERSION: u16 = 13;
/// The latest by which a leader does not add its partition to a transaction.
const PRODUCE_VERSION_BEFORE_V2: u16 = 11;

/// A Produce request that waits for its answer.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub broker: u32,
    pub batches: Vec<(Key, Batch, BatchView)>,
    pub sent: Time,
    pub deadline: Time,
}

impl InFlight {
    /// Rough size in bytes.
    pub fn own_bytes(&self) -> usize {
        64 + self.batches.iter().map(|(_, batch, _)| 160 + batch.records.len() * 8).sum::<usize>()
    }
}

impl Producer {
    /// Asks for metadata if a refresh is due and a broker can be asked.
    pub(super) fn refresh_metadata(&mut self, outbox: &mut Outbox) {
        let Some((_, reason)) = self.metadata.due().filter(|(at, _)| *at <= outbox.now()) else { return };
        let Some(broker) = self.connections.choose(&outbox.post.brokers, outbox.now()) else { return };
        let payload = Payload::Metadata { topics: self.metadata.wanted(), sender: Target::Producer(self.number) };
        let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
        let id = outbox.send(Parcel::request(Api::Metadata, self.node(), to, target, payload, true));
        let deadline = outbox.now() + self.plan.settings.answer_timeout;
        self.metadata.sent(id, reason, broker, deadline);
        self.connections.sent(broker);
    }

    /// A metadata answer arrived.
    pub fn metadata_answer(&mut self, request: u64, image: &ClusterImage, outbox: &mut Outbox) {
        let Some((broker, reason)) = self.metadata.update(request, image, outbox.now()) else { return };
        self.connections.answered(broker);
        let topics =
            self.metadata.topics.iter().map(|(name, topic)| (Rc::clone(name), topic.leaders.len() as u32)).collect();
        outbox.emit_cause(EventKind::MetadataRefreshed { client: self.node(), reason, topics });
        if self.state == ProducerState::Ready || self.state == ProducerState::Closing {
            self.run(outbox);
        }
    }

    /// Sends every batch that is ready, as far as the limit of requests in flight allows.
    pub(super) fn send_ready_batches(&mut self, outbox: &mut Outbox) {
        self.look_at_queues(outbox.now());
        loop {
            let drained = self.drain(outbox.now());
            if drained.is_empty() {
                return;
            }
            for (broker, batches) in drained {
                self.produce(broker, batches, outbox);
            }
        }
    }

    fn produce(&mut self, broker: u32, batches: Vec<(Key, Batch)>, outbox: &mut Outbox) {
        let batches: Vec<_> = batches
            .into_iter()
            .map(|(key, batch)| {
                let partition = TopicPartition { topic: Rc::clone(&key.0), partition: key.1 };
                let view = BatchView {
                    partition,
                    records: batch.records.as_slice().into(),
                    size_bytes: batch.size_bytes,
                    codec: self.plan.settings.codec,
                };
                (key, batch, view)
            })
            .collect();
        let views: Vec<_> = batches.iter().map(|(_, _, view)| view.clone()).collect();
        let (acks, timeout) = (self.plan.settings.acks, self.plan.settings.request_timeout);
        let produced = batches.iter().map(|(_, batch, view)| ProduceBatch { view: view.clone(), stamp: batch.stamp });
        let is_old = self.transactions.as_ref().is_some_and(|own| !own.is_v2);
        let payload = Payload::Produce(Produce {
            acks,
            batches: produced.collect(),
            sender: self.target(),
            timeout,
            transactional_id: self.transactions.as_ref().map(|own| Rc::clone(&own.id)),
            version: if is_old { PRODUCE_VERSION_BEFORE_V2 } else { PRODUCE_VERSION },
        });
        let target = outbox.broker_target(broker);
        let to = NodeId::Broker { id: broker };
        let parcel = Parcel::request(Api::Produce, self.node(), to, target, payload, true);
        let id = outbox.send(Parcel { batches: views, ..parcel });
        self.connections.sent(broker);
        if std::mem::take(&mut self.breaks_next) {
            self.connected_since = id + 1;
        }
        if acks == Acks::None {
            for (_, batch, view) in batches {
                self.give_back(Some(batch.memory));
                self.acknowledge(&view, None, outbox);
            }
            return;
        }
        let deadline = outbox.now() + self.plan.settings.answer_timeout;
        let sent = outbox.now();
        self.metrics.requested(batches.iter().map(|(_, batch, _)| batch.records.len() as u64).sum(), sent);
        self.in_flight.insert(id, InFlight { broker, batches, sent, deadline });
    }

    /// When something is due: a batch becomes ready, a broker may be tried again, or something expires.
    pub(super) fn next_due(&self) -> Option<Time> {
        let timeout = self.plan.settings.delivery_timeout;
        let mut next = Time::MAX;
        let mut due = |at: Time| {
            if at > self.ran_at && at < next {
                next = at;
            }
        };
        for batch in self.accumulator.firsts().filter_map(|(_, queue)| queue.front()) {
            // A batch that is ready already waits for an answer that makes room, not for a timer.
            due(if batch.is_in_retry() { batch.not_before } else { self.lingered(batch) });
            due(batch.created + timeout);
        }
        self.sent_expiries().for_each(&mut due);
        let metadata = self.metadata.due().map(|(at, _)| at).filter(|at| *at > self.ran_at);
        let asked = self.metadata.asked().map(|(_, deadline)| deadline);
        let identity = self.idempotence.as_ref().and_then(|own| own.deadline());
        let needs_id = self.idempotence.as_ref().is_some_and(|own| own.identity.is_none());
        let wants_broker = needs_id || !self.accumulator.is_empty() || self.metadata.due().is_some();
        let broker = self.connections.next_attempt(self.ran_at).filter(|_| wants_broker);
        [metadata, asked, identity, broker].into_iter().flatten().for_each(due);
        (next < Time::MAX).then_some(next)
    }
}
