//! The computation behind each kind of check.
//!
//! Deliberately not here: expected values, other than to put them beside what was computed.

use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use std::fmt::Debug;

use engine::{EventKind, InputError, Scenario};
use partitioner::{Client, Decision, HashFunction, SignRule, StepKind};

use super::{Check, Finding, Stage};
use crate::lesson::Lesson;
use crate::settings::Settings;
use crate::stage::{StageRun, encode, find_client, find_encoding};

/// What checks may look at.
pub(super) struct Context<'a> {
    lesson: &'a Lesson,
    scenarios: &'a BTreeMap<String, Scenario>,
    /// The last run: a check of the same run at a later instant goes on with it.
    last: RefCell<Option<(Stage, StageRun)>>,
}

impl<'a> Context<'a> {
    pub fn new(lesson: &'a Lesson, scenarios: &'a BTreeMap<String, Scenario>) -> Context<'a> {
        Context { lesson, scenarios, last: RefCell::new(None) }
    }
}

pub(super) fn finding(check: &Check, ctx: &Context<'_>) -> Result<Finding, InputError> {
    match check {
        Check::Hash { .. }
        | Check::Dividend { .. }
        | Check::Steps { .. }
        | Check::Coordinator { .. }
        | Check::Partition { .. }
        | Check::Encodings { .. } => of_keys(check),
        Check::Agree { .. }
        | Check::Moved { .. }
        | Check::Residues { .. }
        | Check::Sign { .. }
        | Check::SignShare { .. } => of_rules(check),
        Check::Assignment { link, assignor, expected } => Ok(compared(expected, &dealt(link, assignor)?)),
        Check::Prediction { id, settings, expected } => Ok(compared(expected, &prediction(ctx, id, settings)?)),
        Check::State { .. }
        | Check::States { .. }
        | Check::Rebuilt { .. }
        | Check::EventAt { .. }
        | Check::EventCount { .. }
        | Check::Standstill { .. }
        | Check::Lookup { .. }
        | Check::IndexEntries { .. }
        | Check::Files { .. }
        | Check::Sizing { .. }
        | Check::Price { .. } => super::cluster::finding(check, ctx),
        Check::Log { .. } | Check::Calls { .. } | Check::CallFails { .. } | Check::Refused { .. } => {
            super::logs::finding(check, ctx)
        }
        Check::Console { .. } => Err(failed("the console is not here; see `check::timeline`")),
        _ => of_runs(check, ctx),
    }
}

pub(super) fn compared<T: Debug + ?Sized>(expected: &T, got: &T) -> Finding {
    Finding { expected: format!("{expected:?}"), got: format!("{got:?}") }
}

pub(super) fn failed(message: impl Into<String>) -> InputError {
    InputError::new("check.invalid", message)
}

fn list(keys: &str) -> Result<Vec<String>, InputError> {
    let mut settings = Settings::default();
    // Checks count over more keys than a control may hold.
    match keys.split_once("..") {
        Some((from, last)) if last.parse::<u64>().is_ok() => {
            let digits = from.len() - from.bytes().rev().take_while(u8::is_ascii_digit).count();
            let (prefix, first) = from.split_at(digits);
            let first: u64 = first.parse().map_err(|_| failed(format!("\"{keys}\" is not a range of keys.")))?;
            let last: u64 = last.parse().map_err(|_| failed(format!("\"{keys}\" is not a range of keys.")))?;
            Ok((first..=last).map(|number| format!("{prefix}{number}")).collect())
        }
        _ => {
            settings.set("keys", keys)?;
            Ok(settings.keys.unwrap_or_default())
        }
    }
}

fn key_bytes(keys: &str, encoding: &str) -> Result<Vec<Vec<u8>>, InputError> {
    let encoding = find_encoding(encoding)?;
    list(keys)?.iter().map(|key| encode(encoding, key)).collect()
}

fn partition_of(client: &Client, key: &[u8], partitions: u32) -> i64 {
    client.partition(Some(key), partitions).map_or(-1, i64::from)
}

fn percent(part: u64, whole: u64, decimals: usize) -> String {
    format!("{:.decimals$}", part as f64 * 100.0 / whole.max(1) as f64)
}

// Keys and hashes.

