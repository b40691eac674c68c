//! The forms of acts: grow a topic, send a record, create or delete a topic, and what a running producer can be told.
//!
//! A draft lives here until its button is pressed; the engine checks it then.

use std::rc::Rc;

use engine::scenario::{ProducerPlan, ProducerSpec, Workload, WorkloadPlan};
use engine::snapshot::{ProducerSnapshot, ProducerState};
use engine::{Command, InputError, Snapshot};
use partitioner::encoding::Encoding;
use yew::{AttrValue, Callback, Html, Properties, UseStateHandle, component, html, use_state, use_state_eq};

use super::examples;
use super::fields::{optional_number, shown};
use super::producer_form::ProducerForm;
use super::topic_form::TopicForm;
use super::workbench::{Workbench, beside};
use super::workload_form::WorkloadForm;
use crate::app::controls::{Choice, Select, TextField};
use crate::app::part::part;

/// On which bench, and how the form is closed.
#[derive(Clone, PartialEq, Properties)]
pub struct ActFormProps {
    /// The bench.
    pub bench: Workbench,
    /// Closes the form.
    pub close: Callback<()>,
}

/// A record of the form.
#[derive(Clone, Debug, Default, PartialEq)]
struct Draft {
    producer: Option<String>,
    topic: Option<String>,
    key: Option<String>,
    encoding: Option<String>,
    value: Option<String>,
    partition: Option<i32>,
}

/// A menu of names.
fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Rc<[Choice]> {
    names.into_iter().map(|name| Choice::new(name.to_owned(), name.to_owned())).collect()
}

fn running(snapshot: &Snapshot) -> Vec<&ProducerSnapshot> {
    snapshot.producers.iter().filter(|producer| producer.state == ProducerState::Ready).collect()
}

/// Shows why an act was refused, beside its button.
fn failed(problem: &Option<String>) -> Html {
    problem.as_ref().map_or_else(Html::default, |problem| html! { <p class="field-error" role="alert">{ problem }</p> })
}

fn report(problem: &UseStateHandle<Option<String>>, result: Result<(), InputError>) {
    problem.set(result.err().map(|error| error.to_string()));
}

/// Any count for any topic.
#[component]
pub fn GrowForm(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let chosen = use_state_eq(|| None::<AttrValue>);
    let topic = snapshot.topics.iter().find(|topic| chosen.as_deref() == Some(&*topic.name));
    let Some(topic) = topic.or_else(|| snapshot.topics.first()) else {
        return html! { <p class="hint">{ "There is no topic to grow." }</p> };
    };
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |name| chosen.set(Some(name)))
    };
    let accept = {
        let (bench, name) = (props.bench.clone(), topic.name.to_string());
        Callback::from(move |text: AttrValue| {
            let partitions = super::fields::number(&text)?;
            super::acts::grow(&bench, &name, partitions);
            Ok(())
        })
    };
    html! {
        <div class="form-row">
            { part!(Select { legend: "Topic", choices: names(snapshot.topics.iter().map(|topic| &*topic.name)), selected: topic.name.to_string(), onselect }) }
            { part!(TextField { label: "Partitions", value: topic.partitions.len().to_string(), size: 5, accept }) }
            <p class="hint">{ "Enter grows it now. Kafka refuses fewer, in its own words." }</p>
        </div>
    }
}

/// One record of any producer.
#[component]
pub fn SendForm(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let draft =
        use_state_eq(|| Draft { key: Some("user-1".to_owned()), value: Some("login".to_owned()), ..Draft::default() });
    let problem = use_state_eq(|| None::<String>);
    let producers = running(&snapshot);
    let Some(first) = producers.first() else {
        return html! { <p class="hint">{ "There is no running producer. Add one to the set-up, or restart one under Producers." }</p> };
    };
    let producer = draft.producer.clone().unwrap_or_else(|| first.name.to_string());
    let topic =
        draft.topic.clone().or_else(|| snapshot.topics.first().map(|topic| topic.name.to_string())).unwrap_or_default();
    let encodings: Rc<[Choice]> = Encoding::IDS.iter().map(|id| Choice::new(*id, *id)).collect();
    let onclick = {
        let (bench, problem) = (props.bench.clone(), problem.clone());
        let command = command_of(&draft, &producer, &topic);
        Callback::from(move |_| report(&problem, bench.act_and_say(&command, "the record is handed to the producer.")))
    };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Producer", choices: names(producers.iter().map(|producer| &*producer.name)), selected: producer, onselect: menu(&draft, |draft, value| draft.producer = Some(value)) }) }
                { part!(TextField { label: "Topic", value: topic, size: 12, accept: field(&draft, |draft, text| { draft.topic = Some(text); Ok(()) }) }) }
                { part!(TextField { label: "Key", value: shown(draft.key.clone()), placeholder: "no key", size: 12, accept: field(&draft, |draft, text| { draft.key = Some(text).filter(|text| !text.is_empty()); Ok(()) }) }) }
                { part!(Select { legend: "as", choices: encodings, selected: draft.encoding.clone().unwrap_or_else(|| "text".to_owned()), onselect: menu(&draft, |draft, value| draft.encoding = Some(value)) }) }
                { part!(TextField { label: "Value", value: shown(draft.value.clone()), placeholder: "none: a tombstone", size: 14, accept: field(&draft, |draft, text| { draft.value = Some(text).filter(|text| !text.is_empty()); Ok(()) }) }) }
                { part!(TextField { label: "Partition", value: shown(draft.partition), placeholder: "by key", size: 6, accept: field(&draft, |draft, text| { draft.partition = optional_number(&text)?; Ok(()) }) }) }
                <button class="button primary" {onclick}>{ "Send" }</button>
            </div>
            { failed(&problem) }
        </div>
    }
}

