//! Snapshots made by hand, for tests.
//!
//! They need not be reachable by a run; the picture must hold for any state.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::{Api, BatchView, Decision, MessageView, Moment, Name, NodeId, Record, RecordId, TopicPartition};
use engine::snapshot::{
    BrokerSnapshot, ConsumerSnapshot, LastRecord, LogRecord, PartitionSnapshot, PositionSnapshot, ProducerSnapshot,
    ReadRecord, TopicSnapshot,
};
use engine::{Snapshot, Time};

/// A record with a key.
pub fn record(number: u64, key: Option<&str>) -> Rc<Record> {
    Rc::new(Record {
        id: RecordId { producer: 0, number },
        producer: "orders-service".into(),
        key: key.map(|key| key.as_bytes().into()),
        key_text: key.map(Name::from),
        value: Some("login".into()),
        value_size: 5,
        timestamp: Time(0),
        create_time: 0,
        headers: None,
        command: None,
        internal: None,
    })
}

/// A cluster of some brokers without topics and clients.
pub fn cluster(brokers: u32) -> Snapshot {
    let broker = |id| BrokerSnapshot { id, is_controller: id == 1, ..BrokerSnapshot::default() };
    Snapshot {
        kafka: "4.3.1".into(),
        brokers: (1..=brokers).map(broker).collect(),
        controller: Some(1),
        ..Snapshot::default()
    }
}

/// A topic whose leaders go round the brokers.
pub fn topic(name: &str, partitions: u32, brokers: u32) -> TopicSnapshot {
    let partition = |partition| PartitionSnapshot {
        partition,
        leader: Some(partition % brokers + 1),
        replicas: vec![partition % brokers + 1],
        isr: vec![partition % brokers + 1],
        min_isr: 1,
        ..PartitionSnapshot::default()
    };
    TopicSnapshot {
        name: name.into(),
        topic_id: "AAAAAAAAAAAAAAAAAAAAAA".into(),
        replication_factor: 1,
        configs: BTreeMap::new(),
        partitions: (0..partitions).map(partition).collect(),
        is_internal: false,
    }
}

/// Appends a record to a partition.
pub fn append(partition: &mut PartitionSnapshot, record: Rc<Record>) {
    let offset = partition.log_end_offset;
    partition.records.push(LogRecord { offset, appended: Moment::default(), leader_epoch: 0, origin: None, record });
    partition.log_end_offset += 1;
    partition.high_watermark = partition.log_end_offset;
    partition.last_stable_offset = partition.log_end_offset;
    partition.record_count += 1;
}

/// One topic on one broker with keys in given partitions.
pub fn placed(name: &str, partitions: u32, keys: &[(&str, u32)]) -> Snapshot {
    let mut snapshot = cluster(1);
    snapshot.topics.push(topic(name, partitions, 1));
    for (number, (key, partition)) in keys.iter().enumerate() {
        append(&mut snapshot.topics[0].partitions[*partition as usize], record(number as u64, Some(key)));
    }
    snapshot
}

/// A producer that has just sent a record.
pub fn producer(name: &str, client: &str, topic: &str, key: Option<&str>) -> ProducerSnapshot {
    let explanation = partitioner::client(client).map(|client| client.explain(key.map(str::as_bytes), 3));
    let partition = explanation.as_ref().and_then(|explanation| explanation.partition()).unwrap_or(0);
    let decision = match explanation {
        Some(explanation) if explanation.partition().is_some() => {
            Decision::Hashed { explanation: Rc::new(explanation) }
        }
        _ => Decision::Keyless { partitions: 3, produced_bytes: 0, threshold_bytes: 0 },
    };
    ProducerSnapshot {
        name: name.into(),
        client: client.into(),
        metadata: BTreeMap::from([(Name::from(topic), 3)]),
        last: Some(LastRecord { record: record(0, key), topic: topic.into(), partition, decision }),
        sent_count: 1,
        acknowledged_count: 1,
        ..ProducerSnapshot::default()
    }
}

/// A reader of one topic that has read some records.
pub fn reader(name: &str, topic: &str, partitions: u32, read: u64) -> ConsumerSnapshot {
    let position = |partition| PositionSnapshot { topic: topic.into(), partition, position: read, read_from: None };
    let read_record = |offset| ReadRecord {
        topic: topic.into(),
        partition: 0,
        offset,
        read: Moment::default(),
        record: record(offset, Some("user-1")),
    };
    ConsumerSnapshot {
        name: name.into(),
        positions: (0..partitions).map(position).collect(),
        read_count: read,
        recent: (0..read).map(read_record).collect(),
        ..ConsumerSnapshot::default()
    }
}

/// A request from a producer to broker 1, or its answer, with a batch of records for partition 0.
pub fn message(id: u64, producer: &str, topic: &str, records: u64, is_response: bool) -> MessageView {
    let (from, to) = (NodeId::Producer { name: producer.into() }, NodeId::Broker { id: 1 });
    let (from, to) = if is_response { (to, from) } else { (from, to) };
    let batch = BatchView {
        partition: TopicPartition { topic: topic.into(), partition: 0 },
        records: (0..records).map(|number| record(1_000 * id + number, Some("user-1"))).collect(),
        size_bytes: 100,
        codec: engine::event::Codec::None,
    };
    MessageView {
        id,
        api: Api::Produce,
        version: None,
        is_response,
        from,
        to,
        sent: Moment { time: Time(0), sequence: id },
        arrives: Time(1_000_000),
        batches: if records > 0 { vec![batch] } else { Vec::new() },
        is_notable: true,
        error: None,
        end: None,
        markers: Vec::new(),
    }
}

#[path = "sample/folder.rs"]
pub mod folder;

#[path = "sample/replicas.rs"]
pub mod replicas;

#[path = "sample/transactions.rs"]
pub mod transactions;

#[path = "sample/groups.rs"]
pub mod groups;

#[path = "sample/shares.rs"]
pub mod shares;
