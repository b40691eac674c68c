//! Which partition count each producer knows, and when it learned of it: the window after a topic has grown.

use engine::event::{EventKind, NodeId};
use engine::snapshot::ProducerSnapshot;
use yew::{Html, Properties, component, html};

use crate::app::session::{Rate, Session, use_session};

/// Refreshes that are listed: the last ones.
const ROWS_MAX: usize = 40;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct WindowProps {
    /// The session.
    pub session: Session,
}

/// The producers, then the refreshes.
#[component]
pub fn MetadataWindow(props: &WindowProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(0);
    let counts: Vec<(String, u32)> =
        snapshot.topics.iter().map(|topic| (topic.name.to_string(), topic.partitions.len() as u32)).collect();
    let refreshes = session.recent_where(0, ROWS_MAX, &|event| {
        matches!(
            event.kind,
            EventKind::MetadataRefreshed { client: NodeId::Producer { .. }, .. } | EventKind::PartitionsCreated { .. }
        )
    });
    html! {
        <section class="panel" aria-label="What producers know">
            <h2>{ "What producers know" }</h2>
            <div class="table-frame" tabindex="0" role="region" aria-label="Producers and the counts that they know">
            <table class="table">
                <thead><tr><th scope="col">{ "Producer" }</th><th scope="col">{ "Knows" }</th><th scope="col">{ "Refreshed" }</th><th scope="col">{ "Due again" }</th></tr></thead>
                <tbody>{ for snapshot.producers.iter().map(|producer| row(producer, &counts)) }</tbody>
            </table>
            </div>
            <ul class="refreshes">{ for refreshes.iter().map(|event| html! { <li key={event.index}><span class="mono">{ event.moment.time.to_string() }</span>{ " " }{ event.to_string() }</li> }) }</ul>
        </section>
    }
}

fn row(producer: &ProducerSnapshot, counts: &[(String, u32)]) -> Html {
    let is_stale =
        counts.iter().any(|(topic, count)| producer.metadata.get(topic.as_str()).is_some_and(|known| known != count));
    let knows =
        producer.metadata.iter().map(|(topic, count)| format!("{topic}: {count}")).collect::<Vec<_>>().join(", ");
    let time = |time: Option<engine::Time>| time.map_or_else(|| "–".to_owned(), |time| time.to_string());
    html! {
        <tr key={producer.name.to_string()} class={if is_stale { "differs" } else { "" }}>
            <td>{ producer.name.to_string() }</td>
            <td>{ knows }{ if is_stale { " (the topic has grown since)" } else { "" } }</td>
            <td class="mono">{ time(producer.metadata_refreshed) }</td><td class="mono">{ time(producer.metadata_due) }</td>
        </tr>
    }
}
