//! What clients and transactions went through, on one clock: bars, and under them the last facts in sentences.
//!
//! The bars are `scene`'s; here is only which events they are made of.

use engine::event::{Event, EventKind};
use engine::transaction::TransactionEvent;
use yew::{Html, Properties, component, html, use_node_ref};

use crate::app::session::{Rate, Session, use_session};
use crate::app::stage::svg;
use crate::app::stage::view::use_width;

/// Facts that the bars are made of: the last ones.
const FACTS_MAX: usize = 600;
/// Facts that are listed.
const ROWS_MAX: usize = 24;
/// No picture is narrower.
const WIDTH_MIN: f32 = 260.0;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TimelineProps {
    /// The session.
    pub session: Session,
}

/// The bars and the list.
#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let frame = use_node_ref();
    let width = use_width(&frame);
    let facts = session.recent_where(0, FACTS_MAX, &is_told);
    let snapshot = session.snapshot(0);
    let now = session.read(scene::Player::now);
    let skipped = facts.len().saturating_sub(ROWS_MAX);
    html! {
        <section class="panel timeline" aria-label="Timeline" ref={frame}>
            <h2>{ "Timeline" }</h2>
            if facts.is_empty() {
                <p class="empty">{ "Nothing has happened to a transaction yet." }</p>
            } else if *width > 0 {
                { svg::picture(&scene::history::history(&facts, &snapshot, now, (*width as f32).max(WIDTH_MIN)), "Clients and transactions on one clock") }
            }
            <ul class="refreshes">{ for facts[skipped..].iter().map(|event| html! { <li key={event.index}><span class="mono">{ event.moment.time.to_string() }</span>{ " " }{ event.to_string() }</li> }) }</ul>
        </section>
    }
}

/// What matters to the owner of a transaction; how far a log is stable is on the stage.
fn is_told(event: &Event) -> bool {
    match &event.kind {
        EventKind::Transaction(
            TransactionEvent::LastStableOffsetAdvanced { .. } | TransactionEvent::TransactionStateLogged { .. },
        ) => false,
        EventKind::Transaction(_) | EventKind::ProducerStarted { .. } => true,
        _ => false,
    }
}
