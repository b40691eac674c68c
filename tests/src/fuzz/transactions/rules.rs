//! What must be true: at any time of a producer's memory, at rest of logs, readers, coordinators and outcomes.
//!
//! A partition that got no marker because nobody led it is excused: Kafka leaves its transaction open.

use std::collections::BTreeMap;

use engine::Command;
use engine::command::{RecordMetadata, Status};
use engine::event::TopicPartition;
use engine::snapshot::{ClientProcess, PartitionSnapshot, ProducerSnapshot, Snapshot};
use engine::transaction::{MarkerKind, TransactionState};

use super::Run;
use crate::at_rest::{ends_clean, is_committed, is_data};

/// Records of a partition that are looked at, at most: more than a run can write.
const RECORDS: usize = 10_000;

/// Partitions at rest, by name.
type Partitions = BTreeMap<TopicPartition, PartitionSnapshot>;

/// A producer's memory is never more than it has.
pub(super) fn while_it_runs(run: &Run) -> Result<(), String> {
    let snapshot = run.simulation.snapshot(0);
    let full = |producer: &&ProducerSnapshot| producer.buffer.available_bytes > producer.buffer.total_bytes;
    match snapshot.producers.iter().find(full) {
        Some(producer) => Err(format!("the memory of {}: {:?}", producer.name, producer.buffer)),
        None => Ok(()),
    }
}

pub(super) fn at_rest(run: &Run) -> Result<(), String> {
    let snapshot = run.simulation.snapshot(RECORDS);
    let mut partitions = Partitions::new();
    for topic in &snapshot.topics {
        for partition in &topic.partitions {
            let name = TopicPartition { topic: topic.name.clone(), partition: partition.partition };
            partitions.insert(name, partition.clone());
        }
    }
    coordinators(&snapshot)?;
    for (name, partition) in &partitions {
        let in_words = |broken: String| format!("{}-{}: {broken}", name.topic, name.partition);
        sequences(partition).map_err(in_words)?;
        if run.seen.skipped.contains(name) {
            continue;
        }
        ends_clean(partition).map_err(in_words)?;
        markers(&snapshot, name, partition).map_err(in_words)?;
        readers(run, name, partition).map_err(in_words)?;
    }
    producers(run, &snapshot)?;
    outcomes(run, &partitions)?;
    once(run, &partitions)
}

/// No transaction is open, and each decision is carried out.
fn coordinators(snapshot: &Snapshot) -> Result<(), String> {
    for known in &snapshot.transactions {
        if !known.state.is_over() || known.pending_state.is_some() || known.coordinator.is_none() {
            return Err(format!("{} rests in {:?} ({:?})", known.transactional_id, known.state, known.pending_state));
        }
    }
    Ok(())
}

/// Within an epoch, sequences go up by one.
fn sequences(partition: &PartitionSnapshot) -> Result<(), String> {
    let mut last: BTreeMap<(u64, u16), i32> = BTreeMap::new();
    for record in &partition.records {
        let Some(origin) = &record.origin else { continue };
        let Some(sequence) = origin.sequence else { continue };
        let before = last.insert((origin.producer_id, origin.epoch), sequence);
        if before.is_some_and(|before| sequence != before + 1) {
            return Err(format!("at {}: sequence {sequence} follows {before:?} of {origin:?}", record.offset));
        }
    }
    Ok(())
}

