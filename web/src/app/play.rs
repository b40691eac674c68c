//! The playground: build a cluster, run it, break it. Knows no lesson.
//!
//! Reading order: [`workbench`] holds the state, [`room`] the page, the other files its parts.

pub mod act_form;
pub mod acts;
pub mod broker_acts;
pub mod client_picker;
pub mod cluster_forms;
pub mod compare_picker;
pub mod config_acts;
pub mod config_table;
pub mod crash_here;
pub mod examples;
pub mod fields;
pub mod files;
pub mod link_acts;
pub mod member_acts;
pub mod member_calls;
pub mod member_form;
pub mod move_form;
pub mod partition_acts;
pub mod past;
pub mod paste_view;
pub mod preload_form;
pub mod producer_acts;
pub mod producer_calls;
pub mod producer_form;
pub mod reader_acts;
pub mod reader_form;
pub mod replicas;
pub mod room;
pub mod send_form;
pub mod setup;
pub mod spoken;
pub mod start;
pub mod summary;
pub mod terminal;
pub mod terminal_files;
pub mod text_view;
pub mod tools;
pub mod topic_acts;
pub mod topic_form;
pub mod transcript;
pub mod workbench;
pub mod workload_form;

use crate::app::part::part;
use engine::InputError;
use yew::{AttrValue, Html, Properties, component, html, use_effect_with, use_state, use_state_eq};

use super::opening;
use super::router::{Location, Watch};
use room::PlayRoom;
use workbench::Workbench;

/// What it starts with.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct PlayProps {
    /// A share link; without one the address may name a link or a scenario, and else it starts empty.
    #[prop_or_default]
    pub link: Option<AttrValue>,
}

/// What the address asks for.
#[derive(Clone, Debug, PartialEq)]
enum Wanted {
    Link(String),
    Scenario(String),
    Nothing,
}

impl Wanted {
    fn of(props: &PlayProps, location: &Location) -> Wanted {
        let link = props.link.as_deref().or_else(|| location.option("link"));
        match (link, location.option("scenario")) {
            (Some(link), _) => Wanted::Link(link.to_owned()),
            (None, Some(name)) => Wanted::Scenario(name.to_owned()),
            (None, None) => Wanted::Nothing,
        }
    }
}

/// The page: opens what is wanted, then shows it.
#[component]
pub fn PlayPage(props: &PlayProps) -> Html {
    let location = use_state(Location::current);
    {
        let location = location.clone();
        use_effect_with((), move |()| {
            let watch = Watch::new(move |next| location.set(next));
            move || drop(watch)
        });
    }
    let wanted = use_state_eq(|| Wanted::of(props, &location));
    let now = Wanted::of(props, &location);
    if *wanted != now {
        wanted.set(now);
    }
    let loaded = use_state(|| None::<Result<Workbench, InputError>>);
    {
        let loaded = loaded.clone();
        use_effect_with((*wanted).clone(), move |wanted| {
            let wanted = wanted.clone();
            wasm_bindgen_futures::spawn_local(async move { loaded.set(Some(open(wanted).await)) });
        });
    }
    match &*loaded {
        None => html! { <p class="loading-line" role="status">{ "Loading …" }</p> },
        Some(Ok(bench)) => part!(PlayRoom { bench: bench.clone() }),
        Some(Err(error)) => html! {
            <section class="notice" role="alert">
                <h1>{ "This cannot be opened" }</h1>
                <p>{ error.to_string() }</p>
                <p><a class="button" href="#/play">{ "Start empty" }</a></p>
            </section>
        },
    }
}

async fn open(wanted: Wanted) -> Result<Workbench, InputError> {
    let opened = match wanted {
        Wanted::Link(link) => opening::shared(&link).await?,
        Wanted::Scenario(name) => opening::scenario(&name).await?,
        Wanted::Nothing => opening::full_scenario(&examples::empty()),
    };
    Workbench::new(&opened)
}

/// "Topic settings (2 set)".
fn with_count(title: &str, count: usize) -> String {
    if count == 0 { title.to_owned() } else { format!("{title} ({count} set)") }
}

#[cfg(test)]
mod tests {
    use super::{Location, PlayProps, Wanted};

    fn check(link: Option<&'static str>, hash: &str, expected: Wanted) {
        let props = PlayProps { link: link.map(Into::into) };
        assert_eq!(Wanted::of(&props, &Location::parse(hash)), expected, "{hash}");
    }

    #[test]
    fn the_address_says_what_is_opened() {
        check(None, "#/play", Wanted::Nothing);
        check(None, "#/play?link=abc", Wanted::Link("abc".into()));
        check(None, "#/play?scenario=key-bytes", Wanted::Scenario("key-bytes".into()));
        check(Some("xyz"), "#/s/xyz", Wanted::Link("xyz".into()));
    }
}
