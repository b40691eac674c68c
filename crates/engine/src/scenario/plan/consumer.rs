//! A validated consumer.
//!
//! What its settings mean is decided in `client/`.

use super::{check_label, refused, unknown_client};
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
    /// `client.id`; the name by default.
    pub client_id: Name,
    /// The member id that a client of the consumer protocol takes.
    pub member_id: Option<Name>,
    /// Time that the application works on each record.
    pub processing: Duration,
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
    Constructor(KafkaError, InputError),
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
    pub fn started(
        spec: &ConsumerSpec,
        path: &str,
        seed: u64,
    ) -> Result<(ConsumerPlan, Option<KafkaError>), Refusal> {
        check_label(&spec.name, &format!("{path}.name"))?;
        check_library(spec, path)?;
        let settings = ReaderSettings::new(&spec.configs).map_err(|refusal| {
            let error = refused(&refusal, format!("{path}.configs.\"{}\"", refusal.name));
            if refusal.is_by_kafka() {
                return Refusal::Constructor(refusal.kafka_error(), error);
            }
            Refusal::Input(error)
        })?;
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
            member_id: spec.member_id.as_deref().map(Name::from),
            processing: spec.processing.unwrap_or_default(),
            start: spec.start.unwrap_or_default(),
            listener: spec.listener.clone(),
            keep_on_error: spec.keep_on_error.unwrap_or(0),
            seed,
            name,
        };
        Ok((plan, thrown))
    }

    /// Whether an application polls it that does more than to read what is assigned by hand.
    pub fn is_consumer(&self) -> bool {
        self.settings.member.group.is_some() || self.subscription.is_some() || self.processing > Duration::ZERO
    }
}

/// Simplified: consumers are those of the Java client; librdkafka's have rules of their own.
fn check_library(spec: &ConsumerSpec, path: &str) -> Result<(), InputError> {
    match spec.client.as_deref() {
        None | Some("java") => Ok(()),
        Some("librdkafka") => {
            let text = "Consumers of librdkafka are not simulated.";
            Err(InputError::new("scenario.consumer", text).at(format!("{path}.client")).hint("Write \"java\"."))
        }
        Some(other) => Err(unknown_client(other).at(format!("{path}.client"))),
    }
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

/// "events" is a topic and "events-2" a partition of it.
fn assigned(text: &str) -> Assigned {
    match TopicPartition::split(text) {
        Some((topic, number)) => Assigned { topic: topic.into(), partition: Some(number) },
        None => Assigned { topic: text.into(), partition: None },
    }
}
