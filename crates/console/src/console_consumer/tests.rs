//! kafka-console-consumer.sh against a running timeline.
//!
//! How a record is printed is tested beside the formatter.

use engine::{Scenario, Timeline};

use crate::run;

fn timeline() -> Timeline<()> {
    let mut timeline = Timeline::new(Scenario::empty(3), ()).expect("an empty scenario is good");
    timeline.advance_to(engine::Time::ZERO);
    run(&mut timeline, "kafka-topics.sh --bootstrap-server b --create --topic orders --partitions 2");
    let lines = "kafka-console-producer.sh --bootstrap-server b --topic orders --reader-property parse.key=true --reader-property key.separator=:\na:1\nb:2\na:3\nb:4";
    assert_eq!(run(&mut timeline, lines).stderr, "");
    timeline
}

fn check(line: &str, stdout: &str, count: u32) {
    let printed = run(&mut timeline(), &format!("kafka-console-consumer.sh --bootstrap-server b {line}"));
    let mut lines: Vec<&str> = printed.stdout.lines().collect();
    lines.sort();
    let told = format!("Processed a total of {count} messages\n");
    assert_eq!((printed.exit, lines.join(" ").as_str(), printed.stderr), (0, stdout, told), "{line}");
}

#[test]
fn records_are_printed_until_the_end_that_was_asked_for() {
    check("--topic orders --from-beginning --timeout-ms 1000", "1 2 3 4", 4);
    check("--include or.* --from-beginning --max-messages 4", "1 2 3 4", 4);
    check(
        "--topic orders --from-beginning --timeout-ms 0 --formatter-property print.key=true --formatter-property key.separator==",
        "a=1 a=3 b=2 b=4",
        4,
    );
    check("--topic orders --timeout-ms 500", "", 0);
    check("--topic nothing --timeout-ms 500 --from-beginning", "", 0);
}

#[test]
fn the_records_of_one_partition_keep_their_order() {
    let mut timeline = timeline();
    let mut read = |from: &str| {
        let line =
            format!("kafka-console-consumer.sh --bootstrap-server b --topic orders --partition {from} --timeout-ms 0");
        run(&mut timeline, &line).stdout
    };
    let all = read("0 --from-beginning") + &read("1 --from-beginning");
    assert!(all.find('1') < all.find('3') && all.find('2') < all.find('4'), "{all}");
    assert_eq!(read("0 --offset latest"), "");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let mut timeline = timeline();
    let mut check = |line: &str, first: &str| {
        let printed = run(&mut timeline, &format!("kafka-console-consumer.sh {line}"));
        assert_eq!((printed.exit, printed.stderr.lines().next()), (1, Some(first)), "{line}");
    };
    check("--topic a", "Missing required argument \"[bootstrap-server]\"");
    check("--bootstrap-server b", "Exactly one of the following arguments is required: [topic], [include]");
    check("--topic a --offset 5", "The partition is required when offset is specified.");
    check(
        "--bootstrap-server b --topic a --partition 0 --offset -1",
        "The provided offset value '-1' is incorrect. Valid values are 'earliest', 'latest', or a non-negative long.",
    );
    check(
        "--bootstrap-server b --topic a --from-beginning --command-property auto.offset.reset=latest",
        "Can't simultaneously specify --from-beginning and 'auto.offset.reset=latest', please remove one option",
    );
    check(
        "--bootstrap-server b --topic a --group g",
        "Consumer groups are not in this console yet: leave the group out to read without one.",
    );
}
