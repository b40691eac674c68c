//! The start of a run as a reader meets it: everything that exists at time 0 is there, and no client has done anything.
//!
//! Where a run starts for the engine is its very first moment, at which there is not even a cluster.

use engine::event::{Event, EventKind};
use engine::{Moment, Time, Timeline};

use super::Player;
use crate::pace::Pace;

/// Events of one entry that are looked at, at most.
const EVENTS_MAX: usize = 400;

impl Player {
    /// Goes to the start, paused.
    pub fn to_start(&mut self) {
        self.pause();
        for side in &mut self.sides {
            seek_start(&mut side.timeline);
        }
        self.settle(Time::ZERO);
    }
}

/// Goes to the start of a run.
pub fn seek_start(timeline: &mut Timeline<Pace>) {
    timeline.seek_moment(Moment::default());
    while timeline.peek().is_some_and(|next| next.time == Time::ZERO) {
        let (here, before) = (timeline.moment(), timeline.observer().event_count());
        timeline.step_entry();
        if !timeline.recent(EVENTS_MAX, &|event| event.index >= before).iter().all(is_setting_up) {
            timeline.seek_moment(here);
            return;
        }
    }
}

fn is_setting_up(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::BrokerRegistered { .. }
            | EventKind::TopicCreated { .. }
            | EventKind::LeaderElected { .. }
            | EventKind::ProducerStarted { .. }
            | EventKind::Warned { .. }
    )
}
