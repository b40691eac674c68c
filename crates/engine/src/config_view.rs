//! Which value of a setting is in force at a broker, and where it comes from.
//!
//! Follows `DynamicBrokerConfig`, `ServerTopicConfigSynonyms` and `ConfigHelper` of Kafka 4.3.1. Nothing
//! here changes a setting; the controller does.

mod entries;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::client::configs::{self, Definition};
use crate::event::Name;
use crate::message::{ClusterImage, TopicImage};
use crate::time::Duration;

/// Names under which the brokers hold the default of a topic setting, the strongest first, and what
/// one unit of it is in the topic's unit. The pairs are those of ServerTopicConfigSynonyms.
pub(crate) const SYNONYMS: [(&str, &[(&str, i64)]); 28] = [
    ("cleanup.policy", &[("log.cleanup.policy", 1)]),
    ("compression.gzip.level", &[("compression.gzip.level", 1)]),
    ("compression.lz4.level", &[("compression.lz4.level", 1)]),
    ("compression.type", &[("compression.type", 1)]),
    ("compression.zstd.level", &[("compression.zstd.level", 1)]),
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

/// Where a value comes from, the strongest first. Printed as the tools print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ConfigSource {
    /// The topic's own.
    DynamicTopicConfig,
    /// The group's own.
    DynamicGroupConfig,
    /// Dynamic, of one broker.
    DynamicBrokerConfig,
    /// Dynamic, for all brokers.
    DynamicDefaultBrokerConfig,
    /// From `server.properties`.
    StaticBrokerConfig,
    /// Nobody set it.
    DefaultConfig,
}

impl fmt::Display for ConfigSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ConfigSource::DynamicTopicConfig => "DYNAMIC_TOPIC_CONFIG",
            ConfigSource::DynamicGroupConfig => "DYNAMIC_GROUP_CONFIG",
            ConfigSource::DynamicBrokerConfig => "DYNAMIC_BROKER_CONFIG",
            ConfigSource::DynamicDefaultBrokerConfig => "DYNAMIC_DEFAULT_BROKER_CONFIG",
            ConfigSource::StaticBrokerConfig => "STATIC_BROKER_CONFIG",
            ConfigSource::DefaultConfig => "DEFAULT_CONFIG",
        })
    }
}

/// Whose settings are asked for, as DescribeConfigs names them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigsOf {
    /// A topic, as the first broker sees it.
    Topic(String),
    /// A broker.
    Broker(u32),
    /// The dynamic defaults of all brokers; only those that are set are listed.
    Brokers,
    /// A group, whether there is one of that name or not.
    Group(String),
}

/// One setting with its value in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigEntry {
    /// Its name.
    pub name: String,
    /// Its value; none if nobody set it and it has no default, or if it is a secret.
    pub value: Option<String>,
    /// Where the value comes from.
    pub source: ConfigSource,
    /// Whether it is a secret.
    pub is_sensitive: bool,
    /// Whether it can only be set in `server.properties`.
    pub is_read_only: bool,
    /// Everything that was set for it, the strongest first.
    pub synonyms: Vec<ConfigSynonym>,
}

/// A place where a setting has a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigSynonym {
    /// Where.
    pub source: ConfigSource,
    /// The name there.
    pub name: String,
    /// The value there; none for secrets.
    pub value: Option<String>,
}

/// What the `server.properties` files of a cluster hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StaticConfigs {
    /// In every file.
    pub cluster: BTreeMap<Name, Name>,
    /// In the file of one broker, over those of the cluster.
    pub brokers: BTreeMap<u32, BTreeMap<Name, Name>>,
}

impl StaticConfigs {
    fn get(&self, broker: u32, name: &str) -> Option<&Name> {
        self.brokers.get(&broker).and_then(|own| own.get(name)).or_else(|| self.cluster.get(name))
    }
}

/// The settings in force as one broker sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConfigView<'a> {
    pub fixed: &'a StaticConfigs,
    pub image: &'a ClusterImage,
    pub broker: u32,
}

impl<'a> ConfigView<'a> {
    /// What was set for a broker setting under exactly this name, the strongest first.
    fn given(&self, name: &str) -> impl Iterator<Item = (ConfigSource, &'a Name)> {
        let own = self.image.broker_configs.get(&self.broker).and_then(|own| own.get(name));
        let all = self.image.broker_defaults.get(name);
        let fixed = self.fixed.get(self.broker, name);
        [
            (ConfigSource::DynamicBrokerConfig, own),
            (ConfigSource::DynamicDefaultBrokerConfig, all),
            (ConfigSource::StaticBrokerConfig, fixed),
        ]
        .into_iter()
        .filter_map(|(source, value)| Some((source, value?)))
    }

