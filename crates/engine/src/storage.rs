//! What a broker keeps on disk: logs made of batches.
//!
//! Segments, indexes, retention and compaction are not here yet.

pub(crate) mod batch;
pub(crate) mod log;
