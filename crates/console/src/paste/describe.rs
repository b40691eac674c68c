//! `kafka-topics.sh --describe`, of 2.x to 4.x: one line for a topic, one for each partition.
//!
//! Fields are found by their labels, so columns may be missing, and tabs may have become blanks.

use std::collections::BTreeMap;

use engine::client::configs::validate_topic;
use engine::order::Order;
use engine::scenario::TopicSpec;

use super::{Pasted, assignment, broker_ids};

/// Labels of both kinds of line; the longer of two with the same end comes first.
const LABELS: [&str; 14] = [
    "Topic:",
    "TopicId:",
    "PartitionCount:",
    "ReplicationFactor:",
    "Configs:",
    "Partition:",
    "Leader:",
    "Adding Replicas:",
    "Removing Replicas:",
    "Replicas:",
    "Isr:",
    "LastKnownElr:",
    "Elr:",
    "Offline:",
];

/// A topic while its lines are read.
#[derive(Debug, Default)]
struct Found {
    declared_partitions: Option<u32>,
    declared_factor: Option<u32>,
    configs: BTreeMap<String, String>,
    partitions: BTreeMap<u32, Vec<u32>>,
}

/// Reads the text.
pub(super) fn read(text: &str) -> Pasted {
    let mut pasted = Pasted::default();
    let mut order: Vec<String> = Vec::new();
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let fields = fields(line);
        let Some(topic) = fields.get("Topic:").filter(|name| is_name(name)) else {
            pasted.unread(number, line, "A line begins with \"Topic:\" and the name of a topic.");
            continue;
        };
        if !found.contains_key(*topic) {
            order.push(topic.to_string());
        }
        let entry = found.entry(topic.to_string()).or_default();
        match fields.get("Partition:") {
            None => topic_line(number, line, &fields, entry, &mut pasted),
            Some(partition) => partition_line(number, line, partition, &fields, entry, &mut pasted),
        }
    }
    for topic in order {
        let entry = found.remove(&topic).unwrap_or_default();
        finish(topic, entry, &mut pasted);
    }
    pasted
}

/// Text between a label and the next one, by label. Of a label that comes twice the first one counts.
fn fields(line: &str) -> BTreeMap<&'static str, &str> {
    let mut marks: Vec<(usize, &'static str)> = Vec::new();
    for label in LABELS {
        for (at, _) in line.match_indices(label) {
            let is_word = line[..at].chars().next_back().is_none_or(char::is_whitespace);
            let is_inside = marks.iter().any(|(mark, other)| at > *mark && at < mark + other.len());
            if is_word && !is_inside {
                marks.push((at, label));
            }
        }
    }
    marks.order();
    let mut fields = BTreeMap::new();
    for (number, (at, label)) in marks.iter().enumerate() {
        let end = marks.get(number + 1).map_or(line.len(), |(next, _)| *next);
        fields.entry(*label).or_insert(line[at + label.len()..end].trim());
    }
    fields
}

fn is_name(name: &str) -> bool {
    let is_legal = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    !name.is_empty() && name.len() <= 249 && name.chars().all(is_legal)
}

fn topic_line(number: usize, line: &str, fields: &BTreeMap<&str, &str>, entry: &mut Found, pasted: &mut Pasted) {
    let count = |label: &str| fields.get(label).map(|text| text.parse::<u32>().ok());
    for (label, slot) in
        [("PartitionCount:", &mut entry.declared_partitions), ("ReplicationFactor:", &mut entry.declared_factor)]
    {
        match count(label) {
            Some(Some(value)) => *slot = Some(value),
            Some(None) => pasted.unread(number, line, format!("{label} is followed by a number.")),
            None => {}
        }
    }
    for pair in split_configs(fields.get("Configs:").copied().unwrap_or_default()) {
        match pair.split_once('=') {
            Some((name, value)) => match validate_topic(name.trim(), value.trim()) {
                Ok(_) => {
                    entry.configs.insert(name.trim().to_string(), value.trim().to_string());
                }
                Err(refusal) => {
                    pasted.unread(number, &pair, format!("A topic setting of Kafka 4.3: {}.", refusal.message))
                }
            },
            None => pasted.unread(number, &pair, "A setting is a name, an equals sign and a value."),
        }
    }
}

/// Settings between commas, where `compact,delete` belongs to the setting before it.
fn split_configs(text: &str) -> Vec<String> {
    let mut pairs: Vec<String> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match pairs.last_mut().filter(|_| !part.contains('=')) {
            Some(last) => last.push_str(&format!(",{part}")),
            None => pairs.push(part.to_string()),
        }
    }
    pairs
}

