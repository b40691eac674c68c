//! Looking up one value of a snapshot by a path in words, for conditions, questions and checks.
//!
//! Deliberately not here: anything that is not in the snapshot. A path that leads nowhere is an error, so a
//! misspelled one is found by the tests of the lessons.
//!
//! Paths: `partition/orders-0/isr`, `replica/orders-0/2/log_end_offset`, `broker/2/state`, `topic/orders/partitions`,
//! `producer/shop/acknowledged`, `producer/shop/metric/bufferpool-wait-ratio`, `consumer/console/read_count`,
//! `consumer/A/owned`, `group/analytics/state`, `share/workers/tasks-0/start_offset`, `transaction/fare-writer-7/state`, `record/fares-2/41/marker`,
//! `controller`.

mod groups;
mod shares;
mod transactions;

use std::rc::Rc;

#[cfg(feature = "check")]
pub(crate) use transactions::log_line;

use engine::event::TopicPartition;
use engine::snapshot::{
    BrokerSnapshot, ConsumerSnapshot, LogRecord, PartitionSnapshot, ProducerSnapshot, ReplicaSnapshot, TopicSnapshot,
};
use engine::{InputError, Snapshot};
use serde::{Deserialize, Serialize};

/// A value of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reading {
    /// Yes or no.
    YesNo(bool),
    /// A number.
    Number(u64),
    /// Numbers in their order.
    Numbers(Vec<u64>),
    /// A name; `none` where there is nothing.
    Text(String),
}

/// Reads a value.
///
/// ```
/// use course::probe::{Reading, read};
///
/// let simulation = engine::Simulation::new(&engine::Scenario::empty(3))?;
/// assert_eq!(read(&simulation.snapshot(0), "broker/2/state")?, Reading::Text("running".to_string()));
/// assert!(read(&simulation.snapshot(0), "broker/2/stat").is_err());
/// # Ok::<(), engine::InputError>(())
/// ```
pub fn read(snapshot: &Snapshot, path: &str) -> Result<Reading, InputError> {
    let parts: Vec<&str> = path.split('/').collect();
    let found = match parts.as_slice() {
        ["controller"] => Some(broker_or_none(snapshot.controller)),
        ["topic", name, field] => topic(snapshot, name).and_then(|topic| of_topic(topic, field)),
        ["partition", name, field] => partition(snapshot, name).and_then(|partition| of_partition(partition, field)),
        ["replica", name, broker, field] => {
            let partition = partition(snapshot, name);
            let replica = partition.and_then(|partition| Some((partition, replica(partition, broker)?)));
            replica.and_then(|(partition, replica)| of_replica(partition, replica, field))
        }
        ["broker", id, field] => {
            let broker = snapshot.brokers.iter().find(|broker| broker.id.to_string() == *id);
            broker.and_then(|broker| of_broker(broker, field))
        }
        ["producer", name, field] => producer(snapshot, name).and_then(|producer| of_producer(producer, field)),
        ["producer", name, "buffers", partition] => {
            producer(snapshot, name).map(|producer| transactions::buffers_of(producer, partition))
        }
        ["producer", name, "metric", metric] => {
            producer(snapshot, name).and_then(|it| transactions::metric(it, metric))
        }
        ["transaction", id, field] => {
            let transaction = snapshot.transactions.iter().find(|known| &*known.transactional_id == *id);
            transaction.and_then(|transaction| transactions::of_transaction(transaction, field))
        }
        ["record", name, offset, field] => {
            partition(snapshot, name).and_then(|partition| transactions::of_record(partition, offset, field))
        }
        ["share", name, rest @ ..] => shares::of_share(snapshot, name, rest),
        ["group", name, rest @ ..] => groups::of_group(snapshot, name, rest),
        ["consumer", name, field] => {
            let consumer = snapshot.consumers.iter().rfind(|consumer| &*consumer.name == *name);
            let of_reader = consumer.and_then(|consumer| of_consumer(consumer, field));
            of_reader.or_else(|| shares::of_member(snapshot, name, field))
        }
        ["consumer", name, "position", partition] => {
            let consumer = snapshot.consumers.iter().rfind(|consumer| &*consumer.name == *name);
            consumer.and_then(|consumer| position(consumer, partition))
        }
        _ => None,
    };
    found.ok_or_else(|| InputError::new("probe.path", format!("\"{path}\" leads to nothing on this stage.")))
}

/// The topic of that name.
pub(crate) fn topic<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a TopicSnapshot> {
    snapshot.topics.iter().find(|topic| &*topic.name == name)
}

/// The partition of a name such as `orders-0`.
pub(crate) fn partition<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a PartitionSnapshot> {
    let (name, number) = TopicPartition::split(name)?;
    topic(snapshot, name)?.partitions.get(number as usize)
}

/// The newest instance of a producer.
fn producer<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a ProducerSnapshot> {
    snapshot.producers.iter().rev().find(|producer| &*producer.name == name)
}

/// The latest value of a key for a reader that takes partitions in this order; `None` after a tombstone or without
/// a record.
pub(crate) fn rebuilt(topic: &TopicSnapshot, order: &[u32], key: &str) -> Option<Rc<str>> {
    let partitions = order.iter().filter_map(|number| topic.partitions.get(*number as usize));
    let records = partitions.flat_map(|partition| &partition.records);
    let mut of_key = records.filter(|entry| entry.record.key_text.as_deref() == Some(key));
    of_key.next_back().and_then(|entry| entry.record.value.clone())
}

