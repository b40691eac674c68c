//! The assignment lab: a group that changes, and what every assignor makes of it, side by side.
//!
//! Who gets what is `assignlab`'s; the page asks, shows, and keeps the story in the address.

mod bench;
mod card;
mod group;
mod lab;
mod story;
mod table;

use yew::{Callback, Html, component, html, use_effect_with, use_force_update, use_memo};

pub use self::bench::AssignorBench;
use self::lab::{Lab, View};
use super::controls::{Choice, Select};
use super::part::part;
use super::router::{Location, Route, Watch};
use assignlab::{Assignor, SAMPLES};

/// The page.
#[component]
pub fn AssignPage() -> Html {
    let lab = use_memo((), |()| Lab::new());
    let redraw = use_force_update();
    {
        let lab = (*lab).clone();
        use_effect_with((), move |()| {
            lab.listen(Callback::from(move |()| redraw.force_update()));
            let watch = Watch::new({
                let lab = lab.clone();
                move |location: Location| {
                    if location.route == Route::Assign {
                        lab.open(&location);
                    }
                }
            });
            lab.open(&Location::current());
            move || {
                drop(watch);
                lab.listen(Callback::noop());
            }
        });
    }
    let lab = (*lab).clone();
    let view = lab.view();
    let step = view.settings.story.step();
    html! {
        <div class="assign">
            <header class="assign-head">
                <h1 class="page-title">{ "Assignment lab" }</h1>
                <p>{ "Which member reads which partition? Let members join and leave, and see what each assignor of Kafka moves, and what it leaves alone." }</p>
            </header>
            if let Some(error) = &view.error { <p class="panel assign-error" role="alert">{ error }</p> }
            { story::story(&lab, &view) }
            { toolbar(&lab, &view) }
            <section class="assign-cards" aria-label="Assignors">
                { for view.settings.shown.iter().map(|assignor| card::card(&view, step, *assignor)) }
                if view.settings.shown.is_empty() { <p class="panel">{ "Choose an assignor above to see what it does." }</p> }
            </section>
            { group::group(&lab, &view) }
            { table::table(&view) }
            <p class="hidden-visually" role="status">{ spoken(&view) }</p>
        </div>
    }
}

/// What to look at: assignors, and partitions of one number together.
fn toolbar(lab: &Lab, view: &View) -> Html {
    let toggle = |assignor: Assignor| {
        let is_shown = view.settings.shown.contains(&assignor);
        let onclick = lab.doing(move |lab| lab.toggle(assignor));
        html! { <button key={assignor.id()} class="button" aria-pressed={is_shown.to_string()} {onclick}>{ card::title(assignor) }</button> }
    };
    let links = lab.doing(Lab::toggle_links);
    let has_several = view.settings.story.step().plan.topics.len() > 1;
    html! {
        <section class="assign-tools" aria-label="What to show">
            { for Assignor::ALL.into_iter().map(toggle) }
            if has_several {
                <button class="button assign-links" aria-pressed={view.settings.has_links.to_string()} onclick={links}>{ "Co-partition links" }</button>
            }
        </section>
    }
}

/// The stories to begin with.
fn samples(lab: &Lab) -> Html {
    let onselect = {
        let lab = lab.clone();
        Callback::from(move |value: yew::AttrValue| {
            if let Some((_, link)) = value.parse().ok().and_then(|place: usize| SAMPLES.get(place)) {
                lab.open_sample(link);
            }
        })
    };
    let choices = SAMPLES.iter().enumerate().map(|(place, (title, _))| Choice::new(place.to_string(), *title));
    let sample = lab.sample();
    let own = sample.is_none().then(|| Choice::new("", "your own story"));
    let selected = sample.map(|place| place.to_string()).unwrap_or_default();
    part!(Select {
        legend: "Begin with",
        choices: choices.chain(own).collect::<std::rc::Rc<[_]>>(),
        selected,
        onselect
    })
}

/// What a screen reader hears after a change.
fn spoken(view: &View) -> String {
    let step = view.settings.story.step();
    let Some(change) = &step.change else { return "The start of the story.".to_owned() };
    let of = |assignor: &Assignor| format!("{} {}", card::title(*assignor), step.outcome(*assignor).moves.len());
    let moved: Vec<String> = view.settings.shown.iter().map(of).collect();
    format!("{change}. Partitions that moved: {}.", moved.join(", "))
}
