//! The small forms of the set-up: a broker, a reader, and what holds for the whole cluster.

use std::rc::Rc;

use engine::Scenario;
use engine::client::configs::broker_definitions;
use engine::scenario::{BrokerSpec, Brokers, ConsumerSpec};
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::config_table::{ConfigTable, Table};
use super::fields::{Accept, number, optional_duration, optional_number, optional_text, shown};
use super::workbench::{Workbench, beside};
use crate::app::controls::TextField;
use crate::app::part::part;

/// The brokers one by one, however they are written.
pub fn broker_list(brokers: &Brokers) -> Vec<BrokerSpec> {
    match brokers {
        Brokers::Count(count) => (1..=*count).map(|id| BrokerSpec { id, rack: None, produce_time: None }).collect(),
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
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "broker.id", value: props.broker.id.to_string(), size: 5, accept: set_id }) }
                { part!(TextField { label: "broker.rack", value: shown(props.broker.rack.clone()), placeholder: "none", size: 8, accept: set_rack }) }
                { part!(TextField { label: "Time for one Produce request", value: shown(props.broker.produce_time), placeholder: "0 ms", size: 7, accept: set_time }) }
            </div>
        </div>
    }
}

/// A reader to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ReaderFormProps {
    /// The reader in force.
    pub reader: Rc<ConsumerSpec>,
    /// Takes a changed reader over.
    pub accept: Accept<ConsumerSpec>,
}

/// The form of a reader.
#[component]
pub fn ReaderForm(props: &ReaderFormProps) -> Html {
    let field = |change: fn(&mut ConsumerSpec, &str) -> Result<(), String>| {
        let (reader, accept) = (Rc::clone(&props.reader), props.accept.clone());
        Callback::from(move |text: AttrValue| {
            let mut next = (*reader).clone();
            change(&mut next, &text)?;
            accept.emit(next)
        })
    };
    let set_name = field(|reader, text| {
        reader.name = text.trim().to_owned();
        Ok(())
    });
    let set_assign = field(|reader, text| {
        reader.assign = text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
        Ok(())
    });
    let set_behind = field(|reader, text| {
        reader.behind = optional_number(text)?;
        Ok(())
    });
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "Name", value: props.reader.name.clone(), size: 14, accept: set_name }) }
                { part!(TextField { label: "Reads (topics, or partitions such as events-2)", value: props.reader.assign.join(", "), size: 20, accept: set_assign }) }
                { part!(TextField { label: "Stays behind by", value: shown(props.reader.behind), placeholder: "0", size: 6, accept: set_behind }) }
            </div>
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

/// Name, seed, network, length of the time bar, and settings of all brokers.
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
