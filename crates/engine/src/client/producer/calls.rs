//! The application's thread in front of a producer: one call at a time, later ones wait in order.
//!
//! Follows how an application uses KafkaProducer with one thread. What each call does is in the files of
//! the calls; this only knows which one is being made and what it waits for.

use std::collections::VecDeque;

use super::{Outgoing, Producer};
use crate::error::KafkaError;
use crate::event::{EventKind, Name, TopicPartition};
use crate::outbox::Outbox;
use crate::snapshot::{CallSnapshot, ClientProcess};
use crate::time::{Duration, Time};
use crate::transaction::{Call, TransactionEvent, WaitReason};

/// A call with its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Calling {
    Send(Outgoing),
    PartitionsFor(Name),
    Flush,
    /// With the timeout that it is given.
    Close(Option<Duration>),
    InitTransactions,
    BeginTransaction,
    SendOffsets(OffsetsToSend),
    CommitTransaction,
    AbortTransaction,
}

/// The arguments of `sendOffsetsToTransaction`.
#[derive(Clone, Debug)]
pub(crate) struct OffsetsToSend {
    pub group: Name,
    pub offsets: Vec<(TopicPartition, u64)>,
    /// Generation and member, if the application gives its group metadata.
    pub member: Option<(i32, Name)>,
}

impl Calling {
    pub fn call(&self) -> Call {
        match self {
            Calling::Send(_) => Call::Send,
            Calling::PartitionsFor(_) => Call::PartitionsFor,
            Calling::Flush => Call::Flush,
            Calling::Close(_) => Call::Close,
            Calling::InitTransactions => Call::InitTransactions,
            Calling::BeginTransaction => Call::BeginTransaction,
            Calling::SendOffsets(_) => Call::SendOffsetsToTransaction,
            Calling::CommitTransaction => Call::CommitTransaction,
            Calling::AbortTransaction => Call::AbortTransaction,
        }
    }
}

/// What a call waits for, and when it gives up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wait {
    pub reason: WaitReason,
    pub deadline: Option<Time>,
}

/// How far a call has come.
#[derive(Clone, Debug)]
pub(crate) enum Progress {
    /// The thread goes on. `send` returns like this as well when its Future has failed.
    Returned(Result<(), KafkaError>),
    Waits(Wait),
}

/// The call that is being made.
#[derive(Clone, Copy, Debug)]
struct Current {
    call: Call,
    command: Option<u64>,
    since: Time,
    /// Absent until it has to wait.
    wait: Option<Wait>,
}

/// The calls of one application thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    current: Option<Current>,
    queue: VecDeque<(Calling, Option<u64>)>,
    /// What the last call without a command threw: those that the application makes by itself.
    error: Option<KafkaError>,
}

impl Calls {
    /// Whether the thread stands in a call.
    pub fn is_busy(&self) -> bool {
        self.current.is_some() || !self.queue.is_empty()
    }

    /// The call that the thread stands in.
    pub fn current(&self) -> Option<Call> {
        self.current.map(|current| current.call)
    }

    /// What the application's own last call threw.
    pub fn take_error(&mut self) -> Option<KafkaError> {
        self.error.take()
    }

    /// When the present call gives up.
    pub fn deadline(&self) -> Option<Time> {
        self.current?.wait?.deadline
    }

    /// `send` calls that are not made yet.
    pub fn sends_ahead(&self) -> u64 {
        self.queue.iter().filter(|(calling, _)| matches!(calling, Calling::Send(_))).count() as u64
    }

    /// The call that waits.
    pub fn snapshot(&self) -> Vec<CallSnapshot> {
        let waiting = self.current.and_then(|current| Some((current, current.wait?)));
        let view = |(current, wait): (Current, Wait)| CallSnapshot {
            call: current.call,
            reason: wait.reason,
            since: current.since,
            deadline: wait.deadline,
        };
        waiting.map(view).into_iter().collect()
    }

    /// Rough size in bytes.
    pub fn own_bytes(&self) -> usize {
        self.queue.len() * 160
    }

    /// The call that has waited for longest while the process stood still.
    pub fn next(&mut self) -> Option<(Calling, Option<u64>)> {
        self.queue.pop_front()
    }

    /// Nobody makes the calls any more; the commands behind them.
    pub fn abandon(&mut self) -> Vec<u64> {
        let current = self.current.take().filter(|current| current.call != Call::Send);
        let current = current.and_then(|current| current.command);
        current.into_iter().chain(self.queue.drain(..).filter_map(|(_, command)| command)).collect()
    }
}

impl Producer {
    /// The application makes a call, as soon as the one before has returned.
    pub fn call(&mut self, calling: Calling, command: Option<u64>, outbox: &mut Outbox) {
        if self.call_librdkafka(&calling, command, None, outbox) {
            return;
        }
        self.is_called = command.is_some();
        let mut next = Some((calling, command));
        if self.calls.is_busy() || self.process != ClientProcess::Running {
            self.calls.queue.extend(next.take());
        }
        self.make_calls(next, outbox);
    }

