//! What the engine said when a prediction was guessed or skipped, kept as it was then. Not the guess itself.
//!
//! The step behind a question changes the stage that it was asked about, so the answer is never computed again.

use std::collections::BTreeMap;

use course::{Answer, Prediction, Settings};
use engine::Scenario;
use serde::{Deserialize, Serialize};

/// The engine's answer at the moment of the guess; the sentence of the reason if the stage had none.
pub type Verdict = Result<Answer, String>;

/// The verdicts over all lessons, by lesson slug and prediction id. It is stored as JSON by the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Verdicts(BTreeMap<String, BTreeMap<String, Verdict>>);

impl Verdicts {
    /// Reads what [`Verdicts::to_json`] wrote; what cannot be read counts as nothing.
    pub fn from_json(text: &str) -> Verdicts {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("maps of text and answers are JSON")
    }

    /// The verdict on a prediction, if it has been guessed or skipped.
    pub fn of(&self, lesson: &str, prediction: &str) -> Option<&Verdict> {
        self.0.get(lesson)?.get(prediction)
    }

    /// Computes the verdict on a scenario under settings. The first one stays.
    pub fn freeze(
        &mut self,
        lesson: &str,
        prediction: &Prediction,
        scenario: &Scenario,
        settings: &Settings,
    ) -> &Verdict {
        let verdicts = self.0.entry(lesson.to_owned()).or_default();
        verdicts
            .entry(prediction.id.clone())
            .or_insert_with(|| prediction.answer(scenario, settings).map_err(|error| error.to_string()))
    }

    /// Forgets a lesson.
    pub fn forget(&mut self, lesson: &str) {
        self.0.remove(lesson);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGE: &str = r#"
        name = "six-keys"
        [[topic]]
        name = "events"
        partitions = 3
        [[producer]]
        name = "orders-service"
        workload = { topic = "events", keys = ["user-1", "user-2", "user-3", "user-4", "user-5", "user-6"], value = "x", every = "1 s" }
    "#;

    fn check(changed: &str, is_equal_afresh: bool) {
        let prediction = Prediction {
            id: "keep".to_owned(),
            question: String::new(),
            act: None,
            compute: course::predict::Question::KeysThatStay { partitions: 8 },
            commands: Vec::new(),
            after: String::new(),
        };
        let stage = course::scenario_from_text(STAGE).expect("stage");
        let mut settings = Settings::default();
        let mut verdicts = Verdicts::default();
        let first = verdicts.freeze("lesson", &prediction, &stage, &settings).clone();
        assert!(first.is_ok(), "{first:?}");
        settings.set("partitions", changed).expect("setting");
        assert_eq!(verdicts.freeze("lesson", &prediction, &stage, &settings), &first);
        let mut again = Verdicts::from_json(&verdicts.to_json());
        assert_eq!(again.of("lesson", "keep"), Some(&first), "as it is stored");
        again.forget("lesson");
        let afresh = again.freeze("lesson", &prediction, &stage, &settings);
        assert_eq!(*afresh == first, is_equal_afresh, "{afresh:?}");
    }

    #[test]
    fn a_verdict_stays_when_the_stage_changes_until_the_lesson_is_forgotten() {
        check("8", false);
        check("3", true);
    }
}
