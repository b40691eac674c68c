//! kafka-topics.sh: what each action asks of the cluster and prints.
//!
//! Follows `TopicCommand` of 4.3.1. Options are read and checked in `topics/`.

mod arguments;
mod details;

#[cfg(test)]
mod tests;

use engine::order::Order;
use engine::snapshot::{PartitionSnapshot, Snapshot, TopicSnapshot};
use engine::{Command, KafkaError, Observer, Timeline};

use crate::client::{API_TIMEOUT, live_brokers, read, send};
use crate::exception::Exception;
use crate::pattern::{TopicPattern, is_internal};
use crate::stop::Stop;
use crate::{Printed, describe, settings};
pub(crate) use arguments::OPTIONS;
use arguments::{Action, Arguments};

const COLLISION_WARNING: &str = "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could collide. To avoid issues it is best to use either, but not both.\n";

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let stopped = Arguments::read(words, &mut printed).and_then(|arguments| match arguments.action {
        Action::Create => create(timeline, &arguments, &mut printed),
        Action::Alter => alter(timeline, &arguments),
        Action::List => list(timeline, &arguments, &mut printed),
        Action::Describe => describe(timeline, &arguments, &mut printed),
        Action::Delete => delete(timeline, &arguments),
    });
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stdout.push_str(&format!("Error while executing topic command : {}\n", exception.text()));
    }
    printed
}

/// An exception of which this tool prints the text only.
fn failed(text: impl Into<String>) -> Stop {
    Stop::Failed(Exception::of_argument(text))
}

fn refused(error: &KafkaError) -> Stop {
    Stop::Failed(Exception::of_kafka(error))
}

fn create<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments, printed: &mut Printed) -> Result<(), Stop> {
    let details = arguments.details()?;
    let topic = arguments.topic.clone().unwrap_or_default();
    if topic.contains(['.', '_']) {
        printed.stdout.push_str(COLLISION_WARNING);
    }
    if details.replication_factor.is_some_and(|factor| !(1..=i32::from(i16::MAX)).contains(&factor)) {
        return Err(failed("The replication factor must be between 1 and 32767 inclusive"));
    }
    if details.partitions.is_some_and(|partitions| partitions < 1) {
        return Err(failed("The partitions must be greater than 0"));
    }
    // The Admin client does not even send this name.
    if topic.is_empty() {
        return Err(failed("The given topic name '' cannot be represented in a request."));
    }
    let has_assignment = !details.assignment.is_empty();
    let command = Command::CreateTopic {
        topic: topic.clone(),
        partitions: details.partitions.filter(|_| !has_assignment),
        replication_factor: details.replication_factor.filter(|_| !has_assignment),
        assignment: has_assignment.then_some(details.assignment),
        configs: details.configs,
    };
    match send(timeline, command, API_TIMEOUT)? {
        Ok(_) => printed.stdout.push_str(&format!("Created topic {topic}.\n")),
        Err(error) if error.error == "TOPIC_ALREADY_EXISTS" && arguments.if_not_exists => {}
        Err(error) => return Err(refused(&error)),
    }
    Ok(())
}

fn alter<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments) -> Result<(), Stop> {
    let details = arguments.details()?;
    let snapshot = read(timeline, "listTopics", API_TIMEOUT).map_err(Stop::Failed)?;
    let topics = arguments.named_topics(&snapshot)?;
    let partitions = details.partitions.unwrap_or_default();
    let commands = topics.into_iter().map(|topic| {
        // The list names all partitions; those that exist are skipped.
        let added = || details.assignment.iter().skip(topic.partitions.len()).cloned().collect();
        let assignment = (!details.assignment.is_empty()).then(added);
        Command::CreatePartitions { topic: topic.name.to_string(), partitions, assignment }
    });
    all(timeline, commands.collect())
}

fn delete<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments) -> Result<(), Stop> {
    let snapshot = read(timeline, "listTopics", API_TIMEOUT).map_err(Stop::Failed)?;
    let topics = arguments.named_topics(&snapshot)?;
    let commands = topics.into_iter().map(|topic| Command::DeleteTopic { topic: topic.name.to_string() });
    all(timeline, commands.collect())
}

