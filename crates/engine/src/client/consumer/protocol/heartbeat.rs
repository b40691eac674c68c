//! When a member of the consumer protocol sends a heartbeat, what is in it, and what an answer does.
//!
//! Follows `AbstractHeartbeatRequestManager` and `ConsumerHeartbeatRequestManager` of Kafka 4.3.1. The coordinator
//! says how far apart heartbeats are.

use super::{Assignment, Knows, Member, Purpose, Step, Subscription};
use crate::client::connections::Backoff;
use crate::error::KafkaError;
use crate::event::Name;
use crate::group::ClientMemberState;
use crate::message::group::{ConsumerGroupHeartbeat, MemberHeartbeat};
use crate::queue::Target;
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// Times of heartbeats and polls.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    /// As the coordinator told it; zero before its first answer.
    interval: Duration,
    /// The next heartbeat, if nothing comes between.
    due: Time,
    /// It waits for the answer to that request.
    in_flight: Option<u64>,
    /// A heartbeat was made, and is about to be sent.
    is_made: bool,
    failures: u32,
    not_before: Time,
    /// When a request failed, unless one has succeeded since.
    failed_at: Option<Time>,
    backoff: Backoff,
    jitter: Stream,
    /// `max.poll.interval.ms` ends then; absent while the application is in `poll`.
    poll_deadline: Option<Time>,
    /// It has left, or is about to, because the application did not poll.
    pub has_left_late: bool,
}

impl Timing {
    pub fn new(backoff: (Duration, Duration), jitter: Stream) -> Timing {
        Timing {
            interval: Duration::ZERO,
            due: Time::ZERO,
            in_flight: None,
            is_made: false,
            failures: 0,
            not_before: Time::ZERO,
            failed_at: None,
            backoff: Backoff { first: backoff.0, longest: backoff.1 },
            jitter,
            poll_deadline: None,
            has_left_late: false,
        }
    }

    /// The application polls; whether that was too late.
    pub fn polled(&mut self, now: Time) -> bool {
        self.poll_deadline.take().is_some_and(|deadline| deadline <= now)
    }

    pub fn poll_ended(&mut self, now: Time, interval: Duration) {
        self.poll_deadline.get_or_insert(now + interval);
    }

    fn is_poll_late(&self, now: Time) -> bool {
        self.poll_deadline.is_some_and(|deadline| deadline <= now)
    }

    fn waits(&self) -> bool {
        self.in_flight.is_some() || self.is_made
    }

    fn is_due(&self, now: Time) -> bool {
        self.due <= now && self.not_before <= now && !self.waits()
    }

    /// `RequestState.reset`.
    fn reset(&mut self) {
        (self.in_flight, self.is_made, self.failures, self.not_before) = (None, false, 0, Time::ZERO);
        self.failed_at = None;
    }

    fn failed(&mut self, now: Time) {
        (self.in_flight, self.is_made) = (None, false);
        self.failed_at = Some(now);
        self.due = now;
        self.not_before = now + self.backoff.pause(self.failures, &mut self.jitter);
        self.failures += 1;
    }

    fn succeeded(&mut self, now: Time, interval: Duration) {
        self.reset();
        if self.interval != interval {
            self.interval = interval;
            self.due = now + interval;
        }
    }
}

/// What the coordinator has been told.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    poll_interval: Option<Duration>,
    topics: Option<Vec<Name>>,
    pattern: Option<Name>,
    assignor: Option<Name>,
    current: Option<Assignment>,
}

impl Member {
    /// What the background thread does whenever it is awake: it goes on reconciling, and makes the heartbeat that is
    /// due.
    pub fn background(&mut self, now: Time, has_coordinator: bool, knows: Knows<'_>) {
        use ClientMemberState::{Acknowledging, Joining, Leaving, PrepareLeaving, Unsubscribed};
        self.reconcile(false, knows);
        if !has_coordinator || self.is_silent() {
            if self.state == Leaving {
                self.enter(Unsubscribed);
                self.end_leave();
            }
            return;
        }
        let is_leaving = matches!(self.state, PrepareLeaving | Leaving);
        if self.timing.is_poll_late(now) && !is_leaving {
            self.send_leave(true);
            self.make_heartbeat(now);
            // Nobody waits for the answer.
            self.timing.reset();
            self.sent = Sent::default();
            return;
        }
        // Kafka's client does not pause here either, but its requests take time.
        let may_hurry = !self.timing.waits() && self.timing.failed_at != Some(now);
        let is_urgent = matches!(self.state, Acknowledging | Joining) && may_hurry;
        if self.state == Leaving || is_urgent || self.timing.is_due(now) {
            self.make_heartbeat(now);
        }
    }

    /// The application of librdkafka polls after too long a time: only now the member leaves; what it owned is lost, and
    /// it joins again.
    pub fn polled_late(&mut self, now: Time) {
        if self.is_outside() || self.is_leaving {
            return;
        }
        self.send_leave(true);
        self.timing.has_left_late = false;
        let heartbeat = self.heartbeat();
        self.steps.push(Step::Heartbeat(Box::new(heartbeat)));
        self.timing.reset();
        self.timing.due = now;
        self.sent = Sent::default();
        self.enter(ClientMemberState::Stale);
        self.lose(Purpose::LostByDelay);
    }

    fn is_silent(&self) -> bool {
        self.is_outside()
    }

