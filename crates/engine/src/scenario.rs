//! What exists at time 0, as data: cluster, topics, producers, consumers and network.
//!
//! This file holds the shape only. `scenario/plan.rs` validates it, once; nothing here runs.

mod consumer;
pub(crate) mod plan;
mod script;
mod share_consumer;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

pub use consumer::{ConsumerSpec, CopyTo, Listener};
pub(crate) use plan::{BrokerPlan, ConsumerPlan, Refusal, ShareConsumerPlan, check_rules, plan_assigned};
pub use plan::{Plan, ProducerPlan, WorkloadPlan};
pub use script::Scripted;
pub use share_consumer::{Acknowledging, ShareConsumerSpec};

use crate::size::Bytes;
use crate::time::Duration;

/// The initial state of a simulation. The same structure is read from TOML and JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Kebab-case name; a share link may name a scenario by it.
    pub name: String,
    /// The Kafka version that is simulated; only `4.3.1` for now.
    #[serde(default = "kafka_version")]
    pub kafka: String,
    /// Decides everything that is random.
    #[serde(default)]
    pub seed: u64,
    /// How far the time bar reaches at first; by default as far as the workloads do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
    /// The brokers.
    #[serde(default)]
    pub cluster: Cluster,
    /// Topics that exist at time 0.
    #[serde(default, rename = "topic", skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<TopicSpec>,
    /// Producers that start at time 0.
    #[serde(default, rename = "producer", skip_serializing_if = "Vec::is_empty")]
    pub producers: Vec<ProducerSpec>,
    /// Readers that start at time 0.
    #[serde(default, rename = "consumer", skip_serializing_if = "Vec::is_empty")]
    pub consumers: Vec<ConsumerSpec>,
    /// Members of share groups that start at time 0.
    #[serde(default, rename = "share_consumer", skip_serializing_if = "Vec::is_empty")]
    pub share_consumers: Vec<ShareConsumerSpec>,
    /// Delays between nodes.
    #[serde(default)]
    pub network: Network,
    /// Variants of the scenario: each choice with the value in force. Topics, producers, readers and scripted
    /// commands with an `only` belong to some values and are left out with others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub choices: BTreeMap<String, String>,
    /// Commands that come by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub script: Vec<Scripted>,
}

/// The brokers of the cluster and how replicas are placed on them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// A number of brokers (ids 1 to n), or a list.
    #[serde(default)]
    pub brokers: Brokers,
    /// Start value of the placement's random source; by default it follows from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<u64>,
    /// Broker settings of the whole cluster under Kafka's own names, as in every `server.properties`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub configs: BTreeMap<String, String>,
    /// Feature levels that differ from those of a new cluster, such as `eligible.leader.replicas.version = 0`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, u16>,
    /// How long the cluster is without a controller when the active one is lost; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller_failover: Option<Duration>,
    /// The brokers together take at most one batch of producers in that time, first in first out; without it
    /// each takes what comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_time: Option<Duration>,
    /// Who coordinates a transactional id or a group: the replicas of its partition begin with this broker.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub coordinators: BTreeMap<String, u32>,
    /// The first producer id that a broker gives out; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_producer_id: Option<u64>,
}

/// Brokers by count or one by one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Brokers {
    /// That many brokers, with ids from 1.
    Count(u32),
    /// Each broker by itself.
    List(Vec<BrokerSpec>),
}

/// One broker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrokerSpec {
    /// Its `broker.id`.
    pub id: u32,
    /// Its `broker.rack`, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rack: Option<String>,
    /// How long it works on one Produce request; a slow disk has a long time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub produce_time: Option<Duration>,
    /// Bytes a second that it can send to followers and readers; without it sending takes no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bytes>,
    /// Its own settings, over those of the cluster.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub configs: BTreeMap<String, String>,
}

/// A topic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicSpec {
    /// Its name, legal for Kafka.
    pub name: String,
    /// How many partitions; 1 if neither this nor an assignment is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u32>,
    /// How many replicas each partition has; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication_factor: Option<u32>,
    /// Replicas per partition, the preferred leader first, instead of Kafka's own placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignment: Option<Vec<Vec<u32>>>,
    /// Its id, such as `tB7MRb4DQl-HwpOhPSri0g`; a random one by default. Assignors of the coordinator put topics into
    /// an order by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic_id: Option<String>,
    /// Topic settings under Kafka's own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub configs: BTreeMap<String, String>,
    /// What its partitions hold at time 0, on every replica.
    #[serde(default, rename = "preload", skip_serializing_if = "Vec::is_empty")]
    pub preloads: Vec<Preload>,
    /// Values of choices that it belongs to; see [`Scenario::choices`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

