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
