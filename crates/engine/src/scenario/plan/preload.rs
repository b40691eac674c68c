//! What partitions hold at time 0, checked: counts, sizes and segments that fit together.
//!
//! The log makes batches of it; see `storage`.

use crate::error::InputError;
use crate::limits::{PRELOAD_BATCHES_MAX, PRELOAD_RECORDS_MAX};
use crate::scenario::{Preload, TopicSpec};

/// Bytes of a batch that are no record, in the record format of today.
const BATCH_OVERHEAD: u64 = 61;

/// Checks the preloads of a topic that has this many partitions.
pub(super) fn check(spec: &TopicSpec, partitions: u32, path: &str) -> Result<(), InputError> {
    let mut seen = std::collections::BTreeSet::new();
    for (index, preload) in spec.preloads.iter().enumerate() {
        let path = format!("{path}.preload[{index}]");
        if preload.partition >= partitions {
            let text = format!("{} has no partition {}.", spec.name, preload.partition);
            return Err(InputError::new("scenario.preload", text).at(format!("{path}.partition")));
        }
        if !seen.insert(preload.partition) {
            let text = format!("Partition {} of {} is filled twice.", preload.partition, spec.name);
            return Err(InputError::new("scenario.preload", text).at(format!("{path}.partition")));
        }
        content(preload, &path)?;
    }
    Ok(())
}

fn content(preload: &Preload, path: &str) -> Result<(), InputError> {
    let error = |text: &str, field: &str| Err(InputError::new("scenario.preload", text).at(format!("{path}.{field}")));
    let records = preload.records.unwrap_or(preload.keys.len() as u64);
    match preload.records {
        Some(_) if !preload.keys.is_empty() || !preload.values.is_empty() => {
            return error("Records have either keys and values or no content at all.", "records");
        }
        None if preload.batch_records.is_some() || preload.batch_size.is_some() => {
            return error("Records with keys are one batch each; give batches to records without content.", "keys");
        }
        None if preload.keys.is_empty() => return error("There is nothing to fill the partition with.", "records"),
        _ => {}
    }
    if records > PRELOAD_RECORDS_MAX {
        return error(&format!("{records} records are more than {PRELOAD_RECORDS_MAX}, the most."), "records");
    }
    let in_batch = u64::from(preload.batch_records.unwrap_or(1));
    if in_batch == 0 {
        return error("A batch has at least one record.", "batch_records");
    }
    if records.div_ceil(in_batch) > PRELOAD_BATCHES_MAX {
        let text =
            format!("More than {PRELOAD_BATCHES_MAX} batches take too long to lay out; put more records into each.");
        return error(&text, "batch_records");
    }
    if let Some(size) = preload.batch_size
        && (size.0 <= BATCH_OVERHEAD || size.0 > i32::MAX as u64)
    {
        return error("A batch has 62 bytes to 2 GiB.", "batch_size");
    }
    if preload.tombstones.iter().any(|place| *place >= preload.keys.len() as u64) {
        return error("A tombstone is the place of a key, from 0.", "tombstones");
    }
    if preload.segments.windows(2).any(|pair| pair[0] >= pair[1]) || preload.segments.iter().any(|at| *at > records) {
        return error("Segments are first offsets in rising order, up to the number of records.", "segments");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(preload: &str, expected: Result<(), &str>) {
        let text = format!("name = \"t\"\npartitions = 2\n[[preload]]\n{preload}");
        let spec: TopicSpec = toml::from_str(&text).unwrap();
        let found = super::check(&spec, 2, "topic[0]").map_err(|error| error.path);
        assert_eq!(found, expected.map_err(|field| format!("topic[0].preload[0].{field}")), "{preload}");
    }

    #[test]
    fn a_preload_that_does_not_fit_is_refused_where_it_stands() {
        check("partition = 1\nkeys = [\"a\"]", Ok(()));
        check("partition = 0\nrecords = 1000000\nbatch_records = 1000\nbatch_size = \"1 MB\"", Ok(()));
        check("partition = 1\nkeys = [\"a\", \"b\"]\nvalues = [\"x\"]\ntombstones = [1]", Ok(()));
        check("partition = 1\nkeys = [\"a\"]\ntombstones = [1]", Err("tombstones"));
        check("partition = 2\nkeys = [\"a\"]", Err("partition"));
        check("partition = 0", Err("records"));
        check("partition = 0\nrecords = 1\nkeys = [\"a\"]", Err("records"));
        check("partition = 0\nkeys = [\"a\"]\nbatch_records = 2", Err("keys"));
        check("partition = 0\nrecords = 2\nbatch_records = 0", Err("batch_records"));
        check("partition = 0\nrecords = 2\nbatch_size = \"10 B\"", Err("batch_size"));
        check("partition = 0\nrecords = 9\nsegments = [5, 5]", Err("segments"));
    }
}
