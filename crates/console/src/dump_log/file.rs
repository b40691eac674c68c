//! A file of a log directory, found by its path.
//!
//! What is in it is not read here.

use engine::event::TopicPartition;
use engine::log_view::{BatchInSegment, LogView, SegmentView};

use crate::disk::Disk;
use crate::exception::Exception;
use crate::place::in_log_dir;

/// What a file holds, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Log,
    Index,
    TimeIndex,
    Snapshot,
    TransactionIndex,
}

/// A file that exists.
#[derive(Debug)]
pub(super) struct LogFile<'a> {
    /// The path as it was given.
    pub(super) path: &'a str,
    /// The offset in its name.
    pub(super) offset: u64,
    pub(super) view: LogView,
}

impl Kind {
    /// The kind of a path; none if it is nothing that the tool reads.
    pub(super) fn of(path: &str) -> Option<Kind> {
        let (_, suffix) = path.rsplit('/').next()?.rsplit_once('.')?;
        match suffix {
            "log" => Some(Kind::Log),
            "index" => Some(Kind::Index),
            "timeindex" => Some(Kind::TimeIndex),
            "snapshot" => Some(Kind::Snapshot),
            "txnindex" => Some(Kind::TransactionIndex),
            _ => None,
        }
    }
}

impl<'a> LogFile<'a> {
    /// Opens `<log dir>/<topic>-<partition>/<offset>.<suffix>`; without a known log directory in front it
    /// is looked for at home: on the partition's leader, or else its first replica.
    pub(super) fn open(
        disk: &impl Disk,
        path: &'a str,
        home: &impl Fn(&str, u32) -> Option<u32>,
    ) -> Result<LogFile<'a>, Exception> {
        let missing = || Exception::new("java.nio.file.NoSuchFileException", path);
        let (named, rest) = match in_log_dir(path) {
            Some((broker, rest)) => (Some(broker), rest),
            None => (None, path),
        };
        let mut parts = rest.rsplit('/');
        let (name, folder) = (parts.next().unwrap_or_default(), parts.next().ok_or_else(missing)?);
        let (topic, partition) = TopicPartition::split(folder).ok_or_else(missing)?;
        let offset = name.split('.').next().and_then(|digits| digits.parse().ok()).ok_or_else(missing)?;
        let broker = named.or_else(|| home(topic, partition)).ok_or_else(missing)?;
        let view = disk.directory(broker, topic, partition).ok_or_else(missing)?;
        if !view.files.iter().any(|(file, _)| file == name) {
            return Err(missing());
        }
        Ok(LogFile { path, offset, view })
    }

    /// The segment that the file belongs to, and its batches.
    pub(super) fn segment(&self, disk: &impl Disk) -> Option<(&SegmentView, Vec<BatchInSegment>)> {
        let segment = self.view.segments.iter().find(|segment| segment.base_offset == self.offset)?;
        let batches = disk.batches(self.view.broker, &self.view.topic, self.view.partition, self.offset);
        Some((segment, batches))
    }
}