fn command_of(draft: &Draft, producer: &str, topic: &str) -> Command {
    Command::Send {
        producer: producer.to_owned(),
        topic: topic.to_owned(),
        key: draft.key.clone(),
        key_encoding: draft.encoding.clone().filter(|id| id != "text" && draft.key.is_some()),
        value: draft.value.clone(),
        partition: draft.partition,
    }
}

fn field(
    draft: &UseStateHandle<Draft>,
    change: fn(&mut Draft, String) -> Result<(), String>,
) -> Callback<AttrValue, Result<(), String>> {
    let draft = draft.clone();
    Callback::from(move |text: AttrValue| {
        let mut next = (*draft).clone();
        change(&mut next, text.to_string())?;
        draft.set(next);
        Ok(())
    })
}

fn menu(draft: &UseStateHandle<Draft>, change: fn(&mut Draft, String)) -> Callback<AttrValue> {
    let draft = draft.clone();
    Callback::from(move |value: AttrValue| {
        let mut next = (*draft).clone();
        change(&mut next, value.to_string());
        draft.set(next);
    })
}

/// Create a topic, delete a topic.
#[component]
pub fn TopicActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let draft = use_state(|| {
        let name = examples::free_name("orders", snapshot.topics.iter().map(|topic| &*topic.name));
        Rc::new(examples::topic(&name, 3, 1))
    });
    let chosen = use_state_eq(|| None::<AttrValue>);
    let problem = use_state_eq(|| None::<String>);
    let accept = {
        let draft = draft.clone();
        Callback::from(move |topic: engine::scenario::TopicSpec| {
            engine::client::configs::check_topic_together(&topic.configs).map_err(|refusal| refusal.to_string())?;
            draft.set(Rc::new(topic));
            Ok(())
        })
    };
    let act = |command: Command, done: String| {
        let (bench, problem) = (props.bench.clone(), problem.clone());
        Callback::from(move |_| report(&problem, bench.act_and_say(&command, &done)))
    };
    let create = Command::CreateTopic {
        topic: draft.name.clone(),
        partitions: draft.partitions.and_then(|count| i32::try_from(count).ok()),
        replication_factor: draft.replication_factor.and_then(|count| i32::try_from(count).ok()),
        assignment: None,
        configs: draft.configs.clone(),
    };
    let doomed = chosen
        .as_ref()
        .map(ToString::to_string)
        .or_else(|| snapshot.topics.first().map(|topic| topic.name.to_string()));
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |name| chosen.set(Some(name)))
    };
    html! {
        <div class="form">
            { part!(TopicForm { topic: Rc::clone(&draft), accept }) }
            <p class="button-row"><button class="button primary" onclick={act(create, format!("{} is asked for.", draft.name))}>{ "Create it now" }</button></p>
            if let Some(doomed) = doomed {
                <div class="form-row">
                    { part!(Select { legend: "Delete", choices: names(snapshot.topics.iter().map(|topic| &*topic.name)), selected: doomed.clone(), onselect }) }
                    <button class="button danger" onclick={act(Command::DeleteTopic { topic: doomed.clone() }, format!("the deletion of {doomed} is asked for."))}>{ "Delete it now" }</button>
                </div>
            }
            { failed(&problem) }
        </div>
    }
}

/// What a running producer can be told, and its restart.
#[component]
pub fn ProducerActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let chosen = use_state_eq(|| None::<AttrValue>);
    let problem = use_state_eq(|| None::<String>);
    let mut known: Vec<&str> = Vec::new();
    for producer in &snapshot.producers {
        if !known.contains(&&*producer.name) {
            known.push(&producer.name);
        }
    }
    let Some(name) = chosen.as_ref().map(ToString::to_string).or_else(|| known.first().map(|name| (*name).to_owned()))
    else {
        return html! { <p class="hint">{ "There is no producer. Add one to the set-up." }</p> };
    };
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |name| chosen.set(Some(name)))
    };
    let act = |command: Command, done: &'static str| {
        let (bench, problem) = (props.bench.clone(), problem.clone());
        Callback::from(move |_| report(&problem, bench.act_and_say(&command, done)))
    };
    let producer = || name.clone();
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Producer", choices: names(known.iter().copied()), selected: name.clone(), onselect }) }
                <button class="button" onclick={act(Command::Flush { producer: producer() }, "flush() is called.")}>{ "Flush" }</button>
                <button class="button" onclick={act(Command::Disconnect { producer: producer() }, "its connections are broken.")}>{ "Break its connections" }</button>
                <button class="button" onclick={act(Command::SetWorkload { producer: producer(), workload: None }, "it sends nothing more by itself.")}>{ "Stop its records" }</button>
                <button class="button danger" onclick={act(Command::Close { producer: producer() }, "close() is called.")}>{ "Close" }</button>
            </div>
            { failed(&problem) }
            <details><summary>{ "Give it other records" }</summary>{ part!(Rework { bench: props.bench.clone(), name: name.clone() }, key = format!("w {name}")) }</details>
            <details><summary>{ "Restart it with another client or other settings" }</summary>{ part!(Restart { bench: props.bench.clone(), name: name.clone() }, key = format!("r {name}")) }</details>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct OneProducerProps {
    bench: Workbench,
    name: String,
}

