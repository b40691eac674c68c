//! The embed builder: pick, lock, preview, copy. The preview is the real element; it defines no widget itself.
//!
//! Reading order: [`choices`] (what was picked, and the text that comes of it), then the form below.

pub mod choices;

use crate::app::part::part;
use std::rc::Rc;

use course::Index;
use engine::InputError;
use yew::virtual_dom::VTag;
use yew::{AttrValue, Callback, Html, Properties, TargetCast, component, hook, html, use_effect_with, use_state};

use super::controls::{Choice, Segments, Select, TextField, copy};
use super::router::Location;
use super::{data, lesson, opening, prose};
use choices::{Choices, LOCKS, Offered, PANELS};

/// The controls that a lesson offers, or why it cannot be opened; none while it loads.
type Offer = Option<Result<Rc<[Offered]>, AttrValue>>;

/// The page.
#[component]
pub fn EmbedPage() -> Html {
    let index = use_state(|| None::<Result<Rc<Index>, AttrValue>>);
    let docs = use_state(AttrValue::default);
    let choices = use_state(|| Choices::new(Location::current().option("lesson").unwrap_or("one-key-two-libraries")));
    {
        let (index, docs) = (index.clone(), docs.clone());
        use_effect_with((), move |()| {
            want_widget();
            wasm_bindgen_futures::spawn_local(async move {
                index.set(Some(lesson::index().await.map(Rc::new).map_err(|error| error.to_string().into())));
                match data::load("docs/embed.md").await {
                    Ok(text) => docs.set(text.to_string().into()),
                    Err(error) => docs.set(error.to_string().into()),
                }
            });
        });
    }
    let onchange = {
        let choices = choices.clone();
        Callback::from(move |changed| choices.set(changed))
    };
    let mut current = (*choices).clone();
    let offer = use_offer(&current.lesson);
    if let Some(Ok(offered)) = &offer {
        current.fit(offered);
    }
    html! {
        <div class="embed-page">
            <h1 class="page-title">{ "Embed" }</h1>
            <p class="lead">{ "Pick what your readers see and what they may change. The preview is the widget itself, in a column of 640 pixels." }</p>
            <div class="embed-builder">
                { match &*index {
                    None => html! { <p class="loading-line" role="status">{ "Loading the list of lessons …" }</p> },
                    Some(Err(reason)) => html! { <p class="field-error" role="alert">{ reason }</p> },
                    Some(Ok(index)) => part!(Form { index: Rc::clone(index), choices: current.clone(), offer, onchange }),
                } }
                <section class="embed-preview" aria-label="Preview">{ preview(&current) }</section>
            </div>
            { for snippets(&current).into_iter().map(|(title, text)| part!(Snippet { title, text }, key = title)) }
            <section class="embed-docs">{ prose(&docs) }</section>
        </div>
    }
}

/// The controls of a lesson.
#[hook]
fn use_offer(slug: &str) -> Offer {
    let loaded = use_state(|| None::<(String, Result<Rc<[Offered]>, AttrValue>)>);
    {
        let loaded = loaded.clone();
        use_effect_with(slug.to_owned(), move |slug| {
            let slug = slug.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let offered = offered(&slug).await.map_err(|error| error.to_string().into());
                loaded.set(Some((slug, offered)));
            });
        });
    }
    // What came for another lesson does not count.
    (*loaded).clone().filter(|(of, _)| of == slug).map(|(_, offered)| offered)
}

async fn offered(slug: &str) -> Result<Rc<[Offered]>, InputError> {
    let opened = opening::lesson(slug).await?;
    let controls = opened.lesson.as_ref().map_or(&[][..], |lesson| &lesson.controls[..]);
    Ok(choices::offered(controls).into())
}

/// The element is loaded when this page asks for it; `main.js` listens.
fn want_widget() {
    let root =
        web_sys::window().and_then(|window| window.document()).and_then(|document| document.get_element_by_id("app"));
    if let (Some(root), Ok(event)) = (root, web_sys::Event::new("logarium-define-widget")) {
        // It answers only whether somebody prevented something.
        let _ = root.dispatch_event(&event);
    }
}

fn preview(choices: &Choices) -> Html {
    let mut tag = VTag::new("logarium-widget");
    for (name, value) in choices.attributes() {
        tag.add_attribute(name, value);
    }
    // Another lesson is another widget.
    html! { <div key={choices.lesson.clone()}>{ Html::from(tag) }</div> }
}

