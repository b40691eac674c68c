//! Real output in: what somebody pastes is read while it is typed, told back, and built.
//!
//! Reading is the console's. What was pasted stays in the box, whatever became of it.

use console::paste::{self, Kind, Pasted, Unread};
use engine::Scenario;
use engine::scenario::{BrokerSpec, Brokers, TopicSpec};
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, Properties, TargetCast, component, html, use_memo,
    use_node_ref, use_state, use_state_eq,
};

use super::cluster_forms::broker_list;
use super::summary::count;
use super::text_view::use_dialog;
use super::workbench::Workbench;
use crate::app::opening;

/// Lines that could not be read and are listed; of more, the number is told.
const UNREAD_MAX: usize = 40;

/// The view on a bench.
#[derive(Clone, PartialEq, Properties)]
pub struct PasteViewProps {
    /// The bench.
    pub bench: Workbench,
    /// Whether it is open.
    pub is_open: bool,
    /// Closes it.
    pub onclose: Callback<()>,
}

/// A dialog with a box for text, what was understood of it, and two ways to use it.
#[component]
pub fn PasteView(props: &PasteViewProps) -> Html {
    let PasteViewProps { bench, is_open, onclose } = props;
    let dialog = use_node_ref();
    use_dialog(&dialog, *is_open);
    let text = use_state(AttrValue::default);
    let problem = use_state_eq(|| None::<String>);
    let pasted = use_memo((*text).clone(), |text| paste::read(text));
    let oninput = {
        let (text, problem) = (text.clone(), problem.clone());
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value().into());
            problem.set(None);
        })
    };
    let using = |build: fn(&Workbench, &Pasted) -> Result<(), engine::InputError>| {
        let (bench, pasted, problem, onclose) = (bench.clone(), pasted.clone(), problem.clone(), onclose.clone());
        Callback::from(move |_| match build(&bench, &pasted) {
            Ok(()) => onclose.emit(()),
            Err(error) => problem.set(Some(error.to_string())),
        })
    };
    let is_empty = is_nothing(&pasted);
    let keep_keys = Callback::from(|event: KeyboardEvent| event.stop_propagation());
    html! {
        <dialog class="help text-view" aria-labelledby="paste-title" ref={dialog} onclose={onclose.reform(|_: Event| ())} onkeydown={keep_keys}>
            <h2 id="paste-title">{ "Paste real output" }</h2>
            <label class="field area">
                <span>{ "Output of kafka-topics.sh --describe or kafka-consumer-groups.sh --describe, JSON of a reassignment, or a properties file" }</span>
                <textarea rows="12" spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" value={(*text).clone()} aria-describedby="paste-found" {oninput} />
            </label>
            <div id="paste-found" role="status">
                if text.trim().is_empty() {
                    <p class="hint">{ "It stays in this browser: nothing is sent anywhere." }</p>
                } else {
                    <p>{ understood(&text, &pasted) }</p>
                    if !pasted.notes.is_empty() { <ul class="paste-notes">{ for pasted.notes.iter().map(|note| html! { <li key={note.clone()}>{ note }</li> }) }</ul> }
                    { unread(&pasted.unread) }
                }
            </div>
            if let Some(problem) = &*problem { <p class="field-error" role="alert">{ problem }</p> }
            <p class="button-row">
                <button class="button primary" disabled={is_empty} onclick={using(build)}>{ "Build this cluster" }</button>
                <button class="button" disabled={is_empty} onclick={using(add)}>{ "Add it to my set-up" }</button>
                <button class="button" onclick={onclose.reform(|_| ())}>{ "Close" }</button>
            </p>
        </dialog>
    }
}

fn is_nothing(pasted: &Pasted) -> bool {
    pasted.brokers.is_empty()
        && pasted.topics.is_empty()
        && pasted.consumers.is_empty()
        && pasted.script.is_empty()
        && pasted.configs.is_empty()
}

