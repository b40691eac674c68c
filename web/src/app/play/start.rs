//! What is seen while nothing is set up: what to add, examples, and the scenarios of the lessons.

use std::rc::Rc;

use serde::Deserialize;
use yew::{AttrValue, Callback, Html, Properties, component, html, use_effect_with, use_state};

use super::cluster_forms::broker_list;
use super::examples::EXAMPLES;
use super::setup::{SetUpProps, add_producer, add_topic};
use super::summary::count;
use super::workbench::{Said, Workbench};
use crate::app::controls::{Choice, Select};
use crate::app::data;
use crate::app::opening;
use crate::app::part::part;
use crate::app::store;

/// Where the last state of the playground is remembered.
pub const REMEMBERED: &str = "play";

/// A scenario file of the site.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Named {
    name: String,
    title: String,
}

/// The card.
#[component]
pub fn Start(props: &SetUpProps) -> Html {
    let bench = &props.bench;
    let add = |change: fn(&mut engine::Scenario)| {
        let bench = bench.clone();
        Callback::from(move |_| {
            if let Err(error) = bench.edit(change) {
                bench.say(Said::Problem(error.to_string().into()));
            }
        })
    };
    if let Some(topic) = bench.scenario().topics.first() {
        let text = format!("{} is there, and nobody writes to it. A producer comes next.", topic.name);
        return html! {
            <section class="start slim" aria-label="What comes next">
                <p>{ text }</p>
                <button class="button primary" onclick={add(|scenario| { add_producer(scenario); })}>{ "Add a producer" }</button>
            </section>
        };
    }
    let brokers = broker_list(&bench.scenario().cluster.brokers).len();
    let last = store::get(REMEMBERED).filter(|_| !bench.can_undo());
    html! {
        <section class="start" aria-labelledby="start-title">
            <h2 id="start-title">{ format!("{}, and nothing on the cluster yet", count(brokers, "broker")) }</h2>
            <p>{ "A cluster needs a topic, and a producer that writes to it. Add them one by one, or start from something that runs." }</p>
            <p class="button-row">
                <button class="button primary" onclick={add(|scenario| {
                    add_topic(scenario);
                })}>{ "Add a topic" }</button>
                <button class="button primary" onclick={add(|scenario| { if scenario.topics.is_empty() { add_topic(scenario); } add_producer(scenario); })}>{ "Add a producer" }</button>
                if let Some(link) = last { { part!(LinkButton { bench: bench.clone(), link: AttrValue::from(link) }) } }
            </p>
            <ul class="cards">{ for EXAMPLES.iter().map(|example| {
                let (bench, make) = (bench.clone(), example.make);
                let onclick = Callback::from(move |_| {
                    let opened = bench.open(&opening::full_scenario(&make()));
                    bench.say_result(opened, "Press play, or change anything.");
                });
                html! { <li key={example.title}><button class="card-link" {onclick}><span class="card-title">{ example.title }</span><span>{ example.text }</span></button></li> }
            }) }</ul>
            { part!(LessonScenarios { bench: bench.clone(), version: props.version }) }
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LinkButtonProps {
    bench: Workbench,
    link: AttrValue,
}

/// Goes on where this browser left the playground.
#[component]
fn LinkButton(props: &LinkButtonProps) -> Html {
    let onclick = {
        let LinkButtonProps { bench, link } = props.clone();
        Callback::from(move |_| {
            let (bench, link) = (bench.clone(), link.clone());
            wasm_bindgen_futures::spawn_local(async move {
                let opened = opening::shared(&link).await.and_then(|opened| bench.open(&opened));
                bench.say_result(opened, "This is where you were.");
            });
        })
    };
    html! { <button class="button" {onclick}>{ "Go on where you left off" }</button> }
}

/// A menu of the lessons' scenarios.
#[component]
pub fn LessonScenarios(props: &SetUpProps) -> Html {
    let known = use_state(|| Rc::<[Named]>::from([]));
    {
        let known = known.clone();
        use_effect_with((), move |()| {
            wasm_bindgen_futures::spawn_local(async move {
                let text = data::load("scenarios/index.json").await;
                if let Ok(named) =
                    text.map_err(drop).and_then(|text| serde_json::from_str::<Vec<Named>>(&text).map_err(drop))
                {
                    known.set(named.into());
                }
            });
        });
    }
    let first = Choice::new("", "choose one");
    let choices: Rc<[Choice]> = std::iter::once(first)
        .chain(known.iter().map(|named| Choice::new(named.name.clone(), named.title.clone())))
        .collect();
    let onselect = {
        let bench = props.bench.clone();
        Callback::from(move |name: AttrValue| {
            let bench = bench.clone();
            wasm_bindgen_futures::spawn_local(async move {
                if !name.is_empty() {
                    let opened = opening::scenario(&name).await.and_then(|opened| bench.open(&opened));
                    bench.say_result(opened, "Press play, or change anything.");
                }
            });
        })
    };
    part!(Select { legend: "Or the scenario of a lesson:", choices, selected: "", onselect })
}
