//! Requests to the coordinators of the transaction and of a group, and their answers.
//!
//! Follows `rdkafka_txnmgr.c` of librdkafka 2.16.0, which speaks the versions before transaction version 2:
//! partitions and groups are added by requests of their own, and an end does not change the epoch. Deliberately
//! not here: which call wants what.

use std::rc::Rc;

use super::Librdkafka;
use super::errors;
use super::message::Key;
use super::transactions::{ClientPhase, Offsets, Step};
use crate::error::KafkaError;
use crate::event::{Api, Name, TopicPartition};
use crate::message::{
    AddOffsetsToTxn, AddPartitionsToTxn, CoordinatorKind, EndTxn, FindCoordinator, PartitionResults, Payload,
    ProducerIdentity, TxnOffsetCommit,
};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::{Duration, Time};

/// Pause before a coordinator is looked up again (`rd_kafka_txn_coord_query`).
const LOOK_UP_AGAIN: Duration = Duration::from_millis(500);
/// Pause after CONCURRENT_TRANSACTIONS.
const CONCURRENT: Duration = Duration::from_millis(20);
const ADD_VERSION: u16 = 0;
const END_VERSION: u16 = 1;
const OFFSET_COMMIT_VERSION: u16 = 3;

/// A request on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    what: What,
    pub broker: u32,
    pub deadline: Time,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    TransactionCoordinator,
    GroupCoordinator,
    Partitions,
    End,
    AddOffsets,
    CommitOffsets,
}

impl Librdkafka {
    /// The coordinator, if it is known and up; otherwise it is looked up.
    pub(super) fn coordinator(&mut self, outbox: &mut Outbox) -> Option<u32> {
        let txn = self.txn.as_ref()?;
        if let Some(known) = txn.coordinator {
            return Some(known).filter(|known| self.brokers.is_up(*known));
        }
        let key = Rc::clone(&txn.id);
        self.look_up(What::TransactionCoordinator, CoordinatorKind::Transaction, key, outbox);
        None
    }

    fn look_up(&mut self, what: What, kind: CoordinatorKind, key: Name, outbox: &mut Outbox) {
        if self.is_asked(what) || self.txn.as_ref().is_some_and(|txn| txn.not_before > outbox.now()) {
            return;
        }
        let Some(broker) = self.brokers.choose(&outbox.post.brokers) else { return };
        let payload = Payload::FindCoordinator(FindCoordinator { kind, key, sender: Target::Producer(self.number) });
        self.ask(what, Api::FindCoordinator, broker, None, payload, outbox);
    }

    fn ask(&mut self, what: What, api: Api, broker: u32, version: Option<u16>, payload: Payload, outbox: &mut Outbox) {
        let request = self.request(api, broker, version, payload, outbox);
        let deadline = outbox.now() + self.settings.socket_timeout;
        if let Some(txn) = &mut self.txn {
            txn.asked.insert(request, Asked { what, broker, deadline });
        }
    }

    fn is_asked(&self, what: What) -> bool {
        self.txn.as_ref().is_some_and(|txn| txn.asked.values().any(|asked| asked.what == what))
    }

    /// Takes note of an answer; `None` if nobody waits for it.
    fn answered(&mut self, request: u64, outbox: &Outbox) -> Option<What> {
        let txn = self.txn.as_mut()?;
        let asked = txn.asked.remove(&request)?;
        txn.not_before = txn.not_before.min(outbox.now());
        self.brokers.answered(asked.broker);
        Some(asked.what)
    }

    /// The coordinator has to be looked up again.
    pub(super) fn forget_coordinator(&mut self) {
        if let Some(txn) = &mut self.txn {
            txn.coordinator = None;
        }
    }

    /// The connection to a broker broke.
    pub(super) fn coordinator_lost(&mut self, broker: u32) {
        let Some(txn) = &mut self.txn else { return };
        txn.asked.retain(|_, asked| asked.broker != broker);
        if txn.coordinator == Some(broker) {
            txn.coordinator = None;
        }
        if let Some(offsets) = txn.offsets.as_mut().filter(|offsets| offsets.coordinator == Some(broker)) {
            offsets.coordinator = None;
        }
        if !self.is_asked(What::Partitions)
            && let Some(txn) = &mut self.txn
        {
            let again = std::mem::take(&mut txn.adding);
            txn.pending.extend(again);
        }
    }

