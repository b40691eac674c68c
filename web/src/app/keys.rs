//! The key lab: your keys, any clients, any counts. Runs no simulation.

use yew::{Html, component, html};

/// The page.
#[component]
pub fn KeysPage() -> Html {
    html! { <h1 class="page-title">{ "Key lab" }</h1> }
}
