//! Where the replicas of new partitions go: striped over racks and brokers.
//!
//! Follows `StripedReplicaPlacer` of Kafka 4.3.1. Simplified: every broker of a scenario is registered
//! and unfenced, so the placer's second list, of fenced brokers, is not here.

use std::collections::BTreeMap;

use crate::rng::JavaRandom;

/// The brokers of one rack, with the state of the stripe.
#[derive(Debug)]
struct RackBrokers {
    brokers: Vec<u32>,
    offset: u32,
    index: u32,
    epoch: u32,
}

impl RackBrokers {
    fn next(&mut self, epoch: u32) -> Option<u32> {
        let size = self.brokers.len() as u32;
        if self.epoch != epoch {
            self.epoch = epoch;
            self.index = 0;
            self.offset = (self.offset + 1) % size;
        }
        if self.index >= size {
            return None;
        }
        let broker = self.brokers[((self.index + self.offset) % size) as usize];
        self.index += 1;
        Some(broker)
    }
}

/// Places the partitions of one request.
#[derive(Debug)]
struct Placer<'a> {
    racks: BTreeMap<Option<String>, RackBrokers>,
    /// Racks in the iteration order of the Java map that Kafka keeps them in.
    visit_order: Vec<Option<String>>,
    names: Vec<Option<String>>,
    rack_offset: u32,
    stripe_epoch: u32,
    broker_count: u32,
    random: &'a mut JavaRandom,
}

/// Replica lists for `count` new partitions, the preferred leader first. `brokers` are (id, rack).
/// The error is Kafka's text.
pub(crate) fn place(
    brokers: &[(u32, Option<String>)],
    count: u32,
    replication_factor: u32,
    random: &mut JavaRandom,
) -> Result<Vec<Vec<u32>>, String> {
    if replication_factor == 0 {
        return Err("Invalid replication factor 0: the replication factor must be positive.".to_string());
    }
    if replication_factor > brokers.len() as u32 {
        return Err(format!(
            "The target replication factor of {replication_factor} cannot be reached because only {} broker(s) are \
             registered or some brokers have all their log directories cordoned.",
            brokers.len()
        ));
    }
    let mut placer = Placer::new(brokers, random);
    Ok((0..count).map(|_| placer.partition(replication_factor)).collect())
}

