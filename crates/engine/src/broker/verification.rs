//! Transactions that a partition's leader has verified before it appends: questions to their coordinators.
//!
//! Follows `AddPartitionsToTxnManager` and `ReplicaManager.handleProduceAppend` of Kafka 4.3.1 (KIP-890). What the
//! coordinator answers is its own business, and what a log accepts is decided in `storage`. Simplified: each
//! transaction has a request of its own; Kafka puts all that wait for a coordinator into one.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::Broker;
use super::produce::not_leader;
use crate::controller::topic_names::TRANSACTION_STATE;
use crate::error::KafkaError;
use crate::event::{Api, MessageView, Name, NodeId, TopicPartition};
use crate::internal_partition::coordinator_of;
use crate::message::{AddPartitionsToTxn, PartitionResults, Payload, Produce, ProducerIdentity};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::storage::batch::ProducerStamp;
use crate::time::Time;

/// From this version of Produce on the leader adds the partition itself: transaction version 2.
const ADDS_PARTITIONS: u16 = 12;
/// From this version of Produce on clients know TRANSACTION_ABORTABLE.
const KNOWS_ABORTABLE: u16 = 11;
/// The version of AddPartitionsToTxn that brokers speak.
const ADD_PARTITIONS_VERSION: u16 = 5;

/// What came of the verification of a Produce request.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    /// Partitions that are refused, and why.
    pub errors: BTreeMap<TopicPartition, KafkaError>,
    /// Partitions that were asked for, with their guards.
    pub guards: BTreeMap<TopicPartition, u64>,
}

/// A broker's questions to coordinators.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verifications {
    /// Produce requests that wait for an answer.
    held: BTreeMap<u64, HeldProduce>,
    /// Guards of offsets whose transaction is being verified, by request.
    guards: BTreeMap<u64, u64>,
    /// Requests that came later over the same connections.
    behind: BTreeMap<NodeId, VecDeque<super::Held>>,
    /// Questions for a broker that has not answered the ones before, by transactional id.
    queued: BTreeMap<u32, BTreeMap<Name, Question>>,
    /// Questions on their way, by broker and request.
    in_flight: BTreeMap<u32, InFlight>,
    alarm: Option<Time>,
}

#[derive(Clone, Debug)]
struct HeldProduce {
    message: Rc<MessageView>,
    payload: Rc<Payload>,
    since: Time,
    verdict: Verdict,
}

#[derive(Clone, Debug)]
struct Question {
    /// The Produce request that it is for.
    produce: u64,
    identity: ProducerIdentity,
    partitions: Vec<TopicPartition>,
    is_verify_only: bool,
}

#[derive(Clone, Debug)]
struct InFlight {
    questions: BTreeMap<u64, Question>,
    /// They count as lost from then on.
    deadline: Time,
}

impl Verifications {
    /// The process ends.
    pub fn stop(&mut self) {
        *self = Verifications::default();
    }

    /// Whether an answer of this broker is waited for.
    pub fn waits_for(&self, broker: u32) -> bool {
        self.in_flight.contains_key(&broker)
    }

    /// Bytes that a checkpoint copies.
    pub fn own_bytes(&self) -> u64 {
        ((self.held.len() + self.in_flight.len() + self.queued.len()) * 160) as u64
    }
}

impl Broker {
    /// Handles a Produce request, at once or when its transaction is verified. A connection has one request at a
    /// time handled, so later ones wait for it.
    pub(super) fn produce(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        if let Some(behind) = self.verifications.behind.get_mut(&message.from) {
            behind.push_back((Rc::clone(message), Rc::clone(payload)));
            return;
        }
        let Payload::Produce(produce) = &**payload else { panic!("only Produce requests are queued") };
        if produce.transactional_id.is_none() || !self.is_verified_first(produce) {
            self.append_produced(message, payload, &Verdict::default(), outbox);
            return;
        }
        if matches!(message.from, NodeId::Producer { .. }) {
            self.verifications.behind.insert(message.from.clone(), VecDeque::new());
        }
        let (message, payload, since) = (Rc::clone(message), Rc::clone(payload), outbox.now());
        let id = message.id;
        let held = HeldProduce { message, payload, since, verdict: Verdict::default() };
        self.verifications.held.insert(id, held);
        self.verify(id, outbox);
    }

