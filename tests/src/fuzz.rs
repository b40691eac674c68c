//! Random clusters, faults, commands and jumps in time, and the rules that hold for all of them.
//!
//! A seed decides everything, so a seed that breaks a rule is its own reproduction. Nothing is timed.

mod acts;
mod clusters;
mod faults;
pub mod groups;
mod logs;
mod model;
mod recovery;
pub mod transactions;

use std::collections::BTreeMap;

use engine::rng::Stream;
use engine::{Duration, Scenario, Time, Timeline};

use model::Watch;

/// A timeline whose events are checked while they happen.
type Watched = Timeline<Watch>;

/// Runs one seed; panics with the rule that it breaks.
pub fn run(seed: u64) {
    let mut dice = Stream::new(seed, "fuzz", "");
    let scenario = clusters::scenario(&mut dice);
    let watch = Watch::new(seed, &scenario);
    let started = Timeline::new(scenario.clone(), watch.clone());
    let mut timeline = started.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let mut at = Time::ZERO;
    let mut marks = logs::Marks::new();
    let pause = if dice.below(2) == 0 { 900_000 } else { 4_000_000 };
    for _ in 0..dice.below(16) + 3 {
        at = at + Duration(dice.below(pause));
        timeline.advance_to(at);
        logs::check(seed, &timeline, &mut marks);
        // A refused command is an answer like any other.
        let _ = timeline.act(acts::command(&mut dice));
    }
    timeline.advance_to(at + Duration::from_secs(3));
    logs::check(seed, &timeline, &mut marks);
    recovery::check(seed, &mut timeline);
    // A visit of a time shows everything that happens at it.
    timeline.advance_to(timeline.now());
    logs::check(seed, &timeline, &mut marks);
    let hash = timeline.trace_hash();
    check_jumps(seed, &mut dice, &mut timeline);
    check_repeat(seed, scenario, watch, &timeline, hash);
    check_past(seed, &mut dice, &mut timeline);
}

/// Playing a second time, from the commands alone, gives the same trace.
fn check_repeat(seed: u64, scenario: Scenario, watch: Watch, timeline: &Watched, hash: u64) {
    let commands = timeline.commands().to_vec();
    let again = Timeline::with_commands(scenario, commands, watch);
    let mut again = again.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    again.advance_to(timeline.now());
    assert_eq!(again.trace_hash(), hash, "seed {seed}: a second run differs");
}

/// A moment looks the same however it is reached.
fn check_jumps(seed: u64, dice: &mut Stream, timeline: &mut Watched) {
    let end = timeline.now();
    let hash = timeline.trace_hash();
    let mut seen = BTreeMap::new();
    for _ in 0..12 {
        timeline.seek(Time(dice.below(end.0 + 1)));
        let here = timeline.trace_hash();
        assert_eq!(
            *seen.entry(timeline.now()).or_insert(here),
            here,
            "seed {seed}: two visits of {} differ",
            timeline.now()
        );
        if dice.below(2) == 0 && timeline.step_back().is_some() {
            timeline.step();
        }
    }
    timeline.seek(end);
    assert_eq!(timeline.trace_hash(), hash, "seed {seed}: the end differs after jumping about");
}

/// Acting in the past keeps the future, and the future can be opened again.
fn check_past(seed: u64, dice: &mut Stream, timeline: &mut Watched) {
    let (end, hash) = (timeline.now(), timeline.trace_hash());
    let branches = timeline.branches().len();
    timeline.seek(Time(end.0 / 2));
    if timeline.act(acts::command(dice)).is_err() || timeline.branches().len() == branches {
        return;
    }
    timeline.advance_to(end);
    let Some(branch) = timeline.branches().pop() else { return };
    assert!(timeline.open_branch(branch.id), "seed {seed}: a listed branch opens");
    timeline.seek(end);
    assert_eq!(timeline.trace_hash(), hash, "seed {seed}: the future that was set aside differs");
}
