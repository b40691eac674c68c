//! A transactional producer: its state, what it has added to the transaction, and why it cannot go on.
//!
//! Follows `TransactionManager` of Kafka 4.3.1. Its requests are in `transactions/requests.rs`; sequences are
//! in `idempotence.rs`.

mod answers;
mod batches;
mod calling;
mod requests;
#[cfg(test)]
mod tests;
pub(crate) mod workload;

use std::collections::BTreeSet;

use super::accumulator::Key;
use super::failures;
use crate::error::KafkaError;
use crate::event::{EventKind, Name, RecordId};
use crate::message::ProducerIdentity;
use crate::outbox::Outbox;
use crate::time::{Duration, Time};
use crate::transaction::{ClientState, TransactionEvent};

use requests::Requests;

/// Errors that end a producer whatever it was doing (`maybeTransitionToErrorState`).
const ALWAYS_FATAL: [&str; 5] = [
    "ClusterAuthorizationException",
    "TransactionalIdAuthorizationException",
    "ProducerFencedException",
    "UnsupportedVersionException",
    "InvalidPidMappingException",
];

/// Who changes the state. A change that is not possible throws in the application's thread, and is the end of
/// the producer in its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    Application,
    Sender,
}

/// A result that a call of the application waits for (`TransactionalRequestResult`).
#[derive(Clone, Debug)]
struct Awaited {
    /// What the text of a timeout names.
    operation: &'static str,
    /// The method that was called, and the state that it led to.
    method: &'static str,
    state: ClientState,
    outcome: Option<Result<(), KafkaError>>,
    /// The application has seen it. Until then only the same call may be made again.
    is_acknowledged: bool,
}

impl Awaited {
    fn new(operation: &'static str, method: &'static str, state: ClientState) -> Awaited {
        Awaited { operation, method, state, outcome: None, is_acknowledged: false }
    }
}

/// How long calls that returned normally have taken, in all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallTimes {
    pub init: Duration,
    pub send_offsets: Duration,
    pub commit: Duration,
    pub abort: Duration,
}

/// The transaction manager of one producer.
#[derive(Clone, Debug)]
pub(crate) struct Transactions {
    pub id: Name,
    producer: Name,
    pub state: ClientState,
    pub error: Option<KafkaError>,
    /// Transaction version 2: leaders add partitions, and every end raises the epoch.
    pub is_v2: bool,
    /// Something was added, so that there is something to end.
    is_started: bool,
    /// The client asks for the next epoch after this transaction (`clientSideEpochBumpRequired`).
    needs_bump: bool,
    /// A coordinator was reached: from then on it is known to raise epochs when it is asked to.
    has_met_coordinator: bool,
    /// Partitions to add, and those that the coordinator is being told of. Those that take part are in
    /// `Idempotence`, which lets batches go.
    new_partitions: BTreeSet<Key>,
    pending_partitions: BTreeSet<Key>,
    requests: Requests,
    transition: Option<Awaited>,
    offsets: Option<Awaited>,
    /// When the present call gives up.
    deadline: Option<Time>,
    /// When a batch failed last.
    failed_at: Option<Time>,
    /// Records whose `send` was refused after they had gone into a batch.
    refused: BTreeSet<RecordId>,
    pub times: CallTimes,
}

impl CallTimes {
    /// The metrics by their real names, in thousandths of a nanosecond. What `beginTransaction` needs is no
    /// simulated time.
    pub fn metrics(&self) -> [(&'static str, i64); 5] {
        let picos = |time: Duration| i64::try_from(time.0).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        [
            ("txn-init-time-ns-total", picos(self.init)),
            ("txn-begin-time-ns-total", 0),
            ("txn-send-offsets-time-ns-total", picos(self.send_offsets)),
            ("txn-commit-time-ns-total", picos(self.commit)),
            ("txn-abort-time-ns-total", picos(self.abort)),
        ]
    }
}

impl Transactions {
    /// Before `initTransactions`.
    pub fn new(id: Name, producer: Name) -> Transactions {
        Transactions {
            id,
            producer,
            state: ClientState::Uninitialized,
            error: None,
            is_v2: false,
            is_started: false,
            needs_bump: false,
            has_met_coordinator: false,
            new_partitions: BTreeSet::new(),
            pending_partitions: BTreeSet::new(),
            requests: Requests::default(),
            transition: None,
            offsets: None,
            deadline: None,
            failed_at: None,
            refused: BTreeSet::new(),
            times: CallTimes::default(),
        }
    }

