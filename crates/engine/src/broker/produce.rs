//! Produce requests at the leader: appends, and acknowledgments that wait for the high watermark.
//!
//! Follows `ReplicaManager.appendRecords` and `DelayedProduce` of Kafka 4.3.1. What a log accepts is
//! decided in `storage`.

use std::rc::Rc;

use super::Broker;
use super::markers::by_transaction;
use super::replica::Leadership;
use super::verification::Verdict;
use crate::coordinator::Coordinator;
use crate::error::KafkaError;
use crate::event::{BatchView, Codec, EventKind, MessageView, Record, TopicPartition};
use crate::message::{Acks, Payload, Produce, ProduceBatch, ProducerIdentity};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::storage::Verified;
use crate::storage::batch::{BATCH_OVERHEAD, ProducerStamp, stored_size};
use crate::time::{Duration, Time};
use crate::transaction::TransactionEvent;

/// What became of one batch of a request.
pub(super) type ProduceResult = Result<Option<u64>, KafkaError>;

/// A request that waits for the high watermark.
#[derive(Clone, Debug)]
pub(crate) struct DelayedProduce {
    message: Rc<MessageView>,
    sender: Target,
    answer: WaitingAnswer,
    results: Vec<ProduceResult>,
    /// Batches that still wait: their place in the request, and where they belong.
    waiting: Vec<(u32, TopicPartition)>,
    deadline: Time,
}

/// Which answer a request waits for.
#[derive(Clone, Debug)]
pub(super) enum WaitingAnswer {
    /// Of Produce.
    Produce,
    /// Of WriteTxnMarkers, with the partitions of each transaction.
    Markers(Vec<Vec<TopicPartition>>),
}

impl Broker {
    /// Appends the batches of a Produce request whose transaction, if it has one, was verified.
    pub(super) fn append_produced(
        &mut self,
        message: &Rc<MessageView>,
        payload: &Payload,
        verdict: &Verdict,
        outbox: &mut Outbox,
    ) {
        let Payload::Produce(Produce { acks, batches, sender, timeout, transactional_id, .. }) = payload else {
            panic!("only Produce requests are queued")
        };
        let mut results = Vec::with_capacity(batches.len());
        let mut waiting = Vec::new();
        let mut readable = Vec::new();
        let appended_before = self.appended_count;
        for (index, batch) in (0..).zip(batches) {
            let partition = &batch.view.partition;
            let is_transactional = transactional_id.is_some() && batch.stamp.is_some();
            let appended = match verdict.errors.get(partition) {
                Some(error) => Err(error.clone()),
                None => {
                    let guard = verdict.guards.get(partition).copied();
                    let verified = Verified { guard, is_demanded: self.settings.verifies_partitions };
                    self.append(batch, is_transactional.then_some(verified), *acks, outbox)
                }
            };
            if let Ok((_, end)) = &appended {
                if self.advance_high_watermark(partition, outbox) {
                    readable.push(partition.clone());
                }
                if *acks == Acks::All && self.wait_for(partition, *end, message.id, index) {
                    waiting.push((index, partition.clone()));
                }
            }
            results.push(appended.map(|(base_offset, _)| Some(base_offset)));
        }
        if self.appended_count > appended_before {
            self.serve_followers(outbox);
        }
        self.complete_fetches(&readable, outbox);
        if *acks == Acks::None {
            return;
        }
        self.answer_when_replicated(message, *sender, WaitingAnswer::Produce, results, waiting, *timeout, outbox);
    }

    /// Answers a request once nothing of it waits for the high watermark any more.
    #[expect(clippy::too_many_arguments, reason = "it is all that a delayed answer consists of")]
    pub(super) fn answer_when_replicated(
        &mut self,
        message: &Rc<MessageView>,
        sender: Target,
        kind: WaitingAnswer,
        results: Vec<ProduceResult>,
        waiting: Vec<(u32, TopicPartition)>,
        timeout: Duration,
        outbox: &mut Outbox,
    ) {
        if waiting.is_empty() {
            answer(message, sender, kind, results, outbox);
            return;
        }
        let (message, deadline) = (Rc::clone(message), outbox.now() + timeout);
        let id = message.id;
        self.delayed.insert(id, DelayedProduce { message, sender, answer: kind, results, waiting, deadline });
        self.arm_produce_expiry(outbox);
    }

