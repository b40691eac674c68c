//! A validated consumer.
//!
//! What its settings mean is decided in `client/`.

use super::{check_label, refused, unknown_client};
use crate::client::configs::ConsumerValues;
use crate::client::consumer_call::Topics;
use crate::client::reader::settings::ReaderSettings;
use crate::error::{InputError, KafkaError};
use crate::event::{Name, TopicPartition};
use crate::scenario::{ConsumerSpec, Listener};
use crate::time::Duration;

/// A validated consumer.
#[derive(Clone, Debug)]
pub(crate) struct ConsumerPlan {
    pub name: Name,
    /// By hand; empty for a consumer that subscribes.
    pub assign: Vec<Assigned>,
    /// Absent for a consumer with partitions by hand, and where `subscribe` throws.
    pub subscription: Option<Topics>,
    pub behind: u64,
    pub settings: ReaderSettings,
    /// What the library logs of the settings when it starts.
    pub warnings: Vec<String>,
    /// `client.id`; the name by default.
    pub client_id: Name,
    /// The member id that a client of the consumer protocol takes.
    pub member_id: Option<Name>,
    /// Time that the application works on each record.
    pub processing: Duration,
    /// The producer and the topic that it sends what it reads to.
    pub copy_to: Option<(Name, Name)>,
    /// When it starts.
    pub start: Duration,
    pub listener: Listener,
    /// It goes on polling after that many exceptions.
    pub keep_on_error: u32,
    /// The scenario's, for the reader's random pauses.
    pub seed: u64,
}

/// A whole topic, or one partition of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assigned {
    pub topic: Name,
    pub partition: Option<u32>,
}

/// Why there is no consumer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The input makes no sense.
    Input(InputError),
    /// Kafka's constructor throws: where the input is to blame.
    Constructor(Box<KafkaError>, InputError),
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Refusal {
        Refusal::Input(error)
    }
}

impl Refusal {
    /// The same as wrong input.
    pub fn input(self) -> InputError {
        match self {
            Refusal::Input(error) | Refusal::Constructor(_, error) => error,
        }
    }
}

impl ConsumerPlan {
    /// Validates a consumer of a scenario; `path` is its place in the input. What `subscribe` would throw is an
    /// error too.
    pub fn new(spec: &ConsumerSpec, path: &str, seed: u64) -> Result<ConsumerPlan, InputError> {
        let (plan, thrown) = ConsumerPlan::started(spec, path, seed).map_err(Refusal::input)?;
        match thrown {
            Some(error) => Err(InputError::new("scenario.consumer", error.to_string()).at(path)),
            None => Ok(plan),
        }
    }

    /// Validates a consumer that is started now, and says what its `subscribe` throws.
    pub fn started(spec: &ConsumerSpec, path: &str, seed: u64) -> Result<(ConsumerPlan, Option<KafkaError>), Refusal> {
        check_label(&spec.name, &format!("{path}.name"))?;
        let is_librdkafka = is_librdkafka(spec, path)?;
        let read = if is_librdkafka { ReaderSettings::librdkafka } else { ReaderSettings::new };
        let settings = read(&spec.configs).map_err(|refusal| {
            let error = refused(&refusal, format!("{path}.configs.\"{}\"", refusal.name));
            if refusal.is_by_kafka() {
                return Refusal::Constructor(Box::new(refusal.kafka_error()), error);
            }
            Refusal::Input(error)
        })?;
        if is_librdkafka {
            check_librdkafka(spec, path)?;
        }
        let topics = topics(spec, settings.member.group.is_some(), path)?;
        check_membership(spec, &settings, topics.is_some(), path)?;
        let thrown = topics.as_ref().and_then(|topics| settings.member.check_subscription(topics).err());
        let name = Name::from(spec.name.as_str());
        let plan = ConsumerPlan {
            assign: spec.assign.iter().map(|text| assigned(text)).collect(),
            subscription: topics.filter(|_| thrown.is_none()),
            behind: spec.behind.unwrap_or(0),
            client_id: settings.client_id.clone().unwrap_or_else(|| Name::clone(&name)),
            settings,
            warnings: if is_librdkafka { ConsumerValues::ignored(&spec.configs) } else { Vec::new() },
            member_id: spec.member_id.as_deref().map(Name::from),
            processing: spec.processing.unwrap_or_default().max(processing_min(spec.copy_to.is_some())),
            copy_to: spec.copy_to.as_ref().map(|to| (Name::from(&*to.producer), Name::from(&*to.topic))),
            start: spec.start.unwrap_or_default(),
            listener: spec.listener.clone(),
            keep_on_error: spec.keep_on_error.unwrap_or(0),
            seed,
            name,
        };
        Ok((plan, thrown))
    }

