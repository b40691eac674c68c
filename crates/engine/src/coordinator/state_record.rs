//! Records of `__transaction_state`: their content and their size to the byte.
//!
//! Follows `TransactionLog`, `TransactionLogKey` and `TransactionLogValue` of Kafka 4.3.1. When one is written
//! is not decided here.

use std::rc::Rc;

use super::metadata::{TransactionMetadata, Transit};
use crate::event::internal::{InternalRecord, StateRecord};
use crate::event::{Name, Record, RecordId, TopicPartition};
use crate::time::Time;

/// Number of the broker as the writer of its own records, above those of producers.
const BROKERS: u32 = 1 << 31;

/// Who writes a record, and when.
pub(crate) struct Writer {
    /// The broker.
    pub broker: u32,
    /// Its number in the plan.
    pub number: u32,
    /// Number of the record at this broker.
    pub record: u64,
    pub now: Time,
}

impl Writer {
    /// A record of an internal topic. `value`: its text and its size in bytes.
    pub fn record(
        self,
        key: Rc<[u8]>,
        key_text: Name,
        value: Option<(Name, u32)>,
        content: Option<InternalRecord>,
    ) -> Rc<Record> {
        let (value, value_size) = value.map_or((None, 0), |(text, size)| (Some(text), size));
        Rc::new(Record {
            id: RecordId { producer: BROKERS + self.number, number: self.record },
            producer: format!("broker-{}", self.broker).into(),
            key: Some(key),
            key_text: Some(key_text),
            value,
            value_size,
            timestamp: self.now,
            create_time: self.now.millis() as i64,
            headers: None,
            command: None,
            internal: content.map(Rc::new),
        })
    }
}

/// The record of a step; `transaction_version` decides on its format.
pub(crate) fn step_record(id: &Name, step: &Transit, transaction_version: u16, writer: Writer) -> Rc<Record> {
    let state = StateRecord {
        state: step.state,
        producer_id: step.producer_id,
        previous_producer_id: step.previous_producer_id,
        next_producer_id: step.next_producer_id,
        epoch: step.epoch,
        timeout: step.timeout,
        partitions: step.partitions.iter().cloned().collect(),
        updated: step.updated,
        started: step.started,
        value_version: transaction_version.min(1),
        client_transaction_version: step.client_version,
    };
    // Format 0 has no room for these.
    let state = match state.value_version {
        0 => StateRecord { previous_producer_id: None, next_producer_id: None, client_transaction_version: 0, ..state },
        _ => state,
    };
    let value = Some((text(&state), value_size(&state)));
    writer.record(key(id), Rc::clone(id), value, Some(InternalRecord::State(state)))
}

/// The tombstone of an id that expired.
pub(crate) fn tombstone(id: &Name, writer: Writer) -> Rc<Record> {
    writer.record(key(id), Rc::clone(id), None, None)
}

/// What a coordinator that reads a record knows of the id.
pub(crate) fn read(id: &Name, state: &StateRecord) -> TransactionMetadata {
    TransactionMetadata {
        transactional_id: Rc::clone(id),
        producer_id: state.producer_id,
        previous_producer_id: state.previous_producer_id,
        next_producer_id: state.next_producer_id,
        epoch: Some(state.epoch),
        last_epoch: None,
        timeout: state.timeout,
        state: state.state,
        partitions: state.partitions.iter().cloned().collect(),
        started: state.started,
        updated: state.updated,
        client_version: state.client_transaction_version,
        pending: None,
        has_failed_fence: false,
    }
}

/// The key's bytes: version 0 and the id.
fn key(id: &str) -> Rc<[u8]> {
    let length = (id.len() as u16).to_be_bytes();
    [0, 0].into_iter().chain(length).chain(id.bytes()).collect()
}

fn text(state: &StateRecord) -> Name {
    let partitions: Vec<String> = state.partitions.iter().map(TopicPartition::to_string).collect();
    let (name, id, epoch) = (state.state.name(), state.producer_id, state.epoch);
    format!("{name} producerId={id} epoch={epoch} [{}]", partitions.join(", ")).into()
}

/// Bytes of the value, its version included.
fn value_size(state: &StateRecord) -> u32 {
    // Version, producer id, epoch, timeout, state, and the two times.
    let fixed = 2 + 8 + 2 + 4 + 1 + 8 + 8;
    let is_flexible = state.value_version > 0;
    fixed + partitions_size(state, is_flexible) + if is_flexible { tagged_size(state) } else { 0 }
}

/// Partitions by topic; an empty transaction has a null list.
fn partitions_size(state: &StateRecord, is_flexible: bool) -> u32 {
    let list = |count: u32| if is_flexible { compact_length(count) } else { 4 };
    let is_null = state.state == crate::transaction::TransactionState::Empty;
    if is_null {
        return if is_flexible { 1 } else { 4 };
    }
    let mut topics: Vec<(&str, u32)> = Vec::new();
    for partition in state.partitions.iter() {
        match topics.last_mut().filter(|(topic, _)| *topic == &*partition.topic) {
            Some((_, count)) => *count += 1,
            None => topics.push((&partition.topic, 1)),
        }
    }
    let topic_size = |(topic, count): &(&str, u32)| {
        let length = topic.len() as u32;
        let name = if is_flexible { compact_length(length) } else { 2 };
        name + length + list(*count) + 4 * count + u32::from(is_flexible)
    };
    list(topics.len() as u32) + topics.iter().map(topic_size).sum::<u32>()
}

/// The number of tagged fields, and each with tag and length.
fn tagged_size(state: &StateRecord) -> u32 {
    let id = |id: Option<u64>| if id.is_some() { 1 + 1 + 8 } else { 0 };
    let version = if state.client_transaction_version > 0 { 1 + 1 + 2 } else { 0 };
    1 + id(state.previous_producer_id) + id(state.next_producer_id) + version
}

/// Bytes of a length in the compact formats: one more than the length, as an unsigned varint.
fn compact_length(length: u32) -> u32 {
    let bits = 32 - ((length + 1) | 1).leading_zeros();
    bits.div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;
    use crate::transaction::TransactionState;

    /// The size of a value, for partitions as `t-0 t-1 u-7`.
    fn check(value_version: u16, state: TransactionState, partitions: &str, client: u16, expected: u32) {
        let partition = |name: &str| {
            let (topic, partition) = TopicPartition::split(name).unwrap();
            TopicPartition { topic: topic.into(), partition }
        };
        let record = StateRecord {
            state,
            producer_id: 4001,
            previous_producer_id: Some(4001).filter(|_| value_version > 0),
            next_producer_id: None,
            epoch: 0,
            timeout: Duration::from_secs(60),
            partitions: partitions.split_whitespace().map(partition).collect(),
            updated: Time::ZERO,
            started: None,
            value_version,
            client_transaction_version: client,
        };
        assert_eq!(value_size(&record), expected, "{record:?}");
    }

    #[test]
    fn values_have_the_size_of_their_schema() {
        // 33 fixed bytes, a null list, one tagged field of a producer id.
        check(1, TransactionState::Empty, "", 0, 33 + 1 + 1 + 10);
        check(0, TransactionState::Empty, "", 0, 33 + 4);
        // Topic `t`: length, name, a list of two, tags.
        check(1, TransactionState::Ongoing, "t-0 t-1", 2, 33 + 1 + (1 + 1 + 1 + 8 + 1) + 1 + 10 + 4);
        check(0, TransactionState::Ongoing, "t-0 t-1 u-7", 0, 33 + 4 + (2 + 1 + 4 + 8) + (2 + 1 + 4 + 4));
    }
}
