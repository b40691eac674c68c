//! What clients and transactions went through, on one clock: the last facts about each of them.
//!
//! Reads the event log; the bars that show it as a picture come from `scene`.

use engine::event::{Event, EventKind};
use engine::transaction::TransactionEvent;
use yew::{Html, Properties, component, html};

use crate::app::session::{Rate, Session, use_session};

/// Facts that are listed: the last ones.
const ROWS_MAX: usize = 60;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TimelineProps {
    /// The session.
    pub session: Session,
}

/// The list.
#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let facts = session.recent_where(0, ROWS_MAX, &is_told);
    html! {
        <section class="panel timeline" aria-label="Timeline">
            <h2>{ "Timeline" }</h2>
            if facts.is_empty() { <p class="empty">{ "Nothing has happened to a transaction yet." }</p> }
            <ul class="refreshes">{ for facts.iter().map(|event| html! { <li key={event.index}><span class="mono">{ event.moment.time.to_string() }</span>{ " " }{ event.to_string() }</li> }) }</ul>
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
