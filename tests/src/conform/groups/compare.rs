//! What was seen against what was recorded: each member by itself, the first difference in time.
//!
//! Not compared, because two runs of Kafka differ in them: whether an `assigned` without a partition appears, the
//! generation inside a callback, how records are grouped into polls, and the order between members.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::members::Ids;
use super::recording::Seen;

/// How far the time of an event may be off, in milliseconds.
const TOLERANCE: u64 = 1_000;

/// Fields that hold sets of partitions.
const SETS: [&str; 3] = ["partitions", "owns", "owns_after"];

/// A difference and its time in the recording.
pub(super) type Difference = (u64, String);

/// How long events may wait for something that members do at intervals, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits<'a> {
    /// For a heartbeat.
    pub heartbeat: u64,
    /// For a look at the metadata, and the moments at which something changed that only such a look shows.
    pub metadata: u64,
    pub changes: &'a [u64],
}

impl Waits<'_> {
    fn of(&self, seen: &Seen) -> u64 {
        let is_callback =
            matches!(seen.event.as_str(), "assigned" | "revoked" | "lost" | "revoked_returned" | "join_response");
        let how = seen.fields.get("how").and_then(Value::as_str);
        // A commit of librdkafka may wait for the end of a rebalance.
        let waits = seen.event == "commit_failed" && seen.fields.contains_key("thrown");
        let is_inside = waits || matches!(how, Some("commit_in_revoked" | "commit_in_lost" | "on_commit callback"));
        if !is_callback && !is_inside && seen.event != "poll_error" {
            return 0;
        }
        let longest = self.heartbeat + self.metadata + TOLERANCE;
        let is_after_change = self.changes.iter().any(|at| *at <= seen.at_ms && seen.at_ms <= at + longest);
        self.heartbeat + if is_after_change { self.metadata } else { 0 }
    }
}

/// Compares what each member saw.
pub(super) fn members(expected: &[Seen], got: &[Seen], waits: Waits<'_>) -> Result<(), Difference> {
    let mut failures = Vec::new();
    for member in names(expected).into_iter().chain(names(got)) {
        let [wanted, found] = [expected, got].map(|seen| of_member(seen, &member));
        failures.extend(sequence(&wanted, &found, waits));
    }
    failures.extend(records(expected, got));
    failures.into_iter().min().map_or(Ok(()), Err)
}

/// Members in the order in which they were first seen.
pub(super) fn names(seen: &[Seen]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for seen in seen.iter().filter(|seen| !seen.member.is_empty()) {
        if !names.contains(&seen.member) {
            names.push(seen.member.clone());
        }
    }
    names
}

/// What is compared in its order.
fn of_member(seen: &[Seen], member: &str) -> Vec<Seen> {
    let told = |seen: &&Seen| seen.member == member && seen.event != "records" && !is_empty_assigned(seen);
    seen.iter().filter(told).cloned().collect()
}

/// Of Java's alone, which tell a generation: librdkafka calls it in every run.
fn is_empty_assigned(seen: &Seen) -> bool {
    seen.fields.contains_key("generation")
        && seen.event == "assigned"
        && seen.fields.get("partitions").and_then(Value::as_array).is_some_and(Vec::is_empty)
}

fn sequence(expected: &[Seen], got: &[Seen], waits: Waits<'_>) -> Option<Difference> {
    for (index, wanted) in expected.iter().enumerate() {
        let Some(found) = got.get(index) else {
            return Some((wanted.at_ms, format!("{} expected, got nothing", told(wanted))));
        };
        if let Some(difference) = one(wanted, found) {
            return Some((wanted.at_ms, difference));
        }
    }
    if let Some(extra) = got.get(expected.len()) {
        return Some((extra.at_ms, format!("nothing expected of {}, got {}", extra.member, told(extra))));
    }
    let is_off = |wanted: &Seen, found: &Seen| wanted.at_ms.abs_diff(found.at_ms) > TOLERANCE + waits.of(wanted);
    let late = expected.iter().zip(got).find(|(wanted, found)| is_off(wanted, found));
    late.map(|(wanted, found)| {
        (wanted.at_ms, format!("{}: at_ms expected {}, got {}", place(wanted), wanted.at_ms, found.at_ms))
    })
}

