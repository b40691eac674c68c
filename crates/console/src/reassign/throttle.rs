//! Throttles of moves: rates at the brokers, and lists of throttled replicas at the topics.
//!
//! What a throttle does is the brokers' business.

use std::collections::{BTreeMap, BTreeSet};

use engine::order;
use engine::snapshot::Snapshot;
use engine::{Command, Observer, Timeline};

use super::find;
use super::is_moving;
use super::plan::Target;
use crate::client::{API_TIMEOUT, send};
use crate::exception::Exception;
use crate::stop::Stop;

const LEADER_RATE: &str = "leader.replication.throttled.rate";
const FOLLOWER_RATE: &str = "follower.replication.throttled.rate";
const DIRECTORY_RATE: &str = "replica.alter.log.dirs.io.max.bytes.per.second";
const LEADER_REPLICAS: &str = "leader.replication.throttled.replicas";
const FOLLOWER_REPLICAS: &str = "follower.replication.throttled.replicas";

/// Where one partition's replicas come from and go to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Move {
    sources: BTreeSet<u32>,
    destinations: BTreeSet<u32>,
}

/// Moves by topic and partition.
type Moves = BTreeMap<String, BTreeMap<u32, Move>>;

/// Sets the rate at every broker that takes part, and names the replicas that it applies to.
pub(super) fn limit_moves<O: Observer>(
    timeline: &mut Timeline<O>,
    snapshot: &Snapshot,
    targets: &[Target],
    rate: i64,
) -> Result<(), Stop> {
    let moves = moves(snapshot, targets);
    for (topic, partitions) in &moves {
        let set = [
            (LEADER_REPLICAS, replicas(partitions, |step| step.sources.iter().copied().collect())),
            (
                FOLLOWER_REPLICAS,
                replicas(partitions, |step| step.destinations.difference(&step.sources).copied().collect()),
            ),
        ];
        alter(timeline, Some(topic.clone()), None, &set, &[])?;
    }
    let steps = moves.values().flat_map(BTreeMap::values);
    let brokers: BTreeSet<u32> =
        order::set(steps.flat_map(|step| step.sources.iter().chain(&step.destinations)).copied());
    for broker in brokers {
        let set = [(LEADER_RATE, rate.to_string()), (FOLLOWER_RATE, rate.to_string())];
        alter(timeline, None, Some(broker), &set, &[])?;
    }
    Ok(())
}

/// Sets the rate of moves between directories of the brokers for which a directory is named.
pub(super) fn limit_directories<O: Observer>(
    timeline: &mut Timeline<O>,
    targets: &[Target],
    rate: i64,
) -> Result<(), Stop> {
    let brokers: BTreeSet<u32> =
        order::set(targets.iter().flat_map(|target| target.placed().map(|(broker, _)| broker)));
    for broker in brokers {
        alter(timeline, None, Some(broker), &[(DIRECTORY_RATE, rate.to_string())], &[])?;
    }
    Ok(())
}

/// Takes every throttle away that a move may have set.
pub(super) fn clear<O: Observer>(
    timeline: &mut Timeline<O>,
    brokers: &BTreeSet<u32>,
    topics: &BTreeSet<&str>,
    tell: &mut String,
) -> Result<(), Stop> {
    let list = |names: Vec<String>| names.join(",");
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let shown = list(brokers.iter().map(u32::to_string).collect());
    tell.push_str(&format!("Clearing broker-level throttles on broker{} {shown}\n", plural(brokers.len())));
    for broker in brokers {
        alter(timeline, None, Some(*broker), &[], &[LEADER_RATE, FOLLOWER_RATE, DIRECTORY_RATE])?;
    }
    let shown = list(topics.iter().map(|topic| topic.to_string()).collect());
    tell.push_str(&format!("Clearing topic-level throttles on topic{} {shown}\n", plural(topics.len())));
    for topic in topics {
        alter(timeline, Some(topic.to_string()), None, &[], &[LEADER_REPLICAS, FOLLOWER_REPLICAS])?;
    }
    Ok(())
}

fn alter<O: Observer>(
    timeline: &mut Timeline<O>,
    topic: Option<String>,
    broker: Option<u32>,
    set: &[(&str, String)],
    delete: &[&str],
) -> Result<(), Stop> {
    let command = Command::AlterConfigs {
        topic,
        broker,
        set: order::map(set.iter().map(|(name, value)| (name.to_string(), value.clone()))),
        delete: delete.iter().map(|name| name.to_string()).collect(),
    };
    match send(timeline, command, API_TIMEOUT)? {
        Ok(_) => Ok(()),
        Err(error) => Err(Stop::Failed(Exception::of_kafka(&error).in_future())),
    }
}

/// The moves that are going on, with those of the plan in the place of the old ones.
fn moves(snapshot: &Snapshot, targets: &[Target]) -> Moves {
    let mut moves = Moves::new();
    for topic in &snapshot.topics {
        for partition in topic.partitions.iter().filter(|partition| is_moving(partition)) {
            let sources = order::set(partition.replicas.iter().filter(|id| !partition.adding.contains(id)).copied());
            let destinations = order::set(partition.adding.iter().copied());
            let step = Move { sources, destinations };
            moves.entry(topic.name.to_string()).or_default().insert(partition.partition, step);
        }
    }
    for target in targets {
        let partitions = moves.entry(target.partition.topic.clone()).or_default();
        let step = partitions.entry(target.partition.partition).or_default();
        if step.sources.is_empty() {
            let current = find(snapshot, &target.partition).map(|partition| partition.replicas.iter().copied());
            step.sources = current.map(order::set).unwrap_or_default();
        }
        step.destinations = order::set(target.brokers().into_iter().filter(|id| !step.sources.contains(id)));
    }
    moves
}

/// `0:1,1:2`: pairs of partition and broker, sorted as texts.
fn replicas(partitions: &BTreeMap<u32, Move>, of: impl Fn(&Move) -> Vec<u32>) -> String {
    let pairs = partitions
        .iter()
        .flat_map(|(partition, step)| of(step).into_iter().map(move |broker| format!("{partition}:{broker}")));
    order::set(pairs).into_iter().collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use engine::command::PartitionName;
    use engine::snapshot::{PartitionSnapshot, TopicSnapshot};

    use super::*;

    #[test]
    fn sources_lead_and_new_replicas_follow_under_the_throttle() {
        let partition = |number: u32, replicas: &[u32], adding: &[u32]| PartitionSnapshot {
            partition: number,
            replicas: replicas.to_vec(),
            adding: adding.to_vec(),
            ..PartitionSnapshot::default()
        };
        let topic = TopicSnapshot {
            name: "t".into(),
            partitions: vec![partition(0, &[1, 2], &[]), partition(1, &[2, 3, 4], &[4])],
            ..TopicSnapshot::default()
        };
        let snapshot = Snapshot { topics: vec![topic], ..Snapshot::default() };
        let target = Target {
            partition: PartitionName { topic: "t".to_string(), partition: 0 },
            replicas: vec![2, 3],
            directories: vec![None, None],
        };
        let moves = moves(&snapshot, &[target]);
        let partitions = &moves["t"];
        assert_eq!(replicas(partitions, |step| step.sources.iter().copied().collect()), "0:1,0:2,1:2,1:3");
        assert_eq!(replicas(partitions, |step| step.destinations.iter().copied().collect()), "0:3,1:4");
    }
}
