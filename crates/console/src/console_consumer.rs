//! kafka-console-consumer.sh: records as lines.
//!
//! Follows `ConsoleConsumer` of 4.3.1; the lines are made in `console_consumer/formatter.rs`.
//! Simplified: it reads the leaders' logs without Fetch requests and without a group of its own, so it
//! neither waits for a rebalance nor shows up among the readers; `--group` comes with consumer groups.

mod arguments;
mod formatter;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::log_view::BatchInSegment;
use engine::snapshot::{PartitionSnapshot, Snapshot};
use engine::{Command, Duration, Observer, Time, Timeline};

use crate::client::{API_TIMEOUT, ask};
use crate::disk::Disk;
use crate::stop::Stop;
use crate::{Input, Printed};
pub(crate) use arguments::OPTIONS;
use arguments::{Arguments, Start, Topics};
use formatter::{Content, Message};

/// How often it looks for new records, as often as a lesson's person would notice.
const POLL: Duration = Duration::from_millis(100);
/// Without `--max-messages` and `--timeout-ms` the tool runs until somebody stops it; here that is after
/// so much simulated time.
const INTERRUPT: Duration = Duration::from_secs(10);
/// Lines of one call: as much as a terminal holds.
const MESSAGES_MAX: u64 = 10_000;

/// Positions in partitions, by topic and partition.
type Positions = BTreeMap<(String, u32), u64>;

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String], input: &Input) -> Printed {
    let mut printed = Printed::default();
    let stopped = Arguments::read(words, input).and_then(|arguments| {
        for warning in &arguments.warnings {
            printed.stdout.push_str(&format!("{warning}\n"));
        }
        create_unknown_topic(timeline, &arguments)?;
        let count = consume(timeline, &arguments, &mut printed.stdout);
        printed.stderr.push_str(&format!("Processed a total of {count} messages\n"));
        Ok(())
    });
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stderr.push_str(&exception.trace());
    }
    printed
}

/// A consumer's metadata request creates the topic that it names, if the brokers allow it.
fn create_unknown_topic<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments) -> Result<(), Stop> {
    let Topics::Named(topic) = &arguments.topics else { return Ok(()) };
    let snapshot = timeline.snapshot(0);
    let setting = timeline.scenario().cluster.configs.get("auto.create.topics.enable");
    if snapshot.topics.iter().any(|found| *found.name == **topic) || setting.is_some_and(|value| value == "false") {
        return Ok(());
    }
    let command = Command::CreateTopic {
        topic: topic.clone(),
        partitions: None,
        replication_factor: None,
        assignment: None,
        configs: BTreeMap::new(),
    };
    // A name that the controller refuses stays unknown, and nothing is read.
    ask(timeline, command, API_TIMEOUT).map(|_| ())
}

/// Prints records until an end is reached; returns how many.
fn consume<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments, out: &mut String) -> u64 {
    let limit = arguments.messages_max.unwrap_or(MESSAGES_MAX).min(MESSAGES_MAX);
    let begun = timeline.now();
    let mut positions = Positions::new();
    let mut is_first = true;
    let mut count = 0;
    let mut last_read = begun;
    while count < limit {
        let snapshot = timeline.snapshot(0);
        let messages = poll(&*timeline, &snapshot, arguments, &mut positions, is_first, limit - count);
        is_first = false;
        count += messages.len() as u64;
        for message in &messages {
            out.push_str(&arguments.formatter.line(message));
        }
        if !messages.is_empty() {
            last_read = timeline.now();
        }
        if count >= limit || is_over(arguments, begun, last_read, timeline.now()) {
            break;
        }
        let next = timeline.now() + POLL;
        timeline.advance_to(next);
    }
    count
}

fn is_over(arguments: &Arguments, begun: Time, last_read: Time, now: Time) -> bool {
    match arguments.timeout {
        Some(timeout) => now.since(last_read) > timeout,
        // With a number of messages it waits for them, but not for ever.
        None if arguments.messages_max.is_some() => now.since(last_read) >= API_TIMEOUT,
        None => now.since(begun) >= INTERRUPT,
    }
}

/// What can be read now: partition by partition, each in the order of its offsets.
fn poll(
    disk: &impl Disk,
    snapshot: &Snapshot,
    arguments: &Arguments,
    positions: &mut Positions,
    is_first: bool,
    limit: u64,
) -> Vec<Message> {
    let mut messages = Vec::new();
    for topic in snapshot.topics.iter().filter(|topic| arguments.reads(&topic.name)) {
        for partition in topic.partitions.iter().filter(|found| arguments.reads_partition(found.partition)) {
            let end = if arguments.is_read_committed { partition.last_stable_offset } else { partition.high_watermark };
            let key = (topic.name.to_string(), partition.partition);
            // What comes into being later is read from its beginning.
            let first = if is_first { start(arguments.start, partition) } else { partition.log_start_offset };
            let position = positions.entry(key).or_insert(first);
            *position = (*position).max(partition.log_start_offset);
            let left = limit - messages.len() as u64;
            let found = records(disk, &topic.name, partition, *position, end, left);
            *position = found.last().map_or(*position, |message| message.offset + 1);
            messages.extend(found);
        }
    }
    messages
}

fn start(start: Start, partition: &PartitionSnapshot) -> u64 {
    match start {
        Start::Earliest => partition.log_start_offset,
        Start::Latest => partition.high_watermark,
        // An offset that is outside of the log is reset to the end.
        Start::At(offset) if (partition.log_start_offset..=partition.log_end_offset).contains(&offset) => offset,
        Start::At(_) => partition.high_watermark,
    }
}

/// What lies from `position` up to below `end`, read from the leader.
fn records(
    disk: &impl Disk,
    topic: &str,
    partition: &PartitionSnapshot,
    position: u64,
    end: u64,
    limit: u64,
) -> Vec<Message> {
    let mut found = Vec::new();
    let Some(leader) = partition.leader.filter(|_| position < end && limit > 0) else { return found };
    let number = partition.partition;
    let segments = disk.directory(leader, topic, number).map(|view| view.segments).unwrap_or_default();
    for segment in segments.iter().filter(|segment| segment.last_offset.is_some_and(|last| last >= position)) {
        for batch in disk.batches(leader, topic, number, segment.base_offset) {
            let messages = in_batch(&batch, number).into_iter();
            found.extend(messages.filter(|message| (position..end).contains(&message.offset)));
            if found.len() as u64 >= limit {
                found.truncate(limit as usize);
                return found;
            }
        }
    }
    found
}

fn in_batch(batch: &BatchInSegment, partition: u32) -> Vec<Message> {
    let is_append_time = batch.is_log_append_time;
    let message = |offset, time, content| Message { partition, offset, time, is_append_time, content };
    if batch.records.is_empty() {
        let size = u64::from(batch.size_bytes) / u64::from(batch.count.max(1));
        let offsets = batch.base_offset..=batch.last_offset;
        return offsets.map(|offset| message(offset, batch.max_timestamp, Content::Unknown(size))).collect();
    }
    let records = batch.records.iter().map(|(offset, record)| {
        let time = if is_append_time { batch.max_timestamp } else { record.create_time };
        message(*offset, time, Content::Known(Rc::clone(record)))
    });
    records.collect()
}
