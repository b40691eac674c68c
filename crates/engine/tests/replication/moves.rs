//! Replicas that move: reassignments, throttles and bandwidth.
//!
//! The controller's part is tested beside it.

use engine::{EventKind, Status};

use crate::run::Run;

#[test]
fn a_partition_moves_to_a_broker_that_copies_it_first() {
    let text = r#"
        [[topic]]
        name = "keytest"
        assignment = [[3]]
        [[topic.preload]]
        partition = 0
        keys = ["a", "b", "c"]
        values = ["1"]
        "#;
    let mut run = Run::new(text);
    run.broker("hold_fetches", 1);
    let moved =
        run.act(r#"{ "do": "reassign", "partitions": [{ "topic": "keytest", "partition": 0, "replicas": [1] }] }"#);
    assert_eq!(moved.status, Status::Done);
    let during = run.partition("keytest", 0);
    assert_eq!((during.replicas, during.isr, during.leader), (vec![1, 3], vec![3], Some(3)));
    assert_eq!((during.adding, during.removing), (vec![1], vec![3]));
    run.until(1_000);
    run.broker("release_fetches", 1);
    let after = run.partition("keytest", 0);
    assert_eq!((after.replicas, after.isr, after.leader), (vec![1], vec![1], Some(1)));
    assert_eq!((after.leader_epoch, after.log_end_offset, after.high_watermark), (1, 3, 3));
    assert_eq!(after.logs.len(), 1);
    assert!(run.0.log_view(3, "keytest", 0).is_none(), "the old replica is deleted");
}

fn large(cluster: &str) -> Run {
    let text = r#"
        [[topic]]
        name = "payments"
        assignment = [[1]]
        [[topic.preload]]
        partition = 0
        records = 500_000_000
        batch_records = 50_000
        batch_size = "50 MB"
        "#;
    Run::on(cluster, text)
}

const MOVE: &str = r#"{ "do": "reassign", "partitions": [{ "topic": "payments", "partition": 0, "replicas": [2] }] }"#;

fn completed(run: &mut Run) -> Vec<u64> {
    run.times(|kind| matches!(kind, EventKind::ReassignmentCompleted { .. }))
}

#[test]
fn half_a_terabyte_takes_10_000_s_at_50_mb_a_second() {
    let mut run = large("brokers = 3");
    for broker in [1, 2] {
        run.act(&format!(
            r#"{{ "do": "alter_configs", "broker": {broker}, "set": {{
                "leader.replication.throttled.rate": "50000000", "follower.replication.throttled.rate": "50000000" }} }}"#
        ));
    }
    run.act(
        r#"{ "do": "alter_configs", "topic": "payments", "set": {
            "leader.replication.throttled.replicas": "0:1", "follower.replication.throttled.replicas": "0:2" } }"#,
    );
    run.until(1_000);
    run.act(MOVE);
    run.until(10_000_999);
    assert_eq!(completed(&mut run), [0u64; 0]);
    run.until(10_001_000);
    assert_eq!(completed(&mut run), [10_001_000]);
    assert_eq!(run.partition("payments", 0).log_end_offset, 500_000_000);
}

#[test]
fn a_follower_alone_may_be_throttled() {
    let mut run = large("brokers = 3");
    run.act(r#"{ "do": "alter_configs", "broker": 2, "set": { "follower.replication.throttled.rate": "100000000" } }"#);
    run.act(
        r#"{ "do": "alter_configs", "topic": "payments", "set": { "follower.replication.throttled.replicas": "*" } }"#,
    );
    run.until(1_000);
    run.act(MOVE);
    run.until(6_000_000);
    let took = completed(&mut run)[0] - 1_000;
    assert!(took.abs_diff(5_000_000) < 2_000, "{took}");
}

#[test]
fn bandwidth_bounds_a_copy_without_a_throttle() {
    let mut run = large("brokers = [{ id = 1, bandwidth = \"200 MB\" }, { id = 2 }]");
    run.until(1_000);
    run.act(MOVE);
    run.until(3_000_000);
    assert_eq!(completed(&mut run), [2_501_000]);
}
