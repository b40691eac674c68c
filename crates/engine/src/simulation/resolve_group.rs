//! Which consumers, partitions and groups a command names, or why it makes no sense.
//!
//! Nothing here changes anything.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Simulation;
use super::resolve::{Act, GroupAct};
use crate::client::consumer_call::{ConsumerCall, Membership, Topics};
use crate::command::Command;
use crate::error::InputError;
use crate::event::{Name, TopicPartition};
use crate::limits::CONSUMERS_MAX;
use crate::scenario::{ConsumerPlan, ConsumerSpec, Refusal};

impl Simulation {
    /// A consumer that is to start. One of its name must have ended. What Kafka's constructor throws is data.
    pub(super) fn resolve_consumer(&self, spec: &ConsumerSpec) -> Result<Act, InputError> {
        let before = self.find_reader(&spec.name).map(|number| &self.readers[number as usize]);
        let share = self.find_share(&spec.name).map(|number| &self.shares[number as usize]);
        if share.is_some_and(|share| !share.has_ended()) || before.is_some_and(|reader| !reader.has_ended()) {
            let text = format!("There is a consumer \"{}\" already.", spec.name);
            return Err(InputError::new("command.consumer_state", text).at("name").hint("Close it first."));
        }
        if self.readers.len() >= CONSUMERS_MAX as usize {
            let text = format!("A run holds {CONSUMERS_MAX} consumer instances at most.");
            return Err(InputError::new("command.too_many", text).at("name"));
        }
        match ConsumerPlan::started(spec, "consumer", self.plan.seed) {
            Ok((plan, thrown)) => Ok(Act::StartConsumer(Rc::new(plan), thrown)),
            Err(Refusal::Constructor(error, _)) => Ok(Act::RefuseConsumer(*error)),
            Err(Refusal::Input(error)) => Err(error),
        }
    }

    /// The newest consumer of that name.
    pub(super) fn find_reader(&self, name: &str) -> Option<u32> {
        self.readers.iter().rposition(|reader| *reader.plan.name == *name).map(|number| number as u32)
    }

    /// Resolves a command for a consumer or a group.
    pub(super) fn resolve_group(&self, command: &Command) -> Result<Act, InputError> {
        let (name, call) = match command {
            Command::Subscribe { consumer, topics, pattern, re2j } => {
                (consumer, ConsumerCall::Subscribe(subscription(topics, pattern.as_deref(), re2j.as_deref())?))
            }
            Command::Unsubscribe { consumer } => (consumer, ConsumerCall::Unsubscribe),
            Command::Assign { consumer, partitions } => (consumer, ConsumerCall::Assign(named(partitions)?)),
            Command::CommitSync { consumer, offsets } => (consumer, ConsumerCall::CommitSync(some(offsets.as_ref())?)),
            Command::CommitAsync { consumer, offsets } => {
                (consumer, ConsumerCall::CommitAsync(some(offsets.as_ref())?))
            }
            Command::SeekToBeginning { consumer, partitions } => {
                (consumer, ConsumerCall::SeekToBeginning(named(partitions)?))
            }
            Command::SeekToEnd { consumer, partitions } => (consumer, ConsumerCall::SeekToEnd(named(partitions)?)),
            Command::Pause { consumer, partitions } => (consumer, ConsumerCall::Pause(named(partitions)?)),
            Command::Resume { consumer, partitions } => (consumer, ConsumerCall::Resume(named(partitions)?)),
            Command::EnforceRebalance { consumer } => (consumer, ConsumerCall::EnforceRebalance),
            Command::CloseConsumer { consumer, operation } => {
                (consumer, ConsumerCall::Close(membership(operation.as_deref())?))
            }
            Command::SlowCallback { consumer, callback, time } => {
                (consumer, ConsumerCall::SlowCallback(*callback, *time))
            }
            Command::SetProcessing { consumer, time } => (consumer, ConsumerCall::SetProcessing(*time)),
            other => return resolve_admin(other).map(Act::Group),
        };
        Ok(Act::Consume(self.reader(name)?, call))
    }
}

/// What an Admin client asks of a group's coordinator.
fn resolve_admin(command: &Command) -> Result<GroupAct, InputError> {
    Ok(match command {
        Command::AlterConsumerGroupOffsets { group, offsets } => {
            GroupAct::AlterOffsets { group: shared(group), offsets: positions(offsets)? }
        }
        Command::DeleteConsumerGroupOffsets { group, partitions } => {
            GroupAct::DeleteOffsets { group: shared(group), partitions: named(partitions)? }
        }
        Command::AlterShareGroupOffsets { group, offsets } => {
            GroupAct::AlterShareOffsets { group: shared(group), offsets: positions(offsets)? }
        }
        Command::DeleteShareGroupOffsets { group, topics } => {
            let topics = topics.iter().map(|topic| shared(topic)).collect();
            GroupAct::DeleteShareOffsets { group: shared(group), topics }
        }
        Command::DeleteConsumerGroup { group } => GroupAct::Delete { group: shared(group) },
        Command::RemoveMembers { group, instances } => {
            GroupAct::RemoveMembers { group: shared(group), instances: instances.iter().map(|id| shared(id)).collect() }
        }
        other => unreachable!("{other:?} is not for a group"),
    })
}

fn shared(text: &str) -> Name {
    text.into()
}

fn subscription(topics: &[String], pattern: Option<&str>, re2j: Option<&str>) -> Result<Topics, InputError> {
    match (topics, pattern, re2j) {
        (topics, None, None) => Ok(Topics::Named(topics.iter().map(|topic| shared(topic)).collect())),
        ([], Some(pattern), None) => Ok(Topics::Pattern(pattern.into())),
        ([], None, Some(re2j)) => Ok(Topics::Re2j(re2j.into())),
        _ => {
            let text = "A consumer subscribes to topics or by one pattern, not to several of these at once.";
            Err(InputError::new("command.subscription", text).at("topics"))
        }
    }
}

/// Partitions out of names such as `orders-0`.
fn named(names: &[String]) -> Result<Vec<TopicPartition>, InputError> {
    names.iter().map(|name| partition(name)).collect()
}

fn partition(name: &str) -> Result<TopicPartition, InputError> {
    let (topic, partition) = TopicPartition::split(name).ok_or_else(|| {
        let text = format!("\"{name}\" is not the name of a partition.");
        InputError::new("command.partition", text).at("partitions").hint("Write topic and number, such as orders-0.")
    })?;
    Ok(TopicPartition { topic: Rc::from(topic), partition })
}

fn some(offsets: Option<&BTreeMap<String, u64>>) -> Result<Option<Vec<(TopicPartition, u64)>>, InputError> {
    offsets.map(positions).transpose()
}

fn positions(offsets: &BTreeMap<String, u64>) -> Result<Vec<(TopicPartition, u64)>, InputError> {
    offsets.iter().map(|(name, offset)| Ok((partition(name)?, *offset))).collect()
}

fn membership(operation: Option<&str>) -> Result<Membership, InputError> {
    match operation {
        None | Some("DEFAULT") => Ok(Membership::Default),
        Some("LEAVE_GROUP") => Ok(Membership::LeaveGroup),
        Some("REMAIN_IN_GROUP") => Ok(Membership::RemainInGroup),
        Some(other) => Err(InputError::new("command.operation", format!("There is no operation \"{other}\"."))
            .at("operation")
            .hint("Write DEFAULT, LEAVE_GROUP or REMAIN_IN_GROUP.")),
    }
}