    /// Without `transaction.partition.verification.enable` only the leaders that add partitions themselves ask.
    fn is_verified_first(&self, produce: &Produce) -> bool {
        self.settings.verifies_partitions || produce.version >= ADDS_PARTITIONS
    }

    /// Asks the coordinator about the partitions in which the transaction has not begun
    /// (`maybeSendPartitionsToTransactionCoordinator`).
    fn verify(&mut self, id: u64, outbox: &mut Outbox) {
        let Some(held) = self.verifications.held.get(&id) else { return };
        let payload = Rc::clone(&held.payload);
        let Payload::Produce(produce) = &*payload else { return };
        let is_added = produce.version >= ADDS_PARTITIONS;
        let mut verdict = Verdict::default();
        let mut identity = None;
        for batch in &produce.batches {
            let Some(stamp) = batch.stamp else { continue };
            let partition = &batch.view.partition;
            identity = Some(ProducerIdentity { producer_id: stamp.producer_id, epoch: stamp.epoch });
            let Some(replica) = self.replicas.get_mut(partition) else {
                verdict.errors.insert(partition.clone(), self.not_hosted(partition));
                continue;
            };
            if replica.leadership().is_none() {
                verdict.errors.insert(partition.clone(), not_leader());
            } else if !replica.log.has_ongoing_transaction(stamp.producer_id, stamp.epoch)
                && let Some(guard) = Rc::make_mut(replica).log.start_verification(stamp, is_added)
            {
                verdict.guards.insert(partition.clone(), guard);
            }
        }
        let partitions: Vec<TopicPartition> = verdict.guards.keys().cloned().collect();
        if let Some(held) = self.verifications.held.get_mut(&id) {
            held.verdict = verdict;
        }
        match (identity, &produce.transactional_id) {
            (Some(identity), Some(transactional_id)) if !partitions.is_empty() => {
                let question = Question { produce: id, identity, partitions, is_verify_only: !is_added };
                self.ask_coordinator(transactional_id, question, outbox);
            }
            _ => self.verified(id, outbox),
        }
    }

    /// `addOrVerifyTransaction`.
    fn ask_coordinator(&mut self, transactional_id: &Name, question: Question, outbox: &mut Outbox) {
        let leader = coordinator_of(&self.image, TRANSACTION_STATE, transactional_id).and_then(|(_, leader)| leader);
        let is_alive = |id: &u32| self.image.brokers.get(id).is_some_and(|broker| !broker.is_fenced);
        let Some(broker) = leader.filter(is_alive) else {
            return self.answered_all(&question, "COORDINATOR_NOT_AVAILABLE", outbox);
        };
        // A question that still waits for its turn gives way to a newer one, unless that is of an older epoch.
        let queued = self.verifications.queued.entry(broker).or_default();
        match queued.get(transactional_id).map(|waiting| waiting.identity.epoch.cmp(&question.identity.epoch)) {
            Some(std::cmp::Ordering::Greater) => {
                return self.answered_all(&question, "INVALID_PRODUCER_EPOCH", outbox);
            }
            found => {
                let replaced = queued.insert(Rc::clone(transactional_id), question);
                let is_older = found == Some(std::cmp::Ordering::Less);
                let error = if is_older { "INVALID_PRODUCER_EPOCH" } else { "NETWORK_EXCEPTION" };
                if let Some(replaced) = replaced {
                    self.answered_all(&replaced, error, outbox);
                }
            }
        }
        self.send_questions(broker, outbox);
    }

    /// Sends what waits for a broker, unless it still has to answer.
    fn send_questions(&mut self, broker: u32, outbox: &mut Outbox) {
        if self.verifications.in_flight.contains_key(&broker) {
            return;
        }
        let Some(queued) = self.verifications.queued.remove(&broker) else { return };
        let mut questions = BTreeMap::new();
        for (transactional_id, question) in queued {
            let payload = Payload::AddPartitionsToTxn(AddPartitionsToTxn {
                transactional_id,
                identity: question.identity,
                partitions: question.partitions.clone(),
                is_verify_only: question.is_verify_only,
                version: ADD_PARTITIONS_VERSION,
                sender: Target::Broker(self.number),
            });
            let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
            let request = Parcel::request(Api::AddPartitionsToTxn, self.node(), to, target, payload, true);
            questions.insert(outbox.send(request), question);
        }
        let deadline = outbox.now() + self.settings.request_timeout;
        self.verifications.in_flight.insert(broker, InFlight { questions, deadline });
        self.arm_verifications(outbox);
    }

