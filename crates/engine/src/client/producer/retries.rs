//! What happens to batches after they were sent: answers, retries, broken connections and timeouts.
//!
//! Follows `Sender.completeBatch` and `NetworkClient` of Kafka 4.3.1. Simplified: a broker that was lost is
//! asked again with the next request itself; Kafka's client first sets up a connection and learns the API
//! versions. librdkafka looks for messages that are too old once a second, here it is at once.

use std::rc::Rc;

use super::Producer;
use super::accumulator::{Batch, Key};
use super::failures;
use crate::client::connections::Backoff;
use crate::command::RecordMetadata;
use crate::error::KafkaError;
use crate::event::{BatchView, EventKind, MessageView, RefreshReason};
use crate::outbox::Outbox;
use crate::time::{Duration, Time};

impl Producer {
    /// A Produce answer arrived.
    pub fn produce_answer(&mut self, request: u64, results: &[Result<Option<u64>, KafkaError>], outbox: &mut Outbox) {
        let Some(in_flight) = self.in_flight.remove(&request) else { return };
        self.connections.answered(in_flight.broker);
        self.metrics.answered(outbox.now().since(in_flight.sent), outbox.now());
        for ((key, batch, view), result) in in_flight.batches.into_iter().zip(results) {
            self.complete(key, batch, view, result.clone(), outbox);
        }
        self.run(outbox);
    }

    /// `Sender.completeBatch`.
    fn complete(
        &mut self,
        key: Key,
        batch: Batch,
        view: BatchView,
        result: Result<Option<u64>, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let error = match result {
            Ok(base_offset) => return self.succeed(&key, &batch, &view, base_offset, outbox),
            // The broker has the batch, but has forgotten where.
            Err(error) if error.error == "DUPLICATE_SEQUENCE_NUMBER" => {
                return self.succeed(&key, &batch, &view, None, outbox);
            }
            Err(error) => error,
        };
        if failures::is_stale_metadata(&error) {
            self.metadata.request(RefreshReason::Error);
        }
        let is_too_large = error.error == "MESSAGE_TOO_LARGE" && batch.records.len() > 1;
        if is_too_large {
            self.split(key, batch, view, error, outbox);
        } else if self.may_retry(&key, &batch, &error, outbox.now()) {
            self.retry(key, batch, view, error, outbox);
        } else {
            // With its retries used up, nobody knows whether the broker has taken the sequence.
            let is_gap = batch.attempts < self.plan.settings.retries;
            self.give_up(&key, &batch, error, is_gap, outbox);
        }
    }

    fn succeed(&mut self, key: &Key, batch: &Batch, view: &BatchView, base: Option<u64>, outbox: &mut Outbox) {
        if let (Some(own), Some(stamp)) = (&mut self.idempotence, batch.stamp) {
            own.acknowledged(key, stamp, view.records.len() as u32);
        }
        self.give_back(Some(batch.memory));
        if !batch.records.is_empty() {
            self.acknowledge(view, base, outbox);
        }
    }

    /// Tells that a batch is written.
    pub(super) fn acknowledge(&mut self, view: &BatchView, base_offset: Option<u64>, outbox: &mut Outbox) {
        self.acknowledged_count += view.records.len() as u64;
        outbox.emit(EventKind::BatchAcknowledged {
            producer: Rc::clone(&self.plan.name),
            batch: view.clone(),
            base_offset,
        });
        for (index, record) in view.records.iter().enumerate() {
            if let Some(command) = record.command {
                let metadata = RecordMetadata {
                    topic: Rc::clone(&view.partition.topic),
                    partition: view.partition.partition,
                    offset: base_offset.map(|base| base + index as u64),
                };
                outbox.finish(command, Ok(Some(metadata)));
            }
        }
    }

    fn may_retry(&mut self, key: &Key, batch: &Batch, error: &KafkaError, now: Time) -> bool {
        let is_over = self.is_expired(batch, now) || batch.attempts >= self.plan.settings.retries;
        if is_over || batch.records.is_empty() {
            return false;
        }
        if let Some(own) = &mut self.idempotence {
            match error.error.as_str() {
                "OUT_OF_ORDER_SEQUENCE_NUMBER" => return own.out_of_order(key, batch),
                "UNKNOWN_PRODUCER_ID" => return own.unknown_id(key, batch),
                _ => {}
            }
        }
        failures::is_retriable(error)
    }

