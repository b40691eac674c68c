//! What the parts of a stage are called in words: for labels, and for the tree that a screen reader gets.
//!
//! No places and no shapes.

use engine::event::Record;
use engine::snapshot::{
    BrokerSnapshot, BrokerState, Fate, LogRecord, PartitionSnapshot, ProducerStateSnapshot, TransactionSnapshot,
};
use engine::transaction::{MarkerKind, WaitReason};

use crate::log::{Log, replica_of};
use crate::stage::{LaneBox, LaneKind};
use crate::text;

/// "1 record", "12 records".
pub(crate) fn records(count: u64) -> String {
    counted(count, "record", "records")
}

pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", text::count(count), if count == 1 { one } else { many })
}

/// "1", "1, 2 and 3".
pub(crate) fn enumerated(ids: &[u32]) -> String {
    let words: Vec<String> = ids.iter().map(u32::to_string).collect();
    match words.split_last() {
        None => "none".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// The key for a screen reader.
pub(crate) fn key_words(record: &Record) -> String {
    match &record.key_text {
        Some(key) if key.is_empty() => "empty key".to_string(),
        Some(key) => key.to_string(),
        None => "no key".to_string(),
    }
}

/// A record in a log: offset, key, and what became of its transaction; a control record by its name.
pub(crate) fn record_words(record: &LogRecord) -> String {
    let Some(origin) = &record.origin else {
        return format!("offset {}, {}", record.offset, key_words(&record.record));
    };
    if let Some(marker) = origin.marker {
        let name = if marker == MarkerKind::Commit { "COMMIT" } else { "ABORT" };
        let (id, epoch) = (origin.producer_id, origin.epoch);
        return format!("offset {}, {name} marker of producer id {id}, epoch {epoch}", record.offset);
    }
    let fate = match origin.fate {
        None => "",
        Some(Fate::Open) => ", transaction open",
        Some(Fate::Committed) => ", committed",
        Some(Fate::Aborted) => ", aborted",
    };
    format!("offset {}, {}{fate}", record.offset, key_words(&record.record))
}

/// A transactional id in one sentence.
pub(crate) fn transaction_words(transaction: &TransactionSnapshot) -> String {
    let mut words = format!("transactional id {}, {}", transaction.transactional_id, transaction.state.name());
    if let Some(pending) = transaction.pending_state {
        words.push_str(&format!(", {} not replicated yet", pending.name()));
    }
    words.push_str(&format!(", producer id {}", transaction.producer_id));
    if let Some(epoch) = transaction.epoch {
        words.push_str(&format!(", epoch {epoch}"));
    }
    match transaction.coordinator {
        Some(broker) => words.push_str(&format!(", coordinated by broker {broker}")),
        None => words.push_str(", no coordinator"),
    }
    words.push_str(&format!(", logged in __transaction_state-{}", transaction.partition));
    if !transaction.partitions.is_empty() {
        let names: Vec<String> = transaction.partitions.iter().map(ToString::to_string).collect();
        words.push_str(&format!(", partitions: {}", names.join(", ")));
    }
    words
}

/// What a partition knows of a producer.
pub(crate) fn producer_state_words(state: &ProducerStateSnapshot) -> String {
    let mut words = format!("producer id {}, epoch {}", state.producer_id, state.epoch);
    if let Some(sequence) = state.last_sequence {
        words.push_str(&format!(", last sequence {sequence}"));
    }
    if let Some(start) = state.transaction_start {
        words.push_str(&format!(", transaction open since offset {start}"));
    }
    words
}

/// What a call waits for.
pub(crate) fn reason_words(reason: WaitReason) -> &'static str {
    match reason {
        WaitReason::Metadata => "the topic's metadata",
        WaitReason::Buffer => "room in the buffer",
        WaitReason::Coordinator => "the coordinator",
        WaitReason::Batches => "acknowledgments",
    }
}

/// A lane in one sentence.
pub(crate) fn describe(lane: &LaneBox, partition: &PartitionSnapshot) -> String {
    let name = format!("{}-{}", lane.topic, partition.partition);
    match (lane.kind, lane.broker) {
        (LaneKind::Follower, Some(broker)) => format!("{name}, {}", describe_replica(partition, broker)),
        _ => format!("{name}, {}", describe_leader(partition)),
    }
}

fn describe_leader(partition: &PartitionSnapshot) -> String {
    let leader = partition.leader.map_or_else(|| "no leader".to_string(), |leader| format!("leader broker {leader}"));
    let mut words = format!(
        "{}, next offset {}, high watermark {}, {leader}",
        records(partition.record_count),
        partition.log_end_offset,
        partition.high_watermark,
    );
    if partition.last_stable_offset < partition.high_watermark {
        words.push_str(&format!(", last stable offset {}", partition.last_stable_offset));
    }
    for state in partition.producers.iter().filter(|state| state.transaction_start.is_some()) {
        words.push_str(&format!(", {}", producer_state_words(state)));
    }
    if partition.replicas.len() > 1 {
        words.push_str(&format!(", epoch {}, in sync: {}", partition.leader_epoch, enumerated(&partition.isr)));
        if partition.isr.len() < partition.min_isr as usize {
            words.push_str(&format!(", fewer than min.insync.replicas {}", partition.min_isr));
        }
    }
    if !partition.elr.is_empty() {
        words.push_str(&format!(", eligible leader replicas: {}", enumerated(&partition.elr)));
    }
    if !partition.adding.is_empty() || !partition.removing.is_empty() {
        words.push_str(&format!(
            ", reassignment adds {} and removes {}",
            enumerated(&partition.adding),
            enumerated(&partition.removing)
        ));
    }
    words
}

fn describe_replica(partition: &PartitionSnapshot, broker: u32) -> String {
    let mut words = if partition.leader.is_some() { "follower".to_string() } else { "replica, no leader".to_string() };
    if replica_of(partition, broker).is_none() {
        words.push_str(", no log yet");
    } else {
        let log = Log::of_replica(partition, broker);
        words.push_str(&format!(", log end offset {}, high watermark {}", log.log_end_offset, log.high_watermark));
    }
    for state in replica_states(partition, broker) {
        words.push_str(", ");
        words.push_str(state.words());
    }
    words
}

/// What a replica is to its partition, besides leader or follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplicaState {
    InSync,
    Eligible,
    LastLeader,
    OutOfSync,
    Adding,
    Removing,
}

