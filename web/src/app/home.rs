//! The first screen: one living comparison, the lessons and the labs. Holds no lesson's text.

use crate::app::part::part;
use std::rc::Rc;

use course::index::Group;
use course::{Index, Progress, Settings};
use engine::InputError;
use yew::{AttrValue, Callback, Html, Properties, component, html, use_effect_with, use_memo, use_state};

use super::controls::{Choice, Segments};
use super::lesson::{index, progress};
use super::opening::{self, Opened};
use super::router::{Location, Route};
use super::session::Session;
use super::share;
use super::stage::instrument::Instrument;
use super::stage::titles::titles;
use super::theme;

/// The scenario of the first screen.
const SCENARIO: &str = "one-key-two-libraries";

/// The page.
#[component]
pub fn HomePage() -> Html {
    let opened = use_state(|| None::<Result<Opened, InputError>>);
    let lessons = use_state(|| None::<Result<Rc<Index>, InputError>>);
    {
        let (opened, lessons) = (opened.clone(), lessons.clone());
        use_effect_with((), move |()| {
            wasm_bindgen_futures::spawn_local(async move { opened.set(Some(opening::scenario(SCENARIO).await)) });
            wasm_bindgen_futures::spawn_local(async move { lessons.set(Some(index().await.map(Rc::new))) });
        });
    }
    let stage = match &*opened {
        None => html! { <div class="stage-placeholder" role="status">{ "Loading the stage …" }</div> },
        Some(Ok(opened)) => part!(LivingComparison { opened: opened.clone() }),
        Some(Err(error)) => html! { <p class="field-error" role="alert">{ error.to_string() }</p> },
    };
    let list = match &*lessons {
        None => Html::default(),
        Some(Ok(index)) => part!(Lessons { index: Rc::clone(index) }),
        Some(Err(error)) => html! { <><p class="field-error" role="alert">{ error.to_string() }</p>{ part!(Labs) }</> },
    };
    html! {
        <div class="home">
            <div class="hero">
                <h1>{ "One key. Two client libraries. Two partitions." }</h1>
                <p>{ "The producer chooses the partition, not the broker, and client libraries choose differently. Watch two of them send the same keys." }</p>
            </div>
            { stage }
            { list }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ComparisonProps {
    opened: Opened,
}

/// Two clients on one clock, playing by itself unless less motion is wished for.
#[component]
fn LivingComparison(props: &ComparisonProps) -> Html {
    let other = use_state(|| AttrValue::Static("librdkafka"));
    let partitions = use_state(|| AttrValue::Static("3"));
    let session = use_state(|| None::<Session>);
    {
        let session = session.clone();
        let wanted = (props.opened.clone(), (*other).clone(), (*partitions).clone());
        use_effect_with(wanted, move |(opened, other, partitions)| {
            let previous = (*session).clone();
            let mut settings = Settings::default();
            let is_set = settings.set("compare", other).and_then(|()| settings.set("partitions", partitions));
            let made = is_set.and_then(|()| opened.session(&settings, previous.as_ref()));
            let made = made.expect("the choices of the first screen fit its scenario");
            if previous.is_none() && !theme::reduced_motion() {
                made.queue(|player| player.play());
            }
            let kept = share::follow(&made, opened, &settings);
            session.set(Some(made.clone()));
            move || {
                drop(kept);
                made.close();
            }
        });
    }
    let Some(session) = (*session).clone() else { return html! { <div class="stage-placeholder" /> } };
    let choose = |state: &yew::UseStateHandle<AttrValue>| {
        let state = state.clone();
        Callback::from(move |value| state.set(value))
    };
    let clients: Rc<[Choice]> = [
        Choice::new("librdkafka", "librdkafka"),
        Choice::new("librdkafka-murmur2_random", "librdkafka, murmur2_random"),
        Choice::new("sarama", "Sarama"),
        Choice::new("kafkajs", "KafkaJS"),
    ]
    .into();
    let counts: Rc<[Choice]> = [Choice::new("3", "3"), Choice::new("6", "6")].into();
    let controls = html! {
        <>
            { part!(Segments { legend: "Java and", choices: clients, selected: (*other).clone(), onselect: choose(&other) }) }
            { part!(Segments { legend: "Partitions", choices: counts, selected: (*partitions).clone(), onselect: choose(&partitions) }) }
        </>
    };
    part!(Instrument {
        session: session.clone(),
        titles: titles(&session),
        controls,
        page_keys: true,
        label: "Two clients write the same keys"
    })
}

#[derive(Clone, PartialEq, Properties)]
struct LessonsProps {
    index: Rc<Index>,
}

/// The lessons that are built, by group; the labs; then the titles of lessons to come.
#[component]
fn Lessons(props: &LessonsProps) -> Html {
    let progress = use_memo((), |()| progress::load());
    let is_built = |group: &&Group| group.lessons.iter().any(|lesson| !lesson.later);
    let is_to_come = |group: &&Group| group.lessons.iter().any(|lesson| lesson.later);
    html! {
        <section class="lessons" aria-label="Lessons">
            <h2>{ "Lessons" }</h2>
            { for props.index.groups.iter().filter(is_built).map(|group| built_group(&progress, group)) }
            { part!(Labs) }
            if props.index.groups.iter().any(|group| is_to_come(&group)) {
                <h2>{ "Lessons to come" }</h2>
                <div class="coming">{ for props.index.groups.iter().filter(is_to_come).map(coming_group) }</div>
            }
        </section>
    }
}

fn built_group(progress: &Progress, group: &Group) -> Html {
    let built = group.lessons.iter().filter(|lesson| !lesson.later).enumerate();
    html! {
        <section key={group.slug.clone()} class="lesson-group">
            <h3>{ &group.title }</h3>
            <ol class="cards">{ for built.map(|(place, lesson)| card(progress, place, lesson)) }</ol>
        </section>
    }
}

fn coming_group(group: &Group) -> Html {
    html! {
        <section key={group.slug.clone()}>
            <h3>{ &group.title }</h3>
            <ul>{ for group.lessons.iter().filter(|lesson| lesson.later).map(|lesson| html! { <li key={lesson.slug.clone()}>{ &lesson.title }</li> }) }</ul>
        </section>
    }
}

fn card(progress: &Progress, place: usize, lesson: &course::IndexEntry) -> Html {
    let done = progress.lessons.get(&lesson.slug).map_or(0, |lesson| lesson.steps.len());
    html! {
        <li key={lesson.slug.clone()}>
            <a class="card-link" href={Location::new(Route::Learn(lesson.slug.clone())).to_string()}>
                <span class="number">{ place + 1 }</span>
                <span class="card-title">{ &lesson.title }</span>
                if done > 0 { <span class="card-progress">{ format!("{done} steps done") }</span> }
            </a>
        </li>
    }
}

#[component]
fn Labs() -> Html {
    let labs = [
        (
            "#/keys",
            "Key lab",
            "Paste the keys of your own topic. See where each client puts them, what moves when the topic grows, and how even it is.",
        ),
        (
            "#/assign",
            "Assignment lab",
            "Let members join and leave a group. See which partitions each assignor moves, and which it leaves alone.",
        ),
        (
            "#/size",
            "Sizing lab",
            "Turn measured rates into a partition count that groups can share evenly, and see what each partition costs.",
        ),
        ("#/play", "Playground", "Build a cluster, run it, rewind it, change it, and share what you found as a link."),
        ("#/embed", "Embed", "Put a stage into your own course page with one tag."),
    ];
    html! {
        <section class="labs" aria-label="Labs">
            <h2>{ "Labs" }</h2>
            <ul class="cards">
                { for labs.into_iter().map(|(href, title, text)| html! {
                    <li key={href}><a class="card-link lab" {href}><span class="card-title">{ title }</span><span>{ text }</span></a></li>
                }) }
            </ul>
        </section>
    }
}
