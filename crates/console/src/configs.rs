//! kafka-configs.sh: dynamic settings of topics, brokers and groups, shown and changed.
//!
//! Follows `ConfigCommand` of 4.3.1. Whether a value is taken is the controller's decision.

mod arguments;
mod pairs;

#[cfg(test)]
mod tests;

use engine::config_view::{ConfigEntry, ConfigSource, ConfigsOf};
use engine::order::Order;
use engine::snapshot::Snapshot;
use engine::{Command, Observer, Timeline};

use crate::client::{SHORT_TIMEOUT, live_brokers, read, send};
use crate::exception::Exception;
use crate::stop::Stop;
use crate::{Input, Printed};
pub(crate) use arguments::OPTIONS;
use arguments::{Action, Arguments, Kind};

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String], input: &Input) -> Printed {
    let mut printed = Printed::default();
    let stopped = Arguments::read(words, input).and_then(|arguments| match arguments.action {
        Action::Describe => describe(timeline, &arguments, &mut printed),
        Action::Alter => alter(timeline, &arguments, &mut printed),
    });
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stderr.push_str(&told(&exception, words));
    }
    printed
}

/// Arguments that make no sense are told by their text, everything else with the whole trace.
fn told(exception: &Exception, words: &[String]) -> String {
    let is_argument = exception.class.ends_with(".IllegalArgumentException")
        || exception.class.ends_with(".InvalidConfigurationException")
        || exception.class.starts_with("joptsimple.");
    if is_argument {
        return format!("{}\n", exception.text());
    }
    format!("Error while executing config command with args '{}'\n{}", words.join(" "), exception.trace())
}

fn describe<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments, printed: &mut Printed) -> Result<(), Stop> {
    let snapshot = read(timeline, "describeConfigs", SHORT_TIMEOUT).map_err(|error| Stop::Failed(error.in_future()))?;
    let resources = match (&arguments.name, arguments.kind) {
        (Some(name), kind) => vec![resource(kind, name)?],
        (None, Kind::Topic) => snapshot.topics.iter().map(|topic| ConfigsOf::Topic(topic.name.to_string())).collect(),
        (None, Kind::Broker) => {
            live_brokers(&snapshot).into_iter().map(ConfigsOf::Broker).chain([ConfigsOf::Brokers]).collect()
        }
        (None, Kind::Group) => groups(timeline, &snapshot).into_iter().map(ConfigsOf::Group).collect(),
    };
    for resource in resources {
        if let Some(text) = missing(timeline, &snapshot, &resource) {
            if arguments.shows_all {
                return Err(missing_altogether(timeline, &resource));
            }
            printed.stdout.push_str(&text);
            return Ok(());
        }
        let scope = if arguments.shows_all { "All" } else { "Dynamic" };
        printed.stdout.push_str(&match &resource {
            ConfigsOf::Topic(name) => format!("{scope} configs for topic {name} are:\n"),
            ConfigsOf::Broker(id) => format!("{scope} configs for broker {id} are:\n"),
            ConfigsOf::Brokers => "Default configs for brokers in the cluster are:\n".to_string(),
            ConfigsOf::Group(id) => format!("{scope} configs for group {id} are:\n"),
        });
        let own = match &resource {
            ConfigsOf::Topic(_) => ConfigSource::DynamicTopicConfig,
            ConfigsOf::Broker(_) => ConfigSource::DynamicBrokerConfig,
            ConfigsOf::Brokers => ConfigSource::DynamicDefaultBrokerConfig,
            ConfigsOf::Group(_) => ConfigSource::DynamicGroupConfig,
        };
        let mut entries = timeline.configs(&resource).unwrap_or_default();
        entries.retain(|entry| arguments.shows_all || entry.source == own);
        entries.order_by(|one, other| one.name.cmp(&other.name));
        for entry in &entries {
            printed.stdout.push_str(&line(entry));
        }
    }
    Ok(())
}

fn line(entry: &ConfigEntry) -> String {
    // Java prints a value that is not there as null.
    let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_string());
    let synonyms: Vec<String> = entry
        .synonyms
        .iter()
        .map(|synonym| format!("{}:{}={}", synonym.source, synonym.name, shown(&synonym.value)))
        .collect();
    format!(
        "  {}={} sensitive={} synonyms={{{}}}\n",
        entry.name,
        shown(&entry.value),
        entry.is_sensitive,
        synonyms.join(", ")
    )
}

