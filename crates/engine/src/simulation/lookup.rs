//! Single logs, read like the directory of a partition: segments, batches, and the way to an offset.
//!
//! Reading changes nothing and takes no simulated time.

use super::Simulation;
use crate::event::TopicPartition;
use crate::log_view::{BatchInSegment, LogView, Lookup, TimestampLookup};
use crate::storage::Log;

impl Simulation {
    /// A replica's log directory; none if the broker has no replica of the partition.
    pub fn log_view(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView> {
        let now = self.moment.time;
        self.log(broker, topic, partition).map(|log| log.view(&topic.into(), partition, broker, now))
    }

    /// The way to the bytes of an offset; none if the log does not hold it.
    pub fn lookup(&self, broker: u32, topic: &str, partition: u32, offset: u64) -> Option<Lookup> {
        self.log(broker, topic, partition)?.lookup(offset)
    }

    /// The way to the first record with that timestamp (in milliseconds) or a later one.
    pub fn lookup_timestamp(&self, broker: u32, topic: &str, partition: u32, millis: i64) -> Option<TimestampLookup> {
        self.log(broker, topic, partition)?.timestamp_path(millis)
    }

    /// The batches of the segment that begins at that offset, in order; empty if there is none.
    pub fn batches(&self, broker: u32, topic: &str, partition: u32, segment: u64) -> Vec<BatchInSegment> {
        self.log(broker, topic, partition).map_or_else(Vec::new, |log| log.batches(segment))
    }

    fn log(&self, broker: u32, topic: &str, partition: u32) -> Option<&Log> {
        let broker = self.brokers.iter().find(|other| other.id == broker)?;
        let replica = broker.replicas.get(&TopicPartition { topic: topic.into(), partition })?;
        Some(&replica.log)
    }
}