    /// The value of a broker setting; empty if it has none.
    pub fn broker(&self, name: &str) -> &'a str {
        self.given(name).next().map_or_else(|| default_of(broker_definition(name)), |(_, value)| value)
    }

    /// A broker setting that is a number.
    pub fn broker_number(&self, name: &str) -> i64 {
        number(self.broker(name), name)
    }

    /// A broker setting that is true or false.
    pub fn broker_flag(&self, name: &str) -> bool {
        is_true(self.broker(name))
    }

    /// A broker setting that is a time in milliseconds; negative ones are zero.
    pub fn broker_millis(&self, name: &str) -> Duration {
        millis(self.broker_number(name))
    }

    /// The value of a setting of a group: the group's own, the broker's under its name behind `group.`, or the default.
    pub fn group(&self, group: &str, name: &str) -> Cow<'a, str> {
        if let Some(own) = self.image.group_configs.get(group).and_then(|own| own.get(name)) {
            return Cow::Borrowed(own);
        }
        let of_broker = format!("group.{name}");
        match self.given(&of_broker).next() {
            Some((_, value)) => Cow::Borrowed(value),
            None => {
                let known = configs::group_definitions().iter().find(|definition| definition.name == name);
                Cow::Borrowed(default_of(broker_definition(&of_broker).or(known)))
            }
        }
    }

    /// The value of a topic setting: the topic's own, the broker's under its own name, or the default.
    pub fn topic(&self, topic: &'a TopicImage, name: &str) -> Cow<'a, str> {
        if let Some(own) = topic.configs.get(name) {
            return Cow::Borrowed(own);
        }
        let names = SYNONYMS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, names)| *names);
        let set = names.iter().find_map(|(synonym, unit)| Some((self.given(synonym).next()?.1, *unit)));
        match set {
            // Any negative age limit of a broker means that there is none.
            Some((value, _)) if name == "retention.ms" && value.trim().starts_with('-') => Cow::Borrowed("-1"),
            Some((value, 1)) => Cow::Borrowed(value),
            Some((value, unit)) => Cow::Owned(scaled(value, unit)),
            None => Cow::Borrowed(default_of(topic_definition(name))),
        }
    }

    /// A topic setting that is a number.
    pub fn topic_number(&self, topic: &'a TopicImage, name: &str) -> i64 {
        number(&self.topic(topic, name), name)
    }

    /// A topic setting that is true or false.
    pub fn topic_flag(&self, topic: &'a TopicImage, name: &str) -> bool {
        is_true(&self.topic(topic, name))
    }

    /// `min.insync.replicas` as it applies: never more than there are replicas.
    pub fn min_isr(&self, topic: &'a TopicImage) -> u32 {
        let set = self.topic_number(topic, "min.insync.replicas");
        let replicas = topic.partitions.first().map_or(1, |partition| partition.replicas.len() as u32);
        u32::try_from(set).unwrap_or(u32::MAX).min(replicas)
    }
}

/// -1 means "no limit" in every unit.
fn scaled(value: &str, unit: i64) -> String {
    match value.trim().parse::<i64>() {
        Ok(number) if number >= 0 => number.saturating_mul(unit).to_string(),
        _ => value.to_string(),
    }
}

fn number(text: &str, name: &str) -> i64 {
    text.trim().parse().unwrap_or_else(|_| panic!("{name} was found to be a number, not \"{text}\""))
}

fn is_true(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("true")
}

fn millis(number: i64) -> Duration {
    Duration(u64::try_from(number).unwrap_or(0).saturating_mul(1_000))
}

fn broker_definition(name: &str) -> Option<&'static Definition> {
    find(configs::broker_definitions(), name).or_else(|| find(configs::dynamic_only_definitions(), name))
}

fn topic_definition(name: &str) -> Option<&'static Definition> {
    find(configs::topic_definitions(), name)
}

fn find(table: &'static [Definition], name: &str) -> Option<&'static Definition> {
    let at = table.binary_search_by(|definition| definition.name.cmp(name));
    at.ok().map(|at| &table[at])
}

fn default_of(definition: Option<&'static Definition>) -> &'static str {
    definition.map_or("", |definition| definition.default)
}

#[cfg(test)]
mod tests;
