//! Commands: checked against the present state, then handed to the nodes they are for.
//!
//! When a command was given is the timeline's business.

use std::rc::Rc;

use super::Simulation;
use crate::client::producer::{Outgoing, Producer};
use crate::command::Command;
use crate::controller::shared_configs;
use crate::error::{InputError, KafkaError};
use crate::event::{Event, EventKind, Moment, Name};
use crate::limits::{PRODUCERS_MAX, TIME_MAX};
use crate::message::{AdminRequest, NewTopic};
use crate::outbox::Outbox;
use crate::queue::{Body, Target, Timer};
use crate::scenario::plan::encode_key;
use crate::scenario::{ProducerPlan, WorkloadPlan};
use crate::snapshot::ProducerState;

/// A command with its names resolved.
enum Act {
    Admin(AdminRequest),
    Start(Rc<ProducerPlan>),
    Send(u32, Outgoing),
    Flush(u32),
    Close(u32),
    SetWorkload(u32, Option<Rc<WorkloadPlan>>),
    Disconnect(u32),
}

impl Simulation {
    /// Applies a command now. A command that makes no sense is refused and nothing changes; what Kafka
    /// refuses is told by events and the outcome.
    pub fn act(&mut self, number: u64, command: &Command, trace: &mut Vec<Event>) -> Result<(), InputError> {
        let act = self.resolve(number, command)?;
        self.moment = Moment { time: self.moment.time, sequence: self.moment.sequence + 1 };
        let mut outbox = Outbox { moment: self.moment, cause: None, post: &mut self.post, trace };
        outbox.emit_cause(EventKind::CommandApplied { number, command: Rc::new(command.clone()) });
        match act {
            Act::Admin(request) => self.admin.request(request, number, &mut outbox),
            Act::Send(producer, outgoing) => {
                let producer = &mut self.producers[producer as usize];
                producer.send(outgoing, &mut outbox);
                producer.run(&mut outbox);
            }
            Act::Flush(producer) => self.producers[producer as usize].flush(number, &mut outbox),
            Act::Close(producer) => self.producers[producer as usize].close(Some(number), &mut outbox),
            Act::SetWorkload(producer, workload) => {
                self.producers[producer as usize].set_workload(workload, &mut outbox);
                outbox.finish(number, Ok(None));
            }
            Act::Disconnect(producer) => {
                self.producers[producer as usize].disconnect(&mut outbox);
                outbox.finish(number, Ok(None));
            }
            Act::Start(plan) => {
                outbox.finish(number, Ok(None));
                self.replace_producer(plan, trace);
            }
        }
        Ok(())
    }

    /// A command that no longer makes sense, on a scenario that has changed: it is told, and nothing else
    /// happens.
    pub(crate) fn pass_over(&mut self, number: u64, command: &Command, trace: &mut Vec<Event>) {
        let reason = self.resolve(number, command).err().map_or_else(String::new, |error| error.to_string());
        self.moment = Moment { time: self.moment.time, sequence: self.moment.sequence + 1 };
        let mut outbox = Outbox { moment: self.moment, cause: None, post: &mut self.post, trace };
        outbox.emit_cause(EventKind::CommandApplied { number, command: Rc::new(command.clone()) });
        outbox.finish(number, Err(KafkaError::new("NOT_APPLICABLE", "", reason)));
    }

    /// Adds a producer that starts at this instant.
    pub(super) fn add_producer(&mut self, plan: Rc<ProducerPlan>) -> u32 {
        let number = self.producers.len() as u32;
        self.producers.push(Producer::new(number, plan, self.plan.seed));
        self.post.queue.push(self.moment.time, Target::Producer(number), Body::Timer(Timer::Start));
        number
    }

    /// A service is deployed again: its old instance closes, the new one remembers where keys went.
    fn replace_producer(&mut self, plan: Rc<ProducerPlan>, trace: &mut Vec<Event>) {
        let before = self.find_producer(&plan.name);
        let new = self.add_producer(plan);
        if let Some(before) = before {
            let mut outbox = Outbox { moment: self.moment, cause: None, post: &mut self.post, trace };
            let keys = Rc::clone(&self.producers[before as usize].keys);
            self.producers[before as usize].close(None, &mut outbox);
            self.producers[new as usize].keys = keys;
        }
    }

