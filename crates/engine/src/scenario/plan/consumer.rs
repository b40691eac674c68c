//! A validated consumer.
//!
//! What its settings mean is decided in `client/`.

use super::{check_label, refused};
use crate::client::consumer_call::Topics;
use crate::client::reader::settings::ReaderSettings;
use crate::error::InputError;
use crate::event::{Name, TopicPartition};
use crate::scenario::{ConsumerSpec, Listener};
use crate::time::Duration;

/// A validated consumer.
#[derive(Clone, Debug)]
pub(crate) struct ConsumerPlan {
    pub name: Name,
    pub assign: Vec<Assigned>,
    pub behind: u64,
    pub settings: ReaderSettings,
    /// The scenario's, for the reader's random pauses.
    pub seed: u64,
    /// What it subscribes to at the start.
    pub subscription: Option<Topics>,
    /// The member id of a client of the consumer protocol.
    pub member_id: Option<Name>,
    /// Time that the application works on a record.
    pub processing: Duration,
    /// When it starts.
    pub start: Duration,
    pub listener: Listener,
    /// It goes on polling after that many exceptions out of `poll`.
    pub keep_on_error: u32,
}

/// A whole topic, or one partition of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assigned {
    pub topic: Name,
    pub partition: Option<u32>,
}

impl ConsumerPlan {
    /// Validates a consumer; `path` is its place in the input.
    pub fn new(spec: &ConsumerSpec, path: &str, seed: u64) -> Result<ConsumerPlan, InputError> {
        check_label(&spec.name, &format!("{path}.name"))?;
        let settings = ReaderSettings::new(&spec.configs)
            .map_err(|refusal| refused(&refusal, format!("{path}.configs.\"{}\"", refusal.name)))?;
        let subscription = subscription(spec, path)?;
        if spec.assign.is_empty() && subscription.is_none() {
            let text = "A reader needs topics or partitions to read.";
            return Err(InputError::new("scenario.consumer", text)
                .at(format!("{path}.assign"))
                .hint("Write assign = [\"events\"]."));
        }
        let assign = spec.assign.iter().map(|text| assigned(text)).collect();
        Ok(ConsumerPlan {
            name: spec.name.as_str().into(),
            assign,
            behind: spec.behind.unwrap_or(0),
            settings,
            seed,
            subscription,
            member_id: spec.member_id.as_deref().map(Name::from),
            processing: spec.processing.unwrap_or_default(),
            start: spec.start.unwrap_or_default(),
            listener: spec.listener.clone(),
            keep_on_error: spec.keep_on_error.unwrap_or(0),
        })
    }

    /// Whether an application polls it that does more than to read what is assigned by hand.
    pub fn is_consumer(&self) -> bool {
        self.settings.member.group.is_some() || self.subscription.is_some() || self.processing > Duration::ZERO
    }
}

/// What it subscribes to: topics or one pattern.
fn subscription(spec: &ConsumerSpec, path: &str) -> Result<Option<Topics>, InputError> {
    let topics: Vec<Name> = spec.subscribe.iter().map(|topic| Name::from(topic.as_str())).collect();
    match (topics.is_empty(), spec.pattern.as_deref(), spec.re2j.as_deref()) {
        (true, None, None) => Ok(None),
        (false, None, None) => Ok(Some(Topics::Named(topics))),
        (true, Some(pattern), None) => Ok(Some(Topics::Pattern(pattern.into()))),
        (true, None, Some(re2j)) => Ok(Some(Topics::Re2j(re2j.into()))),
        _ => {
            let text = "A consumer subscribes to topics or by one pattern, not to several of these at once.";
            Err(InputError::new("scenario.consumer", text).at(format!("{path}.subscribe")))
        }
    }
}

/// "events" is a topic and "events-2" a partition of it.
fn assigned(text: &str) -> Assigned {
    match TopicPartition::split(text) {
        Some((topic, number)) => Assigned { topic: topic.into(), partition: Some(number) },
        None => Assigned { topic: text.into(), partition: None },
    }
}
