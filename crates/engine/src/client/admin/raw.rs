//! Single requests of a chosen version, straight to the coordinator or the leader.
//!
//! There is no such client in Kafka; this one asks who is responsible, sends the request once there, and passes the
//! answer on as it is. Calls of Kafka's own Admin client are in `admin.rs`.

use std::rc::Rc;

use super::raw_leader::leader_wanted;
use super::{Admin, Asked, Sent};
use crate::command::RawRequest;
use crate::error::KafkaError;
use crate::event::{Api, Name, TopicPartition};
use crate::message::{
    AddPartitionsToTxn, CoordinatorKind, EndTxn, FindCoordinator, InitProducerId, PartitionResults, Payload,
    ProducerIdentity,
};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::Duration;

/// `transaction.timeout.ms`.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Admin {
    /// Sends a request for a command.
    pub fn raw_request(&mut self, request: RawRequest, command: u64, outbox: &mut Outbox) {
        self.call(Asked::Raw(request), command, outbox);
    }

    /// The next step of a request: find who is responsible.
    pub(super) fn advance_raw(&mut self, command: u64, outbox: &mut Outbox) {
        let Asked::Raw(request) = &self.calls[&command].request else { return };
        if let Some(partition) = leader_wanted(request) {
            let payload = Payload::Metadata { topics: vec![partition.topic], sender: Target::Admin };
            return self.ask_any(command, Sent::Metadata, Api::Metadata, payload, outbox);
        }
        match transactional_id(request) {
            Some(id) => {
                let key = Name::from(id);
                let asked = FindCoordinator { kind: CoordinatorKind::Transaction, key, sender: Target::Admin };
                let payload = Payload::FindCoordinator(asked);
                self.ask_any(command, Sent::Finding, Api::FindCoordinator, payload, outbox);
            }
            None => {
                let (api, payload) = wire(request);
                self.ask_any(command, Sent::Coordinator, api, payload, outbox);
            }
        }
    }

    /// A broker told who coordinates.
    pub fn coordinator_answer(&mut self, request: u64, result: &Result<u32, KafkaError>, outbox: &mut Outbox) {
        let Some((command, sent)) = self.take(request) else { return };
        self.heard(sent);
        let (api, payload) = match &self.calls[&command].request {
            Asked::Raw(raw) => wire(raw),
            Asked::Group(asked) => super::groups::wire(asked),
            Asked::Admin(_) => return,
        };
        let coordinator = result.as_ref().ok().copied();
        match coordinator.filter(|id| self.connections.may_send(*id, outbox.now())) {
            Some(id) => {
                self.send(command, Sent::Coordinator(id), api, payload, outbox);
            }
            None => self.try_later(command, outbox),
        }
    }

    /// A coordinator answered with an identity or with nothing but success.
    pub fn raw_answer(
        &mut self,
        request: u64,
        result: Result<Option<ProducerIdentity>, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some((command, sent)) = self.take(request) else { return };
        self.heard(sent);
        if result.as_ref().err().is_some_and(is_elsewhere) {
            self.try_later(command, outbox);
            return;
        }
        self.calls.remove(&command);
        outbox.finish_request(command, result);
    }

    /// A coordinator answered for partitions.
    pub fn raw_partitions_answer(&mut self, request: u64, results: &PartitionResults, outbox: &mut Outbox) {
        let error = results.iter().find_map(|(_, result)| result.as_ref().err().cloned());
        self.raw_answer(request, error.map_or(Ok(None), Err), outbox);
    }
}

/// Errors that say that the coordinator is somebody else, or not ready.
fn is_elsewhere(error: &KafkaError) -> bool {
    let names = ["NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"];
    names.contains(&error.error.as_str())
}

/// The id whose coordinator is asked, if one is.
fn transactional_id(request: &RawRequest) -> Option<&str> {
    match request {
        RawRequest::InitProducerId { transactional_id, .. } => transactional_id.as_deref(),
        RawRequest::AddPartitionsToTxn { transactional_id, .. } | RawRequest::EndTxn { transactional_id, .. } => {
            Some(transactional_id)
        }
        RawRequest::Produce { .. } | RawRequest::AbortPartition { .. } => None,
    }
}

/// The request as it is sent.
fn wire(request: &RawRequest) -> (Api, Payload) {
    let sender = Target::Admin;
    let identity = |producer_id: &u64, epoch: &u16| ProducerIdentity { producer_id: *producer_id, epoch: *epoch };
    match request {
        RawRequest::InitProducerId {
            transactional_id,
            timeout_ms,
            producer_id,
            epoch,
            enable_2pc,
            keep_prepared_txn,
        } => {
            let millis = |millis: i32| Duration::from_millis(u64::try_from(millis).unwrap_or(0));
            let expected = producer_id.as_ref().zip(epoch.as_ref()).map(|(id, epoch)| identity(id, epoch));
            let asked = InitProducerId {
                transactional_id: transactional_id.as_deref().map(Name::from),
                timeout: timeout_ms.map_or(TIMEOUT, millis),
                expected,
                keep_prepared: *keep_prepared_txn,
                enable_two_phase_commit: *enable_2pc,
                sender,
            };
            (Api::InitProducerId, Payload::InitProducerId(asked))
        }
        RawRequest::AddPartitionsToTxn { transactional_id, producer_id, epoch, partition, api_version } => {
            let partition = TopicPartition { topic: partition.topic.as_str().into(), partition: partition.partition };
            let asked = AddPartitionsToTxn {
                transactional_id: transactional_id.as_str().into(),
                identity: identity(producer_id, epoch),
                partitions: vec![partition],
                is_verify_only: false,
                version: *api_version,
                sender,
            };
            (Api::AddPartitionsToTxn, Payload::AddPartitionsToTxn(asked))
        }
        RawRequest::EndTxn { transactional_id, producer_id, epoch, end, api_version } => {
            let asked = EndTxn {
                transactional_id: Rc::from(transactional_id.as_str()),
                identity: identity(producer_id, epoch),
                end: *end,
                version: *api_version,
                sender,
            };
            (Api::EndTxn, Payload::EndTxn(asked))
        }
        other => unreachable!("{other:?} goes to a partition's leader"),
    }
}

/// The request's name, as the texts of timeouts say it.
pub(super) fn call_name(request: &RawRequest) -> &'static str {
    match request {
        RawRequest::InitProducerId { .. } => "initProducerId",
        RawRequest::AddPartitionsToTxn { .. } => "addPartitionsToTxn",
        RawRequest::EndTxn { .. } => "endTxn",
        RawRequest::Produce { .. } => "produce",
        RawRequest::AbortPartition { .. } => "abortTransaction",
    }
}
