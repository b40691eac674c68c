//! Recorded assignments: one line is one call of an assignor of Kafka, with everything that it was given.
//!
//! Deliberately not here: an assignor. What is compared with the recordings is the crate `assignor`.

mod client;
mod server;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::relaxed::Mode;

/// Member id, and its partitions as `topic-partition`.
type Lists = BTreeMap<String, Vec<String>>;

/// Runs one line; the error is the first difference.
pub(super) fn run(line: &Value, _: Option<&Mode>) -> Result<(), String> {
    let (found, expected) = both(line)?;
    compare(&found, &expected)
}

/// Lines in which a member claims a partition that no longer exists are left out: Kafka itself may give such a
/// partition to two members.
pub(super) fn rule(line: &Value) -> Option<Mode> {
    let is_gone = line["owned_gone"] == Value::Bool(true);
    is_gone.then(|| Mode::Report("a member owns a partition that no longer exists".into()))
}

/// What the crate gives for a line, and what is recorded.
pub(super) fn both(line: &Value) -> Result<(Answer, Answer), String> {
    let id = line["id"].as_str().unwrap_or_default();
    let kind = id.rsplit_once('-').map_or(id, |(kind, _)| kind);
    match kind.strip_prefix("client-") {
        Some(name) => client::run(name, line),
        None => server::run(kind, line),
    }
}

/// An assignment, or what the assignor throws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Assignment(Lists),
    Error(String),
}

impl Answer {
    /// What a line records: exactly one of the two.
    fn recorded(assignment: Option<Lists>, error: Option<String>) -> Result<Self, String> {
        match (assignment, error) {
            (Some(lists), None) => Ok(Self::Assignment(lists)),
            (None, Some(error)) => Ok(Self::Error(error)),
            _ => Err("a line has either an assignment or an error".into()),
        }
    }

    fn found(
        result: Result<assignor::Assignment, assignor::AssignorError>,
        ids: &[&str],
        names: &[&str],
    ) -> Result<Self, String> {
        match result {
            Ok(lists) => {
                let text = |own: assignor::TopicPartition| format!("{}-{}", names[own.topic as usize], own.partition);
                let lists = lists.into_iter().map(|list| list.into_iter().map(text).collect());
                Ok(Self::Assignment(ids.iter().map(|id| id.to_string()).zip(lists).collect()))
            }
            Err(error) => error.java().map(Self::Error).ok_or_else(|| format!("the line cannot be used: {error}")),
        }
    }
}

/// The first difference. Lists compare as sets, and a member that is not in a recording has nothing.
fn compare(found: &Answer, expected: &Answer) -> Result<(), String> {
    let (found, expected) = match (found, expected) {
        (Answer::Error(found), Answer::Error(expected)) if found == expected => return Ok(()),
        (Answer::Error(found), Answer::Error(expected)) => {
            return Err(format!("error: expected {expected:?}, got {found:?}"));
        }
        (Answer::Error(found), Answer::Assignment(_)) => {
            return Err(format!("expected an assignment, got the error {found:?}"));
        }
        (Answer::Assignment(_), Answer::Error(expected)) => {
            return Err(format!("error: expected {expected:?}, got an assignment"));
        }
        (Answer::Assignment(found), Answer::Assignment(expected)) => (found, expected),
    };
    if let Some(unknown) = expected.keys().find(|id| !found.contains_key(*id)) {
        return Err(format!("assignment of {unknown}: there is no such member"));
    }
    for (id, list) in found {
        let recorded = expected.get(id).map_or(&[][..], Vec::as_slice);
        let (one, other): (BTreeSet<_>, BTreeSet<_>) = (list.iter().collect(), recorded.iter().collect());
        if one != other || list.len() != recorded.len() {
            return Err(format!("assignment of {id}: expected [{}], got [{}]", recorded.join(" "), list.join(" ")));
        }
    }
    Ok(())
}

/// A line as a type, or a sentence about the field that is wrong.
fn read<'a, T: Deserialize<'a>>(line: &'a Value) -> Result<T, String> {
    T::deserialize(line).map_err(|error| format!("the line cannot be read: {error}"))
}

/// Names with a number for each.
#[derive(Default)]
struct Names<'a> {
    numbers: BTreeMap<&'a str, u32>,
    listed: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn number(&mut self, name: &'a str) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.listed.push(name);
            self.listed.len() as u32 - 1
        })
    }
}

/// The lines of a recording whose client lists have the recorded sets in another order, with the first such list.
///
/// The format does not compare that order; the crate promises it all the same.
///
/// # Errors
/// If a line is no case of this family.
pub fn other_orders(text: &str) -> Result<Vec<String>, String> {
    let mut others = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let (found, expected) = both(&line)?;
        let (Answer::Assignment(found), Answer::Assignment(expected)) = (&found, &expected) else {
            continue;
        };
        let differs = |id: &&String| found.get(*id) != expected.get(*id);
        if let Some(id) = expected.keys().find(differs).filter(|_| rule(&line).is_none()) {
            others.push(format!("{} of {id}: expected {:?}, got {:?}", line["id"], expected.get(id), found.get(id)));
        }
    }
    Ok(others)
}
