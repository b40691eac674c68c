//! `close`: everything is sent and answered first, but not for longer than the timeout.
//!
//! Follows `KafkaProducer.close` and the end of `Sender.run` of Kafka 4.3.1. What a request brought to a broker
//! before is in the log all the same: only nobody hears of it.

use std::rc::Rc;

use super::Producer;
use super::calls::{Progress, Wait};
use crate::error::KafkaError;
use crate::event::EventKind;
use crate::outbox::Outbox;
use crate::snapshot::ProducerState;
use crate::time::{Duration, Time};
use crate::transaction::{MarkerKind, WaitReason};

impl Producer {
    /// What `close` does first.
    pub(super) fn close(&mut self, timeout: Option<Duration>, outbox: &mut Outbox) {
        self.end_workload();
        if self.state == ProducerState::Ready {
            self.state = ProducerState::Closing;
            self.closes_by = timeout.map(|timeout| Time(outbox.now().0.saturating_add(timeout.0)));
        }
    }

    /// Looks whether the sender's thread is through, or has had its time.
    pub(super) fn close_goes_on(&mut self, outbox: &mut Outbox) -> Progress {
        if self.state != ProducerState::Closing {
            return Progress::Returned(Ok(()));
        }
        let deadline = self.closes_by;
        if deadline.is_some_and(|deadline| deadline <= outbox.now()) {
            self.force_close(outbox);
        } else {
            if !self.is_idle() {
                return Progress::Waits(Wait { reason: WaitReason::Batches, deadline });
            }
            if !self.close_transaction(outbox) {
                return Progress::Waits(Wait { reason: WaitReason::Coordinator, deadline });
            }
        }
        self.state = ProducerState::Closed;
        outbox.emit(EventKind::ProducerClosed { producer: Rc::clone(&self.plan.name) });
        Progress::Returned(Ok(()))
    }

    /// What `close` does to an open transaction once everything else is over: it is aborted. Tells whether
    /// there is nothing left to wait for.
    fn close_transaction(&mut self, outbox: &mut Outbox) -> bool {
        let Some(own) = &mut self.transactions else { return true };
        if !own.is_open() {
            return true;
        }
        if !own.is_completing() && self.begin_end(MarkerKind::Abort, outbox).is_err() {
            // As in Kafka: an abort that may not begin ends the thread.
            self.force_close(outbox);
            return true;
        }
        self.drive_transactions(outbox);
        self.transactions.as_ref().is_none_or(|own| !own.is_open())
    }

    /// `forceClose`: every record that is not acknowledged has failed, and an open transaction stays open until
    /// its coordinator's timeout.
    fn force_close(&mut self, outbox: &mut Outbox) {
        if let Some(own) = &mut self.transactions {
            own.close_by_force(outbox);
        }
        let reason = KafkaError::new("", "KafkaException", "Producer is closed forcefully.");
        self.abort_sent_batches(&reason, outbox);
        self.forget_sent();
        self.abort_batches(&reason, |_| true, outbox);
        // Libraries whose `send` does not wait have records without a partition.
        let waiting: Vec<_> = self.waiting.drain(..).map(|waiting| waiting.record).collect();
        if !waiting.is_empty() {
            self.fail(&waiting, reason, outbox);
        }
    }

    /// Nobody waits for the answers to what is on its way: its memory comes back.
    pub(super) fn forget_sent(&mut self) {
        let sent = std::mem::take(&mut self.in_flight).into_values().flat_map(|request| request.batches);
        sent.for_each(|(_, batch, _)| self.give_back(Some(batch.memory)));
    }
}
