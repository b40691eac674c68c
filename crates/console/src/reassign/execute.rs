//! `--execute`: the plan is checked, the present assignment told, the throttle set, the moves started.
//!
//! Copying is the brokers' work and goes on afterwards.

use engine::command::{PartitionName, Reassignment};
use engine::order::Order;
use engine::{Command, Observer, Timeline};

use super::arguments::Arguments;
use super::plan::{Target, check_to_execute, targets, to_json};
use super::{cluster, find, moving, shown, throttle, unknown};
use crate::Printed;
use crate::client::{API_TIMEOUT, live_brokers, send};
use crate::exception::Exception;
use crate::java_order::hash_order;
use crate::place::log_dir;
use crate::stop::Stop;

const EXISTING: &str = "Cannot execute because there is an existing partition assignment.  Use --additional to override this and create a new partition assignment in addition to the existing one. The --additional flag can also be used to change the throttle by resubmitting the current reassignment.";
const VERIFY: &str =
    "Warning: You must run --verify periodically, until the reassignment completes, to ensure the throttle is removed.";

/// Runs `--execute`.
pub(super) fn execute<O: Observer>(
    timeline: &mut Timeline<O>,
    json: &str,
    arguments: &Arguments,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let targets = targets(json)?;
    check_to_execute(&targets)?;
    let snapshot = cluster(timeline, "listPartitionReassignments")?;
    if !arguments.is_additional && !moving(&snapshot).is_empty() {
        return Err(Stop::Terse(EXISTING.to_string()));
    }
    let live = live_brokers(&snapshot);
    let wanted: Vec<i64> = targets.iter().flat_map(|target| target.replicas.iter().copied()).collect();
    let is_unknown = |id: &&i64| u32::try_from(**id).map_or(true, |id| !live.contains(&id));
    if let Some(id) = hash_order(wanted, |id| *id as i32).iter().find(is_unknown) {
        return Err(Stop::of_tools("AdminCommandFailedException", format!("Unknown broker id {id}")));
    }
    let current = assignment(&snapshot, &targets)?;
    printed.stdout.push_str(&format!(
        "Current partition replica assignment\n\n{}\n\nSave this to use as the --reassignment-json-file option during rollback\n",
        to_json(&current, true)
    ));
    if arguments.throttle.is_some() || arguments.directory_throttle.is_some() {
        printed.stdout.push_str(&format!("{VERIFY}\n"));
    }
    if let Some(rate) = arguments.throttle {
        throttle::limit_moves(timeline, &snapshot, &targets, rate)?;
        printed.stdout.push_str(&format!("The inter-broker throttle limit was set to {rate} B/s\n"));
    }
    if let Some(rate) = arguments.directory_throttle {
        throttle::limit_directories(timeline, &targets, rate)?;
        printed.stdout.push_str(&format!("The replica-alter-dir throttle limit was set to {rate} B/s\n"));
    }
    start(timeline, &targets, arguments.allows_factor_change)?;
    let mut names: Vec<&PartitionName> = targets.iter().map(|target| &target.partition).collect();
    names.order();
    let plural = if names.len() == 1 { "" } else { "s" };
    let names: Vec<String> = names.into_iter().map(shown).collect();
    printed.stdout.push_str(&format!("Successfully started partition reassignment{plural} for {}\n", names.join(",")));
    place(&targets, printed)
}

/// The present replicas of the partitions that are to move.
fn assignment(snapshot: &engine::Snapshot, targets: &[Target]) -> Result<Vec<(PartitionName, Vec<u32>)>, Stop> {
    if let Some(target) =
        targets.iter().find(|target| !snapshot.topics.iter().any(|topic| *topic.name == *target.partition.topic))
    {
        return Err(unknown(format!("Topic {} not found.", target.partition.topic)));
    }
    let is_missing = |target: &&Target| find(snapshot, &target.partition).is_none();
    let missing: Vec<String> = targets.iter().filter(is_missing).map(|target| shown(&target.partition)).collect();
    if !missing.is_empty() {
        return Err(unknown(format!("Unable to find partition: {}", missing.join(", "))));
    }
    let found = targets
        .iter()
        .filter_map(|target| Some((target.partition.clone(), find(snapshot, &target.partition)?.replicas.clone())));
    Ok(found.collect())
}

fn start<O: Observer>(timeline: &mut Timeline<O>, targets: &[Target], allows_factor_change: bool) -> Result<(), Stop> {
    let partitions = targets.iter().map(|target| Reassignment {
        topic: target.partition.topic.clone(),
        partition: target.partition.partition,
        replicas: target.brokers(),
    });
    let command = Command::Reassign {
        partitions: partitions.collect(),
        allow_replication_factor_change: (!allows_factor_change).then_some(false),
    };
    let outcome = match send(timeline, command, API_TIMEOUT)? {
        Ok(outcome) => outcome,
        Err(error) => {
            let line = |target: &Target| format!("{}: {}", shown(&target.partition), error.message);
            return Err(refused(targets.iter().map(line).collect()));
        }
    };
    let failed: Vec<String> = outcome
        .partitions
        .iter()
        .filter_map(|outcome| Some(format!("{}: {}", shown(&outcome.partition), outcome.error.as_ref()?.message)))
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(refused(failed)) }
}

fn refused(mut lines: Vec<String>) -> Stop {
    lines.order();
    Stop::Terse(format!("Error reassigning partition(s):\n{}", lines.join("\n")))
}

/// Moves between directories. Simplified: a broker has one directory, so a replica is always there.
fn place(targets: &[Target], printed: &mut Printed) -> Result<(), Stop> {
    let mut placed: Vec<(u32, &PartitionName, &str)> = targets
        .iter()
        .flat_map(|target| target.placed().map(|(broker, directory)| (broker, &target.partition, directory)))
        .collect();
    placed.order();
    for (broker, partition, directory) in &placed {
        if *directory != log_dir(*broker) {
            let text = format!("Failed to alter dir for {}-{broker}", shown(partition));
            let cause = format!("Log dir {directory} is not found among the log dirs of broker {broker}.");
            let cause = Exception::new("org.apache.kafka.common.errors.LogDirNotFoundException", cause).in_future();
            let mut exception = Exception::of_tools("AdminCommandFailedException", text);
            exception.cause = Some(Box::new(cause));
            return Err(Stop::Failed(exception));
        }
    }
    for (broker, partition, directory) in placed {
        printed.stdout.push_str(&format!(
            "Successfully started moving log directory to {directory} for replica {} with broker {broker} \n",
            shown(partition)
        ));
    }
    Ok(())
}
