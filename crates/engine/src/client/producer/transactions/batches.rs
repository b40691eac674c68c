//! Batches of a transactional producer: the partitions that they add, and what their failures do to it.
//!
//! Follows `TransactionManager.maybeAddPartition`, `handleFailedBatch` and the batches that `Sender` aborts in
//! Kafka 4.3.1. What is tried again is decided in `retries.rs`.

use std::rc::Rc;

use super::{Thread, illegal_state};
use crate::client::producer::Producer;
use crate::client::producer::accumulator::{Batch, Key};
use crate::error::KafkaError;
use crate::event::{Record, TopicPartition};
use crate::outbox::Outbox;
use crate::transaction::ClientState;

/// Exceptions that are no `ApiException`: `send` throws them instead of returning a failed Future.
const NOT_OF_THE_API: [&str; 4] =
    ["KafkaException", "IllegalStateException", "IllegalArgumentException", "SerializationException"];

impl Producer {
    /// `send` has put a record into a batch of this partition, which takes part in the transaction from now
    /// on. If it may not, `send` fails, and its record stays where it is.
    pub(in crate::client::producer) fn add_partition(&mut self, key: &Key, record: &Rc<Record>, outbox: &mut Outbox) {
        let Err(error) = self.try_add_partition(key) else { return };
        if let Some(own) = &mut self.transactions {
            own.refused.insert(record.id);
        }
        self.accumulator.forget_command(key);
        // It counts once: as what becomes of it in its batch.
        let failed = self.failed_count;
        self.refuse(Rc::clone(record), error, outbox);
        self.failed_count = failed;
    }

    /// `maybeAddPartition`.
    fn try_add_partition(&mut self, key: &Key) -> Result<(), KafkaError> {
        let identity = self.identity();
        let Some(own) = &mut self.transactions else { return Ok(()) };
        own.check_error(identity)?;
        own.check_pending("send")?;
        let partition = || format!("{}-{}", key.0, key.1);
        if identity.is_none() {
            let text = format!(
                "Cannot add partition {} to transaction before completing a call to initTransactions",
                partition()
            );
            return Err(illegal_state(text));
        }
        if own.state != ClientState::InTransaction {
            // Two spaces, as in Kafka.
            let text =
                format!("Cannot add partition {} to transaction while in state  {}", partition(), own.state.name());
            return Err(illegal_state(text));
        }
        let Some(taking_part) = self.idempotence.as_mut().and_then(|own| own.taking_part.as_mut()) else {
            return Ok(());
        };
        if own.is_v2 {
            own.is_started = true;
            if !taking_part.contains(key) {
                taking_part.insert(key.clone());
            }
        } else if !taking_part.contains(key) && !own.pending_partitions.contains(key) {
            own.new_partitions.insert(key.clone());
        }
        Ok(())
    }

    /// The exceptions that `doSend` catches: those of the API are in the Future, others are thrown.
    pub(in crate::client::producer) fn refuse(&mut self, record: Rc<Record>, error: KafkaError, outbox: &mut Outbox) {
        if NOT_OF_THE_API.contains(&error.exception.as_str()) {
            return self.throw(record, error, outbox);
        }
        let result = match &mut self.transactions {
            Some(own) => own.record_failed(&error, Thread::Application, outbox),
            None => Ok(()),
        };
        match result {
            Ok(()) => self.fail(&[record], error, outbox),
            // There is no transaction that could fail.
            Err(illegal) => self.throw(record, illegal, outbox),
        }
    }

    /// `handleFailedBatch`, after its records have failed. `is_gap`: no leader will have its sequences.
    pub(in crate::client::producer) fn transactional_batch_failed(
        &mut self,
        key: &Key,
        batch: &Batch,
        error: &KafkaError,
        is_gap: bool,
        outbox: &mut Outbox,
    ) {
        let Some(own) = &mut self.transactions else { return };
        // The sender's own change of state: if there is no way to it, the producer has ended.
        own.record_failed(error, Thread::Sender, outbox).ok();
        own.failed_at = Some(outbox.now());
        let is_fatal = own.is_fatal();
        let Some(stamp) = batch.stamp else { return };
        if is_gap && !is_fatal && error.error != "UNKNOWN_PRODUCER_ID" {
            self.close_gap(key, stamp);
        }
        let Some(sequences) = &mut self.idempotence else { return };
        sequences.failed(key, stamp, false);
        if !is_fatal && error.error == "UNKNOWN_PRODUCER_ID" {
            sequences.forget_partition(key);
        }
    }

