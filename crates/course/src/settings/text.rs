//! Settings as text: what an attribute, a control or a file gives, and the same text back.
//!
//! Deliberately not here: whether a producer or reader of that name exists; only a scenario knows.

use std::collections::BTreeMap;

use engine::limits::{BROKERS_MAX, BURST_MAX, PARTITIONS_MAX};
use engine::{Duration, InputError};
use partitioner::encoding::Encoding;
use serde::de::{Deserializer, Error as _};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::side::side;
use super::{KeyKind, Settings, Side};
use crate::suggest;

/// Every name of a setting. `NAME` stands for the name of a producer or reader, or of a setting of Kafka's.
pub const NAMES: [&str; 29] = [
    "client",
    "client.NAME",
    "compare",
    "partitions",
    "grow",
    "seed",
    "keys",
    "key",
    "key_encoding",
    "partition",
    "linger",
    "every",
    "skew",
    "metadata_age.NAME",
    "behind.NAME",
    "replication_factor",
    "topic.NAME",
    "cluster.NAME",
    "producer.NAME",
    "consumer.NAME",
    "choice.NAME",
    "feature.NAME",
    "delay",
    "value_size",
    "records_per_transaction",
    "rate",
    "batch_time",
    "reload",
    "processing",
];

/// Keys in a setting; more belong into a scenario's pattern or the key lab.
const KEYS_MAX: usize = 10_000;
/// Bursts a second: one in each microsecond.
const RATE_MAX: u64 = 1_000_000;
/// Bytes of a value: those of Kafka's largest array.
const VALUE_MAX: u64 = i32::MAX as u64;
/// The largest seed: JavaScript and TOML keep whole numbers up to it.
pub(super) const SEED_MAX: u64 = (1 << 53) - 1;

impl Settings {
    /// Every name that [`Settings::set`] takes; `NAME` stands for a producer or reader.
    pub const NAMES: [&'static str; 29] = NAMES;

    /// Sets one by its name from text, as an attribute or a control gives it. An empty text takes the setting back.
    ///
    /// Keys are separated by commas, and `user-1..30` stands for user-1 to user-30. A key in double quotes is taken as
    /// it is, with `""` for a quote in it: `a,"",c` has an empty key. In text with line ends each line is a key as it
    /// is.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), InputError> {
        let value = if name == "keys" { value } else { value.trim() };
        if value.is_empty() {
            return self.clear(name);
        }
        match name.split_once('.') {
            Some(("client", producer)) => {
                self.clients.insert(producer.to_string(), client(name, value)?);
            }
            Some(("metadata_age", producer)) => {
                self.metadata_age.insert(producer.to_string(), duration(name, value)?);
            }
            Some(("behind", reader)) => {
                self.behind.insert(reader.to_string(), number(name, value, 0, u64::from(u32::MAX))?);
            }
            Some(("feature", feature)) => {
                self.features.insert(feature.to_string(), number(name, value, 0, u64::from(u16::MAX))? as u16);
            }
            Some((owner, config)) => {
                let configs = self.configs_mut(owner).ok_or_else(|| unknown(name))?;
                configs.insert(config.to_string(), value.to_string());
            }
            None => self.set_plain(name, value)?,
        }
        Ok(())
    }

    /// Settings under Kafka's names, and choices, by whose they are.
    fn configs_mut(&mut self, owner: &str) -> Option<&mut BTreeMap<String, String>> {
        match owner {
            "topic" => Some(&mut self.topic_configs),
            "cluster" => Some(&mut self.cluster_configs),
            "producer" => Some(&mut self.producer_configs),
            "consumer" => Some(&mut self.consumer_configs),
            "choice" => Some(&mut self.choices),
            _ => None,
        }
    }

