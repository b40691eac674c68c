//! A producer: name, client library, what it sends and its settings. For the set-up and for a restart now.

use std::rc::Rc;

use engine::client::configs::{ConfigLibrary, definitions};
use engine::scenario::{ProducerSpec, Workload};
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::client_picker::ClientPicker;
use super::config_table::{ConfigTable, Table};
use super::fields::{Accept, optional_duration, optional_number, shown};
use super::workload_form::WorkloadForm;
use crate::app::controls::TextField;
use crate::app::part::part;

/// A producer to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ProducerFormProps {
    /// The producer in force.
    pub producer: Rc<ProducerSpec>,
    /// Topics that are offered.
    pub topics: Rc<[AttrValue]>,
    /// Takes a changed producer over.
    pub accept: Accept<ProducerSpec>,
    /// Whether it can get another name.
    #[prop_or(true)]
    pub renames: bool,
}

impl ProducerFormProps {
    fn change<T: 'static>(
        &self,
        change: impl Fn(&mut ProducerSpec, T) -> Result<(), String> + 'static,
    ) -> Callback<T, Result<(), String>> {
        let (producer, accept) = (Rc::clone(&self.producer), self.accept.clone());
        Callback::from(move |value: T| {
            let mut next = (*producer).clone();
            change(&mut next, value)?;
            accept.emit(next)
        })
    }
}

/// The form.
#[component]
pub fn ProducerForm(props: &ProducerFormProps) -> Html {
    let producer = &props.producer;
    let client = partitioner::client(&producer.client);
    let library = client.map_or(ConfigLibrary::Java, ConfigLibrary::of);
    let problem = yew::use_state_eq(|| None::<String>);
    let onclient = {
        let (change, problem) = (props.change(set_client), problem.clone());
        Callback::from(move |id: AttrValue| problem.set(change.emit(id).err()))
    };
    let onconfig = props.change(|producer: &mut ProducerSpec, (name, value): (&'static str, Option<String>)| {
        match value {
            Some(value) => producer.configs.insert(name.to_owned(), value),
            None => producer.configs.remove(name),
        };
        Ok(())
    });
    html! {
        <div class="form">
            if props.renames {
                { part!(TextField { label: "Name", value: producer.name.clone(), size: 20, accept: props.change(|producer, text: AttrValue| { producer.name = text.trim().to_owned(); Ok(()) }) }) }
            }
            { part!(ClientPicker { selected: producer.client.clone(), onselect: onclient }) }
            if let Some(problem) = &*problem { <p class="field-error" role="alert">{ problem }</p> }
            { sends(props) }
            <details>
                <summary>{ super::with_count("Producer settings", producer.configs.len()) }</summary>
                { part!(ConfigTable { of: library_name(library), table: Table(definitions(library)), given: Rc::new(producer.configs.clone()), accept: onconfig }) }
            </details>
            <details>
                <summary>{ "Start" }</summary>
                <div class="form-row">
                    { part!(TextField { label: "Age of its metadata", value: shown(producer.metadata_age), placeholder: "0 ms", size: 8, accept: props.change(|producer, text: AttrValue| { producer.metadata_age = optional_duration(&text)?; Ok(()) }) }) }
                    { part!(TextField { label: "Random source counts from", value: shown(producer.random_start), placeholder: "seed", size: 6, accept: props.change(|producer, text: AttrValue| { producer.random_start = optional_number(&text)?; Ok(()) }) }) }
                </div>
            </details>
        </div>
    }
}

/// Another library has other settings: those that it does not know are named instead of dropped.
fn set_client(producer: &mut ProducerSpec, id: AttrValue) -> Result<(), String> {
    let before = partitioner::client(&producer.client).map(ConfigLibrary::of);
    let after = partitioner::client(&id).map(ConfigLibrary::of);
    producer.client = id.to_string();
    let known = after.map(definitions).unwrap_or_default();
    let unknown: Vec<&str> = producer
        .configs
        .keys()
        .map(String::as_str)
        .filter(|name| before != after && known.iter().all(|definition| definition.name != *name))
        .collect();
    match unknown.as_slice() {
        [] => Ok(()),
        names => Err(format!("{id} has no setting {}. Take it back first.", names.join(", "))),
    }
}

fn library_name(library: ConfigLibrary) -> &'static str {
    match library {
        ConfigLibrary::Java => "the Java producer 4.3.1",
        ConfigLibrary::Librdkafka => "librdkafka 2.16.0",
        ConfigLibrary::Other => "this client",
    }
}

/// The workload, or a button that starts one.
fn sends(props: &ProducerFormProps) -> Html {
    let set = props.change(|producer: &mut ProducerSpec, workload: Option<Workload>| {
        producer.workload = workload;
        Ok(())
    });
    let Some(workload) = &props.producer.workload else {
        let first = props.topics.first().map_or_else(|| "events".to_owned(), ToString::to_string);
        let onclick = Callback::from(move |_| drop(set.emit(Some(super::examples::workload(&first)))));
        return html! {
            <p class="hint">{ "It sends nothing by itself. " }<button class="button" {onclick}>{ "Let it send" }</button></p>
        };
    };
    let accept = {
        let set = set.clone();
        Callback::from(move |workload| set.emit(Some(workload)))
    };
    html! {
        <fieldset class="group">
            <legend>{ "What it sends" }</legend>
            { part!(WorkloadForm { workload: Rc::new(workload.clone()), topics: Rc::clone(&props.topics), accept }) }
            <button class="button quiet" onclick={move |_| drop(set.emit(None))}>{ "Let it send nothing by itself" }</button>
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::play::examples;

    fn check(config: &str, client: &'static str, expected: Result<(), &str>) {
        let mut producer = examples::producer("p", "java", None);
        producer.configs.insert(config.to_owned(), "1".to_owned());
        let found = set_client(&mut producer, client.into());
        assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected);
    }

    #[test]
    fn settings_that_another_library_does_not_have_are_named() {
        check("linger.ms", "librdkafka", Ok(()));
        check("buffer.memory", "java-2.4", Ok(()));
        check("buffer.memory", "librdkafka", Err("librdkafka has no setting buffer.memory. Take it back first."));
    }
}
