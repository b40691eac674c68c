//! kafka-reassign-partitions.sh: moves of replicas, planned, started, checked and taken back.
//!
//! Follows `ReassignPartitionsCommand` of 4.3.1: same checks, same order, same texts. The moves
//! themselves are the controller's.

mod arguments;
mod execute;
mod generate;
mod plan;
mod throttle;
mod verify;

#[cfg(test)]
mod tests;

use engine::command::PartitionName;
use engine::order::Order;
use engine::snapshot::{PartitionSnapshot, Snapshot};
use engine::{Observer, Timeline};

use crate::client::{API_TIMEOUT, read};
use crate::describe::ids;
use crate::exception::Exception;
use crate::stop::Stop;
use crate::{Input, Printed};
pub(crate) use arguments::OPTIONS;
use arguments::{Action, Arguments};

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String], input: &Input) -> Printed {
    let mut printed = Printed::default();
    let stopped = match Arguments::read(words) {
        Ok(arguments) => act(timeline, &arguments, input, &mut printed),
        // The parser's own objections are not caught by the tool.
        Err(stop) => {
            if let Some(exception) = stop.print(OPTIONS, &mut printed) {
                printed.stderr.push_str(&format!("Exception in thread \"main\" {}", exception.trace()));
            }
            return printed;
        }
    };
    match stopped {
        Ok(()) => {}
        Err(Stop::Terse(text)) => {
            printed.exit = 1;
            printed.stdout.push_str(&format!("{text}\n"));
        }
        Err(stop) => {
            if let Some(exception) = stop.print(OPTIONS, &mut printed) {
                printed.stdout.push_str(&format!("Error: {}\n{}\n", exception.text(), exception.trace()));
            }
        }
    }
    printed
}

fn act<O: Observer>(
    timeline: &mut Timeline<O>,
    arguments: &Arguments,
    input: &Input,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let file = |name: &str| input.json(name).map(str::to_string).map_err(Stop::Failed);
    match &arguments.action {
        Action::Generate { topics, brokers } => {
            generate::generate(timeline, &file(topics)?, brokers, arguments.is_rack_aware, printed)
        }
        Action::Execute { plan } => execute::execute(timeline, &file(plan)?, arguments, printed),
        Action::Verify { plan } => verify::verify(timeline, &file(plan)?, arguments.preserves_throttles, printed),
        Action::Cancel { plan } => verify::cancel(timeline, &file(plan)?, arguments.preserves_throttles, printed),
        Action::List => list(timeline, printed),
    }
}

fn list<O: Observer>(timeline: &mut Timeline<O>, printed: &mut Printed) -> Result<(), Stop> {
    let snapshot = cluster(timeline, "listPartitionReassignments")?;
    let moving = moving(&snapshot);
    if moving.is_empty() {
        printed.stdout.push_str("No partition reassignments found.\n");
        return Ok(());
    }
    printed.stdout.push_str("Current partition reassignments:\n");
    for (name, partition) in moving {
        let mut line = format!("{name}: replicas: {}.", ids(&partition.replicas));
        if !partition.adding.is_empty() {
            line.push_str(&format!(" adding: {}.", ids(&partition.adding)));
        }
        if !partition.removing.is_empty() {
            line.push_str(&format!(" removing: {}.", ids(&partition.removing)));
        }
        printed.stdout.push_str(&format!("{line}\n"));
    }
    Ok(())
}

/// The cluster's state, or the timeout of the call that would have asked for it.
fn cluster<O: Observer>(timeline: &mut Timeline<O>, call: &str) -> Result<Snapshot, Stop> {
    read(timeline, call, API_TIMEOUT).map_err(|error| Stop::Failed(error.in_future()))
}

/// Whether a reassignment of the partition is going on.
fn is_moving(partition: &PartitionSnapshot) -> bool {
    !partition.adding.is_empty() || !partition.removing.is_empty()
}

/// Every partition that is being reassigned with its name, in name order.
fn moving(snapshot: &Snapshot) -> Vec<(String, &PartitionSnapshot)> {
    let mut topics: Vec<_> = snapshot.topics.iter().collect();
    topics.order_by(|one, other| one.name.cmp(&other.name));
    let partitions = topics.into_iter().flat_map(|topic| {
        let moving = topic.partitions.iter().filter(|partition| is_moving(partition));
        moving.map(|partition| (format!("{}-{}", topic.name, partition.partition), partition))
    });
    partitions.collect()
}

fn find<'a>(snapshot: &'a Snapshot, name: &PartitionName) -> Option<&'a PartitionSnapshot> {
    let topic = snapshot.topics.iter().find(|topic| *topic.name == *name.topic)?;
    topic.partitions.iter().find(|partition| partition.partition == name.partition)
}

fn shown(name: &PartitionName) -> String {
    format!("{}-{}", name.topic, name.partition)
}

/// `UnknownTopicOrPartitionException` as a future throws it.
fn unknown(text: String) -> Stop {
    let inner = Exception::new("org.apache.kafka.common.errors.UnknownTopicOrPartitionException", text);
    Stop::Failed(inner.in_future())
}
