//! Producers and readers in the inspector. Messages between them and the brokers are in the file above.

use engine::Snapshot;
use engine::event::Decision;
use engine::order::Order;
use engine::snapshot::{ClientProcess, PositionSnapshot, ProducerSnapshot};
use yew::{Html, html};

use super::{facts, groups, items, text};
use crate::app::panels::{buffer, key_chip};
use crate::app::session::Session;
use crate::app::stage::strip::client_name;

/// A producer: what it knows, holds and was given.
pub(super) fn producer(session: &Session, snapshot: &Snapshot, name: &str) -> Option<Html> {
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
    let now = session.read(scene::Player::now);
    let configs: Vec<String> = found.configs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut rows = identity(found);
    rows.extend([
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
        ("buffer", text(buffer::words(&found.buffer))),
        ("held by", items(&held(found), "no batch")),
        (
            "calls that wait",
            items(&found.calls.iter().map(|call| buffer::waits(&found.client, call, now)).collect::<Vec<_>>(), "none"),
        ),
        ("configs set", items(&configs, "none: all defaults")),
    ]);
    Some(facts(text(format!("Producer {name}")), rows))
}

/// Its process, its ids, and its transaction manager.
fn identity(found: &ProducerSnapshot) -> Vec<(&'static str, Html)> {
    let process = match found.process {
        ClientProcess::Running => "runs",
        ClientProcess::Frozen => "stands still",
        ClientProcess::Crashed => "died",
    };
    let mut rows = vec![("process", text(process))];
    if let Some((id, epoch)) = found.producer_id.zip(found.producer_epoch) {
        rows.push(("producer id", text(format!("{id}, epoch {epoch}"))));
    }
    let Some(state) = found.client_state else { return rows };
    let error =
        found.client_error.as_ref().map_or_else(|| text("none"), |error| html! { <code>{ error.to_string() }</code> });
    let partitions: Vec<String> = found.transaction_partitions.iter().map(ToString::to_string).collect();
    rows.extend([
        ("transactional.id", text(found.transactional_id.as_deref().unwrap_or("none"))),
        ("transaction manager", text(state.name())),
        ("its error", error),
        ("partitions in it", items(&partitions, "none")),
    ]);
    rows
}

/// Partitions whose batches hold memory: the largest first, as many as matter.
fn held(found: &ProducerSnapshot) -> Vec<String> {
    let mut held: Vec<_> = found.buffer.batches.iter().collect();
    held.order_by_key(|(_, count)| std::cmp::Reverse(*count));
    held.into_iter().take(8).map(|(partition, count)| format!("{partition}: {count} batches")).collect()
}

/// A reader: where it stands and from where it reads.
pub(super) fn consumer(snapshot: &Snapshot, name: &str) -> Option<Html> {
    let reader = snapshot.consumers.iter().find(|known| &*known.name == name)?;
    let position = |at: &PositionSnapshot| {
        let from = at.read_from.map_or_else(String::new, |broker| format!(", read from broker {broker}"));
        format!("{}-{} at {}{from}", at.topic, at.partition, at.position)
    };
    let positions: Vec<String> = reader.positions.iter().map(position).collect();
    let state = match (&reader.error, reader.is_paused) {
        (Some(error), _) => format!("ended by {error}"),
        (None, true) => "does not poll".to_owned(),
        (None, false) => "polls".to_owned(),
    };
    let (near, far) = reader.read_bytes;
    let what = if reader.membership.is_some() { "Consumer" } else { "Reader" };
    let mut rows = vec![("state", text(state))];
    rows.extend(groups::membership(snapshot, reader));
    rows.extend([
        ("isolation.level", text(if reader.is_read_committed { "read_committed" } else { "read_uncommitted" })),
        ("aborted records skipped", text(reader.skipped_count)),
        ("client.rack", text(reader.rack.as_deref().unwrap_or("none"))),
        ("records read", text(reader.read_count)),
        ("bytes read", text(format!("{near} B in its own rack, {far} B from others"))),
        ("positions", items(&positions, "none")),
    ]);
    Some(facts(text(format!("{what} {name}")), rows))
}
