//! Recorded keyless choices of the Java client, with the random source replaced by 0, 1, 2, ...
//!
//! Deliberately not here: queues. The recordings say what the queue looks like; nothing is batched.

use partitioner::{Keyless, KeylessRule, KeylessSettings, View};
use serde_json::Value;

use super::{Result, list, number, numbers};

/// The recordings of `sticky_bytes` were made on a topic of four partitions.
const STICKY_PARTITIONS: u32 = 4;

pub(super) fn run(sequences: &Value) -> Vec<(String, Result)> {
    let Some(sequences) = sequences.as_object() else {
        return vec![("java_keyless_sequences".into(), Err("java_keyless_sequences must be an object".into()))];
    };
    let mut cases = Vec::new();
    for (kind, entries) in sequences.iter().filter(|(kind, _)| !matches!(kind.as_str(), "library" | "note" | "source"))
    {
        let name = format!("java_keyless_sequences/{kind}");
        let compare: fn(&Value) -> Result = match kind.as_str() {
            "sticky_bytes" => sticky_bytes,
            "adaptive" => adaptive,
            "availability" => availability,
            "round_robin" => round_robin,
            _ => {
                cases.push((name, Err(format!("unknown sequence {kind:?}"))));
                continue;
            }
        };
        match list(entries, kind) {
            Ok(entries) => cases
                .extend(entries.iter().enumerate().map(|(index, entry)| (format!("{name}[{index}]"), compare(entry)))),
            Err(error) => cases.push((name, Err(error))),
        }
    }
    cases
}

fn sticky_bytes(entry: &Value) -> Result {
    let batch_size = number(&entry["sticky_batch_size"], "sticky_batch_size")?;
    let no_incomplete_batch = entry["enable_switch"].as_bool().ok_or("enable_switch must be true or false")?;
    let appended = numbers(&entry["appended_bytes"], "appended_bytes")?;
    let mut keyless = java(KeylessSettings { batch_size, ..KeylessSettings::default() });
    let available: Vec<u32> = (0..STICKY_PARTITIONS).collect();
    let view = View { now_us: 0, partitions: STICKY_PARTITIONS, available: &available, queue_sizes: None };
    let mut random = counting_from(0);
    let mut got = Vec::new();
    for bytes in appended {
        got.push(keyless.choose(&view, &mut random));
        keyless.appended(bytes, no_incomplete_batch, &view, &mut random);
    }
    got.push(keyless.choose(&view, &mut random));
    check(&entry["record_partitions_then_next"], "record_partitions_then_next", &got)
}

fn adaptive(entry: &Value) -> Result {
    let sizes = numbers(&entry["queue_sizes"], "queue_sizes")?;
    let available: Vec<u32> = (0..sizes.len() as u32).collect();
    let view = View { now_us: 0, partitions: sizes.len() as u32, available: &available, queue_sizes: Some(&sizes) };
    let mut keyless = java(KeylessSettings::default());
    keyless.choose(&view, &mut counting_from(0));
    let total = keyless.weights().and_then(|(_, cumulated)| cumulated.last().copied());
    let range_end = total.map_or(-1, |total| total as i64);
    if entry["range_end"].as_i64() != Some(range_end) {
        return Err(format!("range_end: expected {}, got {range_end}", entry["range_end"]));
    }
    check_draws(entry, &view)
}

fn availability(entry: &Value) -> Result {
    let partitions = number(&entry["partitions"], "partitions")?;
    let leaderless = numbers(&entry["no_leader"], "no_leader")?;
    let available: Vec<u32> = (0..partitions).filter(|partition| !leaderless.contains(partition)).collect();
    check_draws(entry, &View { now_us: 0, partitions, available: &available, queue_sizes: None })
}

/// One fresh draw for each of the random numbers 0, 1, 2, ...
fn check_draws(entry: &Value, view: &View) -> Result {
    let field = "partition_for_random_0_1_2";
    let draws = list(&entry[field], field)?.len() as u32;
    let draw = |number| java(KeylessSettings::default()).choose(view, &mut counting_from(number));
    check(&entry[field], field, &(0..draws).map(draw).collect::<Vec<_>>())
}

fn round_robin(entry: &Value) -> Result {
    let case = entry["case"].as_str().ok_or("case must be a text")?;
    let (partitions, leaderless) = read_case(case)?;
    let available: Vec<u32> = (0..partitions).filter(|partition| !leaderless.contains(partition)).collect();
    let view = View { now_us: 0, partitions, available: &available, queue_sizes: None };
    let client = partitioner::client("java-2.4-round-robin").expect("the catalogue has the old RoundRobinPartitioner");
    let mut keyless = client.keyless(&KeylessSettings::default());
    let doubled =
        case.contains("new batch") && case.contains("twice") || case.contains("every record opens a new batch");
    let mut random = counting_from(0);
    let records = list(&entry["partitions"], "partitions")?.len();
    let mut got = Vec::new();
    for _ in 0..records {
        let chosen = keyless.choose(&view, &mut random);
        let again = if doubled { keyless.opens_new_batch(&view, chosen, &mut random) } else { None };
        got.push(again.unwrap_or(chosen));
    }
    check(&entry["partitions"], "partitions", &got)
}

/// "5 partitions, 1 and 3 leaderless": the count, and the partitions without a leader.
fn read_case(case: &str) -> std::result::Result<(u32, Vec<u32>), String> {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
    };
    let (count, rest) = case.split_once("partition").ok_or("case must say how many partitions there are")?;
    let [count] = numbers(count)[..] else {
        return Err("case must begin with the number of partitions".into());
    };
    let leaderless = rest.find("leaderless").map_or(Vec::new(), |end| numbers(&rest[..end]));
    Ok((count, leaderless))
}

fn java(settings: KeylessSettings) -> Keyless {
    Keyless::new(KeylessRule::StickyBytes, &settings)
}

fn counting_from(first: u32) -> impl FnMut() -> u32 {
    let mut next = first;
    move || {
        next += 1;
        next - 1
    }
}

fn check(expected: &Value, place: &str, got: &[u32]) -> Result {
    let expected = numbers(expected, place)?;
    let different = expected.iter().zip(got).position(|(expected, got)| expected != got);
    match different {
        Some(index) => Err(format!("{place}[{index}]: expected {}, got {}", expected[index], got[index])),
        None if expected.len() != got.len() => {
            Err(format!("{place}: expected {} numbers, got {}", expected.len(), got.len()))
        }
        None => Ok(()),
    }
}
