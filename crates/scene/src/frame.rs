//! The layer that moves: messages on their links, records on their way, pulses where something happened.
//!
//! Has no state of its own: a place is a fraction of a display span, a pulse a function of its age. It
//! shows fewer details when more moves, so that a frame stays cheap.

mod pulse;

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::{Api, Event, EventKind, MessageView, NodeId, Record, TopicPartition};
use engine::{Snapshot, Time};

use crate::class::{Class, Mark, Role};
use crate::display::{DisplayList, Item, Shape};
use crate::pace::{Display, Pace, PaceMode};
use crate::palette::Palette;
use crate::stage::{Area, Point, Stage};
use crate::still::{chip, partition_of};
use crate::text;

/// Moving records that are drawn as chips, at most; beyond it all are dots.
const CHIPS: usize = 120;
/// Moving records that are drawn at all; beyond it the pills tell their number.
const DOTS: usize = 1_000;
/// Moving pills, at most; beyond it one pill stands for all of a kind between the same two nodes.
const PILLS: usize = 40;
/// Records leave their request after this part of its way and fly to their partitions.
const SPREAD: f32 = 0.62;
const PILL_HEIGHT: f32 = 22.0;
const CHIP_HEIGHT: f32 = 24.0;
/// Chips of one batch, at most; the pill tells how many there are.
const TRAIN: usize = 4;
/// Space between a pill and what it leaves or reaches.
const PILL_GAP: f32 = 5.0;

/// Everything that one frame depends on.
#[derive(Clone, Copy, Debug)]
pub struct FrameInput<'a> {
    /// The state; its messages in flight are drawn.
    pub snapshot: &'a Snapshot,
    /// The last events, oldest first: those of the last second of display are enough.
    pub events: &'a [Event],
    /// The display axis at this moment.
    pub pace: &'a Pace,
    /// Elastic or even time.
    pub mode: PaceMode,
    /// The playhead on the display axis.
    pub display: Display,
    /// Simulated time.
    pub now: Time,
    /// The colors of keys.
    pub palette: &'a Palette,
    /// No travel: messages stand in the middle of their way until they arrive.
    pub reduced_motion: bool,
}

/// Draws everything that moves, at one point of the display axis.
pub fn frame(stage: &Stage, input: &FrameInput<'_>) -> DisplayList {
    let messages: Vec<Moving<'_>> =
        input.snapshot.in_flight.iter().filter_map(|message| Moving::of(stage, input, message)).collect();
    let records: usize = messages.iter().map(|moving| moving.record_count()).sum();
    let mut items = pulse::pulses(stage, input);
    let draw = Draw { stage, input, detail: Detail::of(records) };
    draw.records(&messages, &mut items);
    if messages.len() > PILLS {
        draw.grouped_pills(&messages, &mut items);
    } else {
        items.extend(messages.iter().map(|moving| draw.pill(moving)));
    }
    DisplayList { width: stage.width, height: stage.height, items }
}

/// How records on their way are drawn.
#[derive(Clone, Copy, PartialEq)]
enum Detail {
    Chips,
    Dots,
    Counts,
}

impl Detail {
    fn of(records: usize) -> Detail {
        match records {
            0..=CHIPS => Detail::Chips,
            _ if records <= DOTS => Detail::Dots,
            _ => Detail::Counts,
        }
    }
}

/// A message on its way.
struct Moving<'a> {
    message: &'a MessageView,
    way: [Point; 4],
    /// From 0 to 1, eased.
    place: f32,
}

impl<'a> Moving<'a> {
    fn of(stage: &Stage, input: &FrameInput<'_>, message: &'a MessageView) -> Option<Moving<'a>> {
        if !message.is_notable {
            return None;
        }
        let way = stage.way(&message.from, &message.to)?;
        let place = if input.reduced_motion {
            0.5
        } else {
            eased(input.pace.progress(input.mode, message, input.display, input.now))
        };
        Some(Moving { message, way, place })
    }

    fn record_count(&self) -> usize {
        if carries_records(self.message) {
            self.message.batches.iter().map(|batch| batch.records.len()).sum()
        } else {
            0
        }
    }

    /// Where the pill stands: a request stops at the broker's edge while its records fly on.
    fn pill_place(&self) -> f32 {
        if carries_records(self.message) { (self.place / SPREAD).min(1.0) } else { self.place }
    }
}

