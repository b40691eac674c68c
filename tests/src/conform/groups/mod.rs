//! Families recorded from groups: members with their callbacks, states of the group, and the group tools.
//!
//! Deliberately not here: what Kafka would have answered. The recording says it; this replays and compares.

mod compare;
mod constructors;
mod draws;
pub(super) mod errors;
mod finals;
mod library;
mod members;
mod play;
mod recording;
mod setup;
mod shape;
mod states;
pub(super) mod text;
mod tools;
mod verbs;

#[cfg(test)]
mod tests;

use engine::{Duration, Time};
use serde_json::Value;

use super::relaxed::Mode;
use compare::{Difference, Waits};
use draws::Draw;
use play::Play;
use recording::{Recording, Seen};

/// How far events of a run may lag behind the recorded ones, in milliseconds, besides a heartbeat.
const LAG: u64 = 1_000;

/// How long the recorder waited before it looked at the end: longer than `auto.commit.interval.ms`, because what was
/// assigned last is committed there in every recording.
const AFTER: Duration = Duration::from_millis(5_500);

/// Heartbeat of a member of the consumer protocol unless the group has its own, and of a classic one.
const CONSUMER_HEARTBEAT: u64 = 5_000;
const CLASSIC_HEARTBEAT: u64 = 3_000;

/// Replays a recording of members of one broker's group; the error is the first difference.
pub(super) fn run(case: &Value, mode: Option<&Mode>) -> Result<(), String> {
    if constructors::are_all(case) {
        return constructors::run(case);
    }
    let recording = Recording::read(case)?;
    draws::search(&recording, |draw| run_once(&recording, mode, draw))
}

fn run_once(recording: &Recording, mode: Option<&Mode>, draw: &Draw) -> Result<(), Difference> {
    let at_once = |difference| (0, difference);
    let brokers = if recording.is_library { library::BROKERS } else { 1 };
    let mut play = Play::new(recording, brokers, draw).map_err(at_once)?;
    let heartbeat = heartbeat(recording);
    play_out(&mut play, heartbeat).map_err(at_once)?;
    let is_shape = mode == Some(&Mode::Shape);
    let changes = changes(recording);
    let waits = Waits { heartbeat, metadata: metadata_age(recording), changes: &changes };
    let differences = if is_shape {
        let [wanted, found] = [&recording.saw, &play.seen].map(|seen| shape::without_owners(seen));
        let [looks, got_looks] = [&recording.saw, &play.seen].map(|seen| shape::without_epochs(seen));
        vec![
            compare::members(&wanted, &found, waits),
            states::compare(&looks, &got_looks, heartbeat),
            shape::steps(recording, &play.seen, LAG + heartbeat),
        ]
    } else {
        vec![
            compare::members(&recording.saw, &play.seen, waits),
            states::compare(&recording.saw, &play.seen, heartbeat),
            command_lines(&recording.saw, &play.seen),
        ]
    };
    if let Some(difference) = differences.into_iter().filter_map(Result::err).min() {
        return Err(difference);
    }
    finals::compare(&mut play, is_shape).map_err(|difference| (u64::MAX, difference))
}

/// When something changed that members learn by a look at the metadata.
fn changes(recording: &Recording) -> Vec<u64> {
    let of_topics = |verb: &str| matches!(verb, "create_topic" | "delete_topic" | "add_partitions");
    recording.steps.iter().filter(|step| of_topics(&step.verb)).map(|step| step.at_ms).collect()
}

/// `metadata.max.age.ms` where a recording sets it; else nobody waits for it.
fn metadata_age(recording: &Recording) -> u64 {
    let parts = [&recording.configs["member_defaults"], &recording.configs["member"]];
    let names = ["metadata.max.age.ms", "topic.metadata.refresh.interval.ms"];
    let of_members = parts[1].as_object().into_iter().flatten().map(|(_, own)| own);
    let given = [parts[0]].into_iter().chain(of_members).map(recording::settings);
    let ages = given.flat_map(|given| names.map(|name| given.get(name).and_then(|text| text.parse().ok())));
    ages.flatten().max().unwrap_or(0)
}

/// Runs to the end of a recording, and on as long as something that was recorded is still to come.
fn play_out(play: &mut Play<'_>, heartbeat: u64) -> Result<(), String> {
    let end = play.recording.end_ms();
    play.run_to(Time::from_millis(end + LAG / 2))?;
    let recorded = play.recording.saw.iter().filter(|seen| is_counted(seen)).count();
    let state = play.recording.last["group_state"].clone();
    for later in (end + LAG / 2..=end + LAG + heartbeat).step_by(100) {
        play.run_to(Time::from_millis(later))?;
        let seen = play.seen.iter().filter(|seen| is_counted(seen)).count();
        let last = play.seen.iter().rfind(|seen| seen.event == "state").and_then(|seen| seen.fields.get("state"));
        if seen >= recorded && (state.is_null() || last == Some(&state)) {
            break;
        }
    }
    // A recording that ends while its group rebalances was not waited for.
    if matches!(state.as_str(), Some("Stable" | "Empty" | "Dead") | None) {
        let until = play.timeline.now() + AFTER;
        play.run_to(until)?;
    }
    Ok(())
}

fn is_counted(seen: &Seen) -> bool {
    !matches!(seen.event.as_str(), "state" | "records" | "assigned") && !seen.member.is_empty()
        || seen.event == "assigned"
            && seen.fields.get("partitions").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

/// The longest time between two heartbeats of a member.
fn heartbeat(recording: &Recording) -> u64 {
    let number = |text: Option<&String>| text.and_then(|text| text.parse().ok());
    let defaults = recording.configs("member_defaults");
    let of_group = number(recording.configs("group").get("consumer.heartbeat.interval.ms"));
    let of_members = number(defaults.get("heartbeat.interval.ms"));
    let joins = recording.steps.iter().filter(|step| step.verb == "join");
    let mut protocols = joins.map(|step| step.arguments["configs"]["group.protocol"].as_str());
    let is_default = defaults.get("group.protocol").is_some_and(|protocol| protocol.eq_ignore_ascii_case("consumer"));
    let is_consumer = is_default || protocols.any(|own| own.is_some_and(|own| own.eq_ignore_ascii_case("consumer")));
    if is_consumer {
        of_group.unwrap_or(CONSUMER_HEARTBEAT).max(of_members.unwrap_or(0))
    } else {
        of_members.unwrap_or(CLASSIC_HEARTBEAT)
    }
}

/// Compares what the tools printed, in order.
fn command_lines(expected: &[Seen], got: &[Seen]) -> Result<(), Difference> {
    let of_tools = |seen: &[Seen]| seen.iter().filter(|seen| seen.event == "cli").cloned().collect::<Vec<_>>();
    let (expected, got) = (of_tools(expected), of_tools(got));
    for (index, wanted) in expected.iter().enumerate() {
        let text = |seen: &Seen, field: &str| seen.fields.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
        let place = format!("cli {index} {:?}", text(wanted, "args"));
        let Some(found) = got.get(index) else { return Err((wanted.at_ms, format!("{place} was not run"))) };
        finals::same_text(&text(wanted, "text"), &text(found, "text"))
            .map_err(|difference| (wanted.at_ms, format!("{place}: {difference}")))?;
    }
    Ok(())
}
