//! Which nodes and partitions a command names, or why it makes no sense.
//!
//! Nothing here changes anything.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Simulation;
use super::clients::ProcessFault;
use crate::client::admin::check_request;
use crate::client::consumer_call::ConsumerCall;
use crate::client::producer::Outgoing;
use crate::client::producer::calls::{Calling, OffsetsToSend};
use crate::client::producer::serializing::java_class;
use crate::client::producer::settings::Dialect;
use crate::client::share_consumer::ShareCall;
use crate::command::{Command, PartitionName, RawRequest};
use crate::controller::shared_configs;
use crate::error::{InputError, KafkaError};
use crate::event::{LinkState, Name, NodeId, TopicPartition};
use crate::limits::{PRODUCERS_MAX, TIME_MAX};
use crate::message::{AdminRequest, ConfigResource, NewTopic};
use crate::queue::Target;
use crate::scenario::plan::encode_key;
use crate::scenario::{ConsumerPlan, ProducerPlan, ShareConsumerPlan, WorkloadPlan};
use crate::snapshot::{BrokerState, ClientProcess, ProducerState};
use crate::time::Duration;

/// A command with its names resolved: producers and brokers by their numbers.
pub(super) enum Act {
    Admin(AdminRequest),
    Raw(RawRequest),
    Start(Rc<ProducerPlan>),
    Call(u32, Calling),
    SetWorkload(u32, Option<Rc<WorkloadPlan>>),
    Disconnect(u32),
    Client(Target, ProcessFault),
    Purge(u32, bool),
    Poll(u32),
    SetPolling(u32, bool),
    StartBroker(u32),
    StopBroker(u32),
    KillBroker(u32),
    PauseBroker(u32),
    ResumeBroker(u32),
    SetLink(End, End, LinkState),
    SlowDisk(u32, Duration),
    SetBatchTime(Duration, bool),
    HoldFetches(u32),
    FetchOnce(u32),
    ReleaseFetches(u32),
    RollSegment(TopicPartition),
    CleanLog(TopicPartition),
    Seek(u32, TopicPartition, u64),
    StopPoll(u32),
    ResumePoll(u32),
    /// With what its `subscribe` throws.
    StartConsumer(Rc<ConsumerPlan>, Option<KafkaError>),
    /// Its constructor throws.
    RefuseConsumer(KafkaError),
    Consume(u32, ConsumerCall),
    StartShare(Rc<ShareConsumerPlan>),
    Share(u32, ShareCall),
    StopShare(u32),
    ResumeShare(u32),
    Group(GroupAct),
}

/// What an Admin client asks of a group's coordinator.
#[derive(Clone, Debug)]
pub(crate) enum GroupAct {
    AlterOffsets { group: Name, offsets: Vec<(TopicPartition, u64)> },
    DeleteOffsets { group: Name, partitions: Vec<TopicPartition> },
    Delete { group: Name },
    AlterShareOffsets { group: Name, offsets: Vec<(TopicPartition, u64)> },
    DeleteShareOffsets { group: Name, topics: Vec<Name> },
    RemoveMembers { group: Name, instances: Vec<Name> },
}

/// One end of a link.
pub(super) struct End {
    pub node: NodeId,
    /// The broker's number, if it is one.
    pub broker: Option<u32>,
}

