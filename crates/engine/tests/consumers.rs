//! Members of groups from beginning to end: clients, coordinator, log.
//!
//! The moves are those of recordings of Kafka 4.3.1; single decisions are tested with the nodes that make them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

use engine::event::{EventKind, TopicPartition};
use engine::group::{Callback, GroupEvent};
use engine::{Scenario, Simulation, Time};

fn scenario(assignor: &str, script: &str, members: &[(&str, &str)]) -> Scenario {
    let mut text = String::from(
        "name = \"group\"\n[cluster]\nbrokers = 1\nconfigs = { \"offsets.topic.replication.factor\" = \"1\" }\n\
         [[topic]]\nname = \"orders\"\npartitions = 6\nreplication_factor = 1\n",
    );
    for (name, start) in members {
        text += &format!(
            "[[consumer]]\nname = \"{name}\"\nsubscribe = [\"orders\"]\nstart = \"{start}\"\n[consumer.configs]\n\
             \"group.id\" = \"g\"\n\"enable.auto.commit\" = \"false\"\n\
             \"partition.assignment.strategy\" = \"org.apache.kafka.clients.consumer.{assignor}\"\n"
        );
    }
    toml::from_str(&(text + script)).unwrap()
}

fn numbers(partitions: &[TopicPartition]) -> String {
    partitions.iter().map(|partition| partition.partition.to_string()).collect::<Vec<_>>().join("+")
}

/// The callbacks of each member in order: `A assigned 0+1 @1`.
fn callbacks(scenario: &Scenario, until: u64) -> Vec<String> {
    let mut simulation = Simulation::new(scenario).unwrap();
    let mut trace = Vec::new();
    simulation.run_until(Time::from_millis(until), &mut trace);
    let mut told: Vec<(String, String)> = Vec::new();
    for event in &trace {
        if let EventKind::Group(GroupEvent::CallbackStarted { consumer, callback, partitions, generation, .. }) =
            &event.kind
        {
            let name = match callback {
                Callback::Assigned => "assigned",
                Callback::Revoked => "revoked",
                Callback::Lost => "lost",
            };
            let text = format!("{consumer} {name} {} @{generation}", numbers(partitions));
            told.push((consumer.to_string(), text));
        }
    }
    told.sort_by(|one, other| one.0.cmp(&other.0));
    told.into_iter().map(|(_, text)| text).collect()
}

const LEAVE: &str = "[[script]]\nat = \"24 s\"\ncommand = { do = \"close_consumer\", consumer = \"B\" }\n";
const MEMBERS: [(&str, &str); 3] = [("A", "0 s"), ("B", "8 s"), ("C", "16 s")];

#[test]
fn everybody_lets_go_in_an_eager_rebalance() {
    assert_eq!(
        callbacks(&scenario("RangeAssignor", LEAVE, &MEMBERS), 30_000),
        [
            "A assigned 0+1+2+3+4+5 @1",
            "A revoked 0+1+2+3+4+5 @1",
            "A assigned 0+1+2 @2",
            "A revoked 0+1+2 @2",
            "A assigned 0+1 @3",
            "A revoked 0+1 @3",
            "A assigned 0+1+2 @4",
            "B assigned 3+4+5 @2",
            "B revoked 3+4+5 @2",
            "B assigned 2+3 @3",
            "B revoked 2+3 @3",
            "C assigned 4+5 @3",
            "C revoked 4+5 @3",
            "C assigned 3+4+5 @4",
        ]
    );
}

#[test]
fn a_cooperative_rebalance_takes_two_short_rounds() {
    assert_eq!(
        callbacks(&scenario("CooperativeStickyAssignor", LEAVE, &MEMBERS), 30_000),
        [
            "A assigned 0+1+2+3+4+5 @1",
            "A revoked 3+4+5 @2",
            "A assigned  @2",
            "A assigned  @3",
            "A revoked 2 @4",
            "A assigned  @4",
            "A assigned  @5",
            "A assigned 3 @6",
            "B assigned  @2",
            "B assigned 3+4+5 @3",
            "B revoked 5 @4",
            "B assigned  @4",
            "B assigned  @5",
            "B revoked 3+4 @5",
            "C assigned  @4",
            "C assigned 2+5 @5",
            "C assigned 4 @6",
        ]
    );
}

#[test]
fn a_topic_that_the_group_does_not_want_any_more_costs_one_more_rebalance() {
    // Seen in the recording `rebalances/mixed-8p-6m-classic-cooperative-sticky`: the leader compares its metadata with
    // those that it last assigned by, and the topic of the member that left is in them still.
    let more = "[[topic]]\nname = \"pay\"\npartitions = 1\nreplication_factor = 1\n";
    let mut scenario = scenario("RangeAssignor", &format!("{more}{LEAVE}"), &MEMBERS[..2]);
    for consumer in &mut scenario.consumers {
        consumer.configs.insert("metadata.max.age.ms".into(), "7000".into());
    }
    scenario.consumers[1].subscribe.push("pay".into());
    let told = callbacks(&scenario, 60_000);
    let of_leader: Vec<&String> = told.iter().filter(|told| told.starts_with("A assigned")).collect();
    let all = "A assigned 0+1+2+3+4+5";
    assert_eq!(of_leader, [&format!("{all} @1"), "A assigned 0+1+2 @2", &format!("{all} @3"), &format!("{all} @4")]);
}

