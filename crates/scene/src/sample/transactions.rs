//! Transactions made by hand: open, decided, aborted, fenced, and a producer whose buffer is full.
//!
//! As `sample.rs`, they need not be reachable by a run.

use engine::event::{Api, MessageView, NodeId, TopicPartition};
use engine::snapshot::{
    BufferSnapshot, CallSnapshot, ClientProcess, ConsumerSnapshot, Fate, LogRecord, PartitionSnapshot,
    ProducerSnapshot, ProducerStateSnapshot, RecordOrigin, TransactionLogSnapshot, TransactionSnapshot,
};
use engine::time::Duration;
use engine::transaction::{Call, ClientState, MarkerKind, TransactionState, WaitReason};
use engine::{KafkaError, Snapshot, Time};

use super::replicas::follow;
use super::{append, cluster, message, producer, reader, record, topic};

/// A partition by name.
pub fn at(topic: &str, partition: u32) -> TopicPartition {
    TopicPartition { topic: topic.into(), partition }
}

/// Who wrote a record or a marker.
pub fn origin(producer_id: u64, epoch: u16, fate: Option<Fate>, marker: Option<MarkerKind>) -> RecordOrigin {
    RecordOrigin {
        producer_id,
        epoch,
        sequence: marker.is_none().then_some(0),
        batch: (0, 0),
        is_transactional: fate.is_some() || marker.is_some(),
        marker,
        coordinator_epoch: marker.map(|_| 0),
        fate,
    }
}

/// Appends a record of producer id 4001.
pub fn write(partition: &mut PartitionSnapshot, number: u64, key: &str, fate: Fate) {
    append(partition, record(number, Some(key)));
    last(partition).origin = Some(origin(4_001, 0, Some(fate), None));
}

/// Appends a marker of producer id 4001.
pub fn mark(partition: &mut PartitionSnapshot, number: u64, marker: MarkerKind) {
    append(partition, record(number, None));
    last(partition).origin = Some(origin(4_001, 1, None, Some(marker)));
}

fn last(partition: &mut PartitionSnapshot) -> &mut LogRecord {
    partition.records.last_mut().expect("a record was appended")
}

/// Keeps the last stable offset at the first open record.
pub fn settle(partition: &mut PartitionSnapshot) {
    let is_open = |record: &&LogRecord| record.origin.as_ref().is_some_and(|origin| origin.fate == Some(Fate::Open));
    let first = partition.records.iter().find(is_open).map(|record| record.offset);
    partition.last_stable_offset = first.unwrap_or(partition.high_watermark);
    partition.producers = vec![ProducerStateSnapshot {
        producer_id: 4_001,
        epoch: if first.is_some() { 0 } else { 1 },
        last_sequence: first.map(|_| 0),
        transaction_start: first,
        ..ProducerStateSnapshot::default()
    }];
    follow(partition);
}

/// The writer of fares in a state, with its pool nearly empty.
pub fn writer(name: &str, state: ClientState) -> ProducerSnapshot {
    ProducerSnapshot {
        transactional_id: Some("fare-writer-7".into()),
        client_state: Some(state),
        producer_id: Some(4_001),
        producer_epoch: Some(0),
        buffer: pool(&[(at("fares", 2), 1), (at("driver-payouts", 1), 1)], 2_046),
        ..producer(name, "java", "fares", Some("trip-9001"))
    }
}

/// A pool of the default size.
pub fn pool(batches: &[(TopicPartition, u32)], free: u64) -> BufferSnapshot {
    BufferSnapshot {
        total_bytes: 33_554_432,
        available_bytes: free * 16_384,
        buffer_bytes: 16_384,
        messages: None,
        batches: batches.to_vec(),
    }
}

/// A call that waits for a minute at most.
pub fn waiting(call: Call, reason: WaitReason) -> CallSnapshot {
    CallSnapshot { call, reason, since: Time(0), deadline: Some(Time(60_000_000)) }
}

fn logged(offset: u64, state: TransactionState, partitions: &[TopicPartition]) -> TransactionLogSnapshot {
    TransactionLogSnapshot {
        offset,
        state: Some(state),
        producer_id: 4_001,
        epoch: Some(1),
        partitions: partitions.into(),
        ..TransactionLogSnapshot::default()
    }
}

/// A reader of both topics on an isolation level.
pub fn reader_on(name: &str, is_read_committed: bool, positions: [u64; 2]) -> ConsumerSnapshot {
    let mut reader = ConsumerSnapshot { is_read_committed, ..reader(name, "fares", 3, 3) };
    reader.positions[2].position = positions[0];
    let mut payouts = reader.positions[0].clone();
    (payouts.topic, payouts.partition, payouts.position) = ("driver-payouts".into(), 1, positions[1]);
    reader.positions.push(payouts);
    for read in &mut reader.recent {
        read.partition = 2;
    }
    reader
}

