//! TxnOffsetCommit at a group's coordinator: offsets that count when their transaction is committed.
//!
//! Follows `GroupCoordinatorService.commitTransactionalOffsets` and `OffsetMetadataManager` of Kafka 4.3.1. What the
//! log makes of them is in `groups/offset_state.rs`.

use std::rc::Rc;

use super::TICKET;
use super::groups::offsets_partition;
use super::groups::records::record;
use super::groups::serving::check_transactional;
use super::requests::send_answer;
use super::writing::{Append, Appending, Asker};
use crate::broker::Broker;
use crate::error::KafkaError;
use crate::event::internal::{InternalRecord, OffsetRecord};
use crate::event::{MessageView, TopicPartition};
use crate::message::{ClusterImage, PartitionResults, Payload, TxnOffsetCommit};
use crate::outbox::Outbox;
use crate::storage::batch::ProducerStamp;
use crate::time::Duration;

/// From this version of TxnOffsetCommit on the coordinator adds its partition to the transaction itself.
const ADDS_PARTITION: u16 = 5;
/// `offsets.commit.timeout.ms`.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);

impl Broker {
    /// TxnOffsetCommit: the transaction is verified first, then the group, then offsets are written.
    pub(crate) fn commit_offsets(&mut self, message: &Rc<MessageView>, asked: &TxnOffsetCommit, outbox: &mut Outbox) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        let number = match self.coordinated(&asked.group) {
            Ok(number) => number,
            Err(error) => return answer_all(&asker, asked, &error, outbox),
        };
        let id = message.id;
        self.groups.held.insert(id, (asker, asked.clone()));
        let is_added = asked.version >= ADDS_PARTITION;
        let partition = offsets_partition(number);
        self.verify_offsets(id, &asked.transactional_id, asked.identity, partition, is_added, outbox);
    }

    /// The coordinator of the transaction has answered: an error, or the guard with which offsets may be written.
    pub(crate) fn offsets_verified(
        &mut self,
        request: u64,
        verified: Result<Option<u64>, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some((asker, asked)) = self.groups.held.remove(&request) else { return };
        let number = self.group_partition(&asked.group);
        let written = verified
            .and_then(|guard| self.check_group(number, &asked).map(|()| guard))
            .map_err(|error| told_to_client(&error));
        let guard = match written {
            Ok(guard) => guard,
            Err(error) => return answer_all(&asker, &asked, &error, outbox),
        };
        let known: Vec<_> = asked.offsets.iter().filter(|(partition, _)| exists(&self.image, partition)).collect();
        if known.is_empty() {
            return answer_results(&asker, results(&self.image, &asked, &Ok(())), outbox);
        }
        let mut records = Vec::new();
        for (partition, offset) in known {
            let number = self.coordinator.ticket() & !TICKET;
            let writer = self.writer(number, outbox.now());
            let content =
                OffsetRecord { group: Rc::clone(&asked.group), partition: partition.clone(), offset: *offset };
            records.push(record(InternalRecord::Offset(content), writer));
        }
        let stamp =
            ProducerStamp { producer_id: asked.identity.producer_id, epoch: asked.identity.epoch, base_sequence: -1 };
        let ticket = self.coordinator.ticket();
        let deadline = outbox.now() + COMMIT_TIMEOUT;
        let appended = self.append_own(&offsets_partition(number), records, Some((stamp, guard)), ticket, outbox);
        let what = Appending::Offsets { asker, asked };
        self.coordinator.appends.insert(ticket, Append { partition: number, epoch: 0, deadline, what });
        match appended {
            Ok(_) => self.arm_appends(outbox),
            Err(error) => self.coordinator.settle(ticket, Some(error)),
        }
    }

    /// `validateTransactionalOffsetCommit`.
    fn check_group(&self, partition: u32, asked: &TxnOffsetCommit) -> Result<(), KafkaError> {
        let Some(own) = self.groups.partitions.get(&partition) else {
            return Err(KafkaError::protocol("NOT_COORDINATOR"));
        };
        let (generation, member) =
            asked.member.as_ref().map_or((-1, ""), |(generation, member)| (*generation, &**member));
        let group = own.groups.get(&asked.group).map(|group| &**group);
        check_transactional(group, member, generation, &asked.offsets)
    }

    /// Offsets are replicated, or are not going to be.
    pub(super) fn offsets_settled(
        &self,
        asker: &Asker,
        asked: &TxnOffsetCommit,
        error: Option<&KafkaError>,
        outbox: &mut Outbox,
    ) {
        let result = error.map_or(Ok(()), |error| Err(told_to_client(error)));
        answer_results(asker, results(&self.image, asked, &result), outbox);
    }
}

/// `handleOperationException`: what a failed write or verification means to the client.
pub(super) fn told_to_client(error: &KafkaError) -> KafkaError {
    match error.error.as_str() {
        "UNKNOWN_TOPIC_OR_PARTITION"
        | "NOT_ENOUGH_REPLICAS"
        | "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
        | "REQUEST_TIMED_OUT" => KafkaError::protocol("COORDINATOR_NOT_AVAILABLE"),
        "NOT_LEADER_OR_FOLLOWER" | "KAFKA_STORAGE_ERROR" => KafkaError::protocol("NOT_COORDINATOR"),
        // Older clients would not try again as they should.
        "NETWORK_EXCEPTION" => KafkaError::protocol("COORDINATOR_LOAD_IN_PROGRESS"),
        _ => error.clone(),
    }
}

pub(super) fn exists(image: &ClusterImage, partition: &TopicPartition) -> bool {
    image.topics.get(&partition.topic).is_some_and(|topic| topic.partitions.len() > partition.partition as usize)
}

/// What comes of each partition; those that do not exist fail by themselves.
fn results(image: &ClusterImage, asked: &TxnOffsetCommit, result: &Result<(), KafkaError>) -> PartitionResults {
    let of = |(partition, _): &(TopicPartition, u64)| {
        let unknown = || KafkaError::protocol("UNKNOWN_TOPIC_OR_PARTITION");
        let result = if exists(image, partition) { result.clone() } else { Err(unknown()) };
        (partition.clone(), result)
    };
    asked.offsets.iter().map(of).collect()
}

fn answer_all(asker: &Asker, asked: &TxnOffsetCommit, error: &KafkaError, outbox: &mut Outbox) {
    let results = asked.offsets.iter().map(|(partition, _)| (partition.clone(), Err(error.clone()))).collect();
    answer_results(asker, results, outbox);
}

fn answer_results(asker: &Asker, results: PartitionResults, outbox: &mut Outbox) {
    let error = results.iter().find_map(|(_, result)| result.as_ref().err().cloned());
    let payload = Payload::TxnOffsetCommitAnswer { request: asker.message.id, results };
    send_answer(asker, payload, error, outbox);
}
