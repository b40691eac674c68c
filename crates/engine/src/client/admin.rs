//! The Admin client behind commands and command-line tools.
//!
//! Follows `KafkaAdminClient` of Kafka 4.3.1: a call is tried again until `default.api.timeout.ms` is over.
//! Simplified: it knows the active controller without asking, and what it sends there waits until there is
//! one; Kafka's learns it from a broker first and sends again after `request.timeout.ms`.

mod groups;
mod raw;
mod raw_leader;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) use raw_leader::check_request;

use super::connections::{Backoff, Connections};
use crate::command::{PartitionOutcome, RawRequest};
use crate::error::KafkaError;
use crate::event::{Api, NodeId, TopicPartition};
use crate::message::{AdminRequest, ClusterImage, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::rng::Stream;
use crate::simulation::resolve::GroupAct;
use crate::time::{Duration, Time};

/// `default.api.timeout.ms`: how long a call is tried.
const API_TIMEOUT: Duration = Duration::from_secs(60);
/// `request.timeout.ms`: how long one request may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A call of the application, until it is answered or given up.
#[derive(Clone, Debug)]
struct Call {
    request: Asked,
    deadline: Time,
    /// The request on its way, whom it was sent to, and when it counts as lost.
    sent: Option<(u64, Sent, Time)>,
    /// Not tried again before.
    not_before: Time,
    tries: u32,
}

/// What is asked for.
#[derive(Clone, Debug)]
enum Asked {
    /// A call of the Admin client.
    Admin(AdminRequest),
    /// One request as it goes over the wire.
    Raw(RawRequest),
    /// A call for a group's coordinator.
    Group(GroupAct),
}

/// Where a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    /// To the active controller.
    Controller,
    /// To a broker, for metadata.
    Metadata(u32),
    /// To the leader of a partition.
    Leader(u32),
    /// To a broker that may know a coordinator.
    Finding(u32),
    /// To a coordinator, or to any broker that can answer.
    Coordinator(u32),
}

impl Sent {
    /// The broker, if it went to one.
    fn broker(self) -> Option<u32> {
        match self {
            Sent::Controller => None,
            Sent::Metadata(id) | Sent::Leader(id) | Sent::Finding(id) | Sent::Coordinator(id) => Some(id),
        }
    }
}

/// The Admin client.
#[derive(Clone, Debug)]
pub(crate) struct Admin {
    /// Calls that are not over, by command.
    calls: BTreeMap<u64, Call>,
    connections: Connections,
    backoff: Backoff,
    jitter: Stream,
}

impl Default for Admin {
    fn default() -> Admin {
        let (first, longest) = (Duration::from_millis(50), Duration::from_secs(1));
        let reconnect = Backoff { first, longest };
        Admin {
            calls: BTreeMap::new(),
            connections: Connections::new(reconnect, Stream::new(0, "reconnect", "admin")),
            backoff: Backoff { first: Duration::from_millis(100), longest },
            jitter: Stream::new(0, "backoff", "admin"),
        }
    }
}

impl Admin {
    /// Makes a call for a command.
    pub fn request(&mut self, request: AdminRequest, command: u64, outbox: &mut Outbox) {
        self.call(Asked::Admin(request), command, outbox);
    }

    fn call(&mut self, request: Asked, command: u64, outbox: &mut Outbox) {
        let (deadline, not_before) = (outbox.now() + API_TIMEOUT, outbox.now());
        self.calls.insert(command, Call { request, deadline, sent: None, not_before, tries: 0 });
        self.run(outbox);
    }

    /// A timer fired.
    pub fn wake(&mut self, outbox: &mut Outbox) {
        self.run(outbox);
    }

    /// Gives up what is too late, and sends what can be sent.
    fn run(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let late: Vec<u64> =
            self.calls.iter().filter(|(_, call)| call.deadline <= now).map(|(command, _)| *command).collect();
        for command in late {
            let call = self.calls.remove(&command).expect("it was just listed");
            let text = format!("Timed out waiting for a node assignment. Call: {}", call_name(&call.request));
            outbox.finish(command, Err(KafkaError::new("", "TimeoutException", text)));
        }
        let commands: Vec<u64> = self.calls.keys().copied().collect();
        for command in commands {
            self.advance(command, outbox);
        }
    }

