//! What a producer sends by itself: topic, keys, values and how often. It changes a workload and knows no producer.

use std::rc::Rc;

use engine::scenario::{KeyPattern, Workload};
use partitioner::encoding::Encoding;
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::fields::{Accept, AreaField, lines, number, optional_duration, optional_number, shown};
use crate::app::controls::{Choice, Segments, Select, TextField};
use crate::app::part::part;

/// A workload to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct WorkloadFormProps {
    /// The workload in force.
    pub workload: Rc<Workload>,
    /// Topics that are offered.
    pub topics: Rc<[AttrValue]>,
    /// Takes a changed workload over.
    pub accept: Accept<Workload>,
}

impl WorkloadFormProps {
    /// A field that changes the workload from its text.
    fn field(
        &self,
        change: impl Fn(&mut Workload, &str) -> Result<(), String> + 'static,
    ) -> Callback<AttrValue, Result<(), String>> {
        let (workload, accept) = (Rc::clone(&self.workload), self.accept.clone());
        Callback::from(move |text: AttrValue| {
            let mut next = (*workload).clone();
            change(&mut next, &text)?;
            accept.emit(next)
        })
    }

    /// A menu whose values always fit.
    fn menu(&self, change: impl Fn(&mut Workload, &str) + 'static) -> Callback<AttrValue> {
        let field = self.field(move |workload, text| {
            change(workload, text);
            Ok(())
        });
        Callback::from(move |text| drop(field.emit(text)))
    }
}

/// The form.
#[component]
pub fn WorkloadForm(props: &WorkloadFormProps) -> Html {
    let workload = &props.workload;
    let mut topics: Vec<Choice> = props.topics.iter().map(|topic| Choice::new(topic.clone(), topic.clone())).collect();
    if !topics.iter().any(|choice| choice.value == workload.topic) {
        topics.insert(0, Choice::new(workload.topic.clone(), format!("{} (not there at time 0)", workload.topic)));
    }
    let ontopic = props.menu(|workload, topic| workload.topic = topic.to_owned());
    html! {
        <div class="form">
            { part!(Select { legend: "To topic", choices: Rc::from(topics), selected: workload.topic.clone(), onselect: ontopic }) }
            { keys(props) }
            { values(props) }
            <div class="form-row">
                { part!(TextField { label: "Every", value: shown(workload.every), placeholder: "500 ms", size: 8, accept: props.field(|workload, text| { workload.every = optional_duration(text)?; Ok(()) }) }) }
                { part!(TextField { label: "At once", value: shown(workload.burst), placeholder: "1", size: 6, accept: props.field(|workload, text| { workload.burst = optional_number(text)?; Ok(()) }) }) }
                { part!(TextField { label: "In all", value: shown(workload.count), placeholder: one_pass(workload), size: 9, accept: props.field(|workload, text| { workload.count = optional_number(text)?; Ok(()) }) }) }
                { part!(TextField { label: "Starts at", value: shown(workload.start), placeholder: "0 ms", size: 8, accept: props.field(|workload, text| { workload.start = optional_duration(text)?; Ok(()) }) }) }
                { part!(TextField { label: "Share of the first key, %", value: shown(workload.skew_percent), placeholder: "even", size: 5, accept: props.field(|workload, text| { workload.skew_percent = optional_number(text)?; Ok(()) }) }) }
                { part!(TextField { label: "Partition set by hand", value: shown(workload.partition), placeholder: "none", size: 5, accept: props.field(|workload, text| { workload.partition = optional_number(text)?; Ok(()) }) }) }
            </div>
        </div>
    }
}

/// How many records there will be if nobody says.
fn one_pass(workload: &Workload) -> &'static str {
    if workload.keys.is_empty() || workload.skew_percent.is_some() { "no end" } else { "one pass" }
}

/// Where keys come from.
fn keys(props: &WorkloadFormProps) -> Html {
    let workload = &props.workload;
    let kinds: Rc<[Choice]> =
        [Choice::new("list", "A list"), Choice::new("pattern", "Numbered"), Choice::new("none", "No key")].into();
    let kind = match (&workload.key_pattern, workload.keys.is_empty()) {
        (Some(_), _) => "pattern",
        (None, false) => "list",
        (None, true) => "none",
    };
    let mut encodings: Vec<Choice> = Encoding::IDS.iter().map(|id| Choice::new(*id, encoding_name(id))).collect();
    if let Some(other) = workload.key_encoding.as_deref().filter(|id| !Encoding::IDS.contains(id)) {
        encodings.push(Choice::new(other.to_owned(), other.replace("avro-", "Avro string, schema ")));
    }
    let onencoding =
        props.menu(|workload, id| workload.key_encoding = Some(id.to_owned()).filter(|id| id.as_str() != "text"));
    html! {
        <>
            <div class="form-row">
                { part!(Segments { legend: "Keys", choices: kinds, selected: kind, onselect: props.menu(set_kind) }) }
                if kind != "none" {
                    { part!(Select { legend: "As", choices: Rc::from(encodings), selected: workload.key_encoding.clone().unwrap_or_else(|| "text".to_owned()), onselect: onencoding }) }
                }
            </div>
            if kind == "list" {
                { part!(AreaField { label: "One key a line, taken in turn", value: workload.keys.join("\n"), accept: props.field(|workload, text| { workload.keys = lines(text); Ok(()) }) }) }
            }
            if let Some(pattern) = &workload.key_pattern { { pattern_row(props, pattern) } }
        </>
    }
}

