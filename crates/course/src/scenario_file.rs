//! Scenario files: TOML or JSON text to a scenario and back, with errors that name the line and the field.
//!
//! Deliberately not here: the reading itself, in `read.rs`, and what a scenario means. Names and bounds are checked by the engine when it starts one.

use engine::{InputError, Scenario};
use serde::de::DeserializeOwned;

use crate::read;

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

/// Reads a TOML file into a value.
pub(crate) fn toml_text<T: DeserializeOwned>(text: &str, code: &'static str) -> Result<T, InputError> {
    check_size(text, code)?;
    read::toml(text).map_err(|refused| refused.input_error(code))
}

/// Reads a JSON file into a value.
pub(crate) fn json_text<T: DeserializeOwned>(text: &str, code: &'static str) -> Result<T, InputError> {
    check_size(text, code)?;
    read::json(text).map_err(|refused| refused.input_error(code))
}

fn check_size(text: &str, code: &'static str) -> Result<(), InputError> {
    if text.len() <= FILE_BYTES_MAX {
        return Ok(());
    }
    let message = format!("The file has {} bytes; at most {FILE_BYTES_MAX} are read.", text.len());
    Err(InputError::new(code, message))
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
