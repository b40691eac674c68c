//! Recorded partitions of `__consumer_offsets`: one line is one group id.
//!
//! Deliberately not here: the function itself. What is compared is the engine's own.

use std::collections::BTreeMap;

use engine::internal_partition::{hash_of, partition_for};
use serde::Deserialize;
use serde_json::Value;

use super::relaxed::Mode;

/// Partitions of the topic on which a running broker was observed.
const OBSERVED_OF: u32 = 50;

/// A line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "id")]
    _id: String,
    group_id: String,
    hash: i32,
    /// Partition of the group by number of partitions.
    partition: BTreeMap<String, u32>,
    /// Where a running broker wrote an offset of this group.
    observed_partition: Option<u32>,
}

/// Runs one line; the error is the first difference.
pub(super) fn run(line: &Value, _: Option<&Mode>) -> Result<(), String> {
    let line = Line::deserialize(line).map_err(|error| error.to_string())?;
    same("hash", line.hash, hash_of(&line.group_id))?;
    for (count, partition) in &line.partition {
        let partitions = count.parse().map_err(|_| format!("{count:?} is no number of partitions"))?;
        same(&format!("partition.{count}"), *partition, partition_for(&line.group_id, partitions))?;
    }
    line.observed_partition
        .map_or(Ok(()), |observed| same("observed_partition", observed, partition_for(&line.group_id, OBSERVED_OF)))
}

fn same<T: PartialEq + std::fmt::Display>(field: &str, expected: T, got: T) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{field} expected {expected}, got {got}")) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn check(line: Value, expected: Result<(), &str>) {
        assert_eq!(super::run(&line, None), expected.map_err(str::to_owned), "{line}");
    }

    #[test]
    fn the_first_difference_is_told() {
        let line = |hash: i32, partition: u32, observed: u32| {
            json!({ "id": "coordinator-1", "group_id": "g", "hash": hash, "partition": { "50": partition },
                    "observed_partition": observed })
        };
        check(line(103, 3, 3), Ok(()));
        check(line(104, 3, 3), Err("hash expected 104, got 103"));
        check(line(103, 4, 3), Err("partition.50 expected 4, got 3"));
        check(line(103, 3, 4), Err("observed_partition expected 4, got 3"));
    }

    #[test]
    fn an_unknown_field_is_a_failure() {
        let error = super::run(&json!({ "id": "coordinator-1", "group": "g" }), None).unwrap_err();
        assert!(error.contains("unknown field `group`"), "{error}");
    }
}
