//! The Java producer in its eras, the Scala producer before it, and what is built on them.
//!
//! Deliberately not here: serializers. They decide the bytes, and the bytes decide the partition.

use super::*;

const JAVA: Client = Client {
    id: "java",
    name: "Java",
    library: "Apache Kafka Java producer",
    language: "Java",
    versions: "3.3 and later",
    partitioner: "built in, partitioner.class unset",
    is_default: true,
    keyed: AS_JAVA,
    null_key: "sticky: another partition after batch.size bytes, short queues preferred",
    empty_key: "hashed like any key: 0x106e08d9",
    note: "The partition count includes partitions without a leader; a keyed record is never moved.",
    family: "java",
    key_rule: MURMUR2_MASK_RULE,
    empty_rule: EmptyRule::Hashed,
    null_rule: NullRule::Keyless,
    keyless: KeylessRule::StickyBytes,
};

const IGNORES: Client =
    Client { is_default: false, keyed: IGNORED, empty_key: IGNORED, empty_rule: EmptyRule::Keyless, ..JAVA };

const SCALA: Client = Client {
    library: "Apache Kafka Scala producer",
    language: "Scala, Java",
    null_key: "one random available partition until the metadata is refreshed (10 minutes)",
    empty_key: "Java hashCode of the object: 0 for an empty string",
    family: "scala-0.8.2",
    keyless: KeylessRule::StickyMetadata,
    ..JAVA
};

