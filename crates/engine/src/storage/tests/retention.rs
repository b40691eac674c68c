//! What goes, and when.
//!
//! The numbers are those of recordings, of the worked examples in Kafka's terms, and of lessons.

use super::*;
use crate::event::{DeleteReason, RollReason};

const MIB: (&str, &str) = ("segment.bytes", "1048576");

fn filled(configs: &[(&str, &str)], count: usize, value_bytes: u32) -> Log {
    let mut log = log(configs);
    for number in 0..count {
        append(&mut log, record(Some(&format!("k{number}")), Some(value_bytes), 3_600_000), HOUR);
    }
    log
}

fn check(limit: &str, count: usize, value_bytes: u32, log_start: u64) {
    let mut log = filled(&[MIB, ("retention.bytes", limit)], count, value_bytes);
    let due = log.next_retention_due(HOUR).filter(|due| *due == HOUR);
    let outcome = log.retention_pass(HOUR);
    assert_eq!(log.log_start_offset, log_start, "{limit}: {count} of {value_bytes} bytes");
    assert_eq!(due.is_some(), !outcome.deleted.is_empty(), "a pass is due when it deletes something");
    assert_eq!(log.next_retention_due(HOUR).filter(|due| *due == HOUR), None, "and not after it");
}

#[test]
fn the_log_never_falls_below_its_size_limit() {
    // storage/retention-bytes-*, storage/retention-fetch-below-start
    check("1500000", 10, 500_000, 6);
    check("2097152", 30, 100_000, 0);
    check("3000000", 50, 100_000, 20);
    check("1100000", 25, 100_000, 10);
    // Five segments of 100 MB and a limit of 250 MB, to scale.
    check("2500000", 5, 1_000_000, 2);
}

#[test]
fn an_idle_partition_is_emptied_active_segment_and_all() {
    // storage/retention-ms-active
    let mut log = log(&[("retention.ms", "1500")]);
    for key in ["k0", "k1", "k2", "k3"] {
        append(&mut log, record(Some(key), Some(2), 3_600_000), HOUR);
    }
    assert_eq!(log.next_retention_due(HOUR), Some(Time::from_millis(3_601_501)));
    assert_eq!(log.retention_pass(Time::from_millis(3_601_500)), RetentionOutcome::default());
    let now = Time::from_millis(3_601_501);
    let outcome = log.retention_pass(now);
    assert_eq!(outcome.roll.map(|roll| (roll.base_offset, roll.reason)), Some((4, RollReason::Retention)));
    assert_eq!((outcome.deleted, outcome.log_start_offset), (vec![(0, DeleteReason::Time)], Some(4)));
    assert_eq!(shape(&log), [(4, 0, -1, 0)]);
    let files =
        |log: &Log, now| log.view(&"t".into(), 0, 1, now).files.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let kept = ["00000000000000000004.log", "00000000000000000004.snapshot", "00000000000000000004.timeindex"];
    let deleted = ["index", "log", "timeindex"].map(|ending| format!("00000000000000000000.{ending}.deleted"));
    let expected: Vec<&str> = deleted.iter().map(String::as_str).chain(kept).collect();
    assert_eq!(files(&log, now)[..6], expected);
    assert_eq!(files(&log, Time::from_millis(3_661_501))[..3], kept);
    // An empty active segment stays.
    assert_eq!(log.next_retention_due(now), None);
    assert_eq!(log.retention_pass(Time::from_millis(9_000_000)), RetentionOutcome::default());
    assert_eq!(append(&mut log, record(Some("k"), Some(2), 3_601_501), now).base_offset, 4);
    assert_eq!(shape(&log), [(4, 71, 4, 1)]);
}

#[test]
fn one_new_timestamp_protects_a_whole_segment() {
    // storage/retention-ms-out-of-order
    let mut log = log(&[("retention.ms", "1800000")]);
    for timestamp in [0, 3_500_000, 100] {
        append(&mut log, record(Some("k"), Some(2), timestamp), HOUR);
    }
    assert_eq!(log.retention_pass(HOUR), RetentionOutcome::default());
    assert_eq!(log.next_retention_due(HOUR), Some(Time::from_millis(5_300_001)));
}

