//! Each transactional id: its states in order, epoch, partitions with and without their marker, and its coordinator.
//!
//! Everything is the coordinator's and the leaders' own; the board decides nothing about a transaction.

use engine::Snapshot;
use engine::event::TopicPartition;
use engine::snapshot::{LogRecord, TransactionLogSnapshot, TransactionSnapshot};
use engine::transaction::{MarkerKind, TransactionState};
use yew::{AttrValue, Callback, Html, Properties, component, html};

use crate::app::session::{Rate, Selection, Session, use_session};

/// Ids on the board, at most; the rest is counted.
const IDS_MAX: usize = 12;
/// Records of the coordinator's log that are shown: the last ones.
const STATES_MAX: usize = 8;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TransactionBoardProps {
    /// The session.
    pub session: Session,
}

/// The board.
#[component]
pub fn TransactionBoard(props: &TransactionBoardProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(0);
    let rest = snapshot.transactions.len().saturating_sub(IDS_MAX);
    html! {
        <section class="panel transaction-board" aria-label="Transaction board">
            <h2>{ "Transactions" }</h2>
            if snapshot.transactions.is_empty() { <p class="empty">{ "No coordinator knows a transactional id yet." }</p> }
            { for snapshot.transactions.iter().take(IDS_MAX).map(|transaction| one(session, &snapshot, transaction)) }
            if rest > 0 { <p class="empty">{ format!("and {rest} more ids") }</p> }
        </section>
    }
}

fn one(session: &Session, snapshot: &Snapshot, transaction: &TransactionSnapshot) -> Html {
    let id = transaction.transactional_id.to_string();
    let onclick = {
        let (session, id) = (session.clone(), format!("transaction:{id}"));
        Callback::from(move |_| session.select(Some(Selection { side: 0, id: id.as_str().into() })))
    };
    html! {
        <article key={id.clone()} class="transaction">
            <h3><button class="link" {onclick}>{ &id }</button><span class="mono identity">{ identity(transaction) }</span></h3>
            <p>{ coordinator_words(transaction) }</p>
            { states(transaction) }
            { partitions(snapshot, transaction) }
        </article>
    }
}

/// "4001, epoch 2".
fn identity(transaction: &TransactionSnapshot) -> String {
    let epoch = transaction.epoch.map_or_else(|| "no epoch".to_owned(), |epoch| format!("epoch {epoch}"));
    format!("producer id {}, {epoch}", transaction.producer_id)
}

/// Who coordinates an id, and where it is logged.
pub fn coordinator_words(transaction: &TransactionSnapshot) -> String {
    let log = format!("__transaction_state-{}", transaction.partition);
    match transaction.coordinator {
        Some(broker) => format!("Coordinated by broker {broker}, logged in {log}."),
        None => format!("No broker coordinates it now; its log is {log}."),
    }
}

/// The records of the coordinator's log, the state that counts, and one that is on its way into the log.
fn states(transaction: &TransactionSnapshot) -> Html {
    let skipped = transaction.log.len().saturating_sub(STATES_MAX);
    let last = transaction.log.len().checked_sub(1);
    let is_pending = transaction.pending_state.is_some();
    let item = |(index, logged): (usize, &TransactionLogSnapshot)| {
        let is_now = Some(index) == last && !is_pending;
        let class = if is_now { "state-pill now" } else { "state-pill" };
        html! {
            <li key={logged.offset} {class} aria-current={is_now.then_some("step")}>
                { logged.state.map_or("tombstone", TransactionState::name) }<small class="mono">{ format!("@{}", logged.offset) }</small>
            </li>
        }
    };
    html! {
        <ol class="state-pills" aria-label="States in the coordinator's log">
            if skipped > 0 { <li class="state-pill">{ format!("{skipped} earlier") }</li> }
            { for transaction.log.iter().enumerate().skip(skipped).map(item) }
            if let Some(pending) = transaction.pending_state {
                <li class="state-pill pending">{ pending.name() }<small>{ "not replicated yet" }</small></li>
            }
        </ol>
    }
}

