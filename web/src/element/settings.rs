//! The controls of a widget's settings: what a lesson offers in a widget, or what the page asked for.
//!
//! How a control looks and what a setting does is decided elsewhere; here it is chosen which of them are there.

use course::{Choice, Control};
use yew::{Callback, Html, Properties, component, html};

use super::model::{Model, use_model};
use super::options::Options;
use crate::app::lesson::controls::{control, effective};

/// What a widget without a lesson offers for a partition count.
const COUNTS: [&str; 5] = ["3", "4", "6", "8", "12"];

/// Of which widget.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct SettingsProps {
    /// The model.
    pub model: Model,
}

/// One control for each setting that is shown.
#[component]
pub fn SettingsControls(props: &SettingsProps) -> Html {
    let model = &props.model;
    use_model(model);
    let (options, settings, scenario) = (model.options(), model.settings(), &model.opened().scenario);
    let accept = {
        let model = model.clone();
        Callback::from(move |(name, value): (String, String)| {
            model.set(&name, &value).map_err(|error| error.to_string())
        })
    };
    let lesson = model.opened().lesson.as_ref().map_or(&[][..], |lesson| &lesson.controls[..]);
    let shown = shown(lesson, &options);
    html! {
        <>
            { for shown.iter().map(|shown| {
                if options.locks(&shown.setting) {
                    locked(shown, &effective(&shown.setting, &settings, scenario))
                } else {
                    control(shown, &settings, scenario, &accept)
                }
            }) }
        </>
    }
}

fn locked(control: &Control, value: &str) -> Html {
    let choice = control.choices.iter().find(|choice| choice.value == value);
    let client = partitioner::client(value).map(|client| client.name);
    let label = choice.map(Choice::label).or(client).unwrap_or(value).to_string();
    html! { <span key={control.setting.clone()} class="widget-locked">{ &control.label }{ " " }<b>{ label }</b></span> }
}

/// The controls that a widget shows, in the order of the lesson.
fn shown(lesson: &[Control], options: &Options) -> Vec<Control> {
    let offered = |control: &Control| control.embedded.as_ref().is_none_or(|left| !left.is_empty());
    let mut shown: Vec<Control> = lesson
        .iter()
        .filter(|control| options.shows_setting(&control.setting, offered(control)))
        .map(in_a_widget)
        .collect();
    for (setting, label) in
        [("client", "Client library"), ("compare", "Compare with"), ("partitions", "Partitions"), ("seed", "Seed")]
    {
        let is_named = options.controls.as_ref().is_some_and(|named| named.contains(setting));
        if is_named && shown.iter().all(|control| control.setting != setting) {
            shown.push(usual(setting, label));
        }
    }
    shown
}

/// A lesson's control with the choices that are left in a widget.
fn in_a_widget(control: &Control) -> Control {
    let mut control = control.clone();
    if let Some(left) = control.embedded.as_ref().filter(|left| !left.is_empty()) {
        control.choices.retain(|choice| left.contains(&choice.value));
        control.all_clients = false;
    }
    control
}

fn usual(setting: &str, label: &str) -> Control {
    let counts = COUNTS.iter().map(|count| Choice { value: (*count).to_string(), label: None });
    Control {
        setting: setting.to_string(),
        label: label.to_string(),
        choices: if setting == "partitions" { counts.collect() } else { Vec::new() },
        all_clients: matches!(setting, "client" | "compare"),
        embedded: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Settings and numbers of choices of what is shown.
    #[track_caller]
    fn check(attributes: &[(&str, &str)], expected: &[(&str, usize)]) {
        let choice = |value: &str| Choice { value: value.into(), label: None };
        let lesson = [
            Control {
                setting: "client".into(),
                label: "Client".into(),
                choices: vec![choice("java"), choice("librdkafka"), choice("sarama")],
                all_clients: true,
                embedded: Some(vec!["java".into(), "librdkafka".into()]),
            },
            Control {
                setting: "keys".into(),
                label: "Keys".into(),
                choices: Vec::new(),
                all_clients: false,
                embedded: Some(Vec::new()),
            },
        ];
        let attributes: BTreeMap<String, String> =
            attributes.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let (options, _) = Options::read(&attributes);
        let found = shown(&lesson, &options);
        let found: Vec<(&str, usize)> =
            found.iter().map(|control| (control.setting.as_str(), control.choices.len())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_widget_shows_what_the_lesson_leaves_it() {
        check(&[("lesson", "a")], &[("client", 2)]);
    }

    #[test]
    fn a_page_that_names_controls_gets_exactly_these() {
        check(&[("lesson", "a"), ("controls", "keys play")], &[("keys", 0)]);
        check(&[("lesson", "a"), ("controls", "partitions client")], &[("client", 2), ("partitions", 5)]);
        check(&[("lesson", "a"), ("controls", "play")], &[]);
    }
}