fn partitions(topic: &TopicSpec) -> u32 {
    topic.assignment.as_ref().map_or(topic.partitions.unwrap_or(1), |replicas| replicas.len() as u32)
}

/// "kafka-topics.sh --describe: 2 topics, 12 partitions, brokers 1, 2, 3."
fn understood(text: &str, pasted: &Pasted) -> String {
    let kind = match paste::kind(text) {
        Kind::Describe => "kafka-topics.sh --describe",
        Kind::Groups => "kafka-consumer-groups.sh --describe",
        Kind::Reassignment => "A reassignment",
        Kind::Properties => "A properties file",
    };
    let mut parts = Vec::new();
    if !pasted.topics.is_empty() {
        parts.push(count(pasted.topics.len(), "topic"));
        parts.push(count(pasted.topics.iter().map(|topic| partitions(topic) as usize).sum(), "partition"));
    }
    if !pasted.consumers.is_empty() {
        parts.push(count(pasted.consumers.len(), "consumer"));
    }
    if !pasted.configs.is_empty() {
        parts.push(count(pasted.configs.len(), "broker setting"));
    }
    if !pasted.brokers.is_empty() {
        let ids: Vec<String> = pasted.brokers.iter().map(ToString::to_string).collect();
        parts.push(format!("broker{} {}", if ids.len() == 1 { "" } else { "s" }, ids.join(", ")));
    }
    if parts.is_empty() { format!("{kind}: nothing was understood.") } else { format!("{kind}: {}.", parts.join(", ")) }
}

/// Lines that could not be read, each with its number and what was expected there.
fn unread(lines: &[Unread]) -> Html {
    if lines.is_empty() {
        return Html::default();
    }
    let row = |(index, line): (usize, &Unread)| {
        html! { <tr key={index}><td class="number">{ line.number }</td><td class="mono">{ &line.text }</td><td>{ &line.expected }</td></tr> }
    };
    html! {
        <>
            <p class="field-error">{ format!("{} could not be read. Nothing else is lost.", count(lines.len(), "line")) }</p>
            <div class="table-frame" tabindex="0" role="region" aria-label="Lines that could not be read">
                <table class="table">
                    <thead><tr><th scope="col" class="number">{ "Line" }</th><th scope="col">{ "Text" }</th><th scope="col">{ "What was expected" }</th></tr></thead>
                    <tbody>{ for lines.iter().take(UNREAD_MAX).enumerate().map(row) }</tbody>
                </table>
            </div>
            if lines.len() > UNREAD_MAX { <p class="hint">{ format!("… and {} more", lines.len() - UNREAD_MAX) }</p> }
        </>
    }
}

/// A cluster of its own, in place of what is on the bench.
fn build(bench: &Workbench, pasted: &Pasted) -> Result<(), engine::InputError> {
    bench.open(&opening::full_scenario(&whole(pasted)))?;
    bench.say(super::workbench::Said::Done(
        "This is what was pasted, with every broker running and every replica in sync. Undo brings back what was here."
            .into(),
    ));
    Ok(())
}

/// The pasted text as a set-up of its own. Without a word about brokers there are as many as the topics need.
fn whole(pasted: &Pasted) -> Scenario {
    let mut scenario = pasted.scenario("pasted");
    if pasted.brokers.is_empty() {
        let factors = pasted.topics.iter().filter_map(|topic| topic.replication_factor);
        scenario.cluster.brokers = Brokers::Count(factors.max().unwrap_or(1).max(3));
    }
    scenario
}

/// Into the set-up that is there.
fn add(bench: &Workbench, pasted: &Pasted) -> Result<(), engine::InputError> {
    bench.set_up(merged(bench.scenario(), pasted))?;
    bench.say(super::workbench::Said::Done("What was pasted is part of the set-up.".into()));
    Ok(())
}

