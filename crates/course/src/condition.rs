//! When a step is complete, and what the reader has completed so far.
//!
//! Deliberately not here: the steps themselves and where progress is stored.

use std::collections::{BTreeMap, BTreeSet};

use engine::snapshot::ProducerSnapshot;
use engine::{Duration, Event, EventKind, Snapshot};
use serde::{Deserialize, Serialize};

use crate::lesson::Panel;
use crate::predict::Answer;
use crate::probe::{self, Reading};
use crate::settings::Settings;

/// Events since a step began that its condition may look at: the newest ones.
pub const EVENTS_SEEN_MAX: usize = 5_000;

/// A question about the stage with a yes or no. Tagged by `when`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "when", rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// Simulated time has reached an instant.
    Time {
        /// The instant, counted from the start.
        at: Duration,
    },
    /// The log end offsets of a topic's partitions are exactly these.
    Lanes {
        /// The topic.
        topic: String,
        /// Log end offset of each partition, from 0.
        log_end_offsets: Vec<u64>,
    },
    /// A partition holds at least that many records.
    Records {
        /// Such as `orders-1`.
        partition: String,
        /// How many.
        at_least: u64,
    },
    /// The topic has exactly that many partitions.
    Partitions {
        /// The topic.
        topic: String,
        /// How many.
        count: u32,
    },
    /// A producer's records have been acknowledged, at least that many.
    Acknowledged {
        /// The producer.
        producer: String,
        /// How many.
        at_least: u64,
    },
    /// The producer's last record has this key, and went to this partition if one is named.
    Last {
        /// The producer.
        producer: String,
        /// The key.
        key: String,
        /// The partition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partition: Option<u32>,
    },
    /// A producer knows that many partitions of a topic.
    Knows {
        /// The producer.
        producer: String,
        /// The topic.
        topic: String,
        /// How many.
        partitions: u32,
    },
    /// Among the events seen since the step began, at least that many are of a kind.
    Seen {
        /// The event kind, such as `sticky_partition_switched`.
        kind: String,
        /// Part of its sentence.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        contains: String,
        /// How many; 1 by default.
        #[serde(default = "one")]
        at_least: u64,
    },
    /// An error was reported whose text contains this, since the step began.
    Failed {
        /// Part of the text or the exception's name.
        contains: String,
    },
    /// The settings of the step's button make no stage: a client or a broker refuses one, in these words.
    Refused {
        /// Part of the text.
        contains: String,
    },
    /// A value of the stage, found by a path of [`crate::probe`], is this one.
    State {
        /// The path, such as `partition/orders-0/leader`.
        path: String,
        /// The value.
        is: Reading,
    },
    /// A number of the stage, found by a path of [`crate::probe`], is at least this.
    AtLeast {
        /// The path, such as `partition/orders-0/high_watermark`.
        path: String,
        /// The number.
        number: u64,
    },
    /// The last line of the terminal printed this, since the step began.
    Printed {
        /// Part of the text.
        contains: String,
    },
    /// A setting has this value.
    Set {
        /// Its name.
        setting: String,
        /// Its value.
        value: String,
    },
    /// A panel is open.
    Open {
        /// The panel.
        panel: Panel,
    },
    /// A prediction has been answered.
    Answered {
        /// Its id.
        prediction: String,
    },
    /// All of them.
    All {
        /// The conditions.
        of: Vec<Condition>,
    },
    /// At least one of them.
    Any {
        /// The conditions.
        of: Vec<Condition>,
    },
}

/// What a condition may look at.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The state now.
    pub snapshot: &'a Snapshot,
    /// Events since the step began.
    pub events: &'a [Event],
    /// The settings in force.
    pub settings: &'a Settings,
    /// What the terminal printed since the step began.
    pub printed: &'a str,
    /// Why the last settings made no stage; empty if they did.
    pub refused: &'a str,
    /// Open panels.
    pub panels: &'a BTreeSet<Panel>,
    /// What the reader has done.
    pub progress: &'a Progress,
    /// The lesson's slug.
    pub lesson: &'a str,
}

/// What the reader has completed and answered, over all lessons. It is stored as JSON by the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Progress {
    /// By lesson slug.
    pub lessons: BTreeMap<String, LessonProgress>,
}

/// Progress in one lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LessonProgress {
    /// Ids of completed steps.
    pub steps: BTreeSet<String>,
    /// Given answers by prediction id.
    pub answers: BTreeMap<String, Answer>,
}

fn one() -> u64 {
    1
}

