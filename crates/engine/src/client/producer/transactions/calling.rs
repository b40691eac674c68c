//! The transactional calls of an application: what each does at once, what it waits for, and what it throws.
//!
//! Follows the methods of `KafkaProducer` and `TransactionManager` of Kafka 4.3.1. Requests leave in
//! `requests.rs`.

use super::requests::{Ask, Request, Waiter};
use super::{Awaited, Thread, Transactions, illegal_state, must_be_retried};
use crate::client::producer::Producer;
use crate::client::producer::calls::{Calling, OffsetsToSend, Progress, Wait};
use crate::error::KafkaError;
use crate::message::ProducerIdentity;
use crate::outbox::Outbox;
use crate::snapshot::ProducerState;
use crate::time::{Duration, Time};
use crate::transaction::{Call, ClientState, MarkerKind, WaitReason};

/// `ProducerIdAndEpoch.NONE`, -1 and -1. After an `initTransactions` that failed as abortable an application may
/// abort, and then begin again, without an id: coordinators refuse what it asks for.
const NO_IDENTITY: ProducerIdentity = ProducerIdentity { producer_id: u64::MAX, epoch: u16::MAX };

impl Producer {
    /// Makes one of the transactional calls.
    pub(in crate::client::producer) fn begin_transactional(
        &mut self,
        calling: Calling,
        outbox: &mut Outbox,
    ) -> Progress {
        self.is_stirred = true;
        if let Err(error) = self.may_call() {
            return Progress::Returned(Err(error));
        }
        let call = calling.call();
        let result = match calling {
            Calling::InitTransactions => self.init_transactions(outbox),
            Calling::BeginTransaction => return Progress::Returned(self.begin_transaction(outbox)),
            Calling::SendOffsets(offsets) if offsets.offsets.is_empty() => return Progress::Returned(Ok(())),
            Calling::SendOffsets(offsets) => self.send_offsets(offsets),
            Calling::CommitTransaction => self.begin_end(MarkerKind::Commit, outbox),
            Calling::AbortTransaction => self.begin_end(MarkerKind::Abort, outbox),
            Calling::Send(_) | Calling::PartitionsFor(_) | Calling::Flush | Calling::Close(_) => {
                unreachable!("they need no transactional id")
            }
        };
        if let Err(error) = result {
            return Progress::Returned(Err(error));
        }
        let deadline = outbox.now() + self.plan.settings.block_max;
        if let Some(own) = &mut self.transactions {
            own.deadline = Some(deadline);
        }
        self.drive_transactions(outbox);
        self.transactional_goes_on(call, outbox)
    }

    /// Looks whether the call that is being made has its result.
    pub(in crate::client::producer) fn transactional_goes_on(&mut self, call: Call, outbox: &mut Outbox) -> Progress {
        let has_batches = self.has_incomplete_batches();
        let block_max = self.plan.settings.block_max;
        let Some(own) = &mut self.transactions else { return Progress::Returned(Ok(())) };
        let deadline = own.deadline;
        let awaited = if call == Call::SendOffsetsToTransaction { &mut own.offsets } else { &mut own.transition };
        let Some(awaited) = awaited else { return Progress::Returned(Ok(())) };
        if let Some(outcome) = awaited.outcome.clone() {
            awaited.is_acknowledged = true;
            if outcome.is_ok() {
                self.has_returned(call, outbox);
            }
            return Progress::Returned(outcome);
        }
        if deadline.is_some_and(|deadline| deadline <= outbox.now()) {
            return Progress::Returned(Err(timed_out(call, awaited.operation, block_max)));
        }
        let ends = matches!(call, Call::CommitTransaction | Call::AbortTransaction);
        let reason = if ends && has_batches { WaitReason::Batches } else { WaitReason::Coordinator };
        Progress::Waits(Wait { reason, deadline })
    }

    /// What happens in the application's thread once a call has its result.
    fn has_returned(&mut self, call: Call, outbox: &mut Outbox) {
        let block_max = self.plan.settings.block_max;
        let Some(own) = &mut self.transactions else { return };
        let began = own.deadline.map_or(outbox.now(), |deadline| Time(deadline.0.saturating_sub(block_max.0)));
        let took = outbox.now().since(began);
        let total = match call {
            Call::InitTransactions => {
                own.learn_version(outbox.post.transaction_version, true);
                &mut own.times.init
            }
            Call::SendOffsetsToTransaction => &mut own.times.send_offsets,
            Call::CommitTransaction => &mut own.times.commit,
            _ => &mut own.times.abort,
        };
        *total = Duration(total.0 + took.0);
    }

    /// `throwIfNoTransactionManager`, `throwIfProducerClosed`.
    fn may_call(&self) -> Result<(), KafkaError> {
        if self.idempotence.is_none() {
            let text = "Cannot use transactional methods without enabling transactions by setting the \
                        transactional.id configuration property";
            return Err(illegal_state(text));
        }
        if self.state != ProducerState::Ready {
            return Err(illegal_state("Cannot perform operation after producer has been closed"));
        }
        if self.transactions.is_none() {
            return Err(illegal_state("Transactional method invoked on a non-transactional producer."));
        }
        Ok(())
    }

