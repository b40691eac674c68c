//! What a log knows about the producers that wrote to it: their last batches, so that repeated ones are
//! recognized and gaps are refused, their epochs, and where their open transactions began.
//!
//! Follows `ProducerStateEntry` and `ProducerAppendInfo` of Kafka 4.3.1. Which transactions hold readers back
//! is in `transactions.rs`.

use std::collections::{BTreeMap, VecDeque};

use super::batch::{Batch, Control, ProducerStamp};
use crate::error::KafkaError;
use crate::time::{Duration, Time};

/// `NUM_BATCHES_TO_RETAIN`: batches of a producer that are known again.
const BATCHES_REMEMBERED: usize = 5;
/// `Short.MAX_VALUE`: the epoch after which a producer id is used up.
const EPOCH_MAX: u16 = 32_767;

/// The state of all producers of a log, by producer id.
pub(crate) type ProducerStates = BTreeMap<u64, ProducerState>;

/// What is known about one producer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProducerState {
    pub epoch: u16,
    /// The last batches of this epoch, oldest first.
    pub batches: VecDeque<KnownBatch>,
    /// Timestamp of the last batch or marker, in milliseconds.
    pub last_timestamp: i64,
    /// Of the coordinator that wrote the last marker.
    pub coordinator_epoch: Option<u32>,
    /// First offset of the open transaction.
    pub transaction_start: Option<u64>,
}

/// A batch that would be recognized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KnownBatch {
    pub base_sequence: i32,
    pub last_sequence: i32,
    pub base_offset: u64,
    pub last_offset: u64,
    pub timestamp: i64,
}

/// When producers are forgotten: `producer.id.expiration.ms` after their last batch, at the next check of
/// `producer.id.expiration.check.interval.ms`. Checks take no events: what they would have dropped is not
/// seen any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProducerExpiry {
    /// When the log was opened; checks are counted from here.
    pub since: Time,
    pub after: Duration,
    pub every: Duration,
}

impl Default for ProducerExpiry {
    fn default() -> ProducerExpiry {
        ProducerExpiry { since: Time::ZERO, after: Duration::from_secs(86_400), every: Duration::from_secs(600) }
    }
}

impl ProducerExpiry {
    /// Whether the last check before `now` would have dropped a producer. Open transactions keep theirs.
    pub fn is_over(&self, state: &ProducerState, now_ms: i64) -> bool {
        if state.transaction_start.is_some() {
            return false;
        }
        let since = self.since.millis() as i64;
        let every = (self.every.millis() as i64).max(1);
        let checked = now_ms - (now_ms - since).rem_euclid(every);
        checked > since && checked.saturating_sub(state.last_timestamp) >= self.after.millis() as i64
    }
}

impl ProducerState {
    fn new(epoch: u16, last_timestamp: i64) -> ProducerState {
        let batches = VecDeque::new();
        ProducerState { epoch, batches, last_timestamp, coordinator_epoch: None, transaction_start: None }
    }

    /// Batches of older epochs are forgotten (`maybeUpdateProducerEpoch`).
    fn take_epoch(&mut self, epoch: u16) {
        if self.epoch != epoch {
            self.epoch = epoch;
            self.batches.clear();
        }
    }

    /// The batch that this one repeats (`findDuplicateBatch`).
    fn repeated(&self, stamp: ProducerStamp, count: u32) -> Option<&KnownBatch> {
        if stamp.base_sequence < 0 {
            return None;
        }
        let last_sequence = sequence_after(stamp.base_sequence, count - 1);
        let is_same =
            |batch: &&KnownBatch| batch.base_sequence == stamp.base_sequence && batch.last_sequence == last_sequence;
        self.batches.iter().find(is_same).filter(|_| stamp.epoch == self.epoch)
    }

    /// Offset of the last record, if a batch is remembered.
    pub fn last_data_offset(&self) -> Option<u64> {
        self.batches.back().map(|last| last.last_offset)
    }
}

/// The sequence `count` records after another; after 2147483647 comes 0.
pub(crate) fn sequence_after(sequence: i32, count: u32) -> i32 {
    ((i64::from(sequence) + i64::from(count)) % (i64::from(i32::MAX) + 1)) as i32
}

