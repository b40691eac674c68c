//! Snapshots: the present state as plain values.
//!
//! Reading changes nothing and takes no simulated time. Single logs are read in `lookup.rs`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Simulation;
use crate::broker::Broker;
use crate::broker::replica::Replica;
use crate::broker::share::share_partitions;
use crate::client::producer::Producer;
use crate::client::reader::Reader;
use crate::client::share_consumer::ShareConsumer;
use crate::controller::topic_names::INTERNAL_TOPICS;
use crate::coordinator;
use crate::event::{Name, TopicPartition};
use crate::limits::{FOLLOWER_RECORDS_MAX, SNAPSHOT_RECORDS_MAX};
use crate::message::{PartitionImage, TopicImage};
use crate::order::{self, Order};
use crate::queue::Target;
use crate::snapshot::{
    BatchSnapshot, BrokerSnapshot, LinkSnapshot, PartitionSnapshot, ProducerSnapshot, ReplicaSnapshot, Snapshot,
    StickySnapshot, TopicSnapshot,
};
use crate::storage::Log;
use crate::time::Time;

impl Simulation {
    /// The state, with at most `records_max` last records of each partition.
    pub fn snapshot(&self, records_max: usize) -> Snapshot {
        let records_max = records_max.min(SNAPSHOT_RECORDS_MAX);
        let image = self.controller.image();
        let mut topics: Vec<_> = image.topics.iter().collect();
        topics.order_by_key(|(_, topic)| topic.number);
        let link = |(from, to, link): (&crate::event::NodeId, &crate::event::NodeId, _)| LinkSnapshot {
            from: from.clone(),
            to: to.clone(),
            link,
        };
        Snapshot {
            moment: self.moment,
            kafka: crate::version::KAFKA.into(),
            brokers: (0..).zip(&self.brokers).map(|(number, broker)| self.broker(number, broker)).collect(),
            topics: topics.into_iter().map(|(name, topic)| self.topic(name, topic, records_max)).collect(),
            producers: self.newest_producers().map(|each| producer(each, self.moment.time)).collect(),
            consumers: self.newest_readers().map(Reader::snapshot).collect(),
            controller: self.controller.host(),
            links: self.post.links.iter().map(link).collect(),
            broker_defaults: (*image.broker_defaults).clone(),
            in_flight: self.post.queue.messages().into_iter().filter(|message| message.is_notable).collect(),
            transactions: coordinator::view::transactions(image, &self.brokers, records_max),
            group_offsets: coordinator::groups::group_offsets(image, &self.brokers),
            groups: coordinator::groups::groups(image, &self.brokers),
            share_consumers: self.newest_shares().map(ShareConsumer::snapshot).collect(),
            share_partitions: share_partitions(image, &self.brokers),
        }
    }

