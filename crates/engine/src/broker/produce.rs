//! Produce requests at the leader: appends, and acknowledgments that wait for the high watermark.
//!
//! Follows `ReplicaManager.appendRecords` and `DelayedProduce` of Kafka 4.3.1. What a log accepts is
//! decided in `storage`.

use std::rc::Rc;

use super::Broker;
use super::replica::Leadership;
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView, TopicPartition};
use crate::message::{Acks, Payload, Produce, ProduceBatch};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::time::Time;

/// What became of one batch of a request.
type ProduceResult = Result<Option<u64>, KafkaError>;

/// A Produce request that waits for the high watermark.
#[derive(Clone, Debug)]
pub(crate) struct DelayedProduce {
    message: Rc<MessageView>,
    sender: Target,
    results: Vec<ProduceResult>,
    /// Batches that still wait: their place in the request, and where they belong.
    waiting: Vec<(u32, TopicPartition)>,
    deadline: Time,
}

impl Broker {
    /// Handles a Produce request.
    pub(super) fn produce(&mut self, message: &Rc<MessageView>, payload: &Payload, outbox: &mut Outbox) {
        let Payload::Produce(Produce { acks, batches, sender, timeout, .. }) = payload else {
            panic!("only Produce requests are queued")
        };
        let mut results = Vec::with_capacity(batches.len());
        let mut waiting = Vec::new();
        let mut readable = Vec::new();
        let appended_before = self.appended_count;
        for (index, batch) in (0..).zip(batches) {
            let partition = &batch.view.partition;
            let appended = self.append(batch, *acks, outbox);
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
        let sender = *sender;
        if waiting.is_empty() {
            answer(message, sender, results, outbox);
            return;
        }
        let deadline = outbox.now() + *timeout;
        let delayed = DelayedProduce { message: Rc::clone(message), sender, results, waiting, deadline };
        self.delayed.insert(message.id, delayed);
        self.arm_produce_expiry(outbox);
    }

    /// Appends a batch; its first offset and the offset after it.
    fn append(&mut self, produced: &ProduceBatch, acks: Acks, outbox: &mut Outbox) -> Result<(u64, u64), KafkaError> {
        let batch = &produced.view;
        let partition = &batch.partition;
        let Some(replica) = self.replicas.get(partition) else { return Err(self.not_hosted(partition)) };
        let Some(leadership) = replica.leadership() else { return Err(not_leader()) };
        if acks == Acks::All && leadership.is_under_min_isr() {
            let text = "Messages are rejected since there are fewer in-sync replicas than required.";
            return Err(KafkaError::new("NOT_ENOUGH_REPLICAS", "NotEnoughReplicasException", text));
        }
        self.before_append(partition, outbox.now());
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("it was just there"));
        let (epoch, log) = (replica.leader_epoch, &mut replica.log);
        let appended = log.append_as_leader(batch, produced.stamp, epoch, outbox.moment)?;
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

    /// Waits until the high watermark has reached `end`; false if it has already.
    fn wait_for(&mut self, partition: &TopicPartition, end: u64, request: u64, index: u32) -> bool {
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
            let error = (!is_enough).then(|| {
                let text = "Messages are written to the log, but to fewer in-sync replicas than required.";
                KafkaError::new("NOT_ENOUGH_REPLICAS_AFTER_APPEND", "NotEnoughReplicasAfterAppendException", text)
            });
            self.settle(*request, *index, error, outbox);
        }
    }

    /// One batch of a request does not wait any more.
    fn settle(&mut self, request: u64, index: u32, error: Option<KafkaError>, outbox: &mut Outbox) {
        let Some(delayed) = self.delayed.get_mut(&request) else { return };
        delayed.waiting.retain(|(other, _)| *other != index);
        if let Some(error) = error {
            delayed.results[index as usize] = Err(error);
        }
        if delayed.waiting.is_empty() {
            let done = self.delayed.remove(&request).expect("it was just there");
            answer(&done.message, done.sender, done.results, outbox);
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
                let error = KafkaError::new("REQUEST_TIMED_OUT", "TimeoutException", "The request timed out.");
                delayed.results[*index as usize] = Err(error);
                let replica = self.replicas.get_mut(partition).map(Rc::make_mut);
                if let Some((_, leadership)) = replica.and_then(|replica| replica.leading()) {
                    leadership.waiting.retain(|(_, other, _)| *other != request);
                }
            }
            answer(&delayed.message, delayed.sender, delayed.results, outbox);
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
        let text = "This server does not host this topic-partition.";
        KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", text)
    }
}

/// The error for requests that only a leader answers.
pub(super) fn not_leader() -> KafkaError {
    let text = "For requests intended only for the leader, this error indicates that the broker is not the current \
                leader. For requests intended for any replica, this error indicates that the broker is not a replica \
                of the topic partition.";
    KafkaError::new("NOT_LEADER_OR_FOLLOWER", "NotLeaderOrFollowerException", text)
}

fn answer(message: &MessageView, sender: Target, results: Vec<ProduceResult>, outbox: &mut Outbox) {
    let error = results.iter().find_map(|result| result.as_ref().err().cloned());
    let payload = Payload::ProduceAnswer { request: message.id, results };
    let parcel = Parcel::answer(message, sender, payload, true);
    outbox.send(Parcel { error, ..parcel });
}
