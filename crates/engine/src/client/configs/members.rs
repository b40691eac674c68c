//! Rules of the Java consumer that look at several settings at once: group protocols, static members, commits.
//!
//! Follows `ConsumerConfig.postProcessParsedConfig` and the constructors of the two consumers of Kafka 4.3.1. Each
//! single value is checked first.

use std::collections::BTreeMap;

use super::{ConfigRefusal, Value, consumer_definition, parse, validate_consumer};
use crate::controller::topic_names;
use crate::time::Duration;

/// Settings that a consumer of `group.protocol=consumer` may not have, in the order of Kafka's text.
const NOT_WITH_CONSUMER: [&str; 4] =
    ["partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms", "share.acknowledgement.mode"];
/// The same for `group.protocol=classic`.
const NOT_WITH_CLASSIC: [&str; 2] = ["group.remote.assignor", "share.acknowledgement.mode"];

/// The values of a Java consumer, with the defaults behind them.
pub(crate) struct ConsumerValues {
    given: BTreeMap<String, Value>,
}

impl ConsumerValues {
    /// Reads all settings, then looks at them together.
    pub fn read(configs: &BTreeMap<String, String>) -> Result<ConsumerValues, ConfigRefusal> {
        let mut given = BTreeMap::new();
        for (name, value) in configs {
            given.insert(name.clone(), validate_consumer(name, value)?);
        }
        let values = ConsumerValues { given };
        values.check(configs)?;
        Ok(values)
    }

    /// Whether the application gave it.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    fn value(&self, name: &str) -> Value {
        let default = || {
            let definition = consumer_definition(name).expect("rules name settings that exist");
            parse::java(definition, definition.default).expect("defaults are good values")
        };
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
