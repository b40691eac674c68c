//! What of a recording is not known: when exactly its steps began, the random ids, and what else the cluster did.
//!
//! Times are approximate and ids random, so a recording shows one of several outcomes. That one is looked for: from the
//! first difference backwards, step by step. Deliberately not here: what is compared.

use std::collections::VecDeque;

use super::compare::Difference;
use super::library;
use super::recording::{Recording, Seen, Step};

/// How often a recording is replayed at most.
const RUNS: usize = 400;

/// So many steps before a difference may be its reason.
const STEPS: usize = 8;

/// So many beginnings are tried where nothing near helps.
const STARTS: u64 = 24;

/// The same where members choose ids by themselves and the recording has only those of the end.
const STARTS_OF_LIBRARY: u64 = 64;

/// Other ids that are tried at each place.
const SEEDS: u64 = 3;

/// Delays that are tried, in milliseconds: the first connection of a member of Java takes up to about a second.
const DELAYS: [u64; 12] = [0, 5, 15, 30, 60, 100, 150, 250, 350, 500, 700, 900];

/// A callback that takes time takes that long for each partition, in milliseconds.
const CALLBACK: u64 = 25;

/// A difference that comes later by less, in milliseconds, is the same one still.
const PROGRESS: u64 = 1_000;

/// One way in which it may have been.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Draw {
    /// Of the random ids.
    pub seed: u64,
    /// How much later than planned each step begins, in milliseconds.
    pub delays: Vec<u64>,
    /// When somebody else makes a topic, in milliseconds. Other groups were recorded on the same cluster.
    pub other_topic: Option<u64>,
    /// How long `onPartitionsAssigned` takes for each partition, in milliseconds: it runs in the poll after the answer
    /// that brought them, and only then a member goes on.
    pub callback: u64,
}

impl Draw {
    /// Where to begin if nothing near helps: leaves as they were seen, then steps at random.
    fn start(recording: &Recording, number: u64) -> Draw {
        let delay = |(place, step): (usize, &Step)| {
            if number == 0 {
                return seen_delay(recording, step);
            }
            let mixed = (number << 32 | place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed >> 33) % (longest(recording, step) + 1)
        };
        let delays = recording.steps.iter().enumerate().map(delay).collect();
        Draw { seed: number, delays, ..Draw::default() }
    }

    /// Everything is as planned.
    fn planned(recording: &Recording) -> Draw {
        Draw { delays: vec![0; recording.steps.len()], ..Draw::default() }
    }
}

/// Looks for a draw in which a replay has no difference. The error is the difference of what was planned.
pub(super) fn search(recording: &Recording, replay: impl Fn(&Draw) -> Result<(), Difference>) -> Result<(), String> {
    let planned = Draw::planned(recording);
    let Err((reached, difference)) = replay(&planned) else { return Ok(()) };
    if recording.steps.iter().filter(|step| step.verb == "join").count() < 2 {
        return Err(difference);
    }
    let mut known = vec![planned.clone()];
    let mut best = reached;
    let mut open: VecDeque<Draw> = neighbours(recording, &planned, reached).into();
    let starts = if recording.is_library { STARTS_OF_LIBRARY } else { STARTS };
    let mut starts = (0..starts).map(|number| Draw::start(recording, number));
    while known.len() < RUNS {
        let (draw, is_start) = match open.pop_front() {
            Some(draw) => (draw, false),
            None => match starts.next() {
                Some(draw) => (draw, true),
                None => break,
            },
        };
        if known.contains(&draw) {
            continue;
        }
        known.push(draw.clone());
        let Err((reached, _)) = replay(&draw) else { return Ok(()) };
        let [reached_place, best_place] = [reached, best].map(|at| at / PROGRESS);
        if reached_place > best_place || is_start && reached_place == best_place {
            best = reached;
            open = neighbours(recording, &draw, reached).into();
        }
    }
    Err(difference)
}

