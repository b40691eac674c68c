//! What somebody did, in a sentence.
//!
//! What came of it is told by other events.

use std::fmt;

use super::count;
use crate::command::{Command, ElectionKind, RawRequest, SCRIPT_FROM};

/// The sentence of a command: what you did, or what the scenario's script did.
pub(super) fn sentence(out: &mut fmt::Formatter<'_>, command: &Command, number: u64) -> fmt::Result {
    if number < SCRIPT_FROM {
        return given(out, command);
    }
    let given = Given(command).to_string();
    write!(out, "As planned: {}", given.strip_prefix("You ").unwrap_or(&given))
}

struct Given<'a>(&'a Command);

impl fmt::Display for Given<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        given(out, self.0)
    }
}

fn given(out: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
    match command {
        Command::CreateTopic { topic, .. } => write!(out, "You asked for a new topic {topic}."),
        Command::CreatePartitions { topic, partitions, .. } => {
            write!(out, "You asked for {partitions} partitions of {topic}.")
        }
        Command::DeleteTopic { topic } => write!(out, "You asked to delete {topic}."),
        Command::Producer(spec) => write!(out, "You started {} ({}).", spec.name, spec.client),
        Command::Send { producer, key: Some(key), .. } => write!(out, "You sent {key} with {producer}."),
        Command::PartitionsFor { producer, topic } => {
            write!(out, "You asked {producer} for the partitions of {topic}.")
        }
        Command::Send { producer, key: None, .. } => write!(out, "You sent a record without a key with {producer}."),
        Command::Flush { producer, .. } => write!(out, "You flushed {producer}."),
        Command::Close { producer, timeout_ms: None } => write!(out, "You closed {producer}."),
        Command::Close { producer, timeout_ms: Some(millis) } => {
            write!(out, "You closed {producer} with a timeout of {millis} ms.")
        }
        Command::SetWorkload { producer, workload: Some(_) } => {
            write!(out, "You gave {producer} other records to send.")
        }
        Command::SetWorkload { producer, workload: None } => write!(out, "You stopped the records of {producer}."),
        Command::Disconnect { producer } => write!(out, "You broke the connections of {producer}."),
        Command::AlterTopicConfig { topic, name, value: Some(value) } => {
            write!(out, "You set {name} of {topic} to {value}.")
        }
        Command::AlterTopicConfig { topic, name, value: None } => {
            write!(out, "You took {name} of {topic} back to its default.")
        }
        Command::AlterConfigs { topic, broker, .. } => match (topic, broker) {
            (Some(topic), _) => write!(out, "You changed settings of {topic}."),
            (None, Some(broker)) => write!(out, "You changed settings of broker {broker}."),
            (None, None) => write!(out, "You changed the default settings of all brokers."),
        },
        Command::DeleteRecords { topic, partition, before_offset: -1 } => {
            write!(out, "You asked to delete all records of {topic}-{partition}.")
        }
        Command::DeleteRecords { topic, partition, before_offset } => {
            write!(out, "You asked to delete the records of {topic}-{partition} below offset {before_offset}.")
        }
        Command::Reassign { partitions, .. } => {
            write!(out, "You asked for new replicas of {}.", count(partitions.len(), "partition"))
        }
        Command::CancelReassignment { partitions } => {
            write!(out, "You took {} back.", count(partitions.len(), "move"))
        }
        Command::ElectLeaders { election, .. } => match election {
            ElectionKind::Preferred => write!(out, "You asked for a preferred leader election."),
            ElectionKind::Unclean => write!(out, "You asked for an unclean leader election."),
        },
        other => transaction(out, other),
    }
}

/// Transactions, and what is done to the processes of clients.
fn transaction(out: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
    match command {
        Command::InitTransactions { producer, .. } => write!(out, "You called initTransactions() of {producer}."),
        Command::BeginTransaction { producer } => write!(out, "You began a transaction of {producer}."),
        Command::CommitTransaction { producer, .. } => write!(out, "You asked {producer} to commit."),
        Command::AbortTransaction { producer, .. } => write!(out, "You asked {producer} to abort."),
        Command::SendOffsetsToTransaction { producer, group, .. } => {
            write!(out, "You gave {producer} offsets of {group} for its transaction.")
        }
        Command::Purge { producer, .. } => write!(out, "You purged the queue of {producer}."),
        Command::Poll { producer } => write!(out, "You let {producer} poll."),
        Command::Freeze { client } => write!(out, "You froze {client}."),
        Command::Thaw { client } => write!(out, "You let {client} go on."),
        Command::Crash { client } => write!(out, "You crashed {client}."),
        Command::Request(request) => {
            let api = match request {
                RawRequest::InitProducerId { .. } => "InitProducerId",
                RawRequest::AddPartitionsToTxn { .. } => "AddPartitionsToTxn",
                RawRequest::EndTxn { .. } => "EndTxn",
                RawRequest::Produce { .. } => "Produce",
                RawRequest::AbortPartition { .. } => "WriteTxnMarkers",
            };
            write!(out, "You sent one {api} request.")
        }
        other => consumer(out, other),
    }
}