/// Records ride with Produce requests and with Fetch answers.
fn carries_records(message: &MessageView) -> bool {
    matches!((message.api, message.is_response), (Api::Produce, false) | (Api::Fetch, true)) && message.error.is_none()
}

struct Draw<'a> {
    stage: &'a Stage,
    input: &'a FrameInput<'a>,
    detail: Detail,
}

impl Draw<'_> {
    fn pill(&self, moving: &Moving<'_>) -> Item {
        let message = moving.message;
        let word = match moving.record_count() {
            0 | 1 => self.word(message),
            count => format!("{} × {count}", self.word(message)).into(),
        };
        self.pill_at(moving, word, point_on(&moving.way, moving.pill_place()))
    }

    /// A pill stays between the boxes that it connects.
    fn pill_at(&self, moving: &Moving<'_>, word: Rc<str>, at: Point) -> Item {
        let message = moving.message;
        let width = text::pill_width(&word);
        let height = if message.is_response { PILL_HEIGHT - 2.0 } else { PILL_HEIGHT };
        let (start, end) = (moving.way[0], moving.way[3]);
        let is_across = moving.way[0].1 == moving.way[1].1 && start.0 != end.0;
        let at = if is_across {
            (between(at.0, start.0, end.0, width), at.1)
        } else {
            (at.0, between(at.1, start.1, end.1, height))
        };
        let x = (at.0 - width / 2.0).clamp(0.0, (self.stage.width - width).max(0.0));
        let y = (at.1 - height / 2.0).clamp(0.0, (self.stage.height - height).max(0.0));
        let role = if message.is_response { Role::Response } else { Role::Request };
        let class = Class::new(role).mark(Mark::Bad, message.error.is_some());
        Item::new(class, Shape::Pill { x, y, width, height, text: word })
    }

    /// The API's name; an answer tells its error instead, or that all went well.
    fn word(&self, message: &MessageView) -> Rc<str> {
        match &message.error {
            Some(error) => text::fit(
                &error.error.as_str().into(),
                200.0,
                crate::display::CHIP_TEXT_SIZE,
                crate::display::Face::MonoBold,
            ),
            None => self.stage.words.of(message.api, message.is_response),
        }
    }

    fn grouped_pills(&self, messages: &[Moving<'_>], items: &mut Vec<Item>) {
        type Group<'a> = (&'a NodeId, &'a NodeId, Api, bool);
        let mut groups: BTreeMap<Group<'_>, (usize, usize, f32, &Moving<'_>)> = BTreeMap::new();
        for moving in messages {
            let message = moving.message;
            let group = groups
                .entry((&message.from, &message.to, message.api, message.is_response))
                .or_insert((0, 0, 0.0, moving));
            group.0 += 1;
            group.1 += moving.record_count();
            group.2 += moving.pill_place();
        }
        for (count, records, places, moving) in groups.into_values() {
            let word = self.word(moving.message);
            // Answers to readers are told by what they carry, everything else by how many there are.
            let number = if moving.message.api == Api::Fetch && records > 0 { records } else { count };
            let word = if number == 1 { word } else { format!("{word} × {}", text::count(number as u64)).into() };
            items.push(self.pill_at(moving, word, point_on(&moving.way, places / count as f32)));
        }
    }

    fn records(&self, messages: &[Moving<'_>], items: &mut Vec<Item>) {
        if self.detail == Detail::Counts {
            return;
        }
        for moving in messages.iter().filter(|moving| carries_records(moving.message)) {
            let mut train = 0;
            for batch in &moving.message.batches {
                // The last ones of a batch: they are those that stay in sight on its lane.
                let count = batch.records.len();
                let first = if self.detail == Detail::Chips { count.saturating_sub(TRAIN) } else { 0 };
                for (index, record) in batch.records.iter().enumerate().skip(first) {
                    items.push(self.record(moving, &batch.partition, record, (index, count), train));
                    train += 1;
                }
            }
        }
    }

    fn record(
        &self,
        moving: &Moving<'_>,
        partition: &TopicPartition,
        record: &Record,
        at: (usize, usize),
        train: usize,
    ) -> Item {
        let look = self.input.palette.of(record);
        let key = look.map(|look| look.color);
        let goal = self.goal(moving, partition, at);
        let size = match self.detail {
            Detail::Chips => (goal.width.clamp(22.0, 108.0), CHIP_HEIGHT.min(goal.height.max(16.0))),
            _ => (8.0, 8.0),
        };
        let center = self.record_center(moving, goal, size, train);
        if self.detail == Detail::Chips {
            let x = (center.0 - size.0 / 2.0).clamp(0.0, self.stage.width - size.0);
            let area = Area::new(x, (center.1 - size.1 / 2.0).max(0.0), size.0, size.1);
            let class = Class::new(Role::Chip).key(key).mark(Mark::Lit, true);
            return Item::new(class, chip(area, look, record, size.0 >= 40.0));
        }
        let class = Class::new(Role::Dot).key(key);
        Item::new(class, Shape::Circle { x: center.0.clamp(4.0, self.stage.width - 4.0), y: center.1, radius: 4.0 })
    }

    /// Beside the pill at first, then on a straight flight to the goal.
    fn record_center(&self, moving: &Moving<'_>, goal: Area, size: (f32, f32), train: usize) -> Point {
        let pill = point_on(&moving.way, moving.pill_place());
        let row = train.min(TRAIN) as f32;
        let beside = (pill.0, pill.1 + PILL_HEIGHT / 2.0 + 5.0 + size.1 / 2.0 + row * (size.1 * 0.6));
        let flight = ((moving.place - SPREAD) / (1.0 - SPREAD)).clamp(0.0, 1.0);
        let (x, y) = goal.center();
        (beside.0 + (x - beside.0) * flight, beside.1 + (y - beside.1) * flight)
    }

    /// Where a record will stand: after those that are on the lane, or on the reader's card.
    fn goal(&self, moving: &Moving<'_>, partition: &TopicPartition, at: (usize, usize)) -> Area {
        if moving.message.is_response {
            let end = moving.way[3];
            return Area::new(end.0 - 11.0, end.1 - 8.0, 22.0, 16.0);
        }
        let lane = self.stage.lane(&partition.topic, partition.partition);
        let count =
            partition_of(self.input.snapshot, &partition.topic, partition.partition).map_or(0, |one| one.record_count);
        lane.map_or_else(
            || Area::new(moving.way[3].0, moving.way[3].1, 0.0, 0.0),
            |lane| lane.landing(count, at.0, at.1),
        )
    }
}

