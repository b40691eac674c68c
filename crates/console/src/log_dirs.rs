//! kafka-log-dirs.sh: what the brokers' log directories hold, as JSON.
//!
//! Follows `LogDirsCommand` of 4.3.1, the order of its fields included. Every broker has one directory.

use std::collections::BTreeSet;

use engine::order;
use engine::snapshot::{BrokerState, Snapshot};
use engine::{Observer, Timeline};
use serde::Serialize;

use crate::Printed;
use crate::client::{API_TIMEOUT, live_brokers, read};
use crate::describe::ids;
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::options::{OptionSpec, Options, option};
use crate::place::log_dir;
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to query log directory usage on the specified brokers.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("broker-list", "1,2,...", "The brokers to ask; all of them without it."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("describe", "", "Describe the log directories; always needed."),
    option("help", "", "Show this list."),
    option("topic-list", "a,b,...", "The topics to list; all of them without it."),
    option("version", "", "Show Kafka's version."),
];

#[derive(Serialize)]
struct Answer<'a> {
    brokers: Vec<Broker<'a>>,
    version: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Broker<'a> {
    broker: u32,
    log_dirs: Vec<Directory<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Directory<'a> {
    partitions: Vec<Replica>,
    error: Option<&'a str>,
    log_dir: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replica {
    partition: String,
    size: u64,
    offset_lag: u64,
    is_future: bool,
}

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let stopped = describe(timeline, words, &mut printed);
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stderr.push_str(&format!("{}\n{}", exception.text(), exception.trace()));
    }
    printed
}

fn describe<O: Observer>(timeline: &mut Timeline<O>, words: &[String], printed: &mut Printed) -> Result<(), Stop> {
    let failed = |class: &'static str| move |text| Stop::Failed(Exception::of_options(class, text));
    let options = Options::read(OPTIONS, words).map_err(failed("UnrecognizedOptionException"))?;
    help_or_version(words, |name| options.has(name), PURPOSE)?;
    options.require(&["bootstrap-server", "describe"]).map_err(Stop::Usage)?;
    let list = |name| options.text(name).map_err(failed("MultipleArgumentsForOptionException"));
    let topics: BTreeSet<&str> = parts(list("topic-list")?);
    let wanted = parts(list("broker-list")?);
    let wanted =
        wanted.into_iter().map(|id| id.parse().map_err(|_| no_number(id))).collect::<Result<Vec<i32>, Stop>>()?;
    let wanted = order::set(wanted);
    let snapshot = read(timeline, "describeCluster", API_TIMEOUT).map_err(|error| Stop::Failed(error.in_future()))?;
    let live = live_brokers(&snapshot);
    let unknown: Vec<String> = wanted
        .iter()
        .filter(|id| u32::try_from(**id).map_or(true, |id| !live.contains(&id)))
        .map(i32::to_string)
        .collect();
    if !unknown.is_empty() {
        return Err(Stop::Terse(format!(
            "ERROR: The given brokers do not exist from --broker-list: {}. Current existent brokers: {}",
            unknown.join(","),
            ids(&live)
        )));
    }
    let asked: Vec<u32> = live.into_iter().filter(|id| wanted.is_empty() || wanted.contains(&(*id as i32))).collect();
    printed.stdout.push_str("Querying brokers for log directories information\n");
    if asked.iter().any(|id| !is_running(&snapshot, *id)) {
        let deadline = timeline.now() + API_TIMEOUT;
        timeline.advance_to(deadline);
        return Err(Stop::Failed(Exception::timeout("describeLogDirs").in_future()));
    }
    printed.stdout.push_str(&format!("Received log directory information from brokers {}\n", ids(&asked)));
    let answer = Answer { brokers: asked.iter().map(|id| broker(&snapshot, *id, &topics)).collect(), version: 1 };
    let json = serde_json::to_string(&answer).expect("plain values");
    printed.stdout.push_str(&format!("{json}\n"));
    Ok(())
}

