//! The in-sync set: who leaves it when, who comes back, and what that means for writes.
//!
//! Which replica is elected is tested in `elections.rs`.

use engine::{Command, EventKind, Status};

use crate::run::Run;

/// One partition on brokers 1, 2 and 3 and 100 records a second.
fn steady(configs: &str) -> Run {
    Run::new(&format!(
        r#"
        [[topic]]
        name = "p"
        assignment = [[1, 2, 3]]
        configs = {{ {configs} }}
        [[producer]]
        name = "all"
        configs = {{ "linger.ms" = "0" }}
        workload = {{ topic = "p", value = "v", every = "10 ms", count = 6000 }}
        [[producer]]
        name = "one"
        configs = {{ acks = "1", "linger.ms" = "0" }}
        [[consumer]]
        name = "reader"
        assign = ["p"]
        "#
    ))
}

/// When the in-sync set became this, in milliseconds.
fn isr_times(run: &mut Run, members: &[u32]) -> Vec<u64> {
    run.times(|kind| matches!(kind, EventKind::IsrChanged { isr, .. } if **isr == *members))
}

#[test]
fn a_stuck_follower_leaves_at_45_s_and_a_dead_one_at_11_s() {
    let check = |fault: &str, millis: u64| {
        let mut run = steady("");
        run.until(2_000);
        run.act(fault);
        run.until(50_000);
        assert_eq!(isr_times(&mut run, &[1, 2]), [millis], "{fault}");
        assert!(run.partition("p", 0).high_watermark > 4_900, "{fault}");
    };
    check(r#"{ "do": "hold_fetches", "broker": 3 }"#, 45_000);
    check(r#"{ "do": "cut_link", "from": "broker-1", "to": "broker-3" }"#, 45_000);
    check(r#"{ "do": "kill_broker", "broker": 3 }"#, 11_000);
    check(r#"{ "do": "pause_broker", "broker": 3 }"#, 11_000);
    check(r#"{ "do": "cut_link", "from": "broker-3", "to": "controller" }"#, 11_000);
    check(r#"{ "do": "stop_broker", "broker": 3 }"#, 2_000);
}

#[test]
fn a_follower_that_catches_up_comes_back() {
    let check = |fault: &str, repair: &str| {
        let mut run = steady("");
        run.until(2_000);
        run.act(fault);
        run.until(48_000);
        assert_eq!(run.partition("p", 0).isr, [1, 2], "{fault}");
        run.act(repair);
        run.until(70_000);
        let partition = run.partition("p", 0);
        let mut isr = partition.isr.clone();
        isr.sort_unstable();
        assert_eq!((isr, partition.high_watermark), (vec![1, 2, 3], 6_000), "{fault}");
        assert_eq!(run.offsets(), [(6_000, 6_000); 3], "{fault}");
    };
    check(r#"{ "do": "hold_fetches", "broker": 3 }"#, r#"{ "do": "release_fetches", "broker": 3 }"#);
    check(r#"{ "do": "kill_broker", "broker": 3 }"#, r#"{ "do": "start_broker", "broker": 3 }"#);
    check(r#"{ "do": "stop_broker", "broker": 3 }"#, r#"{ "do": "start_broker", "broker": 3 }"#);
    check(r#"{ "do": "pause_broker", "broker": 3 }"#, r#"{ "do": "resume_broker", "broker": 3 }"#);
    let cut = r#"{ "do": "cut_link", "from": "broker-3", "to": "broker-1" }"#;
    check(cut, r#"{ "do": "heal_link", "from": "broker-1", "to": "broker-3" }"#);
    let cut = r#"{ "do": "cut_link", "from": "controller", "to": "broker-3" }"#;
    check(cut, r#"{ "do": "heal_link", "from": "broker-3", "to": "controller" }"#);
}

#[test]
fn below_min_isr_acks_all_is_refused_and_acks_1_is_stored_but_not_visible() {
    let mut run = steady(r#""min.insync.replicas" = "2""#);
    run.until(2_000);
    run.broker("kill_broker", 3);
    run.broker("kill_broker", 2);
    run.until(12_000);
    assert_eq!(run.state(), "1 [1] [2] []");
    let visible = run.partition("p", 0).high_watermark;
    let sent = run.send("one");
    assert_eq!(sent.status, Status::Done);
    let refusals = |run: &mut Run, text: &str| {
        run.times(|kind| matches!(kind, EventKind::BatchRetried { error, .. } if error.message == text))
    };
    run.until(40_000);
    // What was in flight when the set became too small waits in vain; what comes after it is refused.
    assert_eq!(refusals(&mut run, "The request timed out.")[0], 32_010);
    let text = "Messages are rejected since there are fewer in-sync replicas than required.";
    assert!(refusals(&mut run, text)[0] > 32_010);
    let partition = run.partition("p", 0);
    assert_eq!((partition.high_watermark, partition.log_end_offset > visible), (visible, true));
    run.broker("start_broker", 2);
    run.until(70_000);
    let partition = run.partition("p", 0);
    assert!(partition.high_watermark > sent.record.unwrap().offset.unwrap(), "it appears with the second replica");
    assert!(run.times(|kind| matches!(kind, EventKind::SendFailed { .. })).is_empty(), "nothing had to be given up");
}

#[test]
fn writes_that_are_refused_for_two_minutes_are_given_up() {
    let mut run = steady(r#""min.insync.replicas" = "3""#);
    run.until(2_000);
    run.broker("stop_broker", 3);
    run.until(122_500);
    let failed = run.times(|kind| matches!(kind, EventKind::SendFailed { .. }));
    assert!(failed[0].abs_diff(122_000) <= 100, "{}", failed[0]);
}

#[test]
fn min_isr_is_never_more_than_there_are_replicas() {
    let text = r#"
        [[topic]]
        name = "p"
        assignment = [[2]]
        configs = { "min.insync.replicas" = "2" }
        [[producer]]
        name = "all"
        configs = { "linger.ms" = "0" }
        "#;
    let mut run = Run::new(text);
    assert_eq!(run.send("all").record.unwrap().offset, Some(0));
    assert_eq!(run.partition("p", 0).min_isr, 1);
}

#[test]
fn eligible_leaders_stand_in_while_the_in_sync_set_is_too_small() {
    let text = r#"
        [[topic]]
        name = "p"
        assignment = [[1, 2]]
        configs = { "min.insync.replicas" = "2" }
        "#;
    let mut run = Run::new(text);
    run.until(1_000);
    run.broker("stop_broker", 2);
    assert_eq!(run.state(), "1 [1] [2] []");
    run.until(2_000);
    run.broker("stop_broker", 1);
    assert_eq!(run.state(), "none [] [1, 2] [1]");
    run.until(3_000);
    run.broker("start_broker", 2);
    assert_eq!(run.state(), "2 [2] [1] []");
    assert!(!run.partition("p", 0).is_recovering);
    run.broker("start_broker", 1);
    run.until(4_000);
    assert_eq!(run.state(), "2 [2, 1] [] []");
}

#[test]
fn followers_of_an_idle_partition_that_start_together_all_come_back() {
    let mut run = Run::new("[[topic]]\nname = \"p\"\nassignment = [[1, 2, 3]]");
    run.broker("stop_broker", 2);
    run.broker("stop_broker", 3);
    run.until(10_000);
    assert_eq!(run.partition("p", 0).isr, [1]);
    // Nothing is handled between the two: the second one hears of the first one before it is registered itself.
    for broker in [2, 3] {
        run.0.act(Command::StartBroker { broker }).unwrap();
    }
    run.until(20_000);
    assert_eq!(run.partition("p", 0).isr, [1, 2, 3]);
}

#[test]
fn followers_of_an_idle_partition_come_back_as_those_of_a_busy_one() {
    let check = |faults: [&str; 2], repairs: [&str; 2]| {
        let mut run = Run::new(
            r#"
            [[topic]]
            name = "p"
            assignment = [[1, 2, 3]]
            [network]
            delay = "20 ms"
            "#,
        );
        (2..).zip(faults).for_each(|(broker, fault)| run.broker(fault, broker));
        run.until(20_000);
        assert_eq!(run.partition("p", 0).isr, [1], "{faults:?}");
        [(3, repairs[1]), (2, repairs[0])].into_iter().for_each(|(broker, repair)| run.broker(repair, broker));
        run.until(25_000);
        let mut isr = run.partition("p", 0).isr;
        isr.sort_unstable();
        assert_eq!(isr, [1, 2, 3], "{faults:?}");
    };
    // A broker that starts while another comes back gets an image before it is registered, and fetches with its
    // old epoch.
    check(["pause_broker", "kill_broker"], ["resume_broker", "start_broker"]);
    // The second to come back asks while the leader waits for the controller because of the first.
    check(["pause_broker", "pause_broker"], ["resume_broker", "resume_broker"]);
}
