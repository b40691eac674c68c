//! Where the replicas of new partitions go: striped over racks and brokers.
//!
//! Follows `StripedReplicaPlacer` of Kafka 4.3.1. Who leads the new partitions is not decided here.

use std::collections::BTreeMap;

use crate::order::Order;
use crate::rng::JavaRandom;

/// A broker that may hold replicas. Fenced ones get replicas only when no other is left in their rack.
#[derive(Clone, Debug)]
pub(crate) struct UsableBroker {
    pub id: u32,
    pub rack: Option<String>,
    pub is_fenced: bool,
}

/// Brokers of one rack that are alike, with the state of the stripe.
#[derive(Debug, Default)]
struct RackBrokers {
    brokers: Vec<u32>,
    offset: u32,
    index: u32,
    epoch: u32,
}

/// The brokers of one rack.
#[derive(Debug, Default)]
struct Rack {
    fenced: RackBrokers,
    unfenced: RackBrokers,
}

impl RackBrokers {
    fn next(&mut self, epoch: u32) -> Option<u32> {
        let size = self.brokers.len() as u32;
        if size == 0 {
            return None;
        }
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

    fn begin(&mut self, random: &mut JavaRandom) {
        self.brokers.sort_unstable();
        if !self.brokers.is_empty() {
            self.offset = random.next_int(self.brokers.len() as u32);
        }
    }
}

/// Places the partitions of one request.
#[derive(Debug)]
struct Placer<'a> {
    racks: BTreeMap<Option<String>, Rack>,
    /// Racks in the iteration order of the Java map that Kafka keeps them in.
    visit_order: Vec<Option<String>>,
    names: Vec<Option<String>>,
    rack_offset: u32,
    stripe_epoch: u32,
    unfenced_count: u32,
    random: &'a mut JavaRandom,
}

