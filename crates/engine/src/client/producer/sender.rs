//! The sender: metadata requests, and the batches that are ready.
//!
//! Follows `Sender.sendProducerData` and `RecordAccumulator.drain` of Kafka 4.3.1. What becomes of a batch
//! after it was sent is in `retries.rs`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::Producer;
use super::accumulator::{Batch, Key};
use super::settings::Dialect;
use crate::event::{Api, BatchView, EventKind, NodeId, RefreshReason, TopicPartition};
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
        self.look_at_queues();
        loop {
            let drained = self.drain(outbox.now());
            if drained.is_empty() {
                return;
            }
            for (broker, batches) in drained {
                match self.plan.dialect {
                    Dialect::Librdkafka => {
                        batches.into_iter().for_each(|batch| self.produce(broker, vec![batch], outbox))
                    }
                    Dialect::Java | Dialect::Other => self.produce(broker, batches, outbox),
                }
            }
        }
    }

    /// What every `ready()` pass does: it remembers queue lengths for the adaptive choice, takes note of new
    /// leaders, and asks for metadata while a batch has no leader to go to.
    fn look_at_queues(&mut self) {
        for (topic, sticky) in &mut self.sticky {
            if let Some(known) = self.metadata.topics.get(topic) {
                sticky.queue_sizes = self.accumulator.queue_sizes(topic, known.leaders.len() as u32);
            }
        }
        let metadata = &self.metadata;
        self.accumulator.see_leaders(|(topic, partition)| metadata.epoch(topic, *partition));
        if self.accumulator.firsts().any(|(key, _)| self.leader(key).is_none()) {
            self.metadata.request(RefreshReason::Error);
        }
    }

    /// Takes at most one batch of each partition, from the brokers that have a ready batch, can be reached
    /// and have room for one more request.
    fn drain(&mut self, now: Time) -> BTreeMap<u32, Vec<(Key, Batch)>> {
        let mut in_flight: BTreeMap<u32, u32> = BTreeMap::new();
        for request in self.in_flight.values() {
            *in_flight.entry(request.broker).or_default() += 1;
        }
        let in_flight_max = self.plan.settings.in_flight_max;
        let has_room = |broker: u32| in_flight.get(&broker).is_none_or(|count| *count < in_flight_max);
        let firsts = self.accumulator.firsts().filter(|(key, queue)| self.is_ready(key, queue, now));
        let ready: BTreeSet<u32> = firsts
            .filter_map(|(key, _)| self.leader(key))
            .filter(|broker| has_room(*broker) && self.connections.may_send(*broker, now))
            .collect();
        if ready.is_empty() {
            return BTreeMap::new();
        }
        let mut drained: BTreeMap<u32, Vec<(Key, Batch)>> = BTreeMap::new();
        let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
        let firsts = self.accumulator.firsts().map(|(key, _)| (key.clone(), self.leader(key)));
        let leaders: Vec<_> = firsts.collect();
        for (key, leader) in leaders {
            let Some(leader) = leader.filter(|leader| ready.contains(leader)) else { continue };
            let size = sizes.entry(leader).or_default();
            let size_max = self.plan.settings.request_size_max;
            let own = self.idempotence.as_ref();
            let fits = |batch: &Batch| {
                let is_in_turn = own.is_none_or(|own| own.may_send(&key, batch));
                is_in_turn && !batch.is_backing_off(now) && (*size == 0 || *size + batch.size_bytes <= size_max)
            };
            if let Some(mut batch) = self.accumulator.take_first(&key, fits) {
                *size += batch.size_bytes;
                batch.is_closed = true;
                if let Some(own) = &mut self.idempotence {
                    own.number(&key, &mut batch);
                }
                drained.entry(leader).or_default().push((key, batch));
            }
        }
        drained
    }

    fn leader(&self, key: &Key) -> Option<u32> {
        self.metadata.leader(&key.0, key.1)
    }

    fn is_ready(&self, key: &Key, queue: &VecDeque<Batch>, now: Time) -> bool {
        let Some(first) = queue.front() else { return false };
        if first.is_backing_off(now) || self.idempotence.as_ref().is_some_and(|own| !own.may_send(key, first)) {
            return false;
        }
        let is_hurried = self.is_hurried();
        queue.len() > 1 || first.is_full() || is_hurried || first.is_in_retry() || self.lingered(first) <= now
    }

    fn lingered(&self, batch: &Batch) -> Time {
        batch.created + self.plan.settings.linger
    }

    fn produce(&mut self, broker: u32, batches: Vec<(Key, Batch)>, outbox: &mut Outbox) {
        let batches: Vec<_> = batches
            .into_iter()
            .map(|(key, batch)| {
                let partition = TopicPartition { topic: Rc::clone(&key.0), partition: key.1 };
                let view =
                    BatchView { partition, records: batch.records.as_slice().into(), size_bytes: batch.size_bytes };
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
            for (_, _, view) in batches {
                self.acknowledge(&view, None, outbox);
            }
            return;
        }
        let deadline = outbox.now() + self.plan.settings.answer_timeout;
        self.in_flight.insert(id, InFlight { broker, batches, deadline });
    }

    /// When something is due: a batch becomes ready, a broker may be tried again, or something expires.
    pub(super) fn next_due(&self) -> Option<Time> {
        let timeout = self.plan.settings.delivery_timeout;
        let queued = self.accumulator.firsts().filter_map(|(_, queue)| queue.front()).flat_map(|batch| {
            // A batch that is ready already waits for an answer that makes room, not for a timer.
            let ready = if batch.is_in_retry() { batch.not_before } else { self.lingered(batch) };
            [ready, batch.created + timeout]
        });
        let metadata = self.metadata.due().map(|(at, _)| at).filter(|at| *at > self.ran_at);
        let asked = self.metadata.asked().map(|(_, deadline)| deadline);
        let identity = self.idempotence.as_ref().and_then(|own| own.deadline());
        let needs_id = self.idempotence.as_ref().is_some_and(|own| own.identity.is_none());
        let wants_broker = needs_id || !self.accumulator.is_empty() || self.metadata.due().is_some();
        let broker = self.connections.next_attempt(self.ran_at).filter(|_| wants_broker);
        let due = queued.chain(self.sent_expiries()).chain(metadata).chain(asked).chain(identity).chain(broker);
        due.filter(|at| *at > self.ran_at).min()
    }
}
