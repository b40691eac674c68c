//! The layer that stands still: cards, brokers, lanes and the records in them.
//!
//! Changes only when the state changes; what moves is in `frame.rs`.

mod broker;
mod card;
mod cells;
mod flags;
mod group;
mod group_words;
mod lane;
mod links;
mod member;
mod owner;
mod producer;
mod record;
mod replica;
mod share;
mod transaction;
mod words;

pub(crate) use card::reader_words;
pub(crate) use group::{head_pill, seat_pill};
pub(crate) use group_words::{group_words, member_words, places_words};
pub(crate) use links::{FAULTS, slow_links};
pub(crate) use producer::{call_area, clock_bar, clock_end, producer_words};
pub(crate) use record::{chip, diamond, marker_of};
pub(crate) use replica::tag_item;
pub(crate) use share::shared_words;
pub(crate) use transaction::{identity_words, of_state, state_area};
pub(crate) use words::{broker_states, counted, describe, record_words, records, transaction_words};

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::Snapshot;
use engine::event::Name;
use engine::snapshot::PartitionSnapshot;

use crate::class::{Class, Role};
use crate::display::{Anchor, DisplayList, Face, Item, Shape};
use crate::members::Groups;
use crate::palette::Palette;
use crate::stage::{BrokerBox, LaneBox, Stage};

/// Keys, as topic and bytes, that land in another partition on the other side; see `Comparison::elsewhere`.
pub type DiffKeys = BTreeSet<(Name, Rc<[u8]>)>;

/// What the still layer shows besides the state.
#[derive(Clone, Copy, Debug)]
pub struct StillOptions<'a> {
    /// The colors of keys.
    pub palette: &'a Palette,
    /// The id of what is selected.
    pub selected: Option<&'a str>,
    /// Keys whose records are marked as landing elsewhere.
    pub diff: Option<&'a DiffKeys>,
}

impl<'a> StillOptions<'a> {
    /// Nothing selected, nothing marked.
    pub fn new(palette: &'a Palette) -> StillOptions<'a> {
        StillOptions { palette, selected: None, diff: None }
    }
}

/// Draws the state of a snapshot on a stage that was laid out for it, or for an earlier one of the same
/// things.
pub fn still(stage: &Stage, snapshot: &Snapshot, options: &StillOptions<'_>) -> DisplayList {
    let draw = Draw { stage, snapshot, options, groups: Groups::of(snapshot) };
    let mut items = Vec::new();
    if let Some((title, (x, y))) = &stage.title {
        items.push(line(Role::BrokerTitle, (*x, *y), title.clone(), 13.0, Face::SansBold, Anchor::Start));
    }
    items.extend(draw.links());
    items.extend(stage.producers.iter().filter_map(|card| draw.producer(card)));
    items.extend(draw.racks());
    items.extend(draw.brokers());
    items.extend(draw.broken_links());
    items.extend(draw.groups());
    items.extend(stage.readers.iter().filter_map(|card| draw.reader(card)));
    for (note, (x, y)) in &stage.notes {
        items.push(line(Role::Note, (*x, *y), note.clone(), 13.0, Face::Sans, Anchor::Start));
    }
    DisplayList { width: stage.width, height: stage.height, items }
}

struct Draw<'a> {
    stage: &'a Stage,
    snapshot: &'a Snapshot,
    options: &'a StillOptions<'a>,
    groups: Groups<'a>,
}

impl Draw<'_> {
    fn is_selected(&self, id: &str) -> bool {
        self.options.selected == Some(id)
    }

    fn most_records(&self) -> u64 {
        let counts = self.stage.lanes.iter().map(|lane| self.count(lane));
        counts.max().unwrap_or(0)
    }

    fn count(&self, lane: &LaneBox) -> u64 {
        self.partitions(lane).map(|partition| partition.record_count).sum()
    }

    fn partitions<'b>(&'b self, lane: &'b LaneBox) -> impl Iterator<Item = &'b PartitionSnapshot> + 'b {
        lane.partitions.iter().filter_map(|partition| partition_of(self.snapshot, &lane.topic, *partition))
    }
}

/// What is free in the head of a broker: left and right end.
pub(crate) fn head_room(stage: &Stage, snapshot: &Snapshot, palette: &Palette, broker: &BrokerBox) -> (f32, f32) {
    // Nothing in a head depends on groups.
    Draw { stage, snapshot, options: &StillOptions::new(palette), groups: Groups::default() }.head_room(broker)
}

/// A partition of a snapshot.
pub(crate) fn partition_of<'a>(snapshot: &'a Snapshot, topic: &str, partition: u32) -> Option<&'a PartitionSnapshot> {
    let topic = snapshot.topics.iter().find(|one| &*one.name == topic)?;
    topic.partitions.get(partition as usize)
}

pub(crate) fn rect(area: crate::stage::Area, radius: f32) -> Shape {
    Shape::Rect { x: area.x, y: area.y, width: area.width, height: area.height, radius }
}

pub(crate) fn line(
    class: impl Into<Class>,
    (x, y): (f32, f32),
    text: Rc<str>,
    size: f32,
    face: Face,
    anchor: Anchor,
) -> Item {
    Item::new(class, Shape::Text { x, y, text, size, face, anchor })
}

#[cfg(test)]
#[path = "still_tests.rs"]
mod tests;
