//! .NET and PHP libraries that speak the protocol themselves.
//!
//! Deliberately not here: confluent-kafka-dotnet and php-rdkafka, which are librdkafka.

use super::*;

const KAFKA_NET: Client = Client {
    id: "kafka-net",
    name: "kafka-net",
    library: "kafka-net (Jroland)",
    language: "C#",
    versions: "all",
    partitioner: "DefaultPartitionSelector",
    is_default: true,
    keyed: CRC32_UNSIGNED,
    null_key: "round robin from 0",
    empty_key: "hashed: crc32 is 0, always partition 0",
    note: "A partition that is missing from partial metadata raises InvalidPartitionException.",
    family: "kafka-net",
    key_rule: CRC32_UNSIGNED_RULE,
    empty_rule: EmptyRule::Hashed,
    null_rule: NullRule::Keyless,
    keyless: ROUND_ROBIN_ALL,
};

pub(super) const CLIENTS: &[Client] = &[
    KAFKA_NET,
    Client {
        id: "kafka-sharp",
        name: "kafka-sharp",
        library: "kafka-sharp (Criteo)",
        partitioner: "MessageKey",
        null_key: "round robin",
        note: "A keyed record for a blacklisted partition goes round robin: rare among clients.",
        family: "kafka-sharp",
        ..KAFKA_NET
    },
    Client {
        id: "csharpclient-for-kafka",
        name: "CSharpClient-for-Kafka",
        library: "CSharpClient-for-Kafka (Microsoft)",
        partitioner: "DefaultPartitioner",
        keyed: "Abs(String.GetHashCode()) % n",
        null_key: "random",
        empty_key: "the runtime's hash of an empty string",
        note: "The hash depends on the .NET runtime and can differ in every process.",
        family: "csharpclient-for-kafka",
        key_rule: KeyRule::NotReproducible("it uses String.GetHashCode, which depends on the .NET runtime"),
        empty_rule: EmptyRule::Keyless,
        keyless: RANDOM_ALL,
        ..KAFKA_NET
    },
    Client {
        id: "longlang-phpkafka",
        name: "longlang/phpkafka",
        library: "longlang/phpkafka (Swoole, Hyperf)",
        language: "PHP",
        versions: "all, 64-bit PHP",
        partitioner: "DefaultPartitioner",
        null_key: "round robin, random start",
        note: "Places keys as librdkafka does, except the empty key.",
        family: "longlang-phpkafka",
        keyless: round_robin(Start::Random, Over::All),
        ..KAFKA_NET
    },
    Client {
        id: "kafka-php",
        name: "weiboad/kafka-php",
        library: "weiboad/kafka-php",
        language: "PHP",
        partitioner: "shuffle, take the first",
        keyed: "random per record, key ignored",
        null_key: "random per record",
        empty_key: "random per record",
        note: "Ignores keys.",
        family: "kafka-php",
        key_rule: KeyRule::Ignored("it draws a random partition for every record"),
        empty_rule: EmptyRule::Keyless,
        keyless: RANDOM_ALL,
        ..KAFKA_NET
    },
];
