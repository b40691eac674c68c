//! Data files batch by batch and record by record, markers of transactions included.
//!
//! Simplified: no batch is compressed. Files that tell of producers are in `producers.rs`.

use std::collections::BTreeMap;

use engine::event::Record;
use engine::log_view::BatchInSegment;
use engine::transaction::MarkerKind;

use super::file::LogFile;
use super::{Style, crc};
use crate::disk::Disk;
use crate::place::unix_millis;

/// Bytes of a marker's key and value.
const MARKER_KEY_BYTES: i64 = 4;
const MARKER_VALUE_BYTES: i64 = 6;

/// A `.log` file. Offsets that do not follow each other go to `gaps`.
pub(super) fn dump(disk: &impl Disk, file: &LogFile<'_>, style: Style, out: &mut String, gaps: &mut String) {
    out.push_str(&format!("Log starting offset: {}\n", file.offset));
    let batches = file.segment(disk).map(|(_, batches)| batches).unwrap_or_default();
    let mut previous: i64 = -1;
    let mut jumps: BTreeMap<i64, u64> = BTreeMap::new();
    for batch in &batches {
        let end = batch.position + u64::from(batch.size_bytes);
        if style.bytes_max.is_some_and(|max| end > max) {
            break;
        }
        out.push_str(&batch_line(batch));
        for (number, (offset, record)) in batch.records.iter().enumerate().filter(|_| style.is_deep) {
            if *offset as i64 != previous + 1 {
                jumps.insert(previous, *offset);
            }
            previous = *offset as i64;
            out.push_str(&record_line(batch, number, record, style));
        }
    }
    if !jumps.is_empty() {
        gaps.push_str(&format!("Non-consecutive offsets in {}\n", file.path));
        for (before, after) in jumps {
            gaps.push_str(&format!("  {before} is followed by {after}\n"));
        }
    }
}

/// What kind of time the batch's timestamps are.
fn stamp(batch: &BatchInSegment) -> &'static str {
    if batch.is_log_append_time { "LogAppendTime" } else { "CreateTime" }
}

fn batch_line(batch: &BatchInSegment) -> String {
    let (producer, epoch, first) = match batch.producer {
        Some((id, epoch, first)) => (id as i64, i32::from(epoch), first),
        None => (-1, -1, -1),
    };
    let horizon = match batch.delete_horizon {
        Some(time) => format!("OptionalLong[{}]", unix_millis(time)),
        None => "OptionalLong.empty".to_string(),
    };
    format!(
        "baseOffset: {} lastOffset: {} count: {} baseSequence: {first} lastSequence: {} producerId: {producer} producerEpoch: {epoch} partitionLeaderEpoch: {} isTransactional: {} isControl: {} deleteHorizonMs: {horizon} position: {} {}: {} size: {} magic: 2 compresscodec: {} crc: {} isvalid: true\n",
        batch.base_offset,
        batch.last_offset,
        batch.count,
        batch.last_sequence,
        batch.leader_epoch,
        batch.is_transactional,
        batch.control.is_some(),
        batch.position,
        stamp(batch),
        unix_millis(batch.max_timestamp),
        batch.size_bytes,
        batch.codec.name(),
        crc::of_batch(batch),
    )
}

pub(super) fn record_line(batch: &BatchInSegment, number: usize, record: &Record, style: Style) -> String {
    let (offset, _) = batch.records[number];
    let mut line = String::new();
    if !style.skips_metadata {
        let time = if batch.is_log_append_time { batch.max_timestamp } else { record.create_time };
        let (key_size, value_size) = match batch.control {
            Some(_) => (MARKER_KEY_BYTES, MARKER_VALUE_BYTES),
            None => (
                record.key.as_ref().map_or(-1, |key| key.len() as i64),
                record.value.as_ref().map_or(-1, |_| i64::from(record.value_size)),
            ),
        };
        let delta = (offset - batch.base_offset) as i32;
        let sequence = batch.producer.map_or(-1, |(_, _, first)| later_sequence(first, delta));
        let headers: Vec<&str> =
            record.headers.iter().flat_map(|headers| headers.iter().map(|(name, _)| &**name)).collect();
        line.push_str(&format!(
            "| offset: {offset} {}: {} keySize: {key_size} valueSize: {value_size} sequence: {sequence} headerKeys: [{}]",
            stamp(batch),
            unix_millis(time),
            headers.join(",")
        ));
        if let Some((marker, coordinator_epoch)) = batch.control {
            let kind = if marker == MarkerKind::Commit { "COMMIT" } else { "ABORT" };
            line.push_str(&format!(" endTxnMarker: {kind} coordinatorEpoch: {coordinator_epoch}"));
        }
    }
    if style.prints_data && batch.control.is_none() {
        let mut prefix = if style.skips_metadata { "| " } else { " " };
        if record.key.is_some() {
            line.push_str(&format!("{prefix}key: {}", record.key_text.as_deref().unwrap_or_default()));
            prefix = " ";
        }
        if let Some(value) = &record.value {
            line.push_str(&format!("{prefix}payload: {value}"));
        }
    }
    line.push('\n');
    line
}

/// Sequences go on at 0 behind the largest number of 31 bits; markers have none.
fn later_sequence(first: i32, delta: i32) -> i32 {
    if first < 0 {
        return -1;
    }
    ((i64::from(first) + i64::from(delta)) % (1_i64 << 31)) as i32
}
