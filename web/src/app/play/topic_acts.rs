//! Topics, now: grow one, create one, delete one.
//!
//! A draft lives here until its button is pressed; Kafka's answer to it is said under the buttons.

use std::rc::Rc;

use engine::Command;
use engine::scenario::TopicSpec;
use engine::snapshot::TopicSnapshot;
use yew::{AttrValue, Callback, Html, component, html, use_state, use_state_eq};

use super::act_form::{ActFormProps, names, selected_partition, use_choice, use_doing};
use super::fields::{AreaField, number};
use super::topic_form::TopicForm;
use super::{examples, replicas};
use crate::app::controls::{Select, TextField};
use crate::app::part::part;

/// The topic of what is selected on the stage.
fn selected_topic(bench: &super::workbench::Workbench) -> Option<String> {
    selected_partition(bench).and_then(|name| Some(name.rsplit_once('-')?.0.to_owned()))
}

/// The chosen topic, else the first one.
fn chosen_topic(topics: &[TopicSnapshot], chosen: Option<String>) -> Option<&TopicSnapshot> {
    topics.iter().find(|topic| chosen.as_deref() == Some(&*topic.name)).or_else(|| topics.first())
}

/// Any count for any topic; the replicas of what is added by hand or by Kafka.
#[component]
pub fn GrowForm(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let (chosen, onselect) = use_choice(selected_topic(&props.bench));
    let added = use_state_eq(AttrValue::default);
    let doing = use_doing(&props.bench);
    let Some(topic) = chosen_topic(&snapshot.topics, chosen) else {
        return html! { <p class="hint">{ "There is no topic to grow." }</p> };
    };
    let first = u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX);
    let accept = {
        let (doing, name, added) = (doing.clone(), topic.name.to_string(), added.clone());
        Callback::from(move |text: AttrValue| {
            let assignment = match added.trim() {
                "" => None,
                lines => Some(replicas::assignment(lines, first)?),
            };
            doing.act(&Command::CreatePartitions { topic: name.clone(), partitions: number(&text)?, assignment });
            Ok(())
        })
    };
    let onadded = {
        let added = added.clone();
        Callback::from(move |text: AttrValue| {
            replicas::assignment(&text, first)?;
            added.set(text);
            Ok(())
        })
    };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Topic", choices: names(snapshot.topics.iter().map(|topic| &*topic.name)), selected: topic.name.to_string(), onselect }) }
                { part!(TextField { label: "Partitions", value: topic.partitions.len().to_string(), size: 5, accept }) }
                <p class="hint">{ "Enter grows it now. Kafka refuses fewer, in its own words." }</p>
            </div>
            <details>
                <summary>{ "Place the added partitions by hand" }</summary>
                { part!(AreaField { label: format!("One line for each added partition, such as {first}: 1,2,3"), rows: 3, value: (*added).clone(), accept: onadded }) }
            </details>
            { doing.problem() }
        </div>
    }
}

/// Create a topic, delete a topic.
#[component]
pub fn TopicActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let draft = use_state(|| {
        let name = examples::free_name("orders", snapshot.topics.iter().map(|topic| &*topic.name));
        Rc::new(examples::topic(&name, 3, 1))
    });
    let (chosen, onselect) = use_choice(selected_topic(&props.bench));
    let doing = use_doing(&props.bench);
    let accept = {
        let draft = draft.clone();
        Callback::from(move |topic: TopicSpec| {
            engine::client::configs::check_topic_together(&topic.configs).map_err(|refusal| refusal.to_string())?;
            draft.set(Rc::new(topic));
            Ok(())
        })
    };
    let doomed = chosen_topic(&snapshot.topics, chosen).map(|topic| topic.name.to_string());
    html! {
        <div class="form">
            { part!(TopicForm { topic: Rc::clone(&draft), brokers: snapshot.brokers.iter().map(|broker| broker.id).collect::<Rc<[u32]>>(), accept, fills: false }) }
            <p class="button-row"><button class="button primary" onclick={doing.on(creation(&draft))}>{ "Create it now" }</button></p>
            if let Some(doomed) = doomed {
                <div class="form-row">
                    { part!(Select { legend: "Delete", choices: names(snapshot.topics.iter().map(|topic| &*topic.name)), selected: doomed.clone(), onselect }) }
                    { doing.danger("Delete it now", Command::DeleteTopic { topic: doomed }) }
                </div>
            }
            { doing.problem() }
        </div>
    }
}

/// The request for a topic of a form.
fn creation(topic: &TopicSpec) -> Command {
    let count = |count: Option<u32>| count.and_then(|count| i32::try_from(count).ok());
    let is_placed = topic.assignment.is_some();
    Command::CreateTopic {
        topic: topic.name.clone(),
        // Kafka takes numbers or replicas, not both.
        partitions: count(topic.partitions).filter(|_| !is_placed),
        replication_factor: count(topic.replication_factor).filter(|_| !is_placed),
        assignment: topic.assignment.clone(),
        configs: topic.configs.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(topic: &TopicSpec, expected: &str) {
        assert_eq!(serde_json::to_string(&creation(topic)).expect("a command is plain data"), expected);
    }

    #[test]
    fn a_topic_is_asked_for_by_numbers_or_by_replicas() {
        let mut topic = examples::topic("t", 3, 2);
        check(&topic, r#"{"do":"create_topic","topic":"t","partitions":3,"replication_factor":2}"#);
        topic.assignment = Some(vec![vec![1, 2]]);
        check(&topic, r#"{"do":"create_topic","topic":"t","assignment":[[1,2]]}"#);
    }
}
