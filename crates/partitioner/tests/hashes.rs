//! Worked examples of the hash functions and of the partitions that follow from them.
//!
//! Deliberately not here: recordings of the real libraries; the workspace replays those.

use partitioner::hash::{fnv1a::fnv1a, java, lookup3, murmur2::murmur2};
use partitioner::{HashFunction, SignRule};

/// A key; murmur2 as Java reads it; crc32; fnv1a; phash2; xxh32; KafkaJS before 2.0; kafka-node.
type Row = (&'static str, i32, u32, u32, u32, u32, i32, u32);

const HASHES: [Row; 10] = [
    ("", 275646681, 0, 2166136261, 13708901, 46947589, 275646684, 1),
    ("a", -1563381124, 3904355907, 3826002220, 112802447, 1426945110, -809885833, 97),
    ("abc", 479470107, 891568578, 440920331, 98228475, 852579327, 1545667907, 96354),
    ("21", -973932308, 4252452532, 2364708844, 1218034, 4061434644, -595812486, 1599),
    ("foobar", -790332482, 2666930069, 3214735720, 89781437, 3986901679, -309133275, 878604685),
    ("42", 417700972, 841265288, 2279835011, 22695325, 425741723, -147002502, 1662),
    ("user-1", 1404122828, 2116437524, 4115888500, 54071737, 2755638957, 1870079983, 1311451823),
    ("100:48069", 1009543857, 3292536894, 1664364183, 125501487, 3317158919, 1713501762, 745328422),
    ("1468509572224", -1623571823, 1398823225, 2147483648, 19941719, 456720041, 372474471, 1622032925),
    ("测试键值🚀", -1277052904, 2662044647, 2984329884, 8199851, 2740808605, -149152197, 2009871899),
];

/// Function and sign rule, and the partitions of the keys of `HASHES`, in their order, with 12 partitions.
const OF_TWELVE: [(HashFunction, SignRule, [u32; 10]); 11] = [
    (HashFunction::Murmur2, SignRule::Mask, [9, 4, 3, 0, 6, 4, 8, 9, 9, 4]),
    (HashFunction::Murmur2, SignRule::Unsigned, [9, 0, 3, 8, 2, 4, 8, 9, 5, 0]),
    (HashFunction::Crc32, SignRule::Unsigned, [0, 3, 6, 4, 5, 8, 8, 6, 1, 11]),
    (HashFunction::Crc32, SignRule::SignedNegate, [0, 1, 6, 0, 11, 8, 8, 10, 1, 5]),
    (HashFunction::Fnv1a, SignRule::SignedNegate, [3, 0, 11, 0, 0, 5, 0, 3, 8, 4]),
    (HashFunction::Fnv1a, SignRule::Mask, [5, 8, 11, 8, 8, 3, 8, 3, 0, 4]),
    (HashFunction::Fnv1a, SignRule::Unsigned, [1, 4, 11, 4, 4, 11, 4, 3, 8, 0]),
    (HashFunction::Phash2, SignRule::Unsigned, [5, 11, 3, 10, 5, 1, 1, 3, 11, 11]),
    (HashFunction::XxHash32, SignRule::Unsigned, [1, 6, 3, 0, 7, 11, 9, 11, 5, 1]),
    (HashFunction::KafkaJsLegacy, SignRule::Mask, [0, 7, 11, 2, 5, 2, 7, 6, 3, 11]),
    (HashFunction::KafkaNode, SignRule::Unsigned, [1, 1, 6, 3, 1, 6, 11, 10, 5, 11]),
];

#[track_caller]
fn check(function: HashFunction, key: &[u8], expected: i64) {
    let value = function.hash(key);
    let got = if expected < 0 { value.signed() } else { value.unsigned().map(|hash| hash as i64) };
    assert_eq!(got, Some(expected), "{} of {key:02x?}", function.name());
}

#[test]
fn every_function_gives_its_worked_examples() {
    for (key, murmur2, crc32, fnv1a, phash2, xxh32, kafkajs, kafka_node) in HASHES {
        let key = key.as_bytes();
        check(HashFunction::Murmur2, key, murmur2.into());
        check(HashFunction::Crc32, key, crc32.into());
        check(HashFunction::Fnv1a, key, fnv1a.into());
        check(HashFunction::Phash2, key, phash2.into());
        check(HashFunction::XxHash32, key, xxh32.into());
        check(HashFunction::KafkaJsLegacy, key, kafkajs.into());
        check(HashFunction::KafkaNode, key, kafka_node.into());
    }
}

#[test]
fn every_rule_places_its_worked_examples() {
    for (function, sign, partitions) in OF_TWELVE {
        for ((key, ..), expected) in HASHES.into_iter().zip(partitions) {
            let hash = function.hash(key.as_bytes()).unsigned().unwrap() as u32;
            assert_eq!(sign.partition(hash, 12), Some(expected), "{function:?} {sign:?} of {key:?}");
        }
    }
}

#[test]
fn murmur2_gives_the_vectors_of_kafka() {
    for (key, expected) in [
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        ("abc", 479470107),
    ] {
        check(HashFunction::Murmur2, key.as_bytes(), expected);
    }
}

/// Kafka's `UtilsTest.testMurmur2Checksum`: 100 random keys of every length from 0 to 1000, hashes as unsigned.
#[test]
fn murmur2_gives_the_checksum_of_kafka() {
    let mut random = SplittableRandom(0);
    let mut checksum = 0i64;
    for length in 0..=1000 {
        for _ in 0..100 {
            checksum += i64::from(murmur2(&random.bytes(length)));
        }
    }
    assert_eq!(checksum, 0xc3b8_cf7c_99fc);
}

/// The numbers of `java.util.SplittableRandom`.
struct SplittableRandom(u64);

impl SplittableRandom {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(length);
        bytes
    }
}

