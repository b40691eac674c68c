//! What a wrong address shows: the address and the way back. Guesses nothing.

use yew::{AttrValue, Html, Properties, component, html};

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct NotFoundProps {
    /// The address after the `#`.
    pub address: AttrValue,
}

/// The page.
#[component]
pub fn NotFoundPage(props: &NotFoundProps) -> Html {
    html! {
        <section class="notice">
            <h1 class="page-title">{ "There is no such page" }</h1>
            <p>{ "Nothing lives at " }<code>{ "#" }{ &props.address }</code>{ ". The link may be misspelled or from a later version." }</p>
            <p><a class="button" href="#/">{ "Go to the first page" }</a></p>
        </section>
    }
}
