//! kafka-dump-log.sh: the files of a log directory in words.
//!
//! Follows `DumpLogSegments` of 4.3.1 for data, index, producer and transaction files; what a file holds is told by
//! the engine's log views. The tool runs where the file is, so it needs no broker.

mod crc;
mod file;
mod index;
mod log;
mod producers;

#[cfg(test)]
mod tests;

use engine::{Observer, Timeline};

use crate::Printed;
use crate::disk::Disk;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};
use file::{Kind, LogFile};

const PURPOSE: &str = "This tool helps to parse a log file and dump its contents to the console, useful for debugging a seemingly corrupt log segment.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("cluster-metadata-decoder", "", "Read the log as cluster metadata; not in this console."),
    option("deep-iteration", "", "Show each record too, without key and value."),
    option("files", "a.log,b.index", "The files; always needed."),
    option("help", "", "Show this list."),
    option("index-sanity-check", "", "Only check that an index is sound."),
    option("key-decoder-class", "[class]", "Class for keys; this console shows text."),
    option("max-bytes", "size", "Read only that much of a log file."),
    option("max-message-size", "size", "Size of the largest batch; no effect here."),
    option("offsets-decoder", "", "Read the log as committed offsets; not in this console yet."),
    option("print-data-log", "", "Show each record with key and value."),
    option("remote-log-metadata-decoder", "", "Read the log as remote log metadata; not in this console."),
    option("share-group-state-decoder", "", "Read the log as share group state; not in this console."),
    option("skip-record-metadata", "", "Show only keys and values of records."),
    option("transaction-log-decoder", "", "Read the log as transaction state; not in this console yet."),
    option("value-decoder-class", "[class]", "Class for values; this console shows text."),
    option("verify-index-only", "", "Check an index against its log without showing it."),
    option("version", "", "Show Kafka's version."),
];

/// Decoders of logs that this console does not have.
const DECODERS: [&str; 5] = [
    "offsets-decoder",
    "transaction-log-decoder",
    "cluster-metadata-decoder",
    "remote-log-metadata-decoder",
    "share-group-state-decoder",
];

/// How the files are to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    is_deep: bool,
    prints_data: bool,
    skips_metadata: bool,
    sanity_only: bool,
    verify_only: bool,
    /// Bytes of a log file that are read; all by default.
    bytes_max: Option<u64>,
}

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let snapshot = timeline.snapshot(0);
    let stopped = dump(&*timeline, words, &mut printed, |topic, partition| {
        let topic = snapshot.topics.iter().find(|found| *found.name == *topic)?;
        let partition = topic.partitions.get(partition as usize)?;
        partition.leader.or(partition.replicas.first().copied())
    });
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stderr.push_str(&format!("{}\n{}", exception.text(), exception.trace()));
    }
    printed
}

fn dump(
    disk: &impl Disk,
    words: &[String],
    printed: &mut Printed,
    home: impl Fn(&str, u32) -> Option<u32>,
) -> Result<(), Stop> {
    let failed = |class: &'static str| move |text| Stop::Failed(Exception::of_options(class, text));
    let options = Options::read(OPTIONS, words).map_err(failed("UnrecognizedOptionException"))?;
    help_or_version(words, |name| options.has(name), PURPOSE)?;
    options.require(&["files"]).map_err(Stop::Usage)?;
    if let Some(decoder) = DECODERS.iter().find(|name| options.has(name)) {
        return Err(Stop::Terse(format!("This console has no such logs yet, so --{decoder} shows nothing.")));
    }
    let files = options.text("files").map_err(failed("MultipleArgumentsForOptionException"))?.unwrap_or_default();
    let bytes_max = options.int("max-bytes").map_err(failed("OptionArgumentConversionException"))?;
    let prints_data =
        ["print-data-log", "key-decoder-class", "value-decoder-class"].iter().any(|name| options.has(name));
    let style = Style {
        is_deep: prints_data || options.has("deep-iteration"),
        prints_data,
        skips_metadata: options.has("skip-record-metadata"),
        sanity_only: options.has("index-sanity-check"),
        verify_only: options.has("verify-index-only"),
        bytes_max: bytes_max.filter(|max| *max != i32::MAX).map(|max| u64::try_from(max).unwrap_or(0)),
    };
    let mut notes = index::Notes::default();
    let mut gaps = String::new();
    for path in files.trim_end_matches(',').split(',') {
        printed.stdout.push_str(&format!("Dumping {path}\n"));
        let Some(kind) = Kind::of(path) else {
            printed.stderr.push_str(&format!("Ignoring unknown file {path}\n"));
            continue;
        };
        let file = LogFile::open(disk, path, &home).map_err(Stop::Failed)?;
        match kind {
            Kind::Log => log::dump(disk, &file, style, &mut printed.stdout, &mut gaps),
            Kind::Index => index::offsets(disk, &file, style, &mut printed.stdout, &mut notes).map_err(Stop::Failed)?,
            Kind::TimeIndex => index::times(disk, &file, style, &mut printed.stdout, &mut notes),
            Kind::Snapshot => producers::snapshot(&file, &mut printed.stdout),
            Kind::TransactionIndex => producers::aborted(&file, &mut printed.stdout),
        }
    }
    printed.stderr.push_str(&notes.text());
    printed.stderr.push_str(&gaps);
    Ok(())
}
