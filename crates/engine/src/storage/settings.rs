//! The topic settings that a log obeys, as numbers.
//!
//! Values were validated when they were set; this neither checks them nor decides which one is in force.

use crate::client::configs::{Value, topic_definitions, validate_topic};
use crate::time::Duration;

/// Bytes of an entry of the offset index: relative offset and position.
pub(crate) const OFFSET_ENTRY_BYTES: u64 = 8;
/// Bytes of an entry of the time index: timestamp and relative offset.
pub(crate) const TIME_ENTRY_BYTES: u64 = 12;

/// Settings of one topic's logs. Times in milliseconds; sizes in bytes; absent limits are unlimited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogSettings {
    /// `cleanup.policy` contains `compact`.
    pub is_compacted: bool,
    /// `cleanup.policy` contains `delete`.
    pub is_deleted: bool,
    pub segment_bytes: u64,
    /// For compacted topics at most `max.compaction.lag.ms`.
    pub segment_ms: i64,
    pub segment_jitter_ms: i64,
    pub index_bytes: u64,
    pub index_interval_bytes: u64,
    pub retention_ms: Option<i64>,
    pub retention_bytes: Option<u64>,
    /// What stays on the local disk of a tiered topic.
    pub local_retention_ms: Option<i64>,
    pub local_retention_bytes: Option<u64>,
    pub file_delete_delay: Duration,
    pub max_message_bytes: u64,
    pub is_log_append_time: bool,
    pub timestamp_before_max_ms: i64,
    pub timestamp_after_max_ms: i64,
    pub min_compaction_lag_ms: i64,
    pub max_compaction_lag_ms: i64,
    /// `min.cleanable.dirty.ratio` in billionths.
    pub dirty_ratio: u64,
    pub delete_retention_ms: i64,
    /// `remote.storage.enable`.
    pub is_tiered: bool,
    /// `remote.log.copy.disable`.
    pub is_copy_disabled: bool,
}

impl LogSettings {
    /// Reads the settings; `value` gives the value in force of a topic setting, by its name.
    pub fn new(value: impl Fn(&str) -> String) -> LogSettings {
        let parsed = |name: &str| validate_topic(name, &value(name)).expect("values are validated when they are set");
        let int = |name: &str| parsed(name).as_int().expect("a whole number");
        let bytes = |name: &str| u64::try_from(int(name)).expect("a size is not negative");
        let limit = |name: &str| u64::try_from(int(name)).ok();
        let flag = |name: &str| parsed(name).as_boolean().expect("a boolean");
        let Value::List(policies) = parsed("cleanup.policy") else { panic!("cleanup.policy is a list") };
        let has_policy = |name: &str| policies.iter().any(|policy| policy == name);
        let is_compacted = has_policy("compact");
        let retention_ms = limit("retention.ms").map(|limit| limit as i64);
        let retention_bytes = limit("retention.bytes");
        let max_compaction_lag_ms = int("max.compaction.lag.ms");
        let segment_ms = int("segment.ms");
        // The internal name is for segments below the public minimum, as in Kafka's own tests.
        let is_internal_size_set = !value("internal.segment.bytes").is_empty();
        LogSettings {
            is_compacted,
            is_deleted: has_policy("delete"),
            segment_bytes: bytes(if is_internal_size_set { "internal.segment.bytes" } else { "segment.bytes" }),
            segment_ms: if is_compacted { segment_ms.min(max_compaction_lag_ms) } else { segment_ms },
            segment_jitter_ms: int("segment.jitter.ms"),
            index_bytes: bytes("segment.index.bytes"),
            index_interval_bytes: bytes("index.interval.bytes"),
            retention_ms,
            retention_bytes,
            local_retention_ms: match int("local.retention.ms") {
                -2 => retention_ms,
                other => u64::try_from(other).ok().map(|limit| limit as i64),
            },
            local_retention_bytes: match int("local.retention.bytes") {
                -2 => retention_bytes,
                other => u64::try_from(other).ok(),
            },
            file_delete_delay: parsed("file.delete.delay.ms").as_millis().unwrap_or(Duration(u64::MAX)),
            max_message_bytes: bytes("max.message.bytes"),
            is_log_append_time: value("message.timestamp.type") == "LogAppendTime",
            timestamp_before_max_ms: int("message.timestamp.before.max.ms"),
            timestamp_after_max_ms: int("message.timestamp.after.max.ms"),
            min_compaction_lag_ms: int("min.compaction.lag.ms"),
            max_compaction_lag_ms,
            dirty_ratio: parsed("min.cleanable.dirty.ratio").as_billionths().expect("a decimal number"),
            delete_retention_ms: int("delete.retention.ms"),
            is_tiered: flag("remote.storage.enable"),
            is_copy_disabled: flag("remote.log.copy.disable"),
        }
    }

    /// Whether segments are copied to remote storage, so that the local disk is a cache of the newest.
    pub fn copies_to_remote(&self) -> bool {
        self.is_tiered && !self.is_copy_disabled
    }

    /// Entries that fit into an offset index.
    pub fn offset_entries_max(&self) -> u64 {
        self.index_bytes / OFFSET_ENTRY_BYTES
    }

    /// Entries that fit into a time index.
    pub fn time_entries_max(&self) -> u64 {
        self.index_bytes / TIME_ENTRY_BYTES
    }
}

impl Default for LogSettings {
    /// Kafka's defaults.
    fn default() -> LogSettings {
        LogSettings::new(default_value)
    }
}

/// Kafka's default of a topic setting.
fn default_value(name: &str) -> String {
    let found = topic_definitions().iter().find(|definition| definition.name == name);
    found.expect("settings of logs are topic settings").default.to_string()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Defaults, but for some settings.
    pub(crate) fn settings(changes: &[(&str, &str)]) -> LogSettings {
        LogSettings::new(|name| match changes.iter().find(|(changed, _)| *changed == name) {
            Some((_, value)) => value.to_string(),
            None => default_value(name),
        })
    }

    fn check<T: PartialEq + std::fmt::Debug>(changes: &[(&str, &str)], read: impl Fn(&LogSettings) -> T, expected: T) {
        assert_eq!(read(&settings(changes)), expected, "{changes:?}");
    }

    #[test]
    fn limits_depend_on_each_other_as_in_kafka() {
        let segment_ms = |settings: &LogSettings| settings.segment_ms;
        check(&[("max.compaction.lag.ms", "5000")], segment_ms, 604_800_000);
        check(&[("max.compaction.lag.ms", "5000"), ("cleanup.policy", "compact")], segment_ms, 5_000);
        check(&[("retention.ms", "-1")], |settings| settings.retention_ms, None);
        check(&[], |settings| settings.local_retention_ms, Some(604_800_000));
        check(&[("local.retention.ms", "3600000")], |settings| settings.local_retention_ms, Some(3_600_000));
        check(&[("internal.segment.bytes", "100")], |settings| settings.segment_bytes, 100);
        check(&[("min.cleanable.dirty.ratio", "0.01")], |settings| settings.dirty_ratio, 10_000_000);
        check(
            &[("cleanup.policy", "compact,delete")],
            |settings| (settings.is_compacted, settings.is_deleted),
            (true, true),
        );
    }
}
