//! The catalogue: every client whose rule is known, one entry each, and the way to look one up.
//!
//! Deliberately not here: functions. An entry is data; adding a client is one entry and its vectors.

mod dotnet_php;
mod erlang;
mod go;
mod java;
mod javascript;
mod librdkafka;
mod python;
mod ruby;
mod rust;

use crate::{EmptyRule, HashFunction, HashInput, KeyRule, KeylessRule, NullRule, Over, SignRule, Start};

/// One client library (or framework, binding or gateway) with one of its partitioners.
///
/// The texts are for readers, the rules are what is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// Kebab case: the library, then where needed a partitioner or an era. An id never changes its meaning.
    pub id: &'static str,
    /// A short label, for example `Java` or `librdkafka · murmur2_random`.
    pub name: &'static str,
    /// The library as its project calls it.
    pub library: &'static str,
    /// The language of the programs that use it.
    pub language: &'static str,
    /// The versions for which this entry holds.
    pub versions: &'static str,
    /// The class, function or setting.
    pub partitioner: &'static str,
    /// Is this what a program gets that configures nothing, in these versions?
    pub is_default: bool,
    /// What happens to a record with a key.
    pub keyed: &'static str,
    /// What happens to a record without a key.
    pub null_key: &'static str,
    /// What happens to a record whose key has 0 bytes.
    pub empty_key: &'static str,
    /// One thing worth knowing; may be empty.
    pub note: &'static str,
    /// Id of the entry that names the library; variants of one library share it, so that a picker can group them.
    pub family: &'static str,
    /// The rule for a key of at least one byte.
    pub key_rule: KeyRule,
    /// The rule for a key of 0 bytes.
    pub empty_rule: EmptyRule,
    /// The rule for a missing key.
    pub null_rule: NullRule,
    /// The rule for every record whose key does not choose the partition.
    pub keyless: KeylessRule,
}

const GROUPS: [&[Client]; 9] = [
    java::CLIENTS,
    librdkafka::CLIENTS,
    go::CLIENTS,
    javascript::CLIENTS,
    python::CLIENTS,
    ruby::CLIENTS,
    erlang::CLIENTS,
    rust::CLIENTS,
    dotnet_php::CLIENTS,
];

static CATALOGUE: [Client; count()] = gathered();

/// Every client, grouped by language family.
///
/// ```
/// let defaults = partitioner::clients().iter().filter(|client| client.is_default).count();
/// assert!(defaults > 30);
/// ```
pub fn clients() -> &'static [Client] {
    &CATALOGUE
}

/// The client of this id.
///
/// ```
/// assert_eq!(partitioner::client("sarama").map(|client| client.language), Some("Go"));
/// assert_eq!(partitioner::client("Sarama"), None);
/// ```
pub fn client(id: &str) -> Option<&'static Client> {
    CATALOGUE.iter().find(|client| client.id == id)
}

const fn count() -> usize {
    let (mut total, mut group) = (0, 0);
    while group < GROUPS.len() {
        total += GROUPS[group].len();
        group += 1;
    }
    total
}

const fn gathered() -> [Client; count()] {
    let mut all = [GROUPS[0][0]; count()];
    let (mut next, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            all[next] = GROUPS[group][index];
            next += 1;
            index += 1;
        }
        group += 1;
    }
    all
}

// The words and rules that entries share.

const AS_JAVA: &str = "(murmur2 & 0x7fffffff) % n";
const MURMUR2_UNSIGNED: &str = "murmur2 % n, unsigned: not Java's placement unless n is a power of two";
const CRC32_UNSIGNED: &str = "crc32 % n, unsigned";
const CRC32_NEGATED: &str = "crc32 % n, signed, a negative result negated";
const FNV1A_NEGATED: &str = "fnv1a % n, signed, a negative result negated";
const FNV1A_MASK: &str = "(fnv1a & 0x7fffffff) % n";
const FNV1A_UNSIGNED: &str = "fnv1a % n, unsigned";
const HASHED: &str = "hashed like any key";
const IGNORED: &str = "key ignored";

const MURMUR2_MASK_RULE: KeyRule = hash(HashFunction::Murmur2, SignRule::Mask);
const MURMUR2_UNSIGNED_RULE: KeyRule = hash(HashFunction::Murmur2, SignRule::Unsigned);
const CRC32_UNSIGNED_RULE: KeyRule = hash(HashFunction::Crc32, SignRule::Unsigned);
const CRC32_NEGATED_RULE: KeyRule = hash(HashFunction::Crc32, SignRule::SignedNegate);
const FNV1A_NEGATED_RULE: KeyRule = hash(HashFunction::Fnv1a, SignRule::SignedNegate);
const FNV1A_MASK_RULE: KeyRule = hash(HashFunction::Fnv1a, SignRule::Mask);
const FNV1A_UNSIGNED_RULE: KeyRule = hash(HashFunction::Fnv1a, SignRule::Unsigned);

const RANDOM_ALL: KeylessRule = KeylessRule::Random { over: Over::All };
const RANDOM_AVAILABLE: KeylessRule = KeylessRule::Random { over: Over::Available };
const ROUND_ROBIN_ALL: KeylessRule = round_robin(Start::Zero, Over::All);

const fn hash(function: HashFunction, sign: SignRule) -> KeyRule {
    KeyRule::Hash { function, sign, input: HashInput::Bytes }
}

const fn round_robin(start: Start, over: Over) -> KeylessRule {
    KeylessRule::RoundRobin { start, over, doubled: false }
}
