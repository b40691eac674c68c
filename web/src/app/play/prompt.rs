//! The line of a terminal while it is typed: what each key does to it. Runs nothing and draws nothing.

use super::transcript::{Transcript, completed};

/// The line and what is offered for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The line.
    pub line: String,
    /// Words among which the reader has to choose.
    pub choices: Vec<String>,
    /// How far back the line was recalled from; 0 if it is new.
    back: usize,
    /// Whether the next Tab leaves the field.
    leaves: bool,
}

/// What a key does besides changing the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// Nothing: the browser does what it always does.
    Untouched,
    /// The key is used up.
    Used,
    /// The line is to be run.
    Run(String),
}

impl Prompt {
    /// A line that was typed.
    pub fn typed(line: String) -> Prompt {
        Prompt { line, ..Prompt::default() }
    }

    /// The prompt after a key. `candidates` finds the words with which a line may go on.
    pub fn press(
        &self,
        key: &str,
        is_shifted: bool,
        transcript: &Transcript,
        candidates: impl FnOnce(&str) -> Vec<String>,
    ) -> (Prompt, Pressed) {
        match key {
            "Enter" => (Prompt::default(), Pressed::Run(self.line.clone())),
            "ArrowUp" => (self.recalled(self.back + 1, transcript), Pressed::Used),
            "ArrowDown" => (self.recalled(self.back.saturating_sub(1), transcript), Pressed::Used),
            "Escape" => (Prompt { leaves: true, choices: Vec::new(), ..self.clone() }, Pressed::Untouched),
            // A field that swallows every Tab is a trap: an empty line, Escape or nothing to offer lets it go.
            "Tab" if !is_shifted && !self.leaves && !self.line.is_empty() => {
                match completed(&self.line, &candidates(&self.line)) {
                    Some(found) => (Prompt { choices: found.choices, ..Prompt::typed(found.line) }, Pressed::Used),
                    None => (self.clone(), Pressed::Untouched),
                }
            }
            _ => (self.clone(), Pressed::Untouched),
        }
    }

    fn recalled(&self, back: usize, transcript: &Transcript) -> Prompt {
        match transcript.recall(back) {
            Some(line) => Prompt { back, ..Prompt::typed(line.to_owned()) },
            None if back == 0 => Prompt::default(),
            None => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[&str], line: &str, last: Pressed) {
        let mut transcript = Transcript::default();
        transcript.add("0.000 s".into(), "first", Vec::new());
        transcript.add("0.000 s".into(), "second", Vec::new());
        let (mut prompt, mut pressed) = (Prompt::typed("kafka-to".into()), Pressed::Untouched);
        for key in keys {
            let candidates = |_: &str| vec!["kafka-topics.sh".to_owned()];
            (prompt, pressed) = prompt.press(key, false, &transcript, candidates);
        }
        assert_eq!((prompt.line.as_str(), pressed), (line, last), "{keys:?}");
    }

    #[test]
    fn arrows_recall_lines_and_come_back_to_an_empty_one() {
        check(&["ArrowUp"], "second", Pressed::Used);
        check(&["ArrowUp", "ArrowUp", "ArrowUp"], "first", Pressed::Used);
        check(&["ArrowUp", "ArrowUp", "ArrowDown"], "second", Pressed::Used);
        check(&["ArrowUp", "ArrowDown"], "", Pressed::Used);
    }

    #[test]
    fn tab_completes_and_can_always_be_left() {
        check(&["Tab"], "kafka-topics.sh ", Pressed::Used);
        check(&["Escape", "Tab"], "kafka-to", Pressed::Untouched);
        check(&["Enter", "Tab"], "", Pressed::Untouched);
        check(&["Enter"], "", Pressed::Run("kafka-to".into()));
    }
}