/// Draws that differ from one in a single thing which may have led to a difference at that time.
fn neighbours(recording: &Recording, draw: &Draw, reached: u64) -> Vec<Draw> {
    let before = recording.steps.iter().enumerate().rev().filter(|(_, step)| step.at_ms <= reached);
    let mut found = Vec::new();
    for (place, (number, step)) in before.take(STEPS).enumerate() {
        for delay in DELAYS.into_iter().filter(|delay| *delay <= longest(recording, step)) {
            let mut other = draw.clone();
            other.delays[number] = delay;
            found.push(other);
        }
        let seeds = (0..SEEDS).map(|index| draw.seed + 1 + place as u64 * SEEDS + index);
        found.extend(seeds.map(|seed| Draw { seed, ..draw.clone() }));
        if place == 0 {
            found.push(Draw { callback: if draw.callback == 0 { CALLBACK } else { 0 }, ..draw.clone() });
        }
        if has_broker_patterns(recording) {
            let next = recording.steps.get(number + 1).map_or(reached, |next| next.at_ms);
            let other_topic = Some(u64::midpoint(step.at_ms, next));
            found.push(Draw { other_topic, ..draw.clone() });
        }
    }
    found
}

/// Only to such members it matters that there is another topic.
fn has_broker_patterns(recording: &Recording) -> bool {
    recording.steps.iter().any(|step| step.arguments["re2j"].is_string())
}

/// How much later than planned a step can have begun, at most: a call waits for the poll before it.
fn longest(recording: &Recording, step: &Step) -> u64 {
    match step.verb.as_str() {
        "join" if recording.is_library && !library::is_java(&step.arguments) => 45,
        "join" => 900,
        "leave" => 250,
        "commit_sync" | "commit_at" | "subscribe" | "unsubscribe" => 100,
        _ => 0,
    }
}

/// How much later a member was seen to give up what it had when it left.
fn seen_delay(recording: &Recording, step: &Step) -> u64 {
    let is_meant = |seen: &&Seen| {
        step.verb == "leave"
            && seen.event == "revoked"
            && step.arguments["member"] == *seen.member
            && seen.at_ms >= step.at_ms
    };
    recording.saw.iter().find(is_meant).map_or(0, |seen| (seen.at_ms - step.at_ms).min(longest(recording, step)))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::super::recording::Recording;
    use super::{Draw, search};

    fn recording() -> Recording {
        let join = |at: u64, member: &str| json!({ "at_ms": at, "do": "join", "member": member, "topics": ["t"] });
        let leave = json!({ "at_ms": 9_000, "do": "leave", "member": "A" });
        let revoked = json!({ "at_ms": 9_040, "event": "revoked", "member": "A", "partitions": ["t-0"] });
        let case = json!({ "group": "g", "configs": {}, "topics": {}, "final": {}, "saw": [revoked],
                           "steps": [join(0, "A"), join(3_000, "B"), leave] });
        Recording::read(&case).unwrap()
    }

    /// Whether a draw is found, and after how many replays.
    fn check(is_it: impl Fn(&Draw) -> Result<(), u64>, is_found: bool) {
        let runs = Cell::new(0);
        let replay = |draw: &Draw| {
            runs.set(runs.get() + 1);
            is_it(draw).map_err(|at| (at, "other".to_owned()))
        };
        assert_eq!(search(&recording(), replay).is_ok(), is_found);
        assert!(runs.get() <= super::RUNS + 1, "{}", runs.get());
    }

    #[test]
    fn one_thing_after_the_other_is_found() {
        let is_it = |draw: &Draw| match (draw.delays[1], draw.delays[2], draw.seed) {
            (30.., 100, 5) => Ok(()),
            (30.., 100, _) => Err(12_000),
            (30.., ..) => Err(9_000),
            _ => Err(3_000),
        };
        check(is_it, true);
    }

    #[test]
    fn leaves_are_tried_as_they_were_seen() {
        check(|draw| if draw.delays[2] == 40 { Ok(()) } else { Err(3_000) }, true);
    }

    #[test]
    fn nothing_is_found_where_nothing_helps() {
        check(|_| Err(3_000), false);
        check(|draw| Err(3_000 + draw.delays[1]), false);
        check(|draw| if draw.delays[0] > 900 { Ok(()) } else { Err(3_000) }, false);
    }
}
