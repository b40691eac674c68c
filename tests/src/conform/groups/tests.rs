//! The rules of comparison on whole recordings: each is like itself, and not like one in which something differs.

use std::path::Path;

use serde_json::{Value, json};

use super::compare::{self, Waits};
use super::recording::{Recording, Seen};
use super::{heartbeat, states};

/// The recordings of a family.
fn recordings(family: &str) -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance").join(family);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| -> Recording {
        let case: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        Recording::read(&case).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()))
    };
    files.retain(|path| !path.ends_with("config-errors.json"));
    files.iter().map(read).collect()
}

/// Whether two sequences are alike by the rules.
fn alike(recording: &Recording, got: &[Seen]) -> bool {
    let heartbeat = heartbeat(recording);
    compare::members(&recording.saw, got, Waits::default()).is_ok()
        && states::compare(&recording.saw, got, heartbeat).is_ok()
}

/// A change that the rules must find in an event; nothing if it has nothing to change.
fn changed(seen: &Seen) -> Option<Seen> {
    let mut seen = seen.clone();
    let field = match seen.event.as_str() {
        "assigned" | "revoked" | "lost" => "partitions",
        "committed" | "positions" | "committed_offsets" => "offsets",
        "poll_error" if seen.fields["error"].is_object() => "error",
        "commit_failed" if seen.fields.contains_key("thrown") => "thrown",
        "poll_error" | "call_failed" | "commit_failed" => "message",
        "join_response" => "generation",
        _ => return None,
    };
    let value = seen.fields.get_mut(field)?;
    match value {
        Value::Array(list) if !list.is_empty() => drop(list.pop()),
        Value::Object(error) if field == "error" => drop(error.insert("code".into(), json!(7))),
        Value::Object(raised) if field == "thrown" => drop(raised.insert("class".into(), json!("BufferError"))),
        Value::Object(offsets) => drop(offsets.insert("t-0".into(), json!(7))),
        Value::String(text) => text.push('x'),
        number @ Value::Number(_) => *number = json!(99),
        _ => return None,
    }
    Some(seen)
}

#[test]
fn every_recording_is_like_itself_and_unlike_a_changed_one() {
    for recording in ["rebalances", "group-cli", "librdkafka-groups"].into_iter().flat_map(recordings) {
        assert!(alike(&recording, &recording.saw), "{}", recording.id);
        for (place, seen) in recording.saw.iter().enumerate() {
            let Some(changed) = changed(seen) else { continue };
            let own: Vec<Seen> = recording.saw.iter().filter(|other| other.member == seen.member).cloned().collect();
            let place_of_own = recording.saw[..place].iter().filter(|other| other.member == seen.member).count();
            let mut got = own.clone();
            let is_found = |got: &[Seen]| compare::members(&own, got, Waits::default()).is_err();
            got[place_of_own] = changed;
            assert!(is_found(&got), "{}: event {place}", recording.id);
            got.remove(place_of_own);
            assert!(is_found(&got), "{}: without event {place}", recording.id);
        }
    }
}

#[test]
fn a_state_that_lasts_cannot_be_another() {
    let mut changed = 0;
    for recording in recordings("rebalances") {
        let states: Vec<usize> =
            (0..recording.saw.len()).filter(|place| recording.saw[*place].event == "state").collect();
        for pair in states.windows(2) {
            let lasts = recording.saw[pair[1]].at_ms - recording.saw[pair[0]].at_ms;
            if lasts < 7_000 {
                continue;
            }
            let mut got = recording.saw.clone();
            got[pair[0]].fields.insert("members".into(), json!(9));
            changed += 1;
            assert!(!alike(&recording, &got), "{}: state {}", recording.id, pair[0]);
        }
    }
    assert!(changed > 100, "{changed}");
}
