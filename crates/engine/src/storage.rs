//! What a broker keeps on disk: logs made of segments, segments made of batches.
//!
//! Follows the `storage` module of Kafka 4.3.1. Who may append or read is decided by the broker, and when
//! retention and the cleaner run, too.

mod append;
pub(crate) mod batch;
mod checkpoint;
mod cleaner;
mod epochs;
mod files;
mod filter;
pub(crate) mod log;
mod lookup;
pub(crate) mod markers;
pub(crate) mod preload;
pub(crate) mod producers;
mod reading;
mod remote;
mod restart;
mod retention;
mod segment;
pub(crate) mod settings;
mod shelves;
mod transactions;
mod truncation;
mod view;

#[cfg(test)]
mod tests;

pub(crate) use append::Verified;
pub(crate) use log::{Log, Roll};
pub(crate) use remote::RemoteSegments;
pub(crate) use retention::RetentionOutcome;
pub(crate) use settings::LogSettings;
