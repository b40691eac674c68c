//! Client, topic and broker settings under Kafka's own names, and who refuses which value with which words.
//!
//! Nothing here acts on a setting: the nodes read the values that were found good.

// The tables are written as rows; this turns them into constants. It comes first, so that the
// modules below can use it.
macro_rules! definitions {
    ($(#[$doc:meta])* $table:ident $(
        $name:literal $kind:ident $default:literal $valid:ident $(($($argument:literal),*))?
            $($flag:ident)? $summary:literal $(for $canonical:literal)?;
    )*) => {
        $(#[$doc])*
        pub const $table: &[Definition] = &[$(Definition {
            name: $name,
            kind: super::Kind::$kind,
            default: $default,
            valid: definitions!(@valid $valid $($($argument),*)?),
            summary: $summary,
            is_modelled: definitions!(@flag $($flag)?),
            alias_of: definitions!(@alias $($canonical)?),
        }),*];
    };
    (@valid any) => { super::Valid::Any };
    (@valid non_empty) => { super::Valid::NonEmpty };
    (@valid gzip_level) => { super::Valid::GzipLevel };
    (@valid throttled_replicas) => { super::Valid::ThrottledReplicas };
    (@valid offset_reset) => { super::Valid::OffsetReset };
    (@valid partitioner_class) => { super::Valid::PartitionerClass };
    (@valid min $min:literal) => { super::Valid::Range { min: $min, max: None } };
    (@valid range $min:literal, $max:literal) => { super::Valid::Range { min: $min, max: Some($max) } };
    (@valid decimal $min:literal, $max:literal) => { super::Valid::Decimal { min: $min, max: $max } };
    (@valid one_of $($text:literal),*) => { super::Valid::OneOf(&[$($text),*]) };
    (@valid one_of_ignoring_case $($text:literal),*) => { super::Valid::OneOfIgnoringCase(&[$($text),*]) };
    (@flag) => { false };
    (@flag modelled) => { true };
    (@alias) => { None };
    (@alias $canonical:literal) => { Some($canonical) };
}

mod broker;
mod consumer;
mod decimal;
mod dynamic;
mod group;
mod java;
mod java_connection;
mod librdkafka;
mod members;
mod other;
mod parse;
mod remote;
mod suggest;
mod together;
mod topic;

#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use dynamic::check_dynamic;
pub use dynamic::{dynamic_only_definitions, is_dynamic};
pub(crate) use group::check_group;
pub use group::group_definitions;
pub(crate) use members::{ConsumerValues, check_share_consumer};
pub(crate) use parse::iso_duration;
pub(crate) use remote::check_topic_change;
pub use together::{Warning, check_together, check_topic_together};

use super::producer::settings::Dialect;
use crate::error::KafkaError;
use crate::time::Duration;

/// Whose settings and whose words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigLibrary {
    /// The Java client of Apache Kafka 4.3.1.
    Java,
    /// librdkafka 2.16.0 and everything built on it.
    Librdkafka,
    /// Any other library. Simplified: each has options and words of its own; here they share a
    /// short list under the Java client's names, and refusals are in words of ours.
    Other,
}

impl ConfigLibrary {
    /// Whose names and words apply to a client of the catalogue.
    pub fn of(client: &partitioner::Client) -> ConfigLibrary {
        Dialect::of(client).configs()
    }
}

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Definition {
    /// Its name, as in a properties file.
    pub name: &'static str,
    /// What its text stands for.
    pub kind: Kind,
    /// The default as text; empty if there is none.
    pub default: &'static str,
    /// Which values are taken.
    pub valid: Valid,
    /// What it is for, in one sentence; empty for broker settings that few people meet.
    pub summary: &'static str,
    /// Whether it changes anything in the simulation. The others are checked, kept and shown.
    pub is_modelled: bool,
    /// The canonical name, if this name is an alias of librdkafka.
    pub alias_of: Option<&'static str>,
}

