//! Acceptance checks of a lesson: what to compute from the stage, and the value it must have.
//!
//! Deliberately not here: any table of results. Each check runs the engine or the partitioner, in `check/compute.rs`.

mod cluster;
mod compute;
mod logs;
mod stage;

use std::collections::BTreeMap;

use engine::{Duration, InputError, Scenario, Timeline};
use serde::Deserialize;

use crate::lesson::Lesson;
use crate::predict::Answer;
use crate::probe::Reading;
use crate::settings::Settings;

pub use stage::Stage;

/// One acceptance value, tagged by `kind`. `keys` are a list in text (`user-1,user-2` or `user-1..30`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Check {
    /// The raw hashes, signed where the client reads them so.
    Hash {
        /// The client whose function it is.
        #[serde(default = "java")]
        client: String,
        /// The keys.
        keys: String,
        /// How the keys become bytes.
        #[serde(default = "text")]
        encoding: String,
        /// One hash for each key.
        expected: Vec<i64>,
    },
    /// The numbers that are divided by the count.
    Dividend {
        /// The client.
        #[serde(default = "java")]
        client: String,
        /// The keys.
        keys: String,
        /// One number for each key.
        expected: Vec<i64>,
    },
    /// Bytes of the key and the state after each step of the hash, in hex.
    Steps {
        /// The key.
        key: String,
        /// The bytes, then seed, states and hash.
        expected: Vec<String>,
    },
    /// Partitions; -1 where the key does not decide.
    Partition {
        /// The client.
        #[serde(default = "java")]
        client: String,
        /// The keys.
        keys: String,
        /// How the keys become bytes.
        #[serde(default = "text")]
        encoding: String,
        /// The count.
        partitions: u32,
        /// One partition for each key.
        expected: Vec<i64>,
    },
    /// Bytes, hash and partition of one key in several encodings.
    Encodings {
        /// The key.
        key: String,
        /// The encodings.
        encodings: Vec<String>,
        /// Bytes in hex, one for each encoding; not compared if absent.
        #[serde(default)]
        bytes: Option<Vec<String>>,
        /// Java's hash, one for each encoding; not compared if absent.
        #[serde(default)]
        hashes: Option<Vec<i64>>,
        /// The count.
        partitions: u32,
        /// One partition for each encoding.
        expected: Vec<i64>,
    },
    /// Keys that two clients put into the same partition.
    Agree {
        /// The two clients.
        clients: [String; 2],
        /// The keys.
        keys: String,
        /// The count.
        partitions: u32,
        /// Such keys, if they are listed.
        #[serde(default)]
        expected_keys: Option<Vec<String>>,
        /// How many there are.
        expected: u64,
        /// Their share with two decimals, if it is told.
        #[serde(default)]
        percent: Option<String>,
    },
    /// Keys that change their partition number when the count changes.
    Moved {
        /// The client.
        #[serde(default = "java")]
        client: String,
        /// The keys.
        keys: String,
        /// The old count.
        from: u32,
        /// The new count.
        to: u32,
        /// Such keys, if they are listed.
        #[serde(default)]
        expected_keys: Option<Vec<String>>,
        /// How many there are.
        expected: u64,
        /// Their share with one decimal, if it is told.
        #[serde(default)]
        percent: Option<String>,
    },
    /// Residues of hash mod lcm that keep the partition number, and the share that moves in theory.
    Residues {
        /// The old count.
        from: u32,
        /// The new count.
        to: u32,
        /// Residues that agree, of how many.
        expected: [u64; 2],
        /// The share that moves, in percent with one decimal.
        percent: String,
    },
    /// Partitions of Java's hash under another sign rule; none where it gives no partition.
    Sign {
        /// `mask`, `unsigned`, `abs`, `naive-abs` or `signed`.
        rule: String,
        /// The keys.
        keys: String,
        /// How the keys become bytes.
        #[serde(default = "text")]
        encoding: String,
        /// The count.
        partitions: u32,
        /// One partition for each key; -1 where the rule gives none.
        expected: Vec<i64>,
    },
    /// Share of keys that another sign rule puts elsewhere than Java, in percent with one decimal.
    SignShare {
        /// The rule.
        rule: String,
        /// The keys.
        keys: String,
        /// The count.
        partitions: u32,
        /// The share.
        percent: String,
    },
    /// Java's hash of group ids, and their partitions of `__consumer_offsets`.
    Coordinator {
        /// The group ids.
        groups: Vec<String>,
        /// One hash for each.
        hashes: Vec<i32>,
        /// Partitions of the topic.
        partitions: u32,
        /// The partition of each.
        expected: Vec<u32>,
        /// What clearing the sign bit would give.
        masked: Vec<u32>,
    },
    /// Log end offsets of the first topic.
    Lanes {
        /// The run.
        stage: Stage,
        /// One offset for each partition.
        expected: Vec<u64>,
    },
    /// Where the records of a key (or of a value) lie, such as `orders-1@2`, in log order.
    Lies {
        /// The run.
        stage: Stage,
        /// The key.
        #[serde(default)]
        key: Option<String>,
        /// The value.
        #[serde(default)]
        value: Option<String>,
        /// The producer.
        #[serde(default)]
        producer: Option<String>,
        /// Partition and offset.
        expected: Vec<String>,
    },
    /// Partition of a producer's last record at some instants.
    LastAt {
        /// The run.
        stage: Stage,
        /// The producer.
        producer: String,
        /// The instants.
        at: Vec<Duration>,
        /// One partition for each instant.
        expected: Vec<u32>,
    },
    /// The first stretches on one partition, as [partition, records].
    Runs {
        /// The run.
        stage: Stage,
        /// The stretches that must come first.
        expected: Vec<[u64; 2]>,
    },
    /// How many records stay in one place, whichever it is: the lengths of the first stretches.
    RunLengths {
        /// The run.
        stage: Stage,
        /// The lengths that must come first.
        expected: Vec<u64>,
    },
    /// The first batches of a partition, as [records, bytes].
    Batches {
        /// The run.
        stage: Stage,
        /// The partition, such as `clicks-2`.
        partition: String,
        /// The batches that must come first.
        expected: Vec<[u64; 2]>,
    },
    /// When a client took over metadata, and how many partitions of the first topic it saw: [milliseconds, count].
    Refreshed {
        /// The run.
        stage: Stage,
        /// Producer or reader.
        client: String,
        /// All refreshes.
        expected: Vec<[u64; 2]>,
    },
    /// Kafka's answer to the last command.
    Outcome {
        /// The run.
        stage: Stage,
        /// The exception class; empty if it succeeded.
        exception: String,
        /// The text.
        expected: String,
    },
    /// The first failed send.
    Fails {
        /// The run.
        stage: Stage,
        /// When, in milliseconds.
        at_ms: u64,
        /// The exception class.
        exception: String,
        /// The text.
        expected: String,
    },
    /// Values of a key in the order in which readers got them.
    Read {
        /// The run.
        stage: Stage,
        /// The key.
        key: String,
        /// Only this reader.
        #[serde(default)]
        reader: Option<String>,
        /// The values.
        expected: Vec<String>,
    },
    /// Share of the records that a partition holds, in percent with one decimal.
    Share {
        /// The run.
        stage: Stage,
        /// The partition.
        partition: u32,
        /// The share.
        percent: String,
    },
    /// How many partitions hold records.
    PartitionsUsed {
        /// The run.
        stage: Stage,
        /// How many.
        expected: u64,
    },
    /// The computed answer of a prediction.
    Prediction {
        /// Its id.
        id: String,
        /// Laid over the settings of the act.
        #[serde(default)]
        settings: Settings,
        /// The answer.
        expected: Answer,
    },
    /// A value of the stage, found by a path of [`crate::probe`].
    State {
        /// The run.
        stage: Stage,
        /// The path.
        path: String,
        /// The value.
        expected: Reading,
    },
    /// Several values of the stage at once, by their paths.
    States {
        /// The run.
        stage: Stage,
        /// The value at each path.
        expected: BTreeMap<String, Reading>,
    },
    /// The latest value of a key for a reader that takes partitions one after the other; `none` after a tombstone or
    /// without a record.
    Rebuilt {
        /// The run.
        stage: Stage,
        /// The key.
        key: String,
        /// The topic.
        topic: String,
        /// Its partitions in the order of reading.
        order: Vec<u32>,
        /// The value.
        expected: String,
    },
    /// When the first event of a kind happens whose sentence contains a text, in milliseconds.
    EventAt {
        /// The run.
        stage: Stage,
        /// The kind.
        event: String,
        /// Part of its sentence.
        #[serde(default)]
        contains: String,
        /// The time.
        expected_ms: u64,
    },
    /// How long partitions of a group stood still, summed over them, from an instant to the end of the run.
    Standstill {
        /// The run.
        stage: Stage,
        /// The group.
        group: String,
        /// From here on.
        from: Duration,
        /// Partition-milliseconds, if they are told.
        #[serde(default)]
        expected_ms: Option<u64>,
        /// The partitions that moved, by name, if they are listed.
        #[serde(default)]
        partitions: Option<Vec<String>>,
        /// Partitions that stood still at least once.
        #[serde(default)]
        stopped: Option<u32>,
        /// Partitions whose member is another one in the end.
        #[serde(default)]
        moved: Option<u32>,
        /// Partitions that `onPartitionsAssigned` named, each time that it did.
        #[serde(default)]
        given: Option<u32>,
    },
    /// How often events of a kind happen whose sentence contains a text.
    EventCount {
        /// The run.
        stage: Stage,
        /// The kind.
        event: String,
        /// Part of its sentence.
        #[serde(default)]
        contains: String,
        /// How often.
        expected: u64,
    },
    /// The way from an offset to its bytes: segment, index entry, batches passed over, position.
    Lookup {
        /// The run.
        stage: Stage,
        /// The broker.
        broker: u32,
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
        /// The offset.
        offset: u64,
        /// Base offset of the segment, entry's relative offset and position, batches scanned, position of the hit.
        expected: [u64; 5],
    },
    /// The first entries of a segment's offset index, as [relative offset, position].
    IndexEntries {
        /// The run.
        stage: Stage,
        /// The broker.
        broker: u32,
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
        /// Base offset of the segment.
        segment: u64,
        /// The entries that come first.
        expected: Vec<[u64; 2]>,
    },
    /// Names of files in a partition's folder that end so.
    Files {
        /// The run.
        stage: Stage,
        /// The broker.
        broker: u32,
        /// The topic.
        topic: String,
        /// The partition.
        partition: u32,
        /// How the names end.
        ending: String,
        /// The names.
        expected: Vec<String>,
    },
    /// The sizing lab's count: base, need, result.
    Sizing {
        /// Peak, one producer, one consumer (MB/s) and growth.
        rates: [String; 4],
        /// Base and need with two decimals at most, and the count.
        expected: [String; 3],
    },
    /// What each partition of a chosen count costs with the lesson's rates: replicas and leaders on each broker,
    /// bytes in one linger.
    Price {
        /// The count.
        count: u32,
        /// Replicas and leaders on each broker with two decimals at most, bytes.
        expected: [String; 3],
    },
    /// How many partitions each member gets, in the order of the link's members, and from which assignor: computed by
    /// the assignment lab, without a stage.
    Assignment {
        /// A story as a link of the lab.
        link: String,
        /// The assignor's id there.
        assignor: String,
        /// The counts.
        expected: Vec<usize>,
    },
    /// What a command line prints. Run by the tests with the real console.
    Console {
        /// The run; the line is typed at its end.
        stage: Stage,
        /// The line.
        line: String,
        /// Standard output and standard error together; topic ids are written `<topic-id>`.
        expected: String,
    },
    /// The records of a partition, as `40 trip-9001 4001/0`: offset, key (or value, or marker), producer id and epoch.
    Log {
        /// The run.
        stage: Stage,
        /// The partition.
        partition: String,
        /// From this offset on.
        #[serde(default)]
        from: u64,
        /// The records.
        expected: Vec<String>,
    },
    /// What the calls of a producer came to, as `41000 send InvalidProducerEpochException`: from when (and until when)
    /// in milliseconds, the method, and the error or `ok`.
    Calls {
        /// The run.
        stage: Stage,
        /// The producer.
        producer: String,
        /// The calls.
        expected: Vec<String>,
    },
    /// The error of a call that fails.
    CallFails {
        /// The run.
        stage: Stage,
        /// The producer.
        producer: String,
        /// The method.
        call: String,
        /// How many calls of that method fail before it.
        #[serde(default)]
        nth: usize,
        /// The exception class.
        exception: String,
        /// The text.
        expected: String,
    },
    /// Why a stage cannot start with some settings: part of what the client says.
    Refused {
        /// The act's id.
        act: String,
        /// Laid over the settings of the act.
        settings: Settings,
        /// The text.
        expected: String,
    },
    /// A sentence of the event log.
    Sentence {
        /// The run.
        stage: Stage,
        /// The sentence, as one event's text.
        expected: String,
    },
}

