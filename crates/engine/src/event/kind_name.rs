//! The names of event kinds, as they stand in JSON, in lessons and in filters.
//!
//! Sentences about events are in `sentence.rs`.

use super::EventKind;

impl EventKind {
    /// Its name, such as `batch_appended`: what `kind` is in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            EventKind::BrokerRegistered { .. } => "broker_registered",
            EventKind::TopicCreated { .. } => "topic_created",
            EventKind::PartitionsCreated { .. } => "partitions_created",
            EventKind::TopicDeleted { .. } => "topic_deleted",
            EventKind::LeaderElected { .. } => "leader_elected",
            EventKind::ProducerStarted { .. } => "producer_started",
            EventKind::ProducerClosed { .. } => "producer_closed",
            EventKind::MetadataRefreshed { .. } => "metadata_refreshed",
            EventKind::RecordPartitioned { .. } => "record_partitioned",
            EventKind::StickyPartitionSwitched { .. } => "sticky_partition_switched",
            EventKind::MessageSent { .. } => "message_sent",
            EventKind::MessageArrived { .. } => "message_arrived",
            EventKind::MessageLost { .. } => "message_lost",
            EventKind::BatchAppended { .. } => "batch_appended",
            EventKind::DuplicateIgnored { .. } => "duplicate_ignored",
            EventKind::HighWatermarkAdvanced { .. } => "high_watermark_advanced",
            EventKind::BatchAcknowledged { .. } => "batch_acknowledged",
            EventKind::BatchRetried { .. } => "batch_retried",
            EventKind::SendFailed { .. } => "send_failed",
            EventKind::RecordsRead { .. } => "records_read",
            EventKind::CommandApplied { .. } => "command_applied",
            EventKind::CommandFinished { .. } => "command_finished",
            EventKind::BrokerStarted { .. } => "broker_started",
            EventKind::BrokerStopped { .. } => "broker_stopped",
            EventKind::BrokerPaused { .. } => "broker_paused",
            EventKind::BrokerResumed { .. } => "broker_resumed",
            EventKind::BrokerFenced { .. } => "broker_fenced",
            EventKind::BrokerUnfenced { .. } => "broker_unfenced",
            EventKind::ControllerElected { .. } => "controller_elected",
            EventKind::LeaderLost { .. } => "leader_lost",
            EventKind::IsrChanged { .. } => "isr_changed",
            EventKind::BatchReplicated { .. } => "batch_replicated",
            EventKind::FollowerHighWatermarkAdvanced { .. } => "follower_high_watermark_advanced",
            EventKind::LogTruncated { .. } => "log_truncated",
            EventKind::SegmentRolled { .. } => "segment_rolled",
            EventKind::SegmentDeleted { .. } => "segment_deleted",
            EventKind::LogStartMoved { .. } => "log_start_moved",
            EventKind::LogCleaned { .. } => "log_cleaned",
            EventKind::SegmentUploaded { .. } => "segment_uploaded",
            EventKind::ReassignmentStarted { .. } => "reassignment_started",
            EventKind::ReassignmentCompleted { .. } => "reassignment_completed",
            EventKind::ReassignmentCancelled { .. } => "reassignment_cancelled",
            EventKind::ConfigChanged { .. } => "config_changed",
            EventKind::LinkChanged { .. } => "link_changed",
            EventKind::PositionReset { .. } => "position_reset",
            EventKind::ConsumerFailed { .. } => "consumer_failed",
            EventKind::Warned { .. } => "warned",
            EventKind::Transaction(event) => event.name(),
            EventKind::Group(event) => event.name(),
            EventKind::Share(event) => event.name(),
        }
    }
}