/// Types of settings, as Kafka's ConfigDef names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    /// A whole number of 16 bits.
    Short,
    /// true or false.
    Boolean,
    /// Text.
    String,
    /// Texts, separated by commas.
    List,
    /// The name of a Java class.
    Class,
    /// A number with decimals, kept as text.
    Double,
    /// Text that is not shown.
    Password,
}

/// Which values a setting takes, besides being of its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Valid {
    /// Every value of the kind.
    Any,
    /// Text or a list that is not empty.
    NonEmpty,
    /// Numbers from `min` up, and up to `max` if there is one; both included.
    Range {
        /// The smallest.
        min: i64,
        /// The largest.
        max: Option<i64>,
    },
    /// Decimal numbers from `min` to `max`, written as Kafka writes them.
    Decimal {
        /// The smallest.
        min: &'static str,
        /// The largest.
        max: &'static str,
    },
    /// Exactly these texts; of a list, each entry.
    OneOf(&'static [&'static str]),
    /// These texts in any mix of upper and lower case.
    OneOfIgnoringCase(&'static [&'static str]),
    /// 1 to 9, or -1.
    GzipLevel,
    /// `*`, or pairs of a partition and a broker.
    ThrottledReplicas,
    /// `earliest`, `latest`, `none`, or `by_duration:` and a duration of ISO 8601.
    OffsetReset,
    /// A partitioner that the client brings along.
    PartitionerClass,
}

/// A value that was found good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Int, Long and Short.
    Int(i64),
    /// Boolean.
    Boolean(bool),
    /// String, Class and Password; Double as it was written.
    Text(String),
    /// List.
    List(Vec<String>),
}

/// A value or a set of values that the client (or the broker) does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigRefusal {
    /// The setting that is to blame.
    pub name: String,
    /// The protocol's or the library's name of the error: `INVALID_CONFIG`, `_INVALID_ARG`, or
    /// `UNKNOWN_CONFIG` where only this simulator objects.
    pub error: &'static str,
    /// The Java exception class without its package; empty for other libraries.
    pub exception: &'static str,
    /// The exact text, where it is known; see the comments of each rule.
    pub message: String,
    /// The exception inside it: its Java class without the package, and its text.
    pub cause: Option<Box<(&'static str, String)>>,
    /// What to do, in our words; may be empty.
    pub hint: String,
}

impl Value {
    /// The number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Value::Boolean(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a `.ms` setting as a length of time: whole milliseconds, or (librdkafka's
    /// `linger.ms`) decimals of them, cut to the microsecond. Negative values give none.
    pub fn as_millis(&self) -> Option<Duration> {
        let micros = match self {
            Value::Int(millis) => millis.checked_mul(1_000)?,
            Value::Text(text) => decimal::Decimal::prefix(text)?.0.micros_of_millis(),
            _ => return None,
        };
        u64::try_from(micros).ok().map(Duration)
    }

    /// A decimal number that is not negative, such as a ratio, in billionths.
    pub fn as_billionths(&self) -> Option<u64> {
        decimal::Decimal::parse(self.as_text()?)?.billionths()
    }
}

impl ConfigRefusal {
    /// The same as an error that Kafka reports.
    pub fn kafka_error(&self) -> KafkaError {
        let error = KafkaError::new(self.error, self.exception, self.message.clone());
        match &self.cause {
            None => error,
            Some(cause) => error.caused_by(KafkaError::new("INVALID_CONFIG", cause.0, cause.1.as_str())),
        }
    }

    /// A refusal of one setting without a cause.
    fn new(name: &str, error: &'static str, exception: &'static str, message: String) -> ConfigRefusal {
        ConfigRefusal { name: name.to_string(), error, exception, message, cause: None, hint: String::new() }
    }

    /// The same with the exception inside it.
    fn caused_by(self, cause_exception: &'static str, cause: impl Into<String>) -> ConfigRefusal {
        ConfigRefusal { cause: Some(Box::new((cause_exception, cause.into()))), ..self }
    }