fn replica<'a>(partition: &'a PartitionSnapshot, broker: &str) -> Option<&'a ReplicaSnapshot> {
    partition.logs.iter().find(|log| log.broker.to_string() == broker)
}

fn of_topic(topic: &TopicSnapshot, field: &str) -> Option<Reading> {
    Some(match field {
        "partitions" => Reading::Number(topic.partitions.len() as u64),
        "replication_factor" => Reading::Number(u64::from(topic.replication_factor)),
        "log_end_offsets" => {
            Reading::Numbers(topic.partitions.iter().map(|partition| partition.log_end_offset).collect())
        }
        "leaders" => {
            let leaders = topic.partitions.iter().map(|partition| partition.leader.map_or(0, u64::from));
            Reading::Numbers(leaders.collect())
        }
        _ => return topic.configs.get(field).map(|value| Reading::Text(value.to_string())),
    })
}

fn of_partition(partition: &PartitionSnapshot, field: &str) -> Option<Reading> {
    Some(match field {
        "leader" => broker_or_none(partition.leader),
        "leader_epoch" => Reading::Number(u64::from(partition.leader_epoch)),
        "replicas" => brokers(&partition.replicas),
        "isr" => brokers(&partition.isr),
        "elr" => brokers(&partition.elr),
        "last_known_elr" => brokers(&partition.last_known_elr),
        "adding" => brokers(&partition.adding),
        "removing" => brokers(&partition.removing),
        "min_isr" => Reading::Number(u64::from(partition.min_isr)),
        "is_recovering" => Reading::YesNo(partition.is_recovering),
        "log_start_offset" => Reading::Number(partition.log_start_offset),
        "high_watermark" => Reading::Number(partition.high_watermark),
        "last_stable_offset" => Reading::Number(partition.last_stable_offset),
        "log_end_offset" => Reading::Number(partition.log_end_offset),
        "aborted" => transactions::aborted(partition),
        "record_count" => Reading::Number(partition.record_count),
        "size_bytes" => Reading::Number(partition.size_bytes),
        "offsets" => offsets(&partition.records),
        _ => return None,
    })
}

fn of_replica(partition: &PartitionSnapshot, replica: &ReplicaSnapshot, field: &str) -> Option<Reading> {
    Some(match field {
        "is_in_sync" => Reading::YesNo(replica.is_in_sync),
        "log_start_offset" => Reading::Number(replica.log_start_offset),
        "local_log_start_offset" => Reading::Number(replica.local_log_start_offset),
        "high_watermark" => Reading::Number(replica.high_watermark),
        "checkpointed_high_watermark" => Reading::Number(replica.checkpointed_high_watermark),
        "log_end_offset" => Reading::Number(replica.log_end_offset),
        "size_bytes" => Reading::Number(replica.size_bytes),
        "segment_count" => Reading::Number(u64::from(replica.segment_count)),
        "active_base_offset" => Reading::Number(replica.active_base_offset),
        "clean_until" => Reading::Number(replica.clean_until),
        "epochs" => {
            let pairs = replica.epochs.iter().flat_map(|(epoch, start)| [u64::from(*epoch), *start]);
            Reading::Numbers(pairs.collect())
        }
        "offsets" if replica.is_leader => offsets(&partition.records),
        "offsets" => offsets(&replica.records),
        _ => return None,
    })
}

fn of_broker(broker: &BrokerSnapshot, field: &str) -> Option<Reading> {
    use engine::snapshot::BrokerState;
    Some(match field {
        "state" => {
            let state = match broker.state {
                BrokerState::Running => "running",
                BrokerState::ShuttingDown => "shutting_down",
                BrokerState::Paused => "paused",
                BrokerState::Stopped => "stopped",
            };
            Reading::Text(state.to_string())
        }
        "is_fenced" => Reading::YesNo(broker.is_fenced),
        "leader_count" => Reading::Number(u64::from(broker.leader_count)),
        _ => return None,
    })
}

fn of_producer(producer: &ProducerSnapshot, field: &str) -> Option<Reading> {
    Some(Reading::Number(match field {
        "sent" => producer.sent_count,
        "acknowledged" => producer.acknowledged_count,
        "failed" => producer.failed_count,
        "waiting" => producer.waiting_count,
        _ => return transactions::of_client(producer, field),
    }))
}

fn of_consumer(consumer: &ConsumerSnapshot, field: &str) -> Option<Reading> {
    let values = consumer.recent.iter().map(|read| read.record.value.as_deref().unwrap_or("null"));
    Some(Reading::Number(match field {
        "values" => return Some(transactions::listed(values)),
        "read_count" => consumer.read_count,
        "bytes_near" => consumer.read_bytes.0,
        "bytes_far" => consumer.read_bytes.1,
        _ => return groups::of_membership(consumer, field),
    }))
}

fn position(consumer: &ConsumerSnapshot, partition: &str) -> Option<Reading> {
    let (topic, number) = TopicPartition::split(partition)?;
    let found = consumer.positions.iter().find(|position| &*position.topic == topic && position.partition == number);
    found.map(|position| Reading::Number(position.position))
}

fn offsets(records: &[LogRecord]) -> Reading {
    Reading::Numbers(records.iter().map(|record| record.offset).collect())
}

fn brokers(ids: &[u32]) -> Reading {
    Reading::Numbers(ids.iter().map(|id| u64::from(*id)).collect())
}

fn broker_or_none(id: Option<u32>) -> Reading {
    id.map_or_else(|| Reading::Text("none".to_string()), |id| Reading::Number(u64::from(id)))
}
