//! What the answers of coordinators do to a transactional producer.
//!
//! Follows the request handlers inside `TransactionManager` of Kafka 4.3.1. Answers to Produce are in
//! `batches.rs`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::requests::{Ask, Request};
use super::{Thread, kafka};
use crate::client::producer::Producer;
use crate::client::producer::accumulator::Key;
use crate::client::producer::failures;
use crate::error::KafkaError;
use crate::message::{CoordinatorKind, PartitionResults, Payload, ProducerIdentity};
use crate::outbox::Outbox;
use crate::transaction::ClientState;

impl Producer {
    /// A coordinator, or a broker that was asked for one, has answered.
    pub fn transaction_answer(&mut self, answer: &Payload, outbox: &mut Outbox) {
        let request = match answer {
            Payload::FindCoordinatorAnswer { request, .. }
            | Payload::InitProducerIdAnswer { request, .. }
            | Payload::AddPartitionsToTxnAnswer { request, .. }
            | Payload::AddOffsetsToTxnAnswer { request, .. }
            | Payload::EndTxnAnswer { request, .. }
            | Payload::TxnOffsetCommitAnswer { request, .. } => *request,
            _ => return,
        };
        let Some(own) = &mut self.transactions else { return };
        let Some(sent) = own.requests.sent.take_if(|sent| sent.id == request) else { return };
        self.connections.answered(sent.broker);
        let request = sent.request;
        match answer {
            Payload::FindCoordinatorAnswer { result, .. } => self.coordinator_found(request, result, outbox),
            Payload::InitProducerIdAnswer { result, .. } => self.identity_came(request, result, outbox),
            Payload::AddPartitionsToTxnAnswer { results, .. } => self.partitions_added(request, results, outbox),
            Payload::AddOffsetsToTxnAnswer { result, .. } => self.offsets_added(request, result, outbox),
            Payload::EndTxnAnswer { result, .. } => self.transaction_ended(request, result, outbox),
            Payload::TxnOffsetCommitAnswer { results, .. } => self.offsets_committed(request, results, outbox),
            other => unreachable!("{other:?} answers no request of a transaction"),
        }
        self.run(outbox);
    }

    /// The request of the transaction that was on its way to a broker will not be answered.
    pub(in crate::client::producer) fn transaction_request_lost(&mut self, broker: u32) {
        let Some(own) = &mut self.transactions else { return };
        let Some(sent) = own.requests.sent.take_if(|sent| sent.broker == broker) else { return };
        if let Some((kind, key)) = sent.request.coordinator(&own.id) {
            own.requests.look_up(kind, key);
        }
        own.requests.again(sent.request);
    }

    fn coordinator_found(&mut self, request: Request, result: &Result<u32, KafkaError>, outbox: &mut Outbox) {
        let Ask::FindCoordinator { kind, key } = &request.ask else { return };
        let Some(own) = &mut self.transactions else { return };
        match result {
            Ok(broker) => match kind {
                CoordinatorKind::Transaction => own.requests.transaction_coordinator = Some(*broker),
                CoordinatorKind::Group => own.requests.group_coordinator = Some(*broker),
            },
            Err(error) if failures::is_retriable(error) => own.requests.again(request),
            Err(error) => match error.error.as_str() {
                "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" => own.fatal(error.clone(), outbox),
                "GROUP_AUTHORIZATION_FAILED" | "TRANSACTION_ABORTABLE" => {
                    self.fail_abortable(&request, error.clone(), outbox);
                }
                _ => {
                    let kind = match kind {
                        CoordinatorKind::Transaction => "TRANSACTION",
                        CoordinatorKind::Group => "GROUP",
                    };
                    let text = format!(
                        "Could not find a coordinator with type {kind} with key {key} due to unexpected error: {}",
                        error.message
                    );
                    own.fatal(kafka(text), outbox);
                }
            },
        }
    }

