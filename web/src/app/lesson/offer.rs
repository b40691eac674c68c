//! What the button of a step does to a session: commands, a console line, steps and where playing stops.
//!
//! Settings and panels belong to the room; nothing here is rendered.

use course::Offer;
use course::condition::kind_of;
use course::settings::Settings;
use engine::{Command, InputError, Time};
use scene::Player;

use crate::app::session::{Session, step_events};

/// Events that "step to" passes at most before it gives up.
const STEPS_MAX: usize = 20_000;

/// Where playing stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At a simulated time.
    At(Time),
    /// As soon as the step's condition holds.
    WhenDone,
}

/// Does what the offer says, up to the point where time has to pass.
pub fn take(session: &Session, offer: &Offer, settings: &Settings) -> Result<Option<Stop>, InputError> {
    session.apply(Player::pause);
    for command in &offer.commands {
        session.apply(|player| player.act(None, &grown(command, settings)))?;
    }
    if let Some(line) = offer.console_line(settings) {
        session.run_console(&line);
    }
    if let Some(kind) = &offer.step_to {
        session.apply(|player| step_to(player, kind));
        return Ok(None);
    }
    let stop = match (offer.run_to, offer.run) {
        (Some(until), _) => Some(Stop::At(Time(until.0))),
        (None, true) => Some(Stop::WhenDone),
        (None, false) => None,
    };
    if stop.is_some() {
        session.apply(Player::play);
    }
    Ok(stop)
}

/// The setting `grow` decides how far a lesson's topic grows.
fn grown(command: &Command, settings: &Settings) -> Command {
    match (command, settings.grow) {
        (Command::CreatePartitions { topic, assignment, .. }, Some(count)) => Command::CreatePartitions {
            topic: topic.clone(),
            partitions: i32::try_from(count).expect("a count is at most limits::PARTITIONS_MAX"),
            assignment: assignment.clone(),
        },
        _ => command.clone(),
    }
}

fn step_to(player: &mut Player, kind: &str) {
    for _ in 0..STEPS_MAX {
        let events = step_events(player);
        if events.is_empty() || events.iter().any(|event| kind_of(event) == kind) {
            return;
        }
    }
}