/// Records that a partition holds at time 0: either records with keys and values, one batch each, or
/// `records` of them without content, in equal batches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Preload {
    /// The partition.
    pub partition: u32,
    /// Keys of records with content; an empty text is an empty key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Their values, taken in turn; without any, each is a tombstone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Places in `keys`, from 0, whose record is a tombstone all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tombstones: Vec<u64>,
    /// Records without content, instead of keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Records in each batch; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_records: Option<u32>,
    /// Size of each batch without content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<Bytes>,
    /// First offsets of segments, beyond those that the topic's settings make.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<u64>,
    /// Time between the timestamps of two batches; the last batch is written at time 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Duration>,
}

/// A producer: one instance of a client library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProducerSpec {
    /// The name on its card; unique among the producers.
    pub name: String,
    /// An id of the client catalogue.
    #[serde(default = "java")]
    pub client: String,
    /// Client settings under the library's own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub configs: BTreeMap<String, String>,
    /// What it sends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
    /// Age of its metadata at time 0: the next refresh comes that much earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata_age: Option<Duration>,
    /// The partitioner's random source counts up from here, as in Kafka's own tests, instead of
    /// drawing from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_start: Option<u32>,
    /// Values of choices that it belongs to; see [`Scenario::choices`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

/// A stream of records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Workload {
    /// The topic it writes to.
    pub topic: String,
    /// Keys, taken in turn. Empty together with `key_pattern`: records without a key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Keys such as user-1 ... user-30 instead of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_pattern: Option<KeyPattern>,
    /// How the text of a key becomes bytes: `text`, `int32`, `int64`, `hex`, `uuid`, `json` ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_encoding: Option<String>,
    /// Values, taken in turn; `value` is the same for a single one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The value of every record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// A value of that many bytes instead of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_size: Option<u32>,
    /// Size of its records once they are compressed, in percent; 50 by default, without effect unless the
    /// producer compresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compressed_percent: Option<u32>,
    /// The partition of every record, set explicitly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
    /// Record i goes to partition i modulo this, set explicitly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u32>,
    /// Time between two bursts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Duration>,
    /// Bursts a second, instead of `every`: each comes to the microsecond, also where a second cannot be
    /// divided evenly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// Records sent at once; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<u32>,
    /// When the first record is sent; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Duration>,
    /// How many records in all. By default one pass over a list of keys, else no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Percent of the records that carry the first key; the rest is spread evenly over the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew_percent: Option<u32>,
    /// Records are written in transactions of that many: begin, send, commit, again and again. The producer
    /// needs a `transactional.id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records_per_transaction: Option<u32>,
    /// A producer that was fenced is closed, and a new one of the same settings takes its place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub init_on_fence: bool,
    /// What becomes of a record that a library refuses at once because its queue is full.
    #[serde(skip_serializing_if = "WhenFull::is_drop")]
    pub when_full: WhenFull,
}

/// What an application does with a record for which the queue of its library has no room. A library that makes the
/// caller wait instead asks nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// It is lost.
    #[default]
    Drop,
    /// The thread polls and tries it again; further records wait behind it.
    Retry,
    /// It is put aside, and tried again from there; further records go on.
    Spill,
}

impl WhenFull {
    fn is_drop(&self) -> bool {
        *self == WhenFull::Drop
    }
}

/// Keys made of a prefix and a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyPattern {
    /// Text before the number.
    pub prefix: String,
    /// The first number; 1 by default.
    #[serde(default = "one")]
    pub first: u64,
    /// How many keys.
    pub count: u64,
}

/// The network between all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// How long a message takes; 0 by default.
    #[serde(default)]
    pub delay: Duration,
}

// By hand, because an untagged enum forgets which field of which broker was wrong.
impl<'de> Deserialize<'de> for Brokers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Brokers, D::Error> {
        deserializer.deserialize_any(BrokersVisitor)
    }
}

struct BrokersVisitor;

impl<'de> Visitor<'de> for BrokersVisitor {
    type Value = Brokers;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number of brokers or a list of brokers")
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Brokers, E> {
        let unfit = || E::invalid_value(Unexpected::Unsigned(number), &self);
        u32::try_from(number).map(Brokers::Count).map_err(|_| unfit())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Brokers, E> {
        let unfit = || E::invalid_value(Unexpected::Signed(number), &self);
        u32::try_from(number).map(Brokers::Count).map_err(|_| unfit())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Brokers, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Brokers::List)
    }
}

impl Default for Brokers {
    fn default() -> Brokers {
        Brokers::Count(1)
    }
}

impl Scenario {
    /// A cluster of that many brokers with nothing on it.
    pub fn empty(brokers: u32) -> Scenario {
        Scenario {
            name: "empty".to_string(),
            kafka: kafka_version(),
            seed: 0,
            duration: None,
            cluster: Cluster { brokers: Brokers::Count(brokers), ..Cluster::default() },
            topics: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            share_consumers: Vec::new(),
            network: Network::default(),
            choices: BTreeMap::new(),
            script: Vec::new(),
        }
    }
}

fn kafka_version() -> String {
    crate::version::KAFKA.to_string()
}

fn java() -> String {
    "java".to_string()
}

fn one() -> u64 {
    1
}
