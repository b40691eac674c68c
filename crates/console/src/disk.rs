//! The brokers' disks as the tools read them: a replica's directory and the batches in its segments.
//!
//! The tools ask through this trait, so that each of them can be tested with a directory made by hand.

use engine::log_view::{BatchInSegment, LogView};
use engine::{Observer, Timeline};

/// Something that has log directories.
pub(crate) trait Disk {
    /// The directory of one replica; none if the broker has no such replica.
    fn directory(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView>;

    /// The batches of a segment, in their order.
    fn batches(&self, broker: u32, topic: &str, partition: u32, segment: u64) -> Vec<BatchInSegment>;
}

impl<O: Observer> Disk for Timeline<O> {
    fn directory(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView> {
        self.log_view(broker, topic, partition)
    }

    fn batches(&self, broker: u32, topic: &str, partition: u32, segment: u64) -> Vec<BatchInSegment> {
        Timeline::batches(self, broker, topic, partition, segment)
    }
}
