//! Settings of a consumer as a member of a group: Kafka's defaults, and what a scenario sets.
//!
//! Which values are allowed is in `client/configs/`. What a reader without a group goes by as well is in
//! `client/reader/settings.rs`.

use assignor::client::{Assignor, Library};

use super::pattern::Pattern;
use crate::client::configs::{ConfigRefusal, ConsumerValues};
use crate::client::consumer_call::Topics;
use crate::error::KafkaError;
use crate::event::Name;
use crate::group::GroupType;
use crate::time::Duration;

/// What a member goes by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemberSettings {
    /// Whose client it is.
    pub library: Library,
    /// `group.id`; absent for a reader.
    pub group: Option<Name>,
    /// `group.protocol`.
    pub protocol: GroupType,
    /// `group.instance.id`.
    pub instance: Option<Name>,
    /// `partition.assignment.strategy`, the first is preferred; empty for the consumer protocol.
    pub assignors: Vec<Assignor>,
    /// `group.remote.assignor`.
    pub remote_assignor: Option<Name>,
    /// `session.timeout.ms`.
    pub session_timeout: Duration,
    /// `heartbeat.interval.ms`.
    pub heartbeat_interval: Duration,
    /// `max.poll.interval.ms`.
    pub poll_interval_max: Duration,
    /// `auto.commit.interval.ms`, if `enable.auto.commit`.
    pub auto_commit: Option<Duration>,
    /// `default.api.timeout.ms`.
    pub api_timeout: Duration,
    /// `request.timeout.ms`.
    pub request_timeout: Duration,
    /// `retry.backoff.ms` and `retry.backoff.max.ms`.
    pub retry_backoff: (Duration, Duration),
    /// `exclude.internal.topics`.
    pub excludes_internal: bool,
    /// `allow.auto.create.topics`.
    pub allows_auto_create: bool,
}

impl MemberSettings {
    /// Reads them from values that go together.
    pub fn new(values: &ConsumerValues) -> Result<MemberSettings, ConfigRefusal> {
        let protocol = if values.is_consumer_protocol() { GroupType::Consumer } else { GroupType::Classic };
        let group = values.text("group.id").map(Name::from);
        // `ConsumerConfig.maybeOverrideEnableAutoCommit`: off without a group.
        let commits = group.is_some() && values.boolean("enable.auto.commit");
        Ok(MemberSettings {
            library: Library::Java,
            protocol,
            instance: values.text("group.instance.id").map(Name::from),
            assignors: if protocol == GroupType::Classic { assignors(values)? } else { Vec::new() },
            remote_assignor: values.text("group.remote.assignor").filter(|name| !name.is_empty()).map(Name::from),
            session_timeout: values.millis("session.timeout.ms"),
            heartbeat_interval: values.millis("heartbeat.interval.ms"),
            poll_interval_max: values.millis("max.poll.interval.ms"),
            auto_commit: commits.then(|| values.millis("auto.commit.interval.ms")),
            api_timeout: values.millis("default.api.timeout.ms"),
            request_timeout: values.millis("request.timeout.ms"),
            retry_backoff: (values.millis("retry.backoff.ms"), values.millis("retry.backoff.max.ms")),
            excludes_internal: values.boolean("exclude.internal.topics"),
            allows_auto_create: values.boolean("allow.auto.create.topics"),
            group,
        })
    }

    /// The same of a consumer of librdkafka.
    pub fn librdkafka(values: &ConsumerValues) -> MemberSettings {
        let protocol = if values.is_consumer_protocol() { GroupType::Consumer } else { GroupType::Classic };
        let strategy = values.shown("partition.assignment.strategy");
        let assignor = |entry: &str| Assignor::ALL.into_iter().find(|one| one.name() == entry.trim());
        let is_classic = protocol == GroupType::Classic;
        let present = |name: &str| values.text(name).filter(|text| !text.is_empty()).map(Name::from);
        MemberSettings {
            library: Library::Librdkafka,
            group: present("group.id"),
            protocol,
            instance: present("group.instance.id"),
            assignors: if is_classic { strategy.split(',').filter_map(assignor).collect() } else { Vec::new() },
            remote_assignor: present("group.remote.assignor"),
            session_timeout: values.millis("session.timeout.ms"),
            heartbeat_interval: values.millis("heartbeat.interval.ms"),
            poll_interval_max: values.millis("max.poll.interval.ms"),
            auto_commit: values.boolean("enable.auto.commit").then(|| values.millis("auto.commit.interval.ms")),
            api_timeout: values.millis("socket.timeout.ms"),
            request_timeout: values.millis("socket.timeout.ms"),
            retry_backoff: (values.millis("retry.backoff.ms"), values.millis("retry.backoff.max.ms")),
            excludes_internal: false,
            allows_auto_create: values.boolean("allow.auto.create.topics"),
        }
    }

