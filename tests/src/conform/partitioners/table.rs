//! A table: partition and hash of each key under many partitioners and partition counts.
//!
//! Deliberately not here: which rule a name in the table stands for; see `names`.

use partitioner::{Client, HashInput, HashValue, KeyRule, KeylessRule, hash::java};
use serde_json::{Map, Value};

use super::{Result, bytes, list, names, number, numbers};

/// Fields of an entry that describe it and are not compared.
const DESCRIPTIONS: [&str; 3] = ["library", "source", "note"];

struct Table {
    counts: Vec<u32>,
    keys: Vec<Vec<u8>>,
}

pub(super) fn run(document: &Value, results: &Value) -> Vec<(String, Result)> {
    let Some(results) = results.as_object() else {
        return vec![("results".into(), Err("results must be an object".into()))];
    };
    let table = read_table(document);
    let one = |(name, entry): (&String, &Value)| {
        let result = table.as_ref().map_err(String::clone).and_then(|table| compare(table, name, entry));
        (name.clone(), result)
    };
    results.iter().map(one).collect()
}

fn read_table(document: &Value) -> std::result::Result<Table, String> {
    let counts = numbers(&document["partition_counts"], "partition_counts")?;
    let mut keys = Vec::new();
    for (index, key) in list(&document["keys"], "keys")?.iter().enumerate() {
        let bytes = bytes(&key["hex"], &format!("keys[{index}].hex"))?;
        if let Some(length) = key.get("len") {
            let length = number(length, &format!("keys[{index}].len"))?;
            if length as usize != bytes.len() {
                return Err(format!("keys[{index}] has {} bytes, but its len is {length}", bytes.len()));
            }
        }
        keys.push(bytes);
    }
    Ok(Table { counts, keys })
}

fn compare(table: &Table, name: &str, entry: &Value) -> Result {
    let entry = entry.as_object().ok_or("the entry must be an object")?;
    let library = entry.get("library").and_then(Value::as_str).unwrap_or_default();
    let (client, partitioner) = name.split_once('/').unwrap_or((name, ""));
    let client = names::client(client, partitioner, library)?;
    if !entry.contains_key("partitions") {
        return Err("the entry has no partitions".into());
    }
    for (field, expected) in entry {
        compare_field(table, &client, field, expected, entry)?;
    }
    Ok(())
}

fn compare_field(table: &Table, client: &Client, field: &str, expected: &Value, entry: &Map<String, Value>) -> Result {
    match field {
        "partitions" => compare_partitions(table, client, expected),
        "null_key_raw_function" => compare_null_key(table, client, expected),
        "java_util_Arrays_hashCode" => {
            compare_per_key(table, field, expected, |key| Some(java::bytes_hash_code(key).into()))
        }
        _ if DESCRIPTIONS.contains(&field) => Ok(()),
        _ => match field.strip_prefix("hash_").and_then(Width::parse) {
            Some(width) => compare_hashes(table, client, field, width, expected),
            None => Err(format!("unknown field {field:?}, found {}", entry[field])),
        },
    }
}

fn compare_partitions(table: &Table, client: &Client, expected: &Value) -> Result {
    let rows = rows(table, "partitions", expected)?;
    for (key, row) in table.keys.iter().zip(rows) {
        let cells = if row.is_null() { None } else { Some(list(row, "a row of partitions")?) };
        if cells.is_some_and(|cells| cells.len() != table.counts.len()) {
            return Err(format!("{}: the row must have one partition per partition count", shown(key)));
        }
        for (column, count) in table.counts.iter().enumerate() {
            let expected = cells.map_or(&Value::Null, |cells| &cells[column]);
            let got = expected_form(client, key, *count, expected);
            check(expected, got.map(i64::from), || format!("partition of {} with {count} partitions", shown(key)))?;
        }
    }
    Ok(())
}

