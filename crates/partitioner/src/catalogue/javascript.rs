//! JavaScript: KafkaJS, kafka-node, Platformatic.
//!
//! Deliberately not here: node-rdkafka and confluent-kafka-javascript, which are librdkafka.

use super::*;

const KAFKAJS: Client = Client {
    id: "kafkajs",
    name: "KafkaJS",
    library: "KafkaJS",
    language: "JavaScript",
    versions: "2.0.0 and later",
    partitioner: "DefaultPartitioner",
    is_default: true,
    keyed: AS_JAVA,
    null_key: "round robin over available partitions, random start",
    empty_key: HASHED,
    note: "A key that is no Buffer becomes text first: the number 42 hashes as \"42\".",
    family: "kafkajs",
    key_rule: MURMUR2_MASK_RULE,
    empty_rule: EmptyRule::Hashed,
    null_rule: NullRule::Keyless,
    keyless: round_robin(Start::Random, Over::Available),
};

const LEGACY: Client = Client {
    keyed: "(murmur2 on doubles & 0x7fffffff) % n",
    empty_key: "hashed: 275646684 (Java: 275646681)",
    note: "murmur2 computed with JavaScript numbers loses bits: not Java's placement.",
    key_rule: hash(HashFunction::KafkaJsLegacy, SignRule::Mask),
    ..KAFKAJS
};

const KAFKA_NODE: Client = Client {
    id: "kafka-node",
    name: "kafka-node · Producer",
    library: "kafka-node",
    versions: "all",
    partitioner: "partitionerType 0, default of Producer",
    keyed: "always the first partition, key ignored",
    null_key: "always the first partition",
    empty_key: "always the first partition",
    note: "An empty key is written as no key.",
    family: "kafka-node",
    key_rule: KeyRule::Ignored("it always takes the first partition"),
    empty_rule: EmptyRule::Keyless,
    keyless: KeylessRule::First,
    ..KAFKAJS
};

const PLATFORMATIC: Client = Client {
    id: "platformatic",
    name: "Platformatic",
    library: "@platformatic/kafka",
    versions: "all",
    partitioner: "defaultPartitioner",
    keyed: MURMUR2_UNSIGNED,
    null_key: "round robin per topic from 0",
    note: "Agrees with Java for 1, 2, 4, 8 ... partitions; else about half of the keys differ.",
    family: "platformatic",
    key_rule: MURMUR2_UNSIGNED_RULE,
    keyless: ROUND_ROBIN_ALL,
    ..KAFKAJS
};

pub(super) const CLIENTS: &[Client] = &[
    KAFKAJS,
    Client {
        id: "kafkajs-legacy",
        name: "KafkaJS · LegacyPartitioner",
        partitioner: "LegacyPartitioner",
        is_default: false,
        ..LEGACY
    },
    Client { id: "kafkajs-1", name: "KafkaJS 1", versions: "1.x", ..LEGACY },
    Client {
        id: "kafkajs-1-java-compatible",
        name: "KafkaJS 1 · JavaCompatiblePartitioner",
        versions: "1.8.0 and later",
        partitioner: "JavaCompatiblePartitioner",
        is_default: false,
        note: "Became the default in 2.0.0.",
        ..KAFKAJS
    },
    KAFKA_NODE,
    Client {
        id: "kafka-node-high-level",
        name: "kafka-node · HighLevelProducer",
        partitioner: "partitionerType 2, cyclic",
        keyed: "round robin, key ignored",
        null_key: "round robin",
        empty_key: "round robin",
        key_rule: KeyRule::Ignored("it goes round robin"),
        keyless: ROUND_ROBIN_ALL,
        ..KAFKA_NODE
    },
    Client {
        id: "kafka-node-random",
        name: "kafka-node · random",
        partitioner: "partitionerType 1, random",
        is_default: false,
        keyed: "random per record, key ignored",
        null_key: "random per record",
        empty_key: "random per record",
        key_rule: KeyRule::Ignored("it draws a random partition for every record"),
        keyless: RANDOM_ALL,
        ..KAFKA_NODE
    },
    Client {
        id: "kafka-node-keyed",
        name: "kafka-node · keyed",
        partitioner: "partitionerType 3, KeyedPartitioner",
        is_default: false,
        keyed: "a 31-bit hash of the text % n",
        null_key: "hash 1: always partition 1 % n",
        empty_key: "hash 1: always partition 1 % n; written as no key",
        note: "Bytes that are not UTF-8 are replaced before hashing, so different keys can collapse.",
        key_rule: hash(HashFunction::KafkaNode, SignRule::Unsigned),
        empty_rule: EmptyRule::Hashed,
        null_rule: NullRule::HashedAsEmpty,
        ..KAFKA_NODE
    },
    PLATFORMATIC,
    Client {
        id: "platformatic-compatibility",
        name: "Platformatic · compatibilityPartitioner",
        versions: "1.32.0 and later",
        partitioner: "compatibilityPartitioner",
        is_default: false,
        keyed: AS_JAVA,
        note: "Places keys as Java does.",
        key_rule: MURMUR2_MASK_RULE,
        ..PLATFORMATIC
    },
];
