//! States of the group: what a look at it shows, and two sequences of looks against each other.
//!
//! A state that lasted only shortly may be missing on either side: the recorder looked ten times a second, and how
//! long members take to learn something depends on when their heartbeats fall.

use engine::group::GroupType;
use engine::snapshot::{GroupSnapshot, Snapshot};
use serde_json::{Map, Value, json};

use super::recording::Seen;

/// A state that lasts that long is always seen, in milliseconds.
const SHORT: u64 = 1_000;

/// A state that lasts so long may be seen by neither of two lookers.
const AT_ONCE: u64 = 300;

/// The group as DescribeConsumerGroups shows it; nothing while no broker answers for it.
pub(super) fn sample(snapshot: &Snapshot, group: &str) -> Option<Map<String, Value>> {
    let fields = match snapshot.groups.iter().find(|found| *found.group == *group) {
        Some(found) => {
            found.coordinator?;
            described(found)
        }
        None if snapshot.brokers.iter().all(|broker| broker.is_fenced) => return None,
        None => json!({ "state": "none" }),
    };
    fields.as_object().cloned()
}

fn described(group: &GroupSnapshot) -> Value {
    let mut fields = json!({
        "state": group.state.name(),
        "type": group.group_type.name(),
        "members": group.members.len(),
    });
    if group.group_type == GroupType::Consumer {
        fields["group_epoch"] = json!(group.epoch);
        fields["target_epoch"] = json!(group.assignment_epoch);
        if !group.members.is_empty() {
            let epochs = group.members.iter().map(|member| (member.client.to_string(), json!(member.epoch)));
            fields["member_epochs"] = Value::Object(epochs.collect());
        }
    }
    fields
}

/// Something that held for a while.
#[derive(Clone, Debug, PartialEq)]
struct Span {
    value: Value,
    at_ms: u64,
    lasts: u64,
    /// Nothing was seen after it.
    is_last: bool,
}

/// Compares the states of the group, and the epochs of each member by itself: which of several members was first to
/// reach an epoch depends on their heartbeats.
pub(super) fn compare(expected: &[Seen], got: &[Seen], heartbeat: u64) -> Result<(), (u64, String)> {
    let (expected, got) = (of_states(expected), of_states(got));
    let end = [&expected, &got].iter().filter_map(|list| list.last()).map(|last| last.at_ms).max().unwrap_or(0);
    let mut failures = Vec::new();
    let whole = |seen: &[Seen]| spans(seen, end, |fields| Some(without_epochs(fields)));
    failures.extend(align(&whole(&expected), &whole(&got), heartbeat, "state"));
    for member in members(&expected).into_iter().chain(members(&got)) {
        let own = |seen: &[Seen]| spans(seen, end, |fields| fields.get("member_epochs")?.get(&member).cloned());
        failures.extend(align(&own(&expected), &own(&got), heartbeat, &format!("member_epochs.{member}")));
    }
    failures.into_iter().min().map_or(Ok(()), Err)
}

fn of_states(seen: &[Seen]) -> Vec<Seen> {
    seen.iter().filter(|seen| seen.event == "state").cloned().collect()
}

fn members(states: &[Seen]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in states.iter().filter_map(|seen| seen.fields.get("member_epochs")?.as_object()).flat_map(Map::keys) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn without_epochs(fields: &Map<String, Value>) -> Value {
    let mut fields = fields.clone();
    fields.remove("member_epochs");
    Value::Object(fields)
}

/// Runs of the same value. What is absent breaks a run.
fn spans(states: &[Seen], end: u64, value: impl Fn(&Map<String, Value>) -> Option<Value>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (index, seen) in states.iter().enumerate() {
        let until = states.get(index + 1).map_or(end, |next| next.at_ms);
        let Some(value) = value(&seen.fields) else { continue };
        match spans.last_mut() {
            Some(last) if last.value == value && last.at_ms + last.lasts == seen.at_ms => {
                last.lasts = until - last.at_ms;
                last.is_last = index + 1 == states.len();
            }
            _ => {
                let is_last = index + 1 == states.len();
                spans.push(Span { value, at_ms: seen.at_ms, lasts: until - seen.at_ms, is_last });
            }
        }
    }
    spans
}

/// The first place at which two sequences cannot be the same, even if short spans are missing on either side.
///
/// Between two spans that both have, only one of the two sides may have more, unless it is over at once: otherwise a
/// state could stand for any other.
fn align(expected: &[Span], got: &[Span], heartbeat: u64, path: &str) -> Option<(u64, String)> {
    let short = |span: &Span| span.lasts <= SHORT + if waits_for_heartbeat(&span.value) { heartbeat } else { 0 };
    // The first epoch of a member may be the group's old one or its new one.
    let is_first = |place: usize, span: &Span| place == 0 && span.value.is_number();
    let may_lack = |place: usize, span: &Span, is_other_side: bool| {
        short(span) && (!is_other_side || span.lasts <= AT_ONCE || is_first(place, span))
    };
    // Places up to which both sides agree, and which side has had more since the last span of both.
    let mut open = vec![(0, 0, Extra::None)];
    let mut known = open.clone();
    let mut furthest = (0, 0);
    while let Some((wanted, found, extra)) = open.pop() {
        if wanted == expected.len() && found == got.len() {
            return None;
        }
        if wanted + found > furthest.0 + furthest.1 {
            furthest = (wanted, found);
        }
        let (left, right) = (expected.get(wanted), got.get(found));
        let mut next = Vec::new();
        // The last state of a recording may have lasted longer than was looked at.
        let may_lack_left = |left: &Span| !left.is_last && may_lack(wanted, left, extra == Extra::Got);
        if left.is_some_and(may_lack_left) {
            next.push((wanted + 1, found, if extra == Extra::Got { extra } else { Extra::Expected }));
        }
        if right.is_some_and(|right| may_lack(found, right, extra == Extra::Expected)) {
            next.push((wanted, found + 1, if extra == Extra::Expected { extra } else { Extra::Got }));
        }
        if left.zip(right).is_some_and(|(left, right)| left.value == right.value) {
            next.push((wanted + 1, found + 1, Extra::None));
        }
        // What was interrupted on one side by something short went on on the other.
        let before = |list: &[Span], place: usize| place.checked_sub(1).map(|place| list[place].value.clone());
        if extra == Extra::Expected && left.is_some_and(|left| before(got, found).as_ref() == Some(&left.value)) {
            next.push((wanted + 1, found, Extra::None));
        }
        if extra == Extra::Got && right.is_some_and(|right| before(expected, wanted).as_ref() == Some(&right.value)) {
            next.push((wanted, found + 1, Extra::None));
        }
        next.retain(|place| !known.contains(place));
        known.extend(&next);
        open.extend(next);
    }
    let (wanted, found) = (expected.get(furthest.0), got.get(furthest.1));
    let shown = |span: Option<&Span>| span.map_or_else(|| "nothing".to_owned(), |span| told(&span.value, span.at_ms));
    let at = wanted.or(found).map_or(0, |span| span.at_ms);
    Some((at, format!("{path} expected {}, got {}", shown(wanted), shown(found))))
}

/// Which side has spans that the other lacks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extra {
    None,
    Expected,
    Got,
}

