//! A scenario after validation: every name resolved, every number within its bounds.
//!
//! Validation happens here and nowhere else; what is inside a plan is taken for granted afterwards.

mod cluster;
mod consumer;
mod coordinators;
mod preload;
mod share_consumer;
mod workload;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(crate) use consumer::{ConsumerPlan, Refusal, plan_assigned};
use partitioner::Client;
pub(crate) use share_consumer::{ShareConsumerPlan, check_rules};

pub(crate) use cluster::{BrokerPlan, Features};
pub use workload::WorkloadPlan;
pub(crate) use workload::{KeySource, Pace, encode_key, shown};

use super::{ConsumerSpec, Preload, ProducerSpec, Scenario, Scripted, TopicSpec};
use crate::client::configs::{ConfigRefusal, Warning, check_together, check_topic_together};
use crate::client::producer::settings::{Dialect, Settings};
use crate::config_view::{ConfigView, StaticConfigs};
use crate::controller::shared_configs;
use crate::error::InputError;
use crate::event::Name;
use crate::limits::{BROKERS_MAX, CONSUMERS_MAX, PARTITIONS_MAX, PRODUCERS_MAX, TOPICS_MAX};
use crate::message::{ClusterImage, NewTopic};
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
    /// What the `server.properties` files hold.
    pub(crate) fixed: Rc<StaticConfigs>,
    pub(crate) features: Features,
    /// How long the cluster is without a controller when the active one is lost.
    pub(crate) controller_failover: Duration,
    /// Time that the brokers together need for a batch.
    pub(crate) batch_time: Duration,
    /// Who shall coordinate which transactional id or group.
    pub(crate) coordinators: Rc<BTreeMap<Name, u32>>,
    pub(crate) first_producer_id: u64,
    pub(crate) topics: Vec<NewTopic>,
    /// What partitions hold at time 0, with their topics.
    pub(crate) preloads: Vec<(Name, Preload)>,
    pub(crate) producers: Vec<Rc<ProducerPlan>>,
    pub(crate) consumers: Vec<ConsumerPlan>,
    pub(crate) share_consumers: Vec<Rc<ShareConsumerPlan>>,
    pub(crate) delay: Duration,
    pub(crate) duration: Option<Duration>,
    /// Commands that come by themselves.
    pub(crate) script: Vec<Scripted>,
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

