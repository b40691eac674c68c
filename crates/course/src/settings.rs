//! What controls and attributes change, as values that are laid over a scenario.
//!
//! Deliberately not here: which of them a lesson offers; that is a list of its controls. Reading them from text is
//! in `settings/text.rs`.

mod protocol;
mod side;
mod text;

use std::collections::BTreeMap;

use engine::scenario::{ProducerSpec, TopicSpec, Workload};
use engine::{Duration, InputError, Scenario};

pub use protocol::Protocol;
pub use text::NAMES;

/// Changes to a scenario. Empty changes nothing. In files they are a table; [`NAMES`] are its fields.
///
/// ```
/// let mut settings = course::Settings::default();
/// settings.set("partitions", "6")?;
/// settings.set("keys", "user-1..3")?;
/// assert_eq!(settings.keys.as_deref().map(<[String]>::len), Some(3));
/// let error = settings.set("partitons", "6").expect_err("it is misspelled");
/// assert_eq!(error.hint, "Did you mean \"partitions\"?");
/// # Ok::<(), engine::InputError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// `client`: client id of the scenario's first producer.
    pub client: Option<String>,
    /// `client.NAME`: client id of the producer NAME.
    pub clients: BTreeMap<String, String>,
    /// `compare`: the other sides of a comparison.
    pub compare: Option<Side>,
    /// `partitions`: partition count of the first topic.
    pub partitions: Option<u32>,
    /// `grow`: the count that the lesson grows the first topic to. It changes no scenario: the page gives the command.
    pub grow: Option<u32>,
    /// `seed`: the scenario's seed.
    pub seed: Option<u64>,
    /// `keys`: keys of every workload, in turn.
    pub keys: Option<Vec<String>>,
    /// `key`: no key or an empty key instead of the keys.
    pub key: Option<KeyKind>,
    /// `key_encoding`: how the text of a key becomes bytes.
    pub key_encoding: Option<String>,
    /// `partition`: an explicit partition for every record.
    pub partition: Option<i32>,
    /// `linger`: `linger.ms` of every producer.
    pub linger: Option<Duration>,
    /// `every`: time between two records (or bursts).
    pub every: Option<Duration>,
    /// `skew`: percent of the records that carry the first key.
    pub skew: Option<u32>,
    /// `metadata_age.NAME`: age of a producer's metadata at time 0.
    pub metadata_age: BTreeMap<String, Duration>,
    /// `behind.NAME`: how many records a reader stays behind.
    pub behind: BTreeMap<String, u64>,
    /// `replication_factor`: replicas of each partition of the first topic.
    pub replication_factor: Option<u32>,
    /// `topic.NAME`: a setting of the first topic under Kafka's name, such as `topic.min.insync.replicas`.
    pub topic_configs: BTreeMap<String, String>,
    /// `cluster.NAME`: a setting of all brokers under Kafka's name.
    pub cluster_configs: BTreeMap<String, String>,
    /// `producer.NAME`: a setting of every producer under the library's name, such as `producer.acks`.
    pub producer_configs: BTreeMap<String, String>,
    /// `consumer.NAME`: a setting of every reader under Kafka's name.
    pub consumer_configs: BTreeMap<String, String>,
    /// `choice.NAME`: the value of one of the scenario's choices.
    pub choices: BTreeMap<String, String>,
    /// `feature.NAME`: a feature level of the cluster, such as `feature.transaction.version`.
    pub features: BTreeMap<String, u16>,
    /// `delay`: how long a message takes between two nodes.
    pub delay: Option<Duration>,
    /// `value_size`: bytes of the value of every record.
    pub value_size: Option<u32>,
    /// `records_per_transaction`: how many records a workload writes in each transaction.
    pub records_per_transaction: Option<u32>,
    /// `rate`: bursts of every workload in a second.
    pub rate: Option<u32>,
    /// `reload`: how long a member of a group needs to get ready for each partition that it is given.
    pub reload: Option<Duration>,
    /// `processing`: how long a consumer works on each record.
    pub processing: Option<Duration>,
    /// `batch_time`: how long the brokers take for one batch.
    pub batch_time: Option<Duration>,
}

