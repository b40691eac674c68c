//! What the button of a step does to a session: commands, a console line, steps and where playing stops.
//!
//! Settings and panels belong to the room; nothing here is rendered.

use course::Offer;
use course::condition::{EVENTS_SEEN_MAX, kind_of};
use course::settings::Settings;
use engine::event::Moment;
use engine::{Command, Event, InputError, Snapshot, Time, Timeline};
use scene::Player;

use crate::app::player_moves::step_events;
use crate::app::session::Session;

/// Events that "step to" passes at most before it gives up.
const STEPS_MAX: usize = 20_000;
/// Queue entries that are looked ahead for the moment at which a step is complete.
const ENTRIES_AHEAD_MAX: usize = 300_000;

/// Where playing stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// After everything at a simulated time.
    Time(Time),
    /// Right after an entry of the first side.
    Moment(Moment),
}

/// What completes a step: the state, and the events since the step began.
pub type Sought<'a> = &'a dyn Fn(&Snapshot, &[Event]) -> bool;

impl Stop {
    /// The simulated time of the stop.
    pub fn time(self) -> Time {
        match self {
            Stop::Time(time) => time,
            Stop::Moment(moment) => moment.time,
        }
    }

    /// Whether the playhead is there or beyond.
    pub fn is_reached(self, session: &Session) -> bool {
        session.read(|player| match self {
            Stop::Time(time) => player.now() >= time,
            Stop::Moment(moment) => player.timeline(0).moment() >= moment,
        })
    }

    /// Stops there exactly: a frame may have gone a little further.
    pub fn halt(self, session: &Session) {
        session.queue(move |player| {
            player.pause();
            match self {
                Stop::Time(time) => player.seek(time),
                Stop::Moment(moment) => player.seek_moment(0, moment),
            }
        });
    }
}

/// Does what the offer says, up to the point where time has to pass. `began` is the number of the first event that
/// `sought` may look at.
pub fn take(
    session: &Session,
    offer: &Offer,
    settings: &Settings,
    began: u64,
    sought: Sought<'_>,
) -> Result<Option<Stop>, InputError> {
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
        (Some(until), _) => Some(Stop::Time(Time(until.0))),
        (None, true) => look_ahead(session, began, sought)?,
        (None, false) => None,
    };
    if let Some(stop) = stop {
        session.apply(|player| player.hurry_to(stop.time()));
        session.show();
    }
    Ok(stop)
}

/// Whether a run is still going on: one that somebody has paused is over.
pub fn goes_on(session: &Session) -> bool {
    session.read(Player::is_playing)
}

/// The first moment at which the step is complete: a run that is played fast would pass it within a frame.
/// Without one the run goes to the end of the time bar.
fn look_ahead(session: &Session, began: u64, sought: Sought<'_>) -> Result<Option<Stop>, InputError> {
    let mut events = session.recent_from(0, began, EVENTS_SEEN_MAX, &|_| true);
    if sought(&session.snapshot(0), &events) {
        return Ok(None);
    }
    let (mut ahead, until) = session.read(|player| {
        let timeline = player.timeline(0);
        let ahead = Timeline::with_commands(timeline.scenario().clone(), timeline.commands().to_vec(), ());
        (
            ahead.map(|mut ahead| {
                ahead.seek_moment(timeline.moment());
                ahead
            }),
            player.horizon(),
        )
    });
    let ahead = ahead.as_mut().map_err(|error| error.clone())?;
    let mut next = session.event_count(0);
    for _ in 0..ENTRIES_AHEAD_MAX {
        if !ahead.step_entry() || ahead.now() > until {
            break;
        }
        let brought = ahead.recent_from(next, EVENTS_SEEN_MAX, &|_| true);
        let Some(last) = brought.last() else { continue };
        next = last.index + 1;
        events.extend(brought);
        if sought(&ahead.snapshot(0), &events) {
            return Ok(Some(Stop::Moment(ahead.moment())));
        }
    }
    Ok(Some(Stop::Time(until)))
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
