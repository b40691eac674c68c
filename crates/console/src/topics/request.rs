//! A request of the Admin client: give a command to the timeline and wait for its answer.
//!
//! What is asked for is decided in `topics.rs`. Simplified: the tools read the cluster's state without
//! Metadata and DescribeConfigs requests of their own.

use engine::{Command, Duration, KafkaError, Observer, Status, Timeline};

use super::Stop;

/// `default.api.timeout.ms` of the Admin client.
const PATIENCE: Duration = Duration::from_secs(60);

/// Acts and runs simulated time until the answer is there.
pub(super) fn send<O: Observer>(timeline: &mut Timeline<O>, command: Command) -> Result<Result<(), KafkaError>, Stop> {
    let name = call(&command);
    let mut outcome = timeline.act(command).map_err(Stop::Refused)?;
    let deadline = timeline.now() + PATIENCE;
    while outcome.status == Status::Pending {
        let is_due = timeline.peek().is_some_and(|next| next.time <= deadline);
        if !is_due || !timeline.step_entry() {
            return Err(Stop::Failed(format!("Timed out waiting for a node assignment. Call: {name}")));
        }
        outcome = timeline.outcome(outcome.command).unwrap_or(outcome);
    }
    Ok(outcome.error.map_or(Ok(()), Err))
}

/// The Admin client's name of the call, for its timeout.
fn call(command: &Command) -> &'static str {
    match command {
        Command::CreateTopic { .. } => "createTopics",
        Command::CreatePartitions { .. } => "createPartitions",
        _ => "deleteTopics",
    }
}
