//! What is known of transactional ids, as plain values: their coordinators' memory, and their records.
//!
//! Nothing here changes anything.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::metadata::TransactionMetadata;
use crate::broker::Broker;
use crate::controller::topic_names::TRANSACTION_STATE;
use crate::event::internal::{InternalRecord, StateRecord};
use crate::event::{Name, Record, TopicPartition};
use crate::limits::STATE_RECORDS_MIN;
use crate::message::{ClusterImage, PartitionImage};
use crate::snapshot::{TransactionLogSnapshot, TransactionSnapshot};
use crate::storage::batch::Batch;

/// All transactional ids, in order, with their records among the last of their partition: `records_max`, or as many
/// as a lane shows.
pub(crate) fn transactions(image: &ClusterImage, brokers: &[Broker], records_max: usize) -> Vec<TransactionSnapshot> {
    let Some((name, topic)) = image.topics.get_key_value(TRANSACTION_STATE) else { return Vec::new() };
    let records_max = records_max.max(STATE_RECORDS_MIN);
    let mut all = BTreeMap::new();
    for (number, partition) in (0..).zip(&topic.partitions) {
        let key = TopicPartition { topic: Rc::clone(name), partition: number };
        let Some(holder) = holder(partition, &key, brokers) else { continue };
        let Some(replica) = holder.replicas.get(&key) else { continue };
        if replica.log.log_end_offset > 0 {
            collect(holder, number, partition, replica.log.last_entries(records_max), &mut all);
        }
    }
    all.into_values().collect()
}

/// The broker whose log tells about a partition: its leader, or whoever has most of it.
fn holder<'a>(partition: &PartitionImage, key: &TopicPartition, brokers: &'a [Broker]) -> Option<&'a Broker> {
    let end = |broker: &&Broker| Some(broker.replicas.get(key)?.log.log_end_offset);
    let replicas = brokers.iter().filter(|broker| partition.replicas.contains(&broker.id));
    match partition.leader {
        Some(leader) => brokers.iter().find(|broker| broker.id == leader),
        None => replicas.max_by_key(end),
    }
}

fn collect(
    holder: &Broker,
    number: u32,
    partition: &PartitionImage,
    records: Vec<(&Batch, u64, &Rc<Record>)>,
    all: &mut BTreeMap<Name, TransactionSnapshot>,
) {
    let mut logs: BTreeMap<&Name, Vec<TransactionLogSnapshot>> = BTreeMap::new();
    let mut states: BTreeMap<&Name, Option<&StateRecord>> = BTreeMap::new();
    for (_, offset, record) in records {
        let Some(id) = &record.key_text else { continue };
        let state = match record.internal.as_deref() {
            Some(InternalRecord::State(state)) => Some(state),
            _ => None,
        };
        logs.entry(id).or_default().push(log_snapshot(offset, state));
        states.insert(id, state);
    }
    let known = holder.coordinator.partitions.get(&number).and_then(|own| own.ids.as_ref());
    let coordinator = partition.leader.filter(|_| known.is_some());
    let from_log = states.into_iter().filter_map(|(id, state)| {
        let known = super::state_record::read(id, state?);
        Some((Rc::clone(id), Rc::new(known)))
    });
    let ids: BTreeMap<Name, Rc<TransactionMetadata>> = match known {
        Some(known) => known.clone(),
        None => crate::order::map(from_log),
    };
    for (id, known) in ids {
        let log = logs.remove(&id).unwrap_or_default();
        all.insert(id, TransactionSnapshot { partition: number, coordinator, log, ..snapshot(&known) });
    }
}

fn snapshot(known: &TransactionMetadata) -> TransactionSnapshot {
    TransactionSnapshot {
        transactional_id: Rc::clone(&known.transactional_id),
        state: known.state,
        pending_state: known.pending,
        producer_id: known.producer_id,
        epoch: known.epoch,
        last_epoch: known.last_epoch,
        timeout: known.timeout,
        started: known.started,
        partitions: known.partitions.iter().cloned().collect(),
        ..TransactionSnapshot::default()
    }
}

fn log_snapshot(offset: u64, state: Option<&StateRecord>) -> TransactionLogSnapshot {
    let Some(state) = state else { return TransactionLogSnapshot { offset, ..TransactionLogSnapshot::default() } };
    TransactionLogSnapshot {
        offset,
        state: Some(state.state),
        producer_id: state.producer_id,
        previous_producer_id: state.previous_producer_id,
        next_producer_id: state.next_producer_id,
        epoch: Some(state.epoch),
        partitions: Rc::clone(&state.partitions),
        timeout: state.timeout,
        started: state.started,
        value_version: state.value_version,
        client_transaction_version: state.client_transaction_version,
    }
}
