//! What brokers do with their logs over days: retention, cleaning, remote storage, DeleteRecords.
//!
//! Which segments go is tested beside the log; here it is when, and on which replicas.

use engine::EventKind;

use crate::run::Run;

fn sensor(configs: &str, workload: &str) -> Run {
    Run::new(&format!(
        r#"
        [[topic]]
        name = "p"
        assignment = [[1, 2, 3]]
        configs = {{ {configs} }}
        [[producer]]
        name = "sensor"
        configs = {{ "linger.ms" = "0", "metadata.max.age.ms" = "86400000" }}
        {workload}
        "#
    ))
}

const DAY: &str = r#""retention.ms" = "86400000", "segment.ms" = "604800000""#;

#[test]
fn a_record_that_nothing_follows_goes_after_a_day() {
    let mut run = sensor(DAY, r#"workload = { topic = "p", value = "v", count = 1 }"#);
    run.until(86_429_999);
    assert_eq!(run.partition("p", 0).log_start_offset, 0);
    run.until(86_430_000);
    for broker in [1, 2, 3] {
        let log = run.replica(broker);
        assert_eq!((log.log_start_offset, log.log_end_offset), (1, 1), "broker {broker}");
    }
    assert!(run.0.moment().sequence < 200, "{}", run.0.moment().sequence);
}

#[test]
fn a_trickle_keeps_the_oldest_record_for_eight_days() {
    let mut run = sensor(DAY, r#"workload = { topic = "p", value = "v", every = "1 h", count = 200 }"#);
    run.until(9 * 86_400_000);
    let rolled = |kind: &EventKind| matches!(kind, EventKind::SegmentRolled { base_offset: 169, broker: 1, .. });
    assert_eq!(run.times(rolled), [169 * 3_600_000]);
    let started = |kind: &EventKind| matches!(kind, EventKind::LogStartMoved { log_start_offset: 169, broker: 1, .. });
    assert_eq!(run.times(started), [691_230_000]);
}

#[test]
fn deletion_by_size_stops_before_the_limit() {
    let text = r#"
        [[topic]]
        name = "p"
        assignment = [[1]]
        configs = { "retention.bytes" = "250000000", "segment.bytes" = "100000000" }
        [[topic.preload]]
        partition = 0
        records = 500
        batch_size = "1 MB"
        "#;
    let mut run = Run::new(text);
    run.until(29_999);
    assert_eq!(run.replica(1).segment_count, 5);
    run.until(30_000);
    let log = run.replica(1);
    assert_eq!((log.segment_count, log.size_bytes, log.log_start_offset), (3, 300_000_000, 200));
}

#[test]
fn records_are_deleted_on_every_replica() {
    let mut run = sensor("", r#"workload = { topic = "p", value = "v", every = "10 ms", count = 10 }"#);
    run.until(1_000);
    let delete = |before: i64| {
        format!(r#"{{ "do": "delete_records", "topic": "p", "partition": 0, "before_offset": {before} }}"#)
    };
    let outcome = run.act(&delete(4));
    assert_eq!(outcome.partitions[0].low_watermark, Some(4));
    run.until(2_000);
    for broker in [1, 2, 3] {
        assert_eq!(run.replica(broker).log_start_offset, 4, "broker {broker}");
    }
    let outcome = run.act(&delete(11));
    assert_eq!(
        run.error(&outcome),
        "OFFSET_OUT_OF_RANGE: The requested offset is not within the range of offsets maintained by the server."
    );
    assert_eq!(run.act(&delete(-1)).partitions[0].low_watermark, Some(10));
}

#[test]
fn compacted_topics_keep_the_latest_value_of_a_key() {
    let text = r#"
        [[topic]]
        name = "p"
        assignment = [[1, 2]]
        configs = { "cleanup.policy" = "compact" }
        [[topic.preload]]
        partition = 0
        keys = ["a", "b", "a", "c", "a", "a"]
        values = ["1"]
        segments = [5]
        "#;
    let mut run = Run::new(text);
    run.until(14_999);
    assert_eq!(run.events("log_cleaned").len(), 0);
    run.until(15_000);
    let sentence = |broker| format!("Broker {broker} cleaned p-0 up to offset 5: 3 of 5 records kept.");
    assert_eq!(run.sentences("log_cleaned"), [sentence(1), sentence(2)]);
    run.act(r#"{ "do": "roll_segment", "topic": "p", "partition": 0 }"#);
    run.act(r#"{ "do": "clean_log", "topic": "p", "partition": 0 }"#);
    assert_eq!(run.partition("p", 0).record_count, 3, "b, c and the last a");
}

#[test]
fn tiered_segments_leave_the_disk_and_stay_readable() {
    let text = r#"
        configs = { "remote.log.storage.system.enable" = "true" }
        [[topic]]
        name = "p"
        assignment = [[1, 2]]
        configs = { "remote.storage.enable" = "true", "local.retention.ms" = "3600000", "retention.ms" = "86400000" }
        [[topic.preload]]
        partition = 0
        records = 30
        segments = [10, 20]
        [[consumer]]
        name = "reader"
        assign = ["p"]
        "#;
    let mut run = Run::on("brokers = 2", text);
    run.until(30_000);
    assert_eq!(run.events("segment_uploaded").len(), 2);
    run.until(3_700_000);
    for broker in [1, 2] {
        let log = run.replica(broker);
        assert_eq!((log.log_start_offset, log.local_log_start_offset), (0, 20), "broker {broker}");
    }
    assert_eq!(run.0.snapshot(0).consumers[0].read_count, 30);
    run.until(87_000_000);
    assert_eq!(run.replica(1).log_start_offset, 30, "the active segment was closed and copied, too");
}
