//! What a client's program looks like: short programs in five languages, with the running line lit.
//!
//! Nothing here runs. The programs use each library as its own documentation does.

use engine::Scenario;
use engine::snapshot::ProducerSnapshot;

/// A language of the code panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
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

/// One line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// The line, indented by spaces.
    pub text: String,
    /// Whether the client stands here.
    pub is_running: bool,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 5] = [Language::Java, Language::Python, Language::Go, Language::JavaScript, Language::Rust];
    /// Its name.
    pub fn name(self) -> &'static str { todo!() }
}

/// The languages in which a client (an id of the catalogue) can be shown, the usual one first.
pub fn languages(client: &str) -> Vec<Language> { let _ = client; todo!() }

/// The program of a producer. A language that its client has no library for is replaced by the usual one.
pub fn code(language: Option<Language>, producer: &ProducerSnapshot, scenario: &Scenario) -> Vec<CodeLine> { let _ = (language, producer, scenario); todo!() }
