//! What leaves the lab: a CSV file, and a link with the settings. Keys go into a link only if the reader says so.
//!
//! Deliberately not here: sending. A link is copied, a file is saved, and nothing else happens.

use std::rc::Rc;

use keylab::Settings;
use web_sys::HtmlInputElement;
use yew::{Callback, Event, FocusEvent, Html, MouseEvent, Properties, TargetCast, component, html, use_state_eq};

use super::lab::{Lab, Outcome, Shared};
use super::plural;
use crate::app::controls::copy;
use crate::app::part::part;

/// What can leave.
#[derive(Clone, PartialEq, Properties)]
pub struct ShareProps {
    /// The lab.
    pub lab: Lab,
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
    /// Clients, counts and how to read.
    pub settings: Rc<Settings>,
    /// Keys in the table.
    pub rows: usize,
    /// Is a job running?
    pub busy: bool,
}

/// The panel of export and link.
#[component]
pub fn SharePanel(props: &ShareProps) -> Html {
    let guard = use_state_eq(|| true);
    let with_keys = use_state_eq(|| false);
    let export = {
        let (lab, guard) = (props.lab.clone(), guard.clone());
        Callback::from(move |_: MouseEvent| lab.export(*guard))
    };
    let check = |state: &yew::UseStateHandle<bool>| {
        let state = state.clone();
        Callback::from(move |event: Event| state.set(event.target_unchecked_into::<HtmlInputElement>().checked()))
    };
    html! {
        <section class="panel keys-share" aria-labelledby="keys-share-title">
            <h2 id="keys-share-title">{ "Take it with you" }</h2>
            <div class="field-row">
                <button class="button primary" onclick={export} disabled={props.busy}>{ format!("Export CSV: {}", plural(props.rows as u64, "key")) }</button>
                <label class="check"><input type="checkbox" checked={*guard} onchange={check(&guard)} />
                    { "Safe for spreadsheets: an apostrophe before keys that look like formulas" }</label>
            </div>
            <div class="field-row">
                { part!(LinkButton { settings: props.settings.clone(), outcome: props.outcome.clone(), with_keys: *with_keys }) }
                <label class="check"><input type="checkbox" checked={*with_keys} onchange={check(&with_keys)} />
                    { "Put my keys into the link: everybody who gets it can read them" }</label>
            </div>
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LinkProps {
    settings: Rc<Settings>,
    outcome: Shared<Outcome>,
    with_keys: bool,
}

/// What became of the link.
#[derive(Clone, Debug, PartialEq)]
enum Copied {
    Yes,
    /// The browser refused the clipboard: the link is shown to be copied by hand.
    ByHand(String),
    /// There is no link.
    No(String),
}

#[component]
fn LinkButton(props: &LinkProps) -> Html {
    let copied = use_state_eq(|| None::<Copied>);
    let onclick = {
        let (props, copied) = (props.clone(), copied.clone());
        Callback::from(move |_: MouseEvent| match link(&props) {
            Ok(link) => {
                let copied = copied.clone();
                let by_hand = link.clone();
                copy(&link, move |is_done| {
                    copied.set(Some(if is_done { Copied::Yes } else { Copied::ByHand(by_hand) }))
                });
            }
            Err(sentence) => copied.set(Some(Copied::No(sentence))),
        })
    };
    let select = Callback::from(|event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().select());
    html! {
        <>
            <button class="button" {onclick}>{ if props.with_keys { "Copy link with keys" } else { "Copy link to these settings" } }</button>
            <span role="status">{ match &*copied {
                None => Html::default(),
                Some(Copied::Yes) => html! { "Copied." },
                Some(Copied::No(sentence)) => html! { <span class="field-error">{ sentence }</span> },
                Some(Copied::ByHand(link)) => html! {
                    <label class="field inline">{ "Copy it from here:" }<input class="mono" readonly=true value={link.clone()} onfocus={select} /></label>
                },
            } }</span>
        </>
    }
}

fn link(props: &LinkProps) -> Result<String, String> {
    let settings = if props.with_keys {
        let read = Settings { parse: props.outcome.parse.clone(), ..(*props.settings).clone() };
        read.carrying(&props.outcome.parsed.keys)
            .map_err(|error| super::sentence(&format!("no link was copied: {error}")))?
    } else {
        (*props.settings).clone()
    };
    let page = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default();
    Ok(format!("{page}#/keys?{}", settings.to_link()))
}