/// A commit between its two markers: PrepareCommit is durable, one partition has its COMMIT.
pub fn committing() -> Snapshot {
    let mut snapshot = cluster(3);
    snapshot.topics = vec![topic("fares", 3, 3), topic("driver-payouts", 2, 3)];
    for topic in &mut snapshot.topics {
        topic.partitions.iter_mut().for_each(follow);
    }
    let fares = &mut snapshot.topics[0].partitions[2];
    append(fares, record(1, Some("trip-8999")));
    write(fares, 2, "trip-9000", Fate::Aborted);
    mark(fares, 3, MarkerKind::Abort);
    write(fares, 4, "trip-9001", Fate::Committed);
    mark(fares, 5, MarkerKind::Commit);
    settle(fares);
    let payouts = &mut snapshot.topics[1].partitions[1];
    append(payouts, record(6, Some("driver-76")));
    write(payouts, 7, "driver-512", Fate::Open);
    settle(payouts);
    let (fare, payout) = (at("fares", 2), at("driver-payouts", 1));
    snapshot.transactions = vec![TransactionSnapshot {
        transactional_id: "fare-writer-7".into(),
        partition: 36,
        coordinator: Some(1),
        state: TransactionState::PrepareCommit,
        producer_id: 4_001,
        epoch: Some(1),
        timeout: Duration::from_secs(60),
        partitions: vec![payout.clone()],
        log: vec![
            logged(0, TransactionState::Empty, &[]),
            logged(1, TransactionState::Ongoing, std::slice::from_ref(&fare)),
            logged(2, TransactionState::Ongoing, &[fare.clone(), payout.clone()]),
            logged(3, TransactionState::PrepareCommit, &[fare, payout.clone()]),
        ],
        ..TransactionSnapshot::default()
    }];
    let mut writer = writer("fare-service", ClientState::CommittingTransaction);
    writer.calls = vec![waiting(Call::CommitTransaction, WaitReason::Coordinator)];
    snapshot.producers = vec![writer];
    snapshot.consumers = vec![reader_on("settlement", true, [5, 1]), reader_on("dashboard", false, [5, 2])];
    let markers = MessageView {
        api: Api::WriteTxnMarkers,
        from: NodeId::Broker { id: 1 },
        to: NodeId::Broker { id: 2 },
        end: Some(MarkerKind::Commit),
        markers: vec![payout],
        ..message(1, "fare-service", "fares", 0, false)
    };
    snapshot.in_flight = vec![markers.into()];
    snapshot
}

/// Two instances with one transactional id: the older one stands still, the newer one has fenced it. A third crashed.
pub fn fenced() -> Snapshot {
    let mut snapshot = committing();
    snapshot.in_flight.clear();
    snapshot.consumers.truncate(1);
    let mut older = writer("fare-service", ClientState::FatalError);
    older.process = ClientProcess::Frozen;
    older.client_error = Some(KafkaError::new(
        "PRODUCER_FENCED",
        "ProducerFencedException",
        "There is a newer producer with the same transactionalId which fences the current one.",
    ));
    let mut newer = writer("fare-service-2", ClientState::InTransaction);
    newer.producer_epoch = Some(2);
    newer.transaction_partitions = vec![at("fares", 2)];
    let mut third = writer("fare-service-3", ClientState::Ready);
    third.process = ClientProcess::Crashed;
    snapshot.producers = vec![older, newer, third];
    let transaction = &mut snapshot.transactions[0];
    (transaction.state, transaction.pending_state) = (TransactionState::Empty, Some(TransactionState::Ongoing));
    transaction.log.push(logged(4, TransactionState::CompleteAbort, &[]));
    transaction.log.push(logged(5, TransactionState::Empty, &[]));
    transaction.log.push(logged(6, TransactionState::Ongoing, &[at("fares", 2)]));
    snapshot
}

/// A pool without a free buffer, most of it held by one partition, and a send that waits for memory.
pub fn full_pool() -> Snapshot {
    let mut snapshot = super::placed("events", 12, &[("user-1", 0), ("user-2", 1)]);
    let mut batches: Vec<_> = (0..11).map(|partition| (at("events", partition), 1)).collect();
    batches.push((at("events", 11), 2_037));
    let mut clicks = producer("clicks-service", "java", "events", Some("user-1"));
    clicks.configs.insert("max.block.ms".into(), "60000".into());
    clicks.buffer = pool(&batches, 0);
    clicks.calls = vec![waiting(Call::Send, WaitReason::Buffer), waiting(Call::Send, WaitReason::Buffer)];
    clicks.batches = (0..12)
        .map(|partition| engine::snapshot::BatchSnapshot {
            topic: "events".into(),
            partition,
            record_count: 15,
            size_bytes: 15_556,
            is_in_flight: partition % 3 == 0,
        })
        .collect();
    snapshot.producers = vec![clicks];
    snapshot
}
