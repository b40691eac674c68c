//! The hash functions that Kafka clients apply to key bytes, one file each, and the enum that names them.
//!
//! Deliberately not here: what a client does with the sign of a hash ([`crate::SignRule`]) and the modulo.

pub mod crc32;
pub mod fnv1a;
pub mod java;
pub mod javascript;
pub mod lookup3;
pub mod murmur2;
pub mod phash2;
pub mod sha1;
pub mod xxh32;

use alloc::{format, string::String};

/// How many keys the `_block` functions hash at once: enough to hide latencies, few enough for the first cache.
pub const BLOCK: usize = 64;

/// A hash function of key bytes.
///
/// ```
/// use partitioner::HashFunction;
/// let value = HashFunction::Murmur2.hash(b"foobar");
/// assert_eq!(value.signed(), Some(-790332482));
/// assert_eq!(value.hex(), "0xd0e47bbe");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HashFunction {
    /// murmur2 with Kafka's seed (`org.apache.kafka.common.utils.Utils.murmur2`).
    Murmur2,
    /// CRC-32 of zlib and IEEE 802.3.
    Crc32,
    /// FNV-1a, 32 bits.
    Fnv1a,
    /// `erlang:phash2/1` of a binary, 27 bits.
    Phash2,
    /// xxHash, 32 bits, seed 0.
    XxHash32,
    /// SHA-1, read as one big-endian integer of 160 bits.
    Sha1,
    /// KafkaJS before 2.0: murmur2 computed on IEEE doubles, which loses bits.
    KafkaJsLegacy,
    /// kafka-node's `KeyedPartitioner`: 31 bits over UTF-16 units, where 0 becomes 1.
    KafkaNode,
    /// `java.lang.String.hashCode` of the key read as UTF-8 text.
    JavaString,
    /// `java.util.Arrays.hashCode(byte[])`.
    JavaBytes,
    /// Jenkins lookup3 folded to 16 signed bits, as the Event Hubs SDKs do.
    Lookup3,
}

impl HashFunction {
    /// The hash of `key`.
    pub fn hash(self, key: &[u8]) -> HashValue {
        HashValue::Word(match self {
            Self::Murmur2 => murmur2::murmur2(key),
            Self::Crc32 => crc32::crc32(key),
            Self::Fnv1a => fnv1a::fnv1a(key),
            Self::Phash2 => phash2::phash2(key),
            Self::XxHash32 => xxh32::xxh32(key),
            Self::Sha1 => return HashValue::Digest(sha1::sha1(key)),
            Self::KafkaJsLegacy => javascript::kafkajs_legacy(key),
            Self::KafkaNode => javascript::kafka_node(key),
            Self::JavaString => java::string_hash_code(&String::from_utf8_lossy(key)) as u32,
            Self::JavaBytes => java::bytes_hash_code(key) as u32,
            Self::Lookup3 => i32::from(lookup3::event_hubs(key)) as u32,
        })
    }

    /// The name a reader would search for, for example `murmur2` or `erlang:phash2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Murmur2 => "murmur2",
            Self::Crc32 => "crc32",
            Self::Fnv1a => "fnv1a",
            Self::Phash2 => "erlang:phash2",
            Self::XxHash32 => "xxh32",
            Self::Sha1 => "sha1",
            Self::KafkaJsLegacy => "murmur2 on doubles",
            Self::KafkaNode => "31 * h + unit, 31 bits",
            Self::JavaString => "String.hashCode",
            Self::JavaBytes => "Arrays.hashCode",
            Self::Lookup3 => "Jenkins lookup3, 16 bits",
        }
    }
}

/// What a hash function answered, before any rule about its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashValue {
    /// Up to 32 bits. A hash of 16 signed bits is sign-extended.
    Word(u32),
    /// 160 bits, most significant byte first.
    Digest([u8; 20]),
}

impl HashValue {
    /// The word read as a signed number; `None` for a digest.
    pub fn signed(self) -> Option<i64> {
        match self {
            Self::Word(bits) => Some(i64::from(bits as i32)),
            Self::Digest(_) => None,
        }
    }

    /// The word read as an unsigned number; `None` for a digest.
    pub fn unsigned(self) -> Option<u64> {
        match self {
            Self::Word(bits) => Some(u64::from(bits)),
            Self::Digest(_) => None,
        }
    }

    /// `0x` and 8 or 40 hex digits.
    pub fn hex(self) -> String {
        match self {
            Self::Word(bits) => format!("{bits:#010x}"),
            Self::Digest(bytes) => bytes.iter().fold(String::from("0x"), |text, byte| text + &format!("{byte:02x}")),
        }
    }
}

/// Eight bytes of a key as a little-endian number.
#[inline(always)]
fn block_at(key: &[u8], offset: usize) -> u64 {
    let (blocks, _) = key[offset..offset + 8].as_chunks::<8>();
    u64::from_le_bytes(blocks[0])
}
