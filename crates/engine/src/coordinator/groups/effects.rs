//! What a group's state machine asks of its coordinator: records to write, facts to tell, answers to give.
//!
//! The state machines of groups are pure: they change themselves, and everything else they want is in here. The
//! coordinator appends the records to the group's partition of `__consumer_offsets`, tells the events, and gives
//! the answers once the records are committed. A coordinator that loses the partition before answers
//! NOT_COORDINATOR instead.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::config_view::ConfigView;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::InternalRecord;
use crate::event::{Name, TopicPartition};
use crate::group::GroupEvent;
use crate::message::{ClusterImage, Payload};
use crate::time::{Duration, Time};

/// What follows from one request, or from a timer of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Records in the order in which they are written; none writes nothing. Offsets are `InternalRecord::Offset`.
    pub records: Vec<InternalRecord>,
    /// What happened.
    pub events: Vec<GroupEvent>,
    /// Who is answered, with what, once the records are committed.
    pub replies: Vec<Reply>,
    /// Who is answered at once: what a JoinGroup waits for is no record.
    pub joins: Vec<Reply>,
    /// Share groups: partitions that share coordinators are to take in, with the epoch of their states.
    pub initialize: Vec<(TopicPartition, i32)>,
    /// Share groups: partitions whose states go with the group.
    pub forget: Vec<TopicPartition>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub asker: Asker,
    pub payload: Payload,
    /// The error in it, for the picture.
    pub error: Option<KafkaError>,
}

/// What a group may look at.
pub(crate) struct GroupContext<'a> {
    /// The coordinator.
    pub broker: u32,
    pub now: Time,
    /// The cluster as the coordinator knows it.
    pub image: &'a Rc<ClusterImage>,
    pub settings: &'a GroupSettings,
}

/// Settings of the broker for one group, with the group's own on top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroupSettings {
    /// `group.initial.rebalance.delay.ms`.
    pub initial_delay: Duration,
    /// `group.min.session.timeout.ms` and `group.max.session.timeout.ms`.
    pub session_timeouts: (Duration, Duration),
    /// `group.max.size`.
    pub size_max: u32,
    /// `consumer.session.timeout.ms` of the group, else `group.consumer.session.timeout.ms`.
    pub consumer_session_timeout: Duration,
    /// `consumer.heartbeat.interval.ms` of the group, else `group.consumer.heartbeat.interval.ms`.
    pub consumer_heartbeat_interval: Duration,
    /// `group.consumer.max.size`.
    pub consumer_size_max: u32,
    /// `group.consumer.assignment.interval.ms`.
    pub assignment_interval: Duration,
    /// `group.consumer.regex.refresh.interval.ms`.
    pub regex_refresh_interval: Duration,
    /// `group.consumer.migration.policy`.
    pub migration: MigrationPolicy,
    /// `share.session.timeout.ms` of the group, else `group.share.session.timeout.ms`.
    pub share_session_timeout: Duration,
    /// `share.heartbeat.interval.ms` of the group, else `group.share.heartbeat.interval.ms`.
    pub share_heartbeat_interval: Duration,
    /// `group.share.max.size`.
    pub share_size_max: u32,
    /// `group.share.assignment.interval.ms`.
    pub share_assignment_interval: Duration,
    /// `offsets.retention.minutes`, as a duration.
    pub offsets_retention: Duration,
}

impl Effects {
    /// Answers somebody.
    pub fn answer(&mut self, asker: Asker, payload: Payload, error: Option<KafkaError>) {
        self.replies.push(Reply { asker, payload, error });
    }

    /// Answers a JoinGroup.
    pub fn answer_join(&mut self, asker: Asker, payload: Payload, error: Option<KafkaError>) {
        self.joins.push(Reply { asker, payload, error });
    }
}

impl GroupSettings {
    /// The settings of a broker.
    pub fn new(view: &ConfigView) -> GroupSettings {
        let millis = |name| view.broker_millis(name);
        let count = |name| u32::try_from(view.broker_number(name)).unwrap_or(0);
        GroupSettings {
            initial_delay: millis("group.initial.rebalance.delay.ms"),
            session_timeouts: (millis("group.min.session.timeout.ms"), millis("group.max.session.timeout.ms")),
            size_max: count("group.max.size"),
            consumer_session_timeout: millis("group.consumer.session.timeout.ms"),
            consumer_heartbeat_interval: millis("group.consumer.heartbeat.interval.ms"),
            consumer_size_max: count("group.consumer.max.size"),
            assignment_interval: millis("group.consumer.assignment.interval.ms"),
            regex_refresh_interval: millis("group.consumer.regex.refresh.interval.ms"),
            migration: MigrationPolicy::of(view.broker("group.consumer.migration.policy")),
            share_session_timeout: millis("group.share.session.timeout.ms"),
            share_heartbeat_interval: millis("group.share.heartbeat.interval.ms"),
            share_size_max: count("group.share.max.size"),
            share_assignment_interval: millis("group.share.assignment.interval.ms"),
            offsets_retention: Duration(millis("offsets.retention.minutes").0.saturating_mul(60_000)),
        }
    }

    /// The same with a group's own settings on top.
    #[must_use]
    pub fn with(mut self, own: &BTreeMap<Name, Name>) -> GroupSettings {
        let set = |name: &str, setting: &mut Duration| {
            if let Some(millis) = own.get(name).and_then(|text| text.trim().parse().ok()) {
                *setting = Duration::from_millis(millis);
            }
        };
        set("consumer.session.timeout.ms", &mut self.consumer_session_timeout);
        set("consumer.heartbeat.interval.ms", &mut self.consumer_heartbeat_interval);
        set("consumer.assignment.interval.ms", &mut self.assignment_interval);
        set("share.session.timeout.ms", &mut self.share_session_timeout);
        set("share.heartbeat.interval.ms", &mut self.share_heartbeat_interval);
        set("share.assignment.interval.ms", &mut self.share_assignment_interval);
        self
    }
}

impl MigrationPolicy {
    /// The policy of that name, whatever its case.
    fn of(name: &str) -> MigrationPolicy {
        match name.to_ascii_lowercase().as_str() {
            "upgrade" => MigrationPolicy::Upgrade,
            "downgrade" => MigrationPolicy::Downgrade,
            "disabled" => MigrationPolicy::Disabled,
            _ => MigrationPolicy::Bidirectional,
        }
    }
}

/// `group.consumer.migration.policy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MigrationPolicy {
    #[default]
    Bidirectional,
    Upgrade,
    Downgrade,
    Disabled,
}
