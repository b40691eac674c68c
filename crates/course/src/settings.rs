//! What controls and attributes change, as values that are laid over a scenario.
//!
//! Deliberately not here: which of them a lesson offers; that is a list of its controls.

use std::collections::BTreeMap;

use engine::{Duration, InputError, Scenario};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

/// Changes to a scenario. Empty changes nothing.
///
/// Names for [`Settings::set`]: `client`, `client.NAME` (of the producer NAME), `compare`, `partitions`, `grow`,
/// `seed`, `keys`, `key`, `key_encoding`, `partition`, `linger`, `every`, `skew`, `metadata_age.NAME`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Client id of the scenario's first producer.
    pub client: Option<String>,
    /// Client id of a producer by its name.
    pub clients: BTreeMap<String, String>,
    /// The second side of a comparison.
    pub compare: Option<Side>,
    /// Partition count of the first topic.
    pub partitions: Option<u32>,
    /// The count that the lesson grows the first topic to. It changes no scenario: the page gives the command.
    pub grow: Option<u32>,
    /// The scenario's seed.
    pub seed: Option<u64>,
    /// Keys of every workload, in turn.
    pub keys: Option<Vec<String>>,
    /// No key or an empty key instead of the keys.
    pub key: Option<KeyKind>,
    /// How the text of a key becomes bytes.
    pub key_encoding: Option<String>,
    /// An explicit partition for every record.
    pub partition: Option<i32>,
    /// `linger.ms` of every producer.
    pub linger: Option<Duration>,
    /// Time between two records (or bursts).
    pub every: Option<Duration>,
    /// Percent of the records that carry the first key.
    pub skew: Option<u32>,
    /// Age of a producer's metadata at time 0, by its name.
    pub metadata_age: BTreeMap<String, Duration>,
}

/// The second side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The same with another client.
    Client(String),
    /// The same with another partition count.
    Partitions(u32),
}

/// What a record carries as its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// The keys of the scenario.
    Keyed,
    /// No key.
    Null,
    /// A key of 0 bytes.
    Empty,
}

impl Settings {
    /// Every name that [`Settings::set`] takes; `NAME` stands for a producer.
    pub const NAMES: [&'static str; 14] = [
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
    ];

    /// Sets one by its name from text, as an attribute or a control gives it. Lists are separated by commas;
    /// an empty text takes the setting back.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), InputError> {
        let _ = (name, value);
        Ok(())
    }

    /// The value of a setting as text that [`Settings::set`] takes; none if it is not set.
    pub fn get(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Names and values of all that are set, in a fixed order.
    pub fn entries(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// These settings with `over` laid over them.
    #[must_use]
    pub fn with(&self, over: &Settings) -> Settings {
        let _ = over;
        self.clone()
    }

    /// The scenario with these settings. `compare` and `grow` leave it alone.
    pub fn apply(&self, scenario: &Scenario) -> Result<Scenario, InputError> {
        Ok(scenario.clone())
    }

    /// The scenario of the second side, if there is one.
    pub fn apply_compare(&self, scenario: &Scenario) -> Result<Option<Scenario>, InputError> {
        let _ = scenario;
        Ok(None)
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries())
    }
}

/// In a file a value may be text, a number or a list of texts.
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
                Given::List(list) => list.join(","),
            };
            settings.set(&name, &text).map_err(D::Error::custom)?;
        }
        Ok(settings)
    }
}
