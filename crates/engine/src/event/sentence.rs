//! Events as plain sentences, without colors or positions: for the event log and screen readers.
//!
//! Texts that Kafka's tools print are elsewhere; these are our own words.

mod cluster;
mod command;
mod group;
mod share;
mod transaction;

use std::fmt;

use super::{Api, BatchView, Decision, Event, EventKind, MessageView, NodeId, Record, RefreshReason, TopicPartition};
use crate::command::{Outcome, Status};

impl fmt::Display for TopicPartition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.topic, self.partition)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeId::Controller => write!(out, "the controller"),
            NodeId::Broker { id } => write!(out, "broker {id}"),
            NodeId::Producer { name } | NodeId::Consumer { name } => write!(out, "{name}"),
            NodeId::Admin => write!(out, "the Admin client"),
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self:?}")
    }
}

impl fmt::Display for Record {
    /// The key, or "a record without a key".
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key_text {
            Some(key) if key.is_empty() => write!(out, "an empty key"),
            Some(key) => write!(out, "{key}"),
            None => write!(out, "a record without a key"),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(out)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventKind::BrokerRegistered { broker } => write!(out, "Broker {broker} registered."),
            EventKind::TopicCreated { topic, partitions, replication_factor } => {
                write!(
                    out,
                    "Topic {topic} created: {}, replication factor {replication_factor}.",
                    count(*partitions, "partition")
                )
            }
            EventKind::PartitionsCreated { topic, before, after } => {
                write!(out, "{topic} grew from {before} to {after} partitions; 0 records moved.")
            }
            EventKind::TopicDeleted { topic } => write!(out, "Topic {topic} deleted."),
            EventKind::LeaderElected { partition, leader, leader_epoch } => {
                write!(out, "Broker {leader} leads {partition}, leader epoch {leader_epoch}.")
            }
            EventKind::ProducerStarted { producer, client } => write!(out, "{producer} started ({client})."),
            EventKind::ProducerClosed { producer } => write!(out, "{producer} closed."),
            EventKind::CommandApplied { command, number } => command::sentence(out, command, *number),
            EventKind::CommandFinished { outcome } => finished(out, outcome),
            EventKind::Warned { client, text } => write!(out, "{client} warns: {text}"),
            EventKind::Transaction(event) => transaction::sentence(out, event),
            EventKind::Group(event) => group::sentence(out, event),
            EventKind::Share(event) => share::sentence(out, event),
            other => cluster::sentence(out, other).unwrap_or_else(|| moved(out, other)),
        }
    }
}

/// Events of records and messages on their way.
fn moved(out: &mut fmt::Formatter<'_>, kind: &EventKind) -> fmt::Result {
    match kind {
        EventKind::MetadataRefreshed { client, reason, topics } => metadata(out, client, *reason, topics),
        EventKind::RecordPartitioned { record, producer, partition, decision, moved_from, .. } => {
            partitioned(out, record, producer, partition, decision, *moved_from)
        }
        EventKind::StickyPartitionSwitched { topic, after, records, .. } => {
            write!(out, "Switched to {topic}-{after} after {}.", count(*records, "record"))
        }
        EventKind::MessageSent { message } => message_sent(out, message),
        EventKind::MessageArrived { message } => {
            write!(out, "{} {} reached {}.", message.api, kind_of(message), message.to)
        }
        EventKind::MessageLost { message } => {
            write!(out, "{} {} from {} was lost: the connection broke.", message.api, kind_of(message), message.from)
        }
        EventKind::BatchAppended { batch, base_offset, .. } => appended(out, batch, *base_offset),
        EventKind::DuplicateIgnored { batch, base_offset, .. } => {
            write!(out, "{}: a batch that was there already; its offset is {base_offset}.", batch.partition)
        }
        EventKind::HighWatermarkAdvanced { partition, high_watermark } => {
            write!(out, "High watermark of {partition} is {high_watermark}.")
        }
        EventKind::BatchAcknowledged { producer, batch, base_offset } => {
            write!(out, "{producer}: {} of {} acknowledged", count(batch.records.len(), "record"), batch.partition)?;
            match base_offset {
                Some(offset) => write!(out, " at offset {offset}."),
                None => write!(out, " without waiting (acks=0)."),
            }
        }
        EventKind::BatchRetried { producer, batch, error } => {
            write!(out, "{producer} will send a batch of {} again: {}.", batch.partition, error.error)
        }
        EventKind::SendFailed { producer, records, error } => {
            write!(out, "{producer}: {} failed with {error}", count(records.len(), "record"))
        }
        EventKind::RecordsRead { consumer, partition, first_offset, records } => {
            let last = first_offset + records.len() as u64 - 1;
            let offsets = if last == *first_offset {
                format!("offset {last}")
            } else {
                format!("offsets {first_offset} to {last}")
            };
            write!(out, "{consumer} read {partition} {offsets}.")
        }
        other => unreachable!("{other:?} has its sentence above"),
    }
}

