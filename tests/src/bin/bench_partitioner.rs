//! Times the partitioner crate on fixed keys and prints one JSON object a line: name, size, ns_per_op.
//!
//! The keys, the partition count, the warm-up and the median of seven rounds are those of the program that times
//! Java's `Utils.murmur2`, so the two can be compared when they run on one machine one after the other.
//!
//! Deliberately not here: a verdict. The caller of this program compares the lines.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use partitioner::Client;

const KEYS: usize = 100_000;
const PARTITIONS: u32 = 48;
const ROUNDS: usize = 7;
const WARM_UP: Duration = Duration::from_millis(500);

fn main() {
    let murmur2 = partitioner::client("java").expect("java is in the catalogue");
    let crc32 = partitioner::client("librdkafka").expect("librdkafka is in the catalogue");
    for length in [8, 16, 32, 64] {
        let keys = keys(KEYS, length);
        for (name, client) in [("murmur2", murmur2), ("crc32", crc32)] {
            let size = format!("{length} byte keys");
            time(&format!("native/{name}-partition-one"), &size, || one(client, &keys));
            let mut out = Vec::with_capacity(KEYS);
            time(&format!("native/{name}-partition-many"), &size, || many(client, &keys, &mut out));
        }
    }
}

fn one(client: &Client, keys: &[Vec<u8>]) -> u64 {
    let partitions = black_box(PARTITIONS);
    keys.iter().map(|key| u64::from(client.partition(Some(key), partitions).unwrap_or(0))).sum()
}

fn many(client: &Client, keys: &[Vec<u8>], out: &mut Vec<i32>) -> u64 {
    out.clear();
    client.partition_many(keys, black_box(PARTITIONS), out);
    out.iter().map(|partition| u64::from(partition.unsigned_abs())).sum()
}

/// Letters from a xorshift generator, one number a letter.
fn keys(count: usize, length: usize) -> Vec<Vec<u8>> {
    let mut x = 88_172_645_463_325_252_i64;
    let mut letter = || {
        x ^= x << 13;
        x ^= ((x as u64) >> 7) as i64;
        x ^= x << 17;
        b'a' + x.rem_euclid(26) as u8
    };
    (0..count).map(|_| (0..length).map(|_| letter()).collect()).collect()
}

fn time(name: &str, size: &str, mut body: impl FnMut() -> u64) {
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        black_box(body());
    }
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(body());
            start.elapsed().as_nanos() as f64 / KEYS as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    let ns_per_op = rounds[ROUNDS / 2];
    println!("{{\"name\":\"{name}\",\"size\":\"{size}\",\"ns_per_op\":{ns_per_op:.2}}}");
}
