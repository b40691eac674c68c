//! The playground's page around a bench: tools, stage, set-up, what was done, panels. It decides nothing about Kafka.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::{
    AttrValue, Callback, DragEvent, Html, Properties, component, hook, html, use_effect_with, use_state, use_state_eq,
};

use super::acts::Acts;
use super::compare_picker;
use super::files;
use super::past::Past;
use super::paste_view::PasteView;
use super::setup::SetUp;
use super::spoken::LastSaid;
use super::start::{REMEMBERED, Start};
use super::terminal::Terminal;
use super::text_view::{Draft, TextView};
use super::tools::Tools;
use super::workbench::{Said, Workbench};
use crate::app::panels::comparison::ComparisonTable;
use crate::app::panels::deck::Deck;
use crate::app::part::part;
use crate::app::session::{Rate, use_session};
use crate::app::stage::instrument::Instrument;
use crate::app::stage::time_bar::BarParts;
use crate::app::stage::titles::titles;
use crate::app::{share, store};

/// The room's bench.
#[derive(Clone, PartialEq, Properties)]
pub struct RoomProps {
    /// The bench.
    pub bench: Workbench,
}

/// The page.
#[component]
pub fn PlayRoom(props: &RoomProps) -> Html {
    let bench = &props.bench;
    let version = use_bench(bench);
    let draft = use_state(Draft::default);
    let is_over = use_state_eq(|| false);
    let pastes = use_state_eq(|| false);
    let set_pastes = |is_open: bool| {
        let pastes = pastes.clone();
        Callback::from(move |()| pastes.set(is_open))
    };
    let ontext = {
        let draft = draft.clone();
        Callback::from(move |next| draft.set(next))
    };
    let onfile = open_file(bench, &ontext);
    let session = bench.session();
    let scenario = bench.scenario();
    let is_untouched = session.read(|player| player.timeline(0).commands().is_empty());
    let wants_start = scenario.producers.is_empty() && is_untouched;
    let names: Rc<[AttrValue]> = match bench.compare() {
        Some(side) => compare_picker::titles(&scenario, &side).into_iter().map(AttrValue::from).collect(),
        None => titles(&session),
    };
    let controls = html! { <>{ part!(Acts { bench: bench.clone(), version }) }{ part!(LastSaid { bench: bench.clone(), version }) }</> };
    let bar = BarParts { branches: false, ..BarParts::ALL };
    html! {
        <article class={if *is_over { "play over" } else { "play" }} ondragover={over(&is_over, true)} ondragleave={over(&is_over, false)}
            ondrop={dropped(&is_over, &onfile)}>
            <header class="play-head">
                <h1>{ "Playground" }</h1>
                { part!(Tools { bench: bench.clone(), version, ontext: ontext.clone(), onpaste: set_pastes(true), onfile }) }
            </header>
            <div class="play-stage">
                if wants_start { { part!(Start { bench: bench.clone(), version }) } }
                { part!(Instrument { session: session.clone(), titles: Rc::clone(&names), controls, bar, page_keys: true, label: "The cluster" }) }
            </div>
            <div class="play-side">
                { part!(SetUp { bench: bench.clone(), version }) }
                { part!(Past { bench: bench.clone(), version }) }
            </div>
            <div class="play-deck">
                { part!(Deck { session: session.clone(), titles: Rc::clone(&names), terminal: part!(Terminal { bench: bench.clone(), version }) }) }
                if bench.compare().is_none() {
                    <div class="play-breaks">{ part!(ComparisonTable { session, titles: names }) }</div>
                }
            </div>
            { part!(TextView { bench: bench.clone(), draft: (*draft).clone(), onchange: ontext }) }
            { part!(PasteView { bench: bench.clone(), is_open: *pastes, onclose: set_pastes(false) }) }
        </article>
    }
}

/// Shows the room again when the bench has changed, remembers it, and puts it away at the end.
#[hook]
fn use_bench(bench: &Workbench) -> u32 {
    let generation = use_state_eq(|| 0_u32);
    {
        let (bench, generation) = (bench.clone(), generation.clone());
        use_effect_with(bench.clone(), move |bench| {
            bench.on_change(Callback::from(move |next| generation.set(next)));
            let bench = bench.clone();
            move || bench.close()
        });
    }
    let spoken = use_session(&bench.session(), Rate::Speech);
    let bench = bench.clone();
    use_effect_with((bench.session(), spoken, *generation), move |_| {
        let link = bench.link();
        share::keep(&link);
        if bench.can_undo() {
            store::set(REMEMBERED, Some(&link));
        }
    });
    *generation
}

/// Opens a file; one that cannot be used is shown as text with its error.
fn open_file(bench: &Workbench, ontext: &Callback<Draft>) -> Callback<web_sys::File> {
    let (bench, ontext) = (bench.clone(), ontext.clone());
    Callback::from(move |file: web_sys::File| {
        let (bench, ontext) = (bench.clone(), ontext.clone());
        spawn_local(async move {
            let name = file.name();
            match files::read(&file).await {
                Err(error) => bench.say(Said::Problem(error.to_string().into())),
                Ok(text) => match files::open(&bench, &text) {
                    Ok(()) => bench.say(Said::Done(format!("{name} is open.").into())),
                    Err(error) => {
                        ontext.emit(Draft { text: Some(text.into()), error: Some(error), is_open: true });
                    }
                },
            }
        });
    })
}

fn over(state: &yew::UseStateHandle<bool>, is_over: bool) -> Callback<DragEvent> {
    let state = state.clone();
    Callback::from(move |event: DragEvent| {
        event.prevent_default();
        state.set(is_over);
    })
}

fn dropped(state: &yew::UseStateHandle<bool>, onfile: &Callback<web_sys::File>) -> Callback<DragEvent> {
    let (state, onfile) = (state.clone(), onfile.clone());
    Callback::from(move |event: DragEvent| {
        event.prevent_default();
        state.set(false);
        let files = event.data_transfer().and_then(|data| data.files());
        if let Some(file) = files.and_then(|files| files.get(0)) {
            onfile.emit(file);
        }
    })
}