fn partition_line(
    number: usize,
    line: &str,
    partition: &str,
    fields: &BTreeMap<&str, &str>,
    entry: &mut Found,
    pasted: &mut Pasted,
) {
    let Ok(partition) = partition.parse::<u32>() else {
        return pasted.unread(number, line, "\"Partition:\" is followed by a number.");
    };
    let ids = |label: &str| broker_ids(fields.get(label).copied().unwrap_or_default());
    let replicas = match ids("Replicas:") {
        Some(replicas) if !replicas.is_empty() => replicas,
        _ => return pasted.unread(number, line, "\"Replicas:\" is followed by broker ids with commas between them."),
    };
    if (1..replicas.len()).any(|end| replicas[..end].contains(&replicas[end])) {
        return pasted.unread(number, line, "Each replica is on another broker.");
    }
    let Some(isr) = ids("Isr:") else {
        return pasted.unread(number, line, "\"Isr:\" is followed by broker ids with commas between them.");
    };
    if entry.partitions.contains_key(&partition) {
        return pasted.unread(number, line, "Each partition of a topic has one line.");
    }
    let name = format!("{}-{partition}", fields.get("Topic:").copied().unwrap_or_default());
    let kept = settle(&name, replicas, fields, pasted);
    tell_health(&name, &kept, &isr, fields, pasted);
    pasted.brokers.extend(kept.iter().copied());
    entry.partitions.insert(partition, kept);
}

/// The replicas as they will be when a reassignment that is going on has ended.
fn settle(name: &str, replicas: Vec<u32>, fields: &BTreeMap<&str, &str>, pasted: &mut Pasted) -> Vec<u32> {
    let ids = |label: &str| broker_ids(fields.get(label).copied().unwrap_or_default()).unwrap_or_default();
    let (adding, removing) = (ids("Adding Replicas:"), ids("Removing Replicas:"));
    if adding.is_empty() && removing.is_empty() {
        return replicas;
    }
    let kept: Vec<u32> = replicas.iter().copied().filter(|id| !removing.contains(id)).collect();
    pasted.note(format!("{name} is being reassigned; it is taken as it will be afterwards."));
    if kept.is_empty() { replicas } else { kept }
}

fn tell_health(name: &str, replicas: &[u32], isr: &[u32], fields: &BTreeMap<&str, &str>, pasted: &mut Pasted) {
    let leader = fields.get("Leader:").copied().unwrap_or_default();
    match leader.parse::<u32>() {
        Ok(leader) if leader != replicas[0] => {
            pasted.note(format!("{name} is led by {leader}, not by its preferred replica {}.", replicas[0]));
        }
        Ok(_) => {}
        Err(_) if leader.is_empty() => {}
        // -1 was the word of old versions.
        Err(_) => pasted.note(format!("{name} has no leader.")),
    }
    let missing: Vec<String> = replicas.iter().filter(|id| !isr.contains(id)).map(u32::to_string).collect();
    if !missing.is_empty() && fields.contains_key("Isr:") {
        pasted.note(format!("{name} is under-replicated: {} is not in sync.", missing.join(",")));
    }
}

fn finish(topic: String, entry: Found, pasted: &mut Pasted) {
    let Found { declared_partitions, declared_factor, configs, partitions } = entry;
    if partitions.is_empty() {
        // Only the topic's own line, as with --topics-with-overrides.
        pasted.note(format!("The text has no partitions of {topic}, so its replicas are placed anew."));
        let partitions = declared_partitions.filter(|count| (1..=super::PARTITIONS_MAX).contains(count));
        let replication_factor = declared_factor.filter(|factor| *factor > 0);
        pasted.topics.push(TopicSpec { name: topic, partitions, replication_factor, configs, ..TopicSpec::default() });
        return;
    }
    let count = partitions.len() as u32;
    if let Some(declared) = declared_partitions.filter(|declared| *declared != count) {
        pasted.note(format!("{topic} has {declared} partitions by its first line; the text shows {count}."));
    }
    let factors: Vec<usize> = partitions.values().map(Vec::len).collect();
    if factors.iter().any(|factor| *factor != factors[0]) {
        pasted.note(format!("The partitions of {topic} have different numbers of replicas."));
    }
    if let Some(assignment) = assignment(&topic, &partitions, pasted) {
        let assignment = Some(assignment);
        pasted.topics.push(TopicSpec { name: topic, assignment, configs, ..TopicSpec::default() });
    }
}
