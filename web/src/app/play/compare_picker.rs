//! The one difference of a comparison: a producer's client, a topic's count, its groups' protocol, or the seed. Counting is `scene`'s.

use std::rc::Rc;

use course::{Protocol, Side};
use engine::Scenario;
use yew::{AttrValue, Callback, Html, component, html, use_state_eq};

use super::act_form::ActFormProps;
use super::client_picker::ClientPicker;
use super::fields::number;
use super::workbench::{Workbench, beside};
use crate::app::controls::{Choice, Segments, Select, TextField};
use crate::app::part::part;

/// The menu of what differs, and its value.
#[component]
pub fn ComparePicker(props: &ActFormProps) -> Html {
    let bench = &props.bench;
    let scenario = bench.scenario();
    let compare = bench.compare();
    let chosen = use_state_eq(|| None::<AttrValue>);
    let problem = use_state_eq(|| None::<String>);
    let kinds = kinds(&scenario);
    let kind = chosen.as_ref().map_or_else(|| kind_of(compare.as_ref(), &scenario), ToString::to_string);
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |kind| chosen.set(Some(kind)))
    };
    let set = {
        let (bench, problem) = (bench.clone(), problem.clone());
        Callback::from(move |side: Option<Side>| {
            problem.set(bench.set_compare(side).err().map(|error| error.to_string()))
        })
    };
    let stop = set.reform(|_| None);
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Both run on one clock, with the same acts. The second has another", choices: kinds, selected: kind.clone(), onselect }) }
                if compare.is_some() { <button class="button" onclick={stop}>{ "Stop comparing" }</button> }
            </div>
            { value(bench, &scenario, compare.as_ref(), &kind, &set) }
            if let Some(problem) = &*problem { <p class="field-error" role="alert">{ problem }</p> }
        </div>
    }
}

/// What can differ, as values of the menu: `client.NAME`, `partitions.NAME`, `seed`.
fn kinds(scenario: &Scenario) -> Rc<[Choice]> {
    let clients = scenario
        .producers
        .iter()
        .map(|producer| Choice::new(format!("client.{}", producer.name), format!("client of {}", producer.name)));
    let counts = scenario
        .topics
        .iter()
        .map(|topic| Choice::new(format!("partitions.{}", topic.name), format!("partition count of {}", topic.name)));
    let groups = has_group(scenario).then(|| Choice::new("protocol", "protocol of its groups"));
    clients.chain(counts).chain(groups).chain([Choice::new("seed", "seed")]).collect()
}

fn has_group(scenario: &Scenario) -> bool {
    course::Protocol::of(scenario).is_some()
}

fn kind_of(compare: Option<&Side>, scenario: &Scenario) -> String {
    let producer = scenario.producers.first().map(|producer| producer.name.clone());
    let topic = scenario.topics.first().map(|topic| topic.name.clone());
    match compare {
        Some(Side::ClientOf { producer, .. }) => format!("client.{producer}"),
        Some(Side::PartitionsOf { topic, .. }) => format!("partitions.{topic}"),
        Some(Side::Protocols(_) | Side::Choices { .. }) => "protocol".to_owned(),
        Some(Side::Seed(_)) => "seed".to_owned(),
        Some(Side::Partitions(_)) => topic.map_or_else(|| "seed".to_owned(), |name| format!("partitions.{name}")),
        None if has_group(scenario) => "protocol".to_owned(),
        Some(Side::Client(_)) | None => producer.map_or_else(|| "seed".to_owned(), |name| format!("client.{name}")),
    }
}

/// Reads a side from the text of a field.
type Read = Rc<dyn Fn(&str) -> Result<Side, String>>;

fn value(
    bench: &Workbench,
    scenario: &Scenario,
    compare: Option<&Side>,
    kind: &str,
    set: &Callback<Option<Side>>,
) -> Html {
    if let Some(name) = kind.strip_prefix("client.") {
        let own =
            scenario.producers.iter().find(|producer| producer.name == name).map(|producer| producer.client.clone());
        let selected = match compare {
            Some(Side::ClientOf { producer, client }) if producer == name => client.clone(),
            Some(Side::Client(client)) => client.clone(),
            _ => own.unwrap_or_default(),
        };
        let producer = name.to_owned();
        let onselect = set.reform(move |client: AttrValue| {
            Some(Side::ClientOf { producer: producer.clone(), client: client.to_string() })
        });
        return part!(ClientPicker { label: "Client of the second side", selected, onselect });
    }
    if kind == "protocol" {
        return protocols(scenario, compare, set);
    }
    let (label, value, side): (&str, String, Read) = if let Some(name) = kind.strip_prefix("partitions.") {
        let own = scenario.topics.iter().find(|topic| topic.name == name).and_then(|topic| topic.partitions);
        let shown = match compare {
            Some(Side::PartitionsOf { topic, partitions }) if topic == name => *partitions,
            Some(Side::Partitions(partitions)) => *partitions,
            _ => own.unwrap_or(1),
        };
        let topic = name.to_owned();
        let side = move |text: &str| Ok(Side::PartitionsOf { topic: topic.clone(), partitions: number(text)? });
        ("Partitions of the second side", shown.to_string(), Rc::new(side))
    } else {
        let shown = if let Some(Side::Seed(seed)) = compare { *seed } else { scenario.seed };
        ("Seed of the second side", shown.to_string(), Rc::new(|text: &str| Ok(Side::Seed(number(text)?))))
    };
    let accept = {
        let bench = bench.clone();
        Callback::from(move |text: AttrValue| bench.set_compare(Some(side(&text)?)).map_err(beside))
    };
    part!(TextField { label, value, size: 8, accept }, key = kind.to_owned())
}

