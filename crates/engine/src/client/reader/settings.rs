//! A reader's settings, from the configs that were given.
//!
//! Names and values are checked against the Java consumer's table in `client/configs`.

use std::collections::BTreeMap;

use crate::client::configs::{ConfigRefusal, consumer_definition, validate_consumer};
use crate::client::consumer::settings::MemberSettings;
use crate::event::Name;
use crate::message::{FetchLimits, OffsetSpec};
use crate::time::Duration;

/// `auto.offset.reset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reset {
    Earliest,
    Latest,
    /// The application decides.
    None,
}

impl Reset {
    /// The offset to ask for.
    pub fn spec(self) -> Option<OffsetSpec> {
        match self {
            Reset::Earliest => Some(OffsetSpec::Earliest),
            Reset::Latest => Some(OffsetSpec::Latest),
            Reset::None => None,
        }
    }
}

/// What a reader goes by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReaderSettings {
    /// Simplified: a reader begins at the earliest offset by default, to show what there is; Kafka's default
    /// is `latest`.
    pub reset: Reset,
    pub rack: Option<Name>,
    pub limits: FetchLimits,
    pub records_max: u32,
    pub metadata_age_max: Duration,
    /// `isolation.level=read_committed`.
    pub is_committed_only: bool,
    /// What it goes by as a member of a group.
    pub member: MemberSettings,
}

impl Default for ReaderSettings {
    fn default() -> ReaderSettings {
        ReaderSettings {
            reset: Reset::Earliest,
            rack: None,
            limits: FetchLimits {
                bytes_min: 1,
                wait_max: Duration::from_millis(500),
                partition_bytes_max: 1_048_576,
                bytes_max: 52_428_800,
            },
            records_max: 500,
            metadata_age_max: Duration::from_secs(300),
            is_committed_only: false,
            member: MemberSettings::default(),
        }
    }
}

impl ReaderSettings {
    /// Defaults with the given configs on top, or the first one that is not taken.
    pub fn new(configs: &BTreeMap<String, String>) -> Result<ReaderSettings, ConfigRefusal> {
        let mut settings = ReaderSettings::default();
        let is_member = configs.get("group.id").is_some_and(|id| !id.trim().is_empty());
        if is_member {
            settings.reset = Reset::Latest;
        }
        for (name, value) in configs {
            if name == "auto.offset.reset" && value.trim().starts_with("by_duration:") {
                let text = "Readers do not reset by duration here; use earliest, latest or none.";
                return Err(ConfigRefusal::of_ours(name, text));
            }
            validate_consumer(name, value)?;
            if is_member && settings.member.set(name, value.trim()) {
                continue;
            }
            if consumer_definition(name).is_none_or(|definition| !definition.is_modelled) {
                let text = format!(
                    "{name} changes nothing for a reader: its partitions are assigned by hand, and it belongs to no \
                     group."
                );
                return Err(ConfigRefusal::of_ours(name, text));
            }
            settings.set(name, value);
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &str) {
        let value = value.trim();
        let capped = || value.parse::<u64>().map_or(u32::MAX, |number| number.min(u64::from(u32::MAX)) as u32);
        let millis = || Duration::from_millis(u64::from(capped()));
        match name {
            "auto.offset.reset" => {
                self.reset = match value {
                    "latest" => Reset::Latest,
                    "none" => Reset::None,
                    _ => Reset::Earliest,
                }
            }
            "client.rack" => self.rack = (!value.is_empty()).then(|| value.into()),
            "fetch.max.bytes" => self.limits.bytes_max = capped(),
            "fetch.max.wait.ms" => self.limits.wait_max = millis(),
            "fetch.min.bytes" => self.limits.bytes_min = capped(),
            "isolation.level" => self.is_committed_only = value == "read_committed",
            "max.partition.fetch.bytes" => self.limits.partition_bytes_max = capped(),
            "max.poll.records" => self.records_max = capped(),
            "metadata.max.age.ms" => self.metadata_age_max = millis(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(name: &str, value: &str) -> Result<ReaderSettings, ConfigRefusal> {
        ReaderSettings::new(&BTreeMap::from([(name.to_string(), value.to_string())]))
    }

    #[test]
    fn settings_that_matter_to_a_reader_are_read() {
        assert_eq!(settings("auto.offset.reset", "none").unwrap().reset, Reset::None);
        assert_eq!(settings("client.rack", "a").unwrap().rack.as_deref(), Some("a"));
        assert_eq!(settings("client.rack", "").unwrap().rack, None);
        assert!(settings("isolation.level", "read_committed").unwrap().is_committed_only);
        assert!(!settings("isolation.level", "read_uncommitted").unwrap().is_committed_only);
        assert_eq!(settings("max.poll.records", "10").unwrap().records_max, 10);
        assert_eq!(settings("metadata.max.age.ms", "1000").unwrap().metadata_age_max, Duration::from_secs(1));
    }

    #[test]
    fn everything_else_is_refused_with_a_reason() {
        let check = |name: &str, value: &str, part: &str| {
            let refusal = settings(name, value).unwrap_err().to_string();
            assert!(refusal.contains(part), "{name}: {refusal}");
        };
        check("max.poll.records", "0", "Value must be at least 1");
        check("auto.offset.reset", "oldest", "String must be one of");
        check("auto.offset.reset", "by_duration:PT1H", "earliest, latest or none");
        check("isolation.level", "READ_COMMITTED", "String must be one of");
        check("group.id", "g", "belongs to no group");
        check("auto.ofset.reset", "latest", "Did you mean auto.offset.reset?");
    }
}