fn of_keys(check: &Check) -> Result<Finding, InputError> {
    match check {
        Check::Hash { client, keys, encoding, expected } => {
            let client = find_client(client)?;
            let hashes =
                key_bytes(keys, encoding)?.iter().map(|key| raw_hash(client, key)).collect::<Result<Vec<_>, _>>()?;
            Ok(compared(expected, &hashes))
        }
        Check::Dividend { client, keys, expected } => {
            let client = find_client(client)?;
            let dividends =
                key_bytes(keys, "text")?.iter().map(|key| dividend(client, key)).collect::<Result<Vec<_>, _>>()?;
            Ok(compared(expected, &dividends))
        }
        Check::Steps { key, expected } => Ok(compared(expected, &steps(key)?)),
        Check::Coordinator { groups, hashes, partitions, expected, masked } => {
            use engine::internal_partition::{hash_of, partition_for};
            let found: Vec<i32> = groups.iter().map(|group| hash_of(group)).collect();
            let own: Vec<u32> = groups.iter().map(|group| partition_for(group, *partitions)).collect();
            let mask: Vec<u32> = found.iter().map(|hash| (hash & i32::MAX) as u32 % partitions).collect();
            Ok(compared(&(hashes, expected, masked), &(&found, &own, &mask)))
        }
        Check::Partition { client, keys, encoding, partitions, expected } => {
            let client = find_client(client)?;
            let keys = key_bytes(keys, encoding)?;
            Ok(compared(expected, &keys.iter().map(|key| partition_of(client, key, *partitions)).collect()))
        }
        Check::Encodings { key, encodings, bytes, hashes, partitions, expected } => {
            let java = find_client("java")?;
            let keys = encodings
                .iter()
                .map(|encoding| encode(find_encoding(encoding)?, key))
                .collect::<Result<Vec<_>, InputError>>()?;
            let got_bytes = bytes.as_ref().map(|_| keys.iter().map(|key| hex(key)).collect::<Vec<_>>());
            let all = keys.iter().map(|key| raw_hash(java, key)).collect::<Result<Vec<_>, _>>()?;
            let got_hashes = hashes.as_ref().map(|_| all);
            let got: Vec<i64> = keys.iter().map(|key| partition_of(java, key, *partitions)).collect();
            Ok(compared(&(bytes, hashes, expected), &(&got_bytes, &got_hashes, &got)))
        }
        _ => Err(failed("not a check of keys")),
    }
}

fn raw_hash(client: &Client, key: &[u8]) -> Result<i64, InputError> {
    match client.explain(Some(key), 1).decision {
        Decision::Hashed(hashed) => hashed.raw.parse().map_err(|_| failed(format!("{} is no number", hashed.raw))),
        Decision::NotHashed(why) => Err(failed(why.reason())),
    }
}

fn dividend(client: &Client, key: &[u8]) -> Result<i64, InputError> {
    match client.explain(Some(key), 1).decision {
        Decision::Hashed(hashed) => hashed.dividend.ok_or_else(|| failed("it divides more than 64 bits")),
        Decision::NotHashed(why) => Err(failed(why.reason())),
    }
}

