//! Scenario files: TOML or JSON text to a scenario and back, with errors that name the line and the field.
//!
//! Deliberately not here: what a scenario means. Names and bounds are checked by the engine when it starts one.

use engine::{InputError, Scenario};
use serde::de::DeserializeOwned;

use crate::suggest;

/// Bytes of a file that is read; the largest scenario with a key list of its own is far below it.
pub const FILE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Reads a scenario from TOML or JSON: JSON if the first character is `{`.
///
/// The error's path names the line and, where it is known, the field: `line 6, topic[0].partitons`.
///
/// ```
/// let text = "name = \"two\"\n[[topic]]\nname = \"events\"\npartitons = 3\n";
/// let error = course::scenario_from_text(text).expect_err("it is misspelled");
/// assert_eq!(error.path, "line 4, topic[0].partitons");
/// assert_eq!(error.hint, "Did you mean \"partitions\"?");
/// ```
pub fn scenario_from_text(text: &str) -> Result<Scenario, InputError> {
    if text.trim_start().starts_with('{') {
        json_text(text, "scenario.invalid")
    } else if text.trim().is_empty() {
        Err(InputError::new("scenario.invalid", "The file is empty.").hint("A scenario has at least a name."))
    } else {
        toml_text(text, "scenario.invalid")
    }
}

/// The scenario as TOML; reading it back gives an equal scenario. A scenario with a number that TOML cannot hold
/// (above 2^63) is written as JSON, which [`scenario_from_text`] reads as well.
pub fn scenario_to_toml(scenario: &Scenario) -> String {
    toml::to_string(scenario)
        .or_else(|_| serde_json::to_string_pretty(scenario))
        .expect("a scenario is made of text, numbers and lists")
}

/// Reads TOML into a value.
pub(crate) fn toml_text<T: DeserializeOwned>(text: &str, code: &'static str) -> Result<T, InputError> {
    check_size(text, code)?;
    let syntax = |error: toml::de::Error| toml_error(text, code, &error, "");
    let deserializer = toml::Deserializer::parse(text).map_err(syntax)?;
    serde_path_to_error::deserialize(deserializer)
        .map_err(|error| toml_error(text, code, error.inner(), &error.path().to_string()))
}

/// Reads JSON into a value.
pub(crate) fn json_text<T: DeserializeOwned>(text: &str, code: &'static str) -> Result<T, InputError> {
    check_size(text, code)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| json_error(code, error.inner(), &error.path().to_string()))?;
    deserializer.end().map_err(|error| json_error(code, &error, ""))?;
    Ok(value)
}

/// An error of a JSON value that has no lines.
pub(crate) fn json_value<T: DeserializeOwned>(value: serde_json::Value, code: &'static str) -> Result<T, InputError> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| described(code, &error.inner().to_string(), place(None, &error.path().to_string())))
}

fn check_size(text: &str, code: &'static str) -> Result<(), InputError> {
    if text.len() <= FILE_BYTES_MAX {
        return Ok(());
    }
    let message = format!("The file has {} bytes; at most {FILE_BYTES_MAX} are read.", text.len());
    Err(InputError::new(code, message))
}

fn toml_error(text: &str, code: &'static str, error: &toml::de::Error, path: &str) -> InputError {
    let line = error.span().map(|span| {
        let before = text.as_bytes().get(..span.start).unwrap_or(text.as_bytes());
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    });
    described(code, error.message(), place(line, path))
}

fn json_error(code: &'static str, error: &serde_json::Error, path: &str) -> InputError {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    described(code, message, place(Some(error.line()).filter(|line| *line > 0), path))
}

fn place(line: Option<usize>, path: &str) -> String {
    let path = if path == "." { "" } else { path };
    match line {
        Some(line) if path.is_empty() => format!("line {line}"),
        Some(line) => format!("line {line}, {path}"),
        None => path.to_string(),
    }
}

/// The deserializer's message in our words, where it names a field or a value that is not allowed.
fn described(code: &'static str, message: &str, path: String) -> InputError {
    let names = quoted(message);
    let [given, allowed @ ..] = names.as_slice() else {
        return InputError::new(code, sentence(message)).at(path);
    };
    if message.starts_with("unknown field") {
        let hint = suggest::hint(given, allowed.iter().copied());
        InputError::new("scenario.unknown_field", format!("\"{given}\" is not a field here.")).hint(hint).at(path)
    } else if message.starts_with("unknown variant") {
        let hint = suggest::hint(given, allowed.iter().copied());
        InputError::new(code, format!("\"{given}\" is not one of the allowed words.")).hint(hint).at(path)
    } else if message.starts_with("missing field") {
        InputError::new(code, format!("The field \"{given}\" is missing.")).at(path)
    } else {
        InputError::new(code, sentence(message)).at(path)
    }
}

/// The parts between backquotes.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

fn sentence(message: &str) -> String {
    let line = message.trim().replace('\n', "; ");
    let mut letters = line.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if line.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, code: &str, expected: &str) {
        let error = scenario_from_text(text).expect_err(text);
        assert_eq!((error.code, error.to_string().as_str()), (code, expected));
    }

    #[test]
    fn unknown_fields_are_named_with_line_path_and_advice() {
        check(
            "name = \"x\"\n[cluster]\nbrokers = [{ id = 0, rac = \"a\" }]\n",
            "scenario.unknown_field",
            "\"rac\" is not a field here. Did you mean \"rack\"? (line 3, cluster.brokers[0].rac)",
        );
        check(
            "{ \"name\": \"x\",\n \"producer\": [{ \"name\": \"p\", \"workload\": { \"key\": [\"a\"] } }] }",
            "scenario.unknown_field",
            "\"key\" is not a field here. Did you mean \"keys\"? (line 2, producer[0].workload.key)",
        );
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        check("seed = 1", "scenario.invalid", "The field \"name\" is missing. (line 1)");
        check(
            "name = \"x\"\n[[topic]]\nname = \"t\"\npartitions = \"three\"\n",
            "scenario.invalid",
            "Invalid type: string \"three\", expected u32. (line 4, topic[0].partitions)",
        );
        check(
            "name = \"x\"\nduration = \"5\"\n",
            "scenario.invalid",
            "\"5\" is not a duration; write a whole number and us, ms, s, min or h, such as \"500 ms\". (line 2, duration)",
        );
        check("{ \"name\": \"x\" } y", "scenario.invalid", "Trailing characters. (line 1)");
        check(" \n", "scenario.invalid", "The file is empty. A scenario has at least a name.");
    }

    #[test]
    fn a_saved_scenario_reads_back_equal() {
        let mut scenario = Scenario::empty(3);
        scenario.name = "saved".to_string();
        for seed in [0, 7, u64::MAX] {
            scenario.seed = seed;
            assert_eq!(scenario_from_text(&scenario_to_toml(&scenario)), Ok(scenario.clone()), "seed {seed}");
        }
    }
}
