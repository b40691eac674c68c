//! Invariants of the world, run after every entry in debug builds and by the fuzz program.
//!
//! A broken one is a bug of ours, so it panics with what is wrong.

use std::collections::BTreeSet;

use crate::simulation::Simulation;
use crate::snapshot::ProducerState;

impl Simulation {
    /// Panics if the state contradicts itself.
    pub fn check(&self) {
        self.check_logs();
        self.check_producers();
        if let Some(next) = self.next_time() {
            assert!(next >= self.now(), "the next entry at {next} is before the present {}", self.now());
        }
    }

    fn check_logs(&self) {
        let image = self.controller.image();
        for broker in &self.brokers {
            for (partition, log) in &broker.logs {
                assert!(log.log_start_offset <= log.high_watermark, "{partition}: log start above the high watermark");
                assert!(log.high_watermark <= log.log_end_offset, "{partition}: high watermark above the log end");
            }
        }
        let brokers: BTreeSet<u32> = self.brokers.iter().map(|broker| broker.id).collect();
        for (topic, topic_image) in &image.topics {
            for (number, partition) in topic_image.partitions.iter().enumerate() {
                let is_replica = |leader: u32| partition.replicas.contains(&leader) && brokers.contains(&leader);
                assert!(partition.leader.is_none_or(is_replica), "{topic}-{number}: the leader is no replica");
                assert!(
                    partition.isr.iter().all(|id| partition.replicas.contains(id)),
                    "{topic}-{number}: ISR outside replicas"
                );
            }
        }
    }

    fn check_producers(&self) {
        for producer in &self.producers {
            let queued: usize = producer.accumulator.queues.values().flatten().map(|batch| batch.records.len()).sum();
            let in_flight: usize = producer
                .in_flight
                .values()
                .flat_map(|request| &request.batches)
                .map(|(_, batch, _)| batch.records.len())
                .sum();
            let open = producer.waiting_count() + (queued + in_flight) as u64;
            let settled = producer.acknowledged_count + producer.failed_count;
            let name = &producer.plan.name;
            assert_eq!(producer.sent_count, settled + open, "{name}: every record is open, acknowledged or failed");
            assert!(producer.state != ProducerState::Closed || open == 0, "{name}: closed with {open} open records");
        }
    }
}
