//! What a coordinator decides about a request, from what it knows of the transactional id alone.
//!
//! Follows `prepareInitProducerIdTransit`, `handleAddPartitionsToTransaction`, `endTransactionWithTV1` and
//! `endTransaction` of Kafka 4.3.1. A decision is prepared here and neither written nor answered.

use super::metadata::{TransactionMetadata, Transit, is_exhausted};
use super::refusals::Refusal;
use crate::event::TopicPartition;
use crate::message::ProducerIdentity;
use crate::time::{Duration, Time};
use crate::transaction::{MarkerKind, TransactionState};

/// What comes of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision {
    /// This step is to be written.
    Write(Transit),
    /// An open transaction has to be aborted first, in the name of this identity.
    Fence(ProducerIdentity),
    /// Nothing is left to do; the present identity is the answer.
    Done,
    /// No.
    Refuse(Refusal),
}

/// An end that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub identity: ProducerIdentity,
    pub end: MarkerKind,
    /// A client asks; otherwise it is a timeout or a new instance.
    pub is_from_client: bool,
    /// 0 or 2.
    pub version: u16,
}

/// InitProducerId, after the id was found. `new_id` gives the next producer id.
pub(crate) fn init(
    known: &mut TransactionMetadata,
    timeout: Duration,
    expected: Option<ProducerIdentity>,
    now: Time,
    new_id: impl FnOnce() -> u64,
) -> Decision {
    use TransactionState::{CompleteAbort, CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
    if known.pending.is_some() {
        return Decision::Refuse(Refusal::ConcurrentTransactions);
    }
    let is_valid = |expected: ProducerIdentity| {
        known.epoch.is_none()
            || expected.producer_id == known.producer_id
            || (Some(expected.producer_id) == known.previous_producer_id && is_exhausted(expected.epoch))
    };
    if expected.is_some_and(|expected| !is_valid(expected)) {
        return Decision::Refuse(Refusal::ProducerFenced);
    }
    match known.state {
        PrepareAbort | PrepareCommit => Decision::Refuse(Refusal::ConcurrentTransactions),
        CompleteAbort | CompleteCommit | Empty => {
            let is_current = expected.is_none_or(|expected| Some(expected.epoch) == known.epoch);
            if known.is_exhausted() && is_current {
                return Decision::Write(known.prepare_rotation(new_id(), timeout, expected.is_some(), now));
            }
            let step = known.prepare_next_epoch(timeout, expected.map(|expected| expected.epoch), now);
            step.map_or(Decision::Refuse(Refusal::ProducerFenced), Decision::Write)
        }
        Ongoing => Decision::Fence(known.prepare_fence(now).identity()),
        state => unreachable!("{state:?} is never the state that counts"),
    }
}

/// AddPartitionsToTxn.
pub(crate) fn add_partitions(
    known: &mut TransactionMetadata,
    identity: ProducerIdentity,
    partitions: &[TopicPartition],
    client_version: u16,
    now: Time,
) -> Decision {
    if known.pending.is_some() {
        return Decision::Refuse(Refusal::ConcurrentTransactions);
    }
    if let Some(refusal) = check_identity(known, identity) {
        return Decision::Refuse(refusal);
    }
    let has_all = partitions.iter().all(|partition| known.partitions.contains(partition));
    if known.state == TransactionState::Ongoing && has_all {
        return Decision::Done;
    }
    Decision::Write(known.prepare_partitions(partitions.iter().cloned(), client_version, now))
}

/// Why an identity may not take part in the transaction now.
pub(crate) fn check_identity(known: &TransactionMetadata, identity: ProducerIdentity) -> Option<Refusal> {
    use TransactionState::{PrepareAbort, PrepareCommit};
    if known.producer_id != identity.producer_id {
        Some(Refusal::InvalidProducerIdMapping)
    } else if known.epoch != Some(identity.epoch) {
        Some(Refusal::ProducerFenced)
    } else if matches!(known.state, PrepareCommit | PrepareAbort) {
        Some(Refusal::ConcurrentTransactions)
    } else {
        None
    }
}

/// EndTxn. True besides: the transaction is fenced, by a timeout or a new instance.
pub(crate) fn end(
    known: &mut TransactionMetadata,
    asked: End,
    now: Time,
    new_id: impl FnOnce() -> u64,
) -> (Decision, bool) {
    let is_fence = known.pending == Some(TransactionState::PrepareEpochFence);
    let decision = if asked.version < 2 {
        end_in_version_1(known, asked, is_fence, now)
    } else {
        end_in_version_2(known, asked, is_fence, now, new_id)
    };
    (decision, is_fence)
}

fn end_in_version_1(known: &mut TransactionMetadata, asked: End, is_fence: bool, now: Time) -> Decision {
    use TransactionState::{CompleteAbort, CompleteCommit, Ongoing, PrepareAbort, PrepareCommit};
    let epoch = asked.identity.epoch;
    if known.producer_id != asked.identity.producer_id {
        return Decision::Refuse(Refusal::InvalidProducerIdMapping);
    }
    if (asked.is_from_client && known.epoch != Some(epoch)) || known.epoch.is_none_or(|current| epoch < current) {
        return Decision::Refuse(Refusal::ProducerFenced);
    }
    if known.pending.is_some() && !is_fence {
        return Decision::Refuse(Refusal::ConcurrentTransactions);
    }
    let refusal = match (known.state, asked.end) {
        (Ongoing, end) => {
            if is_fence && end == MarkerKind::Abort {
                known.pending = None;
                known.epoch = Some(epoch);
                known.last_epoch = None;
            } else if is_fence {
                return Decision::Refuse(Refusal::ConcurrentTransactions);
            }
            return Decision::Write(known.prepare_end(prepared(end), 0, None, false, now));
        }
        (CompleteCommit, MarkerKind::Commit) | (CompleteAbort, MarkerKind::Abort) => return Decision::Done,
        (PrepareCommit, MarkerKind::Commit) | (PrepareAbort, MarkerKind::Abort) => Refusal::ConcurrentTransactions,
        _ => Refusal::InvalidTxnState,
    };
    Decision::Refuse(refusal)
}

fn end_in_version_2(
    known: &mut TransactionMetadata,
    asked: End,
    is_fence: bool,
    now: Time,
    new_id: impl FnOnce() -> u64,
) -> Decision {
    use TransactionState::{CompleteAbort, CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
    let current = known.epoch.unwrap_or(0);
    let epoch = asked.identity.epoch;
    let is_after_bump = current == epoch + 1;
    let is_after_overflow = !is_fence
        && known.previous_producer_id == Some(asked.identity.producer_id)
        && epoch == super::metadata::EPOCH_MAX - 1
        && current == 0;
    let is_valid = match known.state {
        _ if is_fence => (!asked.is_from_client || epoch == current) && epoch >= current,
        PrepareCommit | PrepareAbort => is_after_bump,
        CompleteCommit | CompleteAbort => is_after_bump || is_after_overflow || epoch == current,
        _ => epoch == current,
    };
    let is_retry = is_after_bump || is_after_overflow;
    if known.pending.is_some() && !is_fence {
        // First, so that a step over the end of the epochs is not mistaken for another producer.
        return Decision::Refuse(Refusal::ConcurrentTransactions);
    }
    if known.producer_id != asked.identity.producer_id && !is_after_overflow {
        return Decision::Refuse(Refusal::InvalidProducerIdMapping);
    }
    if !is_valid {
        return Decision::Refuse(Refusal::ProducerFenced);
    }
    let refusal = match (known.state, asked.end) {
        (Ongoing, MarkerKind::Commit) if is_fence => Refusal::ConcurrentTransactions,
        (Ongoing, end) => return end_now(known, end, is_fence, false, now, new_id),
        (CompleteCommit, MarkerKind::Commit) | (CompleteAbort, MarkerKind::Abort) if is_retry => return Decision::Done,
        (Empty, MarkerKind::Abort) if is_retry => Refusal::ProducerFenced,
        (Empty | CompleteCommit | CompleteAbort, MarkerKind::Abort) if !is_retry => {
            return end_now(known, MarkerKind::Abort, is_fence, true, now, new_id);
        }
        (PrepareCommit, MarkerKind::Commit) | (PrepareAbort, MarkerKind::Abort) => Refusal::ConcurrentTransactions,
        _ => Refusal::InvalidTxnState,
    };
    Decision::Refuse(refusal)
}

/// The end in version 2: with a new producer id to come if the epochs are used up.
fn end_now(
    known: &mut TransactionMetadata,
    end: MarkerKind,
    is_fence: bool,
    has_no_partitions: bool,
    now: Time,
    new_id: impl FnOnce() -> u64,
) -> Decision {
    let next = known.is_exhausted().then(new_id);
    if is_fence {
        // The raise that comes with the end is the fence.
        known.pending = None;
    }
    Decision::Write(known.prepare_end(prepared(end), 2, next, has_no_partitions, now))
}

/// The step that decides.
pub(crate) fn prepared(end: MarkerKind) -> TransactionState {
    match end {
        MarkerKind::Commit => TransactionState::PrepareCommit,
        MarkerKind::Abort => TransactionState::PrepareAbort,
    }
}

/// The end that a decided transaction comes to.
pub(crate) fn marker_of(state: TransactionState) -> MarkerKind {
    match state {
        TransactionState::PrepareCommit | TransactionState::CompleteCommit => MarkerKind::Commit,
        _ => MarkerKind::Abort,
    }
}

#[cfg(test)]
mod tests;
