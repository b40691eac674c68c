//! The last sentence of the bench: what was done, and what Kafka said to it, partition by partition if it named several.
//!
//! The words of acts and errors are the engine's.

use std::rc::Rc;

use engine::command::{Outcome, PartitionOutcome, Status};
use engine::error::KafkaError;
use engine::event::EventKind;
use yew::{AttrValue, Html, component, html};

use super::setup::SetUpProps;
use super::workbench::{Said, Workbench};
use crate::app::session::{Rate, use_session};

/// Partitions that are listed; of more, the number is told.
const PARTITIONS_MAX: usize = 12;

/// Lines to be said, and whether the news is bad.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Spoken {
    is_problem: bool,
    line: String,
    details: Vec<String>,
}

/// The sentence. The place is kept while there is none, so that it is announced.
#[component]
pub fn LastSaid(props: &SetUpProps) -> Html {
    let bench = &props.bench;
    use_session(&bench.session(), Rate::Table);
    let spoken = match bench.said() {
        None => Spoken::default(),
        Some(Said::Done(text)) => Spoken { line: text.to_string(), ..Spoken::default() },
        Some(Said::Problem(text)) => Spoken { is_problem: true, line: text.to_string(), ..Spoken::default() },
        Some(Said::Acted(number)) => acted(bench, number).unwrap_or_default(),
    };
    let class = if spoken.is_problem { "said problem" } else { "said" };
    let detail = |text: &String| html! { <li key={text.clone()}>{ text }</li> };
    html! {
        <div {class} role="status">
            if !spoken.line.is_empty() { <p>{ AttrValue::from(spoken.line) }</p> }
            if !spoken.details.is_empty() { <ul>{ for spoken.details.iter().map(detail) }</ul> }
        </div>
    }
}

/// What was done by a command, and what came of it on each side; nothing if it was taken back.
fn acted(bench: &Workbench, number: u64) -> Option<Spoken> {
    bench.session().read(|player| {
        let timed = player.timeline(0).commands().get(usize::try_from(number).ok()?)?.clone();
        let sentence = EventKind::CommandApplied { number, command: Rc::clone(&timed.command) }.to_string();
        let is_due = player.timeline(0).moment() >= timed.moment;
        let outcomes: Vec<Option<Outcome>> =
            (0..player.sides()).map(|side| player.timeline(side).outcome(number)).collect();
        Some(told(format!("At {}: {sentence}", timed.moment.time), &outcomes, is_due))
    })
}

/// The sentence of a command with the outcomes of all sides. The first refusal is told; it names its side if the
/// other one has none.
fn told(sentence: String, outcomes: &[Option<Outcome>], is_due: bool) -> Spoken {
    let is_told = |outcome: &Outcome| outcome.partitions.iter().any(|one| one.error == outcome.error);
    let whole = outcomes.iter().flatten().filter(|outcome| !is_told(outcome));
    let refused = whole.filter_map(|outcome| outcome.error.as_ref()).next();
    let (side, outcome) = match outcomes.iter().position(|outcome| errors(outcome.as_ref()) > 0) {
        Some(side) => (side, outcomes[side].as_ref()),
        None => (0, outcomes.first().and_then(Option::as_ref)),
    };
    let is_everywhere = outcomes.iter().all(|outcome| errors(outcome.as_ref()) > 0);
    let of_side = |text: String| if is_everywhere || side == 0 { text } else { format!("Side {}: {text}", side + 1) };
    let line = match (outcome, refused) {
        (_, Some(error)) => format!("{sentence} {}", of_side(error_text(error))),
        (Some(outcome), None) => format!("{sentence}{}", record(outcome)),
        (None, None) if is_due => format!("{sentence} The answer is on its way."),
        (None, None) => sentence,
    };
    let is_pending = outcome.is_some_and(|outcome| outcome.status == Status::Pending);
    let line = if is_pending { format!("{line} The answer is on its way.") } else { line };
    Spoken { is_problem: errors(outcome) > 0, line, details: outcome.map_or_else(Vec::new, details) }
}

