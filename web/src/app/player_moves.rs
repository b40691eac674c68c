//! A move of a player that pages share: one step with all that it brought.
//!
//! Only the move; when it is made is decided by the callers.

use engine::event::Event;
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