/// What became of a partition of the last transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landed {
    /// Its transaction is open.
    Open,
    /// The decision is made; its marker is not in the log yet.
    Waiting(MarkerKind),
    /// Its marker, at an offset.
    Marker(MarkerKind, u64),
}

impl Landed {
    fn words(self) -> String {
        let name = |kind| if kind == MarkerKind::Commit { "COMMIT" } else { "ABORT" };
        match self {
            Landed::Open => "open, no marker".to_owned(),
            Landed::Waiting(kind) => format!("waits for {}", name(kind)),
            Landed::Marker(kind, offset) => format!("{} at {offset}", name(kind)),
        }
    }
}

/// The partitions of the transaction that is open or was the last, each with what its log says.
pub fn landed(snapshot: &Snapshot, transaction: &TransactionSnapshot) -> Vec<(TopicPartition, Landed)> {
    let waits = match transaction.state {
        TransactionState::PrepareCommit => Some(MarkerKind::Commit),
        TransactionState::PrepareAbort | TransactionState::PrepareEpochFence => Some(MarkerKind::Abort),
        _ => None,
    };
    let with_partitions = |logged: &&TransactionLogSnapshot| !logged.partitions.is_empty();
    let logged = transaction.log.iter().rev().find(with_partitions).map_or(&[][..], |logged| &logged.partitions);
    let mut all = transaction.partitions.clone();
    all.extend(logged.iter().filter(|one| !transaction.partitions.contains(one)).cloned());
    let of = |partition: TopicPartition| {
        let is_listed = transaction.partitions.contains(&partition);
        let landed = match waits {
            Some(kind) if is_listed => Landed::Waiting(kind),
            None if is_listed && transaction.state == TransactionState::Ongoing => Landed::Open,
            _ => last_marker(snapshot, &partition, transaction.producer_id).unwrap_or(Landed::Open),
        };
        (partition, landed)
    };
    all.into_iter().map(of).collect()
}

fn last_marker(snapshot: &Snapshot, partition: &TopicPartition, producer_id: u64) -> Option<Landed> {
    let topic = snapshot.topics.iter().find(|topic| topic.name == partition.topic)?;
    let records = &topic.partitions.get(partition.partition as usize)?.records;
    let marker = |record: &LogRecord| {
        let origin = record.origin.as_ref().filter(|origin| origin.producer_id == producer_id)?;
        Some(Landed::Marker(origin.marker?, record.offset))
    };
    records.iter().rev().find_map(marker)
}

fn partitions(snapshot: &Snapshot, transaction: &TransactionSnapshot) -> Html {
    let rows = landed(snapshot, transaction);
    if rows.is_empty() {
        return Html::default();
    }
    let row = |(partition, landed): &(TopicPartition, Landed)| {
        let name = AttrValue::from(partition.to_string());
        html! { <div key={name.to_string()}><dt class="mono">{ name.clone() }</dt><dd>{ landed.words() }</dd></div> }
    };
    html! { <dl class="facts">{ for rows.iter().map(row) }</dl> }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(state: TransactionState, open: &[u32], logged: &[u32], expected: &[Landed]) {
        let partition = |partition: &u32| TopicPartition { topic: "t".into(), partition: *partition };
        let transaction = TransactionSnapshot {
            state,
            partitions: open.iter().map(partition).collect(),
            log: vec![TransactionLogSnapshot {
                partitions: logged.iter().map(partition).collect(),
                ..TransactionLogSnapshot::default()
            }],
            ..TransactionSnapshot::default()
        };
        let found: Vec<Landed> =
            landed(&Snapshot::default(), &transaction).into_iter().map(|(_, landed)| landed).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_partition_waits_for_its_marker_once_the_decision_is_made() {
        check(TransactionState::Ongoing, &[0, 1], &[0], &[Landed::Open, Landed::Open]);
        check(TransactionState::PrepareCommit, &[1], &[1], &[Landed::Waiting(MarkerKind::Commit)]);
        check(TransactionState::PrepareAbort, &[1], &[1], &[Landed::Waiting(MarkerKind::Abort)]);
        check(TransactionState::Empty, &[], &[], &[]);
    }
}
