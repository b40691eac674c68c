//! Keys in: typed, pasted, dropped or from a file, and how they are to be read.
//!
//! Deliberately not here: reading. Whatever comes in is handed to the lab as it is.

use std::rc::Rc;

use keylab::{Column, Format, Header, KeyEncoding, Layout, ParseOptions, Parsed};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, HtmlInputElement, HtmlTextAreaElement};
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, Properties, TargetCast, classes, component, html,
    use_node_ref, use_state_eq,
};

use super::lab::{Lab, Shared, TYPED_BYTES_MAX, sample};
use crate::app::controls::{Choice, Select};
use crate::app::part::part;

/// What is in the lab.
#[derive(Clone, PartialEq, Properties)]
pub struct InputProps {
    /// The lab.
    pub lab: Lab,
    /// What stands in the text field.
    pub text: AttrValue,
    /// Name and size of an input that does not.
    pub input_name: Option<AttrValue>,
    /// How the input is read.
    pub parse: ParseOptions,
    /// The last input that was read.
    pub parsed: Option<Shared<Parsed>>,
}

/// The panel of the input.
#[component]
pub fn InputPanel(props: &InputProps) -> Html {
    let is_over = use_state_eq(|| false);
    let ondragover = {
        let is_over = is_over.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            is_over.set(true);
        })
    };
    let ondragleave = {
        let is_over = is_over.clone();
        Callback::from(move |_: DragEvent| is_over.set(false))
    };
    let ondrop = {
        let (is_over, lab) = (is_over.clone(), props.lab.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            is_over.set(false);
            drop_in(&lab, &event);
        })
    };
    html! {
        <section class={classes!("panel", "keys-input", is_over.then_some("over"))} aria-labelledby="keys-input-title"
            {ondragover} {ondragleave} {ondrop}>
            <h2 id="keys-input-title">{ "Your keys" }</h2>
            { part!(Text { lab: props.lab.clone(), text: props.text.clone(), input_name: props.input_name.clone() }) }
            { part!(Buttons { lab: props.lab.clone(), has_input: !props.text.is_empty() || props.input_name.is_some() }) }
            { part!(Reading { lab: props.lab.clone(), parse: props.parse.clone(), parsed: props.parsed.clone() }) }
        </section>
    }
}

