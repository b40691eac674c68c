//! A coordinator takes a partition of `__transaction_state` over, or gives it up.
//!
//! Follows `TransactionCoordinator.onElection` and `TransactionStateManager.loadTransactionMetadata` of Kafka
//! 4.3.1. Simplified: reading the log takes no time of its own; requests that come at the same instant are still
//! refused.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::decision::marker_of;
use super::{Coordinated, state_partition, state_record};
use crate::broker::Broker;
use crate::controller::topic_names::{CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE};
use crate::event::internal::InternalRecord;
use crate::event::{EventKind, Name, TopicPartition};
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::transaction::{TransactionEvent, TransactionState};

impl Broker {
    /// This broker leads a partition of an internal topic, in a new epoch.
    pub(crate) fn coordinator_elected(&mut self, partition: &TopicPartition, epoch: u32, outbox: &mut Outbox) {
        if *partition.topic == *CONSUMER_OFFSETS {
            return self.groups_elected(partition.partition, epoch, outbox);
        }
        if *partition.topic == *SHARE_GROUP_STATE {
            return self.share_states_elected(partition.partition, epoch, outbox);
        }
        if *partition.topic != *TRANSACTION_STATE {
            return;
        }
        let number = partition.partition;
        self.drop_markers(number);
        let log = self.replicas.get(partition).map(|replica| &replica.log);
        let is_empty = log.is_none_or(|log| log.log_end_offset == log.log_start_offset);
        let ids = is_empty.then(BTreeMap::new);
        self.coordinator.partitions.insert(number, Coordinated { epoch, ids });
        if !is_empty {
            outbox.wake(self.target(), outbox.now(), Timer::CoordinatorLoad { partition: number, epoch });
        }
    }

    /// This broker does not lead a partition any more.
    pub(crate) fn coordinator_resigned(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        self.share_resigned(partition, outbox);
        if *partition.topic == *TRANSACTION_STATE && !self.coordinator.partitions.is_empty() {
            self.drop_markers(partition.partition);
            self.coordinator.partitions.remove(&partition.partition);
        } else if *partition.topic == *CONSUMER_OFFSETS {
            self.give_up_groups(partition.partition, outbox);
        } else if *partition.topic == *SHARE_GROUP_STATE {
            self.share_states_resigned(partition.partition);
        }
    }

    /// Reads the log. Decided transactions whose end is not written get all their markers once more.
    pub(super) fn load_coordinator(&mut self, partition: u32, epoch: u32, outbox: &mut Outbox) {
        let is_present = |coordinated: &&Coordinated| coordinated.epoch == epoch && coordinated.ids.is_none();
        if self.coordinator.partitions.get(&partition).filter(is_present).is_none() {
            return;
        }
        let ids = self.read_ids(partition);
        let is_decided =
            |state: TransactionState| matches!(state, TransactionState::PrepareCommit | TransactionState::PrepareAbort);
        let decided: Vec<Name> =
            ids.iter().filter(|(_, known)| is_decided(known.state)).map(|(id, _)| Rc::clone(id)).collect();
        outbox.emit_cause(EventKind::Transaction(TransactionEvent::CoordinatorLoaded {
            broker: self.id,
            partition,
            transactional_ids: ids.len() as u32,
        }));
        self.coordinator.partitions.insert(partition, Coordinated { epoch, ids: Some(ids) });
        for id in decided {
            let known = self.coordinator.find_in_epoch(partition, &id, epoch).expect("it was just read");
            let end = marker_of(known.state);
            let step = known.prepare_complete(outbox.now());
            self.add_markers(&id, epoch, end, step, outbox);
        }
        self.watch_ids(partition, outbox);
    }

    /// The last state of each id in the log; everything in it counts for a new leader.
    fn read_ids(&self, partition: u32) -> BTreeMap<Name, Rc<super::metadata::TransactionMetadata>> {
        let mut ids = BTreeMap::new();
        let Some(replica) = self.replicas.get(&state_partition(partition)) else { return ids };
        let log = &replica.log;
        for batch in log.read(log.log_start_offset, u32::MAX, log.log_end_offset) {
            for (_, record) in batch.entries() {
                let Some(id) = &record.key_text else { continue };
                match record.internal.as_deref() {
                    Some(InternalRecord::State(state)) => {
                        ids.insert(Rc::clone(id), Rc::new(state_record::read(id, state)));
                    }
                    _ => {
                        ids.remove(id);
                    }
                }
            }
        }
        ids
    }
}