impl Simulation {
    /// Resolves a command.
    pub(super) fn resolve(&self, number: u64, command: &Command) -> Result<Act, InputError> {
        if self.moment.time >= TIME_MAX {
            return Err(InputError::new("command.too_late", "A simulation runs for at most 30 days."));
        }
        if let Some(act) = self.resolve_share(command) {
            return act;
        }
        match command {
            Command::ShareConsumer(spec) => self.resolve_share_consumer(spec),
            Command::CreateTopic { .. }
            | Command::CreatePartitions { .. }
            | Command::DeleteTopic { .. }
            | Command::AlterTopicConfig { .. }
            | Command::AlterConfigs { .. }
            | Command::AlterGroupConfigs { .. }
            | Command::Reassign { .. }
            | Command::CancelReassignment { .. }
            | Command::ElectLeaders { .. } => resolve_admin(command).map(Act::Admin),
            Command::DeleteRecords { topic, partition, before_offset } => {
                let partition = self.named_partition(topic, *partition)?;
                let before_offset = *before_offset;
                Ok(Act::Admin(AdminRequest::DeleteRecords { partition, before_offset }))
            }
            Command::Request(request) => {
                check_request(request)?;
                if let RawRequest::Produce { partition, .. } | RawRequest::AbortPartition { partition, .. } = request {
                    self.named_partition(&partition.topic, partition.partition)?;
                }
                Ok(Act::Raw(request.clone()))
            }
            Command::Producer(_)
            | Command::Send { .. }
            | Command::PartitionsFor { .. }
            | Command::Flush { .. }
            | Command::Close { .. }
            | Command::InitTransactions { .. }
            | Command::BeginTransaction { .. }
            | Command::CommitTransaction { .. }
            | Command::AbortTransaction { .. }
            | Command::SendOffsetsToTransaction { .. }
            | Command::SetWorkload { .. }
            | Command::Purge { .. }
            | Command::Poll { .. }
            | Command::Disconnect { .. } => self.resolve_producer(number, command),
            Command::Freeze { .. } | Command::Thaw { .. } | Command::Crash { .. } => self.resolve_client(command),
            Command::Consumer(spec) => self.resolve_consumer(spec),
            Command::Subscribe { .. }
            | Command::Unsubscribe { .. }
            | Command::Assign { .. }
            | Command::CommitSync { .. }
            | Command::CommitAsync { .. }
            | Command::SeekToBeginning { .. }
            | Command::SeekToEnd { .. }
            | Command::Pause { .. }
            | Command::Resume { .. }
            | Command::EnforceRebalance { .. }
            | Command::CloseConsumer { .. }
            | Command::SlowCallback { .. }
            | Command::SetProcessing { .. }
            | Command::AlterConsumerGroupOffsets { .. }
            | Command::DeleteConsumerGroupOffsets { .. }
            | Command::DeleteConsumerGroup { .. }
            | Command::RemoveMembers { .. }
            | Command::AlterShareGroupOffsets { .. }
            | Command::DeleteShareGroupOffsets { .. } => self.resolve_group(command),
            _ => self.resolve_fault(command),
        }
    }

    fn resolve_producer(&self, number: u64, command: &Command) -> Result<Act, InputError> {
        Ok(match command {
            Command::Producer(spec) => {
                if self.producers.len() >= PRODUCERS_MAX as usize {
                    let text = format!("A run holds {PRODUCERS_MAX} producer instances at most.");
                    return Err(InputError::new("command.too_many", text));
                }
                Act::Start(Rc::new(ProducerPlan::new(spec, "producer")?))
            }
            Command::Send { producer, .. } => {
                let producer = self.alive(producer)?;
                let outgoing = outgoing(number, command)?;
                // librdkafka leaves it to the broker to refuse a topic without a name.
                if outgoing.topic.is_empty() && self.producers[producer as usize].librdkafka.is_none() {
                    return Err(InputError::new("command.topic", "A record needs a topic.").at("topic"));
                }
                Act::Call(producer, Calling::Send(outgoing))
            }
            Command::PartitionsFor { producer, topic } => {
                Act::Call(self.running(producer)?, Calling::PartitionsFor(topic.as_str().into()))
            }
            Command::Flush { producer, .. } => Act::Call(self.flushable(producer)?, Calling::Flush),
            Command::Close { producer, timeout_ms } => {
                let timeout = timeout_ms.map(|millis| Duration::from_millis(u64::from(millis)));
                Act::Call(self.flushable(producer)?, Calling::Close(timeout))
            }
            // Kafka's own exception tells a closed producer.
            Command::InitTransactions { producer, .. } => Act::Call(self.alive(producer)?, Calling::InitTransactions),
            Command::BeginTransaction { producer } => Act::Call(self.alive(producer)?, Calling::BeginTransaction),
            Command::CommitTransaction { producer, .. } => Act::Call(self.alive(producer)?, Calling::CommitTransaction),
            Command::AbortTransaction { producer, .. } => Act::Call(self.alive(producer)?, Calling::AbortTransaction),
            Command::SendOffsetsToTransaction { producer, .. } => {
                Act::Call(self.alive(producer)?, Calling::SendOffsets(offsets_to_send(command)?))
            }
            Command::SetWorkload { producer, workload } => {
                let plan = workload
                    .as_ref()
                    .map(|workload| WorkloadPlan::new(workload, "workload").map(Rc::new))
                    .transpose()?;
                let number = self.awake(producer)?;
                if let Some(plan) = &plan {
                    let settings = &self.producers[number as usize].plan.settings;
                    plan.check_producer(settings.transactional_id.is_some(), "workload")?;
                }
                Act::SetWorkload(number, plan)
            }
            Command::Purge { producer, in_flight } => Act::Purge(self.polled(producer)?, in_flight.unwrap_or(true)),
            Command::Poll { producer } => Act::Poll(self.polled(producer)?),
            Command::Disconnect { producer } => Act::Disconnect(self.awake(producer)?),
            other => unreachable!("{other:?} is not for a producer"),
        })
    }

