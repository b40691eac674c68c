//! Settings of a topic as `kafka-topics.sh --describe` shows them: all that are not built-in defaults.
//!
//! Which value is in force is the engine's knowledge.

use std::collections::BTreeMap;

use engine::config_view::{ConfigSource, ConfigsOf};
use engine::order;
use engine::snapshot::TopicSnapshot;
use engine::{Observer, Timeline};

/// Every setting whose source is not the built-in default, in name order. The real order is that of a
/// hash table.
pub(crate) fn not_default<O: Observer>(timeline: &Timeline<O>, topic: &str) -> BTreeMap<String, String> {
    let entries = timeline.configs(&ConfigsOf::Topic(topic.to_string())).unwrap_or_default();
    let shown = entries.into_iter().filter(|entry| entry.source != ConfigSource::DefaultConfig);
    order::map(shown.map(|entry| (entry.name, entry.value.unwrap_or_default())))
}

/// The same from the topic alone, as if nothing but its own settings had been changed. A cluster that was
/// formatted with 4.1 or later holds `min.insync.replicas=1` for all its brokers, so that entry is there.
pub(crate) fn of_topic(topic: &TopicSnapshot) -> BTreeMap<String, String> {
    let mut shown = BTreeMap::from([("min.insync.replicas".to_string(), "1".to_string())]);
    shown.extend(topic.configs.iter().map(|(name, value)| (name.to_string(), value.to_string())));
    shown
}

/// The setting that says how many in-sync replicas acks=all needs.
pub(crate) fn min_insync_replicas<O: Observer>(timeline: &Timeline<O>, topic: &str) -> usize {
    let entries = timeline.configs(&ConfigsOf::Topic(topic.to_string())).unwrap_or_default();
    let entry = entries.into_iter().find(|entry| entry.name == "min.insync.replicas");
    entry.and_then(|entry| entry.value).and_then(|value| value.parse().ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use engine::{Command, Scenario, Time};

    use super::*;

    fn check(cluster: &[(&str, &str)], topic: &[(&str, &str)], expected: &str, min_isr: usize) {
        let texts = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<BTreeMap<_, _>>()
        };
        let mut scenario = Scenario::empty(1);
        scenario.cluster.configs = texts(cluster);
        let mut timeline = Timeline::new(scenario, ()).expect("a good scenario");
        timeline.advance_to(Time::ZERO);
        let command = Command::CreateTopic {
            topic: "t".to_string(),
            partitions: None,
            replication_factor: None,
            assignment: None,
            configs: texts(topic),
        };
        timeline.act(command).expect("a good command");
        let shown = not_default(&timeline, "t");
        let text: Vec<String> = shown.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!((text.join(","), min_insync_replicas(&timeline, "t")), (expected.to_string(), min_isr));
    }

    #[test]
    fn a_topic_shows_its_own_settings_over_those_of_the_cluster() {
        check(&[], &[], "min.insync.replicas=1", 1);
        check(&[("min.insync.replicas", "3")], &[("min.insync.replicas", "2")], "min.insync.replicas=2", 2);
        check(
            &[("log.retention.ms", "3600000"), ("num.partitions", "6")],
            &[],
            "min.insync.replicas=1,retention.ms=3600000",
            1,
        );
        check(&[("log.retention.ms", "1")], &[("retention.ms", "5")], "min.insync.replicas=1,retention.ms=5", 1);
    }
}