    /// Whether Kafka itself refuses, and not the simulator alone.
    pub fn is_by_kafka(&self) -> bool {
        self.error != "UNKNOWN_CONFIG"
    }

    /// A refusal in our words, where Kafka would have taken the setting.
    pub(crate) fn of_ours(name: &str, message: impl Into<String>) -> ConfigRefusal {
        ConfigRefusal::new(name, "UNKNOWN_CONFIG", "", message.into())
    }

    fn hint(mut self, hint: impl Into<String>) -> ConfigRefusal {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for ConfigRefusal {
    /// Exception, text, cause and advice in one line.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.exception.is_empty() {
            write!(out, "{}: ", self.exception)?;
        }
        write!(out, "{}", self.message)?;
        if let Some(cause) = &self.cause {
            write!(out, ", caused by {}: {}", cause.0, cause.1)?;
        }
        if !self.hint.is_empty() {
            write!(out, " {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigRefusal {}

/// Every producer setting of a library, in name order.
pub fn definitions(library: ConfigLibrary) -> &'static [Definition] {
    match library {
        ConfigLibrary::Java => java::JAVA_PRODUCER,
        ConfigLibrary::Librdkafka => librdkafka::LIBRDKAFKA_PRODUCER,
        ConfigLibrary::Other => other::OTHER_PRODUCER,
    }
}

/// Two tables in name order as one in name order, when it is compiled.
const fn merged<const N: usize>(one: &[Definition], other: &[Definition]) -> [Definition; N] {
    assert!(one.len() + other.len() == N, "every row has its place");
    let mut rows = [one[0]; N];
    let (mut from_one, mut from_other) = (0, 0);
    while from_one + from_other < N {
        let is_of_one = from_other == other.len()
            || from_one < one.len() && is_before(one[from_one].name.as_bytes(), other[from_other].name.as_bytes());
        if is_of_one {
            rows[from_one + from_other] = one[from_one];
            from_one += 1;
        } else {
            rows[from_one + from_other] = other[from_other];
            from_other += 1;
        }
    }
    rows
}

const fn is_before(name: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < name.len() && place < other.len() {
        if name[place] != other[place] {
            return name[place] < other[place];
        }
        place += 1;
    }
    name.len() < other.len()
}

/// Every topic setting, in name order.
pub fn topic_definitions() -> &'static [Definition] {
    topic::TOPIC
}

/// Every broker setting, in name order.
pub fn broker_definitions() -> &'static [Definition] {
    broker::BROKER
}

/// Every setting of the Java consumer, in name order.
pub fn consumer_definitions() -> &'static [Definition] {
    consumer::JAVA_CONSUMER
}

/// The definition of a consumer setting.
pub fn consumer_definition(name: &str) -> Option<&'static Definition> {
    consumer::JAVA_CONSUMER.iter().find(|definition| definition.name == name)
}

/// Reads a consumer setting as the Java client does, or refuses it in its words.
pub fn validate_consumer(name: &str, value: &str) -> Result<Value, ConfigRefusal> {
    match consumer_definition(name) {
        Some(found) => parse::java(found, value),
        None => Err(suggest::unknown_consumer_config(name)),
    }
}

/// The definition of a consumer setting of librdkafka: its own, and those that it shares with producers.
fn librdkafka_consumer(name: &str) -> Option<&'static Definition> {
    let of_both = librdkafka::LIBRDKAFKA_PRODUCER.iter();
    librdkafka::LIBRDKAFKA_CONSUMER.iter().chain(of_both).find(|found| found.name == name)
}

/// Reads a consumer setting as its library does. A setting of producers is taken by librdkafka, which warns.
pub(crate) fn validate_library_consumer(
    library: ConfigLibrary,
    name: &str,
    value: &str,
) -> Result<Value, ConfigRefusal> {
    if library != ConfigLibrary::Librdkafka {
        return validate_consumer(name, value);
    }
    match librdkafka_consumer(name) {
        Some(found) => librdkafka::parse(found, value),
        None => Err(suggest::unknown_producer_config(library, name)),
    }
}