/// Sends every command and then tells the first error, as one request for many topics would.
fn all<O: Observer>(timeline: &mut Timeline<O>, commands: Vec<Command>) -> Result<(), Stop> {
    let mut first: Option<KafkaError> = None;
    for command in commands {
        if let Err(error) = send(timeline, command, API_TIMEOUT)? {
            first.get_or_insert(error);
        }
    }
    first.map_or(Ok(()), |error| Err(refused(&error)))
}

fn list<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments, printed: &mut Printed) -> Result<(), Stop> {
    let snapshot = read(timeline, "listTopics", API_TIMEOUT).map_err(Stop::Failed)?;
    let names: Vec<&str> = arguments.matching(&snapshot)?.into_iter().map(|topic| &*topic.name).collect();
    // Nothing to list prints one empty line.
    printed.stdout.push_str(&format!("{}\n", names.join("\n")));
    Ok(())
}

fn describe<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments, printed: &mut Printed) -> Result<(), Stop> {
    let snapshot = read(timeline, "listTopics", API_TIMEOUT).map_err(Stop::Failed)?;
    let topics = match arguments.topic_id()? {
        Some(id) => arguments.with_id(&snapshot, id)?,
        None => arguments.named_topics(&snapshot)?,
    };
    let live = live_brokers(&snapshot);
    for topic in topics {
        let settings = settings::not_default(timeline, &topic.name);
        let is_whole = !arguments.has_partition_filter();
        if is_whole && (!arguments.topics_with_overrides || !settings.is_empty()) {
            printed.stdout.push_str(&format!("{}\n", describe::topic_line(topic, &settings)));
        }
        if arguments.topics_with_overrides {
            continue;
        }
        let min_isr = settings::min_insync_replicas(timeline, &topic.name);
        for partition in &topic.partitions {
            if is_whole || arguments.selects(partition, min_isr, &live) {
                let line = describe::describe_partition_line(&topic.name, partition);
                printed.stdout.push_str(&format!("{line}\n"));
            }
        }
    }
    Ok(())
}

impl Arguments {
    /// Topics in name order that `--topic` and `--exclude-internal` leave.
    fn matching<'a>(&self, snapshot: &'a Snapshot) -> Result<Vec<&'a TopicSnapshot>, Stop> {
        let pattern = self.topic.as_deref().map(TopicPattern::new).transpose().map_err(failed)?;
        let mut topics: Vec<&TopicSnapshot> = snapshot.topics.iter().collect();
        topics.retain(|topic| pattern.as_ref().is_none_or(|pattern| pattern.matches(&topic.name)));
        topics.retain(|topic| !(self.exclude_internal && is_internal(&topic.name)));
        topics.order_by(|one, other| one.name.cmp(&other.name));
        Ok(topics)
    }

    /// The same, where a name that matches nothing is an error unless `--if-exists` says otherwise.
    fn named_topics<'a>(&self, snapshot: &'a Snapshot) -> Result<Vec<&'a TopicSnapshot>, Stop> {
        let topics = self.matching(snapshot)?;
        match self.topic.as_deref() {
            Some(name) if !name.is_empty() && topics.is_empty() && !self.if_exists => {
                Err(failed(format!("Topic '{name}' does not exist as expected")))
            }
            _ => Ok(topics),
        }
    }

    fn with_id<'a>(&self, snapshot: &'a Snapshot, id: &str) -> Result<Vec<&'a TopicSnapshot>, Stop> {
        let topics: Vec<&TopicSnapshot> = snapshot.topics.iter().filter(|topic| &*topic.topic_id == id).collect();
        if topics.is_empty() && !self.if_exists {
            return Err(failed(format!("TopicId '{id}' does not exist as expected")));
        }
        Ok(topics)
    }

    fn has_partition_filter(&self) -> bool {
        self.under_replicated || self.unavailable || self.under_min_isr || self.at_min_isr
    }

    fn selects(&self, partition: &PartitionSnapshot, min_isr: usize, live: &[u32]) -> bool {
        let in_sync = partition.isr.len();
        // A reassignment's new replicas do not count yet.
        let wanted = describe::replication_factor(partition);
        self.under_replicated && in_sync < wanted
            || self.unavailable && !partition.leader.is_some_and(|leader| live.contains(&leader))
            || self.under_min_isr && (partition.leader.is_none() || in_sync < min_isr)
            || self.at_min_isr && in_sync == min_isr
    }
}