    /// Sends what the transaction needs now.
    pub(super) fn look_after_transaction(&mut self, outbox: &mut Outbox) {
        let Some(txn) = &self.txn else { return };
        let is_over = self.fatal.is_some() || txn.not_before > outbox.now();
        let Some(identity) = self.identity.as_ref().and_then(|own| own.current).filter(|_| !is_over) else { return };
        let id = Rc::clone(&txn.id);
        if txn.phase == ClientPhase::InTransaction && !txn.pending.is_empty() && txn.adding.is_empty() {
            self.add_partitions(&id, identity, outbox);
        }
        if let Some(end) = self.wanted_end().filter(|_| !self.is_asked(What::End))
            && let Some(broker) = self.coordinator(outbox)
        {
            let sender = Target::Producer(self.number);
            let end = EndTxn { transactional_id: Rc::clone(&id), identity, end, version: END_VERSION, sender };
            self.ask(What::End, Api::EndTxn, broker, None, Payload::EndTxn(end), outbox);
        }
        self.look_after_offsets(&id, identity, outbox);
    }

    fn add_partitions(&mut self, id: &Name, identity: ProducerIdentity, outbox: &mut Outbox) {
        let Some(broker) = self.coordinator(outbox) else { return };
        let Some(txn) = &mut self.txn else { return };
        txn.adding = std::mem::take(&mut txn.pending);
        let partition = |(topic, number): &Key| TopicPartition { topic: Rc::clone(topic), partition: *number };
        let partitions = txn.adding.iter().map(partition).collect();
        let payload = Payload::AddPartitionsToTxn(AddPartitionsToTxn {
            transactional_id: Rc::clone(id),
            identity,
            partitions,
            is_verify_only: false,
            version: ADD_VERSION,
            sender: Target::Producer(self.number),
        });
        self.ask(What::Partitions, Api::AddPartitionsToTxn, broker, None, payload, outbox);
    }

    fn look_after_offsets(&mut self, id: &Name, identity: ProducerIdentity, outbox: &mut Outbox) {
        let Some(txn) = &self.txn else { return };
        let Some(running) = &txn.running else { return };
        let Some(Offsets { group, member, offsets, coordinator }) = txn.offsets.clone() else { return };
        let sender = Target::Producer(self.number);
        let transactional_id = Rc::clone(id);
        match running.step {
            Step::AddingOffsets if !self.is_asked(What::AddOffsets) => {
                let Some(broker) = self.coordinator(outbox) else { return };
                let payload = Payload::AddOffsetsToTxn(AddOffsetsToTxn { transactional_id, identity, group, sender });
                self.ask(What::AddOffsets, Api::AddOffsetsToTxn, broker, Some(ADD_VERSION), payload, outbox);
            }
            Step::CommittingOffsets if !self.is_asked(What::CommitOffsets) => {
                let Some(broker) = coordinator.filter(|broker| self.brokers.is_up(*broker)) else {
                    self.look_up(What::GroupCoordinator, CoordinatorKind::Group, group, outbox);
                    return;
                };
                let version = OFFSET_COMMIT_VERSION;
                let commit = TxnOffsetCommit { transactional_id, identity, group, member, offsets, version, sender };
                let payload = Payload::TxnOffsetCommit(commit);
                self.ask(What::CommitOffsets, Api::TxnOffsetCommit, broker, None, payload, outbox);
            }
            _ => {}
        }
    }

    /// A coordinator was named, or not.
    pub fn coordinator_answer(&mut self, request: u64, result: &Result<u32, KafkaError>, outbox: &mut Outbox) {
        let Some(what) = self.answered(request, outbox) else { return };
        let Some(txn) = &mut self.txn else { return };
        match (what, result) {
            (What::TransactionCoordinator, Ok(broker)) => txn.coordinator = Some(*broker),
            (_, Ok(broker)) => {
                if let Some(offsets) = &mut txn.offsets {
                    offsets.coordinator = Some(*broker);
                }
                // One that cannot be reached is asked for again, but not at once.
                if !self.brokers.is_up(*broker) {
                    txn.not_before = outbox.now() + LOOK_UP_AGAIN;
                }
            }
            (_, Err(_)) => txn.not_before = outbox.now() + LOOK_UP_AGAIN,
        }
        self.run(outbox);
    }

    /// Whether partitions were added.
    pub fn add_partitions_answer(&mut self, request: u64, results: &PartitionResults, outbox: &mut Outbox) {
        if self.answered(request, outbox).is_none() {
            return;
        }
        let refused = results.iter().find_map(|(_, result)| result.as_ref().err().cloned());
        let Some(txn) = &mut self.txn else { return };
        match refused {
            None => {
                let added = std::mem::take(&mut txn.adding);
                txn.added.extend(added);
                txn.is_registered = true;
            }
            Some(error) => {
                let again = std::mem::take(&mut txn.adding);
                let is_retried = self.refusal(&error, "Failed to add partitions to transaction", outbox);
                if let Some(txn) = self.txn.as_mut().filter(|_| is_retried) {
                    txn.pending.extend(again);
                }
            }
        }
        self.run(outbox);
    }

