//! The network thread of a consumer of the consumer protocol: it heartbeats whatever the application does.
//!
//! Here the state machine of `protocol.rs` meets the consumer around it: what it wants done is done, and what
//! happens is told to it. Follows `ConsumerNetworkThread`, `ApplicationEventProcessor` and `CommitRequestManager` of
//! Kafka 4.3.1. Simplified: the thread takes no time, and is there at once when the application polls.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use super::commits::Failure;
use super::librdkafka;
use super::membership::{Identity, Membership};
use super::protocol::{Member, Step};
use crate::client::consumer_call::{Membership as Operation, Topics};
use crate::client::reader::{RETRY, Reader};
use crate::error::KafkaError;
use crate::event::{Api, Name, TopicPartition};
use crate::group::GroupEvent;
use crate::message::group::MemberHeartbeat;
use crate::message::{ConsumerGroupHeartbeat, Payload};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::scenario::ConsumerPlan;
use crate::time::Time;

/// The member and what belongs to its thread.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    member: Member,
    /// The heartbeat on its way: its id, the broker, and when it is given up.
    sent: Option<(u64, u32, Time)>,
    /// What the callbacks that wait for the user thread are for, in their order.
    asked: VecDeque<Asked>,
    /// The commit before a reconciliation.
    commit: Option<Commit>,
    has_told_id: bool,
}

/// A callback that the user thread has been asked for.
#[derive(Clone, Debug)]
enum Asked {
    /// By the member, with a new assignment that takes effect first.
    Member(Option<BTreeSet<TopicPartition>>),
    /// By `close`.
    Close,
}

/// The commit before a reconciliation: sent again until it succeeds, or nothing helps, or it is too late.
#[derive(Clone, Debug)]
struct Commit {
    request: Option<u64>,
    deadline: Time,
    not_before: Time,
    attempts: u32,
}

impl Network {
    pub fn new(plan: &ConsumerPlan, instance: u32) -> Network {
        Network {
            member: Member::new(plan, instance),
            sent: None,
            asked: VecDeque::new(),
            commit: None,
            has_told_id: false,
        }
    }

    /// The member.
    pub fn member(&self) -> &Member {
        &self.member
    }

    /// In whose name it commits: nobody's while it is no member.
    pub fn identity(&self, instance: Option<Name>) -> Identity {
        match self.member.epoch() {
            Some(generation) => Identity { generation, member: Rc::clone(self.member.id()), instance },
            None => Identity { instance, ..Identity::none() },
        }
    }

    /// Nobody will run the callbacks that were asked for.
    pub fn forget_callbacks(&mut self) {
        self.asked.clear();
    }

    /// When it has to look at the clock.
    pub fn due(&self, now: Time) -> Option<Time> {
        let sent = self.sent.map(|(.., deadline)| deadline);
        let is_waiting = |commit: &&Commit| commit.request.is_none();
        let commit = self.commit.as_ref().filter(is_waiting).map(|commit| commit.not_before.max(now));
        [self.member.next_due(now), sent, commit].into_iter().flatten().min()
    }
}

impl Reader {
    fn network(&self) -> &Network {
        match &self.inner().membership {
            Membership::Consumer(network) => network,
            _ => unreachable!("only members of the consumer protocol come here"),
        }
    }

    fn network_mut(&mut self) -> &mut Network {
        match &mut self.inner_mut().membership {
            Membership::Consumer(network) => network,
            _ => unreachable!("only members of the consumer protocol come here"),
        }
    }

    /// Topics that the metadata has.
    fn known_topics(&self) -> BTreeSet<Name> {
        crate::order::set(self.metadata.topics.iter().map(|(name, _)| Rc::clone(name)))
    }

    /// One turn of the thread.
    pub(super) fn wake_network(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let late = self.network().sent.filter(|(.., deadline)| *deadline <= now);
        if let Some((_, broker, _)) = late.filter(|(_, broker, _)| self.connections.is_open(*broker)) {
            self.lose_connection(broker, outbox);
        }
        // librdkafka goes on with heartbeats, whatever the application does.
        if !self.is_in_poll(now) && !self.is_librdkafka() {
            let polled = self.inner().thread.polled;
            self.network_mut().member.poll_ended(polled);
        }
        self.go_on_committing(outbox);
        let (has_coordinator, known) = (self.coordinator(outbox).is_some(), self.known_topics());
        self.network_mut().member.background(now, has_coordinator, &|topic| known.contains(topic));
        self.take_steps(outbox);
    }

    /// The application of librdkafka polls again after too long a time.
    pub(super) fn network_polled_late(&mut self, outbox: &mut Outbox) {
        self.network_mut().member.polled_late(outbox.now());
        self.take_steps(outbox);
    }

    /// The application polls.
    pub(super) fn poll_network(&mut self, outbox: &mut Outbox) {
        let topics: Vec<Name> = self.inner().topics.iter().cloned().collect();
        if matches!(self.inner().subscription, Some(Topics::Pattern(_))) && self.network().member.topics() != topics {
            self.network_mut().member.subscribe(topics, None);
        }
        let known = self.known_topics();
        self.network_mut().member.poll(outbox.now(), &|topic| known.contains(topic));
        self.take_steps(outbox);
        self.wake_network(outbox);
    }

