//! What differs between two sides, counted: keys that land elsewhere, keys that moved, and what that breaks.
//!
//! Draws nothing; `still.rs` marks the records, `chart.rs` draws the counts.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::Snapshot;
use engine::event::Name;

/// One key on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// The topic.
    pub topic: Name,
    /// The key's bytes.
    pub key: Rc<[u8]>,
    /// The key as text.
    pub text: Name,
    /// Partitions that hold the key on the first side.
    pub left: BTreeSet<u32>,
    /// Partitions that hold the key on the second side.
    pub right: BTreeSet<u32>,
}

/// Two sides, key by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Keys of both sides, by topic and bytes.
    pub rows: Vec<KeyRow>,
    /// Keys seen on both sides that land in the same partitions.
    pub agreeing: usize,
    /// Keys seen on both sides.
    pub shared: usize,
}

/// Something that a key in two places breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// What.
    pub kind: BreakKind,
    /// The topic.
    pub topic: Name,
    /// The key as text.
    pub key: Name,
    /// The partitions concerned.
    pub partitions: Vec<u32>,
    /// The fact in one sentence.
    pub sentence: String,
}

/// Kinds of breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakKind {
    /// Records of one key lie in two partitions of a topic: no reader sees them in order.
    OrderSplit,
    /// A compacted topic keeps a latest value of the key in each of two partitions.
    LatestTwice,
    /// The same key lies in partitions of different number in two topics of equal partition count.
    JoinPartnerElsewhere,
}

impl Comparison {
    /// Compares the logs of two sides.
    pub fn of(left: &Snapshot, right: &Snapshot) -> Comparison { let _ = (left, right); todo!() }
    /// Keys that land elsewhere, as `StillOptions::diff` wants them.
    pub fn elsewhere(&self) -> BTreeSet<(Name, Rc<[u8]>)> { todo!() }
    /// "3 of 4 keys land elsewhere".
    pub fn sentence(&self) -> String { todo!() }
}

/// What keys in two places break in one cluster.
pub fn breaks(snapshot: &Snapshot) -> Vec<Break> { let _ = snapshot; todo!() }

/// How many of `keys` two rules place alike, and which not: by client id and partition count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Keys that both rules place, and place alike.
    pub agreeing: usize,
    /// Keys that both rules place.
    pub placed: usize,
    /// Indexes of keys that they place differently.
    pub moved: Vec<usize>,
}

/// Compares two rules over a list of keys. A client that is not in the catalogue places no key.
pub fn agreement<K: AsRef<[u8]>>(keys: &[K], left: (&str, u32), right: (&str, u32)) -> Agreement { let _ = (keys, left, right); todo!() }
