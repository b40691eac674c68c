//! Which batches are ready, and which of them leave together.
//!
//! Follows `RecordAccumulator.ready` and `drain` of Kafka 4.3.1. The request itself is made in `sender.rs`.

use std::cmp::Ordering;
use std::rc::Rc;

use partitioner::View;

use super::Producer;
use super::accumulator::{Batch, Key};
use super::queues::{Queue, Slot};
use crate::client::named::compare;
use crate::event::{Name, RefreshReason};
use crate::time::Time;

/// What compression leaves of records whose workload does not say it. Simplified: nothing is compressed, the
/// size of a compressed batch is a share of its plain size; Kafka's depends on the bytes.
const COMPRESSED_PERCENT: u32 = 50;

/// What the sender remembers of a broker between its passes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lane {
    /// The place among the broker's partitions at which the next drain begins (`drainIndex`).
    begin: u32,
    /// When a batch was last ready for it, and when it last took one (`NodeLatencyStats`).
    ready: Time,
    drained: Time,
}

impl Producer {
    /// What every `ready()` pass does: it remembers queue lengths for the adaptive choice, takes note of new
    /// leaders, and asks for metadata while a batch has no leader to go to.
    pub(super) fn look_at_queues(&mut self, now: Time) {
        self.measure_queues();
        let metadata = &self.metadata;
        self.accumulator.see_leaders(|(topic, partition)| metadata.epoch(topic, *partition));
        let mut leaderless: Vec<Name> = Vec::new();
        for (topic, slots) in self.accumulator.topics() {
            let known = metadata.topics.get(topic);
            let leader = |slot: &Slot| known.and_then(|known| known.leader(slot.key.1));
            if slots.iter().any(|slot| !slot.queue.is_empty() && leader(slot).is_none()) {
                leaderless.push(Rc::clone(topic));
            }
        }
        for topic in &leaderless {
            self.metadata.want(topic, now);
            self.metadata.request(RefreshReason::Error);
        }
    }

    /// `updatePartitionLoadStats`.
    fn measure_queues(&mut self) {
        let timeout = self.plan.settings.availability;
        for (topic, sticky) in &mut self.sticky {
            let Some(known) = self.metadata.topics.get(topic) else { continue };
            sticky.queue_sizes = self.accumulator.queue_sizes(topic, known.leaders.len() as u32);
            let (Some(timeout), Some(sizes)) = (timeout, &mut sticky.queue_sizes) else { continue };
            for (size, leader) in sizes.iter_mut().zip(&known.leaders) {
                let lane = leader.and_then(|leader| self.lanes.get(&leader));
                if lane.is_some_and(|lane| lane.ready.since(lane.drained) > timeout) {
                    *size = View::LEFT_OUT;
                }
            }
        }
    }

    /// Takes at most one batch of each partition, from the brokers that have a ready batch, can be reached
    /// and have room for one more request.
    pub(super) fn drain(&mut self, now: Time) -> Vec<(u32, Vec<(Key, Batch)>)> {
        let mut drained = Vec::new();
        for broker in self.ready_brokers(now) {
            let count = self.in_flight.values().filter(|request| request.broker == broker).count() as u32;
            let takes_more = count < self.plan.settings.in_flight_max && self.connections.may_send(broker, now);
            let lane = self.lanes.entry(broker).or_default();
            lane.ready = now;
            if takes_more {
                lane.drained = now;
                let batches = self.drain_lane(broker, now);
                if !batches.is_empty() {
                    drained.push((broker, batches));
                }
            }
        }
        drained
    }

    /// The leaders of the partitions that have a ready batch, in order.
    fn ready_brokers(&self, now: Time) -> Vec<u32> {
        let is_exhausted = self.pool.as_ref().is_some_and(|pool| pool.waiting() > 0);
        let is_hurried = is_exhausted || self.is_hurried();
        let mut brokers = Vec::new();
        for (topic, slots) in self.accumulator.topics() {
            let Some(known) = self.metadata.topics.get(topic) else { continue };
            for slot in slots {
                if self.is_ready(&slot.key, &slot.queue, is_hurried, now)
                    && let Some(leader) = known.leader(slot.key.1)
                    && let Err(place) = brokers.binary_search(&leader)
                {
                    brokers.insert(place, leader);
                }
            }
        }
        brokers
    }

