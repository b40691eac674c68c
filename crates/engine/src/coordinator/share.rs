//! The share coordinator: a broker's part for the share partitions whose partition of `__share_group_state` it leads.
//!
//! Follows `ShareCoordinatorService` and `ShareCoordinatorShard` of Kafka 4.3.1. It keeps what leaders and group
//! coordinators give it, and knows no members and no locks. A request changes the state at once; it is answered when
//! the record is replicated, and a new coordinator reads the log. Simplified: records that newer ones have made
//! useless stay in the log (`share.coordinator.state.topic.prune.interval.ms`), and nothing is written again for a
//! share partition that nobody has written for long.

mod records;
mod state;

use std::collections::BTreeMap;
use std::rc::Rc;

use super::groups::effects::Reply;
use super::offsets::told_to_client;
use super::requests::send_answer;
use super::writing::{Append, Appending, Asker};
use super::{TICKET, partition_count};
use crate::broker::Broker;
use crate::broker::share::persister::coordinator_key;
use crate::controller::topic_names::SHARE_GROUP_STATE;
use crate::error::KafkaError;
use crate::event::internal::{InternalRecord, ShareKey, ShareState, ShareStateRecord};
use crate::event::{EventKind, MessageView, TopicPartition};
use crate::internal_partition::partition_for;
use crate::message::{Payload, ShareStateRequest};
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::share::ShareEvent;

/// The states of share partitions, by whose they are.
type States = BTreeMap<ShareKey, Rc<ShareState>>;

/// What a broker knows as share coordinator.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShareCoordinator {
    /// Partitions of `__share_group_state` that it leads, by number.
    partitions: BTreeMap<u32, Led>,
}

/// One partition of `__share_group_state` at its leader.
#[derive(Clone, Debug)]
struct Led {
    /// The leader epoch.
    epoch: u32,
    /// The states; none while the log is being read.
    states: Option<States>,
}

impl ShareCoordinator {
    /// The process ends.
    pub fn stop(&mut self) {
        self.partitions.clear();
    }

    /// Rough size in bytes of what a checkpoint copies.
    pub fn own_bytes(&self) -> u64 {
        let states: usize = self.partitions.values().filter_map(|led| led.states.as_ref()).map(BTreeMap::len).sum();
        (self.partitions.len() * 48 + states * 64) as u64
    }
}

fn state_partition(partition: u32) -> TopicPartition {
    TopicPartition { topic: SHARE_GROUP_STATE.into(), partition }
}

