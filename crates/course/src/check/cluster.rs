//! Checks of brokers, replicas, files and sizes.
//!
//! Deliberately not here: keys and hashes, and what a terminal prints.

use engine::log_view::LogView;
use engine::{InputError, Time, Timeline};

use super::compute::{Context, compared, failed, scenario, stage};
use super::{Check, Finding, Stage};
use crate::predict::of_kind;
use crate::probe;
use crate::sizing::{Milli, Sizing};

pub(super) fn finding(check: &Check, ctx: &Context<'_>) -> Result<Finding, InputError> {
    match check {
        Check::State { stage: run, path, expected } => {
            Ok(compared(expected, &probe::read(&stage(ctx, run)?.snapshot, path)?))
        }
        Check::States { stage: run, expected } => {
            let run = stage(ctx, run)?;
            let read = |path: &String| Ok((path.clone(), probe::read(&run.snapshot, path)?));
            Ok(compared(expected, &expected.keys().map(read).collect::<Result<_, InputError>>()?))
        }
        Check::Rebuilt { stage: run, key, topic, order, expected } => {
            let run = stage(ctx, run)?;
            let topic =
                probe::topic(&run.snapshot, topic).ok_or_else(|| failed(format!("there is no topic {topic}")))?;
            let value = probe::rebuilt(topic, order, key);
            Ok(compared(expected.as_str(), value.as_deref().unwrap_or("none")))
        }
        Check::EventAt { stage: run, event, contains, expected_ms } => {
            let run = stage(ctx, run)?;
            let fits = of_kind(event, contains);
            let at = run.events.iter().find(|event| fits(event)).map(|event| event.moment.time.millis());
            Ok(compared(&Some(*expected_ms), &at))
        }
        Check::EventCount { stage: run, event, contains, expected } => {
            let run = stage(ctx, run)?;
            let fits = of_kind(event, contains);
            Ok(compared(expected, &(run.events.iter().filter(|event| fits(event)).count() as u64)))
        }
        Check::Standstill { stage: run, group, from, expected_ms, partitions, stopped, moved, given } => {
            let stood = stage(ctx, run)?.stood(group, *from);
            let or = |wanted: &Option<u32>, found: u32| wanted.unwrap_or(found);
            let expected = [or(stopped, stood.stopped), or(moved, stood.moved), or(given, stood.given)];
            let got = [stood.stopped, stood.moved, stood.given];
            let names: Vec<String> = stood.moved_partitions.iter().map(ToString::to_string).collect();
            let millis = stood.partition_time.millis();
            let expected = (expected_ms.unwrap_or(millis), expected, partitions.as_ref().unwrap_or(&names));
            Ok(compared(&expected, &(millis, got, &names)))
        }
        Check::Sizing { rates, expected } => {
            let [peak, produce, consume, growth] = [0, 1, 2, 3].map(|place: usize| Milli::parse(&rates[place]));
            let sizing =
                Sizing { peak: peak?, produce: produce?, consume: consume?, growth: growth?, ..Sizing::default() };
            let plan = sizing.plan()?;
            Ok(compared(expected, &[plan.base.to_string(), plan.need.to_string(), plan.recommended.to_string()]))
        }
        Check::Price { count, expected } => {
            let plan = Sizing { chosen: Some(*count), ..Sizing::default() }.plan()?;
            let got = [plan.replicas_per_broker.to_string(), plan.leaders_per_broker.to_string()];
            let [replicas, leaders] = got;
            Ok(compared(expected, &[replicas, leaders, plan.bytes_per_linger.to_string()]))
        }
        _ => of_files(check, ctx),
    }
}

fn of_files(check: &Check, ctx: &Context<'_>) -> Result<Finding, InputError> {
    match check {
        Check::Lookup { stage: run, broker, topic, partition, offset, expected } => {
            let found = timeline(run, ctx)?.lookup(*broker, topic, *partition, *offset);
            let found = found.ok_or_else(|| failed(format!("{topic}-{partition} has no offset {offset}")))?;
            let (relative, position) = found.entry;
            let got = [found.segment, relative.into(), position.into(), found.batches_scanned.into(), found.position];
            Ok(compared(expected, &got))
        }
        Check::IndexEntries { stage: run, broker, topic, partition, segment, expected } => {
            let view = view(run, ctx, *broker, topic, *partition)?;
            let segment = view.segments.iter().find(|found| found.base_offset == *segment);
            let entries = segment.map_or_else(Vec::new, |segment| segment.offset_index.clone());
            let pair = |(relative, position): (u32, u32)| [u64::from(relative), u64::from(position)];
            Ok(compared(expected, &entries.into_iter().take(expected.len()).map(pair).collect()))
        }
        Check::Files { stage: run, broker, topic, partition, ending, expected } => {
            let files = view(run, ctx, *broker, topic, *partition)?.files;
            let names = files.into_iter().map(|(name, _)| name).filter(|name| name.ends_with(ending.as_str()));
            Ok(compared(expected, &names.collect()))
        }
        _ => Err(failed("not a check of files")),
    }
}

fn view(run: &Stage, ctx: &Context<'_>, broker: u32, topic: &str, partition: u32) -> Result<LogView, InputError> {
    let view = timeline(run, ctx)?.log_view(broker, topic, partition);
    view.ok_or_else(|| failed(format!("broker {broker} has no replica of {topic}-{partition}")))
}

/// The timeline of a run at its end.
pub(super) fn timeline(run: &Stage, ctx: &Context<'_>) -> Result<Timeline, InputError> {
    let mut timeline = Timeline::new(scenario(ctx, &run.act, &run.settings)?, ())?;
    for planned in &run.commands {
        timeline.advance_to(Time::ZERO + planned.at);
        timeline.act(planned.command.clone())?;
    }
    timeline.advance_to(Time::ZERO + run.until);
    Ok(timeline)
}