    fn set_plain(&mut self, name: &str, value: &str) -> Result<(), InputError> {
        match name {
            "client" => self.client = Some(client(name, value)?),
            "compare" => self.compare = Some(side(value)?),
            "partitions" => self.partitions = Some(count(name, value)?),
            "grow" => self.grow = Some(count(name, value)?),
            "seed" => self.seed = Some(number(name, value, 0, SEED_MAX)?),
            "keys" => self.keys = Some(keys(value)?),
            "key" => self.key = Some(key_kind(value)?),
            "key_encoding" => self.key_encoding = Some(encoding(value)?),
            "partition" => self.partition = Some(explicit(value)?),
            "linger" => self.linger = Some(whole_millis(name, value)?),
            "every" => self.every = Some(duration(name, value)?),
            "skew" => self.skew = Some(number(name, value, 1, 100)? as u32),
            "replication_factor" => {
                self.replication_factor = Some(number(name, value, 1, u64::from(BROKERS_MAX))? as u32);
            }
            "delay" => self.delay = Some(duration(name, value)?),
            "batch_time" => self.batch_time = Some(duration(name, value)?),
            "reload" => self.reload = Some(duration(name, value)?),
            "processing" => self.processing = Some(duration(name, value)?),
            "rate" => self.rate = Some(number(name, value, 1, RATE_MAX)? as u32),
            "records_per_transaction" => {
                self.records_per_transaction = Some(number(name, value, 1, u64::from(BURST_MAX))? as u32);
            }
            "value_size" => self.value_size = Some(number(name, value, 0, VALUE_MAX)? as u32),
            _ => return Err(unknown(name)),
        }
        Ok(())
    }

    fn clear(&mut self, name: &str) -> Result<(), InputError> {
        if let Some((kind, owner)) = name.split_once('.') {
            match kind {
                "client" => self.clients.retain(|known, _| known != owner),
                "metadata_age" => self.metadata_age.retain(|known, _| known != owner),
                "behind" => self.behind.retain(|known, _| known != owner),
                "feature" => self.features.retain(|known, _| known != owner),
                _ => {
                    let configs = self.configs_mut(kind).ok_or_else(|| unknown(name))?;
                    configs.remove(owner);
                }
            }
            return Ok(());
        }
        match name {
            "client" => self.client = None,
            "compare" => self.compare = None,
            "partitions" => self.partitions = None,
            "grow" => self.grow = None,
            "seed" => self.seed = None,
            "keys" => self.keys = None,
            "key" => self.key = None,
            "key_encoding" => self.key_encoding = None,
            "partition" => self.partition = None,
            "linger" => self.linger = None,
            "every" => self.every = None,
            "skew" => self.skew = None,
            "replication_factor" => self.replication_factor = None,
            "delay" => self.delay = None,
            "value_size" => self.value_size = None,
            "records_per_transaction" => self.records_per_transaction = None,
            "rate" => self.rate = None,
            "batch_time" => self.batch_time = None,
            "reload" => self.reload = None,
            "processing" => self.processing = None,
            _ => return Err(unknown(name)),
        }
        Ok(())
    }

    /// The value of a setting as text that [`Settings::set`] takes; none if it is not set.
    pub fn get(&self, name: &str) -> Option<String> {
        self.entries().into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Names and values of all that are set, in the order of [`NAMES`].
    pub fn entries(&self) -> Vec<(String, String)> {
        let mut entries = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            entries.extend(value.map(|value| (name.to_string(), value)));
        };
        add("client", self.client.clone());
        for (producer, client) in &self.clients {
            add(&format!("client.{producer}"), Some(client.clone()));
        }
        add("compare", self.compare.as_ref().map(Side::text));
        add("partitions", self.partitions.map(|count| count.to_string()));
        add("grow", self.grow.map(|count| count.to_string()));
        add("seed", self.seed.map(|seed| seed.to_string()));
        add("keys", self.keys.as_deref().map(keys_text));
        add("key", self.key.map(|kind| kind.text().to_string()));
        add("key_encoding", self.key_encoding.clone());
        add("partition", self.partition.map(|partition| partition.to_string()));
        add("linger", self.linger.map(|linger| linger.to_string()));
        add("every", self.every.map(|every| every.to_string()));
        add("skew", self.skew.map(|skew| skew.to_string()));
        for (producer, age) in &self.metadata_age {
            add(&format!("metadata_age.{producer}"), Some(age.to_string()));
        }
        for (reader, behind) in &self.behind {
            add(&format!("behind.{reader}"), Some(behind.to_string()));
        }
        add("replication_factor", self.replication_factor.map(|factor| factor.to_string()));
        let configs = [
            ("topic", &self.topic_configs),
            ("cluster", &self.cluster_configs),
            ("producer", &self.producer_configs),
            ("consumer", &self.consumer_configs),
            ("choice", &self.choices),
        ];
        for (owner, configs) in configs {
            for (name, value) in configs {
                add(&format!("{owner}.{name}"), Some(value.clone()));
            }
        }
        for (name, level) in &self.features {
            add(&format!("feature.{name}"), Some(level.to_string()));
        }
        add("delay", self.delay.map(|delay| delay.to_string()));
        add("value_size", self.value_size.map(|size| size.to_string()));
        add("records_per_transaction", self.records_per_transaction.map(|count| count.to_string()));
        add("rate", self.rate.map(|rate| rate.to_string()));
        add("batch_time", self.batch_time.map(|time| time.to_string()));
        add("reload", self.reload.map(|time| time.to_string()));
        add("processing", self.processing.map(|time| time.to_string()));
        entries
    }
}

