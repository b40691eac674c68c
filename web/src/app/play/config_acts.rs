//! Settings of a topic, a broker or all brokers, changed now as kafka-configs.sh would.
//!
//! Values, sources and refusals are the engine's.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::client::configs::{broker_definitions, dynamic_only_definitions, topic_definitions};
use engine::event::Name;
use engine::order;
use engine::{Command, Snapshot};
use yew::{Callback, Html, component, html};

use super::act_form::{ActFormProps, selected_broker, selected_partition, use_choice};
use super::config_table::{ConfigTable, Table};
use super::spoken::error_text;
use super::workbench::{Workbench, beside};
use crate::app::controls::{Choice, Select};
use crate::app::part::part;

/// Whose settings; as a value of the menu, `topic events`, `broker 1` or `brokers`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Resource {
    Topic(String),
    Broker(u32),
    Brokers,
}

impl Resource {
    fn read(text: &str) -> Option<Resource> {
        match text.split_once(' ') {
            Some(("topic", name)) => Some(Resource::Topic(name.to_owned())),
            Some(("broker", id)) => id.parse().ok().map(Resource::Broker),
            _ => (text == "brokers").then_some(Resource::Brokers),
        }
    }

    fn value(&self) -> String {
        match self {
            Resource::Topic(name) => format!("topic {name}"),
            Resource::Broker(id) => format!("broker {id}"),
            Resource::Brokers => "brokers".to_owned(),
        }
    }

    /// What was set at run time.
    fn given(&self, snapshot: &Snapshot) -> Option<BTreeMap<String, String>> {
        let owned = |configs: &BTreeMap<Name, Name>| {
            order::map(configs.iter().map(|(name, value)| (name.to_string(), value.to_string())))
        };
        match self {
            Resource::Topic(name) => {
                snapshot.topics.iter().find(|topic| *topic.name == **name).map(|topic| owned(&topic.configs))
            }
            Resource::Broker(id) => {
                snapshot.brokers.iter().find(|broker| broker.id == *id).map(|broker| owned(&broker.configs))
            }
            Resource::Brokers => Some(owned(&snapshot.broker_defaults)),
        }
    }

    /// The request that sets a setting, or takes it away.
    fn change(&self, name: &str, value: Option<String>) -> Command {
        let (topic, broker) = match self {
            Resource::Topic(name) => (Some(name.clone()), None),
            Resource::Broker(id) => (None, Some(*id)),
            Resource::Brokers => (None, None),
        };
        let delete = if value.is_none() { vec![name.to_owned()] } else { Vec::new() };
        let set = order::map(value.into_iter().map(|value| (name.to_owned(), value)));
        Command::AlterConfigs { topic, broker, set, delete }
    }
}

/// Whose settings, and the table of them.
#[component]
pub fn ConfigActs(props: &ActFormProps) -> Html {
    let bench = &props.bench;
    let snapshot = bench.session().snapshot(0);
    let of_topic = selected_partition(bench).and_then(|name| Some(format!("topic {}", name.rsplit_once('-')?.0)));
    let of_broker = selected_broker(bench).filter(|_| of_topic.is_none()).map(|id| format!("broker {id}"));
    let (chosen, onselect) = use_choice(of_topic.or(of_broker));
    let topics = snapshot.topics.iter().map(|topic| (format!("topic {}", topic.name), topic.name.to_string()));
    let brokers =
        snapshot.brokers.iter().map(|broker| (format!("broker {}", broker.id), format!("broker {}", broker.id)));
    let all = std::iter::once(("brokers".to_owned(), "all brokers".to_owned()));
    let choices: Rc<[Choice]> =
        topics.chain(all).chain(brokers).map(|(value, label)| Choice::new(value, label)).collect();
    let is_offered = |value: &String| choices.iter().any(|choice| choice.value == *value);
    let value = chosen.filter(is_offered).or_else(|| choices.first().map(|choice| choice.value.to_string()));
    let resource = value.and_then(|value| Resource::read(&value)).unwrap_or(Resource::Brokers);
    let given = Rc::new(resource.given(&snapshot).unwrap_or_default());
    let accept = {
        let (bench, resource) = (bench.clone(), resource.clone());
        Callback::from(move |(name, value): (&'static str, Option<String>)| {
            alter(&bench, &resource.change(name, value))
        })
    };
    let key = resource.value();
    html! {
        <div class="form">
            <div class="form-row">{ part!(Select { legend: "Settings of", choices, selected: key.clone(), onselect }) }</div>
            <p class="hint">{ "Set at run time, as with kafka-configs.sh --alter. An empty field takes a value away. What is in force, and from where, is in the Configs panel." }</p>
            { match resource {
                Resource::Topic(_) => part!(ConfigTable { of: "topics", table: Table(topic_definitions()), given, accept }, key = key),
                Resource::Broker(_) | Resource::Brokers => html! {
                    <>
                        { part!(ConfigTable { of: "brokers", table: Table(broker_definitions()), given: Rc::clone(&given), accept: accept.clone() }, key = format!("{key} all")) }
                        { part!(ConfigTable { of: "brokers that are only set at run time", table: Table(dynamic_only_definitions()), given, accept }, key = format!("{key} dynamic")) }
                    </>
                },
            } }
        </div>
    }
}

/// Asks for a change. A refusal that is there already stands beside the field.
fn alter(bench: &Workbench, command: &Command) -> Result<(), String> {
    let outcomes = bench.act_and_say(command).map_err(beside)?;
    match outcomes.iter().find_map(|outcome| outcome.error.as_ref()) {
        Some(error) => Err(error_text(error)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(resource: &Resource, value: Option<&str>, expected: &str) {
        assert_eq!(Resource::read(&resource.value()).as_ref(), Some(resource));
        let command = resource.change("retention.ms", value.map(str::to_owned));
        assert_eq!(serde_json::to_string(&command).expect("a command is plain data"), expected);
    }

    #[test]
    fn a_setting_is_set_and_taken_away() {
        let topic = Resource::Topic("a".to_owned());
        check(&topic, Some("5"), r#"{"do":"alter_configs","topic":"a","set":{"retention.ms":"5"}}"#);
        check(&topic, None, r#"{"do":"alter_configs","topic":"a","delete":["retention.ms"]}"#);
        check(&Resource::Broker(2), None, r#"{"do":"alter_configs","broker":2,"delete":["retention.ms"]}"#);
        check(&Resource::Brokers, Some("5"), r#"{"do":"alter_configs","set":{"retention.ms":"5"}}"#);
    }
}