    /// The application subscribes.
    pub(super) fn network_subscribed(&mut self) {
        let (topics, pattern) = match &self.inner().subscription {
            Some(Topics::Named(names)) if self.is_librdkafka() => librdkafka::subscription(names),
            Some(Topics::Named(names)) => (names.clone(), None),
            Some(Topics::Re2j(pattern)) => (Vec::new(), Some(Rc::clone(pattern))),
            Some(Topics::Pattern(_)) | None => (self.inner().topics.iter().cloned().collect(), None),
        };
        self.network_mut().member.subscribe(topics, pattern);
    }

    /// Does what the member wants done.
    fn take_steps(&mut self, outbox: &mut Outbox) {
        loop {
            let steps = self.network_mut().member.take_steps();
            if steps.is_empty() {
                return;
            }
            for step in steps {
                self.take_step(step, outbox);
            }
        }
    }

    fn take_step(&mut self, step: Step, outbox: &mut Outbox) {
        match step {
            Step::State(before, state) => {
                if !std::mem::replace(&mut self.network_mut().has_told_id, true) {
                    let member = Rc::clone(self.network().member.id());
                    self.tell(GroupEvent::MemberIdAssigned { consumer: self.name(), member }, outbox);
                }
                self.inner_mut().told_state = state;
                self.tell(GroupEvent::ClientMemberStateChanged { consumer: self.name(), before, state }, outbox);
            }
            Step::Heartbeat(heartbeat) => self.send_member_heartbeat(*heartbeat, outbox),
            Step::Hold(partitions) => {
                for partition in &partitions {
                    if let Some(reading) = self.partitions.get_mut(partition) {
                        reading.is_held = true;
                    }
                }
            }
            Step::Commit(time) => {
                let deadline = outbox.now() + time;
                let commit = Commit { request: None, deadline, not_before: Time::ZERO, attempts: 0 };
                self.network_mut().commit = Some(commit);
                self.go_on_committing(outbox);
            }
            // The user thread is in `close`, and does not look at what the background wants.
            Step::Call(..) if self.is_closing() => {}
            Step::Call(callback, partitions, owned) => {
                self.network_mut().asked.push_back(Asked::Member(owned));
                self.call_back(callback, partitions);
            }
            Step::Release => self.own(&[], outbox),
            Step::RestartAutoCommit if self.is_librdkafka() => {}
            Step::RestartAutoCommit => self.reschedule_auto_commit(outbox.now()),
            Step::Throw(error) if self.is_librdkafka() => self.library_failed(&error, librdkafka::OF_CONSUMER),
            Step::Throw(error) => self.inner_mut().failures.push_back(error),
            Step::LoseCoordinator => self.coordinator_unknown(outbox),
            Step::RefreshMetadata => {
                // Only the coordinator knows which topics its pattern means.
                for topic in self.network().member.target_topics() {
                    self.metadata.want(&topic, outbox.now());
                }
                self.metadata.request(crate::event::RefreshReason::Error);
            }
            Step::Left => {}
        }
    }

    fn send_member_heartbeat(&mut self, heartbeat: ConsumerGroupHeartbeat, outbox: &mut Outbox) {
        // The thread makes none without a coordinator.
        let Some(broker) = self.inner().coordinator.broker else { return };
        let sender = Target::Consumer(self.number);
        let payload = Payload::ConsumerGroupHeartbeat(ConsumerGroupHeartbeat { sender, ..heartbeat });
        let request = self.send(Api::ConsumerGroupHeartbeat, broker, payload, true, outbox);
        let deadline = outbox.now() + self.plan.settings.member.request_timeout;
        let network = self.network_mut();
        if network.member.heartbeat_sent(request) {
            network.sent = Some((request, broker, deadline));
        }
    }

    /// The coordinator's answer to a heartbeat.
    pub(super) fn network_answer(&mut self, answer: &Payload, outbox: &mut Outbox) {
        let Payload::ConsumerGroupHeartbeatAnswer { request, result } = answer else { return };
        let is_ours = |sent: &mut (u64, u32, Time)| sent.0 == *request;
        if let Some((_, broker, _)) = self.network_mut().sent.take_if(is_ours) {
            self.connections.answered(broker);
            self.heartbeat_answered(*request, result, outbox);
        }
    }

    fn heartbeat_answered(&mut self, request: u64, result: &Result<MemberHeartbeat, KafkaError>, outbox: &mut Outbox) {
        self.network_mut().member.answered(request, result, outbox.now());
        self.take_steps(outbox);
    }

    /// The connection to a broker broke: what it owes is not waited for.
    pub(super) fn network_lost_coordinator(&mut self, broker: u32, outbox: &mut Outbox) {
        let is_there = |sent: &mut (u64, u32, Time)| sent.1 == broker;
        if let Some((request, ..)) = self.network_mut().sent.take_if(is_there) {
            self.network_mut().member.lost_request(request, outbox.now());
            self.take_steps(outbox);
        }
    }

