//! Go: Sarama, franz-go, kafka-go, and the programs that are built on them.
//!
//! Deliberately not here: confluent-kafka-go, which is librdkafka.

use super::*;

const SARAMA: Client = Client {
    id: "sarama",
    name: "Sarama",
    library: "IBM/sarama",
    language: "Go",
    versions: "1.10.0 and later",
    partitioner: "NewHashPartitioner",
    is_default: true,
    keyed: FNV1A_NEGATED,
    null_key: "random per record among available partitions",
    empty_key: "hashed: the offset basis, so all share one partition",
    note: "Until 1.10.0 the key 1468509572224 gave a negative partition.",
    family: "sarama",
    key_rule: FNV1A_NEGATED_RULE,
    empty_rule: EmptyRule::Hashed,
    null_rule: NullRule::Keyless,
    keyless: RANDOM_AVAILABLE,
};

const FRANZ_GO: Client = Client {
    id: "franz-go",
    name: "franz-go",
    library: "twmb/franz-go",
    versions: "1.6.0 and later",
    partitioner: "UniformBytesPartitioner(64 KiB, adaptive, keys)",
    keyed: AS_JAVA,
    null_key: "sticky for 64 KiB of records, short queues preferred",
    empty_key: HASHED,
    note: "A nil key is no key, an empty slice is a key.",
    family: "franz-go",
    key_rule: MURMUR2_MASK_RULE,
    keyless: KeylessRule::UniformBytes { threshold_bytes: 65_536 },
    ..SARAMA
};

const FRANZ_GO_STICKY: Client = Client {
    partitioner: "StickyKeyPartitioner(nil)",
    is_default: false,
    null_key: "sticky: another partition whenever a new batch is opened",
    keyless: KeylessRule::StickyBatchOrNext,
    ..FRANZ_GO
};

const KAFKA_GO: Client = Client {
    id: "kafka-go",
    name: "kafka-go",
    library: "segmentio/kafka-go",
    versions: "all",
    partitioner: "RoundRobin",
    keyed: "round robin, key ignored",
    null_key: "round robin from 0",
    empty_key: "round robin",
    note: "The default spreads records of one key over all partitions; choose a Balancer to keep them together.",
    family: "kafka-go",
    key_rule: KeyRule::Ignored("it goes round robin, key or not"),
    empty_rule: EmptyRule::Keyless,
    keyless: ROUND_ROBIN_ALL,
    ..SARAMA
};

const KAFKA_GO_HASH: Client = Client {
    is_default: false,
    empty_key: HASHED,
    note: "Leaders are not considered.",
    empty_rule: EmptyRule::Hashed,
    ..KAFKA_GO
};

