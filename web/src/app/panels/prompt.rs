//! The line of a terminal while it is typed: what each key does to it. Runs nothing and draws nothing.

/// The line and what is offered for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The line; several while a command goes on in the next one.
    pub line: String,
    /// Words among which the reader has to choose.
    pub choices: Vec<String>,
    /// A command that reads lines, and those that were typed for it so far.
    pub reading: Option<Reading>,
    /// How far back the line was recalled from; 0 if it is new.
    back: usize,
    /// Whether the next Tab leaves the field.
    leaves: bool,
}

/// A command that reads lines until the input ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The command.
    pub command: String,
    /// The lines so far.
    pub lines: Vec<String>,
}

impl Reading {
    /// The command with its lines under it, as a text that the console runs.
    pub fn text(&self) -> String {
        std::iter::once(&self.command).chain(&self.lines).map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// A key with what is held down beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Key<'a> {
    /// Its name in the browser.
    pub name: &'a str,
    /// Whether Shift is held.
    pub is_shifted: bool,
    /// Whether Control is held.
    pub is_control: bool,
}

/// What the terminal around a prompt knows.
pub struct Surroundings<'a> {
    /// The line that was run so many lines ago, from 1.
    pub recall: &'a dyn Fn(usize) -> Option<String>,
    /// The words with which a line may go on.
    pub candidates: &'a dyn Fn(&str) -> Vec<String>,
    /// Whether a command would wait for lines.
    pub waits: &'a dyn Fn(&str) -> bool,
}

/// What a key does besides changing the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// Nothing: the browser does what it always does.
    Untouched,
    /// The key is used up.
    Used,
    /// The text is to be run: a command, with the lines that it reads under it.
    Run(String),
}

impl Prompt {
    /// The prompt after something was typed.
    pub fn typed(&self, line: String) -> Prompt {
        Prompt { line, reading: self.reading.clone(), ..Prompt::default() }
    }

    /// The prompt after a key.
    pub fn press(&self, key: Key<'_>, around: &Surroundings<'_>) -> (Prompt, Pressed) {
        let is_one_line = !self.line.contains('\n');
        match key.name {
            "Enter" if key.is_shifted || (self.reading.is_none() && self.line.ends_with('\\')) => {
                (self.clone(), Pressed::Untouched)
            }
            "Enter" => self.entered(around.waits),
            "d" if key.is_control && self.reading.is_some() => self.end_input(),
            "c" if key.is_control && self.reading.is_some() => (Prompt::default(), Pressed::Used),
            "ArrowUp" if is_one_line => (self.recalled(self.back + 1, around.recall), Pressed::Used),
            "ArrowDown" if is_one_line => (self.recalled(self.back.saturating_sub(1), around.recall), Pressed::Used),
            "Escape" => (Prompt { leaves: true, choices: Vec::new(), ..self.clone() }, Pressed::Untouched),
            // A field that swallows every Tab is a trap: an empty line, Escape or nothing to offer lets it go.
            "Tab" if !key.is_shifted && !self.leaves && !self.line.is_empty() && self.reading.is_none() => {
                match completed(&self.line, &(around.candidates)(&self.line)) {
                    Some(found) => (Prompt { choices: found.choices, ..self.typed(found.line) }, Pressed::Used),
                    None => (self.clone(), Pressed::Untouched),
                }
            }
            _ => (self.clone(), Pressed::Untouched),
        }
    }

    /// The prompt after the input of a command has ended.
    pub fn end_input(&self) -> (Prompt, Pressed) {
        let Some(mut reading) = self.reading.clone() else { return (self.clone(), Pressed::Untouched) };
        if !self.line.is_empty() {
            reading.lines.extend(self.line.lines().map(str::to_owned));
        }
        (Prompt::default(), Pressed::Run(reading.text()))
    }

    fn entered(&self, waits: &dyn Fn(&str) -> bool) -> (Prompt, Pressed) {
        if let Some(mut reading) = self.reading.clone() {
            // An empty line is a record too.
            reading.lines.extend(self.line.split('\n').map(str::to_owned));
            return (Prompt { reading: Some(reading), ..Prompt::default() }, Pressed::Used);
        }
        if waits(&self.line) {
            let reading = Reading { command: self.line.trim_end().to_owned(), lines: Vec::new() };
            return (Prompt { reading: Some(reading), ..Prompt::default() }, Pressed::Used);
        }
        (Prompt::default(), Pressed::Run(self.line.clone()))
    }

    fn recalled(&self, back: usize, recall: &dyn Fn(usize) -> Option<String>) -> Prompt {
        if self.reading.is_some() {
            return self.clone();
        }
        match recall(back) {
            Some(line) if back > 0 => Prompt { back, ..self.typed(line) },
            _ if back == 0 => Prompt::default(),
            _ => self.clone(),
        }
    }
}

