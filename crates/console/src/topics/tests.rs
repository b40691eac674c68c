//! kafka-topics.sh against a running timeline, in the words that were recorded from Kafka 4.3.1.
//!
//! Options alone are tested beside their parser.

use engine::{Duration, Scenario, Timeline};

use crate::{Printed, run};

fn timeline(delay: Duration) -> Timeline<()> {
    let mut scenario = Scenario::empty(3);
    scenario.network.delay = delay;
    Timeline::new(scenario, ()).expect("an empty scenario is good")
}

/// Runs lines of `kafka-topics.sh` and compares what each left: exit status and standard output, or
/// the first line of standard error where there is one.
fn check(lines: &[(&str, i32, &str)]) {
    let mut timeline = timeline(Duration::ZERO);
    for (line, exit, text) in lines {
        let printed = run(&mut timeline, &format!("kafka-topics.sh --bootstrap-server localhost:9092 {line}"));
        let shown =
            if printed.stderr.is_empty() { &printed.stdout } else { printed.stderr.lines().next().unwrap_or_default() };
        // Ids of topics are random.
        let shown = hide_topic_ids(shown);
        assert_eq!((printed.exit, shown.as_str()), (*exit, *text), "{line}");
    }
}

fn hide_topic_ids(text: &str) -> String {
    let mut parts = text.split("\tTopicId: ");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |shown, part| shown + "\tTopicId: ID" + part.trim_start_matches(|id| id != '\t'))
}

#[test]
fn a_topic_is_created_described_listed_and_deleted() {
    check(&[
        (
            "--create --topic orders --replica-assignment 2:3:1,3:1:2 --config retention.ms=86400000",
            0,
            "Created topic orders.\n",
        ),
        (
            "--describe --topic orders",
            0,
            "Topic: orders\tTopicId: ID\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=1,retention.ms=86400000\n\
             \tTopic: orders\tPartition: 0\tLeader: 2\tReplicas: 2,3,1\tIsr: 2,3,1\tElr: \tLastKnownElr: \n\
             \tTopic: orders\tPartition: 1\tLeader: 3\tReplicas: 3,1,2\tIsr: 3,1,2\tElr: \tLastKnownElr: \n",
        ),
        ("--list", 0, "orders\n"),
        (
            "--create --topic orders --partitions 1",
            1,
            "Error while executing topic command : Topic 'orders' already exists.\n",
        ),
        ("--create --topic orders --partitions 1 --if-not-exists", 0, ""),
        ("--delete --topic orders", 0, ""),
        ("--list", 0, "\n"),
        (
            "--describe --topic orders",
            1,
            "Error while executing topic command : Topic 'orders' does not exist as expected\n",
        ),
        ("--delete --topic orders --if-exists", 0, ""),
    ]);
}

#[test]
fn partitions_are_only_ever_added() {
    let failed = |text: &str| format!("Error while executing topic command : {text}\n");
    check(&[
        ("--create --topic page-views --partitions 3 --replication-factor 3", 0, "Created topic page-views.\n"),
        (
            "--alter --topic page-views --partitions 2",
            1,
            &failed("The topic page-views currently has 3 partition(s); 2 would not be an increase."),
        ),
        ("--alter --topic page-views --partitions 3", 1, &failed("Topic already has 3 partition(s).")),
        (
            "--alter --topic page-views --partitions -1",
            1,
            &failed("The topic page-views currently has 3 partition(s); -1 would not be an increase."),
        ),
        ("--alter --topic page-views --partitions 4", 0, ""),
        (
            "--alter --topic page-views --partitions 5 --replica-assignment 1,1,1,1,1:2:3",
            1,
            &failed("Partition 4 has different replication factor: [1, 2, 3]"),
        ),
        (
            "--alter --topic page-views --partitions 5 --replica-assignment 1:2:3",
            1,
            &failed("Attempted to add 1 additional partition(s), but only 0 assignment(s) were specified."),
        ),
        ("--alter --topic page-views", 1, "Missing required argument \"[partitions]\""),
        ("--alter --topic nope --partitions 5", 1, &failed("Topic 'nope' does not exist as expected")),
    ]);
}

#[test]
fn names_and_numbers_are_refused_in_kafka_words() {
    let failed = |text: &str| format!("Error while executing topic command : {text}\n");
    let warned = |text: &str| format!("{}{text}", super::COLLISION_WARNING);
    check(&[
        (
            "--create --topic a/b",
            1,
            &failed(
                "Topic name is invalid: 'a/b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'",
            ),
        ),
        ("--create --topic ..", 1, &warned(&failed("Topic name is invalid: '..' is not allowed"))),
        ("--create --topic ''", 1, &failed("The given topic name '' cannot be represented in a request.")),
        ("--create --topic web.clicks", 0, &warned("Created topic web.clicks.\n")),
        (
            "--create --topic web_clicks --if-not-exists",
            1,
            &warned(&failed("Topic 'web_clicks' collides with existing topic: web.clicks")),
        ),
        (
            "--create --topic rf --replication-factor 32768",
            1,
            &failed("The replication factor must be between 1 and 32767 inclusive"),
        ),
        (
            "--create --topic rf --replication-factor 4",
            1,
            &failed(
                "Unable to replicate the partition 4 time(s): The target replication factor of 4 cannot be reached because only 3 broker(s) are registered or some brokers have all their log directories cordoned.",
            ),
        ),
        ("--create --topic p0 --partitions 0", 1, &failed("The partitions must be greater than 0")),
        (
            "--create --topic ra --replica-assignment 1:9",
            1,
            &failed("The manual partition assignment includes broker 9, but no such broker is registered."),
        ),
    ]);
}

#[test]
fn filters_choose_partitions() {
    check(&[
        ("--create --topic a --replica-assignment 1,2", 0, "Created topic a.\n"),
        ("--describe --under-replicated-partitions", 0, ""),
        ("--describe --unavailable-partitions", 0, ""),
        (
            "--describe --at-min-isr-partitions --topic a",
            0,
            "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n\
             \tTopic: a\tPartition: 1\tLeader: 2\tReplicas: 2\tIsr: 2\tElr: \tLastKnownElr: \n",
        ),
        (
            "--describe --topics-with-overrides",
            0,
            "Topic: a\tTopicId: ID\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: min.insync.replicas=1\n",
        ),
    ]);
}

#[test]
fn a_tool_waits_until_the_answer_has_crossed_the_network() {
    let mut timeline = timeline(Duration::from_millis(20));
    let line = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders";
    let printed = run(&mut timeline, line);
    assert_eq!(printed, Printed { stdout: "Created topic orders.\n".into(), ..Printed::default() });
    assert!(timeline.now().millis() >= 40, "there and back takes two delays, not {}", timeline.now());
}

#[test]
fn help_and_version_need_no_cluster() {
    let mut timeline = timeline(Duration::ZERO);
    let help = run(&mut timeline, "kafka-topics.sh --help");
    assert_eq!((help.exit, help.stderr.contains("--replica-assignment")), (0, true));
    assert_eq!(run(&mut timeline, "kafka-topics.sh --version").stdout, "4.3.1\n");
    assert_eq!(run(&mut timeline, "kafka-acls.sh --list").exit, 1);
    assert_eq!(run(&mut timeline, "ls").exit, 127);
}
