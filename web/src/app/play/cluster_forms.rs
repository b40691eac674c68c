//! Forms of the set-up: a broker, and what holds for the whole cluster. Readers and topics have files of their own.

use std::rc::Rc;

use engine::Scenario;
use engine::client::configs::broker_definitions;
use engine::scenario::{BrokerSpec, Brokers};
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::config_table::{ConfigTable, Table};
use super::fields::{Accept, number, optional_bytes, optional_duration, optional_number, optional_text, shown};
use super::workbench::{Workbench, beside};
use crate::app::controls::{Choice, Segments, TextField};
use crate::app::part::part;

/// The brokers one by one, however they are written.
pub fn broker_list(brokers: &Brokers) -> Vec<BrokerSpec> {
    match brokers {
        Brokers::Count(count) => (1..=*count).map(|id| BrokerSpec { id, ..BrokerSpec::default() }).collect(),
        Brokers::List(list) => list.clone(),
    }
}

/// A broker to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct BrokerFormProps {
    /// The broker in force.
    pub broker: Rc<BrokerSpec>,
    /// Takes a changed broker over.
    pub accept: Accept<BrokerSpec>,
}

/// The form of a broker.
#[component]
pub fn BrokerForm(props: &BrokerFormProps) -> Html {
    let field = |change: fn(&mut BrokerSpec, &str) -> Result<(), String>| {
        let (broker, accept) = (Rc::clone(&props.broker), props.accept.clone());
        Callback::from(move |text: AttrValue| {
            let mut next = (*broker).clone();
            change(&mut next, &text)?;
            accept.emit(next)
        })
    };
    let set_id = field(|broker, text| {
        broker.id = number(text)?;
        Ok(())
    });
    let set_rack = field(|broker, text| {
        broker.rack = optional_text(text);
        Ok(())
    });
    let set_time = field(|broker, text| {
        broker.produce_time = optional_duration(text)?;
        Ok(())
    });
    let set_bandwidth = field(|broker, text| {
        broker.bandwidth = optional_bytes(text)?;
        Ok(())
    });
    let onconfig = {
        let (broker, accept) = (Rc::clone(&props.broker), props.accept.clone());
        Callback::from(move |(name, value): (&'static str, Option<String>)| {
            let mut next = (*broker).clone();
            match value {
                Some(value) => next.configs.insert(name.to_owned(), value),
                None => next.configs.remove(name),
            };
            accept.emit(next)
        })
    };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "broker.id", value: props.broker.id.to_string(), size: 5, accept: set_id }) }
                { part!(TextField { label: "broker.rack", value: shown(props.broker.rack.clone()), placeholder: "none", size: 8, accept: set_rack }) }
                { part!(TextField { label: "Time for one Produce request", value: shown(props.broker.produce_time), placeholder: "0 ms", size: 7, accept: set_time }) }
                { part!(TextField { label: "Bytes a second that it can send", value: shown(props.broker.bandwidth), placeholder: "no limit", size: 8, accept: set_bandwidth }) }
            </div>
            <details>
                <summary>{ super::with_count("Its own server.properties", props.broker.configs.len()) }</summary>
                { part!(ConfigTable { of: "this broker", table: Table(broker_definitions()), given: Rc::new(props.broker.configs.clone()), accept: onconfig }) }
            </details>
        </div>
    }
}

/// Whose cluster.
#[derive(Clone, PartialEq, Properties)]
pub struct WholeFormProps {
    /// The bench.
    pub bench: Workbench,
    /// Its set-up.
    pub scenario: Rc<Scenario>,
}