/// The default of a consumer setting.
fn parse_consumer(library: ConfigLibrary, name: &str) -> Option<Value> {
    match library {
        ConfigLibrary::Librdkafka => {
            let found = librdkafka_consumer(name)?;
            librdkafka::parse(found, found.default).ok().or(Some(Value::Text(String::new())))
        }
        _ => {
            let found = consumer_definition(name)?;
            parse::java(found, found.default).ok()
        }
    }
}

/// The name under which a consumer setting is known to its library.
fn canonical_consumer_name(library: ConfigLibrary, name: &str) -> &str {
    let found = librdkafka_consumer(name).filter(|_| library == ConfigLibrary::Librdkafka);
    found.and_then(|found| found.alias_of).unwrap_or(name)
}

/// The definition of a producer setting.
pub fn definition(library: ConfigLibrary, name: &str) -> Option<&'static Definition> {
    definitions(library).iter().find(|definition| definition.name == name)
}

/// The name under which a setting is known to the library: aliases give what they stand for.
pub fn canonical_name(library: ConfigLibrary, name: &str) -> &str {
    definition(library, name).and_then(|definition| definition.alias_of).unwrap_or(name)
}

/// Reads a producer setting as the library does, or refuses it in the library's words.
///
/// A name that does not exist is refused here for every library. Only librdkafka does so; the Java
/// client logs a warning and goes on, which would hide a typing error from the person who made it.
///
/// ```
/// use engine::client::configs::{ConfigLibrary, Value, validate};
///
/// assert_eq!(validate(ConfigLibrary::Java, "linger.ms", "20"), Ok(Value::Int(20)));
/// let refusal = validate(ConfigLibrary::Java, "linger.ms", "abc").unwrap_err();
/// assert_eq!(refusal.message, "Invalid value abc for configuration linger.ms: Not a number of type LONG");
/// ```
pub fn validate(library: ConfigLibrary, name: &str, value: &str) -> Result<Value, ConfigRefusal> {
    let foreign = librdkafka::LIBRDKAFKA_CONSUMER.iter().filter(|_| library == ConfigLibrary::Librdkafka);
    let foreign = || foreign.clone().find(|found| found.name == name);
    let Some(found) = definition(library, name).or_else(foreign) else {
        return Err(suggest::unknown_producer_config(library, name));
    };
    match library {
        ConfigLibrary::Java => parse::java(found, value),
        ConfigLibrary::Librdkafka => librdkafka::parse(found, value),
        ConfigLibrary::Other => parse::java(found, value).map_err(|refusal| other::in_our_words(found, value, refusal)),
    }
}

/// Reads a topic setting as LogConfig does, or refuses it as CreateTopics would (INVALID_CONFIG).
pub fn validate_topic(name: &str, value: &str) -> Result<Value, ConfigRefusal> {
    match topic::TOPIC.iter().find(|definition| definition.name == name) {
        Some(found) => parse::java(found, value),
        None => Err(suggest::unknown_topic_config(name)),
    }
}

/// A value that was found good, as Kafka prints it once it has read it: `true`, `0.5`, `compact,delete`.
pub fn printed(definition: &Definition, value: &str) -> String {
    match parse::java(definition, value) {
        Ok(Value::Int(number)) => number.to_string(),
        Ok(Value::Boolean(truth)) => truth.to_string(),
        Ok(Value::List(entries)) => entries.join(","),
        Ok(Value::Text(text)) if definition.kind == Kind::Double => {
            decimal::Decimal::parse(&text).map_or(text, decimal::Decimal::java_text)
        }
        Ok(Value::Text(text)) => text,
        Err(_) => value.to_string(),
    }
}

/// Reads a broker setting, or refuses it in the words of the broker's start-up.
pub fn validate_broker(name: &str, value: &str) -> Result<Value, ConfigRefusal> {
    match broker::BROKER.iter().find(|definition| definition.name == name) {
        Some(found) => parse::java(found, value),
        None => Err(suggest::unknown_broker_config(name)),
    }
}