/// A client that always takes the first partition may be recorded as 0 or as "not hashed".
fn expected_form(client: &Client, key: &[u8], count: u32, expected: &Value) -> Option<u32> {
    match client.partition(Some(key), count) {
        None if client.keyless == KeylessRule::First && !expected.is_null() => Some(0),
        partition => partition,
    }
}

fn compare_null_key(table: &Table, client: &Client, expected: &Value) -> Result {
    let cells = if expected.is_null() { None } else { Some(list(expected, "null_key_raw_function")?) };
    for (column, count) in table.counts.iter().enumerate() {
        let expected = cells.map_or(&Value::Null, |cells| cells.get(column).unwrap_or(&Value::Null));
        let got = client.partition(None, *count).map(i64::from);
        check(expected, got, || format!("partition of a missing key with {count} partitions"))?;
    }
    Ok(())
}

/// How many bits of a hash are recorded, and how they are read.
#[derive(Clone, Copy)]
enum Width {
    Signed(u32),
    Unsigned(u32),
    /// As the library holds it: the same 32 bits, read as signed or unsigned.
    Raw,
}

impl Width {
    fn parse(text: &str) -> Option<Self> {
        let bits = |digits: &str| digits.parse().ok().filter(|bits| (1..=32).contains(bits));
        match text {
            "raw" => Some(Self::Raw),
            _ if text.starts_with('i') => bits(&text[1..]).map(Self::Signed),
            _ if text.starts_with('u') => bits(&text[1..]).map(Self::Unsigned),
            _ => None,
        }
    }

    fn read(self, bits: u32, expected: &Value) -> i64 {
        match self {
            Self::Signed(width) => i64::from(((bits << (32 - width)) as i32) >> (32 - width)),
            Self::Unsigned(width) => i64::from(bits & (u32::MAX >> (32 - width))),
            Self::Raw => names::nearest_reading(bits, expected),
        }
    }
}

fn compare_hashes(table: &Table, client: &Client, field: &str, width: Width, expected: &Value) -> Result {
    let KeyRule::Hash { function, input, .. } = client.key_rule else {
        return Err(format!("{field}: this client does not hash keys"));
    };
    for (key, expected) in table.keys.iter().zip(rows(table, field, expected)?) {
        let hashed = input != HashInput::AsciiOnly || key.is_ascii();
        let got = match function.hash(key) {
            HashValue::Word(bits) => hashed.then(|| width.read(bits, expected)),
            HashValue::Digest(_) => {
                return Err(format!("{field}: a digest does not fit into this field"));
            }
        };
        check(expected, got, || format!("{field} of {}", shown(key)))?;
    }
    Ok(())
}

fn compare_per_key(table: &Table, field: &str, expected: &Value, got: impl Fn(&[u8]) -> Option<i64>) -> Result {
    for (key, expected) in table.keys.iter().zip(rows(table, field, expected)?) {
        check(expected, got(key), || format!("{field} of {}", shown(key)))?;
    }
    Ok(())
}

fn rows<'a>(table: &Table, field: &str, value: &'a Value) -> std::result::Result<&'a [Value], String> {
    let rows = list(value, field)?;
    if rows.len() == table.keys.len() {
        return Ok(rows);
    }
    Err(format!("{field} has {} rows for {} keys", rows.len(), table.keys.len()))
}

fn check(expected: &Value, got: Option<i64>, place: impl FnOnce() -> String) -> Result {
    let equal = match got {
        Some(number) => expected.as_i64() == Some(number),
        None => expected.is_null(),
    };
    if equal {
        return Ok(());
    }
    let got = got.map_or("null".into(), |number| number.to_string());
    Err(format!("{}: expected {expected}, got {got}", place()))
}

fn shown(key: &[u8]) -> String {
    const SHOWN_MAX: usize = 24;
    let hex: String = key.iter().take(SHOWN_MAX).map(|byte| format!("{byte:02x}")).collect();
    let rest = if key.len() > SHOWN_MAX { format!("... ({} bytes)", key.len()) } else { String::new() };
    format!("key 0x{hex}{rest}")
}
