//! A share consumer of a scenario: a member of a share group (KIP-932) and what its application does with records.
//!
//! What its settings mean is decided in `client/`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::Duration;

/// A share consumer (`KafkaShareConsumer`), as `[[share_consumer]]`. Its group is `group.id` in `configs`;
/// `share.acknowledgement.mode` is there too, `implicit` by default. Names are unique among all consumers.
///
/// By itself its application polls all the time, works `processing` on each record, one after the other, and
/// acknowledges it as `acknowledge` says. With `is_manual` it does nothing by itself: commands poll and acknowledge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareConsumerSpec {
    /// The name on its card, and its `client.id`.
    pub name: String,
    /// Topics that it subscribes to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subscribe: Vec<String>,
    /// Consumer settings under Kafka's own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub configs: BTreeMap<String, String>,
    /// Its member id; a random uuid by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member_id: Option<String>,
    /// How long its application works on each record; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processing: Option<Duration>,
    /// What its application says of the records that it has worked on.
    #[serde(default, skip_serializing_if = "Acknowledging::is_default")]
    pub acknowledge: Acknowledging,
    /// Its application calls nothing by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_manual: bool,
    /// When it starts; at once by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Duration>,
    /// Values of choices that it belongs to; see [`crate::Scenario::choices`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

/// What an application that works by itself says of its records; only with `share.acknowledgement.mode=explicit`.
/// Every other record is accepted. Records are counted from 1 for as long as the application runs, and a record that
/// is delivered again counts again; where two rules meet, REJECT goes first, then RELEASE.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Acknowledging {
    /// Every n-th record is released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release_every: Option<u32>,
    /// Every n-th record is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reject_every: Option<u32>,
    /// A record is renewed (RENEW) each time that it was worked on for so long and is not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renew_after: Option<Duration>,
    /// `commitSync()` after that many records; by default acknowledgements leave with the next poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_every: Option<u32>,
}

impl Acknowledging {
    fn is_default(&self) -> bool {
        *self == Acknowledging::default()
    }
}
