//! What the sides of a comparison are called: by the one thing in which their scenarios differ.

use std::rc::Rc;

use course::Protocol;
use engine::Scenario;
use yew::AttrValue;

use super::strip::client_name;
use crate::app::session::Session;

/// A name for each side of a session.
pub fn titles(session: &Session) -> Rc<[AttrValue]> {
    let sides = session.read(scene::Player::sides);
    let scenarios: Vec<Scenario> = (0..sides).map(|side| session.scenario(side)).collect();
    match scenarios.as_slice() {
        all if differ(all.iter().map(Protocol::of)) => all.iter().map(|one| protocol(one).into()).collect(),
        [left, right] => [name(left, right), name(right, left)].map(AttrValue::from).into(),
        _ => scenarios.iter().map(|scenario| AttrValue::from(topic(scenario))).collect(),
    }
}

/// Whether some of them differ.
fn differ<T: PartialEq>(values: impl Iterator<Item = T>) -> bool {
    let values: Vec<T> = values.collect();
    values.windows(2).any(|pair| pair[0] != pair[1])
}

fn protocol(scenario: &Scenario) -> &'static str {
    Protocol::of(scenario).map_or("without a group", Protocol::title)
}

/// What is special about a scenario beside another.
fn name(own: &Scenario, other: &Scenario) -> String {
    let client = |scenario: &Scenario| scenario.producers.first().map(|producer| producer.client.clone());
    let partitions = |scenario: &Scenario| scenario.topics.first().and_then(|topic| topic.partitions);
    if client(own) != client(other) {
        let client = client(own).map_or_else(|| AttrValue::Static("nobody"), |id| client_name(&id));
        return format!("{} · written by {client}", topic(own));
    }
    if partitions(own) != partitions(other) {
        return format!("{} · {} partitions", topic(own), partitions(own).unwrap_or(1));
    }
    topic(own)
}

fn topic(scenario: &Scenario) -> String {
    scenario.topics.first().map_or_else(|| scenario.name.clone(), |topic| topic.name.clone())
}

#[cfg(test)]
mod tests {
    use super::name;
    use engine::Scenario;
    use engine::scenario::{ProducerSpec, TopicSpec};

    fn scenario(client: &str, partitions: u32) -> Scenario {
        let topic = TopicSpec { name: "events".into(), partitions: Some(partitions), ..TopicSpec::default() };
        let producer = ProducerSpec {
            name: "orders-service".into(),
            client: client.into(),
            configs: Default::default(),
            workload: None,
            metadata_age: None,
            random_start: None,
            only: Vec::new(),
        };
        Scenario { topics: vec![topic], producers: vec![producer], ..Scenario::empty(1) }
    }

    fn check(own: (&str, u32), other: (&str, u32), expected: &str) {
        assert_eq!(name(&scenario(own.0, own.1), &scenario(other.0, other.1)), expected);
    }

    #[test]
    fn a_side_is_called_by_what_differs() {
        check(("java", 3), ("librdkafka", 3), "events · written by Java");
        check(("java", 6), ("java", 3), "events · 6 partitions");
        check(("java", 3), ("java", 3), "events");
    }
}