/// The difference of two events.
fn one(wanted: &Seen, found: &Seen) -> Option<String> {
    if wanted.event != found.event {
        return Some(format!("{} expected, got {}", told(wanted), told(found)));
    }
    let mut fields: Vec<&String> = wanted.fields.keys().chain(found.fields.keys()).collect();
    // Recorded of the last callback of a poll only.
    fields.retain(|field| *field != "owns_after" || wanted.fields.contains_key("owns_after"));
    fields.retain(|field| is_compared(wanted, field));
    // What a callback is about comes before what followed from it.
    fields.sort_by_key(|field| *field != "partitions");
    for field in fields {
        let [left, right] = [wanted, found].map(|seen| comparable(field, seen.fields.get(field)));
        let right = Ids::of(&[&left.to_string()]).rename(&right);
        if left != right {
            let place = place(wanted);
            return Some(format!(
                "{place}: {field} expected {}, got {} at {} ms",
                shown(&left),
                shown(&right),
                found.at_ms
            ));
        }
    }
    None
}

fn is_compared(seen: &Seen, field: &str) -> bool {
    match field {
        // Inside of callbacks it may still be the one before.
        "generation" if seen.event == "join_response" => true,
        "generation" => {
            let how = seen.fields.get("how").and_then(Value::as_str);
            matches!(how, Some("commit_sync" | "commit_async" | "commit_at"))
        }
        _ => true,
    }
}

/// Sets in order, and offsets as texts.
fn comparable(field: &str, value: Option<&Value>) -> Value {
    match value {
        Some(Value::Array(set)) if SETS.contains(&field) => {
            let mut set = set.clone();
            set.sort_by_key(Value::to_string);
            Value::Array(set)
        }
        Some(Value::Object(offsets)) if field == "offsets" => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.clone(), Value::from);
            let as_text = |value: &Value| match text(value) {
                Value::Number(number) => Value::from(number.to_string()),
                other => other,
            };
            Value::Object(offsets.iter().map(|(name, value)| (name.clone(), as_text(value))).collect())
        }
        Some(error @ Value::Object(_)) if matches!(field, "error" | "thrown") => super::library::comparable(error),
        other => other.cloned().unwrap_or(Value::Null),
    }
}

fn place(seen: &Seen) -> String {
    format!("{} {} at {} ms", seen.member, seen.event, seen.at_ms)
}

/// An event with what it is about.
fn told(seen: &Seen) -> String {
    let mut fields: Map<String, Value> = seen.fields.clone();
    fields.retain(|name, _| name != "generation" && name != "owns");
    format!("{} {}", place(seen), Value::Object(fields))
}

fn shown(value: &Value) -> String {
    if value.is_null() { "nothing".to_owned() } else { value.to_string() }
}

/// Compares the records that each member got of each partition. Most recordings did not look at them.
fn records(expected: &[Seen], got: &[Seen]) -> Option<Difference> {
    if !expected.iter().any(|seen| seen.event == "records") {
        return None;
    }
    let [wanted, found] = [expected, got].map(ranges);
    let mut failures: Vec<Difference> = Vec::new();
    for key @ (member, partition) in wanted.keys().chain(found.keys()) {
        let list = |side: &Ranges| side.get(key).cloned().unwrap_or_default();
        let [left, right] = [list(&wanted), list(&found)];
        let differing = (0..left.len().max(right.len())).find(|index| {
            let pair = left.get(*index).zip(right.get(*index));
            pair.is_none_or(|(left, right)| (left.1, left.2) != (right.1, right.2))
        });
        if let Some(index) = differing {
            let shown = |range: Option<&(u64, u64, u64)>| {
                range.map_or_else(|| "nothing".to_owned(), |(at, first, last)| format!("{first} to {last} at {at} ms"))
            };
            let (wanted, found) = (left.get(index), right.get(index));
            let at = wanted.or(found).map_or(0, |range| range.0);
            let text = format!("{member} records of {partition} expected {}, got {}", shown(wanted), shown(found));
            failures.push((at, text));
        }
    }
    failures.into_iter().min()
}

/// By member and partition: when they began to come, first offset, last offset. What goes on is one range.
type Ranges = BTreeMap<(String, String), Vec<(u64, u64, u64)>>;

