//! A validated consumer.
//!
//! What its settings mean is decided in `client/`.

use super::{check_label, refused};
use crate::client::reader::settings::ReaderSettings;
use crate::error::InputError;
use crate::event::{Name, TopicPartition};
use crate::scenario::ConsumerSpec;

/// A validated consumer.
#[derive(Clone, Debug)]
pub(crate) struct ConsumerPlan {
    pub name: Name,
    pub assign: Vec<Assigned>,
    pub behind: u64,
    pub settings: ReaderSettings,
    /// The scenario's, for the reader's random pauses.
    pub seed: u64,
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
        if spec.assign.is_empty() {
            let text = "A reader needs topics or partitions to read.";
            return Err(InputError::new("scenario.consumer", text)
                .at(format!("{path}.assign"))
                .hint("Write assign = [\"events\"]."));
        }
        let assign = spec.assign.iter().map(|text| assigned(text)).collect();
        let (name, behind) = (spec.name.as_str().into(), spec.behind.unwrap_or(0));
        Ok(ConsumerPlan { name, assign, behind, settings, seed })
    }
}

/// "events" is a topic and "events-2" a partition of it.
fn assigned(text: &str) -> Assigned {
    match TopicPartition::split(text) {
        Some((topic, number)) => Assigned { topic: topic.into(), partition: Some(number) },
        None => Assigned { topic: text.into(), partition: None },
    }
}
