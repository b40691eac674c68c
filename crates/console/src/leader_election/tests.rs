//! kafka-leader-election.sh: arguments and reports, in the words that were recorded from Kafka 4.3.1.
//!
//! The elections themselves are the engine's.

use std::collections::BTreeMap;

use engine::KafkaError;
use engine::command::{ElectionKind, PartitionName, PartitionOutcome};

use super::arguments::{Arguments, OPTIONS};
use super::report;
use crate::{Input, Printed};

fn check_refused(line: &str, stderr: &str) {
    let words: Vec<String> = format!("--bootstrap-server b {line}").split_whitespace().map(str::to_string).collect();
    let mut printed = Printed::default();
    let stop = Arguments::read(&words, &Input::default()).expect_err(line);
    let exception = stop.print(OPTIONS, &mut printed).expect("an exception");
    assert_eq!(format!("{}\n{}", exception.text(), exception.trace()), stderr, "{line}");
}

#[test]
fn arguments_that_do_not_go_together_are_refused() {
    let failed = |text: &str| format!("{text}\norg.apache.kafka.tools.AdminCommandFailedException: {text}\n");
    for (line, text) in [
        (
            "--election-type preferred",
            "One and only one of the following options is required: topic, all-topic-partitions, path-to-json-file",
        ),
        ("--election-type preferred --topic le", "Missing required option(s): partition"),
        ("--topic le --partition 0", "Missing required option(s): election-type"),
        (
            "--election-type preferred --all-topic-partitions --partition 0",
            "Option partition is only allowed if topic is used",
        ),
    ] {
        check_refused(line, &failed(text));
    }
    check_refused(
        "--election-type foo --topic le --partition 0",
        "Cannot parse argument 'foo' of option election-type\n\
         joptsimple.OptionArgumentConversionException: Cannot parse argument 'foo' of option election-type\n\
         Caused by: joptsimple.ValueConversionException: Value [foo] is not one of [[PREFERRED,UNCLEAN]]\n",
    );
}

#[test]
fn partitions_come_from_a_json_file() {
    let json = r#"{"partitions":[{"topic":"le","partition":0},{"topic":"le","partition":1}]}"#;
    let files = BTreeMap::from([("plan.json".to_string(), json.to_string())]);
    let line = "--bootstrap-server b --election-type UNCLEAN --path-to-json-file plan.json";
    let words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let arguments = Arguments::read(&words, &Input { lines: Vec::new(), files }).expect("good arguments");
    let partition = |partition| PartitionName { topic: "le".to_string(), partition };
    assert_eq!(arguments.election, ElectionKind::Unclean);
    assert_eq!(arguments.partitions, Some(vec![partition(0), partition(1)]));
}

/// Topic, partition, and the name, class and text of an error.
type Case<'a> = (&'a str, u32, Option<(&'a str, &'a str, &'a str)>);

fn check_report(outcomes: &[Case<'_>], stdout: &str, stderr: Option<&str>) {
    let outcomes = outcomes.iter().map(|(topic, partition, error)| PartitionOutcome {
        partition: PartitionName { topic: topic.to_string(), partition: *partition },
        error: error.map(|(name, class, text)| KafkaError::new(name, class, text)),
        low_watermark: None,
    });
    let mut printed = Printed::default();
    let stop = report(ElectionKind::Preferred, outcomes.collect(), &mut printed).err();
    let exception = stop.and_then(|stop| stop.print(OPTIONS, &mut printed));
    assert_eq!(printed.stdout, stdout);
    assert_eq!(exception.map(|exception| format!("{}\n{}", exception.text(), exception.trace())).as_deref(), stderr);
}

#[test]
fn each_partition_is_reported() {
    let not_needed = Some(("ELECTION_NOT_NEEDED", "ElectionNotNeededException", "Leader election not needed."));
    check_report(&[("le", 0, None)], "Successfully completed leader election (PREFERRED) for partitions le-0\n", None);
    check_report(
        &[("le", 0, not_needed), ("le", 1, not_needed)],
        "Valid replica already elected for partitions le-1, le-0\n",
        None,
    );
    let gone = ("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", "No such partition as le-9");
    check_report(
        &[("le", 9, Some(gone))],
        "Error completing leader election (PREFERRED) for partition: le-9: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: No such partition as le-9\n",
        Some(
            "1 replica(s) could not be elected\n\
             org.apache.kafka.tools.AdminCommandFailedException: 1 replica(s) could not be elected\n\
             \tSuppressed: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: No such partition as le-9\n",
        ),
    );
}
