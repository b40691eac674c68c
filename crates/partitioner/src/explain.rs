//! Why a key lands where it lands, as data: bytes, steps of the hash, sign, modulo, partition.
//!
//! Deliberately not here: pictures. Whoever shows an explanation decides how; [`Explanation::sentence`] is the
//! one text that all of them share.

use alloc::{format, string::String, vec, vec::Vec};

use crate::{
    Client, HashFunction, HashInput, HashValue, KeyRule, NullRule, SignRule,
    hash::{crc32, fnv1a, murmur2},
    placement::place,
};

/// The most steps that an explanation lists; the rest of a long key is counted in [`Hashed::steps_left_out`].
pub const STEPS_MAX: usize = 256;

/// One decision of one client about one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Id of the client.
    pub client: &'static str,
    /// The bytes of the key; `None` for a record without a key.
    pub key: Option<Vec<u8>>,
    /// Partitions of the topic.
    pub partitions: u32,
    /// What was decided.
    pub decision: Decision,
}

/// Was the partition derived from the key?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes, in these steps.
    Hashed(Hashed),
    /// No, for this reason.
    NotHashed(NotHashed),
}

/// How a partition was derived from a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The hash function.
    pub function: HashFunction,
    /// The bytes that were hashed: the key, unless the client hashes only a part of it.
    pub bytes: Vec<u8>,
    /// Intermediate states of murmur2, crc32 and fnv1a; empty for the other functions.
    pub steps: Vec<Step>,
    /// Steps of a long key that are not listed.
    pub steps_left_out: usize,
    /// The hash before any rule about its sign.
    pub value: HashValue,
    /// The hash as this client holds it: signed or unsigned. A digest is given in hex.
    pub raw: String,
    /// The treatment of the sign.
    pub sign: SignRule,
    /// The number that is divided; `None` for a digest, which is divided as a whole.
    pub dividend: Option<i64>,
    /// The remainder before a last correction; negative only if the rule then negates it. `None` for a digest.
    pub remainder: Option<i64>,
    /// The partition.
    pub partition: u32,
}

/// One state of a hash function on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was taken in.
    pub kind: StepKind,
    /// The 32-bit state afterwards.
    pub state: u32,
}

/// What a step of a hash function takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The initial state; murmur2 mixes the length in bytes into its seed.
    Start {
        /// The constant it starts from.
        seed: u32,
        /// Length of the key in bytes.
        length: usize,
    },
    /// Four bytes as a little-endian word.
    Word {
        /// Position of its first byte.
        offset: usize,
        /// The word.
        word: u32,
        /// The word after its own scrambling, before it meets the state.
        scrambled: u32,
    },
    /// One byte.
    Byte {
        /// Its position.
        offset: usize,
        /// The byte.
        byte: u8,
    },
    /// The last one, two or three bytes of murmur2, as a little-endian number.
    Tail {
        /// Position of the first of them.
        offset: usize,
        /// The number.
        bits: u32,
    },
    /// The last mixing; the state is the hash.
    Finish,
}