impl KeyKind {
    const ALL: [KeyKind; 3] = [KeyKind::Keyed, KeyKind::Null, KeyKind::Empty];

    fn text(self) -> &'static str {
        match self {
            KeyKind::Keyed => "keyed",
            KeyKind::Null => "null",
            KeyKind::Empty => "empty",
        }
    }
}

fn unknown(name: &str) -> InputError {
    InputError::new("settings.unknown", format!("\"{}\" is not a setting.", short(name)))
        .hint(suggest::hint(name, NAMES))
        .at(short(name))
}

pub(super) fn wrong(name: &str, value: &str, expected: &str) -> InputError {
    InputError::new("settings.value", format!("\"{}\" is not {expected}.", short(value))).at(name)
}

/// Text from outside, short enough for a message.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

pub(super) fn client(name: &str, value: &str) -> Result<String, InputError> {
    if partitioner::client(value).is_some() {
        return Ok(value.to_string());
    }
    let ids = partitioner::clients().iter().map(|client| client.id);
    Err(wrong(name, value, "a client of the catalogue").hint(suggest::hint(value, ids)))
}

pub(super) fn number(name: &str, value: &str, min: u64, max: u64) -> Result<u64, InputError> {
    let number = value.parse::<u64>().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| wrong(name, value, &format!("a whole number from {min} to {max}")))
}

pub(super) fn count(name: &str, value: &str) -> Result<u32, InputError> {
    Ok(number(name, value, 1, u64::from(PARTITIONS_MAX))? as u32)
}

fn explicit(value: &str) -> Result<i32, InputError> {
    value.parse().map_err(|_| wrong("partition", value, "a partition number"))
}

fn duration(name: &str, value: &str) -> Result<Duration, InputError> {
    // No duration is longer than the short form, so only messages change.
    Duration::parse(&short(value)).map_err(|message| InputError::new("settings.value", message).at(name))
}

/// `linger.ms` knows no parts of a millisecond; rounding would change what was asked for.
fn whole_millis(name: &str, value: &str) -> Result<Duration, InputError> {
    let length = duration(name, value)?;
    if length.0.is_multiple_of(1_000) { Ok(length) } else { Err(wrong(name, value, "a whole number of milliseconds")) }
}

fn key_kind(value: &str) -> Result<KeyKind, InputError> {
    let kind = KeyKind::ALL.into_iter().find(|kind| kind.text() == value);
    kind.ok_or_else(|| {
        let names = KeyKind::ALL.map(KeyKind::text);
        wrong("key", value, "a kind of key").hint(suggest::hint(value, names))
    })
}

fn encoding(value: &str) -> Result<String, InputError> {
    let encoding = Encoding::from_id(value).map(Encoding::id);
    encoding
        .ok_or_else(|| wrong("key_encoding", value, "an encoding of keys").hint(suggest::hint(value, Encoding::IDS)))
}

fn keys(value: &str) -> Result<Vec<String>, InputError> {
    let keys: Vec<String> = if value.contains('\n') {
        let lines = value.strip_suffix('\n').unwrap_or(value).split('\n');
        lines.map(|line| line.strip_suffix('\r').unwrap_or(line).to_string()).collect()
    } else {
        listed(value)?
    };
    if keys.len() > KEYS_MAX { Err(too_many_keys()) } else { Ok(keys) }
}

