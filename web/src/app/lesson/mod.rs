//! A lesson beside its stage. Knows no lesson by name: all of it is data.
//!
//! `room` holds the state, the other files show its parts. Reading order: [`room`], [`offer`], [`steps`].

pub mod controls;
pub mod offer;
pub mod prediction;
pub mod progress;
pub mod room;
mod room_view;
pub mod steps;
pub mod verdict;

use std::rc::Rc;

use course::Index;
use engine::InputError;
use yew::{AttrValue, Html, Properties, component, html, use_effect_with, use_state};

use super::data;
use super::opening::{self, Opened};
use room::LessonRoom;

/// Which lesson.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct LessonProps {
    /// Its slug.
    pub slug: AttrValue,
    /// A share link into it.
    #[prop_or_default]
    pub link: Option<AttrValue>,
}

/// The page: loads the lesson, then shows it.
#[component]
pub fn LessonPage(props: &LessonProps) -> Html {
    let loaded = use_state(|| None::<Result<(Opened, Rc<Index>), InputError>>);
    {
        let loaded = loaded.clone();
        use_effect_with(props.clone(), move |props| {
            let props = props.clone();
            wasm_bindgen_futures::spawn_local(async move { loaded.set(Some(load(&props).await)) });
        });
    }
    match &*loaded {
        None => html! { <p class="loading-line" role="status">{ "Loading the lesson …" }</p> },
        Some(Ok((opened, index))) => html! { <LessonRoom opened={opened.clone()} index={Rc::clone(index)} /> },
        Some(Err(error)) => html! {
            <section class="notice" role="alert">
                <h1>{ "This lesson cannot be opened" }</h1>
                <p>{ error.to_string() }</p>
                <p><a class="button" href="#/">{ "All lessons" }</a></p>
            </section>
        },
    }
}

async fn load(props: &LessonProps) -> Result<(Opened, Rc<Index>), InputError> {
    let opened = match &props.link {
        Some(link) => opening::shared(link).await?,
        None => opening::lesson(&props.slug).await?,
    };
    Ok((opened, Rc::new(index().await?)))
}

/// The list of lessons.
pub async fn index() -> Result<Index, InputError> {
    let text = data::load("lessons/index.json")
        .await
        .map_err(|error| InputError::new("file.unreachable", error.to_string()))?;
    Index::from_json(&text)
}