    /// Whether a call is made at once.
    fn is_free(&self) -> bool {
        !self.calls.is_busy() && self.process == ClientProcess::Running
    }

    /// The application calls `send` by itself, without a command. Nearly always nothing stands before it, and it
    /// returns at once.
    pub fn call_send(&mut self, outgoing: Outgoing, outbox: &mut Outbox) {
        if self.librdkafka.is_some() || !self.is_free() {
            return self.call(Calling::Send(outgoing), None, outbox);
        }
        self.is_called = false;
        self.calls.current = Some(Current { call: Call::Send, command: None, since: outbox.now(), wait: None });
        self.send(outgoing, outbox);
        match self.send_goes_on() {
            Progress::Returned(result) => self.returned(result, outbox),
            Progress::Waits(wait) => self.waits(wait, outbox),
        }
        self.unblock_workload(outbox);
    }

    /// Makes the calls that the thread gets to; tells whether one has returned.
    pub(super) fn work_off_calls(&mut self, outbox: &mut Outbox) -> bool {
        self.make_calls(None, outbox)
    }

    /// The same, beginning with a call that nothing stands before.
    fn make_calls(&mut self, mut first: Option<(Calling, Option<u64>)>, outbox: &mut Outbox) -> bool {
        let mut has_returned = false;
        while self.process == ClientProcess::Running {
            let progress = match self.calls.current {
                Some(current) => self.go_on(current.call, outbox),
                None => {
                    let next = first.take().or_else(|| self.calls.queue.pop_front());
                    let Some((calling, command)) = next else { break };
                    let (call, since) = (calling.call(), outbox.now());
                    self.calls.current = Some(Current { call, command, since, wait: None });
                    self.begin(calling, outbox)
                }
            };
            match progress {
                Progress::Returned(result) => {
                    self.returned(result, outbox);
                    has_returned = true;
                }
                Progress::Waits(wait) => {
                    self.waits(wait, outbox);
                    break;
                }
            }
        }
        self.unblock_workload(outbox);
        has_returned
    }

    fn begin(&mut self, calling: Calling, outbox: &mut Outbox) -> Progress {
        match calling {
            Calling::Send(outgoing) => {
                self.send(outgoing, outbox);
                self.send_goes_on()
            }
            Calling::PartitionsFor(topic) => {
                self.metadata.want(&topic, outbox.now());
                self.asking = Some((topic, outbox.now() + self.plan.settings.block_max));
                self.partitions_for_goes_on(outbox.now())
            }
            Calling::Flush => self.flush_goes_on(),
            Calling::Close(timeout) => {
                self.close(timeout, outbox);
                self.close_goes_on(outbox)
            }
            transactional => self.begin_transactional(transactional, outbox),
        }
    }

    /// The present call, looked at again.
    fn go_on(&mut self, call: Call, outbox: &mut Outbox) -> Progress {
        match call {
            Call::Send => self.send_goes_on(),
            Call::PartitionsFor => self.partitions_for_goes_on(outbox.now()),
            Call::Flush => self.flush_goes_on(),
            Call::Close => self.close_goes_on(outbox),
            transactional => self.transactional_goes_on(transactional, outbox),
        }
    }

    fn waits(&mut self, wait: Wait, outbox: &mut Outbox) {
        let Some(current) = &mut self.calls.current else { return };
        let is_new = current.wait.is_none_or(|before| before.reason != wait.reason);
        current.wait = Some(wait);
        if is_new {
            let (call, Wait { reason, deadline }) = (current.call, wait);
            let producer = self.plan.name.clone();
            outbox.emit(EventKind::Transaction(TransactionEvent::CallBlocked { producer, call, reason, deadline }));
        }
    }

    fn returned(&mut self, result: Result<(), KafkaError>, outbox: &mut Outbox) {
        let Some(current) = self.calls.current.take() else { return };
        if current.call == Call::Flush {
            self.metrics.flushed(outbox.now().since(current.since));
        }
        if current.wait.is_some() {
            outbox.emit(EventKind::Transaction(TransactionEvent::CallReturned {
                producer: self.plan.name.clone(),
                call: current.call,
                waited: outbox.now().since(current.since),
                error: result.as_ref().err().cloned().map(Box::new),
            }));
        }
        if current.command.is_none()
            && let Err(error) = &result
        {
            self.calls.error = Some(error.clone());
        }
        // A command that sends ends with the Future of its record.
        if let Some(command) = current.command.filter(|_| current.call != Call::Send) {
            match result {
                Ok(()) => outbox.finish(command, Ok(None)),
                Err(error) => outbox.throw(command, error),
            }
        }
    }
}
