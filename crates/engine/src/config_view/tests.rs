//! Values and sources as recorded from Kafka 4.3.1, and by the rules of its synonyms.
//!
//! What the tools print is tested with the console.

use std::rc::Rc;

use super::*;

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn settings(pairs: Pairs) -> BTreeMap<Name, Name> {
    pairs.iter().map(|(name, value)| (Name::from(*name), Name::from(*value))).collect()
}

/// One setting of a topic: as `value SOURCE {synonyms}`.
fn check(topic: Pairs, broker: Pairs, defaults: Pairs, fixed: Pairs, name: &str, expected: &str) {
    let image = ClusterImage {
        broker_defaults: Rc::new(settings(defaults)),
        broker_configs: Rc::new(BTreeMap::from([(1, settings(broker))])),
        ..ClusterImage::default()
    };
    let fixed = StaticConfigs { cluster: settings(fixed), ..StaticConfigs::default() };
    let view = ConfigView { fixed: &fixed, image: &image, broker: 1 };
    let topic = TopicImage { configs: settings(topic), ..TopicImage::default() };
    let entries = if name.starts_with("log.") { view.broker_entries() } else { view.topic_entries(&topic) };
    let entry = entries.iter().find(|entry| entry.name == name).unwrap();
    let shown = |value: &Option<String>| value.clone().unwrap_or("null".to_string());
    let synonym = |one: &ConfigSynonym| format!("{}:{}={}", one.source, one.name, shown(&one.value));
    let synonyms: Vec<String> = entry.synonyms.iter().map(synonym).collect();
    let found = format!("{} {} {{{}}}", shown(&entry.value), entry.source, synonyms.join(", "));
    assert_eq!(found, expected, "{name}");
}

#[test]
fn a_topics_own_value_stands_before_those_of_the_brokers() {
    let own = [("min.insync.replicas", "2")];
    check(
        &own,
        &[],
        &[("min.insync.replicas", "1")],
        &[],
        "min.insync.replicas",
        "2 DYNAMIC_TOPIC_CONFIG {DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2, \
         DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=1, DEFAULT_CONFIG:min.insync.replicas=1}",
    );
    check(
        &[("cleanup.policy", "compact, delete")],
        &[],
        &[],
        &[],
        "cleanup.policy",
        "compact,delete DYNAMIC_TOPIC_CONFIG {DYNAMIC_TOPIC_CONFIG:cleanup.policy=compact,delete, \
         DEFAULT_CONFIG:log.cleanup.policy=delete}",
    );
    check(
        &[],
        &[("log.segment.bytes", "3000000")],
        &[("log.segment.bytes", "2000000")],
        &[("log.segment.bytes", "1048576")],
        "segment.bytes",
        "3000000 DYNAMIC_BROKER_CONFIG {DYNAMIC_BROKER_CONFIG:log.segment.bytes=3000000, \
         DYNAMIC_DEFAULT_BROKER_CONFIG:log.segment.bytes=2000000, STATIC_BROKER_CONFIG:log.segment.bytes=1048576, \
         DEFAULT_CONFIG:log.segment.bytes=1073741824}",
    );
}

#[test]
fn hours_are_in_force_as_milliseconds_but_do_not_show_up() {
    let own = [("retention.ms", "1000")];
    check(&own, &[], &[], &[], "retention.ms", "1000 DYNAMIC_TOPIC_CONFIG {DYNAMIC_TOPIC_CONFIG:retention.ms=1000}");
    check(&[], &[], &[], &[("log.retention.hours", "1")], "retention.ms", "3600000 DEFAULT_CONFIG {}");
    check(&[], &[], &[], &[("log.retention.hours", "-1")], "retention.ms", "-1 DEFAULT_CONFIG {}");
    check(
        &[],
        &[],
        &[("log.retention.ms", "5")],
        &[("log.retention.hours", "1")],
        "retention.ms",
        "5 DYNAMIC_DEFAULT_BROKER_CONFIG {DYNAMIC_DEFAULT_BROKER_CONFIG:log.retention.ms=5, \
         STATIC_BROKER_CONFIG:log.retention.hours=1, DEFAULT_CONFIG:log.retention.hours=168}",
    );
}

#[test]
fn a_broker_setting_lists_where_it_was_set() {
    check(
        &[],
        &[("log.cleaner.threads", "2")],
        &[],
        &[],
        "log.cleaner.threads",
        "2 DYNAMIC_BROKER_CONFIG {DYNAMIC_BROKER_CONFIG:log.cleaner.threads=2, DEFAULT_CONFIG:log.cleaner.threads=1}",
    );
    check(&[], &[], &[], &[], "log.retention.ms", "null DEFAULT_CONFIG {}");
}

#[test]
fn the_tables_are_in_name_order() {
    for table in [configs::broker_definitions(), configs::topic_definitions(), configs::dynamic_only_definitions()] {
        assert!(table.is_sorted_by_key(|definition| definition.name));
    }
}

#[test]
fn what_a_broker_accepts_is_a_value_that_its_topics_can_have() {
    let values = [
        "",
        "-9223372036854775808",
        "-7",
        "-2",
        "-1",
        "0",
        "1",
        "14",
        "2147483647",
        "9223372036854775807",
        "0.5",
        "true",
        "zstd",
    ];
    let mut accepted = 0;
    // Flushing is not simulated, so nothing reads its intervals.
    for (name, synonyms) in SYNONYMS.iter().filter(|(name, _)| !name.starts_with("flush.")) {
        for (synonym, value) in synonyms.iter().flat_map(|(synonym, _)| values.map(|value| (*synonym, value))) {
            if value.is_empty() || configs::validate_broker(synonym, value).is_err() {
                continue;
            }
            let fixed = StaticConfigs { cluster: settings(&[(synonym, value)]), ..StaticConfigs::default() };
            let view = ConfigView { fixed: &fixed, image: &ClusterImage::default(), broker: 1 };
            let topic = TopicImage::default();
            let found = view.topic(&topic, name);
            assert!(configs::validate_topic(name, &found).is_ok(), "{synonym}={value} gives {name}={found}");
            accepted += 1;
        }
    }
    assert!(accepted > 50, "only {accepted} values were accepted");
}
