//! The form that sends one record of any running producer.
//!
//! A draft lives here until its button is pressed; the engine checks it then.

use std::rc::Rc;

use engine::snapshot::{ProducerSnapshot, ProducerState};
use engine::transaction::Call;
use engine::{Command, Snapshot};
use partitioner::encoding::Encoding;
use yew::{AttrValue, Callback, Html, Properties, UseStateHandle, component, html, use_state_eq};

use super::act_form::{ActFormProps, names, selected, use_choice, use_doing};
use super::fields::{optional_number, shown};
use super::workbench::Workbench;
use crate::app::controls::{Choice, Select, TextField};
use crate::app::part::part;
use crate::app::session::{Rate, use_session};

/// A record of the form.
#[derive(Clone, Debug, Default, PartialEq)]
struct Draft {
    topic: Option<String>,
    key: Option<String>,
    encoding: Option<String>,
    value: Option<String>,
    partition: Option<i32>,
}

fn running(snapshot: &Snapshot) -> Vec<&ProducerSnapshot> {
    snapshot.producers.iter().filter(|producer| producer.state == ProducerState::Ready).collect()
}

/// One record of any producer.
#[component]
pub fn SendForm(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let (chosen, onselect) = use_choice(selected(&props.bench, "producer"));
    let producers = running(&snapshot);
    let is_running = |name: &String| producers.iter().any(|producer| *producer.name == **name);
    let Some(producer) = chosen.filter(is_running).or_else(|| Some(producers.first()?.name.to_string())) else {
        return html! { <p class="hint">{ "There is no running producer. Add one to the set-up, or restart one under Producers." }</p> };
    };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Producer", choices: names(producers.iter().map(|producer| &*producer.name)), selected: producer.clone(), onselect }) }
            </div>
            { part!(SendRow { bench: props.bench.clone(), producer }) }
        </div>
    }
}

/// A record of one producer.
#[derive(Clone, PartialEq, Properties)]
pub struct SendRowProps {
    /// The bench.
    pub bench: Workbench,
    /// The producer's name.
    pub producer: String,
}

/// The fields of a record and the button that sends it.
#[component]
pub fn SendRow(props: &SendRowProps) -> Html {
    use_session(&props.bench.session(), Rate::Table);
    let snapshot = props.bench.session().snapshot(0);
    let draft =
        use_state_eq(|| Draft { key: Some("user-1".to_owned()), value: Some("login".to_owned()), ..Draft::default() });
    let doing = use_doing(&props.bench);
    let first = || scene::shown_topics(&snapshot).next().map(|topic| topic.name.to_string());
    let topic = draft.topic.clone().or_else(first).unwrap_or_default();
    let encodings: Rc<[Choice]> = Encoding::IDS.iter().map(|id| Choice::new(*id, *id)).collect();
    let client =
        snapshot.producers.iter().rev().find(|known| *known.name == *props.producer).map(|known| &*known.client);
    let method = scene::code::method(client.unwrap_or("java"), Call::Send);
    let onclick = doing.on_call(method, command_of(&draft, &props.producer, &topic));
    html! {
        <>
            <div class="form-row" data-fields="">
                { part!(TextField { label: "Topic", value: topic, size: 12, accept: field(&draft, |draft, text| { draft.topic = Some(text); Ok(()) }) }) }
                { part!(TextField { label: "Key", value: shown(draft.key.clone()), placeholder: "no key", size: 12, accept: field(&draft, |draft, text| { draft.key = Some(text).filter(|text| !text.is_empty()); Ok(()) }) }) }
                { part!(Select { legend: "as", choices: encodings, selected: draft.encoding.clone().unwrap_or_else(|| "text".to_owned()), onselect: menu(&draft, |draft, value| draft.encoding = Some(value)) }) }
                { part!(TextField { label: "Value", value: shown(draft.value.clone()), placeholder: "none: a tombstone", size: 14, accept: field(&draft, |draft, text| { draft.value = Some(text).filter(|text| !text.is_empty()); Ok(()) }) }) }
                { part!(TextField { label: "Partition", value: shown(draft.partition), placeholder: "by key", size: 6, accept: field(&draft, |draft, text| { draft.partition = optional_number(&text)?; Ok(()) }) }) }
                <button class="button primary" data-call="send" {onclick}>{ "Send" }</button>
            </div>
            { doing.result() }
        </>
    }
}

fn command_of(draft: &Draft, producer: &str, topic: &str) -> Command {
    Command::Send {
        producer: producer.to_owned(),
        topic: topic.to_owned(),
        key: draft.key.clone(),
        key_encoding: draft.encoding.clone().filter(|id| id != "text" && draft.key.is_some()),
        value_encoding: None,
        value: draft.value.clone(),
        value_bytes: None,
        partition: draft.partition,
        timestamp_ms: None,
        headers: Vec::new(),
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