    /// A coordinator answered.
    pub(super) fn partitions_added(
        &mut self,
        message: &MessageView,
        request: u64,
        results: &PartitionResults,
        outbox: &mut Outbox,
    ) {
        let NodeId::Broker { id: broker } = message.from else { panic!("coordinators are brokers") };
        let Some(in_flight) = self.verifications.in_flight.get_mut(&broker) else { return };
        let Some(question) = in_flight.questions.remove(&request) else { return };
        if in_flight.questions.is_empty() {
            self.verifications.in_flight.remove(&broker);
        }
        let errors = results.iter().filter_map(|(partition, result)| {
            let error = result.as_ref().err()?;
            Some((partition.clone(), error.error.clone()))
        });
        self.answered(question.produce, errors.collect(), outbox);
        self.send_questions(broker, outbox);
    }

    /// The connection to a broker broke: what it was asked has no answer.
    pub fn coordinator_lost(&mut self, broker: u32, outbox: &mut Outbox) {
        let Some(lost) = self.verifications.in_flight.remove(&broker) else { return };
        for question in lost.questions.values() {
            self.answered_all(question, "NETWORK_EXCEPTION", outbox);
        }
        self.send_questions(broker, outbox);
    }

    /// `request.timeout.ms` is over for some question.
    pub(super) fn expire_verifications(&mut self, outbox: &mut Outbox) {
        self.verifications.alarm = None;
        let now = outbox.now();
        let late = self.verifications.in_flight.iter().filter(|(_, sent)| sent.deadline <= now).map(|(id, _)| *id);
        for broker in late.collect::<Vec<_>>() {
            self.coordinator_lost(broker, outbox);
        }
        self.arm_verifications(outbox);
    }

    fn arm_verifications(&mut self, outbox: &mut Outbox) {
        if self.verifications.alarm.is_some() {
            return;
        }
        let Some(at) = self.verifications.in_flight.values().map(|sent| sent.deadline).min() else { return };
        self.verifications.alarm = Some(at);
        outbox.wake(Target::Broker(self.number), at, Timer::VerificationExpired);
    }

    fn answered_all(&mut self, question: &Question, error: &str, outbox: &mut Outbox) {
        let errors = question.partitions.iter().map(|partition| (partition.clone(), error.to_string())).collect();
        self.answered(question.produce, errors, outbox);
    }

    /// Asks about the transaction of offsets: a group's coordinator leads the partition that they are written to.
    pub(crate) fn verify_offsets(
        &mut self,
        request: u64,
        transactional_id: &Name,
        identity: ProducerIdentity,
        partition: TopicPartition,
        is_added: bool,
        outbox: &mut Outbox,
    ) {
        let ProducerIdentity { producer_id, epoch } = identity;
        let stamp = ProducerStamp { producer_id, epoch, base_sequence: -1 };
        let is_verified_first = self.settings.verifies_partitions || is_added;
        let replica = self.replicas.get_mut(&partition).filter(|_| is_verified_first).map(Rc::make_mut);
        let Some(guard) = replica.and_then(|replica| replica.log.start_verification(stamp, is_added)) else {
            return self.offsets_verified(request, Ok(None), outbox);
        };
        self.verifications.guards.insert(request, guard);
        let is_verify_only = !is_added;
        let question = Question { produce: request, identity, partitions: vec![partition], is_verify_only };
        self.ask_coordinator(transactional_id, question, outbox);
    }

    /// What a coordinator says about a transaction with offsets.
    fn offsets_answered(&mut self, request: u64, errors: &[(TopicPartition, String)], outbox: &mut Outbox) {
        let Some(guard) = self.verifications.guards.remove(&request) else { return };
        // Clients of TxnOffsetCommit know all these errors; only a fenced epoch is called as for Produce.
        let told = |error: &str| match error {
            "PRODUCER_FENCED" => KafkaError::protocol("INVALID_PRODUCER_EPOCH"),
            "CLUSTER_AUTHORIZATION_FAILED" => KafkaError::protocol("INVALID_TXN_STATE"),
            other => KafkaError::protocol(other),
        };
        let verified = errors.first().map_or(Ok(Some(guard)), |(_, error)| Err(told(error)));
        self.offsets_verified(request, verified, outbox);
    }

