//! Every setting of the Java consumer of Kafka 4.3.1: type, default, allowed values.
//!
//! A table and nothing else; `parse.rs` applies it, and `members.rs` looks at several at once. The defaults are
//! ConsumerConfig's. Settings that are not modelled belong to connections.

use super::Definition;
use super::java_connection::JAVA_CONNECTION;

/// Settings of the Java consumer, in name order.
pub const JAVA_CONSUMER: &[Definition] = &super::merged::<{ OWN.len() + JAVA_CONNECTION.len() }>(OWN, JAVA_CONNECTION);

definitions! {
    /// Those that the producer lacks or has with another default, range or purpose.
    OWN
    "allow.auto.create.topics" Boolean "true" any modelled "Subscribing may create a missing topic if brokers allow.";
    "auto.commit.interval.ms" Int "5000" min(0) modelled "Time between two automatic commits.";
    "auto.offset.reset" String "latest" offset_reset modelled "Where to start without a valid committed offset.";
    "check.crcs" Boolean "true" any "Verify record checksums while consuming.";
    "client.id" String "" any modelled "Name sent with requests; prefix of classic member ids.";
    "client.rack" String "" any modelled "Rack of the client; enables reading from nearby replicas.";
    "default.api.timeout.ms" Int "60000" min(0) modelled "Timeout of blocking calls that take none themselves.";
    "enable.auto.commit" Boolean "true" any modelled "Commit positions periodically in the background.";
    "exclude.internal.topics" Boolean "true" any modelled "Pattern subscriptions skip internal topics.";
    "fetch.max.bytes" Int "52428800" min(0) modelled "Most data in one fetch response.";
    "fetch.max.wait.ms" Int "500" min(0) modelled "Longest wait for fetch.min.bytes.";
    "fetch.min.bytes" Int "1" min(0) modelled "Broker waits until this much data is available.";
    "group.id" String "" any modelled "Consumer group this member belongs to.";
    "group.instance.id" String "" non_empty modelled "Makes the member static; survives short restarts.";
    "group.protocol" String "classic" one_of_ignoring_case("CONSUMER", "CLASSIC") modelled "classic (client-side assignment) or consumer (broker-side).";
    "group.remote.assignor" String "" any modelled "Broker-side assignor asked for by the consumer protocol.";
    "heartbeat.interval.ms" Int "3000" any modelled "Classic: time between two heartbeats.";
    "isolation.level" String "read_uncommitted" one_of("read_committed", "read_uncommitted") modelled "read_committed hides aborted and still open transactions.";
    "key.deserializer" Class "" any "Class that turns key bytes into objects.";
    "max.partition.fetch.bytes" Int "1048576" min(0) modelled "Most data per partition in one fetch response.";
    "max.poll.interval.ms" Int "300000" min(1) modelled "Longest gap between polls before the member leaves.";
    "max.poll.records" Int "500" min(1) modelled "Most records returned by one poll().";
    "metadata.max.age.ms" Long "300000" min(0) modelled "Refresh metadata, and classic topic discovery, this often.";
    "partition.assignment.strategy" List "class org.apache.kafka.clients.consumer.RangeAssignor,class org.apache.kafka.clients.consumer.CooperativeStickyAssignor" any modelled "Client-side assignors in order of preference, classic only.";
    "receive.buffer.bytes" Int "65536" min(-1) "Receive buffer of a socket; -1 leaves it to the system.";
    "reconnect.backoff.max.ms" Long "1000" min(0) "Longest wait before connecting again.";
    "reconnect.backoff.ms" Long "50" min(0) "First wait before connecting again.";
    "request.timeout.ms" Int "30000" min(0) modelled "Time to wait for one response.";
    "retry.backoff.max.ms" Long "1000" min(0) "Longest wait between two retries.";
    "retry.backoff.ms" Long "100" min(0) "First wait before a retry; grows exponentially.";
    "session.timeout.ms" Int "45000" any modelled "Classic: silent members are removed after this time.";
    "share.acknowledgement.mode" String "implicit" one_of("implicit", "explicit") "Share groups: implicit or explicit acknowledgement.";
    "share.acquire.mode" String "BATCH_OPTIMIZED" one_of_ignoring_case("BATCH_OPTIMIZED", "RECORD_LIMIT") "Share groups: whole batches or at most max.poll.records.";
    "value.deserializer" Class "" any "Class that turns value bytes into objects.";
}