    fn retry(&mut self, key: Key, mut batch: Batch, view: BatchView, error: KafkaError, outbox: &mut Outbox) {
        let settings = &self.plan.settings;
        let backoff = Backoff { first: settings.backoff, longest: settings.backoff_max };
        batch.not_before = outbox.now() + backoff.pause(batch.attempts, &mut self.jitter);
        batch.attempts += 1;
        self.metrics.retried(batch.records.len() as u64, outbox.now());
        outbox.emit(EventKind::BatchRetried { producer: Rc::clone(&self.plan.name), batch: view, error: error.into() });
        self.accumulator.put_back(&key, batch);
    }

    /// A batch that the broker finds too large goes back in parts; that is no retry.
    fn split(&mut self, key: Key, batch: Batch, view: BatchView, error: KafkaError, outbox: &mut Outbox) {
        outbox.emit(EventKind::BatchRetried { producer: Rc::clone(&self.plan.name), batch: view, error: error.into() });
        self.metrics.split(outbox.now());
        // Its parts live outside of the pool.
        self.give_back(Some(batch.memory));
        let stamp = batch.stamp;
        let parts = batch.split(self.plan.settings.batch_size);
        if let (Some(own), Some(stamp)) = (&mut self.idempotence, stamp) {
            own.split(&key, stamp, &parts);
        }
        for part in parts.into_iter().rev() {
            self.accumulator.put_back(&key, part);
        }
    }

    /// `Sender.failBatch`: the application learns of it, unless it already has. A batch that expired on its way
    /// has kept its memory until now (KAFKA-19012).
    fn give_up(&mut self, key: &Key, batch: &Batch, error: KafkaError, is_gap: bool, outbox: &mut Outbox) {
        self.give_back(Some(batch.memory));
        if batch.records.is_empty() {
            return;
        }
        if let (Some(own), Some(stamp)) = (&mut self.idempotence, batch.stamp)
            && self.transactions.is_none()
        {
            own.failed(key, stamp, is_gap || error.error == "OUT_OF_ORDER_SEQUENCE_NUMBER");
        }
        let told = failures::as_told_by(self.plan.dialect, error.clone());
        self.fail(&batch.records, told, outbox);
        self.transactional_batch_failed(key, batch, &error, is_gap, outbox);
    }

    /// The connection to a broker broke, or could not be made: the broker is down.
    pub fn broker_disconnected(&mut self, broker: u32, outbox: &mut Outbox) {
        if self.connections.is_open(broker) {
            self.lose_connection(broker, None, outbox);
            self.run(outbox);
        }
    }

    /// What is in flight to a broker will not be answered.
    fn lose_connection(&mut self, broker: u32, reason: Option<&str>, outbox: &mut Outbox) {
        self.connections.broke(broker, outbox.now());
        self.metadata.lost(broker, outbox.now());
        if let Some(own) = &mut self.idempotence {
            own.lost(broker);
        }
        self.transaction_request_lost(broker);
        let text = format!("Disconnected from node {broker}{}", reason.unwrap_or_default());
        let error = match reason {
            Some(_) => KafkaError::new("REQUEST_TIMED_OUT", "TimeoutException", text),
            None => KafkaError::new("NETWORK_EXCEPTION", "NetworkException", text),
        };
        let lost: Vec<u64> =
            self.in_flight.iter().filter(|(_, request)| request.broker == broker).map(|(id, _)| *id).collect();
        // The newest first: each goes back in front of the ones after it.
        for id in lost.into_iter().rev() {
            let request = self.in_flight.remove(&id).expect("it was just listed");
            for (key, batch, view) in request.batches {
                self.complete(key, batch, view, Err(error.clone()), outbox);
            }
        }
        // NetworkClient asks for new metadata after every disconnection.
        self.metadata.request(RefreshReason::Error);
    }

    /// A message of this producer went over a connection that is broken.
    pub fn lose(&mut self, message: &Rc<MessageView>, outbox: &mut Outbox) {
        if self.lose_librdkafka(message, outbox) {
            return;
        }
        outbox.emit_cause(EventKind::MessageLost { message: Rc::clone(message) });
        if self.in_flight.contains_key(&message.id) {
            self.disconnected(outbox);
        }
    }

