//! The files of a log's directory: their names and sizes, and those that wait for deletion.
//!
//! What is in them is told by the log; nothing is written anywhere.

use super::producers::ProducerStates;
use super::segment::Segment;
use super::settings::{LogSettings, OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES};
use crate::time::Time;

/// Bytes of a snapshot file without producers: version, checksum, count.
const SNAPSHOT_OVERHEAD: u64 = 10;
/// Bytes of a producer in a snapshot file.
const SNAPSHOT_ENTRY_BYTES: u64 = 46;
/// Bytes of an aborted transaction in a `.txnindex` file.
const TXN_ENTRY_BYTES: u64 = 34;
/// `version: 0`, a line end, `topic_id: ` and 22 characters.
const PARTITION_METADATA_BYTES: u64 = 43;

/// Files that were renamed to `.deleted` and go after `file.delete.delay.ms`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// Name without the suffix, size in bytes, and when it goes.
    deleted: Vec<(String, u64, Time)>,
}

impl Files {
    /// The files of a segment that are there, with their sizes. Indexes of the active segment are made in
    /// full size and cut when it is closed.
    pub fn of_segment(segment: &Segment, settings: Option<&LogSettings>) -> Vec<(String, u64)> {
        let base = segment.base_offset;
        let whole = |entry: u64| settings.map(|settings| settings.index_bytes / entry * entry);
        let offset_index = OFFSET_ENTRY_BYTES * segment.offset_index.len() as u64;
        let time_index = TIME_ENTRY_BYTES * segment.time_index.len() as u64;
        let mut files = vec![
            (format!("{base:020}.log"), segment.size_bytes),
            (format!("{base:020}.timeindex"), whole(TIME_ENTRY_BYTES).unwrap_or(time_index)),
        ];
        if !segment.aborted.is_empty() {
            files.push((format!("{base:020}.txnindex"), TXN_ENTRY_BYTES * segment.aborted.len() as u64));
        }
        if segment.has_index_file {
            files.push((format!("{base:020}.index"), whole(OFFSET_ENTRY_BYTES).unwrap_or(offset_index)));
        }
        files
    }

    /// Name of the producer snapshot at an offset.
    pub fn snapshot(offset: u64) -> String {
        format!("{offset:020}.snapshot")
    }

    /// Size of a producer snapshot.
    pub fn snapshot_bytes(states: &ProducerStates) -> u64 {
        SNAPSHOT_OVERHEAD + SNAPSHOT_ENTRY_BYTES * states.len() as u64
    }

    /// Files that every log has besides its segments.
    pub fn fixed(epochs: &[(u32, u64)]) -> [(String, u64); 2] {
        let lines = epochs.iter().map(|(epoch, start)| format!("{epoch} {start}\n"));
        let text = format!("0\n{}\n{}", epochs.len(), lines.collect::<String>());
        [
            ("leader-epoch-checkpoint".to_string(), text.len() as u64),
            ("partition.metadata".to_string(), PARTITION_METADATA_BYTES),
        ]
    }

    /// A file is renamed, and goes later. It takes the place of an earlier one of the same name.
    pub fn delete(&mut self, name: String, size_bytes: u64, gone: Time) {
        self.deleted.retain(|(other, _, _)| *other != name);
        self.deleted.push((name, size_bytes, gone));
    }

    /// All files of a segment are renamed.
    pub fn delete_segment(&mut self, segment: &Segment, gone: Time) {
        for (name, size_bytes) in Files::of_segment(segment, None) {
            self.delete(name, size_bytes, gone);
        }
    }

    /// Drops the files whose time has come.
    pub fn forget(&mut self, now: Time) {
        self.deleted.retain(|(_, _, gone)| *gone > now);
    }

    /// Names and sizes of the files that still wait.
    pub fn waiting(&self, now: Time) -> impl Iterator<Item = (String, u64)> {
        let waiting = self.deleted.iter().filter(move |(_, _, gone)| *gone > now);
        waiting.map(|(name, size_bytes, _)| (format!("{name}.deleted"), *size_bytes))
    }

    /// Bytes that a clone copies.
    pub fn own_bytes(&self) -> u64 {
        self.deleted.iter().map(|(name, _, _)| (name.len() + size_of::<(String, u64, Time)>()) as u64).sum()
    }
}
