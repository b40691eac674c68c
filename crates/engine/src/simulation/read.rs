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
    BatchSnapshot, BrokerSnapshot, ConsumerSnapshot, PartitionSnapshot, PositionSnapshot, ProducerSnapshot, Snapshot,
    StickySnapshot, TopicSnapshot,
};
use crate::storage::log::Log;

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
            consumers: self.readers.iter().map(consumer).collect(),
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
        let empty = Log::default();
        let log = leader.and_then(|broker| broker.logs.get(&key)).unwrap_or(&empty);
        PartitionSnapshot {
            partition,
            leader: image.leader,
            leader_epoch: image.leader_epoch,
            replicas: image.replicas.clone(),
            isr: image.isr.clone(),
            log_start_offset: log.log_start_offset,
            high_watermark: log.high_watermark,
            last_stable_offset: log.high_watermark,
            log_end_offset: log.log_end_offset,
            size_bytes: log.size_bytes,
            record_count: log.log_end_offset - log.log_start_offset,
            records: log.last_records(records_max),
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

fn consumer(reader: &Reader) -> ConsumerSnapshot {
    let positions = reader.positions.iter().map(|(partition, position)| PositionSnapshot {
        topic: Rc::clone(&partition.topic),
        partition: partition.partition,
        position: *position,
    });
    ConsumerSnapshot {
        name: Rc::clone(&reader.plan.name),
        positions: positions.collect(),
        read_count: reader.read_count,
        recent: reader.recent.iter().cloned().collect(),
    }
}
