//! The membership: the group's coordinator, heartbeats, and what the member may fetch from.
//!
//! Follows `ShareHeartbeatRequestManager` and `ShareMembershipManager` of Kafka 4.3.1, which are those of the consumer
//! protocol without callbacks: what a member is given takes effect at once.

use std::rc::Rc;

use super::ShareConsumer;
use crate::client::connections::Backoff;
use crate::client::consumer::protocol::Step;
use crate::error::KafkaError;
use crate::event::{Api, RefreshReason};
use crate::group::{ClientMemberState, GroupEvent};
use crate::message::{
    ConsumerGroupHeartbeat, CoordinatorKind, FindCoordinator, MemberHeartbeat, Payload, ShareGroupHeartbeat,
};
use crate::outbox::Outbox;
use crate::time::{Duration, Time};

/// Who coordinates the group.
#[derive(Clone, Debug, Default)]
pub(super) struct Coordinator {
    broker: Option<u32>,
    /// A question on its way: its id, the broker that was asked, and when it is given up.
    asked: Option<(u64, u32, Time)>,
    not_before: Time,
    failures: u32,
}

impl Coordinator {
    pub fn due(&self) -> Option<Time> {
        match (self.broker, self.asked) {
            (None, Some((.., deadline))) => Some(deadline),
            (None, None) => Some(self.not_before),
            _ => None,
        }
    }

    /// The broker that owes an answer for too long.
    pub fn late(&self, now: Time) -> Option<u32> {
        self.asked.filter(|(.., deadline)| *deadline <= now).map(|(_, broker, _)| broker)
    }
}

impl ShareConsumer {
    /// One turn of the background thread.
    pub(super) fn tend_membership(&mut self, outbox: &mut Outbox) {
        if self.is_closed {
            return;
        }
        let now = outbox.now();
        if !self.is_polling() {
            self.member.poll_ended(self.polled);
        }
        let has_coordinator = self.find_coordinator(outbox);
        let known = crate::order::set(self.metadata.topics.iter().map(|(name, _)| Rc::clone(name)));
        self.member.background(now, has_coordinator, &|topic| known.contains(topic));
        self.take_steps(outbox);
    }

    /// The application polls.
    pub(super) fn poll_membership(&mut self, outbox: &mut Outbox) {
        let known = crate::order::set(self.metadata.topics.iter().map(|(name, _)| Rc::clone(name)));
        self.polled = outbox.now();
        self.member.poll(outbox.now(), &|topic| known.contains(topic));
        self.take_steps(outbox);
    }

    /// Does what the member wants done.
    pub(super) fn take_steps(&mut self, outbox: &mut Outbox) {
        loop {
            let steps = self.member.take_steps();
            if steps.is_empty() {
                return;
            }
            for step in steps {
                self.take_step(step, outbox);
            }
        }
    }

    fn take_step(&mut self, step: Step, outbox: &mut Outbox) {
        let consumer = Rc::clone(self.name());
        match step {
            Step::State(before, state) => {
                if !std::mem::replace(&mut self.has_told_id, true) {
                    let (consumer, member) = (Rc::clone(&consumer), Rc::clone(self.member.id()));
                    self.tell_group(GroupEvent::MemberIdAssigned { consumer, member }, outbox);
                }
                self.tell_group(GroupEvent::ClientMemberStateChanged { consumer, before, state }, outbox);
            }
            Step::Heartbeat(heartbeat) => self.send_heartbeat(*heartbeat, outbox),
            Step::Call(_, _, assigned) => {
                if let Some(assigned) = assigned {
                    self.assign(assigned, outbox);
                }
                self.member.returned();
            }
            Step::Release => self.assign(Default::default(), outbox),
            Step::Throw(error) => self.failures.push_back(error),
            Step::LoseCoordinator => self.coordinator_unknown(outbox),
            Step::RefreshMetadata => {
                for topic in self.member.target_topics() {
                    self.metadata.want(&topic, outbox.now());
                }
                self.metadata.request(RefreshReason::Error);
            }
            // A member of a share group commits nothing and holds no positions.
            Step::Commit(_) => self.member.committed(),
            Step::Hold(_) | Step::RestartAutoCommit | Step::Left => {}
        }
    }

    fn assign(&mut self, assigned: std::collections::BTreeSet<crate::event::TopicPartition>, outbox: &mut Outbox) {
        if self.assigned != assigned {
            self.assigned = assigned;
            let owned = self.assigned.iter().cloned().collect();
            self.tell_group(GroupEvent::AssignmentChanged { consumer: Rc::clone(self.name()), owned }, outbox);
        }
    }