    /// `drainBatchesForOneNode`: round the broker's partitions from where the last drain stopped, until the
    /// request is full or a partition has to wait for what it has in flight.
    fn drain_lane(&mut self, broker: u32, now: Time) -> Vec<(Key, Batch)> {
        let places = self.metadata.led_by(broker);
        if places.is_empty() {
            return Vec::new();
        }
        let begin = self.lanes.get(&broker).map_or(0, |lane| lane.begin as usize % places.len());
        // A full circle ends one place before it began.
        let mut stopped = (begin + places.len() - 1) % places.len();
        let mut waiting = self.waiting_at(&places);
        let later = waiting.partition_point(|place| *place < begin);
        waiting.rotate_left(later);
        let size_max = self.plan.settings.request_size_max;
        let (mut batches, mut size) = (Vec::new(), 0);
        for place in waiting {
            let key = &places[place];
            if self.is_muted(key) {
                continue;
            }
            let Some(first) = self.accumulator.first(key) else { continue };
            if first.is_backing_off(now) {
                continue;
            }
            let is_in_turn = self.idempotence.as_ref().is_none_or(|own| own.may_send(key, first));
            if !is_in_turn || (size > 0 && size + first.size_bytes > size_max) {
                stopped = place;
                break;
            }
            let Some(mut batch) = self.accumulator.take_first(key, |_| true) else { continue };
            self.close_batch(key, &mut batch, now);
            size += batch.size_bytes;
            batches.push((key.clone(), batch));
        }
        self.lanes.entry(broker).or_default().begin = stopped as u32;
        batches
    }

    /// Those of a broker's partitions that have a batch, by their places.
    fn waiting_at(&self, places: &[Key]) -> Vec<usize> {
        let mut waiting = Vec::new();
        for (topic, slots) in self.accumulator.topics() {
            let start = places.partition_point(|(name, _)| compare(name, topic) == Ordering::Less);
            let length = places[start..].partition_point(|(name, _)| compare(name, topic) == Ordering::Equal);
            let own = &places[start..start + length];
            for slot in slots.iter().filter(|slot| !slot.queue.is_empty()) {
                if let Ok(place) = own.binary_search_by_key(&slot.key.1, |(_, partition)| *partition) {
                    waiting.push(start + place);
                }
            }
        }
        waiting
    }

    /// Nothing more goes into a batch that leaves; its sequence is given here, not when it was filled.
    fn close_batch(&mut self, key: &Key, batch: &mut Batch, now: Time) {
        let percent = self.workload.as_ref().and_then(|workload| workload.plan().compressed_percent);
        let ratio = batch.close(percent.unwrap_or(COMPRESSED_PERCENT));
        if let Some(ratio) = ratio.filter(|_| !batch.is_in_retry()) {
            self.accumulator.learn_ratio(&key.0, ratio);
        }
        batch.see_leader(self.metadata.epoch(&key.0, key.1).unwrap_or(0));
        if let Some(own) = &mut self.idempotence {
            own.number(key, batch);
        }
        let waited = now.since(batch.created);
        self.metrics.drained(
            waited,
            batch.size_bytes,
            batch.record_bytes_max,
            u64::from(ratio.unwrap_or(1_000_000)),
            now,
        );
    }

    /// With one request in flight for each broker, a partition also waits while its last batch is on its way
    /// to a broker that led it before (`guaranteeMessageOrder`).
    fn is_muted(&self, key: &Key) -> bool {
        let is_ordered = self.plan.settings.in_flight_max == 1;
        is_ordered && self.in_flight.values().any(|request| request.batches.iter().any(|(other, ..)| other == key))
    }

    /// `batchReady`.
    fn is_ready(&self, key: &Key, queue: &Queue, is_hurried: bool, now: Time) -> bool {
        let Some(first) = queue.front() else { return false };
        if first.is_backing_off(now) || self.is_muted(key) {
            return false;
        }
        queue.len() > 1 || first.is_full() || is_hurried || first.is_in_retry() || self.lingered(first) <= now
    }

    pub(super) fn lingered(&self, batch: &Batch) -> Time {
        batch.created + self.plan.settings.linger
    }
}