/// Why the key did not choose the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHashed {
    /// The record has no key.
    NoKey,
    /// The record has no key, and this client refuses such records.
    NoKeyRefused,
    /// The key has 0 bytes, which this client treats as no key.
    EmptyKey,
    /// The client does not look at keys; the text says what it does.
    KeyIgnored(&'static str),
    /// The rule cannot be computed outside the client; the text says why.
    NotReproducible(&'static str),
    /// The key has bytes that are not ASCII, for which this client has no rule.
    NotAscii,
    /// The topic has no partitions.
    NoPartitions,
}

impl NotHashed {
    /// The reason as a clause: "the record has no key".
    pub fn reason(self) -> String {
        match self {
            Self::NoKey => "the record has no key".into(),
            Self::NoKeyRefused => "the record has no key, and this partitioner refuses that".into(),
            Self::EmptyKey => "an empty key counts as no key here".into(),
            Self::KeyIgnored(how) => format!("this client ignores the key: {how}"),
            Self::NotReproducible(why) => why.into(),
            Self::NotAscii => "the key is not ASCII text".into(),
            Self::NoPartitions => "the topic has no partitions".into(),
        }
    }
}

impl Client {
    /// Explains what [`partition`](Client::partition) answers.
    ///
    /// ```
    /// let sarama = partitioner::client("sarama").expect("sarama is in the catalogue");
    /// assert_eq!(
    ///     sarama.explain(Some(b"foobar"), 5).sentence(),
    ///     "foobar hashes to -1080231576; -1080231576 mod 5 is -1, negated 1."
    /// );
    /// ```
    pub fn explain(&self, key: Option<&[u8]>, partitions: u32) -> Explanation {
        let decision = match self.hashed_bytes(key) {
            Some((function, sign, bytes)) => hashed(function, sign, bytes, partitions),
            None => Decision::NotHashed(self.reason_not_hashed(key)),
        };
        Explanation { client: self.id, key: key.map(<[u8]>::to_vec), partitions, decision }
    }

    fn reason_not_hashed(&self, key: Option<&[u8]>) -> NotHashed {
        match (self.key_rule, key) {
            (KeyRule::Ignored(how), Some(_)) => NotHashed::KeyIgnored(how),
            (KeyRule::NotReproducible(why), Some(_)) => NotHashed::NotReproducible(why),
            (_, None) if self.null_rule == NullRule::Refused => NotHashed::NoKeyRefused,
            (_, None) => NotHashed::NoKey,
            (KeyRule::Hash { input: HashInput::AsciiOnly, .. }, Some([_, ..])) => NotHashed::NotAscii,
            (KeyRule::Hash { .. }, Some(_)) => NotHashed::EmptyKey,
        }
    }
}

impl Explanation {
    /// The partition, if the key chose it.
    pub fn partition(&self) -> Option<u32> {
        match &self.decision {
            Decision::Hashed(hashed) => Some(hashed.partition),
            Decision::NotHashed(_) => None,
        }
    }

    /// The decision in one plain sentence.
    pub fn sentence(&self) -> String {
        let key = self.key.as_deref().map_or_else(|| "A missing key".into(), shown);
        match &self.decision {
            Decision::Hashed(hashed) => format!("{key} {}.", hashed.clauses(self.partitions)),
            Decision::NotHashed(why) if self.key.is_none() => {
                format!("Not hashed, because {}.", why.reason())
            }
            Decision::NotHashed(why) => format!("{key} is not hashed, because {}.", why.reason()),
        }
    }
}

impl Hashed {
    fn clauses(&self, partitions: u32) -> String {
        let Self { raw, partition, .. } = self;
        let (Some(dividend), Some(remainder)) = (self.dividend, self.remainder) else {
            return format!("hashes to {raw}; the whole number mod {partitions} is {partition}");
        };
        match self.sign {
            SignRule::Unsigned => format!("hashes to {raw}; {raw} mod {partitions} is {partition}"),
            SignRule::SignedNegate if remainder < 0 => {
                format!("hashes to {raw}; {raw} mod {partitions} is {remainder}, negated {partition}")
            }
            SignRule::SignedNegate => {
                format!("hashes to {raw}; {raw} mod {partitions} is {partition}")
            }
            SignRule::Floor => {
                format!("hashes to {raw}; {raw} mod {partitions}, rounded down, is {partition}")
            }
            sign => format!("hashes to {raw}; {} {dividend}; {dividend} mod {partitions} is {partition}", sign.words()),
        }
    }
}

/// The key for a sentence: printable text as it is, everything else in hex.
fn shown(key: &[u8]) -> String {
    match core::str::from_utf8(key) {
        Ok("") => "The empty key".into(),
        Ok(text) if !text.chars().any(char::is_control) => text.into(),
        _ => key.iter().fold(String::from("0x"), |text, byte| text + &format!("{byte:02x}")),
    }
}

fn hashed(function: HashFunction, sign: SignRule, bytes: &[u8], partitions: u32) -> Decision {
    let value = function.hash(bytes);
    let Some(partition) = place(value, sign, partitions) else {
        return Decision::NotHashed(NotHashed::NoPartitions);
    };
    let word = match value {
        HashValue::Word(bits) => Some(bits),
        HashValue::Digest(_) => None,
    };
    let raw = match word {
        Some(bits) if sign.reads_signed() => format!("{}", bits as i32),
        Some(bits) => format!("{bits}"),
        None => value.hex(),
    };
    let all_steps = steps(function, bytes);
    let steps_left_out = all_steps.len().saturating_sub(STEPS_MAX);
    Decision::Hashed(Hashed {
        function,
        bytes: bytes.to_vec(),
        steps: all_steps.into_iter().take(STEPS_MAX).collect(),
        steps_left_out,
        value,
        raw,
        sign,
        dividend: word.map(|bits| sign.dividend(bits)),
        remainder: word.map(|bits| sign.remainder(bits, partitions)),
        partition,
    })
}

fn steps(function: HashFunction, key: &[u8]) -> Vec<Step> {
    match function {
        HashFunction::Murmur2 => murmur2_steps(key),
        HashFunction::Crc32 => byte_steps(!0, key, crc32::absorb_byte, |state| !state),
        HashFunction::Fnv1a => byte_steps(fnv1a::OFFSET_BASIS, key, fnv1a::absorb_byte, |state| state),
        _ => Vec::new(),
    }
}

fn murmur2_steps(key: &[u8]) -> Vec<Step> {
    let mut state = murmur2::start(key.len());
    let mut steps = vec![Step { kind: StepKind::Start { seed: murmur2::SEED, length: key.len() }, state }];
    let (words, tail) = key.as_chunks::<4>();
    for (index, word) in words.iter().enumerate() {
        let word = u32::from_le_bytes(*word);
        state = murmur2::mix(state, word);
        steps
            .push(Step { kind: StepKind::Word { offset: index * 4, word, scrambled: murmur2::scramble(word) }, state });
    }
    if !tail.is_empty() {
        state = murmur2::absorb_tail(state, tail);
        let bits = tail.iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        steps.push(Step { kind: StepKind::Tail { offset: key.len() - tail.len(), bits }, state });
    }
    steps.push(Step { kind: StepKind::Finish, state: murmur2::finish(state) });
    steps
}

fn byte_steps(seed: u32, key: &[u8], absorb: fn(u32, u8) -> u32, finish: fn(u32) -> u32) -> Vec<Step> {
    let mut state = seed;
    let mut steps = vec![Step { kind: StepKind::Start { seed, length: key.len() }, state }];
    for (offset, byte) in key.iter().copied().enumerate() {
        state = absorb(state, byte);
        steps.push(Step { kind: StepKind::Byte { offset, byte }, state });
    }
    steps.push(Step { kind: StepKind::Finish, state: finish(state) });
    steps
}