/// Name, seed, network, length of the time bar, controller, features, and settings of all brokers.
#[component]
pub fn WholeForm(props: &WholeFormProps) -> Html {
    let field = |change: fn(&mut Scenario, &str) -> Result<(), String>| {
        let (bench, scenario) = (props.bench.clone(), Rc::clone(&props.scenario));
        Callback::from(move |text: AttrValue| {
            let mut next = (*scenario).clone();
            change(&mut next, &text)?;
            bench.set_up(next).map_err(beside)
        })
    };
    let set_name = field(set_name);
    let set_seed = field(|scenario, text| {
        scenario.seed = number(text)?;
        Ok(())
    });
    let set_delay = field(|scenario, text| {
        scenario.network.delay = optional_duration(text)?.unwrap_or_default();
        Ok(())
    });
    let set_duration = field(|scenario, text| {
        scenario.duration = optional_duration(text)?;
        Ok(())
    });
    let set_placement = field(|scenario, text| {
        scenario.cluster.placement = optional_number(text)?;
        Ok(())
    });
    let set_failover = field(|scenario, text| {
        scenario.cluster.controller_failover = optional_duration(text)?;
        Ok(())
    });
    let elr = {
        let set = field(set_elr);
        part!(Segments {
            legend: "Eligible leader replicas (KIP-966)",
            choices: on_off(),
            selected: elr_value(&props.scenario),
            onselect: Callback::from(move |value| drop(set.emit(value)))
        })
    };
    let onconfig = {
        let bench = props.bench.clone();
        Callback::from(move |(name, value): (&'static str, Option<String>)| {
            let change = |scenario: &mut Scenario| match value {
                Some(value) => drop(scenario.cluster.configs.insert(name.to_owned(), value)),
                None => drop(scenario.cluster.configs.remove(name)),
            };
            bench.edit(change).map_err(beside)
        })
    };
    let scenario = &props.scenario;
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "Name", value: scenario.name.clone(), size: 18, accept: set_name }) }
                { part!(TextField { label: "Seed", value: scenario.seed.to_string(), size: 8, accept: set_seed }) }
                { part!(TextField { label: "Network delay", value: scenario.network.delay.to_string(), size: 8, accept: set_delay }) }
                { part!(TextField { label: "Time bar reaches", value: shown(scenario.duration), placeholder: "as needed", size: 9, accept: set_duration }) }
                { part!(TextField { label: "Placement starts at", value: shown(scenario.cluster.placement), placeholder: "seed", size: 7, accept: set_placement }) }
                { part!(TextField { label: "Without a controller after its loss", value: shown(scenario.cluster.controller_failover), placeholder: "0 ms", size: 7, accept: set_failover }) }
                { elr }
            </div>
            <details>
                <summary>{ super::with_count("Broker settings of the whole cluster", scenario.cluster.configs.len()) }</summary>
                { part!(ConfigTable { of: "brokers", table: Table(broker_definitions()), given: Rc::new(scenario.cluster.configs.clone()), accept: onconfig }) }
            </details>
        </div>
    }
}

fn set_name(scenario: &mut Scenario, text: &str) -> Result<(), String> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > 64 {
        return Err("A name has 1 to 64 characters.".to_owned());
    }
    scenario.name = name.to_owned();
    Ok(())
}

/// The feature whose levels are off and on.
const ELR: &str = "eligible.leader.replicas.version";

fn on_off() -> Rc<[Choice]> {
    [Choice::new("1", "On"), Choice::new("0", "Off")].into()
}

/// A new cluster of Kafka 4.3 has it.
fn elr_value(scenario: &Scenario) -> &'static str {
    if scenario.cluster.features.get(ELR) == Some(&0) { "0" } else { "1" }
}

fn set_elr(scenario: &mut Scenario, text: &str) -> Result<(), String> {
    if text == "1" {
        scenario.cluster.features.remove(ELR);
    } else {
        scenario.cluster.features.insert(ELR.to_owned(), 0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str) {
        let mut scenario = super::super::examples::empty();
        set_elr(&mut scenario, value).expect("both values fit");
        assert_eq!(elr_value(&scenario), value);
        assert!(engine::scenario::Plan::new(&scenario).is_ok(), "{value}");
    }

    #[test]
    fn eligible_leader_replicas_are_turned_off_and_on() {
        check("0");
        check("1");
    }
}
