//! Sequences of keyless choices, with a source of randomness that counts 0, 1, 2, ...
//!
//! Deliberately not here: the recorded sequences of the Java client; the workspace replays those.

use partitioner::{Keyless, KeylessSettings, View, client};

/// One record: the time in microseconds, its bytes, and whether its append opens a new batch.
#[derive(Clone, Copy)]
struct Record {
    at_us: u64,
    bytes: u32,
    opens: bool,
}

fn view<'a>(now_us: u64, partitions: u32, available: &'a [u32]) -> View<'a> {
    View { now_us, partitions, available, queue_sizes: None }
}

fn keyless(id: &str, settings: &KeylessSettings) -> Keyless {
    client(id).unwrap_or_else(|| panic!("{id} is not in the catalogue")).keyless(settings)
}

/// Sends `records` and expects these partitions.
#[track_caller]
fn check(
    id: &str,
    settings: KeylessSettings,
    partitions: u32,
    available: &[u32],
    records: &[Record],
    expected: &[u32],
) {
    let mut keyless = keyless(id, &settings);
    let mut next = 0;
    let mut random = || {
        next += 1;
        next - 1
    };
    let mut got = Vec::new();
    for record in records {
        let view = view(record.at_us, partitions, available);
        let mut partition = keyless.choose(&view, &mut random);
        if record.opens {
            partition = keyless.opens_new_batch(&view, partition, &mut random).unwrap_or(partition);
        }
        keyless.appended(record.bytes, true, &view, &mut random);
        got.push(partition);
    }
    assert_eq!(got, expected, "{id}");
}

fn each(count: usize, record: Record) -> Vec<Record> {
    vec![record; count]
}

const SMALL: Record = Record { at_us: 0, bytes: 10, opens: false };
const OPENS: Record = Record { at_us: 0, bytes: 10, opens: true };

#[test]
fn java_stays_until_batch_size_bytes_were_produced() {
    let settings = KeylessSettings { batch_size: 100, ..KeylessSettings::default() };
    let records = each(25, SMALL);
    let expected = [[0; 10].as_slice(), &[1; 10], &[2; 5]].concat();
    check("java", settings, 4, &[0, 1, 2, 3], &records, &expected);
}

#[test]
fn java_completes_a_postponed_switch_when_the_queue_was_drained() {
    let settings = KeylessSettings { batch_size: 100, ..KeylessSettings::default() };
    let mut keyless = keyless("java", &settings);
    let view = view(0, 4, &[0, 1, 2, 3]);
    let mut random = || 3;
    assert_eq!(keyless.choose(&view, &mut random), 3);
    let mut random = || 1;
    keyless.appended(120, false, &view, &mut random);
    assert_eq!((keyless.choose(&view, &mut random), keyless.produced_bytes()), (3, 120));
    keyless.complete_switch(&view, &mut random);
    assert_eq!((keyless.choose(&view, &mut random), keyless.produced_bytes()), (1, 0));
}

#[test]
fn java_keeps_its_table_of_weights_until_new_sizes_arrive() {
    let mut keyless = keyless("java", &KeylessSettings::default());
    let sizes = |queue_sizes| View { now_us: 0, partitions: 3, available: &[0, 1, 2], queue_sizes };
    let mut random = || 0;
    keyless.choose(&sizes(Some(&[0, 3, 1][..])), &mut random);
    assert_eq!(keyless.weights(), Some((&[0, 1, 2][..], &[4, 5, 8][..])));
    keyless.choose(&sizes(None), &mut random);
    assert!(keyless.weights().is_some());
    keyless.choose(&sizes(Some(&[0, View::LEFT_OUT, 1][..])), &mut random);
    assert_eq!(keyless.weights(), Some((&[0, 2][..], &[2, 3][..])));
    keyless.choose(&sizes(Some(&[0, 3][..])), &mut random);
    assert_eq!(keyless.weights(), None, "some partition has no queue yet");
}

#[test]
fn java_without_adaptive_partitioning_has_no_weights() {
    let mut keyless = keyless("java", &KeylessSettings { adaptive: false, ..KeylessSettings::default() });
    let view = View { now_us: 0, partitions: 2, available: &[0, 1], queue_sizes: Some(&[10, 0]) };
    keyless.choose(&view, &mut || 0);
    assert_eq!(keyless.weights(), None);
}

#[test]
fn java_2_4_changes_to_another_partition_with_every_new_batch() {
    let records = [SMALL, SMALL, OPENS, SMALL, OPENS];
    check("java-2.4", KeylessSettings::default(), 3, &[0, 1, 2], &records, &[0, 0, 1, 1, 2]);
    check("java-2.4", KeylessSettings::default(), 3, &[1], &records, &[1, 1, 1, 1, 1]);
}

#[test]
fn java_2_4_draws_again_until_the_partition_differs_and_never_forever() {
    let mut keyless = keyless("java-2.4", &KeylessSettings::default());
    let view = view(0, 3, &[0, 1, 2]);
    let first = keyless.choose(&view, &mut || 1);
    assert_eq!((first, keyless.opens_new_batch(&view, first, &mut || 1)), (1, Some(2)));
    assert_eq!(keyless.opens_new_batch(&view, 0, &mut || 1), Some(2), "another thread's batch changes nothing");
}

