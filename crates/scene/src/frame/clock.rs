//! The clocks of calls that wait: how long, of how much, on the open card of their producer.
//!
//! Time is the simulation's own. What a call waits for stands still, so it is in `still/producer.rs`.

use std::rc::Rc;

use engine::Time;
use engine::snapshot::CallSnapshot;

use super::FrameInput;
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item};
use crate::stage::{Area, Stage};
use crate::still::{call_area, clock_bar, clock_end, line, rect};
use crate::text;

/// Clocks on one stage, at most: there are not more cards with code.
pub(super) const CLOCKS: usize = 8;
/// A call that has so much of its time left, in percent, is in danger.
const SCARCE: u64 = 20;

/// A bar and a time for each call that waits.
pub(super) fn clocks(stage: &Stage, input: &FrameInput<'_>) -> Vec<Item> {
    let waiting = stage.producers.iter().filter_map(|card| {
        let call = input.snapshot.producers.get(card.index)?.calls.first()?;
        Some((call_area(card)?, call))
    });
    waiting.take(CLOCKS).flat_map(|(at, call)| clock(at, call, input.now)).collect()
}

fn clock(at: Area, call: &CallSnapshot, now: Time) -> Vec<Item> {
    let waited = now.since(call.since).0;
    let whole = call.deadline.map(|deadline| deadline.since(call.since).0);
    let is_scarce = whole.is_some_and(|whole| whole.saturating_sub(waited) * 100 <= whole * SCARCE);
    let words: Rc<str> = match whole {
        Some(whole) => format!("{} of {}", text::waited(waited), text::waited(whole)),
        None => text::waited(waited),
    }
    .into();
    let class = |role: Role| Class::new(role).mark(Mark::Bad, is_scarce);
    let words = text::fit(&words, at.width * 0.5, 11.0, Face::Mono);
    let mut items = vec![line(class(Role::ClockText), clock_end(at), words, 11.0, Face::Mono, Anchor::End)];
    if let Some(whole) = whole.filter(|whole| *whole > 0) {
        let part = (waited as f64 / whole as f64).min(1.0) as f32;
        let bar = clock_bar(at);
        items.push(Item::new(class(Role::Clock), rect(Area { width: (bar.width * part).max(1.0), ..bar }, 2.0)));
    }
    items
}
