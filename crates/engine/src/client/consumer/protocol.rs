//! Membership by the consumer protocol (KIP-848), as a state machine without time of its own and without a network.
//!
//! Follows `ConsumerMembershipManager` and `AbstractMembershipManager` of the Java client of Kafka 4.3.1. Whatever
//! the member wants done is a [`Step`]: the consumer around it sends the heartbeats, and its application runs the
//! callbacks inside `poll` while heartbeats go on. When a heartbeat is due is in `protocol/heartbeat.rs`.

pub(crate) mod heartbeat;
mod reconcile;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};

use assignor::client::Library;

use crate::client::consumer_call::Membership;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::group::{Callback, ClientMemberState};
use crate::message::group::ConsumerGroupHeartbeat;
use crate::rng::Stream;
use crate::scenario::ConsumerPlan;
use crate::time::{Duration, Time};

use heartbeat::{Sent, Timing};
use reconcile::Reconciliation;

/// Whether a topic is in the client's metadata.
pub(crate) type Knows<'a> = &'a dyn Fn(&Name) -> bool;

/// What the member wants done, in this order.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// It is in another state.
    State(ClientMemberState, ClientMemberState),
    /// To the coordinator; [`Member::heartbeat_sent`] tells that it is on its way. The sender is filled in then.
    Heartbeat(Box<ConsumerGroupHeartbeat>),
    /// These positions are not read on from: the partitions are about to be revoked.
    Hold(Vec<TopicPartition>),
    /// The positions of everything that it owns are to be committed until then; [`Member::committed`] tells that this
    /// has ended, well or not.
    Commit(Duration),
    /// The application calls its listener in its next poll; [`Member::returned`] tells that it has. With a new
    /// `assignment()` that takes effect just before; what is new in it is read once the callback has returned.
    Call(Callback, Vec<TopicPartition>, Option<BTreeSet<TopicPartition>>),
    /// `assignment()` is empty from now on.
    Release,
    /// The automatic commit counts its interval from now.
    RestartAutoCommit,
    /// The application's poll throws.
    Throw(KafkaError),
    /// The coordinator is to be looked up again.
    LoseCoordinator,
    /// A topic of the assignment is unknown.
    RefreshMetadata,
    /// It has left, as far as anybody waits for that.
    Left,
}

/// What is told in the heartbeats besides the state.
#[derive(Clone, Debug, Default, PartialEq)]
struct Subscription {
    topics: Vec<Name>,
    pattern: Option<Name>,
}

/// An assignment with the number that the client gives it (`LocalAssignment`): the same partitions under another
/// number are told again.
#[derive(Clone, Debug, PartialEq)]
struct Assignment {
    /// -1 for none.
    number: i64,
    partitions: BTreeSet<TopicPartition>,
}

impl Assignment {
    const NONE: Assignment = Assignment { number: -1, partitions: BTreeSet::new() };
}

/// Why a callback runs: what follows when it has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Revoke,
    Assign,
    LostByFencing,
    LostByError,
    LostByDelay,
    Leave,
}

/// A member.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    group: Name,
    id: Name,
    instance: Option<Name>,
    client_id: Name,
    rack: Option<Name>,
    assignor: Option<Name>,
    /// `max.poll.interval.ms`, which the coordinator is told as the time for a rebalance.
    poll_interval: Duration,
    library: Library,
    commits: bool,
    subscription: Subscription,
    state: ClientMemberState,
    epoch: i32,
    /// What `groupMetadata()` tells: the last epoch above 0 since the subscription; -1 for none.
    generation: i32,
    /// What it has reconciled.
    current: Assignment,
    /// What it was told to own.
    target: Assignment,
    /// `assignment()`, as far as the application has been told.
    owned: BTreeSet<TopicPartition>,
    /// Topics of assignments that it has seen in the metadata once.
    seen: BTreeSet<Name>,
    reconciling: Option<Reconciliation>,
    is_subscription_new: bool,
    /// Callbacks that have not returned.
    called: VecDeque<Purpose>,
    /// Somebody waits until it has left.
    is_leaving: bool,
    operation: Membership,
    timing: Timing,
    sent: Sent,
    steps: Vec<Step>,
}