/// Replica lists for `count` new partitions, the preferred leader first.
/// The error is Kafka's text.
pub(crate) fn place(
    brokers: &[UsableBroker],
    count: u32,
    replication_factor: u32,
    random: &mut JavaRandom,
) -> Result<Vec<Vec<u32>>, String> {
    if replication_factor == 0 {
        return Err("Invalid replication factor 0: the replication factor must be positive.".to_string());
    }
    if brokers.iter().all(|broker| broker.is_fenced) {
        return Err("All brokers are currently fenced, or have all their log directories cordoned.".to_string());
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
    fn new(brokers: &[UsableBroker], random: &'a mut JavaRandom) -> Placer<'a> {
        let mut racks: BTreeMap<Option<String>, Rack> = BTreeMap::new();
        for broker in brokers {
            let rack = racks.entry(broker.rack.clone()).or_default();
            let list = if broker.is_fenced { &mut rack.fenced } else { &mut rack.unfenced };
            list.brokers.push(broker.id);
        }
        // "No rack" sorts first here as in Kafka.
        let names: Vec<_> = racks.keys().cloned().collect();
        let visit_order = java_map_order(&names);
        for name in &visit_order {
            let rack = racks.get_mut(name).expect("the visit order lists the racks of the map");
            rack.fenced.begin(random);
            rack.unfenced.begin(random);
        }
        let rack_offset = random.next_int(names.len() as u32);
        let unfenced_count = brokers.iter().filter(|broker| !broker.is_fenced).count() as u32;
        Placer { racks, visit_order, names, rack_offset, stripe_epoch: 0, unfenced_count, random }
    }

    fn partition(&mut self, replication_factor: u32) -> Vec<u32> {
        if self.stripe_epoch == self.unfenced_count && self.unfenced_count > 1 {
            self.shuffle();
        }
        let rack_count = self.names.len() as u32;
        self.rack_offset %= rack_count;
        let epoch = self.stripe_epoch;
        let mut first = self.rack_offset;
        let leader = loop {
            match self.rack(first).unfenced.next(epoch) {
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
            } else {
                let brokers = self.rack(rack);
                replicas.extend(brokers.unfenced.next(epoch).or_else(|| brokers.fenced.next(epoch)));
            }
            rack = (rack + 1) % rack_count;
        }
        self.stripe_epoch += 1;
        self.rack_offset += 1;
        replicas
    }

    fn rack(&mut self, rack: u32) -> &mut Rack {
        let name = &self.names[rack as usize];
        self.racks.get_mut(name).expect("names lists the racks of the map")
    }

    fn shuffle(&mut self) {
        self.random.shuffle(&mut self.names);
        for name in &self.visit_order {
            let rack = self.racks.get_mut(name).expect("the visit order lists the racks of the map");
            self.random.shuffle(&mut rack.fenced.brokers);
            self.random.shuffle(&mut rack.unfenced.brokers);
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
    order.order_by_key(bucket);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brokers as in `3 1f 0`, with their racks behind a slash, and the lists of as many partitions.
    fn check(brokers: &str, replication_factor: u32, expected: &[&[u32]]) {
        let mut random = JavaRandom::new(17);
        let placed = place(&usable(brokers), expected.len() as u32, replication_factor, &mut random);
        let expected: Vec<_> = expected.iter().map(|list| list.to_vec()).collect();
        assert_eq!(placed.as_deref(), Ok(expected.as_slice()), "{brokers}");
    }

    fn usable(brokers: &str) -> Vec<UsableBroker> {
        let broker = |text: &str| {
            let (id, rack) = text.split_once('/').map_or((text, None), |(id, rack)| (id, Some(rack.to_string())));
            let id_alone = id.trim_end_matches('f');
            UsableBroker { id: id_alone.parse().unwrap(), rack, is_fenced: id != id_alone }
        };
        brokers.split_whitespace().map(broker).collect()
    }

    #[test]
    fn placement_repeats_the_published_rows() {
        check("0 3 2 1", 3, &[&[2, 3, 0], &[3, 0, 1], &[0, 1, 2], &[1, 2, 3], &[1, 0, 2]]);
        check("3 1f 0 4 2", 4, &[&[3, 4, 0, 2], &[4, 0, 2, 3], &[0, 2, 3, 4], &[2, 3, 4, 0], &[0, 4, 3, 2]]);
        check("3 1f 2", 3, &[&[3, 2, 1], &[2, 3, 1], &[3, 2, 1], &[2, 3, 1]]);
        check("11/1 10/1 30/3 31/3 21/2 20f/2", 4, &[&[11, 21, 31, 10], &[21, 30, 10, 20], &[31, 11, 21, 30]]);
        check(
            "11/1 10/1 30f/3 31f/3 20f/2 21f/2 41/4 40f/4",
            4,
            &[&[41, 11, 21, 30], &[10, 20, 31, 41], &[41, 21, 30, 11]],
        );
    }

    #[test]
    fn replicas_spread_over_racks() {
        let brokers = usable("1/a 2/a 3/b 4/b 5/c 6/c");
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
        let brokers = usable("0 1 2 3");
        let placed = place(&brokers, 200, 2, &mut JavaRandom::new(17)).expect("four brokers hold two replicas");
        let count = |pair: [u32; 2]| placed.iter().filter(|replicas| replicas.as_slice() == pair).count();
        let counts = [[0, 1], [0, 2], [0, 3], [1, 0], [1, 2], [1, 3], [2, 0], [2, 1], [2, 3]].map(count);
        assert_eq!(counts, [14, 22, 14, 17, 17, 16, 13, 17, 20]);
    }

    #[test]
    fn too_many_replicas_are_refused_in_kafkas_words() {
        let refused = |brokers, factor| place(&usable(brokers), 1, factor, &mut JavaRandom::new(17)).unwrap_err();
        assert!(refused("1", 2).contains("replication factor of 2 cannot be reached because only 1 broker(s)"));
        assert!(refused("1f 2f", 1).starts_with("All brokers are currently fenced"));
    }
}
