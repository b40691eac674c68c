//! librdkafka with every value of its `partitioner` property, and the bindings that inherit its default.
//!
//! Deliberately not here: `partitioner_cb`, which is code of the user.

use super::*;

const LIBRDKAFKA: Client = Client {
    id: "librdkafka",
    name: "librdkafka",
    library: "librdkafka",
    language: "C, C++",
    versions: "0.9.1 and later; sticky since 1.6.0",
    partitioner: "consistent_random",
    is_default: true,
    keyed: CRC32_UNSIGNED,
    null_key: "sticky random, 2 × linger.ms (10 ms)",
    empty_key: "not hashed: sticky random",
    note: "linger.ms=0 silently turns stickiness off: every keyless record is drawn anew.",
    family: "librdkafka",
    key_rule: CRC32_UNSIGNED_RULE,
    empty_rule: EmptyRule::Keyless,
    null_rule: NullRule::Keyless,
    keyless: KeylessRule::StickyTime,
};

const VARIANT: Client = Client { is_default: false, empty_rule: EmptyRule::Hashed, ..LIBRDKAFKA };
const MURMUR2_RANDOM: Client = Client {
    partitioner: "murmur2_random",
    versions: "0.11.5 and later",
    keyed: AS_JAVA,
    empty_key: "hashed: 0x106e08d9 % n",
    note: "Places keys as Java does.",
    key_rule: MURMUR2_MASK_RULE,
    ..VARIANT
};