    /// Sends a call's next request, if none is on its way.
    fn advance(&mut self, command: u64, outbox: &mut Outbox) {
        let now = outbox.now();
        let call = self.calls.get_mut(&command).expect("the caller has it");
        if let Some((_, sent, _)) = call.sent.take_if(|(_, _, lost)| *lost <= now)
            && let Some(broker) = sent.broker()
        {
            self.connections.broke(broker, now);
        }
        if call.sent.is_some() || call.not_before > now {
            return;
        }
        match &call.request {
            Asked::Admin(AdminRequest::DeleteRecords { partition, .. }) => {
                let topics = vec![Rc::clone(&partition.topic)];
                let payload = Payload::Metadata { topics, sender: Target::Admin };
                self.ask_any(command, Sent::Metadata, Api::Metadata, payload, outbox);
            }
            Asked::Admin(request) => {
                let (api, payload) = (api(request), Payload::Admin(request.clone()));
                self.send(command, Sent::Controller, api, payload, outbox);
            }
            Asked::Raw(_) => self.advance_raw(command, outbox),
            Asked::Group(_) => self.advance_group(command, outbox),
        }
    }

    /// Asks a broker that can be reached; with none the call waits.
    fn ask_any(&mut self, command: u64, sent: fn(u32) -> Sent, api: Api, payload: Payload, outbox: &mut Outbox) {
        match self.connections.choose(&outbox.post.brokers, outbox.now()) {
            Some(broker) => self.send(command, sent(broker), api, payload, outbox),
            None => {
                let call = self.calls.get_mut(&command).expect("the caller has it");
                call.not_before = self.connections.next_attempt(outbox.now()).unwrap_or(call.deadline);
                outbox.wake(Target::Admin, call.not_before.min(call.deadline), Timer::Wake);
            }
        }
    }

    fn send(&mut self, command: u64, sent: Sent, api: Api, payload: Payload, outbox: &mut Outbox) {
        let (to, target) = match sent.broker() {
            None => (NodeId::Controller, Target::Controller),
            Some(broker) => {
                self.connections.sent(broker);
                (NodeId::Broker { id: broker }, outbox.broker_target(broker))
            }
        };
        let id = outbox.send(Parcel::request(api, NodeId::Admin, to, target, payload, true));
        let call = self.calls.get_mut(&command).expect("the caller has it");
        let lost = if sent == Sent::Controller { call.deadline } else { outbox.now() + REQUEST_TIMEOUT };
        call.sent = Some((id, sent, lost));
        call.tries += 1;
        outbox.wake(Target::Admin, lost.min(call.deadline), Timer::Wake);
    }

    /// Takes an answer.
    pub fn answer(
        &mut self,
        request: u64,
        result: &Result<(), KafkaError>,
        partitions: &[PartitionOutcome],
        outbox: &mut Outbox,
    ) {
        let Some((command, sent)) = self.take(request) else { return };
        self.heard(sent);
        let refused = partitions.iter().filter_map(|partition| partition.error.clone()).collect::<Vec<_>>();
        let by_leader = refused.iter().filter(|_| matches!(sent, Sent::Leader(_)));
        if by_leader.chain(result.as_ref().err()).any(is_tried_again) {
            self.try_later(command, outbox);
            return;
        }
        self.calls.remove(&command);
        // A request whose every partition was refused has failed, with the first error.
        let is_failed = !partitions.is_empty() && refused.len() == partitions.len();
        let result = match (result, refused.first()) {
            (Ok(()), Some(error)) if is_failed => Err(error.clone()),
            (result, _) => result.clone().map(|()| None),
        };
        outbox.finish_partitions(command, result, partitions.to_vec());
    }

    /// Metadata arrived: the request can go to the leader.
    pub fn metadata_answer(&mut self, request: u64, image: &ClusterImage, outbox: &mut Outbox) {
        let Some((command, sent)) = self.take(request) else { return };
        self.heard(sent);
        let call = &self.calls[&command];
        let partition = match &call.request {
            Asked::Admin(AdminRequest::DeleteRecords { partition, .. }) => partition.clone(),
            Asked::Admin(_) | Asked::Group(_) => return,
            Asked::Raw(request) => match raw_leader::leader_wanted(request) {
                Some(partition) => partition,
                None => return,
            },
        };
        match leader(image, &partition).filter(|leader| self.connections.may_send(*leader, outbox.now())) {
            Some(leader) => match &call.request {
                Asked::Admin(request) => {
                    let (api, payload) = (api(request), Payload::Admin(request.clone()));
                    self.send(command, Sent::Leader(leader), api, payload, outbox);
                }
                Asked::Raw(_) | Asked::Group(_) => self.send_to_leader(command, leader, outbox),
            },
            // `PartitionLeaderStrategy` waits for topics and leaders to appear.
            None => self.try_later(command, outbox),
        }
    }