    fn resolve_fault(&self, command: &Command) -> Result<Act, InputError> {
        use BrokerState::{Paused, Running, ShuttingDown, Stopped};
        Ok(match command {
            Command::StartBroker { broker } => Act::StartBroker(self.broker_in(*broker, &[Stopped])?),
            Command::StopBroker { broker } => Act::StopBroker(self.broker_in(*broker, &[Running])?),
            Command::KillBroker { broker } => {
                Act::KillBroker(self.broker_in(*broker, &[Running, ShuttingDown, Paused])?)
            }
            Command::PauseBroker { broker } => Act::PauseBroker(self.broker_in(*broker, &[Running, ShuttingDown])?),
            Command::ResumeBroker { broker } => Act::ResumeBroker(self.broker_in(*broker, &[Paused])?),
            Command::CutLink { from, to } => self.link(from, to, LinkState::Cut)?,
            Command::HealLink { from, to } => self.link(from, to, LinkState::Whole)?,
            Command::SlowLink { from, to, delay } => {
                let state = if *delay == Duration::ZERO { LinkState::Whole } else { LinkState::Slow { delay: *delay } };
                self.link(from, to, state)?
            }
            Command::SlowDisk { broker, time } => Act::SlowDisk(self.broker_number(*broker)?, *time),
            Command::SetBatchTime { time, is_stalled } => Act::SetBatchTime(time.unwrap_or_default(), *is_stalled),
            Command::HoldFetches { broker } => Act::HoldFetches(self.broker_in(*broker, &[Running])?),
            Command::FetchOnce { broker } => Act::FetchOnce(self.held_broker(*broker)?),
            Command::ReleaseFetches { broker } => Act::ReleaseFetches(self.held_broker(*broker)?),
            Command::RollSegment { topic, partition } => Act::RollSegment(self.named_partition(topic, *partition)?),
            Command::CleanLog { topic, partition } => Act::CleanLog(self.named_partition(topic, *partition)?),
            Command::Seek { consumer, topic, partition, offset } => {
                let reader = self.reader(consumer)?;
                if self.readers[reader as usize].is_consumer() {
                    let partition = TopicPartition { topic: topic.as_str().into(), partition: *partition };
                    return Ok(Act::Consume(reader, ConsumerCall::Seek(partition, *offset)));
                }
                let partition = self.named_partition(topic, *partition)?;
                if !self.readers[reader as usize].is_assigned(&partition) {
                    let text = format!("The reader \"{consumer}\" does not read {partition}.");
                    return Err(InputError::new("command.not_assigned", text).at("partition"));
                }
                Act::Seek(reader, partition, *offset)
            }
            Command::StopPoll { consumer } if self.is_polled(consumer) => {
                Act::SetPolling(self.polled(consumer)?, false)
            }
            Command::ResumePoll { consumer } if self.is_polled(consumer) => {
                Act::SetPolling(self.polled(consumer)?, true)
            }
            Command::StopPoll { consumer } => match self.find_share(consumer) {
                Some(share) => Act::StopShare(share),
                None => Act::StopPoll(self.reader(consumer)?),
            },
            Command::ResumePoll { consumer } => match self.find_share(consumer) {
                Some(share) => Act::ResumeShare(share),
                None => Act::ResumePoll(self.reader(consumer)?),
            },
            other => {
                let text = format!("{other:?} is not simulated yet.");
                return Err(InputError::new("command.unsupported", text).at("do"));
            }
        })
    }

    /// The newest instance of that name.
    pub(super) fn find_producer(&self, name: &str) -> Option<u32> {
        self.producers.iter().rev().find(|producer| *producer.plan.name == *name).map(|producer| producer.number)
    }

