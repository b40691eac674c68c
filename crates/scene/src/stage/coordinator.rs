//! Which topics and transactional ids are on the stage, and the box of a coordinator's log.
//!
//! Kafka's own topics are not among the lanes: what they hold is shown as what it means.

use std::rc::Rc;

use engine::Snapshot;
use engine::event::Name;
use engine::snapshot::{TopicSnapshot, TransactionSnapshot};

use super::Area;

/// Transactional ids that are all shown; of more only the selected one is.
const ALL_SHOWN: usize = 3;

/// The log of one transactional id in the broker that coordinates it.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinatorBox {
    /// The transactional id.
    pub transactional_id: Name,
    /// `transaction:ID`.
    pub id: Rc<str>,
    /// The broker in whose box it stands.
    pub broker: u32,
    /// The lane itself.
    pub area: Area,
    /// Name, lane and offsets together.
    pub outer: Area,
    /// The name stands above the lane, not at its left.
    pub is_tall: bool,
    /// Offsets and partitions are told below the lane.
    pub is_open: bool,
}

/// Topics that have lanes: all but Kafka's own.
pub fn shown_topics(snapshot: &Snapshot) -> impl Iterator<Item = &TopicSnapshot> {
    snapshot.topics.iter().filter(|topic| !topic.is_internal)
}

/// Whether anything on the stage has to do with transactions.
pub(crate) fn is_transactional(snapshot: &Snapshot) -> bool {
    !snapshot.transactions.is_empty() || snapshot.producers.iter().any(|producer| producer.transactional_id.is_some())
}

/// Transactional ids that have a lane: all if there are few, else the one that is selected, by itself or by a
/// producer that uses it.
pub(crate) fn shown_transactions<'a>(
    snapshot: &'a Snapshot,
    selected: Option<&str>,
) -> impl Iterator<Item = &'a TransactionSnapshot> {
    let wanted = selected.and_then(|selected| transactional_id(snapshot, selected));
    let is_all = snapshot.transactions.len() <= ALL_SHOWN;
    snapshot.transactions.iter().filter(move |one| is_all || wanted.as_ref() == Some(&one.transactional_id))
}

/// The transactional id of what is selected.
pub(crate) fn transactional_id(snapshot: &Snapshot, selected: &str) -> Option<Name> {
    match selected.split_once(':')? {
        ("transaction", id) => Some(id.into()),
        ("producer", name) => {
            let producer = snapshot.producers.iter().rev().find(|producer| &*producer.name == name)?;
            producer.transactional_id.clone()
        }
        _ => None,
    }
}

/// The broker in whose box a coordinator's log stands: the coordinator, or while there is none the leader or the
/// first replica of its partition.
pub(crate) fn home_of(snapshot: &Snapshot, transaction: &TransactionSnapshot) -> Option<u32> {
    let of_log = || {
        let topic = snapshot.topics.iter().find(|topic| &*topic.name == "__transaction_state")?;
        let partition = topic.partitions.get(transaction.partition as usize)?;
        partition.leader.or(partition.replicas.first().copied())
    };
    transaction.coordinator.or_else(of_log)
}