    /// What the sender looks at first: partitions whose fate stays unknown. It looks with its next turn after
    /// a batch has failed, and calls that throw do not wake it.
    pub(super) fn settle_sequences(&mut self, outbox: &mut Outbox) {
        let (Some(own), Some(sequences)) = (&mut self.transactions, &mut self.idempotence) else { return };
        let is_asleep = own.failed_at == Some(outbox.now()) || self.is_called;
        if !is_asleep && sequences.take_unresolvable() {
            own.lost_track(outbox);
        }
    }

    /// After an error, or in an abort, batches that were not sent are given up; after a fatal one all of them.
    /// Tells whether it is the end.
    pub(super) fn abort_what_cannot_go(&mut self, outbox: &mut Outbox) -> bool {
        let Some(own) = &self.transactions else { return false };
        let reason = own.error.clone();
        match own.state {
            ClientState::FatalError => {
                if let Some(reason) = reason {
                    self.abort_batches(&reason, |_| true, outbox);
                    self.abort_sent_batches(&reason, outbox);
                }
                if let Some(own) = &mut self.transactions {
                    own.requests.abandon();
                }
                return true;
            }
            ClientState::AbortableError if own.requests.sent.is_none() => {
                if let Some(reason) = reason {
                    self.abort_batches(&reason, |batch| batch.stamp.is_none(), outbox);
                }
            }
            ClientState::AbortingTransaction if own.requests.sent.is_none() => {
                let text = "Failing batch since transaction was aborted";
                let reason = KafkaError::new("", "TransactionAbortedException", text);
                self.abort_batches(&reason, |batch| batch.stamp.is_none(), outbox);
            }
            _ => {}
        }
        false
    }

    pub(in crate::client::producer) fn abort_batches(
        &mut self,
        reason: &KafkaError,
        test: impl Fn(&Batch) -> bool,
        outbox: &mut Outbox,
    ) {
        let keys: Vec<Key> = self.accumulator.firsts().map(|(key, _)| key.clone()).collect();
        for key in keys {
            for batch in self.accumulator.take_all(&key, &test) {
                self.give_back(Some(batch.memory));
                self.abort_records(&batch.records, reason, outbox);
            }
        }
    }

    pub(in crate::client::producer) fn abort_sent_batches(&mut self, reason: &KafkaError, outbox: &mut Outbox) {
        let batches = self.in_flight.values_mut().flat_map(|request| &mut request.batches);
        let records: Vec<_> = batches.flat_map(|(_, batch, _)| std::mem::take(&mut batch.records)).collect();
        self.abort_records(&records, reason, outbox);
    }

    /// The application hears of each record once: not again of those whose `send` was refused.
    fn abort_records(&mut self, records: &[Rc<Record>], reason: &KafkaError, outbox: &mut Outbox) {
        let mut own = self.transactions.as_mut();
        let mut is_news = |record: &Record| own.as_mut().is_none_or(|own| !own.refused.remove(&record.id));
        let news: Vec<_> = records.iter().filter(|record| is_news(record)).cloned().collect();
        self.failed_count += (records.len() - news.len()) as u64;
        if !news.is_empty() {
            self.fail(&news, reason.clone(), outbox);
        }
    }

    /// The next transaction begins without partitions.
    pub(super) fn forget_partitions(&mut self) {
        if let Some(taking_part) = self.idempotence.as_mut().and_then(|own| own.taking_part.as_mut()) {
            taking_part.clear();
        }
    }

    /// Partitions of the transaction, as far as this client knows.
    pub fn transaction_partitions(&self) -> Vec<TopicPartition> {
        let Some(taking_part) = self.idempotence.as_ref().and_then(|own| own.taking_part.as_ref()) else {
            return Vec::new();
        };
        let partition = |(topic, partition): &Key| TopicPartition { topic: Rc::clone(topic), partition: *partition };
        taking_part.iter().map(partition).collect()
    }

    /// How long the transactional calls have taken, in all.
    pub fn transaction_metrics(&self) -> impl Iterator<Item = (&'static str, i64)> {
        self.transactions.as_ref().map(|own| own.times.metrics()).into_iter().flatten()
    }

    /// `hasIncompleteBatches`.
    pub(super) fn has_incomplete_batches(&self) -> bool {
        let is_open = |batch: &Batch| !batch.records.is_empty();
        let mut sent = self.in_flight.values().flat_map(|request| &request.batches);
        !self.accumulator.is_empty() || sent.any(|(_, batch, _)| is_open(batch))
    }
}
