//! The settings offered for libraries that are neither the Java client nor librdkafka.
//!
//! Simplified: each of these libraries has option names and defaults of its own (kafkajs says
//! `metadataMaxAge`, sarama `Metadata.RefreshFrequency`); here they share the Java client's.

use super::{ConfigRefusal, Definition, Kind, Valid};

definitions! {
    /// Settings of any other producer, in name order.
    OTHER_PRODUCER
    "acks" String "all" one_of("all", "-1", "0", "1") modelled "Acknowledgements needed before a send counts as successful.";
    "batch.size" Int "16384" min(0) modelled "Upper size in bytes of one batch per partition.";
    "client.id" String "" any modelled "Name sent with requests; shown in logs, metrics and quotas.";
    "delivery.timeout.ms" Int "120000" min(0) modelled "Total time from send() until success or failure.";
    "enable.idempotence" Boolean "false" any modelled "Broker drops duplicates caused by producer retries.";
    "linger.ms" Long "0" min(0) modelled "Wait this long for more records before sending a batch.";
    "max.block.ms" Long "60000" min(0) modelled "Longest time a send may wait for metadata.";
    "max.in.flight.requests.per.connection" Int "5" min(1) modelled "Unanswered requests allowed per broker connection.";
    "max.request.size" Int "1048576" min(0) modelled "Largest request, and largest serialized record, in bytes.";
    "metadata.max.age.ms" Long "300000" min(0) modelled "Refresh cluster metadata at least this often.";
    "request.timeout.ms" Int "30000" min(0) modelled "Time to wait for one response before retrying or failing.";
    "retries" Int "2147483647" range(0, 2147483647) modelled "How often a transient send failure is retried.";
    "retry.backoff.max.ms" Long "1000" min(0) modelled "Longest wait between two retries.";
    "retry.backoff.ms" Long "100" min(0) modelled "First wait before a retry; grows exponentially.";
}

/// A refusal for a library whose words are not known: what the setting takes.
pub(super) fn in_our_words(definition: &Definition, given: &str, refusal: ConfigRefusal) -> ConfigRefusal {
    let wanted = match (definition.kind, definition.valid) {
        (Kind::Boolean, _) => "true or false".to_string(),
        (_, Valid::OneOf(allowed)) => format!("one of {}", allowed.join(", ")),
        (_, Valid::Range { min, max: Some(max) }) => format!("a whole number from {min} to {max}"),
        (_, Valid::Range { min, max: None }) => format!("a whole number of at least {min}"),
        _ => "another value".to_string(),
    };
    let message = format!("{} takes {wanted}, not \"{given}\".", definition.name);
    ConfigRefusal { exception: "", message, ..refusal }
}
