//! Predictions: asked before running, answered by computing from the stage.
//!
//! Deliberately not here: fixed answers. A changed control changes the answer.

mod cluster;

use std::collections::BTreeSet;

use engine::{Duration, InputError, Scenario};
use serde::{Deserialize, Serialize};

#[cfg(feature = "check")]
pub(crate) use cluster::of_kind;

use crate::probe::Reading;
use crate::settings::{Protocol, Settings, Side};
use crate::stage::{self, Placement, Planned, StageRun};

/// The largest number that is offered when records are guessed.
const RECORDS_GUESS_MAX: u64 = 1_000_000;

/// A question to the reader.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Unique in the lesson.
    pub id: String,
    /// The question, Markdown.
    pub question: String,
    /// Act whose stage it is computed from; the act on the page if absent.
    #[serde(default)]
    pub act: Option<String>,
    /// How the answer is computed, which also decides how it is asked.
    pub compute: Question,
    /// Commands that belong to the stage, such as the growth of a topic.
    #[serde(default)]
    pub commands: Vec<Planned>,
    /// Said after the answer, Markdown without results.
    #[serde(default)]
    pub after: String,
}

/// How an answer follows from the stage. Tagged by `what`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// Keys that keep their partition number when the count changes. Multi-select.
    KeysThatStay {
        /// The new count.
        partitions: u32,
    },
    /// Keys that change their partition number when the count changes. Multi-select.
    KeysThatMove {
        /// The new count.
        partitions: u32,
    },
    /// How many keys change their partition number. Number.
    CountThatMove {
        /// The new count.
        partitions: u32,
    },
    /// Keys that another client puts elsewhere. Multi-select.
    KeysThatDisagree {
        /// The other client.
        client: String,
    },
    /// How many partitions have a record after that time. Number.
    PartitionsUsed {
        /// When to count.
        at: Duration,
    },
    /// How many records reach the first partition before the keyless rule moves on. Number.
    FirstRun {
        /// How long to wait for it at most.
        within: Duration,
    },
    /// Whether two encodings of one key share a partition. Yes or no.
    SameForEncodings {
        /// The key's text.
        key: String,
        /// The first encoding.
        first: String,
        /// The second encoding.
        second: String,
    },
    /// A number of the stage, found by a path of [`crate::probe`]. Number.
    Value {
        /// The path, such as `partition/orders-0/leader`.
        path: String,
        /// When to look.
        at: Duration,
        /// The largest number that may be guessed.
        most: u64,
    },
    /// How many records of a key a partition holds. Number.
    RecordsOfKey {
        /// The partition, such as `balances-0`.
        partition: String,
        /// The key.
        key: String,
        /// When to count.
        at: Duration,
        /// The largest number that may be guessed.
        most: u64,
    },
    /// The latest value of a key, a whole number, for a reader that takes the partitions of a topic from 0 on.
    /// Number; 0 if the key is gone.
    LatestValue {
        /// The topic.
        topic: String,
        /// The key.
        key: String,
        /// When to read.
        at: Duration,
        /// The largest number that may be guessed.
        most: u64,
    },
    /// Whether a value of the stage is this one. Yes or no.
    Holds {
        /// The path.
        path: String,
        /// When to look.
        at: Duration,
        /// The value.
        is: Reading,
    },
    /// Whether a producer's records are acknowledged between two instants. Yes or no.
    Acknowledges {
        /// The producer.
        producer: String,
        /// From here on.
        from: Duration,
        /// Up to here.
        to: Duration,
    },
    /// When the first event of a kind happens whose sentence contains a text, in whole seconds. Number.
    When {
        /// The kind, such as `isr_changed`.
        kind: String,
        /// Part of its sentence.
        #[serde(default)]
        contains: String,
        /// How long to wait for it at most.
        within: Duration,
    },
    /// Whether such an event happens up to an instant. Yes or no.
    Happens {
        /// The kind.
        kind: String,
        /// Part of its sentence.
        #[serde(default)]
        contains: String,
        /// Up to here.
        by: Duration,
    },
    /// How many events of a kind happen whose sentence contains a text: up to an instant, or up to the first event of
    /// another kind if that comes first. Number.
    Count {
        /// The kind.
        kind: String,
        /// Part of its sentence.
        #[serde(default)]
        contains: String,
        /// Up to here.
        by: Duration,
        /// Up to the first event of this kind.
        #[serde(default)]
        before: Option<String>,
        /// Part of that event's sentence.
        #[serde(default)]
        before_contains: String,
        /// The largest number that may be guessed.
        most: u64,
    },
    /// Whether a number of the stage grows by more than this between two instants. Yes or no.
    Faster {
        /// The path.
        path: String,
        /// From here on.
        from: Duration,
        /// Up to here.
        to: Duration,
        /// By more than this.
        than: u64,
    },
    /// Topics that hold a record, markers aside. Multi-select.
    TopicsWithRecords {
        /// When to look.
        at: Duration,
    },
    /// Partitions of the first topic whose leader at one instant is another at a later one. Multi-select.
    LeadersThatMove {
        /// Before.
        from: Duration,
        /// After.
        to: Duration,
    },
    /// Batches that a lookup of an offset passes over, in the log of a partition's leader at time 0. Number.
    Scanned {
        /// The partition, such as `orders-7`.
        partition: String,
        /// The offset.
        offset: u64,
    },
    /// Whether consumers ask for more partitions than producers do. Yes or no.
    ConsumersBind {
        /// Megabytes a second that one producer writes.
        produce: u64,
        /// Megabytes a second that one consumer processes.
        consume: u64,
    },
    /// Share of hashes that leave their partition when the count changes, in whole percent. Number.
    PercentThatMoves {
        /// The old count.
        from: u64,
        /// The new count.
        to: u64,
    },
    /// How many partitions of a group have another member at one instant than at an earlier one. Number.
    PartitionsThatMove {
        /// The group.
        group: String,
        /// Before.
        from: Duration,
        /// After.
        to: Duration,
        /// The largest number that may be guessed.
        most: u64,
    },
    /// Under which protocol (`eager`, `cooperative`, `consumer`) the partitions of a group stand still for the shortest
    /// time between two instants, summed over them. Multi-select.
    StandsStillLeast {
        /// The group.
        group: String,
        /// From here on.
        from: Duration,
        /// Up to here.
        to: Duration,
    },
    /// How many partitions receive records of a key between two instants, at any producer. Number.
    PartitionsOfKey {
        /// The key.
        key: String,
        /// From here on.
        from: Duration,
        /// Up to here.
        to: Duration,
    },
}