/// The markers of a producer id in a partition are its coordinator's decisions over that partition, in their
/// order. A marker may come again after a coordinator failed.
fn markers(snapshot: &Snapshot, name: &TopicPartition, partition: &PartitionSnapshot) -> Result<(), String> {
    let mut decided: BTreeMap<u64, Vec<(MarkerKind, u16)>> = BTreeMap::new();
    let mut written = decided.clone();
    for known in &snapshot.transactions {
        // A decision whose append got no answer in time counts for nothing, and another one may be made instead:
        // two transactions have a state of completion between their decisions.
        let mut pending = None;
        for entry in &known.log {
            let kind = match entry.state {
                Some(TransactionState::PrepareCommit) => MarkerKind::Commit,
                Some(TransactionState::PrepareAbort) => MarkerKind::Abort,
                Some(TransactionState::Ongoing) => continue,
                _ => {
                    pending = None;
                    continue;
                }
            };
            if let Some(producer_id) = pending.take() {
                decided.entry(producer_id).or_default().pop();
            }
            if let (true, Some(epoch)) = (entry.partitions.contains(name), entry.epoch) {
                decided.entry(entry.producer_id).or_default().push((kind, epoch));
                pending = Some(entry.producer_id);
            }
        }
    }
    decided.retain(|_, decisions| !decisions.is_empty());
    for record in &partition.records {
        let Some(origin) = &record.origin else { continue };
        if let Some(kind) = origin.marker {
            written.entry(origin.producer_id).or_default().push((kind, origin.epoch));
        }
    }
    for (producer_id, written) in &written {
        let decided = decided.remove(producer_id).unwrap_or_default();
        let (written_runs, decided_runs) = (runs(written), runs(&decided));
        let is_carried_out = written_runs.len() == decided_runs.len()
            && written_runs
                .iter()
                .zip(&decided_runs)
                .all(|(marker, decision)| marker.0 == decision.0 && marker.1 >= decision.1);
        if !is_carried_out {
            return Err(format!("producer id {producer_id}: decisions {decided:?}, markers {written:?}"));
        }
    }
    match decided.first_key_value() {
        Some((producer_id, decided)) => Err(format!("producer id {producer_id}: {decided:?} without markers")),
        None => Ok(()),
    }
}

/// Equal neighbours, counted.
fn runs(all: &[(MarkerKind, u16)]) -> Vec<((MarkerKind, u16), u32)> {
    let mut runs: Vec<((MarkerKind, u16), u32)> = Vec::new();
    for one in all {
        match runs.last_mut() {
            Some((last, count)) if last == one => *count += 1,
            _ => runs.push((*one, 1)),
        }
    }
    runs
}

