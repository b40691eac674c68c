//! kafka-configs.sh: arguments and lines, in the words that were recorded from Kafka 4.3.1.
//!
//! What a setting does is tested in the engine.

use engine::config_view::{ConfigEntry, ConfigSource, ConfigSynonym};
use engine::{Scenario, Timeline};

use super::arguments::{Arguments, OPTIONS};
use super::{line, told};
use crate::exception::Exception;
use crate::{Input, Printed, run};

fn check_refused(text: &str, expected: &str) {
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    let mut printed = Printed::default();
    let stop = Arguments::read(&words, &Input::default()).expect_err(text);
    if let Some(exception) = stop.print(OPTIONS, &mut printed) {
        printed.stderr.push_str(&told(&exception, &words));
    }
    assert_eq!((printed.exit, printed.stderr.lines().next()), (1, Some(expected)), "{text}");
}

#[test]
fn arguments_that_do_not_go_together_are_refused() {
    for (text, expected) in [
        ("--entity-type topics", "Command must include exactly one action: --describe, --alter"),
        ("--describe --entity-type topics", "Either --bootstrap-server or --bootstrap-controller must be specified."),
        ("--describe --bootstrap-server b", "At least one entity type must be specified"),
        (
            "--describe --bootstrap-server b --entity-type topic",
            "Invalid entity type topic, the entity type must be one of topics, clients, users, brokers, ips, client-metrics, groups, broker-loggers with a --bootstrap-server or --bootstrap-controller argument",
        ),
        (
            "--describe --bootstrap-server b --entity-type topics --broker 1",
            "Only 'users' and 'clients' entity types may be specified together",
        ),
        (
            "--alter --bootstrap-server b --entity-type brokers --entity-name x --add-config a=1",
            "The entity name for brokers must be a valid integer broker id, but it is: x",
        ),
        (
            "--alter --bootstrap-server b --entity-type topics --add-config a=1",
            "An entity name must be specified with --alter of topics",
        ),
        (
            "--alter --bootstrap-server b --topic a",
            "At least one of --add-config, --add-config-file, or --delete-config must be specified with --alter",
        ),
        (
            "--describe --bootstrap-server b --topic a --add-config a=1",
            "Option \"[describe]\" can't be used with option \"[add-config]\"",
        ),
        (
            "--alter --bootstrap-server b --topic a --add-config nope",
            "requirement failed: Invalid entity config: all configs to be added must be in the format \"key=val\" or  \"key=[val1,val2]\" to group values which contain commas.",
        ),
        (
            "--alter --bootstrap-server b --user u --add-config producer_byte_rate=1",
            "users have no settings in this console; topics, brokers and groups have.",
        ),
        ("--nope", "nope is not a recognized option"),
        (
            "",
            "This tool helps to manipulate and describe entity config for a topic, client, user, broker, ip, client-metrics or group",
        ),
    ] {
        check_refused(text, expected);
    }
}

#[test]
fn an_entry_shows_its_synonyms_from_the_strongest_on() {
    let synonym = |source, value: &str| ConfigSynonym {
        source,
        name: "min.insync.replicas".to_string(),
        value: Some(value.to_string()),
    };
    let entry = ConfigEntry {
        name: "min.insync.replicas".to_string(),
        value: Some("2".to_string()),
        source: ConfigSource::DynamicTopicConfig,
        is_sensitive: false,
        is_read_only: false,
        synonyms: vec![
            synonym(ConfigSource::DynamicTopicConfig, "2"),
            synonym(ConfigSource::DynamicDefaultBrokerConfig, "1"),
            synonym(ConfigSource::DefaultConfig, "1"),
        ],
    };
    assert_eq!(
        line(&entry),
        "  min.insync.replicas=2 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2, DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=1, DEFAULT_CONFIG:min.insync.replicas=1}\n"
    );
}

#[test]
fn what_kafka_refuses_is_told_with_the_arguments_and_the_trace() {
    let class = "org.apache.kafka.common.errors.InvalidRequestException";
    let text = "Cannot update these configs dynamically: [node.id]";
    let words: Vec<String> = ["--alter", "--broker", "1"].map(str::to_string).to_vec();
    assert_eq!(
        told(&Exception::new(class, text).in_future(), &words),
        format!(
            "Error while executing config command with args '--alter --broker 1'\njava.util.concurrent.ExecutionException: {class}: {text}\nCaused by: {class}: {text}\n"
        )
    );
}
/// Runs lines against three brokers and compares what each printed.
fn check_lines(lines: &[(&str, i32, &str)]) {
    let mut timeline = Timeline::new(Scenario::empty(3), ()).expect("an empty scenario is good");
    timeline.advance_to(engine::Time::ZERO);
    run(&mut timeline, "kafka-topics.sh --bootstrap-server b --create --topic cfg --config retention.ms=1000");
    for (line, exit, text) in lines {
        let printed = run(&mut timeline, &format!("kafka-configs.sh --bootstrap-server b {line}"));
        assert_eq!((printed.exit, printed.stdout + &printed.stderr), (*exit, text.to_string()), "{line}");
    }
}

