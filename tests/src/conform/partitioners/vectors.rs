//! Test vectors of the libraries' own projects and of public reports: one key, one expected hash or partition.
//!
//! Deliberately not here: sequences. A vector starts from a fresh client.

use partitioner::{Client, HashValue, KeyRule, KeylessRule, KeylessSettings, Over, SignRule, Start, View};
use serde_json::Value;

use super::{Result, bytes, list, names, number};

const FIELDS: [&str; 11] = [
    "client",
    "partitioner",
    "source",
    "key_hex",
    "key_text",
    "partitions",
    "expected_hash",
    "expected_partition",
    "hash_u32",
    "parallel_instance_id",
    "note",
];

pub(super) fn run(vectors: &Value) -> Vec<(String, Result)> {
    match list(vectors, "vectors") {
        Ok(vectors) => vectors.iter().enumerate().map(|(index, vector)| (id(index, vector), compare(vector))).collect(),
        Err(error) => vec![("vectors".into(), Err(error))],
    }
}

fn id(index: usize, vector: &Value) -> String {
    let text = |field: &str| vector[field].as_str().unwrap_or("?").to_owned();
    format!("vectors[{index}] {} {}", text("client"), text("partitioner"))
}

fn compare(vector: &Value) -> Result {
    let fields = vector.as_object().ok_or("a vector must be an object")?;
    if let Some(unknown) = fields.keys().find(|field| !FIELDS.contains(&field.as_str())) {
        return Err(format!("unknown field {unknown:?}"));
    }
    let text = |field: &str| vector[field].as_str().ok_or_else(|| format!("{field} must be a text"));
    let (client, partitioner) = (text("client")?, text("partitioner")?);
    let rule = names::client(client, partitioner, "")?;
    let key = match &vector["key_hex"] {
        Value::Null => None,
        hex => Some(bytes(hex, "key_hex")?),
    };
    if !vector["expected_hash"].is_null() {
        return compare_hash(&rule, partitioner, key.as_deref(), &vector["expected_hash"]);
    }
    let partitions = number(&vector["partitions"], "partitions")?;
    let got = partition(&rule, key.as_deref(), partitions, vector)?;
    match (&vector["expected_partition"], got) {
        (Value::Null, None) => Ok(()),
        (expected, Some(got)) if expected.as_u64() == Some(u64::from(got)) => Ok(()),
        (Value::Null, Some(got)) => Err(format!("expected_partition: expected a random one, got {got}")),
        (expected, None) => Err(format!("expected_partition: expected {expected}, got a random one")),
        (expected, Some(got)) => Err(format!("expected_partition: expected {expected}, got {got}")),
    }
}

/// The partition, also where the key does not decide but the choice is not random either.
fn partition(
    rule: &Client,
    key: Option<&[u8]>,
    partitions: u32,
    vector: &Value,
) -> std::result::Result<Option<u32>, String> {
    if let (Some(hash), KeyRule::Hash { sign, .. }) =
        (vector.get("hash_u32").filter(|hash| !hash.is_null()), rule.key_rule)
    {
        return Ok(sign.partition(number(hash, "hash_u32")?, partitions));
    }
    if let Some(partition) = rule.partition(key, partitions) {
        return Ok(Some(partition));
    }
    let given = match vector.get("parallel_instance_id") {
        Some(instance) => number(instance, "parallel_instance_id")?,
        None => 0,
    };
    let certain = match rule.keyless {
        KeylessRule::First => true,
        KeylessRule::RoundRobin { start: Start::Zero, over: Over::All, doubled: false } => key.is_some(),
        KeylessRule::Given => vector.get("parallel_instance_id").is_some(),
        _ => false,
    };
    let available: Vec<u32> = (0..partitions).collect();
    let view = View { now_us: 0, partitions, available: &available, queue_sizes: None };
    let mut keyless = rule.keyless(&KeylessSettings { given, ..KeylessSettings::default() });
    Ok(certain.then(|| keyless.choose(&view, &mut || 0)))
}

/// Compares the raw hash "in the form that the partitioner's name says".
fn compare_hash(rule: &Client, partitioner: &str, key: Option<&[u8]>, expected: &Value) -> Result {
    let KeyRule::Hash { function, .. } = rule.key_rule else {
        return Err("expected_hash: this client does not hash keys".into());
    };
    let value = function.hash(key.unwrap_or_default());
    let got = match value {
        HashValue::Word(bits) if partitioner.contains("absolute") => SignRule::AbsFirst.dividend(bits),
        HashValue::Word(bits) if partitioner.contains("0x7fffffff") => SignRule::Mask.dividend(bits),
        HashValue::Word(bits) => names::nearest_reading(bits, expected),
        HashValue::Digest(_) if expected.as_str().is_some_and(|text| value.hex()[2..] == *text) => {
            return Ok(());
        }
        HashValue::Digest(_) => {
            return Err(format!("expected_hash: expected {expected}, got {}", value.hex()));
        }
    };
    if expected.as_i64() == Some(got) {
        return Ok(());
    }
    Err(format!("expected_hash: expected {expected}, got {got}"))
}