    fn send_heartbeat(&mut self, heartbeat: ConsumerGroupHeartbeat, outbox: &mut Outbox) {
        let Some(broker) = self.coordinator.broker else { return };
        let ConsumerGroupHeartbeat { group, member, epoch, client_id, rack, topics, .. } = heartbeat;
        let sender = self.target();
        let asked = ShareGroupHeartbeat { group, member, epoch, client_id, rack, topics, sender };
        let request = self.send(Api::ShareGroupHeartbeat, broker, Payload::ShareGroupHeartbeat(asked), outbox);
        let deadline = outbox.now() + self.plan.member.settings.member.request_timeout;
        if self.member.heartbeat_sent(request) {
            self.heartbeat = Some((request, broker, deadline));
        }
    }

    pub(super) fn heartbeat_answered(
        &mut self,
        request: u64,
        result: &Result<MemberHeartbeat, KafkaError>,
        outbox: &mut Outbox,
    ) {
        if let Some((_, broker, _)) = self.heartbeat.take_if(|sent| sent.0 == request) {
            self.connections.answered(broker);
            self.coordinator.failures = 0;
            self.member.answered(request, result, outbox.now());
            self.take_steps(outbox);
        }
    }

    /// Whether it has left, or was no member.
    pub(super) fn has_left(&self) -> bool {
        !self.member.is_leaving() && self.member.state() != ClientMemberState::Leaving
    }

    /// Looks for the coordinator if it is not known. Whether it is.
    fn find_coordinator(&mut self, outbox: &mut Outbox) -> bool {
        let now = outbox.now();
        match self.coordinator.broker {
            Some(broker) if self.connections.may_send(broker, now) => return true,
            // Others may still take a broker for the coordinator that is gone.
            Some(_) => {
                self.coordinator_unknown(outbox);
                self.coordinator.not_before = now + self.retry_pause();
            }
            None => {}
        }
        if self.coordinator.asked.is_some() || self.coordinator.not_before > now || self.topics.is_empty() {
            return false;
        }
        let Some(broker) = self.connections.choose(&outbox.post.brokers, now) else { return false };
        let key = self.plan.member.settings.member.group.clone().unwrap_or_default();
        let asked = FindCoordinator { kind: CoordinatorKind::Group, key, sender: self.target() };
        let request = self.send(Api::FindCoordinator, broker, Payload::FindCoordinator(asked), outbox);
        let deadline = now + self.plan.member.settings.member.request_timeout;
        self.coordinator.asked = Some((request, broker, deadline));
        false
    }

    pub(super) fn coordinator_found(&mut self, request: u64, result: &Result<u32, KafkaError>, outbox: &mut Outbox) {
        let Some((_, broker, _)) = self.coordinator.asked.take_if(|asked| asked.0 == request) else { return };
        self.connections.answered(broker);
        match result {
            Ok(found) => {
                self.coordinator.broker = Some(*found);
            }
            Err(error) if matches!(error.error.as_str(), "GROUP_AUTHORIZATION_FAILED" | "INVALID_GROUP_ID") => {
                self.failures.push_back(error.clone());
            }
            Err(_) => {
                self.coordinator.not_before = outbox.now() + self.retry_pause();
            }
        }
    }

    /// The pause before the coordinator is looked for again, longer each time.
    fn retry_pause(&mut self) -> Duration {
        let (first, longest) = self.plan.member.settings.member.retry_backoff;
        let pause = Backoff { first, longest }.pause(self.coordinator.failures, &mut self.jitter);
        self.coordinator.failures += 1;
        pause
    }

    fn coordinator_unknown(&mut self, outbox: &mut Outbox) {
        if let Some(broker) = self.coordinator.broker.take() {
            self.lose_heartbeat(broker, outbox);
        }
    }

    pub(super) fn lose_coordinator_connection(&mut self, broker: u32, outbox: &mut Outbox) {
        self.coordinator.asked.take_if(|asked| asked.1 == broker);
        self.coordinator.broker.take_if(|known| *known == broker);
        self.lose_heartbeat(broker, outbox);
    }

    fn lose_heartbeat(&mut self, broker: u32, outbox: &mut Outbox) {
        if let Some((request, ..)) = self.heartbeat.take_if(|sent| sent.1 == broker) {
            self.member.lost_request(request, outbox.now());
            self.take_steps(outbox);
        }
    }
}