    /// The newest instance of that name.
    fn find_producer(&self, name: &str) -> Option<u32> {
        self.producers.iter().rev().find(|producer| *producer.plan.name == *name).map(|producer| producer.number)
    }

    fn producer(&self, name: &str) -> Result<u32, InputError> {
        let found = self.find_producer(name).ok_or_else(|| {
            let names: Vec<&str> = self.producers.iter().map(|producer| &*producer.plan.name).collect();
            let known = if names.is_empty() {
                "There is none yet.".to_string()
            } else {
                format!("There are {}.", names.join(", "))
            };
            InputError::new("command.unknown_producer", format!("There is no producer \"{name}\"."))
                .at("producer")
                .hint(known)
        })?;
        Ok(found)
    }

    fn resolve(&self, number: u64, command: &Command) -> Result<Act, InputError> {
        if self.moment.time >= TIME_MAX {
            return Err(InputError::new("command.too_late", "A simulation runs for at most 30 days."));
        }
        Ok(match command {
            Command::CreateTopic { topic, partitions, replication_factor, assignment, configs } => {
                Act::Admin(AdminRequest::CreateTopic(NewTopic {
                    name: topic.as_str().into(),
                    partitions: partitions.unwrap_or(-1),
                    replication_factor: replication_factor.unwrap_or(-1),
                    assignment: assignment.clone(),
                    configs: shared_configs(configs),
                }))
            }
            Command::CreatePartitions { topic, partitions, assignment } => Act::Admin(AdminRequest::CreatePartitions {
                topic: topic.as_str().into(),
                partitions: *partitions,
                assignment: assignment.clone(),
            }),
            Command::DeleteTopic { topic } => Act::Admin(AdminRequest::DeleteTopic { topic: topic.as_str().into() }),
            Command::Producer(spec) => {
                if self.producers.len() >= PRODUCERS_MAX as usize {
                    let text = format!("A run holds {PRODUCERS_MAX} producer instances at most.");
                    return Err(InputError::new("command.too_many", text));
                }
                Act::Start(Rc::new(ProducerPlan::new(spec, "producer")?))
            }
            Command::Send {
                producer,
                topic,
                key,
                key_encoding,
                value,
                value_bytes,
                partition,
                timestamp_ms,
                headers,
            } => {
                let key = match key {
                    Some(text) => Some((encode_key(text, key_encoding.as_deref(), "key")?, Name::from(text.as_str()))),
                    None => None,
                };
                if topic.is_empty() {
                    return Err(InputError::new("command.topic", "A record needs a topic.").at("topic"));
                }
                Act::Send(
                    self.producer(producer)?,
                    Outgoing {
                        topic: topic.as_str().into(),
                        key,
                        value_size: value_bytes.unwrap_or(value.as_ref().map_or(0, |value| value.len() as u32)),
                        // A value of a given size without text is still a value, not a tombstone.
                        value: match value_bytes {
                            Some(size) => Some(format!("{size} bytes").into()),
                            None => value.as_ref().map(|value| crate::scenario::plan::shown(value)),
                        },
                        partition: *partition,
                        timestamp: *timestamp_ms,
                        headers: (!headers.is_empty()).then(|| {
                            headers.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect()
                        }),
                        command: Some(number),
                    },
                )
            }
            Command::Flush { producer } => Act::Flush(self.running(producer)?),
            Command::Close { producer } => Act::Close(self.running(producer)?),
            Command::SetWorkload { producer, workload } => {
                let plan = workload
                    .as_ref()
                    .map(|workload| WorkloadPlan::new(workload, "workload").map(Rc::new))
                    .transpose()?;
                Act::SetWorkload(self.running(producer)?, plan)
            }
            Command::Disconnect { producer } => Act::Disconnect(self.running(producer)?),
            _ => return Err(InputError::new("command.later", "This is not simulated yet.")),
        })
    }

    fn running(&self, name: &str) -> Result<u32, InputError> {
        let number = self.producer(name)?;
        if self.producers[number as usize].state == ProducerState::Closed {
            let text = format!("The producer \"{name}\" is closed.");
            return Err(InputError::new("command.closed_producer", text).at("producer").hint("Start it again first."));
        }
        Ok(number)
    }
}
