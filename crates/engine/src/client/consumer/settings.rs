//! Settings of a consumer as a member of a group: Kafka's defaults, and what a scenario sets.
//!
//! Which values are allowed is in `client/configs/`. What a reader without a group goes by as well is in
//! `client/reader/settings.rs`.

use crate::event::Name;
use crate::group::GroupType;
use crate::time::Duration;

/// What a member goes by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemberSettings {
    /// `group.id`.
    pub group: Option<Name>,
    /// `group.protocol`.
    pub protocol: GroupType,
    /// `group.instance.id`.
    pub instance: Option<Name>,
    /// `partition.assignment.strategy`: the assignors by the names of their protocols, the first is preferred.
    pub assignors: Vec<assignor::client::Assignor>,
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
}

impl Default for MemberSettings {
    fn default() -> MemberSettings {
        use assignor::client::Assignor;
        MemberSettings {
            group: None,
            protocol: GroupType::Classic,
            instance: None,
            assignors: vec![Assignor::Range, Assignor::CooperativeSticky],
            remote_assignor: None,
            session_timeout: Duration::from_secs(45),
            heartbeat_interval: Duration::from_secs(3),
            poll_interval_max: Duration::from_secs(300),
            auto_commit: Some(Duration::from_secs(5)),
            api_timeout: Duration::from_secs(60),
            request_timeout: Duration::from_secs(30),
            retry_backoff: (Duration::from_millis(100), Duration::from_secs(1)),
            excludes_internal: true,
        }
    }
}

impl MemberSettings {
    /// Takes one setting over, if it is one of a member. The value has been checked.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let millis = || Duration::from_millis(value.parse().unwrap_or(0));
        let text = || (!value.is_empty()).then(|| Name::from(value));
        match name {
            "group.id" => self.group = text(),
            "group.protocol" if value.eq_ignore_ascii_case("consumer") => self.protocol = GroupType::Consumer,
            "group.protocol" => self.protocol = GroupType::Classic,
            "group.instance.id" => self.instance = text(),
            "group.remote.assignor" => self.remote_assignor = text(),
            "partition.assignment.strategy" => self.assignors = value.split(',').filter_map(assignor).collect(),
            "session.timeout.ms" => self.session_timeout = millis(),
            "heartbeat.interval.ms" => self.heartbeat_interval = millis(),
            "max.poll.interval.ms" => self.poll_interval_max = millis(),
            "enable.auto.commit" if value.eq_ignore_ascii_case("false") => self.auto_commit = None,
            "enable.auto.commit" => {
                self.auto_commit.get_or_insert(MemberSettings::default().auto_commit.unwrap_or_default());
            }
            "auto.commit.interval.ms" => {
                if let Some(interval) = &mut self.auto_commit {
                    *interval = millis();
                }
            }
            "default.api.timeout.ms" => self.api_timeout = millis(),
            "request.timeout.ms" => self.request_timeout = millis(),
            "retry.backoff.ms" => self.retry_backoff.0 = millis(),
            "retry.backoff.max.ms" => self.retry_backoff.1 = millis(),
            "exclude.internal.topics" => self.excludes_internal = value.eq_ignore_ascii_case("true"),
            _ => return false,
        }
        true
    }
}

/// An assignor by the name of its class, with or without the package and the word `class`.
fn assignor(class: &str) -> Option<assignor::client::Assignor> {
    use assignor::client::Assignor;
    let class = class.trim().trim_start_matches("class ");
    Some(match class.strip_prefix("org.apache.kafka.clients.consumer.").unwrap_or(class) {
        "RangeAssignor" => Assignor::Range,
        "RoundRobinAssignor" => Assignor::RoundRobin,
        "StickyAssignor" => Assignor::Sticky,
        "CooperativeStickyAssignor" => Assignor::CooperativeSticky,
        _ => return None,
    })
}
