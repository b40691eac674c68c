//! What a broker does with its logs on request: making, rolling, DeleteRecords.
//!
//! Follows `ReplicaManager.deleteRecords` of Kafka 4.3.1. What is done from time to time is in `passes.rs`.

use std::rc::Rc;

use super::Broker;
use super::produce::not_leader;
use crate::command::{PartitionName, PartitionOutcome};
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView, RollReason, TopicPartition};
use crate::message::Payload;
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::rng::Stream;
use crate::storage::{Log, Roll};
use crate::time::Time;

impl Broker {
    /// The log of a new replica; those that the cluster starts with may hold something.
    pub(super) fn new_log(&mut self, partition: &TopicPartition, now: Time) -> Log {
        let settings = self.topics.get(&partition.topic).map(|topic| Rc::clone(&topic.log));
        let owner = format!("{} {}-{}", self.id, partition.topic, partition.partition);
        let jitter = Stream::new(self.seed, "segment jitter", &owner);
        let mut log = Log::new(settings.expect("settings come before replicas"), now, jitter);
        log.set_checkpoint_interval(self.started, self.settings.checkpoint_interval);
        log.set_producer_expiry(self.settings.producer_expiration, self.settings.producer_check_interval);
        if let Some((batches, segments)) = self.preloads.get(partition).filter(|_| now <= self.preloads_until) {
            log.preload(batches, segments, now);
        }
        log
    }

    /// A segment was opened.
    pub(super) fn tell_roll(&self, partition: &TopicPartition, roll: Option<Roll>, outbox: &mut Outbox) {
        if let Some(Roll { base_offset, reason }) = roll {
            let (broker, partition) = (self.id, partition.clone());
            outbox.emit(EventKind::SegmentRolled { broker, partition, base_offset, reason });
        }
    }

    /// Closes the active segment of a replica.
    pub fn roll_segment(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let Some(replica) = self.replicas.get_mut(partition) else { return };
        let roll = Rc::make_mut(replica).log.roll(outbox.now(), RollReason::Command);
        self.tell_roll(partition, roll, outbox);
        self.log_changed(partition, outbox);
    }

    /// The log start offset of a leader moved: its followers have to learn it.
    pub(super) fn tell_log_start(&mut self, partition: &TopicPartition, log_start_offset: u64, outbox: &mut Outbox) {
        let broker = self.id;
        outbox.emit(EventKind::LogStartMoved { broker, partition: partition.clone(), log_start_offset });
        self.list_news(partition, false, outbox);
    }

    /// DeleteRecords. Simplified: answers when the leader's log start has moved; Kafka's waits for the other
    /// replicas.
    pub(super) fn delete_records(
        &mut self,
        message: &MessageView,
        partition: &TopicPartition,
        before_offset: i64,
        outbox: &mut Outbox,
    ) {
        let result = self.delete_below(partition, before_offset, outbox);
        let error = result.as_ref().err().cloned();
        let outcome = PartitionOutcome {
            partition: PartitionName { topic: partition.topic.to_string(), partition: partition.partition },
            error: error.clone(),
            low_watermark: result.as_ref().ok().copied(),
        };
        let payload =
            Payload::AdminAnswer { request: message.id, result: result.map(|_| ()), partitions: vec![outcome] };
        let parcel = Parcel::answer(message, Target::Admin, payload, true);
        outbox.send(Parcel { error, ..parcel });
    }

    fn delete_below(
        &mut self,
        partition: &TopicPartition,
        before_offset: i64,
        outbox: &mut Outbox,
    ) -> Result<u64, KafkaError> {
        let replica = self.replicas.get_mut(partition).filter(|replica| replica.leadership().is_some());
        let Some(replica) = replica else { return Err(not_leader()) };
        let log = &mut Rc::make_mut(replica).log;
        if log.settings().is_compacted && !log.settings().is_deleted {
            let text = "Request parameters do not satisfy the configured policy.";
            return Err(KafkaError::new("POLICY_VIOLATION", "PolicyViolationException", text));
        }
        let offset = if before_offset == -1 { Some(log.high_watermark) } else { u64::try_from(before_offset).ok() };
        let Some(offset) = offset.filter(|offset| *offset <= log.high_watermark) else {
            let text = "The requested offset is not within the range of offsets maintained by the server.";
            return Err(KafkaError::new("OFFSET_OUT_OF_RANGE", "OffsetOutOfRangeException", text));
        };
        if offset > log.log_start_offset {
            log.advance_log_start(offset);
            self.tell_log_start(partition, offset, outbox);
            self.log_changed(partition, outbox);
        }
        Ok(self.replicas.get(partition).map_or(0, |replica| replica.log.log_start_offset))
    }
}