fn parts(list: Option<&str>) -> BTreeSet<&str> {
    order::set(list.unwrap_or_default().split(',').filter(|part| !part.is_empty()))
}

fn no_number(text: &str) -> Stop {
    Stop::Failed(Exception::new("java.lang.NumberFormatException", format!("For input string: \"{text}\"")))
}

fn is_running(snapshot: &Snapshot, id: u32) -> bool {
    snapshot.brokers.iter().any(|broker| broker.id == id && broker.state == BrokerState::Running)
}

fn broker<'a>(snapshot: &Snapshot, id: u32, topics: &BTreeSet<&str>) -> Broker<'a> {
    let wanted = snapshot.topics.iter().filter(|topic| topics.is_empty() || topics.contains(&*topic.name));
    let replicas = wanted.flat_map(|topic| {
        topic.partitions.iter().filter_map(move |partition| {
            let log = partition.logs.iter().find(|log| log.broker == id)?;
            Some(Replica {
                partition: format!("{}-{}", topic.name, partition.partition),
                size: log.size_bytes,
                // The broker compares with the high watermark that it knows itself.
                offset_lag: log.high_watermark.saturating_sub(log.log_end_offset),
                is_future: false,
            })
        })
    });
    let partitions = hash_order(replicas.collect(), |replica| string_hash(&replica.partition));
    Broker { broker: id, log_dirs: vec![Directory { partitions, error: None, log_dir: log_dir(id) }] }
}

#[cfg(test)]
mod tests {
    use engine::snapshot::{BrokerSnapshot, PartitionSnapshot, ReplicaSnapshot, TopicSnapshot};

    use super::*;

    #[test]
    fn a_directory_lists_its_replicas_with_the_fields_in_kafkas_order() {
        let logs = vec![ReplicaSnapshot { broker: 1, size_bytes: 70, ..ReplicaSnapshot::default() }];
        let snapshot = Snapshot {
            brokers: vec![BrokerSnapshot { id: 1, ..BrokerSnapshot::default() }],
            topics: vec![TopicSnapshot {
                name: "t".into(),
                partitions: vec![PartitionSnapshot { logs, ..PartitionSnapshot::default() }],
                ..TopicSnapshot::default()
            }],
            ..Snapshot::default()
        };
        let json = |topics: &[&str]| {
            serde_json::to_string(&broker(&snapshot, 1, &topics.iter().copied().collect())).expect("plain values")
        };
        assert_eq!(
            json(&[]),
            r#"{"broker":1,"logDirs":[{"partitions":[{"partition":"t-0","size":70,"offsetLag":0,"isFuture":false}],"error":null,"logDir":"/var/lib/kafka/data-1"}]}"#
        );
        assert_eq!(
            json(&["u"]),
            r#"{"broker":1,"logDirs":[{"partitions":[],"error":null,"logDir":"/var/lib/kafka/data-1"}]}"#
        );
    }

    #[test]
    fn a_line_is_checked_before_anybody_is_asked() {
        let mut timeline = Timeline::new(engine::Scenario::empty(3), ()).expect("an empty scenario is good");
        timeline.advance_to(engine::Time::ZERO);
        let mut check = |line: &str, exit: i32, first: &str| {
            let printed = crate::run(&mut timeline, &format!("kafka-log-dirs.sh --bootstrap-server b {line}"));
            let told = if exit == 0 { &printed.stdout } else { &printed.stderr };
            assert_eq!((printed.exit, told.lines().next()), (exit, Some(first)), "{line}");
        };
        check("--topic-list a", 1, "Missing required argument \"[describe]\"");
        check("--describe --broker-list x", 1, "For input string: \"x\"");
        check(
            "--describe --broker-list 1,9",
            1,
            "ERROR: The given brokers do not exist from --broker-list: 9. Current existent brokers: 1,2,3",
        );
        check("--describe --broker-list 1", 0, "Querying brokers for log directories information");
    }
}