/// Brokers that are missing are added; a topic that is there gets the pasted replicas and settings and keeps the rest.
fn merged(mut scenario: Scenario, pasted: &Pasted) -> Scenario {
    let mut brokers = broker_list(&scenario.cluster.brokers);
    for id in &pasted.brokers {
        if brokers.iter().all(|known| known.id != *id) {
            brokers.push(BrokerSpec { id: *id, ..BrokerSpec::default() });
        }
    }
    if brokers != broker_list(&scenario.cluster.brokers) {
        scenario.cluster.brokers = Brokers::List(brokers);
    }
    scenario.cluster.configs.extend(pasted.configs.clone());
    for consumer in &pasted.consumers {
        match scenario.consumers.iter_mut().find(|known| known.name == consumer.name) {
            None => scenario.consumers.push(consumer.clone()),
            Some(known) => known.clone_from(consumer),
        }
    }
    scenario.script.extend(
        pasted.script.iter().filter(|scripted| !scenario.script.contains(scripted)).cloned().collect::<Vec<_>>(),
    );
    for topic in &pasted.topics {
        match scenario.topics.iter_mut().find(|known| known.name == topic.name) {
            None => scenario.topics.push(topic.clone()),
            Some(known) => {
                // A group tells how many partitions there are, and nothing of where they are.
                let is_enough = topic.assignment.is_none()
                    && topic.replication_factor.is_none()
                    && topic.partitions.is_some_and(|count| count <= partitions(known));
                if !topic.preloads.is_empty() {
                    known.preloads.clone_from(&topic.preloads);
                }
                if !is_enough && (topic.assignment.is_some() || topic.partitions.is_some()) {
                    known.partitions = topic.partitions;
                    known.replication_factor = topic.replication_factor;
                    known.assignment.clone_from(&topic.assignment);
                }
                known.configs.extend(topic.configs.clone());
            }
        }
    }
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::play::examples;

    const PLAN: &str = r#"{"version":1,"partitions":[{"topic":"events","partition":0,"replicas":[4,1]}]}"#;

    fn check(text: &str, sentence: &str, brokers: &[u32]) {
        let pasted = paste::read(text);
        assert_eq!(understood(text, &pasted), sentence);
        let scenario = whole(&pasted);
        assert!(engine::scenario::Plan::new(&scenario).is_ok(), "{text}");
        let ids: Vec<u32> = broker_list(&scenario.cluster.brokers).iter().map(|broker| broker.id).collect();
        assert_eq!(ids, brokers);
    }

    #[test]
    fn what_was_understood_is_told_and_can_be_built() {
        check(PLAN, "A reassignment: 1 topic, 1 partition, brokers 1, 4.", &[1, 4]);
        check("num.partitions=6\n", "A properties file: 1 broker setting.", &[1, 2, 3]);
        check(
            "Topic: a\tPartitionCount: 2\tReplicationFactor: 5\tConfigs: \n",
            "kafka-topics.sh --describe: 1 topic, 2 partitions.",
            &[1, 2, 3, 4, 5],
        );
        check(
            "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\ng t 1 2 5 3 c-1 /h c\n",
            "kafka-consumer-groups.sh --describe: 1 topic, 2 partitions, 1 consumer.",
            &[1, 2, 3],
        );
        check("nonsense\n", "A properties file: nothing was understood.", &[1, 2, 3]);
    }

    #[test]
    fn what_is_added_keeps_the_rest_of_the_set_up() {
        let mut scenario = examples::empty();
        scenario.topics = vec![examples::topic("events", 3, 1), examples::topic("other", 1, 1)];
        scenario.topics[0].configs.insert("retention.ms".into(), "5".into());
        let merged = merged(scenario, &paste::read(PLAN));
        assert_eq!(broker_list(&merged.cluster.brokers).len(), 4);
        assert_eq!(merged.topics[0].assignment, Some(vec![vec![4, 1]]));
        assert_eq!((merged.topics.len(), merged.topics[0].configs.len(), merged.topics[0].partitions), (2, 1, None));
        assert!(engine::scenario::Plan::new(&merged).is_ok());
    }
}
