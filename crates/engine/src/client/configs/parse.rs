//! ConfigDef: how the Java client and the broker read a value, and the words in which they refuse it.
//!
//! Rules that look at several settings are in `together.rs`.

use super::decimal::Decimal;
use super::{ConfigRefusal, Definition, Kind, Valid, Value};
use crate::time::Duration;

/// The one partitioner class that the Java client of 4.3.1 brings along besides its built-in rule.
const ROUND_ROBIN: &str = "org.apache.kafka.clients.producer.RoundRobinPartitioner";

/// Classes that older clients had, removed in 4.0.
const REMOVED: [&str; 2] = [
    "org.apache.kafka.clients.producer.internals.DefaultPartitioner",
    "org.apache.kafka.clients.producer.UniformStickyPartitioner",
];

/// Reads a value as `ConfigDef.parseType` does and checks it with the setting's validator.
/// The texts are verified on a running broker unless a comment says otherwise.
pub(super) fn java(definition: &Definition, given: &str) -> Result<Value, ConfigRefusal> {
    let text = given.trim();
    let value = match definition.kind {
        Kind::Boolean if text.eq_ignore_ascii_case("true") => Value::Boolean(true),
        Kind::Boolean if text.eq_ignore_ascii_case("false") => Value::Boolean(false),
        Kind::Boolean => {
            return Err(refuse(definition, given, "Expected value to be either true or false"));
        }
        Kind::Int => whole(definition, given, i64::from(i32::MIN), i64::from(i32::MAX), "INT")?,
        Kind::Short => whole(definition, given, i64::from(i16::MIN), i64::from(i16::MAX), "SHORT")?,
        Kind::Long => whole(definition, given, i64::MIN, i64::MAX, "LONG")?,
        // Simplified: Java's doubles may also be written as NaN, Infinity or in hexadecimal.
        Kind::Double if Decimal::parse(text).is_some() => Value::Text(text.to_string()),
        Kind::Double => return Err(refuse(definition, given, "Not a number of type DOUBLE")),
        Kind::List if text.is_empty() => Value::List(Vec::new()),
        Kind::List => Value::List(text.split(',').map(|entry| entry.trim().to_string()).collect()),
        Kind::String | Kind::Class | Kind::Password => Value::Text(text.to_string()),
    };
    check(definition, &value)?;
    Ok(value)
}

/// `Integer.parseInt` and its kin take an optional sign and ASCII digits, nothing else.
fn whole(definition: &Definition, given: &str, min: i64, max: i64, kind: &str) -> Result<Value, ConfigRefusal> {
    let number = given.trim().parse::<i64>().ok().filter(|number| (min..=max).contains(number));
    number.map(Value::Int).ok_or_else(|| refuse(definition, given, &format!("Not a number of type {kind}")))
}

fn check(definition: &Definition, value: &Value) -> Result<(), ConfigRefusal> {
    match (definition.valid, value) {
        (Valid::Range { min, max }, Value::Int(number)) => {
            if *number < min {
                return Err(refuse(definition, number, &format!("Value must be at least {min}")));
            }
            match max.filter(|max| number > max) {
                Some(max) => Err(refuse(definition, number, &format!("Value must be no more than {max}"))),
                None => Ok(()),
            }
        }
        (Valid::Decimal { min, max }, Value::Text(text)) => check_decimal(definition, text, min, max),
        (Valid::OneOf(allowed), Value::Text(text)) => one_of(definition, text, allowed),
        (Valid::OneOf(allowed), Value::List(entries)) => {
            entries.iter().try_for_each(|entry| one_of(definition, entry, allowed))?;
            distinct(definition, entries)
        }
        (Valid::OneOfIgnoringCase(allowed), Value::Text(text)) => {
            if allowed.iter().any(|one| one.eq_ignore_ascii_case(text)) {
                return Ok(());
            }
            // The order inside the text is that of a hash set, so it is not established.
            let all = allowed.join(", ");
            Err(refuse(definition, text, &format!("String must be one of (case insensitive): {all}")))
        }
        // Text of ConfigDef.NonEmptyString; not recorded.
        (Valid::NonEmpty, Value::Text(text)) if text.is_empty() => {
            Err(refuse(definition, text, "String must be non-empty"))
        }
        // Text of ConfigDef.ValidList; not recorded.
        (Valid::NonEmpty, Value::List(entries)) if entries.is_empty() => Err(plain(
            definition,
            format!("Configuration '{}' must not be empty. Valid values include: any non-empty value", definition.name),
        )),
        // Text of GzipCompression.LevelValidator; not recorded.
        (Valid::GzipLevel, Value::Int(level)) if *level != -1 && !(1..=9).contains(level) => {
            Err(refuse(definition, level, "Value must be between 1 and 9 or equal to -1"))
        }
        (Valid::OffsetReset, Value::Text(text)) if !is_offset_reset(text) => {
            let name = definition.name;
            let wanted = format!(
                "Invalid value `{text}` for configuration {name}. The value must be either 'earliest', 'latest', 'none' or of the format 'by_duration:<PnDTnHnMn.nS.>'."
            );
            Err(refuse(definition, text, &wanted))
        }
        (Valid::ThrottledReplicas, Value::List(entries)) => throttled_replicas(definition, entries),
        (Valid::PartitionerClass, Value::Text(class)) => partitioner_class(definition, class),
        _ => Ok(()),
    }
}

