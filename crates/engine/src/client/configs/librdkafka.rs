//! Every producer setting of librdkafka 2.16.0 that people set, aliases included, and how the library reads a value.
//!
//! Settings of consumers, of TLS and SASL, and callbacks are not here.

use super::decimal::Decimal;
use super::{ConfigRefusal, Definition, Kind, Valid, Value};

definitions! {
    /// Settings of a librdkafka producer, in name order. A row that ends in `for` is an alias.
    LIBRDKAFKA_PRODUCER
    "acks" Int "-1" range(-1, 1000) modelled "Acknowledgements needed before a send counts as successful." for "request.required.acks";
    "allow.auto.create.topics" Boolean "false" any "Of consumers only; a producer always asks for creation.";
    "api.version.request.timeout.ms" Int "10000" range(1, 300000) "Time to wait for the list of versions a broker speaks.";
    "batch.num.messages" Int "10000" range(1, 1000000) modelled "Most records in one batch.";
    "batch.size" Int "1000000" range(1, 2147483647) modelled "Upper size in bytes of one batch.";
    "bootstrap.servers" String "" any "Initial broker addresses used to discover the cluster." for "metadata.broker.list";
    "broker.address.family" String "any" one_of_ignoring_case("any", "v4", "v6") "Which kinds of addresses are used.";
    "broker.address.ttl" Int "1000" range(0, 86400000) "How long a resolved address is kept.";
    "client.dns.lookup" String "use_all_dns_ips" one_of_ignoring_case("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only") "How the addresses of a broker name are tried.";
    "client.id" String "rdkafka" any modelled "Name sent with requests; shown in logs, metrics and quotas.";
    "client.rack" String "" any "Rack of the client; consumers read from nearby replicas.";
    "compression.codec" String "none" one_of_ignoring_case("none", "gzip", "snappy", "lz4", "zstd") "Codec applied to whole batches.";
    "compression.level" Int "-1" range(-1, 12) "Effort of the codec; -1 is the codec's own default.";
    "compression.type" String "none" one_of_ignoring_case("none", "gzip", "snappy", "lz4", "zstd") "Codec applied to whole batches." for "compression.codec";
    "connections.max.idle.ms" Int "0" range(0, 2147483647) "Close a connection that was unused for this long; 0 never does.";
    "delivery.report.only.error" Boolean "false" any "Report failed records only.";
    "delivery.timeout.ms" Int "300000" range(0, 2147483647) modelled "Total time from produce() until success or failure." for "message.timeout.ms";
    "enable.gapless.guarantee" Boolean "false" any modelled "Stop the producer rather than leave a gap after a failed record.";
    "enable.idempotence" Boolean "false" any modelled "Broker drops duplicates caused by retries.";
    "enable.metrics.push" Boolean "true" any "Let the cluster ask the client for its metrics.";
    "linger.ms" Double "5" decimal("0", "900000") modelled "Wait this long for more records before sending a batch." for "queue.buffering.max.ms";
    "log_level" Int "6" range(0, 7) "How much the library logs.";
    "max.in.flight" Int "1000000" range(1, 1000000) modelled "Unanswered requests allowed per broker connection; 5 with idempotence." for "max.in.flight.requests.per.connection";
    "max.in.flight.requests.per.connection" Int "1000000" range(1, 1000000) modelled "Unanswered requests allowed per broker connection; 5 with idempotence.";
    "message.copy.max.bytes" Int "65535" range(0, 1000000000) "Larger records are sent without being copied.";
    "message.max.bytes" Int "1000000" range(1000, 1000000000) modelled "Largest request, and largest record, in bytes.";
    "message.send.max.retries" Int "2147483647" range(0, 2147483647) modelled "How often a transient send failure is retried.";
    "message.timeout.ms" Int "300000" range(0, 2147483647) modelled "Total time from produce() until success or failure.";
    "metadata.broker.list" String "" any "Initial broker addresses used to discover the cluster.";
    "metadata.max.age.ms" Int "900000" range(1, 86400000) modelled "Forget metadata that was not refreshed for this long.";
    "metadata.recovery.rebootstrap.trigger.ms" Int "300000" range(0, 2147483647) "Start again from bootstrap.servers without metadata for this long.";
    "metadata.recovery.strategy" String "rebootstrap" one_of_ignoring_case("none", "rebootstrap") "What to do when no known broker answers.";
    "partitioner" String "consistent_random" one_of("random", "consistent", "consistent_random", "murmur2", "murmur2_random", "fnv1a", "fnv1a_random") modelled "How a record's partition is chosen.";
    "queue.buffering.backpressure.threshold" Int "1" range(1, 1000000) "Requests waiting to be sent that hold back new batches.";
    "queue.buffering.max.kbytes" Int "1048576" range(1, 2147483647) modelled "Kilobytes of values the queue may hold.";
    "queue.buffering.max.messages" Int "100000" range(0, 2147483647) modelled "Records the queue may hold.";
    "queue.buffering.max.ms" Double "5" decimal("0", "900000") modelled "Wait this long for more records before sending a batch.";
    "queuing.strategy" String "fifo" one_of_ignoring_case("fifo", "lifo") "Which records leave the queue first.";
    "receive.message.max.bytes" Int "100000000" range(1000, 2147483647) "Largest response accepted.";
    "reconnect.backoff.max.ms" Int "10000" range(0, 3600000) modelled "Longest wait before connecting again.";
    "reconnect.backoff.ms" Int "100" range(0, 3600000) modelled "First wait before connecting again.";
    "request.required.acks" Int "-1" range(-1, 1000) modelled "Acknowledgements needed before a send counts as successful.";
    "request.timeout.ms" Int "30000" range(1, 900000) modelled "How long the broker may wait for acknowledgements.";
    "retries" Int "2147483647" range(0, 2147483647) modelled "How often a transient send failure is retried." for "message.send.max.retries";
    "retry.backoff.max.ms" Int "1000" range(1, 300000) modelled "Longest wait between two retries.";
    "retry.backoff.ms" Int "100" range(1, 300000) modelled "First wait before a retry; grows exponentially.";
    "security.protocol" String "plaintext" one_of_ignoring_case("plaintext", "ssl", "sasl_plaintext", "sasl_ssl") "Encryption and authentication of the connections.";
    "socket.connection.setup.timeout.ms" Int "30000" range(1000, 2147483647) "Time limit for a connection to be set up.";
    "socket.keepalive.enable" Boolean "false" any "Keep idle TCP connections alive.";
    "socket.max.fails" Int "1" range(0, 1000000) "Disconnect after this many failed requests.";
    "socket.nagle.disable" Boolean "true" any "Send small packets at once.";
    "socket.timeout.ms" Int "60000" range(10, 300000) modelled "Time to wait for one response.";
    "statistics.interval.ms" Int "0" range(0, 86400000) "How often statistics are given out; 0 never does.";
    "sticky.partitioning.linger.ms" Int "10" range(0, 900000) modelled "Stay with one partition for this long without a key; 0 draws for each record.";
    "topic.metadata.propagation.max.ms" Int "30000" range(0, 3600000) modelled "Wait this long for a new topic before its records fail.";
    "topic.metadata.refresh.fast.interval.ms" Int "100" range(1, 60000) modelled "First wait before asking again for a lost leader.";
    "topic.metadata.refresh.interval.ms" Int "300000" range(-1, 3600000) modelled "Refresh metadata this often; -1 never does.";
    "transaction.timeout.ms" Int "60000" range(1000, 2147483647) modelled "Coordinator aborts an open transaction after this time.";
    "transactional.id" String "" any modelled "Stable identity that enables transactions and fencing.";
}

