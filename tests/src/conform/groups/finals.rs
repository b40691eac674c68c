//! The end of a recording: who owns what, the group, and what the tool shows of it.
//!
//! Deliberately not here: the way there (`compare.rs`, `states.rs`).

use std::collections::BTreeMap;

use engine::group::GroupType;
use serde_json::{Value, json};

use super::members::Ids;
use super::play::Play;
use super::recording::Seen;
use super::{shape, text};

/// Compares `final` with the state of the run.
///
/// Of a shape only numbers are compared where it matters who owns which partition.
pub(super) fn compare(play: &mut Play<'_>, is_shape: bool) -> Result<(), String> {
    let last = play.recording.last.clone();
    if play.recording.is_library {
        return super::library::compare_final(play, &last);
    }
    if !last["assignment"].is_null() {
        let view = |assignment: &Value| if is_shape { shape::of_assignment(assignment) } else { in_order(assignment) };
        same("assignment", &view(&last["assignment"]), &view(&json!(owned(&play.seen))))?;
    }
    let snapshot = play.timeline.snapshot(0);
    let group = snapshot.groups.iter().find(|group| *group.group == *play.recording.group);
    same("group_state", &last["group_state"], &json!(group.map(|group| group.state.name())))?;
    let generation = group.map(|group| match group.group_type {
        GroupType::Classic => last_generation(&play.seen),
        _ => i64::from(group.epoch),
    });
    same("generation", &last["generation"], &json!(generation))?;
    for (args, expected) in last["describe_text"].as_object().into_iter().flatten() {
        let printed = play.invoke(args).map_err(|reason| format!("final.describe_text {args}: {reason}"))?;
        let expected = expected.as_str().unwrap_or_default();
        let compared = if is_shape {
            let view = |text: &str| shape::of_table(&text::comparable(text));
            text::difference(&view(expected), &view(&text::printed(&printed))).map_or(Ok(()), Err)
        } else {
            same_text(expected, &text::printed(&printed))
        };
        compared.map_err(|difference| format!("final.describe_text {args}: {difference}"))?;
    }
    Ok(())
}

/// Compares a recorded text with a printed one.
pub(super) fn same_text(expected: &str, printed: &str) -> Result<(), String> {
    let printed = text::comparable(&Ids::of(&[expected]).in_text(printed));
    text::difference(&text::comparable(expected), &printed).map_or(Ok(()), Err)
}

/// What each member that is still running owns, as its callbacks say.
pub(super) fn owned(seen: &[Seen]) -> BTreeMap<String, Vec<String>> {
    let mut owned: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for seen in seen {
        follow(&mut owned, seen);
    }
    owned
}

/// What an event changes of who owns what.
pub(super) fn follow(owned: &mut BTreeMap<String, Vec<String>>, seen: &Seen) {
    let listed = |field: &str| -> Vec<String> {
        let list = seen.fields.get(field).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    match seen.event.as_str() {
        "assigned" => drop(owned.insert(seen.member.clone(), listed("owns"))),
        "revoked" | "lost" => {
            let gone = listed("partitions");
            if let Some(list) = owned.get_mut(&seen.member) {
                list.retain(|partition| !gone.contains(partition));
            }
        }
        "closed" | "killed" => drop(owned.remove(&seen.member)),
        _ => {}
    }
}

/// The last generation that a member was told; -1 if none was.
fn last_generation(seen: &[Seen]) -> i64 {
    let callbacks = seen.iter().filter(|seen| matches!(seen.event.as_str(), "assigned" | "revoked" | "lost"));
    callbacks.filter_map(|seen| seen.fields.get("generation")?.as_i64()).max().unwrap_or(-1)
}

pub(super) fn in_order(assignment: &Value) -> Value {
    let mut assignment = assignment.clone();
    for list in assignment.as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
        if let Value::Array(list) = list {
            list.sort_by_key(Value::to_string);
        }
    }
    assignment
}

pub(super) fn same(field: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("final.{field} expected {expected}, got {got}")) }
}
