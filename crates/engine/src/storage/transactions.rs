//! Open and finished transactions of a log: how far its records are decided, what was aborted, and which
//! producers are being verified.
//!
//! Follows `ProducerStateManager`, `UnifiedLog.fetchLastStableOffsetMetadata` and `TransactionIndex` of Kafka
//! 4.3.1. What a producer may write is in `producers.rs`.

use std::collections::BTreeMap;

use super::batch::{Batch, ProducerStamp};
use super::log::Log;
use super::producers::{self, ProducerStates};
use crate::snapshot::AbortedTransaction;
use crate::transaction::MarkerKind;

/// What the log of a replica knows besides the state of its producers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transactions {
    /// Whether anything in this log was ever part of a transaction.
    pub(super) are_used: bool,
    /// First offsets of open transactions, and whose they are (`ongoingTxns`).
    ongoing: BTreeMap<u64, u64>,
    /// Finished ones whose marker may still be lost: first offset, and offset of the marker (`unreplicatedTxns`).
    unreplicated: BTreeMap<u64, u64>,
    /// Producers whose first batch of a transaction is being verified (`verificationStates`).
    verifications: BTreeMap<u64, Verification>,
    /// Guards that were given out.
    guards: u64,
}

/// A `VerificationStateEntry`.
#[derive(Clone, Copy, Debug)]
struct Verification {
    guard: u64,
    epoch: u16,
    lowest_sequence: i32,
    /// Transaction version 2.
    supports_epoch_bump: bool,
}

impl Transactions {
    /// First offset of the oldest transaction that is open, or whose marker may still be lost.
    fn first_unstable(&self) -> Option<u64> {
        let ongoing = self.ongoing.first_key_value().map(|(first, _)| *first);
        let unreplicated = self.unreplicated.first_key_value().map(|(first, _)| *first);
        ongoing.into_iter().chain(unreplicated).min()
    }

    /// The high watermark has passed these markers.
    pub(super) fn replicated(&mut self, high_watermark: u64) {
        if !self.unreplicated.is_empty() {
            self.unreplicated.retain(|_, marker| *marker >= high_watermark);
        }
    }

    /// What the producers' states tell, after they were read from a snapshot.
    pub(super) fn load(&mut self, states: &ProducerStates) {
        let open = states.iter().filter_map(|(id, state)| Some((state.transaction_start?, *id)));
        self.ongoing = open.collect();
        self.are_used |= !self.ongoing.is_empty();
        self.unreplicated.clear();
    }

    /// Bytes that a clone copies.
    pub(super) fn own_bytes(&self) -> u64 {
        ((self.ongoing.len() + self.unreplicated.len()) * 16 + self.verifications.len() * 32) as u64
    }

    /// The process ends: nobody is being verified any more.
    pub(super) fn forget_verifications(&mut self) {
        self.verifications.clear();
    }

    /// What the verification of a producer has seen: the lowest sequence, and whether it is of transaction
    /// version 2.
    pub(super) fn verification(&self, producer_id: u64) -> Option<(i32, bool)> {
        self.verifications.get(&producer_id).map(|entry| (entry.lowest_sequence, entry.supports_epoch_bump))
    }

    /// Whether a guard is still the producer's.
    pub(super) fn is_verified(&self, producer_id: u64, guard: Option<u64>) -> bool {
        let own = self.verifications.get(&producer_id).map(|entry| entry.guard);
        own.is_some() && own == guard
    }
}

impl Log {
    /// First offset that is not decided yet (`firstUnstableOffset`).
    pub fn first_unstable_offset(&self) -> Option<u64> {
        self.transactions.first_unstable().map(|first| first.max(self.log_start_offset))
    }

    /// Readers of committed data see everything below.
    pub fn last_stable_offset(&self) -> u64 {
        self.first_unstable_offset().map_or(self.high_watermark, |first| first.min(self.high_watermark))
    }