/// `AutoOffsetResetStrategy.fromString`.
fn is_offset_reset(text: &str) -> bool {
    let by_duration = text.strip_prefix("by_duration:");
    matches!(text, "earliest" | "latest" | "none") || by_duration.is_some_and(|length| iso_duration(length).is_some())
}

/// `java.time.Duration.parse` of a length that is not negative: `PnDTnHnMn.nS`. Simplified: signs are not read.
pub(crate) fn iso_duration(text: &str) -> Option<Duration> {
    let upper = text.to_ascii_uppercase();
    let rest = upper.strip_prefix('P')?;
    let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
    let mut micros = 0_u64;
    let mut add = |number: &str, scale: u64| {
        let whole = number.parse::<u64>().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?;
        micros = micros.checked_add(whole.checked_mul(scale)?)?;
        Some(())
    };
    if !days.is_empty() {
        add(days.strip_suffix('D')?, 86_400_000_000)?;
    }
    let Some(mut time) = time else { return (!days.is_empty()).then_some(Duration(micros)) };
    if time.is_empty() {
        return None;
    }
    for (unit, scale) in [('H', 3_600_000_000), ('M', 60_000_000)] {
        if let Some((number, rest)) = time.split_once(unit) {
            add(number, scale)?;
            time = rest;
        }
    }
    if !time.is_empty() {
        let (whole, fraction) = time.strip_suffix('S')?.split_once('.').unwrap_or((time.strip_suffix('S')?, ""));
        add(whole, 1_000_000)?;
        if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        add(&format!("{fraction:0<6}")[..6], 1)?;
    }
    Some(Duration(micros))
}

fn check_decimal(definition: &Definition, text: &str, min: &str, max: &str) -> Result<(), ConfigRefusal> {
    let parse = |text| Decimal::parse(text).expect("the tables and a value that was read hold decimals");
    let number = parse(text);
    if number < parse(min) {
        return Err(refuse(definition, number.java_text(), &format!("Value must be at least {min}")));
    }
    if number > parse(max) {
        return Err(refuse(definition, number.java_text(), &format!("Value must be no more than {max}")));
    }
    Ok(())
}

fn one_of(definition: &Definition, text: &str, allowed: &[&str]) -> Result<(), ConfigRefusal> {
    if allowed.contains(&text) {
        return Ok(());
    }
    Err(refuse(definition, text, &format!("String must be one of: {}", allowed.join(", "))))
}

/// Since 4.2 a list may not name an entry twice (KIP-1161); the text is not recorded.
fn distinct(definition: &Definition, entries: &[String]) -> Result<(), ConfigRefusal> {
    let is_repeated = (1..entries.len()).any(|end| entries[..end].contains(&entries[end]));
    if !is_repeated {
        return Ok(());
    }
    Err(plain(definition, format!("Configuration '{}' values must not be duplicated.", definition.name)))
}

/// ThrottledReplicaListValidator; the text is not recorded.
fn throttled_replicas(definition: &Definition, entries: &[String]) -> Result<(), ConfigRefusal> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_pair = |entry: &String| {
        entry.split_once(':').is_some_and(|(partition, broker)| is_number(partition) && is_number(broker))
    };
    if entries.iter().all(is_pair) || entries == ["*"] {
        return Ok(());
    }
    let wanted = format!(
        "{} must be the literal '*' or a list of replicas in the following format: [partitionId]:[brokerId],[partitionId]:[brokerId],...",
        definition.name
    );
    Err(refuse(definition, entries.join(","), &wanted))
}

fn partitioner_class(definition: &Definition, class: &str) -> Result<(), ConfigRefusal> {
    if class.is_empty() || class == ROUND_ROBIN {
        return Ok(());
    }
    let refusal = refuse(definition, class, &format!("Class {class} could not be found."));
    Err(if REMOVED.contains(&class) {
        refusal.hint("Kafka 4.0 removed this class; leave the setting empty for the built-in rule.")
    } else {
        refusal.hint(format!("Leave it empty for the built-in rule, or use {ROUND_ROBIN}."))
    })
}

/// `ConfigException(name, value, message)`.
fn refuse(definition: &Definition, value: impl std::fmt::Display, message: &str) -> ConfigRefusal {
    plain(definition, format!("Invalid value {value} for configuration {}: {message}", definition.name))
}

fn plain(definition: &Definition, message: String) -> ConfigRefusal {
    ConfigRefusal::new(definition.name, "INVALID_CONFIG", "ConfigException", message)
}
