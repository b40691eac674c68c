//! The set-up as text that can be edited and applied. What is typed stays until it is applied or taken back.

use engine::InputError;
use wasm_bindgen::JsCast;
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, NodeRef, Properties, TargetCast, component, hook,
    html, use_effect_with, use_node_ref,
};

use super::files::{self, Form};
use super::workbench::Workbench;

/// Text that could not be used yet, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// What was typed or read from a file; absent while the text is the set-up's own.
    pub text: Option<AttrValue>,
    /// Why it was refused.
    pub error: Option<InputError>,
    /// Whether the view is open.
    pub is_open: bool,
}

/// The view of a draft.
#[derive(Clone, PartialEq, Properties)]
pub struct TextViewProps {
    /// The bench.
    pub bench: Workbench,
    /// The draft.
    pub draft: Draft,
    /// Told the changed draft.
    pub onchange: Callback<Draft>,
}

/// A dialog with the text; Escape closes it and gives the focus back.
#[component]
pub fn TextView(props: &TextViewProps) -> Html {
    let TextViewProps { bench, draft, onchange } = props;
    let dialog = use_node_ref();
    let area = use_node_ref();
    use_dialog(&dialog, draft.is_open);
    let own = if draft.is_open { files::text(&bench.scenario(), Form::Toml) } else { String::new() };
    let text = draft.text.clone().unwrap_or_else(|| own.into());
    let oninput = change(onchange, draft, |draft, event: InputEvent| {
        draft.text = Some(event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value().into());
        draft.error = None;
    });
    let onclose = change(onchange, draft, |draft, _: Event| draft.is_open = false);
    let back = change(onchange, draft, |draft, _: yew::MouseEvent| (draft.text, draft.error) = (None, None));
    let close = change(onchange, draft, |draft, _: yew::MouseEvent| draft.is_open = false);
    let apply = {
        let (bench, text) = (bench.clone(), text.clone());
        change(onchange, draft, move |draft, _: yew::MouseEvent| match files::apply(&bench, &text) {
            Ok(()) => *draft = Draft::default(),
            Err(error) => (draft.text, draft.error) = (Some(text.clone()), Some(error)),
        })
    };
    let keep_keys = Callback::from(|event: KeyboardEvent| event.stop_propagation());
    html! {
        <dialog class="help text-view" aria-labelledby="text-view-title" ref={dialog} {onclose} onkeydown={keep_keys}>
            <h2 id="text-view-title">{ "The set-up as text" }</h2>
            <label class="field area">
                <span>{ "TOML, or JSON if it begins with a brace" }</span>
                <textarea ref={area.clone()} rows="22" spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" value={text}
                    aria-invalid={draft.error.is_some().then_some("true")} aria-describedby="text-view-error" {oninput} />
            </label>
            <div id="text-view-error" role="alert">{ draft.error.as_ref().map_or_else(Html::default, |error| problem(error, &area)) }</div>
            <p class="button-row">
                <button class="button primary" onclick={apply}>{ "Apply" }</button>
                <button class="button" onclick={back} disabled={draft.text.is_none()}>{ "Take back what I typed" }</button>
                <button class="button" onclick={close}>{ "Close" }</button>
            </p>
        </dialog>
    }
}

fn change<E: 'static>(
    onchange: &Callback<Draft>,
    draft: &Draft,
    change: impl Fn(&mut Draft, E) + 'static,
) -> Callback<E> {
    let (onchange, draft) = (onchange.clone(), draft.clone());
    Callback::from(move |event: E| {
        let mut next = draft.clone();
        change(&mut next, event);
        onchange.emit(next);
    })
}

/// Opens and closes a dialog as it is told.
#[hook]
pub fn use_dialog(dialog: &NodeRef, is_open: bool) {
    let dialog = dialog.clone();
    use_effect_with(is_open, move |is_open| show(&dialog, *is_open));
}

fn show(dialog: &NodeRef, is_open: bool) {
    let Some(dialog) = dialog.cast::<web_sys::HtmlDialogElement>() else { return };
    if is_open && !dialog.open() {
        // It fails only for a dialog that has left the document.
        let _ = dialog.show_modal();
    } else if !is_open && dialog.open() {
        dialog.close();
    }
}

/// The error, and a button that leads to its line.
fn problem(error: &InputError, area: &NodeRef) -> Html {
    let line = files::line(error);
    let onclick = {
        let area = area.clone();
        Callback::from(move |_| {
            if let (Some(area), Some(line)) = (area.cast::<web_sys::HtmlTextAreaElement>(), line) {
                select_line(&area, line);
            }
        })
    };
    html! {
        <p class="field-error">
            { error.to_string() }
            if let Some(line) = line { { " " }<button class="button" {onclick}>{ format!("Go to line {line}") }</button> }
        </p>
    }
}

fn select_line(area: &web_sys::HtmlTextAreaElement, line: usize) {
    let text = area.value();
    // The browser counts in units of UTF-16.
    let units = |line: &str| u32::try_from(line.encode_utf16().count()).unwrap_or(u32::MAX);
    let start: u32 = text.split('\n').take(line.saturating_sub(1)).map(|line| units(line) + 1).sum();
    let end = start + text.split('\n').nth(line.saturating_sub(1)).map_or(0, units);
    let element: &web_sys::HtmlElement = area.unchecked_ref();
    // Focus and selection fail only for an element that has left the document.
    let _ = element.focus();
    let _ = area.set_selection_range(start, end);
}
