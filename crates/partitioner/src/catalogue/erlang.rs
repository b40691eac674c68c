//! Erlang and Elixir: brod, wolff, kafka_ex.
//!
//! Deliberately not here: keys that are not binaries; their `phash2` is that of another term.

use super::*;

const BROD: Client = Client {
    id: "brod-hash",
    name: "brod · hash",
    library: "brod",
    language: "Erlang",
    versions: "all",
    partitioner: "hash",
    is_default: false,
    keyed: "erlang:phash2(Key) rem n",
    null_key: "hashed as an empty binary",
    empty_key: "hashed, but written as no key",
    note: "There is no default: produce takes the partitioner as an argument. An iolist hashes differently.",
    family: "brod-hash",
    key_rule: hash(HashFunction::Phash2, SignRule::Unsigned),
    empty_rule: EmptyRule::Hashed,
    null_rule: NullRule::HashedAsEmpty,
    keyless: RANDOM_ALL,
};

const KAFKA_EX: Client = Client {
    id: "kafka-ex",
    name: "kafka_ex",
    library: "kafka_ex",
    language: "Elixir",
    versions: "0.11 and later",
    partitioner: "KafkaEx.Producer.Partitioner.Default",
    is_default: true,
    keyed: AS_JAVA,
    null_key: "random per call",
    empty_key: HASHED,
    note: "Only the first message of a produce call decides for the whole call.",
    family: "kafka-ex",
    key_rule: MURMUR2_MASK_RULE,
    null_rule: NullRule::Keyless,
    ..BROD
};

pub(super) const CLIENTS: &[Client] = &[
    BROD,
    Client {
        id: "brod-random",
        name: "brod · random",
        partitioner: "random",
        keyed: "random per call, key ignored",
        null_key: "random per call",
        empty_key: "random per call",
        note: "Ignores keys.",
        key_rule: KeyRule::Ignored("it draws a random partition for every call"),
        empty_rule: EmptyRule::Keyless,
        null_rule: NullRule::Keyless,
        ..BROD
    },
    Client {
        id: "wolff",
        name: "wolff",
        library: "wolff (EMQX)",
        partitioner: "random",
        is_default: true,
        keyed: "random, key ignored",
        null_key: "random",
        empty_key: "random",
        note: "If the drawn partition's producer is dead, the next one that is alive is taken.",
        family: "wolff",
        key_rule: KeyRule::Ignored("it draws a random partition"),
        empty_rule: EmptyRule::Keyless,
        null_rule: NullRule::Keyless,
        ..BROD
    },
    Client {
        id: "wolff-first_key_dispatch",
        name: "wolff · first_key_dispatch",
        library: "wolff (EMQX)",
        partitioner: "first_key_dispatch",
        keyed: "phash2 of the first message's key rem n, for the whole batch",
        empty_key: HASHED,
        note: "The other messages of the batch follow the first one.",
        family: "wolff",
        ..BROD
    },
    KAFKA_EX,
    Client {
        id: "kafka-ex-0.10",
        name: "kafka_ex 0.10",
        versions: "0.10; later as Partitioner.Legacy",
        partitioner: "KafkaEx.Producer.Partitioner.Legacy",
        keyed: MURMUR2_UNSIGNED,
        note: "Agrees with Java only for partition counts that are powers of two.",
        key_rule: MURMUR2_UNSIGNED_RULE,
        ..KAFKA_EX
    },
];
