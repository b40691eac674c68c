//! Batches that are ready, and the requests that carry them.
//!
//! Follows `rd_kafka_toppar_producer_serve` and `rd_kafka_msgset_writer` of librdkafka 2.16.0: one request for
//! each partition, a batch when enough has gathered or the first message has waited for `linger.ms`. Deliberately
//! not here: what becomes of a request.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Librdkafka;
use super::identity::Numbering;
use super::message::{Key, Message, MessageQueue, wire_size_max};
use super::settings::Settings;
use crate::event::{Api, BatchView, TopicPartition};
use crate::message::{Acks, Payload, Produce, ProduceBatch, ProducerIdentity};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::snapshot::ProducerState;
use crate::storage::batch::{BATCH_OVERHEAD, ProducerStamp, stored_size};
use crate::time::Time;

/// librdkafka's version of Produce.
const PRODUCE_VERSION: u16 = 10;

/// A request that waits for its answer.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub key: Key,
    pub broker: u32,
    /// Empty once the messages were given up.
    pub messages: Vec<Message>,
    pub view: BatchView,
    pub stamp: Option<ProducerStamp>,
    /// The number of its first message.
    pub first: u64,
    pub deadline: Time,
}

impl Librdkafka {
    /// Sends every batch that is ready, as far as the limit of requests in flight allows.
    pub(super) fn send_ready_batches(&mut self, outbox: &mut Outbox) {
        if self.fatal.is_some() || self.state == ProducerState::Closed {
            return;
        }
        let identity = match &self.identity {
            Some(own) => match own.usable() {
                Some(identity) => Some(identity),
                None => return,
            },
            None => None,
        };
        let mut in_flight: BTreeMap<u32, u32> = BTreeMap::new();
        for (leader, key) in self.waiting_keys() {
            if !self.may_send_in_transaction(&key) || !self.renumber(&key, identity) {
                continue;
            }
            let count = in_flight.entry(leader).or_insert_with(|| self.requests.at(leader));
            let before = *count;
            while self.is_ready(&key, outbox.now()) {
                if *count >= self.settings.in_flight_max {
                    if *count == before {
                        self.turns.entry(leader).or_insert(key);
                    }
                    break;
                }
                self.send_batch(leader, &key, outbox);
                *count += 1;
            }
        }
    }

    /// Partitions with messages that wait for a broker that is up, with that broker. Its partitions take turns
    /// (`rkb_active_toppar_next`). Simplified: librdkafka begins one partition later whenever a broker's thread
    /// wakes up, however often that is; here the next pass begins with the first partition that the limit of
    /// requests in flight has left out.
    fn waiting_keys(&mut self) -> Vec<(u32, Key)> {
        let mut waiting: Vec<(u32, Key)> = self.nonempty().filter_map(|key| self.up_for(key)).collect();
        for (broker, turn) in std::mem::take(&mut self.turns) {
            let places: Vec<usize> = (0..waiting.len()).filter(|place| waiting[*place].0 == broker).collect();
            let mut own: Vec<Key> = places.iter().map(|place| waiting[*place].1.clone()).collect();
            let earlier = own.partition_point(|key| *key < turn);
            own.rotate_left(earlier);
            places.into_iter().zip(own).for_each(|(place, key)| waiting[place].1 = key);
        }
        waiting
    }

    /// The broker that leads a partition, if it is up.
    fn up_for(&self, key: Key) -> Option<(u32, Key)> {
        self.leader(&key).filter(|leader| self.brokers.is_up(*leader)).map(|leader| (leader, key))
    }

    fn nonempty(&self) -> impl Iterator<Item = Key> {
        let all = self.topics.iter().flat_map(|(name, topic)| {
            (0..).zip(&topic.partitions).map(move |(number, partition)| (name, number, partition))
        });
        all.filter(|(.., partition)| !partition.queue.is_empty()).map(|(name, number, _)| (Rc::clone(name), number))
    }

    pub(super) fn leader(&self, key: &Key) -> Option<u32> {
        self.topics.get(&key.0)?.partitions.get(key.1 as usize)?.leader
    }

    /// Gives the messages of a partition their sequences under a new identity, once nothing of the one before
    /// is in flight; false while something is.
    fn renumber(&mut self, key: &Key, identity: Option<ProducerIdentity>) -> bool {
        let Some(identity) = identity else { return true };
        let Some(partition) = self.partition_mut(key) else { return false };
        if partition.numbering.is_some_and(|numbering| numbering.identity == identity) {
            return true;
        }
        if partition.in_flight > 0 {
            return false;
        }
        let Some(first) = partition.queue.front().map(|message| message.number) else { return false };
        partition.numbering = Some(Numbering { identity, base: first, next_ack: first });
        partition.queue.forget_batches();
        true
    }

