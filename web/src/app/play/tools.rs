//! The tools of the page: undo, open, save, share, paste, start anew. What came of the last one is said in `spoken`.

use yew::{Callback, Event, Html, Properties, TargetCast, component, html, use_state_eq};

use super::examples;
use super::files::{self, Form};
use super::text_view::Draft;
use super::workbench::{Said, Workbench};
use crate::app::controls::copy;
use crate::app::opening;
use crate::app::session::{Rate, use_session};
use crate::app::share;
use crate::app::stage::picture;

/// On which bench.
#[derive(Clone, PartialEq, Properties)]
pub struct ToolsProps {
    /// The bench.
    pub bench: Workbench,
    /// The bench's version: another one, and everything is shown again.
    pub version: u32,
    /// Told a draft that is to be shown as text.
    pub ontext: Callback<Draft>,
    /// Opens the box for pasted output.
    pub onpaste: Callback<()>,
    /// Told a file that was chosen.
    pub onfile: Callback<web_sys::File>,
}

/// The row.
#[component]
pub fn Tools(props: &ToolsProps) -> Html {
    let bench = &props.bench;
    use_session(&bench.session(), Rate::Table);
    let shown_link = use_state_eq(|| None::<String>);
    let has_files = use_state_eq(|| false);
    let toggle = {
        let has_files = has_files.clone();
        Callback::from(move |_| has_files.set(!*has_files))
    };
    let tool = |act: fn(&Workbench)| {
        let bench = bench.clone();
        Callback::from(move |_| act(&bench))
    };
    let onfile = {
        let onfile = props.onfile.clone();
        Callback::from(move |event: Event| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                onfile.emit(file);
            }
            // The same file can be chosen again.
            input.set_value("");
        })
    };
    let share = {
        let (bench, shown_link) = (bench.clone(), shown_link.clone());
        Callback::from(move |_| {
            let address = share::absolute(&bench.link());
            let (bench, shown_link, shown) = (bench.clone(), shown_link.clone(), address.clone());
            copy(&address, move |is_done| {
                if is_done {
                    bench.say(Said::Done("Link copied. It holds the set-up, what you did, and this moment.".into()));
                }
                shown_link.set((!is_done).then_some(shown));
            });
        })
    };
    let ontext = props.ontext.reform(|_| Draft { is_open: true, ..Draft::default() });
    html! {
        <div class="play-tools">
            <div class="button-row">
                <button class="button" disabled={!bench.can_undo()} onclick={tool(undo)}>{ "Undo" }</button>
                <button class="button" onclick={tool(rewind)}>{ "Rewind" }</button>
                <button class="button" onclick={share}>{ "Copy link" }</button>
                <button class="button" onclick={ontext}>{ "Edit as text" }</button>
                <button class="button" onclick={props.onpaste.reform(|_| ())}>{ "Paste real output" }</button>
                <button class="button" aria-expanded={if *has_files { "true" } else { "false" }} onclick={toggle}>{ "File" }</button>
            </div>
            if *has_files {
                <div class="button-row">
                    <label class="button file">{ "Open a file" }<input type="file" class="hidden-visually" accept=".toml,.json" onchange={onfile} /></label>
                    <button class="button" onclick={tool(|bench| files::save(bench, Form::Toml))}>{ "Save as TOML" }</button>
                    <button class="button" onclick={tool(|bench| files::save(bench, Form::Json))}>{ "Save as JSON" }</button>
                    <button class="button" onclick={tool(|bench| picture::save(&bench.session(), &bench.scenario().name))}>{ "Save picture" }</button>
                    <button class="button danger" onclick={tool(start_anew)}>{ "Start empty" }</button>
                </div>
                <p class="hint">{ "A file holds the set-up; a link also holds what you did and the moment. Files can be dropped anywhere on this page." }</p>
            }
            if let Some(link) = &*shown_link {
                <label class="field grow"><span>{ "The browser did not allow copying. This is the link:" }</span><input class="mono" type="text" readonly=true value={link.clone()} /></label>
            }
        </div>
    }
}

fn undo(bench: &Workbench) {
    bench.undo();
}

fn rewind(bench: &Workbench) {
    bench.session().queue(|player| {
        player.pause();
        player.seek(engine::Time::ZERO);
    });
}

fn start_anew(bench: &Workbench) {
    let opened = bench.open(&opening::full_scenario(&examples::empty()));
    bench.say_result(opened, "The bench is empty. Undo brings back what was on it.");
}
