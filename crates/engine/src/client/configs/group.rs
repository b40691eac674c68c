//! Every group setting of Kafka 4.3.1: type, default, allowed values, and how a change is checked.
//!
//! The limits of several values are settings of the brokers. Follows `GroupConfig.validate`.

use std::collections::BTreeMap;

use super::{Definition, parse};
use crate::event::Name;

definitions! {
    /// Settings of a group, in name order.
    GROUP
    "consumer.assignment.interval.ms" Int "1000" min(0) modelled "Shortest time between two target assignments.";
    "consumer.heartbeat.interval.ms" Int "5000" min(1) modelled "Consumer protocol: heartbeat interval given to members.";
    "consumer.session.timeout.ms" Int "45000" min(1) modelled "Consumer protocol: silent members are removed after this.";
    "share.assignment.interval.ms" Int "1000" min(0) modelled "Share group: shortest time between two target assignments.";
    "share.auto.offset.reset" String "latest" offset_reset modelled "Where a share group starts on a new partition.";
    "share.delivery.count.limit" Int "5" min(2) modelled "Delivery attempts before a record is archived.";
    "share.heartbeat.interval.ms" Int "5000" min(1) modelled "Share group: heartbeat interval given to members.";
    "share.isolation.level" String "read_uncommitted" one_of("read_committed", "read_uncommitted") modelled "Whether share groups see uncommitted records.";
    "share.partition.max.record.locks" Int "2000" min(100) modelled "Most acquired records per share-partition.";
    "share.record.lock.duration.ms" Int "30000" min(1000) modelled "How long an acquired record stays locked.";
    "share.renew.acknowledge.enable" Boolean "true" any modelled "Allow consumers to extend a record lock.";
    "share.session.timeout.ms" Int "45000" min(1) modelled "Share group: silent members are removed after this.";
    "streams.assignment.interval.ms" Int "1000" min(0) "";
    "streams.heartbeat.interval.ms" Int "5000" min(1) "";
    "streams.initial.rebalance.delay.ms" Int "3000" min(0) "";
    "streams.num.standby.replicas" Int "0" min(0) "";
    "streams.session.timeout.ms" Int "45000" min(1) "";
}

/// Settings with limits at the broker: the setting, its default there, its smallest and its largest value.
const LIMITED: [(&str, &str, Option<&str>, Option<&str>); 9] = [
    (
        "consumer.heartbeat.interval.ms",
        "group.consumer.heartbeat.interval.ms",
        Some("group.consumer.min.heartbeat.interval.ms"),
        Some("group.consumer.max.heartbeat.interval.ms"),
    ),
    (
        "consumer.session.timeout.ms",
        "group.consumer.session.timeout.ms",
        Some("group.consumer.min.session.timeout.ms"),
        Some("group.consumer.max.session.timeout.ms"),
    ),
    (
        "consumer.assignment.interval.ms",
        "group.consumer.assignment.interval.ms",
        Some("group.consumer.min.assignment.interval.ms"),
        Some("group.consumer.max.assignment.interval.ms"),
    ),
    (
        "share.heartbeat.interval.ms",
        "group.share.heartbeat.interval.ms",
        Some("group.share.min.heartbeat.interval.ms"),
        Some("group.share.max.heartbeat.interval.ms"),
    ),
    (
        "share.session.timeout.ms",
        "group.share.session.timeout.ms",
        Some("group.share.min.session.timeout.ms"),
        Some("group.share.max.session.timeout.ms"),
    ),
    (
        "share.assignment.interval.ms",
        "group.share.assignment.interval.ms",
        Some("group.share.min.assignment.interval.ms"),
        Some("group.share.max.assignment.interval.ms"),
    ),
    (
        "share.record.lock.duration.ms",
        "group.share.record.lock.duration.ms",
        Some("group.share.min.record.lock.duration.ms"),
        Some("group.share.max.record.lock.duration.ms"),
    ),
    (
        "share.delivery.count.limit",
        "group.share.delivery.count.limit",
        Some("group.share.min.delivery.count.limit"),
        Some("group.share.max.delivery.count.limit"),
    ),
    (
        "share.partition.max.record.locks",
        "group.share.partition.max.record.locks",
        Some("group.share.min.partition.max.record.locks"),
        Some("group.share.max.partition.max.record.locks"),
    ),
];

/// Group settings of Kafka 4.3.1, in name order.
pub fn group_definitions() -> &'static [Definition] {
    GROUP
}

