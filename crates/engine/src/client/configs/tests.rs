//! Refusals in the words of the clients, as recorded from Kafka 4.3.1 and librdkafka 2.16.0.
//!
//! Every rule by itself; what a whole client does with its settings is tested with the client.

use std::collections::BTreeMap;

use super::ConfigLibrary::{Java, Librdkafka, Other};
use super::*;

fn check(library: ConfigLibrary, name: &str, value: &str, expected: Result<Value, &str>) {
    let found = validate(library, name, value).map_err(|refusal| refusal.message);
    assert_eq!(found, expected.map_err(str::to_string), "{library:?} {name}={value}");
}

fn check_all(library: ConfigLibrary, configs: &[(&str, &str)], expected: &str) {
    let given = configs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let found = match check_together(library, &given) {
        Ok(warnings) => warnings.iter().map(|warning| warning.text.as_str()).collect::<Vec<_>>().join("|"),
        Err(refusal) => match &refusal.cause {
            None => refusal.message,
            Some(cause) => format!("{} < {}", refusal.message, cause.1),
        },
    };
    assert_eq!(found, expected, "{library:?} {configs:?}");
}

#[test]
fn java_reads_values_of_every_kind() {
    check(Java, "linger.ms", " 20 ", Ok(Value::Int(20)));
    check(Java, "enable.idempotence", "FALSE", Ok(Value::Boolean(false)));
    check(Java, "acks", "-1", Ok(Value::Text("-1".into())));
    check(Java, "metric.reporters", "a, b", Ok(Value::List(vec!["a".into(), "b".into()])));
    check(Java, "sasl.login.refresh.window.factor", "0.9", Ok(Value::Text("0.9".into())));
    check(Java, "metadata.recovery.strategy", "Rebootstrap", Ok(Value::Text("Rebootstrap".into())));
    check(
        Java,
        "partitioner.class",
        "org.apache.kafka.clients.producer.RoundRobinPartitioner",
        Ok(Value::Text("org.apache.kafka.clients.producer.RoundRobinPartitioner".into())),
    );
}

#[test]
fn java_refuses_values_in_its_own_words() {
    for (name, value, text) in [
        ("acks", "2", "Invalid value 2 for configuration acks: String must be one of: all, -1, 0, 1"),
        ("batch.size", "-1", "Invalid value -1 for configuration batch.size: Value must be at least 0"),
        ("linger.ms", "abc", "Invalid value abc for configuration linger.ms: Not a number of type LONG"),
        ("batch.size", "2147483648", "Invalid value 2147483648 for configuration batch.size: Not a number of type INT"),
        ("batch.size", "1.5", "Invalid value 1.5 for configuration batch.size: Not a number of type INT"),
        ("batch.size", "", "Invalid value  for configuration batch.size: Not a number of type INT"),
        (
            "compression.lz4.level",
            "18",
            "Invalid value 18 for configuration compression.lz4.level: Value must be no more than 17",
        ),
        (
            "enable.idempotence",
            "yes",
            "Invalid value yes for configuration enable.idempotence: Expected value to be either true or false",
        ),
        (
            "max.in.flight.requests.per.connection",
            "0",
            "Invalid value 0 for configuration max.in.flight.requests.per.connection: Value must be at least 1",
        ),
        (
            "partitioner.class",
            "nope.Nope",
            "Invalid value nope.Nope for configuration partitioner.class: Class nope.Nope could not be found.",
        ),
        (
            "sasl.login.refresh.window.factor",
            "2",
            "Invalid value 2.0 for configuration sasl.login.refresh.window.factor: Value must be no more than 1.0",
        ),
    ] {
        check(Java, name, value, Err(text));
    }
}

#[test]
fn librdkafka_reads_numbers_as_c_does() {
    check(Librdkafka, "batch.size", "0x10", Ok(Value::Int(16)));
    check(Librdkafka, "batch.size", "010", Ok(Value::Int(8)));
    check(Librdkafka, "batch.size", "12abc", Ok(Value::Int(12)));
    check(Librdkafka, "linger.ms", "0.5", Ok(Value::Text("0.5".into())));
    check(Librdkafka, "acks", "all", Ok(Value::Int(-1)));
    check(Librdkafka, "acks", "2", Ok(Value::Int(2)));
    check(Librdkafka, "enable.idempotence", "T", Ok(Value::Boolean(true)));
    check(Librdkafka, "compression.type", "LZ4", Ok(Value::Text("lz4".into())));
}