fn metadata(
    out: &mut fmt::Formatter<'_>,
    client: &NodeId,
    reason: RefreshReason,
    topics: &[(super::Name, u32)],
) -> fmt::Result {
    let why = match reason {
        RefreshReason::FirstUse => "asked for metadata",
        RefreshReason::Age => "refreshed its metadata",
        RefreshReason::Error => "refreshed its metadata after an error",
    };
    match topics {
        [] => write!(out, "{client} {why}; the topic is not there."),
        [(topic, partitions)] => write!(out, "{client} {why} and sees {} of {topic}.", count(*partitions, "partition")),
        many => {
            let list: Vec<_> = many.iter().map(|(topic, partitions)| format!("{topic} {partitions}")).collect();
            write!(out, "{client} {why}; partitions: {}.", list.join(", "))
        }
    }
}

fn partitioned(
    out: &mut fmt::Formatter<'_>,
    record: &Record,
    producer: &str,
    partition: &TopicPartition,
    decision: &Decision,
    moved_from: Option<u32>,
) -> fmt::Result {
    if let Some(before) = moved_from {
        write!(out, "{record} now goes to {partition} (was {}-{before}). ", partition.topic)?;
    }
    match decision {
        Decision::Explicit => {
            write!(out, "{producer} sends {record} to {partition}: the partition was set explicitly.")
        }
        Decision::Hashed { explanation } => write!(out, "{}", explanation.sentence()),
        Decision::Keyless { produced_bytes, threshold_bytes, .. } if *threshold_bytes > 0 && record.key.is_none() => {
            write!(out, "No key: staying on {partition}, {produced_bytes} of {threshold_bytes} bytes.")
        }
        Decision::Keyless { .. } if record.key.is_none() => write!(out, "No key: {producer} sends it to {partition}."),
        Decision::Keyless { .. } => write!(out, "{producer} does not hash {record}; it goes to {partition}."),
    }
}

fn message_sent(out: &mut fmt::Formatter<'_>, message: &MessageView) -> fmt::Result {
    write!(out, "{} sent a {} {} to {}", message.from, message.api, kind_of(message), message.to)?;
    match (&message.error, message.batches.as_slice()) {
        (Some(error), _) => write!(out, ": {}.", error.error),
        (None, []) => write!(out, "."),
        (None, batches) => {
            let records: usize = batches.iter().map(|batch| batch.records.len()).sum();
            write!(out, " with {}.", count(records, "record"))
        }
    }
}

fn appended(out: &mut fmt::Formatter<'_>, batch: &BatchView, base_offset: u64) -> fmt::Result {
    match &*batch.records {
        [record] => {
            write!(out, "{} offset {base_offset}: {record}", batch.partition)?;
            match &record.value {
                Some(value) if value.len() <= 40 => write!(out, ", {value}."),
                Some(_) => write!(out, "."),
                None => write!(out, ", a tombstone."),
            }
        }
        records => {
            let last = base_offset + records.len() as u64 - 1;
            write!(out, "{} offsets {base_offset} to {last}: {} records.", batch.partition, records.len())
        }
    }
}

fn finished(out: &mut fmt::Formatter<'_>, outcome: &Outcome) -> fmt::Result {
    match (&outcome.error, &outcome.record, outcome.status) {
        (Some(error), _, _) => write!(out, "Refused: {error}"),
        (None, Some(record), _) => {
            write!(out, "Written to {}-{}", record.topic, record.partition)?;
            match record.offset {
                Some(offset) => write!(out, " at offset {offset}."),
                None => write!(out, "."),
            }
        }
        (None, None, Status::Pending) => write!(out, "Not finished yet."),
        (None, None, _) => write!(out, "Done."),
    }
}

fn kind_of(message: &MessageView) -> &'static str {
    if message.is_response { "response" } else { "request" }
}

fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
