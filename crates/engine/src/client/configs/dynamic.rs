//! Which broker settings may change while a broker runs, and how a change is checked.
//!
//! Follows `DynamicBrokerConfig` of Kafka 4.3.1. Whose settings they are and where they are kept is the
//! controller's business.

use std::collections::BTreeMap;

use super::{Definition, Kind, broker_definitions, parse};
use crate::config_view::SYNONYMS;
use crate::error::KafkaError;
use crate::event::Name;

definitions! {
    /// Broker settings that exist only as dynamic ones, in name order.
    DYNAMIC_ONLY
    "follower.replication.throttled.rate" Long "9223372036854775807" min(0) modelled "Bytes a second that a broker takes for throttled replicas.";
    "leader.replication.throttled.rate" Long "9223372036854775807" min(0) modelled "Bytes a second that a broker sends for throttled replicas.";
    "replica.alter.log.dirs.io.max.bytes.per.second" Long "9223372036854775807" min(0) "Bytes a second between log directories.";
}

/// Settings that may change at run time, besides the defaults of topic settings; in name order.
const DYNAMIC: [&str; 56] = [
    "background.threads",
    "cordoned.log.dirs",
    "follower.fetch.last.tiered.offset.enable",
    "listener.security.protocol.map",
    "listeners",
    "log.cleaner.backoff.ms",
    "log.cleaner.dedupe.buffer.size",
    "log.cleaner.io.buffer.load.factor",
    "log.cleaner.io.buffer.size",
    "log.cleaner.io.max.bytes.per.second",
    "log.cleaner.threads",
    "max.connection.creation.rate",
    "max.connections",
    "max.connections.per.ip",
    "max.connections.per.ip.overrides",
    "message.max.bytes",
    "metric.reporters",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
    "principal.builder.class",
    "producer.id.expiration.ms",
    "remote.fetch.max.wait.ms",
    "remote.list.offsets.request.timeout.ms",
    "remote.log.index.file.cache.total.size.bytes",
    "remote.log.manager.copier.thread.pool.size",
    "remote.log.manager.copy.max.bytes.per.second",
    "remote.log.manager.expiration.thread.pool.size",
    "remote.log.manager.fetch.max.bytes.per.second",
    "remote.log.manager.follower.thread.pool.size",
    "remote.log.reader.threads",
    "sasl.enabled.mechanisms",
    "sasl.jaas.config",
    "sasl.kerberos.kinit.cmd",
    "sasl.kerberos.min.time.before.relogin",
    "sasl.kerberos.principal.to.local.rules",
    "sasl.kerberos.service.name",
    "sasl.kerberos.ticket.renew.jitter",
    "sasl.kerberos.ticket.renew.window.factor",
    "sasl.login.refresh.buffer.seconds",
    "sasl.login.refresh.min.period.seconds",
    "sasl.login.refresh.window.factor",
    "sasl.login.refresh.window.jitter",
    "sasl.mechanism.inter.broker.protocol",
    "ssl.key.password",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.keystore.type",
    "ssl.truststore.certificates",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.type",
    "transaction.partition.verification.enable",
];

/// Sizes of pools of threads, which may at most halve or double in one change.
const POOLS: [&str; 5] = [
    "background.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
];

/// Broker settings that exist only as dynamic ones.
pub fn dynamic_only_definitions() -> &'static [Definition] {
    DYNAMIC_ONLY
}

/// Whether a broker setting may change while the broker runs.
pub fn is_dynamic(name: &str) -> bool {
    let is_topic_default = || SYNONYMS.iter().any(|(_, names)| names[0].0 == name);
    DYNAMIC.contains(&name) || DYNAMIC_ONLY.iter().any(|definition| definition.name == name) || is_topic_default()
}

/// Settings of a single broker, which have no default for all of them.
fn is_per_broker(name: &str) -> bool {
    let is_of_listeners = ["ssl.", "sasl."].iter().any(|start| name.starts_with(start));
    is_of_listeners
        || ["cordoned.log.dirs", "listener.security.protocol.map", "listeners", "principal.builder.class"]
            .contains(&name)
}

