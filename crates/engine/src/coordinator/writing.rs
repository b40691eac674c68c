//! How a step gets into the log, and what follows when it is replicated or is not.
//!
//! Follows `TransactionStateManager.appendTransactionToLog` of Kafka 4.3.1: acks=all, at most as long as the
//! transaction's timeout. What each record holds is in `state_record.rs`.

use std::rc::Rc;

use super::groups::effects::Reply;
use super::metadata::Transit;
use super::refusals::Refusal;
use super::state_record::{Writer, step_record};
use super::{end, state_partition};
use crate::broker::Broker;
use crate::controller::topic_names::{CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE};
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView, Name, TopicPartition};
use crate::message::{OffsetFetch, TxnOffsetCommit};
use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::time::Time;
use crate::transaction::TransactionEvent;

/// Records on their way into the log.
#[derive(Clone, Debug)]
pub(crate) struct Append {
    /// Partition of the internal topic.
    pub(super) partition: u32,
    /// The coordinator's epoch when it appended.
    pub(super) epoch: u32,
    pub(super) deadline: Time,
    pub(super) what: Appending,
}

/// What was appended.
#[derive(Clone, Debug)]
pub(crate) enum Appending {
    /// A step of an id.
    Step { id: Name, step: Box<Transit>, then: Then },
    /// Tombstones of ids that expired.
    Tombstones { ids: Vec<Name> },
    /// Offsets of a group, in `__consumer_offsets`.
    Offsets { asker: Asker, asked: TxnOffsetCommit },
    /// Records of groups, with the answers and the questions for offsets that wait for them.
    Group { replies: Vec<Reply>, fetches: Vec<(Asker, OffsetFetch)> },
    /// A state of a share partition, with the answer that waits for it.
    Share { reply: Box<Reply> },
}

impl Append {
    /// The partition that it went to.
    fn target(&self) -> TopicPartition {
        let topic = match self.what {
            Appending::Offsets { .. } | Appending::Group { .. } => CONSUMER_OFFSETS,
            Appending::Share { .. } => SHARE_GROUP_STATE,
            _ => TRANSACTION_STATE,
        };
        TopicPartition { topic: topic.into(), partition: self.partition }
    }
}

/// Where a step was written: the partition of `__transaction_state`, and the coordinator's epoch there.
#[derive(Clone, Copy, Debug)]
struct Place {
    partition: u32,
    epoch: u32,
}

/// Who asked, to be answered.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub message: Rc<MessageView>,
    pub sender: Target,
}

/// What follows when a step counts, or cannot be written.
#[derive(Clone, Debug)]
pub(crate) enum Then {
    /// InitProducerId is answered with the identity.
    Identity(Asker),
    /// AddPartitionsToTxn is answered for these partitions.
    Partitions(Asker, Vec<TopicPartition>),
    /// AddOffsetsToTxn is answered.
    Offsets(Asker),
    /// The end is decided: whoever asked is answered, and markers leave.
    Markers(end::Ending),
    /// The transaction is over.
    Nothing,
}

impl Broker {
    /// Appends a step that was prepared.
    pub(super) fn write_step(&mut self, id: &Name, epoch: u32, step: Transit, then: Then, outbox: &mut Outbox) {
        let (partition, now) = (self.partition_of(id), outbox.now());
        let ticket = self.coordinator.ticket();
        let record = step_record(id, &step, self.transaction_version, self.writer(ticket, now));
        let offset = self.append_own(&state_partition(partition), vec![record], None, ticket, outbox);
        let deadline = now + step.timeout;
        if let Ok(offset) = offset {
            outbox.emit(EventKind::Transaction(TransactionEvent::TransactionStateLogged {
                broker: self.id,
                transactional_id: Rc::clone(id),
                state: step.state,
                producer_id: step.producer_id,
                epoch: step.epoch,
                partitions: step.partitions.iter().cloned().collect(),
                offset,
            }));
        }
        let what = Appending::Step { id: Rc::clone(id), step: Box::new(step), then };
        self.coordinator.appends.insert(ticket, Append { partition, epoch, deadline, what });
        match offset {
            Ok(_) => self.arm_appends(outbox),
            Err(error) => self.coordinator.settle(ticket, Some(error)),
        }
    }

    /// Who writes a record of the broker itself.
    pub(super) fn writer(&self, ticket: u64, now: Time) -> Writer {
        Writer { broker: self.id, number: self.number(), record: ticket & !super::TICKET, now }
    }