definitions! {
    /// Settings of a librdkafka consumer, in name order. A producer takes them, warns, and does not look at them.
    LIBRDKAFKA_CONSUMER
    "auto.commit.interval.ms" Int "5000" range(0, 86400000) "";
    "auto.offset.reset" String "largest" one_of_ignoring_case("smallest", "earliest", "beginning", "largest", "latest", "end", "error") "";
    "check.crcs" Boolean "false" any "";
    "coordinator.query.interval.ms" Int "600000" range(1, 3600000) "";
    "enable.auto.commit" Boolean "true" any "";
    "enable.auto.offset.store" Boolean "true" any "";
    "enable.partition.eof" Boolean "false" any "";
    "fetch.error.backoff.ms" Int "500" range(0, 300000) "";
    "fetch.max.bytes" Int "52428800" range(0, 2147483135) "";
    "fetch.message.max.bytes" Int "1048576" range(1, 1000000000) "";
    "fetch.min.bytes" Int "1" range(1, 100000000) "";
    "fetch.queue.backoff.ms" Int "1000" range(0, 300000) "";
    "fetch.wait.max.ms" Int "500" range(0, 300000) "";
    "group.id" String "" any "";
    "group.instance.id" String "" any "";
    "group.protocol" String "classic" one_of_ignoring_case("classic", "consumer") "";
    "group.protocol.type" String "consumer" any "";
    "group.remote.assignor" String "" any "";
    "heartbeat.interval.ms" Int "3000" range(1, 3600000) "";
    "isolation.level" String "read_committed" one_of_ignoring_case("read_uncommitted", "read_committed") "";
    "max.partition.fetch.bytes" Int "1048576" range(1, 1000000000) "" for "fetch.message.max.bytes";
    "max.poll.interval.ms" Int "300000" range(1, 86400000) "";
    "max.poll.records" Int "500" range(1, 2147483647) "";
    "partition.assignment.strategy" String "range,roundrobin" any "";
    "queued.max.messages.kbytes" Int "65536" range(1, 2097151) "";
    "queued.min.messages" Int "100000" range(1, 10000000) "";
    "session.timeout.ms" Int "45000" range(1, 3600000) "";
    "share.acknowledgement.mode" String "implicit" one_of_ignoring_case("implicit", "explicit") "";
}

