//! The settings that a broker and its topics obey, as numbers.
//!
//! Values were validated when they were set; which one is in force is decided in `config_view.rs`.

use std::rc::Rc;

use crate::config_view::ConfigView;
use crate::coordinator::groups::effects::GroupSettings;
use crate::message::TopicImage;
use crate::storage::LogSettings;
use crate::time::Duration;

/// Settings of one broker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BrokerSettings {
    pub auto_create_topics: bool,
    /// `replica.lag.time.max.ms`.
    pub lag_max: Duration,
    pub fetch_wait: Duration,
    pub fetch_backoff: Duration,
    /// `replica.fetch.max.bytes`: at most this much of one partition in an answer to a follower.
    pub fetch_bytes: u32,
    /// `replica.fetch.response.max.bytes`.
    pub response_bytes: u32,
    /// `replica.high.watermark.checkpoint.interval.ms`.
    pub checkpoint_interval: Duration,
    /// `log.initial.task.delay.ms`.
    pub disk_delay: Duration,
    /// `log.retention.check.interval.ms`.
    pub retention_interval: Duration,
    /// `log.cleaner.backoff.ms`; without it the cleaner is off.
    pub cleaner_interval: Option<Duration>,
    /// `remote.log.manager.task.interval.ms`; without it there is no remote storage.
    pub remote_interval: Option<Duration>,
    pub leader_throttle: Option<u64>,
    pub follower_throttle: Option<u64>,
    /// `replica.selector.class` is the rack-aware one.
    pub is_rack_aware: bool,
    /// `request.timeout.ms` between brokers.
    pub request_timeout: Duration,
    /// `transaction.partition.verification.enable`.
    pub verifies_partitions: bool,
    /// `add.partitions.to.txn.retry.backoff.ms` and its longest sum.
    pub add_partitions_backoff: Duration,
    pub add_partitions_backoff_max: Duration,
    /// `producer.id.expiration.ms` and its check interval.
    pub producer_expiration: Duration,
    pub producer_check_interval: Duration,
    /// `transaction.max.timeout.ms`.
    pub transaction_timeout_max: Duration,
    /// `transaction.abort.timed.out.transaction.cleanup.interval.ms`.
    pub transaction_timeout_interval: Duration,
    /// `transactional.id.expiration.ms`.
    pub transactional_id_expiration: Duration,
    /// `transaction.remove.expired.transaction.cleanup.interval.ms`.
    pub id_expiry_interval: Duration,
    /// `transaction.two.phase.commit.enable`.
    pub has_two_phase_commit: bool,
    /// `offsets.topic.num.partitions`.
    pub offsets_partitions: u32,
    /// `offsets.commit.timeout.ms`: how long records of groups may take to be replicated.
    pub offsets_commit_timeout: Duration,
    /// `offsets.retention.check.interval.ms`.
    pub offsets_check_interval: Duration,
    /// For groups without settings of their own.
    pub groups: GroupSettings,
}

/// Settings of one topic.
#[derive(Clone, Debug)]
pub(crate) struct TopicSettings {
    pub log: Rc<LogSettings>,
    pub min_isr: u32,
    pub leader_throttled: Throttled,
    pub follower_throttled: Throttled,
}

/// Replicas that a throttle is for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Throttled {
    /// `*`.
    All,
    /// Partitions and brokers.
    Listed(Vec<(u32, u32)>),
}