#[test]
fn librdkafka_refuses_values_under_the_canonical_name() {
    for (name, value, text) in [
        (
            "linger.ms",
            "-1",
            "Configuration property \"queue.buffering.max.ms\" value -1 is outside allowed range 0..900000",
        ),
        (
            "acks",
            "1001",
            "Configuration property \"request.required.acks\" value 1001 is outside allowed range -1..1000",
        ),
        (
            "retries",
            "-1",
            "Configuration property \"message.send.max.retries\" value -1 is outside allowed range 0..2147483647",
        ),
        ("enable.idempotence", "yes", "Expected bool value for \"enable.idempotence\": true or false"),
        ("compression.type", "brotli", "Invalid value \"brotli\" for configuration property \"compression.codec\""),
        ("partitioner", "nope", "Invalid value for configuration property \"partitioner\": nope"),
        ("buffer.memory", "1", "No such configuration property: \"buffer.memory\""),
    ] {
        check(Librdkafka, name, value, Err(text));
    }
}

#[test]
fn other_libraries_are_told_what_a_setting_takes() {
    check(Other, "linger.ms", "x", Err("linger.ms takes a whole number of at least 0, not \"x\"."));
    check(Other, "acks", "2", Err("acks takes one of all, -1, 0, 1, not \"2\"."));
}

#[test]
fn a_name_that_does_not_exist_is_refused_with_the_one_that_was_meant() {
    for (library, name, hint) in [
        (Java, "bach.size", "Did you mean batch.size?"),
        (Java, "linger_ms", "Did you mean linger.ms?"),
        (Java, "queue.buffering.max.ms", "It is a setting of librdkafka."),
        (Librdkafka, "buffer.memory", "It is a setting of the Java client."),
        (Librdkafka, "min.insync.replicas", "It is a setting of topics."),
        (Java, "something.else.entirely", ""),
    ] {
        assert_eq!(validate(library, name, "1").map_err(|refusal| refusal.hint), Err(hint.to_string()), "{name}");
    }
}

#[test]
fn librdkafka_takes_settings_of_consumers_and_ignores_them() {
    let text =
        "Configuration property isolation.level is a consumer property and will be ignored by this producer instance";
    check_all(Librdkafka, &[("isolation.level", "read_committed")], text);
    check_all(
        Librdkafka,
        &[("session.timeout.ms", "0")],
        "Configuration property \"session.timeout.ms\" value 0 is outside allowed range 1..3600000",
    );
    assert!(validate(Java, "check.crcs", "true").is_err(), "not so the Java client's table");
}

#[test]
fn java_checks_settings_together() {
    let idempotent =
        "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence.";
    let in_flight = "To use the idempotent producer, max.in.flight.requests.per.connection must be set to at most 5. Current value is 6.";
    let transactional = "Cannot set a transactional.id without also enabling idempotence.";
    let timeout = "Failed to construct kafka producer < delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms";
    check_all(Java, &[], "");
    check_all(Java, &[("acks", "1")], "Idempotence will be disabled because acks is set to 1, not set to 'all'.");
    check_all(Java, &[("retries", "0")], "Idempotence will be disabled because retries is set to 0.");
    check_all(Java, &[("acks", "1"), ("enable.idempotence", "true")], idempotent);
    check_all(
        Java,
        &[("retries", "0"), ("enable.idempotence", "true")],
        "Must set retries to non-zero when using the idempotent producer.",
    );
    check_all(Java, &[("max.in.flight.requests.per.connection", "6"), ("acks", "1")], in_flight);
    check_all(Java, &[("max.in.flight.requests.per.connection", "6"), ("enable.idempotence", "false")], "");
    check_all(Java, &[("transactional.id", "pay-1"), ("acks", "0")], transactional);
    let external = "Cannot set transaction.timeout.ms when transaction.two.phase.commit.enable is set to true. Transactions will not expire with two-phase commit enabled.";
    let two_phase = ("transaction.two.phase.commit.enable", "true");
    check_all(Java, &[two_phase, ("transactional.id", "pay-1"), ("transaction.timeout.ms", "60000")], external);
    check_all(Java, &[two_phase, ("transactional.id", "pay-1")], "");
    check_all(Java, &[("delivery.timeout.ms", "30004"), ("linger.ms", "5")], timeout);
    check_all(Java, &[("delivery.timeout.ms", "30005"), ("linger.ms", "5")], "");
    check_all(
        Java,
        &[("request.timeout.ms", "120000")],
        "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms. Setting it to 120005.",
    );
}

