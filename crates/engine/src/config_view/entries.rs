//! Settings as DescribeConfigs lists them: value, source and everything that stands behind it.
//!
//! How a tool prints them is the console's business.

use std::collections::BTreeSet;

use super::{
    ConfigEntry, ConfigSource, ConfigSynonym, ConfigView, ConfigsOf, SYNONYMS, broker_definition, default_of,
    topic_definition,
};
use crate::client::configs::{self, Definition, Kind};
use crate::event::Name;
use crate::message::TopicImage;
use crate::order::{self, Order};
use crate::simulation::Simulation;

/// Broker settings that stand in for each other, the strongest first.
const FAMILIES: [&[&str]; 4] = [
    &["log.roll.ms", "log.roll.hours"],
    &["log.roll.jitter.ms", "log.roll.jitter.hours"],
    &["log.flush.interval.ms", "log.flush.scheduler.interval.ms"],
    &["log.retention.ms", "log.retention.minutes", "log.retention.hours"],
];

impl Simulation {
    /// Settings with their sources, in name order; none if there is no such topic or broker.
    ///
    /// ```
    /// use engine::config_view::ConfigsOf;
    ///
    /// let mut simulation = engine::Simulation::new(&engine::Scenario::empty(1)).unwrap();
    /// simulation.run_until(engine::Time::ZERO, &mut Vec::new());
    /// let defaults = simulation.configs(&ConfigsOf::Brokers).unwrap();
    /// assert_eq!(defaults[0].name, "min.insync.replicas");
    /// assert!(simulation.configs(&ConfigsOf::Broker(2)).is_none());
    /// ```
    pub fn configs(&self, of: &ConfigsOf) -> Option<Vec<ConfigEntry>> {
        match of {
            ConfigsOf::Topic(topic) => {
                let topic = self.controller.image().topics.get(topic.as_str())?;
                Some(self.controller.configs(None).topic_entries(topic))
            }
            ConfigsOf::Broker(broker) => {
                let is_known = self.controller.image().brokers.contains_key(broker);
                is_known.then(|| self.controller.configs(Some(*broker)).broker_entries())
            }
            ConfigsOf::Brokers => Some(self.controller.configs(None).default_entries()),
            ConfigsOf::Group(group) => Some(self.controller.configs(None).group_entries(group)),
        }
    }
}

impl Simulation {
    /// Groups that have settings of their own, by id.
    pub fn configured_groups(&self) -> Vec<Name> {
        let groups = self.controller.image().group_configs.iter();
        groups.filter(|(_, settings)| !settings.is_empty()).map(|(group, _)| group.clone()).collect()
    }
}

impl<'a> ConfigView<'a> {
    /// Every setting of a topic that is public or was given.
    pub fn topic_entries(&self, topic: &'a TopicImage) -> Vec<ConfigEntry> {
        let public = configs::topic_definitions().iter().map(|definition| definition.name);
        let public = public.filter(|name| !name.starts_with("internal."));
        let names: BTreeSet<&str> = order::set(public.chain(topic.configs.keys().map(|name| &**name)));
        names.into_iter().map(|name| self.topic_entry(topic, name)).collect()
    }

    fn topic_entry(&self, topic: &'a TopicImage, name: &str) -> ConfigEntry {
        let value = text(topic_definition(name), &self.topic(topic, name));
        let mut synonyms = Vec::new();
        if topic.configs.contains_key(name) {
            synonyms.push(ConfigSynonym {
                source: ConfigSource::DynamicTopicConfig,
                name: name.to_string(),
                value: value.clone(),
            });
        }
        if let Some((_, names)) = SYNONYMS.iter().find(|(known, _)| *known == name) {
            synonyms.extend(self.broker_synonyms(names[0].0));
        }
        ConfigEntry {
            name: name.to_string(),
            value,
            source: source_of(&synonyms),
            is_sensitive: false,
            is_read_only: false,
            synonyms,
        }
    }