impl<'a> Placer<'a> {
    fn new(brokers: &[(u32, Option<String>)], random: &'a mut JavaRandom) -> Placer<'a> {
        let mut racks: BTreeMap<Option<String>, RackBrokers> = BTreeMap::new();
        for (id, rack) in brokers {
            let empty = || RackBrokers { brokers: Vec::new(), offset: 0, index: 0, epoch: 0 };
            racks.entry(rack.clone()).or_insert_with(empty).brokers.push(*id);
        }
        // "No rack" sorts first here as in Kafka.
        let names: Vec<_> = racks.keys().cloned().collect();
        let visit_order = java_map_order(&names);
        for name in &visit_order {
            let rack = racks.get_mut(name).expect("the visit order lists the racks of the map");
            rack.brokers.sort_unstable();
            rack.offset = random.next_int(rack.brokers.len() as u32);
        }
        let rack_offset = random.next_int(names.len() as u32);
        Placer { racks, visit_order, names, rack_offset, stripe_epoch: 0, broker_count: brokers.len() as u32, random }
    }

    fn partition(&mut self, replication_factor: u32) -> Vec<u32> {
        if self.stripe_epoch == self.broker_count && self.broker_count > 1 {
            self.shuffle();
        }
        let rack_count = self.names.len() as u32;
        self.rack_offset %= rack_count;
        let mut first = self.rack_offset;
        let leader = loop {
            match self.next_in(first) {
                Some(broker) => break broker,
                None => first = (first + 1) % rack_count,
            }
        };
        let mut replicas = vec![leader];
        let mut skipped = Some(first);
        let mut rack = self.rack_offset;
        while (replicas.len() as u32) < replication_factor {
            // The leader's rack is passed over once, then never again.
            if skipped == Some(rack) {
                skipped = None;
            } else if let Some(broker) = self.next_in(rack) {
                replicas.push(broker);
            }
            rack = (rack + 1) % rack_count;
        }
        self.stripe_epoch += 1;
        self.rack_offset += 1;
        replicas
    }

    fn next_in(&mut self, rack: u32) -> Option<u32> {
        let name = &self.names[rack as usize];
        self.racks.get_mut(name).expect("names lists the racks of the map").next(self.stripe_epoch)
    }

    fn shuffle(&mut self) {
        self.random.shuffle(&mut self.names);
        for name in &self.visit_order {
            let rack = self.racks.get_mut(name).expect("the visit order lists the racks of the map");
            self.random.shuffle(&mut rack.brokers);
        }
        self.stripe_epoch = 0;
    }
}

/// The order in which a `java.util.HashMap<Optional<String>, _>` with these keys is iterated: by bucket
/// of its table, then by insertion. `Optional.hashCode` is the value's, 0 when empty.
fn java_map_order(names: &[Option<String>]) -> Vec<Option<String>> {
    let mut capacity = 16;
    while names.len() * 4 > capacity * 3 {
        capacity *= 2;
    }
    let bucket = |name: &Option<String>| {
        let hash = name.as_deref().map_or(0, partitioner::hash::java::string_hash_code) as u32;
        (hash ^ (hash >> 16)) & (capacity as u32 - 1)
    };
    let mut order = names.to_vec();
    order.sort_by_key(bucket);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(brokers: &[(u32, &str)], replication_factor: u32, expected: &[&[u32]]) {
        let brokers: Vec<_> =
            brokers.iter().map(|(id, rack)| (*id, Some(rack.to_string()).filter(|rack| !rack.is_empty()))).collect();
        let mut random = JavaRandom::new(17);
        let placed = place(&brokers, expected.len() as u32, replication_factor, &mut random);
        assert_eq!(placed.as_deref(), Ok(expected.iter().map(|list| list.to_vec()).collect::<Vec<_>>().as_slice()));
    }

    #[test]
    fn placement_repeats_the_published_rows() {
        let four = [(0, ""), (3, ""), (2, ""), (1, "")];
        check(&four, 3, &[&[2, 3, 0], &[3, 0, 1], &[0, 1, 2], &[1, 2, 3], &[1, 0, 2]]);
    }

    #[test]
    fn replicas_spread_over_racks() {
        let brokers: Vec<_> = [(1, "a"), (2, "a"), (3, "b"), (4, "b"), (5, "c"), (6, "c")]
            .map(|(id, rack)| (id, Some(rack.to_string())))
            .to_vec();
        let rack_of = |id: u32| (id - 1) / 2;
        for start in 0..50 {
            for replicas in
                place(&brokers, 12, 3, &mut JavaRandom::new(start)).expect("three racks hold three replicas")
            {
                let mut racks: Vec<_> = replicas.iter().map(|id| rack_of(*id)).collect();
                racks.sort_unstable();
                assert_eq!(racks, [0, 1, 2], "{replicas:?} from {start}");
            }
        }
    }

    #[test]
    fn two_replicas_of_two_hundred_partitions_are_spread_as_in_kafka() {
        let brokers: Vec<_> = (0..4).map(|id| (id, None)).collect();
        let placed = place(&brokers, 200, 2, &mut JavaRandom::new(17)).expect("four brokers hold two replicas");
        let count = |pair: [u32; 2]| placed.iter().filter(|replicas| replicas.as_slice() == pair).count();
        let counts = [[0, 1], [0, 2], [0, 3], [1, 0], [1, 2], [1, 3], [2, 0], [2, 1], [2, 3]].map(count);
        assert_eq!(counts, [14, 22, 14, 17, 17, 16, 13, 17, 20]);
    }

    #[test]
    fn too_many_replicas_are_refused_in_kafkas_words() {
        let refused = place(&[(1, None)], 1, 2, &mut JavaRandom::new(17));
        assert!(
            refused
                .is_err_and(|text| text.contains("replication factor of 2 cannot be reached because only 1 broker(s)"))
        );
    }
}
