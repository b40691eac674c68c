//! From the names in recordings to rules of the catalogue, as data: "librdkafka" and "consistent_random", or
//! "segmentio/kafka-go" and "Hash{Hasher: crc32.NewIEEE()}".
//!
//! Deliberately not here: guesses. A name that no row knows is a failure, so that a new partitioner is noticed.

use partitioner::{Client, HashFunction, HashInput, KeyRule, SignRule};
use serde_json::Value;

/// A library: how recordings call it, and its partitioners. The first library with a matching name wins, so
/// bindings of librdkafka stand before the libraries whose names they contain.
struct Library {
    names: &'static [&'static str],
    partitioners: &'static [Row],
}

/// A partitioner: the first word of its text, words that must also occur, and the entry of the catalogue.
struct Row {
    head: &'static str,
    words: &'static [&'static str],
    id: &'static str,
    hasher: Hasher,
}

/// May the text name a hash function of its own, which replaces the one of the entry?
#[derive(Clone, Copy, PartialEq)]
enum Hasher {
    /// No: another function in the text is not this partitioner.
    Fixed(&'static [&'static str]),
    /// Yes.
    Any,
}

/// The words for hash functions in recordings.
const FUNCTIONS: [(&str, HashFunction); 10] = [
    ("crc32", HashFunction::Crc32),
    ("crc", HashFunction::Crc32),
    ("fnv1a", HashFunction::Fnv1a),
    ("fnv32a", HashFunction::Fnv1a),
    ("new32a", HashFunction::Fnv1a),
    ("murmur2", HashFunction::Murmur2),
    ("murmur", HashFunction::Murmur2),
    ("phash2", HashFunction::Phash2),
    ("xxhash32", HashFunction::XxHash32),
    ("sha1", HashFunction::Sha1),
];

const MURMUR2: Hasher = Hasher::Fixed(&["murmur2", "murmur"]);
const CRC32: Hasher = Hasher::Fixed(&["crc32", "crc"]);
const FNV1A: Hasher = Hasher::Fixed(&["fnv1a", "fnv32a", "new32a"]);
const NONE: Hasher = Hasher::Fixed(&[]);

const fn row(head: &'static str, id: &'static str, hasher: Hasher) -> Row {
    Row { head, words: &[], id, hasher }
}

