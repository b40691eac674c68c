//! From a key to a partition number: one key, or many at once.
//!
//! Deliberately not here: records whose key decides nothing. Their answer is `None` here, and [`crate::Keyless`]
//! places them.

use alloc::vec::Vec;

use crate::{
    Client, EmptyRule, FastModulo, HashFunction, HashInput, HashValue, KeyRule, NullRule, SignRule,
    hash::{BLOCK, crc32, fnv1a, murmur2},
};

const JAVA_RULE: KeyRule =
    KeyRule::Hash { function: HashFunction::Murmur2, sign: SignRule::Mask, input: HashInput::Bytes };
const LIBRDKAFKA_RULE: KeyRule =
    KeyRule::Hash { function: HashFunction::Crc32, sign: SignRule::Unsigned, input: HashInput::Bytes };

impl Client {
    /// The partition that this client derives from `key`; `None` if it does not derive it from the key, or if
    /// there are no partitions. A missing key is `None`, an empty one is `Some(&[])`: clients tell them apart.
    ///
    /// ```
    /// let java = partitioner::client("java").expect("java is in the catalogue");
    /// let librdkafka = partitioner::client("librdkafka").expect("librdkafka is in the catalogue");
    /// assert_eq!(java.partition(Some(b"user-1"), 12), Some(8));
    /// assert_eq!(java.partition(Some(b""), 12), Some(9));
    /// assert_eq!(java.partition(None, 12), None);
    /// assert_eq!(librdkafka.partition(Some(b""), 12), None);
    /// ```
    // One call a key is what producers do: inlined, its loads overlap with those of the next key. In wasm the caller
    // is built for size, so it stays a function of this crate, which is built for speed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub fn partition(&self, key: Option<&[u8]>, partitions: u32) -> Option<u32> {
        // The two rules that most producers use are spelled out, so that they run without further questions.
        match (key, &self.key_rule, self.empty_rule) {
            (Some(key), &JAVA_RULE, EmptyRule::Hashed) => (murmur2::murmur2(key) & 0x7fff_ffff).checked_rem(partitions),
            (Some(key @ [_, ..]), &LIBRDKAFKA_RULE, _) => crc32::crc32(key).checked_rem(partitions),
            _ => self.partition_by_any_rule(key, partitions),
        }
    }

    /// Appends the partition of each key to `out`, -1 where [`partition`](Self::partition) answers `None`.
    ///
    /// murmur2 runs over blocks of keys of equal length, a step for all of them at a time. Where the target has
    /// vector instructions for it, this is several times faster than one call per key.
    ///
    /// ```
    /// let java = partitioner::client("java").expect("java is in the catalogue");
    /// let mut partitions = Vec::new();
    /// java.partition_many(&["user-1", "abc", ""], 12, &mut partitions);
    /// assert_eq!(partitions, [8, 3, 9]);
    /// ```
    pub fn partition_many<K: AsRef<[u8]>>(&self, keys: &[K], partitions: u32, out: &mut Vec<i32>) {
        out.reserve(keys.len());
        if cfg!(not(target_family = "wasm")) {
            return self.partition_each(keys, partitions, out);
        }
        // Code that depends on the caller's type is built with the caller, in wasm for size; slices are not.
        for block in keys.chunks(8 * BLOCK) {
            let slices: Vec<&[u8]> = block.iter().map(AsRef::as_ref).collect();
            self.partition_slices(&slices, partitions, out);
        }
    }

    #[inline(never)]
    fn partition_slices(&self, keys: &[&[u8]], partitions: u32, out: &mut Vec<i32>) {
        self.partition_each(keys, partitions, out);
    }

    fn partition_each<K: AsRef<[u8]>>(&self, keys: &[K], partitions: u32, out: &mut Vec<i32>) {
        let fast = match (self.key_rule, self.empty_rule, FastModulo::new(partitions)) {
            (KeyRule::Hash { function, sign, input: HashInput::Bytes }, EmptyRule::Hashed, Some(modulo)) => {
                prepared(function, sign, modulo, keys, out)
            }
            (KeyRule::Hash { function, sign, input: HashInput::Bytes }, EmptyRule::Keyless, Some(modulo)) => {
                let first = out.len();
                let done = prepared(function, sign, modulo, keys, out);
                for (partition, key) in out[first..].iter_mut().zip(keys) {
                    if key.as_ref().is_empty() {
                        *partition = -1;
                    }
                }
                done
            }
            _ => false,
        };
        if !fast {
            out.extend(keys.iter().map(|key| as_signed(self.partition(Some(key.as_ref()), partitions))));
        }
    }

    fn partition_by_any_rule(&self, key: Option<&[u8]>, partitions: u32) -> Option<u32> {
        let (function, sign, bytes) = self.hashed_bytes(key)?;
        place(function.hash(bytes), sign, partitions)
    }

    /// The function, sign rule and bytes that decide about `key`; `None` if the key does not decide.
    pub(crate) fn hashed_bytes<'k>(&self, key: Option<&'k [u8]>) -> Option<(HashFunction, SignRule, &'k [u8])> {
        let KeyRule::Hash { function, sign, input } = self.key_rule else {
            return None;
        };
        let key = match (key, self.null_rule, self.empty_rule) {
            (None, NullRule::HashedAsEmpty, _) => &[],
            (None, NullRule::Keyless | NullRule::Refused, _) | (Some([]), _, EmptyRule::Keyless) => return None,
            (Some(key), ..) => key,
        };
        let bytes = match input {
            HashInput::Bytes => key,
            HashInput::CharacterCount => {
                &key[..alloc::string::String::from_utf8_lossy(key).chars().count().min(key.len())]
            }
            HashInput::AsciiOnly if key.is_ascii() => key,
            HashInput::AsciiOnly => return None,
        };
        Some((function, sign, bytes))
    }
}