/// A coordinate of a pill's middle, kept off both ends of its way; the middle of a way that is too short.
fn between(at: f32, start: f32, end: f32, size: f32) -> f32 {
    let (low, high) = (start.min(end) + size / 2.0 + PILL_GAP, start.max(end) - size / 2.0 - PILL_GAP);
    if low > high { (low + high) / 2.0 } else { at.clamp(low, high) }
}

/// Slow at both ends.
fn eased(place: f32) -> f32 {
    place * place * (3.0 - 2.0 * place)
}

/// The point of a cubic curve.
pub(crate) fn point_on(curve: &[Point; 4], place: f32) -> Point {
    let rest = 1.0 - place;
    let parts = [rest * rest * rest, 3.0 * rest * rest * place, 3.0 * rest * place * place, place * place * place];
    let sum = |of: fn(&Point) -> f32| curve.iter().zip(parts).map(|(point, part)| of(point) * part).sum();
    (sum(|point| point.0), sum(|point| point.1))
}

/// Whether an event is old enough to leave no trace in a frame.
pub(crate) fn age(input: &FrameInput<'_>, event: &Event) -> Option<u64> {
    let at = input.pace.display(input.mode, event.moment)?;
    Some(input.display.saturating_sub(at))
}

/// The message that an event lost.
pub(crate) fn lost(event: &Event) -> Option<&MessageView> {
    if let EventKind::MessageLost { message } = &event.kind { Some(message) } else { None }
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
