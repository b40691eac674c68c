//! What becomes of Produce requests: answers, errors and what each leads to.
//!
//! Follows `rd_kafka_handle_Produce_error` and `rd_kafka_handle_idempotent_Produce_error` of librdkafka 2.16.0.
//! A batch that is too large is not split. Deliberately not here: time that has run out.

use std::rc::Rc;

use super::Librdkafka;
use super::errors;
use super::message::{Key, Message};
use super::sending::InFlight;
use crate::client::connections::Backoff;
use crate::error::KafkaError;
use crate::event::{EventKind, RefreshReason};
use crate::outbox::Outbox;

/// Errors after which the leader is looked up again.
const REFRESHES: [&str; 8] = [
    "_TRANSPORT",
    "UNKNOWN_TOPIC_OR_PART",
    "NOT_LEADER_FOR_PARTITION",
    "LEADER_NOT_AVAILABLE",
    "REPLICA_NOT_AVAILABLE",
    "KAFKA_STORAGE_ERROR",
    "FENCED_LEADER_EPOCH",
    "UNKNOWN_LEADER_EPOCH",
];
/// Other errors after which the messages are tried again.
const RETRIES: [&str; 6] = [
    "_TIMED_OUT",
    "REQUEST_TIMED_OUT",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "INVALID_MSG",
    "BROKER_NOT_AVAILABLE",
];

impl Librdkafka {
    /// A Produce answer arrived.
    pub fn produce_answer(&mut self, request: u64, results: &[Result<Option<u64>, KafkaError>], outbox: &mut Outbox) {
        let Some(in_flight) = self.requests.remove(request) else { return };
        self.brokers.answered(in_flight.broker);
        if let Some(result) = results.first() {
            self.settle(in_flight, result.clone(), outbox);
        }
        self.run(outbox);
    }

    /// A request is over.
    pub(super) fn settle(&mut self, request: InFlight, result: Result<Option<u64>, KafkaError>, outbox: &mut Outbox) {
        if let Some(partition) = self.partition_mut(&request.key) {
            partition.in_flight -= 1;
        }
        match result {
            Ok(base_offset) => self.written(request, base_offset, outbox),
            // The broker has the batch, but has forgotten where.
            Err(error) if error.error == "DUPLICATE_SEQUENCE_NUMBER" => self.written(request, None, outbox),
            Err(error) => self.refused(request, errors::of_broker(&error), outbox),
        }
    }

    fn written(&mut self, request: InFlight, base_offset: Option<u64>, outbox: &mut Outbox) {
        let next = request.first + request.view.records.len() as u64;
        if let Some(partition) = self.partition_mut(&request.key)
            && let Some(numbering) = &mut partition.numbering
            && request.stamp.is_some_and(|stamp| stamp.epoch == numbering.identity.epoch)
        {
            numbering.next_ack = numbering.next_ack.max(next);
        }
        self.report_written(request, base_offset, outbox);
    }

    fn refused(&mut self, request: InFlight, error: KafkaError, outbox: &mut Outbox) {
        let name = error.error.as_str();
        if REFRESHES.contains(&name) {
            self.query.want(RefreshReason::Error);
        }
        if name == "OUT_OF_ORDER_SEQUENCE_NUMBER" && request.stamp.is_some() {
            self.out_of_order(request, error, outbox);
        } else if REFRESHES.contains(&name) || RETRIES.contains(&name) {
            self.retry(request, error, outbox);
        } else {
            self.lost_for_good(request, error, outbox);
        }
    }

