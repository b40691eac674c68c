//! Invariants of the world, run after every entry in debug builds and by the fuzz program.
//!
//! A broken one is a bug of ours, so it panics with what is wrong.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::replica::Replica;
use crate::event::{Name, TopicPartition};
use crate::message::PartitionImage;
use crate::order;
use crate::simulation::Simulation;
use crate::snapshot::ProducerState;
use crate::storage::Log;

/// With more replicas than this, logs are looked at after every 64th entry only.
const REPLICAS_OFTEN: usize = 64;
/// With more batches than this in a producer, its records are counted one by one after every 1,024th entry only.
const BATCHES_OFTEN: u32 = 64;

impl Simulation {
    /// Panics if the state contradicts itself.
    pub fn check(&self) {
        if self.replicas().take(REPLICAS_OFTEN + 1).count() <= REPLICAS_OFTEN
            || self.moment().sequence.is_multiple_of(64)
        {
            self.check_logs();
        }
        self.check_clients();
    }

    /// The part of it that can be broken by what a client does.
    pub(crate) fn check_clients(&self) {
        self.check_producers();
        if let Some(next) = self.next_time() {
            assert!(next >= self.now(), "the next entry at {next} is before the present {}", self.now());
        }
    }

    fn check_logs(&self) {
        for (topic, number, log) in self.replicas().map(|(_, topic, number, replica)| (topic, number, &replica.log)) {
            assert!(log.log_start_offset <= log.high_watermark, "{topic}-{number}: log start above the high watermark");
            assert!(log.high_watermark <= log.log_end_offset, "{topic}-{number}: high watermark above the log end");
        }
        let brokers: BTreeSet<u32> = order::set(self.brokers.iter().map(|broker| broker.id));
        for (topic, topic_image) in &self.controller.image().topics {
            for (number, partition) in (0..).zip(&topic_image.partitions) {
                let is_replica = |leader: u32| partition.replicas.contains(&leader) && brokers.contains(&leader);
                assert!(partition.leader.is_none_or(is_replica), "{topic}-{number}: the leader is no replica");
                assert!(
                    partition.isr.iter().all(|id| partition.replicas.contains(id)),
                    "{topic}-{number}: ISR outside replicas"
                );
                let key = TopicPartition { topic: Rc::clone(topic), partition: number };
                self.check_replicas(&key, partition);
            }
        }
    }

    fn replicas(&self) -> impl Iterator<Item = (u32, &Name, u32, &Replica)> {
        let of = |broker: &Broker| broker.id;
        self.brokers.iter().flat_map(move |broker| {
            broker.replicas.iter().map(move |(topic, number, replica)| (of(broker), topic, number, &**replica))
        })
    }

    /// What a leader calls replicated is on every in-sync replica, and the same there.
    fn check_replicas(&self, key: &TopicPartition, partition: &PartitionImage) {
        let replica = |id: u32| self.brokers.iter().find(|broker| broker.id == id)?.replicas.get(key);
        let Some(leader) = partition.leader.and_then(replica) else { return };
        let Some(leadership) = leader.leadership().filter(|_| leader.leader_epoch == partition.leader_epoch) else {
            return;
        };
        let high_watermark = leader.log.high_watermark;
        for id in leadership.isr.iter().filter(|id| partition.replicas.contains(id)) {
            let Some(other) = replica(*id).filter(|other| other.topic_number == leader.topic_number) else { continue };
            let end = other.log.log_end_offset;
            assert!(end >= high_watermark, "{key}: in-sync replica {id} ends at {end}, below {high_watermark}");
            // The last batch below the high watermark of both: what is before it was compared earlier.
            let below = high_watermark.min(other.log.high_watermark);
            let last = |log: &Log| {
                let offset = below.checked_sub(1).filter(|offset| *offset >= log.log_start_offset)?;
                let batch = log.batch_at(offset).filter(|batch| batch.end() <= below)?;
                (batch.base_offset <= offset).then_some((batch.last_offset, batch.leader_epoch))
            };
            if let (Some(one), Some(two)) = (last(&leader.log), last(&other.log)) {
                assert_eq!(one, two, "{key}: replica {id} differs from the leader below the high watermark");
            }
        }
    }

    fn check_producers(&self) {
        for producer in &self.producers {
            let name = &producer.plan.name;
            let queued = producer.accumulator.record_count();
            if producer.accumulator.waiting() <= BATCHES_OFTEN || self.moment().sequence.is_multiple_of(1_024) {
                let batches = producer.accumulator.queues.slots().flat_map(|slot| &slot.queue);
                let counted: usize = batches.map(|batch| batch.records.len()).sum();
                assert_eq!(queued, counted as u64, "{name}: the records in the queues are counted");
            }
            let in_flight: usize = producer
                .in_flight
                .values()
                .flat_map(|request| &request.batches)
                .map(|(_, batch, _)| batch.records.len())
                .sum();
            let is_destroyed = producer.librdkafka.is_some() && producer.state == ProducerState::Closed;
            if producer.process == crate::snapshot::ClientProcess::Crashed || is_destroyed {
                // Nobody is told what became of its records.
                continue;
            }
            // Calls that are not made yet have made no record.
            let librdkafka = producer.librdkafka.as_ref().map_or(0, |own| own.open_records());
            let open = producer.waiting_count() - producer.calls.sends_ahead() + queued + in_flight as u64 + librdkafka;
            let settled = producer.acknowledged_count + producer.failed_count;
            assert_eq!(producer.sent_count, settled + open, "{name}: every record is open, acknowledged or failed");
            assert!(producer.state != ProducerState::Closed || open == 0, "{name}: closed with {open} open records");
        }
    }
}
