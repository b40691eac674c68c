//! Scenario files: TOML or JSON text to a scenario and back.
//!
//! Deliberately not here: what a scenario means; the engine validates that.

use engine::{InputError, Scenario};
use serde::de::DeserializeOwned;

/// Reads a scenario from TOML or JSON, told apart by the first character.
pub fn scenario_from_text(text: &str) -> Result<Scenario, InputError> {
    toml_text(text, "scenario.invalid")
}

/// The scenario as TOML; reading it back gives an equal scenario.
pub fn scenario_to_toml(scenario: &Scenario) -> String {
    toml::to_string(scenario).expect("a scenario has text keys only")
}

/// Reads TOML into a value.
pub(crate) fn toml_text<T: DeserializeOwned>(
    text: &str,
    code: &'static str,
) -> Result<T, InputError> {
    toml::from_str(text).map_err(|error| InputError::new(code, error.message()))
}
