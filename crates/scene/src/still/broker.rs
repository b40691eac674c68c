//! Brokers in the still layer: boxes with a head that says how the process is, racks around them, and the crown.
//!
//! The lanes inside come from `lane.rs` and `replica.rs`.

use std::rc::Rc;

use engine::snapshot::{BrokerSnapshot, BrokerState};

use super::replica::{Tag, tags_from};
use super::words::{broker_states, counted};
use super::{Draw, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::palette::CROWN;
use crate::stage::{BrokerBox, LaneForm, RackBox, shown_topics};
use crate::text;

const PAD: f32 = 16.0;
/// Room for the crown at the right end of a head.
const CROWN_WIDTH: f32 = 20.0;
/// Around what moves in a head.
const HEAD_GAP: f32 = 10.0;

impl Draw<'_> {
    pub(super) fn racks(&self) -> impl Iterator<Item = Item> {
        self.stage.racks.iter().map(|rack| {
            let RackBox { name, area } = rack;
            let words: Rc<str> = format!("rack {name}").into();
            let at = (area.x + PAD, area.y + 17.0);
            let shown = text::fit(&words, area.width - 2.0 * PAD, 12.0, Face::Sans);
            let name = line(Role::RackText, at, shown, 12.0, Face::Sans, Anchor::Start);
            Item::new(Role::Rack, rect(*area, 18.0)).label(words).with(vec![name])
        })
    }

    pub(super) fn brokers(&self) -> Vec<Item> {
        let mut lanes: Vec<Vec<Item>> = vec![Vec::new(); self.stage.brokers.len()];
        let most = self.most_records();
        for lane in &self.stage.lanes {
            let (x, y) = lane.area.center();
            let home = self.stage.brokers.iter().position(|broker| broker.area.holds(x, y));
            let item = match lane.form {
                LaneForm::Tile => self.tile(lane, most),
                LaneForm::Cell | LaneForm::More(_) => self.cell(lane, most),
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
        let (mut children, label, is_muted) = self.headed(broker);
        children.extend(self.seats(broker.broker));
        children.extend(self.coordinators(broker.broker));
        children.extend(self.topic_heads(broker));
        children.extend(self.quiet_names(broker.broker));
        if self.stage.is_merged {
            children.extend(self.leader_counts(broker));
        }
        if self.stage.is_replicated && (self.stage.is_merged || self.stage.is_leaders_only) {
            children.extend(self.follower_counts(broker));
        }
        children.extend(lanes);
        let class =
            Class::new(Role::Broker).mark(Mark::Muted, is_muted).mark(Mark::Selected, self.is_selected(&broker.id));
        Item::new(class, rect(area, 14.0)).id(broker.id.clone()).label(label).with(children)
    }

    /// The head of a broker, the same in words, and whether the broker does not work.
    fn headed(&self, broker: &BrokerBox) -> (Vec<Item>, Rc<str>, bool) {
        let state = self.snapshot.brokers.iter().find(|one| Some(one.id) == broker.broker);
        let name = broker.broker.map_or_else(|| "No leader".to_string(), |id| format!("Broker {id}"));
        let states = state.map(broker_states).unwrap_or_default();
        let mut remarks = state.map(|state| self.remarks(state)).unwrap_or_default();
        if broker.broker.is_some() && state.is_none_or(|_| !self.leads(broker.broker)) {
            remarks.push("leads no partition".to_string());
        }
        let label = states.iter().map(|(word, _)| (*word).to_string()).chain(remarks.iter().cloned());
        let label = std::iter::once(name.clone()).chain(label).collect::<Vec<String>>().join(", ");
        let is_muted = state.is_some_and(|state| matches!(state.state, BrokerState::Stopped | BrokerState::Paused));
        (self.head(broker, &name, &states, &remarks, is_muted), label.into(), is_muted)
    }

    /// What is free in the head of a broker, between its name and its remarks: left and right end.
    pub(super) fn head_room(&self, broker: &BrokerBox) -> (f32, f32) {
        let mut room = (broker.area.x + PAD, broker.area.right() - PAD);
        for item in self.headed(broker).0 {
            match &item.shape {
                Shape::Text { x, text, size, face, anchor: Anchor::End, .. } => {
                    room.1 = room.1.min(x - text::width(text, *size, *face));
                }
                Shape::Text { x, text, size, face, .. } => room.0 = room.0.max(x + text::width(text, *size, *face)),
                Shape::Rect { x, width, .. } => room.0 = room.0.max(x + width),
                Shape::Glyph { x, radius, .. } => room.1 = room.1.min(x - radius),
                _ => {}
            }
        }
        (room.0 + HEAD_GAP, room.1 - HEAD_GAP)
    }

    /// Name and tags at the left, remarks at the right, the crown at the end.
    fn head(
        &self,
        broker: &BrokerBox,
        name: &str,
        states: &[(&'static str, bool)],
        remarks: &[String],
        is_muted: bool,
    ) -> Vec<Item> {
        let area = broker.area;
        let y = area.y + 25.0;
        let title = Class::new(Role::BrokerTitle).mark(Mark::Muted, is_muted);
        let mut items = vec![line(title, (area.x + PAD, y), name.into(), 13.0, Face::SansBold, Anchor::Start)];
        let has_crown =
            self.snapshot.brokers.len() > 1 && broker.broker.is_some() && self.snapshot.controller == broker.broker;
        let right = area.right() - PAD - if has_crown { CROWN_WIDTH } else { 0.0 };
        let name_end = area.x + PAD + text::width(name, 13.0, Face::SansBold) + 10.0;
        let mut tags: Vec<Tag> = states
            .iter()
            .map(|(word, is_fault)| Tag::new(*word, Some(if *is_fault { Mark::Bad } else { Mark::Diff })))
            .collect();
        let cut = broker.broker.filter(|_| self.stage.is_merged).map_or(0, |broker| self.cut_count(broker));
        if cut > 0 {
            tags.push(Tag::new(counted(cut as u64, "link cut", "links cut"), Some(Mark::Bad)));
        }
        let (tags, tags_end) = tags_from(&tags, name_end, right, y - 13.0);
        items.extend(tags);
        if has_crown {
            let crown = Shape::Glyph { x: area.right() - PAD - 7.0, y: y - 4.5, radius: 7.0, glyph: CROWN };
            items.push(Item::new(Role::Crown, crown).label("active controller"));
        }
        let remark = text::fit(&remarks.join(" · ").into(), right - tags_end - 2.0, 12.0, Face::Sans);
        if !remark.is_empty() {
            items.push(line(Role::Badge, (right, y), remark, 12.0, Face::Sans, Anchor::End));
        }
        items
    }

    fn remarks(&self, state: &BrokerSnapshot) -> Vec<String> {
        let mut remarks = Vec::new();
        if state.is_controller {
            remarks.push("controller".to_string());
        }
        let is_framed = self.stage.racks.iter().any(|rack| Some(&rack.name) == state.rack.as_ref());
        remarks.extend(state.rack.as_ref().filter(|_| !is_framed).map(|rack| format!("rack {rack}")));
        if state.queue_size > 1 {
            remarks.push(format!("{} requests waiting", state.queue_size));
        }
        remarks
    }

    fn leads(&self, broker: Option<u32>) -> bool {
        shown_topics(self.snapshot).any(|topic| topic.partitions.iter().any(|one| one.leader == broker))
    }
}