#[test]
fn a_trickle_keeps_the_oldest_record_for_eight_days() {
    let mut log = log(&[("retention.ms", "86400000")]);
    let hour = |number: u64| Time::from_millis(number * 3_600_000);
    let mut rolls = Vec::new();
    for number in 0..=192 {
        let appended = append(&mut log, record(None, Some(10), number as i64 * 3_600_000), hour(number));
        rolls.extend(appended.roll.map(|roll| (number, roll.base_offset)));
        assert_eq!(log.retention_pass(hour(number)).deleted, [], "hour {number}");
    }
    assert_eq!(rolls, [(169, 169)]);
    let outcome = log.retention_pass(Time::from_millis(691_230_000));
    assert_eq!((outcome.deleted, log.log_start_offset), (vec![(0, DeleteReason::Time)], 169));
}

#[test]
fn nothing_above_the_high_watermark_goes() {
    let mut log = filled(&[MIB, ("retention.bytes", "1000")], 4, 1_000_000);
    log.set_high_watermark(1, HOUR);
    let deleted = log.retention_pass(HOUR).deleted;
    assert_eq!(deleted, [(0, DeleteReason::Size)]);
    assert_eq!(log.next_retention_due(HOUR), None);
}

#[test]
fn delete_records_frees_whole_segments_at_the_next_pass() {
    // storage/delete-records
    let mut log = filled(&[MIB], 25, 100_000);
    for (before, bases, start) in
        [(5, vec![0, 10, 20], 5), (15, vec![10, 20], 15), (3, vec![10, 20], 15), (25, vec![20], 25)]
    {
        log.advance_log_start(before);
        let outcome = log.retention_pass(HOUR);
        assert!(outcome.deleted.iter().all(|(_, reason)| *reason == DeleteReason::LogStart), "{outcome:?}");
        let found: Vec<_> = shape(&log).iter().map(|segment| segment.0).collect();
        assert_eq!((found, log.log_start_offset), (bases, start), "before {before}");
    }
    assert_eq!(log.record_count(), 0);
}

#[test]
fn a_compacted_topic_keeps_what_is_old_and_large() {
    let limits = [MIB, ("retention.bytes", "1000"), ("retention.ms", "1")];
    let mut log = filled(&[&limits[..], &[("cleanup.policy", "compact")]].concat(), 4, 1_000_000);
    assert_eq!(log.retention_pass(Time::from_millis(9_000_000)), RetentionOutcome::default());
}

#[test]
fn tiered_segments_leave_the_disk_once_they_are_uploaded() {
    let tiered = [("remote.storage.enable", "true"), ("local.retention.ms", "3600000"), ("retention.ms", "86400000")];
    let mut log = filled(&[&[MIB][..], &tiered].concat(), 3, 1_000_000);
    let later = Time::from_millis(7_200_001);
    assert_eq!(log.next_retention_due(HOUR), None, "nothing is uploaded yet");
    assert_eq!(log.retention_pass(later).deleted, []);
    assert_eq!(log.upload_pass(), [0, 1], "the active segment is never uploaded");
    let outcome = log.retention_pass(later);
    assert_eq!(outcome.deleted, [(0, DeleteReason::Local), (1, DeleteReason::Local)]);
    assert_eq!(outcome.roll.map(|roll| roll.base_offset), Some(3), "the active one is closed to follow");
    assert_eq!((log.log_start_offset, log.local_log_start_offset()), (0, 2));
    assert_eq!(log.upload_pass(), [2]);
    assert_eq!(log.retention_pass(later).deleted, [(2, DeleteReason::Local)]);
    // Reads and offsets are as before.
    let read: Vec<_> = log.read(1, u32::MAX, 3).iter().map(|batch| batch.base_offset).collect();
    assert_eq!((read, log.record_count(), log.last_records(9).len()), (vec![1, 2], 3, 3));
    let day = Time::from_millis(3_600_000 + 86_400_000);
    let outcome = log.remote_retention_pass(day);
    assert_eq!((outcome.deleted.len(), log.log_start_offset), (3, 3));
}
