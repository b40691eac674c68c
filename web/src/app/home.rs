//! The first screen: one living comparison, the lessons and the labs. Holds no lesson's text.

use yew::{Html, component, html};

/// The page.
#[component]
pub fn HomePage() -> Html {
    html! { <h1 class="page-title">{ "Logarium" }</h1> }
}
