//! The sender: metadata requests, ready batches, answers, retries and timeouts.
//!
//! Follows `Sender` and `NetworkClient` of Kafka 4.3.1. Simplified: a batch that is too large for the
//! broker is not split, and with several requests in flight a retry may change the order, as in a
//! producer without idempotence.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::Producer;
use super::accumulator::{Batch, Key};
use super::settings::Dialect;
use crate::command::RecordMetadata;
use crate::error::KafkaError;
use crate::event::{Api, BatchView, EventKind, MessageView, NodeId, RefreshReason, TopicPartition};
use crate::message::{Acks, ClusterImage, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::snapshot::ProducerState;
use crate::time::{Duration, Time};

/// A Produce request that waits for its answer.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub broker: u32,
    pub batches: Vec<(Key, Batch, BatchView)>,
    deadline: Time,
}

impl InFlight {
    /// Rough size in bytes.
    pub fn own_bytes(&self) -> usize {
        64 + self.batches.iter().map(|(_, batch, _)| 160 + batch.records.len() * 8).sum::<usize>()
    }
}

impl Producer {
    /// Asks for metadata if a refresh is due.
    pub fn refresh_metadata(&mut self, outbox: &mut Outbox) {
        let Some((_, reason)) = self.metadata.due().filter(|(at, _)| *at <= outbox.now()) else { return };
        let to = NodeId::Broker { id: outbox.first_broker };
        let payload = Payload::Metadata { topics: self.metadata.wanted(), sender: Target::Producer(self.number) };
        let id = outbox.send(Parcel::request(Api::Metadata, self.node(), to, Target::Broker(0), payload, true));
        self.metadata.sent(id, reason);
    }

    /// A metadata answer arrived.
    pub fn metadata_answer(&mut self, request: u64, image: &ClusterImage, outbox: &mut Outbox) {
        let Some(reason) = self.metadata.update(request, image, outbox.now()) else { return };
        let topics =
            self.metadata.topics.iter().map(|(name, topic)| (Rc::clone(name), topic.leaders.len() as u32)).collect();
        outbox.emit_cause(EventKind::MetadataRefreshed { client: self.node(), reason, topics });
        if self.state == ProducerState::Ready || self.state == ProducerState::Closing {
            self.run(outbox);
        }
    }

    /// Sends every batch that is ready, as far as the limit of requests in flight allows.
    pub fn send_ready_batches(&mut self, outbox: &mut Outbox) {
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

    /// Remembers queue lengths for the adaptive choice, as every `ready()` pass does.
    fn look_at_queues(&mut self) {
        for (topic, sticky) in &mut self.sticky {
            if let Some(known) = self.metadata.topics.get(topic) {
                sticky.queue_sizes = self.accumulator.queue_sizes(topic, known.leaders.len() as u32);
            }
        }
    }

    /// Takes at most one batch of each partition, from the brokers that have a ready batch and room for
    /// one more request.
    fn drain(&mut self, now: Time) -> BTreeMap<u32, Vec<(Key, Batch)>> {
        let mut in_flight: BTreeMap<u32, u32> = BTreeMap::new();
        for request in self.in_flight.values() {
            *in_flight.entry(request.broker).or_default() += 1;
        }
        let has_room =
            |broker: u32| in_flight.get(&broker).is_none_or(|count| *count < self.plan.settings.in_flight_max);
        let firsts = self.accumulator.firsts().filter(|(_, queue)| self.is_ready(queue, now));
        let mut ready = BTreeSet::new();
        ready.extend(firsts.filter_map(|(key, _)| self.leader(key)).filter(|broker| has_room(*broker)));
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
            let fits = |batch: &Batch| batch.not_before <= now && (*size == 0 || *size + batch.size_bytes <= size_max);
            if let Some(batch) = self.accumulator.take_first(&key, fits) {
                *size += batch.size_bytes;
                drained.entry(leader).or_default().push((key, batch));
            }
        }
        drained
    }

    fn leader(&self, key: &Key) -> Option<u32> {
        self.metadata.topics.get(&key.0)?.leaders.get(key.1 as usize).copied().flatten()
    }