#[test]
fn librdkafka_checks_settings_together() {
    check_all(Librdkafka, &[("max.in.flight", "1000")], "");
    check_all(Librdkafka, &[("enable.idempotence", "true")], "");
    check_all(
        Librdkafka,
        &[("enable.idempotence", "true"), ("max.in.flight", "6")],
        "Failed to create producer: `max.in.flight` must be set <= 5 when `enable.idempotence` is true",
    );
    check_all(
        Librdkafka,
        &[("enable.idempotence", "true"), ("acks", "1")],
        "Failed to create producer: `acks` must be set to `all` when `enable.idempotence` is true",
    );
    check_all(
        Librdkafka,
        &[("enable.idempotence", "true"), ("retries", "0")],
        "Failed to create producer: `retries` must be set >= 1 when `enable.idempotence` is true",
    );
    check_all(
        Librdkafka,
        &[("message.timeout.ms", "5")],
        "Failed to create producer: `message.timeout.ms` must be greater than `linger.ms`",
    );
    check_all(Librdkafka, &[("message.timeout.ms", "0"), ("linger.ms", "5000")], "");
}

#[test]
fn topics_refuse_settings_as_the_controller_does() {
    for (name, value, text) in [
        ("nope", "1", "Unknown topic config name: nope"),
        ("retention.ms", "abc", "Invalid value abc for configuration retention.ms: Not a number of type LONG"),
        ("retention.ms", "-2", "Invalid value -2 for configuration retention.ms: Value must be at least -1"),
        (
            "cleanup.policy",
            "foo",
            "Invalid value foo for configuration cleanup.policy: String must be one of: compact, delete",
        ),
        (
            "compression.type",
            "brotli",
            "Invalid value brotli for configuration compression.type: String must be one of: uncompressed, zstd, lz4, snappy, gzip, producer",
        ),
        (
            "min.cleanable.dirty.ratio",
            "2",
            "Invalid value 2.0 for configuration min.cleanable.dirty.ratio: Value must be no more than 1",
        ),
        (
            "segment.bytes",
            "1048575",
            "Invalid value 1048575 for configuration segment.bytes: Value must be at least 1048576",
        ),
    ] {
        assert_eq!(validate_topic(name, value).map_err(|refusal| refusal.message), Err(text.to_string()));
    }
    for (name, value) in
        [("cleanup.policy", "compact,delete"), ("internal.segment.bytes", "1000"), ("min.insync.replicas", "5")]
    {
        assert!(validate_topic(name, value).is_ok(), "{name}={value}");
    }
}

#[test]
fn compaction_lags_of_a_topic_must_fit() {
    let lags = |min: &str, max: &str| {
        let given = [("min.compaction.lag.ms", min), ("max.compaction.lag.ms", max)];
        check_topic_together(&BTreeMap::from(given.map(|(name, value)| (name.to_string(), value.to_string()))))
    };
    assert_eq!(lags("5", "5"), Ok(()));
    assert_eq!(
        lags("6", "5").map_err(|refusal| refusal.message),
        Err("conflict topic config setting min.compaction.lag.ms (6) > max.compaction.lag.ms (5)".to_string())
    );
}

#[test]
fn every_table_is_in_name_order_and_takes_its_own_defaults() {
    let tables =
        [definitions(Java), definitions(Librdkafka), definitions(Other), topic_definitions(), broker_definitions()];
    for table in tables {
        assert!(table.is_sorted_by_key(|definition| definition.name));
        for definition in table.iter().filter(|definition| !definition.default.is_empty()) {
            assert!(parse::java(definition, definition.default).is_ok(), "{}", definition.name);
        }
    }
    assert_eq!([113, 34, 360], [definitions(Java).len(), topic_definitions().len(), broker_definitions().len()]);
}

#[test]
fn a_broker_setting_that_a_modelled_topic_setting_falls_back_to_is_modelled_and_explained() {
    let broker = |name: &str| broker_definitions().iter().find(|definition| definition.name == name);
    for (topic, synonyms) in crate::config_view::SYNONYMS {
        let is_modelled =
            topic_definitions().iter().any(|definition| definition.name == topic && definition.is_modelled);
        for found in synonyms.iter().filter(|_| is_modelled).filter_map(|(name, _)| broker(name)) {
            assert!(found.is_modelled && !found.summary.is_empty(), "{}", found.name);
        }
    }
}

#[test]
fn aliases_lead_to_settings_that_exist_with_the_same_default() {
    for alias in definitions(Librdkafka).iter().filter(|definition| definition.alias_of.is_some()) {
        let target = definition(Librdkafka, canonical_name(Librdkafka, alias.name)).expect(alias.name);
        assert_eq!(
            (target.alias_of, target.default, target.valid),
            (None, alias.default, alias.valid),
            "{}",
            alias.name
        );
    }
}

#[test]
fn lengths_of_time_are_read_to_the_microsecond() {
    assert_eq!(Value::Int(5).as_millis(), Some(Duration::from_millis(5)));
    assert_eq!(Value::Text("0.25".into()).as_millis(), Some(Duration(250)));
    assert_eq!(Value::Int(-1).as_millis(), None);
}
