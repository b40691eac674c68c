//! A terminal: Kafka's command lines, typed or offered, with exactly what the tools print. The tools are `console`'s.

use wasm_bindgen::JsCast;
use yew::{
    Callback, Html, InputEvent, KeyboardEvent, Properties, TargetCast, UseStateHandle, component, html,
    use_effect_with, use_node_ref, use_state,
};

use super::printed_lines;
use crate::app::session::{ConsoleEntry, Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TerminalProps {
    /// The session.
    pub session: Session,
}

/// What was typed and printed, and a line for the next command.
#[component]
pub fn Terminal(props: &TerminalProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let typed = use_state(String::new);
    let offers = use_state(Vec::<String>::new);
    let screen = use_node_ref();
    let entries = session.console_entries();
    {
        let screen = screen.clone();
        use_effect_with(entries.len(), move |_| {
            if let Some(screen) = screen.cast::<web_sys::Element>() {
                screen.set_scroll_top(screen.scroll_height());
            }
        });
    }
    let oninput = {
        let (typed, offers) = (typed.clone(), offers.clone());
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
            offers.set(Vec::new());
        })
    };
    let onkeydown = on_key(session, &typed, &offers, &entries);
    html! {
        <section class="panel terminal" aria-label="Terminal">
            <div class="terminal-screen" tabindex="0" role="log" aria-label="What was printed" ref={screen}>
                if entries.is_empty() { <p class="empty">{ "Type a command, such as kafka-topics.sh --bootstrap-server localhost:9092 --list. Tab completes." }</p> }
                { for entries.iter().enumerate().map(|(index, entry)| printed(index, entry)) }
            </div>
            if !offers.is_empty() { <p class="offers">{ offers.join("   ") }</p> }
            <label class="prompt-line"><u aria-hidden="true">{ "$" }</u><span class="hidden-visually">{ "Command line" }</span>
                <input type="text" value={(*typed).clone()} spellcheck="false" autocomplete="off" autocapitalize="off" {oninput} {onkeydown} />
            </label>
        </section>
    }
}

fn printed(index: usize, entry: &ConsoleEntry) -> Html {
    html! {
        <div key={index}>
            <p class="prompt"><u>{ "$" }</u>{ " " }{ &entry.line }</p>
            if !entry.printed.stdout.is_empty() { <pre>{ printed_lines(&entry.printed.stdout) }</pre> }
            if !entry.printed.stderr.is_empty() { <pre class="stderr">{ &entry.printed.stderr }</pre> }
        </div>
    }
}

fn on_key(
    session: &Session,
    typed: &UseStateHandle<String>,
    offers: &UseStateHandle<Vec<String>>,
    entries: &[ConsoleEntry],
) -> Callback<KeyboardEvent> {
    let (session, typed, offers) = (session.clone(), typed.clone(), offers.clone());
    let last = entries.last().map(|entry| entry.line.clone());
    Callback::from(move |event: KeyboardEvent| {
        event.stop_propagation();
        let input = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok());
        let line = input.map_or_else(|| (*typed).clone(), |input| input.value());
        match event.key().as_str() {
            "Enter" if !line.trim().is_empty() => {
                session.run_console(&line);
                typed.set(String::new());
                offers.set(Vec::new());
            }
            "ArrowUp" => {
                if let Some(last) = &last {
                    typed.set(last.clone());
                }
            }
            // Tab leaves an empty line, so that the keyboard is never trapped.
            "Tab" if !line.is_empty() && !event.shift_key() => {
                event.prevent_default();
                complete(&session, &line, &typed, &offers);
            }
            _ => {}
        }
    })
}

fn complete(session: &Session, line: &str, typed: &UseStateHandle<String>, offers: &UseStateHandle<Vec<String>>) {
    let found = console::complete(&session.snapshot(0), line);
    match found.as_slice() {
        [only] => {
            let start = line.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
            let space = if only.ends_with('=') { "" } else { " " };
            typed.set(format!("{}{only}{space}", &line[..start]));
            offers.set(Vec::new());
        }
        _ => offers.set(found),
    }
}
