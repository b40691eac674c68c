//! A terminal: Kafka's command lines, typed or offered, with exactly what the tools print. The tools are `console`'s.

use yew::{Callback, Html, Properties, component, html, use_effect_with, use_node_ref};

use super::printed_lines;
use super::prompt_line::PromptLine;
use crate::app::part::part;
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
    let recall = {
        let session = session.clone();
        Callback::from(move |back: usize| {
            let entries = session.console_entries();
            entries.len().checked_sub(back).and_then(|place| entries.get(place)).map(|entry| entry.line.clone())
        })
    };
    let candidates = {
        let session = session.clone();
        Callback::from(move |line: String| console::complete(&session.snapshot(0), &line))
    };
    let onrun = {
        let session = session.clone();
        Callback::from(move |text: String| {
            if !text.trim().is_empty() {
                session.run_console(&text);
            }
        })
    };
    html! {
        <section class="panel terminal" aria-label="Terminal">
            <div class="terminal-screen" tabindex="0" role="log" aria-label="What was printed" ref={screen}>
                if entries.is_empty() { <p class="empty">{ "Type a command, such as kafka-topics.sh --bootstrap-server localhost:9092 --list. Tab completes." }</p> }
                { for entries.iter().enumerate().map(|(index, entry)| printed(index, entry)) }
            </div>
            { part!(PromptLine { recall, candidates, onrun }) }
        </section>
    }
}

fn part((is_error, text): (bool, &str)) -> Html {
    match is_error {
        true => html! { <pre class="stderr">{ text }</pre> },
        false => html! { <pre>{ printed_lines(text) }</pre> },
    }
}

fn printed(index: usize, entry: &ConsoleEntry) -> Html {
    html! {
        <div key={index}>
            <p class="prompt"><u>{ "$" }</u>{ " " }{ &entry.line }</p>
            { for entry.printed.parts().into_iter().map(part) }
        </div>
    }
}
