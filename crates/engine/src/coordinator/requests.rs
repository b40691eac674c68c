//! Requests for identities and partitions: InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn.
//!
//! Follows `TransactionCoordinator` and `KafkaApis` of Kafka 4.3.1. What is decided about an id is in
//! `decision.rs`.

use std::rc::Rc;

use super::decision::{self, Decision, End};
use super::end::{Ending, Waiting};
use super::metadata::{NO_TIMEOUT, TransactionMetadata};
use super::partition_count;
use super::refusals::Refusal;
use super::writing::{Asker, Then};
use crate::broker::Broker;
use crate::controller::topic_names::CONSUMER_OFFSETS;
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView, Name, TopicPartition};
use crate::internal_partition::partition_for;
use crate::message::{AddOffsetsToTxn, AddPartitionsToTxn, InitProducerId, Payload, ProducerIdentity};
use crate::outbox::{Outbox, Parcel};
use crate::time::Duration;
use crate::transaction::{MarkerKind, TransactionEvent};

/// From this version of AddPartitionsToTxn on a partition's leader asks.
const ADDED_BY_LEADERS: u16 = 4;

/// The next producer id of the cluster. Simplified: ids count up over all brokers; Kafka's brokers get blocks of
/// 1,000 from the controller.
pub(crate) fn next_producer_id(outbox: &mut Outbox) -> u64 {
    let id = outbox.post.producer_ids;
    outbox.post.producer_ids += 1;
    id
}

