//! A message of the application, from `produce()` to its delivery report.
//!
//! Follows `rd_kafka_msg_t` of librdkafka 2.16.0. Deliberately not here: who holds it.

use std::collections::VecDeque;
use std::rc::Rc;

use super::settings::RECORD_OVERHEAD_MAX;
use crate::event::{Name, Record};
use crate::storage::batch::stored_size;
use crate::time::Time;

/// A topic and a partition.
pub(super) type Key = (Name, u32);

/// A message that is not reported yet.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub record: Rc<Record>,
    /// The partition that the application named; without one the partitioner chooses.
    pub wanted: Option<i32>,
    /// Its number in its partition, from 1; 0 before it has one.
    pub number: u64,
    pub enqueued: Time,
    /// `message.timeout.ms` after it was enqueued.
    pub expires: Option<Time>,
    /// How often it was tried again.
    pub retries: u32,
    /// It is not tried again before.
    pub not_before: Time,
    /// The last number of the batch that it was sent in first: an idempotent producer sends the same batch again.
    pub batch_end: Option<u64>,
    /// Its size in the batch that waits.
    pub stored_bytes: u32,
}

impl Message {
    /// What counts for `queue.buffering.max.kbytes`: the value alone.
    pub fn queue_bytes(&self) -> u64 {
        value_bytes(&self.record)
    }

    /// What counts for the size of a batch that waits: key and value.
    pub fn payload_bytes(&self) -> u64 {
        value_bytes(&self.record) + key_bytes(&self.record)
    }

    /// Whether it is too old.
    pub fn is_expired(&self, now: Time) -> bool {
        self.expires.is_some_and(|at| at <= now)
    }
}

fn key_bytes(record: &Record) -> u64 {
    record.key.as_ref().map_or(0, |key| key.len() as u64)
}

fn value_bytes(record: &Record) -> u64 {
    record.value.as_ref().map_or(0, |_| u64::from(record.value_size))
}

/// `rd_kafka_msg_max_wire_size`: the most that a record can take in a request.
pub(super) fn wire_size_max(record: &Record) -> u64 {
    let headers = record.headers.as_deref().unwrap_or_default();
    let headers: usize = headers.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
    u64::from(RECORD_OVERHEAD_MAX) + key_bytes(record) + value_bytes(record) + headers as u64
}

/// Messages of one partition in the order of their numbers, with their sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageQueue {
    list: VecDeque<Message>,
    payload_bytes: u64,
    stored_bytes: u64,
}

impl MessageQueue {
    pub fn push_back(&mut self, mut message: Message) {
        message.stored_bytes = stored_size(&message.record, self.list.len() as u32, 0);
        self.count(&message, true);
        self.list.push_back(message);
    }

    pub fn pop_front(&mut self) -> Option<Message> {
        let message = self.list.pop_front()?;
        self.count(&message, false);
        Some(message)
    }

    /// Puts messages back to where their numbers belong.
    pub fn put_back(&mut self, messages: Vec<Message>) {
        for message in messages {
            self.count(&message, true);
            let place = self.list.iter().take_while(|other| other.number < message.number).count();
            self.list.insert(place, message);
        }
    }

    pub fn take_all(&mut self) -> Vec<Message> {
        std::mem::take(self).list.into()
    }

    /// Takes the messages that are too old.
    pub fn take_expired(&mut self, now: Time) -> Vec<Message> {
        if !self.list.iter().any(|message| message.is_expired(now)) {
            return Vec::new();
        }
        let (late, rest): (Vec<_>, Vec<_>) = self.take_all().into_iter().partition(|message| message.is_expired(now));
        self.put_back(rest);
        late
    }

    /// Batches may be cut anew.
    pub fn forget_batches(&mut self) {
        self.list.iter_mut().for_each(|message| message.batch_end = None);
    }

    pub fn front(&self) -> Option<&Message> {
        self.list.front()
    }

    pub fn len(&self) -> u64 {
        self.list.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Keys and values.
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// The records as they would lie in one batch.
    pub fn stored_bytes(&self) -> u32 {
        u32::try_from(self.stored_bytes).unwrap_or(u32::MAX)
    }

    fn count(&mut self, message: &Message, is_added: bool) {
        let (payload, stored) = (message.payload_bytes(), u64::from(message.stored_bytes));
        if is_added {
            self.payload_bytes += payload;
            self.stored_bytes += stored;
        } else {
            self.payload_bytes -= payload;
            self.stored_bytes -= stored;
        }
    }
}