/// What the library logs of a setting that is the other role's.
pub(super) fn ignored(name: &str) -> Option<String> {
    let is_of_consumers = name == "allow.auto.create.topics" || LIBRDKAFKA_CONSUMER.iter().any(|it| it.name == name);
    is_of_consumers.then(|| {
        format!("Configuration property {name} is a consumer property and will be ignored by this producer instance")
    })
}

/// Settings of producers alone, by their canonical names.
const OF_PRODUCERS: [&str; 21] = [
    "batch.num.messages",
    "batch.size",
    "compression.codec",
    "compression.level",
    "delivery.report.only.error",
    "enable.gapless.guarantee",
    "enable.idempotence",
    "message.send.max.retries",
    "message.timeout.ms",
    "partitioner",
    "queue.buffering.backpressure.threshold",
    "queue.buffering.max.kbytes",
    "queue.buffering.max.messages",
    "queue.buffering.max.ms",
    "queuing.strategy",
    "request.required.acks",
    "request.timeout.ms",
    "sticky.partitioning.linger.ms",
    "topic.metadata.propagation.max.ms",
    "transaction.timeout.ms",
    "transactional.id",
];

/// The same of a consumer, which shows the canonical name.
pub(super) fn ignored_by_consumer(name: &str) -> Option<String> {
    let found = LIBRDKAFKA_PRODUCER.iter().find(|known| known.name == name)?;
    let name = found.alias_of.unwrap_or(found.name);
    OF_PRODUCERS.contains(&name).then(|| {
        format!("Configuration property {name} is a producer property and will be ignored by this consumer instance")
    })
}

