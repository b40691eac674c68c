//! Every setting of the Java producer of Kafka 4.3.1: type, default, allowed values.
//!
//! A table and nothing else; `parse.rs` applies it. The defaults are ProducerConfig's.

use super::Definition;
use super::java_connection::JAVA_CONNECTION;

/// Settings of the Java producer, in name order.
pub const JAVA_PRODUCER: &[Definition] = &super::merged::<{ OWN.len() + JAVA_CONNECTION.len() }>(OWN, JAVA_CONNECTION);

definitions! {
    /// Those that the consumer lacks or has with another default, range or purpose.
    OWN
    "acks" String "all" one_of("all", "-1", "0", "1") modelled "Acknowledgements needed before a send counts as successful.";
    "batch.size" Int "16384" min(0) modelled "Upper size in bytes of one batch per partition.";
    "buffer.memory" Long "33554432" min(0) modelled "Bytes available for records waiting to be sent.";
    "client.id" String "" any modelled "Name sent with requests; shown in logs, metrics and quotas.";
    "compression.gzip.level" Int "-1" gzip_level "Effort of gzip; -1 is its own default.";
    "compression.lz4.level" Int "9" range(1, 17) "Effort of lz4.";
    "compression.type" String "none" one_of("none", "gzip", "snappy", "lz4", "zstd") modelled "Codec applied to whole batches by the producer.";
    "compression.zstd.level" Int "3" range(-131072, 22) "Effort of zstd.";
    "delivery.timeout.ms" Int "120000" min(0) modelled "Total time from send() until success or failure.";
    "enable.idempotence" Boolean "true" any modelled "Broker drops duplicates caused by producer retries.";
    "key.serializer" Class "" any modelled "Class that turns record keys into bytes.";
    "linger.ms" Long "5" min(0) modelled "Wait this long for more records before sending a batch.";
    "max.block.ms" Long "60000" min(0) modelled "Longest time send() and transaction calls may block.";
    "max.in.flight.requests.per.connection" Int "5" min(1) modelled "Unanswered requests allowed per broker connection.";
    "max.request.size" Int "1048576" min(0) modelled "Largest request, and largest serialized record, in bytes.";
    "metadata.max.age.ms" Long "300000" min(0) modelled "Refresh cluster metadata at least this often.";
    "metadata.max.idle.ms" Long "300000" min(5000) modelled "Forget metadata of topics unused for this long.";
    "partitioner.adaptive.partitioning.enable" Boolean "true" any modelled "Sticky choice favours partitions with shorter queues.";
    "partitioner.availability.timeout.ms" Long "0" min(0) modelled "Skip partitions whose broker accepted nothing for this long.";
    "partitioner.class" Class "" partitioner_class modelled "Custom partitioner; unset means the built-in sticky one.";
    "partitioner.ignore.keys" Boolean "false" any modelled "Built-in partitioner ignores keys and stays sticky.";
    "receive.buffer.bytes" Int "32768" min(-1) "Receive buffer of a socket; -1 leaves it to the system.";
    "reconnect.backoff.max.ms" Long "1000" min(0) modelled "Longest wait before connecting again.";
    "reconnect.backoff.ms" Long "50" min(0) modelled "First wait before connecting again.";
    "request.timeout.ms" Int "30000" min(0) modelled "Time to wait for one response before retrying or failing.";
    "retries" Int "2147483647" range(0, 2147483647) modelled "How often a transient send failure is retried.";
    "retry.backoff.max.ms" Long "1000" min(0) modelled "Longest wait between two retries.";
    "retry.backoff.ms" Long "100" min(0) modelled "First wait before a retry; grows exponentially.";
    "transaction.timeout.ms" Int "60000" any modelled "Coordinator aborts an open transaction after this time.";
    "transaction.two.phase.commit.enable" Boolean "false" any modelled "Let an external coordinator decide; no transaction timeout.";
    "transactional.id" String "" non_empty modelled "Stable identity that enables transactions and fencing.";
    "value.serializer" Class "" any modelled "Class that turns record values into bytes.";
}
