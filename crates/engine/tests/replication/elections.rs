//! Who leads after a fault, and who is the controller.
//!
//! The rules of single elections are tested beside the controller.

use engine::snapshot::BrokerState;
use engine::{EventKind, Scenario, Timeline};

use crate::run::Run;

const ONE_TOPIC: &str = r#"
[[topic]]
name = "p"
assignment = [[2, 3, 1]]
configs = { "min.insync.replicas" = "2" }
[[producer]]
name = "all"
configs = { "linger.ms" = "0" }
"#;

#[test]
fn a_dead_leader_is_replaced_after_its_session() {
    let mut run = Run::new(ONE_TOPIC);
    run.send("all");
    run.until(2_000);
    run.broker("kill_broker", 2);
    run.until(10_999);
    assert_eq!(run.state(), "2 [2, 3, 1] [] []");
    run.until(11_000);
    assert_eq!(run.state(), "3 [3, 1] [] []");
    assert_eq!(run.partition("p", 0).leader_epoch, 1);
    let sent = run.send("all");
    run.until(12_500);
    assert_eq!(run.0.outcome(sent.command).unwrap().record.unwrap().offset, Some(1));
    assert_eq!(run.times(|kind| matches!(kind, EventKind::BrokerFenced { .. })), [11_000]);
}

#[test]
fn a_leader_that_shuts_down_hands_over_at_once() {
    let mut run = Run::new(ONE_TOPIC);
    for _ in 0..3 {
        run.send("all");
    }
    run.broker("stop_broker", 2);
    assert_eq!(run.state(), "3 [3, 1] [] []");
    assert_eq!(run.0.snapshot(0).brokers[1].state, BrokerState::Stopped);
    let sent = run.send("all");
    run.until(1_000);
    assert_eq!(run.0.outcome(sent.command).unwrap().record.unwrap().offset, Some(3));
    run.broker("start_broker", 2);
    run.until(2_000);
    assert_eq!(run.state(), "3 [3, 1, 2] [] []");
    for broker in [1, 2, 3] {
        assert_eq!(run.replica(broker).epochs, [(0, 0), (1, 3)], "broker {broker}");
    }
}

#[test]
fn a_partition_with_one_replica_has_no_leader_without_it() {
    let mut run = Run::new(&ONE_TOPIC.replace("[2, 3, 1]", "[2]"));
    run.send("all");
    run.until(2_000);
    run.broker("kill_broker", 2);
    run.until(11_000);
    assert_eq!(run.state(), "none [] [2] [2]");
    let sent = run.send("all");
    run.until(20_000);
    assert_eq!(run.0.outcome(sent.command), None);
    run.broker("start_broker", 2);
    run.until(22_000);
    assert_eq!(run.state(), "2 [2] [] []");
    assert_eq!(run.0.outcome(sent.command).unwrap().record.unwrap().offset, Some(1));
}