    /// What a coordinator says about the partitions of a Produce request. A transaction of version 2 that is still
    /// being ended is asked for again for a while, so that the client need not send its records twice.
    fn answered(&mut self, produce: u64, errors: Vec<(TopicPartition, String)>, outbox: &mut Outbox) {
        let Some(held) = self.verifications.held.get_mut(&produce) else {
            return self.offsets_answered(produce, &errors, outbox);
        };
        let Payload::Produce(Produce { version, .. }) = &*held.payload else { return };
        let (version, waited) = (*version, outbox.now().since(held.since));
        let is_busy = errors.iter().any(|(_, error)| error == "CONCURRENT_TRANSACTIONS");
        let longest = self.settings.add_partitions_backoff_max.min(self.settings.request_timeout);
        if version >= ADDS_PARTITIONS && is_busy && waited < longest {
            let at = outbox.now() + self.settings.add_partitions_backoff;
            outbox.wake(Target::Broker(self.number), at, Timer::VerifyAgain { request: produce });
            return;
        }
        let errors = errors.into_iter().map(|(partition, error)| (partition, told_to_producer(&error, version)));
        held.verdict.errors.extend(errors);
        self.verified(produce, outbox);
    }

    /// A transaction that was being ended is asked for again.
    pub(super) fn verify_again(&mut self, request: u64, outbox: &mut Outbox) {
        self.verify(request, outbox);
    }

    /// All is known that has to be known before the append.
    fn verified(&mut self, produce: u64, outbox: &mut Outbox) {
        let Some(held) = self.verifications.held.remove(&produce) else { return };
        self.append_produced(&held.message, &held.payload, &held.verdict, outbox);
        let behind = self.verifications.behind.remove(&held.message.from).unwrap_or_default();
        for (message, payload) in behind {
            // The first one that has to be verified itself makes the others wait again.
            self.produce(&message, &payload, outbox);
        }
    }
}

/// What a producer is told instead of the coordinator's error.
fn told_to_producer(error: &str, version: u16) -> KafkaError {
    let known = match error {
        "PRODUCER_FENCED" => "INVALID_PRODUCER_EPOCH",
        "CLUSTER_AUTHORIZATION_FAILED" => "INVALID_TXN_STATE",
        "TRANSACTION_ABORTABLE" if version < KNOWS_ABORTABLE => "INVALID_TXN_STATE",
        other => other,
    };
    let is_retried = match known {
        "NETWORK_EXCEPTION" | "COORDINATOR_LOAD_IN_PROGRESS" | "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" => true,
        "CONCURRENT_TRANSACTIONS" => version < ADDS_PARTITIONS,
        _ => false,
    };
    if is_retried {
        // Older clients retry this one as they should.
        let message =
            format!("Unable to verify the partition has been added to the transaction. Underlying error: {known}");
        return KafkaError { message, ..KafkaError::protocol("NOT_ENOUGH_REPLICAS") };
    }
    let told = KafkaError::protocol(known);
    if known == "INVALID_TXN_STATE" {
        return KafkaError { message: "Partition was not added to the transaction".to_string(), ..told };
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(error: &str, version: u16, told: &str, sent: Option<&str>) {
        let found = told_to_producer(error, version);
        assert_eq!((found.error.as_str(), found.sent_text()), (told, sent), "{error} in version {version}");
    }

    #[test]
    fn producers_are_told_what_they_can_handle() {
        let unable = |error: &str| {
            format!("Unable to verify the partition has been added to the transaction. Underlying error: {error}")
        };
        check("PRODUCER_FENCED", 12, "INVALID_PRODUCER_EPOCH", None);
        check("INVALID_PRODUCER_ID_MAPPING", 12, "INVALID_PRODUCER_ID_MAPPING", None);
        check("TRANSACTION_ABORTABLE", 11, "TRANSACTION_ABORTABLE", None);
        check("TRANSACTION_ABORTABLE", 10, "INVALID_TXN_STATE", Some("Partition was not added to the transaction"));
        check("NOT_COORDINATOR", 12, "NOT_ENOUGH_REPLICAS", Some(&unable("NOT_COORDINATOR")));
        check("CONCURRENT_TRANSACTIONS", 11, "NOT_ENOUGH_REPLICAS", Some(&unable("CONCURRENT_TRANSACTIONS")));
        check("CONCURRENT_TRANSACTIONS", 12, "CONCURRENT_TRANSACTIONS", None);
    }
}