    /// When [`Member::background`] is to be called if nothing happens before.
    pub fn next_due(&self, now: Time) -> Option<Time> {
        if self.is_silent() || self.timing.waits() {
            return None;
        }
        let due = self.timing.due.max(self.timing.not_before);
        (due > now).then_some(due)
    }

    /// When its next heartbeat is due.
    pub fn heartbeat_due(&self) -> Option<Time> {
        (!self.is_silent()).then_some(self.timing.due)
    }

    fn make_heartbeat(&mut self, now: Time) {
        let heartbeat = self.heartbeat();
        self.steps.push(Step::Heartbeat(Box::new(heartbeat)));
        self.timing.is_made = true;
        self.timing.due = now + self.timing.interval;
        match self.state {
            ClientMemberState::Acknowledging if self.current == self.target => self.enter(ClientMemberState::Stable),
            ClientMemberState::Acknowledging => self.enter(ClientMemberState::Reconciling),
            ClientMemberState::Leaving if self.timing.has_left_late => {
                self.enter(ClientMemberState::Stale);
                self.lose(Purpose::LostByDelay);
            }
            ClientMemberState::Leaving => self.enter(ClientMemberState::Unsubscribed),
            _ => {}
        }
    }

    /// Everything when joining, and only what has changed afterwards.
    fn heartbeat(&mut self) -> ConsumerGroupHeartbeat {
        let is_joining = self.state == ClientMemberState::Joining;
        let Subscription { topics, pattern } = &self.subscription;
        let mut sorted = topics.clone();
        sorted.sort_unstable();
        let sent = &mut self.sent;
        let interval = is_joining || sent.poll_interval != Some(self.poll_interval);
        let tells_topics = is_joining || sent.topics.as_ref() != Some(&sorted);
        let tells_pattern = (is_joining && pattern.is_some()) || sent.pattern != *pattern;
        let tells_assignor = is_joining || sent.assignor != self.assignor;
        let tells_current = is_joining || sent.current.as_ref() != Some(&self.current);
        *sent = Sent {
            poll_interval: Some(self.poll_interval),
            topics: Some(sorted),
            pattern: pattern.clone(),
            assignor: self.assignor.clone(),
            current: Some(self.current.clone()),
        };
        ConsumerGroupHeartbeat {
            group: Name::clone(&self.group),
            member: Name::clone(&self.id),
            epoch: self.epoch,
            instance: self.instance.clone(),
            client_id: Name::clone(&self.client_id),
            rack: self.rack.clone().filter(|_| is_joining),
            rebalance_timeout: interval.then_some(self.poll_interval),
            topics: tells_topics.then(|| topics.clone()),
            pattern: tells_pattern.then(|| pattern.clone().unwrap_or_else(|| Name::from(""))),
            assignor: self.assignor.clone().filter(|_| tells_assignor),
            owned: tells_current.then(|| self.current.partitions.iter().cloned().collect()),
            sender: Target::Admin,
        }
    }

    /// The heartbeat that was made is on its way; whether its answer is waited for.
    pub fn heartbeat_sent(&mut self, request: u64) -> bool {
        let is_waited_for = std::mem::take(&mut self.timing.is_made);
        if is_waited_for {
            self.timing.in_flight = Some(request);
        }
        is_waited_for
    }

    /// An answer came.
    pub fn answered(&mut self, request: u64, result: &Result<MemberHeartbeat, KafkaError>, now: Time) {
        if self.timing.in_flight != Some(request) {
            return;
        }
        match result {
            Ok(answer) => {
                self.timing.succeeded(now, answer.interval);
                self.accepted(answer);
            }
            Err(error) => self.refused(error, now),
        }
    }

    fn accepted(&mut self, answer: &MemberHeartbeat) {
        match self.state {
            ClientMemberState::Leaving => {}
            ClientMemberState::Unsubscribed => {
                self.end_leave();
            }
            _ if self.is_outside() || answer.epoch < 0 => {}
            _ => {
                self.set_epoch(answer.epoch);
                if let Some(assignment) = &answer.assignment {
                    self.take_target(assignment);
                }
            }
        }
    }

    fn refused(&mut self, error: &KafkaError, now: Time) {
        self.sent = Sent::default();
        self.timing.failed(now);
        // The answer to a leave ends it, whatever it is.
        if self.state == ClientMemberState::Unsubscribed {
            self.end_leave();
            return;
        }
        match error.error.as_str() {
            "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE" => {
                self.timing.reset();
                self.steps.push(Step::LoseCoordinator);
            }
            "COORDINATOR_LOAD_IN_PROGRESS" => {}
            "FENCED_MEMBER_EPOCH" | "UNKNOWN_MEMBER_ID" => {
                self.timing.reset();
                self.fence();
            }
            "INVALID_REGULAR_EXPRESSION" => {
                let text = "Invalid RE2J SubscriptionPattern provided in the call to subscribe.";
                let message = format!("{text} {}", error.message);
                self.fail(KafkaError { message, ..error.clone() });
            }
            _ => self.fail(error.clone()),
        }
    }

    /// The connection to the coordinator broke, or it did not answer in time.
    pub fn lost_request(&mut self, request: u64, now: Time) {
        if self.timing.in_flight != Some(request) {
            return;
        }
        self.timing.failed(now);
        self.sent = Sent::default();
        self.steps.push(Step::LoseCoordinator);
        if self.state == ClientMemberState::Unsubscribed {
            self.end_leave();
        }
    }
}
