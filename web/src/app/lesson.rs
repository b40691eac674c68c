//! A lesson beside its stage. Knows no lesson by name: all of it is data.

use yew::{AttrValue, Html, Properties, component, html};

/// Which lesson.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct LessonProps {
    /// Its slug.
    pub slug: AttrValue,
}

/// The page.
#[component]
pub fn LessonPage(props: &LessonProps) -> Html {
    html! { <h1 class="page-title">{ &props.slug }</h1> }
}
