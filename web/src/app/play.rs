//! The playground: build a cluster, run it, break it. Knows no lesson.

use yew::{Html, component, html};

/// The page.
#[component]
pub fn PlayPage() -> Html {
    html! { <h1 class="page-title">{ "Playground" }</h1> }
}