impl BrokerSettings {
    /// Reads the settings.
    pub fn new(view: &ConfigView) -> BrokerSettings {
        let millis = |name| view.broker_millis(name);
        let count = |name| view.broker_number(name).clamp(0, i64::from(u32::MAX)) as u32;
        // Without a throttle the rate is Long.MAX_VALUE.
        let rate = |name| match view.broker(name) {
            "" => None,
            text => text.trim().parse::<u64>().ok().filter(|rate| *rate < i64::MAX as u64),
        };
        BrokerSettings {
            auto_create_topics: view.broker_flag("auto.create.topics.enable"),
            lag_max: millis("replica.lag.time.max.ms"),
            fetch_wait: millis("replica.fetch.wait.max.ms"),
            fetch_backoff: millis("replica.fetch.backoff.ms"),
            fetch_bytes: count("replica.fetch.max.bytes"),
            response_bytes: count("replica.fetch.response.max.bytes"),
            checkpoint_interval: millis("replica.high.watermark.checkpoint.interval.ms"),
            disk_delay: millis("log.initial.task.delay.ms"),
            retention_interval: millis("log.retention.check.interval.ms"),
            cleaner_interval: view.broker_flag("log.cleaner.enable").then(|| millis("log.cleaner.backoff.ms")),
            remote_interval: view
                .broker_flag("remote.log.storage.system.enable")
                .then(|| millis("remote.log.manager.task.interval.ms")),
            leader_throttle: rate("leader.replication.throttled.rate"),
            follower_throttle: rate("follower.replication.throttled.rate"),
            is_rack_aware: view.broker("replica.selector.class").ends_with("RackAwareReplicaSelector"),
            request_timeout: millis("request.timeout.ms"),
            verifies_partitions: view.broker_flag("transaction.partition.verification.enable"),
            add_partitions_backoff: millis("add.partitions.to.txn.retry.backoff.ms"),
            add_partitions_backoff_max: millis("add.partitions.to.txn.retry.backoff.max.ms"),
            producer_expiration: millis("producer.id.expiration.ms"),
            producer_check_interval: millis("producer.id.expiration.check.interval.ms"),
            transaction_timeout_max: millis("transaction.max.timeout.ms"),
            transaction_timeout_interval: millis("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
            transactional_id_expiration: millis("transactional.id.expiration.ms"),
            id_expiry_interval: millis("transaction.remove.expired.transaction.cleanup.interval.ms"),
            has_two_phase_commit: view.broker_flag("transaction.two.phase.commit.enable"),
            offsets_partitions: count("offsets.topic.num.partitions"),
            offsets_commit_timeout: millis("offsets.commit.timeout.ms"),
            offsets_check_interval: millis("offsets.retention.check.interval.ms"),
            groups: GroupSettings::new(view),
        }
    }
}

impl TopicSettings {
    /// Reads the settings.
    pub fn new(view: &ConfigView, topic: &TopicImage) -> TopicSettings {
        let value = |name: &str| view.topic(topic, name).into_owned();
        TopicSettings {
            log: Rc::new(LogSettings::new(value)),
            min_isr: u32::try_from(view.topic_number(topic, "min.insync.replicas")).unwrap_or(u32::MAX),
            leader_throttled: Throttled::new(&value("leader.replication.throttled.replicas")),
            follower_throttled: Throttled::new(&value("follower.replication.throttled.replicas")),
        }
    }
}

impl Throttled {
    fn new(text: &str) -> Throttled {
        if text.trim() == "*" {
            return Throttled::All;
        }
        let pair = |entry: &str| {
            let (partition, broker) = entry.split_once(':')?;
            Some((partition.trim().parse().ok()?, broker.trim().parse().ok()?))
        };
        Throttled::Listed(text.split(',').filter_map(pair).collect())
    }

    /// Whether a replica is among them.
    pub fn names(&self, partition: u32, broker: u32) -> bool {
        match self {
            Throttled::All => true,
            Throttled::Listed(list) => list.contains(&(partition, broker)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, named: &[(u32, u32)]) {
        let throttled = Throttled::new(text);
        let all = (0..3).flat_map(|partition| (0..3).map(move |broker| (partition, broker)));
        let found: Vec<_> = all.filter(|(partition, broker)| throttled.names(*partition, *broker)).collect();
        assert_eq!(found, named, "{text}");
    }

    #[test]
    fn throttled_replicas_are_listed_or_all() {
        check("", &[]);
        check("0:1,2:2", &[(0, 1), (2, 2)]);
        check("*", &[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]);
    }
}
