//! Sequences of lines and faults that were recorded from Kafka 4.3.1, against a running cluster.
//!
//! Each step is data: a line with all that it printed, or something that happens in between.

use std::collections::BTreeMap;

use engine::{Command, Duration, Scenario, Timeline};

use crate::{Input, run_with};

/// A step of a sequence.
enum Step {
    /// A line (without the broker to connect to), its status, its standard output and its standard error.
    Line(&'static str, i32, String, String),
    /// A command of the stage.
    Act(Box<Command>),
    /// Simulated seconds.
    Wait(u64),
}

/// Settings of the recorded cluster, so that faults are noticed within seconds.
const CLUSTER: [(&str, &str); 5] = [
    ("broker.heartbeat.interval.ms", "500"),
    ("broker.session.timeout.ms", "3000"),
    ("replica.lag.time.max.ms", "4000"),
    ("auto.leader.rebalance.enable", "false"),
    ("replica.high.watermark.checkpoint.interval.ms", "500"),
];

fn check(files: &[(&str, &str)], steps: Vec<Step>) {
    let mut scenario = Scenario::empty(3);
    scenario.cluster.configs = CLUSTER.map(|(name, value)| (name.to_string(), value.to_string())).into();
    let mut timeline = Timeline::new(scenario, ()).expect("a good scenario");
    timeline.advance_to(engine::Time::ZERO);
    let files = files.iter().map(|(name, content)| (name.to_string(), content.to_string()));
    let input = Input { lines: Vec::new(), files: files.collect::<BTreeMap<_, _>>() };
    for (number, step) in steps.into_iter().enumerate() {
        match step {
            Step::Act(command) => drop(timeline.act(*command).expect("a good command")),
            Step::Wait(seconds) => {
                let later = timeline.now() + Duration::from_secs(seconds);
                timeline.advance_to(later);
            }
            Step::Line(line, exit, stdout, stderr) => {
                let (tool, arguments) = line.split_once(' ').expect("a tool and its arguments");
                // Only this one works on files and asks nobody.
                let server = if tool == "kafka-dump-log.sh" { "" } else { "--bootstrap-server b " };
                let line = format!("{tool} {server}{arguments}");
                let printed = run_with(&mut timeline, &line, &input);
                let shown = hide_topic_ids(&printed.stdout);
                assert_eq!((printed.exit, shown, printed.stderr), (exit, stdout, stderr), "step {number} {line}");
            }
        }
    }
}

fn hide_topic_ids(text: &str) -> String {
    let mut parts = text.split("\tTopicId: ");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |shown, part| shown + "\tTopicId: ID" + part.trim_start_matches(|id| id != '\t'))
}

fn line(line: &'static str, stdout: &str) -> Step {
    Step::Line(line, 0, stdout.to_string(), String::new())
}

/// A partition as `--describe` shows it: leader, replicas, in-sync replicas, eligible and last leaders.
fn partition(topic: &str, number: u32, fields: [&str; 5]) -> String {
    let [leader, replicas, isr, elr, last] = fields;
    format!(
        "\tTopic: {topic}\tPartition: {number}\tLeader: {leader}\tReplicas: {replicas}\tIsr: {isr}\tElr: {elr}\tLastKnownElr: {last}\n"
    )
}

fn topic(name: &str, partitions: u32, factor: u32, configs: &str) -> String {
    format!(
        "Topic: {name}\tTopicId: ID\tPartitionCount: {partitions}\tReplicationFactor: {factor}\tConfigs: {configs}\n"
    )
}

