//! Data files batch by batch and record by record, and snapshots of producer state.
//!
//! Simplified: markers of transactions are not in these logs yet, and no batch is compressed.

use std::collections::BTreeMap;

use engine::event::Record;
use engine::log_view::BatchInSegment;

use super::file::LogFile;
use super::{Style, crc};
use crate::disk::Disk;
use crate::place::unix_millis;

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
        "baseOffset: {} lastOffset: {} count: {} baseSequence: {first} lastSequence: {} producerId: {producer} producerEpoch: {epoch} partitionLeaderEpoch: {} isTransactional: {} isControl: {} deleteHorizonMs: {horizon} position: {} {}: {} size: {} magic: 2 compresscodec: none crc: {} isvalid: true\n",
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
        crc::of_batch(batch),
    )
}

fn record_line(batch: &BatchInSegment, number: usize, record: &Record, style: Style) -> String {
    let (offset, _) = batch.records[number];
    let mut line = String::new();
    if !style.skips_metadata {
        let time = if batch.is_log_append_time { batch.max_timestamp } else { record.create_time };
        let key_size = record.key.as_ref().map_or(-1, |key| key.len() as i64);
        let value_size = record.value.as_ref().map_or(-1, |_| i64::from(record.value_size));
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
    }
    if style.prints_data {
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

/// Sequences go on at 0 behind the largest number of 31 bits.
fn later_sequence(first: i32, delta: i32) -> i32 {
    ((i64::from(first) + i64::from(delta)) % (1_i64 << 31)) as i32
}

/// A `.snapshot` file: what was known of each producer at its offset.
pub(super) fn producers(file: &LogFile<'_>, out: &mut String) {
    let found = file.view.snapshots.iter().find(|(offset, _)| *offset == file.offset);
    for state in found.map(|(_, producers)| producers.as_slice()).unwrap_or_default() {
        let time = unix_millis(state.last_timestamp);
        out.push_str(&format!(
            "producerId: {} producerEpoch: {} coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong.empty lastTimestamp: {time}",
            state.producer_id, state.producer_epoch
        ));
        if state.last_sequence >= 0 {
            out.push_str(&format!(
                " firstSequence: {} lastSequence: {} lastOffset: {} offsetDelta: {} timestamp: {time}",
                state.first_sequence, state.last_sequence, state.last_offset, state.offset_delta
            ));
        }
        out.push('\n');
    }
}