/// The other sides of a comparison: one difference, with one or two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The same with another client.
    Client(String),
    /// The same with another partition count.
    Partitions(u32),
    /// The same with another client for one producer by name.
    ClientOf {
        /// The producer.
        producer: String,
        /// Its client id.
        client: String,
    },
    /// The same with another partition count of one topic by name.
    PartitionsOf {
        /// The topic.
        topic: String,
        /// How many partitions.
        partitions: u32,
    },
    /// The same with another seed.
    Seed(u64),
    /// The same with other protocols of its groups.
    Protocols(Vec<Protocol>),
    /// The same with other values of one of the scenario's choices.
    Choices {
        /// The choice.
        choice: String,
        /// Its values.
        values: Vec<String>,
    },
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
    /// These settings with `over` laid over them.
    #[must_use]
    pub fn with(&self, over: &Settings) -> Settings {
        let mut result = self.clone();
        macro_rules! lay {
            ($($field:ident),*) => {$( if over.$field.is_some() { result.$field.clone_from(&over.$field); } )*};
        }
        lay!(client, compare, partitions, grow, seed, keys, key, key_encoding, partition, linger, every, skew);
        lay!(replication_factor, delay, value_size, records_per_transaction, rate, batch_time, reload, processing);
        result.choices.extend(over.choices.clone());
        result.features.extend(over.features.clone());
        result.topic_configs.extend(over.topic_configs.clone());
        result.cluster_configs.extend(over.cluster_configs.clone());
        result.producer_configs.extend(over.producer_configs.clone());
        result.consumer_configs.extend(over.consumer_configs.clone());
        result.clients.extend(over.clients.clone());
        result.metadata_age.extend(over.metadata_age.clone());
        result.behind.extend(over.behind.clone());
        result
    }

    /// The scenario with these settings. `compare` and `grow` leave it alone. A setting that meets nothing, such as
    /// a producer that does not exist, is an error.
    pub fn apply(&self, scenario: &Scenario) -> Result<Scenario, InputError> {
        let mut result = scenario.clone();
        for (name, value) in &self.choices {
            let names: Vec<String> = result.choices.keys().cloned().collect();
            let choice = result.choices.get_mut(name).ok_or_else(|| unknown("choice", "choice", name, &names))?;
            choice.clone_from(value);
        }
        // What the choices leave out is not there for the other settings either.
        result = result.chosen();
        if let Some(seed) = self.seed {
            result.seed = seed;
        }
        if let Some(partitions) = self.partitions {
            let topic: &mut TopicSpec = result.topics.first_mut().ok_or_else(|| nothing("partitions", "no topic"))?;
            topic.partitions = Some(partitions);
            topic.assignment = None;
        }
        if let Some(client) = &self.client {
            let producer = result.producers.first_mut().ok_or_else(|| nothing("client", "no producer"))?;
            producer.client.clone_from(client);
        }
        for (name, client) in &self.clients {
            producer(&mut result, "client", name)?.client.clone_from(client);
        }
        for (name, age) in &self.metadata_age {
            producer(&mut result, "metadata_age", name)?.metadata_age = Some(*age);
        }
        for (name, behind) in &self.behind {
            let names: Vec<String> = result.consumers.iter().map(|consumer| consumer.name.clone()).collect();
            let consumer = result.consumers.iter_mut().find(|consumer| consumer.name == *name);
            consumer.ok_or_else(|| unknown("behind", "reader", name, &names))?.behind = Some(*behind);
        }
        if let Some(linger) = self.linger {
            for producer in &mut result.producers {
                producer.configs.insert("linger.ms".to_string(), linger.millis().to_string());
            }
        }
        result.cluster.features.extend(self.features.clone());
        if let Some(delay) = self.delay {
            result.network.delay = delay;
        }
        if self.batch_time.is_some() {
            result.cluster.batch_time = self.batch_time;
        }
        self.apply_configs(&mut result)?;
        for workload in result.producers.iter_mut().filter_map(|producer| producer.workload.as_mut()) {
            self.apply_to_workload(workload);
        }
        Ok(result)
    }

    /// The scenarios of the other sides: none, one or two.
    pub fn apply_compare(&self, scenario: &Scenario) -> Result<Vec<Scenario>, InputError> {
        let mut second = self.clone();
        match &self.compare {
            None => return Ok(Vec::new()),
            Some(Side::Client(client)) => second.client = Some(client.clone()),
            Some(Side::Partitions(partitions)) => second.partitions = Some(*partitions),
            Some(Side::ClientOf { producer, client }) => {
                second.clients.insert(producer.clone(), client.clone());
            }
            Some(Side::PartitionsOf { topic, partitions }) => {
                let mut result = self.apply(scenario)?;
                let names: Vec<String> = result.topics.iter().map(|topic| topic.name.clone()).collect();
                let found = result.topics.iter_mut().find(|known| known.name == *topic);
                let found = found.ok_or_else(|| unknown("compare", "topic", topic, &names))?;
                (found.partitions, found.assignment) = (Some(*partitions), None);
                return Ok(vec![result]);
            }
            Some(Side::Seed(seed)) => second.seed = Some(*seed),
            Some(Side::Protocols(protocols)) => {
                let with = |protocol: &Protocol| {
                    let mut result = scenario.clone();
                    protocol.apply(&mut result);
                    self.without("protocol").apply(&result)
                };
                return protocols.iter().map(with).collect();
            }
            Some(Side::Choices { choice, values }) => {
                let with = |value: &String| {
                    second.choices.insert(choice.clone(), value.clone());
                    second.apply(scenario)
                };
                return values.iter().map(with).collect();
            }
        }
        Ok(vec![second.apply(scenario)?])
    }

    /// These settings without a value for a choice.
    fn without(&self, choice: &str) -> Settings {
        let mut result = self.clone();
        result.choices.remove(choice);
        result
    }

    fn apply_configs(&self, scenario: &mut Scenario) -> Result<(), InputError> {
        if let Some(factor) = self.replication_factor {
            let topic = scenario.topics.first_mut().ok_or_else(|| nothing("replication_factor", "no topic"))?;
            let listed = topic.assignment.take().map(|assignment| assignment.len() as u32);
            topic.partitions = topic.partitions.or(listed);
            topic.replication_factor = Some(factor);
        }
        if !self.topic_configs.is_empty() {
            let topic = scenario.topics.first_mut().ok_or_else(|| nothing("topic", "no topic"))?;
            topic.configs.extend(self.topic_configs.clone());
        }
        scenario.cluster.configs.extend(self.cluster_configs.clone());
        for producer in &mut scenario.producers {
            producer.configs.extend(self.producer_configs.clone());
        }
        for consumer in &mut scenario.consumers {
            consumer.configs.extend(self.consumer_configs.clone());
            consumer.listener.reload = self.reload.or(consumer.listener.reload);
            consumer.processing = self.processing.or(consumer.processing);
        }
        Ok(())
    }

    fn apply_to_workload(&self, workload: &mut Workload) {
        if let Some(keys) = &self.keys {
            workload.keys.clone_from(keys);
            workload.key_pattern = None;
        }
        match self.key {
            None | Some(KeyKind::Keyed) => {}
            Some(KeyKind::Null) => set_keys(workload, Vec::new()),
            Some(KeyKind::Empty) => set_keys(workload, vec![String::new()]),
        }
        if let Some(encoding) = &self.key_encoding {
            workload.key_encoding = Some(encoding.clone());
        }
        if let Some(partition) = self.partition {
            workload.partition = Some(partition);
            workload.partitions = None;
        }
        if let Some(every) = self.every {
            (workload.every, workload.rate) = (Some(every), None);
            workload.rate = None;
        }
        if let Some(skew) = self.skew {
            workload.skew_percent = Some(skew);
        }
        if let Some(rate) = self.rate {
            (workload.rate, workload.every) = (Some(rate), None);
        }
        if self.records_per_transaction.is_some() {
            workload.records_per_transaction = self.records_per_transaction;
        }
        if let Some(size) = self.value_size {
            workload.value_size = Some(size);
            (workload.value, workload.values) = (None, Vec::new());
        }
    }
}