pub(super) const CLIENTS: &[Client] = &[
    JAVA,
    Client {
        id: "java-2.4",
        name: "Java 2.4 to 3.2",
        versions: "2.4 to 3.2",
        partitioner: "DefaultPartitioner",
        null_key: "sticky: another available partition whenever a new batch is opened",
        note: "Slow brokers got more records, because their batches stayed open longer (KAFKA-10888).",
        keyless: KeylessRule::StickyBatch,
        ..JAVA
    },
    Client {
        id: "java-0.9",
        name: "Java 0.9 to 2.3",
        versions: "0.9 to 2.3",
        partitioner: "DefaultPartitioner",
        null_key: "round robin over available partitions, random start",
        note: "One counter for all topics before 0.10.2.0.",
        keyless: round_robin(Start::Random, Over::Available),
        ..JAVA
    },
    Client {
        id: "java-round-robin",
        name: "Java · RoundRobinPartitioner",
        versions: "4.0 and later",
        partitioner: "RoundRobinPartitioner",
        null_key: "round robin over available partitions from 0",
        note: "Ignores keys.",
        key_rule: KeyRule::Ignored("it goes round robin over the available partitions"),
        keyless: round_robin(Start::Zero, Over::Available),
        ..IGNORES
    },
    Client {
        id: "java-2.4-round-robin",
        name: "Java 2.4 to 3.9 · RoundRobinPartitioner",
        versions: "2.4 to 3.9.1",
        partitioner: "RoundRobinPartitioner",
        null_key: "round robin over available partitions from 0; one step is lost per new batch",
        note: "KAFKA-9965: with one record per batch and an even count, half of the partitions get nothing.",
        key_rule: KeyRule::Ignored("it goes round robin, and loses a step whenever a record opens a new batch"),
        keyless: KeylessRule::RoundRobin { start: Start::Zero, over: Over::Available, doubled: true },
        ..IGNORES
    },
    Client {
        id: "java-2.4-uniform-sticky",
        name: "Java 2.4 to 3.9 · UniformStickyPartitioner",
        versions: "2.4 to 3.9",
        partitioner: "UniformStickyPartitioner",
        null_key: "sticky: another available partition whenever a new batch is opened",
        note: "Removed in 4.0: a producer that still names it does not start.",
        key_rule: KeyRule::Ignored("it stays on one partition until a new batch is opened"),
        keyless: KeylessRule::StickyBatch,
        ..IGNORES
    },
    Client {
        id: "java-ignore-keys",
        name: "Java · partitioner.ignore.keys",
        partitioner: "built in, partitioner.ignore.keys=true",
        note: "The key is still written; compaction and joins on it work only within a partition.",
        key_rule: KeyRule::Ignored("partitioner.ignore.keys=true places it as a record without a key"),
        ..IGNORES
    },
    Client {
        id: "kafka-streams",
        name: "Kafka Streams",
        library: "Kafka Streams",
        partitioner: "DefaultStreamPartitioner, or the producer's default",
        note: "Of a windowed key only the inner key is hashed.",
        family: "kafka-streams",
        ..JAVA
    },
    Client {
        id: "kafka-connect",
        name: "Kafka Connect",
        library: "Kafka Connect, Debezium",
        partitioner: "producer default",
        note: "The converter decides the key bytes: JSON with and without schema land in different partitions.",
        family: "kafka-connect",
        ..JAVA
    },
    Client {
        id: "mirrormaker-2",
        name: "MirrorMaker 2",
        library: "MirrorMaker 2",
        partitioner: "explicit: the partition of the source record",
        keyed: "source partition kept",
        null_key: "source partition kept",
        empty_key: "source partition kept",
        note: "No partitioner runs.",
        family: "mirrormaker-2",
        key_rule: KeyRule::Ignored("it keeps the partition of the source record"),
        empty_rule: EmptyRule::Keyless,
        keyless: KeylessRule::Given,
        ..JAVA
    },
    Client {
        id: "logstash",
        name: "Logstash",
        library: "Logstash Kafka output",
        language: "Ruby on the JVM",
        partitioner: "producer default",
        note: "Without message_key every record is keyless.",
        family: "logstash",
        ..JAVA
    },
    Client {
        id: "flink",
        name: "Flink KafkaSink",
        library: "Apache Flink Kafka connector",
        partitioner: "producer default, no setPartitioner",
        note: "The SQL option sink.partitioner=round-robin also means: no partitioner.",
        family: "flink",
        ..JAVA
    },
    Client {
        id: "flink-fixed",
        name: "Flink · fixed",
        library: "Apache Flink Kafka connector",
        partitioner: "FlinkFixedPartitioner",
        keyed: "partitions[subtask % n], key ignored",
        null_key: "partitions[subtask % n]",
        empty_key: "partitions[subtask % n]",
        note: "With fewer subtasks than partitions some partitions stay empty.",
        family: "flink",
        key_rule: KeyRule::Ignored("each parallel subtask writes to one partition"),
        keyless: KeylessRule::Given,
        ..IGNORES
    },
    Client {
        id: "spring-cloud-stream",
        name: "Spring Cloud Stream · partitionKeyExpression",
        library: "Spring Cloud Stream",
        partitioner: "DefaultPartitionSelector",
        is_default: false,
        keyed: "abs(key.hashCode()) % n, where -2^31 becomes 0",
        null_key: "refused with an exception",
        empty_key: "Java hashCode: 0",
        note: "It hashes the Java object: the text \"42\" (1662) and the number 42 differ. Here: a string.",
        family: "spring-cloud-stream",
        key_rule: hash(HashFunction::JavaString, SignRule::AbsMinZero),
        null_rule: NullRule::Refused,
        ..JAVA
    },
    Client {
        id: "scala-0.8.2",
        name: "Scala producer 0.8.2 to 1.1",
        versions: "0.8.2.0 to 1.1",
        partitioner: "kafka.producer.DefaultPartitioner",
        keyed: "abs(key.hashCode) % n, where -2^31 becomes 0",
        note: "Every key with a negative hash moved when 0.8.2.0 changed abs. Here: a string key.",
        key_rule: hash(HashFunction::JavaString, SignRule::AbsMinZero),
        ..SCALA
    },
    Client {
        id: "scala-0.8.0",
        name: "Scala producer 0.8.0 and 0.8.1",
        versions: "0.8.0 and 0.8.1",
        partitioner: "kafka.producer.DefaultPartitioner",
        is_default: true,
        keyed: "(key.hashCode & 0x7fffffff) % n",
        note: "A byte[] key had an identity hash, another one in every run. Here: a string key.",
        key_rule: hash(HashFunction::JavaString, SignRule::Mask),
        ..SCALA
    },
    Client {
        id: "scala-byte-array",
        name: "Scala producer · ByteArrayPartitioner",
        versions: "0.8.2.0 to 1.1",
        partitioner: "kafka.producer.ByteArrayPartitioner",
        is_default: false,
        keyed: "abs(Arrays.hashCode(key)) % n, where -2^31 becomes 0",
        empty_key: "Arrays.hashCode of nothing: 1",
        note: "The way to use byte[] keys with the old producer.",
        key_rule: hash(HashFunction::JavaBytes, SignRule::AbsMinZero),
        ..SCALA
    },
];