    /// Whether anything in this log was ever part of a transaction.
    pub fn has_transactions(&self) -> bool {
        self.transactions.are_used
    }

    /// Whether a producer has a transaction open here, in this epoch.
    pub fn has_ongoing_transaction(&self, producer_id: u64, epoch: u16) -> bool {
        let state = self.producers.get(&producer_id);
        state.is_some_and(|state| state.transaction_start.is_some() && state.epoch == epoch)
    }

    /// A batch has to be verified before it may open a transaction here: the guard that it needs
    /// (`maybeStartTransactionVerification`); nothing if its transaction is open already.
    pub fn start_verification(&mut self, stamp: ProducerStamp, supports_epoch_bump: bool) -> Option<u64> {
        if self.has_ongoing_transaction(stamp.producer_id, stamp.epoch) {
            return None;
        }
        let transactions = &mut self.transactions;
        transactions.guards += 1;
        let new = Verification {
            guard: transactions.guards,
            epoch: stamp.epoch,
            lowest_sequence: stamp.base_sequence,
            supports_epoch_bump,
        };
        let entry = transactions.verifications.entry(stamp.producer_id).or_insert(new);
        if stamp.epoch > entry.epoch {
            (entry.epoch, entry.lowest_sequence) = (stamp.epoch, stamp.base_sequence);
        } else if stamp.epoch == entry.epoch {
            entry.lowest_sequence = entry.lowest_sequence.min(stamp.base_sequence);
        }
        Some(entry.guard)
    }

    /// Takes the producer of an appended batch in. Gives the entry of the index of aborted transactions, if
    /// the batch is the end of one.
    pub(super) fn note_producer(&mut self, batch: &Batch) -> Option<AbortedTransaction> {
        let stamp = batch.stamp?;
        let states = std::rc::Rc::make_mut(&mut self.producers);
        if batch.is_transactional {
            self.transactions.are_used = true;
            self.transactions.verifications.remove(&stamp.producer_id);
        }
        let Some(control) = batch.control else {
            if producers::remember(states, batch) {
                self.transactions.ongoing.insert(batch.base_offset, stamp.producer_id);
            }
            return None;
        };
        // A marker that the cleaner has emptied stands for a transaction that is gone.
        if batch.count == 0 {
            return None;
        }
        let first_offset = producers::complete(states, batch, control)?;
        let transactions = &mut self.transactions;
        let others = transactions.ongoing.iter().find(|(_, id)| **id != stamp.producer_id);
        let last_stable_offset = others.map_or(batch.end(), |(first, _)| *first);
        transactions.ongoing.remove(&first_offset);
        transactions.unreplicated.insert(first_offset, batch.last_offset);
        let (producer_id, last_offset) = (stamp.producer_id, batch.last_offset);
        let entry = AbortedTransaction { producer_id, first_offset, last_offset, last_stable_offset };
        (control.marker == MarkerKind::Abort).then_some(entry)
    }

    /// Aborted transactions that a reader of `[from, below)` has to know (`collectAbortedTransactions`).
    pub fn aborted_between(&self, from: u64, below: u64) -> Vec<AbortedTransaction> {
        let mut found = Vec::new();
        if !self.transactions.are_used {
            return found;
        }
        let segments: Vec<_> = self.all_segments().collect();
        let first = segments.partition_point(|segment| segment.base_offset <= from).saturating_sub(1);
        for entry in segments[first..].iter().flat_map(|segment| segment.aborted.iter()) {
            if entry.last_offset >= from && entry.first_offset < below {
                found.push(*entry);
            }
            if entry.last_stable_offset >= below {
                break;
            }
        }
        found
    }

    /// All entries of the index of aborted transactions, oldest first.
    pub fn aborted(&self) -> Vec<AbortedTransaction> {
        if !self.transactions.are_used {
            return Vec::new();
        }
        self.all_segments().flat_map(|segment| segment.aborted.iter().copied()).collect()
    }
}
