//! Ruby: ruby-kafka and what is built on it.
//!
//! Deliberately not here: Karafka and rdkafka-ruby, which are librdkafka.

use super::*;

const RUBY_KAFKA: Client = Client {
    id: "ruby-kafka",
    name: "ruby-kafka",
    library: "ruby-kafka",
    language: "Ruby",
    versions: "all",
    partitioner: "Kafka::Partitioner, :crc32",
    is_default: true,
    keyed: CRC32_UNSIGNED,
    null_key: "random per record",
    empty_key: "hashed: crc32 is 0, always partition 0",
    note: "partition_key is hashed instead of the key when it is given.",
    family: "ruby-kafka",
    key_rule: CRC32_UNSIGNED_RULE,
    empty_rule: EmptyRule::Hashed,
    null_rule: NullRule::Keyless,
    keyless: RANDOM_ALL,
};

pub(super) const CLIENTS: &[Client] = &[
    RUBY_KAFKA,
    Client {
        id: "ruby-kafka-murmur2",
        name: "ruby-kafka · murmur2",
        versions: "1.4.0 and later",
        partitioner: "Kafka::Partitioner.new(hash_function: :murmur2)",
        is_default: false,
        keyed: AS_JAVA,
        empty_key: HASHED,
        note: "Needs the gem digest-murmurhash.",
        key_rule: MURMUR2_MASK_RULE,
        ..RUBY_KAFKA
    },
    Client {
        id: "racecar",
        name: "racecar 0.x",
        library: "racecar",
        versions: "0.x; later versions are librdkafka",
        note: "racecar 2 uses librdkafka: empty keys are no longer hashed.",
        family: "racecar",
        ..RUBY_KAFKA
    },
    Client {
        id: "fluent-plugin-kafka",
        name: "fluent-plugin-kafka",
        library: "fluent-plugin-kafka",
        note: "partitioner_hash_function crc32 or murmur2.",
        family: "fluent-plugin-kafka",
        ..RUBY_KAFKA
    },
];
