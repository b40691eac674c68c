//! Control batches: the markers that end transactions.
//!
//! Follows `MemoryRecords.withEndTransactionMarker` and `EndTransactionMarker` of Kafka 4.3.1. Whether a
//! marker may be written at all is decided in `producers.rs`; who sends it, by the coordinator.

use std::rc::Rc;

use super::append::Appended;
use super::batch::{BATCH_OVERHEAD, Batch, Control, ProducerStamp, record_size};
use super::log::Log;
use super::producers;
use crate::error::KafkaError;
use crate::event::{Codec, Moment, Record, RecordId};
use crate::message::ProducerIdentity;
use crate::time::Time;

/// The producer's number of records that coordinators wrote.
const COORDINATOR: u32 = u32::MAX - 1;
/// Version and type of the marker.
const KEY_BYTES: u32 = 4;
/// Version and coordinator epoch.
const VALUE_BYTES: u32 = 6;

/// A marker to append.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker {
    pub identity: ProducerIdentity,
    pub control: Control,
    /// 2 where the epoch must be larger than the producer's.
    pub transaction_version: u16,
    /// Tells its record from all others of the run.
    pub number: u64,
}

impl Log {
    /// Appends a marker, or refuses it as the leader's broker does. It takes one offset.
    pub fn append_marker(
        &mut self,
        marker: &Marker,
        leader_epoch: u32,
        moment: Moment,
    ) -> Result<Appended, KafkaError> {
        let ProducerIdentity { producer_id, epoch } = marker.identity;
        let now_ms = moment.time.millis() as i64;
        let offset = self.log_end_offset;
        let batch = Rc::new(Batch {
            base_offset: offset,
            last_offset: offset,
            leader_epoch,
            stamp: Some(ProducerStamp { producer_id, epoch, base_sequence: -1 }),
            is_transactional: true,
            control: Some(marker.control),
            size_bytes: marker_size(0),
            codec: Codec::None,
            count: 1,
            records: Rc::new([Rc::new(marker_record(marker.number, now_ms))]),
            offsets: None,
            base_timestamp: now_ms,
            max_timestamp: now_ms,
            is_log_append_time: false,
            delete_horizon: None,
            appended: moment,
        });
        let roll = self.roll_for(&batch, moment.time);
        let state = self.producer(producer_id, moment.time);
        let is_dropped = state.is_none() && self.producers.contains_key(&producer_id);
        producers::check_marker(state, epoch, marker.control.coordinator_epoch, marker.transaction_version)?;
        if is_dropped {
            Rc::make_mut(&mut self.producers).remove(&producer_id);
        }
        self.push(batch, moment.time);
        Ok(Appended { base_offset: offset, last_offset: offset, roll, duplicate_of: None })
    }
}

/// Bytes of a marker's batch. Its timestamp is counted from the batch's base, which a delete horizon moves.
pub(super) fn marker_size(timestamp_delta_millis: i64) -> u32 {
    BATCH_OVERHEAD + record_size(0, timestamp_delta_millis, Some(KEY_BYTES), Some(VALUE_BYTES), &[])
}

/// Simplified: the key and the value of a marker are not built; what they say is in the batch.
fn marker_record(number: u64, now_ms: i64) -> Record {
    Record {
        id: RecordId { producer: COORDINATOR, number },
        producer: "".into(),
        key: None,
        key_text: None,
        value: None,
        value_size: 0,
        timestamp: Time::from_millis(now_ms as u64),
        create_time: now_ms,
        headers: None,
        command: None,
        internal: None,
    }
}
