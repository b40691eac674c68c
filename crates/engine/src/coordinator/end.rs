//! Ends of transactions: asked for by clients, timeouts and new instances.
//!
//! Follows `TransactionCoordinator.endTransaction` of Kafka 4.3.1: the decision is written and replicated, then
//! whoever asked is answered, and only then markers leave. Who may end what is in `decision.rs`.

use std::rc::Rc;

use super::decision::{self, Decision, End, marker_of};
use super::refusals::Refusal;
use super::requests::{error_for, next_producer_id, send_answer};
use super::writing::{Asker, Then};
use crate::broker::Broker;
use crate::event::{MessageView, Name};
use crate::message::{EndTxn, Payload, ProducerIdentity};
use crate::outbox::Outbox;
use crate::transaction::TransactionState;

/// From this version of EndTxn on every end raises the epoch.
const RAISES_EPOCHS: u16 = 5;

/// An end on its way.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    pub asked: End,
    /// A new instance or a timeout has fenced the transaction.
    pub is_fence: bool,
    pub waiting: Waiting,
}

/// Who waits for an end.
#[derive(Clone, Debug)]
pub(crate) enum Waiting {
    /// A client, for EndTxn.
    Client(Asker),
    /// A new instance, for InitProducerId: it has to come again.
    Init(Asker),
    /// Nobody: the transaction timed out.
    Nobody,
}

impl Broker {
    /// EndTxn.
    pub(crate) fn end_txn(&mut self, message: &Rc<MessageView>, asked: &EndTxn, outbox: &mut Outbox) {
        let waiting = Waiting::Client(Asker { message: Rc::clone(message), sender: asked.sender });
        let version = if asked.version >= RAISES_EPOCHS { 2 } else { 0 };
        let end = End { identity: asked.identity, end: asked.end, is_from_client: true, version };
        self.end_transaction(&asked.transactional_id, Ending { asked: end, is_fence: false, waiting }, outbox);
    }

    /// Decides about an end and writes the decision.
    pub(super) fn end_transaction(&mut self, id: &Name, ending: Ending, outbox: &mut Outbox) {
        let partition = self.partition_of(id);
        let epoch = match self.epoch_of(partition, id) {
            Ok(epoch) => epoch,
            Err(refusal) => return self.answer_end(&ending.waiting, Err(refusal), outbox),
        };
        let now = outbox.now();
        let known = self.coordinator.find_in_epoch(partition, id, epoch).expect("it was just there");
        let current = ProducerIdentity { producer_id: known.producer_id, epoch: known.epoch.unwrap_or(0) };
        let (decision, is_fence) = decision::end(known, ending.asked, now, || next_producer_id(outbox));
        match decision {
            Decision::Write(step) => {
                let then = Then::Markers(Ending { is_fence, ..ending });
                self.write_step(id, epoch, step, then, outbox);
            }
            Decision::Refuse(refusal) => {
                self.tell_fenced(id, ending.asked.identity, Some(current.epoch), refusal, outbox);
                self.answer_end(&ending.waiting, Err(refusal), outbox);
            }
            Decision::Done | Decision::Fence(_) => self.answer_end(&ending.waiting, Ok(current), outbox),
        }
    }

    /// The decision is in the log, or is not going to be: `sendTxnMarkersCallback`.
    pub(super) fn end_written(
        &mut self,
        partition: u32,
        epoch: u32,
        id: &Name,
        ending: Ending,
        refusal: Option<Refusal>,
        outbox: &mut Outbox,
    ) {
        let known = match self.coordinator.find(partition, id) {
            Ok(_) => self.coordinator.find_in_epoch(partition, id, epoch).ok_or(Refusal::NotCoordinator),
            Err(unknown) => Err(unknown),
        };
        if let Some(refusal) = refusal {
            if let Ok(known) = known
                && ending.is_fence
            {
                known.has_failed_fence = true;
            }
            return self.answer_end(&ending.waiting, Err(refusal), outbox);
        }
        let known = match known {
            Ok(known) => known,
            Err(refusal) => return self.answer_end(&ending.waiting, Err(refusal), outbox),
        };
        let asked = ending.asked.identity;
        let is_epoch_known = known.epoch.is_some_and(|epoch| epoch == asked.epoch || epoch == asked.epoch + 1);
        let refusal = if known.producer_id != asked.producer_id {
            Some(Refusal::InvalidProducerIdMapping)
        } else if !is_epoch_known {
            Some(Refusal::ProducerFenced)
        } else if known.pending.is_some() {
            Some(Refusal::ConcurrentTransactions)
        } else {
            let is_decided = matches!(known.state, TransactionState::PrepareCommit | TransactionState::PrepareAbort);
            (!is_decided).then_some(Refusal::InvalidTxnState)
        };
        if let Some(refusal) = refusal {
            return self.answer_end(&ending.waiting, Err(refusal), outbox);
        }
        let end = marker_of(known.state);
        let step = known.prepare_complete(outbox.now());
        self.answer_end(&ending.waiting, Ok(step.identity()), outbox);
        self.add_markers(id, epoch, end, step, outbox);
    }

    fn answer_end(&self, waiting: &Waiting, result: Result<ProducerIdentity, Refusal>, outbox: &mut Outbox) {
        match waiting {
            Waiting::Client(asker) => {
                let result = result.map_err(|refusal| error_for(asker, refusal));
                let error = result.as_ref().err().cloned();
                let payload = Payload::EndTxnAnswer { request: asker.message.id, result };
                send_answer(asker, payload, error, outbox);
            }
            // The new instance comes again when the abort is over.
            Waiting::Init(asker) => {
                let refusal = result.err().unwrap_or(Refusal::ConcurrentTransactions);
                self.answer_identity(asker, Err(refusal), outbox);
            }
            Waiting::Nobody => {}
        }
    }
}
