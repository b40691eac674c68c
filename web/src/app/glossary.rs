//! The glossary: a page of all terms, and a small dialog for a term in some prose. The texts are data.

use std::rc::Rc;

use course::Glossary;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::{AttrValue, Html, Properties, component, html, use_effect_with, use_node_ref, use_state};

use super::data;

/// Loads the glossary.
async fn load() -> Result<Glossary, String> {
    let text = data::load("glossary.toml").await.map_err(|error| error.to_string())?;
    Glossary::from_toml(&text).map_err(|error| error.to_string())
}

/// Where the page starts.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct GlossaryProps {
    /// A term's slug, or nothing.
    pub term: AttrValue,
}

/// Every term.
#[component]
pub fn GlossaryPage(props: &GlossaryProps) -> Html {
    let loaded = use_state(|| None::<Result<Rc<Glossary>, String>>);
    {
        let loaded = loaded.clone();
        use_effect_with((), move |()| {
            wasm_bindgen_futures::spawn_local(async move { loaded.set(Some(load().await.map(Rc::new))) });
        });
    }
    let list = match &*loaded {
        None => html! { <p role="status">{ "Loading …" }</p> },
        Some(Err(reason)) => html! { <p class="field-error" role="alert">{ reason }</p> },
        Some(Ok(glossary)) => html! {
            <dl class="glossary">
                { for glossary.terms.iter().map(|term| html! {
                    <div key={term.slug.clone()} class={if term.slug == props.term.as_str() { "asked" } else { "" }}>
                        <dt>{ &term.term }</dt><dd>{ super::prose(&term.meaning) }</dd>
                    </div>
                }) }
            </dl>
        },
    };
    html! { <article class="page"><h1>{ "Glossary" }</h1>{ list }</article> }
}

/// Shows a term where it is clicked, instead of leaving the page.
#[component]
pub fn TermDialog() -> Html {
    let shown = use_state(|| None::<Result<course::glossary::Term, String>>);
    let dialog = use_node_ref();
    {
        let (shown, dialog) = (shown.clone(), dialog.clone());
        use_effect_with((), move |()| {
            let listener = Closure::<dyn FnMut(web_sys::MouseEvent)>::new(move |event: web_sys::MouseEvent| {
                let Some(slug) = clicked_term(&event) else { return };
                event.prevent_default();
                let (shown, dialog) = (shown.clone(), dialog.clone());
                wasm_bindgen_futures::spawn_local(async move {
                    let term = load().await.and_then(|glossary| {
                        glossary.term(&slug).cloned().ok_or_else(|| format!("The glossary has no term \"{slug}\"."))
                    });
                    shown.set(Some(term));
                    if let Some(dialog) = dialog.cast::<web_sys::HtmlDialogElement>() {
                        // It fails if it is open already, and then it shows the new term.
                        let _ = dialog.show_modal();
                    }
                });
            });
            let document = web_sys::window().and_then(|window| window.document());
            if let Some(document) = &document {
                let _ = document.add_event_listener_with_callback("click", listener.as_ref().unchecked_ref());
            }
            move || {
                if let Some(document) = document {
                    let _ = document.remove_event_listener_with_callback("click", listener.as_ref().unchecked_ref());
                }
            }
        });
    }
    let (title, body) = match &*shown {
        Some(Ok(term)) => (term.term.clone(), super::prose(&term.meaning)),
        Some(Err(reason)) => ("Glossary".to_owned(), html! { <p>{ reason }</p> }),
        None => (String::new(), Html::default()),
    };
    html! {
        <dialog class="help term-dialog" ref={dialog} aria-label={format!("Glossary: {title}")}>
            <h2>{ title }</h2>
            { body }
            <form method="dialog"><button class="button primary">{ "Close" }</button></form>
        </dialog>
    }
}

/// The term of a link into the glossary that was clicked plainly.
fn clicked_term(event: &web_sys::MouseEvent) -> Option<String> {
    if event.ctrl_key() || event.meta_key() || event.shift_key() || event.button() != 0 {
        return None;
    }
    let target: web_sys::Element = event.target()?.dyn_into().ok()?;
    target.closest("a[data-term]").ok().flatten()?.get_attribute("data-term")
}