    /// Whether linger is over at once: the application waits for everything to leave.
    pub(super) fn is_hurried(&self) -> bool {
        let is_ending = self.txn.as_ref().is_some_and(|txn| txn.is_flushing());
        !self.flushes.is_empty() || self.state == ProducerState::Closing || is_ending
    }

    /// `rd_kafka_msgq_allow_wakeup_at`.
    fn is_ready(&self, key: &Key, now: Time) -> bool {
        let Some(partition) = self.topics.get(&key.0).and_then(|topic| topic.partitions.get(key.1 as usize)) else {
            return false;
        };
        let Some(first) = partition.queue.front() else { return false };
        if first.not_before > now {
            return false;
        }
        let settings = &self.settings;
        first.retries > 0
            || first.batch_end.is_some()
            || self.is_hurried()
            || first.enqueued + settings.linger <= now
            || partition.queue.len() >= u64::from(settings.batch_records_max)
            || partition.queue.payload_bytes() >= u64::from(settings.batch_size)
    }

    /// When the first message of a partition has waited for long enough.
    pub(super) fn lingered(&self, first: &Message) -> Time {
        if first.retries > 0 { first.not_before } else { first.enqueued + self.settings.linger }
    }

    fn send_batch(&mut self, broker: u32, key: &Key, outbox: &mut Outbox) {
        let settings = self.settings.clone();
        let now = outbox.now();
        let is_idempotent = self.identity.is_some();
        let Some(partition) = self.partition_mut(key) else { return };
        let (messages, size_bytes) = take_batch(&mut partition.queue, &settings, key, is_idempotent);
        let first = messages.first().map_or(0, |message| message.number);
        let stamp = partition.numbering.map(|numbering| numbering.stamp(first));
        partition.in_flight += 1;
        let view = BatchView {
            partition: TopicPartition { topic: Rc::clone(&key.0), partition: key.1 },
            records: messages.iter().map(|message| Rc::clone(&message.record)).collect(),
            size_bytes,
            codec: Default::default(),
        };
        let acks = self.plan.settings.acks;
        let payload = Payload::Produce(Produce {
            acks,
            batches: vec![ProduceBatch { view: view.clone(), stamp }],
            sender: Target::Producer(self.number),
            timeout: self.plan.settings.request_timeout,
            transactional_id: settings.transactional_id.clone(),
            version: PRODUCE_VERSION,
        });
        let (to, target) = (crate::event::NodeId::Broker { id: broker }, outbox.broker_target(broker));
        let parcel = Parcel::request(Api::Produce, self.node(), to, target, payload, true);
        let id = outbox.send(Parcel { batches: vec![view.clone()], ..parcel });
        self.brokers.sent(broker);
        if std::mem::take(&mut self.breaks_next) {
            self.brokers.cut(broker, id + 1);
        }
        // rd_kafka_ProduceRequest: it is given up with its first message, or after `socket.timeout.ms`.
        let expires = messages.first().and_then(|message| message.expires);
        let deadline = expires.map_or(now + settings.socket_timeout, |at| at.min(now + settings.socket_timeout));
        let request = InFlight { key: key.clone(), broker, messages, view, stamp, first, deadline };
        if acks == Acks::None {
            self.settle(request, Ok(None), outbox);
        } else {
            self.requests.insert(id, request);
        }
    }
}

/// Takes as many messages as a batch may hold, at least one; returns them with the size of the batch. The size
/// that counts for the limit is that of the request, with the most that the next record could take.
fn take_batch(queue: &mut MessageQueue, settings: &Settings, key: &Key, is_idempotent: bool) -> (Vec<Message>, u32) {
    let limit = u64::from(settings.batch_size.min(settings.record_size_max));
    let overhead = settings.request_overhead + key.0.len() as u32;
    let mut batch: Vec<Message> = Vec::new();
    let mut size = BATCH_OVERHEAD;
    let end = queue.front().and_then(|message| message.batch_end);
    while let Some(next) = queue.front() {
        let used = u64::from(overhead + size - BATCH_OVERHEAD);
        let is_full = batch.len() as u32 >= settings.batch_records_max || used + wire_size_max(&next.record) > limit;
        let is_other = end.is_some_and(|end| next.number > end) || (end.is_none() && next.batch_end.is_some());
        if !batch.is_empty() && (is_other || (end.is_none() && is_full)) {
            break;
        }
        let base = batch.first().map_or(next.record.create_time, |first| first.record.create_time);
        size += stored_size(&next.record, batch.len() as u32, next.record.create_time - base);
        batch.extend(queue.pop_front());
    }
    if let Some(last) = batch.last().map(|message| message.number).filter(|_| is_idempotent) {
        batch.iter_mut().for_each(|message| message.batch_end = Some(last));
    }
    (batch, size)
}