/// Keys of one line, separated by commas.
fn listed(value: &str) -> Result<Vec<String>, InputError> {
    let mut keys = Vec::new();
    let mut rest = Some(value);
    while let Some(text) = rest {
        if let Some(quoted) = text.trim_start().strip_prefix('"') {
            let (key, after) = unquoted(quoted).ok_or_else(|| unclosed(text))?;
            keys.push(key);
            rest = after;
            continue;
        }
        let (part, after) = text.split_once(',').map_or((text, None), |(part, after)| (part, Some(after)));
        match range(part.trim()) {
            Some((prefix, first, last)) if last - first < KEYS_MAX as u64 => {
                keys.extend((first..=last).map(|number| format!("{prefix}{number}")));
            }
            Some(_) => return Err(too_many_keys()),
            None => keys.push(part.trim().to_string()),
        }
        rest = after;
    }
    Ok(keys)
}

/// The key that begins after an opening quote, and what follows the comma after it; none if it does not end there.
fn unquoted(text: &str) -> Option<(String, Option<&str>)> {
    let mut key = String::new();
    let mut text = text;
    loop {
        let (part, after) = text.split_once('"')?;
        key.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                key.push('"');
                text = after;
            }
            None if after.trim().is_empty() => return Some((key, None)),
            None => return after.trim_start().strip_prefix(',').map(|after| (key, Some(after))),
        }
    }
}

fn unclosed(text: &str) -> InputError {
    wrong("keys", text.trim(), "a list of keys").hint(
        "A key that begins with a double quote ends with one before the next comma; a quote inside it is written twice.",
    )
}

fn too_many_keys() -> InputError {
    InputError::new("settings.value", format!("At most {KEYS_MAX} keys fit into this setting."))
        .hint("The key lab takes up to a million.")
        .at("keys")
}

/// `user-1..30` and `user-1..user-30` as prefix, first and last number.
fn range(text: &str) -> Option<(&str, u64, u64)> {
    let (from, to) = text.split_once("..")?;
    let digits = from.len() - from.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (prefix, first) = from.split_at(digits);
    let last = to.strip_prefix(prefix).unwrap_or(to);
    let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
    (first <= last).then_some((prefix, first, last))
}

/// Keys as text of one line: a text field has no more.
fn keys_text(keys: &[String]) -> String {
    let is_plain = |key: &str| {
        !key.is_empty() && key.trim() == key && !key.contains(',') && !key.starts_with('"') && range(key).is_none()
    };
    let written = |key: &String| if is_plain(key) { key.clone() } else { format!("\"{}\"", key.replace('"', "\"\"")) };
    keys.iter().map(written).collect::<Vec<_>>().join(",")
}

