//! Every topic setting of Kafka 4.3.1: type, default, allowed values.
//!
//! The defaults are those of a broker without settings of its own; what a broker changes is not here.

use super::Definition;

definitions! {
    /// Settings of a topic, in name order.
    TOPIC
    "cleanup.policy" List "delete" one_of("compact", "delete") modelled "delete old segments, compact by key, or both.";
    "compression.gzip.level" Int "-1" gzip_level "Effort of gzip; -1 is its own default.";
    "compression.lz4.level" Int "9" range(1, 17) "Effort of lz4.";
    "compression.type" String "producer" one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer") "Codec stored on disk; producer keeps the original one.";
    "compression.zstd.level" Int "3" range(-131072, 22) "Effort of zstd.";
    "delete.retention.ms" Long "86400000" min(0) modelled "How long compaction keeps tombstones and markers.";
    "file.delete.delay.ms" Long "60000" min(0) modelled "Wait before removing files of deleted segments.";
    "flush.messages" Long "9223372036854775807" min(1) "Force fsync after this many records.";
    "flush.ms" Long "9223372036854775807" min(0) "Force fsync after this time.";
    "follower.replication.throttled.replicas" List "" throttled_replicas modelled "Replicas whose followers are throttled.";
    "index.interval.bytes" Int "4096" min(0) modelled "Bytes of log between two index entries.";
    "internal.segment.bytes" Int "" any modelled "Segment size below the public minimum, for Kafka's own tests.";
    "leader.replication.throttled.replicas" List "" throttled_replicas modelled "Replicas whose leaders are throttled.";
    "local.retention.bytes" Long "-2" min(-2) modelled "Tiered topics: how much stays on local disk.";
    "local.retention.ms" Long "-2" min(-2) modelled "Tiered topics: how long segments stay on local disk.";
    "max.compaction.lag.ms" Long "9223372036854775807" min(1) modelled "Records become compactable at the latest after this.";
    "max.message.bytes" Int "1048588" min(0) modelled "Largest record batch the topic accepts.";
    "message.timestamp.after.max.ms" Long "3600000" min(0) modelled "How far a record timestamp may lie ahead.";
    "message.timestamp.before.max.ms" Long "9223372036854775807" min(0) modelled "How far a record timestamp may lie in the past.";
    "message.timestamp.type" String "CreateTime" one_of("CreateTime", "LogAppendTime") modelled "Keep producer timestamps or stamp on append.";
    "min.cleanable.dirty.ratio" Double "0.5" decimal("0", "1") modelled "Uncleaned share of the log that triggers compaction.";
    "min.compaction.lag.ms" Long "0" min(0) modelled "Records younger than this are not compacted.";
    "min.insync.replicas" Int "1" min(1) modelled "In-sync replicas needed to accept acks=all writes.";
    "preallocate" Boolean "false" any "Reserve the file of a new segment at once.";
    "remote.log.copy.disable" Boolean "false" any modelled "Stop copying segments to remote storage.";
    "remote.log.delete.on.disable" Boolean "false" any "Delete remote segments when tiering is switched off.";
    "remote.storage.enable" Boolean "false" any modelled "Tier closed segments to remote storage.";
    "retention.bytes" Long "-1" any modelled "Delete oldest segments when a partition exceeds this size.";
    "retention.ms" Long "604800000" min(-1) modelled "Delete segments whose newest record is older.";
    "segment.bytes" Int "1073741824" min(1048576) modelled "Size at which the active segment is closed.";
    "segment.index.bytes" Int "10485760" min(4) modelled "Upper size of each offset and time index file.";
    "segment.jitter.ms" Long "0" min(0) modelled "Random part subtracted from segment.ms.";
    "segment.ms" Long "604800000" min(1) modelled "Age at which the active segment is closed.";
    "unclean.leader.election.enable" Boolean "false" any modelled "Allow out-of-sync replicas to lead, losing data.";
}
