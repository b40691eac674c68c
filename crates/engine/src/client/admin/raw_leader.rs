//! Single requests to the leader of a partition: Produce of a chosen version, and a marker written by hand.
//!
//! They are sent once; what the leader answers is the outcome. Requests to coordinators are in `raw.rs`.

use std::rc::Rc;

use super::{Admin, Asked, Sent};
use crate::command::{PartitionName, RawRequest, RecordMetadata};
use crate::error::{InputError, KafkaError};
use crate::event::{Api, BatchView, Record, RecordId, TopicPartition};
use crate::message::{Acks, PartitionResults, Payload, Produce, ProduceBatch, ProducerIdentity, TxnMarkers};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::storage::batch::{BATCH_OVERHEAD, ProducerStamp, stored_size};
use crate::time::{Duration, Time};
use crate::transaction::MarkerKind;

/// The number of records that no producer sent.
const BY_HAND: u32 = u32::MAX - 2;
/// Records of one request that are told apart.
const RECORDS_MAX: u64 = 1 << 20;
/// Records of one batch.
const RAW_RECORDS_MAX: u32 = 10_000;
/// Bytes in front of the sequence in each value.
const RAW_PREFIX_MAX: usize = 1_000;
/// `request.timeout.ms`, within which the leader answers.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A request must be one that could be on the wire.
pub(crate) fn check_request(request: &RawRequest) -> Result<(), InputError> {
    let RawRequest::Produce { base_sequence, records, value_prefix, acks, .. } = request else { return Ok(()) };
    let refuse = |field: &str, text: &str| Err(InputError::new("command.impossible_request", text).at(field));
    if !(1..=RAW_RECORDS_MAX).contains(records) {
        return refuse("records", "a batch has from 1 to 10,000 records");
    }
    if *base_sequence < 0 {
        return refuse("base_sequence", "sequences begin at 0");
    }
    if value_prefix.len() > RAW_PREFIX_MAX {
        return refuse("value_prefix", "a prefix has at most 1,000 bytes");
    }
    if !(-1..=1).contains(acks) {
        return refuse("acks", "acks is -1, 0 or 1");
    }
    Ok(())
}

/// The partition whose leader a request goes to, if it goes to one.
pub(super) fn leader_wanted(request: &RawRequest) -> Option<TopicPartition> {
    let whole = |name: &PartitionName| TopicPartition { topic: name.topic.as_str().into(), partition: name.partition };
    match request {
        RawRequest::Produce { partition, .. } | RawRequest::AbortPartition { partition, .. } => Some(whole(partition)),
        _ => None,
    }
}

/// The request as it is sent to the leader.
pub(super) fn wire_to_leader(request: &RawRequest, command: u64, now: Time) -> (Api, Payload) {
    match request {
        RawRequest::Produce { transactional_id, api_version, acks, .. } => {
            let produce = Produce {
                acks: match acks {
                    0 => Acks::None,
                    1 => Acks::Leader,
                    _ => Acks::All,
                },
                batches: vec![batch(request, command, now)],
                sender: Target::Admin,
                timeout: TIMEOUT,
                transactional_id: transactional_id.as_deref().map(Into::into),
                version: *api_version,
            };
            (Api::Produce, Payload::Produce(produce))
        }
        RawRequest::AbortPartition { producer_id, epoch, coordinator_epoch, .. } => {
            let markers = TxnMarkers {
                identity: ProducerIdentity { producer_id: *producer_id, epoch: *epoch },
                end: MarkerKind::Abort,
                coordinator_epoch: *coordinator_epoch,
                partitions: leader_wanted(request).into_iter().collect(),
                // The Admin client does not know the transaction's version, so the epoch may stay as it is.
                transaction_version: 0,
            };
            (Api::WriteTxnMarkers, Payload::WriteTxnMarkers { markers: vec![markers], sender: Target::Admin })
        }
        other => unreachable!("{other:?} goes to a coordinator"),
    }
}

/// The batch of a Produce request.
fn batch(request: &RawRequest, command: u64, now: Time) -> ProduceBatch {
    let RawRequest::Produce { producer_id, epoch, base_sequence, records, value_prefix, timestamp_ms, .. } = request
    else {
        unreachable!("only Produce has a batch")
    };
    let create_time = timestamp_ms.unwrap_or(now.millis() as i64);
    let record = |index: u32| {
        // The text goes on behind 2147483647 as 32 bits do, whatever the sequence does.
        let value = format!("{value_prefix}{}", base_sequence.wrapping_add(index as i32));
        let key = format!("k{index}");
        Rc::new(Record {
            id: RecordId { producer: BY_HAND, number: command * RECORDS_MAX + u64::from(index) },
            producer: "".into(),
            key: Some(key.as_bytes().into()),
            key_text: Some(key.as_str().into()),
            value_size: value.len() as u32,
            value: Some(value.as_str().into()),
            timestamp: now,
            create_time,
            headers: None,
            command: Some(command),
            internal: None,
        })
    };
    let records: Rc<[Rc<Record>]> = (0..*records).map(record).collect();
    let sizes = (0..).zip(records.iter()).map(|(delta, record)| stored_size(record, delta, 0));
    let size_bytes = BATCH_OVERHEAD + sizes.sum::<u32>();
    let partition = leader_wanted(request).expect("Produce goes to a leader");
    let stamp = ProducerStamp { producer_id: *producer_id, epoch: *epoch, base_sequence: *base_sequence };
    ProduceBatch { view: BatchView { partition, records, size_bytes, codec: Default::default() }, stamp: Some(stamp) }
}

impl Admin {
    /// The leader is known: the request goes there. With acks=0 nobody answers.
    pub(super) fn send_to_leader(&mut self, command: u64, leader: u32, outbox: &mut Outbox) {
        let Asked::Raw(request) = &self.calls[&command].request else { return };
        let (api, payload) = wire_to_leader(request, command, outbox.now());
        let is_answered = !matches!(&payload, Payload::Produce(produce) if produce.acks == Acks::None);
        self.send(command, Sent::Leader(leader), api, payload, outbox);
        if !is_answered {
            self.finish_produce(command, Ok(None), outbox);
        }
    }

    /// What became of a batch.
    pub fn produce_answer(&mut self, request: u64, results: &[Result<Option<u64>, KafkaError>], outbox: &mut Outbox) {
        let Some((command, sent)) = self.take(request) else { return };
        self.heard(sent);
        let result = results.first().cloned().unwrap_or(Ok(None));
        self.finish_produce(command, result, outbox);
    }

    fn finish_produce(&mut self, command: u64, result: Result<Option<u64>, KafkaError>, outbox: &mut Outbox) {
        let Some(call) = self.calls.remove(&command) else { return };
        let Asked::Raw(request) = &call.request else { return };
        let partition = leader_wanted(request).expect("it went to a leader");
        let metadata = |offset| RecordMetadata { topic: partition.topic, partition: partition.partition, offset };
        outbox.finish(command, result.map(|offset| Some(metadata(offset))));
    }

    /// What became of a marker.
    pub fn markers_answer(&mut self, request: u64, results: &[PartitionResults], outbox: &mut Outbox) {
        let Some((command, sent)) = self.take(request) else { return };
        self.heard(sent);
        self.calls.remove(&command);
        let error = results.iter().flatten().find_map(|(_, result)| result.as_ref().err().cloned());
        outbox.finish(command, error.map_or(Ok(None), Err));
    }
}
