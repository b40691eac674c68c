//! Logs beside recordings of a running broker, and beside Kafka's own arithmetic.
//!
//! Recordings count their time from one hour before the first append; so do these. Nothing here has a
//! cluster around it.

mod appending;
mod cleaning;
mod cleaning_transactions;
mod lookups;
mod retention;
mod segments;
mod sharing;
mod transactions;

use std::rc::Rc;

use super::append::Appended;
use super::batch::{BATCH_OVERHEAD, ProducerStamp, stored_size};
use super::settings::tests::settings;
use super::{Log, RetentionOutcome};
use crate::error::KafkaError;
use crate::event::{BatchView, Moment, Record, RecordId, TopicPartition};
use crate::rng::Stream;
use crate::time::Time;

/// When the first record of a recording is appended.
const HOUR: Time = Time::from_millis(3_600_000);

/// An empty log of a topic with these settings.
fn log(configs: &[(&str, &str)]) -> Log {
    Log::new(Rc::new(settings(configs)), Time::ZERO, Stream::new(1, "segment jitter", "t-0"))
}

/// A record with a value of that many bytes, or a tombstone.
fn record(key: Option<&str>, value_bytes: Option<u32>, create_time: i64) -> Rc<Record> {
    Rc::new(Record {
        id: RecordId { producer: 0, number: 0 },
        producer: "p".into(),
        key: key.map(|key| key.as_bytes().into()),
        key_text: key.map(Into::into),
        value: value_bytes.map(|_| "".into()),
        value_size: value_bytes.unwrap_or(0),
        timestamp: Time::ZERO,
        create_time,
        headers: None,
        command: None,
        internal: None,
    })
}

/// A batch as a producer sends it.
fn batch(records: Vec<Rc<Record>>) -> BatchView {
    let base = records[0].create_time;
    let sizes = (0..).zip(&records).map(|(delta, record)| stored_size(record, delta, record.create_time - base));
    let size_bytes = BATCH_OVERHEAD + sizes.sum::<u32>();
    BatchView {
        partition: TopicPartition { topic: "t".into(), partition: 0 },
        records: records.into(),
        size_bytes,
        codec: Default::default(),
    }
}

fn at(time: Time) -> Moment {
    Moment { time, sequence: 0 }
}

/// Appends one record in a batch of its own, and everybody has it at once.
fn append(log: &mut Log, record: Rc<Record>, now: Time) -> Appended {
    let appended = log.append_as_leader(&batch(vec![record]), None, 0, at(now)).unwrap();
    log.set_high_watermark(log.log_end_offset, now);
    appended
}

/// Appends records of an idempotent producer with the sequences from `base_sequence` on.
fn produce(log: &mut Log, epoch: u16, base_sequence: i32, count: usize) -> Result<Appended, KafkaError> {
    let stamp = ProducerStamp { producer_id: 7, epoch, base_sequence };
    let records = vec![record(Some("k"), Some(2), 0); count];
    log.append_as_leader(&batch(records), Some(stamp), 0, at(HOUR))
}

/// Base offset, bytes, last offset and batches of each segment, as recordings tell them; -1 for none.
fn shape(log: &Log) -> Vec<(u64, u64, i64, u64)> {
    let view = log.view(&"t".into(), 0, 1, HOUR);
    let segments = view.segments.iter();
    let last = |offset: Option<u64>| offset.map_or(-1, |offset| offset as i64);
    segments
        .map(|segment| (segment.base_offset, segment.size_bytes, last(segment.last_offset), segment.batch_count))
        .collect()
}
