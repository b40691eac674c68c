//! Every call of a producer's application as a button, and what can happen to its process.
//!
//! Nothing is held back: a call out of order gets the client's own exception.

use std::collections::BTreeMap;

use engine::Command;
use engine::client::configs::ConfigLibrary;
use engine::event::TopicPartition;
use engine::snapshot::{ClientProcess, ProducerSnapshot, ProducerState};
use engine::transaction::Call;
use yew::{AttrValue, Callback, Html, UseStateHandle, component, html, use_state_eq};

use super::act_form::{Doing, use_doing};
use super::examples::free_name;
use super::fields::{optional_number, shown};
use super::producer_acts::OneProducerProps;
use super::send_form::SendRow;
use crate::app::controls::TextField;
use crate::app::part::part;
use crate::app::session::{Rate, use_session};

/// The calls, the record to send, and the process.
#[component]
pub fn Calls(props: &OneProducerProps) -> Html {
    use_session(&props.bench.session(), Rate::Table);
    let snapshot = props.bench.session().snapshot(0);
    let doing = use_doing(&props.bench);
    let timeout = use_state_eq(|| None::<u32>);
    let accept_timeout = {
        let timeout = timeout.clone();
        Callback::from(move |text: AttrValue| {
            timeout.set(optional_number(&text)?);
            Ok(())
        })
    };
    // The last one of its name: earlier ones were restarted.
    let Some(producer) = snapshot.producers.iter().rev().find(|known| *known.name == *props.name) else {
        return Html::default();
    };
    let client = partitioner::client(&producer.client);
    let is_rdkafka = client.is_some_and(|client| ConfigLibrary::of(client) == ConfigLibrary::Librdkafka);
    html! {
        <>
            <p class="hint">{ condition(producer) }</p>
            <div class="form" data-fields="">
                { calls(&doing, producer, is_rdkafka, *timeout) }
                <div class="form-row">
                { part!(TextField { label: if is_rdkafka { "Timeout of these calls, ms" } else { "Timeout of close, ms" }, value: shown(*timeout), placeholder: "none: waits", size: 12, accept: accept_timeout }) }
                </div>
            </div>
            { doing.result() }
            { part!(SendRow { bench: props.bench.clone(), producer: props.name.clone() }) }
            { part!(Offsets { bench: props.bench.clone(), name: props.name.clone() }) }
            <div class="form-row" role="group" aria-label="Its process">
                { process(&doing, producer, props) }
                { second_instance(props, &doing) }
                { doing.button("Break its connections", Command::Disconnect { producer: props.name.clone() }) }
                { doing.button("Stop its records", Command::SetWorkload { producer: props.name.clone(), workload: None }) }
            </div>
        </>
    }
}

/// "fare-service runs, IN_TRANSACTION, producer id 4001 with epoch 0; commitTransaction() waits."
fn condition(producer: &ProducerSnapshot) -> String {
    let process = match producer.process {
        ClientProcess::Running => "runs",
        ClientProcess::Frozen => "stands still",
        ClientProcess::Crashed => "has crashed",
    };
    let mut words = format!("{} {process}", producer.name);
    match producer.client_state.filter(|_| producer.state == ProducerState::Ready) {
        _ if producer.process == ClientProcess::Crashed => {}
        Some(state) => words.push_str(&format!(", {}", state.name())),
        None => words.push_str(&format!(", {}", format!("{:?}", producer.state).to_uppercase())),
    }
    if let Some((id, epoch)) = producer.producer_id.zip(producer.producer_epoch) {
        words.push_str(&format!(", producer id {id} with epoch {epoch}"));
    }
    if let Some(call) = producer.calls.first() {
        words.push_str(&format!("; {}() waits", scene::code::method(&producer.client, call.call)));
    }
    words + "."
}

/// The calls in the order in which a program makes them.
fn calls(doing: &Doing, called: &ProducerSnapshot, is_rdkafka: bool, timeout: Option<u32>) -> Html {
    let producer = || called.name.to_string();
    // The Java client's other calls wait for `max.block.ms`, and its flush without end.
    let timeout_ms = timeout.filter(|_| is_rdkafka);
    let calls = [
        (Call::InitTransactions, Command::InitTransactions { producer: producer(), timeout_ms }),
        (Call::BeginTransaction, Command::BeginTransaction { producer: producer() }),
        (Call::CommitTransaction, Command::CommitTransaction { producer: producer(), timeout_ms }),
        (Call::AbortTransaction, Command::AbortTransaction { producer: producer(), timeout_ms }),
        (Call::Flush, Command::Flush { producer: producer(), timeout_ms }),
        (Call::Close, Command::Close { producer: producer(), timeout_ms: timeout }),
    ];
    let button = |(call, command)| doing.call_button(scene::code::method(&called.client, call), command);
    html! {
        <div class="form-row calls" role="group" aria-label="Calls of its application">
            { for calls.into_iter().map(button) }
            if is_rdkafka { { doing.call_button("purge", Command::Purge { producer: producer(), in_flight: None }) } }
        </div>
    }
}

/// What can happen to its process. A button that another one takes the place of leaves its focus to it.
fn process(doing: &Doing, producer: &ProducerSnapshot, props: &OneProducerProps) -> Html {
    let client = || producer.name.to_string();
    let is_over = match producer.process {
        ClientProcess::Crashed => true,
        ClientProcess::Running => producer.state == ProducerState::Closed,
        ClientProcess::Frozen => false,
    };
    if is_over {
        return html! { <>{ doing.button_in("crash", "Start again", Command::Producer(props.spec())) }</> };
    }
    let (word, command) = match producer.process {
        ClientProcess::Frozen => ("Thaw", Command::Thaw { client: client() }),
        _ => ("Freeze", Command::Freeze { client: client() }),
    };
    html! {
        <>
            { doing.button_in("freeze", word, command) }
            { doing.danger_in("crash", "Crash", Command::Crash { client: client() }) }
        </>
    }
}

