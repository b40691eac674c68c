//! Snapshots: the present state as plain values.
//!
//! Reading changes nothing and takes no simulated time.

use std::rc::Rc;

use super::Simulation;
use crate::broker::Broker;
use crate::client::producer::Producer;
use crate::client::reader::Reader;
use crate::event::{Name, TopicPartition};
use crate::limits::SNAPSHOT_RECORDS_MAX;
use crate::message::{PartitionImage, TopicImage};
use crate::snapshot::{
    BatchSnapshot, BrokerSnapshot, BrokerState, PartitionSnapshot, ProducerSnapshot, Snapshot, StickySnapshot,
    TopicSnapshot,
};
use crate::storage::Log;

impl Simulation {
    /// The state, with at most `records_max` last records of each partition.
    pub fn snapshot(&self, records_max: usize) -> Snapshot {
        let records_max = records_max.min(SNAPSHOT_RECORDS_MAX);
        let image = self.controller.image();
        let mut topics: Vec<_> = image.topics.iter().collect();
        topics.sort_by_key(|(_, topic)| topic.number);
        Snapshot {
            moment: self.moment,
            kafka: crate::version::KAFKA.into(),
            brokers: (0..).zip(&self.brokers).map(|(number, broker)| self.broker(number, broker)).collect(),
            topics: topics.into_iter().map(|(name, topic)| self.topic(name, topic, records_max)).collect(),
            producers: self.newest_producers().map(producer).collect(),
            consumers: self.readers.iter().map(Reader::snapshot).collect(),
            controller: self.brokers.first().map(|broker| broker.id),
            links: Vec::new(),
            broker_defaults: (*image.broker_defaults).clone(),
            in_flight: self.post.queue.messages().into_iter().filter(|message| message.is_notable).collect(),
        }
    }

    /// The newest instance of each name, in the order of first creation.
    fn newest_producers(&self) -> impl Iterator<Item = &Producer> {
        let is_first = |producer: &&Producer| {
            let earlier = &self.producers[..producer.number as usize];
            earlier.iter().all(|other| other.plan.name != producer.plan.name)
        };
        let newest = |first: &Producer| self.producers.iter().rfind(|other| other.plan.name == first.plan.name);
        self.producers.iter().filter(is_first).filter_map(newest)
    }

    fn broker(&self, number: u32, broker: &Broker) -> BrokerSnapshot {
        let leads = |partition: &&PartitionImage| partition.leader == Some(broker.id);
        let partitions = self.controller.image().topics.values().flat_map(|topic| &topic.partitions);
        BrokerSnapshot {
            id: broker.id,
            rack: broker.rack.clone(),
            is_controller: number == 0,
            leader_count: partitions.filter(leads).count() as u32,
            queue_size: broker.produces.len() as u32,
            state: BrokerState::Running,
            is_fenced: false,
            fetches_held: false,
            static_configs: std::collections::BTreeMap::new(),
            configs: std::collections::BTreeMap::new(),
            produce_time: crate::time::Duration::ZERO,
            broker_epoch: 0,
        }
    }

    fn topic(&self, name: &Name, topic: &TopicImage, records_max: usize) -> TopicSnapshot {
        let partitions = (0..).zip(&topic.partitions);
        TopicSnapshot {
            name: Rc::clone(name),
            topic_id: Rc::clone(&topic.topic_id),
            replication_factor: topic.replication_factor,
            configs: topic.configs.clone(),
            partitions: partitions.map(|(number, image)| self.partition(name, number, image, records_max)).collect(),
        }
    }

    fn partition(&self, topic: &Name, partition: u32, image: &PartitionImage, records_max: usize) -> PartitionSnapshot {
        let key = TopicPartition { topic: Rc::clone(topic), partition };
        let leader = image.leader.and_then(|leader| self.brokers.iter().find(|broker| broker.id == leader));
        let log = leader.and_then(|broker| broker.logs.get(&key));
        let high_watermark = log.map_or(0, |log| log.high_watermark);
        PartitionSnapshot {
            partition,
            leader: image.leader,
            leader_epoch: image.leader_epoch,
            replicas: image.replicas.clone(),
            isr: image.isr.clone(),
            log_start_offset: log.map_or(0, |log| log.log_start_offset),
            high_watermark,
            last_stable_offset: high_watermark,
            log_end_offset: log.map_or(0, |log| log.log_end_offset),
            size_bytes: log.map_or(0, |log| log.size_bytes),
            record_count: log.map_or(0, Log::record_count),
            records: log.map_or_else(Vec::new, |log| log.last_records(records_max)),
            partition_epoch: image.partition_epoch,
            elr: image.elr.clone(),
            last_known_elr: image.last_known_elr.clone(),
            adding: image.adding.clone(),
            removing: image.removing.clone(),
            is_recovering: image.is_recovering,
            min_isr: 1,
            logs: Vec::new(),
        }
    }
}

fn producer(producer: &Producer) -> ProducerSnapshot {
    let waiting = producer.accumulator.queues.iter().flat_map(|((topic, partition), queue)| {
        queue.iter().map(move |batch| BatchSnapshot {
            topic: Rc::clone(topic),
            partition: *partition,
            record_count: batch.records.len() as u32,
            size_bytes: batch.size_bytes,
            is_in_flight: false,
        })
    });
    let sent =
        producer.in_flight.values().flat_map(|request| &request.batches).map(|((topic, partition), batch, _)| {
            BatchSnapshot {
                topic: Rc::clone(topic),
                partition: *partition,
                record_count: batch.records.len() as u32,
                size_bytes: batch.size_bytes,
                is_in_flight: true,
            }
        });
    let sticky = producer.sticky.iter().map(|(topic, sticky)| StickySnapshot {
        topic: Rc::clone(topic),
        partition: sticky.keyless.current(),
        produced_bytes: sticky.keyless.produced_bytes(),
        threshold_bytes: sticky.keyless.threshold_bytes().unwrap_or(0),
    });
    let metadata = producer.metadata.topics.iter();
    ProducerSnapshot {
        name: Rc::clone(&producer.plan.name),
        client: producer.plan.rules.id.into(),
        state: producer.state,
        producer_id: producer.identity().map(|identity| identity.producer_id),
        producer_epoch: producer.identity().map(|identity| identity.epoch),
        configs: producer.plan.configs.clone(),
        metadata: metadata.map(|(name, topic)| (Rc::clone(name), topic.leaders.len() as u32)).collect(),
        metadata_refreshed: producer.metadata.refreshed,
        metadata_due: producer.metadata.due_by_age,
        last: producer.last.clone(),
        batches: waiting.chain(sent).collect(),
        sticky: sticky.collect(),
        sent_count: producer.sent_count,
        acknowledged_count: producer.acknowledged_count,
        failed_count: producer.failed_count,
        waiting_count: producer.waiting_count(),
    }
}
