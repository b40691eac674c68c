//! Questions to share coordinators: by leaders for their share partitions, by group coordinators for their groups.
//!
//! Follows `PersisterStateManager` of Kafka 4.3.1. Who coordinates is the leader of the partition of
//! `__share_group_state` that a share partition belongs to; the first question makes the topic. Simplified: a question
//! is asked until it is answered; Kafka's gives up after some tries and leaves it to whoever asked to come again.

use std::rc::Rc;

use super::Broker;
use crate::controller::topic_names::SHARE_GROUP_STATE;
use crate::error::KafkaError;
use crate::event::internal::{ShareKey, ShareState};
use crate::event::{Api, NodeId};
use crate::internal_partition::coordinator_of;
use crate::message::{Payload, ShareStateAsked, ShareStateRequest};
use crate::outbox::{Outbox, Parcel};
use crate::time::{Duration, Time};

/// The epoch that ends a share session (`ShareRequestMetadata.FINAL_EPOCH`).
pub(super) const FINAL_EPOCH: i32 = -1;
/// `REQUEST_BACKOFF_MS` and `REQUEST_BACKOFF_MAX_MS`.
const BACKOFF: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(30);

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(super) key: ShareKey,
    pub(super) what: CallFor,
    /// The request on its way, the broker, and when it counts as lost.
    sent: Option<(u64, u32, Time)>,
    not_before: Time,
    tries: u32,
}

/// What for.
#[derive(Clone, Debug)]
pub(crate) enum CallFor {
    /// The leader opens the share partition.
    Open { leader_epoch: u32 },
    /// The leader writes.
    Write { id: u64, state: Rc<ShareState> },
    /// The group coordinator may assign the partition once it is initialized.
    Initialize { state_epoch: i32 },
    /// The group coordinator sets the start offset for an Admin client.
    Alter { request: u64, state_epoch: i32, start_offset: u64 },
    /// The group coordinator deletes the state, for an Admin client or with the group.
    Delete { request: Option<u64> },
}

impl Call {
    /// When it has to be looked at.
    pub(super) fn due(&self) -> Time {
        self.sent.map_or(self.not_before, |(.., deadline)| deadline)
    }

    /// Whether it is about a share partition as its leader sees it.
    pub(super) fn is_of_leader(&self, key: &ShareKey) -> bool {
        self.key == *key && matches!(self.what, CallFor::Open { .. } | CallFor::Write { .. })
    }

    fn asked(&self) -> (Api, ShareStateAsked) {
        match &self.what {
            CallFor::Open { leader_epoch } => {
                (Api::ReadShareGroupState, ShareStateAsked::Read { leader_epoch: *leader_epoch })
            }
            CallFor::Write { state, .. } => (Api::WriteShareGroupState, ShareStateAsked::Write(Rc::clone(state))),
            CallFor::Initialize { state_epoch } => {
                let asked = ShareStateAsked::Initialize { state_epoch: *state_epoch, start_offset: None };
                (Api::InitializeShareGroupState, asked)
            }
            CallFor::Alter { state_epoch, start_offset, .. } => {
                let (state_epoch, start_offset) = (*state_epoch, Some(*start_offset));
                (Api::InitializeShareGroupState, ShareStateAsked::Initialize { state_epoch, start_offset })
            }
            CallFor::Delete { .. } => (Api::DeleteShareGroupState, ShareStateAsked::Delete),
        }
    }
}

impl Broker {
    /// Asks the share coordinator of a share partition.
    pub(crate) fn call_share_coordinator(&mut self, key: ShareKey, what: CallFor, outbox: &mut Outbox) {
        let number = self.shares.next_call;
        self.shares.next_call += 1;
        self.shares.calls.insert(number, Call { key, what, sent: None, not_before: outbox.now(), tries: 0 });
        self.send_share_call(number, outbox);
        self.arm_shares(outbox);
    }

