//! Marks on a lane: flags of offsets, the ruler, segments, and gaps that compaction leaves.
//!
//! All of them stand between records, so that they move exactly when the offset that they mark moves.

use std::rc::Rc;

use super::line;
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::log::Log;
use crate::stage::{GAP_WIDTH, LaneBox, LaneKind, Window};
use crate::text;

/// A closed segment ends, and the next one begins, so far from the middle between two records.
const SEGMENT_GAP: f32 = 1.5;

/// The x between the record before an offset and the record at it. None if that place is not shown.
pub(super) fn boundary(lane: &LaneBox, window: Window, log: &Log<'_>, offset: u64) -> Option<f32> {
    let visible = &log.records[log.records.len() - window.shown..];
    let after = visible.iter().position(|record| record.offset >= offset);
    let index = match after {
        _ if offset >= log.log_end_offset => visible.len(),
        Some(index) => index,
        // Between the last record and the next offset there may be offsets without a record.
        None if window.has_gap(visible.len()) => {
            return Some(lane.slot_x(window, visible.len()) - 4.0 - GAP_WIDTH / 2.0);
        }
        None => return None,
    };
    let is_before_first = index == 0 && visible.first().is_some_and(|record| record.offset > offset);
    match is_before_first {
        false => Some(lane.slot_x(window, index) - 4.0),
        // Offsets without a record before the first one: what is there begins before them.
        true if window.has_gap(0) => Some(lane.slot_x(window, 0) - 4.0 - GAP_WIDTH),
        true => None,
    }
}

/// The lane itself: closed segments are framed, the active one is open at its end.
pub(super) fn body(lane: &LaneBox, class: Class, window: Window, log: &Log<'_>) -> Vec<Item> {
    let area = lane.area;
    let open = |x: f32, radius: f32| Shape::Open { x, y: area.y, width: area.right() - x, height: area.height, radius };
    let active = log.active_base_offset.and_then(|base| boundary(lane, window, log, base));
    let Some(x) = active.filter(|x| *x > area.x + 12.0) else {
        return vec![Item::new(class, open(area.x, 8.0))];
    };
    let closed = Shape::Rect {
        x: area.x,
        y: area.y,
        width: x - SEGMENT_GAP - area.x,
        height: area.height,
        radius: 8.0_f32.min(area.height / 3.0),
    };
    let base = log.active_base_offset.unwrap_or_default();
    vec![
        Item::new(Class::new(Role::Segment).mark(Mark::Muted, true), closed)
            .label(format!("closed segments, below offset {base}")),
        Item::new(class, open(x + SEGMENT_GAP, 3.0)).label(format!("active segment, from offset {base}")),
    ]
}

/// Offsets without a record, before the record at an index of the window: a dashed place that nothing fills.
pub(super) fn gap(lane: &LaneBox, window: Window, log: &Log<'_>, index: usize) -> Option<Item> {
    if !window.has_gap(index) {
        return None;
    }
    let (first, last) = log.gap_before(log.records.len() - window.shown + index)?;
    let height = lane.chip_height * 0.7;
    let shape = Shape::Rect {
        x: lane.slot_x(window, index) - GAP_WIDTH - 1.0,
        y: lane.area.y + (lane.area.height - height) / 2.0,
        width: GAP_WIDTH - 6.0,
        height,
        radius: 3.0,
    };
    let words = if first == last {
        format!("no record at offset {first}")
    } else {
        format!("no records at offsets {first} to {last}")
    };
    Some(Item::new(Role::Gap, shape).label(words))
}

/// Offsets below the records, and the next offset after them.
pub(super) fn ruler(lane: &LaneBox, window: Window, log: &Log<'_>, is_replicated: bool) -> Vec<Item> {
    let y = lane.area.bottom() + 15.0;
    let visible = &log.records[log.records.len() - window.shown..];
    let mut marks: Vec<Item> = Vec::new();
    for (index, record) in visible.iter().enumerate() {
        let x = lane.slot_x(window, index) + lane.chip_width / 2.0;
        let words = offset_text(record.offset, lane.pitch() - 10.0);
        marks.push(line(Role::Offset, (x, y), words, 11.0, Face::Mono, Anchor::Middle));
    }
    // The next offset stands close to the last record, so that it has room at the end of a full lane.
    let x = lane.slot_x(window, visible.len()) + 4.0;
    let words = end_text(log, lane.area.right() - x, is_replicated);
    let next = line(Role::OffsetNext, (x, y), words, 11.0, Face::Mono, Anchor::Start);
    marks.push(if is_replicated { next.label(format!("log end offset {}", log.log_end_offset)) } else { next });
    marks
}

/// The log end offset, named if there is room for its name.
pub(super) fn end_text(log: &Log<'_>, room: f32, is_named: bool) -> Rc<str> {
    let named: Rc<str> = format!("LEO {}", log.log_end_offset).into();
    if is_named && text::width(&named, 11.0, Face::Mono) <= room {
        return named;
    }
    offset_text(log.log_end_offset, room)
}

