//! `--verify` and `--cancel`: how far a plan has come, and the way back.
//!
//! Both remove throttles when they are done.

use std::collections::BTreeSet;

use engine::command::PartitionName;
use engine::order::{self, Order};
use engine::snapshot::Snapshot;
use engine::{Command, Observer, Timeline};

use super::plan::{Target, targets};
use super::{cluster, find, is_moving, moving, shown, throttle};
use crate::Printed;
use crate::client::{API_TIMEOUT, live_brokers, send};
use crate::describe::ids;
use crate::place::log_dir;
use crate::stop::Stop;

/// Runs `--verify`.
pub(super) fn verify<O: Observer>(
    timeline: &mut Timeline<O>,
    json: &str,
    preserves_throttles: bool,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let mut targets = targets(json)?;
    targets.order_by(|one, other| one.partition.cmp(&other.partition));
    // Of an entry that is repeated the last one counts, as in a map.
    targets.reverse();
    targets.dedup_by(|later, earlier| later.partition == earlier.partition);
    targets.reverse();
    let snapshot = cluster(timeline, "listPartitionReassignments")?;
    printed.stdout.push_str("Status of partition reassignment:\n");
    for target in &targets {
        printed.stdout.push_str(&format!("{}\n", status(&snapshot, target)));
    }
    let directories = directories(&snapshot, &targets);
    printed.stdout.push_str(&format!("{directories}\n"));
    if moving(&snapshot).is_empty() && !preserves_throttles {
        clear(timeline, &snapshot, &targets, printed)?;
    }
    Ok(())
}

fn status(snapshot: &Snapshot, target: &Target) -> String {
    let name = shown(&target.partition);
    let wanted: Vec<String> = target.replicas.iter().map(i64::to_string).collect();
    let wanted = wanted.join(",");
    let current = match find(snapshot, &target.partition) {
        Some(partition) if is_moving(partition) => {
            return format!("Reassignment of partition {name} is still in progress.");
        }
        Some(partition) => ids(&partition.replicas),
        None => String::new(),
    };
    if current == wanted {
        return format!("Reassignment of partition {name} is completed.");
    }
    format!("There is no active reassignment of partition {name}, but replica set is {current} rather than {wanted}.")
}

/// A line for each replica for which a directory is named, without a line feed at the end.
fn directories(snapshot: &Snapshot, targets: &[Target]) -> String {
    let mut placed: Vec<(u32, &PartitionName, &str)> = targets
        .iter()
        .flat_map(|target| target.placed().map(|(broker, directory)| (broker, &target.partition, directory)))
        .collect();
    placed.order();
    let lines = placed.into_iter().map(|(broker, name, directory)| {
        let is_there = find(snapshot, name).is_some_and(|partition| partition.replicas.contains(&broker));
        let partition = shown(name);
        if !is_there {
            format!(
                "Partition {partition} is not found in any live log dir on broker {broker}. There is likely an offline log directory on the broker."
            )
        } else if directory == log_dir(broker) {
            format!("Reassignment of replica {partition}-{broker} completed successfully.")
        } else {
            let current = log_dir(broker);
            format!(
                "Partition {partition} on broker {broker} is not being moved from log dir {current} to {directory}."
            )
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn clear<O: Observer>(
    timeline: &mut Timeline<O>,
    snapshot: &Snapshot,
    targets: &[Target],
    printed: &mut Printed,
) -> Result<(), Stop> {
    let named = targets.iter().flat_map(Target::brokers);
    let brokers: BTreeSet<u32> = order::set(live_brokers(snapshot).into_iter().chain(named));
    let topics: BTreeSet<&str> = order::set(targets.iter().map(|target| target.partition.topic.as_str()));
    throttle::clear(timeline, &brokers, &topics, &mut printed.stdout)
}

/// Runs `--cancel`.
pub(super) fn cancel<O: Observer>(
    timeline: &mut Timeline<O>,
    json: &str,
    preserves_throttles: bool,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let targets = targets(json)?;
    let snapshot = cluster(timeline, "listPartitionReassignments")?;
    let mut active: Vec<PartitionName> = targets
        .iter()
        .filter(|target| find(&snapshot, &target.partition).is_some_and(is_moving))
        .map(|target| target.partition.clone())
        .collect();
    active.order();
    active.dedup();
    if active.is_empty() {
        printed.stdout.push_str("None of the specified partition reassignments are active.\n");
    } else {
        let outcome = send(timeline, Command::CancelReassignment { partitions: active.clone() }, API_TIMEOUT)?;
        let failed: Vec<String> = match outcome {
            Ok(outcome) => outcome
                .partitions
                .iter()
                .filter_map(|done| Some(format!("{}: {}", shown(&done.partition), done.error.as_ref()?.message)))
                .collect(),
            Err(error) => active.iter().map(|name| format!("{}: {}", shown(name), error.message)).collect(),
        };
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if !failed.is_empty() {
            let text = format!("Error cancelling partition reassignment{} for:\n", plural(failed.len()));
            return Err(Stop::Terse(text + &failed.join("\n")));
        }
        let names: Vec<String> = active.iter().map(shown).collect();
        printed.stdout.push_str(&format!(
            "Successfully cancelled partition reassignment{} for: {}\n",
            plural(names.len()),
            names.join(",")
        ));
    }
    // The tool ends this line without a line feed. Moves between directories there are none.
    printed.stdout.push_str("None of the specified partition moves are active.");
    if !preserves_throttles {
        clear(timeline, &snapshot, &targets, printed)?;
    }
    Ok(())
}
