//! The frame around every page: header, navigation, theme button, footer. Holds no page's content.

use crate::app::part::part;
use wasm_bindgen::JsCast;
use yew::{
    AttrValue, Callback, Html, Properties, classes, component, hook, html, use_effect_with, use_mut_ref, use_state,
};

use super::assign::AssignPage;
use super::embed::EmbedPage;
use super::glossary::{GlossaryPage, TermDialog};
use super::home::HomePage;
use super::keys::KeysPage;
use super::lesson::LessonPage;
use super::model::ModelPage;
use super::not_found::NotFoundPage;
use super::overlay::Overlay;
use super::play::PlayPage;
use super::router::{Location, Route, Watch};
use super::shared::SharedPage;
use super::size::SizePage;
use super::theme::Theme;

/// The app.
#[component]
pub fn App() -> Html {
    let location = use_state(Location::current);
    {
        let location = location.clone();
        use_effect_with((), move |()| {
            Theme::remembered().apply();
            let watch = Watch::new(move |next| location.set(next));
            move || drop(watch)
        });
    }
    use_arrival(&location.route);
    html! {
        <>
            <a class="skip" href="#main">{ "Skip to the content" }</a>
            { part!(Header { route: location.route.clone() }) }
            <main id="main" tabindex="-1">{ page(&location.route) }</main>
            { part!(Footer) }
            { part!(TermDialog) }
            { part!(Overlay { is_asked: location.option("debug").is_some() }) }
        </>
    }
}

/// On another page: its title, its beginning, and the focus on its content.
#[hook]
fn use_arrival(route: &Route) {
    let is_first = use_mut_ref(|| true);
    use_effect_with(route.clone(), move |route| {
        let Some(window) = web_sys::window() else { return };
        let Some(document) = window.document() else { return };
        document.set_title(&title(route));
        // The first page keeps the place that the browser restored.
        if !is_first.replace(false) {
            window.scroll_to_with_x_and_y(0.0, 0.0);
            let main = document.get_element_by_id("main").and_then(|main| main.dyn_into::<web_sys::HtmlElement>().ok());
            if let Some(main) = main {
                // It fails only for an element that cannot take the focus; this one has a tabindex.
                let _ = main.focus();
            }
        }
    });
}

fn title(route: &Route) -> String {
    let page = match route {
        Route::Home => return "Logarium: a playground for Apache Kafka".to_owned(),
        Route::Play => "Playground",
        Route::Learn(slug) => &slug.replace('-', " "),
        Route::Keys => "Key lab",
        Route::Assign => "Assignment lab",
        Route::Size => "Sizing lab",
        Route::Embed => "Embed",
        Route::Model => "What is modelled",
        Route::Glossary(_) => "Glossary",
        Route::Shared(_) => "Shared stage",
        Route::Unknown(_) => "No such page",
    };
    format!("{page} · Logarium")
}

fn page(route: &Route) -> Html {
    match route {
        Route::Home => part!(HomePage),
        Route::Play => part!(PlayPage),
        Route::Learn(slug) => part!(LessonPage { slug: slug.clone() }, key = slug.clone()),
        Route::Keys => part!(KeysPage),
        Route::Assign => part!(AssignPage),
        Route::Size => part!(SizePage),
        Route::Embed => part!(EmbedPage),
        Route::Model => part!(ModelPage),
        Route::Glossary(term) => part!(GlossaryPage { term: term.clone() }),
        Route::Shared(link) => part!(SharedPage { link: link.clone() }, key = link.clone()),
        Route::Unknown(address) => part!(NotFoundPage { address: address.clone() }),
    }
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct HeaderProps {
    route: Route,
}

#[component]
fn Header(props: &HeaderProps) -> Html {
    let links = [
        (Route::Home, "Lessons", ""),
        (Route::Play, "Playground", ""),
        (Route::Keys, "Key lab", ""),
        (Route::Assign, "Assignments", ""),
        (Route::Size, "Sizing lab", ""),
        (Route::Embed, "Embed", ""),
        (Route::Model, "What is modelled", "wide"),
    ];
    html! {
        <header class="site-header">
            <a class="brand" href="#/">
                <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path d="M4 5h9M4 12h16M4 19h6" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" />
                    <circle cx="18" cy="5" r="2.6" fill="var(--accent)" />
                </svg>
                { "Logarium" }
            </a>
            <nav aria-label="Pages">
                { for links.into_iter().map(|(route, text, class)| link(&props.route, route, text, class)) }
            </nav>
            <span class="kafka-version">{ format!("Kafka {}", engine::version::KAFKA) }</span>
            { part!(ThemeButton) }
        </header>
    }
}

fn link(current: &Route, route: Route, text: &'static str, class: &'static str) -> Html {
    let is_current = *current == route || (route == Route::Home && matches!(current, Route::Learn(_)));
    let href: AttrValue = Location::new(route).to_string().into();
    html! { <a key={text} class={classes!(class, is_current.then_some("current"))} aria-current={is_current.then_some("page")} {href}>{ text }</a> }
}

#[component]
fn ThemeButton() -> Html {
    let theme = use_state(Theme::remembered);
    let label = format!("Theme: {}. Change to {}.", theme.name(), theme.next().name());
    let glyph = match *theme {
        Theme::Auto => "◐",
        Theme::Light => "○",
        Theme::Dark => "●",
    };
    let onclick = {
        let theme = theme.clone();
        Callback::from(move |_| {
            let next = theme.next();
            next.apply();
            theme.set(next);
        })
    };
    html! { <button class="icon" title={label.clone()} aria-label={label} {onclick}>{ glyph }</button> }
}

#[component]
fn Footer() -> Html {
    html! {
        <footer class="site-footer">
            <p>{ "Apache Kafka is a trademark of the Apache Software Foundation. Logarium is not affiliated with it." }</p>
            <p><a href="#/model">{ "What is modelled, and how it is checked" }</a></p>
        </footer>
    }
}
