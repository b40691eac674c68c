//! Recordings in which random ids decide who gets which partition: how many members own how many partitions after each
//! step and at the end, that each partition has one owner, and everything that does not depend on who owns which.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::compare::Difference;
use super::finals::follow;
use super::recording::{Recording, Seen};

/// Events that depend on who owns which partition.
const OF_OWNERS: [&str; 8] =
    ["assigned", "revoked", "lost", "revoked_returned", "committed", "records", "positions", "committed_offsets"];

/// How long before the next step the group is looked at, in milliseconds.
const BEFORE: u64 = 10;

/// What does not depend on owners: errors, and members that come and go.
pub(super) fn without_owners(seen: &[Seen]) -> Vec<Seen> {
    seen.iter().filter(|seen| !OF_OWNERS.contains(&seen.event.as_str())).cloned().collect()
}

/// States of the group without the epochs of single members.
pub(super) fn without_epochs(seen: &[Seen]) -> Vec<Seen> {
    let mut seen = seen.to_vec();
    seen.iter_mut().for_each(|seen| drop(seen.fields.remove("member_epochs")));
    seen
}

/// Compares how many partitions members own before each next step at which the recorded group was stable.
pub(super) fn steps(recording: &Recording, got: &[Seen], lag: u64) -> Result<(), Difference> {
    for (number, step) in recording.steps.iter().enumerate().skip(1) {
        let at = step.at_ms.saturating_sub(BEFORE);
        let [wanted, found] = [&recording.saw[..], got].map(|seen| Look::at(seen, at));
        let is_settled = wanted.is_stable && wanted.since_ms + lag <= at;
        if !wanted.is_stable || !(is_settled || found.is_stable) {
            continue;
        }
        let before = &recording.steps[number - 1];
        let place = format!("after step {} {}", number - 1, before.verb);
        if let Some(partition) = &found.twice {
            return Err((at, format!("{place}: {partition} has two owners")));
        }
        if wanted.counts != found.counts {
            let text = format!("{place}: partitions of members expected {:?}, got {:?}", wanted.counts, found.counts);
            return Err((at, text));
        }
    }
    Ok(())
}

/// Who owned how much at one moment.
struct Look {
    is_stable: bool,
    /// Since when.
    since_ms: u64,
    /// How many partitions members own that own any, in order.
    counts: Vec<usize>,
    /// A partition with more than one owner.
    twice: Option<String>,
}

impl Look {
    fn at(seen: &[Seen], at_ms: u64) -> Look {
        let mut owned = BTreeMap::new();
        let past = || seen.iter().filter(|seen| seen.at_ms <= at_ms);
        past().for_each(|seen| follow(&mut owned, seen));
        let state = past().rfind(|seen| seen.event == "state");
        let mut all: Vec<&String> = owned.values().flatten().collect();
        all.sort();
        Look {
            is_stable: state.is_some_and(|state| state.fields.get("state") == Some(&json!("Stable"))),
            since_ms: state.map_or(0, |state| state.at_ms),
            counts: counts(&owned),
            twice: all.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()),
        }
    }
}

fn counts(owned: &BTreeMap<String, Vec<String>>) -> Vec<usize> {
    let mut counts: Vec<usize> = owned.values().map(Vec::len).filter(|count| *count > 0).collect();
    counts.sort_unstable();
    counts
}

/// An assignment as the numbers of partitions.
pub(super) fn of_assignment(assignment: &Value) -> Value {
    let lists = assignment.as_object().into_iter().flatten();
    let mut counts: Vec<usize> =
        lists.filter_map(|(_, list)| Some(list.as_array()?.len())).filter(|count| *count > 0).collect();
    counts.sort_unstable();
    json!(counts)
}

/// A table of the group tool without what depends on owners: of a row of partitions its first six cells, of a row of
/// members the number of partitions and the epoch.
pub(super) fn of_table(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut kept: Option<(usize, usize)> = None;
    for line in text.split('\n') {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.contains(&"CONSUMER-ID") {
            let partitions = cells.iter().position(|cell| *cell == "#PARTITIONS");
            kept = Some(partitions.map_or((0, 6), |at| (at, 2)));
        }
        match kept {
            Some((from, count)) => {
                lines.push(cells.into_iter().skip(from).take(count).collect::<Vec<_>>().join(" "));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.sort();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::recording::Recording;
    use super::{of_assignment, of_table, steps};

    fn recording(owners: [&[&str]; 2]) -> Recording {
        let assigned = |member: &str, list: &[&str]| json!({ "at_ms": 10, "member": member, "event": "assigned", "partitions": list, "owns": list });
        let stable = json!({ "at_ms": 20, "event": "state", "state": "Stable", "type": "Classic", "members": 2 });
        let step = |at: u64| json!({ "at_ms": at, "do": "leave", "member": "A" });
        let saw = [assigned("A", owners[0]), assigned("B", owners[1]), stable];
        let case = json!({ "group": "g", "configs": {}, "topics": {}, "steps": [step(0), step(9_000)],
                           "saw": saw, "final": {} });
        Recording::read(&case).unwrap()
    }

    fn check(expected: [&[&str]; 2], got: [&[&str]; 2], difference: Option<&str>) {
        let found = steps(&recording(expected), &recording(got).saw, 2_000);
        assert_eq!(found.err().map(|(_, text)| text).as_deref(), difference);
    }

    #[test]
    fn numbers_count_and_not_names() {
        check([&["t-0", "t-1"], &["t-2"]], [&["t-2"], &["t-1", "t-0"]], None);
        let text = "after step 0 leave: partitions of members expected [1, 2], got [3]";
        check([&["t-0", "t-1"], &["t-2"]], [&["t-0", "t-1", "t-2"], &[]], Some(text));
        let text = "after step 0 leave: t-1 has two owners";
        check([&["t-0", "t-1"], &["t-2"]], [&["t-0", "t-1"], &["t-1"]], Some(text));
    }

    #[test]
    fn tables_and_assignments_show_numbers() {
        let assignment: Value = json!({ "A": ["t-0", "t-1"], "B": [], "C": ["t-2"] });
        assert_eq!(of_assignment(&assignment), json!([1, 2]));
        let members = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH\ng b h B 2 3\ng a h A 1 3";
        assert_eq!(of_table(members), "#PARTITIONS CURRENT-EPOCH\n1 3\n2 3");
        let offsets =
            "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID\ng t 1 2 3 1 b\ng t 0 2 3 1 a";
        assert_eq!(
            of_table(offsets),
            "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\ng t 0 2 3 1\ng t 1 2 3 1"
        );
    }
}
