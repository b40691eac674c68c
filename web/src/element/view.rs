//! A widget's picture: the steps of its lesson, the framed stage with its controls, and what Kafka and the log say.
//!
//! It arranges parts of the app and computes nothing. Each block has the part name that a page styles it by.

use std::rc::Rc;

use yew::{AttrValue, Callback, Html, Properties, component, html, use_state_eq};

use super::lesson::GuidedSteps;
use super::model::{Model, reporting, use_model};
use super::options::Options;
use super::settings::SettingsControls;
use crate::app::controls;
use crate::app::panels::code::Code;
use crate::app::panels::comparison::ComparisonTable;
use crate::app::panels::describe::Describe;
use crate::app::panels::hash_steps::HashSteps;
use crate::app::panels::log::Log;
use crate::app::part::part;
use crate::app::stage::instrument::Instrument;
use crate::app::stage::time_bar::BarParts;
use crate::app::stage::titles::titles;

/// Which widget.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct WidgetProps {
    /// The model.
    pub model: Model,
}

/// The whole widget.
#[component]
pub fn WidgetView(props: &WidgetProps) -> Html {
    let model = &props.model;
    let version = use_model(model);
    let (session, options) = (model.session(), model.options());
    let sides = session.read(scene::Player::sides);
    let titles = if sides > 1 { titles(&session) } else { Rc::default() };
    let shows = |panel: &str, usually: bool| options.panels.as_ref().map_or(usually, |named| named.contains(panel));
    let controls = html! {
        <>
            { part!(SettingsControls { model: model.clone() }) }
            { part!(Actions { model: model.clone() }) }
        </>
    };
    let children = html! {
        <>
            if shows("hash-steps", false) { { part!(HashSteps { session: session.clone() }) } }
            if sides > 1 && shows("compare", true) { { part!(ComparisonTable { session: session.clone(), titles: titles.clone() }) } }
            if shows("code", false) { { part!(Code { session: session.clone() }) } }
            if shows("describe", true) { { part!(Describe { session: session.clone() }) } }
            if shows("log", true) { { part!(Log { session: session.clone(), filters: false }) } }
        </>
    };
    let frame = part!(Instrument {
        session,
        titles,
        controls,
        bar: bar_parts(&options),
        strip: shows("strip", true),
        label: label(model),
        children
    });
    html! {
        <div class="widget-body">
            if model.opened().lesson.is_some() && shows("steps", true) { <GuidedSteps model={model.clone()} /> }
            // Everything in the frame belongs to one session: another one starts anew.
            <div key={version.to_string()}>{ frame }</div>
        </div>
    }
}

fn label(model: &Model) -> AttrValue {
    match &model.opened().lesson {
        Some(lesson) => lesson.title.clone().into(),
        None => model.opened().scenario.name.clone().into(),
    }
}

fn bar_parts(options: &Options) -> BarParts {
    BarParts {
        play: options.shows("play"),
        step: options.shows("step"),
        mark: options.shows("step") && options.controls.is_some(),
        speed: options.shows("speed"),
        branches: options.shows("branch"),
        help: false,
    }
}

/// Buttons beside the settings: reset, undo, link.
#[component]
fn Actions(props: &WidgetProps) -> Html {
    let model = &props.model;
    let options = model.options();
    let copied = use_state_eq(|| None::<AttrValue>);
    let onreset = reporting(model, |model, _: yew::MouseEvent| model.reset());
    let onundo = {
        let session = model.session();
        Callback::from(move |_| session.queue(|player| _ = player.undo(None)))
    };
    let onlink = {
        let (model, copied) = (model.clone(), copied.clone());
        Callback::from(move |_| {
            let (link, copied) = (model.link(), copied.clone());
            // A frame without the right to copy still shows what it would have copied.
            controls::copy(&link.clone(), move |worked| {
                copied.set(Some(if worked { "Copied".into() } else { link.into() }))
            });
        })
    };
    html! {
        <span class="widget-actions">
            if options.shows("reset") && !options.locks("reset") { <button class="button" onclick={onreset}>{ "Reset" }</button> }
            if options.shows("undo") && !options.locks("undo") { <button class="button" onclick={onundo}>{ "Undo" }</button> }
            if options.shows("link") {
                <button class="button" onclick={onlink}>{ "Copy link" }</button>
                <output class="widget-copied" aria-live="polite">{ copied.as_ref().cloned().unwrap_or_default() }</output>
            }
        </span>
    }
}
