//! Verbs of the recordings as commands of the engine, each with what is compared.
//!
//! Deliberately not here: what a share group does.

use std::collections::BTreeMap;

use engine::event::TopicPartition;
use engine::scenario::{ProducerSpec, ShareConsumerSpec};
use engine::share::AcknowledgeType;
use engine::{Command, Duration, Outcome};
use serde_json::{Map, Value, json};

use super::compare;
use super::play::Play;
use crate::conform::groups::{errors, text as tool_text};
use crate::conform::strict::{Step, number, settings, text};

/// The producer of `produce` steps.
const PRODUCER: &str = "recorder";

/// A poll that returned nothing was repeated so long where records were expected.
const POLLED_MAX: Duration = Duration::from_secs(120);

impl Play<'_> {
    /// Carries out a step and compares what came of it.
    pub fn perform(&mut self, step: &Step) -> Result<(), String> {
        let arguments = &step.arguments;
        match step.verb.as_str() {
            "join" => self.join(arguments),
            "produce" => self.produce(arguments),
            "wait" => {
                let until = self.timeline.now() + Duration::from_millis(number(arguments, "ms")?);
                self.timeline.advance_to(until);
                Ok(())
            }
            "poll" => self.poll(arguments),
            "acknowledge" => self.acknowledge(arguments),
            "commit_sync" => self.commit(arguments),
            "close" => {
                let outcome = self.act(Command::CloseConsumer { consumer: member(arguments)?, operation: None })?;
                compare::call(arguments, &outcome, json!("ok"))
            }
            "describe" => compare::group(arguments, &self.timeline.snapshot(0), &self.recording.group),
            "cli" => {
                let printed = console::run(&mut self.timeline, text(arguments, "command")?);
                let members = compare::member_ids(&self.timeline.snapshot(0), &self.recording.group);
                let shown = compare::without_ids(&tool_text::printed(&printed), &members);
                let wanted = tool_text::comparable(text(arguments, "text")?);
                match tool_text::difference(&compare::with_ids_named(&wanted, &shown), &shown) {
                    Some(difference) => Err(difference),
                    None => Ok(()),
                }
            }
            _ => Err("unknown verb".to_owned()),
        }
    }

    fn join(&mut self, arguments: &Value) -> Result<(), String> {
        let mut configs = settings(&self.recording.configs["member_defaults"]);
        configs.extend(settings(&arguments["configs"]));
        configs.insert("group.id".to_owned(), self.recording.group.clone());
        let outcome = self.act(Command::ShareConsumer(ShareConsumerSpec {
            name: member(arguments)?,
            subscribe: self.recording.topics.iter().map(|(name, _)| name.clone()).collect(),
            configs,
            member_id: arguments["member_id"].as_str().map(str::to_owned),
            is_manual: true,
            ..ShareConsumerSpec::default()
        }))?;
        outcome.error.map_or(Ok(()), |error| Err(error.to_string()))
    }

    fn produce(&mut self, arguments: &Value) -> Result<(), String> {
        if !self.has_producer {
            self.has_producer = true;
            self.act(Command::Producer(ProducerSpec {
                name: PRODUCER.to_owned(),
                client: "java".to_owned(),
                configs: BTreeMap::new(),
                workload: None,
                metadata_age: None,
                random_start: None,
                only: Vec::new(),
            }))?;
        }
        let place = partition(arguments)?;
        for index in 0..number(arguments, "count")? {
            let sent = Command::Send {
                producer: PRODUCER.to_owned(),
                topic: place.topic.to_string(),
                key: None,
                key_encoding: None,
                value: Some(format!("v{index}")),
                value_encoding: None,
                value_bytes: None,
                partition: i32::try_from(place.partition).ok(),
                timestamp_ms: None,
                headers: Vec::new(),
            };
            self.timeline.submit(sent).map_err(|error| error.to_string())?;
        }
        let outcome = self.act(Command::Flush { producer: PRODUCER.to_owned(), timeout_ms: None })?;
        outcome.error.map_or(Ok(()), |error| Err(error.to_string()))
    }

    /// Polls until everything that was recorded is there; where nothing was, for the whole time.
    fn poll(&mut self, arguments: &Value) -> Result<(), String> {
        let consumer = member(arguments)?;
        let timeout = number(arguments, "timeout_ms")?;
        let timeout_ms = Some(u32::try_from(timeout).map_err(|_| "timeout_ms is too large")?);
        if !arguments["error"].is_null() {
            let outcome = self.act(Command::SharePoll { consumer, timeout_ms })?;
            return compare::failure(arguments, &outcome);
        }
        let wanted = compare::recorded(arguments)?;
        let until = self.timeline.now() + POLLED_MAX;
        loop {
            let surplus = self.surplus.entry(consumer.clone()).or_default();
            if compare::holds(surplus, &wanted) && !wanted.is_empty() {
                break;
            }
            // An explicit member may not poll before it has said something of everything that it has.
            if !surplus.is_empty() || self.timeline.now() >= until {
                break;
            }
            let command = Command::SharePoll { consumer: consumer.clone(), timeout_ms };
            let outcome = self.act(command)?;
            if let Some(error) = outcome.error {
                return Err(format!("poll failed with {}", shown(&error)));
            }
            let is_empty = outcome.delivered.is_empty();
            self.surplus.entry(consumer.clone()).or_default().extend(outcome.delivered);
            if wanted.is_empty() && is_empty {
                return Ok(());
            }
        }
        let surplus = self.surplus.entry(consumer).or_default();
        compare::take(surplus, &wanted)
    }

    fn acknowledge(&mut self, arguments: &Value) -> Result<(), String> {
        let place = partition(arguments)?;
        let said = match text(arguments, "type")? {
            "ACCEPT" => AcknowledgeType::Accept,
            "RELEASE" => AcknowledgeType::Release,
            "REJECT" => AcknowledgeType::Reject,
            "RENEW" => AcknowledgeType::Renew,
            other => return Err(format!("unknown type {other:?}")),
        };
        let outcome = self.act(Command::Acknowledge {
            consumer: member(arguments)?,
            topic: place.topic.to_string(),
            partition: place.partition,
            offset: number(arguments, "offset")?,
            acknowledgement: Some(said),
        })?;
        compare::call(arguments, &outcome, json!("ok"))
    }

    fn commit(&mut self, arguments: &Value) -> Result<(), String> {
        let outcome = self.act(Command::CommitSync { consumer: member(arguments)?, offsets: None })?;
        let result = committed(&outcome);
        compare::call(arguments, &outcome, result)
    }
}

/// What `commitSync` returned: by partition, an exception or none.
fn committed(outcome: &Outcome) -> Value {
    let result = |one: &engine::command::PartitionOutcome| {
        let result = one.error.as_ref().map_or_else(|| "ok".to_owned(), shown);
        (format!("{}-{}", one.partition.topic, one.partition.partition), Value::from(result))
    };
    outcome.partitions.iter().map(result).collect::<Map<_, _>>().into()
}

/// Class and message of an exception.
pub(super) fn shown(error: &engine::KafkaError) -> String {
    let fields = errors::thrown(error);
    let field = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
    format!("{}: {}", field("error"), field("message"))
}

fn member(arguments: &Value) -> Result<String, String> {
    text(arguments, "member").map(str::to_owned)
}

fn partition(arguments: &Value) -> Result<TopicPartition, String> {
    let name = text(arguments, "partition")?;
    let (topic, partition) = TopicPartition::split(name).ok_or_else(|| format!("{name:?} is no partition"))?;
    Ok(TopicPartition { topic: topic.into(), partition })
}