    /// Whether it is a member by the consumer protocol.
    pub fn is_consumer_protocol(&self) -> bool {
        self.group.is_some() && self.protocol == GroupType::Consumer
    }

    /// What `subscribe` throws with these settings, if it does. The text about RE2/J is verified on a running broker.
    pub fn check_subscription(&self, topics: &Topics) -> Result<(), KafkaError> {
        if self.group.is_none() {
            return Err(no_group_id());
        }
        if self.library == Library::Librdkafka {
            // What is wrong with a topic turns up later, in poll().
            return Ok(());
        }
        let is_classic = self.protocol == GroupType::Classic;
        let illegal = |text: &str| Err(KafkaError::new("", "IllegalArgumentException", text));
        match topics {
            Topics::Re2j(_) if is_classic => {
                let text = "Subscribe to RE2/J pattern is not supported when usingthe CLASSIC protocol defined in config group.protocol";
                Err(KafkaError::new("", "UnsupportedOperationException", text))
            }
            Topics::Pattern(pattern) | Topics::Re2j(pattern) if pattern.is_empty() => {
                illegal("Topic pattern to subscribe to cannot be empty")
            }
            Topics::Named(names) if names.iter().any(|name| name.trim().is_empty()) => {
                illegal("Topic collection to subscribe to cannot contain null or empty topic")
            }
            // The application's own `Pattern.compile` throws before `subscribe` is called.
            Topics::Pattern(pattern) if Pattern::new(pattern).is_err() => {
                let text = Pattern::new(pattern).err().unwrap_or_default();
                Err(KafkaError::new("", "PatternSyntaxException", text))
            }
            _ if is_classic && self.assignors.is_empty() => {
                let text = "Must configure at least one partition assigner class name to partition.assignment.strategy configuration property";
                Err(KafkaError::new("", "IllegalStateException", text))
            }
            _ => Ok(()),
        }
    }
}

/// What `subscribe` and commits throw without a `group.id` (text of the source).
pub(crate) fn no_group_id() -> KafkaError {
    let text = "To use the group management or offset commit APIs, you must provide a valid group.id in the consumer configuration.";
    KafkaError::new("INVALID_GROUP_ID", "InvalidGroupIdException", text)
}

/// The classes of `partition.assignment.strategy`, with their package or without it.
fn assignors(values: &ConsumerValues) -> Result<Vec<Assignor>, ConfigRefusal> {
    const NAME: &str = "partition.assignment.strategy";
    let mut assignors = Vec::new();
    for entry in values.list(NAME) {
        let class = entry.trim_start_matches("class ");
        let assignor = match class.strip_prefix("org.apache.kafka.clients.consumer.").unwrap_or(class) {
            "RangeAssignor" => Assignor::Range,
            "RoundRobinAssignor" => Assignor::RoundRobin,
            "StickyAssignor" => Assignor::Sticky,
            "CooperativeStickyAssignor" => Assignor::CooperativeSticky,
            other => {
                let text = format!(
                    "\"{other}\" is not an assignor that Kafka brings along. Write RangeAssignor, RoundRobinAssignor, \
                     StickyAssignor or CooperativeStickyAssignor."
                );
                return Err(ConfigRefusal::of_ours(NAME, text));
            }
        };
        if assignors.contains(&assignor) {
            return Err(ConfigRefusal::of_ours(NAME, format!("\"{entry}\" is in the list twice.")));
        }
        assignors.push(assignor);
    }
    Ok(assignors)
}
