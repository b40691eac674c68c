//! Why things happened: rolls, deletions, refreshes, and how a link is.
//!
//! The words for people are in `sentence/`.

use serde::Serialize;

/// Why a segment was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RollReason {
    /// The next batch would exceed `segment.bytes`.
    Size,
    /// Record timestamps are `segment.ms` apart.
    Time,
    /// The offset index is full.
    OffsetIndex,
    /// The time index is full.
    TimeIndex,
    /// Offsets inside it would not fit into 32 bits.
    Offsets,
    /// Retention empties the active segment.
    Retention,
    /// A command asked for it, or the scenario began it there.
    Command,
}

/// Why a segment was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeleteReason {
    /// It lies below the log start offset.
    LogStart,
    /// The log is larger than `retention.bytes` without it.
    Size,
    /// Its newest record is older than `retention.ms`.
    Time,
    /// It is in remote storage, and older or further back than what stays on the local disk.
    Local,
    /// The replica began anew at the leader's log start offset.
    Truncated,
}

/// How a link between two nodes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LinkState {
    /// As fast as the network.
    Whole,
    /// Nothing arrives.
    Cut,
    /// Everything takes longer.
    Slow {
        /// By this much.
        delay: crate::time::Duration,
    },
}

/// Why a client asked for metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefreshReason {
    /// A topic was used for the first time.
    FirstUse,
    /// `metadata.max.age.ms` is over.
    Age,
    /// An error said that the metadata is stale.
    Error,
}