const fn with(head: &'static str, words: &'static [&'static str], id: &'static str, hasher: Hasher) -> Row {
    Row { head, words, id, hasher }
}

const LIBRDKAFKA: &[Row] = &[
    row("consistent_random", "librdkafka", CRC32),
    row("consistent", "librdkafka-consistent", CRC32),
    row("murmur2_random", "librdkafka-murmur2_random", MURMUR2),
    row("murmur2", "librdkafka-murmur2", MURMUR2),
    row("fnv1a_random", "librdkafka-fnv1a_random", FNV1A),
    row("fnv1a", "librdkafka-fnv1a", FNV1A),
    row("random", "librdkafka-random", NONE),
    row("default", "librdkafka", CRC32),
    row("rd_murmur2", "librdkafka-murmur2", MURMUR2),
    row("rd_fnv1a", "librdkafka-fnv1a", FNV1A),
    row("rd_crc32", "librdkafka-consistent", CRC32),
    row("crc32", "librdkafka-consistent", CRC32),
];

const JAVA: &[Row] = &[
    row("builtinpartitioner", "java", MURMUR2),
    row("built", "java", MURMUR2),
    row("default", "java", MURMUR2),
    row("defaultpartitioner", "java", MURMUR2),
    row("defaultstreampartitioner", "kafka-streams", MURMUR2),
    row("murmur2", "java", MURMUR2),
    with("utils", &["murmur2"], "java", MURMUR2),
    row("roundrobinpartitioner", "java-round-robin", NONE),
    row("uniformstickypartitioner", "java-2.4-uniform-sticky", NONE),
];

const KAFKAJS: &[Row] = &[
    row("defaultpartitioner", "kafkajs", MURMUR2),
    row("default", "kafkajs", MURMUR2),
    row("javacompatiblepartitioner", "kafkajs-1-java-compatible", MURMUR2),
    row("legacypartitioner", "kafkajs-legacy", MURMUR2),
    row("legacy", "kafkajs-legacy", MURMUR2),
    row("murmur2", "kafkajs", MURMUR2),
];

const KAFKAJS_1: &[Row] = &[
    row("defaultpartitioner", "kafkajs-1", MURMUR2),
    row("default", "kafkajs-1", MURMUR2),
    row("javacompatiblepartitioner", "kafkajs-1-java-compatible", MURMUR2),
];

const SARAMA: &[Row] = &[
    row("newhashpartitioner", "sarama", FNV1A),
    row("newreferencehashpartitioner", "sarama-reference", FNV1A),
    row("newconsistentcrchashpartitioner", "sarama-crc32", CRC32),
    row("newmurmur2partitioner", "sarama-murmur2", MURMUR2),
    row("newcustomhashpartitioner", "sarama-custom-crc32", Hasher::Any),
    with("newcustompartitioner", &["withabsfirst", "murmur2"], "sarama-murmur2", MURMUR2),
    with("newcustompartitioner", &["withhashunsigned", "crc32"], "sarama-crc32", CRC32),
    row("newrandompartitioner", "sarama-random", NONE),
    row("newroundrobinpartitioner", "sarama-round-robin", NONE),
    row("newmanualpartitioner", "sarama-manual", NONE),
    row("murmur2", "sarama-murmur2", MURMUR2),
    row("crc32", "sarama-crc32", CRC32),
    row("fnv32a", "sarama", FNV1A),
    row("fnv1a", "sarama", FNV1A),
    row("default", "sarama", FNV1A),
];

const FRANZ_GO: &[Row] = &[
    with("stickykeypartitioner", &["kafkahasher"], "franz-go-kafka-fnv1a", Hasher::Any),
    with("stickykeypartitioner", &["saramacompathasher"], "franz-go-sarama-compat", Hasher::Any),
    with("stickykeypartitioner", &["saramahasher"], "franz-go-sarama-hasher", Hasher::Any),
    row("stickykeypartitioner", "franz-go-sticky-key", MURMUR2),
    row("kafkahasher", "franz-go-kafka-fnv1a", Hasher::Any),
    row("saramacompathasher", "franz-go-sarama-compat", Hasher::Any),
    row("saramahasher", "franz-go-sarama-hasher", Hasher::Any),
    row("uniformbytespartitioner", "franz-go", MURMUR2),
    row("default", "franz-go", MURMUR2),
    row("murmur2", "franz-go", MURMUR2),
];

const KAFKA_GO: &[Row] = &[
    row("hash", "kafka-go-hash", Hasher::Any),
    row("referencehash", "kafka-go-reference", Hasher::Any),
    with("crc32balancer", &["consistent", "true"], "kafka-go-crc32-consistent", CRC32),
    row("crc32balancer", "kafka-go-crc32", CRC32),
    with("murmur2balancer", &["consistent", "true"], "kafka-go-murmur2-consistent", MURMUR2),
    row("murmur2balancer", "kafka-go-murmur2", MURMUR2),
    row("roundrobin", "kafka-go", NONE),
    row("default", "kafka-go", NONE),
    row("leastbytes", "kafka-go-least-bytes", NONE),
];

const KAFKA_NODE: &[Row] = &[
    row("keyedpartitioner", "kafka-node-keyed", NONE),
    row("defaultpartitioner", "kafka-node", NONE),
    row("cyclicpartitioner", "kafka-node-high-level", NONE),
    row("randompartitioner", "kafka-node-random", NONE),
];

const PLATFORMATIC: &[Row] = &[
    row("defaultpartitioner", "platformatic", MURMUR2),
    row("default", "platformatic", MURMUR2),
    row("compatibilitypartitioner", "platformatic-compatibility", MURMUR2),
    row("murmur2", "platformatic", MURMUR2),
];

const KAFKA_EX: &[Row] = &[
    row("default", "kafka-ex", MURMUR2),
    row("legacy", "kafka-ex-0.10", MURMUR2),
    row("umurmur2", "kafka-ex", MURMUR2),
    row("umurmur2_legacy", "kafka-ex-0.10", MURMUR2),
];

const LIBRARIES: &[Library] = &[
    library(&["karafka", "waterdrop", "rdkafka-ruby"], LIBRDKAFKA),
    library(&["confluent-kafka-javascript"], LIBRDKAFKA),
    library(&["quix"], LIBRDKAFKA),
    library(
        &["rdkafka", "confluent-kafka", "kcat", "kafkacat", "fluent bit", "fluent-bit", "hw-kafka", "swift-kafka"],
        LIBRDKAFKA,
    ),
    library(&["kafkajs1", "kafkajs-1", "kafkajs 1", "kafkajs v1"], KAFKAJS_1),
    library(&["kafkajs"], KAFKAJS),
    library(&["kafka-node"], KAFKA_NODE),
    library(&["platformatic"], PLATFORMATIC),
    library(&["goka"], &[row("newcustomhashpartitioner", "goka", FNV1A), row("default", "goka", FNV1A)]),
    library(&["telegraf"], SARAMA),
    library(
        &["beats"],
        &[row("hash", "beats", FNV1A), row("partition", "beats", FNV1A), row("default", "beats", FNV1A)],
    ),
    library(&["sarama"], SARAMA),
    library(&["franz-go", "franz", "rpk"], FRANZ_GO),
    library(&["kafka-go"], KAFKA_GO),
    library(
        &["pykafka"],
        &[
            row("hashingpartitioner", "pykafka-hashing", Hasher::Fixed(&["sha1"])),
            row("randompartitioner", "pykafka", NONE),
        ],
    ),
    library(&["aiokafka"], &[row("defaultpartitioner", "aiokafka", MURMUR2), row("murmur2", "aiokafka", MURMUR2)]),
    library(&["faust"], &[row("defaultpartitioner", "faust", MURMUR2)]),
    library(
        &["kafka-python"],
        &[row("defaultpartitioner", "kafka-python", MURMUR2), row("murmur2", "kafka-python", MURMUR2)],
    ),
    library(
        &["wolff"],
        &[
            row("first_key_dispatch", "wolff-first_key_dispatch", Hasher::Fixed(&["phash2"])),
            row("random", "wolff", NONE),
        ],
    ),
    library(
        &["brod", "erlang"],
        &[
            row("hash", "brod-hash", Hasher::Fixed(&["phash2"])),
            row("phash2", "brod-hash", Hasher::Fixed(&["phash2"])),
            row("erlang", "brod-hash", Hasher::Fixed(&["phash2"])),
            row("random", "brod-random", NONE),
        ],
    ),
    library(&["kafka_ex", "kafka-ex", "kafkaex"], KAFKA_EX),
    library(
        &["ruby-kafka", "fluent-plugin-kafka", "racecar"],
        &[
            with("partitioner", &["crc32"], "ruby-kafka", CRC32),
            with("partitioner", &["murmur2"], "ruby-kafka-murmur2", MURMUR2),
            row("crc32", "ruby-kafka", CRC32),
            row("murmur2", "ruby-kafka-murmur2", MURMUR2),
            row("partitioner", "ruby-kafka", CRC32),
            row("default", "ruby-kafka", CRC32),
        ],
    ),
    library(
        &["kafka-rust", "crate kafka", "kafka 0.10"],
        &[row("defaultpartitioner", "kafka-rust", Hasher::Fixed(&["xxhash32"]))],
    ),
    library(&["kafka-net"], &[row("defaultpartitionselector", "kafka-net", CRC32)]),
    library(&["kafka-sharp"], &[row("messagekey", "kafka-sharp", CRC32)]),
    library(&["phpkafka"], &[row("defaultpartitioner", "longlang-phpkafka", CRC32)]),
    library(&["kafka-php"], &[row("default", "kafka-php", NONE)]),
    library(
        &["redpanda"],
        &[
            row("murmur2_key_partitioner", "redpanda-http-proxy", MURMUR2),
            row("murmur2", "redpanda-http-proxy", MURMUR2),
            row("default", "redpanda-http-proxy", MURMUR2),
        ],
    ),
    library(
        &["eventhub-python", "event hubs python", "azure-eventhub 5"],
        &[row("partitionresolver", "event-hubs-python", NONE)],
    ),
    library(&["event hubs", "eventhub", "eventhubs"], &[row("partitionresolver", "event-hubs", NONE)]),
    library(
        &["flink"],
        &[
            row("flinkfixedpartitioner", "flink-fixed", NONE),
            row("fixed", "flink-fixed", NONE),
            row("default", "flink", MURMUR2),
        ],
    ),
    library(&["spring"], &[row("defaultpartitionselector", "spring-cloud-stream", NONE)]),
    library(
        &["scala"],
        &[row("bytearraypartitioner", "scala-byte-array", NONE), row("defaultpartitioner", "scala-0.8.2", NONE)],
    ),
    library(&["streams"], JAVA),
    library(&["java", "apache kafka"], JAVA),
];

const fn library(names: &'static [&'static str], partitioners: &'static [Row]) -> Library {
    Library { names, partitioners }
}

