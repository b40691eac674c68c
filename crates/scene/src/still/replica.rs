//! Followers in the still layer: thin lanes behind the leaders', and the tags that say what a replica is.
//!
//! What a tag says comes from `words.rs`; which broker a lane is in was decided by the layout.

use std::rc::Rc;

use engine::snapshot::{BrokerState, PartitionSnapshot};

use super::words::{ReplicaState, describe, replica_states};
use super::{Draw, flags, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::log::{Log, replica_of};
use crate::stage::{Area, LaneBox, LaneForm, Window};
use crate::text;

const TAG_HEIGHT: f32 = 16.0;
const TAG_GAP: f32 = 4.0;
/// Records of a replica that is not in sync, or whose broker is down: faded, and their keys can still be read.
const FADED: f32 = 0.62;
/// A name is not cut below this width to make room for tags.
const NAME_MIN: f32 = 58.0;

/// A small box with a word.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub word: Rc<str>,
    pub mark: Option<Mark>,
}

impl Tag {
    pub fn new(word: impl Into<Rc<str>>, mark: Option<Mark>) -> Tag {
        Tag { word: word.into(), mark }
    }

    fn width(&self) -> f32 {
        text::width(&self.word, 11.0, Face::Sans).ceil() + 10.0
    }

    fn item(&self, x: f32, y: f32) -> Item {
        let class = |role: Role| {
            let class = Class::new(role);
            self.mark.map_or(class, |mark| class.mark(mark, true))
        };
        let at = (x + self.width() / 2.0, y + 12.0);
        let word = line(class(Role::TagText), at, self.word.clone(), 11.0, Face::Sans, Anchor::Middle);
        Item::new(class(Role::Tag), rect(Area::new(x, y, self.width(), TAG_HEIGHT), 4.0)).with(vec![word])
    }
}

/// One tag at a right end, and where it begins; none if there is no room for it.
pub(crate) fn tag_item(word: &str, mark: Option<Mark>, left: f32, right: f32, y: f32) -> Option<(Item, f32)> {
    let tag = Tag::new(word, mark);
    let x = right - tag.width();
    (x >= left).then(|| (tag.item(x, y), x))
}

/// Tags from a left end on, as many as fit; returns them and where they end.
pub(super) fn tags_from(tags: &[Tag], left: f32, right: f32, y: f32) -> (Vec<Item>, f32) {
    let mut x = left;
    let mut items = Vec::new();
    for tag in tags {
        if x + tag.width() > right {
            continue;
        }
        items.push(tag.item(x, y));
        x += tag.width() + TAG_GAP;
    }
    (items, x)
}

/// Tags up to a right end, in their order, as many as fit; returns them and where they begin.
pub(super) fn tags_until(tags: &[Tag], left: f32, right: f32, y: f32) -> (Vec<Item>, f32) {
    let mut room = right - left;
    let fitting: Vec<&Tag> = tags
        .iter()
        .filter(|tag| {
            let fits = tag.width() <= room;
            room -= if fits { tag.width() + TAG_GAP } else { 0.0 };
            fits
        })
        .collect();
    let width: f32 = fitting.iter().map(|tag| tag.width() + TAG_GAP).sum();
    let start = if fitting.is_empty() { right } else { right - width + TAG_GAP };
    let mut x = start;
    let items = fitting.iter().map(|tag| {
        let item = tag.item(x, y);
        x += tag.width() + TAG_GAP;
        item
    });
    (items.collect(), start)
}

/// Tags below each other, as many as fit.
fn tags_below(tags: &[Tag], x: f32, right: f32, (top, bottom): (f32, f32)) -> Vec<Item> {
    let fitting: Vec<&Tag> = tags.iter().filter(|tag| x + tag.width() <= right).collect();
    let rows = fitting.len().min(((bottom - top + 2.0) / (TAG_HEIGHT + 2.0)).floor() as usize);
    (0..rows).map(|row| fitting[row].item(x, top + row as f32 * (TAG_HEIGHT + 2.0))).collect()
}

