//! TxnOffsetCommit at a group's coordinator: offsets that count when their transaction is committed.
//!
//! Follows `GroupCoordinatorService.commitTransactionalOffsets` and `OffsetMetadataManager` of Kafka 4.3.1. What the
//! log makes of them is in `group_state.rs`. Simplified: groups have no members here, so a member's generation
//! is never the right one.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::group_state::GroupState;
use super::requests::send_answer;
use super::state_record::Writer;
use super::writing::{Append, Appending, Asker};
use super::{TICKET, partition_count};
use crate::broker::Broker;
use crate::controller::topic_names::CONSUMER_OFFSETS;
use crate::error::KafkaError;
use crate::event::internal::{InternalRecord, OffsetRecord};
use crate::event::{MessageView, Name, Record, TopicPartition};
use crate::internal_partition::partition_for;
use crate::message::{ClusterImage, PartitionResults, Payload, TxnOffsetCommit};
use crate::outbox::Outbox;
use crate::snapshot::GroupOffsetsSnapshot;
use crate::storage::batch::ProducerStamp;
use crate::time::Duration;

/// From this version of TxnOffsetCommit on the coordinator adds its partition to the transaction itself.
const ADDS_PARTITION: u16 = 5;
/// `offsets.commit.timeout.ms`.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);

/// What a broker knows as coordinator of groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupCoordinator {
    /// Partitions of `__consumer_offsets` that it leads, by number.
    partitions: BTreeMap<u32, Rc<GroupState>>,
    /// Requests whose transaction is being verified, by the id of the message.
    held: BTreeMap<u64, (Asker, TxnOffsetCommit)>,
}

impl GroupCoordinator {
    /// Rough size in bytes of what a checkpoint copies.
    pub fn own_bytes(&self) -> u64 {
        (self.partitions.len() * 64 + self.held.len() * 256) as u64
    }
}

fn offsets_partition(partition: u32) -> TopicPartition {
    TopicPartition { topic: CONSUMER_OFFSETS.into(), partition }
}

impl Broker {
    /// This broker leads a partition of `__consumer_offsets` from now on.
    pub(super) fn groups_elected(&mut self, partition: u32) {
        self.groups.partitions.insert(partition, Rc::default());
        self.read_offsets(partition);
    }

    /// It does not lead it any more.
    pub(super) fn groups_resigned(&mut self, partition: u32) {
        self.groups.partitions.remove(&partition);
    }

    /// The high watermark of a partition moved: what was replicated counts.
    pub(crate) fn offsets_replicated(&mut self, partition: &TopicPartition) {
        if !self.groups.partitions.is_empty() && *partition.topic == *CONSUMER_OFFSETS {
            self.read_offsets(partition.partition);
        }
    }

    fn read_offsets(&mut self, partition: u32) {
        let Some(replica) = self.replicas.get(&offsets_partition(partition)) else { return };
        let Some(state) = self.groups.partitions.get_mut(&partition) else { return };
        let log = &replica.log;
        let from = state.read_until.max(log.log_start_offset);
        if from < log.high_watermark {
            let state = Rc::make_mut(state);
            log.read(from, u32::MAX, log.high_watermark).iter().for_each(|batch| state.replay(batch));
        }
    }

    /// TxnOffsetCommit: the transaction is verified first, then the group, then offsets are written.
    pub(crate) fn commit_offsets(&mut self, message: &Rc<MessageView>, asked: &TxnOffsetCommit, outbox: &mut Outbox) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        let count = partition_count(&self.image, CONSUMER_OFFSETS).unwrap_or(self.settings.offsets_partitions);
        let number = partition_for(&asked.group, count);
        if asked.group.is_empty() {
            return answer_all(&asker, asked, &KafkaError::protocol("INVALID_GROUP_ID"), outbox);
        }
        if !self.groups.partitions.contains_key(&number) {
            return answer_all(&asker, asked, &KafkaError::protocol("NOT_COORDINATOR"), outbox);
        }
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
        let count = partition_count(&self.image, CONSUMER_OFFSETS).unwrap_or(self.settings.offsets_partitions);
        let number = partition_for(&asked.group, count);
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
            records.push(offset_record(&asked.group, partition, *offset, writer));
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

    /// `validateTransactionalOffsetCommit`, as far as groups without members go.
    fn check_group(&self, partition: u32, asked: &TxnOffsetCommit) -> Result<(), KafkaError> {
        let Some(state) = self.groups.partitions.get(&partition) else {
            return Err(KafkaError::protocol("NOT_COORDINATOR"));
        };
        match &asked.member {
            Some((generation, _)) if *generation >= 0 && !state.knows(&asked.group) => {
                Err(KafkaError::protocol("ILLEGAL_GENERATION"))
            }
            Some((generation, member)) if *generation >= 0 || !member.is_empty() => {
                if state.knows(&asked.group) && *generation >= 0 {
                    Err(KafkaError::protocol("UNKNOWN_MEMBER_ID"))
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
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
fn told_to_client(error: &KafkaError) -> KafkaError {
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

fn exists(image: &ClusterImage, partition: &TopicPartition) -> bool {
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

/// A record of `__consumer_offsets`: `OffsetCommitKey` 1 and `OffsetCommitValue` 4 without metadata.
fn offset_record(group: &Name, partition: &TopicPartition, offset: u64, writer: Writer) -> Rc<Record> {
    let text = |text: &str| (text.len() as u16).to_be_bytes().into_iter().chain(text.bytes()).collect::<Vec<u8>>();
    let number = partition.partition.to_be_bytes();
    let key = [0, 1].into_iter().chain(text(group)).chain(text(&partition.topic)).chain(number).collect();
    let key_text = format!("{group} {partition}").into();
    // Version, offset, leader epoch, empty metadata, timestamp, no tags.
    let size = 2 + 8 + 4 + 1 + 8 + 1;
    let content = OffsetRecord { group: Rc::clone(group), partition: partition.clone(), offset };
    let value = Some((format!("offset {offset}").into(), size));
    writer.record(key, key_text, value, Some(InternalRecord::Offset(content)))
}

/// Groups and their offsets, by group.
pub(crate) fn group_offsets(image: &ClusterImage, brokers: &[Broker]) -> Vec<GroupOffsetsSnapshot> {
    let Some(topic) = image.topics.get(CONSUMER_OFFSETS) else { return Vec::new() };
    let mut all = BTreeMap::new();
    for (number, partition) in (0..).zip(&topic.partitions) {
        let leader = brokers.iter().find(|broker| Some(broker.id) == partition.leader);
        let Some(state) = leader.and_then(|leader| leader.groups.partitions.get(&number)) else { continue };
        for (group, committed, pending) in state.groups() {
            let (group, coordinator) = (Rc::clone(group), partition.leader);
            let found =
                GroupOffsetsSnapshot { group: Rc::clone(&group), coordinator, partition: number, committed, pending };
            all.insert(group, found);
        }
    }
    all.into_values().collect()
}