/// Keys whose hash is at an edge of the sign, found by search.
#[test]
fn hashes_reach_the_edges_of_the_sign() {
    for (function, key, expected) in [
        (HashFunction::Murmur2, &[0xe3, 0x87, 0x18, 0x44][..], 0),
        (HashFunction::Murmur2, &[0x03, 0x9d, 0x77, 0xd8], 1),
        (HashFunction::Murmur2, &[0x02, 0x7d, 0x53, 0x43], 0x7fff_ffff),
        (HashFunction::Murmur2, &[0xa7, 0xd6, 0x50, 0x6c], 0x8000_0000),
        (HashFunction::Murmur2, &[0x33, 0x34, 0xf6, 0xa5], 0x8000_0001),
        (HashFunction::Murmur2, &[0xa5, 0xd4, 0x30, 0x5c], 0xffff_ffff),
        (HashFunction::Crc32, &[0x9d, 0x0a, 0xd9, 0x6d], 0),
        (HashFunction::Crc32, &[0xdc, 0x0c, 0xa8, 0xb6], 1),
        (HashFunction::Crc32, &[0x2c, 0x70, 0xca, 0xa4], 0x7fff_ffff),
        (HashFunction::Crc32, &[0x4e, 0x85, 0xec, 0x36], 0x8000_0000),
        (HashFunction::Crc32, &[0x0f, 0x83, 0x9d, 0xed], 0x8000_0001),
        (HashFunction::Crc32, &[0xff, 0xff, 0xff, 0xff], 0xffff_ffff),
        (HashFunction::Fnv1a, &[0xcc, 0x24, 0x31, 0xc4], 0),
        (HashFunction::Fnv1a, &[0x2e, 0xa0, 0x6d, 0xcf], 0x7fff_ffff),
        (HashFunction::Fnv1a, b"1468509572224", 0x8000_0000),
        (HashFunction::Fnv1a, &[0xf5, 0x34, 0x17, 0x7a], 0x8000_0001),
    ] {
        check(function, key, expected);
    }
}

#[test]
fn kafkajs_before_2_gives_its_own_table() {
    for (key, java, legacy) in [
        ("0", 971027396, 272173970),
        ("1", -1993445489, 1311020360),
        ("128", -326012175, 2053105854),
        ("2187", -1508407203, -2081355488),
        ("16384", -325739742, 204404061),
        ("100:48069", 1009543857, 1713501762),
    ] {
        check(HashFunction::Murmur2, key.as_bytes(), java);
        check(HashFunction::KafkaJsLegacy, key.as_bytes(), legacy);
    }
}

#[test]
fn java_hash_codes_differ_from_murmur2_and_from_one_another() {
    assert_eq!(java::string_hash_code("42"), 1662);
    assert_eq!(java::integer_hash_code(42), 42);
    assert_eq!(java::long_hash_code(42), 42);
    assert_eq!(java::long_hash_code(-1), 0);
    assert_eq!(java::bytes_hash_code(b""), 1);
    assert_eq!(java::bytes_hash_code(&[0xff]), 30);
    assert_eq!(java::string_hash_code("polygenelubricants"), i32::MIN);
}

#[test]
fn event_hubs_folds_lookup3_to_sixteen_bits() {
    for (key, expected) in [
        ("7", -15263),
        ("FWfAT", -22341),
        ("sOdeEAsyQoEuEFPGerWO", -6503),
        ("!c*_!I@1^c", 15372),
        ("p4*!jioeO/z-!-;w:dh", -3104),
        ("$0cb", 26269),
        ("-4189260826195535198", 453),
        ("", 0),
    ] {
        assert_eq!(lookup3::event_hubs(key.as_bytes()), expected, "{key:?}");
    }
}

#[test]
fn an_offset_basis_is_the_hash_of_nothing() {
    assert_eq!(fnv1a(b""), 0x811c_9dc5);
    assert_eq!(SignRule::AbsFirst.dividend(fnv1a(b"")), 0x7ee3_623b);
}
