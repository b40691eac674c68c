//! The field of a terminal: a command, or the lines that a command reads. What is typed is run by the terminal.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::{
    AttrValue, Callback, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast, component, html,
    use_node_ref, use_state,
};

use super::prompt::{Key, Pressed, Prompt, Surroundings};

/// Lines of a field that are seen at once.
const ROWS_MAX: usize = 8;

/// What the terminal does for its field.
#[derive(Clone, PartialEq, Properties)]
pub struct PromptLineProps {
    /// An example of a command.
    #[prop_or_default]
    pub placeholder: AttrValue,
    /// The line that was run so many lines ago, from 1.
    pub recall: Callback<usize, Option<String>>,
    /// The words with which a line may go on.
    pub candidates: Callback<String, Vec<String>>,
    /// Runs a command, with the lines that it reads under it.
    pub onrun: Callback<String>,
}

/// The field.
#[component]
pub fn PromptLine(props: &PromptLineProps) -> Html {
    let prompt = use_state(Prompt::default);
    let field = use_node_ref();
    let oninput = {
        let prompt = prompt.clone();
        Callback::from(move |event: InputEvent| {
            prompt.set(prompt.typed(event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value()));
        })
    };
    let settle = {
        let (prompt, onrun) = (prompt.clone(), props.onrun.clone());
        Rc::new(move |(next, pressed): (Prompt, Pressed)| {
            prompt.set(next);
            if let Pressed::Run(text) = pressed {
                onrun.emit(text);
            }
        })
    };
    let onkeydown = {
        let (prompt, props, settle) = (prompt.clone(), props.clone(), Rc::clone(&settle));
        Callback::from(move |event: KeyboardEvent| {
            event.stop_propagation();
            let typed = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlTextAreaElement>().ok());
            // What stands in the field counts: a fast key may come before the last one was taken over.
            let now = match typed.map(|field| field.value()).filter(|line| *line != prompt.line) {
                Some(line) => prompt.typed(line),
                None => (*prompt).clone(),
            };
            let (next, pressed) = pressed_by(&event, now, &props);
            if pressed != Pressed::Untouched {
                event.prevent_default();
            }
            settle((next, pressed));
        })
    };
    let onend = {
        let (prompt, field) = (prompt.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            settle(prompt.end_input());
            if let Some(field) = field.cast::<web_sys::HtmlElement>() {
                // Focus fails only for an element that has left the document.
                let _ = field.focus();
            }
        })
    };
    let rows = prompt.line.matches('\n').count() + 1;
    let (sign, placeholder) =
        if prompt.reading.is_some() { (">", "a record".into()) } else { ("$", props.placeholder.clone()) };
    html! {
        <>
            if let Some(reading) = &prompt.reading {
                <div class="console-reading">
                    <p class="prompt"><u>{ "$" }</u>{ " " }{ &reading.command }</p>
                    { for reading.lines.iter().enumerate().map(|(index, line)| html! { <p key={index}>{ ">" }{ line }</p> }) }
                </div>
            }
            <div class="console-line">
                <label>
                    <u aria-hidden="true">{ sign }</u>
                    <span class="hidden-visually">{ "Command line. Tab completes, Escape then Tab leaves the field." }</span>
                    <textarea ref={field} rows={rows.min(ROWS_MAX).to_string()} autocomplete="off" autocapitalize="off" spellcheck="false"
                        value={prompt.line.clone()} {placeholder} {oninput} {onkeydown} />
                </label>
                if prompt.reading.is_some() { <button class="button" title="Control and D" onclick={onend}>{ "End the input" }</button> }
            </div>
            <p class="console-choices" role="status">{ prompt.choices.join("  ") }</p>
        </>
    }
}

/// What a key does to the field.
fn pressed_by(event: &KeyboardEvent, now: Prompt, props: &PromptLineProps) -> (Prompt, Pressed) {
    let name = event.key();
    let key = Key { name: &name, is_shifted: event.shift_key(), is_control: event.ctrl_key() };
    let around = Surroundings {
        recall: &|back| props.recall.emit(back),
        candidates: &|line| props.candidates.emit(line.to_owned()),
        waits: &|line| console::parse(line).is_ok_and(|invocation| console::waits_for_lines(&invocation)),
    };
    now.press(key, &around)
}