fn resource(kind: Kind, name: &str) -> Result<ConfigsOf, Stop> {
    Ok(match kind {
        Kind::Topic => ConfigsOf::Topic(name.to_string()),
        Kind::Group => ConfigsOf::Group(name.to_string()),
        Kind::Broker if name.is_empty() => ConfigsOf::Brokers,
        // Numbers below 0 name no broker; the largest number stands for them.
        Kind::Broker => ConfigsOf::Broker(name.parse().unwrap_or(u32::MAX)),
    })
}

/// Groups that are there, or have settings.
fn groups<O: Observer>(timeline: &Timeline<O>, snapshot: &Snapshot) -> Vec<String> {
    let mut ids: Vec<String> = snapshot.groups.iter().map(|group| group.group.to_string()).collect();
    ids.extend(timeline.configured_groups().iter().map(|id| id.to_string()));
    ids.order();
    ids.dedup();
    ids
}

/// The tool's line for something that does not exist; with it the tool ends well.
fn missing<O: Observer>(timeline: &Timeline<O>, snapshot: &Snapshot, resource: &ConfigsOf) -> Option<String> {
    let (kind, name) = match resource {
        ConfigsOf::Topic(name) if !snapshot.topics.iter().any(|topic| *topic.name == **name) => ("topic", name.clone()),
        ConfigsOf::Broker(id) if !live_brokers(snapshot).contains(id) => ("broker", id.to_string()),
        ConfigsOf::Group(id) if !groups(timeline, snapshot).contains(id) => ("group", id.clone()),
        _ => return None,
    };
    Some(format!("The {kind} '{name}' doesn't exist and doesn't have dynamic config.\n"))
}

/// With `--all` the tool asks without looking first.
fn missing_altogether<O: Observer>(timeline: &mut Timeline<O>, resource: &ConfigsOf) -> Stop {
    if let ConfigsOf::Topic(_) = resource {
        let text = "This server does not host this topic-partition.";
        let class = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException";
        return Stop::Failed(Exception::new(class, text).in_future());
    }
    let deadline = timeline.now() + SHORT_TIMEOUT;
    timeline.advance_to(deadline);
    Stop::Failed(Exception::timeout("describeConfigs").in_future())
}

fn alter<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments, printed: &mut Printed) -> Result<(), Stop> {
    let name = arguments.name.as_deref().unwrap_or_default();
    let resource = resource(arguments.kind, name)?;
    let snapshot =
        read(timeline, "incrementalAlterConfigs", SHORT_TIMEOUT).map_err(|error| Stop::Failed(error.in_future()))?;
    // The request for a broker goes to that broker.
    if let ConfigsOf::Broker(id) = resource
        && !live_brokers(&snapshot).contains(&id)
    {
        let deadline = timeline.now() + SHORT_TIMEOUT;
        timeline.advance_to(deadline);
        return Err(Stop::Failed(Exception::timeout("incrementalAlterConfigs").in_future()));
    }
    let (set, delete) = (arguments.set.clone(), arguments.delete.clone());
    let command = match &resource {
        ConfigsOf::Topic(name) => Command::AlterConfigs { topic: Some(name.clone()), broker: None, set, delete },
        ConfigsOf::Broker(id) => Command::AlterConfigs { topic: None, broker: Some(*id), set, delete },
        ConfigsOf::Brokers => Command::AlterConfigs { topic: None, broker: None, set, delete },
        ConfigsOf::Group(group) => Command::AlterGroupConfigs { group: group.clone(), set, delete },
    };
    match send(timeline, command, SHORT_TIMEOUT) {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => return Err(Stop::Failed(Exception::of_kafka(&error).in_future())),
        Err(Stop::Failed(exception)) => return Err(Stop::Failed(exception.in_future())),
        Err(stop) => return Err(stop),
    }
    printed.stdout.push_str(&match &resource {
        ConfigsOf::Topic(name) => format!("Completed updating config for topic {name}.\n"),
        ConfigsOf::Broker(id) => format!("Completed updating config for broker {id}.\n"),
        ConfigsOf::Brokers => "Completed updating default config for brokers in the cluster.\n".to_string(),
        ConfigsOf::Group(id) => format!("Completed updating config for group {id}.\n"),
    });
    Ok(())
}
