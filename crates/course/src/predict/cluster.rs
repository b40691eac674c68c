//! Answers about brokers, replicas and files: each is read off a run of the stage.
//!
//! Questions about keys are answered in `predict.rs`.

use engine::event::TopicPartition;
use engine::order;
use engine::{Duration, Event, EventKind, InputError, Scenario, Simulation, Time};

use super::{Answer, Question, partition_names};
use crate::probe::{self, Reading};
use crate::stage::{self, Planned, StageRun};

/// The answer to a question about the cluster.
pub(super) fn answer(question: &Question, scenario: &Scenario, commands: &[Planned]) -> Result<Answer, InputError> {
    let until = |at: Duration| StageRun::new(scenario, &before(commands, at), at);
    match question {
        Question::Value { path, at, .. } => number(&until(*at)?, path).map(Answer::Number),
        Question::RecordsOfKey { partition, key, at, .. } => {
            let snapshot = until(*at)?.snapshot;
            let partition = probe::partition(&snapshot, partition);
            let records = partition.ok_or_else(|| unfit("there is no such partition".to_string()))?.records.iter();
            let of_key = records.filter(|entry| entry.record.key_text.as_deref() == Some(key.as_str()));
            Ok(Answer::Number(of_key.count() as u64))
        }
        Question::LatestValue { topic, key, at, .. } => {
            let snapshot = until(*at)?.snapshot;
            let topic = probe::topic(&snapshot, topic).ok_or_else(|| unfit(format!("there is no topic {topic}")))?;
            let order: Vec<u32> = topic.partitions.iter().map(|partition| partition.partition).collect();
            let value = probe::rebuilt(topic, &order, key);
            let number = value.map_or(Ok(0), |value| value.parse());
            number.map(Answer::Number).map_err(|_| unfit(format!("the value of {key} is no number")))
        }
        Question::Holds { path, at, is } => Ok(Answer::YesNo(probe::read(&until(*at)?.snapshot, path)? == *is)),
        Question::Acknowledges { producer, from, to } => {
            let acknowledged = |event: &Event| {
                matches!(&event.kind, EventKind::BatchAcknowledged { producer: name, .. } if **name == **producer)
                    && event.moment.time.0 > from.0
            };
            Ok(Answer::YesNo(until(*to)?.events.iter().any(acknowledged)))
        }
        Question::When { kind, contains, within } => {
            let first = stage::first_event(scenario, &before(commands, *within), *within, &of_kind(kind, contains))?;
            let time = first.ok_or_else(|| unfit(format!("there is no {kind} within {within}")))?;
            Ok(Answer::Number(time.millis() / 1_000))
        }
        Question::Happens { kind, contains, by } => {
            let first = stage::first_event(scenario, &before(commands, *by), *by, &of_kind(kind, contains))?;
            Ok(Answer::YesNo(first.is_some()))
        }
        Question::Count { kind, contains, by, before, before_contains, .. } => {
            let end = before.as_ref().map(|kind| (kind.as_str(), before_contains.as_str()));
            Ok(Answer::Number(count(&until(*by)?.events, (kind, contains), end)))
        }
        Question::Faster { path, from, to, than } => {
            let mut run = until(*from)?;
            let early = number(&run, path)?;
            run.go_on(*to);
            Ok(Answer::YesNo(number(&run, path)?.saturating_sub(early) > *than))
        }
        Question::TopicsWithRecords { at } => {
            let snapshot = until(*at)?.snapshot;
            let names = snapshot.topics.iter().filter(|topic| holds_records(topic)).map(|topic| topic.name.to_string());
            Ok(Answer::Keys(order::set(names)))
        }
        Question::LeadersThatMove { from, to } => {
            let (before, after) = (leaders(&until(*from)?), leaders(&until(*to)?));
            let moved = partition_names(scenario).into_iter().enumerate();
            let moved = moved.filter(|(place, _)| before.get(*place) != after.get(*place)).map(|(_, name)| name);
            Ok(Answer::Keys(order::set(moved)))
        }
        Question::PartitionsThatMove { group, from, to, .. } => {
            Ok(Answer::Number(u64::from(until(*to)?.stood(group, *from).moved)))
        }
        Question::Scanned { partition, offset } => scanned(scenario, partition, *offset),
        // Both sides divide the same peak, so the smaller rate asks for more.
        Question::ConsumersBind { produce, consume } => Ok(Answer::YesNo(consume < produce)),
        Question::PercentThatMoves { from, to } => Ok(Answer::Number(percent_that_moves(*from, *to))),
        other => unreachable!("{other:?} is answered with the keys"),
    }
}