    /// A broker answered.
    fn heard(&mut self, sent: Sent) {
        if let Some(broker) = sent.broker() {
            self.connections.answered(broker);
        }
    }

    /// The call that a request belongs to, which is answered.
    fn take(&mut self, request: u64) -> Option<(u64, Sent)> {
        let belongs = |call: &Call| call.sent.is_some_and(|(id, ..)| id == request);
        let (command, call) = self.calls.iter_mut().find(|(_, call)| belongs(call))?;
        let (_, sent, _) = call.sent.take()?;
        Some((*command, sent))
    }

    fn try_later(&mut self, command: u64, outbox: &mut Outbox) {
        let Some(call) = self.calls.get_mut(&command) else { return };
        call.sent = None;
        call.not_before = outbox.now() + self.backoff.pause(call.tries.saturating_sub(1), &mut self.jitter);
        outbox.wake(Target::Admin, call.not_before.min(call.deadline), Timer::Wake);
    }

    /// Whether it waits for an answer of a broker.
    pub fn waits_for(&self, broker: u32) -> bool {
        self.calls.values().any(|call| call.sent.is_some_and(|(_, sent, _)| sent.broker() == Some(broker)))
    }

    /// The connection to a broker broke, or could not be made.
    pub fn broker_disconnected(&mut self, broker: u32, outbox: &mut Outbox) {
        if !self.connections.is_open(broker) {
            return;
        }
        self.connections.broke(broker, outbox.now());
        let is_lost = |sent: Sent| sent.broker() == Some(broker);
        let lost = self.calls.iter().filter(|(_, call)| call.sent.is_some_and(|(_, sent, _)| is_lost(sent)));
        let lost: Vec<u64> = lost.map(|(command, _)| *command).collect();
        for command in lost {
            self.try_later(command, outbox);
        }
    }
}

/// Errors that say that somebody else is to be asked.
fn is_tried_again(error: &KafkaError) -> bool {
    let names = ["NOT_CONTROLLER", "NOT_LEADER_OR_FOLLOWER", "LEADER_NOT_AVAILABLE", "UNKNOWN_LEADER_EPOCH"];
    names.contains(&error.error.as_str())
}

fn leader(image: &ClusterImage, partition: &TopicPartition) -> Option<u32> {
    image.topics.get(&partition.topic)?.partitions.get(partition.partition as usize)?.leader
}

fn api(request: &AdminRequest) -> Api {
    match request {
        AdminRequest::CreateTopic(_) => Api::CreateTopics,
        AdminRequest::CreatePartitions { .. } => Api::CreatePartitions,
        AdminRequest::DeleteTopic { .. } => Api::DeleteTopics,
        AdminRequest::AlterConfigs { .. } => Api::IncrementalAlterConfigs,
        AdminRequest::DeleteRecords { .. } => Api::DeleteRecords,
        AdminRequest::AlterReassignments { .. } => Api::AlterPartitionReassignments,
        AdminRequest::ElectLeaders { .. } => Api::ElectLeaders,
    }
}

/// `Call.callName`, as the texts of timeouts say it.
fn call_name(request: &Asked) -> &'static str {
    let request = match request {
        Asked::Admin(request) => request,
        Asked::Raw(request) => return raw::call_name(request),
        Asked::Group(_) => return "findCoordinator(api=FIND_COORDINATOR)",
    };
    match request {
        AdminRequest::CreateTopic(_) => "createTopics",
        AdminRequest::CreatePartitions { .. } => "createPartitions",
        AdminRequest::DeleteTopic { .. } => "deleteTopics",
        AdminRequest::AlterConfigs { .. } => "incrementalAlterConfigs",
        AdminRequest::DeleteRecords { .. } => "deleteRecords",
        AdminRequest::AlterReassignments { .. } => "alterPartitionReassignments",
        AdminRequest::ElectLeaders { .. } => "electLeaders",
    }
}