    fn is_ready(&self, queue: &VecDeque<Batch>, now: Time) -> bool {
        let Some(first) = queue.front() else { return false };
        if first.not_before > now {
            return false;
        }
        let is_hurried = !self.flushes.is_empty() || self.state == ProducerState::Closing;
        queue.len() > 1 || first.is_full() || is_hurried || first.attempts > 0 || self.lingered(first) <= now
    }

    fn lingered(&self, batch: &Batch) -> Time {
        batch.created + self.plan.settings.linger
    }

    fn produce(&mut self, broker: u32, batches: Vec<(Key, Batch)>, outbox: &mut Outbox) {
        let batches: Vec<_> = batches
            .into_iter()
            .map(|(key, mut batch)| {
                batch.is_closed = true;
                let partition = TopicPartition { topic: Rc::clone(&key.0), partition: key.1 };
                let view =
                    BatchView { partition, records: batch.records.as_slice().into(), size_bytes: batch.size_bytes };
                (key, batch, view)
            })
            .collect();
        let views: Vec<_> = batches.iter().map(|(_, _, view)| view.clone()).collect();
        let acks = self.plan.settings.acks;
        let payload = Payload::Produce {
            acks,
            batches: views.clone(),
            sender: self.number,
            is_idempotent: self.plan.settings.is_idempotent,
        };
        let target = outbox.broker_target(broker);
        let to = NodeId::Broker { id: broker };
        let parcel = Parcel::request(Api::Produce, self.node(), to, target, payload, true);
        let id = outbox.send(Parcel { batches: views, ..parcel });
        if std::mem::take(&mut self.breaks_next) {
            self.connected_since = id + 1;
        }
        if acks == Acks::None {
            for (_, _, view) in batches {
                self.acknowledge(&view, None, outbox);
            }
            return;
        }
        let deadline = outbox.now() + self.plan.settings.request_timeout;
        self.in_flight.insert(id, InFlight { broker, batches, deadline });
    }

    /// A Produce answer arrived.
    pub fn produce_answer(&mut self, request: u64, results: &[Result<Option<u64>, KafkaError>], outbox: &mut Outbox) {
        let Some(in_flight) = self.in_flight.remove(&request) else { return };
        for ((key, batch, view), result) in in_flight.batches.into_iter().zip(results) {
            match result {
                Ok(base_offset) => self.acknowledge(&view, *base_offset, outbox),
                Err(error) => self.retry_or_fail(key, batch, view, error.clone(), outbox),
            }
        }
        self.run(outbox);
    }

    fn acknowledge(&mut self, view: &BatchView, base_offset: Option<u64>, outbox: &mut Outbox) {
        self.acknowledged_count += view.records.len() as u64;
        outbox.emit(EventKind::BatchAcknowledged {
            producer: Rc::clone(&self.plan.name),
            batch: view.clone(),
            base_offset,
        });
        for (index, record) in view.records.iter().enumerate() {
            if let Some(command) = record.command {
                let metadata = RecordMetadata {
                    topic: Rc::clone(&view.partition.topic),
                    partition: view.partition.partition,
                    offset: base_offset.map(|base| base + index as u64),
                };
                outbox.finish(command, Ok(Some(metadata)));
            }
        }
    }

    fn retry_or_fail(&mut self, key: Key, mut batch: Batch, view: BatchView, error: KafkaError, outbox: &mut Outbox) {
        let now = outbox.now();
        let is_expired = batch.created + self.plan.settings.delivery_timeout <= now;
        if is_expired || batch.attempts >= self.plan.settings.retries {
            self.fail(&view.records, error, outbox);
            return;
        }
        self.metadata.request(RefreshReason::Error);
        batch.not_before = now + self.backoff(batch.attempts);
        batch.attempts += 1;
        outbox.emit(EventKind::BatchRetried { producer: Rc::clone(&self.plan.name), batch: view, error });
        self.accumulator.put_back(key, batch);
    }

    /// `ExponentialBackoff`: doubles from `retry.backoff.ms` to `retry.backoff.max.ms`, give or take 20 %.
    fn backoff(&mut self, attempts: u32) -> Duration {
        let settings = &self.plan.settings;
        let doubled = settings
            .backoff
            .0
            .saturating_mul(1 << attempts.min(20))
            .min(settings.backoff_max.0.max(settings.backoff.0));
        Duration(doubled * (80 + self.jitter.below(41)) / 100)
    }