fn snippets(choices: &Choices) -> [(&'static str, String); 3] {
    let href = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    let page = href.split(['#', '?']).next().unwrap_or_default();
    let folder = &page[..=page.rfind('/').unwrap_or(page.len().saturating_sub(1))];
    [
        ("As an element", choices.element(folder)),
        ("As a frame", choices.frame(folder)),
        ("From a script", choices.script(folder)),
    ]
}

#[derive(Clone, PartialEq, Properties)]
struct SnippetProps {
    title: &'static str,
    text: String,
}

/// A text to copy.
#[component]
fn Snippet(props: &SnippetProps) -> Html {
    let said = use_state(|| "");
    let onclick = {
        let (text, said) = (props.text.clone(), said.clone());
        Callback::from(move |_| {
            let said = said.clone();
            copy(&text, move |done| {
                said.set(if done { "Copied." } else { "The browser did not allow copying; select the text instead." })
            });
        })
    };
    html! {
        <section class="snippet">
            <div class="panel-head">
                <h2>{ props.title }</h2>
                <button class="button" {onclick}>{ "Copy" }</button>
                <span role="status">{ *said }</span>
            </div>
            <pre tabindex="0">{ &props.text }</pre>
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct FormProps {
    index: Rc<Index>,
    choices: Choices,
    offer: Offer,
    onchange: Callback<Choices>,
}

/// Everything that can be picked.
#[component]
fn Form(props: &FormProps) -> Html {
    let lessons: Rc<[Choice]> =
        props.index.built().map(|(_, entry)| Choice::new(entry.slug.clone(), entry.title.clone())).collect();
    let onlesson = change(props, |choices, lesson: AttrValue| {
        *choices = Choices { lesson: lesson.to_string(), ..choices.clone() }
    });
    let clients = partitioner::clients().iter().map(|client| Choice::new(client.id, client.name));
    let clients: Rc<[Choice]> = std::iter::once(Choice::new("", "as the lesson says")).chain(clients).collect();
    let onclient = change(props, |choices, id: AttrValue| choices.client = id.to_string());
    let themes: Rc<[Choice]> = ["auto", "light", "dark"].map(|theme| Choice::new(theme, theme)).into();
    let ontheme = change(props, |choices, theme: AttrValue| choices.theme = theme.to_string());
    let accept = {
        let (choices, onchange) = (props.choices.clone(), props.onchange.clone());
        Callback::from(move |text: AttrValue| {
            let mut changed = choices.clone();
            changed.set_partitions(&text)?;
            onchange.emit(changed);
            Ok(())
        })
    };
    let onautoplay = change(props, |choices, is_on: bool| choices.autoplay = is_on);
    html! {
        <form class="embed-form" onsubmit={|event: yew::SubmitEvent| event.prevent_default()}>
            { part!(Select { legend: "Lesson", choices: lessons, selected: props.choices.lesson.clone(), onselect: onlesson }) }
            { part!(Select { legend: "Client library", choices: clients, selected: props.choices.client.clone(), onselect: onclient }) }
            { part!(TextField { label: "Partitions", value: props.choices.partitions.clone(), accept, placeholder: "as the lesson says", size: 18 }) }
            { part!(Segments { legend: "Theme", choices: themes, selected: props.choices.theme.clone(), onselect: ontheme }) }
            { check_box("Play as soon as it is seen", props.choices.autoplay, onautoplay) }
            { controls(props) }
            { boxes(props, "Locked", &LOCKS, |choices| &mut choices.lock) }
            { boxes(props, "Panels", &PANELS, |choices| &mut choices.panels) }
        </form>
    }
}

fn change<T: 'static>(props: &FormProps, change: impl Fn(&mut Choices, T) + 'static) -> Callback<T> {
    let (choices, onchange) = (props.choices.clone(), props.onchange.clone());
    Callback::from(move |value| {
        let mut changed = choices.clone();
        change(&mut changed, value);
        onchange.emit(changed);
    })
}

fn controls(props: &FormProps) -> Html {
    let offered = match &props.offer {
        None => return html! { <p class="loading-line" role="status">{ "Loading the controls of the lesson …" }</p> },
        Some(Err(reason)) => return html! { <p class="field-error" role="alert">{ reason }</p> },
        Some(Ok(offered)) => offered,
    };
    let row = |control: &Offered| {
        let (name, offered) = (control.name.clone(), Rc::clone(offered));
        let toggled = change(props, move |choices, is_on: bool| choices.pick(&name, is_on, &offered));
        check_box(&control.label, props.choices.has(control), toggled)
    };
    html! { <fieldset class="boxes"><legend>{ "Controls" }</legend>{ for offered.iter().map(row) }</fieldset> }
}

fn boxes(
    props: &FormProps,
    legend: &'static str,
    all: &[(&'static str, &'static str)],
    list: fn(&mut Choices) -> &mut Vec<&'static str>,
) -> Html {
    let mut choices = props.choices.clone();
    let chosen = list(&mut choices).clone();
    let names: Rc<[&'static str]> = all.iter().map(|(name, _)| *name).collect();
    let row = |&(name, label): &(&'static str, &'static str)| {
        let names = Rc::clone(&names);
        let toggled = change(props, move |choices, is_on: bool| {
            let list = list(choices);
            // Kept in one order, so that the same choice gives the same text.
            let wanted: Vec<&'static str> = names
                .iter()
                .copied()
                .filter(|known| if *known == name { is_on } else { list.contains(known) })
                .collect();
            *list = wanted;
        });
        check_box(label, chosen.contains(&name), toggled)
    };
    html! { <fieldset class="boxes"><legend>{ legend }</legend>{ for all.iter().map(row) }</fieldset> }
}

fn check_box(label: &str, is_on: bool, toggled: Callback<bool>) -> Html {
    let onchange =
        toggled.reform(|event: yew::Event| event.target_unchecked_into::<web_sys::HtmlInputElement>().checked());
    html! { <label key={label} class="box"><input type="checkbox" checked={is_on} {onchange} />{ " " }{ label.to_owned() }</label> }
}