/// Replaces the keys without changing how many records there will be: a list without a count ends after one pass.
fn set_keys(workload: &mut Workload, keys: Vec<String>) {
    let listed = workload.keys.len() as u64;
    if workload.count.is_none() && listed > 0 {
        workload.count = Some(listed);
    }
    workload.keys = keys;
    workload.key_pattern = None;
    workload.key_encoding = None;
    workload.skew_percent = None;
}

fn producer<'a>(scenario: &'a mut Scenario, setting: &str, name: &str) -> Result<&'a mut ProducerSpec, InputError> {
    let names: Vec<String> = scenario.producers.iter().map(|producer| producer.name.clone()).collect();
    let producer = scenario.producers.iter_mut().find(|producer| producer.name == name);
    producer.ok_or_else(|| unknown(setting, "producer", name, &names))
}

fn unknown(setting: &str, what: &str, name: &str, names: &[String]) -> InputError {
    InputError::new("settings.unknown_name", format!("There is no {what} \"{name}\" on this stage."))
        .hint(crate::suggest::hint(name, names.iter().map(String::as_str)))
        .at(format!("{setting}.{name}"))
}

fn nothing(setting: &str, what: &str) -> InputError {
    InputError::new("settings.no_effect", format!("This stage has {what} to set \"{setting}\" on.")).at(setting)
}
