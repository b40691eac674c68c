//! Explanations: the sentence that a reader sees, and the steps behind it.
//!
//! Deliberately not here: how steps are drawn.

use partitioner::{Decision, SignRule, StepKind, client};

#[track_caller]
fn check(id: &str, key: Option<&str>, partitions: u32, expected: &str) {
    let client = client(id).unwrap_or_else(|| panic!("{id} is not in the catalogue"));
    assert_eq!(client.explain(key.map(str::as_bytes), partitions).sentence(), expected, "{id}");
}

#[test]
fn a_sentence_tells_hash_sign_and_modulo() {
    check("java", Some("cust-2"), 6, "cust-2 hashes to -1762245835; sign bit cleared 385237813; 385237813 mod 6 is 1.");
    check("librdkafka", Some("a"), 12, "a hashes to 3904355907; 3904355907 mod 12 is 3.");
    check("sarama", Some("abc"), 12, "abc hashes to 440920331; 440920331 mod 12 is 11.");
    check(
        "librdkafka-fnv1a",
        Some("a"),
        12,
        "a hashes to -468965076; negated if negative 468965076; 468965076 mod 12 is 0.",
    );
    check("event-hubs-python", Some("7"), 4, "7 hashes to -15263; -15263 mod 4, rounded down, is 1.");
    check(
        "java",
        Some("\u{0}\u{0}\u{0}*"),
        12,
        "0x0000002a hashes to 1606757304; sign bit cleared 1606757304; 1606757304 mod 12 is 0.",
    );
    check(
        "java",
        Some(""),
        12,
        "The empty key hashes to 275646681; sign bit cleared 275646681; 275646681 mod 12 is 9.",
    );
    check(
        "pykafka-hashing",
        Some("abc"),
        12,
        "abc hashes to 0xa9993e364706816aba3e25717850c26c9cd0d89d; the whole number mod 12 is 5.",
    );
}

#[test]
fn a_sentence_tells_why_a_key_is_not_hashed() {
    check("java", None, 6, "Not hashed, because the record has no key.");
    check("librdkafka", Some(""), 6, "The empty key is not hashed, because an empty key counts as no key here.");
    check(
        "kafka-go",
        Some("user-1"),
        6,
        "user-1 is not hashed, because this client ignores the key: it goes round robin, key or not.",
    );
    check("pykafka-hashing", None, 6, "Not hashed, because the record has no key, and this partitioner refuses that.");
    check("event-hubs-python", Some("é"), 6, "é is not hashed, because the key is not ASCII text.");
    check("java", Some("a"), 0, "a is not hashed, because the topic has no partitions.");
}

#[test]
fn murmur2_is_taken_apart_into_words_and_tail() {
    let explanation = client("java").unwrap().explain(Some(b"user-1"), 12);
    let Decision::Hashed(hashed) = explanation.decision else { panic!("java hashes this key") };
    let kinds: Vec<StepKind> = hashed.steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds[0], StepKind::Start { seed: 0x9747_b28c, length: 6 });
    assert_eq!(hashed.steps[0].state, 0x9747_b28a);
    assert!(matches!(kinds[1], StepKind::Word { offset: 0, word: 0x7265_7375, .. }));
    assert_eq!(kinds[2], StepKind::Tail { offset: 4, bits: 0x312d });
    assert_eq!(kinds[3..], [StepKind::Finish]);
    assert_eq!((hashed.raw.as_str(), hashed.value.hex().as_str()), ("1404122828", "0x53b136cc"));
    assert_eq!((hashed.sign, hashed.dividend, hashed.remainder), (SignRule::Mask, Some(1404122828), Some(8)));
}

#[test]
fn the_last_step_is_the_hash_and_long_keys_say_what_is_left_out() {
    for id in ["java", "librdkafka", "sarama"] {
        for length in [0, 1, 5, 250, 5000] {
            let explanation = client(id).unwrap().explain(Some(&vec![b'x'; length]), 12);
            let Decision::Hashed(hashed) = explanation.decision else { continue };
            let last = hashed.steps.last().unwrap();
            let complete = hashed.steps_left_out == 0;
            assert_eq!(complete, u64::from(last.state) == hashed.value.unsigned().unwrap(), "{id} {length}");
            assert!(hashed.steps.len() <= 256);
        }
    }
}
