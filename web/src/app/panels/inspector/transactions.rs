//! Transactional ids, markers, and what records and partitions know of producers, in the inspector.
//!
//! A transaction's board with its states is a panel of its own.

use engine::Snapshot;
use engine::snapshot::{
    AbortedTransaction, Fate, PartitionSnapshot, ProducerSnapshot, ProducerStateSnapshot, RecordOrigin,
    TransactionLogSnapshot, TransactionSnapshot,
};
use engine::transaction::{MarkerKind, TransactionState};
use yew::{Html, html};

use super::{facts, items, partition_named, text};
use crate::app::panels::transaction_board::coordinator_words;

/// A transactional id: the coordinator's metadata, who uses it, and its log.
pub(super) fn transaction(snapshot: &Snapshot, name: &str) -> Option<Html> {
    let found: &TransactionSnapshot = snapshot.transactions.iter().find(|one| &*one.transactional_id == name)?;
    let users = snapshot.producers.iter().filter(|one| one.transactional_id.as_ref() == Some(&found.transactional_id));
    let users: Vec<String> = users.map(user).collect();
    let pending = found.pending_state.map_or("none", TransactionState::name);
    let epoch = |epoch: Option<u16>| epoch.map_or_else(|| "none".to_owned(), |epoch| epoch.to_string());
    let partitions: Vec<String> = found.partitions.iter().map(ToString::to_string).collect();
    let rows = vec![
        ("state", text(found.state.name())),
        ("pending state", text(pending)),
        ("producer id", text(found.producer_id)),
        ("epoch", text(epoch(found.epoch))),
        ("last epoch", text(epoch(found.last_epoch))),
        ("transaction.timeout.ms", text(found.timeout)),
        ("started", found.started.map_or_else(|| text("not open"), text)),
        ("partitions", items(&partitions, "none")),
        ("coordinator", text(coordinator_words(found))),
        ("instances", items(&users, "none")),
    ];
    Some(html! { <>{ facts(text(format!("Transactional id {name}")), rows) }{ log(&found.log) }</> })
}

fn user(producer: &ProducerSnapshot) -> String {
    let state = producer.client_state.map_or("", engine::transaction::ClientState::name);
    match producer.producer_epoch {
        Some(epoch) => format!("{}: {state}, epoch {epoch}", producer.name),
        None => format!("{}: {state}", producer.name),
    }
}

fn log(log: &[TransactionLogSnapshot]) -> Html {
    if log.is_empty() {
        return Html::default();
    }
    let row = |one: &TransactionLogSnapshot| {
        let partitions: Vec<String> = one.partitions.iter().map(ToString::to_string).collect();
        html! {
            <tr key={one.offset}>
                <td class="number">{ one.offset }</td><td>{ one.state.map_or("tombstone", TransactionState::name) }</td>
                <td class="number">{ one.epoch.map_or_else(|| "–".to_owned(), |epoch| epoch.to_string()) }</td><td class="mono">{ partitions.join(", ") }</td>
            </tr>
        }
    };
    html! {
        <div class="table-frame" tabindex="0" role="region" aria-label="Its records in the coordinator's log">
            <table class="table">
                <thead><tr>{ for ["Offset", "State", "Epoch", "Partitions"].map(|name| html! { <th key={name} scope="col">{ name }</th> }) }</tr></thead>
                <tbody>{ for log.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

/// A control record by its partition and offset, such as `fares-2@41`; a follower's has its broker behind it.
pub(super) fn marker(snapshot: &Snapshot, name: &str) -> Option<Html> {
    let mut parts = name.split('@');
    let (partition_name, offset) = (parts.next()?, parts.next()?.parse::<u64>().ok()?);
    let (_, partition) = partition_named(&snapshot.topics, partition_name)?;
    let held = partition.records.iter().find(|record| record.offset == offset)?;
    let origin = held.origin.as_ref()?;
    let name = if origin.marker? == MarkerKind::Commit { "COMMIT" } else { "ABORT" };
    let mut rows = vec![
        ("partition", text(partition_name)),
        ("offset", text(offset)),
        ("appended at", text(held.appended.time)),
        ("producer id", text(origin.producer_id)),
        ("epoch", text(origin.epoch)),
    ];
    rows.extend(origin.coordinator_epoch.map(|epoch| ("coordinator epoch", text(epoch))));
    rows.push(("readers", text("get no record for it: their position jumps over it")));
    Some(facts(text(format!("{name} marker")), rows))
}

/// Who wrote a record, and what became of its transaction.
pub(super) fn origin(origin: &RecordOrigin, offset: u64, partition: &PartitionSnapshot) -> Vec<(&'static str, Html)> {
    let (first, last) = origin.batch;
    let mut rows = vec![
        ("producer id", text(origin.producer_id)),
        ("epoch", text(origin.epoch)),
        ("sequence", origin.sequence.map_or_else(|| text("none"), text)),
        ("batch", text(format!("offsets {first} to {last}"))),
    ];
    let fate = match origin.fate {
        None => "not part of one",
        Some(Fate::Open) => "open: no marker yet",
        Some(Fate::Committed) => "committed",
        Some(Fate::Aborted) => "aborted",
    };
    rows.push(("transaction", text(fate)));
    let is_seen = match origin.fate {
        Some(Fate::Aborted) => "skip it",
        _ if offset < partition.last_stable_offset => "get it",
        _ => "wait: it is not below the last stable offset",
    };
    rows.push(("read_committed readers", text(is_seen)));
    rows
}

/// What a partition's leader knows of producers, and its index of aborted transactions.
pub(super) fn of_partition(found: &PartitionSnapshot) -> Html {
    html! { <>{ producers(&found.producers) }{ aborted(&found.aborted) }</> }
}

fn producers(states: &[ProducerStateSnapshot]) -> Html {
    if states.is_empty() {
        return Html::default();
    }
    let number = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let row = |state: &ProducerStateSnapshot| {
        html! {
            <tr key={state.producer_id.to_string()}>
                <td class="number">{ state.producer_id }</td><td class="number">{ state.epoch }</td>
                <td class="number">{ number(state.last_sequence.map(|value| value.to_string())) }</td>
                <td class="number">{ number(state.transaction_start.map(|value| value.to_string())) }</td>
                <td class="number">{ number(state.coordinator_epoch.map(|value| value.to_string())) }</td>
            </tr>
        }
    };
    html! {
        <div class="table-frame" tabindex="0" role="region" aria-label="Producer states">
            <table class="table">
                <thead><tr>{ for ["Producer id", "Epoch", "Last sequence", "Open since", "Coordinator epoch"].map(|name| html! { <th key={name} scope="col">{ name }</th> }) }</tr></thead>
                <tbody>{ for states.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

fn aborted(entries: &[AbortedTransaction]) -> Html {
    if entries.is_empty() {
        return Html::default();
    }
    let row = |entry: &AbortedTransaction| {
        html! {
            <tr key={entry.last_offset.to_string()}>
                { for [entry.producer_id, entry.first_offset, entry.last_offset, entry.last_stable_offset].into_iter().enumerate()
                    .map(|(index, value)| html! { <td key={index} class="number">{ value }</td> }) }
            </tr>
        }
    };
    html! {
        <div class="table-frame" tabindex="0" role="region" aria-label="Index of aborted transactions">
            <table class="table">
                <thead><tr>{ for ["Aborted: id", "First offset", "Last offset", "LSO then"].map(|name| html! { <th key={name} scope="col">{ name }</th> }) }</tr></thead>
                <tbody>{ for entries.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
