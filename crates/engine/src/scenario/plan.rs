//! A scenario after validation: every name resolved, every number within its bounds.
//!
//! Validation happens here and nowhere else; what is inside a plan is taken for granted afterwards.

mod workload;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use partitioner::Client;

pub use workload::WorkloadPlan;
pub(crate) use workload::{KeySource, encode_key, shown};

use super::{Brokers, ConsumerSpec, ProducerSpec, Scenario, TopicSpec};
use crate::client::configs::{ConfigRefusal, Warning, check_together, check_topic_together, validate_broker};
use crate::client::producer::settings::{Dialect, Settings};
use crate::controller::shared_configs;
use crate::error::InputError;
use crate::event::Name;
use crate::limits::{BROKERS_MAX, CONSUMERS_MAX, PARTITIONS_MAX, PRODUCERS_MAX, TOPICS_MAX};
use crate::message::NewTopic;
use crate::time::Duration;
use crate::version::KAFKA;

/// A validated scenario.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) seed: u64,
    pub(crate) brokers: Vec<BrokerPlan>,
    pub(crate) placement: u64,
    pub(crate) partitions_default: u32,
    pub(crate) replication_default: u32,
    pub(crate) auto_create_topics: bool,
    pub(crate) topics: Vec<NewTopic>,
    pub(crate) producers: Vec<Rc<ProducerPlan>>,
    pub(crate) consumers: Vec<ConsumerPlan>,
    pub(crate) delay: Duration,
    pub(crate) duration: Option<Duration>,
}

#[derive(Clone, Debug)]
pub(crate) struct BrokerPlan {
    pub id: u32,
    pub rack: Option<String>,
    pub produce_time: Duration,
}

/// A validated producer.
#[derive(Clone, Debug)]
pub struct ProducerPlan {
    pub(crate) name: Name,
    /// The entry that was asked for.
    pub(crate) client: &'static Client,
    /// The entry whose rules apply once `partitioner` or `partitioner.class` is taken into account.
    pub(crate) rules: &'static Client,
    pub(crate) dialect: Dialect,
    pub(crate) settings: Settings,
    pub(crate) configs: BTreeMap<Name, Name>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) workload: Option<Rc<WorkloadPlan>>,
    pub(crate) metadata_age: Duration,
    pub(crate) random_start: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct ConsumerPlan {
    pub name: Name,
    pub assign: Vec<Assigned>,
    pub behind: u64,
}

/// A whole topic, or one partition of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assigned {
    pub topic: Name,
    pub partition: Option<u32>,
}

impl Plan {
    /// Validates a scenario.
    pub fn new(scenario: &Scenario) -> Result<Plan, InputError> {
        if scenario.kafka != KAFKA {
            let text = format!("Kafka {} cannot be simulated.", scenario.kafka);
            return Err(InputError::new("scenario.version", text).at("kafka").hint(format!("Write \"{KAFKA}\".")));
        }
        let brokers = brokers(&scenario.cluster.brokers)?;
        let broker_configs = &scenario.cluster.configs;
        for (name, value) in broker_configs {
            validate_broker(name, value).map_err(|refusal| refused(&refusal, format!("cluster.configs.\"{name}\"")))?;
        }
        let number = |name: &str| broker_configs.get(name).and_then(|value| value.parse().ok()).unwrap_or(1);
        let topics = topics(&scenario.topics)?;
        let plan = Plan {
            seed: scenario.seed,
            placement: scenario.cluster.placement.unwrap_or(scenario.seed ^ 0x9e37_79b9_7f4a_7c15),
            partitions_default: number("num.partitions"),
            replication_default: number("default.replication.factor"),
            auto_create_topics: broker_configs.get("auto.create.topics.enable").is_none_or(|value| value != "false"),
            producers: producers(&scenario.producers)?,
            consumers: consumers(&scenario.consumers)?,
            delay: scenario.network.delay,
            duration: scenario.duration,
            brokers,
            topics,
        };
        Ok(plan)
    }
}

