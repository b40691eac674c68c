//! Transactional calls: which may be made when, what they wait for, and how they end.
//!
//! Follows `rdkafka_txnmgr.c` of librdkafka 2.16.0. A call that gives up keeps its place: it has to be made again,
//! and any other call is refused. Deliberately not here: the requests themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Librdkafka;
use super::coordinator::Asked;
use super::errors;
use super::identity::IdState;
use super::message::Key;
use crate::error::{ErrorFlags, KafkaError};
use crate::event::{EventKind, Name, TopicPartition};
use crate::outbox::Outbox;
use crate::snapshot::ProducerState;
use crate::time::{Duration, Time};
use crate::transaction::{Call, ClientState, MarkerKind, TransactionEvent, WaitReason};

/// What the transaction is in the eyes of the client (`rd_kafka_txn_state_t`, the states that calls meet).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientPhase {
    Init,
    Ready,
    InTransaction,
    AbortableError,
    FatalError,
}

/// A call that has begun.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub call: Call,
    /// Absent when the client calls it itself, and after it gave up.
    pub command: Option<u64>,
    /// Whether somebody waits for it.
    pub is_awaited: bool,
    pub begun: Time,
    pub deadline: Option<Time>,
    pub step: Step,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Messages are on their way; linger does not count. Only an awaited call goes on from here.
    Flushing,
    /// EndTxn has to be sent, or is.
    Ending,
    /// A new epoch has to come.
    Renewing,
    /// Offsets: AddOffsetsToTxn, then TxnOffsetCommit.
    AddingOffsets,
    CommittingOffsets,
    /// It is over, and nobody has asked since.
    Done(Option<KafkaError>),
}

/// Offsets of a group on their way into the transaction.
#[derive(Clone, Debug)]
pub(super) struct Offsets {
    pub group: Name,
    pub member: Option<(i32, Name)>,
    pub offsets: Vec<(TopicPartition, u64)>,
    pub coordinator: Option<u32>,
}

/// The transactional part of a producer.
#[derive(Clone, Debug)]
pub(super) struct Transactions {
    pub id: Name,
    pub phase: ClientPhase,
    /// The first error of this transaction, or the fatal one.
    pub error: Option<KafkaError>,
    /// The abort has to bring a new epoch.
    pub needs_epoch: bool,
    pub running: Option<Running>,
    pub coordinator: Option<u32>,
    /// Requests on their way, by id.
    pub asked: BTreeMap<u64, Asked>,
    /// Nothing is asked again before.
    pub not_before: Time,
    /// Partitions that have to be added, those of the request on its way, and those that are in.
    pub pending: BTreeSet<Key>,
    pub adding: BTreeSet<Key>,
    pub added: BTreeSet<Key>,
    /// Whether the coordinator knows of anything to end.
    pub is_registered: bool,
    pub offsets: Option<Offsets>,
    /// Messages of this transaction that failed.
    pub failed: u64,
    /// What was told of the state last.
    told: ClientState,
}

impl Transactions {
    pub fn new(id: Name) -> Transactions {
        Transactions {
            id,
            phase: ClientPhase::Init,
            error: None,
            needs_epoch: false,
            running: None,
            coordinator: None,
            asked: BTreeMap::new(),
            not_before: Time::ZERO,
            pending: BTreeSet::new(),
            adding: BTreeSet::new(),
            added: BTreeSet::new(),
            is_registered: false,
            offsets: None,
            failed: 0,
            told: ClientState::Uninitialized,
        }
    }

    /// Whether a call waits until everything has left.
    pub fn is_flushing(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.is_awaited && running.step == Step::Flushing)
    }

    /// Whether a commit or an abort has begun.
    pub fn is_ending(&self) -> bool {
        let is_end = |call: Call| matches!(call, Call::CommitTransaction | Call::AbortTransaction);
        self.running.as_ref().is_some_and(|running| is_end(running.call))
    }

    /// What brokers owe, and when it is given up.
    pub fn owed(&self) -> impl Iterator<Item = (u32, Time)> + '_ {
        self.asked.values().map(|asked| (asked.broker, asked.deadline))
    }

    /// The state in the words of the Java client, for the picture.
    pub fn state(&self) -> ClientState {
        let call = self.running.as_ref().filter(|running| !matches!(running.step, Step::Done(_)));
        match (self.phase, call.map(|running| running.call)) {
            (ClientPhase::FatalError, _) => ClientState::FatalError,
            (_, Some(Call::InitTransactions)) => ClientState::Initializing,
            (_, Some(Call::CommitTransaction)) => ClientState::CommittingTransaction,
            (_, Some(Call::AbortTransaction)) => ClientState::AbortingTransaction,
            (ClientPhase::AbortableError, _) => ClientState::AbortableError,
            (ClientPhase::Init, _) => ClientState::Uninitialized,
            (ClientPhase::Ready, _) => ClientState::Ready,
            (ClientPhase::InTransaction, _) => ClientState::InTransaction,
        }
    }
}

