//! The brokers of a plan: ids, racks, `server.properties`, feature levels.
//!
//! Topics and clients are planned elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::refused;
use crate::client::configs::{dynamic_only_definitions, validate_broker};
use crate::config_view::StaticConfigs;
use crate::controller::shared_configs;
use crate::error::InputError;
use crate::limits::BROKERS_MAX;
use crate::message::ClusterImage;
use crate::scenario::{BrokerSpec, Brokers, Cluster};
use crate::time::Duration;

/// A broker of the plan.
#[derive(Clone, Debug)]
pub(crate) struct BrokerPlan {
    pub id: u32,
    pub rack: Option<String>,
    pub produce_time: Duration,
    /// Bytes a second that it can send; none for as much as it likes.
    pub bandwidth: Option<u64>,
}

/// Feature levels of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features {
    /// `eligible.leader.replicas.version` is 1.
    pub elr: bool,
    /// `transaction.version`.
    pub transaction_version: u16,
}

/// Features of Kafka 4.3.1 with the smallest level that is simulated, and the level of a new cluster.
const FEATURES: [(&str, u16, u16); 6] = [
    ("eligible.leader.replicas.version", 0, 1),
    ("group.version", 0, 1),
    ("metadata.version", 30, 30),
    ("share.version", 0, 1),
    ("streams.version", 0, 1),
    ("transaction.version", 0, 2),
];

/// Times that the simulation divides by or counts in.
const TIMES: [&str; 6] = [
    "broker.heartbeat.interval.ms",
    "broker.session.timeout.ms",
    "log.cleaner.backoff.ms",
    "replica.fetch.wait.max.ms",
    "replica.high.watermark.checkpoint.interval.ms",
    "replica.lag.time.max.ms",
];

pub(super) fn brokers(cluster: &Cluster) -> Result<Vec<BrokerPlan>, InputError> {
    let specs = match &cluster.brokers {
        Brokers::Count(count) => {
            let count = (*count).min(BROKERS_MAX + 1);
            (1..=count).map(|id| BrokerSpec { id, ..BrokerSpec::default() }).collect()
        }
        Brokers::List(list) => list.clone(),
    };
    if specs.is_empty() || specs.len() > BROKERS_MAX as usize {
        let text = format!("A cluster has 1 to {BROKERS_MAX} brokers.");
        return Err(InputError::new("scenario.brokers", text).at("cluster.brokers"));
    }
    let mut ids = BTreeSet::new();
    for (index, spec) in specs.iter().enumerate() {
        let path = format!("cluster.brokers[{index}]");
        if spec.id > i32::MAX as u32 || !ids.insert(spec.id) {
            let text = format!("Broker id {} is used twice or too large.", spec.id);
            return Err(InputError::new("scenario.broker_id", text).at(format!("{path}.id")));
        }
        if spec.bandwidth.is_some_and(|bandwidth| bandwidth.0 == 0) {
            let text = "A broker that sends nothing is a broken link.";
            return Err(InputError::new("scenario.bandwidth", text)
                .at(format!("{path}.bandwidth"))
                .hint("Leave it out for no limit, or cut the broker's links."));
        }
    }
    let plan = |spec: BrokerSpec| BrokerPlan {
        id: spec.id,
        rack: spec.rack,
        produce_time: spec.produce_time.unwrap_or_default(),
        bandwidth: spec.bandwidth.map(|bandwidth| bandwidth.0),
    };
    Ok(specs.into_iter().map(plan).collect())
}

/// Checks what every `server.properties` would hold.
pub(super) fn static_configs(cluster: &Cluster) -> Result<StaticConfigs, InputError> {
    check(&cluster.configs, "cluster.configs")?;
    let mut fixed = StaticConfigs { cluster: shared_configs(&cluster.configs), ..StaticConfigs::default() };
    let list = match &cluster.brokers {
        Brokers::List(list) => list.as_slice(),
        Brokers::Count(_) => &[],
    };
    for (index, spec) in list.iter().enumerate() {
        check(&spec.configs, &format!("cluster.brokers[{index}].configs"))?;
        fixed.brokers.insert(spec.id, shared_configs(&spec.configs));
    }
    let ids: Vec<u32> = if list.is_empty() { vec![0] } else { list.iter().map(|spec| spec.id).collect() };
    let image = ClusterImage::default();
    for broker in ids {
        let view = crate::config_view::ConfigView { fixed: &fixed, image: &image, broker };
        // Text of KafkaConfig.validateValues; not recorded.
        if view.broker_number("replica.fetch.wait.max.ms") > view.broker_number("replica.lag.time.max.ms") {
            let text = "replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms to \
                        prevent frequent changes in ISR";
            return Err(InputError::new("scenario.config", text).at("cluster.configs"));
        }
    }
    Ok(fixed)
}

