//! How far each producer is from its next switch of partition, for records without a key. Counts nothing itself.

use engine::snapshot::{ProducerSnapshot, StickySnapshot};
use yew::{Html, Properties, component, html};

use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ByteMeterProps {
    /// The session.
    pub session: Session,
}

/// A meter for each producer and topic.
#[component]
pub fn ByteMeter(props: &ByteMeterProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(0);
    let states =
        snapshot.producers.iter().flat_map(|producer| producer.sticky.iter().map(move |state| (producer, state)));
    let meters: Vec<Html> = states.map(|(producer, state)| meter(producer, state)).collect();
    html! {
        <section class="panel byte-meter" aria-label="Bytes towards the switch">
            <h2>{ "Bytes towards the switch" }</h2>
            if meters.is_empty() { <p class="empty">{ "No record without a key has been sent yet." }</p> }
            { for meters }
        </section>
    }
}

fn meter(producer: &ProducerSnapshot, state: &StickySnapshot) -> Html {
    let place = state
        .partition
        .map_or_else(|| "no partition yet".to_owned(), |partition| format!("on {}-{partition}", state.topic));
    let (words, share) = match state.threshold_bytes {
        0 => ("this client does not count bytes".to_owned(), None),
        threshold => (
            format!("{} of {threshold} bytes", state.produced_bytes),
            Some(f64::from(state.produced_bytes) / f64::from(threshold)),
        ),
    };
    html! {
        <div key={format!("{} {}", producer.name, state.topic)} class="meter-row">
            <p><strong>{ producer.name.to_string() }</strong>{ format!(" {place}: {words}") }</p>
            if let Some(share) = share {
                <svg class="meter" width="100%" height="14" role="img" aria-label={words}>
                    // The track ends at twice the threshold: a producer may pass the first mark while a batch is open.
                    <rect class="meter-track" width="100%" height="14" rx="7" />
                    <rect class="meter-fill" width={format!("{:.1}%", (share * 50.0).min(100.0))} height="14" rx="7" />
                    <rect class="meter-mark" x="50%" width="2" height="14" />
                </svg>
            }
        </div>
    }
}