#[test]
fn a_group_rebalances_after_its_only_broker_was_away() {
    let restart = "[[script]]\nat = \"24 s\"\ncommand = { do = \"stop_broker\", broker = 1 }\n\
                   [[script]]\nat = \"28 s\"\ncommand = { do = \"start_broker\", broker = 1 }\n";
    let told = callbacks(&scenario("RangeAssignor", restart, &MEMBERS[..2]), 40_000);
    let before = ["A assigned 0+1+2+3+4+5 @1", "A revoked 0+1+2+3+4+5 @1", "A assigned 0+1+2 @2"];
    let after = ["A revoked 0+1+2 @2", "A assigned 0+1+2 @3"];
    let other = ["B assigned 3+4+5 @2", "B revoked 3+4+5 @2", "B assigned 3+4+5 @3"];
    assert_eq!(told, [&before[..], &after, &other].concat());
}

#[test]
fn a_copier_sends_every_record_on_and_its_producer_chooses_the_partition() {
    let text = "name = \"copy\"\n[cluster]\nbrokers = 1\nconfigs = { \"offsets.topic.replication.factor\" = \"1\" }\n\
         [[topic]]\nname = \"events\"\npartitions = 3\nreplication_factor = 1\n\
         [[topic]]\nname = \"events.v2\"\npartitions = 12\nreplication_factor = 1\n\
         [[producer]]\nname = \"P\"\n[producer.workload]\ntopic = \"events\"\nkeys = [\"user-3\", \"user-1\"]\n\
         values = [\"1\", \"2\", \"3\", \"4\"]\nevery = \"1 s\"\ncount = 8\n\
         [[producer]]\nname = \"out\"\n\
         [[consumer]]\nname = \"in\"\nsubscribe = [\"events\"]\ncopy_to = { producer = \"out\", topic = \"events.v2\" }\n\
         configs = { \"group.id\" = \"copier\", \"auto.offset.reset\" = \"earliest\" }\n";
    let mut simulation = Simulation::new(&toml::from_str(text).unwrap()).unwrap();
    simulation.run_until(Time::from_millis(20_000), &mut Vec::new());
    let snapshot = simulation.snapshot(64);
    let copies = &snapshot.topics.iter().find(|topic| &*topic.name == "events.v2").unwrap().partitions;
    let values = |partition: usize| -> Vec<(&str, &str)> {
        let records = copies[partition].records.iter().map(|entry| &entry.record);
        records.map(|record| (record.key_text.as_deref().unwrap(), record.value.as_deref().unwrap())).collect()
    };
    assert_eq!(values(11), [("user-3", "1"), ("user-3", "3"), ("user-3", "1"), ("user-3", "3")]);
    assert_eq!(copies.iter().map(|partition| partition.log_end_offset).sum::<u64>(), 8);
    let count = |simulation: &mut Simulation| {
        let snapshot = simulation.snapshot(0);
        let copies = snapshot.topics.iter().find(|topic| &*topic.name == "events.v2").unwrap();
        copies.partitions.iter().map(|partition| partition.log_end_offset).sum::<u64>()
    };
    let close = engine::Command::Close { producer: "out".into(), timeout_ms: None };
    simulation.act(0, &close, &mut Vec::new()).unwrap();
    let send = engine::Command::Send {
        producer: "P".into(),
        topic: "events".into(),
        key: Some("user-3".into()),
        key_encoding: None,
        value: None,
        value_encoding: None,
        value_bytes: None,
        partition: None,
        timestamp_ms: None,
        headers: Vec::new(),
    };
    simulation.act(1, &send, &mut Vec::new()).unwrap();
    simulation.run_until(Time::from_millis(30_000), &mut Vec::new());
    assert_eq!(count(&mut simulation), 8, "a closed producer sends no copies");
}

#[test]
fn copiers_in_a_ring_do_not_stop_time() {
    let copier = |name: &str, from: &str, to: &str| {
        format!(
            "[[producer]]\nname = \"{name}\"\nconfigs = {{ \"linger.ms\" = \"0\" }}\n[[consumer]]\nname = \"from-{from}\"\n\
             assign = [\"{from}\"]\nprocessing = \"0 ms\"\ncopy_to = {{ producer = \"{name}\", topic = \"{to}\" }}\n\
             configs = {{ \"auto.offset.reset\" = \"earliest\" }}\n"
        )
    };
    let text = "name = \"ring\"\n[[topic]]\nname = \"a\"\npreload = [{ partition = 0, keys = [\"k\"] }]\n\
                [[topic]]\nname = \"b\"\n"
        .to_string()
        + &copier("P", "a", "b")
        + &copier("Q", "b", "a");
    let mut simulation = Simulation::new(&toml::from_str(&text).unwrap()).unwrap();
    simulation.run_until(Time::from_millis(100), &mut Vec::new());
    let ends: Vec<u64> = simulation.snapshot(0).topics.iter().map(|topic| topic.partitions[0].log_end_offset).collect();
    assert!(ends.iter().all(|end| (10..=110).contains(end)), "the record goes round, {ends:?} times in 100 ms");
}
