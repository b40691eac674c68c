//! What `--create` and `--alter` say about a topic: numbers, assignment, settings.
//!
//! Checked as far as the tool checks before it sends anything; the controller's checks are the engine's.

use std::collections::BTreeMap;

use engine::client::configs::check_topic_together;
use engine::order::Order;

use crate::options::Options;

/// The arguments of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Details {
    pub(super) partitions: Option<i32>,
    pub(super) replication_factor: Option<i32>,
    /// Replicas per partition; empty if not given.
    pub(super) assignment: Vec<Vec<u32>>,
    pub(super) configs: BTreeMap<String, String>,
}

impl Details {
    /// Reads the arguments in the order in which the tool reads them. The error is the tool's text.
    pub(super) fn read(options: &Options) -> Result<Details, String> {
        Ok(Details {
            partitions: options.int("partitions")?,
            replication_factor: options.int("replication-factor")?,
            assignment: assignment(options.text("replica-assignment")?.unwrap_or_default())?,
            configs: topic_configs(options.all("config"))?,
        })
    }
}

/// `1:2,2:3`: brokers of each partition. As Java splits it, empty parts at the end do not count.
fn assignment(text: &str) -> Result<Vec<Vec<u32>>, String> {
    let mut partitions: Vec<Vec<u32>> = Vec::new();
    let text = text.trim_end_matches(',');
    if text.is_empty() {
        return Ok(partitions);
    }
    for (number, part) in text.split(',').enumerate() {
        let stripped = part.trim_end_matches(':');
        // Only colons: Java's split leaves nothing at all. No text: it leaves one empty part.
        let brokers: Vec<&str> =
            if stripped.is_empty() && !part.is_empty() { Vec::new() } else { stripped.split(':').collect() };
        let brokers = brokers.into_iter().map(broker_id).collect::<Result<Vec<i32>, String>>()?;
        let repeated: Vec<String> = repeated(&brokers).iter().map(i32::to_string).collect();
        if !repeated.is_empty() {
            return Err(format!("Partition replica lists may not contain duplicate entries: {}", repeated.join(",")));
        }
        if partitions.first().is_some_and(|first| first.len() != brokers.len()) {
            let shown: Vec<String> = brokers.iter().map(i32::to_string).collect();
            return Err(format!("Partition {number} has different replication factor: [{}]", shown.join(", ")));
        }
        let known = brokers.iter().map(|id| u32::try_from(*id).map_err(|_| no_such_broker(*id)));
        partitions.push(known.collect::<Result<_, _>>()?);
    }
    Ok(partitions)
}

fn broker_id(text: &str) -> Result<i32, String> {
    let text = text.trim();
    text.parse().map_err(|_| format!("For input string: \"{text}\""))
}

/// A negative id cannot be that of a broker, so the controller's answer is known here.
fn no_such_broker(id: i32) -> String {
    format!("The manual partition assignment includes broker {id}, but no such broker is registered.")
}

fn repeated(brokers: &[i32]) -> Vec<i32> {
    let mut found: Vec<i32> =
        (1..brokers.len()).filter(|end| brokers[..*end].contains(&brokers[*end])).map(|end| brokers[end]).collect();
    found.order();
    found.dedup();
    found
}

/// `name=value` pairs, checked as `LogConfig.validate` checks them before anything is sent.
fn topic_configs(pairs: &[String]) -> Result<BTreeMap<String, String>, String> {
    let mut configs = BTreeMap::new();
    for pair in pairs {
        let parts: Vec<&str> =
            pair.trim_end_matches(|end: char| end == '=' || end.is_whitespace()).split('=').collect();
        let [name, value] = parts[..] else {
            return Err(
                "requirement failed: Invalid topic config: all configs to be added must be in the format \"key=val\"."
                    .to_string(),
            );
        };
        configs.insert(name.trim().to_string(), value.trim().to_string());
    }
    check_topic_together(&configs).map_err(|refusal| refusal.message)?;
    Ok(configs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topics::OPTIONS;

    fn check(line: &str, expected: Result<(), &str>) {
        let words: Vec<String> = line.split(' ').map(|word| word.replace("EMPTY", "")).collect();
        let read = Options::read(OPTIONS, &words).and_then(|options| Details::read(&options));
        assert_eq!(read.map(|_| ()), expected.map_err(str::to_string), "{line}");
    }

    #[test]
    fn arguments_are_checked_before_anything_is_sent() {
        let config =
            "requirement failed: Invalid topic config: all configs to be added must be in the format \"key=val\".";
        for (arguments, expected) in [
            ("--replica-assignment 1:1", Err("Partition replica lists may not contain duplicate entries: 1")),
            ("--replica-assignment 1:2,3", Err("Partition 1 has different replication factor: [3]")),
            ("--replica-assignment 1:a", Err("For input string: \"a\"")),
            ("--replica-assignment ,1", Err("For input string: \"\"")),
            ("--replica-assignment EMPTY", Ok(())),
            ("--replica-assignment 1:2,", Ok(())),
            ("--replication-factor abc", Err("Cannot parse argument 'abc' of option replication-factor")),
            ("--config noequals", Err(config)),
            ("--config retention.ms=", Err(config)),
            ("--config a=b=c", Err(config)),
            ("--config nope=1", Err("Unknown topic config name: nope")),
            (
                "--config min.cleanable.dirty.ratio=2",
                Err("Invalid value 2.0 for configuration min.cleanable.dirty.ratio: Value must be no more than 1"),
            ),
            ("--config cleanup.policy=compact,delete --config retention.ms=5", Ok(())),
        ] {
            check(arguments, expected);
        }
    }
}
