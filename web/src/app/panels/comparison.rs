//! Two sides key by key: what lands elsewhere, and what a key in two places breaks. Counted by `scene`.

use std::collections::BTreeSet;
use std::rc::Rc;

use scene::comparison::{Break, Comparison, KeyRow, breaks};
use yew::{AttrValue, Html, Properties, component, html};

use super::key_text_chip;
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ComparisonProps {
    /// A session with two sides.
    pub session: Session,
    /// What the sides are called.
    pub titles: Rc<[AttrValue]>,
}

/// The table of keys.
#[component]
pub fn ComparisonTable(props: &ComparisonProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    if session.read(scene::Player::sides) < 2 {
        return part!(BreaksList { session: session.clone() });
    }
    let comparison = Comparison::of(&session.snapshot(0), &session.snapshot(1));
    let title = |side: usize| props.titles.get(side).cloned().unwrap_or_default();
    html! {
        <section class="panel comparison" aria-label="Comparison of keys">
            <div class="panel-head"><h2>{ "Where each key lands" }</h2><strong class="difference">{ comparison.sentence() }</strong></div>
            if comparison.rows.is_empty() {
                <p class="empty">{ "No key has been written yet." }</p>
            } else {
                <div class="table-frame" tabindex="0" role="region" aria-label="Keys of both sides">
                    <table class="table">
                        <thead><tr><th scope="col">{ "Key" }</th><th scope="col">{ title(0) }</th><th scope="col">{ title(1) }</th><th scope="col">{ "" }</th></tr></thead>
                        <tbody>{ for comparison.rows.iter().map(|row| key_row(session, row)) }</tbody>
                    </table>
                </div>
            }
            { part!(BreaksList { session: session.clone() }) }
        </section>
    }
}

fn key_row(session: &Session, row: &KeyRow) -> Html {
    let is_known = !row.left.is_empty() && !row.right.is_empty();
    let differs = is_known && row.left != row.right;
    html! {
        <tr key={format!("{} {}", row.topic, row.text)} class={if differs { "differs" } else { "" }}>
            <td>{ key_text_chip(&session.palette(), &row.key, &row.text) }</td>
            <td class="mono">{ places(&row.topic, &row.left) }</td>
            <td class="mono">{ places(&row.topic, &row.right) }</td>
            <td>{ if differs { "elsewhere" } else if is_known { "same" } else { "" } }</td>
        </tr>
    }
}

fn places(topic: &str, partitions: &BTreeSet<u32>) -> String {
    if partitions.is_empty() {
        return "–".to_owned();
    }
    partitions.iter().map(|partition| format!("{topic}-{partition}")).collect::<Vec<_>>().join(", ")
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct BreaksProps {
    session: Session,
}

/// What is broken by keys in two places, on the last side.
#[component]
fn BreaksList(props: &BreaksProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let side = session.read(scene::Player::sides) - 1;
    let found = breaks(&session.snapshot(side));
    if found.is_empty() {
        return Html::default();
    }
    html! {
        <div class="breaks">
            <h2>{ "What this breaks" }</h2>
            <ul>{ for found.iter().take(24).map(|broken: &Break| html! { <li key={broken.sentence.clone()}>{ &broken.sentence }</li> }) }</ul>
            if found.len() > 24 { <p>{ format!("and {} more", found.len() - 24) }</p> }
        </div>
    }
}
