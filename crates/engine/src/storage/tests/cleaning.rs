//! What a cleaning leaves, to the byte.
//!
//! The numbers are those of the recordings that each case names, and of the lesson on compaction.

use super::*;
use crate::event::RollReason;
use crate::time::Duration;

const COMPACT: [(&str, &str); 3] =
    [("cleanup.policy", "compact"), ("segment.ms", "1000"), ("min.cleanable.dirty.ratio", "0.01")];

/// Appends records of one idempotent producer: key, bytes of the value (none for a tombstone), timestamp.
fn send(log: &mut Log, records: &[(&str, Option<u32>, i64)], now: Time) {
    for (key, value_bytes, timestamp) in records {
        let base_sequence = log.log_end_offset as i32;
        let stamp = ProducerStamp { producer_id: 1, epoch: 0, base_sequence };
        let batch = batch(vec![record(Some(key), *value_bytes, *timestamp)]);
        log.append_as_leader(&batch, Some(stamp), 0, at(now)).unwrap();
    }
    log.set_high_watermark(log.log_end_offset, now);
}

fn offsets(log: &Log) -> Vec<u64> {
    let batches = log.batches_from(0);
    batches.flat_map(|batch| batch.entries().map(|(offset, _)| offset).collect::<Vec<_>>()).collect()
}

/// A recording in short: keys by number, `-` for a tombstone, else the value `v` with the record's number.
/// All but the last `young` records are at its number in milliseconds, those 5 s later.
fn check(keys: &str, young: usize, segments: &[(u64, u64, i64, u64)], kept: &[u64]) {
    let mut log = log(&COMPACT);
    let count = keys.split(' ').count();
    for (number, key) in keys.split(' ').enumerate() {
        let value_bytes = (!key.ends_with('-')).then(|| format!("v{number}").len() as u32);
        let timestamp = number as i64 + if number + young >= count { 5_000 } else { 0 };
        send(&mut log, &[(&format!("k{}", &key[..1]), value_bytes, timestamp)], HOUR);
    }
    assert_eq!(log.cleanable_at(HOUR), Some(HOUR), "{keys}");
    let cleaned = log.clean(HOUR, false).unwrap();
    assert_eq!((cleaned.clean_until, cleaned.before), ((count - young) as u64, (count - young) as u64), "{keys}");
    assert_eq!((shape(&log), offsets(&log)), (segments.to_vec(), kept.to_vec()), "{keys}");
    assert_eq!(log.clean(HOUR, true), None, "nothing is dirty any more");
}

#[test]
fn the_latest_value_of_each_key_is_left_below_the_active_segment() {
    // storage/compact-random-{2,3,4,7,8}
    check(
        "1 0 0- 0 2 0 2 0 2 0- 1 0 2 1 0 2 2 1 2 1 1 0- 0",
        6,
        &[(0, 219, 16, 3), (17, 435, 22, 6)],
        &[13, 14, 16, 17, 18, 19, 20, 21, 22],
    );
    check(
        "3- 2- 2 3 1 0 1 0- 3 2 2 0 0 1 2 1- 3 1 0 3 2 0 0 1",
        6,
        &[(0, 292, 17, 4), (18, 438, 23, 6)],
        &[12, 14, 16, 17, 18, 19, 20, 21, 22, 23],
    );
    check("3 0 1 2- 3 0 2 1 3 4 3 3", 3, &[(0, 288, 8, 4), (9, 218, 11, 3)], &[5, 6, 7, 8, 9, 10, 11]);
    check("0 1 2 2- 3- 1- 2 2 0 0 2", 3, &[(0, 290, 7, 4), (8, 217, 10, 3)], &[0, 4, 5, 7, 8, 9, 10]);
    let kept = [5, 6, 7, 8, 9, 10, 11, 12, 13];
    check("1 3- 1 0 0- 2 3 4- 0 1- 0 2 0 4", 4, &[(0, 362, 9, 5), (10, 292, 13, 4)], &kept);
}

#[test]
fn young_segments_are_left_alone() {
    // storage/compact-min-lag
    let mut log = log(&[&COMPACT[..], &[("min.compaction.lag.ms", "1800000")]].concat());
    for (timestamp, value_bytes) in [(0, 2), (1, 2), (2_000, 5), (3_000_000, 8), (3_000_001, 8), (3_100_000, 8)] {
        send(&mut log, &[("k", Some(value_bytes), timestamp)], HOUR);
    }
    log.clean(HOUR, false).unwrap();
    assert_eq!(shape(&log), [(0, 74, 2, 1), (3, 154, 4, 2), (5, 77, 5, 1)]);
    // The next segment is old enough 30 minutes after its newest record.
    assert_eq!(log.cleanable_at(HOUR), Some(Time::from_millis(4_800_001)));
}