impl ReplicaState {
    /// The word on its tag.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            ReplicaState::InSync => "ISR",
            ReplicaState::Eligible => "ELR",
            ReplicaState::LastLeader => "last leader",
            ReplicaState::OutOfSync => "out of sync",
            ReplicaState::Adding => "adding",
            ReplicaState::Removing => "removing",
        }
    }

    /// The same where there is room for a number only.
    pub(crate) fn short_tag(self) -> &'static str {
        match self {
            ReplicaState::OutOfSync => "not ISR",
            ReplicaState::LastLeader => "last",
            ReplicaState::Removing => "leaves",
            other => other.tag(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            ReplicaState::InSync => "in sync",
            ReplicaState::Eligible => "eligible to lead",
            ReplicaState::LastLeader => "last known leader",
            other => other.tag(),
        }
    }
}

/// The states of a replica, the most important first.
pub(crate) fn replica_states(partition: &PartitionSnapshot, broker: u32) -> Vec<ReplicaState> {
    let is_adding = partition.adding.contains(&broker);
    let mut states = Vec::new();
    if is_adding {
        states.push(ReplicaState::Adding);
    }
    if partition.removing.contains(&broker) {
        states.push(ReplicaState::Removing);
    }
    if partition.isr.contains(&broker) {
        states.push(ReplicaState::InSync);
    } else if partition.elr.contains(&broker) {
        states.push(ReplicaState::Eligible);
    } else if !is_adding {
        states.push(ReplicaState::OutOfSync);
    }
    if partition.last_known_elr.contains(&broker) {
        states.push(ReplicaState::LastLeader);
    }
    states
}

/// What is unusual about a broker, each with whether it is a fault.
pub(crate) fn broker_states(broker: &BrokerSnapshot) -> Vec<(&'static str, bool)> {
    let mut states = Vec::new();
    match broker.state {
        BrokerState::Running => {}
        BrokerState::ShuttingDown => states.push(("shutting down", false)),
        BrokerState::Paused => states.push(("paused", true)),
        BrokerState::Stopped => states.push(("stopped", true)),
    }
    if broker.is_fenced {
        states.push(("fenced", true));
    }
    if broker.fetches_held {
        states.push(("fetches held", false));
    }
    states
}
