//! Strict reading of recordings that are lists of steps: an unknown verb or field is a failure with its place.
//!
//! Deliberately not here: which verbs and fields a family has.

use std::collections::BTreeMap;

use serde_json::Value;

/// Verbs, and the fields that each may have besides `do` and `at_ms`.
pub(super) type Verbs<'a> = &'a [(&'a str, &'a [&'a str])];

/// Something that was done.
#[derive(Debug)]
pub(super) struct Step {
    pub at_ms: u64,
    pub verb: String,
    pub arguments: Value,
}

/// The steps of a recording.
pub(super) fn steps(case: &Value, verbs: Verbs<'_>) -> Result<Vec<Step>, String> {
    list(case, "steps")?.iter().enumerate().map(|(number, step)| read_step(number, step, verbs)).collect()
}

fn read_step(number: usize, step: &Value, verbs: Verbs<'_>) -> Result<Step, String> {
    let verb = step["do"].as_str().unwrap_or_default();
    let place = format!("step {number} {verb}: ");
    let known = verbs.iter().find(|(known, _)| *known == verb).ok_or_else(|| format!("{place}unknown verb"))?;
    let mut allowed = known.1.to_vec();
    allowed.extend(["do", "at_ms"]);
    only(step, &allowed, &place)?;
    let at_ms = step["at_ms"].as_u64().ok_or_else(|| format!("{place}at_ms must be a number"))?;
    Ok(Step { at_ms, verb: verb.to_owned(), arguments: step.clone() })
}

/// Refuses a field that nobody knows.
pub(super) fn only(value: &Value, allowed: &[&str], place: &str) -> Result<(), String> {
    let unknown = value.as_object().into_iter().flatten().find(|(name, _)| !allowed.contains(&name.as_str()));
    unknown.map_or(Ok(()), |(name, _)| Err(format!("{place}unknown field {name:?}")))
}

/// A field that is a list.
pub(super) fn list<'a>(case: &'a Value, field: &str) -> Result<&'a Vec<Value>, String> {
    case[field].as_array().ok_or_else(|| format!("{field} must be a list"))
}

/// A field that is a text.
pub(super) fn text<'a>(case: &'a Value, field: &str) -> Result<&'a str, String> {
    case[field].as_str().ok_or_else(|| format!("{field} must be a text"))
}

/// A field that is a number.
pub(super) fn number(case: &Value, field: &str) -> Result<u64, String> {
    case[field].as_u64().ok_or_else(|| format!("{field} must be a number"))
}

/// Settings as text; one that is null is left out.
pub(super) fn settings(map: &Value) -> BTreeMap<String, String> {
    let given = map.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))).collect()
}