impl Plan {
    /// Validates a scenario.
    pub fn new(scenario: &Scenario) -> Result<Plan, InputError> {
        if scenario.kafka != KAFKA {
            let text = format!("Kafka {} cannot be simulated.", scenario.kafka);
            return Err(InputError::new("scenario.version", text).at("kafka").hint(format!("Write \"{KAFKA}\".")));
        }
        scenario.check_choices()?;
        let scenario = &scenario.chosen();
        let cluster = &scenario.cluster;
        let brokers = cluster::brokers(cluster)?;
        let fixed = cluster::static_configs(cluster)?;
        let view = ConfigView { fixed: &fixed, image: &ClusterImage::default(), broker: brokers[0].id };
        let count = |name: &str| u32::try_from(view.broker_number(name)).unwrap_or(1);
        let partitions_default = count("num.partitions");
        let mut topics = topics(&scenario.topics, partitions_default)?;
        topics.iter_mut().for_each(|topic| coordinators::complete(topic, &view));
        let plan = Plan {
            seed: scenario.seed,
            placement: cluster.placement.unwrap_or(scenario.seed ^ 0x9e37_79b9_7f4a_7c15),
            partitions_default,
            replication_default: count("default.replication.factor"),
            features: cluster::features(&cluster.features)?,
            controller_failover: cluster.controller_failover.unwrap_or_default(),
            batch_time: cluster.batch_time.unwrap_or_default(),
            coordinators: Rc::new(coordinators::wishes(cluster, &brokers, &topics, &view)?),
            first_producer_id: coordinators::first_producer_id(cluster)?,
            topics,
            preloads: preloads(&scenario.topics),
            producers: producers(&scenario.producers)?,
            consumers: consumers(&scenario.consumers, scenario.seed)?,
            share_consumers: share_consumers(scenario)?,
            delay: scenario.network.delay,
            duration: scenario.duration,
            script: scenario.script.clone(),
            fixed: Rc::new(fixed),
            brokers,
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
        let workload = |workload: &super::Workload| {
            let path = format!("{path}.workload");
            let plan = WorkloadPlan::new(workload, &path)?;
            plan.check_producer(settings.transactional_id.is_some(), &path)?;
            Ok(Rc::new(plan))
        };
        let workload = spec.workload.as_ref().map(workload).transpose()?;
        Ok(ProducerPlan {
            name: spec.name.as_str().into(),
            client,
            rules: effective_client(client, &configs),
            dialect,
            settings,
            configs: shared_configs(&spec.configs),
            warnings,
            workload,
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

fn topics(specs: &[TopicSpec], partitions_default: u32) -> Result<Vec<NewTopic>, InputError> {
    bounded(specs.len(), TOPICS_MAX, "topic")?;
    let mut topics = Vec::new();
    for (index, spec) in specs.iter().enumerate() {
        let path = format!("topic[{index}]");
        let topic = new_topic(spec, &path)?;
        let assigned = spec.assignment.as_ref().map(|lists| lists.len() as u32);
        preload::check(spec, assigned.or(spec.partitions).unwrap_or(partitions_default), &path)?;
        topics.push(topic);
    }
    Ok(topics)
}

fn preloads(specs: &[TopicSpec]) -> Vec<(Name, Preload)> {
    let of = |spec: &TopicSpec| {
        let name = Name::from(spec.name.as_str());
        spec.preloads.clone().into_iter().map(move |preload| (Rc::clone(&name), preload))
    };
    specs.iter().flat_map(of).collect()
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
        topic_id: topic_id(spec.topic_id.as_deref(), path)?,
        configs: shared_configs(&spec.configs),
    })
}

/// A topic id is a uuid of 22 letters.
fn topic_id(given: Option<&str>, path: &str) -> Result<Option<Name>, InputError> {
    match given {
        Some(id) if assignor::Uuid::parse(id).is_none() => {
            let text = format!("\"{id}\" is no topic id.");
            Err(InputError::new("scenario.topic", text)
                .at(format!("{path}.topic_id"))
                .hint("Write 22 letters as Kafka shows them, or leave it out."))
        }
        given => Ok(given.map(Name::from)),
    }
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

fn consumers(specs: &[ConsumerSpec], seed: u64) -> Result<Vec<ConsumerPlan>, InputError> {
    bounded(specs.len(), CONSUMERS_MAX, "consumer")?;
    let mut names = BTreeSet::new();
    let mut plans = Vec::new();
    for (index, spec) in specs.iter().enumerate() {
        let path = format!("consumer[{index}]");
        if !names.insert(&spec.name) {
            return Err(name_twice(&spec.name).at(format!("{path}.name")));
        }
        plans.push(ConsumerPlan::new(spec, &path, seed)?);
    }
    Ok(plans)
}

fn share_consumers(scenario: &Scenario) -> Result<Vec<Rc<ShareConsumerPlan>>, InputError> {
    bounded(scenario.share_consumers.len(), CONSUMERS_MAX, "share_consumer")?;
    let mut names: BTreeSet<&String> = scenario.consumers.iter().map(|consumer| &consumer.name).collect();
    let mut plans = Vec::new();
    for (index, spec) in scenario.share_consumers.iter().enumerate() {
        let path = format!("share_consumer[{index}]");
        if !names.insert(&spec.name) {
            return Err(name_twice(&spec.name).at(format!("{path}.name")));
        }
        let plan = ShareConsumerPlan::new(spec, &path, scenario.seed).map_err(Refusal::input)?;
        plans.push(Rc::new(plan));
    }
    Ok(plans)
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
