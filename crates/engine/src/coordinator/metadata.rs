//! What a coordinator knows of one transactional id, and how it moves from state to state.
//!
//! Follows `TransactionMetadata` of Kafka 4.3.1: a step is prepared, written to the log, and only then taken.
//! Which step a request asks for is decided in `decision.rs`; nothing here knows a log.

use std::collections::BTreeSet;

use crate::event::{Name, TopicPartition};
use crate::message::ProducerIdentity;
use crate::time::{Duration, Time};
use crate::transaction::TransactionState;

/// The largest epoch; no client ever gets it.
pub(crate) const EPOCH_MAX: u16 = i16::MAX as u16;
/// `Integer.MAX_VALUE` milliseconds: the timeout of transactions that another coordinator decides (KIP-939).
pub(crate) const NO_TIMEOUT: Duration = Duration(i32::MAX as u64 * 1_000);

/// A transactional id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TransactionMetadata {
    pub transactional_id: Name,
    pub producer_id: u64,
    pub previous_producer_id: Option<u64>,
    pub next_producer_id: Option<u64>,
    /// None before the first `InitProducerId` is written.
    pub epoch: Option<u16>,
    /// The epoch before the last raise. Not in the log, so a new coordinator does not know it.
    pub last_epoch: Option<u16>,
    pub timeout: Duration,
    pub state: TransactionState,
    pub partitions: BTreeSet<TopicPartition>,
    /// When the first partition of the transaction was added.
    pub started: Option<Time>,
    pub updated: Time,
    /// 0 until the first request of transaction version 2, then 2.
    pub client_version: u16,
    /// The step that is being written.
    pub pending: Option<TransactionState>,
    /// A fence could not be written; its epoch was never given to anybody and is used for the next one.
    pub has_failed_fence: bool,
}

/// A step that is being written to the log (`TxnTransitMetadata`).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Transit {
    pub producer_id: u64,
    pub previous_producer_id: Option<u64>,
    pub next_producer_id: Option<u64>,
    pub epoch: u16,
    pub last_epoch: Option<u16>,
    pub timeout: Duration,
    pub state: TransactionState,
    pub partitions: BTreeSet<TopicPartition>,
    pub started: Option<Time>,
    pub updated: Time,
    pub client_version: u16,
}

impl Transit {
    /// Producer id and epoch.
    pub fn identity(&self) -> ProducerIdentity {
        ProducerIdentity { producer_id: self.producer_id, epoch: self.epoch }
    }
}

impl TransactionMetadata {
    /// An id that nobody has used before, or whose use is forgotten.
    pub fn new(transactional_id: Name, producer_id: u64, timeout: Duration, now: Time) -> TransactionMetadata {
        TransactionMetadata {
            transactional_id,
            producer_id,
            previous_producer_id: None,
            next_producer_id: None,
            epoch: None,
            last_epoch: None,
            timeout,
            state: TransactionState::Empty,
            partitions: BTreeSet::new(),
            started: None,
            updated: now,
            client_version: 0,
            pending: None,
            has_failed_fence: false,
        }
    }

    /// Whether the next raise needs a new producer id.
    pub fn is_exhausted(&self) -> bool {
        self.epoch.is_some_and(is_exhausted)
    }

    /// Whether a transaction may time out: one with two-phase commit never does.
    pub fn may_time_out(&self) -> bool {
        self.state == TransactionState::Ongoing && self.timeout != NO_TIMEOUT
    }

    /// Whether its expiry is only a matter of time.
    pub fn is_idle(&self) -> bool {
        self.state.is_over()
    }

    /// `prepareIncrementProducerEpoch`: the next epoch for an instance that starts, or the same once more for a
    /// request that is repeated. None: the instance is fenced.
    pub fn prepare_next_epoch(&mut self, timeout: Duration, expected: Option<u16>, now: Time) -> Option<Transit> {
        let bumped = self.epoch.map_or(0, |epoch| epoch + 1);
        let (epoch, last_epoch) = match expected {
            None => (bumped, None),
            Some(expected) if self.epoch.is_none_or(|epoch| epoch == expected) => (bumped, self.epoch),
            Some(expected) if self.last_epoch == Some(expected) => (self.epoch.unwrap_or(0), self.last_epoch),
            Some(_) => return None,
        };
        let step = Transit { epoch, last_epoch, ..self.emptied(timeout, now) };
        Some(self.prepare(step))
    }

    /// `prepareProducerIdRotation`: the epochs of the old id are used up.
    pub fn prepare_rotation(&mut self, producer_id: u64, timeout: Duration, keeps_last: bool, now: Time) -> Transit {
        let last_epoch = self.epoch.filter(|_| keeps_last);
        let step = Transit { producer_id, epoch: 0, last_epoch, ..self.emptied(timeout, now) };
        self.prepare(step)
    }

