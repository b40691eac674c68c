//! Single logs at the present moment, read like the directory of a partition.
//!
//! The reading itself is the simulation's.

use super::{Observer, Timeline};
use crate::log_view::{BatchInSegment, LogView, Lookup, TimestampLookup};

impl<O: Observer> Timeline<O> {
    /// A replica's log directory at the present moment; see [`crate::Simulation::log_view`].
    pub fn log_view(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView> {
        self.simulation.log_view(broker, topic, partition)
    }

    /// The way to the bytes of an offset; see [`crate::Simulation::lookup`].
    pub fn lookup(&self, broker: u32, topic: &str, partition: u32, offset: u64) -> Option<Lookup> {
        self.simulation.lookup(broker, topic, partition, offset)
    }

    /// The way to the first record at or after a timestamp; see [`crate::Simulation::lookup_timestamp`].
    pub fn lookup_timestamp(&self, broker: u32, topic: &str, partition: u32, millis: i64) -> Option<TimestampLookup> {
        self.simulation.lookup_timestamp(broker, topic, partition, millis)
    }

    /// The batches of a segment; see [`crate::Simulation::batches`].
    pub fn batches(&self, broker: u32, topic: &str, partition: u32, segment: u64) -> Vec<BatchInSegment> {
        self.simulation.batches(broker, topic, partition, segment)
    }
}
