//! What is known about the selected noun: a record, a partition, a broker, a producer, a reader, a message.
//!
//! Reads the snapshot by the id of the item on the stage. Explains nothing that the snapshot does not say.

use std::fmt::Display;

use engine::Snapshot;
use engine::event::{Decision, NodeId};
use engine::snapshot::{PartitionSnapshot, ProducerSnapshot};
use yew::{Callback, Html, Properties, component, html};

use super::key_chip;
use crate::app::session::{Rate, Session, use_session};
use crate::app::stage::strip::client_name;

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
        Some(selection) => describe(session, &session.snapshot(selection.side), &selection.id)
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

fn describe(session: &Session, snapshot: &Snapshot, id: &str) -> Option<Html> {
    let (kind, name) = id.split_once(':')?;
    match kind {
        "record" => record(session, snapshot, name),
        "partition" => partition(snapshot, name),
        "broker" => broker(snapshot, name),
        "producer" => producer(session, snapshot, name),
        "consumer" => consumer(snapshot, name),
        "message" => message(snapshot, name),
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
    Some(facts(
        heading,
        vec![
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
        ],
    ))
}

fn partition(snapshot: &Snapshot, name: &str) -> Option<Html> {
    let (topic, number) = name.rsplit_once('-')?;
    let number: u32 = number.parse().ok()?;
    let topic = snapshot.topics.iter().find(|known| &*known.name == topic)?;
    let found: &PartitionSnapshot = topic.partitions.iter().find(|known| known.partition == number)?;
    let leader = found
        .leader
        .map_or_else(|| "none".to_owned(), |leader| format!("broker {leader}, epoch {}", found.leader_epoch));
    Some(facts(
        text(format!("Partition {name}")),
        vec![
            ("leader", text(leader)),
            ("replicas", text(list(&found.replicas))),
            ("in-sync replicas", text(list(&found.isr))),
            ("log start offset", text(found.log_start_offset)),
            ("high watermark", text(found.high_watermark)),
            ("last stable offset", text(found.last_stable_offset)),
            ("log end offset", text(found.log_end_offset)),
            ("records", text(found.record_count)),
            ("size", text(format!("{} B", found.size_bytes))),
        ],
    ))
}

fn broker(snapshot: &Snapshot, name: &str) -> Option<Html> {
    let id: u32 = name.parse().ok()?;
    let broker = snapshot.brokers.iter().find(|known| known.id == id)?;
    let rack = broker.rack.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
    Some(facts(
        text(format!("Broker {id}")),
        vec![
            ("rack", text(rack)),
            ("controller", text(if broker.is_controller { "yes, it is the active one" } else { "no" })),
            ("leads", text(format!("{} partitions", broker.leader_count))),
            ("produce requests in work", text(broker.queue_size)),
        ],
    ))
}

fn producer(session: &Session, snapshot: &Snapshot, name: &str) -> Option<Html> {
    let found: &ProducerSnapshot = snapshot.producers.iter().rev().find(|known| &*known.name == name)?;
    let client = partitioner::client(&found.client);
    let knows = found
        .metadata
        .iter()
        .map(|(topic, count)| format!("{topic}: {count} partitions"))
        .collect::<Vec<_>>()
        .join(", ");
    let refresh = match (found.metadata_refreshed, found.metadata_due) {
        (Some(at), Some(due)) => format!("refreshed at {at}, due again at {due}"),
        (Some(at), None) => format!("refreshed at {at}"),
        _ => "not fetched yet".to_owned(),
    };
    let batches: Html = found.batches.iter().map(|batch| {
        let way = if batch.is_in_flight { "on its way" } else { "open" };
        html! { <li>{ format!("{}-{}: {} records, {} B, {way}", batch.topic, batch.partition, batch.record_count, batch.size_bytes) }</li> }
    }).collect();
    let last = found.last.as_ref().map_or_else(|| text("nothing yet"), |last| {
        let why = match &last.decision {
            Decision::Explicit => "the partition was named".to_owned(),
            Decision::Hashed { explanation } => explanation.sentence(),
            Decision::Keyless { partitions, .. } => format!("the keyless rule chose among {partitions} partitions"),
        };
        html! { <>{ key_chip(&session.palette(), &last.record) }{ format!(" to {}-{}: {why}", last.topic, last.partition) }</> }
    });
    let configs: Html = found
        .configs
        .iter()
        .map(|(name, value)| html! { <li><code>{ format!("{name}={value}") }</code></li> })
        .collect();
    Some(facts(
        text(format!("Producer {name}")),
        vec![
            ("client", text(client_name(&found.client))),
            ("library", text(client.map_or("unknown", |client| client.library))),
            ("state", text(format!("{:?}", found.state).to_uppercase())),
            (
                "records",
                text(format!(
                    "{} sent, {} acknowledged, {} failed, {} wait for metadata",
                    found.sent_count, found.acknowledged_count, found.failed_count, found.waiting_count
                )),
            ),
            ("last record", last),
            ("metadata", text(if knows.is_empty() { refresh } else { format!("{knows}; {refresh}") })),
            (
                "batches",
                if found.batches.is_empty() {
                    text("none")
                } else {
                    html! { <ul>{ batches }</ul> }
                },
            ),
            (
                "configs set",
                if found.configs.is_empty() {
                    text("none: all defaults")
                } else {
                    html! { <ul>{ configs }</ul> }
                },
            ),
        ],
    ))
}

fn consumer(snapshot: &Snapshot, name: &str) -> Option<Html> {
    let reader = snapshot.consumers.iter().find(|known| &*known.name == name)?;
    let positions: Html = reader
        .positions
        .iter()
        .map(|at| html! { <li>{ format!("{}-{} at {}", at.topic, at.partition, at.position) }</li> })
        .collect();
    Some(facts(
        text(format!("Reader {name}")),
        vec![("records read", text(reader.read_count)), ("positions", html! { <ul>{ positions }</ul> })],
    ))
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

/// Bytes as the strip shows them.
pub fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "0 bytes".to_owned();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn list(ids: &[u32]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
