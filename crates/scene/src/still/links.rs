//! Connections in the still layer: between producers and brokers, and those that are cut or slow.
//!
//! Messages on them are in `frame.rs`.

use std::collections::BTreeSet;

use engine::Snapshot;
use engine::event::{LinkState, NodeId};
use engine::order;
use engine::snapshot::LinkSnapshot;

use super::{Draw, line};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::stage::{Point, Stage, point_on, split};
use crate::text;

/// Cut and slow links that are drawn, at most.
pub(crate) const FAULTS: usize = 48;
/// A cut link parts so far from its middle, as a part of its way.
const BREAK: f32 = 0.06;
/// The sign of a cut: a saltire.
const CUT_SIGN: u8 = 7;

impl Draw<'_> {
    /// Links of producers and between brokers; of the former those with a request on them are lit. A link that is cut
    /// or slow is drawn as such.
    pub(super) fn links(&self) -> Vec<Item> {
        let notable = self.snapshot.in_flight.iter().filter(|message| message.is_notable);
        let busy: BTreeSet<(usize, usize)> =
            order::set(notable.filter_map(|message| self.client_link(&message.from, &message.to)));
        let faults: BTreeSet<(usize, usize)> =
            order::set(self.faults().filter_map(|fault| self.client_link(&fault.from, &fault.to)));
        let whole = self.stage.links.iter().filter(|link| {
            // A line that all brokers share is whole as long as one of them is reached.
            self.is_shared() || !faults.contains(&(link.producer, link.broker))
        });
        let items = whole.map(|link| {
            let is_busy = busy
                .iter()
                .any(|(producer, broker)| *producer == link.producer && (self.is_shared() || *broker == link.broker));
            Item::new(Class::new(Role::Link).mark(Mark::Lit, is_busy), Shape::Curve(link.curve))
        });
        let wires = self.stage.wires.iter().map(|wire| Item::new(Role::Link, Shape::Curve(*wire)));
        wires.chain(items).collect()
    }

    /// Cut and slow links, on top of the brokers that they lead around.
    pub(super) fn broken_links(&self) -> Vec<Item> {
        if self.stage.is_merged {
            return Vec::new();
        }
        self.faults().take(FAULTS).filter_map(|fault| self.fault(fault)).collect()
    }

    /// Whether one line leads to all brokers.
    fn is_shared(&self) -> bool {
        let ports = || self.stage.brokers.iter().map(|broker| broker.port);
        self.stage.is_merged || ports().zip(ports().skip(1)).any(|(one, next)| one == next)
    }

    /// Cut links of a broker; where brokers stand in squares their heads tell them.
    pub(super) fn cut_count(&self, broker: u32) -> usize {
        let is_end = |node: &NodeId| *node == NodeId::Broker { id: broker };
        let cut = self.faults().filter(|fault| fault.link == LinkState::Cut);
        cut.filter(|fault| is_end(&fault.from) || is_end(&fault.to)).count()
    }

    fn faults(&self) -> impl Iterator<Item = &LinkSnapshot> {
        self.snapshot.links.iter().filter(|link| link.link != LinkState::Whole)
    }

    /// The boxes of a producer and a broker.
    fn client_link(&self, from: &NodeId, to: &NodeId) -> Option<(usize, usize)> {
        match (from, to) {
            (NodeId::Producer { name }, NodeId::Broker { id }) | (NodeId::Broker { id }, NodeId::Producer { name }) => {
                Some((*self.stage.producer_of.get(name)?, *self.stage.broker_of.get(id)?))
            }
            _ => None,
        }
    }

    fn fault(&self, link: &LinkSnapshot) -> Option<Item> {
        let way = self.stage.way(&link.from, &link.to)?;
        let names = format!("{} and {}", node_words(&link.from), node_words(&link.to));
        Some(match link.link {
            LinkState::Slow { delay } => slow(&way).label(format!("the link between {names} is slower by {delay}")),
            _ => cut(&way).label(format!("the link between {names} is cut")),
        })
    }
}

fn cut(way: &[Point; 4]) -> Item {
    let (x, y) = point_on(way, 0.5);
    let class = Class::new(Role::Link).mark(Mark::Bad, true);
    let (before, after) = (split(way, 0.5 - BREAK).0, split(way, 0.5 + BREAK).1);
    let sign = Item::new(Role::Lost, Shape::Glyph { x, y, radius: 6.0, glyph: CUT_SIGN });
    Item::new(Role::Group, Shape::Group).with(vec![
        Item::new(class, Shape::Curve(before)),
        Item::new(class, Shape::Curve(after)),
        sign,
    ])
}

fn slow(way: &[Point; 4]) -> Item {
    Item::new(Class::new(Role::Link).mark(Mark::Muted, true), Shape::Curve(*way))
}

/// How much slower links are, in words on the middles of their ways. They belong on top of what moves.
pub(crate) fn slow_links(stage: &Stage, snapshot: &Snapshot) -> Vec<Item> {
    if stage.is_merged {
        return Vec::new();
    }
    let words = snapshot.links.iter().filter_map(|link| {
        let LinkState::Slow { delay } = link.link else { return None };
        let (x, y) = point_on(&stage.way(&link.from, &link.to)?, 0.5);
        Some(delay_words((x, y), &format!("+{delay}"), stage.width))
    });
    words.take(FAULTS).collect()
}

fn delay_words((x, y): Point, words: &str, width: f32) -> Item {
    let half = text::width(words, 11.0, Face::Sans) / 2.0 + 5.0;
    let x = x.clamp(half, (width - half).max(half));
    let plate = Shape::Rect { x: x - half, y: y - 8.0, width: 2.0 * half, height: 16.0, radius: 4.0 };
    let tag = |role: Role| Class::new(role).mark(Mark::Diff, true);
    let words = line(tag(Role::TagText), (x, y + 4.0), words.into(), 11.0, Face::Sans, Anchor::Middle);
    Item::new(tag(Role::Tag), plate).with(vec![words])
}

fn node_words(node: &NodeId) -> String {
    match node {
        NodeId::Controller => "the controller".to_string(),
        NodeId::Admin => "the Admin client".to_string(),
        NodeId::Broker { id } => format!("broker {id}"),
        NodeId::Producer { name } | NodeId::Consumer { name } => name.to_string(),
    }
}
