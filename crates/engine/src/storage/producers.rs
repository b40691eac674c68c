//! What a log knows about the producers that wrote to it: their last batches, so that repeated ones are
//! recognized and gaps are refused.
//!
//! Follows `ProducerStateManager` and `ProducerAppendInfo` of Kafka 4.3.1. Transactions are not here.

use std::collections::{BTreeMap, VecDeque};

use super::batch::{Batch, ProducerStamp};
use crate::error::KafkaError;

/// `NUM_BATCHES_TO_RETAIN`: batches of a producer that are known again.
const BATCHES_REMEMBERED: usize = 5;
/// `producer.id.expiration.ms`: a producer that wrote nothing for that long is forgotten.
/// Simplified: always the default; Kafka has a broker setting for it.
const EXPIRATION_MS: i64 = 86_400_000;
/// `producer.id.expiration.check.interval.ms`. Simplified: always the default, as above.
const EXPIRATION_CHECK_MS: i64 = 600_000;

/// The state of all producers of a log, by producer id.
pub(crate) type ProducerStates = BTreeMap<u64, ProducerState>;

/// What is known about one producer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProducerState {
    pub epoch: u16,
    /// The last batches of this epoch, oldest first.
    pub batches: VecDeque<KnownBatch>,
    /// Timestamp of the last batch, in milliseconds.
    pub last_timestamp: i64,
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

/// The sequence `count` records after another; after 2147483647 comes 0.
pub(crate) fn sequence_after(sequence: i32, count: u32) -> i32 {
    ((i64::from(sequence) + i64::from(count)) % (i64::from(i32::MAX) + 1)) as i32
}

/// Takes a batch in that was appended.
pub(crate) fn remember(states: &mut ProducerStates, batch: &Batch) {
    let Some(stamp) = batch.stamp else { return };
    let known = KnownBatch {
        base_sequence: stamp.base_sequence,
        last_sequence: sequence_after(stamp.base_sequence, (batch.last_offset - batch.base_offset) as u32),
        base_offset: batch.base_offset,
        last_offset: batch.last_offset,
        timestamp: batch.max_timestamp,
    };
    let new = || ProducerState { epoch: stamp.epoch, batches: VecDeque::new(), last_timestamp: batch.max_timestamp };
    let state = states.entry(stamp.producer_id).or_insert_with(new);
    if state.epoch != stamp.epoch {
        *state = new();
    }
    state.last_timestamp = batch.max_timestamp;
    state.batches.push_back(known);
    if state.batches.len() > BATCHES_REMEMBERED {
        state.batches.pop_front();
    }
}

/// Whether a producer would be forgotten by the last check before `now`.
pub(crate) fn is_expired(state: &ProducerState, now_ms: i64) -> bool {
    let checked = now_ms - now_ms.rem_euclid(EXPIRATION_CHECK_MS);
    checked - state.last_timestamp >= EXPIRATION_MS
}

/// Checks the sequences of a new batch of `count` records; gives the base offset of the batch that it
/// repeats, if it does.
pub(crate) fn check(
    states: &ProducerStates,
    stamp: ProducerStamp,
    count: u32,
    now_ms: i64,
) -> Result<Option<u64>, KafkaError> {
    let known = states.get(&stamp.producer_id).filter(|state| !is_expired(state, now_ms));
    let Some(state) = known else { return Ok(None) };
    let last_sequence = sequence_after(stamp.base_sequence, count - 1);
    if stamp.epoch == state.epoch {
        let is_same =
            |batch: &&KnownBatch| batch.base_sequence == stamp.base_sequence && batch.last_sequence == last_sequence;
        if let Some(same) = state.batches.iter().find(is_same) {
            return Ok(Some(same.base_offset));
        }
    }
    if stamp.epoch < state.epoch {
        let text = "Producer attempted to produce with an old epoch.";
        return Err(KafkaError::new("INVALID_PRODUCER_EPOCH", "InvalidProducerEpochException", text));
    }
    let last = state.batches.back().filter(|_| stamp.epoch == state.epoch);
    let expected = last.map_or(0, |last| sequence_after(last.last_sequence, 1));
    if stamp.base_sequence != expected {
        let text = "The broker received an out of order sequence number.";
        return Err(KafkaError::new("OUT_OF_ORDER_SEQUENCE_NUMBER", "OutOfOrderSequenceException", text));
    }
    Ok(None)
}
