//! A lesson as data: acts, steps, controls, predictions and acceptance checks, read from TOML.
//!
//! Deliberately not here: what is true. Answers and numbers are computed from the stage, by `predict` and `check`.

use std::collections::BTreeMap;

use engine::{Command, Duration, InputError};
#[cfg(not(feature = "check"))]
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

#[cfg(feature = "check")]
use crate::check::Check;
use crate::condition::Condition;
use crate::predict::Prediction;
use crate::settings::Settings;

/// One lesson. All prose is Markdown with links such as `[offset](glossary:offset)`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Kebab-case name: route, file name and attribute.
    pub slug: String,
    /// The heading.
    pub title: String,
    /// The group's slug, such as `keys-and-partitioners`.
    pub group: String,
    /// What the reader can answer afterward.
    pub question: String,
    /// One or two sentences before the stage.
    pub intro: String,
    /// The acts, in order. The first opens with the page.
    #[serde(rename = "act")]
    pub acts: Vec<Act>,
    /// What the reader may change.
    #[serde(default, rename = "control")]
    pub controls: Vec<Control>,
    /// Asked before running.
    #[serde(default, rename = "prediction")]
    pub predictions: Vec<Prediction>,
    /// Each act is a check that turns green once all its steps are done, and the page counts them.
    #[serde(default)]
    pub counts_acts: bool,
    /// Where a common explanation is looser than Kafka.
    pub fine_print: String,
    /// Languages of the code panel, the first shown first.
    pub code: Vec<CodeLanguage>,
    /// Acceptance values: recomputed by [`crate::check::run`], never looked up.
    #[cfg(feature = "check")]
    #[serde(default, rename = "check")]
    pub checks: Vec<Check>,
    /// Numbers in the prose that no check computes, each with the reason why it stands there.
    #[cfg(feature = "check")]
    #[serde(default, rename = "constant")]
    pub constants: Vec<Constant>,
    // A page shows neither, so it does not load the code that reads them.
    #[cfg(not(feature = "check"))]
    #[serde(default, rename = "check")]
    checks: IgnoredAny,
    #[cfg(not(feature = "check"))]
    #[serde(default, rename = "constant")]
    constants: IgnoredAny,
}

/// A stage and the steps on it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// Unique in the lesson.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Name of the scenario file.
    pub scenario: String,
    /// Applied to the scenario when the act opens.
    #[serde(default)]
    pub settings: Settings,
    /// Panels that are open when the act opens.
    #[serde(default)]
    pub panels: Vec<Panel>,
    /// The steps, in order.
    #[serde(default, rename = "step")]
    pub steps: Vec<Step>,
    /// What the whole act waits for, if it cannot run yet, such as "compaction".
    #[serde(default)]
    pub later: Option<String>,
}

/// One step: do this, see that.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Unique in the lesson.
    pub id: String,
    /// What to do and what to see.
    pub caption: String,
    /// The button that does it.
    #[serde(default)]
    pub action: Option<Offer>,
    /// Scene ids to point at, such as `producer:orders-service`, `partition:events-2` or `strip`.
    #[serde(default)]
    pub point_at: Vec<String>,
    /// What completes the step; without one it is complete as soon as its action was taken.
    #[serde(default)]
    pub done: Option<Condition>,
    /// Id of the prediction to ask before this step.
    #[serde(default)]
    pub ask: Option<String>,
    /// What the step waits for, if it cannot run yet, such as "consumer groups". It has no action then.
    #[serde(default)]
    pub later: Option<String>,
}

/// What the button of a step does, in this order: settings, reset, panels, commands, console line, run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Offer {
    /// The text of the button.
    pub label: String,
    /// Settings laid over those of the act (not of earlier steps); the stage then starts anew at time 0, without
    /// the commands of earlier steps.
    pub settings: Option<Settings>,
    /// Back to time 0 without a change of settings.
    pub reset: bool,
    /// Panels to open.
    pub open: Vec<Panel>,
    /// Commands to give now.
    pub commands: Vec<Command>,
    /// A line to type into the terminal; `{grow}` stands for the setting. See [`Offer::console_line`].
    pub console: Option<String>,
    /// Step, queue entry by queue entry, until one brought an event of this kind (such as `record_partitioned`).
    pub step_to: Option<String>,
    /// Play until this simulated time.
    pub run_to: Option<Duration>,
    /// Play until the step's condition holds; at most until the scenario ends.
    pub run: bool,
}