/// Takes a batch of records in that was appended. True if a transaction begins with it.
pub(crate) fn remember(states: &mut ProducerStates, batch: &Batch) -> bool {
    let Some(stamp) = batch.stamp else { return false };
    let known = KnownBatch {
        base_sequence: stamp.base_sequence,
        last_sequence: match stamp.base_sequence {
            -1 => -1,
            base => sequence_after(base, (batch.last_offset - batch.base_offset) as u32),
        },
        base_offset: batch.base_offset,
        last_offset: batch.last_offset,
        timestamp: batch.max_timestamp,
    };
    let new = || ProducerState::new(stamp.epoch, batch.max_timestamp);
    let state = states.entry(stamp.producer_id).or_insert_with(new);
    state.take_epoch(stamp.epoch);
    state.last_timestamp = batch.max_timestamp;
    state.batches.push_back(known);
    if state.batches.len() > BATCHES_REMEMBERED {
        state.batches.pop_front();
    }
    let begins = batch.is_transactional && state.transaction_start.is_none();
    if begins {
        state.transaction_start = Some(batch.base_offset);
    }
    begins
}

/// Takes a marker in that was appended (`appendEndTxnMarker`). Gives the first offset of the transaction that
/// it ends, if one was open.
pub(crate) fn complete(states: &mut ProducerStates, batch: &Batch, control: Control) -> Option<u64> {
    let stamp = batch.stamp?;
    let new = || ProducerState::new(stamp.epoch, batch.max_timestamp);
    let state = states.entry(stamp.producer_id).or_insert_with(new);
    state.take_epoch(stamp.epoch);
    state.coordinator_epoch = Some(control.coordinator_epoch);
    state.last_timestamp = batch.max_timestamp;
    state.transaction_start.take()
}

/// A batch of records that a client wants to append.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incoming {
    pub stamp: ProducerStamp,
    pub count: u32,
    pub is_transactional: bool,
    /// It has to be verified first, and was not.
    pub lacks_verification: bool,
    /// The lowest sequence that its verification has seen, and whether it is of transaction version 2.
    pub verification: Option<(i32, bool)>,
}

/// Checks a new batch of records against what is known of its producer; gives the first offset of the batch
/// that it repeats, if it does.
pub(super) fn check(state: Option<&ProducerState>, incoming: &Incoming) -> Result<Option<u64>, KafkaError> {
    let stamp = incoming.stamp;
    if let Some(same) = state.and_then(|state| state.repeated(stamp, incoming.count)) {
        return Ok(Some(same.base_offset));
    }
    // The epoch comes first since Kafka 4.2 (KAFKA-19999), then the verification.
    if state.is_some_and(|state| stamp.epoch < state.epoch) {
        return Err(KafkaError::protocol("INVALID_PRODUCER_EPOCH"));
    }
    if incoming.lacks_verification {
        return Err(KafkaError::protocol("INVALID_TXN_STATE"));
    }
    check_sequence(state, incoming)?;
    if !incoming.is_transactional && state.is_some_and(|state| state.transaction_start.is_some()) {
        return Err(KafkaError::protocol("INVALID_TXN_STATE"));
    }
    Ok(None)
}

/// `ProducerAppendInfo.checkSequence`.
fn check_sequence(state: Option<&ProducerState>, incoming: &Incoming) -> Result<(), KafkaError> {
    let sequence = incoming.stamp.base_sequence;
    // What a coordinator writes has no sequences.
    if sequence < 0 {
        return Ok(());
    }
    let last = state.filter(|state| state.epoch == incoming.stamp.epoch).and_then(|state| state.batches.back());
    let expected = last.map_or(0, |last| sequence_after(last.last_sequence, 1));
    let is_unknown = state.is_none_or(|state| state.batches.is_empty());
    let refused_by_verification = incoming
        .verification
        .is_some_and(|(lowest, is_version_2)| sequence > lowest || (is_version_2 && is_unknown && sequence != 0));
    if refused_by_verification || (state.is_some() && sequence != expected) {
        return Err(KafkaError::protocol("OUT_OF_ORDER_SEQUENCE_NUMBER"));
    }
    Ok(())
}

/// Checks a marker against what is known of its producer (`checkProducerEpoch`, `checkCoordinatorEpoch`).
pub(super) fn check_marker(
    state: Option<&ProducerState>,
    epoch: u16,
    coordinator_epoch: u32,
    transaction_version: u16,
) -> Result<(), KafkaError> {
    let Some(state) = state else { return Ok(()) };
    // With transaction version 2 the epoch grows with each end (KIP-1228). The same one again is a repeated
    // marker of a transaction that is over.
    let is_repeated = epoch == state.epoch && (state.transaction_start.is_none() || epoch == EPOCH_MAX);
    let is_old = if transaction_version >= 2 { epoch <= state.epoch && !is_repeated } else { epoch < state.epoch };
    if is_old {
        return Err(KafkaError::protocol("INVALID_PRODUCER_EPOCH"));
    }
    if state.coordinator_epoch.is_some_and(|known| known > coordinator_epoch) {
        return Err(KafkaError::protocol("TRANSACTION_COORDINATOR_FENCED"));
    }
    Ok(())
}
