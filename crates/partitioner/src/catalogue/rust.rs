//! Rust: the crates `kafka` and `rskafka`.
//!
//! Deliberately not here: rust-rdkafka, which is librdkafka.

use super::*;

const KAFKA_RUST: Client = Client {
    id: "kafka-rust",
    name: "kafka-rust",
    library: "crate kafka",
    language: "Rust",
    versions: "0.6.0 and later",
    partitioner: "DefaultPartitioner",
    is_default: true,
    keyed: "xxh32 % n, seed 0, unsigned",
    null_key: "round robin over available partitions from 0",
    empty_key: "becomes no key: round robin",
    note: "Partition counts are read once, when the producer is created; later growth is not seen.",
    family: "kafka-rust",
    key_rule: hash(HashFunction::XxHash32, SignRule::Unsigned),
    empty_rule: EmptyRule::Keyless,
    null_rule: NullRule::Keyless,
    keyless: round_robin(Start::Zero, Over::Available),
};

pub(super) const CLIENTS: &[Client] = &[
    KAFKA_RUST,
    Client {
        id: "rskafka",
        name: "rskafka",
        library: "rskafka",
        versions: "all",
        partitioner: "none",
        keyed: "the program names the partition",
        null_key: "the program names the partition",
        empty_key: "the program names the partition",
        note: "One PartitionClient per partition; there is no partitioner.",
        family: "rskafka",
        key_rule: KeyRule::Ignored("there is no partitioner; the program names the partition"),
        keyless: KeylessRule::Given,
        ..KAFKA_RUST
    },
];
