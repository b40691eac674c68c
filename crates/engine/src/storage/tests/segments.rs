//! Rolls, index entries and files, to the byte.
//!
//! The numbers are those of the recordings that each case names. What reads the indexes is in `lookups.rs`.

use super::*;
use crate::event::RollReason;
use crate::time::Duration;

type Shape<'a> = &'a [(u64, u64, i64, u64)];

/// Appends records of these keys, value sizes and timestamps, one a batch.
fn check(configs: &[(&str, &str)], records: &[(&str, u32, i64)], segments: Shape) -> Log {
    let mut log = log(configs);
    for (key, value_bytes, timestamp) in records {
        append(&mut log, record(Some(key), Some(*value_bytes), *timestamp), HOUR);
    }
    assert_eq!(shape(&log), segments, "{configs:?} {records:?}");
    log
}

fn check_by_bytes(count: usize, value_bytes: u32, segments: Shape) {
    let keys: Vec<String> = (0..count).map(|number| format!("k{number}")).collect();
    let records: Vec<_> = keys.iter().map(|key| (key.as_str(), value_bytes, 3_600_000)).collect();
    check(&[("segment.bytes", "1048576")], &records, segments);
}

#[test]
fn a_batch_that_would_overflow_opens_the_next_segment() {
    // storage/roll-by-bytes-*
    let millions = [(0, 1_000_074, 0, 1), (1, 1_000_074, 1, 1), (2, 1_000_074, 2, 1), (3, 1_000_074, 3, 1)];
    check_by_bytes(4, 1_000_000, &millions);
    check_by_bytes(6, 524_000, &[(0, 1_048_148, 1, 2), (2, 1_048_148, 3, 2), (4, 1_048_148, 5, 2)]);
    check_by_bytes(9, 300_000, &[(0, 900_222, 2, 3), (3, 900_222, 5, 3), (6, 900_222, 8, 3)]);
    check_by_bytes(25, 100_000, &[(0, 1_000_740, 9, 10), (10, 1_000_750, 19, 10), (20, 500_375, 24, 5)]);
    check_by_bytes(45, 50_000, &[(0, 1_001_490, 19, 20), (20, 1_001_500, 39, 20), (40, 250_375, 44, 5)]);
}

fn check_by_time(timestamps: &[(i64, u32)], segments: Shape, time_indexes: &[&[(i64, u32)]]) {
    let records: Vec<_> = timestamps.iter().map(|(timestamp, value_bytes)| ("k", *value_bytes, *timestamp)).collect();
    let log = check(&[("segment.ms", "1000")], &records, segments);
    let view = log.view(&"t".into(), 0, 1, HOUR);
    let found: Vec<_> = view.segments.iter().map(|segment| segment.time_index.clone()).collect();
    assert_eq!(found, time_indexes, "time indexes of {timestamps:?}");
}

#[test]
fn record_timestamps_and_not_the_clock_roll_by_time() {
    // storage/roll-by-segment-ms-*: values are `v` and the timestamp. Closing adds a time index entry.
    check_by_time(
        &[(0, 2), (0, 2), (0, 2), (1001, 5), (1001, 5), (2003, 5)],
        &[(0, 213, 2, 3), (3, 148, 4, 2), (5, 74, 5, 1)],
        &[&[(0, 0)], &[(1001, 0)], &[]],
    );
    check_by_time(
        &[(0, 2), (500, 4), (999, 4), (1000, 5), (1001, 5), (1500, 5), (2001, 5), (2002, 5)],
        &[(0, 291, 3, 4), (4, 222, 6, 3), (7, 74, 7, 1)],
        &[&[(1000, 3)], &[(2001, 2)], &[]],
    );
    check_by_time(
        &[(5000, 5), (0, 2), (1000, 5), (6000, 5), (6001, 5), (6002, 5)],
        &[(0, 293, 3, 4), (4, 148, 5, 2)],
        &[&[(6000, 3)], &[]],
    );
}

#[test]
fn an_idle_segment_is_closed_by_the_next_record_alone() {
    let mut log = log(&[("segment.ms", "604800000")]);
    append(&mut log, record(Some("k"), Some(1), 0), Time::ZERO);
    let eight_days = Time::from_millis(8 * 86_400_000);
    assert_eq!(log.segment_count(), 1);
    let roll = append(&mut log, record(Some("k"), Some(1), 691_200_000), eight_days).roll;
    assert_eq!(roll.map(|roll| (roll.base_offset, roll.reason)), Some((1, RollReason::Time)));
}

fn check_index(interval: &str, count: i64, value_bytes: u32, positions: &[(u32, u32)]) {
    let records: Vec<_> = (0..count).map(|number| ("k", value_bytes, number * 10)).collect();
    let mut log = log(&[("index.interval.bytes", interval)]);
    for (key, value_bytes, timestamp) in records {
        append(&mut log, record(Some(key), Some(value_bytes), timestamp), HOUR);
    }
    let view = log.view(&"t".into(), 0, 1, HOUR);
    assert_eq!(view.segments[0].offset_index, positions, "{interval}: {count} of {value_bytes} bytes");
    let times: Vec<_> = positions.iter().map(|(offset, _)| (i64::from(*offset) * 10, *offset)).collect();
    assert_eq!(view.segments[0].time_index, times, "{interval}: {count} of {value_bytes} bytes");
}

