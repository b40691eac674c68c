//! The boxes of groups: their members at the right or below, and their row in the broker that coordinates them.
//!
//! Colors and letters of members are in `members.rs`.

use std::rc::Rc;

use engine::event::Name;

use super::{Area, LaneBox, LaneForm, Point};

/// A tab of an owner with the gap before it.
pub(crate) const TAB_PITCH: f32 = 22.0;
const TAB_GAP: f32 = 4.0;
/// On a square there is room for a strip only.
const STRIP: f32 = 4.0;

impl LaneBox {
    /// Where its tabs end.
    pub(crate) fn tabs_end(&self) -> f32 {
        self.area.right() + if self.form.has_records() { self.tabs as f32 * TAB_PITCH } else { 0.0 }
    }

    /// The tab of the owner in the group with a number; on a tile or a square a strip at its left edge.
    pub(crate) fn tab(&self, number: usize) -> Area {
        let area = self.area;
        if self.form.has_records() {
            let x = area.right() + number as f32 * TAB_PITCH + TAB_GAP;
            return Area { x, width: TAB_PITCH - TAB_GAP, ..area };
        }
        let height = (area.height - 4.0) / self.tabs.max(1) as f32;
        let y = area.y + 2.0 + number as f32 * height;
        let width = if self.form == LaneForm::Tile { STRIP + 1.0 } else { STRIP };
        Area::new(area.x + 1.0, y, width, height - if self.tabs > 1 { 1.0 } else { 0.0 })
    }
}

/// A group with its heading and the cards of its members.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupBox {
    /// `group.id`.
    pub group: Name,
    /// `group:ID`.
    pub id: Rc<str>,
    /// Heading and cards together.
    pub area: Area,
    /// The heading.
    pub head: Area,
    /// Its members' cards among the stage's readers: from the first, and how many.
    pub cards: (usize, usize),
    /// Where the barrier of a classic group stands while its members wait for each other.
    pub gate: Option<GateLine>,
}

impl GroupBox {
    /// Moves it down.
    pub(crate) fn shift(&mut self, by: f32) {
        self.area.y += by;
        self.head.y += by;
        if let Some(gate) = &mut self.gate {
            gate.from.1 += by;
            gate.to.1 += by;
        }
    }
}

/// The line of a barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateLine {
    /// One end: the upper or the left one.
    pub from: Point,
    /// The other end.
    pub to: Point,
    /// Each member has a place on it, beside its card, or beside each other; with more members their tiles tell who
    /// has joined.
    pub has_places: bool,
}

impl GateLine {
    /// It stands upright, at the left of cards that are below each other.
    pub fn is_upright(&self) -> bool {
        self.from.0 == self.to.0
    }
}

/// A group in the box of the broker that coordinates it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatBox {
    /// `group.id`.
    pub group: Name,
    /// `group:ID`, as that of the group itself.
    pub id: Rc<str>,
    /// The broker.
    pub broker: u32,
    /// Its place.
    pub area: Area,
}