    /// Whether the end is decided.
    pub fn end_answer(&mut self, request: u64, result: &Result<ProducerIdentity, KafkaError>, outbox: &mut Outbox) {
        if self.answered(request, outbox).is_none() {
            return;
        }
        match result {
            Ok(_) => self.ended(outbox),
            Err(error) => {
                if !self.refusal(error, "Failed to end transaction", outbox) && self.fatal.is_none() {
                    let error = self.txn.as_ref().and_then(|txn| txn.error.clone());
                    self.end_call(error, outbox);
                }
            }
        }
        self.run(outbox);
    }

    /// Whether the group became part of the transaction.
    pub fn add_offsets_answer(&mut self, request: u64, result: &Result<(), KafkaError>, outbox: &mut Outbox) {
        if self.answered(request, outbox).is_none() {
            return;
        }
        match result {
            Ok(()) => {
                if let Some(txn) = &mut self.txn {
                    txn.is_registered = true;
                }
                self.set_step(Step::CommittingOffsets);
            }
            Err(error) => {
                if !self.refusal(error, "Failed to add offsets to transaction", outbox) && self.fatal.is_none() {
                    let error = self.txn.as_ref().and_then(|txn| txn.error.clone());
                    self.end_call(error, outbox);
                }
            }
        }
        self.run(outbox);
    }

    /// Whether the offsets were taken.
    pub fn offsets_answer(&mut self, request: u64, results: &PartitionResults, outbox: &mut Outbox) {
        if self.answered(request, outbox).is_none() {
            return;
        }
        let refused = |(partition, result): &(TopicPartition, Result<(), KafkaError>)| {
            result.as_ref().err().map(|error| (partition.clone(), error.clone()))
        };
        match results.iter().find_map(refused) {
            None => self.end_call(None, outbox),
            Some((partition, error)) => {
                let broker = self.txn.as_ref().and_then(|txn| txn.offsets.as_ref()).and_then(|it| it.coordinator);
                if matches!(error.error.as_str(), "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE")
                    && let Some(offsets) = self.txn.as_mut().and_then(|txn| txn.offsets.as_mut())
                {
                    offsets.coordinator = None;
                }
                // Simplified: the library's text names the broker's address as well.
                let text = format!(
                    "Failed to commit offsets to transaction on broker {}: {}((null))[{}]({}) (after 0ms)",
                    broker.unwrap_or(0),
                    partition.topic,
                    partition.partition,
                    errors::of_broker(&error).message
                );
                if !self.refusal_as(&error, "Failed to commit offsets to transaction", Some(text), outbox)
                    && self.fatal.is_none()
                {
                    let error = self.txn.as_ref().and_then(|txn| txn.error.clone());
                    self.end_call(error, outbox);
                }
            }
        }
        self.run(outbox);
    }

    fn refusal(&mut self, error: &KafkaError, what: &str, outbox: &Outbox) -> bool {
        self.refusal_as(error, what, None, outbox)
    }

    /// What an error of a coordinator leads to; true if the request is made again.
    fn refusal_as(&mut self, error: &KafkaError, what: &str, text: Option<String>, outbox: &Outbox) -> bool {
        let backoff = self.plan.settings.backoff;
        let told = errors::of_broker(error);
        let wait = match error.error.as_str() {
            "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE" => {
                self.forget_coordinator();
                Some(backoff)
            }
            "CONCURRENT_TRANSACTIONS" => Some(CONCURRENT),
            "COORDINATOR_LOAD_IN_PROGRESS"
            | "NETWORK_EXCEPTION"
            | "REQUEST_TIMED_OUT"
            | "UNKNOWN_TOPIC_OR_PARTITION"
            | "NOT_ENOUGH_REPLICAS" => Some(backoff),
            _ => None,
        };
        if let Some(wait) = wait {
            if let Some(txn) = &mut self.txn {
                txn.not_before = outbox.now() + wait;
            }
            return true;
        }
        match error.error.as_str() {
            "PRODUCER_FENCED" | "INVALID_PRODUCER_EPOCH" => {
                self.raise_fatal(errors::worded("_FENCED", format!("{what}: {}", errors::text("_FENCED"))));
            }
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" | "CLUSTER_AUTHORIZATION_FAILED" | "INVALID_TXN_STATE" => {
                self.raise_fatal(errors::worded(&told.error, format!("{what}: {}", told.message)));
            }
            name => {
                let needs_epoch = matches!(name, "UNKNOWN_PRODUCER_ID" | "INVALID_PRODUCER_ID_MAPPING");
                let text = text.unwrap_or_else(|| format!("{what}: {}", told.message));
                self.raise_abortable(errors::worded(&told.error, text), needs_epoch);
            }
        }
        false
    }
}
