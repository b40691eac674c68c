//! Set-ups to start from: one click each, and the parts that a button adds. Nothing here is rendered.

use engine::Scenario;
use engine::scenario::{
    BrokerSpec, Brokers, Cluster, ConsumerSpec, KeyPattern, Network, ProducerSpec, TopicSpec, Workload,
};

/// A set-up to start from.
pub struct Example {
    /// What the button says.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub text: &'static str,
    /// Makes it.
    pub make: fn() -> Scenario,
}

/// All of them.
pub const EXAMPLES: [Example; 8] = [
    Example {
        title: "Java beside librdkafka",
        text: "Two services write the same keys into one topic, and the keys land in different partitions.",
        make: two_services,
    },
    Example {
        title: "A topic about to grow",
        text: "Six users, three partitions. Grow it and see who moves.",
        make: growing,
    },
    Example { title: "Records without a key", text: "Batches wander from partition to partition.", make: keyless },
    Example { title: "One hot key", text: "Sixty percent of the records carry one of thirty keys.", make: hot_key },
    Example {
        title: "A cluster to break",
        text: "Three racks, three replicas, acks=all. Kill a broker, cut a link, move replicas.",
        make: to_break,
    },
    Example {
        title: "A transaction by hand",
        text: "A transactional producer and two readers: begin, send, commit, abort, and crash anything between.",
        make: transactional,
    },
    Example {
        title: "A group that rebalances",
        text: "Two members share six partitions. Let one more join, leave or crash, and compare the three protocols.",
        make: group,
    },
    Example {
        title: "A full buffer",
        text: "The application sends faster than the brokers take it: the pool fills, and send() waits.",
        make: full_buffer,
    },
];

/// Nothing but brokers.
pub fn empty() -> Scenario {
    Scenario { name: "playground".to_owned(), seed: 1, ..Scenario::empty(3) }
}

/// A topic with partitions on all of three brokers.
pub fn topic(name: &str, partitions: u32, replicas: u32) -> TopicSpec {
    TopicSpec {
        name: name.to_owned(),
        partitions: Some(partitions),
        replication_factor: Some(replicas),
        ..TopicSpec::default()
    }
}

/// A producer with nothing set.
pub fn producer(name: &str, client: &str, workload: Option<Workload>) -> ProducerSpec {
    ProducerSpec {
        name: name.to_owned(),
        client: client.to_owned(),
        configs: Default::default(),
        workload,
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    }
}

/// A member of a group that reads from the beginning.
pub fn member(name: &str, group: &str, topic: &str) -> ConsumerSpec {
    ConsumerSpec {
        name: name.to_owned(),
        subscribe: vec![topic.to_owned()],
        configs: set(&[("group.id", group), ("auto.offset.reset", "earliest")]),
        ..ConsumerSpec::default()
    }
}

/// A reader of a whole topic.
pub fn reader(name: &str, topic: &str) -> ConsumerSpec {
    ConsumerSpec { name: name.to_owned(), assign: vec![topic.to_owned()], ..ConsumerSpec::default() }
}

/// Six users, one record every half second.
pub fn workload(topic: &str) -> Workload {
    Workload {
        topic: topic.to_owned(),
        keys: (1..=6).map(|number| format!("user-{number}")).collect(),
        value: Some("login".to_owned()),
        every: Some(engine::Duration::from_millis(500)),
        count: Some(60),
        ..Workload::default()
    }
}

/// A name of the pattern that nobody has yet.
pub fn free_name<'a>(stem: &str, taken: impl IntoIterator<Item = &'a str>) -> String {
    let taken: Vec<&str> = taken.into_iter().collect();
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut names = std::iter::once(stem.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(&name.as_str())).expect("there are more numbers than names")
}

fn two_services() -> Scenario {
    let invoices = Workload {
        value: Some("invoice".to_owned()),
        start: Some(engine::Duration::from_millis(250)),
        ..workload("events")
    };
    Scenario {
        name: "java-beside-librdkafka".to_owned(),
        topics: vec![topic("events", 6, 1)],
        producers: vec![
            producer("orders-service", "java", Some(workload("events"))),
            producer("billing-job", "librdkafka", Some(invoices)),
        ],
        ..empty()
    }
}

fn growing() -> Scenario {
    // The metadata is old enough to be refreshed soon after the topic has grown.
    let orders = ProducerSpec {
        metadata_age: Some(engine::Duration::from_secs(290)),
        ..producer("orders-service", "java", Some(workload("events")))
    };
    Scenario {
        name: "about-to-grow".to_owned(),
        topics: vec![topic("events", 3, 3)],
        producers: vec![orders],
        consumers: vec![reader("console", "events")],
        ..empty()
    }
}

