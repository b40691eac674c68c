//! Values of transactional ids, of producers' clients and of single records.
//!
//! Paths are taken apart in `probe.rs`; nothing is computed here that the snapshot does not hold.

use engine::snapshot::{ClientProcess, Fate, PartitionSnapshot, ProducerSnapshot, TransactionSnapshot};
use engine::transaction::{MarkerKind, WaitReason};

use super::{Reading, broker_or_none};

/// A value of a transactional id.
pub(super) fn of_transaction(transaction: &TransactionSnapshot, field: &str) -> Option<Reading> {
    Some(match field {
        "state" => text(transaction.state.name()),
        "pending_state" => text(transaction.pending_state.map_or("none", |state| state.name())),
        "partition" => Reading::Number(u64::from(transaction.partition)),
        "coordinator" => broker_or_none(transaction.coordinator),
        "producer_id" => Reading::Number(transaction.producer_id),
        "epoch" => or_none(transaction.epoch),
        "last_epoch" => or_none(transaction.last_epoch),
        "partitions" => listed(transaction.partitions.iter()),
        "log" => {
            let states = transaction.log.iter().map(|entry| entry.state.map_or("tombstone", |state| state.name()));
            listed(states)
        }
        "log_records" => Reading::Number(transaction.log.len() as u64),
        _ => return None,
    })
}

/// A value of a record of a partition's leader.
pub(super) fn of_record(partition: &PartitionSnapshot, offset: &str, field: &str) -> Option<Reading> {
    let record = partition.records.iter().find(|record| record.offset.to_string() == offset)?;
    let origin = record.origin.as_ref();
    Some(match field {
        "key" => text(record.record.key_text.as_deref().unwrap_or("none")),
        "value" => text(record.record.value.as_deref().unwrap_or("none")),
        "producer_id" => or_none(origin.map(|origin| origin.producer_id)),
        "epoch" => or_none(origin.map(|origin| origin.epoch)),
        "sequence" => or_none(origin.and_then(|origin| origin.sequence).and_then(|first| u64::try_from(first).ok())),
        "marker" => text(origin.and_then(|origin| origin.marker).map_or("none", marker)),
        "fate" => text(origin.and_then(|origin| origin.fate).map_or("none", |fate| match fate {
            Fate::Open => "open",
            Fate::Committed => "committed",
            Fate::Aborted => "aborted",
        })),
        _ => return None,
    })
}

/// A line of a partition's log: `40 trip-9001 4001/0`, or `41 ABORT 4001/1` for a marker. The last word is the
/// producer id with its epoch.
#[cfg(feature = "check")]
pub(crate) fn log_line(record: &engine::snapshot::LogRecord) -> String {
    let origin = record.origin.as_ref();
    let what = match origin.and_then(|origin| origin.marker) {
        Some(kind) => marker(kind),
        None => record.record.key_text.as_deref().or(record.record.value.as_deref()).unwrap_or("none"),
    };
    let by = |origin: &engine::snapshot::RecordOrigin| format!(" {}/{}", origin.producer_id, origin.epoch);
    format!("{} {what}{}", record.offset, origin.map(by).unwrap_or_default())
}

/// Aborted transactions of a partition: producer id, first and last offset of each.
pub(super) fn aborted(partition: &PartitionSnapshot) -> Reading {
    let entries = partition.aborted.iter();
    Reading::Numbers(entries.flat_map(|entry| [entry.producer_id, entry.first_offset, entry.last_offset]).collect())
}

/// A value of a producer's client: its transaction manager, its process, its memory.
pub(super) fn of_client(producer: &ProducerSnapshot, field: &str) -> Option<Reading> {
    let buffer = &producer.buffer;
    Some(match field {
        "client_state" => text(producer.client_state.map_or("none", |state| state.name())),
        "client_error" => text(producer.client_error.as_ref().map_or("none", |error| &error.exception)),
        "producer_id" => or_none(producer.producer_id),
        "epoch" => or_none(producer.producer_epoch),
        "partitions" => listed(producer.transaction_partitions.iter()),
        "process" => text(match producer.process {
            ClientProcess::Running => "running",
            ClientProcess::Frozen => "frozen",
            ClientProcess::Crashed => "crashed",
        }),
        "call" => text(producer.calls.first().map_or("none", |call| call.call.method())),
        "waits_for" => text(producer.calls.first().map_or("none", |call| match call.reason {
            WaitReason::Metadata => "metadata",
            WaitReason::Buffer => "buffer",
            WaitReason::Coordinator => "coordinator",
            WaitReason::Batches => "batches",
        })),
        // A call that waits has not handed its record over yet.
        "accepted" => Reading::Number(producer.sent_count.saturating_sub(producer.calls.len() as u64)),
        "buffers" => Reading::Number(buffer.batches.iter().map(|(_, count)| u64::from(*count)).sum()),
        "buffer_used" => Reading::Number(buffer.total_bytes.saturating_sub(buffer.available_bytes)),
        "buffer_available" => Reading::Number(buffer.available_bytes),
        "queued" => or_none(buffer.messages.map(|(_, queued)| queued)),
        _ => return None,
    })
}

/// Batches of a producer that hold memory for one partition.
pub(super) fn buffers_of(producer: &ProducerSnapshot, partition: &str) -> Reading {
    let of = producer.buffer.batches.iter().filter(|(of, _)| of.to_string() == partition);
    Reading::Number(of.map(|(_, count)| u64::from(*count)).sum())
}

/// A metric in thousandths of its unit; absent if the client has none of that name, or none yet.
pub(super) fn metric(producer: &ProducerSnapshot, name: &str) -> Option<Reading> {
    producer.metrics.get(name).and_then(|value| u64::try_from(*value).ok()).map(Reading::Number)
}

fn marker(kind: MarkerKind) -> &'static str {
    match kind {
        MarkerKind::Commit => "COMMIT",
        MarkerKind::Abort => "ABORT",
    }
}

pub(super) fn text(text: &str) -> Reading {
    Reading::Text(text.to_string())
}

fn or_none(number: Option<impl Into<u64>>) -> Reading {
    number.map_or_else(|| text("none"), |number| Reading::Number(number.into()))
}

/// Items in one line, `none` if there are none.
pub(super) fn listed(items: impl Iterator<Item = impl ToString>) -> Reading {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    if items.is_empty() { text("none") } else { Reading::Text(items.join(", ")) }
}
