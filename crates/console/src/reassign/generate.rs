//! `--generate`: a plan that spreads topics evenly over brokers.
//!
//! Follows `AdminUtils.assignReplicasToBrokers` of 4.3.1, the placement of the time before KRaft, which
//! this tool still uses. The controller's own placement is another one and is not here.

use std::collections::{BTreeMap, BTreeSet};

use engine::command::PartitionName;
use engine::order::{self, Order};
use engine::rng::Stream;
use engine::{Observer, Timeline};

use super::plan::{repeated, to_json, topics};
use super::{cluster, unknown};
use crate::Printed;
use crate::client::live_brokers;
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::stop::Stop;

/// Broker and rack.
type Place = (u32, Option<String>);

/// Runs `--generate`.
pub(super) fn generate<O: Observer>(
    timeline: &mut Timeline<O>,
    json: &str,
    broker_list: &str,
    is_rack_aware: bool,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let wanted = brokers(broker_list)?;
    let topics = topics(json)?;
    let snapshot = cluster(timeline, "describeTopics")?;
    let mut current = Vec::new();
    let mut sizes = Vec::new();
    for name in &topics {
        let topic = snapshot.topics.iter().find(|topic| *topic.name == **name);
        let topic = topic.ok_or_else(|| unknown(format!("Topic {name} not found.")))?;
        let named = |partition: u32| PartitionName { topic: name.clone(), partition };
        current.extend(topic.partitions.iter().map(|found| (named(found.partition), found.replicas.clone())));
        sizes.push((name, topic.partitions.len(), topic.partitions.first().map_or(0, |first| first.replicas.len())));
    }
    let live = live_brokers(&snapshot);
    let chosen =
        snapshot.brokers.iter().filter(|broker| live.contains(&broker.id) && wanted.contains(&i64::from(broker.id)));
    let places: Vec<Place> = chosen
        .map(|broker| (broker.id, broker.rack.as_ref().filter(|_| is_rack_aware).map(|rack| rack.to_string())))
        .collect();
    let without = places.iter().filter(|(_, rack)| rack.is_none()).count();
    if is_rack_aware && without != 0 && without != places.len() {
        let text = "Not all brokers have rack information. Add --disable-rack-aware in command line to make replica assignment without rack information.";
        return Err(Stop::of_tools("AdminOperationException", text));
    }
    let owner = timeline.moment().sequence.to_string();
    let mut random = Stream::new(timeline.scenario().seed, "reassignment plan", &owner);
    let mut proposed = Vec::new();
    for (name, partitions, factor) in hash_order(sizes, |(name, ..)| string_hash(name)) {
        let assigned = assign(&places, partitions, factor, |bound| random.below(bound as u64) as usize)?;
        let named = |partition: u32| PartitionName { topic: name.clone(), partition };
        proposed.extend((0..).zip(assigned).map(|(partition, replicas)| (named(partition), replicas)));
    }
    printed.stdout.push_str(&format!("Current partition replica assignment\n{}\n\n", to_json(&current, false)));
    printed.stdout.push_str(&format!("Proposed partition reassignment configuration\n{}\n", to_json(&proposed, false)));
    Ok(())
}

fn brokers(list: &str) -> Result<Vec<i64>, Stop> {
    let no_number = |text: &str| {
        Stop::Failed(Exception::new("java.lang.NumberFormatException", format!("For input string: \"{text}\"")))
    };
    let number = |text: &str| text.parse::<i32>().map(i64::from).map_err(|_| no_number(text));
    let brokers = list.trim_end_matches(',').split(',').map(number).collect::<Result<Vec<i64>, Stop>>()?;
    let twice: Vec<String> = repeated(&brokers).iter().map(i64::to_string).collect();
    if !twice.is_empty() {
        let text = format!("Broker list contains duplicate entries: [{}]", twice.join(", "));
        return Err(Stop::of_tools("AdminCommandFailedException", text));
    }
    Ok(brokers)
}

