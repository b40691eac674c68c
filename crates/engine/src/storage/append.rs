//! What a leader does with a batch before it is in the log: check it, number it, stamp it.
//!
//! Follows `UnifiedLog.append` and `LogValidator` of Kafka 4.3.1. Whether enough replicas are in sync is
//! the partition's business.

use std::rc::Rc;

use super::batch::{Batch, ProducerStamp};
use super::log::{Log, Roll};
use super::producers::{self, Incoming};
use crate::error::KafkaError;
use crate::event::{BatchView, Moment, Record};

/// That a batch belongs to a transaction, and how it was verified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verified {
    /// The guard from before its verification.
    pub guard: Option<u64>,
    /// `transaction.partition.verification.enable`: a batch without the right guard is refused.
    pub is_demanded: bool,
}

/// What became of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Appended {
    pub base_offset: u64,
    pub last_offset: u64,
    /// A segment was opened for it; this can happen even for a duplicate.
    pub roll: Option<Roll>,
    /// The batch was in the log already, here; nothing was appended.
    pub duplicate_of: Option<u64>,
}

impl Log {
    /// Appends a batch of records outside of transactions.
    #[cfg(test)]
    pub fn append_as_leader(
        &mut self,
        view: &BatchView,
        stamp: Option<ProducerStamp>,
        leader_epoch: u32,
        moment: Moment,
    ) -> Result<Appended, KafkaError> {
        self.append_produced(view, stamp, None, leader_epoch, moment)
    }

    /// Appends a batch of records, inside a transaction or not, or refuses it as the leader's broker does.
    pub fn append_produced(
        &mut self,
        view: &BatchView,
        stamp: Option<ProducerStamp>,
        transactional: Option<Verified>,
        leader_epoch: u32,
        moment: Moment,
    ) -> Result<Appended, KafkaError> {
        let now_ms = moment.time.millis() as i64;
        self.check_size(view.size_bytes, self.settings.max_message_bytes, MESSAGE_TOO_LARGE)?;
        self.check_records(view, now_ms)?;
        self.check_size(view.size_bytes, self.settings.segment_bytes, RECORD_LIST_TOO_LARGE)?;
        let batch = Rc::new(Batch {
            is_transactional: transactional.is_some(),
            ..self.number(view, stamp, leader_epoch, moment)
        });
        let (base_offset, last_offset) = (batch.base_offset, batch.last_offset);
        let roll = self.roll_for(&batch, moment.time);
        let duplicate_of = match stamp {
            Some(stamp) => self.check_producer(stamp, batch.count, transactional, moment)?,
            None => None,
        };
        match duplicate_of {
            Some(first) => {
                let last_offset = first + (last_offset - base_offset);
                Ok(Appended { base_offset: first, last_offset, roll, duplicate_of })
            }
            None => {
                self.push(batch, moment.time);
                Ok(Appended { base_offset, last_offset, roll, duplicate_of })
            }
        }
    }

    /// Checks sequences, epochs and transaction of a batch; gives the first offset of the batch that it repeats,
    /// if it does.
    fn check_producer(
        &mut self,
        stamp: ProducerStamp,
        count: u32,
        transactional: Option<Verified>,
        moment: Moment,
    ) -> Result<Option<u64>, KafkaError> {
        let lacks_verification = transactional.is_some_and(|verified| {
            verified.is_demanded
                && !self.has_ongoing_transaction(stamp.producer_id, stamp.epoch)
                && !self.transactions.is_verified(stamp.producer_id, verified.guard)
        });
        let verification = self.transactions.verification(stamp.producer_id);
        let is_transactional = transactional.is_some();
        let incoming = Incoming { stamp, count, is_transactional, lacks_verification, verification };
        let state = self.producer(stamp.producer_id, moment.time);
        let is_dropped = state.is_none() && self.producers.contains_key(&stamp.producer_id);
        let duplicate_of = producers::check(state, &incoming)?;
        if is_dropped {
            Rc::make_mut(&mut self.producers).remove(&stamp.producer_id);
        }
        Ok(duplicate_of)
    }

