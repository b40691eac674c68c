//! What logs cost in memory.
//!
//! Computed from sizes, so that it is the same on every machine of 64 bits.

use super::*;
use crate::scenario::Preload;
use crate::size::Bytes;
use crate::storage::batch::Batch;
use crate::storage::preload;
use crate::storage::segment::Stored;

const REPLICAS: u64 = 3;
const RECORDS: u64 = 100_000;
/// Strong and weak count of an `Rc`.
const COUNTS: usize = 16;

#[test]
fn a_clone_of_a_long_log_copies_little() {
    let mut log = log(&[]);
    for _ in 0..RECORDS / 10 {
        log.append_as_leader(&batch(vec![record(Some("k"), Some(100), 0); 10]), None, 0, at(HOUR)).unwrap();
    }
    let own = log.own_bytes();
    assert!(own < 4_096, "a clone copies {own} bytes");
    let copy = log.clone();
    append(&mut log, record(Some("k"), Some(1), 0), HOUR);
    assert_eq!((copy.log_end_offset, log.log_end_offset), (RECORDS, RECORDS + 1));
}

#[test]
fn three_replicas_of_small_batches_cost_less_than_200_bytes_a_record() {
    let mut log = log(&[]);
    let records = vec![record(Some("k"), Some(100), 0); 10];
    for _ in 0..RECORDS / 10 {
        log.append_as_leader(&batch(records.clone()), None, 0, at(HOUR)).unwrap();
    }
    let view = log.view(&"t".into(), 0, 1, HOUR);
    let entries = view.segments.iter().map(|segment| segment.offset_index.len() * 8 + segment.time_index.len() * 16);
    let replica = RECORDS as usize / 10 * size_of::<Stored>() + entries.sum::<usize>();
    let batches = RECORDS as usize / 10 * (size_of::<Batch>() + COUNTS);
    // Key and value are shared with the workload; what a record of its own takes is counted.
    let own = RECORDS as usize * (size_of::<Record>() + COUNTS + size_of::<Rc<Record>>());
    let bytes = (own + batches) as u64 + replica as u64 * REPLICAS;
    assert!(bytes < 200 * RECORDS, "{} bytes a record", bytes / RECORDS);
}

#[test]
fn half_a_terabyte_fits_without_content() {
    let spec = Preload {
        records: Some(125_000),
        batch_records: Some(1_000),
        batch_size: Some(Bytes(4_000_000_000)),
        ..Preload::default()
    };
    let mut log = log(&[]);
    log.preload(&preload::batches(&spec, &mut 0), &[], Time::ZERO);
    assert_eq!((log.size_bytes, log.segment_count(), log.record_count()), (500_000_000_000, 125, 125_000));
    assert_eq!(log.read(124_500, 1_048_576, 125_000).len(), 1);
}