/// Consumers and their groups.
fn consumer(out: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
    match command {
        Command::Consumer(spec) => write!(out, "You started {}.", spec.name),
        Command::Subscribe { consumer, topics, pattern, re2j } => match (pattern, re2j) {
            (Some(pattern), _) | (_, Some(pattern)) => write!(out, "You subscribed {consumer} to {pattern}."),
            _ if topics.is_empty() => write!(out, "You subscribed {consumer} to nothing."),
            _ => write!(out, "You subscribed {consumer} to {}.", topics.join(", ")),
        },
        Command::Unsubscribe { consumer } => write!(out, "You unsubscribed {consumer}."),
        Command::Assign { consumer, partitions } => {
            write!(out, "You assigned {} to {consumer}.", partitions.join(", "))
        }
        Command::CommitSync { consumer, .. } => write!(out, "You called commitSync() of {consumer}."),
        Command::CommitAsync { consumer, .. } => write!(out, "You called commitAsync() of {consumer}."),
        Command::SeekToBeginning { consumer, .. } => write!(out, "You sent {consumer} to the beginning."),
        Command::SeekToEnd { consumer, .. } => write!(out, "You sent {consumer} to the end."),
        Command::Pause { consumer, partitions } => write!(out, "You paused {} at {consumer}.", partitions.join(", ")),
        Command::Resume { consumer, partitions } => write!(out, "You resumed {} at {consumer}.", partitions.join(", ")),
        Command::EnforceRebalance { consumer } => write!(out, "You called enforceRebalance() of {consumer}."),
        Command::CloseConsumer { consumer, operation: None } => write!(out, "You closed {consumer}."),
        Command::CloseConsumer { consumer, operation: Some(operation) } => {
            write!(out, "You closed {consumer} with {operation}.")
        }
        Command::SlowCallback { consumer, callback, time } => {
            write!(out, "The next {} of {consumer} takes {time}.", callback.method())
        }
        Command::SetProcessing { consumer, time } => write!(out, "{consumer} now works {time} on each record."),
        other => group(out, other),
    }
}

/// What an Admin client does to groups.
fn group(out: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
    match command {
        Command::AlterGroupConfigs { group, .. } => write!(out, "You changed settings of group {group}."),
        Command::AlterConsumerGroupOffsets { group, offsets } => {
            write!(out, "You set {} of group {group}.", count(offsets.len(), "offset"))
        }
        Command::DeleteConsumerGroupOffsets { group, partitions } => {
            write!(out, "You asked to delete {} of group {group}.", count(partitions.len(), "offset"))
        }
        Command::DeleteConsumerGroup { group } => write!(out, "You asked to delete group {group}."),
        Command::RemoveMembers { group, .. } => write!(out, "You removed members of group {group}."),
        other => share(out, other),
    }
}

/// Share consumers and their groups.
fn share(out: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
    match command {
        Command::ShareConsumer(spec) => write!(out, "You started {}.", spec.name),
        Command::SharePoll { consumer, .. } => write!(out, "You called poll() of {consumer}."),
        Command::Acknowledge { consumer, topic, partition, offset, acknowledgement } => {
            let said = acknowledgement.unwrap_or_default().name();
            write!(out, "You had {consumer} say {said} of {topic}-{partition}@{offset}.")
        }
        Command::SetAcknowledging { consumer, .. } => {
            write!(out, "You changed what {consumer} says of its records.")
        }
        Command::AlterShareGroupOffsets { group, offsets } => {
            write!(out, "You set {} of share group {group}.", count(offsets.len(), "start offset"))
        }
        Command::DeleteShareGroupOffsets { group, topics } => {
            write!(out, "You asked to delete the offsets of share group {group} in {}.", topics.join(", "))
        }
        other => fault(out, other),
    }
}

/// Faults, their ends, and what is done to logs and readers by hand.
fn fault(out: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
    match command {
        Command::StartBroker { broker } => write!(out, "You started broker {broker}."),
        Command::StopBroker { broker } => write!(out, "You stopped broker {broker} in order."),
        Command::KillBroker { broker } => write!(out, "You killed broker {broker}."),
        Command::PauseBroker { broker } => write!(out, "You paused broker {broker}."),
        Command::ResumeBroker { broker } => write!(out, "You let broker {broker} go on."),
        Command::CutLink { from, to } => write!(out, "You cut the link between {from} and {to}."),
        Command::HealLink { from, to } => write!(out, "You healed the link between {from} and {to}."),
        Command::SlowLink { from, to, delay } => {
            write!(out, "You slowed the link between {from} and {to} by {delay}.")
        }
        Command::SetBatchTime { is_stalled: true, .. } => out.write_str("The brokers take no batches any more."),
        Command::SetBatchTime { time: Some(time), .. } => {
            write!(out, "The brokers together now take one batch every {time}.")
        }
        Command::SetBatchTime { .. } => out.write_str("The brokers take every batch at once again."),
        Command::SlowDisk { broker, time } => write!(out, "Broker {broker} now needs {time} for a Produce request."),
        Command::HoldFetches { broker } => write!(out, "You held the fetches of broker {broker}."),
        Command::FetchOnce { broker } => write!(out, "You let broker {broker} fetch once."),
        Command::ReleaseFetches { broker } => write!(out, "You let broker {broker} fetch again."),
        Command::RollSegment { topic, partition } => {
            write!(out, "You closed the active segment of {topic}-{partition}.")
        }
        Command::CleanLog { topic, partition } => write!(out, "You ran the cleaner on {topic}-{partition}."),
        Command::Seek { consumer, topic, partition, offset } => {
            write!(out, "You sent {consumer} to offset {offset} of {topic}-{partition}.")
        }
        Command::StopPoll { consumer } => write!(out, "You stopped {consumer}."),
        Command::ResumePoll { consumer } => write!(out, "You let {consumer} poll again."),
        other => unreachable!("{other:?} has its sentence above"),
    }
}