/// What Tab makes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Completion {
    /// The line, as far as there is only one way.
    line: String,
    /// The words among which the reader has to choose; empty if one was taken.
    choices: Vec<String>,
}

/// Completes the last word of a line; nothing if no word fits.
fn completed(line: &str, candidates: &[String]) -> Option<Completion> {
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

    const LINES: [&str; 2] = ["second", "first"];

    fn press(prompt: &Prompt, key: Key<'_>) -> (Prompt, Pressed) {
        let around = Surroundings {
            recall: &|back| back.checked_sub(1).and_then(|back| LINES.get(back)).map(|line| (*line).to_owned()),
            candidates: &|_| vec!["kafka-topics.sh".to_owned()],
            waits: &|line| line == "producer",
        };
        prompt.press(key, &around)
    }

    fn key(name: &str) -> Key<'_> {
        Key { name, ..Key::default() }
    }

    fn check(typed: &str, keys: &[&str], line: &str, last: Pressed) {
        let (mut prompt, mut pressed) = (Prompt::default().typed(typed.into()), Pressed::Untouched);
        for name in keys {
            (prompt, pressed) = press(&prompt, key(name));
        }
        assert_eq!((prompt.line.as_str(), pressed), (line, last), "{keys:?}");
    }

    #[test]
    fn arrows_recall_lines_and_come_back_to_an_empty_one() {
        check("kafka-to", &["ArrowUp"], "second", Pressed::Used);
        check("kafka-to", &["ArrowUp", "ArrowUp", "ArrowUp"], "first", Pressed::Used);
        check("kafka-to", &["ArrowUp", "ArrowUp", "ArrowDown"], "second", Pressed::Used);
        check("kafka-to", &["ArrowUp", "ArrowDown"], "", Pressed::Used);
        // Between lines the arrows move the cursor.
        check("a \\\nb", &["ArrowUp"], "a \\\nb", Pressed::Untouched);
    }

    #[test]
    fn tab_completes_and_can_always_be_left() {
        check("kafka-to", &["Tab"], "kafka-topics.sh ", Pressed::Used);
        check("kafka-to", &["Escape", "Tab"], "kafka-to", Pressed::Untouched);
        check("kafka-to", &["Enter", "Tab"], "", Pressed::Untouched);
        check("kafka-to", &["Enter"], "", Pressed::Run("kafka-to".into()));
    }

    #[test]
    fn a_command_goes_on_after_a_backslash() {
        check("kafka-topics.sh \\", &["Enter"], "kafka-topics.sh \\", Pressed::Untouched);
        check("kafka-topics.sh \\\n--list", &["Enter"], "", Pressed::Run("kafka-topics.sh \\\n--list".into()));
    }

    #[test]
    fn a_producer_reads_lines_until_the_input_ends() {
        let (mut prompt, mut pressed) = press(&Prompt::default().typed("producer".into()), key("Enter"));
        assert_eq!(pressed, Pressed::Used);
        for line in ["a:1", "", "b:2"] {
            (prompt, pressed) = press(&prompt.typed(line.into()), key("Enter"));
            assert_eq!((prompt.line.as_str(), &pressed), ("", &Pressed::Used));
        }
        let control = Key { name: "d", is_control: true, ..Key::default() };
        let (after, pressed) = press(&prompt.typed("c:3".into()), control);
        assert_eq!((after, pressed), (Prompt::default(), Pressed::Run("producer\na:1\n\nb:2\nc:3".into())));
        let (after, pressed) = press(&prompt, Key { name: "c", ..control });
        assert_eq!((after, pressed), (Prompt::default(), Pressed::Used));
    }

    #[test]
    fn a_word_is_completed_as_far_as_there_is_one_way() {
        let check = |line: &str, candidates: &[&str], expected: Option<(&str, usize)>| {
            let candidates: Vec<String> = candidates.iter().map(|word| (*word).to_owned()).collect();
            let found = completed(line, &candidates);
            assert_eq!(found.as_ref().map(|found| (found.line.as_str(), found.choices.len())), expected, "{line}");
        };
        check("kafka-t", &["kafka-topics.sh", "kafka-transactions.sh"], Some(("kafka-t", 2)));
        check("kafka-to", &["kafka-topics.sh"], Some(("kafka-topics.sh ", 0)));
        check("x --topic ", &["orders", "orders-v2"], Some(("x --topic orders", 2)));
        check("x --config ret", &["retention.ms="], Some(("x --config retention.ms=", 0)));
        check("ls ", &[], None);
    }
}