/// Name of a call in librdkafka.
fn function(call: Call) -> &'static str {
    match call {
        Call::InitTransactions => "init_transactions",
        Call::BeginTransaction => "begin_transaction",
        Call::CommitTransaction => "commit_transaction",
        Call::AbortTransaction => "abort_transaction",
        Call::SendOffsetsToTransaction => "send_offsets_to_transaction",
        Call::Send => "produce",
        Call::Flush => "flush",
        Call::Close => "destroy",
        Call::PartitionsFor => "metadata",
    }
}

fn phase_name(phase: ClientPhase) -> &'static str {
    match phase {
        ClientPhase::Init => "Init",
        ClientPhase::Ready => "Ready",
        ClientPhase::InTransaction => "InTransaction",
        ClientPhase::AbortableError => "AbortableError",
        ClientPhase::FatalError => "FatalError",
    }
}

fn retriable(error: KafkaError) -> KafkaError {
    error.flagged(ErrorFlags { is_retriable: true, ..ErrorFlags::default() })
}

impl Librdkafka {
    /// The application makes a transactional call.
    pub(super) fn call(
        &mut self,
        call: Call,
        command: Option<u64>,
        timeout_ms: Option<u32>,
        offsets: Option<Offsets>,
        outbox: &mut Outbox,
    ) {
        let now = outbox.now();
        let deadline = timeout_ms.map(|millis| now + Duration::from_millis(u64::from(millis)));
        if command.is_some() && self.state != ProducerState::Ready {
            // A program that calls after `close()`: the abort that comes with the end is no call of its own.
            return self.end_command(command, Some(errors::plain("_STATE")), outbox);
        }
        match self.admit(call) {
            Err(error) => self.end_command(command, Some(error), outbox),
            Ok(is_resumed) => {
                let Some(txn) = &mut self.txn else { return };
                if let Some(running) = txn.running.as_mut().filter(|_| is_resumed) {
                    running.command = command;
                    running.is_awaited = true;
                    running.deadline = deadline;
                    running.begun = now;
                } else {
                    let step = match call {
                        Call::InitTransactions => Step::Renewing,
                        Call::SendOffsetsToTransaction => Step::AddingOffsets,
                        _ => Step::Flushing,
                    };
                    txn.offsets = offsets.or(txn.offsets.take());
                    txn.running = Some(Running { call, command, is_awaited: true, begun: now, deadline, step });
                    self.begin(call, outbox);
                }
            }
        }
        self.wake_soon(outbox);
    }

    /// Whether the call may be made now (`rd_kafka_txn_curr_api_begin`); true if it goes on with one that gave up.
    fn admit(&self, call: Call) -> Result<bool, KafkaError> {
        let Some(txn) = &self.txn else {
            let text = "The Transactional API requires transactional.id to be configured";
            return Err(errors::worded("_NOT_CONFIGURED", text));
        };
        if let Some(error) = &self.fatal {
            return Err(error.clone());
        }
        if let Some(running) = &txn.running {
            if running.call == call && !running.is_awaited {
                return Ok(true);
            }
            let text = format!("Conflicting {} API call is already in progress", function(running.call));
            return Err(retriable(errors::worded("_CONFLICT", text)));
        }
        let is_allowed = match call {
            Call::InitTransactions => txn.phase == ClientPhase::Init,
            Call::BeginTransaction => txn.phase == ClientPhase::Ready,
            Call::AbortTransaction => matches!(txn.phase, ClientPhase::InTransaction | ClientPhase::AbortableError),
            _ => txn.phase == ClientPhase::InTransaction,
        };
        match &txn.error {
            _ if is_allowed => Ok(false),
            Some(error) if txn.phase == ClientPhase::AbortableError => Err(error.clone()),
            _ => {
                let text = format!("Operation not valid in state {}", phase_name(txn.phase));
                Err(errors::worded("_STATE", text))
            }
        }
    }