    /// What its application needs for each record at least.
    pub fn processing_min(&self) -> Duration {
        processing_min(self.copy_to.is_some())
    }

    /// Whether an application polls it that does more than to read what is assigned by hand.
    pub fn is_consumer(&self) -> bool {
        self.settings.member.group.is_some()
            || self.subscription.is_some()
            || self.processing > Duration::ZERO
            || self.copy_to.is_some()
    }
}

/// A copier needs some time for each record: copiers in a ring would copy without end in one instant.
fn processing_min(is_copier: bool) -> Duration {
    if is_copier { Duration::from_millis(1) } else { Duration::ZERO }
}

/// Whether it is a consumer of librdkafka, and not of the Java client.
fn is_librdkafka(spec: &ConsumerSpec, path: &str) -> Result<bool, InputError> {
    match spec.client.as_deref() {
        None | Some("java") => Ok(false),
        Some("librdkafka") => Ok(true),
        Some(other) => Err(unknown_client(other).at(format!("{path}.client"))),
    }
}

/// Ways to subscribe that librdkafka does not have.
fn check_librdkafka(spec: &ConsumerSpec, path: &str) -> Result<(), InputError> {
    let field = [("pattern", &spec.pattern), ("re2j", &spec.re2j)].into_iter().find(|(_, given)| given.is_some());
    let Some((field, _)) = field else { return Ok(()) };
    let text = "With librdkafka a pattern is a topic that begins with ^.";
    let error = InputError::new("scenario.consumer", text).at(format!("{path}.{field}"));
    Err(error.hint("Write subscribe = [\"^orders-.*\"]."))
}

/// What the consumer subscribes to; nothing if its partitions are assigned by hand.
fn topics(spec: &ConsumerSpec, is_member: bool, path: &str) -> Result<Option<Topics>, InputError> {
    let shared = |text: &String| Name::from(text.as_str());
    let named = (!spec.subscribe.is_empty()).then(|| Topics::Named(spec.subscribe.iter().map(shared).collect()));
    let pattern = spec.pattern.as_ref().map(|pattern| Topics::Pattern(shared(pattern)));
    let re2j = spec.re2j.as_ref().map(|pattern| Topics::Re2j(shared(pattern)));
    let ways = [!spec.assign.is_empty(), named.is_some(), pattern.is_some(), re2j.is_some()];
    match ways.iter().filter(|way| **way).count() {
        1 => Ok(named.or(pattern).or(re2j)),
        0 if is_member => {
            let text = "A consumer needs something to read: topics, a pattern, or partitions.";
            Err(InputError::new("scenario.consumer", text)
                .at(format!("{path}.subscribe"))
                .hint("Write subscribe = [\"events\"]."))
        }
        0 => Err(InputError::new("scenario.consumer", "A reader needs topics or partitions to read.")
            .at(format!("{path}.assign"))
            .hint("Write assign = [\"events\"].")),
        _ => {
            let text = "A consumer has one of assign, subscribe, pattern and re2j, not several at once.";
            Err(InputError::new("scenario.consumer", text).at(path))
        }
    }
}

/// What only members have, and what only readers have.
fn check_membership(
    spec: &ConsumerSpec,
    settings: &ReaderSettings,
    subscribes: bool,
    path: &str,
) -> Result<(), InputError> {
    let error = |field: &str, text: &str| Err(InputError::new("scenario.consumer", text).at(format!("{path}.{field}")));
    let is_consumer_protocol = settings.member.is_consumer_protocol();
    if spec.behind.is_some() && settings.member.group.is_some() {
        return error("behind", "Only a reader without a group stays behind.");
    }
    if !subscribes && spec.listener != Listener::default() {
        return error("listener", "A listener belongs to a subscription; partitions assigned by hand have none.");
    }
    match spec.member_id.as_deref() {
        Some("") => error("member_id", "A member id is not empty."),
        Some(_) if !is_consumer_protocol => {
            error("member_id", "Only a client of the consumer protocol chooses its member id; set group.protocol.")
        }
        _ => Ok(()),
    }
}

