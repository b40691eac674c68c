//! Counters in a corner, for those who build this page: `?debug` in the address, or the key `d`.

use gloo_timers::callback::Interval;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::{Html, Properties, component, html, use_effect_with, use_state};

use super::statistics::{self, Statistics};

/// Milliseconds between two readings.
const PERIOD_MS: u32 = 500;

/// Whether the address asked for it.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct OverlayProps {
    /// It did.
    pub is_asked: bool,
}

/// The counters, twice a second while they are shown.
#[component]
pub fn Overlay(props: &OverlayProps) -> Html {
    let is_shown = use_state(|| props.is_asked);
    let read = use_state(|| (Statistics::default(), Statistics::default()));
    {
        let is_shown = is_shown.clone();
        use_effect_with(*is_shown, move |shown| {
            let shown = *shown;
            let listener = Closure::<dyn FnMut(web_sys::KeyboardEvent)>::new(move |event: web_sys::KeyboardEvent| {
                if event.key() == "d" && !is_typing(&event) && !event.ctrl_key() && !event.meta_key() {
                    is_shown.set(!shown);
                }
            });
            let document = web_sys::window().and_then(|window| window.document());
            if let Some(document) = &document {
                let _ = document.add_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
            }
            move || {
                if let Some(document) = document {
                    let _ = document.remove_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
                }
            }
        });
    }
    {
        let read = read.clone();
        use_effect_with(*is_shown, move |is_shown| {
            let last = std::cell::Cell::new(statistics::read());
            let interval = is_shown.then(|| {
                Interval::new(PERIOD_MS, move || {
                    let now = statistics::read();
                    read.set((last.replace(now), now));
                })
            });
            move || drop(interval)
        });
    }
    if !*is_shown {
        return Html::default();
    }
    let (before, now) = *read;
    let per_second = |from: u64, to: u64| (to - from) * 1_000 / u64::from(PERIOD_MS);
    html! {
        <aside class="overlay" aria-label="Counters">
            <span>{ format!("{} Yew renders/s", per_second(before.renders, now.renders)) }</span>
            <span>{ format!("{} frames/s", per_second(before.frames, now.frames)) }</span>
            <span>{ format!("{:.1} ms/frame", now.frame_ms) }</span>
            <span>{ format!("{} entries/s", per_second(before.entries, now.entries)) }</span>
            <span class="total">{ format!("{} renders in all", now.renders) }</span>
        </aside>
    }
}

fn is_typing(event: &web_sys::KeyboardEvent) -> bool {
    let target = event.composed_path().get(0);
    let tag = target.dyn_ref::<web_sys::Element>().map(|element| element.tag_name().to_ascii_lowercase());
    matches!(tag.as_deref(), Some("input" | "select" | "textarea"))
}
