//! The tools' Admin client: gives commands to the timeline and waits for their answers in simulated time.
//!
//! Simplified: reads are taken from the cluster's state at once, without Metadata, DescribeConfigs and
//! ListOffsets requests of their own; Kafka's tools ask a broker and get what that broker knows.

use engine::command::{ElectionKind, Outcome};
use engine::snapshot::{BrokerState, Snapshot};
use engine::{Command, Duration, KafkaError, Observer, Status, Timeline};

use crate::exception::Exception;
use crate::stop::Stop;

/// `default.api.timeout.ms` of the Admin client.
pub(crate) const API_TIMEOUT: Duration = Duration::from_secs(60);
/// What kafka-configs.sh and kafka-leader-election.sh wait.
pub(crate) const SHORT_TIMEOUT: Duration = Duration::from_secs(30);

/// Acts and runs simulated time until the answer is there; no answer within `patience` is none.
pub(crate) fn ask<O: Observer>(
    timeline: &mut Timeline<O>,
    command: Command,
    patience: Duration,
) -> Result<Option<Outcome>, Stop> {
    let mut outcome = timeline.act(command).map_err(Stop::Refused)?;
    let deadline = timeline.now() + patience;
    while outcome.status == Status::Pending {
        let is_due = timeline.peek().is_some_and(|next| next.time <= deadline);
        if !is_due || !timeline.step_entry() {
            timeline.advance_to(deadline);
            return Ok(None);
        }
        outcome = timeline.outcome(outcome.command).unwrap_or(outcome);
    }
    Ok(Some(outcome))
}

/// The same, where no answer is the Admin client's timeout. What Kafka refuses is an inner error.
pub(crate) fn send<O: Observer>(
    timeline: &mut Timeline<O>,
    command: Command,
    patience: Duration,
) -> Result<Result<Outcome, KafkaError>, Stop> {
    let call = call(&command);
    match ask(timeline, command, patience)? {
        None => Err(Stop::Failed(Exception::timeout(call))),
        Some(outcome) => Ok(match outcome.error {
            Some(error) => Err(error),
            None => Ok(outcome),
        }),
    }
}

/// The cluster as a tool sees it. When no broker answers, the tool's patience passes and `call` fails.
pub(crate) fn read<O: Observer>(
    timeline: &mut Timeline<O>,
    call: &str,
    patience: Duration,
) -> Result<Snapshot, Exception> {
    let snapshot = timeline.snapshot(0);
    if snapshot.brokers.iter().any(|broker| broker.state == BrokerState::Running) {
        return Ok(snapshot);
    }
    let deadline = timeline.now() + patience;
    timeline.advance_to(deadline);
    Err(Exception::timeout(call))
}

/// Ids of the brokers that a description of the cluster names: registered and not fenced.
pub(crate) fn live_brokers(snapshot: &Snapshot) -> Vec<u32> {
    snapshot.brokers.iter().filter(|broker| !broker.is_fenced).map(|broker| broker.id).collect()
}

/// The word for an election in the tools' texts.
pub(crate) fn election_name(election: ElectionKind) -> &'static str {
    match election {
        ElectionKind::Preferred => "PREFERRED",
        ElectionKind::Unclean => "UNCLEAN",
    }
}

/// The Admin client's name of the call, for its timeout.
fn call(command: &Command) -> &'static str {
    match command {
        Command::CreateTopic { .. } => "createTopics",
        Command::CreatePartitions { .. } => "createPartitions",
        Command::DeleteTopic { .. } => "deleteTopics",
        Command::AlterConfigs { .. } | Command::AlterGroupConfigs { .. } => "incrementalAlterConfigs",
        Command::Reassign { .. } | Command::CancelReassignment { .. } => "alterPartitionReassignments",
        Command::ElectLeaders { .. } => "electLeaders",
        Command::AlterConsumerGroupOffsets { .. } => "offsetCommit(api=FIND_COORDINATOR)",
        Command::DeleteConsumerGroupOffsets { .. } => "offsetDelete(api=FIND_COORDINATOR)",
        Command::DeleteConsumerGroup { .. } => "deleteConsumerGroups(api=FIND_COORDINATOR)",
        Command::AlterShareGroupOffsets { .. } => "alterShareGroupOffsets(api=FIND_COORDINATOR)",
        Command::DeleteShareGroupOffsets { .. } => "deleteShareGroupOffsets(api=FIND_COORDINATOR)",
        _ => "adminRequest",
    }
}
