//! Python: kafka-python, aiokafka, Faust, pykafka, and the Event Hubs SDKs.
//!
//! Deliberately not here: confluent-kafka-python and Quix Streams, which are librdkafka.

use super::*;

const KAFKA_PYTHON: Client = Client {
    id: "kafka-python",
    name: "kafka-python",
    library: "kafka-python",
    language: "Python",
    versions: "all",
    partitioner: "DefaultPartitioner",
    is_default: true,
    keyed: AS_JAVA,
    null_key: "random per record among available partitions",
    empty_key: HASHED,
    note: "json.dumps as key serializer turns None into the key null: one partition for all.",
    family: "kafka-python",
    key_rule: MURMUR2_MASK_RULE,
    empty_rule: EmptyRule::Hashed,
    null_rule: NullRule::Keyless,
    keyless: RANDOM_AVAILABLE,
};

const PYKAFKA: Client = Client {
    id: "pykafka",
    name: "pykafka",
    library: "pykafka",
    partitioner: "RandomPartitioner",
    keyed: "round robin, key ignored",
    null_key: "round robin",
    empty_key: "round robin",
    note: "RandomPartitioner goes round robin, in spite of its name.",
    family: "pykafka",
    key_rule: KeyRule::Ignored("it goes round robin"),
    empty_rule: EmptyRule::Keyless,
    keyless: ROUND_ROBIN_ALL,
    ..KAFKA_PYTHON
};

const EVENT_HUBS: Client = Client {
    id: "event-hubs",
    name: "Event Hubs SDK · partitionKey",
    library: "Azure Event Hubs SDK, buffered producer",
    language: "C#, Java",
    partitioner: "PartitionResolver",
    keyed: "|16-bit lookup3 % n|",
    null_key: "round robin",
    empty_key: "hash 0: partition 0",
    note: "AMQP, not Kafka: an equal Kafka key likely goes to another partition.",
    family: "event-hubs",
    key_rule: hash(HashFunction::Lookup3, SignRule::SignedNegate),
    keyless: ROUND_ROBIN_ALL,
    ..KAFKA_PYTHON
};

pub(super) const CLIENTS: &[Client] = &[
    KAFKA_PYTHON,
    Client {
        id: "aiokafka",
        name: "aiokafka",
        library: "aiokafka",
        note: "An explicit partition that does not exist fails an assertion.",
        family: "aiokafka",
        ..KAFKA_PYTHON
    },
    Client {
        id: "faust",
        name: "Faust",
        library: "Faust",
        note: "The setting is producer_partitioner.",
        family: "faust",
        ..KAFKA_PYTHON
    },
    PYKAFKA,
    Client {
        id: "pykafka-hashing",
        name: "pykafka · HashingPartitioner",
        partitioner: "HashingPartitioner",
        is_default: false,
        keyed: "int(sha1(key), 16) % n",
        null_key: "error",
        empty_key: "sha1 of nothing",
        note: "Old versions used Python's hash(), which differs in every process.",
        key_rule: hash(HashFunction::Sha1, SignRule::Unsigned),
        empty_rule: EmptyRule::Hashed,
        null_rule: NullRule::Refused,
        ..PYKAFKA
    },
    EVENT_HUBS,
    Client {
        id: "event-hubs-python",
        name: "Event Hubs SDK for Python · partition_key",
        language: "Python",
        keyed: "16-bit lookup3 mod n, rounded down",
        note: "Python's modulo rounds down, so it differs from the .NET and Java SDKs. ASCII keys only here.",
        key_rule: KeyRule::Hash { function: HashFunction::Lookup3, sign: SignRule::Floor, input: HashInput::AsciiOnly },
        ..EVENT_HUBS
    },
    Client {
        id: "event-hubs-kafka",
        name: "Event Hubs · Kafka endpoint",
        library: "Azure Event Hubs, Kafka protocol",
        language: "any",
        partitioner: "the Kafka client's own",
        keyed: "the Kafka client's own rule",
        null_key: "the Kafka client's own rule",
        empty_key: "the Kafka client's own rule",
        note: "Look up the entry of the client library that you use.",
        key_rule: KeyRule::NotReproducible(
            "the Kafka client in front of Event Hubs places it; choose that client's entry",
        ),
        empty_rule: EmptyRule::Keyless,
        ..EVENT_HUBS
    },
];