    /// Partitions of all topics but Kafka's own, without making a snapshot.
    pub fn partition_count(&self) -> u64 {
        let topics = self.controller.image().topics.iter();
        let shown = topics.filter(|(name, _)| !INTERNAL_TOPICS.contains(&&***name));
        shown.map(|(_, topic)| topic.partitions.len() as u64).sum()
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

    /// The same of consumers.
    pub(super) fn newest_readers(&self) -> impl Iterator<Item = &Reader> {
        let is_first = |(number, reader): &(usize, &Reader)| {
            self.readers[..*number].iter().all(|other| other.plan.name != reader.plan.name)
        };
        let newest =
            |(_, first): (usize, &Reader)| self.readers.iter().rfind(|other| other.plan.name == first.plan.name);
        self.readers.iter().enumerate().filter(is_first).filter_map(newest)
    }

    fn broker(&self, number: usize, broker: &Broker) -> BrokerSnapshot {
        let leads = |partition: &&PartitionImage| partition.leader == Some(broker.id);
        let image = self.controller.image();
        let partitions = image.topics.values().flat_map(|topic| &topic.partitions);
        let registered = image.brokers.get(&broker.id);
        BrokerSnapshot {
            id: broker.id,
            rack: broker.rack.clone(),
            is_controller: self.controller.host() == Some(broker.id),
            leader_count: partitions.filter(leads).count() as u32,
            queue_size: broker.produces.len() as u32 + self.drain.waiting(Target::Broker(number as u32)),
            state: self.processes[number].state,
            is_fenced: registered.is_none_or(|registered| registered.is_fenced),
            fetches_held: broker.fetches_held,
            static_configs: self.plan.fixed.brokers.get(&broker.id).cloned().unwrap_or_default(),
            configs: image.broker_configs.get(&broker.id).cloned().unwrap_or_default(),
            produce_time: broker.produce_time,
            broker_epoch: registered.map_or(0, |registered| registered.epoch),
        }
    }

    fn topic(&self, name: &Name, topic: &TopicImage, records_max: usize) -> TopicSnapshot {
        let partitions = (0..).zip(&topic.partitions);
        // The same for all partitions that a broker leads.
        let mut min_isr = BTreeMap::new();
        let mut min_isr_at = |leader: Option<u32>| {
            *min_isr.entry(leader).or_insert_with(|| self.controller.configs(leader).min_isr(topic))
        };
        TopicSnapshot {
            is_internal: INTERNAL_TOPICS.contains(&&**name),
            name: Rc::clone(name),
            topic_id: Rc::clone(&topic.topic_id),
            replication_factor: topic.replication_factor,
            configs: topic.configs.clone(),
            partitions: partitions
                .map(|(number, image)| self.partition(name, number, image, min_isr_at(image.leader), records_max))
                .collect(),
        }
    }

    fn partition(
        &self,
        name: &Name,
        partition: u32,
        image: &PartitionImage,
        min_isr: u32,
        records_max: usize,
    ) -> PartitionSnapshot {
        let key = TopicPartition { topic: Rc::clone(name), partition };
        let replica = |id: u32| self.brokers.iter().find(|broker| broker.id == id)?.replicas.get(&key);
        let log = image.leader.and_then(replica).map(|replica| &replica.log);
        let logs = image.replicas.iter().filter_map(|id| Some(self.replica(*id, image, replica(*id)?, records_max)));
        PartitionSnapshot {
            partition,
            leader: image.leader,
            leader_epoch: image.leader_epoch,
            replicas: image.replicas.clone(),
            isr: image.isr.clone(),
            log_start_offset: log.map_or(0, |log| log.log_start_offset),
            high_watermark: log.map_or(0, |log| log.high_watermark),
            last_stable_offset: log.map_or(0, Log::last_stable_offset),
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
            min_isr,
            logs: logs.collect(),
            producers: log.map_or_else(Vec::new, |log| log.producer_snapshots(self.moment.time)),
            aborted: log.map_or_else(Vec::new, Log::aborted),
        }
    }

    fn replica(&self, broker: u32, image: &PartitionImage, replica: &Replica, records_max: usize) -> ReplicaSnapshot {
        let log = &replica.log;
        // The leader's records are those of the partition.
        let records = if image.leader == Some(broker) { 0 } else { records_max.min(FOLLOWER_RECORDS_MAX) };
        ReplicaSnapshot {
            broker,
            is_leader: replica.leadership().is_some(),
            is_in_sync: image.isr.contains(&broker),
            log_start_offset: log.log_start_offset,
            local_log_start_offset: log.local_log_start_offset(),
            high_watermark: log.high_watermark,
            checkpointed_high_watermark: log.checkpointed_high_watermark(self.moment.time),
            log_end_offset: log.log_end_offset,
            size_bytes: log.size_bytes,
            segment_count: log.segment_count(),
            active_base_offset: log.active_base_offset(),
            clean_until: log.clean_until(),
            records: log.last_records(records),
            epochs: log.leader_epochs().to_vec(),
        }
    }
}

fn producer(producer: &Producer, now: Time) -> ProducerSnapshot {
    let mut snapshot = shown(producer, now);
    if let Some(own) = &producer.librdkafka {
        own.show(&mut snapshot);
    }
    snapshot
}

fn shown(producer: &Producer, now: Time) -> ProducerSnapshot {
    let waiting = producer.accumulator.queues.slots().flat_map(|slot| {
        let (topic, partition) = &slot.key;
        slot.queue.iter().map(move |batch| BatchSnapshot {
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
        metadata: order::map(metadata.map(|(name, topic)| (Rc::clone(name), topic.leaders.len() as u32))),
        metadata_refreshed: producer.metadata.refreshed,
        metadata_due: producer.metadata.due_by_age,
        last: producer.last.clone(),
        batches: waiting.chain(sent).collect(),
        sticky: sticky.collect(),
        sent_count: producer.sent_count,
        acknowledged_count: producer.acknowledged_count,
        failed_count: producer.failed_count,
        waiting_count: producer.waiting_count(),
        transactional_id: producer.plan.settings.transactional_id.clone(),
        client_state: producer.transactions.as_ref().map(|own| own.state),
        client_error: producer.transactions.as_ref().and_then(|own| own.error.clone()),
        transaction_partitions: producer.transaction_partitions(),
        process: producer.process,
        calls: producer.calls.snapshot(),
        buffer: producer.buffer(),
        metrics: producer.named_metrics(now),
    }
}