/// Bytes, then word and state of every step as the hash strip shows them.
fn steps(key: &str) -> Result<Vec<String>, InputError> {
    let Decision::Hashed(hashed) = find_client("java")?.explain(Some(key.as_bytes()), 1).decision else {
        return Err(failed("the key is not hashed"));
    };
    let spaced: Vec<String> = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut lines = vec![spaced.join(" ")];
    let mut state = 0;
    for step in &hashed.steps {
        lines.push(match step.kind {
            StepKind::Start { length, .. } => format!("start, length {length}: {:#010x}", step.state),
            StepKind::Word { word, .. } => format!("word {word:#010x}: {:#010x}", step.state),
            StepKind::Tail { offset, bits } => {
                format!("tail of {} bytes: {:#010x}, multiplied {:#010x}", key.len() - offset, state ^ bits, step.state)
            }
            StepKind::Byte { byte, .. } => format!("byte {byte:#04x}: {:#010x}", step.state),
            StepKind::Finish => format!("hash: {:#010x} = {}", step.state, step.state as i32),
        });
        state = step.state;
    }
    Ok(lines)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

// Rules over many keys.

fn of_rules(check: &Check) -> Result<Finding, InputError> {
    match check {
        Check::Agree { clients, keys, partitions, expected_keys, expected, percent: share } => {
            let [first, second] = [find_client(&clients[0])?, find_client(&clients[1])?];
            let count = *partitions;
            let same = |key: &[u8]| partition_of(first, key, count) == partition_of(second, key, count);
            Ok(counted(&list(keys)?, same, (expected_keys, *expected, share), 2))
        }
        Check::Moved { client, keys, from, to, expected_keys, expected, percent: share } => {
            let client = find_client(client)?;
            let moves = |key: &[u8]| partition_of(client, key, *from) != partition_of(client, key, *to);
            Ok(counted(&list(keys)?, moves, (expected_keys, *expected, share), 1))
        }
        Check::Residues { from, to, expected, percent: share } => {
            let (from, to) = (u64::from(*from), u64::from(*to));
            let multiple = (1..).map(|factor| from * factor).find(|multiple| multiple % to == 0).unwrap_or(from);
            let agree = (0..multiple).filter(|residue| residue % from == residue % to).count() as u64;
            let got = ([agree, multiple], percent(multiple - agree, multiple, 1));
            Ok(compared(&(*expected, share.clone()), &got))
        }
        Check::Sign { rule, keys, encoding, partitions, expected } => {
            let rule = sign_rule(rule)?;
            let keys = key_bytes(keys, encoding)?;
            let place = |key: &Vec<u8>| rule.partition(murmur2(key), *partitions).map_or(-1, i64::from);
            Ok(compared(expected, &keys.iter().map(place).collect()))
        }
        Check::SignShare { rule, keys, partitions, percent: share } => {
            let rule = sign_rule(rule)?;
            let keys = list(keys)?;
            let differs = |hash: u32| rule.partition(hash, *partitions) != SignRule::Mask.partition(hash, *partitions);
            let count = keys.iter().filter(|key| differs(murmur2(key.as_bytes()))).count() as u64;
            Ok(compared(share, &percent(count, keys.len() as u64, 1)))
        }
        _ => Err(failed("not a check of rules")),
    }
}

/// Counts the keys with a property and puts them beside what is expected: the keys, their number, their share.
fn counted(
    keys: &[String],
    has: impl Fn(&[u8]) -> bool,
    (expected_keys, expected, share): (&Option<Vec<String>>, u64, &Option<String>),
    decimals: usize,
) -> Finding {
    let found: Vec<&String> = keys.iter().filter(|key| has(key.as_bytes())).collect();
    let got_share = share.as_ref().map(|_| percent(found.len() as u64, keys.len() as u64, decimals));
    let count = found.len() as u64;
    let got_keys = expected_keys.as_ref().map(|_| found);
    compared(
        &(&expected_keys.as_ref().map(|keys| keys.iter().collect()), expected, share),
        &(&got_keys, count, &got_share),
    )
}

fn murmur2(key: &[u8]) -> u32 {
    match HashFunction::Murmur2.hash(key) {
        partitioner::HashValue::Word(hash) => hash,
        partitioner::HashValue::Digest(_) => unreachable!("murmur2 has 32 bits"),
    }
}

fn sign_rule(name: &str) -> Result<SignRule, InputError> {
    match name {
        "mask" => Ok(SignRule::Mask),
        "unsigned" => Ok(SignRule::Unsigned),
        "abs" => Ok(SignRule::AbsFirst),
        "naive-abs" => Ok(SignRule::NaiveAbs),
        "signed" => Ok(SignRule::Signed),
        _ => Err(failed(format!("\"{name}\" is not a sign rule"))),
    }
}

// Runs of the engine.

/// The run of a stage, kept for the next check.
pub(super) fn stage<'c>(ctx: &'c Context<'_>, stage: &Stage) -> Result<Ref<'c, StageRun>, InputError> {
    let mut last = ctx.last.borrow_mut();
    match last.as_mut().filter(|(kept, _)| kept.is_begun(stage)) {
        Some((kept, run)) => {
            run.go_on(stage.until);
            kept.until = stage.until;
        }
        None => {
            // The old one goes first: a long run is large.
            *last = None;
            let scenario = scenario(ctx, &stage.act, &stage.settings)?;
            *last = Some((stage.clone(), StageRun::new(&scenario, &stage.commands, stage.until)?));
        }
    }
    drop(last);
    Ok(Ref::map(ctx.last.borrow(), |last| &last.as_ref().expect("it was just put there").1))
}

pub(super) fn scenario(ctx: &Context<'_>, act: &str, settings: &Settings) -> Result<Scenario, InputError> {
    let act = ctx.lesson.act(act).ok_or_else(|| failed(format!("there is no act \"{act}\"")))?;
    let scenario = ctx.scenarios.get(&act.scenario);
    let scenario = scenario.ok_or_else(|| failed(format!("there is no scenario \"{}\"", act.scenario)))?;
    act.settings.with(settings).apply(scenario)
}

/// How many partitions each member of a story's last plan gets.
fn dealt(link: &str, assignor: &str) -> Result<Vec<usize>, InputError> {
    let settings = assignlab::Settings::from_link(link).map_err(|error| failed(error.to_string()))?;
    let assignor = assignlab::Assignor::from_id(assignor).map_err(|error| failed(error.to_string()))?;
    Ok(settings.story.step().outcome(assignor).counts())
}

fn prediction(ctx: &Context<'_>, id: &str, settings: &Settings) -> Result<crate::predict::Answer, InputError> {
    let prediction = ctx.lesson.prediction(id).ok_or_else(|| failed(format!("there is no prediction \"{id}\"")))?;
    let first = ctx.lesson.acts.first().map(|act| act.id.as_str());
    let act = prediction.act.as_deref().or(first).unwrap_or_default();
    let own = ctx.lesson.act(act).map(|act| act.settings.with(settings)).unwrap_or_default();
    let act = ctx.lesson.act(act).ok_or_else(|| failed(format!("there is no act \"{act}\"")))?;
    let scenario = ctx.scenarios.get(&act.scenario);
    let scenario = scenario.ok_or_else(|| failed(format!("there is no scenario \"{}\"", act.scenario)))?;
    prediction.answer(scenario, &own)
}

fn of_runs(check: &Check, ctx: &Context<'_>) -> Result<Finding, InputError> {
    match check {
        Check::Lanes { stage: run, expected } => Ok(compared(expected, &log_end_offsets(&*stage(ctx, run)?))),
        Check::Lies { stage: run, key, value, producer, expected } => {
            let run = stage(ctx, run)?;
            Ok(compared(expected, &lies(&run, key.as_deref(), value.as_deref(), producer.as_deref())))
        }
        Check::LastAt { stage: run, producer, at, expected } => {
            let run = stage(ctx, run)?;
            let last = |until: u64| {
                let placed = run.placed().filter(|placed| placed.producer == producer && placed.time.0 <= until);
                placed.last().map_or(u32::MAX, |placed| placed.partition)
            };
            Ok(compared(expected, &at.iter().map(|at| last(at.0)).collect()))
        }
        Check::Runs { stage: run, expected } => {
            let runs = stage(ctx, run)?.runs(None);
            Ok(compared(
                expected,
                &runs.iter().take(expected.len()).map(|(at, records)| [u64::from(*at), *records]).collect(),
            ))
        }
        Check::RunLengths { stage: run, expected } => {
            let runs = stage(ctx, run)?.runs(None);
            Ok(compared(expected, &runs.iter().take(expected.len()).map(|(_, records)| *records).collect()))
        }
        Check::Batches { stage: run, partition, expected } => {
            let batches = batches(&*stage(ctx, run)?, partition);
            Ok(compared(expected, &batches.into_iter().take(expected.len()).collect()))
        }
        Check::Refreshed { stage: run, client, expected } => {
            Ok(compared(expected, &refreshes(&*stage(ctx, run)?, client)))
        }
        Check::Share { stage: run, partition, percent: share } => {
            let offsets = log_end_offsets(&*stage(ctx, run)?);
            let own = offsets.get(*partition as usize).copied().unwrap_or(0);
            Ok(compared(share, &percent(own, offsets.iter().sum(), 1)))
        }
        Check::PartitionsUsed { stage: run, expected } => {
            let used = log_end_offsets(&*stage(ctx, run)?).into_iter().filter(|offset| *offset > 0).count() as u64;
            Ok(compared(expected, &used))
        }
        _ => of_texts(check, ctx),
    }
}

fn of_texts(check: &Check, ctx: &Context<'_>) -> Result<Finding, InputError> {
    match check {
        Check::Outcome { stage: run, exception, expected } => {
            let run = stage(ctx, run)?;
            let outcome = run.outcome().ok_or_else(|| failed("no command was finished"))?;
            let got = outcome.error.as_ref().map(|error| (error.exception.clone(), error.message.clone()));
            Ok(compared(&(exception.clone(), expected.clone()), &got.unwrap_or_default()))
        }
        Check::Fails { stage: run, at_ms, exception, expected } => {
            let run = stage(ctx, run)?;
            let first = run.events.iter().find_map(|event| match &event.kind {
                EventKind::SendFailed { error, .. } => {
                    Some((event.moment.time.millis(), error.exception.clone(), error.message.clone()))
                }
                _ => None,
            });
            Ok(compared(&Some((*at_ms, exception.clone(), expected.clone())), &first))
        }
        Check::Read { stage: run, key, reader, expected } => {
            let run = stage(ctx, run)?;
            Ok(compared(expected, &read(&run, key, reader.as_deref())))
        }
        Check::Sentence { stage: run, expected } => {
            let run = stage(ctx, run)?;
            let found = run.events.iter().map(ToString::to_string).find(|text| text == expected);
            // Without a match, the nearest thing to look at is what was said last.
            let last = || run.events.last().map(ToString::to_string).unwrap_or_default();
            Ok(compared(expected, &found.unwrap_or_else(last)))
        }
        _ => Err(failed("not a check of runs")),
    }
}

fn log_end_offsets(run: &StageRun) -> Vec<u64> {
    let topic = run.snapshot.topics.first();
    topic.map_or_else(Vec::new, |topic| topic.partitions.iter().map(|partition| partition.log_end_offset).collect())
}

fn lies(run: &StageRun, key: Option<&str>, value: Option<&str>, producer: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for topic in &run.snapshot.topics {
        for partition in &topic.partitions {
            let wanted = partition.records.iter().filter(|entry| {
                key.is_none_or(|key| entry.record.key_text.as_deref() == Some(key))
                    && value.is_none_or(|value| entry.record.value.as_deref() == Some(value))
                    && producer.is_none_or(|name| &*entry.record.producer == name)
            });
            found.extend(wanted.map(|entry| format!("{}-{}@{}", topic.name, partition.partition, entry.offset)));
        }
    }
    found
}

fn batches(run: &StageRun, name: &str) -> Vec<[u64; 2]> {
    let appended = run.events.iter().filter_map(|event| match &event.kind {
        EventKind::BatchAppended { batch, .. } => Some(batch),
        _ => None,
    });
    let own = appended.filter(|batch| format!("{}-{}", batch.partition.topic, batch.partition.partition) == name);
    own.map(|batch| [batch.records.len() as u64, u64::from(batch.size_bytes)]).collect()
}

fn refreshes(run: &StageRun, name: &str) -> Vec<[u64; 2]> {
    let topic = run.snapshot.topics.first().map(|topic| topic.name.clone());
    let refreshed = run.events.iter().filter_map(|event| match &event.kind {
        EventKind::MetadataRefreshed { client, topics, .. } if is_called(client, name) => {
            let count = topics.iter().find(|(known, _)| Some(known) == topic.as_ref()).map_or(0, |(_, count)| *count);
            Some([event.moment.time.millis(), u64::from(count)])
        }
        _ => None,
    });
    refreshed.collect()
}

fn is_called(node: &engine::NodeId, called: &str) -> bool {
    match node {
        engine::NodeId::Producer { name } | engine::NodeId::Consumer { name } => &**name == called,
        _ => false,
    }
}

fn read(run: &StageRun, key: &str, only: Option<&str>) -> Vec<String> {
    let mut values = Vec::new();
    for event in &run.events {
        let EventKind::RecordsRead { consumer, records, .. } = &event.kind else { continue };
        if only.is_none_or(|name| name == &**consumer) {
            let own = records.iter().filter(|record| record.key_text.as_deref() == Some(key));
            values.extend(own.map(|record| record.value.as_deref().unwrap_or("null").to_string()));
        }
    }
    values
}
