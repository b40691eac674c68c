//! The playground: build a cluster, run it, break it. Knows no lesson.

use yew::{AttrValue, Html, Properties, component, html};

/// What it starts with.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct PlayProps {
    /// A share link; without one it starts empty.
    #[prop_or_default]
    pub link: Option<AttrValue>,
}

/// The page.
#[component]
pub fn PlayPage(_props: &PlayProps) -> Html {
    html! { <h1 class="page-title">{ "Playground" }</h1> }
}
