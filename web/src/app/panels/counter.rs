//! Records by what came of them, and the offsets that records and markers take.
//!
//! Counts of the snapshot, compared with nothing.

use engine::snapshot::{PartitionSnapshot, ProducerSnapshot, TopicSnapshot};
use yew::{Html, Properties, component, html};

use crate::app::session::{Rate, Session, use_session};

/// Partitions that are listed: those that hold anything.
const PARTITIONS_MAX: usize = 24;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct CounterProps {
    /// The session.
    pub session: Session,
}

/// Producers, then partitions.
#[component]
pub fn Counter(props: &CounterProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(0);
    let acknowledged: u64 = snapshot.producers.iter().map(|producer| producer.acknowledged_count).sum();
    let logs: Vec<(&TopicSnapshot, &PartitionSnapshot)> = snapshot
        .topics
        .iter()
        .filter(|topic| !topic.is_internal)
        .flat_map(|topic| topic.partitions.iter().map(move |partition| (topic, partition)))
        .filter(|(_, partition)| partition.log_end_offset > 0)
        .collect();
    let offsets: u64 = logs.iter().map(|(_, partition)| partition.log_end_offset).sum();
    html! {
        <section class="panel counter" aria-label="Counter">
            <h2>{ "Records and offsets" }</h2>
            <p>{ format!("{acknowledged} records acknowledged, {offsets} offsets used.") }</p>
            <div class="table-frame" tabindex="0" role="region" aria-label="Records of each producer">
                <table class="table">
                    <thead><tr>{ heads(&["Producer", "Sent", "Acknowledged", "Failed", "On their way"]) }</tr></thead>
                    <tbody>{ for snapshot.producers.iter().map(producer) }</tbody>
                </table>
            </div>
            if !logs.is_empty() {
                <div class="table-frame" tabindex="0" role="region" aria-label="Offsets of each partition">
                    <table class="table">
                        <thead><tr>{ heads(&["Partition", "Log end", "LSO", "Committed", "Aborted", "Open", "Markers"]) }</tr></thead>
                        <tbody>{ for logs.iter().take(PARTITIONS_MAX).map(|(topic, log)| partition(topic, log)) }</tbody>
                    </table>
                </div>
                <p class="hint">{ "Fates and markers are those of the last records in view; a marker takes one offset." }</p>
            }
        </section>
    }
}

/// The heads of a table whose first column names its rows and whose others count.
fn heads(names: &[&'static str]) -> Html {
    let head = |(place, name): (usize, &&'static str)| {
        html! { <th key={*name} scope="col" class={(place > 0).then_some("number")}>{ *name }</th> }
    };
    names.iter().enumerate().map(head).collect()
}

fn producer(producer: &ProducerSnapshot) -> Html {
    let ended = producer.acknowledged_count + producer.failed_count;
    html! {
        <tr key={producer.name.to_string()}>
            <th scope="row">{ producer.name.to_string() }</th>
            <td class="number">{ producer.sent_count }</td><td class="number">{ producer.acknowledged_count }</td>
            <td class="number">{ producer.failed_count }</td><td class="number">{ producer.sent_count.saturating_sub(ended) }</td>
        </tr>
    }
}

fn partition(topic: &TopicSnapshot, log: &PartitionSnapshot) -> Html {
    let counts = Fates::of(log);
    let name = format!("{}-{}", topic.name, log.partition);
    html! {
        <tr key={name.clone()}>
            <th scope="row" class="mono">{ name.clone() }</th>
            { for [log.log_end_offset, log.last_stable_offset, counts.committed, counts.aborted, counts.open, counts.markers].into_iter().enumerate()
                .map(|(index, value)| html! { <td key={index} class="number">{ value }</td> }) }
        </tr>
    }
}

/// Records of a log by the fate of their transaction; records outside of transactions count as committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fates {
    committed: u64,
    aborted: u64,
    open: u64,
    markers: u64,
}

impl Fates {
    fn of(log: &PartitionSnapshot) -> Fates {
        use engine::snapshot::Fate;
        let mut fates = Fates::default();
        for record in &log.records {
            let origin = record.origin.as_ref();
            let place = match (origin.and_then(|origin| origin.marker), origin.and_then(|origin| origin.fate)) {
                (Some(_), _) => &mut fates.markers,
                (None, Some(Fate::Open)) => &mut fates.open,
                (None, Some(Fate::Aborted)) => &mut fates.aborted,
                (None, Some(Fate::Committed) | None) => &mut fates.committed,
            };
            *place += 1;
        }
        fates
    }
}