/// The partition of a hash value under a sign rule. A digest is one big unsigned number, whatever the rule.
pub(crate) fn place(value: HashValue, sign: SignRule, partitions: u32) -> Option<u32> {
    match value {
        HashValue::Word(hash) => sign.partition(hash, partitions),
        HashValue::Digest(bytes) => {
            let divisor = core::num::NonZeroU64::new(u64::from(partitions))?;
            Some(bytes.iter().fold(0u64, |rest, byte| (rest * 256 + u64::from(*byte)) % divisor) as u32)
        }
    }
}

fn as_signed(partition: Option<u32>) -> i32 {
    partition.map_or(-1, |partition| partition as i32)
}

/// Hashes without a question per key; `false`, with `out` unchanged, if the function or the rule has no fast form.
fn prepared<K: AsRef<[u8]>>(
    function: HashFunction,
    sign: SignRule,
    modulo: FastModulo,
    keys: &[K],
    out: &mut Vec<i32>,
) -> bool {
    let divisor = modulo.divisor();
    match sign {
        SignRule::Mask => by_function(function, |hash| modulo.of_31_bits(hash & 0x7fff_ffff), keys, out),
        SignRule::Unsigned => by_function(function, |hash| hash % divisor, keys, out),
        SignRule::SignedNegate | SignRule::AbsFirst => {
            by_function(function, |hash| modulo.of((hash as i32).unsigned_abs()), keys, out)
        }
        _ => false,
    }
}

#[inline]
fn by_function<K: AsRef<[u8]>>(
    function: HashFunction,
    place: impl Fn(u32) -> u32,
    keys: &[K],
    out: &mut Vec<i32>,
) -> bool {
    match function {
        HashFunction::Murmur2 => murmur2_in_blocks(place, keys, out),
        HashFunction::Crc32 => out.extend(keys.iter().map(|key| place(crc32::crc32(key.as_ref())) as i32)),
        HashFunction::Fnv1a => out.extend(keys.iter().map(|key| place(fnv1a::fnv1a(key.as_ref())) as i32)),
        _ => return false,
    }
    true
}

#[inline]
fn murmur2_in_blocks<K: AsRef<[u8]>>(place: impl Fn(u32) -> u32, keys: &[K], out: &mut Vec<i32>) {
    let (blocks, rest) = keys.as_chunks::<BLOCK>();
    for block in blocks {
        let hashes = murmur2::murmur2_block(block);
        let mut partitions = [0; BLOCK];
        for (partition, hash) in partitions.iter_mut().zip(&hashes) {
            *partition = place(*hash) as i32;
        }
        out.extend_from_slice(&partitions);
    }
    out.extend(rest.iter().map(|key| place(murmur2::murmur2(key.as_ref())) as i32));
}