impl Draw<'_> {
    /// The tags of a leader's lane: its epoch, and the sets of replicas.
    pub(super) fn leader_tags(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> Vec<Item> {
        let mut tags = if self.stage.is_replicated { partition_tags(partition) } else { Vec::new() };
        let (outer, area) = (lane.outer, lane.area);
        if lane.form == LaneForm::Tall {
            // What is open now comes first: there may not be room for all.
            tags.splice(0..0, self.producer_tags(partition).into_iter().map(|(tag, _)| tag));
            let name = text::width(&format!("{}-{}", lane.topic, partition.partition), 12.0, Face::Mono);
            let count = text::width(&super::words::records(partition.record_count), 11.0, Face::Sans);
            return tags_from(&tags, outer.x + name + 8.0, outer.right() - count - 10.0, outer.y + 1.0).0;
        }
        if !self.stage.is_replicated {
            return Vec::new();
        }
        if lane.form == LaneForm::Row {
            let is_short = partition.isr.len() < partition.replicas.len();
            let word = format!("ISR {}/{}", partition.isr.len(), partition.replicas.len());
            let tag = Tag::new(
                word,
                Some(if partition.isr.len() < partition.min_isr as usize { Mark::Bad } else { Mark::Diff }),
            );
            let y = area.y + (area.height - TAG_HEIGHT) / 2.0;
            return if is_short { vec![tag.item(outer.right() - tag.width(), y)] } else { Vec::new() };
        }
        tags_below(&tags, lane.tabs_end() + 12.0, outer.right(), (area.y + 2.0, area.bottom() + 16.0))
    }

    /// A follower's log, or that of a replica while nobody leads.
    pub(super) fn follower(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> Item {
        let broker = lane.broker.unwrap_or_default();
        let log = Log::of(lane, partition);
        let window = lane.window(&log);
        let mut states = replica_states(partition, broker);
        if lane.form == LaneForm::Row {
            states.retain(|state| *state != ReplicaState::InSync);
        }
        let is_down = self.broker_state(lane.broker) == Some(BrokerState::Stopped);
        let is_faded = is_down || states.contains(&ReplicaState::OutOfSync);
        let word = |state: ReplicaState| if lane.form == LaneForm::Row { state.short_tag() } else { state.tag() };
        let mut tags: Vec<Tag> = states.iter().map(|state| Tag::new(word(*state), mark_of(*state))).collect();
        if partition.leader.is_none() && lane.id.starts_with("partition:") {
            tags.insert(0, Tag::new("no leader", Some(Mark::Bad)));
        }
        let mut children = self.follower_words(lane, partition, &tags);
        let class =
            Class::new(Role::Follower).mark(Mark::Muted, is_faded).mark(Mark::Selected, self.is_selected(&lane.id));
        children.extend(flags::body(lane, class, window, &log));
        let cells = self.cells_of_log(lane, window, &log);
        if is_faded && !cells.is_empty() {
            children.push(Item::new(Role::Group, Shape::Group).opacity(FADED).with(cells));
        } else {
            children.extend(cells);
        }
        if lane.form != LaneForm::Row {
            children.extend(self.end(lane, window, &log, partition));
            children.extend(self.ticks(lane, window, &log, partition));
            children.extend(flags::flags(lane, window, &log));
        }
        let group = Item::new(Role::Group, rect(lane.outer, 6.0));
        group.id(lane.id.clone()).label(describe(lane, partition)).with(children)
    }

    /// Name and tags: beside the lane, or above it where it is narrow.
    fn follower_words(&self, lane: &LaneBox, partition: &PartitionSnapshot, tags: &[Tag]) -> Vec<Item> {
        let (outer, area) = (lane.outer, lane.area);
        let name: Rc<str> = format!("{}-{}", lane.topic, partition.partition).into();
        if lane.form == LaneForm::Tall {
            let wanted = text::width(&name, 12.0, Face::Mono);
            let (mut items, start) = tags_until(tags, outer.x + NAME_MIN, outer.right(), outer.y + 1.0);
            let name = text::fit_middle(&name, wanted.min(start - outer.x - 8.0), 12.0, Face::Mono);
            items.push(line(Role::LaneName, (outer.x, outer.y + 13.0), name, 12.0, Face::Mono, Anchor::Start));
            return items;
        }
        let right = area.x - if lane.form == LaneForm::Row { 10.0 } else { 14.0 };
        let middle = area.y + area.height / 2.0;
        // The column is as wide as the longest name; what rounding takes from it must not cut that name.
        let name = text::fit_middle(&name, right - outer.x + 0.1, 12.0, Face::Mono);
        let mut items = vec![line(Role::LaneName, (right, middle + 4.0), name, 12.0, Face::Mono, Anchor::End)];
        let rows = if tags.len() > 1 { 2.0 * TAG_HEIGHT + 2.0 } else { TAG_HEIGHT };
        match (lane.form, tags.first()) {
            (LaneForm::Row, Some(tag)) => items.push(tag.item(outer.right() - tag.width(), middle - TAG_HEIGHT / 2.0)),
            (LaneForm::Row, None) => {
                let words = text::count(Log::of(lane, partition).log_end_offset).into();
                let at = (outer.right(), middle + 4.0);
                items.push(line(Role::LaneCount, at, words, 11.0, Face::Mono, Anchor::End));
            }
            _ => {
                let span = (middle - rows / 2.0, middle + rows / 2.0);
                items.extend(tags_below(tags, lane.tabs_end() + 12.0, outer.right(), span));
            }
        }
        items
    }

    /// The log end offset inside the lane, and how far a new replica has come.
    fn end(&self, lane: &LaneBox, window: Window, log: &Log<'_>, partition: &PartitionSnapshot) -> Vec<Item> {
        let broker = lane.broker.unwrap_or_default();
        let (x, y) = (lane.slot_x(window, window.shown) + 4.0, lane.area.y + lane.area.height / 2.0 + 4.0);
        let room = lane.area.right() - x - 4.0;
        let Some(replica) = replica_of(partition, broker) else {
            let words = text::fit(&"no log yet".into(), room, 11.0, Face::Sans);
            return vec![line(Role::OffsetNext, (x, y), words, 11.0, Face::Sans, Anchor::Start)];
        };
        let words = flags::end_text(log, room, true);
        let left = x + text::width(&words, 11.0, Face::Mono) + 14.0;
        let label = format!("log end offset {}", log.log_end_offset);
        let mut items = vec![line(Role::OffsetNext, (x, y), words, 11.0, Face::Mono, Anchor::Start).label(label)];
        if partition.adding.contains(&broker) && partition.size_bytes > 0 {
            let share = (replica.size_bytes as f32 / partition.size_bytes as f32).min(1.0);
            items.extend(self.progress(lane, share, replica.size_bytes, partition, left));
        }
        items
    }

    /// A bar at the foot of the lane, and its numbers as far as there is room for them.
    fn progress(&self, lane: &LaneBox, share: f32, bytes: u64, partition: &PartitionSnapshot, left: f32) -> Vec<Item> {
        let area = lane.area;
        let track = Area::new(area.x + 8.0, area.bottom() - 3.0, area.width - 16.0, 3.0);
        let bar = Area { width: (track.width * share).max(1.0), ..track };
        let percent = format!("{} %", (share * 100.0).floor());
        let of = format!("{} of {}", text::bytes(bytes), text::bytes(partition.size_bytes));
        let mut variants = vec![format!("{of} · {percent}"), percent];
        if let Some(rate) = self.throttle(lane, partition) {
            variants.insert(0, format!("{} · throttle {}/s", variants[0], text::bytes(rate)));
        }
        let mut items = vec![
            Item::new(Role::BarTrack, rect(track, 1.5)),
            Item::new(Role::Bar, rect(bar, 1.5)).label(format!("copied {}", variants[0])),
        ];
        let room = area.right() - 10.0 - left;
        let fitting = variants.into_iter().find(|words| text::width(words, 11.0, Face::Sans) <= room);
        items.extend(fitting.map(|words| {
            let at = (area.right() - 10.0, area.y + area.height / 2.0 + 3.0);
            line(Role::LaneCount, at, words.into(), 11.0, Face::Sans, Anchor::End)
        }));
        items
    }

    /// Bytes per second that a new replica may get, if its topic is throttled.
    fn throttle(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> Option<u64> {
        let topic = self.snapshot.topics.iter().find(|topic| topic.name == lane.topic)?;
        let rate = |broker: Option<u32>, side: &str| {
            topic.configs.get(&*format!("{side}.replication.throttled.replicas"))?;
            let broker = self.snapshot.brokers.iter().find(|one| Some(one.id) == broker)?;
            let name = format!("{side}.replication.throttled.rate");
            broker.configs.get(&*name).or_else(|| self.snapshot.broker_defaults.get(&*name))?.parse::<u64>().ok()
        };
        rate(lane.broker, "follower").into_iter().chain(rate(partition.leader, "leader")).min()
    }

    pub(super) fn broker_state(&self, broker: Option<u32>) -> Option<BrokerState> {
        self.snapshot.brokers.iter().find(|one| Some(one.id) == broker).map(|broker| broker.state)
    }
}

/// The leader's epoch, the in-sync set, and what stands in for it.
fn partition_tags(partition: &PartitionSnapshot) -> Vec<Tag> {
    let ids = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<String>>().join(",");
    let isr = ids(&partition.isr);
    let mut tags = Vec::new();
    if partition.isr.len() < partition.min_isr as usize {
        tags.push(Tag::new(format!("ISR {isr} < min {}", partition.min_isr), Some(Mark::Bad)));
    } else if partition.isr.len() < partition.replicas.len() {
        tags.push(Tag::new(format!("ISR {isr}"), Some(Mark::Diff)));
    } else {
        tags.push(Tag::new(format!("ISR {isr}"), None));
    }
    if !partition.elr.is_empty() {
        tags.push(Tag::new(format!("ELR {}", ids(&partition.elr)), Some(Mark::Diff)));
    }
    if partition.is_recovering {
        tags.push(Tag::new("recovering", Some(Mark::Bad)));
    }
    tags.push(Tag::new(format!("epoch {}", partition.leader_epoch), None));
    tags
}

fn mark_of(state: ReplicaState) -> Option<Mark> {
    match state {
        ReplicaState::InSync | ReplicaState::LastLeader | ReplicaState::Removing => None,
        ReplicaState::Eligible | ReplicaState::Adding => Some(Mark::Diff),
        ReplicaState::OutOfSync => Some(Mark::Bad),
    }
}
