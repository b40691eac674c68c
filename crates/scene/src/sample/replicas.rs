//! Replicated clusters made by hand: healthy, failed, moving, compacted and very large ones.
//!
//! As `sample.rs`, they need not be reachable by a run.

use engine::event::{Api, LinkState, MessageView, NodeId};
use engine::snapshot::{BrokerState, LinkSnapshot, PartitionSnapshot, ReplicaSnapshot};
use engine::time::Duration;
use engine::{Snapshot, Time};

use super::{append, cluster, message, record, topic};

/// A cluster with one replicated topic. Leaders go round the brokers, followers are the next ones.
pub fn replicated(brokers: u32, partitions: u32, replication_factor: u32, records: u64) -> Snapshot {
    let mut snapshot = cluster(brokers);
    snapshot.topics.push(topic("page-views", partitions, brokers));
    for partition in &mut snapshot.topics[0].partitions {
        let first = (partition.partition + 1) % brokers;
        partition.replicas = (0..replication_factor).map(|step| (first + step) % brokers + 1).collect();
        partition.isr = partition.replicas.clone();
        partition.leader = Some(partition.replicas[0]);
        partition.min_isr = 2.min(replication_factor);
        for number in 0..records {
            let key = format!("user-{}", (u64::from(partition.partition) * 5 + number * 3) % 12);
            append(partition, record(number, Some(&key)));
        }
        follow(partition);
    }
    snapshot
}

/// Gives every replica a log that is as far as the leader's.
pub fn follow(partition: &mut PartitionSnapshot) {
    partition.logs.clear();
    for broker in partition.replicas.clone() {
        let is_leader = partition.leader == Some(broker);
        partition.logs.push(ReplicaSnapshot {
            broker,
            is_leader,
            is_in_sync: partition.isr.contains(&broker),
            log_start_offset: partition.log_start_offset,
            local_log_start_offset: partition.log_start_offset,
            high_watermark: partition.high_watermark,
            checkpointed_high_watermark: partition.high_watermark,
            log_end_offset: partition.log_end_offset,
            size_bytes: partition.size_bytes,
            segment_count: 1,
            records: if is_leader { Vec::new() } else { partition.records.clone() },
            ..ReplicaSnapshot::default()
        });
    }
}

/// The log of a replica.
pub fn replica(partition: &mut PartitionSnapshot, broker: u32) -> &mut ReplicaSnapshot {
    partition.logs.iter_mut().find(|replica| replica.broker == broker).expect("the broker holds a replica")
}

/// Cuts the end off a replica's log.
pub fn truncate(partition: &mut PartitionSnapshot, broker: u32, end: u64, high_watermark: u64) {
    let replica = replica(partition, broker);
    replica.records.retain(|record| record.offset < end);
    (replica.log_end_offset, replica.high_watermark) = (end, high_watermark);
}

/// Three brokers of which the second crashed and was fenced.
pub fn crashed() -> Snapshot {
    let mut snapshot = replicated(3, 3, 3, 6);
    (snapshot.brokers[1].state, snapshot.brokers[1].is_fenced) = (BrokerState::Stopped, true);
    for partition in &mut snapshot.topics[0].partitions {
        partition.isr.retain(|broker| *broker != 2);
        if partition.leader == Some(2) {
            (partition.leader, partition.leader_epoch) = (Some(3), 1);
        }
        follow(partition);
        truncate(partition, 2, 4, 3);
    }
    snapshot
}

/// One partition whose followers are at different offsets, with a fetch and an AlterPartition on their way.
pub fn high_watermark() -> Snapshot {
    let mut snapshot = replicated(3, 1, 3, 5);
    let partition = &mut snapshot.topics[0].partitions[0];
    partition.high_watermark = 3;
    partition.last_stable_offset = 2;
    follow(partition);
    truncate(partition, 3, 4, 3);
    truncate(partition, 1, 3, 2);
    snapshot.brokers[0].fetches_held = true;
    let (fetch, answer) = (fetch(1, 3, 2, false), fetch(2, 2, 1, true));
    let alter = MessageView {
        api: Api::AlterPartition,
        version: None,
        from: NodeId::Broker { id: 2 },
        to: NodeId::Controller,
        batches: Vec::new(),
        ..message(3, "p", "page-views", 0, false)
    };
    snapshot.in_flight = vec![fetch.into(), answer.into(), alter.into()];
    snapshot
}

/// A follower's fetch of the first partition, or its answer with two records.
pub fn fetch(id: u64, from: u32, to: u32, is_response: bool) -> MessageView {
    let records = if is_response { 2 } else { 0 };
    MessageView {
        api: Api::Fetch,
        version: None,
        is_response,
        from: NodeId::Broker { id: from },
        to: NodeId::Broker { id: to },
        ..message(id, "p", "page-views", records, false)
    }
}

