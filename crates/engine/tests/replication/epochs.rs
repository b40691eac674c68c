//! Leader epochs: how a replica that comes back finds what to discard.
//!
//! Where an epoch ends is tested beside the log.

use engine::EventKind;

use crate::run::Run;

fn topic(configs: &str) -> String {
    format!(
        r#"
        [[topic]]
        name = "p"
        assignment = [[1, 2, 3]]
        configs = {{ {configs} }}
        [[producer]]
        name = "all"
        configs = {{ "linger.ms" = "0" }}
        [[producer]]
        name = "one"
        configs = {{ acks = "1", "linger.ms" = "0" }}
        "#
    )
}

#[test]
fn a_tail_that_only_the_old_leader_had_is_cut() {
    let mut run = Run::new(&topic(""));
    for _ in 0..5 {
        run.send("all");
    }
    run.until(1_000);
    run.broker("hold_fetches", 2);
    run.broker("hold_fetches", 3);
    assert_eq!(run.send("one").record.unwrap().offset, Some(5));
    run.broker("kill_broker", 1);
    run.broker("release_fetches", 2);
    run.broker("release_fetches", 3);
    run.until(20_000);
    assert_eq!(run.state(), "2 [2, 3] [] []");
    run.send("all");
    run.send("all");
    run.until(30_000);
    assert_eq!(run.replica(2).epochs, [(0, 0), (1, 5)]);
    run.until(60_000);
    run.broker("start_broker", 1);
    run.until(61_000);
    assert_eq!(run.sentences("log_truncated"), ["Broker 1 truncates p-0 to offset 5."]);
    assert_eq!(run.offsets(), [(7, 7); 3]);
    for broker in [1, 2, 3] {
        assert_eq!(run.replica(broker).epochs, [(0, 0), (1, 5)], "broker {broker}");
    }
}

#[test]
fn a_leader_that_stood_still_is_fenced_and_cut() {
    let mut run = Run::new(&topic(""));
    for _ in 0..4 {
        run.send("all");
    }
    run.until(2_000);
    run.broker("pause_broker", 2);
    run.broker("pause_broker", 3);
    assert_eq!(run.send("one").record.unwrap().offset, Some(4));
    run.broker("pause_broker", 1);
    run.broker("resume_broker", 2);
    run.broker("resume_broker", 3);
    run.until(15_000);
    assert_eq!(run.state(), "2 [2, 3] [] []");
    assert_eq!(run.replica(2).log_end_offset, 4);
    let sent = run.send("all");
    run.until(60_000);
    assert_eq!(run.0.outcome(sent.command).unwrap().record.unwrap().offset, Some(4));
    run.broker("resume_broker", 1);
    run.until(62_000);
    assert_eq!(run.offsets(), [(5, 5); 3]);
    assert_eq!(run.partition("p", 0).isr.len(), 3);
    assert_eq!(run.times(|kind| matches!(kind, EventKind::LogTruncated { broker: 1, .. })), [60_000]);
}

#[test]
fn leadership_that_moves_leaves_its_epochs_everywhere() {
    let mut run = Run::new(&topic(""));
    run.send("all");
    let moves = [("[2, 1, 3]", 1), ("[3, 1, 2]", 0), ("[1, 2, 3]", 3)];
    for (second, (replicas, records)) in (1..).zip(moves) {
        run.until(second * 1_000);
        let partition = r#""topic": "p", "partition": 0"#;
        let assignment = format!(r#"{{ {partition}, "replicas": {replicas} }}"#);
        run.act(&format!(r#"{{ "do": "reassign", "partitions": [{assignment}] }}"#));
        let preferred =
            format!(r#"{{ "do": "elect_leaders", "election": "preferred", "partitions": [{{ {partition} }}] }}"#);
        run.act(&preferred);
        for _ in 0..records {
            run.send("all");
        }
    }
    run.until(6_000);
    for broker in [1, 2, 3] {
        assert_eq!(run.replica(broker).epochs, [(0, 0), (1, 1), (3, 2)], "broker {broker}");
    }
    assert_eq!(run.offsets(), [(5, 5); 3]);
}

#[test]
fn a_leader_that_the_controller_does_not_hear_acknowledges_nothing() {
    let mut run = Run::new(&topic(r#""min.insync.replicas" = "2""#));
    run.send("all");
    run.until(2_000);
    run.act(r#"{ "do": "cut_link", "from": "broker-1", "to": "controller" }"#);
    run.until(15_000);
    assert_eq!(run.state(), "2 [2, 3] [] []");
    assert!(run.replica(1).is_leader, "it does not know");
    let sent = run.send("all");
    run.until(140_000);
    assert!(run.error(&sent).contains("Expiring 1 record(s) for p-0"), "{}", run.error(&sent));
    assert_eq!((run.replica(1).log_end_offset, run.replica(1).high_watermark), (2, 1));
    run.act(r#"{ "do": "heal_link", "from": "broker-1", "to": "controller" }"#);
    run.until(142_000);
    assert!(!run.replica(1).is_leader);
    assert_eq!(run.offsets(), [(1, 1); 3]);
    assert_eq!(run.partition("p", 0).isr.len(), 3);
}