/// A number of the stage.
fn number(run: &StageRun, path: &str) -> Result<u64, InputError> {
    match probe::read(&run.snapshot, path)? {
        Reading::Number(number) => Ok(number),
        other => Err(unfit(format!("{path} is {other:?}, not a number"))),
    }
}

/// How many events are of a kind and say a text, up to the first one that ends the counting.
fn count(events: &[Event], wanted: (&str, &str), end: Option<(&str, &str)>) -> u64 {
    let (is_wanted, ends) = (of_kind(wanted.0, wanted.1), end.map(|(kind, text)| of_kind(kind, text)));
    let counted = events.iter().take_while(|event| !ends.as_ref().is_some_and(|ends| ends(event)));
    counted.filter(|event| is_wanted(event)).count() as u64
}

/// Whether a topic of somebody's own holds records, markers aside.
fn holds_records(topic: &engine::snapshot::TopicSnapshot) -> bool {
    let mut records = topic.partitions.iter().flat_map(|partition| &partition.records);
    let is_marker =
        |entry: &engine::snapshot::LogRecord| entry.origin.as_ref().is_some_and(|origin| origin.marker.is_some());
    !topic.is_internal && records.any(|entry| !is_marker(entry))
}

/// Commands that are given up to an instant.
fn before(commands: &[Planned], at: Duration) -> Vec<Planned> {
    commands.iter().filter(|planned| planned.at <= at).cloned().collect()
}

/// Whether an event is of a kind and its sentence contains a text.
pub(crate) fn of_kind(kind: &str, contains: &str) -> impl Fn(&Event) -> bool {
    move |event| event.kind.name() == kind && event.kind.to_string().contains(contains)
}

fn leaders(run: &StageRun) -> Vec<Option<u32>> {
    let topic = run.snapshot.topics.first();
    topic.map_or_else(Vec::new, |topic| topic.partitions.iter().map(|partition| partition.leader).collect())
}

fn scanned(stage: &Scenario, name: &str, offset: u64) -> Result<Answer, InputError> {
    let mut simulation = Simulation::new(stage)?;
    simulation.run_until(Time::ZERO, &mut Vec::new());
    let (topic, number) = TopicPartition::split(name).ok_or_else(|| unfit(format!("{name} is no partition")))?;
    let snapshot = simulation.snapshot(0);
    let leader = probe::partition(&snapshot, name).and_then(|partition| partition.leader);
    let found = leader.and_then(|leader| simulation.lookup(leader, topic, number, offset));
    let found = found.ok_or_else(|| unfit(format!("{name} has no offset {offset}")))?;
    Ok(Answer::Number(u64::from(found.batches_scanned)))
}

/// Of all residues by the least common multiple, those whose remainder changes; rounded to whole percent.
fn percent_that_moves(from: u64, to: u64) -> u64 {
    let multiple = (1..).map(|factor| from * factor).find(|multiple| multiple % to == 0).unwrap_or(from);
    let moved = (0..multiple).filter(|residue| residue % from != residue % to).count() as u64;
    (moved * 200 + multiple) / (2 * multiple)
}

fn unfit(message: String) -> InputError {
    InputError::new("predict.stage", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_that_move_follow_from_residues() {
        for (from, to, percent) in [(12, 16, 75), (3, 6, 50), (6, 12, 50), (6, 7, 86), (4, 4, 0)] {
            assert_eq!(percent_that_moves(from, to), percent, "{from} to {to}");
        }
    }
}