    /// `prepareAddPartitions`.
    pub fn prepare_partitions(
        &mut self,
        added: impl IntoIterator<Item = TopicPartition>,
        client_version: u16,
        now: Time,
    ) -> Transit {
        let started = if self.is_idle() { Some(now) } else { self.started };
        let mut partitions = self.partitions.clone();
        partitions.extend(added);
        let state = TransactionState::Ongoing;
        let step = Transit { state, partitions, started, client_version, ..self.same(now) };
        self.prepare(step)
    }

    /// `prepareFenceProducerEpoch`: an epoch above that of the instance whose transaction is to be aborted.
    pub fn prepare_fence(&mut self, now: Time) -> Transit {
        let epoch = self.epoch.expect("an open transaction has an epoch");
        let epoch = if self.has_failed_fence { epoch } else { (epoch + 1).min(EPOCH_MAX) };
        let step = Transit { state: TransactionState::PrepareEpochFence, epoch, ..self.same(now) };
        self.prepare(step)
    }

    /// `prepareAbortOrCommit`. From transaction version 2 on every end raises the epoch.
    pub fn prepare_end(
        &mut self,
        state: TransactionState,
        client_version: u16,
        next_producer_id: Option<u64>,
        has_no_partitions: bool,
        now: Time,
    ) -> Transit {
        let mut step = Transit { state, client_version, next_producer_id, ..self.same(now) };
        if client_version >= 2 {
            step.last_epoch = Some(step.epoch);
            step.epoch = (step.epoch + 1).min(EPOCH_MAX);
        }
        if has_no_partitions {
            step.started = Some(now);
        }
        self.prepare(step)
    }

    /// `prepareComplete`. A new producer id takes over here; what the client saw last stays the last epoch.
    pub fn prepare_complete(&mut self, now: Time) -> Transit {
        self.has_failed_fence = false;
        let state = match self.state {
            TransactionState::PrepareCommit => TransactionState::CompleteCommit,
            _ => TransactionState::CompleteAbort,
        };
        let mut step = Transit { state, partitions: BTreeSet::new(), next_producer_id: None, ..self.same(now) };
        if self.client_version >= 2
            && let Some(next) = self.next_producer_id
        {
            (step.producer_id, step.epoch) = (next, 0);
        }
        self.prepare(step)
    }

    /// `prepareDead`.
    pub fn prepare_dead(&mut self) {
        self.pending = Some(TransactionState::Dead);
    }

    /// `completeTransitionTo`: the step is in the log.
    pub fn complete(&mut self, step: &Transit) {
        assert_eq!(self.pending, Some(step.state), "only the step that was prepared can be taken");
        self.pending = None;
        self.producer_id = step.producer_id;
        self.previous_producer_id = step.previous_producer_id;
        self.next_producer_id = step.next_producer_id;
        self.epoch = Some(step.epoch);
        self.last_epoch = step.last_epoch;
        self.timeout = step.timeout;
        self.state = step.state;
        self.partitions = step.partitions.clone();
        self.started = step.started;
        self.updated = step.updated;
        self.client_version = step.client_version;
    }

    /// Nothing changes but the time.
    fn same(&self, now: Time) -> Transit {
        Transit {
            producer_id: self.producer_id,
            previous_producer_id: Some(self.producer_id),
            next_producer_id: self.next_producer_id,
            epoch: self.epoch.unwrap_or(0),
            last_epoch: self.last_epoch,
            timeout: self.timeout,
            state: self.state,
            partitions: self.partitions.clone(),
            started: self.started,
            updated: now,
            client_version: self.client_version,
        }
    }

    fn emptied(&self, timeout: Duration, now: Time) -> Transit {
        let (state, partitions, started) = (TransactionState::Empty, BTreeSet::new(), None);
        Transit { state, partitions, started, timeout, ..self.same(now) }
    }

    fn prepare(&mut self, step: Transit) -> Transit {
        assert!(self.pending.is_none(), "one step at a time: {:?} is on its way", self.pending);
        assert!(is_valid(self.state, step.state), "there is no way from {:?} to {:?}", self.state, step.state);
        self.pending = Some(step.state);
        step
    }
}

/// Whether the epochs of a producer id are used up: 32767 itself is never given to a client.
pub(crate) fn is_exhausted(epoch: u16) -> bool {
    epoch >= EPOCH_MAX - 1
}

/// `VALID_PREVIOUS_STATES`.
fn is_valid(from: TransactionState, to: TransactionState) -> bool {
    use TransactionState::{
        CompleteAbort, CompleteCommit, Dead, Empty, Ongoing, PrepareAbort, PrepareCommit, PrepareEpochFence,
    };
    match to {
        Empty | Dead => matches!(from, Empty | CompleteCommit | CompleteAbort),
        Ongoing => matches!(from, Ongoing | Empty | CompleteCommit | CompleteAbort),
        PrepareCommit | PrepareEpochFence => from == Ongoing,
        PrepareAbort => matches!(from, Ongoing | PrepareEpochFence | Empty | CompleteCommit | CompleteAbort),
        CompleteCommit => from == PrepareCommit,
        CompleteAbort => from == PrepareAbort,
    }
}