    fn begin(&mut self, call: Call, outbox: &mut Outbox) {
        let Some(txn) = &mut self.txn else { return };
        match call {
            Call::InitTransactions => {
                if let Some(own) = &mut self.identity {
                    own.state = IdState::AskAt(outbox.now());
                }
            }
            Call::BeginTransaction => {
                txn.phase = ClientPhase::InTransaction;
                txn.failed = 0;
                txn.error = None;
                self.end_call(None, outbox);
            }
            Call::AbortTransaction => {
                txn.pending.clear();
                self.purge(true, false, outbox);
            }
            _ => {}
        }
        let waits =
            self.txn.as_ref().and_then(|txn| txn.running.as_ref()).map(|running| (running.call, running.deadline));
        if let Some((call, deadline)) = waits {
            let reason = match call {
                Call::InitTransactions | Call::SendOffsetsToTransaction => WaitReason::Coordinator,
                _ => WaitReason::Batches,
            };
            let producer = Rc::clone(&self.plan.name);
            outbox.emit(EventKind::Transaction(TransactionEvent::CallBlocked { producer, call, reason, deadline }));
        }
    }

    /// Moves the call that is running on, as far as it can go now.
    pub(super) fn move_on(&mut self, outbox: &mut Outbox) {
        for _ in 0..4 {
            let Some(running) = self.txn.as_ref().and_then(|txn| txn.running.clone()) else { break };
            if let Some(error) = self.fatal.clone().filter(|_| !matches!(running.step, Step::Done(_))) {
                self.end_call(Some(error), outbox);
                break;
            }
            let next = match running.step {
                Step::Done(error) if running.is_awaited => {
                    self.end_call(error, outbox);
                    break;
                }
                Step::Flushing if running.is_awaited && self.queued_records == 0 => self.flushed(running.call, outbox),
                Step::Renewing if self.identity.as_ref().is_some_and(|own| own.usable().is_some()) => {
                    self.end_call(None, outbox);
                    break;
                }
                _ => false,
            };
            if !next {
                break;
            }
        }
        self.give_up_call(outbox);
        self.tell_state(outbox);
    }

    /// Everything has its report: the transaction can end.
    fn flushed(&mut self, call: Call, outbox: &mut Outbox) -> bool {
        if call == Call::CommitTransaction {
            let failed = self.txn.as_ref().filter(|txn| txn.phase == ClientPhase::InTransaction).map(|txn| txn.failed);
            if let Some(failed) = failed.filter(|failed| *failed > 0) {
                let text = format!("{failed} message(s) failed delivery (see individual delivery reports)");
                self.raise_abortable(errors::worded("_INCONSISTENT", text), false);
            }
            let txn = self.txn.as_ref();
            if let Some(error) =
                txn.filter(|txn| txn.phase == ClientPhase::AbortableError).and_then(|txn| txn.error.clone())
            {
                self.end_call(Some(error), outbox);
                return false;
            }
        }
        // What has not been added yet is not part of the transaction any more.
        let Some(txn) = &mut self.txn else { return false };
        if !txn.adding.is_empty() || !txn.pending.is_empty() && call == Call::CommitTransaction {
            return false;
        }
        if txn.is_registered {
            self.set_step(Step::Ending);
            return false;
        }
        self.ended(outbox);
        true
    }

    /// The coordinator has the decision, or there was nothing to decide.
    pub(super) fn ended(&mut self, outbox: &mut Outbox) {
        let needs_epoch = self.txn.as_ref().is_some_and(|txn| txn.needs_epoch);
        if needs_epoch && let Some(own) = &mut self.identity {
            own.state = IdState::AskAt(outbox.now());
            self.set_step(Step::Renewing);
            return;
        }
        self.end_call(None, outbox);
    }

    pub(super) fn set_step(&mut self, step: Step) {
        if let Some(running) = self.txn.as_mut().and_then(|txn| txn.running.as_mut()) {
            running.step = step;
        }
    }

    /// Which end the running call asks the coordinator for.
    pub(super) fn wanted_end(&self) -> Option<MarkerKind> {
        let running = self.txn.as_ref()?.running.as_ref()?;
        match (running.call, &running.step) {
            (Call::CommitTransaction, Step::Ending) => Some(MarkerKind::Commit),
            (Call::AbortTransaction, Step::Ending) => Some(MarkerKind::Abort),
            _ => None,
        }
    }