/// The rule that a recording's names stand for. `library` is the text with name and version, if there is one.
///
/// # Errors
/// If no row knows the client or the partitioner.
pub(super) fn client(client: &str, partitioner: &str, library: &str) -> Result<Client, String> {
    let named = find_library(client).or_else(|| find_library(library));
    let known = named.ok_or_else(|| format!("unknown client {client:?}"))?;
    let words = words(partitioner);
    let unknown = || format!("unknown partitioner {partitioner:?} of client {client:?}");
    let row = known.partitioners.iter().find(|row| row.matches(&words)).ok_or_else(unknown)?;
    let entry = partitioner::client(row.id).ok_or_else(|| format!("the catalogue has no client {:?}", row.id))?;
    Ok(match (row.hasher, function(&words)) {
        (Hasher::Any, Some(function)) => with_function(entry, function),
        _ => *entry,
    })
}

/// The reading of a hash's 32 bits, signed or unsigned, in which a recording could have written `expected`.
pub(super) fn nearest_reading(bits: u32, expected: &Value) -> i64 {
    let negative = expected.as_i64().is_some_and(|number| number < 0);
    if negative { i64::from(bits as i32) } else { i64::from(bits) }
}

impl Row {
    fn matches(&self, words: &[String]) -> bool {
        let has = |wanted: &&str| words.iter().any(|word| word == wanted);
        let [head, rest @ ..] = words else {
            return false;
        };
        let fixed = match self.hasher {
            Hasher::Fixed(allowed) => {
                let foreign =
                    |word: &String| FUNCTIONS.iter().any(|(name, _)| name == word) && !allowed.contains(&word.as_str());
                !rest.iter().any(foreign)
            }
            Hasher::Any => true,
        };
        head == self.head && self.words.iter().all(has) && fixed
    }
}

fn find_library(text: &str) -> Option<&'static Library> {
    let text = text.to_lowercase();
    LIBRARIES.iter().find(|library| library.names.iter().any(|name| text.contains(name)))
}

/// The words of a partitioner's text in lower case; letters, digits and underscores hold a word together.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .map(String::from)
        .collect()
}

fn function(words: &[String]) -> Option<HashFunction> {
    words.iter().find_map(|word| FUNCTIONS.iter().find(|(name, _)| name == word)).map(|(_, function)| *function)
}

/// The entry with another hash function and its own treatment of the sign.
fn with_function(entry: &Client, function: HashFunction) -> Client {
    let sign = match entry.key_rule {
        KeyRule::Hash { sign, .. } => sign,
        KeyRule::Ignored(_) | KeyRule::NotReproducible(_) => SignRule::Mask,
    };
    Client { key_rule: KeyRule::Hash { function, sign, input: HashInput::Bytes }, ..*entry }
}
