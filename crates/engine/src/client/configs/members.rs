//! Rules of consumers that look at several settings at once: group protocols, static members, commits.
//!
//! Follows `ConsumerConfig.postProcessParsedConfig` and the constructors of the two consumers of Kafka 4.3.1, and
//! `rd_kafka_conf_finalize` of librdkafka 2.16.0. Each single value is checked first.

use std::collections::BTreeMap;

use super::{ConfigLibrary, ConfigRefusal, Value, canonical_consumer_name, parse_consumer, validate_library_consumer};
use crate::controller::topic_names;
use crate::time::Duration;

/// Settings that a consumer of `group.protocol=consumer` may not have, in the order of Kafka's text.
const NOT_WITH_CONSUMER: [&str; 4] =
    ["partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms", "share.acknowledgement.mode"];
/// The same for `group.protocol=classic`.
const NOT_WITH_CLASSIC: [&str; 2] = ["group.remote.assignor", "share.acknowledgement.mode"];

/// `ShareConsumerConfig.SHARE_GROUP_UNSUPPORTED_CONFIGS`.
const NOT_WITH_SHARE: [&str; 10] = [
    "auto.offset.reset",
    "enable.auto.commit",
    "group.instance.id",
    "isolation.level",
    "partition.assignment.strategy",
    "interceptor.classes",
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "group.protocol",
    "group.remote.assignor",
];

/// Looks at what only a share consumer may and may not have; the rest is that of a member of the consumer protocol. The
/// text is not recorded.
pub(crate) fn check_share_consumer(configs: &BTreeMap<String, String>) -> Result<(), ConfigRefusal> {
    let refused: Vec<&str> = NOT_WITH_SHARE.iter().copied().filter(|name| configs.contains_key(*name)).collect();
    if let Some(first) = refused.first() {
        let text = format!("{} cannot be set when using a share group.", refused.join(", "));
        return Err(invalid(first, "ConfigException", &text));
    }
    for (name, value) in configs.iter().filter(|(name, _)| name.starts_with("share.")) {
        validate_library_consumer(ConfigLibrary::Java, name, value)?;
    }
    Ok(())
}

/// The values of a consumer, with the defaults of its library behind them.
pub(crate) struct ConsumerValues {
    library: ConfigLibrary,
    given: BTreeMap<String, Value>,
}

impl ConsumerValues {
    /// Reads all settings, then looks at them together.
    pub fn read(library: ConfigLibrary, configs: &BTreeMap<String, String>) -> Result<ConsumerValues, ConfigRefusal> {
        let mut given = BTreeMap::new();
        for (name, value) in configs {
            let read = validate_library_consumer(library, name, value)?;
            given.insert(canonical_consumer_name(library, name).to_string(), read);
        }
        let values = ConsumerValues { library, given };
        match library {
            ConfigLibrary::Librdkafka => values.check_librdkafka()?,
            _ => values.check(configs)?,
        }
        Ok(values)
    }

    /// What librdkafka logs of settings that are the producer's.
    pub fn ignored(configs: &BTreeMap<String, String>) -> Vec<String> {
        configs.keys().filter_map(|name| super::librdkafka::ignored_by_consumer(name)).collect()
    }