/// Nobody is in sync any more; two replicas could lead without loss.
pub fn leaderless() -> Snapshot {
    let mut snapshot = replicated(3, 1, 3, 4);
    for broker in &mut snapshot.brokers[..2] {
        (broker.state, broker.is_fenced) = (BrokerState::Stopped, true);
    }
    let partition = &mut snapshot.topics[0].partitions[0];
    follow(partition);
    let records = partition.records.clone();
    replica(partition, 2).records = records;
    (partition.leader, partition.isr) = (None, Vec::new());
    (partition.elr, partition.last_known_elr, partition.leader_epoch) = (vec![1, 2], vec![1], 3);
    snapshot.controller = Some(3);
    snapshot.brokers.iter_mut().for_each(|broker| broker.is_controller = broker.id == 3);
    snapshot
}

/// Four brokers in two racks; a partition moves from the second broker to the fourth, throttled.
pub fn moving() -> Snapshot {
    let mut snapshot = replicated(4, 2, 2, 3);
    for broker in &mut snapshot.brokers {
        broker.rack = Some(if broker.id < 3 { "eu-1a" } else { "eu-1b" }.into());
    }
    let topic = &mut snapshot.topics[0];
    topic.configs.insert("follower.replication.throttled.replicas".into(), "0:4".into());
    snapshot.brokers[3].configs.insert("follower.replication.throttled.rate".into(), "50000000".into());
    let partition = &mut topic.partitions[0];
    (partition.replicas, partition.adding, partition.removing) = (vec![4, 3, 2], vec![4], vec![2]);
    partition.size_bytes = 500_000_000_000;
    follow(partition);
    truncate(partition, 4, 1, 1);
    replica(partition, 4).size_bytes = 210_000_000_000;
    snapshot
}

/// One broker whose log was compacted, rolled and shortened at its start.
pub fn compacted() -> Snapshot {
    let mut snapshot = replicated(1, 2, 1, 9);
    for (partition, kept) in snapshot.topics[0].partitions.iter_mut().zip([&[3, 6, 7, 8][..], &[0, 4, 5, 7]]) {
        partition.records.retain(|record| kept.contains(&record.offset));
        partition.record_count = partition.records.len() as u64;
        partition.log_start_offset = kept[0] / 2;
        partition.high_watermark = 8;
        partition.last_stable_offset = 7;
        follow(partition);
        let replica = &mut partition.logs[0];
        (replica.segment_count, replica.active_base_offset) = (3, 7);
    }
    snapshot
}

/// Links between brokers that are cut or slow, and brokers that are paused or leave.
pub fn faults() -> Snapshot {
    let mut snapshot = replicated(3, 2, 3, 3);
    let broker = |id| NodeId::Broker { id };
    snapshot.links = vec![
        LinkSnapshot { from: broker(3), to: NodeId::Controller, link: LinkState::Cut },
        LinkSnapshot { from: broker(1), to: broker(2), link: LinkState::Slow { delay: Duration::from_millis(200) } },
        LinkSnapshot { from: NodeId::Producer { name: "orders".into() }, to: broker(3), link: LinkState::Cut },
    ];
    snapshot.brokers[1].state = BrokerState::Paused;
    snapshot.brokers[2].state = BrokerState::ShuttingDown;
    snapshot.brokers[0].queue_size = 3;
    snapshot.topics[0].partitions[0].isr = vec![2];
    snapshot.producers.push(super::producer("orders", "java", "page-views", Some("user-1")));
    snapshot
}

/// Twelve brokers, two hundred partitions with three replicas, a hundred thousand records, and messages everywhere.
pub fn large() -> Snapshot {
    let mut snapshot = replicated(12, 200, 3, 0);
    for partition in &mut snapshot.topics[0].partitions {
        partition.record_count = u64::from(partition.partition) * 5;
        partition.log_end_offset = partition.record_count;
        partition.high_watermark = partition.record_count;
        if partition.partition % 23 == 7 {
            partition.isr.pop();
        }
    }
    let brokers = 1..=12_u32;
    let pairs = brokers.clone().flat_map(|from| brokers.clone().map(move |to| (from, to)));
    let fetches = (0..)
        .zip(pairs.filter(|(from, to)| from != to))
        .flat_map(|(number, (from, to))| (0..6).map(move |step| fetch(number * 10 + step, from, to, step % 2 == 1)));
    snapshot.in_flight = fetches.map(Into::into).collect();
    snapshot.producers.push(super::producer("orders", "java", "page-views", Some("user-1")));
    for number in 0..400 {
        let mut produce = message(100_000 + number, "orders", "page-views", 5, false);
        produce.to = NodeId::Broker { id: (number % 12) as u32 + 1 };
        produce.batches[0].partition.partition = (number % 200) as u32;
        produce.arrives = Time(1_000_000);
        snapshot.in_flight.push(produce.into());
    }
    snapshot
}
