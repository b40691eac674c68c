//! The brokers' disks as the tools read them: a replica's directory and the batches in its segments.
//!
//! The tools ask through this trait, so that each of them can be tested with a directory made by hand.

use std::rc::Rc;

use engine::limits::SNAPSHOT_RECORDS_MAX;
use engine::log_view::{BatchInSegment, LogView, SegmentView};
use engine::{Observer, Timeline};

/// Something that has log directories.
pub(crate) trait Disk {
    /// The directory of one replica; none if the broker has no such replica.
    fn directory(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView>;

    /// The batches of a segment, in their order.
    fn batches(&self, broker: u32, topic: &str, partition: u32, segment: u64) -> Vec<BatchInSegment>;
}

/// Simplified: until logs can be opened, a log is one segment with the records of the snapshot, each a
/// batch by itself, and it has no files.
impl<O: Observer> Disk for Timeline<O> {
    fn directory(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView> {
        let snapshot = self.snapshot(0);
        let found = snapshot.topics.iter().find(|found| *found.name == *topic)?.partitions.get(partition as usize)?;
        let segment = SegmentView {
            base_offset: found.log_start_offset,
            size_bytes: found.size_bytes,
            first_batch_base_offset: None,
            last_offset: found.log_end_offset.checked_sub(1).filter(|last| *last >= found.log_start_offset),
            batch_count: found.record_count,
            record_count: found.record_count,
            largest_timestamp: None,
            is_active: true,
            offset_index: Vec::new(),
            time_index: Vec::new(),
        };
        Some(LogView {
            topic: topic.into(),
            partition,
            broker,
            log_start_offset: found.log_start_offset,
            local_log_start_offset: found.log_start_offset,
            high_watermark: found.high_watermark,
            log_end_offset: found.log_end_offset,
            clean_until: 0,
            dirty_bytes: (0, 0),
            segments: vec![segment],
            remote_segments: Vec::new(),
            epochs: Vec::new(),
            producers: Vec::new(),
            snapshots: Vec::new(),
            files: Vec::new(),
        })
    }

    fn batches(&self, _broker: u32, topic: &str, partition: u32, _segment: u64) -> Vec<BatchInSegment> {
        let snapshot = self.snapshot(SNAPSHOT_RECORDS_MAX);
        let topic = snapshot.topics.iter().find(|found| *found.name == *topic);
        let records = topic.and_then(|topic| topic.partitions.get(partition as usize)).map(|found| &found.records);
        let batches = records.into_iter().flatten().map(|found| BatchInSegment {
            base_offset: found.offset,
            last_offset: found.offset,
            count: 1,
            position: 0,
            size_bytes: 0,
            leader_epoch: found.leader_epoch,
            producer: None,
            last_sequence: -1,
            base_timestamp: found.record.create_time,
            is_log_append_time: false,
            is_transactional: false,
            is_control: false,
            max_timestamp: found.record.create_time,
            delete_horizon: None,
            records: vec![(found.offset, Rc::clone(&found.record))],
        });
        batches.collect()
    }
}