#[test]
fn another_broker_takes_the_controller_over() {
    let mut run = Run::on("brokers = 3\ncontroller_failover = \"2 s\"", ONE_TOPIC);
    run.until(1_000);
    run.broker("kill_broker", 1);
    assert_eq!(run.0.snapshot(0).controller, None);
    let created = run.act(r#"{ "do": "create_topic", "topic": "later", "partitions": 1, "replication_factor": 2 }"#);
    run.until(2_999);
    assert_eq!(run.0.outcome(created.command), None, "it waits for a controller");
    run.until(3_000);
    assert_eq!(run.0.snapshot(0).controller, Some(2));
    assert!(run.0.outcome(created.command).is_some());
    run.until(12_000);
    assert_eq!(
        run.times(|kind| matches!(kind, EventKind::BrokerFenced { broker: 1 })),
        [12_000],
        "a whole session anew"
    );
}

#[test]
fn the_last_broker_takes_the_controller_with_it_and_brings_it_back() {
    let mut run = Run::new(ONE_TOPIC);
    for broker in [1, 2, 3] {
        run.broker("kill_broker", broker);
    }
    run.until(60_000);
    assert_eq!(run.0.snapshot(0).controller, None);
    run.broker("start_broker", 3);
    assert_eq!(run.0.snapshot(0).controller, Some(3));
    run.until(90_000);
    run.broker("start_broker", 2);
    run.broker("start_broker", 1);
    run.until(120_000);
    let partition = run.partition("p", 0);
    assert_eq!((partition.isr.len(), partition.leader.is_some()), (3, true), "{}", run.state());
}

#[test]
fn an_unclean_leader_drops_what_it_does_not_have() {
    let text = r#"
        [[topic]]
        name = "p"
        assignment = [[3, 1]]
        configs = { "unclean.leader.election.enable" = "true" }
        [[producer]]
        name = "one"
        configs = { acks = "1", "linger.ms" = "0" }
        "#;
    let mut run = Run::new(text);
    run.send("one");
    run.until(1_000);
    run.broker("pause_broker", 1);
    run.until(12_000);
    run.send("one");
    run.send("one");
    assert_eq!(run.state(), "3 [3] [] []");
    run.broker("pause_broker", 3);
    run.broker("resume_broker", 1);
    run.until(30_000);
    assert_eq!(run.state(), "1 [1] [] []");
    run.broker("resume_broker", 3);
    run.until(35_000);
    assert_eq!(run.state(), "1 [1, 3] [] []");
    assert_eq!(run.offsets(), [(1, 1), (1, 1)]);
    assert_eq!(run.replica(3).epochs, [(0, 0)]);
    assert_eq!(run.replica(1).epochs, [(0, 0), (1, 1)]);
}

#[test]
fn leaders_go_back_to_the_preferred_replica_after_300_s() {
    let mut run = Run::new(ONE_TOPIC);
    run.until(2_000);
    run.broker("stop_broker", 2);
    run.broker("start_broker", 2);
    run.until(299_999);
    assert_eq!(run.partition("p", 0).leader, Some(3));
    run.until(300_000);
    assert_eq!(run.partition("p", 0).leader, Some(2));
}

#[test]
fn commands_that_name_no_node_or_come_at_the_wrong_time_are_refused() {
    let check = |json: &str, code: &str| {
        let mut run = Run::new(ONE_TOPIC);
        run.broker("kill_broker", 3);
        let error = run.0.act(serde_json::from_str(json).unwrap()).unwrap_err();
        assert_eq!(error.code, code, "{error}");
    };
    check(r#"{ "do": "kill_broker", "broker": 9 }"#, "command.unknown_broker");
    check(r#"{ "do": "kill_broker", "broker": 3 }"#, "command.broker_state");
    check(r#"{ "do": "start_broker", "broker": 1 }"#, "command.broker_state");
    check(r#"{ "do": "resume_broker", "broker": 1 }"#, "command.broker_state");
    check(r#"{ "do": "fetch_once", "broker": 1 }"#, "command.fetches_not_held");
    check(r#"{ "do": "cut_link", "from": "broker-1", "to": "nobody" }"#, "command.unknown_node");
    check(r#"{ "do": "cut_link", "from": "broker-1", "to": "broker-1" }"#, "command.link");
    check(r#"{ "do": "roll_segment", "topic": "q", "partition": 0 }"#, "command.unknown_topic");
    check(r#"{ "do": "clean_log", "topic": "p", "partition": 7 }"#, "command.unknown_partition");
    check(r#"{ "do": "stop_poll", "consumer": "c" }"#, "command.unknown_consumer");
}

#[test]
fn a_run_with_faults_is_the_same_forward_and_back() {
    let scenario: Scenario =
        toml::from_str(&format!("name = \"faults\"\ncluster = {{ brokers = 3 }}\n{ONE_TOPIC}")).unwrap();
    let mut run = Run(Timeline::new(scenario, ()).unwrap());
    let steps =
        [("kill_broker", 2), ("pause_broker", 1), ("start_broker", 2), ("resume_broker", 1), ("stop_broker", 3)];
    let mut seen = Vec::new();
    for (number, (what, broker)) in (1..).zip(steps) {
        run.until(number * 7_000);
        run.send("all");
        run.broker(what, broker);
        run.until(number * 7_000 + 3_500);
        seen.push((run.0.now(), run.0.trace_hash(), run.0.snapshot(99)));
    }
    for (time, hash, snapshot) in seen.iter().rev() {
        run.0.seek(*time);
        assert_eq!((run.0.trace_hash(), &run.0.snapshot(99)), (*hash, snapshot), "at {time}");
    }
}

#[test]
fn a_broker_leads_and_answers_nothing_before_the_controller_has_registered_it() {
    let mut run = Run::new(ONE_TOPIC);
    run.send("all");
    run.until(1_000);
    assert_eq!(run.offsets(), [(1, 1); 3]);
    run.broker("kill_broker", 2);
    run.until(2_000);
    run.broker("start_broker", 2);
    // An image comes while the session of the process before lasts: in it, broker 2 still leads.
    run.act(r#"{ "do": "create_topic", "topic": "q", "partitions": 1, "replication_factor": 1 }"#);
    run.send("all");
    run.until(5_000);
    assert!(!run.replica(2).is_leader, "{:?}", run.replica(2));
    assert_eq!(run.replica(3).log_end_offset, 1, "nobody takes records yet");
    run.until(20_000);
    assert!(run.partition("p", 0).leader.is_some_and(|leader| leader != 2));
    assert_eq!(run.offsets(), [(2, 2); 3]);
}