    /// Every setting of a group.
    pub fn group_entries(&self, group: &str) -> Vec<ConfigEntry> {
        let own = self.image.group_configs.get(group);
        let entry = |definition: &'static Definition| {
            let name = definition.name;
            let value = text(Some(definition), &self.group(group, name));
            let mut synonyms = Vec::new();
            if own.is_some_and(|own| own.contains_key(name)) {
                let (source, name) = (ConfigSource::DynamicGroupConfig, name.to_string());
                synonyms.push(ConfigSynonym { source, name, value: value.clone() });
            }
            let of_broker = format!("group.{name}");
            if broker_definition(&of_broker).is_some() {
                synonyms.extend(self.broker_synonyms(&of_broker));
            }
            ConfigEntry {
                name: name.to_string(),
                value,
                source: source_of(&synonyms),
                is_sensitive: false,
                is_read_only: false,
                synonyms,
            }
        };
        configs::group_definitions().iter().map(entry).collect()
    }

    /// Every setting of this broker that exists or was given.
    pub fn broker_entries(&self) -> Vec<ConfigEntry> {
        let known = configs::broker_definitions().iter().map(|definition| definition.name);
        let own = self.image.broker_configs.get(&self.broker).into_iter().flatten();
        let given = own.chain(&*self.image.broker_defaults).map(|(name, _)| &**name);
        let names: BTreeSet<&str> = order::set(known.chain(given));
        names.into_iter().map(|name| self.broker_entry(name, self.broker(name), |_| true)).collect()
    }

    /// The dynamic defaults of all brokers.
    pub fn default_entries(&self) -> Vec<ConfigEntry> {
        let is_default = |source| source == ConfigSource::DynamicDefaultBrokerConfig;
        let defaults = self.image.broker_defaults.iter();
        defaults.map(|(name, value)| self.broker_entry(name, value, is_default)).collect()
    }

    fn broker_entry(&self, name: &str, value: &str, shows: impl Fn(ConfigSource) -> bool) -> ConfigEntry {
        let definition = broker_definition(name);
        // A setting that Kafka does not know may be a secret of a plug-in.
        let is_sensitive = definition.is_none_or(|definition| definition.kind == Kind::Password);
        let mut synonyms = self.broker_synonyms(name);
        synonyms.retain(|synonym| shows(synonym.source));
        if is_sensitive {
            synonyms.iter_mut().for_each(|synonym| synonym.value = None);
        }
        let id = ["broker.id", "node.id"].contains(&name).then(|| self.broker.to_string());
        ConfigEntry {
            name: name.to_string(),
            value: id.or_else(|| text(definition, value)).filter(|_| !is_sensitive),
            source: source_of(&synonyms),
            is_sensitive,
            is_read_only: !configs::is_dynamic(name),
            synonyms,
        }
    }

    /// `ConfigHelper.configSynonyms`: by source and then by name, and only from the first one that is set
    /// under the very name. So `log.retention.hours` alone does not show up behind `retention.ms`.
    fn broker_synonyms(&self, name: &str) -> Vec<ConfigSynonym> {
        let family = FAMILIES.iter().find(|family| family.contains(&name)).copied();
        let names = family.unwrap_or(std::slice::from_ref(&name));
        let mut synonyms = Vec::new();
        for synonym in names {
            for (source, value) in self.given(synonym) {
                synonyms.push((source, *synonym, value.to_string()));
            }
            let default = default_of(broker_definition(synonym));
            if !default.is_empty() {
                synonyms.push((ConfigSource::DefaultConfig, *synonym, default.to_string()));
            }
        }
        synonyms.order_by_key(|(source, ..)| *source);
        let shown = synonyms.into_iter().skip_while(|(_, synonym, _)| *synonym != name);
        shown
            .map(|(source, synonym, value)| ConfigSynonym { source, name: synonym.to_string(), value: Some(value) })
            .collect()
    }
}

fn source_of(synonyms: &[ConfigSynonym]) -> ConfigSource {
    synonyms.first().map_or(ConfigSource::DefaultConfig, |synonym| synonym.source)
}

/// The value as Kafka prints it after parsing; none for none.
fn text(definition: Option<&'static Definition>, value: &str) -> Option<String> {
    match definition {
        Some(definition) if value.is_empty() && !matches!(definition.kind, Kind::List | Kind::String) => None,
        Some(definition) => Some(configs::printed(definition, value)),
        None => Some(value.to_string()),
    }
}