/// The same service once more, under another name: same client, same settings, same `transactional.id`.
fn second_instance(props: &OneProducerProps, doing: &Doing) -> Html {
    let (props, doing) = (props.clone(), doing.clone());
    let onclick = Callback::from(move |_| {
        let snapshot = props.bench.session().snapshot(0);
        let taken: Vec<&str> = snapshot.producers.iter().map(|producer| &*producer.name).collect();
        let name = free_name(&props.name, taken);
        doing.act(&Command::Producer(engine::scenario::ProducerSpec { name, ..props.spec() }));
    });
    html! { <button class="button" {onclick}>{ "Second instance" }</button> }
}

/// What `sendOffsetsToTransaction` gets.
#[derive(Clone, Debug, PartialEq)]
struct OffsetsDraft {
    group: String,
    offsets: BTreeMap<String, u64>,
}

/// `sendOffsetsToTransaction` with a group and its offsets.
#[component]
fn Offsets(props: &OneProducerProps) -> Html {
    let draft = use_state_eq(|| OffsetsDraft { group: "payout-workers".to_owned(), offsets: BTreeMap::new() });
    let doing = use_doing(&props.bench);
    let snapshot = props.bench.session().snapshot(0);
    let client = snapshot.producers.iter().rev().find(|known| *known.name == *props.name).map(|known| &*known.client);
    let method = scene::code::method(client.unwrap_or("java"), Call::SendOffsetsToTransaction);
    let onclick = doing.on_call(
        method,
        Command::SendOffsetsToTransaction {
            producer: props.name.clone(),
            group: draft.group.clone(),
            offsets: draft.offsets.clone(),
            generation: None,
            member: None,
            timeout_ms: None,
        },
    );
    html! {
        <details>
            <summary>{ "Offsets in its transaction" }</summary>
            <div class="form-row" data-fields="">
                { part!(TextField { label: "Group", value: draft.group.clone(), size: 14, accept: change(&draft, |draft, text| { draft.group = text.to_owned(); Ok(()) }) }) }
                { part!(TextField { label: "Next offsets, such as in-0=5 in-1=7", value: written(&draft.offsets), size: 24, accept: change(&draft, |draft, text| { draft.offsets = read(text)?; Ok(()) }) }) }
                <button class="button" {onclick}>{ method }</button>
            </div>
            { doing.result() }
        </details>
    }
}

fn change(
    draft: &UseStateHandle<OffsetsDraft>,
    change: fn(&mut OffsetsDraft, &str) -> Result<(), String>,
) -> Callback<AttrValue, Result<(), String>> {
    let draft = draft.clone();
    Callback::from(move |text: AttrValue| {
        let mut next = (*draft).clone();
        change(&mut next, text.trim())?;
        draft.set(next);
        Ok(())
    })
}

fn written(offsets: &BTreeMap<String, u64>) -> String {
    offsets.iter().map(|(name, offset)| format!("{name}={offset}")).collect::<Vec<String>>().join(" ")
}

/// Pairs of a partition and an offset.
fn read(text: &str) -> Result<BTreeMap<String, u64>, String> {
    let mut offsets = BTreeMap::new();
    for pair in text.split([' ', ',']).filter(|pair| !pair.is_empty()) {
        let parts = pair.split_once('=').filter(|(name, _)| TopicPartition::split(name).is_some());
        let offset = parts.and_then(|(name, offset)| Some((name, offset.parse::<u64>().ok()?)));
        let Some((name, offset)) = offset else {
            return Err(format!("\"{pair}\" is not a partition with an offset, such as in-0=5."));
        };
        offsets.insert(name.to_owned(), offset);
    }
    Ok(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::transaction::ClientState;

    fn check(text: &str, expected: Result<&str, &str>) {
        let found = read(text).map(|offsets| written(&offsets));
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn offsets_are_pairs_of_a_partition_and_a_number() {
        check("in-0=5, page-views-12=7", Ok("in-0=5 page-views-12=7"));
        check("", Ok(""));
        check("in=5", Err("\"in=5\" is not a partition with an offset, such as in-0=5."));
        check("in-0=-1", Err("\"in-0=-1\" is not a partition with an offset, such as in-0=5."));
    }

    #[test]
    fn a_producer_is_told_in_one_sentence() {
        let producer = ProducerSnapshot {
            name: "fares".into(),
            client_state: Some(ClientState::InTransaction),
            producer_id: Some(4_001),
            producer_epoch: Some(2),
            ..ProducerSnapshot::default()
        };
        assert_eq!(condition(&producer), "fares runs, IN_TRANSACTION, producer id 4001 with epoch 2.");
        let plain = ProducerSnapshot { name: "fares".into(), ..ProducerSnapshot::default() };
        assert_eq!(condition(&plain), "fares runs, READY.");
        let crashed = ProducerSnapshot { state: ProducerState::Closed, process: ClientProcess::Crashed, ..plain };
        assert_eq!(condition(&crashed), "fares has crashed.");
        let closed = ProducerSnapshot { state: ProducerState::Closed, ..producer };
        assert_eq!(condition(&closed), "fares runs, CLOSED, producer id 4001 with epoch 2.");
    }
}