    fn send_share_call(&mut self, number: u64, outbox: &mut Outbox) {
        let Some(call) = self.shares.calls.get(&number) else { return };
        let is_alive = |id: &u32| self.image.brokers.get(id).is_some_and(|broker| !broker.is_fenced);
        let found = coordinator_of(&self.image, SHARE_GROUP_STATE, &coordinator_key(&self.image, &call.key));
        let Some((_, leader)) = found else {
            self.create_internal(SHARE_GROUP_STATE, outbox);
            return self.try_share_call_later(number, outbox);
        };
        let Some(broker) = leader.filter(is_alive) else { return self.try_share_call_later(number, outbox) };
        let (api, asked) = call.asked();
        let request = ShareStateRequest { key: call.key.clone(), asked, sender: self.target() };
        let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
        let parcel = Parcel::request(api, self.node(), to, target, Payload::ShareState(request), true);
        let id = outbox.send(parcel);
        let deadline = outbox.now() + self.settings.request_timeout;
        if let Some(call) = self.shares.calls.get_mut(&number) {
            call.sent = Some((id, broker, deadline));
        }
    }

    fn try_share_call_later(&mut self, number: u64, outbox: &mut Outbox) {
        let Some(call) = self.shares.calls.get_mut(&number) else { return };
        let pause = Duration((BACKOFF.0 << call.tries.min(5)).min(BACKOFF_MAX.0));
        call.sent = None;
        call.tries += 1;
        call.not_before = outbox.now() + pause;
    }

    /// A share coordinator answered.
    pub(in crate::broker) fn share_state_answered(
        &mut self,
        request: u64,
        result: &Result<Option<Rc<ShareState>>, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let is_ours = |call: &Call| call.sent.is_some_and(|(sent, ..)| sent == request);
        let Some(number) = self.shares.calls.iter().find(|(_, call)| is_ours(call)).map(|(number, _)| *number) else {
            return;
        };
        let is_moved = |error: &KafkaError| {
            let names = ["NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"];
            names.contains(&error.error.as_str())
        };
        if result.as_ref().is_err_and(is_moved) {
            self.try_share_call_later(number, outbox);
            return self.arm_shares(outbox);
        }
        let Some(Call { key, what, .. }) = self.shares.calls.remove(&number) else { return };
        match what {
            CallFor::Open { leader_epoch } => self.share_state_read(&key, leader_epoch, result, outbox),
            CallFor::Write { id, .. } => self.share_state_written(&key, id, result.as_ref().err(), outbox),
            CallFor::Initialize { .. } => self.share_partition_initialized(&key, result.is_ok(), outbox),
            CallFor::Alter { request, .. } => {
                self.share_offset_changed(request, &key, result.clone().map(|_| ()), outbox);
            }
            CallFor::Delete { request: Some(request) } => {
                self.share_offset_changed(request, &key, result.clone().map(|_| ()), outbox);
            }
            CallFor::Delete { request: None } => {}
        }
        self.arm_shares(outbox);
    }

    /// The connection to a broker broke: what it was asked is asked again.
    pub(crate) fn share_coordinator_lost(&mut self, broker: u32, outbox: &mut Outbox) {
        let is_lost = |call: &Call| call.sent.is_some_and(|(_, sent, _)| sent == broker);
        let lost: Vec<u64> =
            self.shares.calls.iter().filter(|(_, call)| is_lost(call)).map(|(number, _)| *number).collect();
        for number in lost {
            self.try_share_call_later(number, outbox);
        }
        self.arm_shares(outbox);
    }

    /// Whether a broker owes an answer.
    pub(crate) fn waits_for_share_coordinator(&self, broker: u32) -> bool {
        self.shares.calls.values().any(|call| call.sent.is_some_and(|(_, sent, _)| sent == broker))
    }

    /// What is due is asked again, or was not answered in time.
    pub(super) fn expire_share_calls(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let due: Vec<u64> =
            self.shares.calls.iter().filter(|(_, call)| call.due() <= now).map(|(number, _)| *number).collect();
        for number in due {
            let is_late = self.shares.calls.get(&number).is_some_and(|call| call.sent.is_some());
            if is_late {
                self.try_share_call_later(number, outbox);
            } else {
                self.send_share_call(number, outbox);
            }
        }
    }
}

/// `SharePartitionKey.asCoordinatorKey`: group, topic id and partition.
pub(crate) fn coordinator_key(image: &crate::message::ClusterImage, key: &ShareKey) -> String {
    let topic = &key.partition.topic;
    let id = image.topics.get(topic).map_or("", |topic| &*topic.topic_id);
    format!("{}:{id}:{}", key.group, key.partition.partition)
}
