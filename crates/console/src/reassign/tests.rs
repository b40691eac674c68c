//! kafka-reassign-partitions.sh: plans and refusals, in the words that were recorded from Kafka 4.3.1.
//!
//! Moves that run are tested where the engine is.

use engine::{Scenario, Timeline};

use super::plan::{check_to_execute, targets, to_json};
use crate::{Printed, run};
use engine::command::PartitionName;

fn check_plan(json: &str, expected: &str) {
    let checked = targets(json).and_then(|targets| check_to_execute(&targets));
    let text = match checked {
        Ok(()) => String::new(),
        Err(stop) => stop.print(super::OPTIONS, &mut Printed::default()).map(|error| error.line()).unwrap_or_default(),
    };
    assert_eq!(text, expected, "{json}");
}

#[test]
fn plans_are_checked_before_anybody_is_asked() {
    let plan = |entries: &str| format!("{{\"version\":1,\"partitions\":[{entries}]}}");
    let entry = |replicas: &str| format!("{{\"topic\":\"payments\",\"partition\":0,\"replicas\":[{replicas}]}}");
    let failed = |text: &str| format!("org.apache.kafka.tools.AdminCommandFailedException: {text}");
    check_plan(&plan(&entry("1,2")), "");
    check_plan(
        &plan(&entry("3,3")),
        &failed(
            "Partition replica lists may not contain duplicate entries: payments-0 contains multiple entries for 3",
        ),
    );
    check_plan(&plan(&entry("")), &failed("Partition replica list cannot be empty"));
    check_plan(&plan(""), &failed("Partition reassignment list cannot be empty"));
    check_plan(
        &plan(&format!("{},{}", entry("1,2"), entry("2,1"))),
        &failed("Partition reassignment contains duplicate topic partitions: payments-0"),
    );
    check_plan(
        "{\"version\":2}",
        "org.apache.kafka.tools.AdminOperationException: Not supported version field value 2",
    );
}

#[test]
fn an_assignment_is_written_as_kafka_writes_it() {
    let partition = |partition| PartitionName { topic: "payments".to_string(), partition };
    let assignment = [(partition(1), vec![2, 1]), (partition(0), vec![1, 2])];
    assert_eq!(
        to_json(&assignment, true),
        r#"{"version":1,"partitions":[{"topic":"payments","partition":0,"replicas":[1,2],"log_dirs":["/var/lib/kafka/data-1","/var/lib/kafka/data-2"]},{"topic":"payments","partition":1,"replicas":[2,1],"log_dirs":["/var/lib/kafka/data-2","/var/lib/kafka/data-1"]}]}"#
    );
}

#[test]
fn lines_are_answered_with_the_tools_words() {
    let mut timeline = Timeline::new(Scenario::empty(3), ()).expect("an empty scenario is good");
    timeline.advance_to(engine::Time::ZERO);
    run(&mut timeline, "kafka-topics.sh --bootstrap-server b --create --topic payments --replica-assignment 1:2,2:1");
    let mut check = |line: &str, exit: i32, stdout: &str, stderr: &str| {
        let printed = run(&mut timeline, &format!("kafka-reassign-partitions.sh --bootstrap-server b {line}"));
        let first = printed.stderr.lines().next().unwrap_or_default();
        assert_eq!((printed.exit, printed.stdout.as_str(), first), (exit, stdout, stderr), "{line}");
    };
    check("--list", 0, "No partition reassignments found.\n", "");
    check("--execute", 1, "", "Missing required argument \"[reassignment-json-file]\"");
    check(
        "--execute --list",
        1,
        "",
        "Command must include exactly one action: --generate, --execute, --verify, --cancel, --list",
    );
    check("--list --throttle 5", 1, "", "Option \"[throttle]\" can't be used with action \"[list]\"");
    check(
        "--execute --reassignment-json-file plan.json",
        1,
        "Error: plan.json\njava.nio.file.NoSuchFileException: plan.json\n\n",
        "",
    );
    let plan = |topic: &str, partition: u32, replicas: &str| {
        format!(
            "--execute --reassignment-json-file '{{\"version\":1,\"partitions\":[{{\"topic\":\"{topic}\",\"partition\":{partition},\"replicas\":[{replicas}]}}]}}'"
        )
    };
    check(
        &plan("payments", 0, "9,2"),
        1,
        "Error: Unknown broker id 9\norg.apache.kafka.tools.AdminCommandFailedException: Unknown broker id 9\n\n",
        "",
    );
    for (line, text) in [
        (plan("payments", 9, "1,2"), "Unable to find partition: payments-9"),
        (plan("nope", 0, "1,2"), "Topic nope not found."),
    ] {
        let inner = format!("org.apache.kafka.common.errors.UnknownTopicOrPartitionException: {text}");
        let stdout =
            format!("Error: {inner}\njava.util.concurrent.ExecutionException: {inner}\nCaused by: {inner}\n\n");
        check(&line, 1, &stdout, "");
    }
    check(
        "--verify --preserve-throttles --reassignment-json-file '{\"partitions\":[{\"topic\":\"payments\",\"partition\":0,\"replicas\":[3,2]},{\"topic\":\"payments\",\"partition\":1,\"replicas\":[2,1]}]}'",
        0,
        "Status of partition reassignment:\n\
         There is no active reassignment of partition payments-0, but replica set is 1,2 rather than 3,2.\n\
         Reassignment of partition payments-1 is completed.\n\n",
        "",
    );
    check(
        "--cancel --preserve-throttles --reassignment-json-file '{\"partitions\":[{\"topic\":\"payments\",\"partition\":0,\"replicas\":[3,2]}]}'",
        0,
        "None of the specified partition reassignments are active.\nNone of the specified partition moves are active.",
        "",
    );
}
