//! What the bench measures, as pure functions that return a checksum: they run natively and in wasm.
//!
//! Clocks, other programs and verdicts are in `tests/src/bin/bench/`.

use std::hint::black_box;

use engine::rng::Stream;
use engine::scenario::{Brokers, KeyPattern, ProducerSpec, TopicSpec, Workload};
use engine::{Duration, Scenario, Time, Timeline};

/// Keys of one measurement.
pub const KEYS: usize = 100_000;
/// Partitions of the measured topic: not a power of two, as in the Java program.
pub const PARTITIONS: u32 = 48;

/// Letters from a xorshift generator, one number a letter: the keys of the Java program.
pub fn keys(length: usize) -> Vec<Vec<u8>> {
    let mut x = 88_172_645_463_325_252_i64;
    let mut letter = || {
        x ^= x << 13;
        x ^= ((x as u64) >> 7) as i64;
        x ^= x << 17;
        b'a' + x.rem_euclid(26) as u8
    };
    (0..KEYS).map(|_| (0..length).map(|_| letter()).collect()).collect()
}

/// Places the keys one by one.
pub fn place_one_by_one(client: &str, keys: &[Vec<u8>]) -> u64 {
    let client = partitioner::client(client).expect("the bench names clients of the catalogue");
    let partitions = black_box(PARTITIONS);
    keys.iter().map(|key| u64::from(client.partition(Some(key), partitions).unwrap_or(0))).sum()
}

/// Places all keys in one call.
pub fn place_many(client: &str, keys: &[Vec<u8>], out: &mut Vec<i32>) -> u64 {
    let client = partitioner::client(client).expect("the bench names clients of the catalogue");
    out.clear();
    client.partition_many(keys, black_box(PARTITIONS), out);
    out.iter().map(|partition| u64::from(partition.unsigned_abs())).sum()
}

/// A cluster that handles about 1,000 queue entries in a simulated second.
pub fn busy() -> Scenario {
    let mut scenario = Scenario::empty(3);
    scenario.cluster.brokers = Brokers::Count(3);
    scenario.topics.push(TopicSpec {
        name: "events".to_string(),
        partitions: Some(12),
        replication_factor: Some(1),
        ..TopicSpec::default()
    });
    for (number, client) in ["java", "librdkafka", "sarama", "java"].into_iter().enumerate() {
        scenario.producers.push(ProducerSpec {
            name: format!("producer-{number}"),
            client: client.to_string(),
            configs: Default::default(),
            workload: Some(Workload {
                topic: "events".to_string(),
                key_pattern: Some(KeyPattern { prefix: "user-".to_string(), first: 1, count: 1_000 }),
                value: Some("login".to_string()),
                every: Some(Duration::from_millis(14)),
                ..Workload::default()
            }),
            metadata_age: None,
            random_start: None,
        });
    }
    scenario
}

/// A timeline of the busy cluster that has been run for so many simulated seconds.
pub fn run(seconds: u64) -> Timeline {
    let mut timeline = Timeline::new(busy(), ()).expect("the busy cluster is valid");
    timeline.advance_to(Time::from_millis(seconds * 1_000));
    timeline
}

/// Instants to seek to, spread over the whole run.
pub fn instants(count: u64, seconds: u64) -> Vec<Time> {
    let mut dice = Stream::new(1, "seek", "");
    (0..count).map(|_| Time(dice.below(seconds * 1_000_000))).collect()
}
