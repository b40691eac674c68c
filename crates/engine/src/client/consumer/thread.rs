//! The user thread: what the application does, and what it waits for.
//!
//! Calls lie one inside the other: a commit in a callback in `poll`. The innermost runs; the others go on when it
//! has returned. An application is in `poll` whenever it has nothing else to do, so a call can be made at once.

use std::collections::VecDeque;

use super::closing::Leaving;
use super::commits::SyncCommit;
use crate::client::consumer_call::ConsumerCall;
use crate::client::reader::Reader;
use crate::error::KafkaError;
use crate::event::TopicPartition;
use crate::group::{Callback, CommitKind, GroupEvent};
use crate::outbox::Outbox;
use crate::scenario::ConsumerPlan;
use crate::time::{Duration, Time};

/// An application that goes on after an exception out of `poll` waits that long before it polls again.
const REST: Duration = Duration::from_millis(200);

/// The user thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    /// Calls inside `poll` or of the application; the last one runs.
    pub frames: Vec<Frame>,
    /// Calls that wait until the thread is free, each with its command.
    pub calls: VecDeque<(ConsumerCall, u64)>,
    /// Callbacks that have to run before anything else of the call at hand.
    pub callbacks: VecDeque<(Callback, Vec<TopicPartition>)>,
    /// `poll` was interrupted by callbacks and goes on after them.
    pub is_polling: bool,
    /// What the application works on.
    pub work: Option<Work>,
    /// It waits after an exception.
    rests_until: Time,
    /// It has unsubscribed, and does not poll.
    pub is_idle: bool,
    /// Callbacks that will take that long.
    pub slow: Vec<(Callback, Duration)>,
    /// Time that it works on a record.
    pub processing: Duration,
    /// Exceptions that it gets over.
    errors_left: u32,
    /// When `poll` was called last.
    pub polled: Time,
    /// The process stood still since then.
    pub was_frozen: bool,
    pub is_closed: bool,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) enum Frame {
    Callback(Running),
    Commit(SyncCommit),
    /// `unsubscribe` or `close`.
    Leave(Leaving),
}

/// A callback that runs.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub callback: Callback,
    pub partitions: Vec<TopicPartition>,
    /// It returns then; absent while it commits.
    until: Option<Time>,
}

/// Records that the application works on.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    started: Time,
    pub until: Time,
    /// Partition, first offset and end, in the order of the work, with the number of records.
    parts: Vec<(TopicPartition, u64, u64, u64)>,
}

impl Thread {
    pub fn new(plan: &ConsumerPlan) -> Thread {
        Thread { processing: plan.processing, errors_left: plan.keep_on_error, ..Thread::default() }
    }

    /// When it goes on by itself.
    pub fn due(&self, now: Time) -> Option<Time> {
        let frame = self.frames.last().and_then(|frame| match frame {
            Frame::Callback(running) => running.until,
            Frame::Commit(commit) => Some(commit.due()),
            Frame::Leave(leaving) => leaving.due(),
        });
        let work = self.work.as_ref().map(|work| work.until);
        [frame, work, Some(self.rests_until)].into_iter().flatten().filter(|at| *at > now).min()
    }
}

impl Reader {
    /// Whether the application is in `poll`, and not in a callback.
    pub(super) fn is_in_poll(&self, now: Time) -> bool {
        let thread = &self.inner().thread;
        let is_busy = thread.work.is_some() || thread.rests_until > now || thread.is_idle || self.is_paused;
        thread.frames.is_empty() && (thread.is_polling || !is_busy)
    }

    /// Whether some thread looks at the network, so that answers are taken.
    pub(super) fn is_network_polled(&self, now: Time) -> bool {
        let waits = matches!(self.inner().thread.frames.last(), Some(Frame::Commit(_) | Frame::Leave(_)));
        waits || self.is_in_poll(now) || self.membership_polls_network()
    }

    /// The application leaves `poll` for something else.
    pub(crate) fn leave_poll(&mut self, now: Time) {
        if self.is_in_poll(now) {
            self.inner_mut().thread.polled = now;
        }
    }

    /// Runs the thread until it waits for something.
    pub(super) fn advance(&mut self, outbox: &mut Outbox) {
        while !self.inner().thread.is_closed {
            if self.is_network_polled(outbox.now()) {
                self.take_inbox(outbox);
            }
            let goes = self.step(outbox);
            let thread = &self.inner().thread;
            let is_called_back = matches!(thread.frames.last(), Some(Frame::Callback(_) | Frame::Commit(_)));
            if !is_called_back && thread.callbacks.is_empty() {
                self.tell_assignment(outbox);
            }
            if !goes {
                return;
            }
        }
    }

    /// Whether it got on.
    fn step(&mut self, outbox: &mut Outbox) -> bool {
        // Callbacks run in `poll`, `unsubscribe` and `close`, one after the other.
        let is_leaving = matches!(self.inner().thread.frames.last(), Some(Frame::Leave(_)));
        let thread = &mut self.inner_mut().thread;
        let may_call = is_leaving || (thread.is_polling && thread.frames.is_empty());
        if may_call && let Some((callback, partitions)) = thread.callbacks.pop_front() {
            self.start_callback(callback, partitions, outbox);
            return true;
        }
        match self.inner_mut().thread.frames.pop() {
            Some(Frame::Callback(running)) => self.step_callback(running, outbox),
            Some(Frame::Commit(commit)) => self.step_commit(commit, outbox),
            Some(Frame::Leave(leaving)) => self.step_leaving(leaving, outbox),
            None => self.step_application(outbox),
        }
    }

    /// Asks for a callback; `called_back` tells when it has returned.
    pub(super) fn call_back(&mut self, callback: Callback, partitions: Vec<TopicPartition>) {
        self.inner_mut().thread.callbacks.push_back((callback, partitions));
    }

