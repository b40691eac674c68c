//! What a broker keeps on disk: logs made of segments, segments made of batches.
//!
//! Follows the `storage` module of Kafka 4.3.1. Who may append or read is decided by the broker, and when
//! retention and the cleaner run, too.

mod append;
pub(crate) mod batch;
mod checkpoint;
mod epochs;
pub(crate) mod log;
mod producers;
mod segment;
pub(crate) mod settings;
mod shelves;

pub(crate) use append::Appended;
pub(crate) use log::{Log, Roll};
pub(crate) use settings::LogSettings;
