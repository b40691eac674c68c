//! Settings of a topic as `--describe` shows them: its own and those of the brokers behind it.
//!
//! What a setting does is the engine's business.

use std::collections::BTreeMap;

use engine::event::Name;

/// Names under which the brokers hold the default of a topic setting, the strongest first, and what
/// one unit of it is in the topic's unit. The pairs are those of ServerTopicConfigSynonyms.
const SYNONYMS: [(&str, &[(&str, i64)]); 25] = [
    ("cleanup.policy", &[("log.cleanup.policy", 1)]),
    ("compression.type", &[("compression.type", 1)]),
    ("delete.retention.ms", &[("log.cleaner.delete.retention.ms", 1)]),
    ("file.delete.delay.ms", &[("log.segment.delete.delay.ms", 1)]),
    ("flush.messages", &[("log.flush.interval.messages", 1)]),
    ("flush.ms", &[("log.flush.interval.ms", 1), ("log.flush.scheduler.interval.ms", 1)]),
    ("index.interval.bytes", &[("log.index.interval.bytes", 1)]),
    ("local.retention.bytes", &[("log.local.retention.bytes", 1)]),
    ("local.retention.ms", &[("log.local.retention.ms", 1)]),
    ("max.compaction.lag.ms", &[("log.cleaner.max.compaction.lag.ms", 1)]),
    ("max.message.bytes", &[("message.max.bytes", 1)]),
    ("message.timestamp.after.max.ms", &[("log.message.timestamp.after.max.ms", 1)]),
    ("message.timestamp.before.max.ms", &[("log.message.timestamp.before.max.ms", 1)]),
    ("message.timestamp.type", &[("log.message.timestamp.type", 1)]),
    ("min.cleanable.dirty.ratio", &[("log.cleaner.min.cleanable.ratio", 1)]),
    ("min.compaction.lag.ms", &[("log.cleaner.min.compaction.lag.ms", 1)]),
    ("min.insync.replicas", &[("min.insync.replicas", 1)]),
    ("preallocate", &[("log.preallocate", 1)]),
    ("retention.bytes", &[("log.retention.bytes", 1)]),
    ("retention.ms", &[("log.retention.ms", 1), ("log.retention.minutes", 60_000), ("log.retention.hours", 3_600_000)]),
    ("segment.bytes", &[("log.segment.bytes", 1)]),
    ("segment.index.bytes", &[("log.index.size.max.bytes", 1)]),
    ("segment.jitter.ms", &[("log.roll.jitter.ms", 1), ("log.roll.jitter.hours", 3_600_000)]),
    ("segment.ms", &[("log.roll.ms", 1), ("log.roll.hours", 3_600_000)]),
    ("unclean.leader.election.enable", &[("unclean.leader.election.enable", 1)]),
];

/// Every setting whose source is not the built-in default, in name order. The real order is that of a
/// hash table. A cluster that was formatted with 4.1 or later holds `min.insync.replicas=1` for all
/// its brokers, so that entry is always there.
pub(crate) fn not_default(
    topic: &BTreeMap<Name, Name>,
    cluster: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut shown = BTreeMap::from([("min.insync.replicas".to_string(), "1".to_string())]);
    for (name, synonyms) in SYNONYMS {
        let set = synonyms.iter().find_map(|(synonym, unit)| Some((cluster.get(*synonym)?, *unit)));
        if let Some((value, unit)) = set {
            let scaled = value.parse::<i64>().ok().filter(|_| unit != 1).and_then(|value| value.checked_mul(unit));
            shown.insert(name.to_string(), scaled.map_or_else(|| value.clone(), |scaled| scaled.to_string()));
        }
    }
    shown.extend(topic.iter().map(|(name, value)| (name.to_string(), value.to_string())));
    shown
}

/// The setting that says how many in-sync replicas acks=all needs.
pub(crate) fn min_insync_replicas(shown: &BTreeMap<String, String>) -> usize {
    shown.get("min.insync.replicas").and_then(|value| value.parse().ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(topic: &[(&str, &str)], cluster: &[(&str, &str)], expected: &str) {
        let topic = topic.iter().map(|(name, value)| (Name::from(*name), Name::from(*value))).collect();
        let cluster = cluster.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let shown = not_default(&topic, &cluster);
        let text: Vec<String> = shown.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(text.join(","), expected);
    }

    #[test]
    fn a_topic_shows_its_own_settings_over_those_of_the_cluster() {
        check(&[], &[], "min.insync.replicas=1");
        check(&[("min.insync.replicas", "2")], &[("min.insync.replicas", "3")], "min.insync.replicas=2");
        check(
            &[],
            &[("log.retention.hours", "1"), ("num.partitions", "6")],
            "min.insync.replicas=1,retention.ms=3600000",
        );
        check(&[("retention.ms", "5")], &[("log.retention.hours", "1")], "min.insync.replicas=1,retention.ms=5");
    }
}
