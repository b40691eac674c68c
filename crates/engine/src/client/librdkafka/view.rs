//! The producer in a snapshot.
//!
//! Reading changes nothing.

use std::rc::Rc;

use super::Librdkafka;
use super::topics::Existence;
use crate::event::{Name, TopicPartition};
use crate::snapshot::{BatchSnapshot, BufferSnapshot, CallSnapshot, ProducerSnapshot, StickySnapshot};
use crate::storage::batch::BATCH_OVERHEAD;
use crate::transaction::{Call, WaitReason};

impl Librdkafka {
    /// Size of the batch that waits in a partition, as if it left now.
    pub(super) fn waiting_bytes(&self, (topic, number): &super::message::Key) -> u32 {
        let partition = self.topics.get(topic).and_then(|topic| topic.partitions.get(*number as usize));
        BATCH_OVERHEAD + partition.map_or(0, |partition| partition.queue.stored_bytes())
    }

    /// What the picture shows besides the counters.
    pub fn show(&self, snapshot: &mut ProducerSnapshot) {
        let identity = self.identity.as_ref().and_then(|own| own.current);
        snapshot.producer_id = identity.map(|identity| identity.producer_id);
        snapshot.producer_epoch = identity.map(|identity| identity.epoch);
        let known = self.topics.iter().filter(|(_, topic)| topic.existence == Existence::Exists);
        snapshot.metadata = known.map(|(name, topic)| (Rc::clone(name), topic.partitions.len() as u32)).collect();
        snapshot.metadata_refreshed = self.query.refreshed;
        snapshot.metadata_due = self.query.due_by_age;
        snapshot.batches = self.shown_batches();
        snapshot.sticky = self.topics.iter().filter_map(|(name, topic)| self.shown_sticky(name, topic)).collect();
        snapshot.waiting_count = self.topics.values().map(|topic| topic.unassigned.len()).sum();
        snapshot.transactional_id = self.txn.as_ref().map(|txn| Rc::clone(&txn.id));
        snapshot.client_state = self.txn.as_ref().map(super::transactions::Transactions::state);
        let own = self.txn.as_ref().and_then(|txn| txn.error.clone());
        snapshot.client_error = self.fatal.clone().or(own);
        let partitions = self.txn.iter().flat_map(|txn| txn.added.iter().chain(&txn.adding));
        snapshot.transaction_partitions = partitions
            .map(|(topic, partition)| TopicPartition { topic: Rc::clone(topic), partition: *partition })
            .collect();
        snapshot.calls = self.shown_call().into_iter().collect();
        snapshot.buffer = BufferSnapshot {
            total_bytes: self.settings.queue_bytes_max,
            available_bytes: self.settings.queue_bytes_max.saturating_sub(self.queued_bytes),
            buffer_bytes: 0,
            messages: Some((self.settings.queue_records_max, self.queued_records)),
            batches: Vec::new(),
        };
        snapshot.metrics.insert("rd_kafka_outq_len", self.outq_len() as i64 * 1_000);
        snapshot.metrics.insert("msg_cnt", self.queued_records as i64 * 1_000);
        snapshot.metrics.insert("msg_size", self.queued_bytes as i64 * 1_000);
        snapshot.metrics.insert("replyq", self.report_count() as i64 * 1_000);
    }

    fn shown_batches(&self) -> Vec<BatchSnapshot> {
        let open = self.requests.values().filter(|request| !request.messages.is_empty());
        let in_flight = open.map(|request| BatchSnapshot {
            topic: Rc::clone(&request.key.0),
            partition: request.key.1,
            record_count: request.messages.len() as u32,
            size_bytes: request.view.size_bytes,
            is_in_flight: true,
        });
        let queued = self.topics.iter().flat_map(|(name, topic)| {
            (0..).zip(&topic.partitions).map(move |(number, partition)| (name, number, partition.queue.len() as u32))
        });
        let queued = queued.filter(|(_, _, count)| *count > 0).map(|(name, partition, record_count)| BatchSnapshot {
            topic: Rc::clone(name),
            partition,
            record_count,
            size_bytes: self.waiting_bytes(&(Rc::clone(name), partition)),
            is_in_flight: false,
        });
        in_flight.chain(queued).collect()
    }

    fn shown_sticky(&self, name: &Name, topic: &super::topics::Topic) -> Option<StickySnapshot> {
        let keyless = &topic.sticky.as_ref()?.keyless;
        Some(StickySnapshot {
            topic: Rc::clone(name),
            partition: keyless.current(),
            produced_bytes: keyless.produced_bytes(),
            threshold_bytes: keyless.threshold_bytes().unwrap_or(0),
        })
    }

    fn shown_call(&self) -> Option<CallSnapshot> {
        let running = self.txn.as_ref()?.running.as_ref().filter(|running| running.is_awaited)?;
        let reason = match running.step {
            super::transactions::Step::Flushing => WaitReason::Batches,
            _ => WaitReason::Coordinator,
        };
        let call: Call = running.call;
        Some(CallSnapshot { call, reason, since: running.begun, deadline: running.deadline })
    }
}