fn keyless() -> Scenario {
    let clicks = Workload {
        topic: "clicks".to_owned(),
        value_size: Some(1_024),
        every: Some(engine::Duration::from_millis(40)),
        count: Some(200),
        ..Workload::default()
    };
    Scenario {
        name: "without-a-key".to_owned(),
        topics: vec![topic("clicks", 3, 1)],
        producers: vec![producer("clicks-service", "java", Some(clicks))],
        ..empty()
    }
}

fn hot_key() -> Scenario {
    let orders = Workload {
        keys: Vec::new(),
        key_pattern: Some(KeyPattern { prefix: "shop-".to_owned(), first: 1, count: 30 }),
        skew_percent: Some(60),
        every: Some(engine::Duration::from_millis(100)),
        count: Some(200),
        ..workload("orders")
    };
    Scenario {
        name: "one-hot-key".to_owned(),
        topics: vec![topic("orders", 6, 1)],
        producers: vec![producer("orders-service", "java", Some(orders))],
        ..empty()
    }
}

fn to_break() -> Scenario {
    let rack = |(id, rack): (u32, &str)| BrokerSpec { id, rack: Some(rack.to_owned()), ..BrokerSpec::default() };
    let orders = ProducerSpec {
        configs: [("acks".to_owned(), "all".to_owned())].into(),
        ..producer("orders-service", "java", Some(Workload { count: Some(200), ..workload("events") }))
    };
    let events =
        TopicSpec { configs: [("min.insync.replicas".to_owned(), "2".to_owned())].into(), ..topic("events", 3, 3) };
    Scenario {
        name: "to-break".to_owned(),
        cluster: Cluster {
            brokers: Brokers::List([(1, "a"), (2, "b"), (3, "c")].map(rack).into()),
            ..Cluster::default()
        },
        topics: vec![events],
        producers: vec![orders],
        consumers: vec![reader("console", "events")],
        ..empty()
    }
}

fn transactional() -> Scenario {
    let configs = [("transactional.id", "fare-writer-7"), ("transaction.timeout.ms", "60000")];
    let fares = ProducerSpec { configs: set(&configs), ..producer("fare-service", "java", None) };
    let both = |name: &str, level: &str| ConsumerSpec {
        assign: vec!["fares".to_owned(), "driver-payouts".to_owned()],
        configs: set(&[("isolation.level", level)]),
        ..reader(name, "fares")
    };
    Scenario {
        name: "transaction-by-hand".to_owned(),
        topics: vec![topic("fares", 2, 3), topic("driver-payouts", 2, 3)],
        producers: vec![fares],
        consumers: vec![both("settlement", "read_committed"), both("dashboard", "read_uncommitted")],
        // Without a delay a whole commit would be over in the instant in which it is asked for.
        network: Network { delay: engine::Duration::from_millis(2) },
        ..empty()
    }
}

fn group() -> Scenario {
    let orders = Workload { every: Some(engine::Duration::from_millis(200)), ..workload("orders") };
    Scenario {
        name: "group".to_owned(),
        topics: vec![topic("orders", 6, 3)],
        producers: vec![producer("order-service", "java", Some(orders))],
        consumers: vec![member("worker", "analytics", "orders"), member("worker-2", "analytics", "orders")],
        ..empty()
    }
}

fn full_buffer() -> Scenario {
    let clicks = Workload {
        topic: "clicks".to_owned(),
        value_size: Some(1_024),
        every: Some(engine::Duration::from_millis(2)),
        ..Workload::default()
    };
    // Sixteen buffers, and brokers that need 100 ms for each request.
    let configs = [("buffer.memory", "262144"), ("max.block.ms", "10000")];
    let service = ProducerSpec { configs: set(&configs), ..producer("clicks-service", "java", Some(clicks)) };
    let slow = |id| BrokerSpec { id, produce_time: Some(engine::Duration::from_millis(100)), ..BrokerSpec::default() };
    Scenario {
        name: "full-buffer".to_owned(),
        cluster: Cluster { brokers: Brokers::List((1..=3).map(slow).collect()), ..Cluster::default() },
        topics: vec![topic("clicks", 3, 1)],
        producers: vec![service],
        ..empty()
    }
}

fn set(configs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    configs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::scenario::Plan;

    fn check(scenario: &Scenario) {
        assert!(Plan::new(scenario).is_ok(), "{}", scenario.name);
    }

    #[test]
    fn every_example_can_be_run() {
        check(&empty());
        for example in EXAMPLES {
            check(&(example.make)());
        }
    }

    #[test]
    fn a_free_name_is_numbered_after_the_taken_ones() {
        assert_eq!(free_name("events", []), "events");
        assert_eq!(free_name("events", ["events", "events-2"]), "events-3");
    }
}