#[test]
fn a_broker_that_stands_still_leaves_its_marks_in_the_description() {
    let d2 = |leader: &str, isr: &str, elr: &str| {
        partition("d2", 0, [leader, "3", isr, elr, elr]) + &partition("d2", 1, ["1", "1", "1", "", ""])
    };
    let d3 = partition("d3", 0, ["1", "3,1", "1", "3", ""]) + &partition("d3", 1, ["1", "1,3", "1", "3", ""]);
    let lost = partition("d2", 0, ["none", "3", "", "3", "3"]);
    check(
        &[],
        vec![
            line("kafka-topics.sh --create --topic d2 --replica-assignment 3,1", "Created topic d2.\n"),
            line(
                "kafka-topics.sh --create --topic d3 --replica-assignment 3:1,1:3 --config min.insync.replicas=2",
                "Created topic d3.\n",
            ),
            Step::Act(Box::new(Command::PauseBroker { broker: 3 })),
            Step::Wait(10),
            line(
                "kafka-topics.sh --describe --topic d2",
                &(topic("d2", 2, 1, "min.insync.replicas=1") + &d2("none", "", "3")),
            ),
            line("kafka-topics.sh --describe --topic d3", &(topic("d3", 2, 2, "min.insync.replicas=2") + &d3)),
            line("kafka-topics.sh --describe --topic d. --under-replicated-partitions", &format!("{lost}{d3}")),
            line("kafka-topics.sh --describe --topic d. --unavailable-partitions", &lost),
            line("kafka-topics.sh --describe --topic d. --under-min-isr-partitions", &format!("{lost}{d3}")),
            line(
                "kafka-topics.sh --describe --topic d. --at-min-isr-partitions",
                &partition("d2", 1, ["1", "1", "1", "", ""]),
            ),
            Step::Act(Box::new(Command::ResumeBroker { broker: 3 })),
            Step::Wait(10),
            line(
                "kafka-topics.sh --describe --topic d2",
                &(topic("d2", 2, 1, "min.insync.replicas=1") + &d2("3", "3", "")),
            ),
        ],
    );
}

#[test]
fn elections_by_hand_are_told_partition_by_partition() {
    let elect = "kafka-leader-election.sh --election-type preferred --topic le --partition 0";
    let unavailable =
        "org.apache.kafka.common.errors.PreferredLeaderNotAvailableException: The preferred leader was not available.";
    let unknown = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: No such topic as nope";
    let failed = |partition: &str, error: &str| {
        (
            format!("Error completing leader election (PREFERRED) for partition: {partition}: {error}\n"),
            format!(
                "1 replica(s) could not be elected\norg.apache.kafka.tools.AdminCommandFailedException: 1 replica(s) could not be elected\n\tSuppressed: {error}\n"
            ),
        )
    };
    let (gone, gone_stderr) = failed("le-0", unavailable);
    let (nope, nope_stderr) = failed("nope-0", unknown);
    check(
        &[("plan.json", "{\"partitions\":[{\"topic\":\"le\",\"partition\":0},{\"topic\":\"le\",\"partition\":1}]}")],
        vec![
            line("kafka-topics.sh --create --topic le --replica-assignment 3:1:2,1:2:3,2:3:1", "Created topic le.\n"),
            line(elect, "Valid replica already elected for partitions le-0\n"),
            Step::Act(Box::new(Command::PauseBroker { broker: 3 })),
            Step::Wait(10),
            Step::Line(elect, 1, gone, gone_stderr),
            Step::Act(Box::new(Command::ResumeBroker { broker: 3 })),
            Step::Wait(10),
            line(elect, "Successfully completed leader election (PREFERRED) for partitions le-0\n"),
            line(
                "kafka-leader-election.sh --election-type unclean --topic le --partition 0",
                "Valid replica already elected for partitions le-0\n",
            ),
            Step::Line(
                "kafka-leader-election.sh --election-type preferred --topic nope --partition 0",
                1,
                nope,
                nope_stderr,
            ),
            line(
                "kafka-leader-election.sh --election-type preferred --path-to-json-file plan.json",
                "Valid replica already elected for partitions le-1, le-0\n",
            ),
        ],
    );
}

const PLAN: &str = r#"{"version":1,"partitions":[{"topic":"payments","partition":0,"replicas":[3,2]},{"topic":"payments","partition":1,"replicas":[2,3]}]}"#;