fn ranges(seen: &[Seen]) -> Ranges {
    let mut ranges = Ranges::new();
    for seen in seen.iter().filter(|seen| seen.event == "records") {
        for batch in seen.fields.get("batches").and_then(Value::as_array).into_iter().flatten() {
            let (Some(partition), Some(first), Some(last)) = (batch[0].as_str(), batch[1].as_u64(), batch[2].as_u64())
            else {
                continue;
            };
            let list = ranges.entry((seen.member.clone(), partition.to_owned())).or_default();
            match list.last_mut().filter(|(_, _, before)| before + 1 == first) {
                Some(before) => before.2 = last,
                None => list.push((seen.at_ms, first, last)),
            }
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::recording::Seen;
    use super::{Waits, members};

    fn seen(events: &[Value]) -> Vec<Seen> {
        let one = |event: &Value| {
            let mut fields = event.as_object().unwrap().clone();
            let mut take = |name: &str| fields.remove(name).unwrap();
            let (at, member, event) = (take("at"), take("member"), take("event"));
            Seen {
                at_ms: at.as_u64().unwrap(),
                member: member.as_str().unwrap().into(),
                event: event.as_str().unwrap().into(),
                fields,
            }
        };
        events.iter().map(one).collect()
    }

    fn check(expected: &[Value], got: &[Value], difference: Option<&str>) {
        let found = members(&seen(expected), &seen(got), Waits { heartbeat: 1_000, ..Waits::default() });
        assert_eq!(found.err().map(|(_, text)| text).as_deref(), difference);
    }

    fn assigned(at: u64, partitions: &[&str], generation: i32) -> Value {
        json!({ "at": at, "member": "A", "event": "assigned", "partitions": partitions, "owns": partitions,
                "generation": generation })
    }

    #[test]
    fn callbacks_are_sets_without_generation() {
        check(&[assigned(0, &["t-0", "t-1"], 1)], &[assigned(1_900, &["t-1", "t-0"], 2)], None);
        check(&[assigned(0, &["t-0"], 1)], &[assigned(0, &[], 1), assigned(0, &["t-0"], 2)], None);
        let text = "A assigned at 0 ms: partitions expected [\"t-0\"], got [\"t-1\"] at 7 ms";
        check(&[assigned(0, &["t-0"], 1)], &[assigned(7, &["t-1"], 1)], Some(text));
    }

    #[test]
    fn what_is_missing_or_too_much_is_a_difference() {
        let revoked = json!({ "at": 5, "member": "A", "event": "revoked", "partitions": ["t-0"] });
        let missing = "A revoked at 5 ms {\"partitions\":[\"t-0\"]} expected, got nothing";
        check(&[assigned(0, &["t-0"], 1), revoked.clone()], &[assigned(0, &["t-0"], 1)], Some(missing));
        let extra = "nothing expected of A, got A revoked at 5 ms {\"partitions\":[\"t-0\"]}";
        check(&[assigned(0, &["t-0"], 1)], &[assigned(0, &["t-0"], 1), revoked], Some(extra));
    }

    #[test]
    fn times_may_be_off_by_a_second_and_a_heartbeat() {
        let late = "A assigned at 0 ms: at_ms expected 0, got 2001";
        check(&[assigned(0, &["t-0"], 1)], &[assigned(2_001, &["t-0"], 1)], Some(late));
        let closed = |at: u64| json!({ "at": at, "member": "A", "event": "closed" });
        check(&[closed(0)], &[closed(1_000)], None);
        check(&[closed(0)], &[closed(1_001)], Some("A closed at 0 ms: at_ms expected 0, got 1001"));
    }

    #[test]
    fn generations_of_commits_and_texts_are_compared() {
        let committed = |how: &str, generation: i32| json!({ "at": 0, "member": "A", "event": "committed", "how": how, "generation": generation });
        check(&[committed("commit_in_revoked", 1)], &[committed("commit_in_revoked", 2)], None);
        let text = "A committed at 0 ms: generation expected 1, got 2 at 0 ms";
        check(&[committed("commit_sync", 1)], &[committed("commit_sync", 2)], Some(text));
        let failed = |message: &str| json!({ "at": 0, "member": "A", "event": "poll_error", "message": message });
        let text = "A poll_error at 0 ms: message expected \"a\", got \"b\" at 0 ms";
        check(&[failed("a")], &[failed("b")], Some(text));
    }

    #[test]
    fn polls_may_be_grouped_in_any_way() {
        let records = |batches: Value| json!({ "at": 0, "member": "A", "event": "records", "batches": batches });
        let one = [records(json!([["t-0", 0, 3], ["t-1", 0, 1]]))];
        let two = [records(json!([["t-1", 0, 1]])), records(json!([["t-0", 0, 1]])), records(json!([["t-0", 2, 3]]))];
        check(&one, &two, None);
        let text = "A records of t-1 expected 0 to 1 at 0 ms, got nothing";
        check(&one, &[records(json!([["t-0", 0, 3]]))], Some(text));
        check(&[], &two, None);
    }
}