impl OneProducerProps {
    /// The producer as it was last started: by a command up to now, else by the set-up.
    fn spec(&self) -> ProducerSpec {
        let session = self.bench.session();
        let now = session.read(scene::Player::now);
        let restarted = session.read(|player| {
            let commands = player.timeline(0).commands().iter().rev().filter(|timed| timed.moment.time <= now);
            let mut specs = commands.filter_map(|timed| match &*timed.command {
                Command::Producer(spec) if spec.name == self.name => Some(spec.clone()),
                _ => None,
            });
            specs.next()
        });
        let scenario = self.bench.scenario();
        let of_set_up = || scenario.producers.into_iter().find(|producer| producer.name == self.name);
        restarted.or_else(of_set_up).unwrap_or_else(|| examples::producer(&self.name, "java", None))
    }

    fn topics(&self) -> Rc<[AttrValue]> {
        self.bench.session().snapshot(0).topics.iter().map(|topic| AttrValue::from(topic.name.to_string())).collect()
    }
}

/// Another workload, from now on.
#[component]
fn Rework(props: &OneProducerProps) -> Html {
    let draft = use_state(|| {
        let topic = props.topics().first().map_or_else(|| "events".to_owned(), ToString::to_string);
        Rc::new(props.spec().workload.unwrap_or_else(|| examples::workload(&topic)))
    });
    let problem = use_state_eq(|| None::<String>);
    let accept = {
        let draft = draft.clone();
        Callback::from(move |workload: Workload| {
            WorkloadPlan::new(&workload, "workload").map_err(beside)?;
            draft.set(Rc::new(workload));
            Ok(())
        })
    };
    let onclick = {
        let (bench, problem, name, draft) = (props.bench.clone(), problem.clone(), props.name.clone(), draft.clone());
        Callback::from(move |_| {
            let command = Command::SetWorkload { producer: name.clone(), workload: Some((*draft).as_ref().clone()) };
            report(&problem, bench.act_and_say(&command, "it sends other records."));
        })
    };
    html! {
        <>
            { part!(WorkloadForm { workload: Rc::clone(&draft), topics: props.topics(), accept }) }
            <p class="button-row"><button class="button primary" {onclick}>{ "Send these from now on" }</button></p>
            { failed(&problem) }
        </>
    }
}

/// The same service, deployed again.
#[component]
fn Restart(props: &OneProducerProps) -> Html {
    let draft = use_state(|| Rc::new(props.spec()));
    let problem = use_state_eq(|| None::<String>);
    let accept = {
        let draft = draft.clone();
        Callback::from(move |producer: ProducerSpec| {
            ProducerPlan::new(&producer, "producer").map_err(beside)?;
            draft.set(Rc::new(producer));
            Ok(())
        })
    };
    let onclick = {
        let (bench, problem, draft) = (props.bench.clone(), problem.clone(), draft.clone());
        Callback::from(move |_| {
            let command = Command::Producer((*draft).as_ref().clone());
            report(&problem, bench.act_and_say(&command, "the service is deployed again."));
        })
    };
    html! {
        <>
            { part!(ProducerForm { producer: Rc::clone(&draft), topics: props.topics(), accept, renames: false }) }
            <p class="button-row"><button class="button primary" {onclick}>{ "Restart it now" }</button></p>
            { failed(&problem) }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(draft: Draft, expected: &str) {
        let command = command_of(&draft, "p", "t");
        assert_eq!(serde_json::to_string(&command).expect("a command is plain data"), expected);
    }

    #[test]
    fn a_draft_becomes_a_command_without_what_was_left_out() {
        check(Draft::default(), r#"{"do":"send","producer":"p","topic":"t"}"#);
        let encoded =
            Draft { key: Some("42".into()), encoding: Some("int32".into()), partition: Some(1), ..Draft::default() };
        check(encoded, r#"{"do":"send","producer":"p","topic":"t","key":"42","key_encoding":"int32","partition":1}"#);
        // Without a key there is nothing to encode.
        check(
            Draft { encoding: Some("int32".into()), ..Draft::default() },
            r#"{"do":"send","producer":"p","topic":"t"}"#,
        );
    }
}
