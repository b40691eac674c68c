//! Readers and racks, slow disks and slow links: what depends on where a node stands.
//!
//! Links that are cut are tested in `in_sync.rs`.

use engine::EventKind;

use crate::run::Run;

fn racks(selector: &str, rack: &str) -> Run {
    let cluster = format!(
        r#"
        brokers = [{{ id = 1, rack = "a" }}, {{ id = 2, rack = "b" }}, {{ id = 3, rack = "c" }}]
        configs = {{ {selector} }}
        "#
    );
    let text = format!(
        r#"
        [[topic]]
        name = "p"
        assignment = [[1, 2, 3]]
        [[topic.preload]]
        partition = 0
        keys = ["a", "b", "c"]
        values = ["1"]
        [[producer]]
        name = "all"
        configs = {{ "linger.ms" = "0" }}
        [[consumer]]
        name = "reader"
        assign = ["p"]
        configs = {{ "client.rack" = "{rack}" }}
        "#
    );
    Run::on(&cluster, &text)
}

#[test]
fn a_reader_is_sent_to_the_replica_in_its_rack_if_the_brokers_allow_it() {
    let check = |selector: &str, broker: u32, is_near: bool| {
        let mut run = racks(selector, "c");
        run.send("all");
        run.until(2_000);
        let reader = run.0.snapshot(0).consumers.remove(0);
        assert_eq!((reader.positions[0].read_from, reader.read_count), (Some(broker), 4), "{selector}");
        let (near, far) = reader.read_bytes;
        assert_eq!((near > 0, far > 0), (is_near, !is_near), "{selector}");
    };
    check("", 1, false);
    let selector = "org.apache.kafka.common.replica.RackAwareReplicaSelector";
    check(&format!(r#""replica.selector.class" = "{selector}""#), 3, true);
}

#[test]
fn a_reader_sees_records_of_a_follower_once_that_knows_the_high_watermark() {
    let selector = r#""replica.selector.class" = "org.apache.kafka.common.replica.RackAwareReplicaSelector""#;
    // Broker 3 asks last, so it is told at once; broker 2 has asked already.
    let mut run = racks(selector, "b");
    run.until(1_120);
    run.send("all");
    assert_eq!(run.0.snapshot(0).consumers[0].read_count, 3, "acknowledged, and not told yet");
    run.until(1_700);
    assert_eq!(run.0.snapshot(0).consumers[0].read_count, 4);
}

#[test]
fn a_slow_link_to_an_in_sync_follower_makes_acknowledgments_slow() {
    let mut run = racks("", "c");
    run.act(r#"{ "do": "slow_link", "from": "broker-1", "to": "broker-3", "delay": "40 ms" }"#);
    run.until(1_000);
    let sent = run.send("all");
    // The answer with the record, and the fetch that says so.
    run.until(1_079);
    assert_eq!(run.0.outcome(sent.command), None);
    run.until(1_080);
    assert!(run.0.outcome(sent.command).is_some());
    assert_eq!(run.0.snapshot(0).links.len(), 1);
    run.act(r#"{ "do": "heal_link", "from": "broker-3", "to": "broker-1" }"#);
    run.until(2_000);
    let sent = run.send("all");
    assert!(run.0.outcome(sent.command).is_some());
    assert!(run.0.snapshot(0).links.is_empty());
}

#[test]
fn a_slow_disk_takes_one_request_after_the_other() {
    let mut run = racks("", "c");
    run.act(r#"{ "do": "slow_disk", "broker": 1, "time": "100 ms" }"#);
    run.until(1_000);
    run.send("all");
    run.send("all");
    assert_eq!(run.0.snapshot(0).brokers[0].queue_size, 2);
    run.until(1_250);
    assert_eq!(run.times(|kind| matches!(kind, EventKind::BatchAppended { .. })), [1_100, 1_200]);
    run.act(r#"{ "do": "slow_disk", "broker": 1, "time": "0 ms" }"#);
    let sent = run.send("all");
    assert!(run.0.outcome(sent.command).is_some());
}