impl Member {
    /// A member that subscribes to nothing yet. `instance` numbers the consumers of one name.
    pub fn new(plan: &ConsumerPlan, instance: u32) -> Member {
        let settings = &plan.settings.member;
        let owner = format!("{}/{instance}", plan.name);
        let random_id = || Stream::new(plan.seed, "member id", &owner).uuid();
        Member {
            group: settings.group.clone().unwrap_or_else(|| Name::from("")),
            id: plan.member_id.clone().unwrap_or_else(random_id),
            instance: settings.instance.clone(),
            client_id: Name::clone(&plan.client_id),
            rack: plan.settings.rack.clone(),
            assignor: settings.remote_assignor.clone(),
            poll_interval: settings.poll_interval_max,
            library: settings.library,
            // librdkafka commits after its callback.
            commits: settings.auto_commit.is_some() && settings.library == Library::Java,
            subscription: Subscription::default(),
            state: ClientMemberState::Unsubscribed,
            epoch: 0,
            generation: -1,
            current: Assignment::NONE,
            target: Assignment::NONE,
            owned: BTreeSet::new(),
            seen: BTreeSet::new(),
            reconciling: None,
            is_subscription_new: false,
            called: VecDeque::new(),
            is_leaving: false,
            operation: Membership::Default,
            timing: Timing::new(settings.retry_backoff, Stream::new(plan.seed, "heartbeat backoff", &owner)),
            sent: Sent::default(),
            steps: Vec::new(),
        }
    }

