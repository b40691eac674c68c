//! The row of a lesson's controls: each is a setting, shown as segments, a menu or a text field.
//!
//! What a setting does is decided by `course`; its errors come back as sentences beside the field.

use std::rc::Rc;

use course::Protocol;
use course::{Control, Settings};
use engine::Scenario;
use engine::client::configs::{
    ConfigLibrary, broker_definitions, consumer_definitions, definitions, topic_definitions,
};
use yew::{AttrValue, Callback, Html};

use crate::app::controls::{Choice, Segments, Select, TextField};
use crate::app::part::part;

/// Characters of the narrowest and the widest text field.
const FIELD_MIN: usize = 6;
const FIELD_MAX: usize = 36;
/// Choices that fit side by side.
const SEGMENTS_MAX: usize = 5;

/// Sets a setting by name and value; the error is a sentence.
pub type Accept = Callback<(String, String), Result<(), String>>;

/// One control.
pub fn control(control: &Control, settings: &Settings, scenario: &Scenario, accept: &Accept) -> Html {
    let current = effective(&control.setting, settings, scenario);
    let choices = choices(control, &current);
    let name = control.setting.clone();
    if choices.is_empty() {
        let accept = accept.clone();
        let accept = Callback::from(move |value: AttrValue| accept.emit((name.clone(), value.to_string())));
        let size = current.len().clamp(FIELD_MIN, FIELD_MAX) as u32;
        return part!(
            TextField { label: control.label.clone(), size, value: current, accept },
            key = control.setting.clone()
        );
    }
    let onselect = {
        let accept = accept.clone();
        // A value of the list is always taken: the lesson was checked when it was loaded.
        Callback::from(move |value: AttrValue| drop(accept.emit((name.clone(), value.to_string()))))
    };
    if choices.len() <= SEGMENTS_MAX {
        part!(
            Segments { legend: control.label.clone(), choices, selected: current, onselect },
            key = control.setting.clone()
        )
    } else {
        part!(
            Select { legend: control.label.clone(), choices, selected: current, onselect },
            key = control.setting.clone()
        )
    }
}

fn choices(control: &Control, current: &str) -> Rc<[Choice]> {
    let mut choices: Vec<Choice> =
        control.choices.iter().map(|choice| Choice::new(choice.value.clone(), choice.label().to_owned())).collect();
    if control.all_clients {
        for client in partitioner::clients() {
            if !choices.iter().any(|choice| choice.value == client.id) {
                choices.push(Choice::new(client.id, client.name));
            }
        }
    }
    let has_current = choices.is_empty() || choices.iter().any(|choice| choice.value == current);
    if !has_current {
        choices.insert(0, Choice::new(current.to_owned(), label(&control.setting, current)));
    }
    choices.into()
}

/// The words for a value that the lesson did not list: sizes in the units in which people name them.
fn label(setting: &str, value: &str) -> String {
    const UNITS: [(u64, &str); 2] = [(1 << 30, "GiB"), (1 << 20, "MiB")];
    if value.is_empty() {
        return "none".to_owned();
    }
    let bytes = value.parse::<u64>().ok().filter(|bytes| setting.ends_with(".bytes") && *bytes > 0);
    let whole = |bytes: u64| UNITS.into_iter().find(|(unit, _)| bytes.is_multiple_of(*unit));
    match bytes.and_then(|bytes| Some((bytes, whole(bytes)?))) {
        Some((bytes, (unit, name))) => format!("{} {name}", bytes / unit),
        None => value.to_owned(),
    }
}

/// Whether a setting meets anything on a stage: the producer or reader that it names has to be there.
pub fn meets(name: &str, scenario: &Scenario) -> bool {
    match name.split_once('.') {
        Some(("client" | "metadata_age", of)) => scenario.producers.iter().any(|producer| producer.name == of),
        Some(("behind", of)) => scenario.consumers.iter().any(|consumer| consumer.name == of),
        Some(("choice", of)) => scenario.choices.contains_key(of),
        Some(("producer", _)) => !scenario.producers.is_empty(),
        Some(("consumer", _)) => !scenario.consumers.is_empty(),
        None if name == "batch_time" => scenario.cluster.batch_time.is_some(),
        None if name == "rate" => any_workload(scenario, |workload| workload.rate.is_some()),
        None if name == "records_per_transaction" => {
            any_workload(scenario, |workload| workload.records_per_transaction.is_some())
        }
        _ => true,
    }
}