/// Reads a value as `rd_kafka_conf_set` does. The texts of ranges, truth values and enumerations are
/// verified with the library; the others are those of rdkafka_conf.c. (The library ends the text of
/// a range with a line feed; it is left out here.)
pub(super) fn parse(definition: &Definition, given: &str) -> Result<Value, ConfigRefusal> {
    let name = definition.alias_of.unwrap_or(definition.name);
    let refuse = |message| Err(ConfigRefusal::new(definition.name, "_INVALID_ARG", "", message));
    match definition.kind {
        Kind::Boolean => match given.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => Ok(Value::Boolean(true)),
            "false" | "f" | "0" => Ok(Value::Boolean(false)),
            "" => refuse(format!("Bool configuration property \"{name}\" cannot be set to empty value")),
            _ => refuse(format!("Expected bool value for \"{name}\": true or false")),
        },
        Kind::Int if given.is_empty() => {
            refuse(format!("Integer configuration property \"{name}\" cannot be set to empty value"))
        }
        Kind::Int => {
            let number = match whole_prefix(given) {
                Some(number) => number,
                None if name == "request.required.acks" && given.eq_ignore_ascii_case("all") => -1,
                None => {
                    return refuse(format!("Invalid value for configuration property \"{name}\""));
                }
            };
            match definition.valid {
                // Verified with the library: this one is looked at later, and without its value.
                Valid::Range { min, max } if name == "fetch.min.bytes" && number < min => {
                    let max = max.unwrap_or(i64::from(i32::MAX));
                    refuse(format!(
                        "Failed to create consumer: Configuration property \"{name}\" value is outside allowed range {min}..{max}"
                    ))
                }
                Valid::Range { min, max } if number < min || max.is_some_and(|max| number > max) => {
                    refuse(outside(name, number, min, max.unwrap_or(i64::from(i32::MAX))))
                }
                _ => Ok(Value::Int(number)),
            }
        }
        Kind::Double if given.is_empty() => {
            refuse(format!("Float configuration property \"{name}\" cannot be set to empty value"))
        }
        Kind::Double => {
            let Some((number, read)) = Decimal::prefix(given) else {
                return refuse(format!("Invalid value for configuration property \"{name}\""));
            };
            match definition.valid {
                Valid::Decimal { min, max }
                    if Decimal::parse(min) > Some(number) || Decimal::parse(max) < Some(number) =>
                {
                    refuse(outside(name, number.shortest(), min, max))
                }
                _ => Ok(Value::Text(given[..read].trim_start().to_string())),
            }
        }
        _ => text(definition, name, given),
    }
}

fn text(definition: &Definition, name: &str, given: &str) -> Result<Value, ConfigRefusal> {
    let refuse = |message| Err(ConfigRefusal::new(definition.name, "_INVALID_ARG", "", message));
    match definition.valid {
        Valid::OneOfIgnoringCase(_) if given.is_empty() => {
            refuse(format!("Configuration property \"{name}\" cannot be set to empty value"))
        }
        Valid::OneOfIgnoringCase(allowed) => match allowed.iter().find(|one| one.eq_ignore_ascii_case(given.trim())) {
            Some(one) => Ok(Value::Text(one.to_string())),
            None => refuse(format!("Invalid value \"{}\" for configuration property \"{name}\"", given.trim())),
        },
        // An empty partitioner is refused by the library with "(null)" in its text.
        Valid::OneOf(allowed) if !allowed.contains(&given.trim_start()) => {
            let shown = if given.is_empty() { "(null)" } else { given.trim_start() };
            refuse(format!("Invalid value for configuration property \"{name}\": {shown}"))
        }
        _ => Ok(Value::Text(given.trim_start().to_string())),
    }
}

fn outside(
    name: &str,
    number: impl std::fmt::Display,
    min: impl std::fmt::Display,
    max: impl std::fmt::Display,
) -> String {
    format!("Configuration property \"{name}\" value {number} is outside allowed range {min}..{max}")
}

/// The number that C's `strtol` with base 0 reads: 0x is hexadecimal, a leading 0 octal, and what
/// follows the digits is ignored. Simplified: a number beyond 64 bits is cut to them.
fn whole_prefix(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let hex = digits
        .strip_prefix("0x")
        .or(digits.strip_prefix("0X"))
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()));
    let (digits, base) = match hex {
        Some(rest) => (rest, 16),
        None if digits.starts_with('0') => (digits, 8),
        None => (digits, 10),
    };
    let length = digits.chars().take_while(|digit| digit.is_digit(base)).count();
    if length == 0 {
        return None;
    }
    let number = i64::from_str_radix(&digits[..length], base).unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -number } else { number })
}
