//! A consumer's settings, from the configs that were given.
//!
//! Names and values are checked against the library's table in `client/configs`.

use std::collections::BTreeMap;

use crate::client::configs::{ConfigLibrary, ConfigRefusal, ConsumerValues, consumer_definition, iso_duration};
use crate::client::consumer::settings::MemberSettings;
use crate::event::Name;
use crate::message::{FetchLimits, OffsetSpec};
use crate::time::{Duration, Time};

/// `auto.offset.reset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reset {
    Earliest,
    Latest,
    /// `by_duration`: the first record that is not older.
    ByDuration(Duration),
    /// The application decides.
    None,
}

impl Reset {
    /// The policy of that name; the name was found good.
    pub fn named(name: &str) -> Reset {
        match name {
            "earliest" => Reset::Earliest,
            "latest" => Reset::Latest,
            "none" => Reset::None,
            other => {
                let length = other.strip_prefix("by_duration:").and_then(iso_duration);
                Reset::ByDuration(length.expect("the value was found good"))
            }
        }
    }

    /// The offset to ask for at a moment.
    pub fn spec(self, now: Time) -> Option<OffsetSpec> {
        match self {
            Reset::Earliest => Some(OffsetSpec::Earliest),
            Reset::Latest => Some(OffsetSpec::Latest),
            Reset::ByDuration(length) => Some(OffsetSpec::Since(now.millis() as i64 - length.millis() as i64)),
            Reset::None => None,
        }
    }
}

/// What a consumer goes by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReaderSettings {
    /// Simplified: a reader without a group begins at the earliest offset by default, to show what there is; Kafka's
    /// default is `latest`.
    pub reset: Reset,
    pub rack: Option<Name>,
    pub limits: FetchLimits,
    pub records_max: u32,
    pub metadata_age_max: Duration,
    /// `isolation.level=read_committed`.
    pub is_committed_only: bool,
    /// `client.id`, if it was given.
    pub client_id: Option<Name>,
    /// What it goes by as a member of a group.
    pub member: MemberSettings,
}

/// How late librdkafka's main thread comes to its timers. Without it, refreshes and heartbeats of members that started
/// together would fall on one instant for ever. Simplified: it is not always the same.
const MAIN_LOOP: Duration = Duration::from_millis(1);

/// Settings that change nothing without a `group.id`.
const OF_MEMBERS: [&str; 9] = [
    "auto.commit.interval.ms",
    "exclude.internal.topics",
    "group.instance.id",
    "group.protocol",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "max.poll.interval.ms",
    "partition.assignment.strategy",
    "session.timeout.ms",
];

impl Default for ReaderSettings {
    fn default() -> ReaderSettings {
        ReaderSettings::new(&BTreeMap::new()).expect("defaults are good values")
    }
}

impl ReaderSettings {
    /// Defaults of the Java consumer with the given configs on top, or the first one that is not taken.
    pub fn new(configs: &BTreeMap<String, String>) -> Result<ReaderSettings, ConfigRefusal> {
        let values = ConsumerValues::read(ConfigLibrary::Java, configs)?;
        let is_member = values.is_given("group.id");
        let changes_nothing = |name: &&String| {
            let is_modelled = consumer_definition(name).is_some_and(|definition| definition.is_modelled);
            !is_modelled || OF_MEMBERS.contains(&name.as_str())
        };
        if let Some(name) = configs.keys().find(changes_nothing).filter(|_| !is_member) {
            let text = format!(
                "{name} changes nothing for a reader: its partitions are assigned by hand, and it belongs to no group."
            );
            return Err(ConfigRefusal::of_ours(name, text));
        }
        Ok(ReaderSettings {
            reset: reset(&values, is_member),
            rack: values.text("client.rack").filter(|rack| !rack.is_empty()).map(Name::from),
            limits: FetchLimits {
                bytes_min: values.capped("fetch.min.bytes"),
                wait_max: values.millis("fetch.max.wait.ms"),
                partition_bytes_max: values.capped("max.partition.fetch.bytes"),
                bytes_max: values.capped("fetch.max.bytes"),
            },
            records_max: values.capped("max.poll.records"),
            metadata_age_max: values.millis("metadata.max.age.ms"),
            is_committed_only: values.text("isolation.level").is_some_and(|level| level == "read_committed"),
            client_id: values.text("client.id").filter(|id| !id.is_empty()).map(Name::from),
            member: MemberSettings::new(&values)?,
        })
    }
}