/// Something beside the stage that a step can open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Panel {
    /// Every step of the hash.
    HashSteps,
    /// Where each key goes on both sides, and the agreement meter.
    Compare,
    /// The same hash under every sign rule.
    SignRules,
    /// The same key as other bytes.
    KeyBytes,
    /// hash mod lcm of the old and the new count.
    ResidueWheel,
    /// Bytes towards the keyless switch.
    ByteMeter,
    /// The command line.
    Terminal,
    /// What readers got, merged.
    Readers,
    /// Minutes and the count that each producer knows.
    Window,
    /// A partition's folder: segments, index entries, the way of a lookup.
    Shelf,
    /// The sizing calculator.
    Sizing,
    /// Each transactional id: states, epochs, partitions with and without their marker, the coordinator's log.
    TransactionBoard,
    /// What each client and each transaction went through, on one clock.
    Timeline,
    /// Each producer's memory by partition, and who waits for it.
    Buffer,
    /// Transactional ids with their partitions of `__transaction_state` and the instances that use them.
    Shards,
    /// Records sent, accepted, acknowledged and refused, and offsets taken by records and by markers.
    Counter,
    /// Each group with its members, and how long its partitions stood still, side by side.
    Groups,
    /// Group ids, their hash, and their partition of `__consumer_offsets`.
    CoordinatorHash,
    /// New members and one topic, and what an assignor of two versions makes of them. No clock.
    AssignorBench,
}

/// A thing that the reader may change.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Name of the setting, as [`Settings::set`] takes it: `client`, `partitions`, `client.billing-job` ...
    pub setting: String,
    /// Its label.
    pub label: String,
    /// Allowed values; empty if any value that the setting takes is allowed.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// Every client of the catalogue is allowed, beside the choices, which come first.
    #[serde(default)]
    pub all_clients: bool,
    /// Choices that are left in an embedded widget; none hides the control there, absent keeps it whole.
    #[serde(default)]
    pub embedded: Option<Vec<String>>,
}

/// One allowed value of a control.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The value, as [`Settings::set`] takes it.
    pub value: String,
    /// Its label; the value itself if absent.
    #[serde(default)]
    pub label: Option<String>,
}

/// A language of the code panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeLanguage {
    /// Java.
    Java,
    /// Python.
    Python,
    /// Go.
    Go,
    /// JavaScript.
    JavaScript,
    /// Rust.
    Rust,
}

/// A number in the prose that is no result of the stage.
#[cfg(feature = "check")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The number as it is written.
    pub value: String,
    /// Why it is right.
    pub reason: String,
}

impl Offer {
    /// The line for the terminal under the settings in force.
    pub fn console_line(&self, settings: &Settings) -> Option<String> {
        let grow = settings.grow.map(|count| count.to_string()).unwrap_or_default();
        self.console.as_ref().map(|line| line.replace("{grow}", &grow))
    }
}

impl Choice {
    /// The text to show.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.value)
    }
}

impl Lesson {
    /// Reads the text of `lessons/<slug>.toml`. Errors name the line or the field.
    pub fn from_toml(text: &str) -> Result<Lesson, InputError> {
        let lesson: Lesson = crate::scenario_file::toml_text(text, "lesson.invalid")?;
        lesson.validate()?;
        Ok(lesson)
    }

    /// The act with that id.
    pub fn act(&self, id: &str) -> Option<&Act> {
        self.acts.iter().find(|act| act.id == id)
    }

    /// The prediction with that id.
    pub fn prediction(&self, id: &str) -> Option<&Prediction> {
        self.predictions.iter().find(|prediction| prediction.id == id)
    }

    /// The control of a setting.
    pub fn control(&self, setting: &str) -> Option<&Control> {
        self.controls.iter().find(|control| control.setting == setting)
    }

    /// Scenario names of all acts that can run, without repeats, the first act's first.
    pub fn scenarios(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for act in self.acts.iter().filter(|act| act.later.is_none()) {
            if !names.contains(&act.scenario.as_str()) {
                names.push(&act.scenario);
            }
        }
        names
    }

    fn validate(&self) -> Result<(), InputError> {
        let invalid = |message: String| InputError::new("lesson.invalid", message);
        if self.acts.is_empty() {
            return Err(invalid("A lesson has at least one act.".to_string()).at("act"));
        }
        let mut seen = BTreeMap::new();
        for (number, act) in self.acts.iter().enumerate() {
            for (place, step) in act.steps.iter().enumerate() {
                let path = format!("act[{number}].step[{place}]");
                if seen.insert(step.id.as_str(), ()).is_some() {
                    return Err(invalid(format!("Two steps are called \"{}\".", step.id)).at(path));
                }
                if step.later.is_some() && step.action.is_some() {
                    return Err(invalid("A step that waits has no action.".to_string()).at(path));
                }
                if let Some(ask) = step.ask.as_deref().filter(|ask| self.prediction(ask).is_none()) {
                    return Err(invalid(format!("There is no prediction \"{ask}\".")).at(format!("{path}.ask")));
                }
            }
        }
        for (number, control) in self.controls.iter().enumerate() {
            for choice in &control.choices {
                let path = format!("control[{number}].choices");
                Settings::default().set(&control.setting, &choice.value).map_err(|error| error.at(path))?;
            }
        }
        Ok(())
    }
}
