//! Small controls that pages share: a choice of few, a text field with its error beside it.
//!
//! They hold what was typed and nothing else; what it means is decided by the page.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, Properties, TargetCast, component, html, use_state,
    use_state_eq,
};

/// One value of a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is reported.
    pub value: AttrValue,
    /// What is read.
    pub label: AttrValue,
}

impl Choice {
    /// A value with its label.
    pub fn new(value: impl Into<AttrValue>, label: impl Into<AttrValue>) -> Choice {
        Choice { value: value.into(), label: label.into() }
    }
}

/// A choice of few values, shown side by side.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct SegmentsProps {
    /// What is chosen.
    pub legend: AttrValue,
    /// The values.
    pub choices: Rc<[Choice]>,
    /// The chosen value.
    pub selected: AttrValue,
    /// Told the value when it changes.
    pub onselect: Callback<AttrValue>,
    /// Whether the legend is for screen readers only.
    #[prop_or_default]
    pub quiet: bool,
}

/// Radio buttons drawn as one piece.
#[component]
pub fn Segments(props: &SegmentsProps) -> Html {
    let name = use_state(unique_name);
    let options = props.choices.iter().map(|choice| {
        let onchange = props.onselect.reform({
            let value = choice.value.clone();
            move |_: Event| value.clone()
        });
        html! {
            <label key={choice.value.to_string()}>
                <input type="radio" name={(*name).clone()} value={choice.value.clone()}
                    checked={choice.value == props.selected} {onchange} />
                <span>{ &choice.label }</span>
            </label>
        }
    });
    html! {
        <fieldset class="segments">
            <legend class={props.quiet.then_some("hidden-visually")}>{ &props.legend }</legend>
            <div>{ for options }</div>
        </fieldset>
    }
}

/// A choice of many values.
#[component]
pub fn Select(props: &SegmentsProps) -> Html {
    let onchange = props
        .onselect
        .reform(|event: Event| AttrValue::from(event.target_unchecked_into::<web_sys::HtmlSelectElement>().value()));
    html! {
        <label class="field inline">
            <span class={props.quiet.then_some("hidden-visually")}>{ &props.legend }</span>
            <select {onchange}>
                { for props.choices.iter().map(|choice| html! {
                    <option key={choice.value.to_string()} value={choice.value.clone()}
                        selected={choice.value == props.selected}>{ &choice.label }</option>
                }) }
            </select>
        </label>
    }
}

/// A text that is taken over on Enter or when the field is left.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TextFieldProps {
    /// Its label.
    pub label: AttrValue,
    /// The value in force.
    pub value: AttrValue,
    /// Checks and takes over a text; an error is shown beside the field and the text stays.
    pub accept: Callback<AttrValue, Result<(), String>>,
    /// An example of what is expected.
    #[prop_or_default]
    pub placeholder: AttrValue,
    /// Width in characters.
    #[prop_or(16)]
    pub size: u32,
}

/// A text field. What is typed stays until it is accepted.
#[component]
pub fn TextField(props: &TextFieldProps) -> Html {
    let typed = use_state(|| None::<AttrValue>);
    let error = use_state_eq(|| None::<String>);
    let id = use_state(unique_name);
    let commit = {
        let (typed, error, accept, current) = (typed.clone(), error.clone(), props.accept.clone(), props.value.clone());
        Callback::from(move |text: AttrValue| {
            if text == current {
                typed.set(None);
                error.set(None);
                return;
            }
            match accept.emit(text.clone()) {
                Ok(()) => {
                    typed.set(None);
                    error.set(None);
                }
                Err(reason) => {
                    typed.set(Some(text));
                    error.set(Some(reason));
                }
            }
        })
    };
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| {
            typed.set(Some(event.target_unchecked_into::<web_sys::HtmlInputElement>().value().into()));
        })
    };
    let onchange = commit
        .reform(|event: Event| AttrValue::from(event.target_unchecked_into::<web_sys::HtmlInputElement>().value()));
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        // Keys of the time bar must not act while somebody types; Escape still closes what the field is in.
        if event.key() != "Escape" {
            event.stop_propagation();
        }
        if event.key() == "Enter" {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            commit.emit(input.value().into());
        }
    });
    let error_id = format!("{}-error", *id);
    html! {
        <span class="field inline">
            <label for={(*id).clone()}>{ &props.label }</label>
            <input id={(*id).clone()} class="mono" type="text" size={props.size.to_string()} autocomplete="off" spellcheck="false"
                value={typed.as_ref().unwrap_or(&props.value).clone()} placeholder={props.placeholder.clone()}
                aria-invalid={error.is_some().then_some("true")}
                aria-describedby={error.is_some().then(|| error_id.clone())} {oninput} {onchange} {onkeydown} />
            if let Some(reason) = &*error {
                <p class="field-error" id={error_id} role="alert">{ reason }</p>
            }
        </span>
    }
}

/// A name that no other control of the page has, to connect a label with its field.
pub fn unique_name() -> String {
    use std::cell::Cell;
    thread_local! {
        static NEXT: Cell<u32> = const { Cell::new(0) };
    }
    NEXT.with(|next| format!("control-{}", next.replace(next.get() + 1)))
}

/// Copies a text to the clipboard; `done` hears whether the browser allowed it.
pub fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    let clipboard = web_sys::window().map(|window| window.navigator().clipboard());
    // Insecure pages have no clipboard object at all.
    let Some(clipboard) = clipboard.filter(|clipboard| !clipboard.is_undefined()) else {
        done(false);
        return;
    };
    let promise = clipboard.write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        done(wasm_bindgen_futures::JsFuture::from(promise).await.is_ok());
    });
}

/// Offers a text as a file to save.
pub fn save_file(name: &str, mime: &str, text: &str) {
    save_blob(name, mime, &js_sys::Array::of1(&text.into()));
}

/// Offers the parts of a file, texts or byte arrays, as a file to save.
pub fn save_blob(name: &str, mime: &str, parts: &js_sys::Array) {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(mime);
    let blob = web_sys::Blob::new_with_blob_sequence_and_options(parts, &options);
    let document = web_sys::window().and_then(|window| window.document());
    let (Ok(blob), Some(document)) = (blob, document) else { return };
    let Ok(url) = web_sys::Url::create_object_url_with_blob(&blob) else { return };
    if let Ok(link) = document.create_element("a") {
        let link: web_sys::HtmlAnchorElement = link.unchecked_into();
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // The download has its own hold on the data.
    let _ = web_sys::Url::revoke_object_url(&url);
}