impl ReaderSettings {
    /// The same for a consumer of librdkafka, which always has a group.
    pub fn librdkafka(configs: &BTreeMap<String, String>) -> Result<ReaderSettings, ConfigRefusal> {
        let values = ConsumerValues::read(ConfigLibrary::Librdkafka, configs)?;
        Ok(ReaderSettings {
            reset: match values.shown("auto.offset.reset").as_str() {
                "smallest" | "earliest" | "beginning" => Reset::Earliest,
                "error" => Reset::None,
                _ => Reset::Latest,
            },
            rack: values.text("client.rack").filter(|rack| !rack.is_empty()).map(Name::from),
            limits: FetchLimits {
                bytes_min: values.capped("fetch.min.bytes"),
                wait_max: values.millis("fetch.wait.max.ms"),
                partition_bytes_max: values.capped("fetch.message.max.bytes"),
                bytes_max: values.capped("fetch.max.bytes"),
            },
            // A poll of the library returns one message; the binding's application polls again at once.
            records_max: u32::MAX,
            metadata_age_max: refresh_interval(&values),
            is_committed_only: values.shown("isolation.level") == "read_committed",
            client_id: values.text("client.id").filter(|id| !id.is_empty()).map(Name::from),
            member: MemberSettings::librdkafka(&values),
        })
    }
}

/// -1 and 0 are never.
fn refresh_interval(values: &ConsumerValues) -> Duration {
    match values.millis("topic.metadata.refresh.interval.ms") {
        Duration::ZERO => Duration::from_millis(u64::from(u32::MAX)),
        interval => Duration(interval.0 + MAIN_LOOP.0),
    }
}

fn reset(values: &ConsumerValues, is_member: bool) -> Reset {
    match values.text("auto.offset.reset").as_deref() {
        Some(name) => Reset::named(name),
        None if is_member => Reset::Latest,
        None => Reset::Earliest,
    }
}

#[cfg(test)]
mod tests {
    use assignor::client::Assignor;

    use super::*;
    use crate::client::consumer_call::Topics;
    use crate::group::GroupType;

    fn settings(name: &str, value: &str) -> Result<ReaderSettings, ConfigRefusal> {
        ReaderSettings::new(&BTreeMap::from([(name.to_string(), value.to_string())]))
    }

    #[test]
    fn settings_that_matter_to_a_reader_are_read() {
        assert_eq!(settings("auto.offset.reset", "none").unwrap().reset, Reset::None);
        assert_eq!(settings("client.rack", "a").unwrap().rack.as_deref(), Some("a"));
        assert_eq!(settings("client.rack", "").unwrap().rack, None);
        assert!(settings("isolation.level", "read_committed").unwrap().is_committed_only);
        assert!(!settings("isolation.level", "read_uncommitted").unwrap().is_committed_only);
        assert_eq!(settings("max.poll.records", "10").unwrap().records_max, 10);
        assert_eq!(settings("metadata.max.age.ms", "1000").unwrap().metadata_age_max, Duration::from_secs(1));
    }

