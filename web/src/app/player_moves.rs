//! Moves of a player that pages share: one step with all that it brought, and back to the start.
//!
//! Only moves; when they are made is decided by the callers.

use engine::event::{Event, EventKind};
use engine::{Moment, Time};
use scene::Player;

/// Events of one step that are told, at most.
const EVENTS_MAX: usize = 400;

/// One step forward, and everything that it brought: an entry can bring several events.
pub fn step_events(player: &mut Player) -> Vec<Event> {
    let sides = 0..player.sides();
    let before: Vec<u64> = sides.clone().map(|side| player.timeline(side).observer().event_count()).collect();
    if player.step().is_empty() {
        return Vec::new();
    }
    let brought = |side: usize| player.timeline_mut(side).recent(EVENTS_MAX, &|event| event.index >= before[side]);
    sides.flat_map(brought).collect()
}

/// Goes to the start: everything that exists at time 0 is there, and nothing has been sent yet.
pub fn to_start(player: &mut Player) {
    /// Steps of a cluster's beginning, at most.
    const STEPS_MAX: usize = 10_000;
    player.pause();
    player.seek_moment(0, Moment::default());
    for _ in 0..STEPS_MAX {
        // A step may pass what brings no event, and may find none any more: both are taken back.
        let before: Vec<Moment> = (0..player.sides()).map(|side| player.timeline(side).moment()).collect();
        let events = step_events(player);
        if events.is_empty() || !events.iter().all(is_setting_up) {
            player.seek_moments(&before);
            return;
        }
    }
}

fn is_setting_up(event: &Event) -> bool {
    let is_birth = matches!(
        event.kind,
        EventKind::BrokerRegistered { .. }
            | EventKind::TopicCreated { .. }
            | EventKind::LeaderElected { .. }
            | EventKind::ProducerStarted { .. }
    );
    is_birth && event.moment.time == Time::ZERO
}
