//! Partitions in the still layer: leaders' lanes with their records and ticks, and tiles.
//!
//! Followers are in `replica.rs`, flags in `flags.rs`, records in `record.rs`.

use std::rc::Rc;

use engine::snapshot::{PartitionSnapshot, PositionSnapshot};

use super::group_words::places_words;
use super::share::shared_words;
use super::words::{describe, records};
use super::{Draw, flags, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::log::Log;
use crate::members::membership;
use crate::stage::{Area, BrokerBox, LaneBox, LaneForm, LaneKind, Window};
use crate::text;

impl Draw<'_> {
    /// A leader's log as a lane. None if the snapshot does not know the partition.
    pub(super) fn lane(&self, lane: &LaneBox) -> Option<Item> {
        let partition = self.partitions(lane).next()?;
        if lane.kind == LaneKind::Follower {
            return Some(self.follower(lane, partition));
        }
        let log = Log::of(lane, partition);
        let window = lane.window(&log);
        let mut children = self.lane_words(lane, partition);
        children.extend(self.leader_tags(lane, partition));
        children.extend(self.producer_tags_beside(lane, partition));
        let class = Class::new(Role::Lane)
            .mark(Mark::Diff, self.is_paused(lane, partition))
            .mark(Mark::Selected, self.is_selected(&lane.id));
        children.extend(flags::body(lane, class, window, &log));
        children.extend(self.pauses(lane, partition));
        children.extend(self.cells_of_log(lane, window, &log));
        if lane.form != LaneForm::Row {
            children.extend(flags::ruler(lane, window, &log, self.stage.is_replicated));
            children.extend(self.ticks(lane, window, &log, partition));
            children.extend(flags::flags(lane, window, &log));
        }
        children.extend(self.standing(lane, window, &log, partition));
        children.extend(self.tabs(lane, partition));
        children.extend(self.shares(lane, window, &log, partition));
        let group = Item::new(Role::Group, rect(lane.outer, 8.0));
        Some(group.id(lane.id.clone()).label(self.describe(lane, partition)).with(children))
    }

    /// A lane in one sentence, with what groups do there.
    pub(super) fn describe(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> String {
        describe(lane, partition)
            + &places_words(&self.groups, &lane.topic, partition)
            + &shared_words(self.snapshot, &self.groups, &lane.topic, partition.partition)
    }

    /// Records, the count of older ones, and gaps between them.
    pub(super) fn cells_of_log(&self, lane: &LaneBox, window: Window, log: &Log<'_>) -> Vec<Item> {
        let first = log.records.len() - window.shown;
        let mut cells = Vec::new();
        if window.older > 0 {
            cells.push(older(lane, window));
        }
        for (index, record) in log.records[first..].iter().enumerate() {
            cells.extend(flags::gap(lane, window, log, index));
            cells.push(self.record(lane, lane.slot(window, index), record));
        }
        cells.extend(flags::gap(lane, window, log, window.shown));
        cells
    }

    /// Name and count of a lane.
    fn lane_words(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> Vec<Item> {
        let (outer, area) = (lane.outer, lane.area);
        let name: Rc<str> = match self.stage.has_short_names {
            true => format!("p{}", partition.partition),
            false => format!("{}-{}", lane.topic, partition.partition),
        }
        .into();
        let count: Rc<str> = records(partition.record_count).into();
        match lane.form {
            LaneForm::Tall => {
                let room = outer.width - text::width(&count, 11.0, Face::Sans) - 12.0;
                let name = text::fit_middle(&name, room, 12.0, Face::Mono);
                vec![
                    line(Role::LaneName, (outer.x, outer.y + 13.0), name, 12.0, Face::Mono, Anchor::Start),
                    line(Role::LaneCount, (outer.right(), outer.y + 13.0), count, 11.0, Face::Sans, Anchor::End),
                ]
            }
            LaneForm::Row => {
                let name = text::fit_middle(&name, area.x - outer.x - 8.0, 12.0, Face::Mono);
                let mut words =
                    vec![line(Role::LaneName, (area.x - 10.0, area.y + 16.0), name, 12.0, Face::Mono, Anchor::End)];
                // Where replicas are missing their number is told instead.
                let is_whole = partition.isr.len() >= partition.replicas.len() || !self.stage.is_replicated;
                if is_whole && lane.tabs_end() < outer.right() - 8.0 {
                    let count: Rc<str> = text::count(partition.record_count).into();
                    let at = (outer.right(), area.y + 16.0);
                    words.push(line(Role::LaneCount, at, count, 11.0, Face::Mono, Anchor::End));
                }
                words
            }
            _ => {
                let room = area.x - outer.x - 12.0;
                let name = text::fit_middle(&name, room, 12.0, Face::Mono);
                let count = text::fit(&count, room, 11.0, Face::Sans);
                vec![
                    line(Role::LaneName, (area.x - 14.0, area.y + 17.0), name, 12.0, Face::Mono, Anchor::End),
                    line(Role::LaneCount, (area.x - 14.0, area.y + 33.0), count, 11.0, Face::Sans, Anchor::End),
                ]
            }
        }
    }

    /// Where readers stand: small triangles under the lane that they read from, between the offsets.
    pub(super) fn ticks(
        &self,
        lane: &LaneBox,
        window: Window,
        log: &Log<'_>,
        partition: &PartitionSnapshot,
    ) -> Vec<Item> {
        let mut ticks = Vec::new();
        for reader in self.snapshot.consumers.iter().filter(|reader| membership(reader).is_none()) {
            let here = |at: &&PositionSnapshot| at.topic == lane.topic && at.partition == partition.partition;
            let Some(position) = reader.positions.iter().find(here) else { continue };
            if position.read_from.or(partition.leader) != lane.broker {
                continue;
            }
            let Some(x) = flags::boundary(lane, window, log, position.position) else { continue };
            let figure = Shape::Glyph { x, y: lane.area.bottom() + 6.0, radius: 4.0, glyph: 1 };
            let label = format!(
                "{} reads {}-{} from offset {}",
                reader.name, lane.topic, partition.partition, position.position
            );
            ticks.push(Item::new(Role::Tick, figure).label(label));
        }
        ticks
    }

    /// A tile of one or more partitions, with a bar for its share of the records.
    pub(super) fn tile(&self, lane: &LaneBox, most: u64) -> Option<Item> {
        let count = self.count(lane);
        let (first, last) = (lane.partitions.first()?, lane.partitions.last()?);
        let area = lane.area;
        let name: Rc<str> = if first == last { first.to_string() } else { format!("{first}–{last}") }.into();
        let room = area.width - 14.0;
        let name = text::fit(&name, room, 11.0, Face::Mono);
        let words: Rc<str> = text::count(count).into();
        let words = text::fit(&words, room, 12.0, Face::MonoBold);
        let class = Class::new(Role::Tile).mark(Mark::Selected, self.is_selected(&lane.id));
        let (strips, is_paused) = self.strips(lane);
        let mut children = paused_tile(area, is_paused);
        children.extend(strips);
        children.extend([
            line(Role::TileName, (area.x + 8.0, area.y + 15.0), name, 11.0, Face::Mono, Anchor::Start),
            line(Role::TileCount, (area.x + 8.0, area.y + 30.0), words, 12.0, Face::MonoBold, Anchor::Start),
        ]);
        if count > 0 {
            let width = ((area.width - 16.0) * (count as f32 / most as f32)).max(2.0);
            children.push(Item::new(Role::Bar, rect(Area::new(area.x + 8.0, area.bottom() - 6.0, width, 3.0), 1.5)));
        }
        let label = if first == last {
            format!("{}-{first}, {}", lane.topic, records(count))
        } else {
            format!("{} {} partitions, {first} to {last}, {}", lane.partitions.len(), lane.topic, records(count))
        };
        Some(Item::new(class, rect(area, 7.0)).id(lane.id.clone()).label(label).with(children))
    }

    /// The names of topics above their tiles.
    pub(super) fn topic_heads(&self, broker: &BrokerBox) -> Vec<Item> {
        let mut heads: Vec<Item> = Vec::new();
        let mut before = None;
        for lane in self.stage.lanes.iter().filter(|lane| lane.form == LaneForm::Tile) {
            let (x, y) = lane.area.center();
            let area = broker.area;
            if !(area.x..area.right()).contains(&x)
                || !(area.y..area.bottom()).contains(&y)
                || before == Some(&lane.topic)
            {
                continue;
            }
            before = Some(&lane.topic);
            let led = self
                .snapshot
                .topics
                .iter()
                .find(|topic| topic.name == lane.topic)
                .map_or(0, |topic| topic.partitions.iter().filter(|one| one.leader == broker.broker).count());
            let words: Rc<str> =
                format!("{}, {led} {}", lane.topic, if led == 1 { "partition" } else { "partitions" }).into();
            let words = text::fit(&words, area.right() - lane.area.x - 16.0, 12.0, Face::Mono);
            heads.push(line(Role::LaneName, (lane.area.x, lane.area.y - 8.0), words, 12.0, Face::Mono, Anchor::Start));
        }
        heads
    }
}

/// Hatches over a tile or a square of which nobody of a group may read something.
pub(super) fn paused_tile(area: Area, is_paused: bool) -> Vec<Item> {
    let class = Class::new(Role::Lane).mark(Mark::Diff, true);
    let hatch = Shape::Hatch { x: area.x + 1.0, y: area.y + 1.0, width: area.width - 2.0, height: area.height - 2.0 };
    is_paused.then(|| Item::new(class, hatch).label("paused")).into_iter().collect()
}

fn older(lane: &LaneBox, window: Window) -> Item {
    let words: Rc<str> = format!("+{}", text::count(window.older)).into();
    let at = (lane.area.x + 10.0, lane.area.y + lane.area.height / 2.0 + 4.0);
    let words = text::fit(&words, 40.0, 11.0, Face::Mono);
    line(Role::Older, at, words, 11.0, Face::Mono, Anchor::Start).label(format!("{} older", records(window.older)))
}