    fn member(pairs: &[(&str, &str)]) -> Result<ReaderSettings, ConfigRefusal> {
        let pairs = pairs.iter().chain(&[("group.id", "g")]);
        ReaderSettings::new(&pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    #[test]
    fn a_group_id_brings_the_defaults_of_kafka() {
        let settings = member(&[]).unwrap();
        assert_eq!(settings.reset, Reset::Latest, "a reader without a group begins at the earliest offset");
        let group = settings.member;
        assert_eq!(group.group.as_deref(), Some("g"));
        assert_eq!(group.protocol, GroupType::Classic);
        assert_eq!(group.assignors, [Assignor::Range, Assignor::CooperativeSticky]);
        assert_eq!(group.session_timeout, Duration::from_secs(45));
        assert_eq!(group.heartbeat_interval, Duration::from_secs(3));
        assert_eq!(group.poll_interval_max, Duration::from_secs(300));
        assert_eq!(group.auto_commit, Some(Duration::from_secs(5)));
        let reader = ReaderSettings::default().member;
        assert_eq!((reader.group, reader.auto_commit), (None, None));
    }

    #[test]
    fn assignors_are_read_with_and_without_their_package() {
        let strategy =
            |text: &str| member(&[("partition.assignment.strategy", text)]).map(|settings| settings.member.assignors);
        let text = "org.apache.kafka.clients.consumer.StickyAssignor, RoundRobinAssignor";
        assert_eq!(strategy(text).unwrap(), [Assignor::Sticky, Assignor::RoundRobin]);
        assert!(strategy("MyAssignor").unwrap_err().to_string().contains("Kafka brings along"));
        assert!(strategy("RangeAssignor,RangeAssignor").is_err());
        let none = member(&[("partition.assignment.strategy", "")]).unwrap();
        let refused = none.member.check_subscription(&Topics::Named(vec!["t".into()])).unwrap_err();
        assert!(refused.message.starts_with("Must configure at least one"), "{refused}");
    }

    #[test]
    fn the_constructor_refuses_what_does_not_go_with_the_protocol() {
        let check = |pairs: &[(&str, &str)], expected: &str| {
            assert_eq!(member(pairs).unwrap_err().to_string(), expected);
        };
        check(
            &[("group.protocol", "Consumer"), ("session.timeout.ms", "6000"), ("heartbeat.interval.ms", "1000")],
            "ConfigException: heartbeat.interval.ms, session.timeout.ms cannot be set when group.protocol=CONSUMER",
        );
        check(
            &[("group.remote.assignor", "uniform")],
            "ConfigException: group.remote.assignor cannot be set when group.protocol=CLASSIC",
        );
        check(
            &[("session.timeout.ms", "6000"), ("heartbeat.interval.ms", "6000")],
            "KafkaException: Failed to construct kafka consumer, caused by IllegalArgumentException: Heartbeat must be \
             set lower than the session timeout",
        );
        check(
            &[("group.instance.id", "a b")],
            "KafkaException: Failed to construct kafka consumer, caused by InvalidConfigurationException: Group instance \
             id is invalid: 'a b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'",
        );
    }

    #[test]
    fn librdkafka_refuses_in_its_own_words() {
        let read = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string()));
            ReaderSettings::librdkafka(&pairs.collect())
        };
        let check = |pairs: &[(&str, &str)], text: &str| {
            let all: Vec<_> = [("group.id", "g")].iter().chain(pairs).copied().collect();
            assert_eq!(read(&all).unwrap_err().message, text);
        };
        let created = |text: &str| format!("Failed to create consumer: {text}");
        let consumer = ("group.protocol", "consumer");
        let strategy = "partition.assignment.strategy";
        check(&[(strategy, "sticky")], &created("Unsupported partition.assignment.strategy: sticky"));
        check(
            &[(strategy, "range,cooperative-sticky")],
            &created(
                "All partition.assignment.strategy (range,cooperative-sticky) assignors must have the same protocol type, \
                 online migration between assignors with different protocol types is not supported",
            ),
        );
        let defined = "is not supported for `group.protocol=consumer` or share consumer. It is defined broker side";
        check(&[consumer, ("session.timeout.ms", "10000")], &created(&format!("`session.timeout.ms` {defined}")));
        let smaller = "`max.poll.interval.ms`must be >= `session.timeout.ms`";
        check(&[("max.poll.interval.ms", "5000")], &created(smaller));
        check(&[("fetch.max.bytes", "100")], &created("`fetch.max.bytes` must be >= `message.max.bytes`"));
        check(
            &[("auto.offset.reset", "none")],
            "Invalid value \"none\" for configuration property \"auto.offset.reset\"",
        );
        check(&[("bogus", "1")], "No such configuration property: \"bogus\"");
        assert_eq!(read(&[]).unwrap_err().message, created("group.id must be set"));
        let member =
            read(&[("group.id", "g"), ("session.timeout.ms", "3000"), ("heartbeat.interval.ms", "3000")]).unwrap();
        assert!(member.is_committed_only, "the default of the library");
        assert_eq!(member.member.assignors, [Assignor::Range, Assignor::RoundRobin]);
        assert_eq!(read(&[("group.id", "g"), (strategy, "")]).unwrap().member.assignors, []);
    }

    #[test]
    fn a_duration_is_counted_back_from_now() {
        let settings = member(&[("auto.offset.reset", "by_duration:P1DT2H3M4.5S")]).unwrap();
        let length = Duration::from_millis(((26 * 60 + 3) * 60 + 4) * 1_000 + 500);
        assert_eq!(settings.reset, Reset::ByDuration(length));
        let now = Time::from_millis(10);
        assert_eq!(settings.reset.spec(now), Some(OffsetSpec::Since(10 - length.millis() as i64)));
        for bad in ["", "P", "PT", "T1H", "PT1", "PT-1H", "P1H", "PT1S1H"] {
            assert!(member(&[("auto.offset.reset", &format!("by_duration:{bad}"))]).is_err(), "{bad}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_a_reason() {
        let check = |name: &str, value: &str, part: &str| {
            let refusal = settings(name, value).unwrap_err().to_string();
            assert!(refusal.contains(part), "{name}: {refusal}");
        };
        check("max.poll.records", "0", "Value must be at least 1");
        check("auto.offset.reset", "oldest", "The value must be either 'earliest', 'latest', 'none' or of the format");
        check("auto.offset.reset", "by_duration:1H", "Invalid value `by_duration:1H`");
        check("isolation.level", "READ_COMMITTED", "String must be one of");
        check("session.timeout.ms", "6000", "belongs to no group");
        check("enable.auto.commit", "true", "when default group id (null) is used");
        check(
            "group.id",
            "",
            "caused by InvalidGroupIdException: The configured group.id should not be an empty string",
        );
        check("auto.ofset.reset", "latest", "Did you mean auto.offset.reset?");
    }
}
