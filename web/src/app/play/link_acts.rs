//! Links between any two nodes, now: cut, slow, healed. What does not arrive is the engine's business.

use std::rc::Rc;

use engine::event::LinkState;
use engine::snapshot::LinkSnapshot;
use engine::{Command, Duration, Snapshot};
use yew::{AttrValue, Callback, Html, component, html, use_state_eq};

use super::act_form::{ActFormProps, Doing, selected_broker, use_choice, use_doing};
use super::fields::optional_duration;
use crate::app::controls::{Choice, Select, TextField};
use crate::app::panels::inspector::node_name;
use crate::app::part::part;

/// How much slower a link gets if nobody says.
const DELAY: Duration = Duration::from_millis(200);

/// Two ends, what happens between them, and the links that are not whole.
#[component]
pub fn LinkActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let (from, onfrom) = use_choice(selected_broker(&props.bench).map(|id| format!("broker-{id}")));
    let (to, onto) = use_choice(None);
    let delay = use_state_eq(|| DELAY);
    let doing = use_doing(&props.bench);
    let nodes = nodes(&snapshot);
    let is_node = |name: &String| nodes.iter().any(|choice| choice.value == *name);
    let first =
        |other: Option<&String>| nodes.iter().map(|choice| choice.value.to_string()).find(|name| Some(name) != other);
    let Some(from) = from.filter(is_node).or_else(|| first(to.as_ref())) else {
        return html! { <p class="hint">{ "There are no nodes yet." }</p> };
    };
    let to = to.filter(is_node).or_else(|| first(Some(&from))).unwrap_or_default();
    let accept = {
        let delay = delay.clone();
        Callback::from(move |text: AttrValue| {
            delay.set(optional_duration(&text)?.unwrap_or(DELAY));
            Ok(())
        })
    };
    let ends = || (from.clone(), to.clone());
    let (cut, slow) = (ends(), ends());
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Between", choices: Rc::clone(&nodes), selected: from.clone(), onselect: onfrom }) }
                { part!(Select { legend: "and", choices: nodes, selected: to.clone(), onselect: onto }) }
                { doing.danger("Cut the link", Command::CutLink { from: cut.0, to: cut.1 }) }
                { part!(TextField { label: "Slower by", value: delay.to_string(), size: 7, accept }) }
                { doing.button("Slow the link", Command::SlowLink { from: slow.0, to: slow.1, delay: *delay }) }
            </div>
            if snapshot.links.is_empty() {
                <p class="hint">{ "All links are whole." }</p>
            } else {
                <ul class="broken-links">{ for snapshot.links.iter().map(|link| broken(&doing, link)) }</ul>
            }
            { doing.problem() }
        </div>
    }
}

/// Everything that has links: brokers, the controller, clients.
fn nodes(snapshot: &Snapshot) -> Rc<[Choice]> {
    let brokers = snapshot
        .brokers
        .iter()
        .map(|broker| Choice::new(format!("broker-{}", broker.id), format!("broker {}", broker.id)));
    let controller = std::iter::once(Choice::new("controller", "the controller"));
    let producers = snapshot.producers.iter().map(|producer| &producer.name);
    let clients = producers.chain(snapshot.consumers.iter().map(|reader| &reader.name));
    brokers.chain(controller).chain(clients.map(|name| Choice::new(name.to_string(), name.to_string()))).collect()
}

fn broken(doing: &Doing, link: &LinkSnapshot) -> Html {
    let state = match link.link {
        LinkState::Whole => "is whole".to_owned(),
        LinkState::Cut => "is cut".to_owned(),
        LinkState::Slow { delay } => format!("is slower by {delay}"),
    };
    let names = format!("{} and {}", node_name(&link.from), node_name(&link.to));
    let heal = doing.on(Command::HealLink { from: link.from.in_commands(), to: link.to.in_commands() });
    html! {
        <li key={names.clone()}>
            <span>{ format!("The link between {names} {state}.") }</span>
            <button class="button" aria-label={format!("Heal the link between {names}")} onclick={heal}>{ "Heal" }</button>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::event::NodeId;
    use engine::snapshot::{BrokerSnapshot, ConsumerSnapshot, ProducerSnapshot};

    fn check(node: NodeId) {
        let snapshot = Snapshot {
            brokers: vec![BrokerSnapshot { id: 3, ..BrokerSnapshot::default() }],
            producers: vec![ProducerSnapshot { name: "p".into(), ..ProducerSnapshot::default() }],
            consumers: vec![ConsumerSnapshot { name: "r".into(), ..ConsumerSnapshot::default() }],
            ..Snapshot::default()
        };
        let name = node.in_commands();
        assert!(nodes(&snapshot).iter().any(|choice| choice.value == name), "{name}");
    }

    #[test]
    fn every_node_can_be_chosen_by_the_name_that_commands_use() {
        check(NodeId::Broker { id: 3 });
        check(NodeId::Controller);
        check(NodeId::Producer { name: "p".into() });
        check(NodeId::Consumer { name: "r".into() });
    }
}
