//! Kafka's own topics in a scenario: those that it defines itself, and wishes for their leaders.
//!
//! A topic that a scenario does not define is made by a broker, when somebody asks for a coordinator first.

use std::collections::BTreeMap;

use super::cluster::BrokerPlan;
use crate::config_view::ConfigView;
use crate::controller::topic_names::{INTERNAL_TOPICS, TRANSACTION_STATE};
use crate::coordinator::find::internal_topic;
use crate::error::InputError;
use crate::event::Name;
use crate::internal_partition::partition_for;
use crate::message::NewTopic;
use crate::scenario::Cluster;

/// The largest first producer id: as many can still follow.
const FIRST_PRODUCER_ID_MAX: u64 = i64::MAX as u64 / 2;

/// The first producer id of the cluster.
pub(super) fn first_producer_id(cluster: &Cluster) -> Result<u64, InputError> {
    let first = cluster.first_producer_id.unwrap_or(0);
    if first > FIRST_PRODUCER_ID_MAX {
        let text = format!("A first producer id is at most {FIRST_PRODUCER_ID_MAX}.");
        return Err(InputError::new("scenario.producer_id", text).at("cluster.first_producer_id"));
    }
    Ok(first)
}

/// Brokers that shall coordinate ids, checked against each other and the cluster.
pub(super) fn wishes(
    cluster: &Cluster,
    brokers: &[BrokerPlan],
    topics: &[NewTopic],
    view: &ConfigView,
) -> Result<BTreeMap<Name, u32>, InputError> {
    let count = state_partitions(topics, view);
    let mut wished: BTreeMap<u32, (&str, u32)> = BTreeMap::new();
    for (id, broker) in &cluster.coordinators {
        let error =
            |text: String| InputError::new("scenario.coordinators", text).at(format!("cluster.coordinators.\"{id}\""));
        if id.is_empty() {
            return Err(error("A transactional id or a group has a name.".to_string()));
        }
        if !brokers.iter().any(|known| known.id == *broker) {
            return Err(error(format!("There is no broker {broker}.")));
        }
        let partition = partition_for(id, count);
        match wished.insert(partition, (id, *broker)) {
            Some((other, elsewhere)) if elsewhere != *broker => {
                let text = format!(
                    "\"{id}\" and \"{other}\" both belong to partition {partition} of {TRANSACTION_STATE}, which has one \
                     leader."
                );
                return Err(error(text).hint("Give both the same broker, or rename one of them."));
            }
            _ => {}
        }
    }
    Ok(crate::order::map(cluster.coordinators.iter().map(|(id, broker)| (Name::from(id.as_str()), *broker))))
}

fn state_partitions(topics: &[NewTopic], view: &ConfigView) -> u32 {
    let defined = topics.iter().find(|topic| *topic.name == *TRANSACTION_STATE);
    let count = defined.map(|topic| match &topic.assignment {
        Some(lists) => lists.len() as u32,
        None => topic.partitions.unsigned_abs(),
    });
    count.unwrap_or_else(|| internal_topic(TRANSACTION_STATE, view).partitions.unsigned_abs())
}

/// One of Kafka's own topics as a scenario defines it: what it leaves out is as if a broker had made it.
pub(super) fn complete(topic: &mut NewTopic, view: &ConfigView) {
    if !INTERNAL_TOPICS.contains(&&*topic.name) {
        return;
    }
    let made = internal_topic(&topic.name, view);
    if topic.assignment.is_none() {
        let or = |given: i32, made: i32| if given == -1 { made } else { given };
        topic.partitions = or(topic.partitions, made.partitions);
        topic.replication_factor = or(topic.replication_factor, made.replication_factor);
    }
    for (name, value) in made.configs {
        topic.configs.entry(name).or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Plan, Scenario};

    /// What is wrong with a cluster of three brokers, and further tables; empty if nothing is.
    fn check(lines: &str, expected: &str) {
        let scenario: Scenario = toml::from_str(&format!("name = \"s\"\n[cluster]\nbrokers = 3\n{lines}")).unwrap();
        let found =
            Plan::new(&scenario).map_or_else(|error| format!("{}: {}", error.path, error.message), |_| String::new());
        assert_eq!(found, expected, "{lines}");
    }

    #[test]
    fn wishes_name_brokers_and_do_not_contradict_each_other() {
        check("coordinators = { x = 2, payment-tx-1 = 3 }\nfirst_producer_id = 4001", "");
        check("coordinators = { x = 4 }", "cluster.coordinators.\"x\": There is no broker 4.");
        check("coordinators = { \"\" = 1 }", "cluster.coordinators.\"\": A transactional id or a group has a name.");
        let twice = "[[topic]]\nname = \"__transaction_state\"\npartitions = 1";
        check(
            &format!("coordinators = {{ a = 1, b = 2 }}\n{twice}"),
            "cluster.coordinators.\"b\": \"b\" and \"a\" both belong to partition 0 of __transaction_state, which has one \
             leader.",
        );
        check(
            "first_producer_id = 9223372036854775807",
            "cluster.first_producer_id: A first producer id is at most 4611686018427387903.",
        );
    }

    #[test]
    fn an_internal_topic_of_a_scenario_is_completed_as_a_broker_would_make_it() {
        let text = "name = \"s\"\n[cluster]\nbrokers = 3\n[[topic]]\nname = \"__transaction_state\"\npartitions = 4";
        let plan = Plan::new(&toml::from_str(text).unwrap()).unwrap();
        let topic = &plan.topics[0];
        assert_eq!((topic.partitions, topic.replication_factor), (4, 3));
        assert_eq!(topic.configs["min.insync.replicas"], "2".into());
        assert_eq!(topic.configs["cleanup.policy"], "compact".into());
    }
}