/// Errors of an outcome, those of its partitions included.
fn errors(outcome: Option<&Outcome>) -> usize {
    outcome.map_or(0, |outcome| {
        let of_partitions = outcome.partitions.iter().filter(|one| one.error.is_some()).count();
        usize::from(outcome.error.is_some()) + of_partitions
    })
}

/// The protocol's name of an error and Kafka's text.
pub fn error_text(error: &KafkaError) -> String {
    match (error.error.is_empty(), error.exception.is_empty()) {
        // What a client throws by itself has no name in the protocol.
        (true, _) | (_, true) => error.to_string(),
        _ => format!("{} ({}): {}", error.error, error.exception, error.message),
    }
}

fn record(outcome: &Outcome) -> String {
    let Some(record) = &outcome.record else { return String::new() };
    let offset = record.offset.map_or_else(String::new, |offset| format!(" at offset {offset}"));
    format!(" It is in {}-{}{offset}.", record.topic, record.partition)
}

fn details(outcome: &Outcome) -> Vec<String> {
    // Refusals first: with many partitions the rest is only counted.
    let (refused, done): (Vec<_>, Vec<_>) = outcome.partitions.iter().partition(|one| one.error.is_some());
    let mut lines: Vec<String> = refused.into_iter().chain(done).map(partition).collect();
    let surplus = lines.len().saturating_sub(PARTITIONS_MAX);
    if surplus > 0 {
        lines.truncate(PARTITIONS_MAX);
        lines.push(format!("… and {surplus} more"));
    }
    lines
}

fn partition(outcome: &PartitionOutcome) -> String {
    let name = format!("{}-{}", outcome.partition.topic, outcome.partition.partition);
    match (&outcome.error, outcome.low_watermark) {
        (Some(error), _) => format!("{name}: {}", error_text(error)),
        (None, Some(offset)) => format!("{name}: its log now starts at offset {offset}"),
        (None, None) => format!("{name}: done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::command::PartitionName;

    fn outcome(error: Option<KafkaError>, partitions: Vec<PartitionOutcome>) -> Outcome {
        let status = if error.is_some() { Status::Failed } else { Status::Done };
        Outcome { error, partitions, status, ..Outcome::pending(0) }
    }

    fn check(outcomes: &[Option<Outcome>], line: &str, details: &[&str], is_problem: bool) {
        let spoken = told("You acted.".to_owned(), outcomes, true);
        assert_eq!((spoken.line.as_str(), spoken.is_problem), (line, is_problem));
        assert_eq!(spoken.details, details);
    }

    fn refusal() -> KafkaError {
        KafkaError::new("INVALID_PARTITIONS", "InvalidPartitionsException", "The topic has 3 partition(s).")
    }

    #[test]
    fn what_kafka_answers_is_told_with_the_name_of_the_error() {
        check(&[Some(outcome(None, Vec::new()))], "You acted.", &[], false);
        check(&[None], "You acted. The answer is on its way.", &[], false);
        check(&[Some(Outcome::pending(0))], "You acted. The answer is on its way.", &[], false);
        let text = "INVALID_PARTITIONS (InvalidPartitionsException): The topic has 3 partition(s).";
        check(&[Some(outcome(Some(refusal()), Vec::new()))], &format!("You acted. {text}"), &[], true);
        let own = KafkaError::new("", "IllegalStateException", "Closed.");
        check(&[Some(outcome(Some(own), Vec::new()))], "You acted. IllegalStateException: Closed.", &[], true);
        let second = [Some(outcome(None, Vec::new())), Some(outcome(Some(refusal()), Vec::new()))];
        check(&second, &format!("You acted. Side 2: {text}"), &[], true);
    }

    #[test]
    fn partitions_that_were_refused_come_first() {
        let partition = |partition, error| PartitionOutcome {
            partition: PartitionName { topic: "t".into(), partition },
            error,
            low_watermark: None,
        };
        let election = KafkaError::new("ELECTION_NOT_NEEDED", "", "Leader election not needed.");
        // Kafka's tools fail as a whole with the error of a partition; it is told once.
        let both = outcome(Some(election.clone()), vec![partition(0, None), partition(1, Some(election))]);
        check(
            &[Some(both)],
            "You acted.",
            &["t-1: ELECTION_NOT_NEEDED: Leader election not needed.", "t-0: done"],
            true,
        );
    }
}
