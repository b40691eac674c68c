//! What happens, in words for a screen reader: few sentences, not often. Seen by nobody, decides nothing.

use std::cell::Cell;
use std::rc::Rc;

use engine::event::{Event, EventKind};
use yew::{Html, Properties, component, html, use_memo};

use crate::app::panels::log_filter::is_replication_traffic;
use crate::app::session::{Rate, Session, use_session};

/// Events that are looked back on.
const LOOKED_BACK: usize = 60;
/// Sentences that are spoken at once.
const SENTENCES_MAX: usize = 3;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct LiveProps {
    /// The session.
    pub session: Session,
}

/// A polite live region.
#[component]
pub fn Live(props: &LiveProps) -> Html {
    let revision = use_session(&props.session, Rate::Speech);
    let last = use_memo(props.session.clone(), |_| Cell::new(None::<u64>));
    let words = use_memo((props.session.clone(), revision), |(session, _)| news(session, &last));
    html! { <p class="hidden-visually" aria-live="polite">{ &**words }</p> }
}

/// What happened since the last time, newest last.
fn news(session: &Session, last: &Rc<Cell<Option<u64>>>) -> String {
    let mut events: Vec<Event> = session.recent_where(0, LOOKED_BACK, &is_spoken);
    let Some(newest) = events.last().map(|event| event.index) else { return String::new() };
    let before = last.replace(Some(newest));
    // Before the first change everything is on the page already; after going back nothing is new.
    let Some(before) = before else { return String::new() };
    events.retain(|event| event.index > before);
    let skipped = events.len().saturating_sub(SENTENCES_MAX);
    let sentences: Vec<String> = events[skipped..].iter().map(ToString::to_string).collect();
    match skipped {
        0 => sentences.join(" "),
        _ => format!("{skipped} more events. {}", sentences.join(" ")),
    }
}

fn is_spoken(event: &Event) -> bool {
    !is_replication_traffic(event)
        && !matches!(
            event.kind,
            EventKind::MessageSent { .. } | EventKind::MessageArrived { .. } | EventKind::BatchAcknowledged { .. }
        )
}
