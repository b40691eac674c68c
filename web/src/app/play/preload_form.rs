//! What partitions hold at time 0: records with keys, or many without content, partition by partition.
//!
//! Whether a partition can hold it is for the engine to say.

use std::rc::Rc;

use engine::scenario::Preload;
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::fields::{Accept, AreaField, lines, number, optional_bytes, optional_duration, optional_number, shown};
use crate::app::controls::{Choice, Segments, TextField};
use crate::app::part::part;

/// The contents of a topic, to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct PreloadFormProps {
    /// What is there.
    pub preloads: Rc<[Preload]>,
    /// Takes changed contents over.
    pub accept: Accept<Vec<Preload>>,
}

impl PreloadFormProps {
    fn change(
        &self,
        change: impl Fn(&mut Vec<Preload>, &str) -> Result<(), String> + 'static,
    ) -> Callback<AttrValue, Result<(), String>> {
        let (preloads, accept) = (Rc::clone(&self.preloads), self.accept.clone());
        Callback::from(move |text: AttrValue| {
            let mut next = preloads.to_vec();
            change(&mut next, &text)?;
            accept.emit(next)
        })
    }

    /// Changes the contents of one partition.
    fn field(
        &self,
        place: usize,
        change: fn(&mut Preload, &str) -> Result<(), String>,
    ) -> Callback<AttrValue, Result<(), String>> {
        self.change(move |preloads, text| change(&mut preloads[place], text))
    }
}

/// One group of fields for each partition that holds something.
#[component]
pub fn PreloadForm(props: &PreloadFormProps) -> Html {
    let add = props.change(|preloads, _| {
        let partition = (0..).find(|partition| preloads.iter().all(|known| known.partition != *partition)).unwrap_or(0);
        preloads.push(keyed(partition));
        Ok(())
    });
    let problem = yew::use_state_eq(|| None::<String>);
    let onclick = {
        let problem = problem.clone();
        Callback::from(move |_| problem.set(add.emit(AttrValue::default()).err()))
    };
    html! {
        <div class="form">
            { for props.preloads.iter().enumerate().map(|(place, preload)| partition(props, place, preload)) }
            <p class="button-row"><button class="button" {onclick}>{ "Fill a partition" }</button></p>
            if let Some(problem) = &*problem { <p class="field-error" role="alert">{ problem }</p> }
        </div>
    }
}

/// Three records to begin with.
fn keyed(partition: u32) -> Preload {
    Preload {
        partition,
        keys: vec!["user-1".to_owned(), "user-2".to_owned(), "user-1".to_owned()],
        values: vec!["login".to_owned()],
        ..Preload::default()
    }
}

/// A thousand records without content.
fn many(partition: u32) -> Preload {
    Preload { partition, records: Some(1_000), batch_records: Some(10), ..Preload::default() }
}

fn partition(props: &PreloadFormProps, place: usize, preload: &Preload) -> Html {
    let kinds: Rc<[Choice]> = [Choice::new("keys", "Keys"), Choice::new("many", "Many, without content")].into();
    let is_many = preload.records.is_some();
    let onkind = {
        let change = props.field(place, |preload, kind| {
            *preload = if kind == "many" { many(preload.partition) } else { keyed(preload.partition) };
            Ok(())
        });
        Callback::from(move |kind| drop(change.emit(kind)))
    };
    let remove = {
        let change = props.change(move |preloads, _| {
            preloads.remove(place);
            Ok(())
        });
        Callback::from(move |_| drop(change.emit(AttrValue::default())))
    };
    html! {
        <fieldset class="group" key={place}>
            <legend>{ format!("Partition {}", preload.partition) }</legend>
            <div class="form-row">
                { part!(TextField { label: "Partition", value: preload.partition.to_string(), size: 4, accept: props.field(place, |preload, text| { preload.partition = number(text)?; Ok(()) }) }) }
                { part!(Segments { legend: "Records", choices: kinds, selected: if is_many { "many" } else { "keys" }, onselect: onkind }) }
            </div>
            if is_many { { sizes(props, place, preload) } } else { { keys(props, place, preload) } }
            <div class="form-row">
                { part!(TextField { label: "Time between batches", value: shown(preload.every), placeholder: "0 ms", size: 8, accept: props.field(place, |preload, text| { preload.every = optional_duration(text)?; Ok(()) }) }) }
                { part!(TextField { label: "Segments begin at", value: preload.segments.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "), placeholder: "as the settings say", size: 14, accept: props.field(place, set_segments) }) }
                <button class="button danger" onclick={remove}>{ "Empty this partition" }</button>
            </div>
        </fieldset>
    }
}

fn keys(props: &PreloadFormProps, place: usize, preload: &Preload) -> Html {
    html! {
        <div class="form-row">
            { part!(AreaField { label: "One key a line, in order", rows: 3, value: preload.keys.join("\n"), accept: props.field(place, |preload, text| { preload.keys = lines(text); Ok(()) }) }) }
            { part!(AreaField { label: "Values, taken in turn; none: tombstones", rows: 3, value: preload.values.join("\n"), accept: props.field(place, |preload, text| { preload.values = lines(text); Ok(()) }) }) }
        </div>
    }
}

fn sizes(props: &PreloadFormProps, place: usize, preload: &Preload) -> Html {
    html! {
        <div class="form-row">
            { part!(TextField { label: "How many", value: shown(preload.records), size: 9, accept: props.field(place, |preload, text| { preload.records = Some(number(text)?); Ok(()) }) }) }
            { part!(TextField { label: "In each batch", value: shown(preload.batch_records), placeholder: "1", size: 6, accept: props.field(place, |preload, text| { preload.batch_records = optional_number(text)?; Ok(()) }) }) }
            { part!(TextField { label: "Size of each batch", value: shown(preload.batch_size), placeholder: "as small as it can be", size: 9, accept: props.field(place, |preload, text| { preload.batch_size = optional_bytes(text)?; Ok(()) }) }) }
        </div>
    }
}

fn set_segments(preload: &mut Preload, text: &str) -> Result<(), String> {
    let numbers = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    preload.segments = numbers.map(number).collect::<Result<Vec<u64>, String>>()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::play::examples;

    fn check(preload: Preload) {
        let topic = engine::scenario::TopicSpec { preloads: vec![preload], ..examples::topic("t", 2, 1) };
        let scenario = engine::Scenario { topics: vec![topic], ..examples::empty() };
        let plan = engine::scenario::Plan::new(&scenario);
        assert!(plan.is_ok(), "{plan:?}");
    }

    #[test]
    fn what_a_button_fills_in_can_be_run() {
        check(keyed(1));
        check(many(0));
    }

    #[test]
    fn segments_are_numbers_with_commas() {
        let mut preload = Preload::default();
        assert_eq!(set_segments(&mut preload, "0, 40,80"), Ok(()));
        assert_eq!(preload.segments, [0, 40, 80]);
        assert!(set_segments(&mut preload, "0; 40").is_err());
    }
}
