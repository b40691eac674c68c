//! Record batches, and their sizes in the v2 format, to the byte.
//!
//! Follows `DefaultRecord.sizeInBytes` and `DefaultRecordBatch.RECORD_BATCH_OVERHEAD` of Kafka 4.3.1.
//! How much smaller compression makes them is the producer's business.

use std::rc::Rc;

use crate::event::{BatchView, Codec, Moment, Name, Record, TopicPartition};
use crate::transaction::MarkerKind;

/// Bytes of a batch header.
pub(crate) const BATCH_OVERHEAD: u32 = 61;
/// Upper bound for a record's own overhead (`DefaultRecord.MAX_RECORD_OVERHEAD`).
const RECORD_OVERHEAD_MAX: u32 = 21;

/// Who wrote a batch: an idempotent producer's id and epoch, and the first sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProducerStamp {
    pub producer_id: u64,
    pub epoch: u16,
    pub base_sequence: i32,
}

/// What a control batch says, instead of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    pub marker: MarkerKind,
    pub coordinator_epoch: u32,
}

/// A batch in a log. Never changed: replicas, segments and checkpoints share it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Batch {
    pub base_offset: u64,
    /// Kept by compaction even when the last record is gone.
    pub last_offset: u64,
    pub leader_epoch: u32,
    pub stamp: Option<ProducerStamp>,
    /// Whether it belongs to a transaction.
    pub is_transactional: bool,
    /// A marker; its one record has neither key nor value here.
    pub control: Option<Control>,
    pub size_bytes: u32,
    pub codec: Codec,
    /// Records that are left.
    pub count: u32,
    /// The records; empty if they have no content (see `Preload`) although `count` tells how many there are.
    pub records: Rc<[Rc<Record>]>,
    /// Offset of each record after compaction; without it the offsets are consecutive.
    pub offsets: Option<Rc<[u64]>>,
    /// Timestamp of the first record when it was written, in milliseconds.
    pub base_timestamp: i64,
    pub max_timestamp: i64,
    /// Whether the broker stamped it (`message.timestamp.type=LogAppendTime`).
    pub is_log_append_time: bool,
    /// When its tombstones may go, in milliseconds.
    pub delete_horizon: Option<i64>,
    /// When the leader appended it.
    pub appended: Moment,
}

impl Batch {
    /// The offset after the batch.
    pub fn end(&self) -> u64 {
        self.last_offset + 1
    }

    /// The batch as a message shows it.
    pub fn view(&self, partition: &TopicPartition) -> BatchView {
        BatchView {
            partition: partition.clone(),
            records: Rc::clone(&self.records),
            size_bytes: self.size_bytes,
            codec: self.codec,
        }
    }

    /// Offsets and records that are left; nothing for records without content.
    pub fn entries(&self) -> impl Iterator<Item = (u64, &Rc<Record>)> {
        let offset = |index: usize| match &self.offsets {
            Some(offsets) => offsets[index],
            None => self.base_offset + index as u64,
        };
        self.records.iter().enumerate().map(move |(index, record)| (offset(index), record))
    }
}

/// Bytes of one record inside a batch, its length prefix included. `key` and `value` are sizes in bytes.
pub(crate) fn record_size(
    offset_delta: u32,
    timestamp_delta_millis: i64,
    key: Option<u32>,
    value: Option<u32>,
    headers: &[(Name, Name)],
) -> u32 {
    framed_size(offset_delta, timestamp_delta_millis, content_size(key, value, headers))
}

/// Bytes of key, value and headers of a record, which are the same wherever it lies.
pub(crate) fn content_size(key: Option<u32>, value: Option<u32>, headers: &[(Name, Name)]) -> u32 {
    field_size(key) + field_size(value) + headers_size(headers)
}

/// Bytes of one record inside a batch; `content` is what [`content_size`] says.
pub(crate) fn framed_size(offset_delta: u32, timestamp_delta_millis: i64, content: u32) -> u32 {
    let body = 1 + varint_size(timestamp_delta_millis) + varint_size(i64::from(offset_delta)) + content;
    varint_size(i64::from(body)) + body
}

/// Bytes of one record as it lies in a batch; see [`record_size`].
pub(crate) fn stored_size(record: &Record, offset_delta: u32, timestamp_delta_millis: i64) -> u32 {
    let key = record.key.as_ref().map(|key| key.len() as u32);
    let value = record.value.as_ref().map(|_| record.value_size);
    record_size(offset_delta, timestamp_delta_millis, key, value, record.headers.as_deref().unwrap_or(&[]))
}

/// Upper bound of the size of a batch with this one record, as the producer checks it; `content` is what
/// [`content_size`] says.
pub(crate) fn upper_bound(content: u32) -> u32 {
    BATCH_OVERHEAD + RECORD_OVERHEAD_MAX + content
}

/// The number of headers, then name and value of each.
fn headers_size(headers: &[(Name, Name)]) -> u32 {
    if headers.is_empty() {
        return 1;
    }
    let sizes =
        headers.iter().map(|(name, value)| field_size(Some(name.len() as u32)) + field_size(Some(value.len() as u32)));
    varint_size(headers.len() as i64) + sizes.sum::<u32>()
}

fn field_size(bytes: Option<u32>) -> u32 {
    match bytes {
        Some(bytes) => varint_size(i64::from(bytes)) + bytes,
        None => varint_size(-1),
    }
}

/// Bytes of a number as a zigzag varint.
fn varint_size(value: i64) -> u32 {
    let zigzag = ((value << 1) ^ (value >> 63)) as u64;
    let bits = 64 - (zigzag | 1).leading_zeros();
    bits.div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_agree_with_the_java_client() {
        // A keyless record with a value of 1,024 bytes takes 1,033 bytes; 15 of them fill a batch.
        assert_eq!(record_size(0, 0, None, Some(1024), &[]), 1033);
        assert_eq!(BATCH_OVERHEAD + 15 * 1033, 15_556);
        // Kafka reports 2,087 bytes for the key `k` and a value of 2,000 bytes.
        assert_eq!(upper_bound(content_size(Some(1), Some(2000), &[])), 2087);
    }

    #[test]
    fn headers_take_their_names_and_values() {
        let headers = [("trace".into(), "abc".into()), ("empty".into(), "".into())];
        let without = record_size(0, 0, Some(1), Some(10), &[]);
        // Each header has two length bytes: 2 + 5 + 3 and 2 + 5 + 0.
        assert_eq!(record_size(0, 0, Some(1), Some(10), &headers), without + 10 + 7);
        assert_eq!(upper_bound(content_size(Some(1), Some(10), &headers)), 61 + 21 + 2 + 11 + 1 + 17);
    }

    #[test]
    fn varints_grow_every_seven_bits() {
        let cases = [(0, 1), (-1, 1), (63, 1), (64, 2), (-64, 1), (-65, 2), (8191, 2), (8192, 3), (i64::MIN, 10)];
        for (value, size) in cases {
            assert_eq!(varint_size(value), size, "{value}");
        }
    }
}
