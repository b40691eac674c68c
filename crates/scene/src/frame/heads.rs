//! Words of messages between brokers that are wider than the gutter: they stand in the head of a broker.
//!
//! The message itself is a small sign on its way; so the ends of the lanes beside it stay free.

use std::rc::Rc;

use super::{Draw, Moving, PILL_HEIGHT};
use crate::class::{Class, Mark, Role};
use crate::display::{CHIP_TEXT_SIZE, Face, Item, Shape};
use crate::stage::{BrokerBox, Point, is_arc};
use crate::still::head_room;
use crate::text;
use engine::event::NodeId;

/// A pill that is wider covers more than the edge of a broker.
const PILL_MAX: f32 = 104.0;
/// A way to a member that is shorter than this part of a pill has none.
const SHORT: f32 = 0.9;
/// Words that are cut shorter say nothing.
const WORD_MIN: f32 = 64.0;
/// From the top of a broker to the words in its head.
const TOP: f32 = 9.0;
const GAP: f32 = 6.0;
/// The sign of a message that carries nothing of its own.
const SIGN_RADIUS: f32 = 5.0;

/// Messages of one kind with one broker.
struct Told {
    broker: u32,
    word: Rc<str>,
    class: Class,
    count: usize,
    /// Where it is told if there is no room in the head: for messages of members, whose ways cross no lanes.
    at: Option<Point>,
}

/// The words for all heads.
#[derive(Default)]
pub(super) struct Heads(Vec<Told>);

/// Whether the words of a message stand in a head: where its way is too short for them.
pub(super) fn is_in_head(moving: &Moving<'_>, word: &str) -> bool {
    let width = text::pill_width(word);
    if is_arc(&moving.way) {
        return width > PILL_MAX;
    }
    let is_member = |node: &NodeId| matches!(node, NodeId::Consumer { .. });
    let [from, out, _, to] = moving.way;
    let is_across = from.1 == out.1;
    let has_member = is_member(&moving.message.from) || is_member(&moving.message.to);
    has_member && is_across && (from.0 - to.0).abs() < width * SHORT
}

/// The broker in whose head it is told: the one that acts on a request, or that answered.
fn broker_of(moving: &Moving<'_>) -> Option<u32> {
    let message = moving.message;
    let (one, other) = if message.is_response { (&message.from, &message.to) } else { (&message.to, &message.from) };
    [one, other].into_iter().find_map(|node| if let NodeId::Broker { id } = node { Some(*id) } else { None })
}

impl Heads {
    /// Notes a message; its sign, unless what it carries is drawn anyway.
    pub fn add(&mut self, draw: &Draw<'_>, moving: &Moving<'_>, word: Rc<str>, count: usize) -> Option<Item> {
        let message = moving.message;
        let role = if message.is_response { Role::Response } else { Role::Request };
        let class = Class::new(role).mark(Mark::Bad, message.error.is_some());
        if let Some(broker) = broker_of(moving) {
            let is_same = |told: &&mut Told| (told.broker, &told.word, told.class) == (broker, &word, class);
            match self.0.iter_mut().find(is_same) {
                Some(told) => told.count += count,
                None => {
                    let at = (!is_arc(&moving.way)).then(|| draw.token(moving));
                    self.0.push(Told { broker, word, class, count, at });
                }
            }
        }
        let (x, y) = draw.token(moving);
        let is_sign = message.is_response || message.markers.is_empty();
        is_sign.then(|| Item::new(class, Shape::Circle { x, y, radius: SIGN_RADIUS }))
    }

    /// The words beside each other in the heads of their brokers, as far as there is room.
    pub fn items(self, draw: &Draw<'_>) -> Vec<Item> {
        let Draw { stage, input, .. } = draw;
        let mut rooms: Vec<(u32, f32, f32)> = Vec::new();
        let mut items = Vec::new();
        for told in self.0 {
            let Some(broker) = stage.broker(told.broker) else { continue };
            let index = rooms.iter().position(|(id, ..)| *id == told.broker).unwrap_or_else(|| {
                let (left, right) = head_room(stage, input.snapshot, input.palette, broker);
                rooms.push((told.broker, left, right));
                rooms.len() - 1
            });
            let (_, left, right) = &mut rooms[index];
            if let Some((item, end)) = pill(broker, &told, (*left, *right)) {
                *left = end + GAP;
                items.push(item);
            } else if let Some(at) = told.at {
                items.push(beside(&told, at, stage.width));
            }
        }
        items
    }
}

impl Told {
    fn words(&self) -> Rc<str> {
        if self.count > 1 { format!("{} × {}", self.word, self.count).into() } else { self.word.clone() }
    }
}

/// On its way after all.
fn beside(told: &Told, (x, y): Point, stage_width: f32) -> Item {
    let text = told.words();
    let width = text::pill_width(&text);
    let x = (x - width / 2.0).clamp(0.0, (stage_width - width).max(0.0));
    Item::new(told.class, Shape::Pill { x, y: y - PILL_HEIGHT / 2.0, width, height: PILL_HEIGHT, text })
}

fn pill(broker: &BrokerBox, told: &Told, (left, right): (f32, f32)) -> Option<(Item, f32)> {
    let word = told.words();
    let width = text::pill_width(&word).min(right - left);
    if width < WORD_MIN {
        return None;
    }
    let text = text::fit(&word, width - 20.0 + 0.1, CHIP_TEXT_SIZE, Face::MonoBold);
    let shape = Shape::Pill { x: left, y: broker.area.y + TOP, width, height: PILL_HEIGHT, text };
    Some((Item::new(told.class, shape), left + width))
}
