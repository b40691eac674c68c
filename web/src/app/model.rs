//! What is modelled, what is simplified and how it is checked. States nothing that is not read from data.

use yew::{Html, component, html};

/// The page.
#[component]
pub fn ModelPage() -> Html {
    html! { <h1 class="page-title">{ "What is modelled" }</h1> }
}
