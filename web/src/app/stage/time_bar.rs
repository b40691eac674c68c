//! The bar under every stage: play, step, the track, speed, pace, branches and the help on keys.
//!
//! It asks the player and shows what it says; it keeps no time itself.

use std::rc::Rc;

use scene::PaceMode;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::{AttrValue, Callback, Html, NodeRef, Properties, component, hook, html, use_effect_with, use_node_ref};

use super::keyboard::{self, SPEEDS};
use super::track::Track;
use crate::app::controls::{Choice, Select};
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// The parts that a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarParts {
    /// The play button.
    pub play: bool,
    /// One event back and forward.
    pub step: bool,
    /// To the next interesting event and back to the start.
    pub mark: bool,
    /// Speed and pace.
    pub speed: bool,
    /// Futures that were set aside.
    pub branches: bool,
    /// The help on keys.
    pub help: bool,
}

impl BarParts {
    /// Everything.
    pub const ALL: BarParts = BarParts { play: true, step: true, mark: true, speed: true, branches: true, help: true };
}

/// Of what, and how much of it.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TimeBarProps {
    /// The session.
    pub session: Session,
    /// What is shown.
    #[prop_or(BarParts::ALL)]
    pub parts: BarParts,
    /// Whether the time keys work on the whole page.
    #[prop_or_default]
    pub page_keys: bool,
}

/// The time bar.
#[component]
pub fn TimeBar(props: &TimeBarProps) -> Html {
    let TimeBarProps { session, parts, page_keys } = props;
    use_session(session, Rate::Table);
    let help = use_node_ref();
    use_page_keys(session, *page_keys, &help);
    let is_playing = session.read(scene::Player::is_playing);
    let (glyph, label) = if is_playing { (PAUSE, "Pause") } else { (PLAY, "Play") };
    html! {
        <div class="time" part="time">
            if parts.play {
                <button class="round" aria-label={label} title={format!("{label} (space)")} onclick={act(session, Session::toggle_play)}>
                    { icon(glyph) }
                </button>
            }
            if parts.step {
                <div class="button-pair">
                    { step_button(session, STEP_BACK, "One event back (left arrow)", |session| session.queue(|player| player.step_back())) }
                    { step_button(session, STEP, "One event forward (right arrow)", |session| session.queue(|player| player.step())) }
                    if parts.mark {
                        { step_button(session, NEXT_MARK, "To the next interesting event (shift + right arrow)", |session| session.queue(|player| player.next_mark(true))) }
                    }
                </div>
            }
            { part!(Track { session: session.clone() }) }
            if parts.speed { { part!(Speed { session: session.clone() }) } }
            if parts.help {
                <button class="icon" aria-label="Keys and help" title="Keys and help (?)" onclick={show(&help)}>{ "?" }</button>
                { part!(Help { dialog: help.clone() }) }
            }
            if parts.branches { { part!(Branches { session: session.clone() }) } }
        </div>
    }
}

fn act(session: &Session, what: fn(&Session)) -> Callback<yew::MouseEvent> {
    let session = session.clone();
    Callback::from(move |_| what(&session))
}

fn step_button(session: &Session, glyph: &'static str, label: &'static str, what: fn(&Session)) -> Html {
    let (name, _) = label.split_once(" (").unwrap_or((label, ""));
    html! { <button class="button square" aria-label={name} title={label} onclick={act(session, what)}>{ icon(glyph) }</button> }
}

/// Paths of the icons in a box of 20 by 20.
const PLAY: &str = "M6 4.2v11.6a.8.8 0 0 0 1.2.7l9.4-5.8a.8.8 0 0 0 0-1.4L7.2 3.5a.8.8 0 0 0-1.2.7z";
const PAUSE: &str = "M5.5 4h3v12h-3zM11.5 4h3v12h-3z";
const STEP: &str = "M5 4.5v11l7-5.5zM13 4.5h2.4v11H13z";
const STEP_BACK: &str = "M15 4.5v11l-7-5.5zM4.6 4.5H7v11H4.6z";
const NEXT_MARK: &str = "M3 4.5v11l6-5.5zM9 4.5v11l6-5.5zM15.4 4.5h2.2v11h-2.2z";

