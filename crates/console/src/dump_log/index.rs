//! Index files: entries, and whether they agree with the log.
//!
//! The file of the active segment is as long as it may become, so after its entries it holds zeros,
//! and the tool reads the first of them when there is nothing else.

use engine::log_view::BatchInSegment;

use super::Style;
use super::file::LogFile;
use crate::disk::Disk;
use crate::exception::Exception;
use crate::place::unix_millis;

/// What does not agree, told on standard error when all files are through.
#[derive(Debug, Default)]
pub(super) struct Notes {
    mismatches: Vec<(String, Vec<(u64, u64)>)>,
    times: Vec<(String, Vec<(i64, i64)>)>,
    disorder: Vec<(String, Vec<(i64, i64)>)>,
    missing: Vec<(u64, i64)>,
}

impl Notes {
    /// Everything that was noted, in the tool's order.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (file, entries) in &self.mismatches {
            text.push_str(&format!("Mismatches in :{file}\n"));
            for (index, log) in entries.iter().rev() {
                text.push_str(&format!("  Index offset: {index}, log offset: {log}\n"));
            }
        }
        for (file, entries) in &self.times {
            text.push_str(&format!("Found timestamp mismatch in :{file}\n"));
            for (index, log) in entries {
                text.push_str(&format!("  Index timestamp: {index}, log timestamp: {log}\n"));
            }
        }
        for (file, entries) in &self.disorder {
            text.push_str(&format!("Found out of order timestamp in :{file}\n"));
            for (index, before) in entries {
                text.push_str(&format!("  Index timestamp: {index}, Previously indexed timestamp: {before}\n"));
            }
        }
        if !self.missing.is_empty() {
            text.push_str("The following indexed offsets are not found in the log.\n");
            for (index, log) in &self.missing {
                text.push_str(&format!("Indexed offset: {index}, found log offset: {log}\n"));
            }
        }
        text
    }
}

fn note<E>(notes: &mut Vec<(String, Vec<E>)>, file: &str, entry: E) {
    match notes.last_mut().filter(|(last, _)| last == file) {
        Some((_, entries)) => entries.push(entry),
        None => notes.push((file.to_string(), vec![entry])),
    }
}

/// The `.index` file.
pub(super) fn offsets(
    disk: &impl Disk,
    file: &LogFile<'_>,
    style: Style,
    out: &mut String,
    notes: &mut Notes,
) -> Result<(), Exception> {
    let Some((segment, batches)) = file.segment(disk) else { return Ok(()) };
    let mut entries: Vec<(u64, u64)> = segment
        .offset_index
        .iter()
        .map(|(offset, position)| (segment.base_offset + u64::from(*offset), u64::from(*position)))
        .collect();
    if entries.is_empty() && !segment.is_active {
        out.push_str(&format!("{} is empty.\n", file.path));
        return Ok(());
    }
    if style.sanity_only {
        out.push_str(&format!("{} passed sanity check.\n", file.path));
        return Ok(());
    }
    if entries.is_empty() {
        entries.push((segment.base_offset, 0));
    }
    for (offset, position) in entries {
        let Some(batch) = batches.iter().find(|batch| batch.position >= position) else {
            // Nothing is written yet behind the zeros.
            return Err(Exception { message: None, ..Exception::new("java.util.NoSuchElementException", "") });
        };
        if batch.last_offset != offset {
            note(&mut notes.mismatches, file.path, (offset, batch.last_offset));
        }
        if !style.verify_only {
            out.push_str(&format!("offset: {offset} position: {position}\n"));
        }
    }
    Ok(())
}

/// The `.timeindex` file.
pub(super) fn times(disk: &impl Disk, file: &LogFile<'_>, style: Style, out: &mut String, notes: &mut Notes) {
    let Some((segment, batches)) = file.segment(disk) else { return };
    if style.sanity_only {
        out.push_str(&format!("{} passed sanity check.\n", file.path));
        return;
    }
    let mut entries: Vec<(i64, u64)> = segment
        .time_index
        .iter()
        .map(|(time, offset)| (unix_millis(*time), segment.base_offset + u64::from(*offset)))
        .collect();
    if entries.is_empty() && segment.is_active {
        entries.push((0, segment.base_offset));
    }
    let mut before = -1;
    for (time, offset) in entries {
        match batches.iter().find(|batch| batch.last_offset >= offset) {
            None => notes.missing.push((offset, -1)),
            Some(batch) if batch.last_offset != offset => notes.missing.push((offset, batch.last_offset as i64)),
            Some(batch) => {
                let newest = unix_millis(newest(batch));
                if newest != time {
                    note(&mut notes.times, file.path, (time, newest));
                }
                if before >= time {
                    note(&mut notes.disorder, file.path, (time, before));
                }
            }
        }
        if !style.verify_only {
            out.push_str(&format!("timestamp: {time} offset: {offset}\n"));
        }
        before = time;
    }
}

/// The largest timestamp of the records that are left in a batch.
fn newest(batch: &BatchInSegment) -> i64 {
    let stamps = batch.records.iter().map(|(_, record)| record.create_time);
    stamps.max().filter(|_| !batch.is_log_append_time).unwrap_or(batch.max_timestamp)
}