    fn producer(&self, name: &str) -> Result<u32, InputError> {
        self.find_producer(name).ok_or_else(|| {
            let names: Vec<&str> = self.producers.iter().map(|producer| &*producer.plan.name).collect();
            let text = format!("There is no producer \"{name}\".");
            InputError::new("command.unknown_producer", text).at("producer").hint(known(&names))
        })
    }

    /// A producer whose process has not died.
    fn alive(&self, name: &str) -> Result<u32, InputError> {
        let number = self.producer(name)?;
        if self.producers[number as usize].process == ClientProcess::Crashed {
            let text = format!("The process of the producer \"{name}\" has died.");
            return Err(InputError::new("command.client_state", text).at("producer").hint("Start it again first."));
        }
        Ok(number)
    }

    pub(super) fn running(&self, name: &str) -> Result<u32, InputError> {
        let number = self.alive(name)?;
        if self.producers[number as usize].state == ProducerState::Closed {
            let text = format!("The producer \"{name}\" is closed.");
            return Err(InputError::new("command.closed_producer", text).at("producer").hint("Start it again first."));
        }
        Ok(number)
    }

    /// A producer that may be flushed and closed: the Java client's also once it is closed, to no effect.
    fn flushable(&self, name: &str) -> Result<u32, InputError> {
        let number = self.alive(name)?;
        let is_java = self.producers[number as usize].plan.dialect == Dialect::Java;
        if is_java { Ok(number) } else { self.running(name) }
    }

    /// A producer whose process does something.
    fn awake(&self, name: &str) -> Result<u32, InputError> {
        let number = self.running(name)?;
        if self.producers[number as usize].process == ClientProcess::Frozen {
            let text = format!("The producer \"{name}\" stands still.");
            return Err(InputError::new("command.client_state", text).at("producer").hint("Let it go on first."));
        }
        Ok(number)
    }

    /// Whether a producer of that name has an application that polls.
    fn is_polled(&self, name: &str) -> bool {
        self.find_producer(name).is_some_and(|number| self.producers[number as usize].is_polled())
    }

    /// A producer whose application polls: one of librdkafka.
    fn polled(&self, name: &str) -> Result<u32, InputError> {
        let number = self.awake(name)?;
        if !self.producers[number as usize].is_polled() {
            let text = format!("The library of the producer \"{name}\" has no such call.");
            let hint = "It is a call of librdkafka and its bindings.";
            return Err(InputError::new("command.no_such_call", text).at("producer").hint(hint));
        }
        Ok(number)
    }

    pub(super) fn reader(&self, name: &str) -> Result<u32, InputError> {
        self.find_reader(name).ok_or_else(|| {
            let names: Vec<&str> = self.newest_readers().map(|reader| &*reader.plan.name).collect();
            let text = format!("There is no reader \"{name}\".");
            InputError::new("command.unknown_consumer", text).at("consumer").hint(known(&names))
        })
    }

    fn broker_number(&self, id: u32) -> Result<u32, InputError> {
        let found = (0..).zip(&self.brokers).find(|(_, broker)| broker.id == id);
        found.map(|(number, _)| number).ok_or_else(|| {
            let ids: Vec<String> = self.brokers.iter().map(|broker| broker.id.to_string()).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            InputError::new("command.unknown_broker", format!("There is no broker {id}."))
                .at("broker")
                .hint(known(&ids))
        })
    }

    /// A broker whose process is in one of these states.
    fn broker_in(&self, id: u32, states: &[BrokerState]) -> Result<u32, InputError> {
        let number = self.broker_number(id)?;
        let state = self.processes[number as usize].state;
        if states.contains(&state) {
            return Ok(number);
        }
        let (is, hint) = match state {
            BrokerState::Running => ("is running", "Stop, kill or pause it first."),
            BrokerState::ShuttingDown => ("is shutting down", "Wait until it has stopped, or kill it."),
            BrokerState::Paused => ("stands still", "Let it go on first."),
            BrokerState::Stopped => ("is down", "Start it first."),
        };
        Err(InputError::new("command.broker_state", format!("Broker {id} {is}.")).at("broker").hint(hint))
    }

    /// A running broker whose fetches are held.
    fn held_broker(&self, id: u32) -> Result<u32, InputError> {
        let number = self.broker_in(id, &[BrokerState::Running])?;
        if !self.brokers[number as usize].fetches_held {
            let text = format!("Broker {id} fetches by itself.");
            return Err(InputError::new("command.fetches_not_held", text).at("broker").hint("Hold its fetches first."));
        }
        Ok(number)
    }

