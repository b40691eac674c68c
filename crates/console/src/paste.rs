//! Real output in: what somebody pastes becomes pieces of a scenario.
//!
//! Reads `kafka-topics.sh --describe`, `kafka-consumer-groups.sh --describe`, reassignment plans and properties files. A line that cannot be
//! read is reported and nothing else is lost; nothing here runs.

mod describe;
mod groups;
mod properties;
mod reassignment;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use engine::Scenario;
use engine::scenario::{BrokerSpec, Brokers, Cluster, ConsumerSpec, Scripted, TopicSpec};

/// What a pasted text came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pasted {
    /// Ids of the brokers that it mentions.
    pub brokers: BTreeSet<u32>,
    /// Topics with the replicas of each partition; partitions that the text leaves out have those of the
    /// last one before them.
    pub topics: Vec<TopicSpec>,
    /// Members of groups.
    pub consumers: Vec<ConsumerSpec>,
    /// Offsets that the groups have committed before their members start.
    pub script: Vec<Scripted>,
    /// Settings that are not a topic's: those of the brokers.
    pub configs: BTreeMap<String, String>,
    /// What differs from a healthy cluster, or had to be guessed; in sentences.
    pub notes: Vec<String>,
    /// Lines that could not be read.
    pub unread: Vec<Unread>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Its number, from 1.
    pub number: usize,
    /// The line, at most 200 characters of it.
    pub text: String,
    /// What would have been understood there, in one sentence.
    pub expected: String,
}

/// Which kind of text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Output of `kafka-topics.sh --describe`.
    Describe,
    /// Output of `kafka-consumer-groups.sh --describe`.
    Groups,
    /// JSON of kafka-reassign-partitions.sh.
    Reassignment,
    /// A properties file of a broker or settings of a topic.
    Properties,
}

/// Characters of an unread line that are kept.
const SHOWN_MAX: usize = 200;

/// Partitions of all pasted topics: as many as a scenario may have.
const PARTITIONS_MAX: u32 = engine::limits::PARTITIONS_MAX;

impl Pasted {
    /// The pieces as a scenario: brokers, topics, settings, and groups with their offsets.
    pub fn scenario(&self, name: &str) -> Scenario {
        let broker = |id: &u32| BrokerSpec { id: *id, ..BrokerSpec::default() };
        let brokers = match self.brokers.is_empty() {
            true => Brokers::default(),
            false => Brokers::List(self.brokers.iter().map(broker).collect()),
        };
        let cluster = Cluster { brokers, configs: self.configs.clone(), ..Cluster::default() };
        Scenario {
            name: name.to_string(),
            cluster,
            topics: self.topics.clone(),
            consumers: self.consumers.clone(),
            script: self.script.clone(),
            ..Scenario::empty(1)
        }
    }

    fn unread(&mut self, number: usize, text: &str, expected: impl Into<String>) {
        let text = text.chars().take(SHOWN_MAX).collect();
        self.unread.push(Unread { number, text, expected: expected.into() });
    }

    fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

/// Tells the kind of a text by its look.
pub fn kind(text: &str) -> Kind {
    let trimmed = text.trim_start();
    if trimmed.starts_with('{') || text.contains("\"partitions\"") {
        return Kind::Reassignment;
    }
    if text.lines().any(groups::is_header) {
        return Kind::Groups;
    }
    let is_described = |line: &str| line.trim_start().starts_with("Topic:") || line.contains("Partition:");
    if text.lines().any(is_described) { Kind::Describe } else { Kind::Properties }
}

/// Reads a text of any of the kinds.
pub fn read(text: &str) -> Pasted {
    match kind(text) {
        Kind::Describe => describe(text),
        Kind::Groups => groups(text),
        Kind::Reassignment => reassignment(text),
        Kind::Properties => properties(text),
    }
}

/// Reads the output of `kafka-topics.sh --describe`, with tabs or with blanks in their place.
pub fn describe(text: &str) -> Pasted {
    describe::read(text)
}

/// Reads the output of `kafka-consumer-groups.sh --describe`: offsets, members and states.
pub fn groups(text: &str) -> Pasted {
    groups::read(text)
}

/// Reads the JSON of kafka-reassign-partitions.sh, also with the tool's other lines around it.
pub fn reassignment(text: &str) -> Pasted {
    reassignment::read(text)
}

/// Reads a properties file: broker settings, or settings of topics.
pub fn properties(text: &str) -> Pasted {
    properties::read(text)
}

/// Replicas of the partitions from 0 on. Gaps get the replicas of the partition before them.
fn assignment(topic: &str, partitions: &BTreeMap<u32, Vec<u32>>, pasted: &mut Pasted) -> Option<Vec<Vec<u32>>> {
    let (last, _) = partitions.last_key_value()?;
    let (_, first) = partitions.first_key_value()?;
    if *last >= PARTITIONS_MAX {
        pasted.note(format!(
            "{topic} has a partition {last}; a scenario has {PARTITIONS_MAX} of them at most, so it is left out."
        ));
        return None;
    }
    let mut before = first.clone();
    let mut assignment = Vec::with_capacity(*last as usize + 1);
    let mut missing = Vec::new();
    for number in 0..=*last {
        match partitions.get(&number) {
            Some(replicas) => before.clone_from(replicas),
            None => missing.push(number.to_string()),
        }
        assignment.push(before.clone());
    }
    if !missing.is_empty() {
        let shown = shorten(&missing);
        pasted.note(format!(
            "Partitions {shown} of {topic} are not in the text; they get the replicas of the partition before them."
        ));
    }
    Some(assignment)
}

/// The first few of many, with their number.
fn shorten(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names.len() > SHOWN {
        true => format!("{} and {} more", names[..SHOWN].join(", "), names.len() - SHOWN),
        false => names.join(", "),
    }
}

/// `1,2,3` as broker ids; none if any of it is no number. Blanks around numbers do not count.
fn broker_ids(text: &str) -> Option<Vec<u32>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}
