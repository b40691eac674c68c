//! What happens to a stage: transactions, calls in any order, second instances, crashes and faults.
//!
//! Deliberately not here: what must hold (`rules.rs`).

use std::collections::BTreeMap;

use engine::Command;
use engine::rng::Stream;

use super::Run;
use super::stage::{self, LONELY, PRODUCERS, TOPIC};
use crate::fuzz::faults;

/// Does one thing, or a transaction from its beginning to its end.
pub(super) fn act(dice: &mut Stream, run: &mut Run) {
    let many = run.scenario.producers.len() as u64;
    let name = PRODUCERS[dice.below(many) as usize].to_string();
    match dice.below(20) {
        0..=8 => whole(dice, run, name),
        9..=12 => {
            let call = call(dice, run, name);
            run.act(call);
        }
        13 | 14 => process(dice, run, name),
        _ => {
            let fault = faults::fault(dice, &PRODUCERS[..many as usize]);
            run.act(fault);
        }
    }
}

fn is_transactional(run: &Run, name: &str) -> bool {
    run.specs.get(name).is_some_and(|spec| spec.configs.contains_key("transactional.id"))
}

/// A transaction as an application writes it; for others just records.
fn whole(dice: &mut Stream, run: &mut Run, name: String) {
    let producer = || name.clone();
    let is_transactional = is_transactional(run, &name);
    if is_transactional {
        if dice.below(4) == 0 || run.next < 12 {
            run.act(Command::InitTransactions { producer: producer(), timeout_ms: timeout(dice) });
        }
        run.act(Command::BeginTransaction { producer: producer() });
    }
    for _ in 0..dice.below(5) + u64::from(!is_transactional) {
        let send = send(dice, run, producer());
        run.act(send);
    }
    if dice.below(3) == 0 {
        run.act(Command::Flush { producer: producer(), timeout_ms: None });
    }
    if is_transactional && dice.below(6) > 0 {
        if dice.below(5) == 0 {
            run.act(offsets(dice, producer()));
        }
        let end = end(dice, producer());
        run.act(end);
    }
}

fn timeout(dice: &mut Stream) -> Option<u32> {
    Some(dice.below(20_000) as u32 + 500)
}

fn end(dice: &mut Stream, producer: String) -> Command {
    let timeout_ms = timeout(dice);
    match dice.below(3) {
        0 => Command::AbortTransaction { producer, timeout_ms },
        _ => Command::CommitTransaction { producer, timeout_ms },
    }
}

fn offsets(dice: &mut Stream, producer: String) -> Command {
    let offsets = BTreeMap::from([(format!("in-{}", dice.below(2)), dice.below(100))]);
    let timeout_ms = timeout(dice);
    Command::SendOffsetsToTransaction {
        producer,
        group: format!("g-{}", dice.below(2)),
        offsets,
        generation: None,
        member: None,
        timeout_ms,
    }
}

fn send(dice: &mut Stream, run: &Run, producer: String) -> Command {
    let is_lonely = run.scenario.topics.len() > 1 && dice.below(3) == 0;
    let topic = run.scenario.topics.iter().find(|topic| topic.name == TOPIC);
    let partitions = topic.and_then(|topic| topic.partitions).unwrap_or(1);
    let partition = if is_lonely { 0 } else { dice.below(u64::from(partitions)) as i32 };
    Command::Send {
        producer,
        topic: if is_lonely { LONELY } else { TOPIC }.to_string(),
        key: None,
        key_encoding: None,
        value_encoding: None,
        value: None,
        value_bytes: Some(dice.below(300) as u32),
        partition: Some(partition),
        timestamp_ms: None,
        headers: Vec::new(),
    }
}

/// One call, wanted or not.
fn call(dice: &mut Stream, run: &Run, producer: String) -> Command {
    match dice.below(12) {
        0 | 1 => Command::InitTransactions { producer, timeout_ms: timeout(dice) },
        2 => Command::BeginTransaction { producer },
        3 => Command::Flush { producer, timeout_ms: None },
        4 => Command::Purge { producer, in_flight: Some(dice.below(2) == 0) },
        5 | 6 => end(dice, producer),
        7 => offsets(dice, producer),
        8 => Command::Disconnect { producer },
        9 if dice.below(3) == 0 => Command::StopPoll { consumer: producer },
        9 => Command::ResumePoll { consumer: producer },
        _ => send(dice, run, producer),
    }
}

/// A process stands still, goes on, dies, or is started again under its name.
fn process(dice: &mut Stream, run: &mut Run, name: String) {
    match dice.below(7) {
        0 => drop(run.act(Command::Freeze { client: name })),
        1 | 2 => drop(run.act(Command::Thaw { client: name })),
        3 => drop(run.act(Command::Crash { client: name })),
        4 => drop(run.act(Command::Close { producer: name, timeout_ms: timeout(dice) })),
        _ => {
            if dice.below(2) == 0 {
                run.act(Command::Crash { client: name.clone() });
            }
            let spec = stage::producer(dice, &name);
            if run.act(Command::Producer(spec.clone())).is_some() {
                run.specs.insert(name.clone(), spec);
                run.act(Command::InitTransactions { producer: name, timeout_ms: timeout(dice) });
            }
        }
    }
}