    /// The messages go back in front of their queue; those whose retries are used up are reported.
    fn retry(&mut self, request: InFlight, error: KafkaError, outbox: &mut Outbox) {
        let settings = &self.plan.settings;
        let backoff = Backoff { first: settings.backoff, longest: settings.backoff_max };
        let retries_max = settings.retries;
        let (again, over): (Vec<_>, Vec<_>) =
            request.messages.into_iter().partition(|message| message.retries < retries_max);
        if !again.is_empty() {
            let retries = again.first().map_or(0, |message| message.retries);
            let not_before = outbox.now() + backoff.pause(retries, &mut self.jitter);
            let again =
                again.into_iter().map(|message| Message { retries: message.retries + 1, not_before, ..message });
            let again: Vec<_> = again.collect();
            outbox.emit(EventKind::BatchRetried {
                producer: Rc::clone(&self.plan.name),
                batch: request.view,
                error: error.clone().into(),
            });
            match self.partition_mut(&request.key) {
                Some(partition) => partition.queue.put_back(again),
                None => self.report_failed(again, Some(&request.key), &errors::plain("_UNKNOWN_PARTITION"), outbox),
            }
        }
        if !over.is_empty() {
            let told = if error.error == "_TIMED_OUT" { errors::plain("_MSG_TIMED_OUT") } else { error };
            self.gap(&request.key, over.len(), request.broker, request.stamp, &told);
            self.report_failed(over, Some(&request.key), &told, outbox);
        }
    }

    fn lost_for_good(&mut self, request: InFlight, error: KafkaError, outbox: &mut Outbox) {
        if !request.messages.is_empty() {
            self.gap(&request.key, request.messages.len(), request.broker, request.stamp, &error);
        }
        self.report_failed(request.messages, Some(&request.key), &error, outbox);
    }

    /// Messages of an idempotent producer failed, so their sequences will never come.
    fn gap(
        &mut self,
        key: &Key,
        count: usize,
        broker: u32,
        stamp: Option<crate::storage::batch::ProducerStamp>,
        error: &KafkaError,
    ) {
        let Some(stamp) = stamp else { return };
        let what = format!(
            "ProduceRequest for {} [{}] with {count} message(s) failed: {} (broker {broker} PID{{Id:{},Epoch:{}}}, base \
             seq {})",
            key.0, key.1, error.message, stamp.producer_id, stamp.epoch, stamp.base_sequence
        );
        let is_fenced = matches!(error.error.as_str(), "INVALID_PRODUCER_EPOCH" | "PRODUCER_FENCED");
        if self.txn.is_some() && is_fenced {
            let text = format!("{what}: transactional producer fenced by newer producer instance");
            self.raise_fatal(errors::worded("_FENCED", text));
        } else if self.txn.is_some() {
            self.raise_abortable(
                errors::worded(&error.error, format!("{what}: current transaction must be aborted")),
                false,
            );
        } else if self.settings.is_gapless {
            let text = format!("{what}: unable to satisfy gap-less guarantee");
            self.raise_fatal(errors::worded("_GAPLESS_GUARANTEE", text));
        } else {
            self.drain(&error.error, "message sequence gap".to_string());
        }
    }

    /// A batch after a gap is tried again under the next epoch. For the batch that should have been next, client
    /// and broker do not agree any more.
    fn out_of_order(&mut self, request: InFlight, error: KafkaError, outbox: &mut Outbox) {
        let next_ack = self.partition_mut(&request.key).and_then(|partition| partition.numbering).map(|it| it.next_ack);
        if next_ack.is_none_or(|next| request.first > next) {
            self.drain(&error.error, "skipped sequence numbers".to_string());
            let again = request.messages.into_iter().map(|message| Message { batch_end: None, ..message });
            let again: Vec<_> = again.collect();
            outbox.emit(EventKind::BatchRetried {
                producer: Rc::clone(&self.plan.name),
                batch: request.view,
                error: error.into(),
            });
            match self.partition_mut(&request.key) {
                Some(partition) => partition.queue.put_back(again),
                None => self.report_failed(again, Some(&request.key), &errors::plain("_UNKNOWN_PARTITION"), outbox),
            }
            return;
        }
        // Simplified: librdkafka's text also tells the last error of the partition and its age.
        let text = format!(
            "ProduceRequest for {} [{}] with {} message(s) failed due to sequence desynchronization with broker {}",
            request.key.0,
            request.key.1,
            request.messages.len(),
            request.broker
        );
        self.raise_fatal(errors::worded(&error.error, text));
        self.report_failed(request.messages, Some(&request.key), &error, outbox);
    }
}
