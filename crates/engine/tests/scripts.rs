//! Scripts and choices of a scenario: commands that come by themselves, and variants of a stage.
//!
//! What the commands do is tested with the nodes that they are for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

use engine::{EventKind, Scenario, Simulation, Time, Timeline};

const STAGE: &str = r#"
    name = "scripted"
    choices = { key = "early" }
    [[topic]]
    name = "events"
    [[producer]]
    name = "p"
    only = ["key=early", "key=late"]
    [[producer]]
    name = "silent"
    only = ["key=never"]
    [[script]]
    at = "1 s"
    command = { do = "send", producer = "p", topic = "events", key = "early", value = "x" }
    only = ["key=early"]
    [[script]]
    at = "2 s"
    command = { do = "send", producer = "p", topic = "events", key = "late", value = "x" }
    only = ["key=late"]
    [[script]]
    at = "3 s"
    command = { do = "close", producer = "p" }
    only = ["key=early", "key=late"]
    [[script]]
    at = "4 s"
    command = { do = "flush", producer = "p" }
    only = ["key=early", "key=late"]
"#;

#[track_caller]
fn check(choice: &str, expected: &[&str]) {
    let mut scenario: Scenario = toml::from_str(STAGE).unwrap();
    scenario.choices.insert("key".to_string(), choice.to_string());
    let mut simulation = Simulation::new(&scenario).unwrap();
    let mut trace = Vec::new();
    simulation.run_until(Time::from_millis(5_000), &mut trace);
    let happened = trace.iter().filter_map(|event| match &event.kind {
        EventKind::CommandApplied { .. } => Some(format!("{} {}", event.moment.time, event.kind)),
        EventKind::CommandFinished { outcome } if outcome.error.is_some() => Some(event.kind.to_string()),
        _ => None,
    });
    assert_eq!(happened.collect::<Vec<_>>(), expected, "{choice}");
}

#[test]
fn a_script_runs_by_itself_and_a_closed_program_runs_no_further() {
    check("early", &["1.000 s As planned: sent early with p.", "3.000 s As planned: closed p."]);
    check("late", &["2.000 s As planned: sent late with p.", "3.000 s As planned: closed p."]);
    check("never", &[]);
}

#[test]
fn a_choice_that_is_not_declared_is_refused() {
    let text = STAGE.replace("key=never", "kee=never");
    let error = Simulation::new(&toml::from_str::<Scenario>(&text).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"kee=never\" is no value of a choice of this scenario. Write NAME=VALUE, with NAME listed in choices. \
         (producer[1].only)"
    );
}

#[test]
fn acting_does_not_stop_a_script() {
    let mut timeline = Timeline::new(toml::from_str(STAGE).unwrap(), ()).unwrap();
    timeline.advance_to(Time::from_millis(500));
    let flush = engine::Command::Flush { producer: "p".to_string(), timeout_ms: None };
    timeline.act(flush).unwrap();
    timeline.advance_to(Time::from_millis(2_000));
    assert_eq!(timeline.snapshot(9).topics[0].partitions[0].log_end_offset, 1);
}

/// Two requests of one record each, sent over a connection that the first of them finds broken: both are lost and
/// both are sent again, in order.
#[test]
fn what_was_sent_behind_a_request_that_found_a_broken_connection_is_lost_with_it() {
    let stage = r#"
        name = "broken"
        [network]
        delay = "5 ms"
        [[topic]]
        name = "events"
        [[producer]]
        name = "p"
        configs = { "batch.size" = "1", "linger.ms" = "0" }
        [[script]]
        at = "1 s"
        command = { do = "disconnect", producer = "p" }
        [[script]]
        at = "1 s"
        command = { do = "send", producer = "p", topic = "events", value = "1" }
        [[script]]
        at = "1 s"
        command = { do = "send", producer = "p", topic = "events", value = "2" }
    "#;
    let mut timeline = Timeline::new(toml::from_str(stage).unwrap(), ()).unwrap();
    // Metadata is known before: the producer has sent a record.
    let first = r#"{ "do": "send", "producer": "p", "topic": "events", "value": "0" }"#;
    timeline.act(serde_json::from_str(first).unwrap()).unwrap();
    timeline.advance_to(Time::from_millis(5_000));
    let lost = timeline.events(
        Time::ZERO,
        Time::MAX,
        999,
        &|event| matches!(&event.kind, EventKind::MessageLost { message } if !message.batches.is_empty()),
    );
    assert_eq!(lost.len(), 2);
    let records = &timeline.snapshot(9).topics[0].partitions[0].records;
    let values: Vec<_> = records.iter().map(|record| record.record.value.as_deref().unwrap_or_default()).collect();
    assert_eq!(values, ["0", "1", "2"]);
}