fn check(configs: &BTreeMap<String, String>, path: &str) -> Result<(), InputError> {
    for (name, value) in configs {
        let path = format!("{path}.\"{name}\"");
        if dynamic_only_definitions().iter().any(|definition| definition.name == name) {
            let text = format!("{name} exists only as a dynamic setting.");
            return Err(InputError::new("scenario.config", text).at(path).hint("Set it with alter_configs."));
        }
        if ["broker.id", "broker.rack", "node.id"].contains(&name.as_str()) {
            let text = format!("{name} follows from the list of brokers.");
            return Err(InputError::new("scenario.config", text)
                .at(path)
                .hint("Write brokers = [{ id = 1, rack = \"a\" }]."));
        }
        let found = validate_broker(name, value).map_err(|refusal| refused(&refusal, path.clone()))?;
        if TIMES.contains(&name.as_str()) && found.as_int().is_some_and(|millis| millis < 1) {
            let text = format!("{name} is simulated from 1 ms up.");
            return Err(InputError::new("scenario.config", text).at(path));
        }
    }
    Ok(())
}

pub(super) fn features(given: &BTreeMap<String, u16>) -> Result<Features, InputError> {
    for (name, level) in given {
        let error = |text: String| InputError::new("scenario.feature", text).at(format!("cluster.features.\"{name}\""));
        let Some((_, least, most)) = FEATURES.iter().find(|(known, ..)| known == name) else {
            let known: Vec<&str> = FEATURES.iter().map(|(known, ..)| *known).collect();
            let text = format!("There is no feature \"{name}\".");
            return Err(error(text).hint(format!("There are {}.", known.join(", "))));
        };
        if level < least || level > most {
            let levels = if least == most { format!("only {most}") } else { format!("{least} to {most}") };
            return Err(error(format!("Level {level} of {name} is not simulated; {levels} can be.")));
        }
    }
    let level = |name: &str| {
        let new = FEATURES.iter().find(|(known, ..)| *known == name).map_or(0, |(.., most)| *most);
        given.get(name).copied().unwrap_or(new)
    };
    Ok(Features {
        elr: level("eligible.leader.replicas.version") == 1,
        transaction_version: level("transaction.version"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cluster as in a scenario file; the error's path and message, or nothing.
    fn check(cluster: &str, expected: &str) {
        let cluster: Cluster = toml::from_str(cluster).unwrap();
        let found = brokers(&cluster)
            .and_then(|_| static_configs(&cluster))
            .and_then(|_| features(&cluster.features))
            .map_or_else(|error| format!("{}: {}", error.path, error.message), |_| String::new());
        assert_eq!(found, expected, "{cluster:?}");
    }

    #[test]
    fn what_a_cluster_cannot_be_is_refused_where_it_stands() {
        check("brokers = 3\nconfigs = { \"num.partitions\" = \"6\" }", "");
        check("brokers = [{ id = 1, bandwidth = \"60 MB\", configs = { \"log.retention.ms\" = \"1\" } }]", "");
        check("brokers = 0", "cluster.brokers: A cluster has 1 to 64 brokers.");
        check("brokers = [{ id = 1 }, { id = 1 }]", "cluster.brokers[1].id: Broker id 1 is used twice or too large.");
        check(
            "brokers = [{ id = 1, bandwidth = \"0 B\" }]",
            "cluster.brokers[0].bandwidth: A broker that sends nothing is a broken link.",
        );
        check(
            "brokers = [{ id = 1, configs = { \"node.id\" = \"2\" } }]",
            "cluster.brokers[0].configs.\"node.id\": node.id follows from the list of brokers.",
        );
        check(
            "configs = { \"leader.replication.throttled.rate\" = \"1\" }",
            "cluster.configs.\"leader.replication.throttled.rate\": leader.replication.throttled.rate exists only as a \
             dynamic setting.",
        );
        check(
            "configs = { \"broker.heartbeat.interval.ms\" = \"0\" }",
            "cluster.configs.\"broker.heartbeat.interval.ms\": broker.heartbeat.interval.ms is simulated from 1 ms up.",
        );
        check(
            "configs = { \"replica.lag.time.max.ms\" = \"100\" }",
            "cluster.configs: replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms \
             to prevent frequent changes in ISR",
        );
    }

    #[test]
    fn features_have_the_levels_of_the_version() {
        check("features = { \"eligible.leader.replicas.version\" = 0, \"transaction.version\" = 1 }", "");
        check(
            "features = { \"transaction.version\" = 3 }",
            "cluster.features.\"transaction.version\": Level 3 of transaction.version is not simulated; 0 to 2 can be.",
        );
        check("features = { \"elr\" = 1 }", "cluster.features.\"elr\": There is no feature \"elr\".");
        let given = BTreeMap::from([("eligible.leader.replicas.version".to_string(), 0)]);
        assert_eq!(features(&given), Ok(Features { elr: false, transaction_version: 2 }));
    }
}