    /// The user thread is about to call its listener: the assignment that comes with it takes effect.
    pub(super) fn network_calls(&mut self, outbox: &mut Outbox) {
        let owned = match self.network_mut().asked.front_mut() {
            Some(Asked::Member(owned)) => owned.take(),
            _ => None,
        };
        if let Some(owned) = owned.filter(|_| !self.is_librdkafka()) {
            let owned: Vec<TopicPartition> = owned.into_iter().collect();
            self.own(&owned, outbox);
        }
    }

    /// A callback has returned.
    pub(super) fn network_called_back(&mut self, outbox: &mut Outbox) {
        if let Some(Asked::Member(_)) = self.network_mut().asked.pop_front() {
            self.network_mut().member.returned();
            self.take_steps(outbox);
            self.wake_network(outbox);
        }
    }

    /// Sends the commit before a reconciliation, or sends it again.
    fn go_on_committing(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let Some(mut commit) = self.network_mut().commit.take() else { return };
        if let Some(request) = commit.request {
            match self.inner_mut().commits.take_result(request) {
                None => return self.network_mut().commit = Some(commit),
                Some(Err(failure)) if self.tries_again(&failure) && now < commit.deadline => {
                    commit.request = None;
                    commit.not_before = now + RETRY.pause(commit.attempts, &mut self.jitter);
                    commit.attempts += 1;
                }
                Some(_) => return self.end_commit(outbox),
            }
        }
        if commit.not_before > now {
            return self.network_mut().commit = Some(commit);
        }
        match self.auto_commit_waited(outbox) {
            Some(Ok(request)) => commit.request = Some(request),
            None if !self.consumed().is_empty() && now < commit.deadline => {
                commit.not_before = now + RETRY.first;
            }
            _ => return self.end_commit(outbox),
        }
        self.network_mut().commit = Some(commit);
    }

    /// A member whose epoch has changed meanwhile tries again with the new one. A topic that was deleted does not come
    /// back.
    fn tries_again(&self, failure: &Failure) -> bool {
        let error = failure.error.error.as_str();
        let is_stale = error == "STALE_MEMBER_EPOCH" && self.network().member.epoch().is_some();
        is_stale || (failure.is_retriable && error != "UNKNOWN_TOPIC_OR_PARTITION")
    }

    fn end_commit(&mut self, outbox: &mut Outbox) {
        self.network_mut().member.committed();
        self.take_steps(outbox);
    }

    /// What an error in the answer to a commit means (`CommitRequestManager`).
    pub(super) fn network_commit_failed(&mut self, error: &KafkaError, outbox: &mut Outbox) -> Failure {
        let failed = |text: &str| Failure {
            error: KafkaError::new(&error.error, "CommitFailedException", text),
            is_retriable: false,
        };
        match error.error.as_str() {
            "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" | "REQUEST_TIMED_OUT" => {
                self.coordinator_unknown(outbox);
                Failure { error: error.clone(), is_retriable: true }
            }
            "COORDINATOR_LOAD_IN_PROGRESS" | "UNKNOWN_TOPIC_OR_PARTITION" => {
                Failure { error: error.clone(), is_retriable: true }
            }
            // Verified on a running broker.
            "UNKNOWN_MEMBER_ID" => {
                failed("OffsetCommit failed with unknown member ID. The coordinator is not aware of this member.")
            }
            "STALE_MEMBER_EPOCH" => failed(
                "OffsetCommit failed with stale member epoch. The member epoch is stale. The member must retry after \
                 receiving its updated member epoch via the ConsumerGroupHeartbeat API.",
            ),
            "GROUP_AUTHORIZATION_FAILED"
            | "FENCED_INSTANCE_ID"
            | "OFFSET_METADATA_TOO_LARGE"
            | "INVALID_COMMIT_OFFSET_SIZE" => Failure { error: error.clone(), is_retriable: false },
            _ => {
                let text = format!("Unexpected error in commit: {}", error.message);
                Failure { error: KafkaError::new(&error.error, "KafkaException", text), is_retriable: false }
            }
        }
    }

    /// `unsubscribe` asks the member for its callbacks; `close` calls the listener by itself.
    pub(super) fn prepare_network_leave(&mut self, is_close: bool, outbox: &mut Outbox) {
        if !is_close {
            self.network_mut().member.unsubscribe();
            return self.take_steps(outbox);
        }
        if let Some((callback, partitions)) = self.network().member.callback_on_close() {
            self.network_mut().asked.push_back(Asked::Close);
            self.call_back(callback, partitions);
        }
    }

    /// `close` has called its listener.
    pub(super) fn leave_network(&mut self, operation: Operation, is_close: bool, outbox: &mut Outbox) {
        if is_close {
            self.network_mut().member.close(operation);
            self.take_steps(outbox);
        }
        self.wake_network(outbox);
    }
}