/// Checks all dynamic settings of a broker, or of all brokers, as they would be after a change. `before`
/// gives the value in force now.
pub(crate) fn check_dynamic(
    after: &BTreeMap<Name, Name>,
    is_one_broker: bool,
    before: impl Fn(&str) -> i64,
) -> Result<(), KafkaError> {
    let definition =
        |name: &str| broker_definitions().iter().chain(DYNAMIC_ONLY).find(|definition| definition.name == name);
    // A name that nobody knows is taken: it may be meant for a plug-in.
    refuse_names(after, "Cannot update these configs dynamically", |name| {
        definition(name).is_some() && !is_dynamic(name)
    })?;
    refuse_names(
        after,
        "These security configs can be dynamically updated only per-listener using the listener prefix",
        |name| name.starts_with("ssl.") && is_dynamic(name),
    )?;
    for (name, value) in after {
        if let Some(definition) = definition(name) {
            parse::java(definition, value).map_err(|refusal| invalid_request(refusal.message))?;
        }
    }
    if !is_one_broker {
        let text = "Cannot update these configs at default cluster level, broker id must be specified";
        refuse_names(after, text, is_per_broker)?;
    }
    for (name, value) in after {
        let is_number = definition(name).is_some_and(|definition| definition.kind == Kind::Int);
        if let Some(after) = value.trim().parse::<i64>().ok().filter(|_| is_number) {
            check_threads(name, before(name), after)?;
        }
    }
    Ok(())
}

fn refuse_names(after: &BTreeMap<Name, Name>, text: &str, is_bad: impl Fn(&str) -> bool) -> Result<(), KafkaError> {
    let bad: Vec<&str> = after.keys().map(|name| &**name).filter(|name| is_bad(name)).collect();
    if bad.is_empty() { Ok(()) } else { Err(invalid_request(format!("{text}: [{}]", bad.join(", ")))) }
}

/// `DynamicThreadPool.validateReconfiguration` and `LogCleaner.validateReconfiguration`.
fn check_threads(name: &str, before: i64, after: i64) -> Result<(), KafkaError> {
    let text = if name == "log.cleaner.threads" && after < 1 {
        "Log cleaner threads should be at least 1".to_string()
    } else if name == "log.cleaner.threads" && after < before / 2 {
        format!("Log cleaner threads cannot be reduced to less than half the current value {before}")
    } else if name == "log.cleaner.threads" && after > before * 2 {
        format!("Log cleaner threads cannot be increased to more than double the current value {before}")
    } else if POOLS.contains(&name) && after < before / 2 {
        format!(
            "Dynamic thread count update validation failed for {name}={after}, value should be at least half the \
             current value {before}"
        )
    } else if POOLS.contains(&name) && after > before * 2 {
        format!(
            "Dynamic thread count update validation failed for {name}={after}, value should not be greater than \
             double the current value {before}"
        )
    } else {
        return Ok(());
    };
    // The broker wraps what its parts object to in a second exception of the same class.
    Err(invalid_request(format!(
        "Invalid value org.apache.kafka.common.config.ConfigException: {text} for configuration Invalid dynamic \
         configuration"
    )))
}

fn invalid_request(text: String) -> KafkaError {
    KafkaError::new("INVALID_REQUEST", "InvalidRequestException", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &[(&str, &str)], is_one_broker: bool, expected: Result<(), &str>) {
        let after = settings.iter().map(|(name, value)| (Name::from(*name), Name::from(*value))).collect();
        let found = check_dynamic(&after, is_one_broker, |_| 2).map_err(|error| error.message);
        assert_eq!(found, expected.map_err(str::to_string), "{settings:?}");
    }

    #[test]
    fn a_change_at_run_time_is_refused_in_the_brokers_words() {
        check(&[("log.cleaner.threads", "2"), ("nobody.knows", "x")], true, Ok(()));
        check(&[("log.retention.ms", "1000000")], false, Ok(()));
        check(&[("node.id", "7")], true, Err("Cannot update these configs dynamically: [node.id]"));
        check(
            &[("log.retention.hours", "7")],
            true,
            Err("Cannot update these configs dynamically: [log.retention.hours]"),
        );
        check(
            &[("num.io.threads", "x")],
            true,
            Err("Invalid value x for configuration num.io.threads: Not a number of type INT"),
        );
        check(
            &[("num.io.threads", "5")],
            true,
            Err(
                "Invalid value org.apache.kafka.common.config.ConfigException: Dynamic thread count update validation \
                 failed for num.io.threads=5, value should not be greater than double the current value 2 for \
                 configuration Invalid dynamic configuration",
            ),
        );
        check(
            &[("listeners", "PLAINTEXT://:1")],
            false,
            Err("Cannot update these configs at default cluster level, broker id must be specified: [listeners]"),
        );
    }

    #[test]
    fn every_dynamic_setting_exists() {
        for name in DYNAMIC {
            assert!(broker_definitions().iter().any(|definition| definition.name == name), "{name}");
        }
    }
}
