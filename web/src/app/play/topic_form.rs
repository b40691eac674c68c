//! A topic: name, partitions, replicas and its settings. Used for the set-up and for a topic that is created now.

use std::rc::Rc;

use engine::client::configs::topic_definitions;
use engine::scenario::TopicSpec;
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::config_table::{ConfigTable, Table};
use super::fields::{Accept, optional_number, shown};
use crate::app::controls::TextField;
use crate::app::part::part;

/// A topic to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TopicFormProps {
    /// The topic in force.
    pub topic: Rc<TopicSpec>,
    /// Takes a changed topic over.
    pub accept: Accept<TopicSpec>,
}

impl TopicFormProps {
    fn field(
        &self,
        change: impl Fn(&mut TopicSpec, &str) -> Result<(), String> + 'static,
    ) -> Callback<AttrValue, Result<(), String>> {
        let (topic, accept) = (Rc::clone(&self.topic), self.accept.clone());
        Callback::from(move |text: AttrValue| {
            let mut next = (*topic).clone();
            change(&mut next, &text)?;
            accept.emit(next)
        })
    }
}

/// The form.
#[component]
pub fn TopicForm(props: &TopicFormProps) -> Html {
    let topic = &props.topic;
    let onconfig = {
        let (topic, accept) = (Rc::clone(topic), props.accept.clone());
        Callback::from(move |(name, value): (&'static str, Option<String>)| {
            let mut next = (*topic).clone();
            match value {
                Some(value) => next.configs.insert(name.to_owned(), value),
                None => next.configs.remove(name),
            };
            accept.emit(next)
        })
    };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "Name", value: topic.name.clone(), size: 16, accept: props.field(|topic, text| { topic.name = text.trim().to_owned(); Ok(()) }) }) }
                if topic.assignment.is_none() {
                    { part!(TextField { label: "Partitions", value: shown(topic.partitions), placeholder: "1", size: 5, accept: props.field(|topic, text| { topic.partitions = optional_number(text)?; Ok(()) }) }) }
                    { part!(TextField { label: "Replication factor", value: shown(topic.replication_factor), placeholder: "1", size: 4, accept: props.field(|topic, text| { topic.replication_factor = optional_number(text)?; Ok(()) }) }) }
                }
            </div>
            if let Some(assignment) = &topic.assignment { { placed_by_hand(props, assignment) } }
            <details>
                <summary>{ super::with_count("Topic settings", topic.configs.len()) }</summary>
                { part!(ConfigTable { of: "topics", table: Table(topic_definitions()), given: Rc::new(topic.configs.clone()), accept: onconfig }) }
            </details>
        </div>
    }
}

fn placed_by_hand(props: &TopicFormProps, assignment: &[Vec<u32>]) -> Html {
    let replicas: Vec<String> = assignment
        .iter()
        .map(|replicas| replicas.iter().map(ToString::to_string).collect::<Vec<_>>().join(":"))
        .collect();
    let onclick = {
        let place = props.field(|topic, _| {
            let assignment = topic.assignment.take().unwrap_or_default();
            topic.partitions = u32::try_from(assignment.len()).ok();
            topic.replication_factor = assignment.first().and_then(|replicas| u32::try_from(replicas.len()).ok());
            Ok(())
        });
        Callback::from(move |_| drop(place.emit(AttrValue::default())))
    };
    html! {
        <p class="hint">
            { format!("Replicas are placed by hand: {}. ", replicas.join(", ")) }
            <button class="button" {onclick}>{ "Let Kafka place them" }</button>
        </p>
    }
}
