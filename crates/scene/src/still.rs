//! The layer that stands still: cards, brokers, lanes and the records in them.
//!
//! Changes only when the state changes; what moves is in `frame.rs`.

mod card;
mod lane;

pub(crate) use card::{producer_words, reader_words};
pub(crate) use lane::{chip, describe, key_words, record_id};

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::Snapshot;
use engine::event::Name;
use engine::snapshot::PartitionSnapshot;

use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, DisplayList, Face, Item, Shape};
use crate::palette::Palette;
use crate::stage::{BrokerBox, LaneBox, LaneForm, Stage};
use crate::text;

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
    let draw = Draw { stage, snapshot, options };
    let mut items = Vec::new();
    if let Some((title, (x, y))) = &stage.title {
        items.push(line(Role::BrokerTitle, (*x, *y), title.clone(), 13.0, Face::SansBold, Anchor::Start));
    }
    items.extend(draw.links());
    items.extend(stage.producers.iter().filter_map(|card| draw.producer(card)));
    items.extend(draw.brokers());
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
}

impl Draw<'_> {
    fn is_selected(&self, id: &str) -> bool {
        self.options.selected == Some(id)
    }

    fn links(&self) -> impl Iterator<Item = Item> {
        self.stage.links.iter().map(|link| {
            let busy = self.snapshot.in_flight.iter().any(|message| {
                let way = message.is_notable.then(|| self.stage.way(&message.from, &message.to)).flatten();
                way.is_some_and(|way| {
                    let back = [way[3], way[2], way[1], way[0]];
                    way == link.curve || back == link.curve
                })
            });
            Item::new(Class::new(Role::Link).mark(Mark::Lit, busy), Shape::Curve(link.curve))
        })
    }

    fn brokers(&self) -> Vec<Item> {
        let mut lanes: Vec<Vec<Item>> = vec![Vec::new(); self.stage.brokers.len()];
        let most = self.most_records();
        for lane in &self.stage.lanes {
            let home = self.stage.brokers.iter().position(|broker| {
                let (x, y) = lane.area.center();
                (broker.area.x..broker.area.right()).contains(&x) && (broker.area.y..broker.area.bottom()).contains(&y)
            });
            let item = match lane.form {
                LaneForm::Tile => self.tile(lane, most),
                _ => self.lane(lane),
            };
            if let (Some(home), Some(item)) = (home, item) {
                lanes[home].push(item);
            }
        }
        self.stage.brokers.iter().zip(lanes).map(|(broker, lanes)| self.broker(broker, lanes)).collect()
    }

    fn broker(&self, broker: &BrokerBox, lanes: Vec<Item>) -> Item {
        let area = broker.area;
        let state = self.snapshot.brokers.iter().find(|one| Some(one.id) == broker.broker);
        let name = broker.broker.map_or_else(|| "No leader".to_string(), |id| format!("Broker {id}"));
        let mut remarks = Vec::new();
        if let Some(state) = state {
            if state.is_controller {
                remarks.push("controller".to_string());
            }
            remarks.extend(state.rack.as_ref().map(|rack| format!("rack {rack}")));
            if state.queue_size > 1 {
                remarks.push(format!("{} requests waiting", state.queue_size));
            }
        }
        let label: Rc<str> = match (lanes.is_empty(), remarks.is_empty()) {
            (true, true) => format!("{name}, leads no partition").into(),
            (true, false) => format!("{name}, {}, leads no partition", remarks.join(", ")).into(),
            (false, true) => name.clone().into(),
            (false, false) => format!("{name}, {}", remarks.join(", ")).into(),
        };
        if lanes.is_empty() && broker.broker.is_some() {
            remarks.push("leads no partition".to_string());
        }
        let mut children = vec![];
        let name_width = text::width(&name, 13.0, Face::SansBold);
        children.push(line(
            Role::BrokerTitle,
            (area.x + 16.0, area.y + 25.0),
            name.into(),
            13.0,
            Face::SansBold,
            Anchor::Start,
        ));
        if !remarks.is_empty() {
            let remark = text::fit(&remarks.join(" · ").into(), area.width - 44.0 - name_width, 12.0, Face::Sans);
            children.push(line(
                Role::Badge,
                (area.right() - 16.0, area.y + 25.0),
                remark,
                12.0,
                Face::Sans,
                Anchor::End,
            ));
        }
        children.extend(self.topic_heads(broker));
        children.extend(lanes);
        let class = Class::new(Role::Broker).mark(Mark::Selected, self.is_selected(&broker.id));
        Item::new(class, rect(area, 14.0)).id(broker.id.clone()).label(label).with(children)
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

/// "1 record", "12 records".
pub(crate) fn records(count: u64) -> String {
    format!("{} {}", text::count(count), if count == 1 { "record" } else { "records" })
}
