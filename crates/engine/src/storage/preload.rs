//! Batches that a partition holds at time 0, before anybody has written anything.
//!
//! They are made once for all replicas, which share them. Numbers were validated with the scenario.

use std::rc::Rc;

use super::batch::{BATCH_OVERHEAD, Batch, record_size, stored_size};
use super::log::Log;
use crate::event::{Codec, Moment, Name, Record, RecordId, RollReason};
use crate::limits::VALUE_TEXT_BYTES_MAX;
use crate::scenario::Preload;
use crate::time::Time;

/// The producer's number of records that nobody sent.
const NOBODY: u32 = u32::MAX;

/// The batches of a partition, from offset 0 on; the last one is written at time 0. `record_number` tells
/// records of a run apart and is counted up.
pub(crate) fn batches(preload: &Preload, record_number: &mut u64) -> Vec<Rc<Batch>> {
    let count = preload.records.map_or(preload.keys.len() as u64, |records| records.div_ceil(per_batch(preload)));
    let every = preload.every.map_or(0, |every| every.millis() as i64);
    let timestamp = |number: u64| (number as i64 + 1 - count as i64) * every;
    (0..count)
        .map(|number| match preload.records {
            Some(records) => Rc::new(bare(preload, records, number, timestamp(number))),
            None => {
                *record_number += 1;
                Rc::new(filled(preload, number, timestamp(number), *record_number - 1))
            }
        })
        .collect()
}

fn per_batch(preload: &Preload) -> u64 {
    u64::from(preload.batch_records.unwrap_or(1).max(1))
}

/// A batch without content, by its number.
fn bare(preload: &Preload, records: u64, number: u64, timestamp: i64) -> Batch {
    let base_offset = number * per_batch(preload);
    let count = per_batch(preload).min(records - base_offset);
    let without_size = || u64::from(BATCH_OVERHEAD) + count * u64::from(record_size(0, 0, None, None, &[]));
    let size = preload.batch_size.map_or_else(without_size, |size| size.0);
    let size_bytes = u32::try_from(size).expect("a batch is below 4 GiB");
    Batch { size_bytes, ..empty(base_offset, count as u32, timestamp) }
}

/// The batch of one record, by its number.
fn filled(preload: &Preload, number: u64, timestamp: i64, record_number: u64) -> Batch {
    let (keys, values) = (&preload.keys, &preload.values);
    let place = number as usize;
    let has_value = !values.is_empty() && !preload.tombstones.contains(&number);
    let value = has_value.then(|| values[place % values.len()].as_str());
    let record = Rc::new(record(&keys[place], value, timestamp, record_number));
    let size_bytes = BATCH_OVERHEAD + stored_size(&record, 0, 0);
    Batch { size_bytes, records: Rc::new([record]), ..empty(number, 1, timestamp) }
}

fn record(key: &str, value: Option<&str>, create_time: i64, number: u64) -> Record {
    let shown = |value: &str| Name::from(&value[..value.floor_char_boundary(VALUE_TEXT_BYTES_MAX)]);
    Record {
        id: RecordId { producer: NOBODY, number },
        producer: "".into(),
        key: Some(key.as_bytes().into()),
        key_text: Some(key.into()),
        value: value.map(shown),
        value_size: value.map_or(0, |value| value.len() as u32),
        timestamp: Time::ZERO,
        create_time,
        headers: None,
        command: None,
        internal: None,
    }
}

fn empty(base_offset: u64, count: u32, timestamp: i64) -> Batch {
    Batch {
        base_offset,
        last_offset: base_offset + u64::from(count) - 1,
        leader_epoch: 0,
        stamp: None,
        is_transactional: false,
        control: None,
        size_bytes: 0,
        codec: Codec::None,
        count,
        records: Rc::new([]),
        offsets: None,
        base_timestamp: timestamp,
        max_timestamp: timestamp,
        is_log_append_time: false,
        delete_horizon: None,
        appended: Moment::default(),
    }
}

impl Log {
    /// Takes the batches in as if they had come one by one, and everything below the end is readable. A
    /// segment begins at each of the offsets `segments`, besides those that the settings make.
    pub fn preload(&mut self, batches: &[Rc<Batch>], segments: &[u64], now: Time) {
        for batch in batches {
            if segments.contains(&batch.base_offset) {
                self.roll(now, RollReason::Command);
            }
            self.append_as_follower(batch, now);
        }
        if segments.contains(&self.log_end_offset) {
            self.roll(now, RollReason::Command);
        }
        self.set_high_watermark(self.log_end_offset, now);
    }
}