impl Serialize for Settings {
    /// A map from names to texts; keys are a list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.entries();
        let mut map = serializer.serialize_map(Some(entries.len()))?;
        for (name, value) in &entries {
            match self.keys.as_ref().filter(|_| name == "keys") {
                Some(keys) => map.serialize_entry(name, keys)?,
                None => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// In a file a value may be text, a number or a list of keys.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Text(String),
    Number(i64),
    List(Vec<String>),
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Settings, D::Error> {
        let mut settings = Settings::default();
        for (name, given) in BTreeMap::<String, Given>::deserialize(deserializer)? {
            let text = match given {
                Given::Text(text) => text,
                Given::Number(number) => number.to_string(),
                Given::List(list) if name == "keys" => list.iter().map(|key| format!("{key}\n")).collect(),
                Given::List(_) => {
                    return Err(D::Error::custom(format!("{name} takes one value, not a list")));
                }
            };
            settings.set(&name, &text).map_err(D::Error::custom)?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, value: &str, expected: Result<&str, &str>) {
        let mut settings = Settings::default();
        let got = settings.set(name, value).map(|()| settings.get(name).unwrap_or_default());
        let got = got.map_err(|error| error.to_string());
        assert_eq!(got.as_deref().map_err(String::as_str), expected, "{name} = {value:?}");
    }

    #[test]
    fn what_is_set_reads_back_as_the_same_text() {
        let cases = [
            ("client", "librdkafka"),
            ("client.billing-job", "java"),
            ("compare", "java"),
            ("compare", "6"),
            ("compare", "client.billing-job=sarama"),
            ("compare", "partitions.orders.v1=12"),
            ("compare", "seed=8"),
            ("partitions", "12"),
            ("grow", "16"),
            ("seed", "9007199254740991"),
            ("keys", "user-1,user-2"),
            ("keys", "a,\"\",c"),
            ("keys", "\"\""),
            ("keys", "{\"id\":7}"),
            ("key", "empty"),
            ("key_encoding", "int32"),
            ("partition", "-1"),
            ("linger", "100 ms"),
            ("every", "50 us"),
            ("skew", "60"),
            ("metadata_age.P1", "4 min"),
            ("behind.R1", "40"),
            ("choice.crash", "between"),
            ("feature.transaction.version", "1"),
            ("delay", "20 ms"),
            ("value_size", "1018"),
            ("records_per_transaction", "500"),
            ("rate", "10000"),
            ("batch_time", "2500 us"),
        ];
        for (name, value) in cases {
            check(name, value, Ok(value));
        }
    }

    #[track_caller]
    fn check_keys(text: &str, expected: &[&str], again: &str) {
        let read = keys(text).expect(text);
        assert_eq!(read, expected, "{text:?}");
        let written = keys_text(&read);
        assert_eq!(written, again, "{text:?}");
        assert_eq!(keys(&written).expect(again), read, "{written:?}");
    }

    #[test]
    fn keys_are_written_in_one_line_that_reads_back() {
        check_keys("a, b ,c", &["a", "b", "c"], "a,b,c");
        check_keys("a,,c", &["a", "", "c"], "a,\"\",c");
        check_keys("a,", &["a", ""], "a,\"\"");
        check_keys("\"x,y\" , z", &["x,y", "z"], "\"x,y\",z");
        check_keys("\"\"\" \"", &["\" "], "\"\"\" \"");
        check_keys("5\",\"\"\"5\"", &["5\"", "\"5"], "5\",\"\"\"5\"");
        check_keys("\"k1..3\",k1..2", &["k1..3", "k1", "k2"], "\"k1..3\",k1,k2");
        check_keys("a,b\n", &["a,b"], "\"a,b\"");
        check_keys(" a\r\n\n\"b\"\n", &[" a", "", "\"b\""], "\" a\",\"\",\"\"\"b\"\"\"");
    }

    #[test]
    fn a_quoted_key_ends_before_the_next_comma() {
        let hint = "A key that begins with a double quote ends with one before the next comma; a quote inside it is written twice.";
        check("keys", "a,\"b,c", Err(&format!("\"\"b,c\" is not a list of keys. {hint} (keys)")));
        check("keys", "\"b\":2", Err(&format!("\"\"b\":2\" is not a list of keys. {hint} (keys)")));
    }

    #[test]
    fn empty_text_takes_a_setting_back() {
        for name in NAMES {
            check(&name.replace("NAME", "x"), "", Ok(""));
        }
    }

    #[test]
    fn ranges_stand_for_their_keys() {
        check("keys", "user-2..4", Ok("user-2,user-3,user-4"));
        check("keys", "user-2..user-3, x", Ok("user-2,user-3,x"));
        check("keys", "a..b", Ok("a..b"));
        let message = "At most 10000 keys fit into this setting. The key lab takes up to a million. (keys)";
        check("keys", "k0..18446744073709551615", Err(message));
    }

    #[test]
    fn wrong_text_is_answered_with_what_is_allowed() {
        check("cleint", "java", Err("\"cleint\" is not a setting. Did you mean \"client\"? (cleint)"));
        check("client", "jav", Err("\"jav\" is not a client of the catalogue. Did you mean \"java\"? (client)"));
        check("partitions", "0", Err("\"0\" is not a whole number from 1 to 4096. (partitions)"));
        check("skew", "101", Err("\"101\" is not a whole number from 1 to 100. (skew)"));
        check("key", "nul", Err("\"nul\" is not a kind of key. Did you mean \"null\"? (key)"));
        check("linger", "50 us", Err("\"50 us\" is not a whole number of milliseconds. (linger)"));
        check("partition", "one", Err("\"one\" is not a partition number. (partition)"));
        let message =
            "\"5\" is not a duration; write a whole number and us, ms, s, min or h, such as \"500 ms\" (linger)";
        check("linger", "5", Err(message));
    }
}
