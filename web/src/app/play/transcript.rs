//! What a terminal remembers: lines that were run, what they printed, and how a line is recalled or completed.
//!
//! Runs nothing and draws nothing.

/// Commands with their output that are kept.
const ENTRIES_MAX: usize = 100;
/// Lines that can be recalled.
const HISTORY_MAX: usize = 500;

/// A line that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 0.
    pub number: u64,
    /// When, in simulated time.
    pub time: String,
    /// The line.
    pub line: String,
    /// What it printed: texts of standard output (false) and standard error (true).
    pub printed: Vec<(bool, String)>,
}

/// Everything on the screen and everything typed.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    entries: Vec<Entry>,
    history: Vec<String>,
    next: u64,
}

impl Transcript {
    /// The entries on the screen, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds a line and what it printed.
    pub fn add(&mut self, time: String, line: &str, printed: Vec<(bool, String)>) {
        self.entries.push(Entry { number: self.next, time, line: line.to_owned(), printed });
        self.next += 1;
        let surplus = self.entries.len().saturating_sub(ENTRIES_MAX);
        self.entries.drain(..surplus);
        self.remember(line);
    }

    /// Clears the screen; lines can still be recalled.
    pub fn clear(&mut self, line: &str) {
        self.entries.clear();
        self.remember(line);
    }

    /// The line `back` places before the newest, from 1.
    pub fn recall(&self, back: usize) -> Option<&str> {
        self.history.len().checked_sub(back).and_then(|place| self.history.get(place)).map(String::as_str)
    }

    fn remember(&mut self, line: &str) {
        if self.history.last().map(String::as_str) != Some(line) {
            self.history.push(line.to_owned());
        }
        let surplus = self.history.len().saturating_sub(HISTORY_MAX);
        self.history.drain(..surplus);
    }
}

/// What Tab makes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The line, as far as there is only one way.
    pub line: String,
    /// The words among which the reader has to choose; empty if one was taken.
    pub choices: Vec<String>,
}

/// Completes the last word of a line; nothing if no word fits.
pub fn completed(line: &str, candidates: &[String]) -> Option<Completion> {
    let start = line.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let (before, typed) = line.split_at(start);
    let first = candidates.first()?;
    if let [only] = candidates {
        // A setting goes on with its value.
        let blank = if only.ends_with('=') { "" } else { " " };
        return Some(Completion { line: format!("{before}{only}{blank}"), choices: Vec::new() });
    }
    let shared = candidates.iter().map(|other| shared_start(first, other)).min().unwrap_or(0);
    let word = if shared > typed.len() { &first[..shared] } else { typed };
    Some(Completion { line: format!("{before}{word}"), choices: candidates.to_vec() })
}

/// How many bytes two words begin with alike, cut at a character.
fn shared_start(left: &str, right: &str) -> usize {
    left.char_indices()
        .zip(right.chars())
        .find(|((_, left), right)| left != right)
        .map_or(left.len().min(right.len()), |((at, _), _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, candidates: &[&str], expected: Option<(&str, usize)>) {
        let candidates: Vec<String> = candidates.iter().map(|word| (*word).to_owned()).collect();
        let found = completed(line, &candidates);
        assert_eq!(found.as_ref().map(|found| (found.line.as_str(), found.choices.len())), expected, "{line}");
    }

    #[test]
    fn a_word_is_completed_as_far_as_there_is_one_way() {
        check("kafka-t", &["kafka-topics.sh", "kafka-transactions.sh"], Some(("kafka-t", 2)));
        check("kafka-to", &["kafka-topics.sh"], Some(("kafka-topics.sh ", 0)));
        check("x --topic ", &["orders", "orders-v2"], Some(("x --topic orders", 2)));
        check("x --config ret", &["retention.ms="], Some(("x --config retention.ms=", 0)));
        check("ls ", &[], None);
    }

    #[test]
    fn lines_are_recalled_newest_first_and_survive_a_clear() {
        let mut transcript = Transcript::default();
        transcript.add("0.000 s".into(), "one", Vec::new());
        transcript.add("0.000 s".into(), "two", Vec::new());
        transcript.clear("clear");
        let recalled: Vec<Option<&str>> = (1..=4).map(|back| transcript.recall(back)).collect();
        assert_eq!(recalled, [Some("clear"), Some("two"), Some("one"), None]);
        assert_eq!(transcript.entries(), []);
    }
}
