//! What groups do on lanes: tabs in the colors of owners, hatches where nobody may read, positions, commits and lag.
//!
//! Who owns what is found in `members.rs`.

use engine::snapshot::PartitionSnapshot;

use super::{Draw, flags, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::layout::TABS;
use crate::log::Log;
use crate::members::Place;
use crate::stage::{Area, LaneBox, LaneForm, Window};

/// Room for bars of lag below the records.
const LAG: f32 = 5.0;
const TICK: f32 = 4.0;

impl Draw<'_> {
    /// What groups do with a lane's partition: as many groups as are told on lanes.
    fn places<'b>(&'b self, lane: &'b LaneBox, partition: &PartitionSnapshot) -> &'b [Place] {
        if !lane.id.starts_with("partition:") {
            return &[];
        }
        let places = self.groups.places(&lane.topic, partition.partition);
        &places[..places.len().min(TABS)]
    }

    /// Whether no group at all may read it: then the whole lane is paused.
    pub(super) fn is_paused(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> bool {
        let places = self.places(lane, partition);
        !places.is_empty() && places.iter().all(|place| place.is_paused)
    }

    /// Hatches on the lane, under its records: a band for each group of which nobody may read it.
    pub(super) fn pauses(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> Vec<Item> {
        let places = self.places(lane, partition);
        let area = lane.area;
        let height = (area.height - 2.0) / places.len().max(1) as f32;
        let paused = places.iter().enumerate().filter(|(_, place)| place.is_paused);
        let band = |(number, place): (usize, &Place)| {
            let class = Class::new(Role::Lane).mark(Mark::Diff, true);
            let y = area.y + 1.0 + number as f32 * height;
            let shape = Shape::Hatch { x: area.x + 1.0, y, width: area.width - 2.0, height };
            Item::new(class, shape).label(format!("paused for {}", self.groups.groups[place.group].name))
        };
        paused.map(band).collect()
    }

    /// A tab for each group: full in the color of the owner, an outline while it does not read, empty without one.
    pub(super) fn tabs(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> Vec<Item> {
        let places = self.places(lane, partition);
        places.iter().take(lane.tabs).enumerate().flat_map(|(number, place)| self.tab(lane, number, *place)).collect()
    }

    fn tab(&self, lane: &LaneBox, number: usize, place: Place) -> Vec<Item> {
        let area = lane.tab(number);
        let group = self.groups.groups[place.group].name;
        let Some(owner) = self.groups.owner(place) else {
            let class = Class::new(Role::Owner).mark(Mark::Muted, true);
            return vec![Item::new(class, rect(area, 5.0)).label(format!("nobody of {group} owns it"))];
        };
        let is_idle = place.is_paused || owner.is_still();
        let class = Class::new(Role::Owner).key(Some(owner.look.color)).mark(Mark::Muted, is_idle);
        let letter = crate::text::fit(&owner.look.letter, area.width + 3.0, 11.0, Face::MonoBold);
        let at = (area.center().0, area.center().1 + 4.0);
        vec![
            Item::new(class, rect(area, 5.0)).label(format!("owned by {} of {group}", owner.consumer.name)),
            line(class, at, letter, 11.0, Face::MonoBold, Anchor::Middle),
        ]
    }

    /// Lag as a bar at the foot of the lane from the position to the high watermark, the committed offset as a line,
    /// the position as a small triangle below.
    pub(super) fn standing(
        &self,
        lane: &LaneBox,
        window: Window,
        log: &Log<'_>,
        partition: &PartitionSnapshot,
    ) -> Vec<Item> {
        let mut items = Vec::new();
        let places = self.places(lane, partition);
        let pitch = LAG / places.len().max(1) as f32;
        let height = (pitch - 0.5).min(3.0);
        for (number, place) in places.iter().enumerate() {
            let progress = self.groups.progress(*place, &lane.topic, partition);
            let key = self.groups.owner(*place).map(|owner| owner.look.color);
            let class = |role: Role| Class::new(role).key(key);
            let group = self.groups.groups[place.group].name;
            let y = lane.area.bottom() - 1.0 - number as f32 * pitch - height;
            let x_of = |offset: u64| flags::boundary(lane, window, log, offset);
            let from = progress.position.or(progress.committed);
            if let (Some(from), Some(end), Some(lag)) =
                (from, x_of(log.high_watermark), progress.lag.filter(|lag| *lag > 0))
            {
                let start = x_of(from).unwrap_or(lane.area.x + 2.0);
                let bar = Area::new(start, y, (end - start).max(1.0), height);
                items.push(Item::new(class(Role::Lag), rect(bar, 1.5)).label(format!("lag {lag} of {group}")));
            }
            if let Some((offset, x)) = progress.committed.and_then(|offset| Some((offset, x_of(offset)?))) {
                let top = lane.area.bottom() - (lane.area.height * 0.42).round();
                let line = Shape::Line { from: (x, top), to: (x, lane.area.bottom() - 1.0) };
                items.push(Item::new(class(Role::Commit), line).label(format!("{group} committed {offset}")));
            }
            if let Some((offset, x)) = progress.position.and_then(|offset| Some((offset, x_of(offset)?))) {
                let radius = if lane.form == LaneForm::Row { 3.0 } else { TICK };
                let figure = Shape::Glyph { x, y: lane.area.bottom() + radius + 1.0, radius, glyph: 1 };
                items.push(Item::new(class(Role::Tick), figure).label(format!("{group} reads from offset {offset}")));
            }
        }
        items
    }

    /// The strips of owners on a tile or a square, and whether any of its partitions is paused.
    pub(super) fn strips(&self, lane: &LaneBox) -> (Vec<Item>, bool) {
        let count = self.groups.groups.len().min(lane.tabs);
        let mut items = Vec::new();
        let mut is_paused = false;
        for number in 0..count {
            let mut owners = Vec::new();
            for partition in &lane.partitions {
                let place = self.groups.places(&lane.topic, *partition).iter().find(|place| place.group == number);
                let Some(place) = place else { continue };
                is_paused |= place.is_paused;
                owners.push(self.groups.owner(*place).map(|owner| owner.look.color));
            }
            // Where several members share a tile, their own squares tell more.
            let Some(first) = owners.first().filter(|first| owners.iter().all(|owner| owner == *first)) else {
                continue;
            };
            let class = Class::new(Role::Owner).key(*first).mark(Mark::Muted, first.is_none());
            items.push(Item::new(class, rect(lane.tab(number), 2.0)));
        }
        (items, is_paused)
    }
}