    /// The running call is over. If nobody waits for it any more, its result is kept until it is called again.
    pub(super) fn end_call(&mut self, error: Option<KafkaError>, outbox: &mut Outbox) {
        let Some(txn) = &mut self.txn else { return };
        let Some(running) = txn.running.take() else { return };
        if error.is_none() {
            match running.call {
                Call::InitTransactions | Call::CommitTransaction | Call::AbortTransaction => {
                    txn.phase = ClientPhase::Ready;
                    txn.error = None;
                    txn.needs_epoch = false;
                    txn.pending.clear();
                    txn.adding.clear();
                    txn.added.clear();
                    txn.is_registered = false;
                }
                _ => {}
            }
        }
        if !running.is_awaited {
            txn.running = Some(Running { step: Step::Done(error), ..running });
            return;
        }
        if running.call != Call::BeginTransaction {
            outbox.emit(EventKind::Transaction(TransactionEvent::CallReturned {
                producer: Rc::clone(&self.plan.name),
                call: running.call,
                waited: outbox.now().since(running.begun),
                error: error.clone().map(Box::new),
            }));
        }
        self.end_command(running.command, error, outbox);
    }

    fn end_command(&mut self, command: Option<u64>, error: Option<KafkaError>, outbox: &mut Outbox) {
        let Some(command) = command else { return };
        match error {
            None => outbox.finish(command, Ok(None)),
            Some(error) => outbox.throw(command, error),
        }
    }

    /// The `timeout` of the running call has passed.
    fn give_up_call(&mut self, outbox: &mut Outbox) {
        let remaining = self.queued_records;
        let Some(txn) = &mut self.txn else { return };
        let Some(running) = txn.running.as_mut().filter(|running| running.is_awaited) else { return };
        if running.deadline.is_none_or(|at| at > outbox.now()) {
            return;
        }
        let text = match (&running.step, running.call) {
            (Step::Flushing, call) => {
                let polling = match call {
                    Call::AbortTransaction => {
                        ": the event queue must be polled for delivery report events in a separate thread or prior to \
                         calling abort"
                    }
                    _ => "",
                };
                format!(
                    "Failed to flush all outstanding messages within the API timeout: {remaining} message(s) \
                     remaining{polling}"
                )
            }
            _ => "Timed out waiting for operation to finish, retry call to resume".to_string(),
        };
        running.is_awaited = false;
        let command = running.command.take();
        self.end_command(command, Some(retriable(errors::worded("_TIMED_OUT", text))), outbox);
    }

    /// The transaction cannot be committed any more. The first reason stays; what is queued is given up.
    pub(super) fn raise_abortable(&mut self, error: KafkaError, needs_epoch: bool) {
        let Some(txn) = &mut self.txn else { return };
        txn.needs_epoch |= needs_epoch;
        if txn.phase != ClientPhase::InTransaction {
            return;
        }
        txn.phase = ClientPhase::AbortableError;
        txn.error = Some(error.flagged(ErrorFlags { requires_abort: true, ..ErrorFlags::default() }));
        self.purge_wanted = true;
    }

    /// A message has its partition, which becomes part of the transaction.
    pub(super) fn enter_transaction(&mut self, key: &Key) {
        let Some(txn) = &mut self.txn else { return };
        if !txn.added.contains(key) && !txn.adding.contains(key) {
            txn.pending.insert(key.clone());
        }
    }

    /// `rd_kafka_txn_toppar_may_send_msg`.
    pub(super) fn may_send_in_transaction(&self, key: &Key) -> bool {
        self.txn.as_ref().is_none_or(|txn| txn.added.contains(key))
    }

    /// `close()` ends an open transaction.
    pub(super) fn abort_for_close(&mut self, outbox: &mut Outbox) {
        let Some(txn) = &self.txn else { return };
        let is_open = matches!(txn.phase, ClientPhase::InTransaction | ClientPhase::AbortableError);
        if self.state == ProducerState::Closing && is_open && self.fatal.is_none() {
            match &txn.running {
                None => self.call(Call::AbortTransaction, None, None, None, outbox),
                Some(running) if !running.is_awaited => {
                    let call = running.call;
                    self.call(call, None, None, None, outbox);
                }
                Some(_) => {}
            }
        }
    }

    fn tell_state(&mut self, outbox: &mut Outbox) {
        let Some(txn) = &mut self.txn else { return };
        let state = txn.state();
        if state == txn.told {
            return;
        }
        let before = std::mem::replace(&mut txn.told, state);
        let error = txn.error.clone().map(Box::new);
        let producer = Rc::clone(&self.plan.name);
        outbox.emit(EventKind::Transaction(TransactionEvent::ClientStateChanged { producer, before, state, error }));
    }
}
