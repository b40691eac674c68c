//! What may come next on a command line: tools, options that still fit, names of topics and settings.
//!
//! Nothing is run and nothing is changed.

use engine::client::configs::topic_definitions;
use engine::snapshot::Snapshot;

use crate::tool::{LATER, Tool};
use crate::topics::OPTIONS;

/// Every replacement of the last word of `partial_line`, in the order in which it should be offered.
/// A line that ends in a blank asks for a new word. Options that need an argument come without it.
pub fn complete(snapshot: &Snapshot, partial_line: &str) -> Vec<String> {
    let start = partial_line.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let (before, typed) = partial_line.split_at(start);
    let words: Vec<&str> = before.split_whitespace().collect();
    let candidates: Vec<String> = match words.split_first() {
        None => std::iter::once("kafka-topics.sh").chain(LATER).map(str::to_string).collect(),
        Some((tool, given)) if Tool::named(tool) == Some(Tool::Topics) => next_of_topics(snapshot, given),
        Some(_) => Vec::new(),
    };
    candidates.into_iter().filter(|candidate| candidate.starts_with(typed) && candidate != typed).collect()
}

fn next_of_topics(snapshot: &Snapshot, given: &[&str]) -> Vec<String> {
    let last = given.last().and_then(|word| word.strip_prefix("--")).unwrap_or_default();
    match last {
        "topic" => snapshot.topics.iter().map(|topic| topic.name.to_string()).collect(),
        "topic-id" => snapshot.topics.iter().map(|topic| topic.topic_id.to_string()).collect(),
        "bootstrap-server" => vec!["localhost:9092".to_string()],
        "config" => topic_definitions().iter().map(|definition| format!("{}=", definition.name)).collect(),
        _ if OPTIONS.iter().any(|option| option.name == last && !option.argument.is_empty()) => Vec::new(),
        _ => options(given),
    }
}

/// Options that fit the action that was given; without one, the actions.
fn options(given: &[&str]) -> Vec<String> {
    const ALWAYS: &[&str] = &["bootstrap-server", "topic"];
    let has = |name: &str| given.iter().any(|word| word.strip_prefix("--") == Some(name));
    let fitting: &[&str] = if has("create") {
        &["partitions", "replication-factor", "replica-assignment", "config", "if-not-exists"]
    } else if has("alter") {
        &["partitions", "replica-assignment", "if-exists"]
    } else if has("describe") {
        &[
            "topic-id",
            "under-replicated-partitions",
            "unavailable-partitions",
            "under-min-isr-partitions",
            "at-min-isr-partitions",
            "topics-with-overrides",
            "exclude-internal",
            "if-exists",
        ]
    } else if has("list") {
        &["exclude-internal"]
    } else if has("delete") {
        &["if-exists"]
    } else {
        &["list", "describe", "create", "alter", "delete", "help"]
    };
    let is_open = |name: &&&str| !has(name) || **name == "config";
    ALWAYS.iter().chain(fitting).filter(is_open).map(|name| format!("--{name}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::snapshot::TopicSnapshot;

    use super::*;

    fn check(line: &str, expected: &[&str]) {
        let topic = |name: &str| TopicSnapshot {
            name: name.into(),
            topic_id: "wmyzg8tZRB2NWMlDCjHHAQ".into(),
            replication_factor: 1,
            configs: BTreeMap::new(),
            partitions: Vec::new(),
        };
        let snapshot = Snapshot { topics: vec![topic("orders"), topic("payments")], ..Snapshot::default() };
        assert_eq!(complete(&snapshot, line), expected, "{line}");
    }

    #[test]
    fn the_last_word_is_completed() {
        check("kafka-t", &["kafka-topics.sh", "kafka-transactions.sh"]);
        check("kafka-topics.sh --de", &["--describe", "--delete"]);
        check("kafka-topics.sh --describe --topic ", &["orders", "payments"]);
        check("kafka-topics.sh --describe --topic or", &["orders"]);
        check("kafka-topics.sh --create --partitions ", &[]);
        check("kafka-topics.sh --create --config retention", &["retention.bytes=", "retention.ms="]);
        check("kafka-topics.sh --delete --topic orders --", &["--bootstrap-server", "--if-exists"]);
        check("ls ", &[]);
    }
}