fn pattern_row(props: &WorkloadFormProps, pattern: &KeyPattern) -> Html {
    let part = |change: fn(&mut KeyPattern, &str) -> Result<(), String>| {
        props.field(move |workload, text| workload.key_pattern.as_mut().map_or(Ok(()), |pattern| change(pattern, text)))
    };
    html! {
        <div class="form-row">
            { part!(TextField { label: "Prefix", value: pattern.prefix.clone(), size: 8, accept: part(|pattern, text| { pattern.prefix = text.to_owned(); Ok(()) }) }) }
            { part!(TextField { label: "From", value: pattern.first.to_string(), size: 6, accept: part(|pattern, text| { pattern.first = number(text)?; Ok(()) }) }) }
            { part!(TextField { label: "How many", value: pattern.count.to_string(), size: 8, accept: part(|pattern, text| { pattern.count = number(text)?; Ok(()) }) }) }
        </div>
    }
}

/// Another source of keys, with something to start from.
fn set_kind(workload: &mut Workload, kind: &str) {
    workload.keys.clear();
    workload.key_pattern = None;
    match kind {
        "list" => workload.keys = (1..=6).map(|number| format!("user-{number}")).collect(),
        "pattern" => workload.key_pattern = Some(KeyPattern { prefix: "user-".to_owned(), first: 1, count: 30 }),
        _ => (workload.key_encoding, workload.skew_percent) = (None, None),
    }
}

fn encoding_name(id: &str) -> &'static str {
    match id {
        "text" => "text (UTF-8)",
        "int32" => "int, 4 bytes",
        "int64" => "long, 8 bytes",
        "hex" => "bytes in hex",
        "base64" => "bytes in base64",
        "uuid-text" => "UUID as text",
        "uuid" => "UUID, 16 bytes",
        "json" => "JSON string",
        "text-line" => "text and a line feed",
        "utf16" => "text in UTF-16",
        _ => "Avro string, schema 1",
    }
}

/// Text or a number of bytes.
fn values(props: &WorkloadFormProps) -> Html {
    let workload = &props.workload;
    let kinds: Rc<[Choice]> = [Choice::new("text", "Text"), Choice::new("size", "Size")].into();
    let is_size = workload.value_size.is_some();
    let onkind = props.menu(|workload, kind| {
        let was = workload.value.take();
        workload.values.clear();
        workload.value_size = (kind == "size").then_some(1_024);
        workload.value = (kind == "text").then(|| was.unwrap_or_else(|| "x".to_owned()));
    });
    let texts: Vec<&str> = workload.values.iter().chain(&workload.value).map(String::as_str).collect();
    html! {
        <>
            { part!(Segments { legend: "Values", choices: kinds, selected: if is_size { "size" } else { "text" }, onselect: onkind }) }
            if is_size {
                { part!(TextField { label: "Bytes", value: shown(workload.value_size), size: 8, accept: props.field(|workload, text| { workload.value_size = Some(number(text)?); Ok(()) }) }) }
            } else {
                { part!(AreaField { label: "One value a line, taken in turn", rows: 2, value: texts.join("\n"), accept: props.field(set_values) }) }
            }
        </>
    }
}

fn set_values(workload: &mut Workload, text: &str) -> Result<(), String> {
    let mut values = lines(text);
    workload.value = None;
    if values.len() == 1 {
        workload.value = values.pop();
    }
    workload.values = values;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: Option<&str>, values: usize) {
        let mut workload = Workload { value: Some("before".to_owned()), ..Workload::default() };
        set_values(&mut workload, text).expect("every text is a value");
        assert_eq!((workload.value.as_deref(), workload.values.len()), (value, values), "{text}");
    }

    #[test]
    fn one_line_is_the_value_and_several_are_taken_in_turn() {
        check("login", Some("login"), 0);
        check("login\nlogout\n", None, 2);
        check("", None, 0);
    }

    #[test]
    fn every_encoding_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> = Encoding::IDS.iter().map(|id| encoding_name(id)).collect();
        assert_eq!(names.len(), Encoding::IDS.len());
    }
}
