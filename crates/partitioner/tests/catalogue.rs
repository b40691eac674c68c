//! The catalogue as its readers use it: ids, families, and places named in documentation and public reports.
//!
//! Deliberately not here: the hash functions on their own.

use std::collections::BTreeSet;

use partitioner::{Client, EmptyRule, KeyRule, NullRule, client, clients};

#[track_caller]
fn check(id: &str, key: &str, partitions: u32, expected: Option<u32>) {
    let client = client(id).unwrap_or_else(|| panic!("{id} is not in the catalogue"));
    assert_eq!(client.partition(Some(key.as_bytes()), partitions), expected, "{id} {key:?} of {partitions}");
    let explanation = client.explain(Some(key.as_bytes()), partitions);
    assert_eq!(explanation.partition(), expected, "{}", explanation.sentence());
    let mut many = Vec::new();
    client.partition_many(&[key], partitions, &mut many);
    assert_eq!(many, [expected.map_or(-1, |partition| partition as i32)], "{id} {key:?} of {partitions}, many");
}

#[test]
fn ids_are_unique_and_written_in_one_way() {
    let ids: BTreeSet<&str> = clients().iter().map(|client| client.id).collect();
    assert_eq!(ids.len(), clients().len());
    for id in ids {
        assert!(
            id.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_.".contains(letter)),
            "{id}"
        );
    }
}

#[test]
fn every_family_has_the_entry_that_names_it() {
    for entry in clients() {
        let head = client(entry.family).unwrap_or_else(|| panic!("{} belongs to {}", entry.id, entry.family));
        assert_eq!(head.family, head.id, "{}", entry.id);
    }
}

#[test]
fn every_text_is_written() {
    for Client { id, name, library, language, versions, partitioner, keyed, null_key, empty_key, .. } in clients() {
        for text in [name, library, language, versions, partitioner, keyed, null_key, empty_key] {
            assert!(!text.is_empty(), "{id}");
        }
    }
}

#[test]
fn a_client_that_ignores_keys_never_answers() {
    for client in clients().iter().filter(|client| !matches!(client.key_rule, KeyRule::Hash { .. })) {
        for key in [None, Some(&b""[..]), Some(b"user-1")] {
            assert_eq!(client.partition(key, 12), None, "{}", client.id);
        }
        assert_eq!(client.empty_rule, EmptyRule::Keyless, "{}", client.id);
    }
}

#[test]
fn a_missing_key_is_hashed_only_where_the_entry_says_so() {
    for client in clients() {
        let hashed = client.null_rule == NullRule::HashedAsEmpty;
        assert_eq!(client.partition(None, 12).is_some(), hashed, "{}", client.id);
        if hashed {
            assert_eq!(client.partition(None, 12), client.partition(Some(b""), 12), "{}", client.id);
        }
    }
}

#[test]
fn no_client_finds_a_partition_where_there_is_none() {
    for client in clients() {
        assert_eq!(client.partition(Some(b"user-1"), 0), None, "{}", client.id);
        let mut many = Vec::new();
        client.partition_many(&["user-1", ""], 0, &mut many);
        assert_eq!(many, [-1, -1], "{}", client.id);
    }
}

#[test]
fn reported_cases_are_reproduced() {
    let debezium = r#"Struct{documentKey={"_id": "638d1b94ce8def06be68b439"}}"#;
    check("java", debezium, 50, Some(40));
    check("confluent-kafka-python", debezium, 50, Some(36));
    check("node-rdkafka", "TT0124", 15, Some(9));
    check("kafkajs", "TT0124", 15, Some(10));
    check("java", "354afe16-939a-4ea8-8e17-8bb0840b6886", 10, Some(4));
    check("node-rdkafka", "354afe16-939a-4ea8-8e17-8bb0840b6886", 10, Some(9));
    check("kafkajs", "100:48069", 12, Some(9));
    check("kafkajs-1", "100:48069", 12, Some(6));
    check("sarama", "1468509572224", 50, Some(48));
}

#[test]
fn documented_examples_are_reproduced() {
    for (id, key, partitions, expected) in [
        ("librdkafka", "hejsan", 17, 14),
        ("librdkafka-murmur2", "hejsan", 17, 5),
        ("librdkafka-fnv1a", "hejsan", 17, 4),
        ("sarama-crc32", "abc123def456", 100, 57),
        ("sarama-crc32", "SheetJS", 100, 26),
        ("sarama-custom-crc32", "SheetJS", 100, 70),
        ("sarama-murmur2", "sarama", 100, 11),
        ("sarama", "", 12, 3),
        ("sarama", "", 16, 11),
        ("kafka-go-hash", "castle", 3, 0),
        ("kafka-go-hash", "20", 16, 1),
        ("kafka-go-reference", "20", 16, 15),
        ("kafka-go-murmur2", "123456789", 1000, 566),
        ("kafka-python", "", 1000, 681),
        ("kafka-node-keyed", "12345", 2, 1),
        ("kafka-node-keyed", "123", 2, 0),
        ("ruby-kafka", "yolo", 3, 0),
        ("ruby-kafka", "hey", 3, 2),
        ("ruby-kafka-murmur2", "hey", 3, 1),
        ("ruby-kafka", "", 3, 0),
        ("event-hubs", "7", 4, 3),
        ("event-hubs-python", "7", 4, 1),
        ("karafka", "测试键值🚀", 25, 22),
        ("karafka-partition_key", "测试键值🚀", 25, 4),
        ("spring-cloud-stream", "42", 12, 6),
        ("scala-0.8.2", "polygenelubricants", 12, 0),
    ] {
        check(id, key, partitions, Some(expected));
    }
}

#[test]
fn an_empty_key_is_a_key_for_some_and_none_for_others() {
    check("java", "", 12, Some(9));
    check("librdkafka", "", 12, None);
    check("librdkafka-consistent", "", 12, Some(0));
    check("kafka-rust", "", 12, None);
    check("kafka-go-crc32", "", 12, None);
    check("redpanda-http-proxy", "", 12, None);
    check("event-hubs-python", "é", 12, None);
}

#[test]
fn many_keys_are_placed_as_one_by_one() {
    let lengths = (0..40).chain([63, 64, 65, 100, 257]);
    let mixed: Vec<Vec<u8>> = (0..1000usize).map(|seed| key(seed, seed * 7 % 41)).collect();
    let equal = lengths.map(|length| (0..150).map(|seed| key(seed, length)).collect::<Vec<_>>());
    for keys in equal.chain([mixed]) {
        for client in clients() {
            for partitions in [1, 2, 3, 48, 50, 1_000_003] {
                let mut many = vec![7];
                client.partition_many(&keys, partitions, &mut many);
                let one =
                    |key: &Vec<u8>| client.partition(Some(key), partitions).map_or(-1, |partition| partition as i32);
                let expected: Vec<i32> = [7].into_iter().chain(keys.iter().map(one)).collect();
                assert_eq!(many, expected, "{} of {partitions}", client.id);
            }
        }
    }
}

fn key(seed: usize, length: usize) -> Vec<u8> {
    let mut state = seed as u32 + 1;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(|_| byte()).collect()
}
