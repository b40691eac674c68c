//! kafka-get-offsets.sh: times and offsets on a disk made by hand.
//!
//! Which partitions are asked is tested beside the filter.

use std::rc::Rc;

use engine::event::{Record, RecordId};
use engine::log_view::{BatchInSegment, LogView, SegmentView};
use engine::snapshot::PartitionSnapshot;

use super::{Spec, offset, spec};
use crate::disk::Disk;

/// One segment with one record a batch, with these timestamps from offset 0 on.
struct Stamped(Vec<i64>);

impl Disk for Stamped {
    fn directory(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView> {
        let segment = SegmentView {
            base_offset: 0,
            size_bytes: 0,
            first_batch_base_offset: None,
            last_offset: None,
            batch_count: 0,
            record_count: 0,
            largest_timestamp: None,
            is_active: true,
            offset_index: Vec::new(),
            time_index: Vec::new(),
            aborted: Vec::new(),
        };
        Some(LogView {
            topic: topic.into(),
            partition,
            broker,
            log_start_offset: 0,
            local_log_start_offset: 0,
            log_end_offset: self.0.len() as u64,
            high_watermark: 0,
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

    fn batches(&self, _broker: u32, _topic: &str, _partition: u32, _segment: u64) -> Vec<BatchInSegment> {
        let batch = |(offset, stamp): (u64, &i64)| BatchInSegment {
            base_offset: offset,
            last_offset: offset,
            count: 1,
            position: 0,
            size_bytes: 0,
            codec: engine::event::Codec::None,
            leader_epoch: 0,
            producer: None,
            last_sequence: -1,
            base_timestamp: *stamp,
            is_log_append_time: false,
            is_transactional: false,
            control: None,
            max_timestamp: *stamp,
            delete_horizon: None,
            records: vec![(offset, record(*stamp))],
        };
        (0..).zip(&self.0).map(batch).collect()
    }
}

fn record(create_time: i64) -> Rc<Record> {
    Rc::new(Record {
        id: RecordId { producer: 0, number: 0 },
        producer: "p".into(),
        key: None,
        key_text: None,
        value: None,
        value_size: 0,
        timestamp: engine::Time::ZERO,
        create_time,
        headers: None,
        command: None,
        internal: None,
    })
}

fn check(text: &str, expected: Option<u64>) {
    let disk = Stamped(vec![0, 500, 400, 900]);
    let partition = PartitionSnapshot { leader: Some(1), high_watermark: 3, ..PartitionSnapshot::default() };
    let spec = spec(text).expect("a good time");
    assert_eq!(offset(&disk, "t", &partition, spec), Ok(expected), "{text}");
}

#[test]
fn a_time_leads_to_an_offset_below_the_high_watermark() {
    check("latest", Some(3));
    check("-2", Some(0));
    check("max-timestamp", Some(1));
    check("1767225600001", Some(1));
    check("1767225600500", Some(1));
    check("1767225600501", None);
    check("latest-tiered", None);
}

#[test]
fn a_time_that_is_none_is_refused_and_a_lost_leader_is_told() {
    assert!(spec("soon").is_err());
    let leaderless = PartitionSnapshot::default();
    let error = offset(&Stamped(Vec::new()), "t", &leaderless, Spec::Latest).unwrap_err();
    assert!(error.line().starts_with("org.apache.kafka.common.errors.LeaderNotAvailableException: "));
}