    fn named_partition(&self, topic: &str, partition: u32) -> Result<TopicPartition, InputError> {
        let topics = &self.controller.image().topics;
        let Some(image) = topics.get(topic) else {
            let names: Vec<&str> = topics.keys().map(|name| &**name).collect();
            let text = format!("There is no topic \"{topic}\".");
            return Err(InputError::new("command.unknown_topic", text).at("topic").hint(known(&names)));
        };
        let count = image.partitions.len();
        if partition as usize >= count {
            let text = format!("The topic \"{topic}\" has no partition {partition}.");
            return Err(InputError::new("command.unknown_partition", text)
                .at("partition")
                .hint(format!("Its partitions are 0 to {}.", count - 1)));
        }
        Ok(named(topic, partition))
    }

    fn link(&self, from: &str, to: &str, state: LinkState) -> Result<Act, InputError> {
        let (one, other) = (self.end(from, "from")?, self.end(to, "to")?);
        if one.node == other.node {
            let text = "A link has two different ends.";
            return Err(InputError::new("command.link", text).at("to"));
        }
        Ok(Act::SetLink(one, other, state))
    }

    /// The node of that name: `controller`, `broker-1`, a producer or a reader.
    fn end(&self, name: &str, path: &str) -> Result<End, InputError> {
        if name == "controller" {
            return Ok(End { node: NodeId::Controller, broker: None });
        }
        let id = name.strip_prefix("broker-").and_then(|id| id.parse::<u32>().ok());
        if let Some((number, broker)) = (0..).zip(&self.brokers).find(|(_, broker)| Some(broker.id) == id) {
            return Ok(End { node: broker.node(), broker: Some(number) });
        }
        if let Some(number) = self.find_producer(name) {
            return Ok(End { node: self.producers[number as usize].node(), broker: None });
        }
        if let Some(number) = self.find_reader(name) {
            return Ok(End { node: self.readers[number as usize].node(), broker: None });
        }
        if let Some(number) = self.find_share(name) {
            return Ok(End { node: self.shares[number as usize].node(), broker: None });
        }
        let text = format!("There is no node \"{name}\".");
        Err(InputError::new("command.unknown_node", text)
            .at(path)
            .hint("Write controller, broker-1, or the name of a producer or reader."))
    }
}

fn resolve_admin(command: &Command) -> Result<AdminRequest, InputError> {
    let shared = |text: &String| Name::from(text.as_str());
    Ok(match command {
        Command::CreateTopic { topic, partitions, replication_factor, assignment, configs } => {
            AdminRequest::CreateTopic(NewTopic {
                name: shared(topic),
                partitions: partitions.unwrap_or(-1),
                replication_factor: replication_factor.unwrap_or(-1),
                assignment: assignment.clone(),
                topic_id: None,
                configs: shared_configs(configs),
            })
        }
        Command::CreatePartitions { topic, partitions, assignment } => AdminRequest::CreatePartitions {
            topic: shared(topic),
            partitions: *partitions,
            assignment: assignment.clone(),
        },
        Command::DeleteTopic { topic } => AdminRequest::DeleteTopic { topic: shared(topic) },
        Command::AlterTopicConfig { topic, name, value } => AdminRequest::AlterConfigs {
            resource: ConfigResource::Topic(shared(topic)),
            changes: vec![(shared(name), value.as_ref().map(shared))],
        },
        Command::AlterConfigs { topic, broker, set, delete } => alter_configs(topic, *broker, set, delete)?,
        Command::AlterGroupConfigs { group, set, delete } => {
            AdminRequest::AlterConfigs { resource: ConfigResource::Group(shared(group)), changes: changes(set, delete) }
        }
        Command::Reassign { partitions, allow_replication_factor_change } => {
            let change =
                |it: &crate::command::Reassignment| (named(&it.topic, it.partition), Some(it.replicas.clone()));
            AdminRequest::AlterReassignments {
                changes: partitions.iter().map(change).collect(),
                allow_factor_change: allow_replication_factor_change.unwrap_or(true),
            }
        }
        Command::CancelReassignment { partitions } => AdminRequest::AlterReassignments {
            changes: partitions.iter().map(|it| (named(&it.topic, it.partition), None)).collect(),
            allow_factor_change: true,
        },
        Command::ElectLeaders { election, partitions } => AdminRequest::ElectLeaders {
            election: *election,
            partitions: partitions.as_ref().map(|list| list.iter().map(by_name).collect()),
        },
        other => unreachable!("{other:?} is no Admin request"),
    })
}

