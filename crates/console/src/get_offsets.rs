//! kafka-get-offsets.sh: the offset of a time, or of an end of the log, for each partition.
//!
//! Follows `GetOffsetShell` of 4.3.1. Which partitions are asked is decided in `get_offsets/filter.rs`.

mod filter;

#[cfg(test)]
mod tests;

use engine::order::Order;
use engine::snapshot::{PartitionSnapshot, ReplicaSnapshot, Snapshot};
use engine::{Observer, Timeline};

use crate::Printed;
use crate::client::{API_TIMEOUT, read};
use crate::disk::Disk;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::pattern::is_internal;
use crate::place::RUN_START;
use crate::stop::{Stop, help_or_version};
use filter::Filter;

const PURPOSE: &str = "An interactive shell for getting topic-partition offsets.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("exclude-internal-topics", "", "Leave out Kafka's own topics."),
    option("help", "", "Show this list."),
    option("partitions", "0,1,...", "Only these partitions of each topic."),
    option("time", "which", "latest (-1), earliest (-2), max-timestamp (-3) and others, or Unix milliseconds."),
    option("topic", "name", "The topic, a regular expression; all topics without it."),
    option("topic-partitions", "topic:0-3,...", "Topics with ranges of partitions, instead of the two options."),
    option("version", "", "Show Kafka's version."),
];

/// Which offset is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spec {
    Latest,
    Earliest,
    MaxTimestamp,
    EarliestLocal,
    LatestTiered,
    EarliestPendingUpload,
    /// The first record that is not older, in Unix milliseconds.
    Timestamp(i64),
}

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    if let Err(stop) = offsets(timeline, words, &mut printed) {
        match stop {
            Stop::Terse(text) => {
                printed.exit = 1;
                printed.stderr.push_str(&format!("Error occurred: {text}\n"));
            }
            stop => {
                if let Some(exception) = stop.print(OPTIONS, &mut printed) {
                    printed.stderr.push_str(&format!("Error occurred: {}\n{}", exception.text(), exception.trace()));
                }
            }
        }
    }
    printed
}

fn offsets<O: Observer>(timeline: &mut Timeline<O>, words: &[String], printed: &mut Printed) -> Result<(), Stop> {
    let options = Options::read(OPTIONS, words).map_err(Stop::Terse)?;
    help_or_version(words, |name| options.has(name), PURPOSE)?;
    options.require(&["bootstrap-server"]).map_err(Stop::Usage)?;
    let multiple = |text| Stop::Failed(Exception::of_options("MultipleArgumentsForOptionException", text));
    if options.has("topic-partitions") && (options.has("topic") || options.has("partitions")) {
        return Err(Stop::Terse("--topic-partitions cannot be used with --topic or --partitions".to_string()));
    }
    let spec = spec(options.text("time").map_err(multiple)?.unwrap_or("latest"))?;
    let filter = match options.text("topic-partitions").map_err(multiple)? {
        Some(rules) => Filter::of_rules(rules)?,
        None => Filter::of_topic(
            options.text("topic").map_err(multiple)?,
            options.text("partitions").map_err(multiple)?.unwrap_or_default(),
        )?,
    };
    let snapshot = read(timeline, "listTopics", API_TIMEOUT).map_err(|error| Stop::Failed(error.in_future()))?;
    let mut lines = chosen(&snapshot, &filter, options.has("exclude-internal-topics"))
        .map(|(topic, partition)| (format!("{topic}-{}", partition.partition), topic, partition))
        .collect::<Vec<_>>();
    if lines.is_empty() {
        return Err(Stop::Terse("Could not match any topic-partitions with the specified filters".to_string()));
    }
    // The tool sorts by the text of the partition's name: t-10 comes before t-2.
    lines.order_by(|one, other| one.0.cmp(&other.0));
    for (name, topic, partition) in lines {
        match offset(&*timeline, topic, partition, spec) {
            Ok(Some(offset)) => printed.stdout.push_str(&format!("{topic}:{}:{offset}\n", partition.partition)),
            Ok(None) => {}
            Err(error) => printed.stderr.push_str(&format!(
                "Skip getting offsets for topic-partition {name} due to error: {}\n",
                error.in_future().text()
            )),
        }
    }
    Ok(())
}

fn chosen<'a>(
    snapshot: &'a Snapshot,
    filter: &'a Filter,
    without_internal: bool,
) -> impl Iterator<Item = (&'a str, &'a PartitionSnapshot)> {
    let topics = snapshot.topics.iter().filter(move |topic| !(without_internal && is_internal(&topic.name)));
    topics
        .flat_map(|topic| topic.partitions.iter().map(|partition| (&*topic.name, partition)))
        .filter(|(topic, partition)| filter.allows(topic, partition.partition))
}

