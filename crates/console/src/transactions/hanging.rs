//! `find-hanging`: open transactions on partitions that no coordinator is going to end.
//!
//! Follows `FindHangingTransactionsCommand` of 4.3.1. Ending one is `abort`.

use engine::command::PartitionName;
use engine::log_view::ProducerStateView;
use engine::order::Order;
use engine::snapshot::Snapshot;
use engine::{Observer, Timeline};

use super::arguments::Search;
use super::table::print_table;
use super::{failed, producers, snapshot, unix_time};
use crate::Printed;
use crate::java_order::{hash_order, partition_hash};
use crate::place::unix_millis;
use crate::stop::Stop;

/// An open transaction on a partition.
struct Open {
    partition: PartitionName,
    state: ProducerStateView,
}

/// Looks for hanging transactions and prints them.
pub(super) fn find<O: Observer>(
    timeline: &mut Timeline<O>,
    search: &Search,
    printed: &mut Printed,
) -> Result<(), Stop> {
    if search.topic.is_none() && search.broker.is_none() {
        let text = "The `find-hanging` command requires either --topic or --broker-id to limit the scope of the search";
        return Err(Stop::Terse(text.to_string()));
    }
    if search.partition.is_some() && search.topic.is_none() {
        return Err(Stop::Terse("The --partition argument requires --topic to be provided".to_string()));
    }
    let snapshot = snapshot(timeline, "describeTopics", "Failed to list topics")?;
    let now = unix_time(timeline.now());
    let partitions = partitions(&snapshot, search)?;
    let count = partitions.len();
    let mut hanging = Vec::new();
    for partition in partitions {
        let broker = search.broker.map_or("Optional.empty".to_string(), |broker| format!("Optional[{broker}]"));
        let what = format!("Failed to describe producers for {count} partitions on broker {broker}");
        let states = producers(timeline, &snapshot, search.broker, &partition).map_err(|why| failed(what, &why))?;
        let open = states.into_iter().filter(|state| {
            state.transaction_start.is_some()
                && now - unix_millis(state.last_timestamp) > search.longest_minutes * 60_000
        });
        let open = open.map(|state| Open { partition: partition.clone(), state });
        hanging.extend(open.filter(|open| !is_expected(&snapshot, open)));
    }
    hanging.order_by_key(|open| open.state.producer_id);
    let rows: Vec<Vec<String>> = hanging.iter().map(|open| row(open, now)).collect();
    let headers = [
        "Topic",
        "Partition",
        "ProducerId",
        "ProducerEpoch",
        "CoordinatorEpoch",
        "StartOffset",
        "LastTimestamp",
        "Duration(min)",
    ];
    print_table(&headers, &rows, printed);
    Ok(())
}

/// The partitions that are looked at.
fn partitions(snapshot: &Snapshot, search: &Search) -> Result<Vec<PartitionName>, Stop> {
    if let (Some(topic), Some(partition)) = (&search.topic, search.partition) {
        return Ok(vec![PartitionName { topic: topic.clone(), partition }]);
    }
    let is_known = |topic: &str| snapshot.topics.iter().any(|known| &*known.name == topic);
    if search.topic.as_ref().is_some_and(|topic| !is_known(topic)) {
        let why = "This server does not host this topic-partition.";
        return Err(failed("Failed to describe 1 topics".to_string(), why));
    }
    let mut found = Vec::new();
    for topic in snapshot.topics.iter().filter(|topic| search.topic.as_ref().is_none_or(|name| **name == *topic.name)) {
        let holds = |replicas: &[u32]| search.broker.is_none_or(|broker| replicas.contains(&broker));
        let partitions = topic.partitions.iter().filter(|partition| holds(&partition.replicas));
        found.extend(
            partitions.map(|partition| PartitionName { topic: topic.name.to_string(), partition: partition.partition }),
        );
    }
    Ok(hash_order(found, partition_hash))
}

/// Whether a coordinator knows that the partition takes part in the producer's transaction, and will end it.
fn is_expected(snapshot: &Snapshot, open: &Open) -> bool {
    let is_of_producer = |known: &&engine::snapshot::TransactionSnapshot| known.producer_id == open.state.producer_id;
    let known = snapshot.transactions.iter().filter(|known| known.coordinator.is_some()).find(is_of_producer);
    known.is_some_and(|known| {
        let is_same = |partition: &engine::event::TopicPartition| {
            *partition.topic == *open.partition.topic && partition.partition == open.partition.partition
        };
        known.partitions.iter().any(is_same)
    })
}

fn row(open: &Open, now: i64) -> Vec<String> {
    let Open { partition, state } = open;
    let timestamp = unix_millis(state.last_timestamp);
    vec![
        partition.topic.clone(),
        partition.partition.to_string(),
        state.producer_id.to_string(),
        state.producer_epoch.to_string(),
        state.coordinator_epoch.map_or(-1, i64::from).to_string(),
        state.transaction_start.map_or(-1, |start| start as i64).to_string(),
        timestamp.to_string(),
        ((now - timestamp) / 60_000).to_string(),
    ]
}
