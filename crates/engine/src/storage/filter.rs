//! What a cleaning leaves of a batch.
//!
//! Follows `MemoryRecords.filterTo` and `Cleaner.shouldRetainRecord` of Kafka 4.3.1. Transactions and their
//! markers are not here.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::batch::{BATCH_OVERHEAD, Batch, stored_size};
use super::producers::ProducerStates;
use crate::event::Record;

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

impl Filter<'_> {
    /// The batch as it is afterwards: the same one if nothing changed, and nothing if it goes.
    pub fn apply(&self, batch: &Rc<Batch>) -> Option<Rc<Batch>> {
        // Records without content have no keys to compare; such batches stay as they are.
        if batch.records.is_empty() && batch.count > 0 {
            return Some(Rc::clone(batch));
        }
        let retained: Vec<(u64, &Rc<Record>)> =
            batch.entries().filter(|(offset, record)| self.keeps(batch, *offset, record)).collect();
        if retained.is_empty() {
            let stays = batch.end() == self.clean_until || self.is_last_of_producer(batch);
            return stays.then(|| Rc::new(shell(batch)));
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

    /// The last batch of a known producer stays for its sequence.
    fn is_last_of_producer(&self, batch: &Batch) -> bool {
        let state = batch.stamp.and_then(|stamp| self.producers.get(&stamp.producer_id));
        let last = state.and_then(|state| state.batches.back());
        last.is_some_and(|last| last.last_offset == batch.last_offset)
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