impl Broker {
    /// A request about the state of a share partition.
    pub(crate) fn share_state_request(
        &mut self,
        message: &Rc<MessageView>,
        asked: &ShareStateRequest,
        outbox: &mut Outbox,
    ) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        let count = partition_count(&self.image, SHARE_GROUP_STATE).unwrap_or(1);
        let number = partition_for(&coordinator_key(&self.image, &asked.key), count);
        let answer = |result: Result<_, KafkaError>| {
            let error = result.as_ref().err().cloned();
            Reply { asker: asker.clone(), payload: Payload::ShareStateAnswer { request: message.id, result }, error }
        };
        let states = match self.share_coordinator.partitions.get(&number).map(|led| &led.states) {
            None => return give(answer(Err(KafkaError::protocol("NOT_COORDINATOR"))), outbox),
            Some(None) => return give(answer(Err(KafkaError::protocol("COORDINATOR_LOAD_IN_PROGRESS"))), outbox),
            Some(Some(states)) => states,
        };
        let before = states.get(&asked.key).cloned();
        let snapshots_every = self.view().broker_number("share.coordinator.snapshot.update.records.per.snapshot");
        match state::take(before.as_deref(), &asked.key, &asked.asked, snapshots_every.max(0) as u64) {
            Err(error) => give(answer(Err(error)), outbox),
            Ok(step) => {
                let reply = answer(Ok(step.answer.clone()));
                self.write_share_state(number, &asked.key, before, step, reply, outbox);
            }
        }
    }

    /// Takes a step, writes it, and answers once that is replicated. What cannot be written did not happen.
    fn write_share_state(
        &mut self,
        number: u32,
        key: &ShareKey,
        before: Option<Rc<ShareState>>,
        step: state::Step,
        reply: Reply,
        outbox: &mut Outbox,
    ) {
        let Some(record) = step.record else { return give(reply, outbox) };
        self.put_share_state(number, key, step.state.clone());
        let now = outbox.now();
        let writer = self.coordinator.ticket() & !TICKET;
        let written = records::record(InternalRecord::Share(record), self.writer(writer, now));
        let ticket = self.coordinator.ticket();
        match self.append_own(&state_partition(number), vec![written], None, ticket, outbox) {
            Ok(_) => {
                if let Some(state) = step.state.filter(|_| step.is_by_leader) {
                    outbox.emit(EventKind::Share(ShareEvent::ShareStateWritten {
                        broker: self.id,
                        group: Rc::clone(&key.group),
                        partition: key.partition.clone(),
                        start_offset: state.start_offset.unwrap_or(0),
                        delivery_complete_count: state.delivery_complete_count,
                    }));
                }
                let deadline = now + self.view().broker_millis("share.coordinator.write.timeout.ms");
                let what = Appending::Share { reply: Box::new(reply) };
                self.coordinator.appends.insert(ticket, Append { partition: number, epoch: 0, deadline, what });
                self.arm_appends(outbox);
            }
            Err(error) => {
                self.put_share_state(number, key, before);
                give(failed(reply, &told_to_client(&error)), outbox);
            }
        }
    }

    fn put_share_state(&mut self, number: u32, key: &ShareKey, state: Option<Rc<ShareState>>) {
        let led = self.share_coordinator.partitions.get_mut(&number);
        let Some(states) = led.and_then(|led| led.states.as_mut()) else { return };
        match state {
            Some(state) => states.insert(key.clone(), state),
            None => states.remove(key),
        };
    }

    /// A record of a share partition is replicated, or is not going to be.
    pub(super) fn share_state_settled(&mut self, reply: Reply, error: Option<&KafkaError>, outbox: &mut Outbox) {
        match error {
            None => give(reply, outbox),
            Some(error) => give(failed(reply, &told_to_client(error)), outbox),
        }
    }

    /// This broker leads a partition of `__share_group_state` from now on.
    pub(super) fn share_states_elected(&mut self, partition: u32, epoch: u32, outbox: &mut Outbox) {
        let log = self.replicas.get(&state_partition(partition)).map(|replica| &replica.log);
        let is_empty = log.is_none_or(|log| log.log_end_offset == log.log_start_offset);
        if let Some(led) = self.share_coordinator.partitions.get_mut(&partition).filter(|led| led.states.is_some()) {
            led.epoch = epoch;
            return;
        }
        let states = is_empty.then(BTreeMap::new);
        self.share_coordinator.partitions.insert(partition, Led { epoch, states });
        if !is_empty {
            outbox.wake(self.target(), outbox.now(), Timer::ShareLoad { partition, epoch });
        }
    }

    /// This broker does not lead it any more.
    pub(super) fn share_states_resigned(&mut self, partition: u32) {
        self.share_coordinator.partitions.remove(&partition);
    }

    /// Reads the log; everything in it counts for a new leader.
    pub(super) fn load_share_states(&mut self, partition: u32, epoch: u32, outbox: &mut Outbox) {
        let is_awaited = |led: &&mut Led| led.epoch == epoch && led.states.is_none();
        let Some(led) = self.share_coordinator.partitions.get_mut(&partition).filter(is_awaited) else { return };
        let mut states = BTreeMap::new();
        if let Some(replica) = self.replicas.get(&state_partition(partition)) {
            let log = &replica.log;
            for batch in log.read(log.log_start_offset, u32::MAX, log.log_end_offset) {
                for (_, record) in batch.entries() {
                    if let Some(InternalRecord::Share(record)) = record.internal.as_deref() {
                        replay(&mut states, record);
                    }
                }
            }
        }
        let share_partitions = states.len() as u32;
        led.states = Some(states);
        let event = ShareEvent::ShareCoordinatorLoaded { broker: self.id, partition, share_partitions };
        outbox.emit_cause(EventKind::Share(event));
    }

    /// The state of a share partition, as this broker knows it as its coordinator.
    pub(crate) fn share_state(&self, partition: u32, key: &ShareKey) -> Option<&Rc<ShareState>> {
        self.share_coordinator.partitions.get(&partition)?.states.as_ref()?.get(key)
    }
}

/// Takes in one record.
fn replay(states: &mut States, record: &ShareStateRecord) {
    match record {
        ShareStateRecord::Snapshot { key, value: Some(value) } => drop(states.insert(key.clone(), Rc::clone(value))),
        ShareStateRecord::Snapshot { key, value: None } => drop(states.remove(key)),
        ShareStateRecord::Update { key, value } => {
            if let Some(state) = states.get_mut(key) {
                *state = Rc::new(state::updated(state, value));
            }
        }
    }
}

fn give(reply: Reply, outbox: &mut Outbox) {
    send_answer(&reply.asker, reply.payload, reply.error, outbox);
}

fn failed(reply: Reply, error: &KafkaError) -> Reply {
    let payload = match reply.payload {
        Payload::ShareStateAnswer { request, .. } => Payload::ShareStateAnswer { request, result: Err(error.clone()) },
        other => other,
    };
    Reply { payload, error: Some(error.clone()), ..reply }
}
