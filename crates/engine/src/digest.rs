//! A running digest of the trace: equal for equal runs, natively and in wasm.
//!
//! It covers what tells runs apart (kind, moment, numbers, names), not every field of every event.

use crate::event::{BatchView, EventKind, MessageView, Moment, TopicPartition};

/// FNV-1a over 64-bit words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// The digest so far.
    pub fn value(&self) -> u64 {
        self.0
    }

    /// Takes an event in.
    pub fn event(&mut self, moment: Moment, kind: &EventKind) {
        self.word(moment.time.0);
        self.word(moment.sequence);
        self.kind(kind);
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    fn text(&mut self, text: &str) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            self.word(rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
        self.word(text.len() as u64);
    }

    fn partition(&mut self, partition: &TopicPartition) {
        self.text(&partition.topic);
        self.word(u64::from(partition.partition));
    }

    fn batch(&mut self, batch: &BatchView) {
        self.partition(&batch.partition);
        self.word(u64::from(batch.size_bytes));
        for record in batch.records.iter() {
            self.word(u64::from(record.id.producer));
            self.word(record.id.number);
        }
    }

    fn message(&mut self, message: &MessageView) {
        self.word(message.id);
        self.word(message.api as u64);
        self.word(message.arrives.0);
        self.word(message.batches.len() as u64);
    }

    fn kind(&mut self, kind: &EventKind) {
        match kind {
            EventKind::BrokerRegistered { broker } => self.numbers(1, &[u64::from(*broker)]),
            EventKind::TopicCreated { topic, partitions, replication_factor } => {
                self.text(topic);
                self.numbers(2, &[u64::from(*partitions), u64::from(*replication_factor)]);
            }
            EventKind::PartitionsCreated { topic, before, after } => {
                self.text(topic);
                self.numbers(3, &[u64::from(*before), u64::from(*after)]);
            }
            EventKind::TopicDeleted { topic } => self.named(4, topic),
            EventKind::LeaderElected { partition, leader, leader_epoch } => {
                self.partition(partition);
                self.numbers(5, &[u64::from(*leader), u64::from(*leader_epoch)]);
            }
            EventKind::ProducerStarted { producer, .. } => self.named(6, producer),
            EventKind::ProducerClosed { producer } => self.named(7, producer),
            EventKind::MetadataRefreshed { topics, reason, .. } => {
                for (topic, partitions) in topics {
                    self.text(topic);
                    self.word(u64::from(*partitions));
                }
                self.numbers(8, &[*reason as u64]);
            }
            EventKind::RecordPartitioned { record, partition, batch_size_bytes, .. } => {
                self.partition(partition);
                self.numbers(9, &[record.id.number, u64::from(*batch_size_bytes)]);
            }
            EventKind::StickyPartitionSwitched { before, after, records, bytes, .. } => {
                self.numbers(10, &[u64::from(*before), u64::from(*after), *records, *bytes]);
            }
            EventKind::MessageSent { message } => self.sent(11, message),
            EventKind::MessageArrived { message } => self.sent(12, message),
            EventKind::MessageLost { message } => self.sent(13, message),
            EventKind::BatchAppended { broker, batch, base_offset } => {
                self.batch(batch);
                self.numbers(14, &[u64::from(*broker), *base_offset]);
            }
            EventKind::DuplicateIgnored { broker, batch, base_offset } => {
                self.batch(batch);
                self.numbers(23, &[u64::from(*broker), *base_offset]);
            }
            EventKind::HighWatermarkAdvanced { partition, high_watermark } => {
                self.partition(partition);
                self.numbers(15, &[*high_watermark]);
            }
            EventKind::BatchAcknowledged { batch, base_offset, .. } => {
                self.batch(batch);
                self.numbers(16, &[base_offset.unwrap_or(u64::MAX)]);
            }
            EventKind::BatchRetried { batch, .. } => {
                self.batch(batch);
                self.word(17);
            }
            EventKind::SendFailed { records, error, .. } => {
                self.text(&error.message);
                self.numbers(18, &[records.len() as u64]);
            }
            EventKind::RecordsRead { partition, first_offset, records, .. } => {
                self.partition(partition);
                self.numbers(19, &[*first_offset, records.len() as u64]);
            }
            EventKind::CommandApplied { number, .. } => self.numbers(20, &[*number]),
            EventKind::CommandFinished { outcome } => self.numbers(21, &[outcome.command, outcome.status as u64]),
            EventKind::Warned { text, .. } => self.named(22, text),
            other => self.of_replicas(other),
        }
    }

    /// What replicas do all the time, in numbers; what happens rarely, by its sentence.
    fn of_replicas(&mut self, kind: &EventKind) {
        match kind {
            EventKind::BatchReplicated { broker, partition, log_end_offset } => {
                self.partition(partition);
                self.numbers(24, &[u64::from(*broker), *log_end_offset]);
            }
            EventKind::FollowerHighWatermarkAdvanced { broker, partition, high_watermark } => {
                self.partition(partition);
                self.numbers(25, &[u64::from(*broker), *high_watermark]);
            }
            // Rare ones: their sentences tell all that tells runs apart.
            rare => self.named(26, &rare.to_string()),
        }
    }

    fn numbers(&mut self, kind: u64, numbers: &[u64]) {
        self.word(kind);
        numbers.iter().for_each(|number| self.word(*number));
    }

    fn named(&mut self, kind: u64, name: &str) {
        self.word(kind);
        self.text(name);
    }

    fn sent(&mut self, kind: u64, message: &MessageView) {
        self.word(kind);
        self.message(message);
    }
}
