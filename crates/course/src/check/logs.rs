//! Checks of a partition's log and of what an application's calls came to.
//!
//! Deliberately not here: keys, hashes and files.

use std::collections::BTreeMap;

use engine::error::KafkaError;
use engine::{Command, EventKind, InputError, Simulation, Time};

use super::compute::{Context, compared, failed, scenario, stage};
use super::{Check, Finding};
use crate::probe;
use crate::stage::StageRun;

pub(super) fn finding(check: &Check, ctx: &Context<'_>) -> Result<Finding, InputError> {
    match check {
        Check::Log { stage: run, partition, from, expected } => {
            let run = stage(ctx, run)?;
            let found = probe::partition(&run.snapshot, partition);
            let found = found.ok_or_else(|| failed(format!("there is no partition {partition}")))?;
            let records = found.records.iter().filter(|record| record.offset >= *from);
            Ok(compared(expected, &records.map(probe::log_line).collect()))
        }
        Check::Calls { stage: run, producer, expected } => {
            let calls = calls(&*stage(ctx, run)?, producer);
            Ok(compared(expected, &calls.iter().map(Call::line).collect()))
        }
        Check::CallFails { stage: run, producer, call, nth, exception, expected } => {
            let calls = calls(&*stage(ctx, run)?, producer);
            let mut failing = calls.iter().filter(|found| found.method == *call).filter_map(Call::error);
            let got = failing.nth(*nth).map(|error| (class(error).to_string(), error.message.clone()));
            Ok(compared(&Some((exception.clone(), expected.clone())), &got))
        }
        Check::Refused { act, settings, expected } => {
            let refused = scenario(ctx, act, settings).and_then(|scenario| Simulation::new(&scenario)).err();
            let got = refused.map(|error| error.to_string()).unwrap_or_default();
            let found = if got.contains(expected.as_str()) { expected.clone() } else { got };
            Ok(compared(expected, &found))
        }
        _ => Err(failed("not a check of logs")),
    }
}

/// A call of an application, from the command that stands for it.
struct Call {
    method: &'static str,
    called: Time,
    /// When it ended, and with which error.
    ended: Option<(Time, Option<KafkaError>)>,
}

impl Call {
    fn error(&self) -> Option<&KafkaError> {
        self.ended.as_ref().and_then(|(_, error)| error.as_ref())
    }

    /// Such as `41000 send InvalidProducerEpochException`, or `60000-120000 send TimeoutException`.
    fn line(&self) -> String {
        let (called, method) = (self.called.millis(), self.method);
        match &self.ended {
            None => format!("{called} {method} waits"),
            Some((at, error)) => {
                let span = if at.millis() == called { String::new() } else { format!("-{}", at.millis()) };
                format!("{called}{span} {method} {}", error.as_ref().map_or("ok", class))
            }
        }
    }
}

/// What a program would catch: the exception, or the error's name where the library has no exceptions.
fn class(error: &KafkaError) -> &str {
    if error.exception.is_empty() { &error.error } else { &error.exception }
}

/// The calls of a producer in the order in which they were made.
fn calls(run: &StageRun, producer: &str) -> Vec<Call> {
    let mut calls: BTreeMap<u64, Call> = BTreeMap::new();
    for event in &run.events {
        match &event.kind {
            EventKind::CommandApplied { number, command } => {
                if let Some(method) = method(command, producer) {
                    calls.insert(*number, Call { method, called: event.moment.time, ended: None });
                }
            }
            EventKind::CommandFinished { outcome } => {
                if let Some(call) = calls.get_mut(&outcome.command) {
                    call.ended = Some((event.moment.time, outcome.error.clone()));
                }
            }
            _ => {}
        }
    }
    calls.into_values().collect()
}

fn method(command: &Command, of: &str) -> Option<&'static str> {
    let (method, producer) = match command {
        Command::Send { producer, .. } => ("send", producer),
        Command::Flush { producer, .. } => ("flush", producer),
        Command::Close { producer, .. } => ("close", producer),
        Command::InitTransactions { producer, .. } => ("initTransactions", producer),
        Command::BeginTransaction { producer, .. } => ("beginTransaction", producer),
        Command::CommitTransaction { producer, .. } => ("commitTransaction", producer),
        Command::AbortTransaction { producer, .. } => ("abortTransaction", producer),
        Command::SendOffsetsToTransaction { producer, .. } => ("sendOffsetsToTransaction", producer),
        _ => return None,
    };
    (producer == of).then_some(method)
}
