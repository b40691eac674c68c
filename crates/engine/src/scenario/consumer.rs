//! A consumer of a scenario: by hand without a group, or a member of one.
//!
//! What its settings mean is decided in `client/`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::Duration;

/// A consumer. With `assign` its partitions are assigned by hand; with `subscribe`, `pattern` or `re2j` it is a member of
/// the group that `group.id` names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsumerSpec {
    /// The name on its card, and its `client.id`.
    pub name: String,
    /// Its library: `java` by default, or `librdkafka`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What it reads: topics ("events") or partitions ("events-2").
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assign: Vec<String>,
    /// Topics that it subscribes to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subscribe: Vec<String>,
    /// Subscribes to topics by a `java.util.regex.Pattern` that the client evaluates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Subscribes to topics by a pattern of RE2/J that the broker evaluates (consumer protocol only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re2j: Option<String>,
    /// Stays that many records behind the high watermark; 0 by default. Only without a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u64>,
    /// Consumer settings under Kafka's own names, such as `client.rack` or `auto.offset.reset`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub configs: BTreeMap<String, String>,
    /// The member id that a client of the consumer protocol takes; a random uuid by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member_id: Option<String>,
    /// How long its application works on each record; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processing: Option<Duration>,
    /// Its application sends every record on that it reads: a copier. Absent for one that only reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_to: Option<CopyTo>,
    /// When it starts, and again when its application starts anew; at once by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Duration>,
    /// What its `ConsumerRebalanceListener` does.
    #[serde(default, skip_serializing_if = "Listener::is_default")]
    pub listener: Listener,
    /// It goes on polling after that many exceptions out of `poll`; by default it closes at the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_on_error: Option<u32>,
    /// Values of choices that it belongs to; see [`crate::Scenario::choices`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

/// Where a copier sends what it reads: key, value and headers as they are, the partition by the producer's own rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopyTo {
    /// The producer of the same application.
    pub producer: String,
    /// The topic that it writes to.
    pub topic: String,
}

/// What an application's `ConsumerRebalanceListener` does in its callbacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Listener {
    /// `commitSync` of the positions in `onPartitionsRevoked`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commit_in_revoked: bool,
    /// `commitSync` of the positions in `onPartitionsLost`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commit_in_lost: bool,
    /// These commits take 0 for a partition from which nothing was read since it was assigned, and not nothing.
    /// librdkafka only, which has no position there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commits_unread: bool,
    /// It has no `onPartitionsLost`: `onPartitionsRevoked` is called instead.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_no_lost: bool,
    /// Time that getting ready takes for each partition of `onPartitionsAssigned`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload: Option<Duration>,
}

impl Listener {
    fn is_default(&self) -> bool {
        *self == Listener::default()
    }
}
