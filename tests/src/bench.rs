//! What the bench measures, as pure functions that return a checksum: they run natively and in wasm.
//!
//! Clocks, other programs and verdicts are in `tests/src/bin/bench/`.

pub mod assign;
pub mod rebalance;

use std::hint::black_box;

use engine::rng::Stream;
use engine::scenario::{KeyPattern, ProducerSpec, TopicSpec, Workload};
use engine::{Duration, Scenario, Time, Timeline};

/// Keys of one measurement.
pub const KEYS: usize = 100_000;
/// Partitions of the measured topic: not a power of two, as in the Java program.
pub const PARTITIONS: u32 = 48;
/// Milliseconds between two records of a producer of the busy cluster.
const BUSY_EVERY: u64 = 44;
/// Microseconds between two bursts of a producer of the loaded cluster, and records in each.
const LOAD_EVERY: u64 = 2_000;
const LOAD_BURST: u32 = 10;
/// Simulated seconds under load in which a million records are written.
pub const MILLION_RECORDS_SECONDS: u64 = 50;

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

/// The measured cluster: 3 brokers, 36 partitions, every one on all three, and producers that wait for all.
/// Each of the four producers sends `burst` records every `every`.
fn cluster(every: Duration, burst: u32) -> Scenario {
    let mut scenario = Scenario::empty(3);
    scenario.topics.push(TopicSpec {
        name: "events".to_string(),
        partitions: Some(36),
        replication_factor: Some(3),
        configs: [("min.insync.replicas".to_string(), "2".to_string())].into(),
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
                every: Some(every),
                burst: Some(burst),
                ..Workload::default()
            }),
            metadata_age: None,
            random_start: None,
            only: Vec::new(),
        });
    }
    scenario
}

/// The cluster at about 1,000 queue entries in a simulated second: what seeking is measured on.
pub fn busy() -> Scenario {
    cluster(Duration::from_millis(BUSY_EVERY), 1)
}

/// The cluster under load: what speed and memory are measured on.
pub fn loaded() -> Scenario {
    cluster(Duration(LOAD_EVERY), LOAD_BURST)
}

/// Records a second of the producer that fills its buffer, and simulated seconds that are measured.
pub const FILL_RATE: u32 = 10_000;
/// Simulated seconds of the minute in which a producer fills its buffer.
pub const FILL_SECONDS: u64 = 60;

/// A producer of 10,000 records a second in front of brokers that take 6,000: everything from `send` to the log,
/// with a pool that is full most of the time.
pub fn fill_the_buffer() -> Scenario {
    let mut scenario = Scenario::empty(3);
    scenario.cluster.batch_time = Some(Duration(2_500));
    scenario.topics.push(TopicSpec {
        name: "events".to_string(),
        partitions: Some(12),
        replication_factor: Some(1),
        ..TopicSpec::default()
    });
    let configs = [("linger.ms", "1000"), ("max.request.size", "16384")];
    scenario.producers.push(ProducerSpec {
        name: "app".to_string(),
        client: "java".to_string(),
        configs: configs.map(|(name, value)| (name.to_string(), value.to_string())).into(),
        workload: Some(Workload {
            topic: "events".to_string(),
            key_pattern: Some(KeyPattern { prefix: "key".to_string(), first: 100, count: 900 }),
            value_size: Some(1_018),
            partitions: Some(12),
            rate: Some(FILL_RATE),
            ..Workload::default()
        }),
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    });
    scenario
}

/// The same with brokers that take everything.
pub fn keep_up() -> Scenario {
    let mut scenario = fill_the_buffer();
    scenario.cluster.batch_time = None;
    scenario
}

/// A timeline that has been run for so many simulated seconds.
pub fn run(scenario: Scenario, seconds: u64) -> Timeline {
    let mut timeline = Timeline::new(scenario, ()).expect("the measured cluster is valid");
    timeline.advance_to(Time::from_millis(seconds * 1_000));
    timeline
}

/// Records in the logs, each counted once however many replicas have it.
pub fn records(timeline: &Timeline) -> u64 {
    let topics = timeline.snapshot(0).topics;
    topics.iter().flat_map(|topic| &topic.partitions).map(|partition| partition.record_count).sum()
}

/// Instants to seek to, spread over the whole run.
pub fn instants(count: u64, seconds: u64) -> Vec<Time> {
    let mut dice = Stream::new(1, "seek", "");
    (0..count).map(|_| Time(dice.below(seconds * 1_000_000))).collect()
}
