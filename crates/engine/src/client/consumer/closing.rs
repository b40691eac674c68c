//! `unsubscribe` and `close`: the last commit, the last callbacks, and the way out of the group.
//!
//! Follows `ConsumerCoordinator.close` and `AbstractCoordinator.close` of Kafka 4.3.1.

use super::thread::Frame;
use crate::client::consumer_call::Membership as Operation;
use crate::client::reader::Reader;
use crate::group::{CommitKind, GroupEvent};
use crate::outbox::Outbox;
use crate::time::{Duration, Time};

/// `ConsumerUtils.DEFAULT_CLOSE_TIMEOUT_MS`.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(30);

/// A consumer that leaves its group.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    is_close: bool,
    operation: Operation,
    command: Option<u64>,
    deadline: Time,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The positions are committed, if that is done automatically.
    Commit,
    /// `commitAsync` calls are waited for.
    Async,
    /// Callbacks give everything up.
    Callbacks,
    /// They have returned: it leaves.
    Leave,
    /// The answer of the coordinator is waited for.
    Wait,
}

impl Leaving {
    /// When it goes on by itself.
    pub fn due(&self) -> Option<Time> {
        Some(self.deadline)
    }
}

impl Reader {
    /// Whether `close` runs.
    pub(super) fn is_closing(&self) -> bool {
        let is_close = |frame: &Frame| matches!(frame, Frame::Leave(leaving) if leaving.is_close);
        self.inner().thread.frames.iter().any(is_close)
    }

    /// `unsubscribe`.
    pub(super) fn unsubscribe(&mut self, command: u64, outbox: &mut Outbox) {
        self.inner_mut().buffer.clear();
        let deadline = outbox.now() + self.plan.settings.member.api_timeout;
        let (is_close, operation, command) = (false, Operation::Default, Some(command));
        let leaving = Leaving { is_close, operation, command, deadline, stage: Stage::Callbacks };
        self.inner_mut().thread.frames.push(Frame::Leave(leaving));
    }

    /// `close`.
    pub(super) fn close(&mut self, operation: Operation, command: Option<u64>, outbox: &mut Outbox) {
        let deadline = outbox.now() + CLOSE_TIMEOUT;
        self.stop_membership_thread();
        self.forget_callbacks();
        let leaving = Leaving { is_close: true, operation, command, deadline, stage: Stage::Commit };
        self.inner_mut().thread.frames.push(Frame::Leave(leaving));
    }

    /// Whether it got on.
    pub(super) fn step_leaving(&mut self, mut leaving: Leaving, outbox: &mut Outbox) -> bool {
        let is_late = leaving.deadline <= outbox.now();
        let next = match leaving.stage {
            Stage::Commit => Stage::Async,
            Stage::Async if self.inner().commits.has_async() && !is_late => Stage::Async,
            Stage::Async => Stage::Callbacks,
            Stage::Callbacks => Stage::Leave,
            Stage::Leave => Stage::Wait,
            Stage::Wait if !self.has_left(leaving.is_close) && !is_late => Stage::Wait,
            Stage::Wait => return self.finish_leaving(&leaving, outbox),
        };
        let (stage, is_new) = (leaving.stage, next != leaving.stage);
        leaving.stage = next;
        let (deadline, is_close, operation) = (leaving.deadline, leaving.is_close, leaving.operation);
        self.inner_mut().thread.frames.push(Frame::Leave(leaving));
        match stage {
            // librdkafka commits what is revoked.
            Stage::Commit if self.plan.settings.member.auto_commit.is_some() && !self.is_librdkafka() => {
                let offsets = self.consumed();
                if !offsets.is_empty() {
                    self.commit_sync_until(offsets, CommitKind::Auto, None, deadline);
                }
            }
            Stage::Async => {
                self.coordinator_for_commits(outbox);
                self.return_commits(outbox);
            }
            Stage::Callbacks => self.prepare_leave(is_close, outbox),
            Stage::Leave => self.leave(operation, is_close, outbox),
            _ => {}
        }
        is_new
    }

    /// Commits that wait for a coordinator look for it.
    fn coordinator_for_commits(&mut self, outbox: &mut Outbox) {
        if self.inner().commits.has_async() && self.inner().coordinator.broker.is_none() {
            self.coordinator(outbox);
        }
    }

    fn finish_leaving(&mut self, leaving: &Leaving, outbox: &mut Outbox) -> bool {
        self.return_commits(outbox);
        self.own(&[], outbox);
        self.plan.assign.clear();
        let consumer = self.inner_mut();
        consumer.subscription = None;
        consumer.is_manual = false;
        consumer.topics.clear();
        consumer.thread.is_idle = true;
        if leaving.is_close {
            self.end(outbox);
        }
        if let Some(command) = leaving.command {
            outbox.finish(command, Ok(None));
        }
        true
    }

    /// The consumer is closed: nothing of it is left but what it told.
    fn end(&mut self, outbox: &mut Outbox) {
        self.fetching.clear();
        self.listing.clear();
        let consumer = self.inner_mut();
        consumer.thread.is_closed = true;
        consumer.inbox.clear();
        let waiting = std::mem::take(&mut consumer.thread.calls);
        self.tell_state(outbox);
        self.tell(GroupEvent::ConsumerClosed { consumer: self.name() }, outbox);
        for (_, command) in waiting {
            outbox.throw(command, closed());
        }
    }
}

/// What every call of a closed consumer throws.
pub(super) fn closed() -> crate::error::KafkaError {
    crate::error::KafkaError::new("", "IllegalStateException", "This consumer has already been closed.")
}