    /// What is to be done since this was asked last.
    #[must_use]
    pub fn take_steps(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.steps)
    }

    /// Its state.
    pub fn state(&self) -> ClientMemberState {
        self.state
    }

    /// Its member id.
    pub fn id(&self) -> &Name {
        &self.id
    }

    /// Its epoch, while it is a member by it: what commits carry.
    pub fn epoch(&self) -> Option<i32> {
        (self.epoch > 0).then_some(self.epoch)
    }

    /// `groupMetadata().generationId()`.
    pub fn generation(&self) -> i32 {
        self.generation
    }

    /// The topics that it names.
    pub fn topics(&self) -> &[Name] {
        &self.subscription.topics
    }

    /// Whether somebody waits until it has left.
    pub fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    fn enter(&mut self, state: ClientMemberState) {
        if self.state != state {
            self.steps.push(Step::State(self.state, state));
            self.state = state;
        }
    }

    fn set_epoch(&mut self, epoch: i32) {
        self.epoch = epoch;
        if epoch > 0 {
            self.generation = epoch;
        }
    }

    fn is_outside(&self) -> bool {
        use ClientMemberState::{Fatal, Fenced, Stale, Unsubscribed};
        matches!(self.state, Unsubscribed | Fenced | Fatal | Stale)
    }

    /// Topics of what it was told to own.
    pub fn target_topics(&self) -> BTreeSet<Name> {
        crate::order::set(self.target.partitions.iter().map(|partition| partition.topic.clone()))
    }

    /// `subscribe`: the next poll joins, or the next heartbeat tells it. Topics that a pattern of the client finds are
    /// set in the same way.
    pub fn subscribe(&mut self, topics: Vec<Name>, pattern: Option<Name>) {
        self.subscription = Subscription { topics, pattern };
        self.is_subscription_new = true;
    }

    /// The application polls: what the background thread does about it. It is in `poll` from now on.
    pub fn poll(&mut self, now: Time, knows: Knows<'_>) {
        self.reconcile(true, knows);
        if std::mem::take(&mut self.is_subscription_new) && self.state == ClientMemberState::Unsubscribed {
            self.join();
        }
        if self.timing.polled(now) && self.state == ClientMemberState::Stale {
            self.timing.has_left_late = false;
            if !self.called.contains(&Purpose::LostByDelay) {
                self.join();
            }
        }
    }

    /// The application has come out of `poll`, or is in a callback: the time for the next poll runs.
    pub fn poll_ended(&mut self, now: Time) {
        self.timing.poll_ended(now, self.poll_interval);
    }

    fn join(&mut self) {
        if self.state == ClientMemberState::Fatal {
            return;
        }
        if let Some(reconciling) = &mut self.reconciling {
            reconciling.is_outdated = true;
        }
        self.set_epoch(0);
        self.enter(ClientMemberState::Joining);
        self.target = Assignment::NONE;
        self.seen.clear();
    }

    fn call(&mut self, callback: Callback, partitions: Vec<TopicPartition>, purpose: Purpose) {
        self.called.push_back(purpose);
        self.steps.push(Step::Call(callback, partitions, None));
    }

    /// `onPartitionsLost` of everything; not called without partitions.
    fn lose(&mut self, purpose: Purpose) {
        if self.owned.is_empty() {
            return self.released(purpose);
        }
        let lost = self.owned.iter().cloned().collect();
        self.call(Callback::Lost, lost, purpose);
    }

    /// A callback has returned: they do so in the order in which they were asked for.
    pub fn returned(&mut self) {
        match self.called.pop_front() {
            Some(Purpose::Revoke) => self.revoked(),
            Some(Purpose::Assign) => self.assigned(),
            Some(purpose) => self.released(purpose),
            None => {}
        }
    }

    /// The callback for everything that it owned has returned.
    fn released(&mut self, purpose: Purpose) {
        if purpose == Purpose::Leave {
            return self.leave_now();
        }
        self.clear_assignment();
        match (purpose, self.state) {
            (Purpose::LostByFencing, ClientMemberState::Fenced) => self.join(),
            // The application polls again.
            (Purpose::LostByDelay, ClientMemberState::Stale) if !self.timing.has_left_late => self.join(),
            _ => {}
        }
    }

    fn clear_assignment(&mut self) {
        if !self.owned.is_empty() {
            self.owned.clear();
            self.steps.push(Step::Release);
        }
        self.current = Assignment::NONE;
        self.target = Assignment::NONE;
        self.seen.clear();
    }

    /// `unsubscribe`: the callbacks run first. [`Step::Left`] ends it.
    pub fn unsubscribe(&mut self) {
        self.is_subscription_new = false;
        if self.is_outside() {
            return self.leave_outside();
        }
        if self.is_leaving {
            return;
        }
        self.is_leaving = true;
        self.enter(ClientMemberState::PrepareLeaving);
        let owned: Vec<TopicPartition> = self.owned.iter().cloned().collect();
        match (owned.is_empty(), self.epoch > 0) {
            (true, _) => self.leave_now(),
            (false, true) => {
                self.steps.push(Step::Hold(owned.clone()));
                self.call(Callback::Revoked, owned, Purpose::Leave);
            }
            (false, false) => self.call(Callback::Lost, owned, Purpose::Leave),
        }
    }

    /// `close`, whose commits and callbacks have been done: it only leaves. [`Step::Left`] ends it.
    pub fn close(&mut self, operation: Membership) {
        self.operation = operation;
        if self.is_outside() {
            return self.leave_outside();
        }
        if !self.is_leaving {
            self.is_leaving = true;
            self.enter(ClientMemberState::PrepareLeaving);
            self.leave_now();
        }
    }

    /// What `close` calls before: nothing without partitions.
    pub fn callback_on_close(&self) -> Option<(Callback, Vec<TopicPartition>)> {
        let callback = if self.generation > 0 { Callback::Revoked } else { Callback::Lost };
        (!self.owned.is_empty()).then(|| (callback, self.owned.iter().cloned().collect()))
    }

    fn leave_outside(&mut self) {
        if self.state == ClientMemberState::Fenced {
            self.clear_assignment();
            self.enter(ClientMemberState::Unsubscribed);
        }
        self.forget_subscription();
        self.generation = -1;
        self.steps.push(Step::Left);
    }

    fn forget_subscription(&mut self) {
        self.subscription = Subscription::default();
        if !self.owned.is_empty() {
            self.owned.clear();
            self.steps.push(Step::Release);
        }
    }

    fn leave_now(&mut self) {
        self.forget_subscription();
        self.clear_assignment();
        self.send_leave(false);
    }

    /// `transitionToSendingLeaveGroup`.
    fn send_leave(&mut self, is_late: bool) {
        if matches!(self.state, ClientMemberState::Fatal | ClientMemberState::Unsubscribed) {
            return;
        }
        if is_late {
            self.timing.has_left_late = true;
            self.enter(ClientMemberState::PrepareLeaving);
        }
        let stays_static = self.instance.is_some() && self.operation != Membership::LeaveGroup;
        self.set_epoch(if stays_static { -2 } else { -1 });
        self.current = Assignment::NONE;
        self.enter(ClientMemberState::Leaving);
    }

    fn end_leave(&mut self) -> bool {
        let ends = std::mem::take(&mut self.is_leaving);
        if ends {
            self.generation = -1;
            self.steps.push(Step::Left);
        }
        ends
    }

    /// `transitionToFenced`: everything is lost, and it joins again.
    fn fence(&mut self) {
        match self.state {
            ClientMemberState::PrepareLeaving | ClientMemberState::Leaving => {
                if self.state == ClientMemberState::PrepareLeaving {
                    self.send_leave(false);
                }
                self.enter(ClientMemberState::Unsubscribed);
                self.end_leave();
            }
            ClientMemberState::Unsubscribed => {}
            _ => {
                self.enter(ClientMemberState::Fenced);
                self.set_epoch(0);
                self.lose(Purpose::LostByFencing);
            }
        }
    }

    /// `transitionToFatal`: poll throws, and it is no member any more.
    fn fail(&mut self, error: KafkaError) {
        let before = self.state;
        self.enter(ClientMemberState::Fatal);
        self.epoch = 0;
        let was_leaving = matches!(before, ClientMemberState::Leaving | ClientMemberState::PrepareLeaving);
        let has_left = before == ClientMemberState::Unsubscribed && self.is_leaving;
        if was_leaving || has_left {
            self.end_leave();
        } else {
            self.lose(Purpose::LostByError);
        }
        self.steps.push(Step::Throw(error));
    }
}
