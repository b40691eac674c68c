//! Plans of kafka-reassign-partitions.sh: JSON, alone or among the lines that the tool prints.
//!
//! Where a text holds several plans, the last one counts: with `--generate` it is the proposed one.

use std::collections::BTreeMap;

use engine::scenario::TopicSpec;
use serde_json::Value;

use super::{Pasted, assignment};

/// Lines that the tool prints around a plan.
const AROUND: [&str; 6] = [
    "Current partition replica assignment",
    "Proposed partition reassignment configuration",
    "Save this to use as the --reassignment-json-file option during rollback",
    "Successfully started partition reassignment",
    "Warning: You must run --verify periodically",
    "The inter-broker throttle limit was set to",
];

/// Reads the text.
pub(super) fn read(text: &str) -> Pasted {
    let mut pasted = Pasted::default();
    let mut plans: Vec<(usize, Value)> = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while !rest.is_empty() {
        let (before, found) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
        words_around(before, line, &mut pasted);
        line += before.matches('\n').count();
        if found.is_empty() {
            break;
        }
        let mut stream = serde_json::Deserializer::from_str(found).into_iter::<Value>();
        match stream.next() {
            Some(Ok(plan)) => {
                let end = stream.byte_offset();
                plans.push((line, plan));
                line += found[..end].matches('\n').count();
                rest = &found[end..];
            }
            Some(Err(error)) => {
                let at = line + error.line().saturating_sub(1);
                let shown = found.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
                pasted.unread(at, shown, format!("JSON of a reassignment plan; {error}."));
                break;
            }
            None => break,
        }
    }
    if plans.len() > 1 {
        pasted.note(format!("The text holds {} plans; the last one is taken.", plans.len()));
    }
    if let Some((line, plan)) = plans.pop() {
        take(line, &plan, &mut pasted);
    }
    pasted
}

fn words_around(text: &str, first: usize, pasted: &mut Pasted) {
    for (number, line) in (first..).zip(text.lines()) {
        let line = line.trim();
        if !line.is_empty() && !AROUND.iter().any(|known| line.starts_with(known)) {
            pasted.unread(number, line, "A plan in JSON, or a line that kafka-reassign-partitions.sh prints.");
        }
    }
}

fn take(line: usize, plan: &Value, pasted: &mut Pasted) {
    let Some(entries) = plan.get("partitions").and_then(Value::as_array) else {
        return pasted.unread(line, &plan.to_string(), "A plan has a list of \"partitions\".");
    };
    let mut order: Vec<String> = Vec::new();
    let mut topics: BTreeMap<String, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
    for entry in entries {
        let whole = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        let topic = entry.get("topic").and_then(Value::as_str);
        let partition = entry.get("partition").and_then(whole);
        let replicas = entry.get("replicas").and_then(Value::as_array);
        let replicas: Option<Vec<u32>> = replicas.and_then(|ids| ids.iter().map(whole).collect());
        let (Some(topic), Some(partition), Some(replicas)) = (topic, partition, replicas) else {
            let expected = "An entry has a \"topic\", the number of a \"partition\" and a list of \"replicas\".";
            pasted.unread(line, &entry.to_string(), expected);
            continue;
        };
        let is_repeated = (1..replicas.len()).any(|end| replicas[..end].contains(&replicas[end]));
        if replicas.is_empty() || is_repeated || topic.is_empty() {
            pasted.unread(line, &entry.to_string(), "An entry names a topic and at least one broker, each once.");
            continue;
        }
        if !topics.contains_key(topic) {
            order.push(topic.to_string());
        }
        pasted.brokers.extend(replicas.iter().copied());
        if topics.entry(topic.to_string()).or_default().insert(partition, replicas).is_some() {
            pasted.note(format!("{topic}-{partition} is in the plan twice; the later entry is taken."));
        }
    }
    for topic in order {
        let partitions = topics.remove(&topic).unwrap_or_default();
        if let Some(assignment) = assignment(&topic, &partitions, pasted) {
            let assignment = Some(assignment);
            pasted.topics.push(TopicSpec { name: topic, assignment, ..TopicSpec::default() });
        }
    }
}
