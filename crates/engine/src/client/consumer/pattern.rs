//! Patterns of `java.util.regex` that the client evaluates against names of topics.
//!
//! Simplified: look-around, back references and possessive quantifiers are refused; names of topics are ASCII.

use regex_lite::Regex;

/// A pattern that must match a whole name (`Matcher.matches`).
pub(super) struct Pattern {
    regex: Regex,
}

impl Pattern {
    /// Compiles it, or says what is wrong with it.
    pub fn new(text: &str) -> Result<Pattern, String> {
        match Regex::new(&format!("^(?:{text})$")) {
            Ok(regex) => Ok(Pattern { regex }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Whether the whole name matches.
    pub fn matches(&self, name: &str) -> bool {
        self.regex.is_match(name)
    }
}