pub(super) const CLIENTS: &[Client] = &[
    LIBRDKAFKA,
    Client { id: "librdkafka-murmur2_random", name: "librdkafka · murmur2_random", ..MURMUR2_RANDOM },
    Client {
        id: "librdkafka-murmur2",
        name: "librdkafka · murmur2",
        partitioner: "murmur2",
        null_key: "hashed as empty: always 0x106e08d9 % n",
        note: "All keyless records share one partition.",
        null_rule: NullRule::HashedAsEmpty,
        ..MURMUR2_RANDOM
    },
    Client {
        id: "librdkafka-0.11.4-murmur2",
        name: "librdkafka 0.11.4 · murmur2",
        versions: "0.11.4 only",
        partitioner: "murmur2",
        keyed: MURMUR2_UNSIGNED,
        null_key: "hashed as empty: always 0x106e08d9 % n",
        empty_key: "hashed: 0x106e08d9 % n",
        note: "The mask was missing for one release.",
        key_rule: MURMUR2_UNSIGNED_RULE,
        null_rule: NullRule::HashedAsEmpty,
        ..VARIANT
    },
    Client {
        id: "librdkafka-0.11.4-murmur2_random",
        name: "librdkafka 0.11.4 · murmur2_random",
        versions: "0.11.4 only",
        partitioner: "murmur2_random",
        keyed: MURMUR2_UNSIGNED,
        null_key: "random per record",
        empty_key: "hashed: 0x106e08d9 % n",
        note: "The mask was missing for one release.",
        key_rule: MURMUR2_UNSIGNED_RULE,
        keyless: KeylessRule::RandomTwice,
        ..VARIANT
    },
    Client {
        id: "librdkafka-consistent",
        name: "librdkafka · consistent",
        partitioner: "consistent",
        null_key: "hashed as empty: crc32 is 0, always partition 0",
        empty_key: "hashed: crc32 is 0, always partition 0",
        note: "All keyless records share partition 0.",
        null_rule: NullRule::HashedAsEmpty,
        ..VARIANT
    },
    Client {
        id: "librdkafka-fnv1a_random",
        name: "librdkafka · fnv1a_random",
        versions: "1.4.0 and later",
        partitioner: "fnv1a_random",
        keyed: "|fnv1a| % n",
        empty_key: "hashed: 0x7ee3623b % n",
        note: "Places keys as Sarama does.",
        key_rule: hash(HashFunction::Fnv1a, SignRule::AbsFirst),
        ..VARIANT
    },
    Client {
        id: "librdkafka-fnv1a",
        name: "librdkafka · fnv1a",
        versions: "1.4.0 and later",
        partitioner: "fnv1a",
        keyed: "|fnv1a| % n",
        null_key: "hashed as empty: always 0x7ee3623b % n",
        empty_key: "hashed: 0x7ee3623b % n",
        note: "All keyless records share one partition.",
        key_rule: hash(HashFunction::Fnv1a, SignRule::AbsFirst),
        null_rule: NullRule::HashedAsEmpty,
        ..VARIANT
    },
    Client {
        id: "librdkafka-random",
        name: "librdkafka · random",
        partitioner: "random",
        keyed: "random per record, key ignored",
        empty_key: "random per record",
        note: "Keyed records are drawn one by one; only records without a key are sticky.",
        key_rule: KeyRule::Ignored("it draws a random partition for every keyed record"),
        empty_rule: EmptyRule::Keyless,
        ..VARIANT
    },
    Client {
        id: "confluent-kafka-python",
        name: "confluent-kafka-python",
        library: "confluent-kafka-python",
        language: "Python",
        versions: "all",
        note: "None is no key; b'' and '' are empty keys and are not hashed either.",
        family: "confluent-kafka-python",
        ..LIBRDKAFKA
    },
    Client {
        id: "confluent-kafka-go",
        name: "confluent-kafka-go",
        library: "confluent-kafka-go",
        language: "Go",
        versions: "all",
        note: "PartitionAny means: use the partitioner. It is not round robin.",
        family: "confluent-kafka-go",
        ..LIBRDKAFKA
    },
    Client {
        id: "confluent-kafka-dotnet",
        name: "confluent-kafka-dotnet",
        library: "confluent-kafka-dotnet",
        language: "C#, F#",
        versions: "all",
        note: "A custom partitioner is never called for records without a key unless stickiness is 0.",
        family: "confluent-kafka-dotnet",
        ..LIBRDKAFKA
    },
    Client {
        id: "confluent-kafka-javascript",
        name: "confluent-kafka-javascript",
        library: "confluent-kafka-javascript, KafkaJS-style API",
        language: "JavaScript",
        versions: "all",
        is_default: true,
        note: "Its node-rdkafka-style API keeps consistent_random: two defaults in one package.",
        family: "confluent-kafka-javascript",
        ..MURMUR2_RANDOM
    },
    Client {
        id: "confluent-kafka-javascript-rdkafka",
        name: "confluent-kafka-javascript · rdkafka API",
        library: "confluent-kafka-javascript, node-rdkafka-style API",
        language: "JavaScript",
        versions: "all",
        note: "Its KafkaJS-style API uses murmur2_random: two defaults in one package.",
        family: "confluent-kafka-javascript",
        ..LIBRDKAFKA
    },
    Client {
        id: "node-rdkafka",
        name: "node-rdkafka",
        library: "node-rdkafka",
        language: "JavaScript",
        versions: "all",
        note: "partitioner belongs into the second (topic) config; in the first one it is silently ignored.",
        family: "node-rdkafka",
        ..LIBRDKAFKA
    },
    Client {
        id: "rust-rdkafka",
        name: "rust-rdkafka",
        library: "rust-rdkafka",
        language: "Rust",
        versions: "all",
        note: "None is no key; Some(&[]) is an empty key.",
        family: "rust-rdkafka",
        ..LIBRDKAFKA
    },
    Client {
        id: "php-rdkafka",
        name: "php-rdkafka",
        library: "php-rdkafka",
        language: "PHP",
        versions: "all",
        note: "No constants exist for the FNV partitioners; set them by name.",
        family: "php-rdkafka",
        ..LIBRDKAFKA
    },
    Client {
        id: "hw-kafka-client",
        name: "hw-kafka-client",
        library: "hw-kafka-client",
        language: "Haskell",
        versions: "all",
        family: "hw-kafka-client",
        ..LIBRDKAFKA
    },
    Client {
        id: "swift-kafka-client",
        name: "swift-kafka-client",
        library: "swift-kafka-client",
        language: "Swift",
        versions: "all",
        family: "swift-kafka-client",
        ..LIBRDKAFKA
    },
    Client {
        id: "kcat",
        name: "kcat",
        library: "kcat",
        language: "command line",
        versions: "all",
        note: "-p -1 is documented as random but means: use the partitioner.",
        family: "kcat",
        ..LIBRDKAFKA
    },
    Client {
        id: "fluent-bit",
        name: "Fluent Bit",
        library: "Fluent Bit",
        language: "configuration",
        versions: "all",
        note: "message_key_field must hold a string; otherwise the record has no key.",
        family: "fluent-bit",
        ..LIBRDKAFKA
    },
    Client {
        id: "vector",
        name: "Vector",
        library: "Vector",
        language: "configuration",
        versions: "all",
        note: "A missing key_field means no key.",
        family: "vector",
        ..LIBRDKAFKA
    },
    Client {
        id: "quix-streams",
        name: "Quix Streams",
        library: "Quix Streams",
        language: "Python",
        versions: "all",
        partitioner: "murmur2",
        is_default: true,
        null_key: "hashed as empty: always 0x106e08d9 % n",
        note: "All keyless records share one partition.",
        family: "quix-streams",
        null_rule: NullRule::HashedAsEmpty,
        ..MURMUR2_RANDOM
    },
    Client {
        id: "karafka",
        name: "Karafka, WaterDrop",
        library: "karafka, WaterDrop, racecar 2, rdkafka-ruby",
        language: "Ruby",
        versions: "all",
        note: "key: goes to librdkafka. partition_key: is hashed in Ruby, see the other entry.",
        family: "karafka",
        ..LIBRDKAFKA
    },
    Client {
        id: "karafka-partition_key",
        name: "Karafka · partition_key",
        library: "rdkafka-ruby, karafka-rdkafka",
        language: "Ruby",
        versions: "rdkafka-ruby to 0.29.0",
        partitioner: "consistent_random over partition_key:",
        keyed: "crc32 of the first bytes, as many as the text has characters, % n",
        null_key: "sticky random",
        empty_key: "refused by WaterDrop; elsewhere as a missing key",
        note: "Only multibyte text is affected: its length is counted in characters, not bytes.",
        family: "karafka",
        key_rule: KeyRule::Hash {
            function: HashFunction::Crc32,
            sign: SignRule::Unsigned,
            input: HashInput::CharacterCount,
        },
        empty_rule: EmptyRule::Keyless,
        ..VARIANT
    },
];