fn any_workload(scenario: &Scenario, has: impl Fn(&engine::scenario::Workload) -> bool) -> bool {
    scenario.producers.iter().filter_map(|producer| producer.workload.as_ref()).any(has)
}

/// The value in force: as set, else as the scenario has it.
pub fn effective(name: &str, settings: &Settings, scenario: &Scenario) -> String {
    if let Some(value) = settings.get(name) {
        return value;
    }
    let producer = scenario.producers.first();
    let workload = producer.and_then(|producer| producer.workload.as_ref());
    let found = match name.split_once('.').unwrap_or((name, "")) {
        ("client", "") => producer.map(|producer| producer.client.clone()),
        ("client", of) => {
            scenario.producers.iter().find(|producer| producer.name == of).map(|producer| producer.client.clone())
        }
        ("partitions", _) => scenario.topics.first().map(|topic| {
            let listed = topic.assignment.as_ref().map(|assignment| assignment.len() as u32);
            topic.partitions.or(listed).unwrap_or(1).to_string()
        }),
        ("replication_factor", _) => scenario.topics.first().map(|topic| {
            let listed = topic.assignment.as_ref().and_then(|assignment| Some(assignment.first()?.len() as u32));
            topic.replication_factor.or(listed).unwrap_or(1).to_string()
        }),
        ("topic" | "cluster" | "producer" | "consumer", config) => config_in_force(name, config, scenario),
        ("seed", _) => Some(scenario.seed.to_string()),
        // Through a setting, so that it reads as the same keys when it is taken over.
        ("keys", _) => workload
            .and_then(|workload| Settings { keys: Some(workload.keys.clone()), ..Settings::default() }.get("keys")),
        ("key", _) => Some("keyed".to_owned()),
        ("key_encoding", _) => {
            workload.map(|workload| workload.key_encoding.clone().unwrap_or_else(|| "text".to_owned()))
        }
        ("partition", _) => workload.and_then(|workload| workload.partition).map(|partition| partition.to_string()),
        ("every", _) => workload.and_then(|workload| workload.every).map(|every| every.to_string()),
        ("skew", _) => workload.and_then(|workload| workload.skew_percent).map(|percent| percent.to_string()),
        ("linger", _) => {
            producer.and_then(|producer| producer.configs.get("linger.ms")).map(|linger| format!("{linger} ms"))
        }
        ("choice", of) => scenario.choices.get(of).cloned(),
        ("feature", of) => scenario.cluster.features.get(of).map(ToString::to_string),
        ("delay", _) => Some(scenario.network.delay.to_string()),
        ("batch_time", _) => scenario.cluster.batch_time.map(|time| time.to_string()),
        ("rate", _) => workload.and_then(|workload| workload.rate).map(|rate| rate.to_string()),
        ("records_per_transaction", _) => {
            workload.and_then(|workload| workload.records_per_transaction).map(|count| count.to_string())
        }
        ("value_size", _) => workload.and_then(|workload| workload.value_size).map(|size| size.to_string()),
        ("metadata_age", of) => scenario
            .producers
            .iter()
            .find(|producer| producer.name == of)
            .map(|producer| producer.metadata_age.unwrap_or_default().to_string()),
        ("behind", of) => scenario
            .consumers
            .iter()
            .find(|consumer| consumer.name == of)
            .map(|consumer| consumer.behind.unwrap_or_default().to_string()),
        _ => None,
    };
    found.unwrap_or_default()
}