fn drop_in(lab: &Lab, event: &DragEvent) {
    let Some(data) = event.data_transfer() else { return };
    match data.files().and_then(|files| files.get(0)) {
        Some(file) => lab.put_file(file),
        None => {
            if let Ok(text) = data.get_data("text/plain") {
                lab.put_text(&text);
            }
        }
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TextProps {
    lab: Lab,
    text: AttrValue,
    input_name: Option<AttrValue>,
}

#[component]
fn Text(props: &TextProps) -> Html {
    let lab = props.lab.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        lab.put_text(&event.target_unchecked_into::<HtmlTextAreaElement>().value());
    });
    let lab = props.lab.clone();
    let onpaste = Callback::from(move |event: Event| {
        let event: ClipboardEvent = event.unchecked_into();
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok()).unwrap_or_default();
        // A browser takes seconds to lay out a text of megabytes, so such a text never enters the field.
        if text.len() > TYPED_BYTES_MAX {
            event.prevent_default();
            lab.put_text(&text);
        }
    });
    let onkeydown = Callback::from(|event: KeyboardEvent| event.stop_propagation());
    if let Some(name) = &props.input_name {
        return html! { <p class="keys-source"><span class="mono">{ name }</span></p> };
    }
    html! {
        <label class="field keys-text">
            <span>{ "One key a line, or CSV: type, paste, or drop a file" }</span>
            <textarea rows="9" spellcheck="false" autocomplete="off" autocapitalize="off" placeholder={"user-1\nuser-2\nuser-3"}
                value={props.text.clone()} {oninput} {onpaste} {onkeydown} />
        </label>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ButtonsProps {
    lab: Lab,
    has_input: bool,
}

#[component]
fn Buttons(props: &ButtonsProps) -> Html {
    let chooser = use_node_ref();
    let choose = {
        let chooser = chooser.clone();
        Callback::from(move |_| {
            if let Some(chooser) = chooser.cast::<HtmlInputElement>() {
                chooser.click();
            }
        })
    };
    let lab = props.lab.clone();
    let onchange = Callback::from(move |event: Event| {
        let chooser: HtmlInputElement = event.target_unchecked_into();
        if let Some(file) = chooser.files().and_then(|files| files.get(0)) {
            lab.put_file(file);
        }
        // The same file can be chosen again after it was changed.
        chooser.set_value("");
    });
    let lab = props.lab.clone();
    let put_sample = Callback::from(move |_| lab.put_text(&sample()));
    let lab = props.lab.clone();
    let clear = Callback::from(move |_| lab.clear());
    html! {
        <div class="button-row">
            <button class="button" onclick={choose}>{ "Choose a file" }</button>
            <input ref={chooser} class="hidden-visually" type="file" tabindex="-1" aria-label="A file with keys"
                accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values" {onchange} />
            <button class="button" onclick={put_sample}>{ "Sample: user-1 to user-30" }</button>
            if props.has_input {
                <button class="button quiet" onclick={clear}>{ "Clear" }</button>
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ReadingProps {
    lab: Lab,
    parse: ParseOptions,
    parsed: Option<Shared<Parsed>>,
}

/// The choices about the form of the input; what was found out stands beside "find out".
#[component]
fn Reading(props: &ReadingProps) -> Html {
    let (lab, parse) = (&props.lab, &props.parse);
    let layout = props.parsed.as_ref().map(|parsed| &parsed.layout);
    let is_csv = match parse.format {
        Format::Auto => layout.is_some_and(|layout| layout.format != Format::Lines),
        Format::Lines => false,
        _ => true,
    };
    let set = |change: fn(&mut ParseOptions, &str)| {
        let lab = lab.clone();
        Callback::from(move |value: AttrValue| lab.set_parse(|parse| change(parse, &value)))
    };
    let lab_of_blank = lab.clone();
    let blank = Callback::from(move |event: Event| {
        let is_key = event.target_unchecked_into::<HtmlInputElement>().checked();
        lab_of_blank.set_parse(|parse| parse.blank_lines_are_keys = is_key);
    });
    html! {
        <div class="keys-reading">
            { part!(Select { legend: "Keys are", choices: encodings(), selected: parse.encoding.name(), onselect: set(|parse, value| parse.encoding = KeyEncoding::by_name(value).unwrap_or_default()) }) }
            { part!(Select { legend: "Lines are", choices: formats(layout), selected: parse.format.name(), onselect: set(|parse, value| {
                    parse.format = Format::by_name(value).unwrap_or_default();
                    (parse.key_column, parse.count_column) = (Column::Auto, Some(Column::Auto));
                }) }) }
            { part!(Select { legend: "First line", choices: headers(layout), selected: header_name(parse.header), onselect: set(|parse, value| parse.header = header_by_name(value)) }) }
            if is_csv {
                { part!(Select { legend: "Key column", choices: key_columns(parse, layout), selected: column_value(Some(&parse.key_column)), onselect: set(|parse, value| parse.key_column = column_by_value(value).unwrap_or_default()) }) }
                { part!(Select { legend: "Count column", choices: count_columns(parse, layout), selected: column_value(parse.count_column.as_ref()), onselect: set(|parse, value| parse.count_column = column_by_value(value)) }) }
            } else {
                <label class="check"><input type="checkbox" checked={parse.blank_lines_are_keys} onchange={blank} />
                    { "A blank line is an empty key" }</label>
            }
        </div>
    }
}

fn encodings() -> Rc<[Choice]> {
    KeyEncoding::ALL.iter().map(|(_, name, words)| Choice::new(*name, *words)).collect()
}

fn formats(layout: Option<&Layout>) -> Rc<[Choice]> {
    let found = layout.map_or(String::new(), |layout| format!(": {}", layout.format.words()));
    let label = |format: Format| match format {
        Format::Auto => format!("Find out{found}"),
        other => other.words().to_owned(),
    };
    Format::ALL.iter().map(|(format, name, _)| Choice::new(*name, label(*format))).collect()
}

fn headers(layout: Option<&Layout>) -> Rc<[Choice]> {
    let found = match layout {
        Some(layout) if layout.header => "Find out: a header",
        Some(_) => "Find out: a key",
        None => "Find out",
    };
    [Choice::new("auto", found), Choice::new("yes", "is a header"), Choice::new("no", "is a key")].into()
}

fn header_name(header: Header) -> &'static str {
    match header {
        Header::Auto => "auto",
        Header::Present => "yes",
        Header::Absent => "no",
    }
}

fn header_by_name(name: &str) -> Header {
    match name {
        "yes" => Header::Present,
        "no" => Header::Absent,
        _ => Header::Auto,
    }
}

fn key_columns(parse: &ParseOptions, layout: Option<&Layout>) -> Rc<[Choice]> {
    let found = layout.and_then(|layout| layout.columns.get(layout.key_column));
    let auto = found.map_or("Find out".to_owned(), |name| format!("Find out: {name}"));
    columns(vec![Choice::new("auto", auto)], Some(&parse.key_column), layout)
}

fn count_columns(parse: &ParseOptions, layout: Option<&Layout>) -> Rc<[Choice]> {
    let found = layout.map(|layout| layout.count_column.and_then(|index| layout.columns.get(index)));
    let auto = match found {
        None => "Find out".to_owned(),
        Some(None) => "Find out: none".to_owned(),
        Some(Some(name)) => format!("Find out: {name}"),
    };
    let first = vec![Choice::new("auto", auto), Choice::new("none", "None: a line is one record")];
    columns(first, parse.count_column.as_ref(), layout)
}

/// The columns that exist, and the chosen one even if it does not.
fn columns(mut choices: Vec<Choice>, chosen: Option<&Column>, layout: Option<&Layout>) -> Rc<[Choice]> {
    let names = layout.map_or(&[] as &[String], |layout| &layout.columns);
    choices.extend(names.iter().enumerate().map(|(index, name)| Choice::new((index + 1).to_string(), name.clone())));
    let value = column_value(chosen);
    if !choices.iter().any(|choice| choice.value == value) {
        let label = chosen.map_or_else(String::new, ToString::to_string);
        choices.push(Choice::new(value, label));
    }
    choices.into()
}

fn column_value(column: Option<&Column>) -> AttrValue {
    match column {
        None => "none".into(),
        Some(Column::Auto) => "auto".into(),
        Some(Column::Number(number)) => number.to_string().into(),
        Some(Column::Name(name)) => format!("name:{name}").into(),
    }
}

fn column_by_value(value: &str) -> Option<Column> {
    match value {
        "none" => None,
        "auto" => Some(Column::Auto),
        _ => match value.strip_prefix("name:") {
            Some(name) => Some(Column::Name(name.to_owned())),
            None => value.parse().ok().map(Column::Number),
        },
    }
}