    /// Fault: the connections break. What is on its way is lost; if nothing is, the next Produce request.
    pub fn disconnect(&mut self, outbox: &mut Outbox) {
        if self.disconnect_librdkafka(outbox) {
            return;
        }
        if self.in_flight.is_empty() {
            self.breaks_next = true;
        } else {
            self.disconnected(outbox);
        }
    }

    fn disconnected(&mut self, outbox: &mut Outbox) {
        // What was sent behind the request that found the break has gone the same way.
        self.connected_since = outbox.post.messages;
        for broker in self.connections.open() {
            self.lose_connection(broker, None, outbox);
        }
        self.run(outbox);
    }

    /// Gives up on what has taken too long.
    pub(super) fn expire(&mut self, outbox: &mut Outbox) {
        self.expire_waiting(outbox);
        self.expire_sent(outbox);
        self.expire_queued(outbox);
        self.expire_requests(outbox);
    }

    /// A broker that does not answer in time counts as lost, with everything that it was asked.
    fn expire_requests(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let metadata = self.metadata.asked().filter(|(_, deadline)| *deadline <= now).map(|(broker, _)| broker);
        let own = self.idempotence.as_ref().filter(|own| own.deadline().is_some_and(|deadline| deadline <= now));
        let identity = own.and_then(|own| own.asked());
        let late = self.in_flight.values().filter(|request| request.deadline <= now).map(|request| request.broker);
        let transaction = self.late_coordinator(now);
        let mut brokers: Vec<u32> = late.chain(metadata).chain(identity).chain(transaction).collect();
        brokers.sort_unstable();
        brokers.dedup();
        for broker in brokers {
            self.lose_connection(broker, Some(" due to timeout"), outbox);
        }
    }

    fn is_expired(&self, batch: &Batch, now: Time) -> bool {
        batch.created + self.plan.settings.delivery_timeout <= now
    }

    /// Batches on their way whose time is over: the application is told, and their answers change nothing
    /// for it any more.
    fn expire_sent(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let timeout = self.plan.settings.delivery_timeout;
        let mut expired = Vec::new();
        for (key, batch, _) in self.in_flight.values_mut().flat_map(|request| &mut request.batches) {
            if !batch.records.is_empty() && batch.created + timeout <= now {
                let mut told = batch.clone();
                told.memory = 0;
                expired.push((key.clone(), told));
                batch.records = Vec::new();
            }
        }
        for (key, batch) in expired {
            self.expire_batch(&key, &batch, now, outbox);
        }
    }

    fn expire_queued(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let timeout = self.plan.settings.delivery_timeout;
        let is_expired = |batch: &Batch| batch.created + timeout <= now;
        let late = self.accumulator.firsts().filter(|(_, queue)| queue.front().is_some_and(|first| is_expired(first)));
        let late: Vec<Key> = late.map(|(key, _)| key.clone()).collect();
        for key in late {
            while let Some(batch) = self.accumulator.take_first(&key, is_expired) {
                self.expire_batch(&key, &batch, now, outbox);
            }
        }
    }

    fn expire_batch(&mut self, key: &Key, batch: &Batch, now: Time, outbox: &mut Outbox) {
        // It is a gap only when a batch that was tried again is left unresolved.
        self.give_up(key, batch, expiry(key, batch, now), false, outbox);
        if let (Some(own), Some(stamp)) = (&mut self.idempotence, batch.stamp)
            && batch.is_in_retry()
        {
            own.leave_unresolved(key, stamp, batch.records.len() as u32);
        }
    }

    /// When the answer to a request, or a batch in it, is given up.
    pub(super) fn sent_expiries(&self) -> impl Iterator<Item = Time> {
        let timeout: Duration = self.plan.settings.delivery_timeout;
        self.in_flight.values().flat_map(move |request| {
            let open = request.batches.iter().filter(|(_, batch, _)| !batch.records.is_empty());
            open.map(move |(_, batch, _)| batch.created + timeout).chain([request.deadline])
        })
    }
}

/// The error of a batch that was not written within `delivery.timeout.ms`.
fn expiry(key: &Key, batch: &Batch, now: Time) -> KafkaError {
    let text = format!(
        "Expiring {} record(s) for {}-{}:{} ms has passed since batch creation. The request has not been sent, or no \
         server response has been received yet.",
        batch.records.len(),
        key.0,
        key.1,
        now.since(batch.created).millis()
    );
    KafkaError::new("", "TimeoutException", text)
}
