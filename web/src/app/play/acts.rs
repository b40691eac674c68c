//! What can be done to the running cluster now: a row of buttons, and one form under it.
//!
//! The forms are in files of their own; what an act does is the engine's business.

use engine::limits::PARTITIONS_MAX;
use engine::{Command, Snapshot};
use wasm_bindgen::JsCast;
use yew::{
    Callback, Html, KeyboardEvent, NodeRef, Properties, component, hook, html, use_effect_with, use_node_ref,
    use_state_eq,
};

use super::broker_acts::BrokerActs;
use super::compare_picker::ComparePicker;
use super::config_acts::ConfigActs;
use super::link_acts::LinkActs;
use super::member_acts::MemberActs;
use super::partition_acts::PartitionActs;
use super::producer_acts::ProducerActs;
use super::reader_acts::ReaderActs;
use super::send_form::SendForm;
use super::topic_acts::{GrowForm, TopicActs};
use super::workbench::{Said, Workbench};
use crate::app::part::part;
use crate::app::session::{Rate, use_session};

/// A form of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Grow,
    Send,
    Topics,
    Partitions,
    Settings,
    Brokers,
    Links,
    Producers,
    Members,
    Readers,
    Compare,
}

impl Form {
    const ALL: [(Form, &'static str); 11] = [
        (Form::Grow, "Grow to …"),
        (Form::Send, "Send a record"),
        (Form::Topics, "Topics"),
        (Form::Partitions, "Partitions"),
        (Form::Settings, "Settings"),
        (Form::Brokers, "Brokers"),
        (Form::Links, "Links"),
        (Form::Producers, "Producers"),
        (Form::Members, "Members"),
        (Form::Readers, "Readers"),
        (Form::Compare, "Compare"),
    ];
}

/// On which bench.
#[derive(Clone, PartialEq, Properties)]
pub struct ActsProps {
    /// The bench.
    pub bench: Workbench,
    /// The bench's version: another one, and everything is shown again.
    pub version: u32,
}

/// The row.
#[component]
pub fn Acts(props: &ActsProps) -> Html {
    let bench = &props.bench;
    let session = bench.session();
    use_session(&session, Rate::Table);
    let open = use_state_eq(|| None::<Form>);
    let row = use_node_ref();
    use_focus_into(&row, *open);
    let snapshot = session.snapshot(0);
    let close = {
        let (open, row) = (open.clone(), row.clone());
        Callback::from(move |()| {
            focus_first(&row, "[data-act][aria-expanded=true]");
            open.set(None);
        })
    };
    let onkeydown = {
        let (close, is_open) = (close.clone(), open.is_some());
        Callback::from(move |event: KeyboardEvent| {
            if is_open && event.key() == "Escape" {
                event.prevent_default();
                close.emit(());
            }
        })
    };
    let button = |(form, text): (Form, &'static str)| {
        let is_open = *open == Some(form);
        let is_pressed = form == Form::Compare && bench.compare().is_some();
        let onclick = {
            let open = open.clone();
            Callback::from(move |_| open.set((!is_open).then_some(form)))
        };
        html! {
            <button key={text} class="button" data-act={text} aria-expanded={if is_open { "true" } else { "false" }}
                aria-pressed={is_pressed.then_some("true")} {onclick}>{ text }</button>
        }
    };
    let form = |form: Form| {
        let (bench, close) = (bench.clone(), close.clone());
        match form {
            Form::Grow => part!(GrowForm { bench, close }),
            Form::Send => part!(SendForm { bench, close }),
            Form::Topics => part!(TopicActs { bench, close }),
            Form::Partitions => part!(PartitionActs { bench, close }),
            Form::Settings => part!(ConfigActs { bench, close }),
            Form::Brokers => part!(BrokerActs { bench, close }),
            Form::Links => part!(LinkActs { bench, close }),
            Form::Members => part!(MemberActs { bench, close }),
            Form::Readers => part!(ReaderActs { bench, close }),
            Form::Producers => part!(ProducerActs { bench, close }),
            Form::Compare => part!(ComparePicker { bench, close }),
        }
    };
    html! {
        <div class="acts-row" ref={row} {onkeydown}>
            <div class="acts-buttons" role="group" aria-label="Do something now">
                { grow_button(bench, &snapshot) }
                { for Form::ALL.into_iter().filter(|(form, _)| *form != Form::Grow || !snapshot.topics.is_empty()).map(button) }
            </div>
            if let Some(opened) = *open { <div class="act-form" data-form="open">{ form(opened) }</div> }
        </div>
    }
}

/// One click doubles the topic that is selected, or the first one.
fn grow_button(bench: &Workbench, snapshot: &Snapshot) -> Html {
    let selected = bench.session().selection().map(|selection| selection.id);
    let Some((topic, partitions)) = topic_to_grow(snapshot, selected.as_deref()) else { return Html::default() };
    let next = (partitions * 2).min(PARTITIONS_MAX as i32);
    if next <= partitions {
        return Html::default();
    }
    let onclick = {
        let (bench, topic) = (bench.clone(), topic.clone());
        Callback::from(move |_| grow(&bench, &topic, next))
    };
    html! { <button class="button primary" data-act="grow" {onclick}>{ format!("Grow {topic} to {next}") }</button> }
}

/// Gives a topic more partitions, now.
fn grow(bench: &Workbench, topic: &str, partitions: i32) {
    let command = Command::CreatePartitions { topic: topic.to_owned(), partitions, assignment: None };
    if let Err(error) = bench.act_and_say(&command) {
        bench.say(Said::Problem(error.to_string().into()));
    }
}

/// The topic of the selected item, else the first; with its partition count.
fn topic_to_grow(snapshot: &Snapshot, selected: Option<&str>) -> Option<(String, i32)> {
    let is_selected = |name: &str| {
        let id = selected.and_then(|id| id.split_once(':')).map(|(_, id)| id);
        id.is_some_and(|id| id == name || id.rsplit_once('-').is_some_and(|(topic, _)| topic == name))
    };
    let topics = || scene::shown_topics(snapshot);
    let topic = topics().find(|topic| is_selected(&topic.name)).or_else(|| topics().next())?;
    Some((topic.name.to_string(), i32::try_from(topic.partitions.len()).ok()?))
}

/// The focus goes into a form that opens.
#[hook]
fn use_focus_into(row: &NodeRef, open: Option<Form>) {
    let row = row.clone();
    use_effect_with(open, move |open| {
        if open.is_some() {
            focus_first(&row, "[data-form] :is(input, select, textarea, button)");
        }
    });
}

fn focus_first(row: &NodeRef, selector: &str) {
    let found = row.cast::<web_sys::Element>().and_then(|row| row.query_selector(selector).ok().flatten());
    if let Some(found) = found.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Focus fails only for an element that has left the document.
        let _ = found.focus();
    }
}