/// Another protocol for the groups, or both of the others on three sides.
fn protocols(scenario: &Scenario, compare: Option<&Side>, set: &Callback<Option<Side>>) -> Html {
    let own = Protocol::of(scenario);
    let others: Vec<Protocol> = Protocol::ALL.into_iter().filter(|protocol| Some(*protocol) != own).collect();
    let text = |protocols: &[Protocol]| protocols.iter().map(|one| one.text()).collect::<Vec<_>>().join("+");
    let mut choices: Vec<Choice> = others.iter().map(|one| Choice::new(one.text(), one.title())).collect();
    choices.push(Choice::new(text(&others), "both, three stages"));
    let selected = match compare {
        Some(Side::Protocols(protocols)) => text(protocols),
        _ => String::new(),
    };
    let onselect = set.reform(move |chosen: AttrValue| {
        let wanted = others.iter().copied().filter(|one| chosen.split('+').any(|name| name == one.text()));
        Some(Side::Protocols(wanted.collect()))
    });
    part!(Segments { legend: "Its groups use", choices: Rc::from(choices), selected, onselect })
}

/// What the sides are called.
pub fn titles(scenario: &Scenario, compare: &Side) -> Vec<String> {
    let client = |id: &str| partitioner::client(id).map_or_else(|| id.to_owned(), |client| client.name.to_owned());
    let client_of = |name: Option<&str>| {
        let named = scenario.producers.iter().find(|producer| name.is_none_or(|name| producer.name == name));
        named.map_or_else(Default::default, |producer| (producer.name.clone(), client(&producer.client)))
    };
    let count_of = |name: Option<&str>| {
        let named = scenario.topics.iter().find(|topic| name.is_none_or(|name| topic.name == name));
        named.map_or_else(Default::default, |topic| {
            let listed = topic.assignment.as_ref().map_or(1, Vec::len);
            (topic.name.clone(), topic.partitions.map_or(listed, |count| count as usize))
        })
    };
    match compare {
        Side::Client(id) | Side::ClientOf { client: id, .. } => {
            let name = if let Side::ClientOf { producer, .. } = compare { Some(producer.as_str()) } else { None };
            let (producer, own) = client_of(name);
            vec![format!("{producer} · {own}"), format!("{producer} · {}", client(id))]
        }
        Side::Partitions(count) | Side::PartitionsOf { partitions: count, .. } => {
            let name = if let Side::PartitionsOf { topic, .. } = compare { Some(topic.as_str()) } else { None };
            let (topic, own) = count_of(name);
            vec![format!("{topic} · {own} partitions"), format!("{topic} · {count} partitions")]
        }
        Side::Seed(seed) => vec![format!("seed {}", scenario.seed), format!("seed {seed}")],
        Side::Protocols(protocols) => {
            let own = Protocol::of(scenario).into_iter();
            own.chain(protocols.iter().copied()).map(|one| one.title().to_owned()).collect()
        }
        Side::Choices { choice, values } => {
            let own = scenario.choices.get(choice).cloned().into_iter();
            own.chain(values.iter().cloned()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::play::examples;

    fn check(compare: Side, expected: [&str; 2]) {
        let scenario = (examples::EXAMPLES[0].make)();
        assert_eq!(titles(&scenario, &compare), expected, "{compare:?}");
        let kind = kind_of(Some(&compare), &scenario);
        assert!(kinds(&scenario).iter().any(|choice| choice.value == kind), "{kind}");
    }

    #[test]
    fn a_side_is_called_by_the_one_difference() {
        let producer = || "billing-job".to_owned();
        check(
            Side::ClientOf { producer: producer(), client: "java".into() },
            ["billing-job · librdkafka", "billing-job · Java"],
        );
        check(Side::Client("librdkafka".into()), ["orders-service · Java", "orders-service · librdkafka"]);
        check(
            Side::PartitionsOf { topic: "events".into(), partitions: 8 },
            ["events · 6 partitions", "events · 8 partitions"],
        );
        check(Side::Partitions(12), ["events · 6 partitions", "events · 12 partitions"]);
        check(Side::Seed(4), ["seed 1", "seed 4"]);
    }
}
