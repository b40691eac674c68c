//! A partition's folder made by hand.
//!
//! Sizes and positions are round numbers, not those of real batches.

use engine::log_view::{BatchInSegment, LogView, Lookup, SegmentView};

/// A folder of closed segments and an active one, ten offsets each.
pub fn folder(segments: u64) -> LogView {
    let segment = |number: u64| SegmentView {
        base_offset: number * 10,
        size_bytes: 1_000,
        first_batch_base_offset: Some(number * 10),
        last_offset: Some(number * 10 + 9),
        batch_count: 5,
        record_count: 10,
        largest_timestamp: Some(0),
        is_active: number + 1 == segments,
        offset_index: vec![(4, 400), (8, 800)],
        time_index: vec![(1, 4)],
        aborted: Vec::new(),
    };
    LogView {
        topic: "events".into(),
        partition: 0,
        broker: 2,
        log_start_offset: 0,
        local_log_start_offset: 0,
        log_end_offset: segments * 10,
        high_watermark: segments * 10,
        clean_until: 0,
        dirty_bytes: (0, 0),
        segments: (0..segments).map(segment).collect(),
        remote_segments: Vec::new(),
        epochs: vec![(0, 0), (1, 12)],
        producers: Vec::new(),
        snapshots: Vec::new(),
        files: Vec::new(),
    }
}

/// The batches of the second segment.
pub fn batches() -> Vec<BatchInSegment> {
    let batch = |number: u64| BatchInSegment {
        base_offset: 10 + number * 2,
        last_offset: 11 + number * 2,
        count: 2,
        position: number * 200,
        size_bytes: 200,
        codec: engine::event::Codec::None,
        leader_epoch: 0,
        producer: None,
        last_sequence: -1,
        base_timestamp: 0,
        max_timestamp: 0,
        is_log_append_time: false,
        is_transactional: false,
        control: None,
        delete_horizon: None,
        records: Vec::new(),
    };
    (0..5).map(batch).collect()
}

/// The way to an offset in the second segment.
pub fn lookup() -> Lookup {
    Lookup { offset: 17, segment: 10, entry: (4, 400), batches_scanned: 1, position: 600, batch_base_offset: 16 }
}
