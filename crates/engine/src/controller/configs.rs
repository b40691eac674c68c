//! IncrementalAlterConfigs: dynamic settings of topics and brokers, all or nothing.
//!
//! Follows `ConfigurationControlManager` and `ConfigAdminManager` of Kafka 4.3.1. Which value is in force
//! is said in `config_view.rs`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Controller;
use super::partitions::at;
use super::refusals::{invalid_config, unknown_partition};
use crate::client::configs::{check_dynamic, check_group, check_topic_change};
use crate::error::KafkaError;
use crate::event::{EventKind, Name};
use crate::message::{ConfigResource, TopicImage};
use crate::order;
use crate::outbox::Outbox;

const MIN_ISR: &str = "min.insync.replicas";

type Changes = [(Name, Option<Name>)];
type Settings = BTreeMap<Name, Name>;

impl Controller {
    pub(super) fn alter_configs(
        &mut self,
        resource: &ConfigResource,
        changes: &Changes,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        let before = self.settings_of(resource);
        let after = applied(&before, changes);
        match resource {
            ConfigResource::Topic(topic) => self.check_topic_configs(topic, &before, &after)?,
            ConfigResource::Broker(broker) => self.check_broker_configs(Some(*broker), &after, changes)?,
            ConfigResource::Brokers => self.check_broker_configs(None, &after, changes)?,
            ConfigResource::Group(group) => self.check_group_configs(group, &after)?,
        }
        let image = Rc::make_mut(&mut self.image);
        match resource {
            ConfigResource::Topic(topic) if before != after => {
                let topic = image.topics.get_mut(topic).expect("the topic was checked");
                Rc::make_mut(topic).configs = after;
            }
            ConfigResource::Topic(_) => {}
            ConfigResource::Broker(broker) => {
                let brokers = Rc::make_mut(&mut image.broker_configs);
                brokers.insert(*broker, after);
                brokers.retain(|_, settings| !settings.is_empty());
            }
            ConfigResource::Brokers => image.broker_defaults = Rc::new(after),
            ConfigResource::Group(group) => {
                let groups = Rc::make_mut(&mut image.group_configs);
                groups.insert(Rc::clone(group), after);
                groups.retain(|_, settings| !settings.is_empty());
            }
        }
        tell(resource, &before, changes, outbox);
        // Brokers' settings are written again even if they stay the same, so they count as altered.
        let is_written = |name: &Name, value: &Option<Name>| {
            !matches!(resource, ConfigResource::Topic(_)) || before.get(name) != value.as_ref()
        };
        if self.elr && changes.iter().any(|(name, value)| **name == *MIN_ISR && is_written(name, value)) {
            self.clear_eligible(resource, outbox);
        }
        Ok(())
    }

    fn settings_of(&self, resource: &ConfigResource) -> Settings {
        match resource {
            ConfigResource::Topic(topic) => self.image.topics.get(topic).map(|topic| topic.configs.clone()),
            ConfigResource::Broker(broker) => self.image.broker_configs.get(broker).cloned(),
            ConfigResource::Brokers => Some((*self.image.broker_defaults).clone()),
            ConfigResource::Group(group) => self.image.group_configs.get(group).cloned(),
        }
        .unwrap_or_default()
    }

    /// `LogConfig.validate`, then whether the topic exists.
    fn check_topic_configs(&self, topic: &Name, before: &Settings, after: &Settings) -> Result<(), KafkaError> {
        self.check_topic_settings(before, after)?;
        if self.image.topics.contains_key(topic) {
            return Ok(());
        }
        Err(unknown_partition(format!("The topic '{topic}' does not exist.")))
    }