/// A setting under Kafka's name: as the scenario has it, else its default. Absent if the scenario has nobody to set it.
fn config_in_force(setting: &str, config: &str, scenario: &Scenario) -> Option<String> {
    let cluster = &scenario.cluster.configs;
    let (given, definitions) = match setting.split('.').next() {
        Some("topic") => {
            let configs = &scenario.topics.first()?.configs;
            // A broker's setting of the same name is the topic's default; with another name it is rarely set.
            (configs.get(config).or_else(|| cluster.get(config)), topic_definitions())
        }
        Some("cluster") => (cluster.get(config), broker_definitions()),
        Some("producer") => {
            let producer = scenario.producers.first()?;
            let library = ConfigLibrary::of(partitioner::client(&producer.client)?);
            (producer.configs.get(config), definitions(library))
        }
        _ => (scenario.consumers.first()?.configs.get(config), consumer_definitions()),
    };
    let default = || definitions.iter().find(|known| known.name == config).map(|known| known.default.to_owned());
    given.cloned().or_else(default)
}

/// A menu that splits the stage: the same with another client or another count.
pub fn compare(settings: &Settings, scenario: &Scenario, accept: &Accept) -> Html {
    let client = effective("client", settings, scenario);
    let partitions = effective("partitions", settings, scenario).parse::<u32>().unwrap_or(1);
    let clients = ["java", "librdkafka", "librdkafka-murmur2_random", "sarama", "kafkajs", "kafka-python"];
    let clients = clients.into_iter().filter(|id| *id != client).filter_map(partitioner::client);
    let counts = [3, 4, 6, 8, 12, 16].into_iter().filter(|count| *count != partitions);
    let nothing = Choice::new("", "nothing");
    let own = Protocol::of(scenario);
    let others: Vec<Protocol> =
        Protocol::ALL.into_iter().filter(|protocol| own.is_some() && Some(*protocol) != own).collect();
    let protocols = others.iter().map(|one| Choice::new(format!("protocol={}", one.text()), one.title()));
    let both = others.iter().map(|one| one.text()).collect::<Vec<_>>().join("+");
    let both = (!others.is_empty()).then(|| Choice::new(format!("protocol={both}"), "all three protocols"));
    let choices: Rc<[Choice]> = std::iter::once(nothing)
        .chain(protocols)
        .chain(both)
        .chain(clients.map(|client| Choice::new(client.id, client.name)))
        .chain(counts.map(|count| Choice::new(count.to_string(), format!("{count} partitions"))))
        .collect();
    let onselect = {
        let accept = accept.clone();
        Callback::from(move |value: AttrValue| drop(accept.emit(("compare".to_owned(), value.to_string()))))
    };
    part!(Select { legend: "Compare with", choices, selected: settings.get("compare").unwrap_or_default(), onselect })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGE: &str = r#"
        name = "controls"
        [cluster]
        brokers = 2
        configs = { "min.insync.replicas" = "2" }
        [[topic]]
        name = "events"
        assignment = [[1, 2], [2, 1], [1, 2]]
        configs = { "retention.ms" = "1000" }
        [[producer]]
        name = "p"
    "#;

    fn check(setting: &str, expected: &str) {
        let scenario = course::scenario_from_text(STAGE).expect("the stage is valid");
        assert_eq!(effective(setting, &Settings::default(), &scenario), expected, "{setting}");
    }

    #[test]
    fn a_control_shows_what_is_in_force() {
        check("partitions", "3");
        check("replication_factor", "2");
        check("topic.retention.ms", "1000");
        check("topic.min.insync.replicas", "2");
        check("topic.segment.bytes", "1073741824");
        check("cluster.auto.leader.rebalance.enable", "true");
        check("producer.acks", "all");
        // Nobody reads here.
        check("consumer.client.rack", "");
    }

    #[test]
    fn a_value_beside_the_choices_reads_as_people_say_it() {
        assert_eq!(label("topic.segment.bytes", "1073741824"), "1 GiB");
        assert_eq!(label("topic.segment.bytes", "14336"), "14336");
        assert_eq!(label("topic.retention.ms", "1048576"), "1048576");
        assert_eq!(label("consumer.client.rack", ""), "none");
    }
}
