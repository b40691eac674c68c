//! An application that writes in transactions: begin, some records, commit, and what it does after errors.
//!
//! It is the loop of Kafka's own examples: a fenced producer is given up, everything else is aborted. Which
//! records there are is in `client/producer/workload.rs`.

use std::rc::Rc;

use super::Transactions;
use crate::client::producer::Producer;
use crate::client::producer::calls::Calling;
use crate::client::producer::idempotence::Idempotence;
use crate::error::KafkaError;
use crate::event::EventKind;
use crate::outbox::Outbox;
use crate::snapshot::ProducerState;
use crate::time::Time;
use crate::transaction::ClientState;

/// What the application does next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Init,
    Begin,
    Send,
    Commit,
    Abort,
}

/// How far the application is with its transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransactionLoop {
    step: Step,
    /// Records of this transaction.
    records: u32,
    /// Records of this burst that are still to be sent.
    left: u32,
    /// When the next burst is due.
    next_burst: Time,
}

impl Producer {
    /// The application goes on until it has to wait: for a call, or for the next burst.
    pub(in crate::client::producer) fn write_in_transactions(&mut self, outbox: &mut Outbox) {
        let Some(plan) = self.workload.as_ref().map(|workload| Rc::clone(workload.plan())) else { return };
        let Some(of_each) = plan.records_per_transaction else { return };
        let now = outbox.now();
        if let Some(workload) = &mut self.workload
            && workload.transactions.left == 0
            && workload.transactions.next_burst <= now
        {
            let pause = workload.pause();
            let own = &mut workload.transactions;
            own.left = plan.burst;
            own.next_burst = own.next_burst.max(now) + pause;
        }
        while !self.calls.is_busy() {
            if let Some(error) = self.calls.take_error()
                && !self.recover(&error, plan.init_on_fence, outbox)
            {
                self.end_workload();
                return;
            }
            let Some(workload) = &mut self.workload else { return };
            let is_over = workload.is_over();
            let own = &mut workload.transactions;
            let has_more = own.left > 0 && !is_over;
            let calling = match own.step {
                Step::Init => {
                    own.step = Step::Begin;
                    // Somebody else may have made the call by hand.
                    match self.transactions.as_ref().map(|own| own.state) {
                        Some(ClientState::Uninitialized | ClientState::Initializing) => Calling::InitTransactions,
                        _ => continue,
                    }
                }
                Step::Begin if !has_more => break,
                Step::Begin => {
                    own.step = Step::Send;
                    Calling::BeginTransaction
                }
                Step::Send if own.records >= of_each || (is_over && own.records > 0) => {
                    own.step = Step::Commit;
                    continue;
                }
                Step::Send if !has_more => break,
                Step::Send => {
                    own.left -= 1;
                    own.records += 1;
                    Calling::Send(workload.next())
                }
                Step::Commit => Calling::CommitTransaction,
                Step::Abort => Calling::AbortTransaction,
            };
            if let Some(own) = self.workload.as_mut().map(|workload| &mut workload.transactions)
                && matches!(calling, Calling::CommitTransaction | Calling::AbortTransaction)
            {
                (own.step, own.records) = (Step::Begin, 0);
            }
            self.call(calling, None, outbox);
        }
        self.wait_for_next_burst(outbox);
    }

    /// Sets the timer for the next burst, or waits for the call that is being made.
    fn wait_for_next_burst(&mut self, outbox: &mut Outbox) {
        let is_busy = self.calls.is_busy();
        let Some(workload) = &mut self.workload else { return };
        workload.wait_for_call(is_busy);
        let next = workload.transactions.next_burst;
        if !is_busy && !workload.is_over() {
            self.arm_workload(next, outbox);
        }
    }

    /// What the application does after an exception. False: it gives up.
    fn recover(&mut self, error: &KafkaError, init_on_fence: bool, outbox: &mut Outbox) -> bool {
        let is_timeout = error.exception == "TimeoutException";
        let is_fenced = error.exception == "ProducerFencedException";
        let Some(state) = self.transactions.as_ref().map(|own| own.state) else { return false };
        let step = match state {
            ClientState::FatalError if init_on_fence && is_fenced => {
                self.build_again(outbox);
                Step::Init
            }
            ClientState::AbortableError => Step::Abort,
            // The call that timed out has to be made again.
            ClientState::CommittingTransaction if is_timeout => Step::Commit,
            ClientState::AbortingTransaction if is_timeout => Step::Abort,
            ClientState::Initializing if is_timeout => Step::Init,
            _ => return false,
        };
        if let Some(workload) = &mut self.workload {
            workload.transactions.step = step;
            workload.transactions.records = 0;
        }
        true
    }

    /// The application closes a producer that was fenced and builds a new one with the same settings.
    /// Simplified: the new one keeps what the old one knew of topics, and its connections.
    fn build_again(&mut self, outbox: &mut Outbox) {
        let producer = Rc::clone(&self.plan.name);
        outbox.emit(EventKind::ProducerClosed { producer: Rc::clone(&producer) });
        self.connected_since = outbox.post.messages;
        self.forget_sent();
        self.idempotence = Some(Idempotence::new(true));
        if let Some(id) = self.transactions.take().map(|own| Rc::clone(&own.id)) {
            self.transactions = Some(Box::new(Transactions::new(id, Rc::clone(&producer))));
        }
        self.state = ProducerState::Ready;
        outbox.emit(EventKind::ProducerStarted { producer, client: self.plan.client.id.into() });
    }
}