#[test]
fn java_0_9_goes_round_robin_over_available_partitions() {
    check("java-0.9", KeylessSettings::default(), 5, &[0, 2, 4], &each(5, SMALL), &[0, 2, 4, 0, 2]);
}

#[test]
fn the_round_robin_partitioner_loses_a_step_per_batch_until_4_0() {
    let settings = KeylessSettings::default();
    let all = [0, 1, 2, 3, 4, 5];
    for (partitions, expected) in
        [(2, [1, 1, 1, 1]), (3, [1, 0, 2, 1]), (4, [1, 3, 1, 3]), (5, [1, 3, 0, 2]), (6, [1, 3, 5, 1])]
    {
        check("java-2.4-round-robin", settings, partitions, &all[..partitions as usize], &each(4, OPENS), &expected);
    }
    check("java-round-robin", settings, 4, &all[..4], &each(5, OPENS), &[0, 1, 2, 3, 0]);
}

#[test]
fn librdkafka_draws_again_when_its_time_is_over() {
    let at = |ms: u64| Record { at_us: ms * 1000, ..SMALL };
    let records = [at(0), at(5), at(10), at(11), at(21), at(22)];
    check("librdkafka", KeylessSettings::default(), 4, &[0, 1, 2, 3], &records, &[0, 0, 0, 1, 1, 2]);
    let unsticky = KeylessSettings { linger_us: 0, ..KeylessSettings::default() };
    check("librdkafka", unsticky, 4, &[0, 1, 2, 3], &records, &[0, 1, 2, 3, 0, 1]);
    let longer = KeylessSettings { sticky_linger_us: Some(21_000), ..KeylessSettings::default() };
    check("librdkafka", longer, 4, &[0, 1, 2, 3], &records, &[0, 0, 0, 0, 0, 1]);
}

#[test]
fn librdkafka_draws_a_leaderless_partition_once_more() {
    check("librdkafka", KeylessSettings::default(), 4, &[1, 2, 3], &each(2, SMALL), &[1, 1]);
    let mut random = keyless("librdkafka-random", &KeylessSettings::default());
    let view = view(0, 4, &[0, 1, 2, 3]);
    let mut next = 0;
    let mut counting = || {
        next += 1;
        next - 1
    };
    let keyed: Vec<u32> = (0..3).map(|_| random.choose_keyed(&view, &mut counting)).collect();
    let null: Vec<u32> = (0..3).map(|_| random.choose(&view, &mut counting)).collect();
    assert_eq!((keyed, null), (vec![0, 1, 2], vec![3, 3, 3]));
}

#[test]
fn franz_go_moves_with_the_record_that_reaches_the_threshold() {
    let mut keyless = keyless("franz-go", &KeylessSettings::default());
    let view = view(0, 3, &[0, 1, 2]);
    let mut draws = [0x0000_0000, 0x7fff_ffff].into_iter();
    let mut random = || draws.next().unwrap();
    let mut sizes = vec![30_000, 30_000, 30_000, 30_000];
    let got: Vec<u32> = sizes.drain(..).map(|bytes| keyless.choose_for(bytes, &view, &mut random)).collect();
    assert_eq!(got, [0, 0, 1, 1]);
    assert_eq!((keyless.produced_bytes(), keyless.threshold_bytes()), (60_000, Some(65_536)));
}

#[test]
fn other_rules_choose_as_their_libraries_do() {
    let settings = KeylessSettings { given: 5, ..KeylessSettings::default() };
    let three = [0, 1, 2];
    check("kafka-go", settings, 3, &[0, 2], &each(4, SMALL), &[0, 1, 2, 0]);
    check("kafka-node", settings, 3, &three, &each(2, SMALL), &[0, 0]);
    check("kafka-node-high-level", settings, 3, &three, &each(4, SMALL), &[0, 1, 2, 0]);
    check("flink-fixed", settings, 3, &three, &each(2, SMALL), &[2, 2]);
    check("sarama", settings, 3, &[0, 2], &each(3, SMALL), &[0, 2, 0]);
    check("ruby-kafka", settings, 3, &[0, 2], &each(3, SMALL), &[0, 1, 2]);
    check("kafka-rust", settings, 3, &[0, 2], &each(3, SMALL), &[0, 2, 0]);
    check("franz-go-sticky-key", settings, 3, &three, &[SMALL, OPENS, OPENS], &[0, 1, 2]);
    let uneven = [Record { bytes: 30, ..SMALL }, SMALL, SMALL, SMALL, SMALL];
    check("kafka-go-least-bytes", settings, 3, &three, &uneven, &[0, 1, 2, 1, 2]);
}

#[test]
fn the_scala_producer_stays_until_metadata_is_refreshed() {
    let at = |minutes: u64| Record { at_us: minutes * 60_000_000, ..SMALL };
    check("scala-0.8.2", KeylessSettings::default(), 3, &[0, 1, 2], &[at(0), at(9), at(10), at(19)], &[0, 0, 1, 1]);
}

#[test]
fn a_partition_that_is_gone_is_left() {
    let mut keyless = keyless("java", &KeylessSettings::default());
    assert_eq!(keyless.choose(&view(0, 4, &[0, 1, 2, 3]), &mut || 3), 3);
    assert_eq!(keyless.choose(&view(0, 2, &[0, 1]), &mut || 3), 1);
}