    /// The connections are broken: what is in flight will not be answered.
    pub fn disconnected(&mut self, outbox: &mut Outbox) {
        self.metadata.lost(outbox.now());
        // The newest first: each goes back in front of the ones after it.
        for (_, request) in std::mem::take(&mut self.in_flight).into_iter().rev() {
            let text = format!("Disconnected from node {}", request.broker);
            let error = KafkaError::new("NETWORK_EXCEPTION", "NetworkException", text);
            for (key, batch, view) in request.batches {
                self.retry_or_fail(key, batch, view, error.clone(), outbox);
            }
        }
        // NetworkClient asks for new metadata after every disconnection.
        self.metadata.request(RefreshReason::Error);
        self.run(outbox);
    }

    /// A message of this producer went over a connection that is broken.
    pub fn lose(&mut self, message: &Rc<MessageView>, outbox: &mut Outbox) {
        outbox.emit_cause(EventKind::MessageLost { message: Rc::clone(message) });
        if self.in_flight.contains_key(&message.id) {
            self.disconnected(outbox);
        }
    }

    /// Fault: the connections break. What is on its way is lost; if nothing is, the next Produce request.
    pub fn disconnect(&mut self, outbox: &mut Outbox) {
        if self.in_flight.is_empty() {
            self.breaks_next = true;
        } else {
            self.connected_since = outbox.post.messages;
            self.disconnected(outbox);
        }
    }

    /// Gives up on what has taken too long.
    pub fn expire(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        self.expire_waiting(outbox);
        let late: Vec<_> =
            self.in_flight.iter().filter(|(_, request)| request.deadline <= now).map(|(id, _)| *id).collect();
        for id in late.into_iter().rev() {
            let request = self.in_flight.remove(&id).expect("it was just listed");
            let text = format!("Disconnected from node {} due to timeout", request.broker);
            let error = KafkaError::new("REQUEST_TIMED_OUT", "TimeoutException", text);
            for (key, batch, view) in request.batches {
                self.retry_or_fail(key, batch, view, error.clone(), outbox);
            }
        }
        self.expire_batches(now, outbox);
    }

    fn expire_batches(&mut self, now: Time, outbox: &mut Outbox) {
        let timeout = self.plan.settings.delivery_timeout;
        let is_expired = |batch: &Batch| batch.created + timeout <= now;
        let late = self.accumulator.firsts().filter(|(_, queue)| queue.front().is_some_and(is_expired));
        let late: Vec<Key> = late.map(|(key, _)| key.clone()).collect();
        let mut expired = Vec::new();
        for key in late {
            while let Some(batch) = self.accumulator.take_first(&key, is_expired) {
                expired.push((key.clone(), batch));
            }
        }
        for (key, batch) in expired {
            let error = self.expiry(&key, &batch, now);
            self.fail(&batch.records, error, outbox);
        }
    }

    fn expiry(&self, key: &Key, batch: &Batch, now: Time) -> KafkaError {
        if self.plan.dialect == Dialect::Librdkafka {
            return KafkaError::new("_MSG_TIMED_OUT", "", "Local: Message timed out");
        }
        let text = format!(
            "Expiring {} record(s) for {}-{}:{} ms has passed since batch creation. The request has not been sent, or no \
             server response has been received yet.",
            batch.records.len(),
            key.0,
            key.1,
            now.since(batch.created).millis()
        );
        KafkaError::new("", "TimeoutException", text)
    }

    /// When a batch becomes ready or something expires.
    pub fn next_batch_due(&self) -> Option<Time> {
        let timeout = self.plan.settings.delivery_timeout;
        let queued = self.accumulator.firsts().filter_map(|(_, queue)| queue.front()).flat_map(|batch| {
            // A batch that is ready already waits for an answer that makes room, not for a timer.
            let ready = if batch.attempts > 0 { batch.not_before } else { self.lingered(batch) };
            [ready, batch.created + timeout]
        });
        let requests = self.in_flight.values().map(|request| request.deadline);
        queued.chain(requests).filter(|at| *at > self.ran_at).min()
    }
}