    fn has_error(&self) -> bool {
        matches!(self.state, ClientState::AbortableError | ClientState::FatalError)
    }

    /// Whether only `close` helps.
    pub fn is_fatal(&self) -> bool {
        self.state == ClientState::FatalError
    }

    /// Whether a commit or an abort is on its way.
    pub fn is_completing(&self) -> bool {
        matches!(self.state, ClientState::CommittingTransaction | ClientState::AbortingTransaction)
    }

    /// `hasOngoingTransaction`.
    pub fn is_open(&self) -> bool {
        self.state == ClientState::InTransaction || self.is_completing() || self.state == ClientState::AbortableError
    }

    /// `needToTriggerEpochBumpFromClient`.
    fn bumps_by_itself(&self) -> bool {
        self.has_met_coordinator && !self.is_v2
    }

    /// Goes to another state, or throws if there is no way to it.
    fn transition(
        &mut self,
        state: ClientState,
        error: Option<KafkaError>,
        thread: Thread,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        if !is_possible(self.state, state) {
            let text = format!(
                "TransactionalId {}: Invalid transition attempted from state {} to state {}",
                self.id,
                self.state.name(),
                state.name()
            );
            let error = illegal_state(text);
            if thread == Thread::Sender {
                self.enter(ClientState::FatalError, Some(error.clone()), outbox);
            }
            return Err(error);
        }
        self.enter(state, error, outbox);
        Ok(())
    }

    fn enter(&mut self, state: ClientState, error: Option<KafkaError>, outbox: &mut Outbox) {
        let before = std::mem::replace(&mut self.state, state);
        self.error = error.clone();
        if before != state {
            let (producer, error) = (self.producer.clone(), error.map(Box::new));
            let event = TransactionEvent::ClientStateChanged { producer, before, state, error };
            outbox.emit(EventKind::Transaction(event));
        }
    }

    /// `transitionToAbortableError`.
    fn abortable(&mut self, error: KafkaError, thread: Thread, outbox: &mut Outbox) -> Result<(), KafkaError> {
        if self.state == ClientState::AbortingTransaction {
            return Ok(());
        }
        self.transition(ClientState::AbortableError, Some(error), thread, outbox)
    }

    /// `transitionToFatalError`.
    fn fatal(&mut self, error: KafkaError, outbox: &mut Outbox) {
        self.enter(ClientState::FatalError, Some(error.clone()), outbox);
        if let Some(awaited) = &mut self.transition {
            awaited.outcome = Some(Err(error));
        }
    }

    /// `TransactionManager.close`: what was still to be asked for is given up.
    pub fn close_by_force(&mut self, outbox: &mut Outbox) {
        if self.requests.has_more() {
            self.fatal(kafka("The producer closed forcefully"), outbox);
        }
        self.requests.abandon();
        self.requests.sent = None;
    }

    /// `maybeTransitionToErrorState`: a record failed.
    fn record_failed(&mut self, error: &KafkaError, thread: Thread, outbox: &mut Outbox) -> Result<(), KafkaError> {
        if ALWAYS_FATAL.contains(&error.exception.as_str()) {
            self.fatal(error.clone(), outbox);
            return Ok(());
        }
        let is_exhausted = failures::is_retriable(error) || error.exception == "InvalidTxnStateException";
        let error = if is_exhausted {
            let text = "Transaction Request was aborted after exhausting retries.";
            KafkaError::new("TRANSACTION_ABORTABLE", "TransactionAbortableException", text).caused_by(error.clone())
        } else {
            error.clone()
        };
        if self.bumps_by_itself() && !self.is_completing() {
            self.needs_bump = true;
        }
        self.abortable(error, thread, outbox)
    }

