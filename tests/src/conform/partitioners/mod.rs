//! Recorded partitions and hashes of client libraries: tables of keys, sequences of keyless choices, test vectors.
//!
//! Deliberately not here: a partitioner. What is compared with the recordings is the crate `partitioner`.

mod keyless;
mod names;
mod table;
mod vectors;

use serde_json::Value;

/// A case's id and its first difference.
type Result = std::result::Result<(), String>;

/// Runs a document with `results`, `java_keyless_sequences` or `vectors`; `None` if it has none of them.
pub(super) fn run(document: &Value) -> Option<Vec<(String, Result)>> {
    let table = document.get("results").map(|results| table::run(document, results));
    let sequences = document.get("java_keyless_sequences").map(keyless::run);
    let vectors = document.get("vectors").map(vectors::run);
    let parts: Vec<_> = [table, sequences, vectors].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.into_iter().flatten().collect())
}

/// `value` as an unsigned number, or a sentence that names `place`.
fn number(value: &Value, place: &str) -> std::result::Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("{place} must be a number from 0 to 4294967295, found {value}"))
}

fn numbers(value: &Value, place: &str) -> std::result::Result<Vec<u32>, String> {
    list(value, place)?.iter().map(|value| number(value, place)).collect()
}

fn list<'a>(value: &'a Value, place: &str) -> std::result::Result<&'a [Value], String> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("{place} must be a list"))
}

/// Key bytes from hex digits, or a sentence that names `place`.
fn bytes(value: &Value, place: &str) -> std::result::Result<Vec<u8>, String> {
    let text = value.as_str().ok_or_else(|| format!("{place} must be hex digits, found {value}"))?;
    partitioner::encoding::Encoding::Hex.encode(text).map_err(|error| format!("{place}: {error}"))
}