/// An answer, given or computed. Serialized as a list of keys, a number or a truth value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// Yes or no.
    YesNo(bool),
    /// A number.
    Number(u64),
    /// Keys.
    Keys(BTreeSet<String>),
}

/// How to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Tick any of these keys.
    Keys(Vec<String>),
    /// Type a number from 0 to this.
    Number(u64),
    /// Yes or no.
    YesNo,
}

impl Prediction {
    /// How to ask it on a stage (the scenario with its settings applied).
    pub fn form(&self, stage: &Scenario) -> Form {
        match &self.compute {
            Question::KeysThatStay { .. } | Question::KeysThatMove { .. } | Question::KeysThatDisagree { .. } => {
                Form::Keys(stage::keys(stage))
            }
            Question::CountThatMove { .. } => Form::Number(stage::keys(stage).len() as u64),
            Question::PartitionsUsed { .. } | Question::PartitionsOfKey { .. } => {
                Form::Number(u64::from(engine::limits::PARTITIONS_MAX))
            }
            Question::FirstRun { .. } | Question::Scanned { .. } => Form::Number(RECORDS_GUESS_MAX),
            Question::TopicsWithRecords { .. } => {
                Form::Keys(stage.topics.iter().map(|topic| topic.name.clone()).collect())
            }
            Question::StandsStillLeast { .. } => {
                Form::Keys(Protocol::ALL.map(|protocol| protocol.text().to_string()).to_vec())
            }
            Question::Count { most, .. }
            | Question::PartitionsThatMove { most, .. }
            | Question::Value { most, .. }
            | Question::RecordsOfKey { most, .. }
            | Question::LatestValue { most, .. } => Form::Number(*most),
            Question::When { within, .. } => Form::Number(within.millis() / 1_000),
            Question::PercentThatMoves { .. } => Form::Number(100),
            Question::LeadersThatMove { .. } => Form::Keys(partition_names(stage)),
            Question::SameForEncodings { .. }
            | Question::Holds { .. }
            | Question::Acknowledges { .. }
            | Question::Happens { .. }
            | Question::Faster { .. }
            | Question::ConsumersBind { .. } => Form::YesNo,
        }
    }

