//! What is known about the selected noun: a record, a partition, a replica, a broker, a producer, a reader, a message.
//!
//! Reads the snapshot by the id of the item on the stage. Explains nothing that the snapshot does not say.

mod clients;
mod cluster;
mod groups;
mod transactions;

use std::fmt::Display;

use engine::Snapshot;
use engine::event::{NodeId, TopicPartition};
use engine::snapshot::{BrokerState, PartitionSnapshot, TopicSnapshot};
use yew::{Callback, Html, Properties, component, html};

use super::key_chip;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct InspectorProps {
    /// The session.
    pub session: Session,
}

/// The inspector.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let selection = session.selection();
    let close = {
        let session = session.clone();
        Callback::from(move |_| session.select(None))
    };
    let body = match &selection {
        Some(selection) => describe(session, selection.side, &selection.id)
            .unwrap_or_else(|| html! { <p class="empty">{ "It does not exist at this moment." }</p> }),
        None => {
            html! { <p class="empty">{ "Select anything in the picture: a record, a partition, a broker, a producer." }</p> }
        }
    };
    html! {
        <section class="panel inspector" aria-label="Inspector">
            <div class="panel-head">
                <h2>{ "Inspector" }</h2>
                if selection.is_some() { <button class="button quiet" onclick={close}>{ "Clear" }</button> }
            </div>
            { body }
        </section>
    }
}

fn describe(session: &Session, side: usize, id: &str) -> Option<Html> {
    let (kind, name) = id.split_once(':')?;
    let snapshot = &session.snapshot(side);
    match kind {
        "record" => record(session, snapshot, name.split('@').next()?),
        "partition" => cluster::partition(session, side, name),
        "replica" => cluster::replica(session, side, name),
        "broker" => cluster::broker(session, side, name.split(':').next()?),
        "producer" => clients::producer(session, snapshot, name),
        "consumer" => clients::consumer(snapshot, name),
        "group" => groups::group(session, side, snapshot, name),
        "message" => message(snapshot, name),
        "marker" => transactions::marker(snapshot, name),
        "transaction" => transactions::transaction(snapshot, name),
        _ => None,
    }
}

/// A list of facts under a heading.
fn facts(heading: Html, rows: Vec<(&'static str, Html)>) -> Html {
    html! {
        <>
            <h3 class="noun">{ heading }</h3>
            <dl class="facts">
                { for rows.into_iter().map(|(name, value)| html! { <div key={name}><dt>{ name }</dt><dd>{ value }</dd></div> }) }
            </dl>
        </>
    }
}

fn text(value: impl Display) -> Html {
    html! { value.to_string() }
}

fn record(session: &Session, snapshot: &Snapshot, name: &str) -> Option<Html> {
    let (producer, number) = name.split_once('-')?;
    let (producer, number) = (producer.parse::<u32>().ok()?, number.parse::<u64>().ok()?);
    let found = snapshot.topics.iter().find_map(|topic| {
        topic.partitions.iter().find_map(|partition| {
            let record = partition
                .records
                .iter()
                .find(|held| held.record.id.producer == producer && held.record.id.number == number)?;
            Some((topic, partition, record))
        })
    });
    let (topic, partition, held) = found?;
    let record = &held.record;
    let bytes = record.key.as_ref().map_or_else(|| "none (null key)".to_owned(), |key| hex(key));
    let heading = html! { <>{ "Record " }{ key_chip(&session.palette(), record) }</> };
    let mut rows = vec![
        ("partition", text(format!("{}-{}", topic.name, partition.partition))),
        ("offset", text(held.offset)),
        ("key bytes", html! { <code>{ bytes }</code> }),
        (
            "value",
            record
                .value
                .as_ref()
                .map_or_else(|| text("none (tombstone)"), |value| html! { <code>{ value.to_string() }</code> }),
        ),
        ("value size", text(format!("{} B", record.value_size))),
        ("producer", text(&record.producer)),
        ("send() at", text(record.timestamp)),
        ("appended at", text(held.appended.time)),
        (
            "readable",
            text(if held.offset < partition.high_watermark { "yes, below the high watermark" } else { "not yet" }),
        ),
    ];
    rows.extend(held.origin.iter().flat_map(|origin| transactions::origin(origin, held.offset, partition)));
    Some(facts(heading, rows))
}

fn message(snapshot: &Snapshot, name: &str) -> Option<Html> {
    let id: u64 = name.parse().ok()?;
    let message = snapshot.in_flight.iter().find(|known| known.id == id)?;
    let kind = if message.is_response { "answer" } else { "request" };
    let batches: Html = message.batches.iter().map(|batch| {
        html! { <li>{ format!("{}-{}: {} records, {} B", batch.partition.topic, batch.partition.partition, batch.records.len(), batch.size_bytes) }</li> }
    }).collect();
    let error =
        message.error.as_ref().map_or_else(|| text("none"), |error| html! { <code>{ error.to_string() }</code> });
    Some(facts(
        text(format!("{:?} {kind}", message.api)),
        vec![
            ("from", text(node_name(&message.from))),
            ("to", text(node_name(&message.to))),
            ("sent", text(message.sent.time)),
            ("arrives", text(message.arrives)),
            (
                "batches",
                if message.batches.is_empty() {
                    text("none")
                } else {
                    html! { <ul>{ batches }</ul> }
                },
            ),
            ("error", error),
        ],
    ))
}

/// A node in words.
pub fn node_name(node: &NodeId) -> String {
    match node {
        NodeId::Controller => "the controller".to_owned(),
        NodeId::Broker { id } => format!("broker {id}"),
        NodeId::Producer { name } | NodeId::Consumer { name } => name.to_string(),
        NodeId::Admin => "the Admin client".to_owned(),
    }
}

/// Items one below the other, or a word for none.
fn items(rows: &[String], none: &'static str) -> Html {
    if rows.is_empty() {
        return text(none);
    }
    html! { <ul>{ for rows.iter().map(|row| html! { <li key={row.clone()}>{ row }</li> }) }</ul> }
}

/// How a process is, in a word or two.
pub fn process_state(state: BrokerState) -> &'static str {
    match state {
        BrokerState::Running => "running",
        BrokerState::ShuttingDown => "shutting down",
        BrokerState::Paused => "paused",
        BrokerState::Stopped => "stopped",
    }
}

/// The partition of a name such as `page-views-2`.
pub fn partition_named<'a>(
    topics: &'a [TopicSnapshot],
    name: &str,
) -> Option<(&'a TopicSnapshot, &'a PartitionSnapshot)> {
    let (topic, number) = TopicPartition::split(name)?;
    let topic = topics.iter().find(|known| &*known.name == topic)?;
    Some((topic, topic.partitions.get(number as usize)?))
}

/// Bytes as the strip shows them.
pub fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "0 bytes".to_owned();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn list(ids: &[u32]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: Option<u32>) {
        let partitions = (0..3).map(|partition| PartitionSnapshot { partition, ..PartitionSnapshot::default() });
        let topic =
            TopicSnapshot { name: "page-views".into(), partitions: partitions.collect(), ..TopicSnapshot::default() };
        assert_eq!(partition_named(&[topic], name).map(|(_, found)| found.partition), expected, "{name}");
    }

    #[test]
    fn a_partition_is_found_by_its_name() {
        check("page-views-2", Some(2));
        check("page-views-3", None);
        check("page-views", None);
        check("views-0", None);
    }
}
