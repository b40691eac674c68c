//! Many partitions in the still layer: a strip of squares per broker, with counts of what it leads and follows.
//!
//! Its size is bounded whatever the number of partitions, replicas and records; see `layout/brokers.rs`.

use std::rc::Rc;

use engine::snapshot::PartitionSnapshot;

use super::lane::paused_tile;
use super::words::{counted, records};
use super::{Draw, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::layout::{STRIP_FOOT, STRIP_HEAD};
use crate::stage::{Area, BrokerBox, LaneBox, LaneForm, QuietBox, shown_topics};
use crate::text;

/// Replicas of one broker, counted.
#[derive(Default)]
struct Counts {
    leaders: u64,
    records: u64,
    followers: u64,
    out_of_sync: u64,
    under_replicated: u64,
}

impl Draw<'_> {
    /// A square for one partition or several. None if the snapshot does not know them.
    pub(super) fn cell(&self, lane: &LaneBox, most: u64) -> Option<Item> {
        let area = lane.area;
        if let LaneForm::More(count) = lane.form {
            let label = format!("{} more", counted(count as u64, "partition", "partitions"));
            let words =
                text::fit(&format!("+{}", text::count(count as u64)).into(), area.width - 6.0, 11.0, Face::Mono);
            let at = (area.center().0, area.y + 15.0);
            let words = line(Role::TileName, at, words, 11.0, Face::Mono, Anchor::Middle);
            return Some(Item::new(Role::Tile, rect(area, 5.0)).id(lane.id.clone()).label(label).with(vec![words]));
        }
        let count = self.count(lane);
        let (first, last) = (lane.partitions.first()?, lane.partitions.last()?);
        let is_short = self.partitions(lane).any(is_under_replicated);
        let class = Class::new(Role::Tile).mark(Mark::Bad, is_short).mark(Mark::Selected, self.is_selected(&lane.id));
        let (strips, is_paused) = self.strips(lane);
        let mut children = paused_tile(area, is_paused);
        children.extend(strips);
        let number = first.to_string();
        if first == last
            && (!self.stage.is_merged || shown_topics(self.snapshot).count() == 1)
            && text::width(&number, 11.0, Face::Mono) <= area.width - 2.0
        {
            // A bar may stand below it where partitions are counted.
            let at = (area.center().0, area.y + if self.stage.is_merged { 13.0 } else { 15.0 });
            children.push(line(Role::TileName, at, number.into(), 11.0, Face::Mono, Anchor::Middle));
        }
        if count > 0 {
            let width = ((area.width - 6.0) * (count as f32 / most as f32)).max(2.0);
            children.push(Item::new(Role::Bar, rect(Area::new(area.x + 3.0, area.bottom() - 5.5, width, 2.5), 1.0)));
        }
        if is_short {
            let sign = Shape::Glyph { x: area.right() - 3.0, y: area.y + 3.0, radius: 3.5, glyph: 1 };
            children.push(Item::new(Role::Lost, sign));
        }
        let mut label = match self.partitions(lane).next() {
            Some(partition) if first == last => self.describe(lane, partition),
            _ => format!("{} {} partitions, {first} to {last}, {}", lane.partitions.len(), lane.topic, records(count)),
        };
        if is_short {
            label.push_str(", under-replicated");
        }
        Some(Item::new(class, rect(area, 5.0)).id(lane.id.clone()).label(label).with(children))
    }

    /// The names of topics before the boxes of their quiet partitions.
    pub(super) fn quiet_names(&self, broker: Option<u32>) -> Vec<Item> {
        let here = self.stage.quiet.iter().filter(|one| one.broker == broker);
        let name = |one: &QuietBox| {
            let (area, y) = (one.area, one.area.y + 15.0);
            let room = area.width - if one.is_beside { 14.0 } else { 10.0 };
            let words = text::fit_middle(&one.topic, room + 0.1, 12.0, Face::Mono);
            let (x, anchor) = if one.is_beside { (area.x + room, Anchor::End) } else { (area.x, Anchor::Start) };
            line(Role::LaneName, (x, y), words, 12.0, Face::Mono, anchor)
                .label(format!("{}, partitions without a record", one.topic))
        };
        here.map(name).collect()
    }

    /// The counts above the squares of a broker.
    pub(super) fn leader_counts(&self, broker: &BrokerBox) -> Option<Item> {
        let area = broker.area;
        let counts = self.counts(broker.broker);
        let led = format!("{} · {}", counted(counts.leaders, "leader", "leaders"), records(counts.records));
        // Rows of groups and logs of transactional ids stand above.
        let seats = self.stage.seats.iter().filter(|seat| Some(seat.broker) == broker.broker);
        let logs = self.stage.coordinators.iter().filter(|log| Some(log.broker) == broker.broker);
        let above = seats.map(|seat| seat.area.bottom() + 16.0).chain(logs.map(|log| log.outer.bottom() + 12.0));
        let top = above.fold(area.y + 42.0, f32::max);
        sentence(led, (area.x + 16.0, top - 6.0 + STRIP_HEAD - 9.0), area.width - 32.0, Role::LaneName)
    }

    /// The counts of followers below the squares or lanes of a broker.
    pub(super) fn follower_counts(&self, broker: &BrokerBox) -> Vec<Item> {
        let area = broker.area;
        let counts = self.counts(broker.broker);
        let (left, room) = (area.x + 16.0, area.width - 32.0);
        let mut items = Vec::new();
        let top = area.bottom() - STRIP_FOOT - 8.0;
        let mut followers = counted(counts.followers, "follower", "followers");
        if counts.out_of_sync > 0 {
            followers.push_str(&format!(", {} out of sync", text::count(counts.out_of_sync)));
        }
        items.extend(sentence(followers, (left, top + 18.0), room, Role::LaneName));
        items.extend(follower_bar(&counts, Area::new(left, top + 25.0, room, 5.0)));
        let class = if counts.under_replicated > 0 {
            Class::new(Role::TagText).mark(Mark::Bad, true)
        } else {
            Class::new(Role::LaneCount)
        };
        let short = format!("{} under-replicated", text::count(counts.under_replicated));
        items.extend(sentence(short, (left, top + 46.0), room, class));
        items
    }

    fn counts(&self, broker: Option<u32>) -> Counts {
        let mut counts = Counts::default();
        for partition in shown_topics(self.snapshot).flat_map(|topic| &topic.partitions) {
            if partition.leader == broker {
                counts.leaders += 1;
                counts.records += partition.record_count;
                counts.under_replicated += u64::from(is_under_replicated(partition));
            } else if broker.is_some_and(|broker| partition.replicas.contains(&broker)) {
                counts.followers += 1;
                counts.out_of_sync += u64::from(broker.is_some_and(|broker| !partition.isr.contains(&broker)));
            }
        }
        counts
    }
}

fn sentence(words: String, at: (f32, f32), room: f32, class: impl Into<Class>) -> Option<Item> {
    let words: Rc<str> = text::fit(&words.into(), room, 12.0, Face::Sans);
    (!words.is_empty()).then(|| line(class, at, words, 12.0, Face::Sans, Anchor::Start))
}

/// Followers that are in sync as a full bar, the others as a dashed rest.
fn follower_bar(counts: &Counts, at: Area) -> Vec<Item> {
    if counts.followers == 0 {
        return vec![Item::new(Role::BarTrack, rect(at, 2.0))];
    }
    let share = (counts.followers - counts.out_of_sync) as f32 / counts.followers as f32;
    let full = Area { width: (at.width * share).floor(), ..at };
    let mut items = Vec::new();
    if counts.out_of_sync > 0 {
        let rest = Area { x: full.right(), width: at.right() - full.right(), ..at };
        items.push(Item::new(Role::Gap, rect(rest, 2.0)));
    }
    if full.width > 0.0 {
        items.push(Item::new(Class::new(Role::Bar).key(Some(11)), rect(full, 2.0)));
    }
    items
}

fn is_under_replicated(partition: &PartitionSnapshot) -> bool {
    partition.isr.len() < partition.replicas.len()
}
