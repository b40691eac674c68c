//! kafka-console-producer.sh against a running timeline.
//!
//! How a line is read is tested beside the reader.

use engine::{Scenario, Timeline};

use super::arguments::Arguments;
use crate::{Input, run, run_with};

fn timeline() -> Timeline<()> {
    let mut timeline = Timeline::new(Scenario::empty(3), ()).expect("an empty scenario is good");
    timeline.advance_to(engine::Time::ZERO);
    run(&mut timeline, "kafka-topics.sh --bootstrap-server b --create --topic orders --partitions 1");
    timeline
}

#[test]
fn typed_lines_become_records() {
    let mut timeline = timeline();
    let lines = ["a:1".to_string(), "b:2".to_string()].to_vec();
    let input = Input { lines, ..Input::default() };
    let line = "kafka-console-producer.sh --bootstrap-server b --topic orders --reader-property parse.key=true --reader-property key.separator=:";
    let printed = run_with(&mut timeline, line, &input);
    assert_eq!((printed.exit, printed.stdout.as_str(), printed.stderr.as_str()), (0, "", ""));
    let snapshot = timeline.snapshot(10);
    let records: Vec<(Option<&str>, Option<&str>)> = snapshot.topics[0].partitions[0]
        .records
        .iter()
        .map(|found| (found.record.key_text.as_deref(), found.record.value.as_deref()))
        .collect();
    assert_eq!(records, [(Some("a"), Some("1")), (Some("b"), Some("2"))]);
}

#[test]
fn a_line_without_its_separator_ends_the_tool_after_the_lines_before_it() {
    let mut timeline = timeline();
    let line = "kafka-console-producer.sh --bootstrap-server b --topic orders --property parse.key=true\na\t1\nb\nc\t3";
    let printed = run(&mut timeline, line);
    assert_eq!(printed.exit, 1);
    assert_eq!(
        printed.stdout,
        "Option --property is deprecated and will be removed in a future version. Use --reader-property instead.\n"
    );
    assert_eq!(
        printed.stderr,
        "org.apache.kafka.common.KafkaException: No key separator found on line number 2: 'b'\n"
    );
    assert_eq!(timeline.snapshot(10).topics[0].partitions[0].records.len(), 1);
}

fn check_settings(line: &str, expected: &[(&str, &str)]) {
    let words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let arguments = Arguments::read(&words, &Input::default()).expect(line);
    for (name, value) in expected {
        assert_eq!(arguments.producer.get(*name).map(String::as_str), Some(*value), "{line} {name}");
    }
}

#[test]
fn options_become_producer_settings() {
    let all = "--bootstrap-server b --topic t";
    check_settings(all, &[("linger.ms", "1000"), ("acks", "-1"), ("retries", "3"), ("client.id", "console-producer")]);
    check_settings(
        &format!("{all} --command-property linger.ms=5 --timeout 7 --compression-codec"),
        &[("linger.ms", "7"), ("compression.type", "gzip")],
    );
    check_settings(&format!("{all} --command-property linger.ms=5"), &[("linger.ms", "5")]);
}

#[test]
fn options_that_are_missing_or_wrong_are_told() {
    let mut timeline = timeline();
    let mut check = |line: &str, first: &str| {
        let printed = run(&mut timeline, &format!("kafka-console-producer.sh {line}"));
        assert_eq!((printed.exit, printed.stderr.lines().next()), (1, Some(first)), "{line}");
    };
    check("--bootstrap-server b", "Missing required argument \"[topic]\"");
    check("--nope", "nope is not a recognized option");
    check("--bootstrap-server b --topic t --timeout x", "Cannot parse argument 'x' of option timeout");
}
