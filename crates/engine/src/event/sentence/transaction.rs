//! What happened to transactions, in sentences.
//!
//! Commands that asked for it are in `command.rs`.

use std::fmt;

use super::count;
use crate::time::Duration;
use crate::transaction::{MarkerKind, TransactionEvent, TransactionState, WaitReason};

/// The sentence of an event.
pub(super) fn sentence(out: &mut fmt::Formatter<'_>, event: &TransactionEvent) -> fmt::Result {
    match event {
        TransactionEvent::ProducerIdAssigned { producer, producer_id, epoch } => {
            write!(out, "{producer} has producer id {producer_id} with epoch {epoch}.")
        }
        TransactionEvent::ProducerEpochRaised { producer, producer_id, epoch } => {
            write!(out, "{producer}: epoch of producer id {producer_id} is now {epoch}; sequences start at 0.")
        }
        TransactionEvent::ClientStateChanged { producer, state, error, .. } => {
            write!(out, "{producer} is {}", state.name())?;
            match error {
                Some(error) => write!(out, ": {error}"),
                None => write!(out, "."),
            }
        }
        TransactionEvent::CallBlocked { producer, call, reason, .. } => {
            let what = match reason {
                WaitReason::Metadata => "metadata",
                WaitReason::Buffer => "room in its buffer",
                WaitReason::Coordinator => "the transaction coordinator",
                WaitReason::Batches => "batches to be acknowledged",
            };
            write!(out, "{producer}: {}() waits for {what}.", call.method())
        }
        TransactionEvent::CallReturned { producer, call, waited, error } => {
            let waited = if waited.0 < 1_000 { *waited } else { Duration::from_millis(waited.millis()) };
            write!(out, "{producer}: {}() ended after {waited}", call.method())?;
            match error {
                Some(error) => write!(out, " with {error}"),
                None => write!(out, "."),
            }
        }
        TransactionEvent::ClientCrashed { client } => write!(out, "The process of {client} died."),
        TransactionEvent::ClientFrozen { client } => write!(out, "The process of {client} stands still."),
        TransactionEvent::ClientThawed { client } => write!(out, "The process of {client} goes on."),
        other => coordinated(out, other),
    }
}

/// Events of coordinators and partition leaders.
fn coordinated(out: &mut fmt::Formatter<'_>, event: &TransactionEvent) -> fmt::Result {
    match event {
        TransactionEvent::CoordinatorLoaded { broker, partition, transactional_ids } => {
            let ids = count(*transactional_ids, "transactional id");
            write!(out, "Broker {broker} coordinates __transaction_state-{partition}: {ids}.")
        }
        TransactionEvent::TransactionStateLogged { transactional_id, state, .. } => {
            write!(out, "Coordinator wrote {} for {transactional_id}.", state.name())
        }
        TransactionEvent::TransactionStateChanged { transactional_id, state, epoch, partitions, .. } => {
            write!(out, "{transactional_id} is {}, epoch {epoch}", state.name())?;
            match state {
                TransactionState::Ongoing | TransactionState::PrepareCommit | TransactionState::PrepareAbort => {
                    write!(out, ", {}.", count(partitions.len(), "partition"))
                }
                _ => write!(out, "."),
            }
        }
        TransactionEvent::TransactionTimedOut { transactional_id, open_for, limit, .. } => {
            let (open_for, limit) = (seconds(*open_for), seconds(*limit));
            write!(out, "Transaction of {transactional_id} open for {open_for}, limit {limit}: aborting.")
        }
        TransactionEvent::ProducerFenced { broker, transactional_id, producer_id, epoch, current } => {
            match transactional_id {
                Some(id) => write!(out, "Broker {broker} refused {id}: epoch {epoch}, current {current}."),
                None => {
                    write!(out, "Broker {broker} refused producer {producer_id}: epoch {epoch}, current {current}.")
                }
            }
        }
        TransactionEvent::MarkerAppended { partition, marker, epoch, offset, .. } => {
            let marker = if *marker == MarkerKind::Commit { "COMMIT" } else { "ABORT" };
            write!(out, "{marker} marker at {partition} offset {offset}, epoch {epoch}.")
        }
        TransactionEvent::MarkerSkipped { partition, .. } => {
            write!(out, "No marker was sent to {partition}: it has no leader.")
        }
        TransactionEvent::LastStableOffsetAdvanced { partition, last_stable_offset } => {
            write!(out, "Last stable offset of {partition} is {last_stable_offset}.")
        }
        TransactionEvent::TransactionalIdExpired { transactional_id, .. } => {
            write!(out, "The coordinator forgot {transactional_id}: it was not used for too long.")
        }
        other => unreachable!("{other:?} has its sentence above"),
    }
}

/// A length in seconds, as limits of transactions are thought of.
fn seconds(length: Duration) -> String {
    let millis = length.millis();
    if millis.is_multiple_of(1_000) {
        format!("{} s", millis / 1_000)
    } else {
        format!("{}.{:03} s", millis / 1_000, millis % 1_000)
    }
}