    /// Whether callbacks are to run first.
    pub(super) fn has_callbacks(&self) -> bool {
        !self.inner().thread.callbacks.is_empty()
    }

    fn start_callback(&mut self, asked: Callback, partitions: Vec<TopicPartition>, outbox: &mut Outbox) {
        let is_missing = asked == Callback::Lost && self.plan.listener.has_no_lost;
        let callback = if is_missing { Callback::Revoked } else { asked };
        self.leave_poll(outbox.now());
        self.calls_back(outbox);
        self.tell(
            GroupEvent::CallbackStarted {
                consumer: self.name(),
                callback,
                partitions: partitions.clone(),
                generation: self.told_generation(),
                owned: self.owned(),
                is_librdkafka: self.is_librdkafka(),
            },
            outbox,
        );
        let listener = &self.plan.listener;
        let commit = match callback {
            Callback::Revoked if listener.commit_in_revoked => Some(CommitKind::InRevoked),
            Callback::Lost if listener.commit_in_lost => Some(CommitKind::InLost),
            _ => None,
        };
        let frames = &mut self.inner_mut().thread.frames;
        frames.push(Frame::Callback(Running { callback, partitions, until: None }));
        if let Some(how) = commit {
            let offsets = self.committed_in_callback();
            self.commit_sync(offsets, how, None, outbox);
        }
    }

    fn step_callback(&mut self, mut running: Running, outbox: &mut Outbox) -> bool {
        let now = outbox.now();
        let until = running.until.unwrap_or_else(|| now + self.callback_time(&running));
        if until > now {
            let is_new = running.until.is_none();
            running.until = Some(until);
            self.inner_mut().thread.frames.push(Frame::Callback(running));
            return is_new;
        }
        self.follow_callback(&running, outbox);
        let (consumer, callback, is_librdkafka) = (self.name(), running.callback, self.is_librdkafka());
        self.tell(GroupEvent::CallbackReturned { consumer, callback, is_librdkafka }, outbox);
        self.called_back(running.callback, &running.partitions, outbox);
        true
    }

    /// How long a callback takes besides its commit.
    fn callback_time(&mut self, running: &Running) -> Duration {
        let reload = match (running.callback, self.plan.listener.reload) {
            (Callback::Assigned, Some(reload)) => Duration(reload.0 * running.partitions.len() as u64),
            _ => Duration::ZERO,
        };
        let slow = &mut self.inner_mut().thread.slow;
        let found = slow.iter().position(|(callback, _)| *callback == running.callback);
        let slow = match found {
            Some(index) if !running.partitions.is_empty() => slow.remove(index).1,
            _ => Duration::ZERO,
        };
        Duration(reload.0 + slow.0)
    }

    fn step_application(&mut self, outbox: &mut Outbox) -> bool {
        let now = outbox.now();
        if !self.inner().thread.is_polling {
            if self.inner().thread.work.as_ref().is_some_and(|work| work.until > now) {
                return false;
            }
            self.finish_work(now, outbox);
            if let Some((call, command)) = self.inner_mut().thread.calls.pop_front() {
                self.leave_poll(now);
                self.begin(call, command, outbox);
                return true;
            }
            if !self.is_in_poll(now) {
                return false;
            }
        }
        let thread = &mut self.inner_mut().thread;
        thread.is_polling = true;
        thread.was_frozen = false;
        let polled = self.poll_once(outbox);
        if self.has_callbacks() && polled.is_ok() {
            return true;
        }
        let thread = &mut self.inner_mut().thread;
        thread.is_polling = false;
        match polled {
            Ok(parts) if parts.is_empty() => !thread.calls.is_empty(),
            Ok(parts) => {
                thread.polled = now;
                self.start_work(parts, outbox);
                true
            }
            Err(error) => {
                thread.polled = now;
                self.poll_failed(error, outbox);
                true
            }
        }
    }

    /// `poll` threw: the application polls again after a while, or closes the consumer.
    fn poll_failed(&mut self, error: KafkaError, outbox: &mut Outbox) {
        self.tell(GroupEvent::PollFailed { consumer: self.name(), error: error.clone().into() }, outbox);
        if self.is_librdkafka() {
            // An error is returned like a message; the application goes on.
            return;
        }
        let thread = &mut self.inner_mut().thread;
        if thread.errors_left > 0 {
            thread.errors_left -= 1;
            thread.rests_until = outbox.now() + REST;
        } else {
            self.error = Some(error);
            self.close(Default::default(), None, outbox);
        }
    }

    /// The application works on what it got; without working time that takes none.
    fn start_work(&mut self, parts: Vec<(TopicPartition, u64, u64, u64)>, outbox: &mut Outbox) {
        let now = outbox.now();
        let count: u64 = parts.iter().map(|(.., count)| count).sum();
        let thread = &mut self.inner_mut().thread;
        let until = now + Duration(thread.processing.0.saturating_mul(count));
        thread.work = Some(Work { started: now, until, parts });
    }

    /// What the application has worked on by now counts as processed by the group.
    pub(super) fn finish_work(&mut self, now: Time, outbox: &mut Outbox) {
        let Some(work) = self.inner_mut().thread.work.take() else { return };
        let Some(group) = self.plan.settings.member.group.clone() else { return };
        let each = self.inner().thread.processing.0;
        let mut done = if work.until <= now { u64::MAX } else { now.since(work.started).0 / each.max(1) };
        for (partition, first, end, count) in work.parts {
            let until = if done >= count { end } else { first + done };
            outbox.post.processed.mark(&group, &partition, first, until);
            done = done.saturating_sub(count);
        }
    }
}