#[test]
fn a_log_is_taken_when_it_is_dirty_enough_or_its_records_wait_too_long() {
    // storage/compact-off-control: a ratio of 1.0 is never exceeded.
    let configs = [("cleanup.policy", "compact"), ("segment.ms", "1000"), ("min.cleanable.dirty.ratio", "1.0")];
    let mut never = log(&configs);
    send(&mut never, &[("k", Some(2), 0), ("k", Some(2), 4), ("k", Some(2), 5_000)], HOUR);
    assert_eq!((never.cleanable_at(HOUR), never.clean(HOUR, false)), (None, None));
    let mut late = log(&[&configs[..], &[("max.compaction.lag.ms", "7200000")]].concat());
    send(&mut late, &[("k", Some(2), 0), ("k", Some(2), 4), ("k", Some(2), 5_000)], HOUR);
    assert_eq!(late.cleanable_at(HOUR), Some(Time::from_millis(7_200_001)));
}

#[test]
fn tombstones_take_two_cleanings() {
    // storage/compact-tombstone-delete-retention-{0,86400000}
    for (retention, second, third) in
        [("0", vec![1, 3, 4], vec![3, 4, 5]), ("86400000", vec![1, 2, 3, 4], vec![2, 3, 4, 5])]
    {
        let mut log = log(&[&COMPACT[..], &[("delete.retention.ms", retention)]].concat());
        send(&mut log, &[("a", Some(1), 0), ("b", Some(1), 1), ("a", None, 2), ("c", Some(6), 5_000)], HOUR);
        log.clean(HOUR, false).unwrap();
        assert_eq!(offsets(&log), [1, 2, 3], "{retention}");
        let horizon = 3_600_000 + retention.parse::<i64>().unwrap();
        let batches: Vec<_> =
            log.batches(0).iter().map(|batch| (batch.position, batch.size_bytes, batch.delete_horizon)).collect();
        assert_eq!(batches, [(0, 70, None), (70, 72, Some(horizon))], "{retention}");
        send(&mut log, &[("b", Some(1), 10_000)], HOUR);
        log.clean(HOUR, false).unwrap();
        assert_eq!(offsets(&log), second, "{retention}");
        send(&mut log, &[("d", Some(1), 15_000)], HOUR);
        log.clean(HOUR, false).unwrap();
        assert_eq!(offsets(&log), third, "{retention}");
    }
}

#[test]
fn the_clock_of_a_tombstone_starts_at_its_first_cleaning() {
    // The lesson's log: no producer id, segments by command.
    let mut log = log(&[("cleanup.policy", "compact")]);
    let plain = |log: &mut Log, key: &str, value: Option<u32>, now| {
        append(log, record(Some(key), value, 0), now);
    };
    let records = [("a", Some(3)), ("b", Some(3)), ("a", Some(3)), ("c", Some(3)), ("b", None), ("a", Some(3))];
    records.iter().for_each(|(key, value)| plain(&mut log, key, *value, HOUR));
    log.roll(HOUR, RollReason::Command);
    plain(&mut log, "c", Some(3), HOUR);
    plain(&mut log, "a", Some(3), HOUR);
    let cleaned = log.clean(HOUR, true).unwrap();
    assert_eq!((cleaned.clean_until, cleaned.before, cleaned.kept), (6, 6, 3));
    assert_eq!(offsets(&log), [3, 4, 5, 6, 7]);
    log.roll(HOUR, RollReason::Command);
    plain(&mut log, "d", Some(3), HOUR);
    log.clean(HOUR, true).unwrap();
    assert_eq!(offsets(&log), [4, 6, 7, 8]);
    let mut pass = |hours: u64, key: &str| {
        let now = HOUR + Duration::from_secs(hours * 3_600);
        log.roll(now, RollReason::Command);
        plain(&mut log, key, Some(3), now);
        log.clean(now, true).unwrap();
        offsets(&log)
    };
    assert_eq!(pass(23, "e"), [4, 6, 7, 8, 9]);
    assert_eq!(pass(24, "f"), [6, 7, 8, 9, 10]);
}

#[test]
fn the_last_batch_of_a_round_and_of_a_producer_stay_as_shells() {
    let mut log = log(&[("cleanup.policy", "compact"), ("delete.retention.ms", "0")]);
    send(&mut log, &[("a", Some(1), 0), ("a", None, 0)], HOUR);
    log.roll(HOUR, RollReason::Command);
    append(&mut log, record(Some("b"), Some(1), 0), HOUR);
    log.clean(HOUR, true).unwrap();
    log.roll(HOUR, RollReason::Command);
    append(&mut log, record(Some("b"), Some(1), 0), HOUR);
    log.clean(HOUR, true).unwrap();
    // The tombstone's batch keeps the producer's sequence; that of b=1 is just the latest value so far.
    let shells: Vec<_> =
        log.batches(0).iter().map(|batch| (batch.last_offset, batch.count, batch.size_bytes)).collect();
    assert_eq!(shells, [(1, 0, 61), (2, 1, 70)]);
    assert_eq!(log.view(&"t".into(), 0, 1, HOUR).producers[0].last_sequence, 1);
    log.roll(HOUR, RollReason::Command);
    append(&mut log, record(Some("c"), Some(1), 0), HOUR);
    log.clean(HOUR, true).unwrap();
    assert_eq!((offsets(&log), log.segment_count()), (vec![3, 4], 2));
}