impl Condition {
    /// Whether it holds.
    pub fn holds(&self, seen: &Observation<'_>) -> bool {
        let snapshot = seen.snapshot;
        match self {
            Condition::Time { at } => snapshot.moment.time.0 >= at.0,
            Condition::Lanes { topic, log_end_offsets } => probe::topic(snapshot, topic).is_some_and(|topic| {
                topic.partitions.iter().map(|partition| partition.log_end_offset).eq(log_end_offsets.iter().copied())
            }),
            Condition::Records { partition, at_least } => {
                probe::partition(snapshot, partition).is_some_and(|partition| partition.record_count >= *at_least)
            }
            Condition::Partitions { topic, count } => {
                probe::topic(snapshot, topic).is_some_and(|topic| topic.partitions.len() == *count as usize)
            }
            Condition::Acknowledged { producer, at_least } => {
                producer_of(snapshot, producer).is_some_and(|producer| producer.acknowledged_count >= *at_least)
            }
            Condition::Last { producer, key, partition } => {
                producer_of(snapshot, producer).and_then(|producer| producer.last.as_ref()).is_some_and(|last| {
                    last.record.key_text.as_deref() == Some(key)
                        && partition.is_none_or(|partition| last.partition == partition)
                })
            }
            Condition::Knows { producer, topic, partitions } => producer_of(snapshot, producer)
                .is_some_and(|producer| producer.metadata.get(topic.as_str()) == Some(partitions)),
            Condition::Seen { kind, contains, at_least } => {
                let fits = |event: &&Event| {
                    kind_of(event) == *kind && (contains.is_empty() || event.kind.to_string().contains(contains))
                };
                seen.events.iter().filter(fits).count() as u64 >= *at_least
            }
            Condition::Refused { contains } => seen.refused.contains(contains.as_str()),
            Condition::Failed { contains } => seen.events.iter().any(|event| fails_with(event, contains)),
            Condition::State { path, is } => probe::read(snapshot, path).is_ok_and(|found| found == *is),
            Condition::AtLeast { path, number } => {
                matches!(probe::read(snapshot, path), Ok(Reading::Number(found)) if found >= *number)
            }
            Condition::Printed { contains } => seen.printed.contains(contains.as_str()),
            Condition::Set { setting, value } => seen.settings.get(setting).as_ref() == Some(value),
            Condition::Open { panel } => seen.panels.contains(panel),
            Condition::Answered { prediction } => seen.progress.answered(seen.lesson, prediction).is_some(),
            Condition::All { of } => of.iter().all(|condition| condition.holds(seen)),
            Condition::Any { of } => of.iter().any(|condition| condition.holds(seen)),
        }
    }
}

fn producer_of<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a ProducerSnapshot> {
    snapshot.producers.iter().rev().find(|producer| &*producer.name == name)
}

/// The name of an event's kind, such as `batch_appended`.
pub fn kind_of(event: &Event) -> &'static str {
    event.kind.name()
}

fn fails_with(event: &Event, text: &str) -> bool {
    let error = match &event.kind {
        EventKind::SendFailed { error, .. } | EventKind::BatchRetried { error, .. } => Some(&**error),
        EventKind::CommandFinished { outcome } => outcome.error.as_ref(),
        _ => None,
    };
    error.is_some_and(|error| error.to_string().contains(text) || error.error.contains(text))
}

impl Progress {
    /// Reads what [`Progress::to_json`] wrote; anything else starts anew.
    pub fn from_json(text: &str) -> Progress {
        crate::read::json(text).unwrap_or_default()
    }

    /// Text to store.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("progress has text keys only")
    }

    /// Marks a step as complete; true if it was not before.
    pub fn complete(&mut self, lesson: &str, step: &str) -> bool {
        self.lessons.entry(lesson.to_string()).or_default().steps.insert(step.to_string())
    }

    /// Whether a step is complete.
    pub fn is_complete(&self, lesson: &str, step: &str) -> bool {
        self.lessons.get(lesson).is_some_and(|progress| progress.steps.contains(step))
    }

    /// Stores an answer.
    pub fn answer(&mut self, lesson: &str, prediction: &str, answer: Answer) {
        self.lessons.entry(lesson.to_string()).or_default().answers.insert(prediction.to_string(), answer);
    }

    /// The answer given to a prediction.
    pub fn answered(&self, lesson: &str, prediction: &str) -> Option<&Answer> {
        self.lessons.get(lesson)?.answers.get(prediction)
    }
}

#[cfg(test)]
mod tests {
    use engine::{Scenario, Simulation, Time};

    use super::*;

    const STAGE: &str = r#"
        name = "conditions"
        [[topic]]
        name = "events"
        partitions = 3
        [[producer]]
        name = "p"
        workload = { topic = "events", keys = ["user-1", "user-4"], value = "x", every = "1 s" }
    "#;

    fn stage() -> Scenario {
        crate::scenario_from_text(STAGE).expect("the stage is valid")
    }