#[test]
fn settings_of_a_topic_are_changed_and_shown() {
    let own = "Dynamic configs for topic cfg are:\n";
    let min_isr = "  min.insync.replicas=2 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2, DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=1, DEFAULT_CONFIG:min.insync.replicas=1}\n";
    let retention = |value: &str| {
        format!("  retention.ms={value} sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:retention.ms={value}}}\n")
    };
    let done = "Completed updating config for topic cfg.\n";
    check_lines(&[
        ("--describe --entity-type topics --entity-name cfg", 0, &format!("{own}{}", retention("1000"))),
        ("--alter --topic cfg --add-config retention.ms=86400000,min.insync.replicas=2", 0, done),
        ("--describe --topic cfg", 0, &format!("{own}{min_isr}{}", retention("86400000"))),
        ("--alter --topic cfg --delete-config retention.ms", 0, done),
        ("--alter --topic cfg --delete-config retention.ms,nope", 0, done),
        ("--alter --topic cfg --add-config cleanup.policy=[compact,delete]", 0, done),
        (
            "--describe --topic cfg",
            0,
            &format!(
                "{own}  cleanup.policy=compact,delete sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:cleanup.policy=compact,delete, DEFAULT_CONFIG:log.cleanup.policy=delete}}\n{min_isr}"
            ),
        ),
        ("--describe --topic nope", 0, "The topic 'nope' doesn't exist and doesn't have dynamic config.\n"),
    ]);
}

#[test]
fn settings_of_a_group_are_changed_and_shown_before_it_has_members() {
    let alter = "--alter --entity-type groups --entity-name g1";
    let session = |value: &str| {
        format!(
            "  consumer.session.timeout.ms={value} sensitive=false synonyms={{DYNAMIC_GROUP_CONFIG:consumer.session.timeout.ms={value}, DEFAULT_CONFIG:group.consumer.session.timeout.ms=45000}}\n"
        )
    };
    let refused = |settings: &str, error: &str| {
        let class = "org.apache.kafka.common.errors.InvalidConfigurationException";
        let trace = format!("java.util.concurrent.ExecutionException: {class}: {error}\nCaused by: {class}: {error}\n");
        format!(
            "Error while executing config command with args '--bootstrap-server b {alter} --add-config {settings}'\n{trace}"
        )
    };
    check_lines(&[
        ("--describe --group g1", 0, "The group 'g1' doesn't exist and doesn't have dynamic config.\n"),
        (
            &format!("{alter} --add-config consumer.session.timeout.ms=50000"),
            0,
            "Completed updating config for group g1.\n",
        ),
        ("--describe --group g1", 0, &format!("Dynamic configs for group g1 are:\n{}", session("50000"))),
        ("--describe --entity-type groups", 0, &format!("Dynamic configs for group g1 are:\n{}", session("50000"))),
        (
            &format!("{alter} --add-config consumer.session.timeout.ms=1000"),
            1,
            &refused(
                "consumer.session.timeout.ms=1000",
                "consumer.session.timeout.ms must be greater than or equal to group.consumer.min.session.timeout.ms",
            ),
        ),
        (&format!("{alter} --add-config nope=1"), 1, &refused("nope=1", "Unknown group config name: nope")),
        (
            &format!("{alter} --delete-config consumer.session.timeout.ms"),
            0,
            "Completed updating config for group g1.\n",
        ),
        ("--describe --group g1", 0, "The group 'g1' doesn't exist and doesn't have dynamic config.\n"),
    ]);
}

#[test]
fn settings_of_brokers_are_changed_and_shown() {
    let defaults = "Default configs for brokers in the cluster are:\n  min.insync.replicas=1 sensitive=false synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=1}\n";
    let refused = |arguments: &str, error: &str| {
        let class = "org.apache.kafka.common.errors";
        format!(
            "Error while executing config command with args '--bootstrap-server b {arguments}'\njava.util.concurrent.ExecutionException: {class}.{error}\nCaused by: {class}.{error}\n"
        )
    };
    let alter = "--alter --entity-type brokers";
    check_lines(&[
        ("--describe --entity-type brokers --entity-default", 0, defaults),
        ("--describe --entity-type brokers --entity-name 1", 0, "Dynamic configs for broker 1 are:\n"),
        (
            &format!("{alter} --entity-name 1 --add-config log.cleaner.threads=2"),
            0,
            "Completed updating config for broker 1.\n",
        ),
        (
            "--describe --broker 1",
            0,
            "Dynamic configs for broker 1 are:\n  log.cleaner.threads=2 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:log.cleaner.threads=2, DEFAULT_CONFIG:log.cleaner.threads=1}\n",
        ),
        (
            &format!("{alter} --entity-default --add-config log.retention.ms=1000000"),
            0,
            "Completed updating default config for brokers in the cluster.\n",
        ),
        (
            &format!("{alter} --entity-name 1 --add-config min.insync.replicas=2"),
            1,
            &refused(
                &format!("{alter} --entity-name 1 --add-config min.insync.replicas=2"),
                "InvalidConfigurationException: Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
            ),
        ),
        (
            &format!("{alter} --entity-name 1 --add-config node.id=7"),
            1,
            &refused(
                &format!("{alter} --entity-name 1 --add-config node.id=7"),
                "InvalidRequestException: Cannot update these configs dynamically: [node.id]",
            ),
        ),
        (
            &format!("{alter} --entity-name 9 --add-config log.cleaner.threads=2"),
            1,
            &refused(
                &format!("{alter} --entity-name 9 --add-config log.cleaner.threads=2"),
                "TimeoutException: Timed out waiting for a node assignment. Call: incrementalAlterConfigs",
            ),
        ),
        ("--describe --broker 9", 0, "The broker '9' doesn't exist and doesn't have dynamic config.\n"),
    ]);
}