fn offset_text(offset: u64, room: f32) -> Rc<str> {
    text::fit_middle(&offset.to_string().into(), room, 11.0, Face::Mono)
}

/// The flags of the high watermark and, where they stand elsewhere, of log start, last stable offset and log end.
pub(super) fn flags(lane: &LaneBox, window: Window, log: &Log<'_>) -> Vec<Item> {
    if log.log_end_offset == log.log_start_offset && log.high_watermark == log.log_start_offset {
        return Vec::new();
    }
    let mut flags: Vec<Flag> = Vec::new();
    if log.log_start_offset > 0 && window.older == 0 {
        flags.push(Flag::new("LS", "log start offset", log.log_start_offset).mark(Mark::Muted));
    }
    if let Some(stable) = log.last_stable_offset.filter(|stable| *stable < log.high_watermark) {
        flags.push(Flag::new("LSO", "last stable offset", stable).mark(Mark::Diff));
    }
    flags.push(Flag::new("HW", "high watermark", log.high_watermark));
    let lift = if lane.kind == LaneKind::Follower { 11.0 } else { 9.0 };
    let mut items = Vec::new();
    if log.high_watermark < log.log_end_offset && lane.kind == LaneKind::Leader {
        items.extend(end_line(lane, window, log));
    }
    let mut free = lane.area.x - 4.0;
    for flag in flags {
        let Some(x) = boundary(lane, window, log, flag.offset) else {
            if lane.kind == LaneKind::Leader {
                // Flags that are out of view stand side by side at the left end.
                let (pinned, right) = flag.pinned(free.max(lane.area.x), lane.area.y - lift);
                items.extend(pinned);
                free = right + 2.0;
            }
            continue;
        };
        // Letters of two flags at one place stand side by side.
        let left = x.max(free);
        free = left + flag.width() + 2.0;
        if free > lane.area.right() + 2.0 {
            continue;
        }
        items.extend(flag.items(x, left, lane.area.y - lift, lane.area.bottom() + 2.0));
    }
    items
}

fn end_line(lane: &LaneBox, window: Window, log: &Log<'_>) -> Option<Item> {
    let x = boundary(lane, window, log, log.log_end_offset)?;
    let (top, bottom) = (lane.area.y + 4.0, lane.area.bottom() + 6.0);
    let class = Class::new(Role::FlagLine).mark(Mark::Muted, true);
    Some(Item::new(class, Shape::Line { from: (x, top), to: (x, bottom) }))
}

/// A flag at an offset.
struct Flag {
    letters: &'static str,
    name: &'static str,
    offset: u64,
    mark: Option<Mark>,
}

impl Flag {
    fn new(letters: &'static str, name: &'static str, offset: u64) -> Flag {
        Flag { letters, name, offset, mark: None }
    }

    fn mark(self, mark: Mark) -> Flag {
        Flag { mark: Some(mark), ..self }
    }

    fn width(&self) -> f32 {
        if self.letters.len() > 2 { 29.0 } else { 22.0 }
    }

    /// At the left end of a lane whose window has passed the offset: where it stands is then told in words.
    fn pinned(&self, left: f32, top: f32) -> ([Item; 2], f32) {
        let words = format!("\u{2190} {} {}", self.letters, self.offset);
        let width = text::width(&words, 11.0, Face::MonoBold) + 10.0;
        let cloth = Shape::Rect { x: left, y: top, width, height: 14.0, radius: 3.0 };
        let at = (left + width / 2.0, top + 11.0);
        let label = format!("{} {}, before the records in view", self.name, self.offset);
        let class = |role: Role| self.class(role);
        let items = [
            Item::new(class(Role::FlagLine), cloth).label(label),
            line(class(Role::FlagText), at, words.into(), 11.0, Face::MonoBold, Anchor::Middle),
        ];
        (items, left + width)
    }

    fn class(&self, role: Role) -> Class {
        let class = Class::new(role);
        self.mark.map_or(class, |mark| class.mark(mark, true))
    }

    fn items(&self, x: f32, left: f32, top: f32, bottom: f32) -> Vec<Item> {
        let class = |role: Role| self.class(role);
        let cloth = Shape::Rect { x: left, y: top, width: self.width(), height: 14.0, radius: 3.0 };
        let at = (left + self.width() / 2.0, top + 11.0);
        vec![
            Item::new(class(Role::FlagLine), Shape::Line { from: (x, top + 1.0), to: (x, bottom) }),
            Item::new(class(Role::FlagLine), cloth).label(format!("{} {}", self.name, self.offset)),
            line(class(Role::FlagText), at, self.letters.into(), 11.0, Face::MonoBold, Anchor::Middle),
        ]
    }
}
