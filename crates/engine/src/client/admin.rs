//! The Admin client behind commands and command-line tools.
//!
//! It remembers which command each request belongs to. Simplified: it talks to the controller directly
//! and waits without a timeout; Kafka's goes through a broker and gives up after `default.api.timeout.ms`.

use std::collections::BTreeMap;

use crate::error::KafkaError;
use crate::event::{Api, NodeId};
use crate::message::{AdminRequest, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;

/// Requests that wait for their answer: request and command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Admin {
    waiting: BTreeMap<u64, u64>,
}

impl Admin {
    /// Sends a request for a command.
    pub fn request(&mut self, request: AdminRequest, command: u64, outbox: &mut Outbox) {
        let api = match &request {
            AdminRequest::CreateTopic(_) => Api::CreateTopics,
            AdminRequest::CreatePartitions { .. } => Api::CreatePartitions,
            AdminRequest::DeleteTopic { .. } => Api::DeleteTopics,
            AdminRequest::AlterConfigs { .. } => Api::IncrementalAlterConfigs,
            AdminRequest::DeleteRecords { .. } => Api::DeleteRecords,
            AdminRequest::AlterReassignments { .. } => Api::AlterPartitionReassignments,
            AdminRequest::ElectLeaders { .. } => Api::ElectLeaders,
        };
        let payload = Payload::Admin(request);
        let id =
            outbox.send(Parcel::request(api, NodeId::Admin, NodeId::Controller, Target::Controller, payload, true));
        self.waiting.insert(id, command);
    }

    /// Takes an answer.
    pub fn answer(&mut self, request: u64, result: &Result<(), KafkaError>, outbox: &mut Outbox) {
        if let Some(command) = self.waiting.remove(&request) {
            outbox.finish(command, result.clone().map(|()| None));
        }
    }
}