impl ProducerPlan {
    /// Validates a producer; `path` is where it stands in the input.
    pub fn new(spec: &ProducerSpec, path: &str) -> Result<ProducerPlan, InputError> {
        check_label(&spec.name, &format!("{path}.name"))?;
        let client = partitioner::client(&spec.client)
            .ok_or_else(|| unknown_client(&spec.client).at(format!("{path}.client")))?;
        let dialect = Dialect::of(client);
        let warnings = check_together(dialect.configs(), &spec.configs)
            .map_err(|refusal| refused(&refusal, format!("{path}.configs.\"{}\"", refusal.name)))?;
        let mut configs = spec.configs.clone();
        configs.extend(warnings.iter().map(|warning| (warning.name.to_string(), warning.value.clone())));
        let settings = Settings::new(client, dialect, &configs);
        let metadata_age = spec.metadata_age.unwrap_or_default();
        if metadata_age > settings.metadata_age_max {
            let text = format!("The metadata cannot be older than {}, its maximum age.", settings.metadata_age_max);
            return Err(InputError::new("scenario.metadata_age", text).at(format!("{path}.metadata_age")));
        }
        let workload = spec
            .workload
            .as_ref()
            .map(|workload| WorkloadPlan::new(workload, &format!("{path}.workload")).map(Rc::new));
        Ok(ProducerPlan {
            name: spec.name.as_str().into(),
            client,
            rules: effective_client(client, &configs),
            dialect,
            settings,
            configs: shared_configs(&spec.configs),
            warnings,
            workload: workload.transpose()?,
            metadata_age,
            random_start: spec.random_start,
        })
    }
}