#[test]
fn a_plan_is_executed_and_verified() {
    let cleared =
        "\nClearing broker-level throttles on brokers 1,2,3\nClearing topic-level throttles on topic payments\n";
    let current = r#"{"version":1,"partitions":[{"topic":"payments","partition":0,"replicas":[1,2],"log_dirs":["/var/lib/kafka/data-1","/var/lib/kafka/data-2"]},{"topic":"payments","partition":1,"replicas":[2,1],"log_dirs":["/var/lib/kafka/data-2","/var/lib/kafka/data-1"]}]}"#;
    let verify = "kafka-reassign-partitions.sh --reassignment-json-file plan.json --verify";
    let limited = "Dynamic configs for topic payments are:\n";
    check(
        &[("plan.json", PLAN)],
        vec![
            line("kafka-topics.sh --create --topic payments --replica-assignment 1:2,2:1", "Created topic payments.\n"),
            line(
                verify,
                &format!(
                    "Status of partition reassignment:\nThere is no active reassignment of partition payments-0, but replica set is 1,2 rather than 3,2.\nThere is no active reassignment of partition payments-1, but replica set is 2,1 rather than 2,3.\n{cleared}"
                ),
            ),
            line(
                "kafka-reassign-partitions.sh --reassignment-json-file plan.json --execute --throttle 1000000",
                &format!(
                    "Current partition replica assignment\n\n{current}\n\nSave this to use as the --reassignment-json-file option during rollback\nWarning: You must run --verify periodically, until the reassignment completes, to ensure the throttle is removed.\nThe inter-broker throttle limit was set to 1000000 B/s\nSuccessfully started partition reassignments for payments-0,payments-1\n"
                ),
            ),
            Step::Wait(5),
            line(
                "kafka-configs.sh --describe --topic payments",
                &format!(
                    "{limited}  follower.replication.throttled.replicas=0:3,1:3 sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:follower.replication.throttled.replicas=0:3,1:3}}\n  leader.replication.throttled.replicas=0:1,0:2,1:1,1:2 sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:leader.replication.throttled.replicas=0:1,0:2,1:1,1:2}}\n"
                ),
            ),
            line(
                verify,
                &format!(
                    "Status of partition reassignment:\nReassignment of partition payments-0 is completed.\nReassignment of partition payments-1 is completed.\n{cleared}"
                ),
            ),
            line("kafka-reassign-partitions.sh --list", "No partition reassignments found.\n"),
            line("kafka-configs.sh --describe --broker 1", "Dynamic configs for broker 1 are:\n"),
            line("kafka-configs.sh --describe --topic payments", limited),
            line(
                "kafka-reassign-partitions.sh --cancel --preserve-throttles --reassignment-json-file plan.json",
                "None of the specified partition reassignments are active.\nNone of the specified partition moves are active.",
            ),
        ],
    );
}

#[test]
fn a_move_that_goes_on_is_listed_and_taken_back() {
    let plan = r#"{"partitions":[{"topic":"t","partition":0,"replicas":[1]}]}"#;
    let moving = "\tTopic: t\tPartition: 0\tLeader: 3\tReplicas: 1,3\tIsr: 3\tAdding Replicas: 1\tRemoving Replicas: 3\tElr: \tLastKnownElr: \n";
    check(
        &[("plan.json", plan)],
        vec![
            line("kafka-topics.sh --create --topic t --replica-assignment 3", "Created topic t.\n"),
            Step::Act(Box::new(Command::HoldFetches { broker: 1 })),
            line(
                "kafka-reassign-partitions.sh --reassignment-json-file plan.json --execute",
                "Current partition replica assignment\n\n{\"version\":1,\"partitions\":[{\"topic\":\"t\",\"partition\":0,\"replicas\":[3],\"log_dirs\":[\"/var/lib/kafka/data-3\"]}]}\n\nSave this to use as the --reassignment-json-file option during rollback\nSuccessfully started partition reassignment for t-0\n",
            ),
            line("kafka-topics.sh --describe --topic t", &(topic("t", 1, 1, "min.insync.replicas=1") + moving)),
            line(
                "kafka-reassign-partitions.sh --list",
                "Current partition reassignments:\nt-0: replicas: 1,3. adding: 1. removing: 3.\n",
            ),
            line(
                "kafka-reassign-partitions.sh --reassignment-json-file plan.json --verify",
                "Status of partition reassignment:\nReassignment of partition t-0 is still in progress.\n\n",
            ),
            Step::Line(
                "kafka-reassign-partitions.sh --reassignment-json-file plan.json --execute",
                1,
                "Cannot execute because there is an existing partition assignment.  Use --additional to override this and create a new partition assignment in addition to the existing one. The --additional flag can also be used to change the throttle by resubmitting the current reassignment.\n".to_string(),
                String::new(),
            ),
            line(
                "kafka-reassign-partitions.sh --cancel --preserve-throttles --reassignment-json-file plan.json",
                "Successfully cancelled partition reassignment for: t-0\nNone of the specified partition moves are active.",
            ),
            line(
                "kafka-topics.sh --describe --topic t",
                &(topic("t", 1, 1, "min.insync.replicas=1") + &partition("t", 0, ["3", "3", "3", "", ""])),
            ),
        ],
    );
}