    /// A batch of a partition got no answer, and it is too late to send it again.
    fn lost_track(&mut self, outbox: &mut Outbox) {
        let text = "The client hasn't received acknowledgment for some previously sent messages and can no longer \
                    retry them. ";
        if self.has_met_coordinator || self.is_v2 {
            self.needs_bump |= self.bumps_by_itself();
            let error = kafka(format!("{text}It is safe to abort the transaction and continue."));
            // The sender's own change of state: if there is no way to it, the producer has ended.
            self.abortable(error, Thread::Sender, outbox).ok();
        } else {
            self.fatal(kafka(format!("{text}It isn't safe to continue.")), outbox);
        }
    }

    /// `maybeFailWithError`: calls after an error throw it, or what stands for it.
    fn check_error(&self, identity: Option<ProducerIdentity>) -> Result<(), KafkaError> {
        let Some(error) = self.error.as_ref().filter(|_| self.has_error()) else { return Ok(()) };
        let identity = identity.map_or("(producerId=-1, epoch=-1)".to_string(), |identity| {
            format!("(producerId={}, epoch={})", identity.producer_id, identity.epoch)
        });
        let who = format!("Producer with transactionalId '{}' and {identity}", self.id);
        Err(match error.exception.as_str() {
            "ProducerFencedException" => {
                let text = format!("{who} has been fenced by another producer with the same transactionalId");
                KafkaError::new("PRODUCER_FENCED", "ProducerFencedException", text)
            }
            "InvalidProducerEpochException" => {
                let text = format!("{who} attempted to produce with an old epoch");
                KafkaError::new("INVALID_PRODUCER_EPOCH", "InvalidProducerEpochException", text)
            }
            "IllegalStateException" => {
                let text = "cannot execute transactional method because of previous invalid state transition attempt";
                illegal_state(format!("{who} {text}")).caused_by(error.clone())
            }
            _ => kafka("Cannot execute transactional method because we are in an error state").caused_by(error.clone()),
        })
    }

    /// `throwIfPendingState`: a call that timed out has to be made again before any other.
    fn check_pending(&mut self, method: &str) -> Result<(), KafkaError> {
        let Some(awaited) = &self.transition else { return Ok(()) };
        if awaited.is_acknowledged {
            self.transition = None;
            return Ok(());
        }
        Err(must_be_retried(method, awaited.method))
    }

    /// `completeTransaction`.
    fn complete(&mut self, outbox: &mut Outbox) {
        let state = if self.needs_bump { ClientState::Initializing } else { ClientState::Ready };
        if self.transition(state, None, Thread::Sender, outbox).is_err() {
            return;
        }
        self.needs_bump = false;
        self.is_started = false;
        self.new_partitions.clear();
        self.pending_partitions.clear();
    }
}

/// `State.isTransitionValid`.
fn is_possible(from: ClientState, to: ClientState) -> bool {
    use ClientState::*;
    match to {
        Uninitialized => matches!(from, Ready | AbortableError),
        Initializing => matches!(from, Uninitialized | CommittingTransaction | AbortingTransaction),
        Ready => matches!(from, Initializing | CommittingTransaction | AbortingTransaction),
        InTransaction => from == Ready,
        PreparedTransaction => matches!(from, InTransaction | Initializing),
        CommittingTransaction => matches!(from, InTransaction | PreparedTransaction),
        AbortingTransaction => matches!(from, InTransaction | PreparedTransaction | AbortableError),
        AbortableError => matches!(from, InTransaction | CommittingTransaction | AbortableError | Initializing),
        FatalError => true,
    }
}

fn illegal_state(text: impl Into<String>) -> KafkaError {
    KafkaError::new("", "IllegalStateException", text)
}

fn kafka(text: impl Into<String>) -> KafkaError {
    KafkaError::new("", "KafkaException", text)
}

fn must_be_retried(method: &str, before: &str) -> KafkaError {
    illegal_state(format!(
        "Cannot attempt operation `{method}` because the previous call to `{before}` timed out and must be retried"
    ))
}