impl Check {
    /// The run that it looks at, unless it is about keys, a timeline, files or a question.
    fn stage(&self) -> Option<&Stage> {
        match self {
            Check::Lanes { stage, .. }
            | Check::Lies { stage, .. }
            | Check::LastAt { stage, .. }
            | Check::Runs { stage, .. }
            | Check::RunLengths { stage, .. }
            | Check::Batches { stage, .. }
            | Check::Refreshed { stage, .. }
            | Check::Outcome { stage, .. }
            | Check::Fails { stage, .. }
            | Check::Read { stage, .. }
            | Check::Share { stage, .. }
            | Check::PartitionsUsed { stage, .. }
            | Check::State { stage, .. }
            | Check::States { stage, .. }
            | Check::Rebuilt { stage, .. }
            | Check::EventAt { stage, .. }
            | Check::EventCount { stage, .. }
            | Check::Standstill { stage, .. }
            | Check::Log { stage, .. }
            | Check::Calls { stage, .. }
            | Check::CallFails { stage, .. }
            | Check::Sentence { stage, .. } => Some(stage),
            _ => None,
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What the lesson says.
    pub expected: String,
    /// What was computed.
    pub got: String,
}

impl Finding {
    /// Whether both are equal.
    pub fn holds(&self) -> bool {
        self.expected == self.got
    }
}

/// Recomputes all checks of a lesson; the findings are in the order of the checks. `scenarios` holds those of the
/// lesson's acts by name. Checks that look at the same run at several instants share it.
pub fn run(lesson: &Lesson, scenarios: &BTreeMap<String, Scenario>) -> Vec<Result<Finding, InputError>> {
    let ctx = compute::Context::new(lesson, scenarios);
    let stages: Vec<Option<&Stage>> = lesson.checks.iter().map(Check::stage).collect();
    let group = |stage: &Stage| stages.iter().position(|other| other.is_some_and(|other| other.is_same_run(stage)));
    let mut order: Vec<usize> = (0..lesson.checks.len()).collect();
    order.sort_by_key(|place| stages[*place].map(|stage| (group(stage), stage.until)));
    let mut findings: Vec<_> =
        order.iter().map(|place| (*place, compute::finding(&lesson.checks[*place], &ctx))).collect();
    findings.sort_by_key(|(place, _)| *place);
    findings.into_iter().map(|(_, finding)| finding).collect()
}

/// The simulation at the end of a stage, for a check that types into a terminal.
pub fn timeline(
    stage: &Stage,
    lesson: &Lesson,
    scenarios: &BTreeMap<String, Scenario>,
) -> Result<Timeline, InputError> {
    cluster::timeline(stage, &compute::Context::new(lesson, scenarios))
}

fn java() -> String {
    "java".to_string()
}

fn text() -> String {
    "text".to_string()
}
