//! A share link: read first, then shown by the lesson that it belongs to, or by the playground.

use crate::app::part::part;
use course::link::decode;
use yew::{AttrValue, Html, Properties, component, html};

use super::lesson::LessonPage;
use super::play::PlayPage;

/// The link.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct SharedProps {
    /// Its text.
    pub link: AttrValue,
}

/// The page.
#[component]
pub fn SharedPage(props: &SharedProps) -> Html {
    let link = Some(props.link.clone());
    match decode(&props.link) {
        Ok(shared) => match shared.lesson {
            Some(slug) => part!(LessonPage { slug, link }),
            None => part!(PlayPage { link }),
        },
        Err(reason) => html! {
            <section class="notice" role="alert">
                <h1>{ "This link cannot be opened" }</h1>
                <p>{ reason.to_string() }</p>
                <p class="button-row"><a class="button" href="#/">{ "Go to the first page" }</a><a class="button" href="#/play">{ "Open the playground" }</a></p>
            </section>
        },
    }
}
