//! What a terminal remembers: lines that were run, what they printed, and how a line is recalled.
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

#[cfg(test)]
mod tests {
    use super::*;

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
