//! Rules that look at several settings at once: timeouts, idempotence, requests in flight.
//!
//! Each single value is checked first, by `validate`.

use std::collections::BTreeMap;

use super::{ConfigLibrary, ConfigRefusal, Value, canonical_name, definition, validate, validate_topic};

/// What the library logs when it changes a setting by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The setting that changes.
    pub name: String,
    /// The value that is used.
    pub value: String,
    /// The line of the log, without time and class.
    pub text: String,
}

/// Checks the settings of one producer, one by one and then together.
///
/// The answer says what the library changes by itself; `name` and `value` of each [`Warning`] are to
/// be applied on top of what was given.
pub fn check_together(library: ConfigLibrary, given: &BTreeMap<String, String>) -> Result<Vec<Warning>, ConfigRefusal> {
    let mut values = BTreeMap::new();
    for (name, value) in given {
        values.insert(canonical_name(library, name), validate(library, name, value)?);
    }
    let settings = Settings { library, values };
    match library {
        ConfigLibrary::Java => java(&settings),
        ConfigLibrary::Librdkafka => librdkafka(&settings).map(|()| ignored(given)),
        ConfigLibrary::Other => Ok(Vec::new()),
    }
}

/// Settings that the library takes and does not look at: they keep their values.
fn ignored(given: &BTreeMap<String, String>) -> Vec<Warning> {
    let warning = |(name, value): (&String, &String)| {
        Some(Warning { name: name.clone(), value: value.clone(), text: super::librdkafka::ignored(name)? })
    };
    given.iter().filter_map(warning).collect()
}

/// Checks the settings of one topic, one by one and then together.
pub fn check_topic_together(given: &BTreeMap<String, String>) -> Result<(), ConfigRefusal> {
    let mut lag = BTreeMap::from([("min.compaction.lag.ms", 0), ("max.compaction.lag.ms", i64::MAX)]);
    // LogConfig looks at all names before it looks at a value.
    if let Some(unknown) = given.keys().find(|name| super::topic_definitions().iter().all(|known| known.name != **name))
    {
        return Err(super::suggest::unknown_topic_config(unknown));
    }
    for (name, text) in given {
        let value = validate_topic(name, text)?;
        if let (Some(entry), Some(number)) = (lag.get_mut(name.as_str()), value.as_int()) {
            *entry = number;
        }
    }
    let (min, max) = (lag["min.compaction.lag.ms"], lag["max.compaction.lag.ms"]);
    if min <= max {
        return Ok(());
    }
    // Text of LogConfig.validateValues; not recorded.
    let message =
        format!("conflict topic config setting min.compaction.lag.ms ({min}) > max.compaction.lag.ms ({max})");
    Err(ConfigRefusal::new("min.compaction.lag.ms", "INVALID_CONFIG", "InvalidConfigurationException", message))
}

/// Values by canonical name, with the defaults behind them.
struct Settings<'a> {
    library: ConfigLibrary,
    values: BTreeMap<&'a str, Value>,
}

impl Settings<'_> {
    fn is_given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    fn value(&self, name: &str) -> Value {
        let default = || {
            let default = definition(self.library, name).expect("rules name settings that exist").default;
            validate(self.library, name, default).expect("defaults are good values")
        };
        self.values.get(name).cloned().unwrap_or_else(default)
    }

    fn int(&self, name: &str) -> i64 {
        self.value(name).as_int().expect("rules ask for numbers of numeric settings")
    }

    fn boolean(&self, name: &str) -> bool {
        self.value(name).as_boolean().expect("rules ask for truth of boolean settings")
    }

    fn text(&self, name: &str) -> String {
        self.value(name).as_text().unwrap_or_default().to_string()
    }
}

/// `ProducerConfig.postProcessAndValidateIdempotenceConfigs`, then the constructor of KafkaProducer.
/// All refusals are verified on a running broker; the log lines are those of the source.
fn java(settings: &Settings<'_>) -> Result<Vec<Warning>, ConfigRefusal> {
    let refuse =
        |name: &str, message: String| Err(ConfigRefusal::new(name, "INVALID_CONFIG", "ConfigException", message));
    let mut warnings = Vec::new();
    let mut disable = |text: String| {
        warnings.push(Warning { name: "enable.idempotence".to_string(), value: "false".to_string(), text });
    };
    let is_chosen = settings.is_given("enable.idempotence");
    let mut is_idempotent = settings.boolean("enable.idempotence");
    if is_idempotent {
        if settings.int("retries") == 0 {
            if is_chosen {
                return refuse("retries", "Must set retries to non-zero when using the idempotent producer.".into());
            }
            disable("Idempotence will be disabled because retries is set to 0.".into());
            is_idempotent = false;
        }
        let acks = settings.text("acks");
        if acks != "all" && acks != "-1" {
            if is_chosen {
                return refuse("acks", "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence.".into());
            }
            disable(format!("Idempotence will be disabled because acks is set to {acks}, not set to 'all'."));
            is_idempotent = false;
        }
        let in_flight = settings.int("max.in.flight.requests.per.connection");
        if in_flight > 5 {
            return refuse(
                "max.in.flight.requests.per.connection",
                format!(
                    "To use the idempotent producer, max.in.flight.requests.per.connection must be set to at most 5. Current value is {in_flight}."
                ),
            );
        }
    }
    if settings.is_given("transactional.id") && !is_idempotent {
        return refuse("transactional.id", "Cannot set a transactional.id without also enabling idempotence.".into());
    }
    if settings.boolean("transaction.two.phase.commit.enable") && settings.is_given("transaction.timeout.ms") {
        let text = "Cannot set transaction.timeout.ms when transaction.two.phase.commit.enable is set to true. Transactions will not expire with two-phase commit enabled.";
        return refuse("transaction.timeout.ms", text.into());
    }
    delivery_timeout(settings)?.into_iter().for_each(|warning| warnings.push(warning));
    Ok(warnings)
}