/// Checks all settings of a group as they would be after a change; the text of the refusal. `broker` gives a number
/// that is a setting of the brokers. Simplified: settings of streams groups are checked one by one only.
pub(crate) fn check_group(after: &BTreeMap<Name, Name>, broker: impl Fn(&str) -> i64) -> Result<(), String> {
    let find = |name: &str| GROUP.iter().find(|definition| definition.name == name);
    if let Some(unknown) = after.keys().find(|name| find(name).is_none()) {
        return Err(format!("Unknown group config name: {unknown}"));
    }
    for (name, value) in after {
        if let Some(definition) = find(name) {
            parse::java(definition, value).map_err(|refusal| refusal.message)?;
        }
    }
    let value = |name: &str, default: &str| {
        let own = after.get(name).and_then(|text| text.trim().parse().ok());
        own.unwrap_or_else(|| broker(default))
    };
    for (name, default, min, max) in LIMITED {
        let value = value(name, default);
        if let Some(min) = min.filter(|min| value < broker(min)) {
            return Err(format!("{name} must be greater than or equal to {min}"));
        }
        if let Some(max) = max.filter(|max| value > broker(max)) {
            return Err(format!("{name} must be less than or equal to {max}"));
        }
    }
    for [heartbeat, session] in [[LIMITED[0], LIMITED[1]], [LIMITED[3], LIMITED[4]]] {
        if value(session.0, session.1) <= value(heartbeat.0, heartbeat.1) {
            return Err(format!("{} must be greater than {}", session.0, heartbeat.0));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &[(&str, &str)], expected: Result<(), &str>) {
        let after = settings.iter().map(|(name, value)| (Name::from(*name), Name::from(*value))).collect();
        let broker = |name: &str| match name {
            "group.consumer.min.session.timeout.ms" => 6_000,
            "group.consumer.max.session.timeout.ms" => 60_000,
            "group.consumer.session.timeout.ms" => 45_000,
            "group.consumer.min.heartbeat.interval.ms" => 1_000,
            "group.consumer.heartbeat.interval.ms" => 5_000,
            "group.consumer.assignment.interval.ms" => 1_000,
            "group.consumer.min.assignment.interval.ms" | "group.share.min.assignment.interval.ms" => 0,
            "group.share.session.timeout.ms" | "group.share.min.session.timeout.ms" => 45_000,
            "group.share.max.session.timeout.ms" | "group.share.max.record.lock.duration.ms" => 60_000,
            "group.share.heartbeat.interval.ms" | "group.share.min.heartbeat.interval.ms" => 5_000,
            "group.share.record.lock.duration.ms" => 30_000,
            "group.share.delivery.count.limit" => 5,
            "group.share.min.delivery.count.limit" => 2,
            "group.share.max.delivery.count.limit" => 10,
            "group.share.partition.max.record.locks" => 2_000,
            "group.share.min.partition.max.record.locks" => 100,
            _ => 15_000,
        };
        assert_eq!(check_group(&after, broker), expected.map_err(str::to_string), "{settings:?}");
    }

    #[test]
    fn settings_of_a_group_keep_to_the_limits_of_the_brokers() {
        let (session, heartbeat) = ("consumer.session.timeout.ms", "consumer.heartbeat.interval.ms");
        check(&[(session, "12000")], Ok(()));
        check(&[("session.timeout.ms", "12000")], Err("Unknown group config name: session.timeout.ms"));
        let low = "consumer.session.timeout.ms must be greater than or equal to group.consumer.min.session.timeout.ms";
        check(&[(session, "5999")], Err(low));
        let high = "consumer.session.timeout.ms must be less than or equal to group.consumer.max.session.timeout.ms";
        check(&[(session, "60001")], Err(high));
        let both = "consumer.session.timeout.ms must be greater than consumer.heartbeat.interval.ms";
        check(&[(session, "9000"), (heartbeat, "9000")], Err(both));
        check(&[("share.record.lock.duration.ms", "15000"), ("share.delivery.count.limit", "2")], Ok(()));
        let lock =
            "share.record.lock.duration.ms must be greater than or equal to group.share.min.record.lock.duration.ms";
        check(&[("share.record.lock.duration.ms", "14999")], Err(lock));
        let limit = "share.delivery.count.limit must be less than or equal to group.share.max.delivery.count.limit";
        check(&[("share.delivery.count.limit", "11")], Err(limit));
        let text = "Invalid value x for configuration consumer.session.timeout.ms: Not a number of type INT";
        check(&[(session, "x")], Err(text));
    }
}
