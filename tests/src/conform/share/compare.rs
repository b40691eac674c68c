//! What is compared: records, results, the group, and texts without ids of members.
//!
//! Deliberately not here: times, and how one delivery is split over several polls.

use std::collections::{BTreeMap, VecDeque};

use engine::share::DeliveredRecord;
use engine::{Outcome, Snapshot};
use serde_json::{Map, Value, json};

use super::steps::shown;
use crate::conform::groups::errors;
use crate::conform::strict::{list, number, text};

/// Letters of a share member's id.
const ID_LENGTH: usize = 22;

/// What stands for the id of a member in a text.
const ID: &str = "<member-id-of-22-chars>";

/// A record as it is recorded: partition, offset, delivery count.
pub(super) type Recorded = (String, u64, u64);

/// The records that a poll returned.
pub(super) fn recorded(arguments: &Value) -> Result<Vec<Recorded>, String> {
    let record = |record: &Value| {
        let number = |place: usize| record[place].as_u64();
        let partition = record[0].as_str().map(str::to_owned);
        partition.zip(number(1)).zip(number(2)).map(|((partition, offset), count)| (partition, offset, count))
    };
    let records = list(arguments, "records")?.iter().map(record).collect::<Option<Vec<_>>>();
    records.ok_or_else(|| "records must be lists of partition, offset and delivery count".to_owned())
}

fn found(record: &DeliveredRecord) -> Recorded {
    (record.partition.to_string(), record.offset, u64::from(record.delivery_count))
}

/// Records by partition, in their order: which partition comes first depends on how often a member has fetched.
fn by_partition(records: &[Recorded]) -> BTreeMap<&str, Vec<(u64, u64)>> {
    let mut by_partition: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
    for (partition, offset, count) in records {
        by_partition.entry(partition).or_default().push((*offset, *count));
    }
    by_partition
}

/// Whether so many records of each partition were delivered.
pub(super) fn holds(delivered: &VecDeque<DeliveredRecord>, wanted: &[Recorded]) -> bool {
    let delivered: Vec<Recorded> = delivered.iter().map(found).collect();
    let delivered = by_partition(&delivered);
    let is_there = |(partition, records): (&str, Vec<(u64, u64)>)| {
        delivered.get(partition).is_some_and(|delivered| delivered.len() >= records.len())
    };
    by_partition(wanted).into_iter().all(is_there)
}

/// Takes what was recorded out of what was delivered; what was delivered more waits for the next poll.
pub(super) fn take(delivered: &mut VecDeque<DeliveredRecord>, wanted: &[Recorded]) -> Result<(), String> {
    let all: Vec<Recorded> = delivered.iter().map(found).collect();
    let by = by_partition(&all);
    for (partition, records) in by_partition(wanted) {
        let got = by.get(partition).map_or(&[][..], Vec::as_slice);
        let got = &got[..got.len().min(records.len())];
        if got != records {
            return Err(format!("records of {partition} expected {records:?}, got {got:?}"));
        }
    }
    if wanted.is_empty() && !all.is_empty() {
        return Err(format!("expected no records, got {all:?}"));
    }
    delivered.retain(|record| !wanted.contains(&found(record)));
    Ok(())
}

/// A call that failed as recorded.
pub(super) fn failure(arguments: &Value, outcome: &Outcome) -> Result<(), String> {
    let thrown = outcome.error.as_ref().map(errors::thrown).unwrap_or_default();
    let field = |name: &str| thrown.get(name).cloned().unwrap_or(Value::Null);
    same("error", &arguments["error"], &field("error"))?;
    same("message", &arguments["message"], &field("message"))
}

/// A call that returned or threw as recorded.
pub(super) fn call(arguments: &Value, outcome: &Outcome, result: Value) -> Result<(), String> {
    if !arguments["error"].is_null() {
        return failure(arguments, outcome);
    }
    let result = outcome.error.as_ref().map_or(result, |error| Value::from(shown(error)));
    same("result", &arguments["result"], &result)
}

/// The group as an Admin client describes it.
pub(super) fn group(arguments: &Value, snapshot: &Snapshot, name: &str) -> Result<(), String> {
    let group = snapshot.groups.iter().find(|group| *group.group == *name).ok_or("the group does not exist")?;
    same("state", &json!(text(arguments, "state")?), &json!(group.state.name()))?;
    same("group_epoch", &json!(number(arguments, "group_epoch")?), &json!(group.epoch))?;
    same("target_epoch", &json!(number(arguments, "target_epoch")?), &json!(group.assignment_epoch))?;
    let members = group.members.iter().map(|member| {
        let assigned: Vec<String> = member.assigned.iter().map(ToString::to_string).collect();
        (member.client.to_string(), json!(assigned))
    });
    same("members", &in_order(&arguments["members"]), &in_order(&members.collect::<Map<_, _>>().into()))?;
    let offsets = snapshot.share_partitions.iter().filter(|known| *known.group == *name).map(|known| {
        let shown = known.persisted.map_or_else(
            || "null".to_owned(),
            |state| {
                let lag = state.lag.map_or_else(|| "null".to_owned(), |lag| lag.to_string());
                let (start, epoch) = (state.start_offset, state.leader_epoch);
                format!("SharePartitionOffsetInfo{{startOffset={start}, leaderEpoch={epoch}, lag={lag}}}")
            },
        );
        (known.partition.to_string(), Value::from(shown))
    });
    same("start_offsets", &arguments["start_offsets"], &offsets.collect::<Map<_, _>>().into())
}

/// Ids of the members of a group.
pub(super) fn member_ids(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let members = snapshot.groups.iter().filter(|group| *group.group == *name).flat_map(|group| &group.members);
    members.map(|member| member.member.to_string()).collect()
}

/// A text of a run without ids of members.
pub(super) fn without_ids(text: &str, ids: &[String]) -> String {
    ids.iter().fold(text.to_owned(), |text, id| text.replace(id, &ID[..ID_LENGTH]))
}

/// A recorded text, whose stand-ins become ours where our text has an id.
pub(super) fn with_ids_named(recorded: &str, shown: &str) -> String {
    let id = &ID[..ID_LENGTH];
    let named = |line: &str| {
        let stand_in = line.split([' ', '\t', ':', '\'', '"', ',']).find(|word| word.chars().count() == ID_LENGTH);
        stand_in.map_or_else(|| line.to_owned(), |stand_in| line.replace(stand_in, id))
    };
    if !shown.contains(id) {
        return recorded.to_owned();
    }
    recorded.split('\n').map(named).collect::<Vec<_>>().join("\n")
}

fn in_order(members: &Value) -> Value {
    let mut members = members.clone();
    for list in members.as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
        if let Value::Array(list) = list {
            list.sort_by_key(Value::to_string);
        }
    }
    members
}

fn same(field: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{field} expected {expected}, got {got}")) }
}