impl Broker {
    /// InitProducerId.
    pub(crate) fn init_producer_id(&mut self, message: &Rc<MessageView>, asked: &InitProducerId, outbox: &mut Outbox) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        let Some(id) = &asked.transactional_id else {
            let identity = ProducerIdentity { producer_id: next_producer_id(outbox), epoch: 0 };
            return self.answer_identity(&asker, Ok(identity), outbox);
        };
        let timeout = if asked.enable_two_phase_commit { NO_TIMEOUT } else { asked.timeout };
        if let Err(refusal) = self.check_init(id, asked) {
            return self.answer_identity(&asker, Err(refusal), outbox);
        }
        let partition = self.partition_of(id);
        let (now, expected) = (outbox.now(), asked.expected);
        let epoch = match self.known(partition, id, timeout, outbox) {
            Ok(epoch) => epoch,
            Err(refusal) => return self.answer_identity(&asker, Err(refusal), outbox),
        };
        let known = self.coordinator.find_in_epoch(partition, id, epoch).expect("it is known by now");
        let current = known.epoch;
        match decision::init(known, timeout, expected, now, || next_producer_id(outbox)) {
            Decision::Write(step) => self.write_step(id, epoch, step, Then::Identity(asker), outbox),
            Decision::Fence(identity) => {
                let (version, waiting) = (self.transaction_version, Waiting::Init(asker));
                let end = End { identity, end: MarkerKind::Abort, is_from_client: false, version };
                self.end_transaction(id, Ending { asked: end, is_fence: false, waiting }, outbox);
            }
            Decision::Refuse(refusal) => {
                if let Some(identity) = expected {
                    self.tell_fenced(id, identity, current, refusal, outbox);
                }
                self.answer_identity(&asker, Err(refusal), outbox);
            }
            Decision::Done => unreachable!("an instance that starts always changes something"),
        }
    }

    /// What is looked at before the id.
    fn check_init(&self, id: &str, asked: &InitProducerId) -> Result<(), Refusal> {
        let max = self.settings.transaction_timeout_max;
        if id.is_empty() {
            Err(Refusal::InvalidRequest)
        } else if asked.enable_two_phase_commit && !self.settings.has_two_phase_commit {
            Err(Refusal::NotAuthorized)
        } else if asked.keep_prepared {
            Err(Refusal::UnsupportedVersion)
        } else if !asked.enable_two_phase_commit && (asked.timeout == Duration::ZERO || asked.timeout > max) {
            Err(Refusal::InvalidTimeout)
        } else {
            Ok(())
        }
    }

    /// The coordinator's epoch for an id, which is known from now on.
    fn known(&mut self, partition: u32, id: &Name, timeout: Duration, outbox: &mut Outbox) -> Result<u32, Refusal> {
        if let Some((epoch, _)) = self.coordinator.find(partition, id)? {
            return Ok(epoch);
        }
        let new = TransactionMetadata::new(Rc::clone(id), next_producer_id(outbox), timeout, outbox.now());
        let coordinated = self.coordinator.partitions.get_mut(&partition).ok_or(Refusal::NotCoordinator)?;
        let ids = coordinated.ids.as_mut().ok_or(Refusal::LoadInProgress)?;
        ids.insert(Rc::clone(id), Rc::new(new));
        Ok(coordinated.epoch)
    }

    /// AddPartitionsToTxn, by a client or by a partition's leader.
    pub(crate) fn add_partitions(
        &mut self,
        message: &Rc<MessageView>,
        asked: &AddPartitionsToTxn,
        outbox: &mut Outbox,
    ) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        let (id, partitions, identity) = (&asked.transactional_id, &asked.partitions, asked.identity);
        if asked.is_verify_only {
            let results = self.verify_partitions(id, identity, partitions);
            return send_partition_results(&asker, results, outbox);
        }
        let image = &self.image;
        let exists = |partition: &TopicPartition| {
            let topic = image.topics.get(&partition.topic);
            topic.is_some_and(|topic| topic.partitions.len() > partition.partition as usize)
        };
        if !partitions.iter().all(exists) {
            let result = |partition: &TopicPartition| {
                let refusal = if exists(partition) { Refusal::NotAttempted } else { Refusal::UnknownPartition };
                (partition.clone(), Err(refusal.error()))
            };
            return send_partition_results(&asker, partitions.iter().map(result).collect(), outbox);
        }
        let version = if asked.version >= ADDED_BY_LEADERS { 2 } else { 0 };
        let then = Then::Partitions(asker, partitions.clone());
        self.add(id, identity, partitions, version, then, outbox);
    }

    /// AddOffsetsToTxn: the group's partition of `__consumer_offsets` takes part.
    pub(crate) fn add_offsets(&mut self, message: &Rc<MessageView>, asked: &AddOffsetsToTxn, outbox: &mut Outbox) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        let then = Then::Offsets(asker);
        // The client finds the group's coordinator first, which creates the topic.
        let count = partition_count(&self.image, CONSUMER_OFFSETS).unwrap_or(self.settings.offsets_partitions);
        let partition = partition_for(&asked.group, count);
        let partitions = [TopicPartition { topic: CONSUMER_OFFSETS.into(), partition }];
        self.add(&asked.transactional_id, asked.identity, &partitions, 0, then, outbox);
    }

    /// The coordinator's epoch for an id that exists.
    pub(super) fn epoch_of(&self, partition: u32, id: &Name) -> Result<u32, Refusal> {
        if id.is_empty() {
            return Err(Refusal::InvalidRequest);
        }
        let found = self.coordinator.find(partition, id)?;
        found.map(|(epoch, _)| epoch).ok_or(Refusal::InvalidProducerIdMapping)
    }

    fn add(
        &mut self,
        id: &Name,
        identity: ProducerIdentity,
        partitions: &[TopicPartition],
        version: u16,
        then: Then,
        outbox: &mut Outbox,
    ) {
        let partition = self.partition_of(id);
        let now = outbox.now();
        let epoch = match self.epoch_of(partition, id) {
            Ok(epoch) => epoch,
            Err(refusal) => return self.answer_added(then, Err(refusal), outbox),
        };
        let known = self.coordinator.find_in_epoch(partition, id, epoch).expect("it was just there");
        let current = known.epoch;
        match decision::add_partitions(known, identity, partitions, version, now) {
            Decision::Write(step) => self.write_step(id, epoch, step, then, outbox),
            Decision::Refuse(refusal) => {
                self.tell_fenced(id, identity, current, refusal, outbox);
                self.answer_added(then, Err(refusal), outbox);
            }
            Decision::Done | Decision::Fence(_) => self.answer_added(then, Ok(()), outbox),
        }
    }

    /// `handleVerifyPartitionsInTransaction`: what is being written does not matter here, because the leader looks
    /// again when it appends.
    fn verify_partitions(
        &self,
        id: &Name,
        identity: ProducerIdentity,
        partitions: &[TopicPartition],
    ) -> Vec<(TopicPartition, Result<(), KafkaError>)> {
        let found = match self.coordinator.find(self.partition_of(id), id) {
            Ok(found) => found.map(|(_, known)| known).ok_or(Refusal::InvalidProducerIdMapping),
            Err(refusal) => Err(refusal),
        };
        let found = found.and_then(|known| decision::check_identity(known, identity).map_or(Ok(known), Err));
        let result = |partition: &TopicPartition| match found {
            Ok(known) if known.partitions.contains(partition) => Ok(()),
            Ok(_) => Err(Refusal::TransactionAbortable.error()),
            Err(refusal) => Err(refusal.error()),
        };
        partitions.iter().map(|partition| (partition.clone(), result(partition))).collect()
    }

    fn answer_added(&self, then: Then, result: Result<(), Refusal>, outbox: &mut Outbox) {
        match then {
            Then::Partitions(asker, partitions) => self.answer_partitions(&asker, &partitions, result, outbox),
            Then::Offsets(asker) => self.answer_offsets_added(&asker, result, outbox),
            other => unreachable!("{other:?} does not add anything"),
        }
    }

    pub(super) fn answer_identity(
        &self,
        asker: &Asker,
        result: Result<ProducerIdentity, Refusal>,
        outbox: &mut Outbox,
    ) {
        let result = result.map_err(Refusal::error);
        let error = result.as_ref().err().cloned();
        let payload = Payload::InitProducerIdAnswer { request: asker.message.id, result };
        send_answer(asker, payload, error, outbox);
    }

    pub(super) fn answer_partitions(
        &self,
        asker: &Asker,
        partitions: &[TopicPartition],
        result: Result<(), Refusal>,
        outbox: &mut Outbox,
    ) {
        let result = result.map_err(|refusal| error_for(asker, refusal));
        let results = partitions.iter().map(|partition| (partition.clone(), result.clone())).collect();
        send_partition_results(asker, results, outbox);
    }

    pub(super) fn answer_offsets_added(&self, asker: &Asker, result: Result<(), Refusal>, outbox: &mut Outbox) {
        let result = result.map_err(|refusal| error_for(asker, refusal));
        let error = result.as_ref().err().cloned();
        let payload = Payload::AddOffsetsToTxnAnswer { request: asker.message.id, result };
        send_answer(asker, payload, error, outbox);
    }

    /// An older instance was refused.
    pub(super) fn tell_fenced(
        &self,
        id: &Name,
        identity: ProducerIdentity,
        current: Option<u16>,
        refusal: Refusal,
        outbox: &mut Outbox,
    ) {
        if refusal == Refusal::ProducerFenced {
            outbox.emit(EventKind::Transaction(TransactionEvent::ProducerFenced {
                broker: self.id,
                transactional_id: Some(Rc::clone(id)),
                producer_id: identity.producer_id,
                epoch: identity.epoch,
                current: current.unwrap_or(0),
            }));
        }
    }
}

fn send_partition_results(asker: &Asker, results: Vec<(TopicPartition, Result<(), KafkaError>)>, outbox: &mut Outbox) {
    let error = results.iter().find_map(|(_, result)| result.as_ref().err().cloned());
    let payload = Payload::AddPartitionsToTxnAnswer { request: asker.message.id, results };
    send_answer(asker, payload, error, outbox);
}

/// The first versions of AddPartitionsToTxn, AddOffsetsToTxn and EndTxn do not know PRODUCER_FENCED.
const KNOWS_FENCED: u16 = 2;

/// A refusal as the version of a request can tell it.
pub(super) fn error_for(asker: &Asker, refusal: Refusal) -> KafkaError {
    match (refusal, asker.message.version) {
        (Refusal::ProducerFenced, Some(version)) if version < KNOWS_FENCED => {
            KafkaError::protocol("INVALID_PRODUCER_EPOCH")
        }
        _ => refusal.error(),
    }
}

/// Answers whoever asked.
pub(crate) fn send_answer(asker: &Asker, payload: Payload, error: Option<KafkaError>, outbox: &mut Outbox) {
    let parcel = Parcel::answer(&asker.message, asker.sender, payload, asker.message.is_notable);
    outbox.send(Parcel { error, ..parcel });
}