/// The catalogue entry for the partitioner that the configs name.
fn effective_client(client: &'static Client, configs: &BTreeMap<String, String>) -> &'static Client {
    let named = match configs.get("partitioner").or_else(|| configs.get("partitioner.class")) {
        Some(value) if value.ends_with("RoundRobinPartitioner") => partitioner::client("java-round-robin"),
        Some(value) if value == "consistent_random" => partitioner::client("librdkafka"),
        Some(value) => partitioner::client(&format!("librdkafka-{value}")),
        None => None,
    };
    let ignores = configs.get("partitioner.ignore.keys").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    match named {
        Some(named) => named,
        None if ignores => partitioner::client("java-ignore-keys").unwrap_or(client),
        None => client,
    }
}

fn brokers(brokers: &Brokers) -> Result<Vec<BrokerPlan>, InputError> {
    let plans: Vec<_> = match brokers {
        Brokers::Count(count) => {
            let count = (*count).min(BROKERS_MAX + 1);
            (1..=count).map(|id| BrokerPlan { id, rack: None, produce_time: Duration::ZERO }).collect()
        }
        Brokers::List(list) => list
            .iter()
            .map(|spec| BrokerPlan {
                id: spec.id,
                rack: spec.rack.clone(),
                produce_time: spec.produce_time.unwrap_or_default(),
            })
            .collect(),
    };
    if plans.is_empty() || plans.len() > BROKERS_MAX as usize {
        let text = format!("A cluster has 1 to {BROKERS_MAX} brokers.");
        return Err(InputError::new("scenario.brokers", text).at("cluster.brokers"));
    }
    let mut ids = BTreeSet::new();
    for (index, broker) in plans.iter().enumerate() {
        if broker.id > i32::MAX as u32 || !ids.insert(broker.id) {
            let text = format!("Broker id {} is used twice or too large.", broker.id);
            return Err(InputError::new("scenario.broker_id", text).at(format!("cluster.brokers[{index}].id")));
        }
    }
    Ok(plans)
}

fn topics(specs: &[TopicSpec]) -> Result<Vec<NewTopic>, InputError> {
    bounded(specs.len(), TOPICS_MAX, "topic")?;
    specs.iter().enumerate().map(|(index, spec)| new_topic(spec, &format!("topic[{index}]"))).collect()
}

fn new_topic(spec: &TopicSpec, path: &str) -> Result<NewTopic, InputError> {
    check_topic_together(&spec.configs)
        .map_err(|refusal| refused(&refusal, format!("{path}.configs.\"{}\"", refusal.name)))?;
    let count = |value: Option<u32>, bound: u32, field: &str| match value {
        Some(0) => Err(InputError::new("scenario.topic", format!("A topic has at least one of its {field}."))
            .at(format!("{path}.{field}"))),
        Some(value) if value > bound => {
            Err(InputError::new("scenario.topic", format!("{value} is more than {bound}, the most that is drawn."))
                .at(format!("{path}.{field}")))
        }
        Some(value) => Ok(value as i32),
        None => Ok(-1),
    };
    if spec.assignment.is_some() && (spec.partitions.is_some() || spec.replication_factor.is_some()) {
        let text = "An assignment says how many partitions and replicas there are; leave the two numbers out.";
        return Err(InputError::new("scenario.topic", text).at(format!("{path}.assignment")));
    }
    Ok(NewTopic {
        name: spec.name.as_str().into(),
        partitions: count(spec.partitions, PARTITIONS_MAX, "partitions")?,
        replication_factor: count(spec.replication_factor, BROKERS_MAX, "replication_factor")?,
        assignment: spec.assignment.clone(),
        configs: shared_configs(&spec.configs),
    })
}

fn producers(specs: &[ProducerSpec]) -> Result<Vec<Rc<ProducerPlan>>, InputError> {
    bounded(specs.len(), PRODUCERS_MAX, "producer")?;
    let mut names = BTreeSet::new();
    let plan = |(index, spec): (usize, &ProducerSpec)| {
        let path = format!("producer[{index}]");
        if !names.insert(spec.name.clone()) {
            return Err(name_twice(&spec.name).at(format!("{path}.name")));
        }
        ProducerPlan::new(spec, &path).map(Rc::new)
    };
    specs.iter().enumerate().map(plan).collect()
}

fn consumers(specs: &[ConsumerSpec]) -> Result<Vec<ConsumerPlan>, InputError> {
    bounded(specs.len(), CONSUMERS_MAX, "consumer")?;
    let mut names = BTreeSet::new();
    let mut plans = Vec::new();
    for (index, spec) in specs.iter().enumerate() {
        let path = format!("consumer[{index}]");
        check_label(&spec.name, &format!("{path}.name"))?;
        if !names.insert(&spec.name) {
            return Err(name_twice(&spec.name).at(format!("{path}.name")));
        }
        if let Some(name) = spec.configs.keys().next() {
            let text = format!("Settings of readers, such as {name}, have no effect yet.");
            return Err(InputError::new("scenario.consumer_config", text)
                .at(format!("{path}.configs"))
                .hint("Leave them out."));
        }
        if spec.assign.is_empty() {
            let text = "A reader needs topics or partitions to read.";
            return Err(InputError::new("scenario.consumer", text)
                .at(format!("{path}.assign"))
                .hint("Write assign = [\"events\"]."));
        }
        let assign = spec.assign.iter().map(|text| assigned(text)).collect();
        plans.push(ConsumerPlan { name: spec.name.as_str().into(), assign, behind: spec.behind.unwrap_or(0) });
    }
    Ok(plans)
}

/// "events" is a topic and "events-2" a partition of it.
fn assigned(text: &str) -> Assigned {
    let partition = text.rsplit_once('-').and_then(|(topic, number)| Some((topic, number.parse().ok()?)));
    match partition {
        Some((topic, number)) => Assigned { topic: topic.into(), partition: Some(number) },
        None => Assigned { topic: text.into(), partition: None },
    }
}

fn check_label(name: &str, path: &str) -> Result<(), InputError> {
    let is_bad = name.trim().is_empty() || name.chars().count() > 64 || name.chars().any(char::is_control);
    if is_bad {
        return Err(InputError::new("scenario.name", "A name has 1 to 64 characters.").at(path));
    }
    Ok(())
}

fn bounded(count: usize, most: u32, what: &str) -> Result<(), InputError> {
    if count > most as usize {
        return Err(InputError::new(
            "scenario.too_many",
            format!("{count} is more than {most}, the most that is drawn."),
        )
        .at(what));
    }
    Ok(())
}

fn name_twice(name: &str) -> InputError {
    InputError::new("scenario.name", format!("The name \"{name}\" is used twice.")).hint("Each needs its own.")
}

/// The error for a client id that is not in the catalogue.
pub(crate) fn unknown_client(id: &str) -> InputError {
    let close = partitioner::clients().iter().map(|client| client.id).find(|known| {
        let known_start = known.split(['-', '.']).next().unwrap_or(known);
        id.to_ascii_lowercase().starts_with(known_start) || known.starts_with(&id.to_ascii_lowercase())
    });
    let hint = match close {
        Some(close) if !id.is_empty() => format!("Did you mean \"{close}\"?"),
        _ => "For example \"java\" or \"librdkafka\".".to_string(),
    };
    InputError::new("scenario.unknown_client", format!("There is no client \"{id}\" in the catalogue.")).hint(hint)
}

fn refused(refusal: &ConfigRefusal, path: String) -> InputError {
    InputError::new("scenario.config", refusal.to_string()).at(path)
}