    #[track_caller]
    fn check(condition: &str, expected: bool) {
        let condition: Condition = toml::from_str(condition).expect("the condition is well formed");
        let mut events = Vec::new();
        let mut simulation = Simulation::new(&stage()).expect("the stage starts");
        simulation.run_until(Time::from_millis(5_000), &mut events);
        let mut settings = Settings::default();
        settings.set("partitions", "3").expect("a setting");
        let mut progress = Progress::default();
        progress.answer("lesson", "asked", Answer::YesNo(true));
        let seen = Observation {
            snapshot: &simulation.snapshot(1),
            events: &events,
            settings: &settings,
            printed: "Created topic events.",
            refused: "Must set acks to all.",
            panels: &BTreeSet::from([Panel::Compare]),
            progress: &progress,
            lesson: "lesson",
        };
        assert_eq!(condition.holds(&seen), expected, "{condition:?}");
    }

    #[test]
    fn conditions_look_at_the_stage() {
        check("when = 'time'\nat = '5 s'", true);
        check("when = 'time'\nat = '5001 ms'", false);
        check("when = 'lanes'\ntopic = 'events'\nlog_end_offsets = [0, 1, 1]", true);
        check("when = 'lanes'\ntopic = 'events'\nlog_end_offsets = [0, 1]", false);
        check("when = 'state'\npath = 'topic/events/log_end_offsets'\nis = [0, 1, 1]", true);
        check("when = 'state'\npath = 'partition/events-1/isr'\nis = [7]", false);
        check("when = 'at_least'\npath = 'partition/events-1/high_watermark'\nnumber = 1", true);
        check("when = 'at_least'\npath = 'partition/events-1/high_watermark'\nnumber = 2", false);
        check("when = 'printed'\ncontains = 'Created topic'", true);
        check("when = 'printed'\ncontains = 'Deleted'", false);
        check("when = 'records'\npartition = 'events-2'\nat_least = 1", true);
        check("when = 'records'\npartition = 'events-7'\nat_least = 0", false);
        check("when = 'partitions'\ntopic = 'events'\ncount = 3", true);
        check("when = 'acknowledged'\nproducer = 'p'\nat_least = 2", true);
        check("when = 'acknowledged'\nproducer = 'p'\nat_least = 3", false);
        check("when = 'last'\nproducer = 'p'\nkey = 'user-4'\npartition = 1", true);
        check("when = 'last'\nproducer = 'p'\nkey = 'user-1'", false);
        check("when = 'knows'\nproducer = 'p'\ntopic = 'events'\npartitions = 3", true);
    }

    #[test]
    fn conditions_look_at_events_settings_and_progress() {
        check("when = 'seen'\nkind = 'record_partitioned'\nat_least = 2", true);
        check("when = 'seen'\nkind = 'send_failed'", false);
        check("when = 'seen'\nkind = 'record_partitioned'\ncontains = 'user-4'", true);
        check("when = 'seen'\nkind = 'record_partitioned'\ncontains = 'user-7'", false);
        check("when = 'failed'\ncontains = 'Timeout'", false);
        check("when = 'refused'\ncontains = 'acks'", true);
        check("when = 'refused'\ncontains = 'linger'", false);
        check("when = 'set'\nsetting = 'partitions'\nvalue = '3'", true);
        check("when = 'set'\nsetting = 'client'\nvalue = 'java'", false);
        check("when = 'open'\npanel = 'compare'", true);
        check("when = 'open'\npanel = 'terminal'", false);
        check("when = 'answered'\nprediction = 'asked'", true);
        check("when = 'all'\nof = [{ when = 'time', at = '1 s' }, { when = 'open', panel = 'terminal' }]", false);
        check("when = 'any'\nof = [{ when = 'time', at = '1 s' }, { when = 'open', panel = 'terminal' }]", true);
    }

    #[test]
    fn kinds_are_called_as_in_the_data_formats() {
        let mut events = Vec::new();
        let mut simulation = Simulation::new(&stage()).expect("the stage starts");
        simulation.run_until(Time::from_millis(5_000), &mut events);
        assert!(events.len() > 20, "{} events", events.len());
        for event in &events {
            let value = serde_json::to_value(event).expect("events are data");
            assert_eq!(value.get("kind").and_then(serde_json::Value::as_str), Some(kind_of(event)));
        }
    }

    #[test]
    fn progress_is_stored_as_text_and_broken_text_starts_anew() {
        let mut progress = Progress::default();
        assert!(progress.complete("grow-the-topic", "before"));
        assert!(!progress.complete("grow-the-topic", "before"));
        progress.answer("grow-the-topic", "move", Answer::Keys(BTreeSet::from(["user-3".to_string()])));
        assert_eq!(Progress::from_json(&progress.to_json()), progress);
        assert!(progress.is_complete("grow-the-topic", "before"));
        assert_eq!(Progress::from_json("{ broken"), Progress::default());
    }
}