    fn init_transactions(&mut self, outbox: &mut Outbox) -> Result<(), KafkaError> {
        let identity = self.identity();
        let Some(own) = &mut self.transactions else { return Ok(()) };
        own.check_error(identity)?;
        if own.is_repeated(ClientState::Initializing, "initTransactions")? {
            return Ok(());
        }
        own.transition(ClientState::Initializing, None, Thread::Application, outbox)?;
        own.requests.add(Request::new(Ask::InitProducerId { expected: None }, Some(Waiter::Transition)));
        own.transition = Some(Awaited::new("InitProducerId", "initTransactions", ClientState::Initializing));
        Ok(())
    }

    /// Nothing is sent.
    fn begin_transaction(&mut self, outbox: &mut Outbox) -> Result<(), KafkaError> {
        let identity = self.identity();
        let Some(own) = &mut self.transactions else { return Ok(()) };
        own.check_pending("beginTransaction")?;
        own.check_error(identity)?;
        own.transition(ClientState::InTransaction, None, Thread::Application, outbox)
    }

    fn send_offsets(&mut self, offsets: OffsetsToSend) -> Result<(), KafkaError> {
        let identity = self.identity();
        let Some(own) = &mut self.transactions else { return Ok(()) };
        own.check_pending("sendOffsetsToTransaction")?;
        own.check_error(identity)?;
        if own.state != ClientState::InTransaction {
            let state = own.state.name();
            let text = format!("Cannot send offsets if a transaction is not in progress (currentState= {state})");
            return Err(illegal_state(text));
        }
        let identity = identity.unwrap_or(NO_IDENTITY);
        let (operation, ask) = if own.is_v2 {
            own.is_started = true;
            ("TxnOffsetCommitHandler", Ask::CommitOffsets { offsets, identity })
        } else {
            ("AddOffsetsToTxn", Ask::AddOffsets { offsets, identity })
        };
        own.requests.add(Request::new(ask, Some(Waiter::Offsets)));
        own.offsets = Some(Awaited::new(operation, "sendOffsetsToTransaction", ClientState::InTransaction));
        Ok(())
    }

    /// `beginCommit` and `beginAbort`.
    pub(in crate::client::producer) fn begin_end(
        &mut self,
        end: MarkerKind,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        let identity = self.identity();
        let Some(own) = &mut self.transactions else { return Ok(()) };
        let (state, method) = match end {
            MarkerKind::Commit => (ClientState::CommittingTransaction, "commitTransaction"),
            MarkerKind::Abort => (ClientState::AbortingTransaction, "abortTransaction"),
        };
        if own.is_repeated(state, method)? {
            return Ok(());
        }
        if end == MarkerKind::Commit || own.state != ClientState::AbortableError {
            own.check_error(identity)?;
        }
        own.transition(state, None, Thread::Application, outbox)?;
        if end == MarkerKind::Abort {
            own.new_partitions.clear();
        }
        let named = identity.unwrap_or(NO_IDENTITY);
        own.add_new_partitions(named);
        let ask = Ask::EndTxn { end, identity: named, is_v2: own.is_v2 };
        own.learn_version(outbox.post.transaction_version, false);
        let waiter = (!own.needs_bump).then_some(Waiter::Transition);
        own.requests.add(Request::new(ask, waiter));
        let mut operation = match end {
            MarkerKind::Commit => "EndTxn(true)",
            MarkerKind::Abort => "EndTxn(false)",
        };
        if own.needs_bump {
            let ask = Ask::InitProducerId { expected: identity };
            own.requests.add(Request::new(ask, Some(Waiter::Transition)));
            operation = "InitProducerId";
        }
        own.transition = Some(Awaited::new(operation, method, state));
        Ok(())
    }
}

impl Transactions {
    /// `handleCachedTransactionRequestResult`: whether the same call is made again after it has timed out.
    /// Then it waits for the result that is on its way.
    fn is_repeated(&mut self, state: ClientState, method: &str) -> Result<bool, KafkaError> {
        let Some(awaited) = &self.transition else { return Ok(false) };
        if awaited.is_acknowledged {
            self.transition = None;
            return Ok(false);
        }
        if awaited.state != state {
            return Err(must_be_retried(method, awaited.method));
        }
        Ok(true)
    }

    /// `maybeUpdateTransactionV2Enabled`. Simplified: the client knows the cluster's finalized
    /// `transaction.version` at once; Kafka's learns it with the next connection to a broker.
    fn learn_version(&mut self, version: u16, is_first: bool) {
        let was_v2 = std::mem::replace(&mut self.is_v2, version >= 2);
        if !is_first && !was_v2 && self.is_v2 {
            self.needs_bump = true;
        }
    }
}

/// `TransactionalRequestResult.await`.
fn timed_out(call: Call, operation: &str, block_max: Duration) -> KafkaError {
    let reason = match call {
        Call::InitTransactions => {
            "InitTransactions timed out - did not complete coordinator discovery or receive the InitProducerId \
             response within max.block.ms."
        }
        Call::SendOffsetsToTransaction => {
            "SendOffsetsToTransaction timed out - did not reach the coordinator or receive the \
             TxnOffsetCommit/AddOffsetsToTxn response within max.block.ms"
        }
        Call::AbortTransaction => {
            "AbortTransaction timed out - did not complete EndTxn(abort) with the transaction coordinator within \
             max.block.ms"
        }
        _ => {
            "CommitTransaction timed out - did not complete EndTxn with the transaction coordinator within \
             max.block.ms"
        }
    };
    let millis = block_max.millis();
    let text = format!("Timeout expired after {millis}ms while awaiting {operation}. {reason}");
    KafkaError::new("", "TimeoutException", text)
}