/// Replicas for each of so many partitions. `below` draws a number below its bound.
fn assign(
    places: &[Place],
    partitions: usize,
    factor: usize,
    mut below: impl FnMut(usize) -> usize,
) -> Result<Vec<Vec<u32>>, Stop> {
    if factor > places.len() {
        let text = format!("Replication factor: {factor} larger than available brokers: {}.", places.len());
        let class = "org.apache.kafka.common.errors.InvalidReplicationFactorException";
        return Err(Stop::Failed(Exception::new(class, text)));
    }
    let racks: BTreeSet<&Option<String>> = order::set(places.iter().map(|(_, rack)| rack));
    let has_racks = places.iter().all(|(_, rack)| rack.is_some());
    let ring = if has_racks { alternate(places) } else { places.iter().collect() };
    let count = ring.len();
    let (start, mut shift) = (below(count), below(count));
    let mut assigned = Vec::with_capacity(partitions);
    for partition in 0..partitions {
        if partition > 0 && partition % count == 0 {
            shift += 1;
        }
        let first = (partition + start) % count;
        let step = if has_racks { shift * racks.len() } else { shift };
        assigned.push(replicas(&ring, first, step, factor, if has_racks { racks.len() } else { 0 }));
    }
    Ok(assigned)
}

/// The first replica and those that follow it around the ring. With racks (`rack_count` above 0) a rack
/// is not used again while another one has no replica.
fn replicas(ring: &[&Place], first: usize, shift: usize, factor: usize, rack_count: usize) -> Vec<u32> {
    let count = ring.len();
    let mut chosen = vec![ring[first]];
    let mut number = 0;
    while chosen.len() < factor {
        let next = ring[(first + 1 + (shift + number) % (count - 1)) % count];
        number += 1;
        let used: BTreeSet<&Option<String>> = order::set(chosen.iter().map(|place| &place.1));
        let fits = rack_count == 0
            || (!used.contains(&next.1) || used.len() == rack_count) && !chosen.iter().any(|place| place.0 == next.0);
        if fits {
            chosen.push(next);
        }
    }
    chosen.into_iter().map(|place| place.0).collect()
}

/// Brokers so that neighbours are in different racks: one of each rack in turn.
fn alternate(places: &[Place]) -> Vec<&Place> {
    let mut by_rack: BTreeMap<&Option<String>, Vec<&Place>> = BTreeMap::new();
    for place in places {
        by_rack.entry(&place.1).or_default().push(place);
    }
    for brokers in by_rack.values_mut() {
        brokers.order();
    }
    let longest = by_rack.values().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|turn| by_rack.values().filter_map(move |brokers| brokers.get(turn).copied())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(places: &[(u32, &str)], partitions: usize, factor: usize, expected: &[&[u32]]) {
        let places: Vec<Place> =
            places.iter().map(|(id, rack)| (*id, Some(rack.to_string()).filter(|rack| !rack.is_empty()))).collect();
        // The published examples of Kafka begin at the first broker without a shift.
        assert_eq!(assign(&places, partitions, factor, |_| 0).expect("enough brokers"), expected);
    }

    #[test]
    fn replicas_go_around_the_brokers_with_a_growing_shift() {
        let five = [(0, ""), (1, ""), (2, ""), (3, ""), (4, "")];
        check(
            &five,
            10,
            3,
            &[
                &[0, 1, 2],
                &[1, 2, 3],
                &[2, 3, 4],
                &[3, 4, 0],
                &[4, 0, 1],
                &[0, 2, 3],
                &[1, 3, 4],
                &[2, 4, 0],
                &[3, 0, 1],
                &[4, 1, 2],
            ],
        );
    }

    #[test]
    fn replicas_are_spread_over_racks() {
        let six = [(0, "rack1"), (1, "rack3"), (2, "rack3"), (3, "rack2"), (4, "rack2"), (5, "rack1")];
        check(&six, 7, 3, &[&[0, 3, 1], &[3, 1, 5], &[1, 5, 4], &[5, 4, 2], &[4, 2, 0], &[2, 0, 3], &[0, 4, 2]]);
    }

    #[test]
    fn more_replicas_than_brokers_are_refused() {
        assert!(assign(&[(1, None)], 1, 2, |_| 0).is_err());
    }
}