/// Each reader got what its isolation level shows, each record once and in order.
fn readers(run: &Run, name: &TopicPartition, partition: &PartitionSnapshot) -> Result<(), String> {
    if !run.scenario.topics.iter().any(|topic| *topic.name == *name.topic) {
        return Ok(());
    }
    let committed: Vec<_> = partition.records.iter().filter(is_committed).map(|record| record.record.id).collect();
    let all: Vec<_> = partition.records.iter().filter(is_data).map(|record| record.record.id).collect();
    for (reader, expected) in [("read_committed", committed), ("read_uncommitted", all)] {
        let read = run.seen.read.get(reader).and_then(|read| read.get(name)).cloned().unwrap_or_default();
        if read != expected {
            return Err(format!("{reader} got {read:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

/// Nothing waits any more, and all memory is free.
fn producers(run: &Run, snapshot: &Snapshot) -> Result<(), String> {
    for producer in snapshot.producers.iter().filter(|producer| producer.process == ClientProcess::Running) {
        if producer.buffer.available_bytes != producer.buffer.total_bytes {
            return Err(format!("{} keeps memory: {:?}", producer.name, producer.buffer));
        }
        if let Some(call) = producer.calls.first() {
            return Err(format!("{} still waits: {call:?}", producer.name));
        }
        let started = run.starts.get(&*producer.name).copied().unwrap_or(0);
        let is_pending = |number: &u64| run.outcome(*number).is_some_and(|outcome| outcome.status == Status::Pending);
        for (number, command) in run.commands.range(started..) {
            if caller(command) == Some(&*producer.name) && is_pending(number) {
                return Err(format!("{number} has no answer: {command:?}"));
            }
        }
    }
    Ok(())
}

/// The producer whose application makes a call.
fn caller(command: &Command) -> Option<&str> {
    match command {
        Command::InitTransactions { producer, .. }
        | Command::BeginTransaction { producer }
        | Command::Send { producer, .. }
        | Command::Flush { producer, .. }
        | Command::SendOffsetsToTransaction { producer, .. }
        | Command::CommitTransaction { producer, .. }
        | Command::AbortTransaction { producer, .. } => Some(producer),
        _ => None,
    }
}

/// Records that an application was told of, in the transaction that it has begun.
#[derive(Default)]
struct Group {
    is_transaction: bool,
    sent: Vec<(u64, RecordMetadata)>,
}

/// What applications were told is so: acknowledged records outside of transactions are there; those of a
/// transaction are visible together, and as its end said.
fn outcomes(run: &Run, partitions: &Partitions) -> Result<(), String> {
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for (number, command) in &run.commands {
        if let Command::Producer(spec) = command {
            together(run, partitions, groups.remove(spec.name.as_str()), None)?;
            continue;
        }
        let Some(name) = caller(command) else { continue };
        let Some(outcome) = run.outcome(*number).filter(|outcome| outcome.status == Status::Done) else { continue };
        match command {
            Command::BeginTransaction { .. } => {
                let group = Group { is_transaction: true, sent: Vec::new() };
                together(run, partitions, groups.insert(name, group), None)?;
            }
            Command::Send { .. } => {
                let sent = outcome.record.clone().map(|record| (*number, record));
                groups.entry(name).or_default().sent.extend(sent);
            }
            Command::CommitTransaction { .. } => {
                together(run, partitions, groups.remove(name), Some(MarkerKind::Commit))?;
            }
            Command::AbortTransaction { .. } => {
                together(run, partitions, groups.remove(name), Some(MarkerKind::Abort))?;
            }
            _ => {}
        }
    }
    groups.into_values().try_for_each(|group| together(run, partitions, Some(group), None))
}

fn together(run: &Run, partitions: &Partitions, group: Option<Group>, end: Option<MarkerKind>) -> Result<(), String> {
    let Some(group) = group else { return Ok(()) };
    let end = if group.is_transaction { end } else { Some(MarkerKind::Commit) };
    let mut seen: Option<(u64, bool)> = None;
    for (number, metadata) in &group.sent {
        let RecordMetadata { topic, partition, offset } = metadata;
        let name = TopicPartition { topic: topic.clone(), partition: *partition };
        let (Some(offset), false) = (offset, run.seen.skipped.contains(&name)) else { continue };
        let records = partitions.get(&name).map_or(&[][..], |partition| &partition.records);
        let found = records.iter().find(|record| record.offset == *offset && record.record.command == Some(*number));
        let found = found.ok_or_else(|| format!("send {number} was acknowledged and is not at {metadata:?}"))?;
        let is_visible = is_committed(&found);
        if end.is_some_and(|end| is_visible != (end == MarkerKind::Commit)) {
            return Err(format!("send {number} of {end:?} at {metadata:?} is visible: {is_visible}"));
        }
        let (first, other) = *seen.get_or_insert((*number, is_visible));
        if other != is_visible {
            return Err(format!("sends {first} and {number} of one transaction: visible {other} and {is_visible}"));
        }
    }
    Ok(())
}

/// A record of an idempotent producer is in the log once.
fn once(run: &Run, partitions: &Partitions) -> Result<(), String> {
    let mut written = BTreeMap::new();
    for (name, partition) in partitions {
        for record in partition.records.iter().filter(is_committed) {
            let is_once = |command: &u64| record.origin.is_some() && run.careful.contains(command);
            let Some(command) = record.record.command.filter(is_once) else { continue };
            if let Some(other) = written.insert(command, record.offset) {
                let topic = &name.topic;
                return Err(format!(
                    "send {command} is at {other} and at {} of {topic}: {:?}",
                    record.offset,
                    run.commands.get(&command)
                ));
            }
        }
    }
    Ok(())
}