fn spec(text: &str) -> Result<Spec, Stop> {
    Ok(match text {
        "latest" | "-1" => Spec::Latest,
        "earliest" | "-2" => Spec::Earliest,
        "max-timestamp" | "-3" => Spec::MaxTimestamp,
        "earliest-local" | "-4" => Spec::EarliestLocal,
        "latest-tiered" | "-5" => Spec::LatestTiered,
        "earliest-pending-upload" | "-6" => Spec::EarliestPendingUpload,
        _ => Spec::Timestamp(text.parse().map_err(|_| {
            Stop::Terse(format!(
                "Malformed time argument {text}. Please use -1 or latest / -2 or earliest / -3 or max-timestamp / -4 or earliest-local / -5 or latest-tiered / -6 or earliest-pending-upload, or a specified long format timestamp"
            ))
        })?),
    })
}

/// The leader's answer; none where it knows no such offset.
fn offset(disk: &impl Disk, topic: &str, partition: &PartitionSnapshot, spec: Spec) -> Result<Option<u64>, Exception> {
    let Some(leader) = partition.leader else {
        let text = "There is no leader for this topic-partition as we are in the middle of a leadership election.";
        return Err(Exception::new("org.apache.kafka.common.errors.LeaderNotAvailableException", text));
    };
    let log: Option<&ReplicaSnapshot> = partition.logs.iter().find(|log| log.broker == leader);
    let remote = || disk.directory(leader, topic, partition.partition).map(|view| view.remote_segments);
    Ok(match spec {
        Spec::Latest => Some(partition.high_watermark),
        Spec::Earliest => Some(partition.log_start_offset),
        Spec::EarliestLocal => Some(log.map_or(partition.log_start_offset, |log| log.local_log_start_offset)),
        Spec::LatestTiered | Spec::EarliestPendingUpload if remote().is_none_or(|remote| remote.is_empty()) => None,
        Spec::LatestTiered => {
            uploaded_until(disk, leader, topic, partition.partition).and_then(|end| end.checked_sub(1))
        }
        Spec::EarliestPendingUpload => uploaded_until(disk, leader, topic, partition.partition),
        Spec::MaxTimestamp => {
            // The first of the records with the largest timestamp.
            let newest =
                stamped(disk, leader, topic, partition).max_by_key(|(time, offset)| (*time, u64::MAX - *offset));
            newest.map(|(_, offset)| offset)
        }
        Spec::Timestamp(time) => first_not_older(disk, topic, partition, time),
    })
}

/// The first record of the leader that is not older than a time in Unix milliseconds.
pub(crate) fn first_not_older(disk: &impl Disk, topic: &str, partition: &PartitionSnapshot, time: i64) -> Option<u64> {
    let not_older = stamped(disk, partition.leader?, topic, partition)
        .filter(|(stamp, _)| stamp.saturating_add(RUN_START) >= time)
        .map(|(_, offset)| offset);
    not_older.min()
}

/// The first local segment's base offset that is not in remote storage yet.
fn uploaded_until(disk: &impl Disk, broker: u32, topic: &str, partition: u32) -> Option<u64> {
    let view = disk.directory(broker, topic, partition)?;
    let last = view.remote_segments.iter().map(|(base, _)| *base).max()?;
    let next = view.segments.iter().map(|segment| segment.base_offset).filter(|base| *base > last).min();
    Some(next.unwrap_or(view.log_end_offset))
}

/// Timestamps and offsets of everything that a reader may see.
/// Simplified: of records without content, and of those that the broker stamped, the batch tells one
/// timestamp and its first offset.
fn stamped<'a>(
    disk: &'a impl Disk,
    broker: u32,
    topic: &'a str,
    partition: &'a PartitionSnapshot,
) -> impl Iterator<Item = (i64, u64)> + 'a {
    let number = partition.partition;
    let segments = disk.directory(broker, topic, number).map(|view| view.segments).unwrap_or_default();
    let batches =
        segments.into_iter().flat_map(move |segment| disk.batches(broker, topic, number, segment.base_offset));
    let records = batches.flat_map(|batch| match batch.records.is_empty() || batch.is_log_append_time {
        true => vec![(batch.max_timestamp, batch.base_offset)],
        false => batch.records.iter().map(|(offset, record)| (record.create_time, *offset)).collect(),
    });
    let visible = partition.log_start_offset..partition.high_watermark;
    records.filter(move |(_, offset)| visible.contains(offset))
}