    /// Whether the application gave it.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    fn value(&self, name: &str) -> Value {
        let default = || parse_consumer(self.library, name).expect("rules name settings that exist");
        self.given.get(name).cloned().unwrap_or_else(default)
    }

    /// A number; a negative one counts as 0.
    pub fn number(&self, name: &str) -> u64 {
        let number = self.value(name).as_int().expect("rules ask for numbers of numeric settings");
        u64::try_from(number).unwrap_or(0)
    }

    /// A number as far as it fits.
    pub fn capped(&self, name: &str) -> u32 {
        u32::try_from(self.number(name)).unwrap_or(u32::MAX)
    }

    /// A `.ms` setting.
    pub fn millis(&self, name: &str) -> Duration {
        Duration::from_millis(self.number(name).min(u64::from(u32::MAX)))
    }

    /// A truth value.
    pub fn boolean(&self, name: &str) -> bool {
        self.value(name).as_boolean().expect("rules ask for truth of boolean settings")
    }

    /// A text that was given.
    pub fn text(&self, name: &str) -> Option<String> {
        self.given.get(name).and_then(|value| value.as_text()).map(str::to_string)
    }

    /// The entries of a list.
    pub fn list(&self, name: &str) -> Vec<String> {
        match self.value(name) {
            Value::List(entries) => entries,
            other => unreachable!("{other:?} is no list"),
        }
    }

    /// Whether `group.protocol` is `consumer`.
    pub fn is_consumer_protocol(&self) -> bool {
        self.text("group.protocol").is_some_and(|protocol| protocol.eq_ignore_ascii_case("consumer"))
    }

    /// `rd_kafka_conf_finalize`. The texts are verified with the library, their order is not established.
    fn check_librdkafka(&self) -> Result<(), ConfigRefusal> {
        let Some(group) = self.text("group.id") else {
            let text = "Failed to create consumer: group.id must be set".to_string();
            return Err(ConfigRefusal::new("group.id", "_INVALID_ARG", "", text));
        };
        if group.is_empty() {
            let text = "An empty group.id ends the application's process with an assertion.";
            return Err(ConfigRefusal::of_ours("group.id", text));
        }
        if self.is_consumer_protocol() {
            for name in ["session.timeout.ms", "heartbeat.interval.ms"] {
                if self.is_given(name) {
                    let text =
                        "is not supported for `group.protocol=consumer` or share consumer. It is defined broker side";
                    return not_created(name, &format!("`{name}` {text}"));
                }
            }
            if self.is_given("partition.assignment.strategy") {
                let text = "`partition.assignment.strategy` is not supported for `group.protocol=consumer`. Use `group.remote.assignor` instead";
                return not_created("partition.assignment.strategy", text);
            }
            if self.is_given("group.protocol.type") {
                let text = "`group.protocol.type` is not supported for `group.protocol=consumer` or share consumer";
                return not_created("group.protocol.type", text);
            }
        } else if self.number("max.poll.interval.ms") < self.number("session.timeout.ms") {
            return not_created("max.poll.interval.ms", "`max.poll.interval.ms`must be >= `session.timeout.ms`");
        }
        if self.number("fetch.max.bytes") < self.number("message.max.bytes") {
            return not_created("fetch.max.bytes", "`fetch.max.bytes` must be >= `message.max.bytes`");
        }
        self.check_assignors()
    }

    fn check_assignors(&self) -> Result<(), ConfigRefusal> {
        const NAME: &str = "partition.assignment.strategy";
        let text = self.shown(NAME);
        let entries: Vec<&str> = text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
        if let Some(unknown) =
            entries.iter().find(|entry| !matches!(**entry, "range" | "roundrobin" | "cooperative-sticky"))
        {
            return not_created(NAME, &format!("Unsupported partition.assignment.strategy: {unknown}"));
        }
        let cooperative = entries.iter().filter(|entry| **entry == "cooperative-sticky").count();
        if cooperative > 0 && cooperative < entries.len() {
            let text = format!(
                "All partition.assignment.strategy ({text}) assignors must have the same protocol type, online migration between assignors with different protocol types is not supported"
            );
            return not_created(NAME, &text);
        }
        Ok(())
    }

    /// A text, or its default.
    pub fn shown(&self, name: &str) -> String {
        self.value(name).as_text().unwrap_or_default().to_string()
    }

    /// What the constructor looks at, in its order. The texts about protocols and heartbeats are verified on a
    /// running broker, the others are those of the source.
    fn check(&self, configs: &BTreeMap<String, String>) -> Result<(), ConfigRefusal> {
        let group = self.text("group.id");
        if group.is_none() && self.is_given("enable.auto.commit") && self.boolean("enable.auto.commit") {
            let text = "enable.auto.commit cannot be set to true when default group id (null) is used.";
            return Err(invalid("enable.auto.commit", "InvalidConfigurationException", text)
                .hint("Give a group.id, or leave enable.auto.commit out."));
        }
        self.check_protocol(configs)?;
        if group.as_deref() == Some("") {
            let text = "The configured group.id should not be an empty string or whitespace.";
            return Err(not_constructed("group.id", "InvalidGroupIdException", text));
        }
        if let Some(text) = self.text("group.instance.id").as_deref().and_then(topic_names::illegal) {
            let text = format!("Group instance id is invalid: {text}");
            return Err(not_constructed("group.instance.id", "InvalidConfigurationException", text));
        }
        let is_classic_member = group.is_some() && !self.is_consumer_protocol();
        if is_classic_member && self.number("heartbeat.interval.ms") >= self.number("session.timeout.ms") {
            let text = "Heartbeat must be set lower than the session timeout";
            return Err(not_constructed("heartbeat.interval.ms", "IllegalArgumentException", text));
        }
        Ok(())
    }

    fn check_protocol(&self, configs: &BTreeMap<String, String>) -> Result<(), ConfigRefusal> {
        let (protocol, refused) = match self.is_consumer_protocol() {
            true => ("CONSUMER", &NOT_WITH_CONSUMER[..]),
            false => ("CLASSIC", &NOT_WITH_CLASSIC[..]),
        };
        let is_set = |name: &&&str| configs.get(**name).is_some_and(|value| !value.trim().is_empty());
        let refused: Vec<&str> = refused.iter().filter(is_set).copied().collect();
        let Some(first) = refused.first() else { return Ok(()) };
        let text = format!("{} cannot be set when group.protocol={protocol}", refused.join(", "));
        Err(invalid(first, "ConfigException", &text))
    }
}

fn invalid(name: &str, exception: &'static str, text: &str) -> ConfigRefusal {
    ConfigRefusal::new(name, "INVALID_CONFIG", exception, text.to_string())
}

/// What the constructors make of an exception inside them.
fn not_constructed(name: &str, cause: &'static str, text: impl Into<String>) -> ConfigRefusal {
    invalid(name, "KafkaException", "Failed to construct kafka consumer").caused_by(cause, text)
}

fn not_created(name: &str, text: &str) -> Result<(), ConfigRefusal> {
    Err(ConfigRefusal::new(name, "_INVALID_ARG", "", format!("Failed to create consumer: {text}")))
}
