//! One short line for each item of a set-up, for its list.

use engine::Scenario;
use engine::scenario::{BrokerSpec, ConsumerSpec, ProducerSpec, TopicSpec, Workload};

/// "3 partitions, 3 replicas".
pub fn topic(topic: &TopicSpec) -> String {
    let partitions = topic.assignment.as_ref().map_or(topic.partitions.unwrap_or(1) as usize, Vec::len);
    let replicas = topic.assignment.as_ref().and_then(|assignment| assignment.first()).map(Vec::len);
    let replicas = replicas.unwrap_or(topic.replication_factor.unwrap_or(1) as usize);
    let filled = if topic.preloads.is_empty() { "" } else { ", filled" };
    let set = settings(topic.configs.len());
    format!("{}, {}{filled}{set}", count(partitions, "partition"), count(replicas, "replica"))
}

/// "Java · 6 keys, every 500 ms".
pub fn producer(producer: &ProducerSpec) -> String {
    let client = partitioner::client(&producer.client).map_or(producer.client.as_str(), |client| client.name);
    let sends = producer.workload.as_ref().map_or_else(|| "sends nothing by itself".to_owned(), workload);
    format!("{client} · {sends}{}", settings(producer.configs.len()))
}

fn workload(workload: &Workload) -> String {
    let keys = match (&workload.key_pattern, workload.keys.len()) {
        (Some(pattern), _) => count(usize::try_from(pattern.count).unwrap_or(usize::MAX), "key"),
        (None, 0) => "no key".to_owned(),
        (None, keys) => count(keys, "key"),
    };
    let every = workload.every.map_or_else(|| "500 ms".to_owned(), |every| every.to_string());
    format!("{keys} to {}, every {every}", workload.topic)
}

/// "workers · events · consumer".
pub fn member(member: &ConsumerSpec) -> String {
    let subscribed = if member.subscribe.is_empty() {
        member.pattern.as_ref().or(member.re2j.as_ref()).map_or_else(|| member.assign.join(", "), String::clone)
    } else {
        member.subscribe.join(", ")
    };
    let setting = |name: &str| member.configs.get(name).map(String::as_str);
    let words =
        [setting("group.id"), Some(subscribed.as_str()), setting("group.protocol"), setting("group.instance.id")];
    let words: Vec<&str> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
    words.join(" · ")
}

/// "reads events".
pub fn reader(reader: &ConsumerSpec) -> String {
    let behind = reader.behind.map_or_else(String::new, |behind| format!(", {behind} behind"));
    format!("reads {}{behind}{}", reader.assign.join(", "), settings(reader.configs.len()))
}

/// "rack a, 2 ms a request, 50 MB/s".
pub fn broker(broker: &BrokerSpec) -> String {
    let rack = broker.rack.as_ref().map(|rack| format!("rack {rack}"));
    let time = broker.produce_time.map(|time| format!("{time} a request"));
    let bandwidth = broker.bandwidth.map(|bandwidth| format!("{bandwidth}/s"));
    let known = [rack, time, bandwidth].into_iter().flatten().collect::<Vec<_>>().join(", ");
    format!("{known}{}", settings(broker.configs.len()))
}

/// "delay 0 ms, seed 7".
pub fn whole(scenario: &Scenario) -> String {
    let cluster = &scenario.cluster;
    let failover =
        cluster.controller_failover.map_or_else(String::new, |time| format!(", {time} without a controller"));
    let set = settings(cluster.configs.len() + cluster.features.len());
    format!("delay {}, seed {}{failover}{set}", scenario.network.delay, scenario.seed)
}

fn settings(number: usize) -> String {
    if number == 0 { String::new() } else { format!(" · {} set", number) }
}

/// "1 key", "2 keys".
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::play::examples;

    fn check(line: &str, expected: &str) {
        assert_eq!(line, expected);
    }

    #[test]
    fn an_item_is_told_in_one_line() {
        check(&topic(&examples::topic("events", 3, 1)), "3 partitions, 1 replica");
        check(
            &topic(&TopicSpec { assignment: Some(vec![vec![1, 2]]), ..examples::topic("t", 9, 9) }),
            "1 partition, 2 replicas",
        );
        check(&producer(&examples::producer("p", "java", None)), "Java · sends nothing by itself");
        let service = examples::producer("p", "librdkafka", Some(examples::workload("events")));
        check(&producer(&service), "librdkafka · 6 keys to events, every 500 ms");
        check(&reader(&ConsumerSpec { behind: Some(4), ..examples::reader("r", "events") }), "reads events, 4 behind");
        check(&member(&examples::member("w", "workers", "events")), "workers · events");
        check(&whole(&examples::empty()), "delay 0 ms, seed 1");
    }
}