    /// The batch with its offsets, its epoch and, with LogAppendTime, the broker's time.
    fn number(&self, view: &BatchView, stamp: Option<ProducerStamp>, leader_epoch: u32, moment: Moment) -> Batch {
        let times = || view.records.iter().map(|record| record.create_time);
        let count = view.records.len() as u32;
        let is_log_append_time = self.settings.is_log_append_time;
        let max_timestamp =
            if is_log_append_time { moment.time.millis() as i64 } else { times().max().unwrap_or_default() };
        Batch {
            base_offset: self.log_end_offset,
            last_offset: self.log_end_offset + u64::from(count) - 1,
            leader_epoch,
            stamp,
            is_transactional: false,
            control: None,
            size_bytes: view.size_bytes,
            codec: view.codec,
            count,
            records: Rc::clone(&view.records),
            offsets: None,
            base_timestamp: times().next().unwrap_or_default(),
            max_timestamp,
            is_log_append_time,
            delete_horizon: None,
            appended: moment,
        }
    }

    fn check_size(&self, size: u32, max: u64, refusal: [&str; 3]) -> Result<(), KafkaError> {
        let [error, exception, text] = refusal;
        if u64::from(size) > max { Err(KafkaError::new(error, exception, text)) } else { Ok(()) }
    }

    /// Refuses the batch if a record is not to be taken. With one bad record the text is the record's own, as
    /// the client shows it. Simplified: all records of the batch fail with this error; Kafka's client gives
    /// the good ones an error of their own.
    fn check_records(&self, view: &BatchView, now_ms: i64) -> Result<(), KafkaError> {
        let found = (0..).zip(view.records.iter()).filter_map(|(index, record)| {
            self.fault(view, index, record, now_ms).map(|(is_timestamp, text)| (index, is_timestamp, text))
        });
        let faults: Vec<(u64, bool, String)> = found.collect();
        let is_timestamp = faults.iter().any(|fault| fault.1);
        let (error, exception) = if is_timestamp {
            ("INVALID_TIMESTAMP", "InvalidTimestampException")
        } else {
            ("INVALID_RECORD", "InvalidRecordException")
        };
        match &faults[..] {
            [] => Ok(()),
            [(_, _, text)] => Err(KafkaError::new(error, exception, text)),
            _ if is_timestamp => {
                let text = "One or more records have been rejected due to invalid timestamp";
                Err(KafkaError::new(error, exception, text))
            }
            faults => {
                let shown = faults.iter().take(3);
                let shown: Vec<String> = shown
                    .map(|(index, _, text)| format!("RecordError(batchIndex={index}, message='{text}')"))
                    .collect();
                let text = format!(
                    "One or more records have been rejected due to {} record errors in total, and only showing the \
                     first three errors at most: [{}]",
                    faults.len(),
                    shown.join(", ")
                );
                Err(KafkaError::new(error, exception, text))
            }
        }
    }

    /// What is wrong with a record: whether it is its timestamp, and the text.
    fn fault(&self, view: &BatchView, index: u64, record: &Record, now_ms: i64) -> Option<(bool, String)> {
        if self.settings.is_compacted && record.key.is_none() {
            let (topic, partition) = (&view.partition.topic, view.partition.partition);
            let text =
                format!("Compacted topic cannot accept message without key in topic partition {topic}-{partition}");
            return Some((false, text));
        }
        let age = now_ms.saturating_sub(record.create_time);
        let (before, after) = (self.settings.timestamp_before_max_ms, self.settings.timestamp_after_max_ms);
        if self.settings.is_log_append_time || (age <= before && age.saturating_neg() <= after) {
            return None;
        }
        let text = format!(
            "Timestamp {} of message with offset {index} is out of range. The timestamp should be within [{}, {}]",
            record.create_time,
            now_ms.saturating_sub(before),
            now_ms.saturating_add(after)
        );
        Some((true, text))
    }
}

const MESSAGE_TOO_LARGE: [&str; 3] = [
    "MESSAGE_TOO_LARGE",
    "RecordTooLargeException",
    "The request included a message larger than the max message size the server will accept.",
];
const RECORD_LIST_TOO_LARGE: [&str; 3] = [
    "RECORD_LIST_TOO_LARGE",
    "RecordBatchTooLargeException",
    "The request included message batch larger than the configured segment size on the server.",
];
