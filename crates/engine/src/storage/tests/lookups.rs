//! The way to an offset or a timestamp, on the log of the lesson about segments.
//!
//! The log is a preload without content: batches of 10 records and 1,040 bytes.

use super::*;
use crate::scenario::Preload;
use crate::size::Bytes;
use crate::storage::preload;
use crate::time::Duration;

fn orders() -> Log {
    let mut log = log(&[]);
    let spec = Preload {
        records: Some(60_000),
        batch_records: Some(10),
        batch_size: Some(Bytes(1_040)),
        every: Some(Duration::from_secs(1)),
        segments: vec![20_480, 41_210],
        ..Preload::default()
    };
    log.preload(&preload::batches(&spec, &mut 0), &spec.segments, Time::ZERO);
    log
}

#[test]
fn an_offset_is_found_from_the_index_entry_at_or_below_it() {
    let log = orders();
    let view = log.view(&"orders".into(), 7, 1, Time::ZERO);
    assert_eq!(view.segments.iter().map(|segment| segment.base_offset).collect::<Vec<_>>(), [0, 20_480, 41_210]);
    assert_eq!(view.segments[2].offset_index[..3], [(49, 4_160), (89, 8_320), (129, 12_480)]);
    let found = log.lookup(52_000).unwrap();
    assert_eq!((found.segment, found.entry, found.batches_scanned), (41_210, (10_769, 1_119_040), 3));
    assert_eq!((found.position, found.batch_base_offset), (1_122_160, 52_000));
    let first = log.lookup(41_215).unwrap();
    assert_eq!((first.segment, first.entry, first.batches_scanned, first.position), (41_210, (0, 0), 0, 0));
    assert_eq!((log.lookup(60_000), log.lookup(59_999).map(|found| found.segment)), (None, Some(41_210)));
}

#[test]
fn a_timestamp_is_found_through_both_indexes() {
    let log = orders();
    // Batch n of 6,000 has the timestamp n - 5,999 in seconds; batch 5,200 begins at offset 52,000.
    let path = log.timestamp_path(-799_000).unwrap();
    assert_eq!((path.segment, path.found), (41_210, (-799_000, 52_000)));
    assert_eq!((path.time_entry, path.entry), (Some((-802_000, 10_769)), (10_769, 1_119_040)));
    assert_eq!((path.batches_scanned, path.position), (3, 1_122_160));
    let cases = [(-799_500, Some((-799_000, 52_000))), (-6_000_000, Some((-5_999_000, 0))), (1, None)];
    for (timestamp, found) in cases {
        assert_eq!(log.lookup_timestamp(timestamp), found, "{timestamp}");
    }
}

#[test]
fn records_are_found_inside_their_batch() {
    let mut log = log(&[]);
    let times = [100, 300, 200, 400];
    let records = times.iter().map(|time| record(Some("k"), Some(1), *time)).collect();
    log.append_as_leader(&batch(records), None, 0, at(HOUR)).unwrap();
    for (timestamp, found) in [(0, Some((100, 0))), (150, Some((300, 1))), (301, Some((400, 3))), (401, None)] {
        assert_eq!(log.lookup_timestamp(timestamp), found, "{timestamp}");
    }
}

#[test]
fn preloads_with_content_hold_one_record_a_batch() {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    let spec = Preload {
        keys: texts(&["a", "b", "", "a"]),
        values: texts(&["1", "2"]),
        every: Some(Duration::from_secs(5)),
        ..Preload::default()
    };
    let mut log = log(&[]);
    log.preload(&preload::batches(&spec, &mut 4), &[3, 4], Time::ZERO);
    let told = log.last_records(9);
    let told: Vec<_> = told
        .iter()
        .map(|at| (at.offset, at.record.key_text.as_deref(), at.record.value.as_deref(), at.record.create_time))
        .collect();
    let expected = [
        (0, Some("a"), Some("1"), -15_000),
        (1, Some("b"), Some("2"), -10_000),
        (2, Some(""), Some("1"), -5_000),
        (3, Some("a"), Some("2"), 0),
    ];
    assert_eq!(told, expected);
    assert_eq!(shape(&log), [(0, 209, 2, 3), (3, 70, 3, 1), (4, 0, -1, 0)]);
}

#[test]
fn preloads_without_values_are_tombstones() {
    let spec = Preload { keys: vec!["a".to_string()], ..Preload::default() };
    let batches = preload::batches(&spec, &mut 0);
    let told: Vec<_> = batches.iter().map(|batch| (batch.size_bytes, batch.records[0].value.is_none())).collect();
    assert_eq!(told, [(69, true)]);
}