/// A partition that `assign` names.
pub(crate) fn plan_assigned(partition: &TopicPartition) -> Assigned {
    Assigned { topic: Name::clone(&partition.topic), partition: Some(partition.partition) }
}

/// "events" is a topic and "events-2" a partition of it.
fn assigned(text: &str) -> Assigned {
    match TopicPartition::split(text) {
        Some((topic, number)) => Assigned { topic: topic.into(), partition: Some(number) },
        None => Assigned { topic: text.into(), partition: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(change: impl FnOnce(&mut ConsumerSpec)) -> ConsumerSpec {
        let mut spec = ConsumerSpec { name: "c".into(), subscribe: vec!["orders".into()], ..ConsumerSpec::default() };
        spec.configs.insert("group.id".into(), "g".into());
        change(&mut spec);
        spec
    }

    fn refused(change: impl FnOnce(&mut ConsumerSpec)) -> String {
        ConsumerPlan::new(&spec(change), "consumer[0]", 1).unwrap_err().to_string()
    }

    #[test]
    fn a_member_is_planned_with_what_it_was_given() {
        let plan = ConsumerPlan::new(&spec(|_| {}), "consumer[0]", 1).unwrap();
        assert_eq!(plan.subscription, Some(Topics::Named(vec!["orders".into()])));
        assert_eq!(&*plan.client_id, "c");
        assert!(plan.is_consumer());
        let named = spec(|spec| {
            spec.configs.insert("client.id".into(), "other".into());
            spec.configs.insert("group.protocol".into(), "consumer".into());
            spec.member_id = Some("m".into());
        });
        let plan = ConsumerPlan::new(&named, "consumer[0]", 1).unwrap();
        assert_eq!((&*plan.client_id, plan.member_id.as_deref()), ("other", Some("m")));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let check = |text: String, part: &str| assert!(text.contains(part), "{text}");
        check(refused(|spec| spec.pattern = Some("o.*".into())), "not several at once");
        check(refused(|spec| spec.assign = vec!["orders".into()]), "not several at once");
        check(refused(|spec| spec.subscribe.clear()), "something to read");
        let with_bad_pattern = |spec: &mut ConsumerSpec| {
            spec.subscribe.clear();
            spec.pattern = Some("orders-(".into());
        };
        check(refused(with_bad_pattern), "PatternSyntaxException");
        check(refused(|spec| spec.configs.clear()), "you must provide a valid group.id");
        check(refused(|spec| spec.behind = Some(1)), "stays behind");
        check(refused(|spec| spec.member_id = Some("m".into())), "set group.protocol");
        check(refused(|spec| spec.client = Some("jaba".into())), "no client \"jaba\"");
        let by_pattern = |spec: &mut ConsumerSpec| {
            spec.client = Some("librdkafka".into());
            spec.subscribe.clear();
            spec.pattern = Some("o.*".into());
        };
        check(refused(by_pattern), "a topic that begins with ^");
        let with_listener = |spec: &mut ConsumerSpec| {
            spec.assign = std::mem::take(&mut spec.subscribe);
            spec.listener.commit_in_lost = true;
        };
        check(refused(with_listener), "A listener belongs to a subscription");
    }

    #[test]
    fn what_kafka_throws_is_data_for_a_consumer_that_is_started() {
        let late = spec(|spec| drop(spec.configs.insert("session.timeout.ms".into(), "3000".into())));
        let Err(Refusal::Constructor(error, input)) = ConsumerPlan::started(&late, "consumer", 1) else {
            panic!("it is refused by the constructor");
        };
        assert_eq!(error.exception, "KafkaException");
        let cause = error.cause.map(|cause| cause.to_string());
        let text = "IllegalArgumentException: Heartbeat must be set lower than the session timeout";
        assert_eq!(cause.as_deref(), Some(text));
        assert!(input.to_string().contains(text), "{input}");
        let re2j = spec(|spec| {
            spec.subscribe.clear();
            spec.re2j = Some("o.*".into());
        });
        let (plan, thrown) = ConsumerPlan::started(&re2j, "consumer", 1).unwrap();
        assert_eq!(plan.subscription, None, "the consumer is there, and subscribes to nothing");
        assert_eq!(thrown.map(|error| error.exception).as_deref(), Some("UnsupportedOperationException"));
    }
}
