//! Every bound of the key lab, with why it is there.
//!
//! Deliberately not here: Kafka's own limits. The lab places keys; it does not create topics.

/// Different keys in one analysis. More than a million rows of a sample change no percentage that is shown.
pub const KEYS_MAX: usize = 1_000_000;

/// Bytes of all different keys together. They are held in memory, and positions are 32 bits wide.
pub const KEY_BYTES_MAX: usize = 256 << 20;

/// Bytes of one input. Only keys are kept, so an export with many columns may be larger than the memory for keys.
pub const INPUT_BYTES_MAX: u64 = 1 << 30;

/// Bytes of one row. A longer one is listed as a bad line.
pub const ROW_BYTES_MAX: usize = 1 << 20;

/// Fields of one row. A longer one is listed as a bad line.
pub const COLUMNS_MAX: usize = 1_024;

/// Bytes of one key. Kafka's default `max.request.size` is 1 MiB; a key of this size is already a mistake.
pub const KEY_LENGTH_MAX: usize = 64 << 10;

/// Bytes at the start of an input that are looked at to find delimiter and header.
pub const HEAD_BYTES_MAX: usize = 64 << 10;

/// Bad lines that are listed one by one; all of them are counted.
pub const BAD_LINES_LISTED_MAX: usize = 1_000;

/// The largest number in a count column. A row count and this bound keep every sum inside 64 bits.
pub const COUNT_MAX: u64 = 1_000_000_000;

/// Clients side by side.
pub const CLIENTS_MAX: usize = 12;

/// Partition counts side by side.
pub const COUNTS_MAX: usize = 8;

/// Pairs of a client and a count. Each pair holds two bytes per key: 80 MB for a million keys.
pub const PLACES_MAX: usize = 40;

/// Partitions of one topic in the lab. Placements are 16 bits wide and one value means "not by the key".
pub const PARTITIONS_MAX: u32 = 10_000;

/// Heaviest keys that a report names.
pub const HEAVIEST_MAX: usize = 20;

/// Bytes of keys, before encoding, that a link may carry. Many chat and mail programs cut longer links.
pub const LINK_KEY_BYTES_MAX: usize = 6 << 10;
