//! The JSON of plans: read with the tool's checks, written in its form.
//!
//! Only the text is looked at; whether topics and brokers exist is asked later.

use std::collections::BTreeSet;

use engine::command::PartitionName;
use engine::order::Order;
use serde::Serialize;
use serde_json::Value;

use crate::place::log_dir;
use crate::stop::Stop;

use super::shown;

/// A partition with the replicas that it shall have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) partition: PartitionName,
    /// As they stand in the file, repeated and unknown ones included.
    pub(super) replicas: Vec<i64>,
    /// A directory for each replica; none for "any".
    pub(super) directories: Vec<Option<String>>,
}

impl Target {
    /// The replicas as broker ids; those that cannot be one are left out.
    pub(super) fn brokers(&self) -> Vec<u32> {
        self.replicas.iter().filter_map(|id| u32::try_from(*id).ok()).collect()
    }

    /// Replicas for which a directory is named.
    pub(super) fn placed(&self) -> impl Iterator<Item = (u32, &str)> {
        let pairs = self.replicas.iter().zip(&self.directories);
        pairs.filter_map(|(id, directory)| Some((u32::try_from(*id).ok()?, directory.as_deref()?)))
    }
}

/// What `parsePartitionReassignmentData` reads.
pub(super) fn targets(json: &str) -> Result<Vec<Target>, Stop> {
    let root = parse(json)?;
    let mut targets = Vec::new();
    for entry in list(&root, "partitions")? {
        let topic = text(entry, "topic")?;
        let partition = number(entry.get("partition"), "partition", entry)?;
        let partition =
            u32::try_from(partition).map_err(|_| wrong(&format!("{partition} is no partition: {entry}")))?;
        let replicas = match entry.get("replicas").and_then(Value::as_array) {
            Some(ids) => {
                ids.iter().map(|id| number(Some(id), "replicas", entry)).collect::<Result<Vec<i64>, Stop>>()?
            }
            None => return Err(wrong(&format!("an entry needs a list of replicas: {entry}"))),
        };
        let partition = PartitionName { topic, partition };
        let directories = match entry.get("log_dirs").and_then(Value::as_array) {
            None => vec![None; replicas.len()],
            Some(names) => {
                let names: Vec<&str> = names.iter().map(|name| name.as_str().unwrap_or("any")).collect();
                if names.len() != replicas.len() {
                    let replicas: Vec<String> = replicas.iter().map(i64::to_string).collect();
                    let text = format!(
                        "Size of replicas list [{}] is different from size of log dirs list [{}] for partition {}",
                        replicas.join(", "),
                        names.join(", "),
                        shown(&partition)
                    );
                    return Err(Stop::of_tools("AdminCommandFailedException", text));
                }
                names.into_iter().map(|name| (name != "any").then(|| name.to_string())).collect()
            }
        };
        targets.push(Target { partition, replicas, directories });
    }
    Ok(targets)
}

/// The checks that `--execute` adds. The order is the tool's.
pub(super) fn check_to_execute(targets: &[Target]) -> Result<(), Stop> {
    let failed = |text: String| Err(Stop::of_tools("AdminCommandFailedException", text));
    if targets.is_empty() {
        return failed("Partition reassignment list cannot be empty".to_string());
    }
    if targets.iter().any(|target| target.replicas.is_empty()) {
        return failed("Partition replica list cannot be empty".to_string());
    }
    let names: Vec<String> = targets.iter().map(|target| shown(&target.partition)).collect();
    let twice = repeated(&names);
    if !twice.is_empty() {
        return failed(format!("Partition reassignment contains duplicate topic partitions: {}", twice.join(",")));
    }
    let twice: Vec<String> = targets
        .iter()
        .filter_map(|target| {
            let ids: Vec<String> = repeated(&target.replicas).iter().map(i64::to_string).collect();
            let name = shown(&target.partition);
            (!ids.is_empty()).then(|| format!("{name} contains multiple entries for {}", ids.join(",")))
        })
        .collect();
    if !twice.is_empty() {
        return failed(format!("Partition replica lists may not contain duplicate entries: {}", twice.join(". ")));
    }
    Ok(())
}

/// Topics of `{"topics":[{"topic":"a"}],"version":1}`.
pub(super) fn topics(json: &str) -> Result<Vec<String>, Stop> {
    let root = parse(json)?;
    let topics =
        list(&root, "topics")?.iter().map(|entry| text(entry, "topic")).collect::<Result<Vec<String>, Stop>>()?;
    let twice = repeated(&topics);
    if !twice.is_empty() {
        let text = format!("List of topics to reassign contains duplicate entries: [{}]", twice.join(", "));
        return Err(Stop::of_tools("AdminCommandFailedException", text));
    }
    Ok(topics)
}

/// Entries that occur more than once, each told once, in their order.
pub(super) fn repeated<T: Clone + Ord>(entries: &[T]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let mut told = BTreeSet::new();
    let twice = entries.iter().filter(|entry| !seen.insert((*entry).clone()) && told.insert((*entry).clone()));
    twice.cloned().collect()
}

fn parse(json: &str) -> Result<Value, Stop> {
    let root: Value = serde_json::from_str(json).map_err(|error| wrong(&error.to_string()))?;
    match root.get("version") {
        None => Ok(root),
        Some(version) if *version == 1 => Ok(root),
        Some(version) => {
            Err(Stop::of_tools("AdminOperationException", format!("Not supported version field value {version}")))
        }
    }
}

fn list<'a>(root: &'a Value, field: &str) -> Result<&'a [Value], Stop> {
    match root.get(field) {
        None if root.is_object() => Ok(&[]),
        Some(Value::Array(entries)) => Ok(entries),
        _ => Err(wrong(&format!("\"{field}\" has to be a list"))),
    }
}

fn text(entry: &Value, field: &str) -> Result<String, Stop> {
    let text = entry.get(field).and_then(Value::as_str).map(str::to_string);
    text.ok_or_else(|| wrong(&format!("an entry needs a {field}: {entry}")))
}

fn number(value: Option<&Value>, field: &str, entry: &Value) -> Result<i64, Stop> {
    let number = value.and_then(Value::as_i64).filter(|number| i32::try_from(*number).is_ok());
    number.ok_or_else(|| wrong(&format!("{field} needs whole numbers: {entry}")))
}

/// In words of ours: the real ones are those of a JSON library.
fn wrong(text: &str) -> Stop {
    Stop::of_tools("AdminOperationException", format!("The plan cannot be read: {text}"))
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    partitions: Vec<WrittenPartition<'a>>,
}

#[derive(Serialize)]
struct WrittenPartition<'a> {
    topic: &'a str,
    partition: u32,
    replicas: &'a [u32],
    log_dirs: Vec<String>,
}

/// Partitions with their replicas in the tool's form. With `is_placed` the directories of the replicas
/// are named, else any will do.
pub(super) fn to_json(partitions: &[(PartitionName, Vec<u32>)], is_placed: bool) -> String {
    let mut sorted: Vec<&(PartitionName, Vec<u32>)> = partitions.iter().collect();
    sorted.order();
    let directory = |broker: &u32| if is_placed { log_dir(*broker) } else { "any".to_string() };
    let written = sorted.into_iter().map(|(name, replicas)| WrittenPartition {
        topic: &name.topic,
        partition: name.partition,
        replicas,
        log_dirs: replicas.iter().map(directory).collect(),
    });
    serde_json::to_string(&Written { version: 1, partitions: written.collect() }).expect("plain values")
}