fn icon(path: &'static str) -> Html {
    html! { <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d={path} fill="currentColor" /></svg> }
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct SessionProps {
    session: Session,
}

#[component]
fn Speed(props: &SessionProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let (speed, mode) = session.read(|player| (player.speed(), player.mode()));
    let choices: Rc<[Choice]> = SPEEDS.iter().map(|speed| Choice::new(speed.to_string(), speed_name(*speed))).collect();
    let onselect = {
        let session = session.clone();
        Callback::from(move |value: AttrValue| {
            let speed = value.parse().unwrap_or(1_000);
            session.queue(move |player| player.set_speed(speed));
        })
    };
    let is_even = mode == PaceMode::Even;
    let onpace = {
        let session = session.clone();
        let next = if is_even { PaceMode::Elastic } else { PaceMode::Even };
        Callback::from(move |_| session.queue(move |player| player.set_mode(next)))
    };
    html! {
        <div class="speed">
            { part!(Select { legend: "Speed", quiet: true, choices, selected: speed.to_string(), onselect }) }
            <button class="button" aria-pressed={if is_even { "true" } else { "false" }} onclick={onpace}
                title="Elastic time lets quiet stretches pass quickly and shows every hop. Even time runs like a clock. The readout always tells simulated time.">
                { "Even time" }
            </button>
        </div>
    }
}

/// `0.25×`, `10×`.
fn speed_name(thousandths: u32) -> String {
    let text = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
    format!("{}×", text.trim_end_matches('0').trim_end_matches('.'))
}

#[component]
fn Branches(props: &SessionProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let branches = session.read(|player| player.branches(0));
    if branches.is_empty() {
        return Html::default();
    }
    let chip = |branch: &engine::timeline::BranchInfo| {
        let (id, session) = (branch.id, session.clone());
        let onclick = Callback::from(move |_| {
            session.queue(move |player| {
                for side in 0..player.sides() {
                    player.open_branch(side, id);
                }
            });
        });
        let text = format!("Earlier future from {} kept: reopen", branch.forked.time);
        html! { <button key={id} class="button branch" {onclick}>{ text }</button> }
    };
    html! { <div class="branches">{ for branches.iter().rev().take(3).map(chip) }</div> }
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct HelpProps {
    dialog: NodeRef,
}

/// The dialog that tells the keys.
#[component]
fn Help(props: &HelpProps) -> Html {
    let rows = [
        (&["space"][..], "play or pause"),
        (&["←", "→"][..], "one event back or forward"),
        (&["shift", "→"][..], "to the next interesting event"),
        (&["[", "]"][..], "slower or faster"),
        (&["Home"][..], "back to the start"),
        (&["Tab"][..], "into the picture; arrow keys walk through it, Enter selects"),
        (&["d"][..], "counters of this page"),
        (&["?"][..], "this help"),
    ];
    let row = |(keys, text): (&[&str], &'static str)| {
        html! {
            <tr key={text}>
                <td>{ for keys.iter().map(|key| html! { <><kbd>{ key.to_string() }</kbd>{ " " }</> }) }</td>
                <td>{ text }</td>
            </tr>
        }
    };
    html! {
        <dialog class="help" aria-label="Keys and help" ref={props.dialog.clone()}>
            <h2>{ "Keys" }</h2>
            <table class="table"><tbody>{ for rows.into_iter().map(row) }</tbody></table>
            <p>{ "Time is simulated. Elastic time lets quiet stretches pass quickly and slows down when something happens; Kafka's own timing is never changed. Acting in the past keeps the old future: it can be reopened below the time bar." }</p>
            <form method="dialog"><button class="button primary">{ "Close" }</button></form>
        </dialog>
    }
}

fn show(dialog: &NodeRef) -> Callback<yew::MouseEvent> {
    let dialog = dialog.clone();
    Callback::from(move |_| open(&dialog))
}

fn open(dialog: &NodeRef) {
    if let Some(dialog) = dialog.cast::<web_sys::HtmlDialogElement>() {
        // It fails if it is open already.
        let _ = dialog.show_modal();
    }
}

/// Time keys on the whole page, while nothing else wants them.
#[hook]
fn use_page_keys(session: &Session, is_wanted: bool, help: &NodeRef) {
    let help = help.clone();
    use_effect_with((session.clone(), is_wanted), move |(session, is_wanted)| {
        let session = session.clone();
        let listener = is_wanted.then(|| {
            Closure::<dyn FnMut(yew::KeyboardEvent)>::new(move |event: yew::KeyboardEvent| {
                if !keyboard::on_time_key(&session, &event) && event.key() == "?" && !event.default_prevented() {
                    open(&help);
                }
            })
        });
        let document = web_sys::window().and_then(|window| window.document());
        if let (Some(listener), Some(document)) = (&listener, &document) {
            let _ = document.add_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
        }
        move || {
            if let (Some(listener), Some(document)) = (listener, document) {
                let _ = document.remove_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::speed_name;

    #[test]
    fn speeds_are_named_without_needless_zeros() {
        let names = [100, 250, 1_000, 100_000].map(speed_name);
        assert_eq!(names, ["0.1×", "0.25×", "1×", "100×"]);
    }
}