    fn identity_came(&mut self, request: Request, result: &Result<ProducerIdentity, KafkaError>, outbox: &mut Outbox) {
        let Ask::InitProducerId { expected } = request.ask else { return };
        let error = match result {
            Ok(identity) => {
                self.take_identity(Some(*identity), outbox);
                let Some(own) = &mut self.transactions else { return };
                // If the state has no way to READY, the producer has ended and the call with it.
                let result = own.transition(ClientState::Ready, None, Thread::Sender, outbox);
                own.settle(request.waiter, result);
                if let Some(sequences) = self.idempotence.as_mut().filter(|_| expected.is_some()) {
                    sequences.begin_again();
                }
                return;
            }
            Err(error) => error,
        };
        match error.error.as_str() {
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" | "CLUSTER_AUTHORIZATION_FAILED" => {
                self.not_authorized(&request, error, outbox);
            }
            _ => self.refused(request, error, "Unexpected error in InitProducerIdResponse; ", outbox),
        }
    }

    /// `shouldHandleAuthorizationError`: the application may call `initTransactions` again.
    fn not_authorized(&mut self, request: &Request, error: &KafkaError, outbox: &mut Outbox) {
        self.fail_abortable(request, error.clone(), outbox);
        let Some(own) = &mut self.transactions else { return };
        own.requests.abandon();
        // From ABORTABLE_ERROR there is a way to UNINITIALIZED.
        own.transition(ClientState::Uninitialized, None, Thread::Sender, outbox).ok();
        own.settle(request.waiter, Err(error.clone()));
    }

    fn partitions_added(&mut self, request: Request, results: &PartitionResults, outbox: &mut Outbox) {
        let Some(own) = &mut self.transactions else { return };
        let errors: Vec<_> = results.iter().filter_map(|(at, result)| Some((at, result.as_ref().err()?))).collect();
        let named = |names: &[&str]| {
            errors.iter().map(|(_, error)| *error).find(|error| names.contains(&error.error.as_str())).cloned()
        };
        let is_first = self.idempotence.as_ref().is_some_and(|own| own.has_nothing_taking_part());
        if let Some((_, error)) = errors.first()
            && !["TOPIC_AUTHORIZATION_FAILED", "OPERATION_NOT_ATTEMPTED"].contains(&error.error.as_str())
            && is_named(error)
        {
            // KAFKA-5482: the transaction before is still being completed, which does not take long.
            let is_hasty = error.error == "CONCURRENT_TRANSACTIONS" && is_first;
            let error = (*error).clone();
            return self.refused(Request { is_hasty, ..request }, &error, "", outbox);
        }
        let keys: BTreeSet<Key> = results.iter().map(|(at, _)| (Rc::clone(&at.topic), at.partition)).collect();
        own.pending_partitions.retain(|key| !keys.contains(key));
        if let Some(error) = named(&["TOPIC_AUTHORIZATION_FAILED"]) {
            return self.fail_abortable(&request, error, outbox);
        }
        if !errors.is_empty() {
            let list = results.iter().map(|(at, result)| {
                let name = result.as_ref().err().map_or("NONE", |error| error.error.as_str());
                format!("{at}={name}")
            });
            let list: Vec<String> = list.collect();
            let text = format!("Could not add partitions to transaction due to errors: {{{}}}", list.join(", "));
            return self.fail_abortable(&request, kafka(text), outbox);
        }
        own.is_started = true;
        if let Some(taking_part) = self.idempotence.as_mut().and_then(|own| own.taking_part.as_mut()) {
            taking_part.extend(keys);
        }
    }

    fn offsets_added(&mut self, request: Request, result: &Result<(), KafkaError>, outbox: &mut Outbox) {
        let Some(own) = &mut self.transactions else { return };
        match result {
            Ok(()) => {
                let Ask::AddOffsets { offsets, identity } = request.ask else { return };
                own.is_started = true;
                own.requests.add(Request::new(Ask::CommitOffsets { offsets, identity }, request.waiter));
            }
            Err(error) if error.error == "GROUP_AUTHORIZATION_FAILED" => {
                self.fail_abortable(&request, error.clone(), outbox);
            }
            Err(error) => self.refused(request, error, "Unexpected error in AddOffsetsToTxnResponse: ", outbox),
        }
    }

    fn transaction_ended(
        &mut self,
        request: Request,
        result: &Result<ProducerIdentity, KafkaError>,
        outbox: &mut Outbox,
    ) {
        match result {
            Ok(identity) => {
                if matches!(request.ask, Ask::EndTxn { is_v2: true, .. }) {
                    self.take_identity(Some(*identity), outbox);
                    if let Some(sequences) = &mut self.idempotence {
                        sequences.begin_again();
                    }
                }
                self.forget_partitions();
                let Some(own) = &mut self.transactions else { return };
                own.complete(outbox);
                own.settle(request.waiter, Ok(()));
            }
            Err(error) => self.refused(request, error, "Unhandled error in EndTxnResponse: ", outbox),
        }
    }

    fn offsets_committed(&mut self, request: Request, results: &PartitionResults, outbox: &mut Outbox) {
        let Request { ask: Ask::CommitOffsets { mut offsets, identity }, waiter, .. } = request.clone() else { return };
        let Some(own) = &mut self.transactions else { return };
        let mut looks_up = false;
        for (partition, result) in results {
            let Err(error) = result else {
                offsets.offsets.retain(|(other, _)| other != partition);
                continue;
            };
            match error.error.as_str() {
                "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" | "REQUEST_TIMED_OUT" => looks_up = true,
                _ if failures::is_retriable(error) => {}
                "UNKNOWN_MEMBER_ID" | "ILLEGAL_GENERATION" => {
                    let text = "Transaction offset Commit failed due to consumer group metadata mismatch:";
                    let error = KafkaError::new("", "CommitFailedException", format!("{text} {}", error.message));
                    return self.fail_abortable(&request, error, outbox);
                }
                "GROUP_AUTHORIZATION_FAILED" | "FENCED_INSTANCE_ID" | "TRANSACTION_ABORTABLE" => {
                    return self.fail_abortable(&request, error.clone(), outbox);
                }
                "INVALID_PRODUCER_EPOCH" | "PRODUCER_FENCED" => {
                    return self.fail_fatal(&request, fenced(), outbox);
                }
                "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" | "UNSUPPORTED_FOR_MESSAGE_FORMAT" => {
                    return self.fail_fatal(&request, error.clone(), outbox);
                }
                _ => {
                    let text = format!("Unexpected error in TxnOffsetCommitResponse: {}", error.message);
                    return self.fail_fatal(&request, kafka(text), outbox);
                }
            }
        }
        if looks_up {
            own.requests.look_up(CoordinatorKind::Group, Rc::clone(&offsets.group));
        }
        if offsets.offsets.is_empty() {
            own.settle(waiter, Ok(()));
        } else {
            own.requests.again(Request { ask: Ask::CommitOffsets { offsets, identity }, ..request });
        }
    }

    /// What the handlers of the transaction coordinator's answers have in common.
    fn refused(&mut self, request: Request, error: &KafkaError, unexpected: &str, outbox: &mut Outbox) {
        let Some(own) = &mut self.transactions else { return };
        match error.error.as_str() {
            "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE" => {
                let id = Rc::clone(&own.id);
                own.requests.look_up(CoordinatorKind::Transaction, id);
                own.requests.again(request);
            }
            _ if failures::is_retriable(error) => own.requests.again(request),
            "INVALID_PRODUCER_EPOCH" | "PRODUCER_FENCED" => self.fail_fatal(&request, fenced(), outbox),
            "TRANSACTION_ABORTABLE" => self.fail_abortable(&request, error.clone(), outbox),
            // An identity is asked for before there is a transaction whose state could be wrong.
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" | "INVALID_TXN_STATE" | "INVALID_PRODUCER_ID_MAPPING"
                if !matches!(request.ask, Ask::InitProducerId { .. }) =>
            {
                self.fail_fatal(&request, error.clone(), outbox);
            }
            "UNKNOWN_PRODUCER_ID" if !matches!(request.ask, Ask::InitProducerId { .. }) => {
                own.needs_bump |= own.bumps_by_itself();
                self.fail_abortable(&request, error.clone(), outbox);
            }
            _ => self.fail_fatal(&request, kafka(format!("{unexpected}{}", error.message)), outbox),
        }
    }

    /// `abortableError` of a handler. An abort that is refused as abortable would go round in circles.
    fn fail_abortable(&mut self, request: &Request, error: KafkaError, outbox: &mut Outbox) {
        let Some(own) = &mut self.transactions else { return };
        let aborts = own.state == ClientState::AbortingTransaction;
        if aborts && error.exception == "TransactionAbortableException" {
            return self.fail_fatal(request, kafka("Failed to abort transaction").caused_by(error), outbox);
        }
        own.settle(request.waiter, Err(error.clone()));
        // The sender's own change of state: if there is no way to it, the producer has ended.
        own.abortable(error, Thread::Sender, outbox).ok();
    }

    /// `fatalError` of a handler.
    fn fail_fatal(&mut self, request: &Request, error: KafkaError, outbox: &mut Outbox) {
        let Some(own) = &mut self.transactions else { return };
        own.settle(request.waiter, Err(error.clone()));
        own.fatal(error, outbox);
    }
}

/// Whether AddPartitionsToTxn ends with this error, whatever the other partitions say.
fn is_named(error: &KafkaError) -> bool {
    const NAMED: [&str; 9] = [
        "NOT_COORDINATOR",
        "COORDINATOR_NOT_AVAILABLE",
        "INVALID_PRODUCER_EPOCH",
        "PRODUCER_FENCED",
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "INVALID_TXN_STATE",
        "INVALID_PRODUCER_ID_MAPPING",
        "UNKNOWN_PRODUCER_ID",
        "TRANSACTION_ABORTABLE",
    ];
    NAMED.contains(&error.error.as_str()) || failures::is_retriable(error)
}

/// `Errors.PRODUCER_FENCED.exception()`: old coordinators say INVALID_PRODUCER_EPOCH and mean the same.
fn fenced() -> KafkaError {
    let text = "There is a newer producer with the same transactionalId which fences the current one.";
    KafkaError::new("PRODUCER_FENCED", "ProducerFencedException", text)
}
