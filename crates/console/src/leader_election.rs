//! kafka-leader-election.sh: preferred and unclean elections by hand.
//!
//! Follows `LeaderElectionCommand` of 4.3.1: same checks, same order, same texts.

mod arguments;

#[cfg(test)]
mod tests;

use engine::command::{ElectionKind, PartitionName, PartitionOutcome};
use engine::{Command, Observer, Timeline};

use crate::client::{SHORT_TIMEOUT, ask, election_name};
use crate::exception::Exception;
use crate::java_order::{hash_order, partition_hash};
use crate::stop::Stop;
use crate::{Input, Printed};
use arguments::Arguments;
pub(crate) use arguments::OPTIONS;

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String], input: &Input) -> Printed {
    let mut printed = Printed::default();
    let stopped = Arguments::read(words, input).and_then(|arguments| {
        for warning in &arguments.warnings {
            printed.stdout.push_str(&format!("{warning}\n"));
        }
        elect(timeline, arguments, &mut printed)
    });
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stderr.push_str(&format!("{}\n{}", exception.text(), exception.trace()));
    }
    printed
}

fn elect<O: Observer>(timeline: &mut Timeline<O>, arguments: Arguments, printed: &mut Printed) -> Result<(), Stop> {
    let election = arguments.election;
    let command = Command::ElectLeaders { election, partitions: arguments.partitions };
    let Some(outcome) = ask(timeline, command, SHORT_TIMEOUT)? else {
        let text = "Timeout waiting for election results";
        printed.stdout.push_str(&format!("{text}\n"));
        let mut exception = Exception::of_tools("AdminCommandFailedException", text);
        exception.cause = Some(Box::new(Exception::timeout("electLeaders")));
        return Err(Stop::Failed(exception));
    };
    if let Some(error) = outcome.error.filter(|_| outcome.partitions.is_empty()) {
        return Err(Stop::Failed(Exception::of_kafka(&error).in_future().inside("java.lang.RuntimeException")));
    }
    report(election, outcome.partitions, printed)
}

/// Tells what became of each partition; failures end the tool.
fn report(election: ElectionKind, outcomes: Vec<PartitionOutcome>, printed: &mut Printed) -> Result<(), Stop> {
    let election = election_name(election);
    let outcomes = hash_order(outcomes, |outcome| partition_hash(&outcome.partition));
    let (refused, succeeded): (Vec<_>, Vec<_>) = outcomes.iter().partition(|outcome| outcome.error.is_some());
    let needless =
        |outcome: &&&PartitionOutcome| outcome.error.as_ref().is_some_and(|error| error.error == "ELECTION_NOT_NEEDED");
    let elected_already: Vec<&&PartitionOutcome> = refused.iter().filter(needless).collect();
    if !succeeded.is_empty() {
        let names = names(succeeded.iter().map(|outcome| &outcome.partition));
        let line = format!("Successfully completed leader election ({election}) for partitions {names}\n");
        printed.stdout.push_str(&line);
    }
    if !elected_already.is_empty() {
        let names = names(elected_already.iter().map(|outcome| &outcome.partition));
        printed.stdout.push_str(&format!("Valid replica already elected for partitions {names}\n"));
    }
    let failures: Vec<(&PartitionName, Exception)> = refused
        .iter()
        .filter(|outcome| !needless(outcome))
        .filter_map(|outcome| Some((&outcome.partition, Exception::of_kafka(outcome.error.as_ref()?))))
        .collect();
    if failures.is_empty() {
        return Ok(());
    }
    for (partition, exception) in &failures {
        printed.stdout.push_str(&format!(
            "Error completing leader election ({election}) for partition: {}-{}: {}\n",
            partition.topic,
            partition.partition,
            exception.line()
        ));
    }
    let text = format!("{} replica(s) could not be elected", failures.len());
    let mut root = Exception::of_tools("AdminCommandFailedException", text);
    root.suppressed = failures.into_iter().map(|(_, exception)| exception).collect();
    Err(Stop::Failed(root))
}

fn names<'a>(partitions: impl Iterator<Item = &'a PartitionName>) -> String {
    let names: Vec<String> =
        partitions.map(|partition| format!("{}-{}", partition.topic, partition.partition)).collect();
    names.join(", ")
}
