//! kafka-transactions.sh against a running cluster: what it prints, and what it changes.
//!
//! Wrapped lines and suggestions are tested in `suggestion.rs`.

use engine::{Command, Scenario, Timeline};

/// A cluster with an open transaction of `cli-tx-1` on both partitions of `t`.
fn cluster() -> Timeline<()> {
    let text = r#"{ "name": "c",
        "cluster": { "brokers": 3, "coordinators": { "cli-tx-1": 1 }, "first_producer_id": 4001 },
        "topic": [{ "name": "t", "assignment": [[1, 2, 3], [2, 3, 1]] }],
        "producer": [{ "name": "p", "configs": { "transactional.id": "cli-tx-1" } }] }"#;
    let scenario: Scenario = serde_json::from_str(text).expect("a good scenario");
    let mut timeline = Timeline::new(scenario, ()).expect("a good scenario");
    for json in [
        r#"{ "do": "init_transactions", "producer": "p" }"#,
        r#"{ "do": "begin_transaction", "producer": "p" }"#,
        r#"{ "do": "send", "producer": "p", "topic": "t", "partition": 0, "value": "v" }"#,
        r#"{ "do": "send", "producer": "p", "topic": "t", "partition": 1, "value": "v" }"#,
    ] {
        let command: Command = serde_json::from_str(json).expect("a good command");
        timeline.act(command).expect("a good command");
        let later = timeline.now() + engine::Duration::from_millis(500);
        timeline.advance_to(later);
    }
    timeline
}

fn check(timeline: &mut Timeline<()>, line: &str, exit: i32, stdout: &str, stderr: &str) {
    let printed = crate::run(timeline, &format!("kafka-transactions.sh --bootstrap-server b {line}"));
    assert_eq!((printed.exit, printed.stdout.as_str(), printed.stderr.as_str()), (exit, stdout, stderr), "{line}");
}

#[test]
fn ids_and_producers_are_printed_as_tables() {
    let mut timeline = cluster();
    let headers = "TransactionalId\tCoordinator\tProducerId\tTransactionState\t\n";
    check(&mut timeline, "list --transactional-id-pattern 'nothing-.*'", 0, headers, "");
    let row = "cli-tx-1       \t1          \t4001      \tOngoing         \t\n";
    check(&mut timeline, "list", 0, &format!("{headers}{row}"), "");
    check(
        &mut timeline,
        "describe --transactional-id nope",
        1,
        "",
        "Failed to describe transaction state of transactional-id `nope`: DescribeTransactions request for \
         transactionalId `nope` failed because the ID could not be found. Enable debug logging for additional detail.\n",
    );
    let headers =
        "Topic\tPartition\tProducerId\tProducerEpoch\tCoordinatorEpoch\tStartOffset\tLastTimestamp\tDuration(min)\t\n";
    check(&mut timeline, "find-hanging --topic t --max-transaction-timeout 0", 0, headers, "");
    check(
        &mut timeline,
        "find-hanging",
        1,
        "",
        "The `find-hanging` command requires either --topic or --broker-id to limit the scope of the search\n",
    );
    check(
        &mut timeline,
        "abort --topic t --partition 0 --start-offset 55",
        1,
        "",
        "Could not find any open transactions starting at offset 55 on partition t-0\n",
    );
}

#[test]
fn an_abort_ends_one_partition_and_the_coordinator_is_not_told() {
    let mut timeline = cluster();
    check(&mut timeline, "abort --topic t --partition 0 --start-offset 0", 0, "", "");
    let later = timeline.now() + engine::Duration::from_millis(500);
    timeline.advance_to(later);
    let snapshot = timeline.snapshot(9);
    let topic = snapshot.topics.iter().find(|topic| &*topic.name == "t").expect("the topic exists");
    let fates = |partition: usize| {
        let origins = topic.partitions[partition].records.iter().filter_map(|record| record.origin);
        origins.map(|origin| (origin.epoch, origin.marker, origin.fate)).collect::<Vec<_>>()
    };
    let aborted = (0, None, Some(engine::snapshot::Fate::Aborted));
    assert_eq!(fates(0), [aborted, (0, Some(engine::transaction::MarkerKind::Abort), None)], "the epoch is unchanged");
    assert_eq!(fates(1), [(0, None, Some(engine::snapshot::Fate::Open))]);
    let known = &snapshot.transactions[0];
    assert_eq!((known.state.name(), known.partitions.len()), ("Ongoing", 2));
    check(
        &mut timeline,
        "abort --topic t --partition 0 --start-offset 0",
        1,
        "",
        "Could not find any open transactions starting at offset 0 on partition t-0\n",
    );
}

#[test]
fn a_forced_end_aborts_and_fences() {
    let mut timeline = cluster();
    check(&mut timeline, "forceTerminateTransaction --transactionalId cli-tx-1", 0, "", "");
    let known = timeline.snapshot(0).transactions.into_iter().next().expect("the id is known");
    let state = (known.state.name(), known.epoch, known.timeout, known.partitions.len());
    assert_eq!(state, ("Empty", Some(2), engine::Duration::from_secs(30), 0));
}

#[test]
fn a_line_that_makes_no_sense_is_answered_by_the_parser() {
    let mut timeline = cluster();
    let usage = "usage: kafka-transactions.sh [-h] [-v] [--command-config FILE]\n                             \
                 --bootstrap-server host:port COMMAND ...\n";
    check(&mut timeline, "", 1, "", &format!("{usage}kafka-transactions.sh: error: too few arguments\n"));
    check(
        &mut timeline,
        "list --state-filter Ongoing",
        1,
        "",
        "usage: kafka-transactions.sh --bootstrap-server host:port list [-h]\n                             \
         [--duration-filter DURATION_FILTER]\n                             \
         [--transactional-id-pattern TRANSACTIONAL_ID_PATTERN]\n\
         kafka-transactions.sh: error: unrecognized arguments: '--state-filter'\n",
    );
    check(
        &mut timeline,
        "forceTerminateTransaction --transactional-id x",
        1,
        "",
        "usage: kafka-transactions.sh --bootstrap-server host:port\n                             \
         forceTerminateTransaction [-h]\n                             --transactionalId TRANSACTIONALID\n\
         kafka-transactions.sh: error: unrecognized arguments: '--transactional-id'\n\nDid you mean:\n\
         \t--transactionalId\n",
    );
}
