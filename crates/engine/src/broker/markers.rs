//! WriteTxnMarkers at the leader: the ends of transactions become control records.
//!
//! Follows `KafkaApis.handleWriteTxnMarkersRequest` of Kafka 4.3.1. Whether a marker is taken is decided in
//! `storage`, and who sends it, by the coordinator.

use std::rc::Rc;

use super::Broker;
use super::produce::{ProduceResult, WaitingAnswer, not_leader};
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView, TopicPartition};
use crate::message::{PartitionResults, TxnMarkers};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::storage::batch::Control;
use crate::storage::markers::Marker;
use crate::transaction::TransactionEvent;

/// Markers of one run in one request that are told apart.
const MARKERS_PER_REQUEST: u64 = 1 << 16;

impl Broker {
    /// Appends markers and answers when all in-sync replicas have them.
    pub(super) fn write_markers(
        &mut self,
        message: &Rc<MessageView>,
        markers: &[TxnMarkers],
        sender: Target,
        outbox: &mut Outbox,
    ) {
        let mut results: Vec<ProduceResult> = Vec::new();
        let mut waiting = Vec::new();
        let mut readable = Vec::new();
        let appended_before = self.appended_count;
        for markers in markers {
            for partition in &markers.partitions {
                let index = results.len() as u32;
                let number = message.id * MARKERS_PER_REQUEST + u64::from(index);
                let appended = self.write_marker(partition, markers, number, outbox);
                if let Ok(offset) = appended {
                    if self.advance_high_watermark(partition, outbox) {
                        readable.push(partition.clone());
                    }
                    if self.wait_for(partition, offset + 1, message.id, index) {
                        waiting.push((index, partition.clone()));
                    }
                }
                results.push(appended.map(Some));
            }
        }
        if self.appended_count > appended_before {
            self.serve_followers(outbox);
        }
        self.complete_fetches(&readable, outbox);
        let asked = markers.iter().map(|markers| markers.partitions.clone()).collect();
        let timeout = self.settings.request_timeout;
        self.answer_when_replicated(message, sender, WaitingAnswer::Markers(asked), results, waiting, timeout, outbox);
    }

    /// Appends one marker; its offset.
    fn write_marker(
        &mut self,
        partition: &TopicPartition,
        markers: &TxnMarkers,
        number: u64,
        outbox: &mut Outbox,
    ) -> Result<u64, KafkaError> {
        let Some(replica) = self.replicas.get(partition) else {
            return Err(KafkaError::protocol("UNKNOWN_TOPIC_OR_PARTITION"));
        };
        let leadership = replica.leadership().ok_or_else(not_leader)?;
        if leadership.is_under_min_isr() {
            return Err(KafkaError::protocol("NOT_ENOUGH_REPLICAS"));
        }
        self.before_append(partition, outbox.now());
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("it was just there"));
        let control = Control { marker: markers.end, coordinator_epoch: markers.coordinator_epoch };
        let (identity, transaction_version) = (markers.identity, markers.transaction_version);
        let marker = Marker { identity, control, transaction_version, number };
        let appended = replica.log.append_marker(&marker, replica.leader_epoch, outbox.moment);
        let appended = appended.inspect_err(|error| self.tell_fenced_producer(partition, identity, error, outbox))?;
        self.appended_count += 1;
        self.tell_roll(partition, appended.roll, outbox);
        outbox.emit_cause(EventKind::Transaction(TransactionEvent::MarkerAppended {
            broker: self.id,
            partition: partition.clone(),
            marker: markers.end,
            producer_id: identity.producer_id,
            epoch: identity.epoch,
            coordinator_epoch: markers.coordinator_epoch,
            offset: appended.base_offset,
        }));
        self.list_news(partition, true, outbox);
        self.look_at_isr(partition, outbox);
        Ok(appended.base_offset)
    }
}

/// The results of a request, for each transaction in the order of its partitions.
pub(super) fn by_transaction(asked: Vec<Vec<TopicPartition>>, results: Vec<ProduceResult>) -> Vec<PartitionResults> {
    let mut results = results.into_iter();
    let mut of = |partition: TopicPartition| {
        let result = results.next().expect("each partition has a result");
        (partition, result.map(|_| ()))
    };
    asked.into_iter().map(|partitions| partitions.into_iter().map(&mut of).collect()).collect()
}