#[test]
fn index_entries_belong_to_the_batch_after_the_interval() {
    // storage/index-interval*
    check_index("0", 6, 50, &[(1, 119), (2, 238), (3, 357), (4, 476), (5, 595)]);
    check_index("200", 12, 100, &[(2, 342), (4, 684), (6, 1026), (8, 1368), (10, 1710)]);
    check_index("4096", 100, 100, &[(24, 4104), (48, 8208), (72, 12_312), (96, 16_416)]);
    check_index("4096", 20, 1000, &[(4, 4284), (8, 8568), (12, 12_852), (16, 17_136)]);
    // Batches of 1,500 bytes: 61 of the header, 9 of the record besides its value of 1,430.
    check_index("4096", 8, 1429, &[(3, 4500), (6, 9000)]);
}

#[test]
fn full_indexes_close_a_segment() {
    // 36 bytes hold four offset entries, and three time entries of which the last is kept for the close.
    // Equal timestamps make one time entry, so that the offset index is full first.
    for (timestamps, reason) in [([0, 1, 2, 3], RollReason::TimeIndex), ([0; 4], RollReason::OffsetIndex)] {
        let mut log = log(&[("index.interval.bytes", "0"), ("segment.index.bytes", "36")]);
        let more = if reason == RollReason::OffsetIndex { 2 } else { 0 };
        let timestamps = timestamps.into_iter().chain(std::iter::repeat_n(0, more));
        let rolls = timestamps.map(|timestamp| append(&mut log, record(Some("k"), Some(1), timestamp), HOUR).roll);
        let rolls: Vec<_> = rolls.map(|roll| roll.map(|roll| roll.reason)).collect();
        let (last, before) = rolls.split_last().unwrap();
        assert_eq!((*last, before.iter().flatten().count()), (Some(reason), 0), "{rolls:?}");
    }
}

#[test]
fn a_directory_lists_the_files_of_a_broker() {
    // storage/roll-by-bytes-1000000x4, and index sizes of the rolled segments.
    let mut log = log(&[("segment.bytes", "1048576")]);
    for key in ["k0", "k1"] {
        append(&mut log, record(Some(key), Some(1_000_000), 3_600_000), HOUR);
    }
    log.assign_epoch_start(0, 0);
    let expected = [
        ("00000000000000000000.index", 0),
        ("00000000000000000000.log", 1_000_074),
        ("00000000000000000000.timeindex", 12),
        ("00000000000000000001.index", 10_485_760),
        ("00000000000000000001.log", 1_000_074),
        ("00000000000000000001.snapshot", 10),
        ("00000000000000000001.timeindex", 10_485_756),
        ("leader-epoch-checkpoint", 8),
        ("partition.metadata", 43),
    ];
    let files = log.view(&"t".into(), 0, 1, HOUR).files;
    assert!(files.iter().map(|(name, size)| (name.as_str(), *size)).eq(expected), "{files:?}");
}

#[test]
fn a_restart_keeps_the_records_and_counts_to_the_next_index_entry_anew() {
    for (is_clean, high_watermark) in [(true, 5), (false, 2)] {
        let mut log = log(&[("index.interval.bytes", "200")]);
        let send = |log: &mut Log| append(log, record(Some("k"), Some(100), 0), HOUR);
        (0..2).for_each(|_| {
            send(&mut log);
        });
        let later = Time::from_millis(3_606_000);
        (0..3).for_each(|_| {
            append(&mut log, record(Some("k"), Some(100), 0), later);
        });
        log.close(later, is_clean);
        log.open(later, Duration::from_millis(500), is_clean);
        assert_eq!((log.log_end_offset, log.high_watermark), (5, high_watermark), "clean: {is_clean}");
        (0..3).for_each(|_| {
            append(&mut log, record(Some("k"), Some(100), 0), later);
        });
        // Without the restart the third entry would be (6, 1026).
        let index = log.view(&"t".into(), 0, 1, later).segments[0].offset_index.clone();
        assert_eq!(index, [(2, 342), (4, 684), (7, 1197)], "clean: {is_clean}");
    }
}

#[test]
fn a_follower_of_a_cleaned_log_opens_segments_where_batches_begin() {
    let mut leader = log(&[("cleanup.policy", "compact")]);
    for (key, value_bytes) in [("a", 60), ("b", 60), ("b", 60), ("c", 1)] {
        append(&mut leader, record(Some(key), Some(value_bytes), 0), HOUR);
    }
    leader.roll(HOUR, RollReason::Command);
    leader.clean(HOUR, true).unwrap();
    let mut follower = log(&[("internal.segment.bytes", "150")]);
    let copied = leader.read(0, u32::MAX, 4);
    let rolls: Vec<_> = copied.iter().filter_map(|batch| follower.append_as_follower(batch, HOUR)).collect();
    assert_eq!(rolls.iter().map(|roll| roll.base_offset).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(follower.lookup(1).map(|found| found.batch_base_offset), Some(2));
}
