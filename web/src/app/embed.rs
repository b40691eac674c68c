//! The embed builder: pick, lock, preview, copy. Defines no widget.

use yew::{Html, component, html};

/// The page.
#[component]
pub fn EmbedPage() -> Html {
    html! { <h1 class="page-title">{ "Embed" }</h1> }
}