    /// The answer on a scenario under the settings in force: `grow` and `compare` override the question's own count
    /// and client.
    pub fn answer(&self, scenario: &Scenario, settings: &Settings) -> Result<Answer, InputError> {
        let stage = &settings.apply(scenario)?;
        match &self.compute {
            Question::KeysThatStay { partitions } => keys_by(stage, other_count(*partitions, settings), false),
            Question::KeysThatMove { partitions } => keys_by(stage, other_count(*partitions, settings), true),
            Question::CountThatMove { partitions } => match keys_by(stage, other_count(*partitions, settings), true)? {
                Answer::Keys(keys) => Ok(Answer::Number(keys.len() as u64)),
                other => Ok(other),
            },
            Question::KeysThatDisagree { client } => disagreeing(stage, client, settings),
            Question::PartitionsUsed { at } => {
                let run = StageRun::new(stage, &self.commands, *at)?;
                let partitions = run.snapshot.topics.iter().flat_map(|topic| &topic.partitions);
                Ok(Answer::Number(partitions.filter(|partition| partition.log_end_offset > 0).count() as u64))
            }
            Question::FirstRun { within } => {
                let runs = StageRun::new(stage, &self.commands, *within)?.runs(None);
                Ok(Answer::Number(runs.first().map_or(0, |(_, records)| *records)))
            }
            Question::StandsStillLeast { group, from, to } => {
                stands_still_least(scenario, settings, group, [*from, *to])
            }
            Question::SameForEncodings { key, first, second } => same_for_encodings(stage, key, first, second),
            Question::PartitionsOfKey { key, from, to } => {
                let run = StageRun::new(stage, &self.commands, *to)?;
                let records = run.placed().filter(|placed| placed.time.0 >= from.0 && placed.key == Some(key));
                let mut partitions = BTreeSet::new();
                partitions.extend(records.map(|placed| placed.partition));
                Ok(Answer::Number(partitions.len() as u64))
            }
            other => cluster::answer(other, stage, &self.commands),
        }
    }
}

/// The partitions of the first topic by name.
fn partition_names(stage: &Scenario) -> Vec<String> {
    let Some(topic) = stage.topics.first() else { return Vec::new() };
    let listed = topic.assignment.as_ref().map(|assignment| assignment.len() as u32);
    let count = topic.partitions.or(listed).unwrap_or(1);
    (0..count).map(|number| format!("{}-{number}", topic.name)).collect()
}

fn other_count(own: u32, settings: &Settings) -> u32 {
    match settings.compare {
        Some(Side::Partitions(partitions)) => partitions,
        _ => settings.grow.unwrap_or(own),
    }
}

/// Keys that move to another partition number (or do not) when the count changes.
fn keys_by(stage: &Scenario, partitions: u32, moves: bool) -> Result<Answer, InputError> {
    let placement = Placement::new(stage, None)?;
    let mut answer = BTreeSet::new();
    for key in stage::keys(stage) {
        if (placement.of(&key, placement.count())? != placement.of(&key, partitions)?) == moves {
            answer.insert(key);
        }
    }
    Ok(Answer::Keys(answer))
}

fn disagreeing(stage: &Scenario, client: &str, settings: &Settings) -> Result<Answer, InputError> {
    let other = match &settings.compare {
        Some(Side::Client(client)) => client,
        _ => client,
    };
    let (here, there) = (Placement::new(stage, None)?, Placement::new(stage, Some(other))?);
    let mut answer = BTreeSet::new();
    for key in stage::keys(stage) {
        if here.of(&key, here.count())? != there.of(&key, here.count())? {
            answer.insert(key);
        }
    }
    Ok(Answer::Keys(answer))
}

fn stands_still_least(
    scenario: &Scenario,
    settings: &Settings,
    group: &str,
    [from, to]: [Duration; 2],
) -> Result<Answer, InputError> {
    let mut found: Vec<(u64, &'static str)> = Vec::new();
    for protocol in Protocol::ALL {
        let settings = Settings { compare: Some(Side::Protocols(vec![protocol])), ..settings.clone() };
        let others = settings.apply_compare(scenario)?;
        for stage in &others {
            let stood = StageRun::new(stage, &[], to)?.stood(group, from);
            found.push((stood.partition_time.0, protocol.text()));
        }
    }
    let least = found.iter().map(|(time, _)| *time).min();
    let mut answer = BTreeSet::new();
    answer.extend(found.iter().filter(|(time, _)| Some(*time) == least).map(|(_, name)| name.to_string()));
    Ok(Answer::Keys(answer))
}

fn same_for_encodings(stage: &Scenario, key: &str, first: &str, second: &str) -> Result<Answer, InputError> {
    let placement = Placement::new(stage, None)?;
    let place = |encoding: &str| {
        let bytes = stage::encode(stage::find_encoding(encoding)?, key)?;
        Ok::<_, InputError>(placement.of_bytes(&bytes))
    };
    Ok(Answer::YesNo(place(first)? == place(second)?))
}