/// `KafkaProducer.configureDeliveryTimeout`.
fn delivery_timeout(settings: &Settings<'_>) -> Result<Option<Warning>, ConfigRefusal> {
    let most = i64::from(i32::MAX);
    let linger = settings.int("linger.ms").min(most);
    let needed = (linger + settings.int("request.timeout.ms")).min(most);
    if settings.int("delivery.timeout.ms") >= needed {
        return Ok(None);
    }
    let text = "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms";
    if settings.is_given("delivery.timeout.ms") {
        let message = "Failed to construct kafka producer".to_string();
        let refusal = ConfigRefusal::new("delivery.timeout.ms", "INVALID_CONFIG", "KafkaException", message);
        return Err(refusal.caused_by("ConfigException", text).hint(format!("Here that is at least {needed}.")));
    }
    let text = format!("{text}. Setting it to {needed}.");
    Ok(Some(Warning { name: "delivery.timeout.ms".to_string(), value: needed.to_string(), text }))
}

/// `rd_kafka_conf_finalize` and `rd_kafka_topic_conf_finalize`. The texts are verified with the
/// library, their order is not established. The library does not change a setting silently.
fn librdkafka(settings: &Settings<'_>) -> Result<(), ConfigRefusal> {
    let is_transactional = !settings.text("transactional.id").is_empty();
    let is_chosen = settings.is_given("enable.idempotence");
    if is_transactional && is_chosen && !settings.boolean("enable.idempotence") {
        return not_created("transactional.id", "`transactional.id` requires `enable.idempotence=true`");
    }
    // A transactional.id switches idempotence on.
    if settings.boolean("enable.idempotence") || is_transactional {
        librdkafka_idempotence(settings)?;
    } else if settings.boolean("enable.gapless.guarantee") {
        return not_created(
            "enable.gapless.guarantee",
            "`enable.gapless.guarantee` requires `enable.idempotence` to be enabled",
        );
    }
    if !settings.is_given("message.timeout.ms") {
        return Ok(());
    }
    // 0 means no timeout.
    let timeout = u64::try_from(settings.int("message.timeout.ms")).unwrap_or_default();
    let transaction = settings.int("transaction.timeout.ms");
    if is_transactional && i128::from(timeout) > i128::from(transaction) {
        return not_created("message.timeout.ms", "`message.timeout.ms` must be set <= `transaction.timeout.ms`");
    }
    let linger = settings.value("queue.buffering.max.ms").as_millis().expect("the range of linger.ms starts at 0");
    if timeout > 0 && timeout * 1_000 <= linger.0 {
        return not_created("message.timeout.ms", "`message.timeout.ms` must be greater than `linger.ms`");
    }
    Ok(())
}

fn librdkafka_idempotence(settings: &Settings<'_>) -> Result<(), ConfigRefusal> {
    let in_flight = "max.in.flight.requests.per.connection";
    // The default of a million becomes 5 by itself.
    if settings.is_given(in_flight) && settings.int(in_flight) > 5 {
        return not_created(in_flight, "`max.in.flight` must be set <= 5 when `enable.idempotence` is true");
    }
    if settings.int("message.send.max.retries") < 1 {
        return not_created("message.send.max.retries", "`retries` must be set >= 1 when `enable.idempotence` is true");
    }
    if settings.int("request.required.acks") != -1 {
        return not_created("request.required.acks", "`acks` must be set to `all` when `enable.idempotence` is true");
    }
    if settings.text("queuing.strategy") != "fifo" {
        return not_created(
            "queuing.strategy",
            "`queuing.strategy` must be set to `fifo` when `enable.idempotence` is true",
        );
    }
    Ok(())
}

fn not_created(name: &str, text: &str) -> Result<(), ConfigRefusal> {
    let message = format!("Failed to create producer: {text}");
    Err(ConfigRefusal::new(name, "_INVALID_ARG", "", message))
}