fn told(value: &Value, at_ms: u64) -> String {
    format!("{value} at {at_ms} ms")
}

/// States that end when a member's heartbeat brings something, and epochs that a heartbeat raises.
fn waits_for_heartbeat(value: &Value) -> bool {
    value.is_number()
        || matches!(
            value["state"].as_str(),
            Some("Assigning" | "Reconciling" | "PreparingRebalance" | "CompletingRebalance")
        )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::recording::Seen;
    use super::compare;

    fn seen(states: &[(u64, Value)]) -> Vec<Seen> {
        let one = |(at_ms, fields): &(u64, Value)| Seen {
            at_ms: *at_ms,
            member: String::new(),
            event: "state".into(),
            fields: fields.as_object().unwrap().clone(),
        };
        states.iter().map(one).collect()
    }

    fn check(expected: &[(u64, Value)], got: &[(u64, Value)], difference: Option<&str>) {
        let found = compare(&seen(expected), &seen(got), 1_000);
        assert_eq!(found.err().map(|(_, text)| text).as_deref(), difference);
    }

    fn state(name: &str, members: u32) -> Value {
        json!({ "state": name, "type": "Classic", "members": members })
    }

    #[test]
    fn short_states_may_be_missing_on_either_side() {
        let stable = |at| (at, state("Stable", 1));
        let short = [(0, state("PreparingRebalance", 1)), (500, state("CompletingRebalance", 1)), stable(600)];
        let without = [(0, state("PreparingRebalance", 1)), stable(3_000)];
        check(&short, &without, None);
        check(&without, &short, None);
    }

    #[test]
    fn what_is_interrupted_shortly_goes_on() {
        let stable = |at| (at, state("Stable", 1));
        let whole = [stable(0), (9_000, state("Empty", 0)), (20_000, state("Dead", 0))];
        let parts =
            [stable(0), (4_000, state("PreparingRebalance", 1)), stable(4_500), whole[1].clone(), whole[2].clone()];
        check(&whole, &parts, None);
        check(&parts, &whole, None);
    }

    #[test]
    fn a_long_state_must_be_there() {
        let long = [(0, state("Empty", 0)), (5_000, state("Stable", 1)), (9_000, state("Empty", 0))];
        let other = [(0, state("Empty", 0)), (5_000, state("Stable", 2)), (9_000, state("Empty", 0))];
        let text = "state expected {\"members\":1,\"state\":\"Stable\",\"type\":\"Classic\"} at 5000 ms, \
                    got {\"members\":2,\"state\":\"Stable\",\"type\":\"Classic\"} at 5000 ms";
        check(&long, &other, Some(text));
    }

    #[test]
    fn members_may_reach_an_epoch_in_any_order() {
        let group = |epochs: Value| {
            json!({ "state": "Reconciling", "type": "Consumer", "group_epoch": 3, "target_epoch": 3, "members": 2,
                    "member_epochs": epochs })
        };
        let [first, second] = [json!({ "A": 3, "B": 2 }), json!({ "A": 2, "B": 3 })];
        let sequence = |middle: &Value| {
            [
                (0, group(json!({ "A": 2, "B": 2 }))),
                (3_000, group(middle.clone())),
                (6_000, group(json!({ "A": 3, "B": 3 }))),
            ]
        };
        check(&sequence(&first), &sequence(&second), None);
        let wrong = Some("member_epochs.A expected 2 at 0 ms, got 2 at 0 ms");
        let lower = json!({ "A": 1, "B": 3 });
        let found = compare(&seen(&sequence(&first)), &seen(&sequence(&lower)), 1_000);
        assert!(found.is_err(), "{wrong:?}");
    }
}