#[test]
fn records_are_counted_and_their_files_shown() {
    let folder = "/var/lib/kafka/data-1/go-0";
    let send = |value: &str| {
        Step::Act(Box::new(Command::Send {
            producer: "p".to_string(),
            topic: "go".to_string(),
            key: Some("k".to_string()),
            key_encoding: None,
            value_encoding: None,
            value: Some(value.to_string()),
            value_bytes: None,
            partition: None,
            timestamp_ms: Some(0),
            headers: Vec::new(),
        }))
    };
    let start = Command::Producer(engine::scenario::ProducerSpec {
        name: "p".to_string(),
        client: "java".to_string(),
        configs: BTreeMap::from([
            ("linger.ms".to_string(), "0".to_string()),
            ("enable.idempotence".to_string(), "false".to_string()),
        ]),
        workload: None,
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    });
    let batch = |offset: u32, position: u32, crc: u32| {
        format!(
            "baseOffset: {offset} lastOffset: {offset} count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: {position} CreateTime: 1767225600000 size: 70 magic: 2 compresscodec: none crc: {crc} isvalid: true\n| offset: {offset} CreateTime: 1767225600000 keySize: 1 valueSize: 1 sequence: -1 headerKeys: [] key: k payload: {}\n",
            offset + 1
        )
    };
    check(
        &[],
        vec![
            line("kafka-topics.sh --create --topic go --replica-assignment 1:2:3", "Created topic go.\n"),
            Step::Act(Box::new(start)),
            send("1"),
            Step::Wait(1),
            send("2"),
            Step::Wait(1),
            line("kafka-get-offsets.sh --topic go", "go:0:2\n"),
            line("kafka-get-offsets.sh --topic-partitions go:0-1 --time earliest", "go:0:0\n"),
            line("kafka-get-offsets.sh --topic go --time max-timestamp", "go:0:0\n"),
            line(
                "kafka-dump-log.sh --print-data-log --files /var/lib/kafka/data-1/go-0/00000000000000000000.log",
                &format!(
                    "Dumping {folder}/00000000000000000000.log\nLog starting offset: 0\n{}{}",
                    batch(0, 0, 1_042_420_897),
                    batch(1, 70, 180_730_936)
                ),
            ),
            line(
                "kafka-dump-log.sh --files go-0/00000000000000000000.index",
                "Dumping go-0/00000000000000000000.index\noffset: 0 position: 0\n",
            ),
            line(
                "kafka-log-dirs.sh --describe --broker-list 2 --topic-list go",
                "Querying brokers for log directories information\nReceived log directory information from brokers 2\n{\"brokers\":[{\"broker\":2,\"logDirs\":[{\"partitions\":[{\"partition\":\"go-0\",\"size\":140,\"offsetLag\":0,\"isFuture\":false}],\"error\":null,\"logDir\":\"/var/lib/kafka/data-2\"}]}],\"version\":1}\n",
            ),
        ],
    );
}