pub(super) const CLIENTS: &[Client] = &[
    SARAMA,
    Client {
        id: "sarama-reference",
        name: "Sarama · reference",
        versions: "1.18.0 and later",
        partitioner: "NewReferenceHashPartitioner",
        is_default: false,
        keyed: FNV1A_MASK,
        note: "Masks as Java does, but hashes with fnv1a: not Java's placement.",
        key_rule: FNV1A_MASK_RULE,
        ..SARAMA
    },
    Client {
        id: "sarama-crc32",
        name: "Sarama · consistent CRC",
        versions: "1.41.0 and later",
        partitioner: "NewConsistentCRCHashPartitioner",
        is_default: false,
        keyed: CRC32_UNSIGNED,
        empty_key: "hashed: crc32 is 0, always partition 0",
        note: "Places keys as librdkafka does, except the empty key; keyless records are not sticky.",
        key_rule: CRC32_UNSIGNED_RULE,
        ..SARAMA
    },
    Client {
        id: "sarama-custom-crc32",
        name: "Sarama · custom hash crc32",
        versions: "1.12.0 and later",
        partitioner: "NewCustomHashPartitioner(crc32.NewIEEE)",
        is_default: false,
        keyed: CRC32_NEGATED,
        empty_key: "hashed: crc32 is 0, always partition 0",
        note: "Looks like librdkafka and is not: the sign differs.",
        key_rule: CRC32_NEGATED_RULE,
        ..SARAMA
    },
    Client {
        id: "sarama-murmur2",
        name: "Sarama · murmur2",
        versions: "1.50.0 and later",
        partitioner: "NewMurmur2Partitioner",
        is_default: false,
        keyed: AS_JAVA,
        empty_key: HASHED,
        note: "Places keys as Java does.",
        key_rule: MURMUR2_MASK_RULE,
        ..SARAMA
    },
    Client {
        id: "sarama-random",
        name: "Sarama · random",
        partitioner: "NewRandomPartitioner",
        is_default: false,
        keyed: "random per record, key ignored",
        empty_key: "random per record",
        note: "Ignores keys.",
        key_rule: KeyRule::Ignored("it draws a random partition for every record"),
        empty_rule: EmptyRule::Keyless,
        ..SARAMA
    },
    Client {
        id: "sarama-round-robin",
        name: "Sarama · round robin",
        partitioner: "NewRoundRobinPartitioner",
        is_default: false,
        keyed: "round robin, key ignored",
        null_key: "round robin from 0",
        empty_key: "round robin",
        note: "Ignores keys.",
        key_rule: KeyRule::Ignored("it goes round robin"),
        empty_rule: EmptyRule::Keyless,
        keyless: round_robin(Start::Zero, Over::Available),
        ..SARAMA
    },
    Client {
        id: "sarama-manual",
        name: "Sarama · manual",
        partitioner: "NewManualPartitioner",
        is_default: false,
        keyed: "msg.Partition, key ignored",
        null_key: "msg.Partition",
        empty_key: "msg.Partition",
        note: "The only constructor that looks at msg.Partition.",
        key_rule: KeyRule::Ignored("the program names the partition in msg.Partition"),
        empty_rule: EmptyRule::Keyless,
        keyless: KeylessRule::Given,
        ..SARAMA
    },
    Client {
        id: "goka",
        name: "goka",
        library: "lovoo/goka",
        versions: "all",
        partitioner: "NewCustomHashPartitioner(fnv.New32a)",
        note: "Places keys as Sarama does.",
        family: "goka",
        ..SARAMA
    },
    Client {
        id: "telegraf",
        name: "Telegraf",
        library: "Telegraf Kafka output",
        language: "configuration",
        versions: "all",
        empty_key: "never sent: an empty routing key is no key",
        note: "routing_tag comes before routing_key.",
        family: "telegraf",
        empty_rule: EmptyRule::Keyless,
        ..SARAMA
    },
    Client {
        id: "beats",
        name: "Elastic Beats",
        library: "Elastic Beats Kafka output",
        language: "configuration",
        versions: "7.13 and later",
        partitioner: "partition.hash",
        keyed: FNV1A_MASK,
        null_key: "random per record",
        empty_key: HASHED,
        note: "Sarama's reference rule, not Sarama's default. reachable_only: true moves keyed records.",
        family: "beats",
        key_rule: FNV1A_MASK_RULE,
        keyless: RANDOM_ALL,
        ..SARAMA
    },
    Client {
        id: "benthos-kafka",
        name: "Benthos, Redpanda Connect · kafka",
        library: "Benthos, Bento, Redpanda Connect: output kafka",
        language: "configuration",
        versions: "all",
        partitioner: "fnv1a_hash",
        empty_key: "dropped: random",
        note: "The kafka_franz output of the same program places keys as Java does.",
        family: "redpanda-connect",
        empty_rule: EmptyRule::Keyless,
        ..SARAMA
    },
    Client {
        id: "redpanda-connect",
        name: "Redpanda Connect · kafka_franz",
        library: "Redpanda Connect, Benthos: outputs kafka_franz and redpanda",
        language: "configuration",
        versions: "all",
        is_default: true,
        empty_key: "an empty interpolated key is hashed",
        note: "The older kafka output of the same program places keys as Sarama does.",
        family: "redpanda-connect",
        ..FRANZ_GO_STICKY
    },
    Client {
        id: "rpk",
        name: "rpk",
        library: "rpk (Redpanda)",
        language: "command line",
        versions: "all",
        note: "-k '' leaves the key out; -p names a partition.",
        family: "rpk",
        ..FRANZ_GO
    },
    Client {
        id: "redpanda-http-proxy",
        name: "Redpanda HTTP proxy",
        library: "Redpanda HTTP proxy (pandaproxy)",
        language: "HTTP",
        versions: "recent versions not established",
        partitioner: "identity, murmur2_key, round robin",
        keyed: MURMUR2_UNSIGNED,
        null_key: "round robin",
        empty_key: "round robin",
        note: "rpk of the same product places keys as Java does.",
        family: "redpanda-http-proxy",
        key_rule: MURMUR2_UNSIGNED_RULE,
        empty_rule: EmptyRule::Keyless,
        keyless: ROUND_ROBIN_ALL,
        ..FRANZ_GO
    },
    FRANZ_GO,
    Client {
        id: "franz-go-sticky-key",
        name: "franz-go · StickyKeyPartitioner",
        versions: "default before 1.6.0",
        ..FRANZ_GO_STICKY
    },
    Client {
        id: "franz-go-kafka-fnv1a",
        name: "franz-go · KafkaHasher(fnv32a)",
        versions: "all",
        partitioner: "StickyKeyPartitioner(KafkaHasher(fnv32a))",
        keyed: FNV1A_MASK,
        key_rule: FNV1A_MASK_RULE,
        ..FRANZ_GO_STICKY
    },
    Client {
        id: "franz-go-sarama-compat",
        name: "franz-go · SaramaCompatHasher",
        versions: "1.16.0 and later",
        partitioner: "StickyKeyPartitioner(SaramaCompatHasher(fnv32a))",
        keyed: FNV1A_NEGATED,
        note: "The one that really places keys as Sarama does.",
        key_rule: FNV1A_NEGATED_RULE,
        ..FRANZ_GO_STICKY
    },
    Client {
        id: "franz-go-sarama-hasher",
        name: "franz-go · SaramaHasher",
        versions: "all, 64-bit Go",
        partitioner: "StickyKeyPartitioner(SaramaHasher(fnv32a))",
        keyed: FNV1A_UNSIGNED,
        note: "The name is historical: on 64-bit Go it is not Sarama's placement.",
        key_rule: FNV1A_UNSIGNED_RULE,
        ..FRANZ_GO_STICKY
    },
    Client {
        id: "franz-go-sarama-hasher-crc32",
        name: "franz-go · SaramaHasher(crc32)",
        versions: "all, 64-bit Go",
        partitioner: "StickyKeyPartitioner(SaramaHasher(crc32.ChecksumIEEE))",
        keyed: CRC32_UNSIGNED,
        note: "Places keys as librdkafka does, except the empty key.",
        key_rule: CRC32_UNSIGNED_RULE,
        ..FRANZ_GO_STICKY
    },
    KAFKA_GO,
    Client {
        id: "kafka-go-hash",
        name: "kafka-go · Hash",
        versions: "0.3.1 and later",
        partitioner: "Hash",
        keyed: FNV1A_NEGATED,
        key_rule: FNV1A_NEGATED_RULE,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-0.1-hash",
        name: "kafka-go 0.1 to 0.3.0 · Hash",
        versions: "0.1.0 to 0.3.0",
        partitioner: "Hash",
        keyed: FNV1A_UNSIGNED,
        note: "0.3.1 changed the sign rule; 29 to 45 % of keys moved or more.",
        key_rule: FNV1A_UNSIGNED_RULE,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-hash-crc32",
        name: "kafka-go · Hash{Hasher: crc32}",
        versions: "0.3.1 and later",
        partitioner: "Hash{Hasher: crc32.NewIEEE()}",
        keyed: CRC32_NEGATED,
        note: "Not librdkafka's placement; CRC32Balancer is.",
        key_rule: CRC32_NEGATED_RULE,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-reference",
        name: "kafka-go · ReferenceHash",
        versions: "0.4.32 and later",
        partitioner: "ReferenceHash",
        keyed: FNV1A_MASK,
        null_key: "random per record",
        key_rule: FNV1A_MASK_RULE,
        keyless: RANDOM_ALL,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-crc32",
        name: "kafka-go · CRC32Balancer",
        versions: "0.3.1 and later",
        partitioner: "CRC32Balancer",
        keyed: CRC32_UNSIGNED,
        null_key: "random per record",
        empty_key: "random per record",
        note: "Places keys as librdkafka does.",
        key_rule: CRC32_UNSIGNED_RULE,
        empty_rule: EmptyRule::Keyless,
        keyless: RANDOM_ALL,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-crc32-consistent",
        name: "kafka-go · CRC32Balancer{Consistent}",
        versions: "0.3.1 and later",
        partitioner: "CRC32Balancer{Consistent: true}",
        keyed: CRC32_UNSIGNED,
        null_key: "hashed as empty: always partition 0",
        empty_key: "hashed: crc32 is 0, always partition 0",
        key_rule: CRC32_UNSIGNED_RULE,
        null_rule: NullRule::HashedAsEmpty,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-murmur2",
        name: "kafka-go · Murmur2Balancer",
        versions: "0.3.1 and later",
        partitioner: "Murmur2Balancer",
        keyed: AS_JAVA,
        null_key: "random per record",
        note: "Places keys as Java does.",
        key_rule: MURMUR2_MASK_RULE,
        keyless: RANDOM_ALL,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-murmur2-consistent",
        name: "kafka-go · Murmur2Balancer{Consistent}",
        versions: "0.3.1 and later",
        partitioner: "Murmur2Balancer{Consistent: true}",
        keyed: AS_JAVA,
        null_key: "hashed as empty: always 0x106e08d9 % n",
        key_rule: MURMUR2_MASK_RULE,
        null_rule: NullRule::HashedAsEmpty,
        ..KAFKA_GO_HASH
    },
    Client {
        id: "kafka-go-least-bytes",
        name: "kafka-go · LeastBytes",
        partitioner: "LeastBytes",
        is_default: false,
        keyed: "the partition that got the fewest bytes, key ignored",
        null_key: "the partition that got the fewest bytes",
        empty_key: "the partition that got the fewest bytes",
        note: "Ignores keys.",
        key_rule: KeyRule::Ignored("it takes the partition that got the fewest bytes"),
        keyless: KeylessRule::LeastBytes,
        ..KAFKA_GO
    },
];