    /// Whether a topic may have these settings.
    pub(super) fn check_topic_settings(&self, before: &Settings, after: &Settings) -> Result<(), KafkaError> {
        let plain = |settings: &Settings| {
            order::map(settings.iter().map(|(name, value)| (name.to_string(), value.to_string())))
        };
        let view = self.configs(None);
        let blank = TopicImage::default();
        let in_force = |name: &str| view.topic(&blank, name).into_owned();
        let is_remote_possible = view.broker_flag("remote.log.storage.system.enable");
        check_topic_change(&plain(before), &plain(after), in_force, is_remote_possible)
            .map_err(|refusal| invalid_config(refusal.message))
    }

    fn check_broker_configs(&self, broker: Option<u32>, after: &Settings, changes: &Changes) -> Result<(), KafkaError> {
        if broker.is_some_and(|broker| !self.image.brokers.contains_key(&broker)) {
            // Simplified: the client has no such node to send to and gives up after default.api.timeout.ms.
            let text = "Timed out waiting for a node assignment. Call: incrementalAlterConfigs";
            return Err(KafkaError::new("REQUEST_TIMED_OUT", "TimeoutException", text));
        }
        let view = self.configs(broker);
        let in_force = |name: &str| view.broker(name).trim().parse().unwrap_or(0);
        check_dynamic(after, broker.is_some(), in_force)?;
        let min_isr = changes.iter().find(|(name, _)| **name == *MIN_ISR).filter(|_| self.elr);
        match (min_isr, broker) {
            (Some(_), Some(_)) => {
                Err(invalid_config("Broker-level min.insync.replicas cannot be altered while ELR is enabled."))
            }
            (Some((_, None)), None) => {
                Err(invalid_config("Cluster-level min.insync.replicas cannot be removed while ELR is enabled."))
            }
            _ => Ok(()),
        }
    }

    /// `GroupConfigManager.validate`.
    fn check_group_configs(&self, group: &Name, after: &Settings) -> Result<(), KafkaError> {
        if group.is_empty() {
            let text = "Default group resources are not allowed.";
            return Err(KafkaError::new("INVALID_REQUEST", "InvalidRequestException", text));
        }
        let view = self.configs(None);
        check_group(after, |name| view.broker_number(name)).map_err(invalid_config)
    }

    /// ClearElrRecord: eligible replicas were chosen by another minimum, so they are forgotten.
    fn clear_eligible(&mut self, resource: &ConfigResource, outbox: &mut Outbox) {
        let is_concerned = |name: &Name| match resource {
            ConfigResource::Topic(topic) => topic == name,
            _ => true,
        };
        let topics: Vec<Name> = self.image.topics.keys().filter(|name| is_concerned(name)).cloned().collect();
        for topic in topics {
            let partitions = (0..).zip(&self.image.topics[&topic].partitions);
            let with_elr = partitions.filter(|(_, image)| !image.elr.is_empty() || !image.last_known_elr.is_empty());
            let cleared: Vec<_> = with_elr.map(|(number, image)| (number, image.clone())).collect();
            for (number, mut image) in cleared {
                image.elr.clear();
                image.last_known_elr.clear();
                image.partition_epoch += 1;
                self.replace(&at(&topic, number), image, outbox);
            }
        }
    }
}

fn applied(before: &Settings, changes: &Changes) -> Settings {
    let mut after = before.clone();
    for (name, value) in changes {
        match value {
            Some(value) => after.insert(Rc::clone(name), Rc::clone(value)),
            None => after.remove(name),
        };
    }
    after
}

fn tell(resource: &ConfigResource, before: &Settings, changes: &Changes, outbox: &mut Outbox) {
    let (topic, broker) = match resource {
        ConfigResource::Topic(topic) => (Some(Rc::clone(topic)), None),
        ConfigResource::Broker(broker) => (None, Some(*broker)),
        ConfigResource::Brokers | ConfigResource::Group(_) => (None, None),
    };
    for (name, value) in changes.iter().filter(|(name, value)| before.get(name) != value.as_ref()) {
        let (topic, name, value) = (topic.clone(), Rc::clone(name), value.clone());
        outbox.emit(EventKind::ConfigChanged { topic, broker, name, value });
    }
}
