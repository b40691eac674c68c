//! What a cleaning leaves of a batch.
//!
//! Follows `MemoryRecords.filterTo`, `Cleaner.shouldRetainRecord` and `CleanedTransactionMetadata` of Kafka
//! 4.3.1. Which segments are cleaned is in `cleaner.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::batch::{BATCH_OVERHEAD, Batch, Control, stored_size};
use super::markers::marker_size;
use super::producers::ProducerStates;
use crate::event::Record;
use crate::snapshot::AbortedTransaction;
use crate::transaction::MarkerKind;

/// One cleaning's rules.
pub(super) struct Filter<'a> {
    /// The last offset of each key in the dirty part; a key that is not in it imposes no limit.
    pub keys: BTreeMap<Rc<[u8]>, u64>,
    /// The end of the cleaned part: its last batch stays, even empty, so that the offset is not lost.
    pub clean_until: u64,
    pub now_ms: i64,
    pub delete_retention_ms: i64,
    pub producers: &'a ProducerStates,
}

/// The transactions that a pass over a log has met, in the order of their offsets.
#[derive(Debug, Default)]
pub(super) struct PassedTransactions {
    /// Aborted ones that are still ahead, the nearest first.
    ahead: BTreeMap<u64, AbortedTransaction>,
    /// Aborted ones that have begun, by producer, and whether one of their batches was met.
    aborted: BTreeMap<u64, (AbortedTransaction, bool)>,
    /// Producers of batches that were met and are not aborted.
    committed: BTreeSet<u64>,
    /// Aborted ones of which something was met: the index of the cleaned segment.
    pub index: Vec<AbortedTransaction>,
}

impl PassedTransactions {
    /// Aborted transactions of the part that comes next.
    pub fn announce(&mut self, aborted: impl IntoIterator<Item = AbortedTransaction>) {
        self.ahead.extend(aborted.into_iter().map(|entry| (entry.first_offset, entry)));
    }

    /// Whether a batch is not needed any more as far as transactions tell: it was aborted, or it is a marker of
    /// a transaction of which nothing is left.
    pub fn discards(&mut self, batch: &Batch) -> bool {
        let Some(stamp) = batch.stamp.filter(|_| batch.is_transactional) else { return false };
        while let Some(next) = self.ahead.first_entry().filter(|next| *next.key() <= batch.last_offset) {
            let entry = next.remove();
            self.aborted.entry(entry.producer_id).or_insert((entry, false));
        }
        match batch.control {
            None => match self.aborted.get_mut(&stamp.producer_id) {
                Some((_, is_met)) => {
                    *is_met = true;
                    true
                }
                None => {
                    self.committed.insert(stamp.producer_id);
                    false
                }
            },
            Some(_) if batch.count == 0 => true,
            Some(Control { marker: MarkerKind::Commit, .. }) => !self.committed.remove(&stamp.producer_id),
            Some(Control { marker: MarkerKind::Abort, .. }) => match self.aborted.remove(&stamp.producer_id) {
                Some((entry, true)) => {
                    self.index.push(entry);
                    false
                }
                _ => true,
            },
        }
    }
}