fn outgoing(number: u64, command: &Command) -> Result<Outgoing, InputError> {
    let Command::Send {
        topic,
        key,
        key_encoding,
        value,
        value_encoding,
        value_bytes,
        partition,
        timestamp_ms,
        headers,
        ..
    } = command
    else {
        unreachable!("only `send` makes records")
    };
    let key = match key {
        Some(text) => Some((encode_key(text, key_encoding.as_deref(), "key")?, Name::from(text.as_str()))),
        None => None,
    };
    let encoded_size = match (value, value_encoding) {
        (Some(value), Some(_)) => Some(encode_key(value, value_encoding.as_deref(), "value")?.len() as u32),
        (value, _) => value.as_ref().map(|value| value.len() as u32),
    };
    let given_key = key.is_some();
    Ok(Outgoing {
        topic: topic.as_str().into(),
        key,
        classes: [
            given_key.then(|| java_class(key_encoding.as_deref())),
            value.as_ref().map(|_| java_class(value_encoding.as_deref())),
        ],
        value_size: value_bytes.or(encoded_size).unwrap_or(0),
        // A value of a given size without text is still a value, not a tombstone.
        value: match value_bytes {
            Some(size) => Some(format!("{size} bytes").into()),
            None => value.as_ref().map(|value| crate::scenario::plan::shown(value)),
        },
        partition: *partition,
        timestamp: *timestamp_ms,
        headers: (!headers.is_empty())
            .then(|| headers.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect()),
        command: Some(number),
    })
}

fn offsets_to_send(command: &Command) -> Result<OffsetsToSend, InputError> {
    let Command::SendOffsetsToTransaction { group, offsets, generation, member, .. } = command else {
        unreachable!("only this call sends offsets")
    };
    let partition = |(name, offset): (&String, &u64)| match TopicPartition::split(name) {
        Some((topic, partition)) => Ok((named(topic, partition), *offset)),
        None => {
            let text = format!("\"{name}\" is no partition.");
            Err(InputError::new("command.partition", text).at("offsets").hint("Write a topic, a dash and a number."))
        }
    };
    // ConsumerGroupMetadata without a member: generation -1, an empty id.
    let has_member = generation.is_some() || member.is_some();
    let member = has_member.then(|| (generation.unwrap_or(-1), Name::from(member.as_deref().unwrap_or_default())));
    let offsets = offsets.iter().map(partition).collect::<Result<Vec<_>, _>>()?;
    Ok(OffsetsToSend { group: group.as_str().into(), offsets, member })
}

fn alter_configs(
    topic: &Option<String>,
    broker: Option<u32>,
    set: &BTreeMap<String, String>,
    delete: &[String],
) -> Result<AdminRequest, InputError> {
    let resource = match (topic, broker) {
        (Some(_), Some(_)) => {
            let text = "Settings are those of a topic or of a broker, not of both.";
            return Err(InputError::new("command.configs", text).at("broker").hint("Give one of the two."));
        }
        (Some(topic), None) => ConfigResource::Topic(topic.as_str().into()),
        (None, Some(broker)) => ConfigResource::Broker(broker),
        (None, None) => ConfigResource::Brokers,
    };
    if set.is_empty() && delete.is_empty() {
        return Err(InputError::new("command.configs", "There is no setting to change.").at("set"));
    }
    Ok(AdminRequest::AlterConfigs { resource, changes: changes(set, delete) })
}

fn changes(set: &BTreeMap<String, String>, delete: &[String]) -> Vec<(Name, Option<Name>)> {
    let set = set.iter().map(|(name, value)| (name.as_str().into(), Some(value.as_str().into())));
    let deleted = delete.iter().map(|name| (name.as_str().into(), None));
    set.chain(deleted).collect()
}

fn named(topic: &str, partition: u32) -> TopicPartition {
    TopicPartition { topic: topic.into(), partition }
}

fn by_name(name: &PartitionName) -> TopicPartition {
    named(&name.topic, name.partition)
}

/// Names that there are, as a hint.
pub(super) fn known(names: &[&str]) -> String {
    match names {
        [] => "There is none yet.".to_string(),
        [one] => format!("There is {one}."),
        many => format!("There are {}.", many.join(", ")),
    }
}
