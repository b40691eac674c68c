//! A producer driven by hand: its calls, its process, other records, a restart.
//!
//! A draft lives here until its button is pressed; the engine checks it then.

use std::rc::Rc;

use engine::Command;
use engine::scenario::{ProducerPlan, ProducerSpec, Workload, WorkloadPlan};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_state};

use super::act_form::{ActFormProps, names, selected, use_choice, use_doing};
use super::crash_here::CrashHere;
use super::examples;
use super::producer_calls::Calls;
use super::producer_form::ProducerForm;
use super::workbench::{Workbench, beside};
use super::workload_form::WorkloadForm;
use crate::app::controls::Select;
use crate::app::part::part;

/// What a running producer can be told, and its restart.
#[component]
pub fn ProducerActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let (chosen, onselect) = use_choice(selected(&props.bench, "producer"));
    let mut known: Vec<&str> = Vec::new();
    for producer in &snapshot.producers {
        if !known.contains(&&*producer.name) {
            known.push(&producer.name);
        }
    }
    let chosen = chosen.filter(|name| known.contains(&name.as_str()));
    let Some(name) = chosen.or_else(|| known.first().map(|name| (*name).to_owned())) else {
        return html! { <p class="hint">{ "There is no producer. Add one to the set-up." }</p> };
    };
    let one = || OneProducerProps { bench: props.bench.clone(), name: name.clone() };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Producer", choices: names(known.iter().copied()), selected: name.clone(), onselect }) }
            </div>
            { part!(Calls { bench: one().bench, name: one().name }, key = format!("c {name}")) }
            <details>
                <summary>{ "Crash here: step through its events, and stop anything between two of them" }</summary>
                { part!(CrashHere { bench: one().bench, name: one().name }, key = format!("x {name}")) }
            </details>
            <details><summary>{ "Give it other records" }</summary>{ part!(Rework { bench: one().bench, name: one().name }, key = format!("w {name}")) }</details>
            <details><summary>{ "Restart it with another client or other settings" }</summary>{ part!(Restart { bench: one().bench, name: one().name }, key = format!("r {name}")) }</details>
        </div>
    }
}

/// One producer of a bench.
#[derive(Clone, PartialEq, Properties)]
pub struct OneProducerProps {
    /// The bench.
    pub bench: Workbench,
    /// The producer's name.
    pub name: String,
}

impl OneProducerProps {
    /// The producer as it was last started: by a command up to now, else by the set-up.
    pub fn spec(&self) -> ProducerSpec {
        let restarted = self.bench.last_command(|command| match command {
            Command::Producer(spec) if spec.name == self.name => Some(spec.clone()),
            _ => None,
        });
        let scenario = self.bench.scenario();
        let of_set_up = || scenario.producers.into_iter().find(|producer| producer.name == self.name);
        restarted.or_else(of_set_up).unwrap_or_else(|| examples::producer(&self.name, "java", None))
    }

    fn topics(&self) -> Rc<[AttrValue]> {
        let snapshot = self.bench.session().snapshot(0);
        scene::shown_topics(&snapshot).map(|topic| AttrValue::from(topic.name.to_string())).collect()
    }
}

/// Another workload, from now on.
#[component]
fn Rework(props: &OneProducerProps) -> Html {
    let draft = use_state(|| {
        let topic = props.topics().first().map_or_else(|| "events".to_owned(), ToString::to_string);
        Rc::new(props.spec().workload.unwrap_or_else(|| examples::workload(&topic)))
    });
    let doing = use_doing(&props.bench);
    let accept = {
        let draft = draft.clone();
        Callback::from(move |workload: Workload| {
            WorkloadPlan::new(&workload, "workload").map_err(beside)?;
            draft.set(Rc::new(workload));
            Ok(())
        })
    };
    let command = Command::SetWorkload { producer: props.name.clone(), workload: Some((*draft).as_ref().clone()) };
    let onclick = doing.on(command);
    html! {
        <div class="form" data-fields="">
            { part!(WorkloadForm { workload: Rc::clone(&draft), topics: props.topics(), accept }) }
            <p class="button-row"><button class="button primary" {onclick}>{ "Send these from now on" }</button></p>
            { doing.problem() }
        </div>
    }
}

/// The same service, deployed again.
#[component]
fn Restart(props: &OneProducerProps) -> Html {
    let draft = use_state(|| Rc::new(props.spec()));
    let doing = use_doing(&props.bench);
    let accept = {
        let draft = draft.clone();
        Callback::from(move |producer: ProducerSpec| {
            ProducerPlan::new(&producer, "producer").map_err(beside)?;
            draft.set(Rc::new(producer));
            Ok(())
        })
    };
    let onclick = doing.on(Command::Producer((*draft).as_ref().clone()));
    html! {
        <div class="form" data-fields="">
            { part!(ProducerForm { producer: Rc::clone(&draft), topics: props.topics(), accept, renames: false }) }
            <p class="button-row"><button class="button primary" {onclick}>{ "Restart it now" }</button></p>
            { doing.problem() }
        </div>
    }
}
