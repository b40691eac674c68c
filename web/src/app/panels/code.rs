//! What a producer's program looks like, by language, with the running line lit. The programs are `scene`'s.

use std::rc::Rc;

use scene::code::{CodeLine, Language, code, languages};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_state};

use crate::app::controls::{Choice, Segments, Select};
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct CodeProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
    /// Languages in the order of the lesson; a client without one of them is shown in its usual language.
    #[prop_or_default]
    pub preferred: Rc<[Language]>,
}

/// The code panel.
#[component]
pub fn Code(props: &CodeProps) -> Html {
    let CodeProps { session, side, preferred } = props;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(*side);
    let chosen = use_state(|| 0_usize);
    let wanted = use_state(|| None::<Language>);
    let Some(producer) = snapshot.producers.get(*chosen).or_else(|| snapshot.producers.first()) else {
        return html! { <div class="panel code"><h2>{ "Code" }</h2><p class="empty">{ "There is no producer." }</p></div> };
    };
    let known = languages(&producer.client);
    let first = preferred.iter().copied().find(|language| known.contains(language)).or_else(|| known.first().copied());
    let language = wanted.filter(|language| known.contains(language)).or(first);
    let lines = code(language, producer, &session.scenario(*side));
    let tabs: Rc<[Choice]> = known.iter().map(|language| Choice::new(language.name(), language.name())).collect();
    let onlanguage = {
        let wanted = wanted.clone();
        Callback::from(move |name: AttrValue| {
            wanted.set(Language::ALL.into_iter().find(|language| language.name() == name))
        })
    };
    let producers: Rc<[Choice]> = snapshot
        .producers
        .iter()
        .enumerate()
        .map(|(index, producer)| Choice::new(index.to_string(), producer.name.to_string()))
        .collect();
    let onproducer = {
        let chosen = chosen.clone();
        Callback::from(move |value: AttrValue| chosen.set(value.parse().unwrap_or(0)))
    };
    html! {
        <div class="panel code" role="group" aria-label="Code">
            <div class="panel-head">
                <h2>{ "Code" }</h2>
                if producers.len() > 1 {
                    { part!(Select { legend: "Producer", quiet: true, choices: producers, selected: chosen.to_string(), onselect: onproducer }) }
                }
                if tabs.len() > 1 {
                    { part!(Segments { legend: "Language", quiet: true, choices: tabs, selected: language.map_or("", Language::name), onselect: onlanguage }) }
                }
            </div>
            <pre class="program" tabindex="0">{ for lines.iter().enumerate().map(line) }</pre>
        </div>
    }
}

fn line((index, line): (usize, &CodeLine)) -> Html {
    let class = if line.is_running { "code-row running" } else { "code-row" };
    html! {
        <span key={index} {class} aria-current={line.is_running.then_some("step")}>{ &line.text }{ "\n" }</span>
    }
}