    /// Appends a batch; its first offset and the offset after it.
    fn append(
        &mut self,
        produced: &ProduceBatch,
        transactional: Option<Verified>,
        acks: Acks,
        outbox: &mut Outbox,
    ) -> Result<(u64, u64), KafkaError> {
        let batch = &produced.view;
        let partition = &batch.partition;
        let Some(replica) = self.replicas.get(partition) else { return Err(self.not_hosted(partition)) };
        let Some(leadership) = replica.leadership() else { return Err(not_leader()) };
        if acks == Acks::All && leadership.is_under_min_isr() {
            return Err(KafkaError::protocol("NOT_ENOUGH_REPLICAS"));
        }
        self.before_append(partition, outbox.now());
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("it was just there"));
        let (epoch, log) = (replica.leader_epoch, &mut replica.log);
        let appended = log.append_produced(batch, produced.stamp, transactional, epoch, outbox.moment);
        let appended = appended.inspect_err(|error| {
            if let Some(ProducerStamp { producer_id, epoch, .. }) = produced.stamp {
                self.tell_fenced_producer(partition, ProducerIdentity { producer_id, epoch }, error, outbox);
            }
        })?;
        let base_offset = appended.base_offset;
        if let Some(base_offset) = appended.duplicate_of {
            outbox.emit(EventKind::DuplicateIgnored { broker: self.id, batch: batch.clone(), base_offset });
            return Ok((base_offset, appended.last_offset + 1));
        }
        self.appended_count += 1;
        self.tell_roll(partition, appended.roll, outbox);
        outbox.emit_cause(EventKind::BatchAppended { broker: self.id, batch: batch.clone(), base_offset });
        self.list_news(partition, true, outbox);
        self.look_at_isr(partition, outbox);
        Ok((base_offset, appended.last_offset + 1))
    }

    /// A batch or a marker of an older epoch was refused.
    pub(super) fn tell_fenced_producer(
        &self,
        partition: &TopicPartition,
        identity: ProducerIdentity,
        error: &KafkaError,
        outbox: &mut Outbox,
    ) {
        let log = self.replicas.get(partition).map(|replica| &replica.log);
        let known = log.and_then(|log| log.producer(identity.producer_id, outbox.now()));
        if let Some(known) = known.filter(|_| error.error == "INVALID_PRODUCER_EPOCH") {
            outbox.emit(EventKind::Transaction(TransactionEvent::ProducerFenced {
                broker: self.id,
                transactional_id: None,
                producer_id: identity.producer_id,
                epoch: identity.epoch,
                current: known.epoch,
            }));
        }
    }

    /// Appends records of the broker's own coordinator with acks=all; their first offset. The coordinator learns
    /// by its ticket when they are replicated. Those of a transaction come with their producer and the guard of
    /// their verification.
    pub(crate) fn append_own(
        &mut self,
        partition: &TopicPartition,
        records: Vec<Rc<Record>>,
        transactional: Option<(ProducerStamp, Option<u64>)>,
        ticket: u64,
        outbox: &mut Outbox,
    ) -> Result<u64, KafkaError> {
        let sizes = (0..).zip(&records).map(|(delta, record)| stored_size(record, delta, 0));
        let size_bytes = BATCH_OVERHEAD + sizes.sum::<u32>();
        let view = BatchView { partition: partition.clone(), records: records.into(), size_bytes, codec: Codec::None };
        let stamp = transactional.map(|(stamp, _)| stamp);
        let is_demanded = self.settings.verifies_partitions;
        let verified = transactional.map(|(_, guard)| Verified { guard, is_demanded });
        let (base_offset, end) = self.append(&ProduceBatch { view, stamp }, verified, Acks::All, outbox)?;
        let is_readable = self.advance_high_watermark(partition, outbox);
        if !self.wait_for(partition, end, ticket, 0) {
            self.coordinator.settle(ticket, None);
        }
        self.serve_followers(outbox);
        if is_readable {
            self.complete_fetches(std::slice::from_ref(partition), outbox);
        }
        Ok(base_offset)
    }

    /// Nobody waits for a record of the coordinator any more.
    pub(crate) fn forget_waiting(&mut self, partition: &TopicPartition, ticket: u64) {
        let replica = self.replicas.get_mut(partition).map(Rc::make_mut);
        if let Some((_, leadership)) = replica.and_then(|replica| replica.leading()) {
            leadership.waiting.retain(|(_, other, _)| *other != ticket);
        }
    }

    /// Waits until the high watermark has reached `end`; false if it has already.
    pub(super) fn wait_for(&mut self, partition: &TopicPartition, end: u64, request: u64, index: u32) -> bool {
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("it was appended to"));
        let (log, leadership) = replica.leading().expect("it was appended to");
        if log.high_watermark >= end {
            return false;
        }
        // A repeated batch may wait for less than the requests before it.
        let at = leadership.waiting.partition_point(|(other, _, _)| *other <= end);
        leadership.waiting.insert(at, (end, request, index));
        true
    }

    /// The high watermark has reached these batches.
    pub(super) fn complete_produces(&mut self, reached: &[(u64, u64, u32)], is_enough: bool, outbox: &mut Outbox) {
        for (_, request, index) in reached {
            let error = (!is_enough).then(|| KafkaError::protocol("NOT_ENOUGH_REPLICAS_AFTER_APPEND"));
            self.settle(*request, *index, error, outbox);
        }
    }

    /// One batch of a request does not wait any more.
    fn settle(&mut self, request: u64, index: u32, error: Option<KafkaError>, outbox: &mut Outbox) {
        if Coordinator::is_ticket(request) {
            self.coordinator.settle(request, error);
            return;
        }
        let Some(delayed) = self.delayed.get_mut(&request) else { return };
        delayed.waiting.retain(|(other, _)| *other != index);
        if let Some(error) = error {
            delayed.results[index as usize] = Err(error);
        }
        if delayed.waiting.is_empty() {
            let done = self.delayed.remove(&request).expect("it was just there");
            answer(&done.message, done.sender, done.answer, done.results, outbox);
        }
    }

    /// The broker does not lead a partition any more: what waited there fails.
    pub(super) fn fail_produces(&mut self, before: Leadership, outbox: &mut Outbox) {
        for (_, request, index) in before.waiting {
            self.settle(request, index, Some(not_leader()), outbox);
        }
    }

    /// Requests whose time is over are answered.
    pub(super) fn expire_produces(&mut self, outbox: &mut Outbox) {
        self.alarms.produce = None;
        let now = outbox.now();
        let late: Vec<u64> =
            self.delayed.iter().filter(|(_, delayed)| delayed.deadline <= now).map(|(id, _)| *id).collect();
        for request in late {
            let mut delayed = self.delayed.remove(&request).expect("it was just listed");
            for (index, partition) in &delayed.waiting {
                let error = KafkaError::protocol("REQUEST_TIMED_OUT");
                delayed.results[*index as usize] = Err(error);
                let replica = self.replicas.get_mut(partition).map(Rc::make_mut);
                if let Some((_, leadership)) = replica.and_then(|replica| replica.leading()) {
                    leadership.waiting.retain(|(_, other, _)| *other != request);
                }
            }
            answer(&delayed.message, delayed.sender, delayed.answer, delayed.results, outbox);
        }
        self.arm_produce_expiry(outbox);
    }

    fn arm_produce_expiry(&mut self, outbox: &mut Outbox) {
        if self.alarms.produce.is_some() {
            return;
        }
        // Requests come in the order of their ids, nearly always with the same timeout.
        let Some(deadline) = self.delayed.values().map(|delayed| delayed.deadline).min() else { return };
        self.alarms.produce = Some(deadline);
        outbox.wake(Target::Broker(self.number), deadline, Timer::ProduceExpired);
    }

    /// The error for a partition that this broker has no replica of.
    pub(super) fn not_hosted(&self, partition: &TopicPartition) -> KafkaError {
        let topic = self.image.topics.get(&partition.topic);
        if topic.is_some_and(|topic| topic.partitions.len() > partition.partition as usize) {
            return not_leader();
        }
        KafkaError::protocol("UNKNOWN_TOPIC_OR_PARTITION")
    }
}

/// The error for requests that only a leader answers.
pub(super) fn not_leader() -> KafkaError {
    KafkaError::protocol("NOT_LEADER_OR_FOLLOWER")
}

fn answer(
    message: &MessageView,
    sender: Target,
    kind: WaitingAnswer,
    results: Vec<ProduceResult>,
    outbox: &mut Outbox,
) {
    let error = results.iter().find_map(|result| result.as_ref().err().cloned());
    let request = message.id;
    let payload = match kind {
        WaitingAnswer::Produce => Payload::ProduceAnswer { request, results },
        WaitingAnswer::Markers(asked) => {
            Payload::WriteTxnMarkersAnswer { request, results: by_transaction(asked, results) }
        }
    };
    let parcel = Parcel::answer(message, sender, payload, true);
    outbox.send(Parcel { error, ..parcel });
}
