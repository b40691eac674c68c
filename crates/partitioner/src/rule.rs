//! What a client does with a key, an empty key and a missing key, as data.
//!
//! Deliberately not here: state. Records whose key decides nothing are placed by [`crate::Keyless`].

use crate::{HashFunction, SignRule};

/// What a client does with a key of at least one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRule {
    /// The partition is a function of the key.
    Hash {
        /// The hash of the bytes.
        function: HashFunction,
        /// The treatment of its sign before the modulo.
        sign: SignRule,
        /// Which bytes of the key are hashed.
        input: HashInput,
    },
    /// The key is written but does not choose the partition; the keyless rule does. The text says so in words.
    Ignored(&'static str),
    /// The key chooses the partition in a way that cannot be computed outside the client; the text says why.
    NotReproducible(&'static str),
}

/// Which bytes of a key reach the hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashInput {
    /// All of them.
    Bytes,
    /// As many bytes as the text has characters: rdkafka-ruby passes `size` where `bytesize` was meant.
    CharacterCount,
    /// All of them, and only if each is ASCII; other keys are not hashed.
    AsciiOnly,
}

/// What a client does with a key of 0 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyRule {
    /// It is a key like any other.
    Hashed,
    /// It counts as no key.
    Keyless,
}

/// What a client does with a record without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullRule {
    /// The keyless rule chooses.
    Keyless,
    /// It is hashed as if it were an empty key, so all such records share one partition.
    HashedAsEmpty,
    /// The client refuses it.
    Refused,
}

/// How records are placed whose key does not choose the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeylessRule {
    /// Java since 3.3 (KIP-794): stay until `batch.size` bytes were produced, then draw with adaptive weights.
    StickyBytes,
    /// Java 2.4 to 3.2 (KIP-480): stay until an append would open a new batch, then draw a different partition.
    StickyBatch,
    /// franz-go's `StickyKeyPartitioner`: as `StickyBatch`, but a repeated draw takes the next partition.
    StickyBatchOrNext,
    /// franz-go's `UniformBytesPartitioner`: stay for the given number of bytes of records.
    UniformBytes {
        /// Bytes of records after which another partition is drawn.
        threshold_bytes: u32,
    },
    /// librdkafka: draw at most once in `sticky.partitioning.linger.ms`; 0 draws for every record.
    StickyTime,
    /// The Scala producer: one random partition until the metadata of the topic is refreshed.
    StickyMetadata,
    /// A counter over the partitions.
    RoundRobin {
        /// Where the counter starts.
        start: Start,
        /// Which partitions it counts over.
        over: Over,
        /// Does the client ask twice, and lose one step, when a record opens a new batch (KAFKA-9965)?
        doubled: bool,
    },
    /// A random partition for every record.
    Random {
        /// Which partitions are drawn from.
        over: Over,
    },
    /// librdkafka's `random`: any partition; drawn once more if the first one has no leader.
    RandomTwice,
    /// kafka-go's `LeastBytes`: the partition that was given the fewest bytes.
    LeastBytes,
    /// Always the first partition.
    First,
    /// The partition that the caller's settings name, modulo the count: Flink's subtask, MirrorMaker's source.
    Given,
}

/// The first value of a round robin counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// 0.
    Zero,
    /// A random number.
    Random,
}

/// The partitions that a rule chooses among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All of the topic.
    All,
    /// Those that have a leader; all of them if none has.
    Available,
}
