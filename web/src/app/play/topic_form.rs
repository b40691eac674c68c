//! A topic: name, partitions, replicas, settings and first contents. For the set-up and for a topic created now.
//!
//! Whether they fit together is for the engine to say.

use std::rc::Rc;

use engine::client::configs::topic_definitions;
use engine::scenario::{Preload, TopicSpec};
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::config_table::{ConfigTable, Table};
use super::fields::{Accept, AreaField, optional_number, shown};
use super::preload_form::PreloadForm;
use super::replicas;
use crate::app::controls::TextField;
use crate::app::part::part;

/// A topic to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TopicFormProps {
    /// The topic in force.
    pub topic: Rc<TopicSpec>,
    /// Takes a changed topic over.
    pub accept: Accept<TopicSpec>,
    /// The ids of the brokers that there are.
    pub brokers: Rc<[u32]>,
    /// Whether its partitions can hold something at first.
    #[prop_or(true)]
    pub fills: bool,
}

impl TopicFormProps {
    fn change<T: 'static>(
        &self,
        change: impl Fn(&mut TopicSpec, T) -> Result<(), String> + 'static,
    ) -> Callback<T, Result<(), String>> {
        let (topic, accept) = (Rc::clone(&self.topic), self.accept.clone());
        Callback::from(move |value: T| {
            let mut next = (*topic).clone();
            change(&mut next, value)?;
            accept.emit(next)
        })
    }

    fn field(
        &self,
        change: impl Fn(&mut TopicSpec, &str) -> Result<(), String> + 'static,
    ) -> Callback<AttrValue, Result<(), String>> {
        self.change(move |topic, text: AttrValue| change(topic, &text))
    }
}

/// The form.
#[component]
pub fn TopicForm(props: &TopicFormProps) -> Html {
    let topic = &props.topic;
    let onconfig = props.change(|topic, (name, value): (&'static str, Option<String>)| {
        match value {
            Some(value) => topic.configs.insert(name.to_owned(), value),
            None => topic.configs.remove(name),
        };
        Ok(())
    });
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "Name", value: topic.name.clone(), size: 16, accept: props.field(|topic, text| { topic.name = text.trim().to_owned(); Ok(()) }) }) }
                if topic.assignment.is_none() {
                    { part!(TextField { label: "Partitions", value: shown(topic.partitions), placeholder: "1", size: 5, accept: props.field(|topic, text| { topic.partitions = optional_number(text)?; Ok(()) }) }) }
                    { part!(TextField { label: "Replication factor", value: shown(topic.replication_factor), placeholder: "1", size: 4, accept: props.field(|topic, text| { topic.replication_factor = optional_number(text)?; Ok(()) }) }) }
                }
            </div>
            { placement(props) }
            <details>
                <summary>{ super::with_count("Topic settings", topic.configs.len()) }</summary>
                { part!(ConfigTable { of: "topics", table: Table(topic_definitions()), given: Rc::new(topic.configs.clone()), accept: onconfig }) }
            </details>
            if props.fills { { contents(props) } }
        </div>
    }
}

/// Replicas that Kafka places, or a line for each partition.
fn placement(props: &TopicFormProps) -> Html {
    let Some(assignment) = &props.topic.assignment else {
        let brokers = Rc::clone(&props.brokers);
        return changing(props, "Place replicas by hand", move |topic| place_by_hand(topic, &brokers));
    };
    let accept = props.field(|topic, text| {
        topic.assignment = Some(replicas::assignment(text, 0)?);
        Ok(())
    });
    let lines = replicas::text((0..).zip(assignment.iter().map(Vec::as_slice)));
    html! {
        <>
            { part!(AreaField { label: "Brokers of each partition, the preferred leader first", value: lines, accept }) }
            { changing(props, "Let Kafka place them", let_kafka_place) }
        </>
    }
}

/// A button that changes the topic in a way that always fits.
fn changing(props: &TopicFormProps, text: &'static str, change: impl Fn(&mut TopicSpec) + 'static) -> Html {
    let change = props.field(move |topic, _| {
        change(topic);
        Ok(())
    });
    let onclick = Callback::from(move |_| drop(change.emit(AttrValue::default())));
    html! { <p class="button-row"><button class="button" {onclick}>{ text }</button></p> }
}

/// Striped over the brokers as Kafka does it from the first one, to be changed.
fn place_by_hand(topic: &mut TopicSpec, brokers: &[u32]) {
    let (partitions, factor) = (topic.partitions.take().unwrap_or(1), topic.replication_factor.take().unwrap_or(1));
    let factor = (factor as usize).min(brokers.len());
    let replicas =
        |partition: u32| (0..factor).map(|replica| brokers[(partition as usize + replica) % brokers.len()]).collect();
    topic.assignment = Some((0..partitions).map(replicas).collect());
}

fn let_kafka_place(topic: &mut TopicSpec) {
    let assignment = topic.assignment.take().unwrap_or_default();
    topic.partitions = u32::try_from(assignment.len()).ok();
    topic.replication_factor = assignment.first().and_then(|replicas| u32::try_from(replicas.len()).ok());
}

/// What its partitions hold at time 0.
fn contents(props: &TopicFormProps) -> Html {
    let accept = props.change(|topic, preloads: Vec<Preload>| {
        topic.preloads = preloads;
        Ok(())
    });
    html! {
        <details>
            <summary>{ super::with_count("What it holds at time 0", props.topic.preloads.len()) }</summary>
            { part!(PreloadForm { preloads: Rc::<[Preload]>::from(props.topic.preloads.clone()), accept }) }
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::play::examples;

    fn check(partitions: u32, factor: u32, expected: &[&[u32]]) {
        let mut topic = examples::topic("t", partitions, factor);
        let before = topic.clone();
        place_by_hand(&mut topic, &[1, 2, 3]);
        assert_eq!(topic.assignment.as_deref(), Some(&*expected.iter().map(|ids| ids.to_vec()).collect::<Vec<_>>()));
        let scenario = engine::Scenario { topics: vec![topic.clone()], ..examples::empty() };
        assert!(engine::scenario::Plan::new(&scenario).is_ok());
        let_kafka_place(&mut topic);
        assert_eq!(topic, before);
    }

    #[test]
    fn replicas_are_placed_by_hand_and_by_kafka_again() {
        check(3, 2, &[&[1, 2], &[2, 3], &[3, 1]]);
        check(1, 1, &[&[1]]);
    }
}