    /// What became of records that were appended.
    pub(super) fn settled(&mut self, ticket: u64, error: Option<KafkaError>, outbox: &mut Outbox) {
        let Some(append) = self.coordinator.appends.remove(&ticket) else { return };
        let Append { partition, epoch, what, .. } = append;
        let place = Place { partition, epoch };
        match what {
            Appending::Step { id, step, then } => {
                let refusal = self.step_settled(place, &id, &step, &then, error.as_ref(), outbox);
                self.after_step(place, &id, &step, then, refusal, outbox);
            }
            Appending::Tombstones { ids } => self.tombstones_settled(partition, epoch, &ids, error.is_none(), outbox),
            Appending::Offsets { asker, asked } => self.offsets_settled(&asker, &asked, error.as_ref(), outbox),
            Appending::Group { replies, fetches } => {
                self.groups_settled(partition, replies, fetches, error.as_ref(), outbox);
            }
            Appending::Share { reply } => self.share_state_settled(*reply, error.as_ref(), outbox),
        }
    }

    /// `updateCacheCallback`: takes the step, or takes it back.
    fn step_settled(
        &mut self,
        place: Place,
        id: &Name,
        step: &Transit,
        then: &Then,
        error: Option<&KafkaError>,
        outbox: &mut Outbox,
    ) -> Option<Refusal> {
        let Place { partition, epoch } = place;
        let refusal = error.map(Refusal::of_append);
        let known = match self.coordinator.find(partition, id) {
            Ok(Some(_)) => self.coordinator.find_in_epoch(partition, id, epoch),
            Ok(None) => None,
            Err(unknown) => return refusal.or(Some(unknown)),
        };
        let Some(known) = known else { return refusal.or(Some(Refusal::NotCoordinator)) };
        if let Some(refusal) = refusal {
            let is_tried_again = matches!(then, Then::Nothing) && refusal == Refusal::NotAvailable;
            if !is_tried_again {
                known.pending = None;
            }
            return Some(refusal);
        }
        let before = known.state;
        known.complete(step);
        outbox.emit_cause(EventKind::Transaction(TransactionEvent::TransactionStateChanged {
            broker: self.id,
            transactional_id: Rc::clone(id),
            before,
            state: step.state,
            producer_id: step.producer_id,
            epoch: step.epoch,
            partitions: step.partitions.iter().cloned().collect(),
        }));
        self.watch_ids(partition, outbox);
        None
    }

    /// What follows a step.
    fn after_step(
        &mut self,
        place: Place,
        id: &Name,
        step: &Transit,
        then: Then,
        refusal: Option<Refusal>,
        outbox: &mut Outbox,
    ) {
        match then {
            Then::Identity(asker) => {
                let result = refusal.map_or(Ok(step.identity()), Err);
                self.answer_identity(&asker, result, outbox);
            }
            Then::Partitions(asker, partitions) => {
                self.answer_partitions(&asker, &partitions, refusal.map_or(Ok(()), Err), outbox);
            }
            Then::Offsets(asker) => self.answer_offsets_added(&asker, refusal.map_or(Ok(()), Err), outbox),
            Then::Markers(ending) => self.end_written(place.partition, place.epoch, id, ending, refusal, outbox),
            Then::Nothing if refusal == Some(Refusal::NotAvailable) => {
                self.complete_later(id, place.epoch, step.clone(), outbox);
            }
            Then::Nothing => {}
        }
    }

    /// Records that are not replicated in time fail.
    pub(super) fn expire_appends(&mut self, outbox: &mut Outbox) {
        self.coordinator.alarms.appends = None;
        let now = outbox.now();
        let late = self.coordinator.appends.iter().filter(|(_, append)| append.deadline <= now);
        let late: Vec<(u64, TopicPartition)> = late.map(|(ticket, append)| (*ticket, append.target())).collect();
        for (ticket, partition) in late {
            self.forget_waiting(&partition, ticket);
            let error = KafkaError::new("REQUEST_TIMED_OUT", "TimeoutException", "The request timed out.");
            self.coordinator.settle(ticket, Some(error));
        }
        self.arm_appends(outbox);
    }

    pub(super) fn arm_appends(&mut self, outbox: &mut Outbox) {
        if self.coordinator.alarms.appends.is_some() {
            return;
        }
        let now = outbox.now();
        let deadlines = self.coordinator.appends.values().map(|append| append.deadline);
        let Some(deadline) = deadlines.filter(|deadline| *deadline > now).min() else { return };
        self.coordinator.alarms.appends = Some(deadline);
        outbox.wake(self.target(), deadline, Timer::CoordinatorAppends);
    }
}