impl Filter<'_> {
    /// The batch as it is afterwards: the same one if nothing changed, and nothing if it goes. `is_discarded`:
    /// see [`PassedTransactions::discards`].
    pub fn apply(&self, batch: &Rc<Batch>, is_discarded: bool) -> Option<Rc<Batch>> {
        if batch.control.is_some() {
            return self.apply_to_marker(batch, is_discarded);
        }
        // Records without content have no keys to compare; such batches stay as they are.
        if batch.records.is_empty() && batch.count > 0 {
            return Some(Rc::clone(batch));
        }
        if is_discarded {
            return self.stays_empty(batch).then(|| Rc::new(shell(batch)));
        }
        let retained: Vec<(u64, &Rc<Record>)> =
            batch.entries().filter(|(offset, record)| self.keeps(batch, *offset, record)).collect();
        if retained.is_empty() {
            return self.stays_empty(batch).then(|| Rc::new(shell(batch)));
        }
        let has_tombstone = retained.iter().any(|(_, record)| record.value.is_none());
        let sets_horizon = has_tombstone && batch.delete_horizon.is_none();
        if retained.len() == batch.count as usize && !sets_horizon {
            return Some(Rc::clone(batch));
        }
        let new_horizon = sets_horizon.then(|| self.now_ms.saturating_add(self.delete_retention_ms));
        Some(Rc::new(rebuilt(batch, &retained, new_horizon.or(batch.delete_horizon))))
    }

    fn keeps(&self, batch: &Batch, offset: u64, record: &Record) -> bool {
        let Some(key) = &record.key else { return false };
        let is_latest = self.keys.get(key).is_none_or(|latest| offset >= *latest);
        let is_tombstone_kept = batch.delete_horizon.is_none_or(|horizon| self.now_ms < horizon);
        is_latest && (record.value.is_some() || is_tombstone_kept)
    }

    /// A marker whose transaction is gone gets a delete horizon, and goes when that is over.
    fn apply_to_marker(&self, batch: &Rc<Batch>, is_discarded: bool) -> Option<Rc<Batch>> {
        if !is_discarded || batch.count == 0 {
            let stays = !is_discarded || self.stays_empty(batch);
            return stays.then(|| Rc::clone(batch));
        }
        match batch.delete_horizon {
            Some(horizon) if horizon <= self.now_ms => self.stays_empty(batch).then(|| Rc::new(shell(batch))),
            Some(_) => Some(Rc::clone(batch)),
            None => {
                let horizon = self.now_ms.saturating_add(self.delete_retention_ms);
                let size_bytes = marker_size(batch.max_timestamp.saturating_sub(horizon));
                let delete_horizon = Some(horizon);
                Some(Rc::new(Batch { size_bytes, base_timestamp: horizon, delete_horizon, ..(**batch).clone() }))
            }
        }
    }

    /// Whether a batch without records is kept: at the end of the cleaned part, and as the last one of a
    /// producer.
    fn stays_empty(&self, batch: &Batch) -> bool {
        batch.end() == self.clean_until || self.is_last_of_producer(batch)
    }

    /// The last batch of a known producer stays for its sequence; where no batch is known, its marker for its
    /// epoch.
    fn is_last_of_producer(&self, batch: &Batch) -> bool {
        let Some(stamp) = batch.stamp else { return false };
        let Some(state) = self.producers.get(&stamp.producer_id) else { return false };
        match state.last_data_offset() {
            Some(last) => last == batch.last_offset,
            None => batch.control.is_some() && stamp.epoch == state.epoch,
        }
    }
}

/// The header alone.
fn shell(batch: &Batch) -> Batch {
    Batch {
        size_bytes: BATCH_OVERHEAD,
        count: 0,
        records: Rc::new([]),
        offsets: None,
        delete_horizon: None,
        ..batch.clone()
    }
}

/// The batch with fewer records or with a delete horizon, which takes the place of its base timestamp.
fn rebuilt(batch: &Batch, retained: &[(u64, &Rc<Record>)], delete_horizon: Option<i64>) -> Batch {
    let timestamp = |record: &Record| if batch.is_log_append_time { batch.max_timestamp } else { record.create_time };
    let base = delete_horizon.or_else(|| retained.first().map(|(_, record)| timestamp(record)));
    let base_timestamp = base.unwrap_or(batch.base_timestamp);
    let sizes = retained.iter().map(|(offset, record)| {
        stored_size(record, (offset - batch.base_offset) as u32, timestamp(record).saturating_sub(base_timestamp))
    });
    let newest = retained.iter().map(|(_, record)| timestamp(record)).max();
    Batch {
        size_bytes: BATCH_OVERHEAD + sizes.sum::<u32>(),
        count: retained.len() as u32,
        records: retained.iter().map(|(_, record)| Rc::clone(record)).collect(),
        offsets: Some(retained.iter().map(|(offset, _)| *offset).collect()),
        base_timestamp,
        max_timestamp: newest.unwrap_or(batch.max_timestamp),
        delete_horizon,
        ..batch.clone()
    }
}
