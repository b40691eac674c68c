//! From a snapshot to a stage: places boxes so that nothing overlaps and nothing leaves the width.
//!
//! Depends on what exists, never on records, so a stage stays as it is while records flow. Brokers and their
//! lanes are placed in `layout/brokers.rs`; here is what stands around them.

mod brokers;
mod cards;
mod coordinators;
mod groups;
mod lanes;
mod quiet;

use engine::Snapshot;

use crate::display::Face;
use crate::stage::{Area, LaneForm, LayoutOptions, Link, Stage, bend, is_transactional};
use crate::text;

pub(crate) use brokers::{STRIP_FOOT, STRIP_HEAD};
pub(crate) use cards::{CALL_HEIGHT, HEAD_HEIGHT, IDENTITY_HEIGHT, ISOLATION_HEIGHT, POOL_HEIGHT};
use groups::{Arrangement, Cast};
pub(crate) use groups::{TABS, WIDE_HEAD};
pub(crate) use lanes::CROWN_WIDTH;
use lanes::Lanes;

/// Below this width everything stands in one column.
pub const NARROW: f32 = 720.0;
/// The same where brokers have messages for each other, and where lanes have tags too: these need more room.
const NARROW_TRAFFIC: f32 = 760.0;
const NARROW_REPLICATED: f32 = 840.0;
/// Below this width the names of lanes stand above them.
const NAMES_ABOVE: f32 = 480.0;
/// Edges are drawn on whole boxes, so boxes keep this distance from the picture's edge.
const EDGE: f32 = 1.0;
/// Links, at most; more could not be told apart.
const LINKS: usize = 16;
/// Brokers that are all connected with each other on the picture, at most; of more only neighbors are.
const WIRED: usize = 4;

const TITLE_HEIGHT: f32 = 30.0;
/// A chip at least shows its sign and a few letters.
const CHIP_MIN: f32 = 56.0;
const CHIP_MAX: f32 = 108.0;
/// Requests need room to be seen between producers and brokers in one column.
const NARROW_GAP: f32 = 72.0;
/// The same between brokers and the readers below them, which have no wires.
const READERS_GAP: f32 = 44.0;
/// Where readers share a side of a broker with producers, their messages leave so far below.
const READER_PORT: f32 = 16.0;
/// Clients on one side may be so much higher than the brokers on the other.
const BESIDE_SLACK: f32 = 120.0;
/// Cards beside higher brokers stand at most so far below their top: both have to be seen together.
const CENTER_MAX: f32 = 80.0;
/// Between the cards of producers and those of readers in one column.
const SIDE_GAP: f32 = 28.0;

/// Lays out a snapshot. Below [`NARROW`] pixels of width everything stands in one column.
pub fn layout(snapshot: &Snapshot, options: &LayoutOptions) -> Stage {
    let width = options.width.max(LayoutOptions::WIDTH_MIN).floor();
    let cast = Cast::of(snapshot);
    let arrangement = Arrangement::of(snapshot, &cast, width);
    let lanes = Lanes::of(
        snapshot,
        options,
        arrangement.lanes_width(width),
        arrangement,
        cast.tabs(snapshot, arrangement, width),
    );
    let mut layout = Layout {
        stage: Stage {
            width,
            is_narrow: match arrangement {
                Arrangement::Plain => width < narrow(snapshot),
                arrangement => arrangement != Arrangement::ThreeColumns,
            },
            has_short_names: lanes.has_short_names,
            language: options.language,
            is_transactional: is_transactional(snapshot),
            chip_width: options.chip_width.clamp(CHIP_MIN, CHIP_MAX).ceil(),
            ..Stage::default()
        },
        lanes,
        cast,
        snapshot,
        selected: options.selected.as_deref(),
    };
    layout.stage.is_replicated = layout.lanes.is_replicated;
    layout.stage.is_merged = layout.lanes.form == LaneForm::Cell;
    layout.stage.is_leaders_only = layout.lanes.is_leaders_only;
    layout.stage.gutter = layout.lanes.gutter(snapshot.brokers.len(), width);
    let top = layout.title(options);
    let bottom = match arrangement {
        Arrangement::Plain if layout.stage.is_narrow => layout.column(top),
        Arrangement::Plain => layout.sides(top),
        arrangement => layout.with_groups(arrangement, top),
    };
    layout.stage.height = (bottom + EDGE).ceil();
    layout.links();
    layout.wires();
    layout.stage
}

/// The width from which on clients stand beside brokers.
fn narrow(snapshot: &Snapshot) -> f32 {
    match () {
        () if lanes::is_replicated(snapshot) => NARROW_REPLICATED,
        () if lanes::has_traffic(snapshot) => NARROW_TRAFFIC,
        () => NARROW,
    }
}

struct Layout<'a> {
    snapshot: &'a Snapshot,
    stage: Stage,
    lanes: Lanes,
    cast: Cast,
    selected: Option<&'a str>,
}

impl Layout<'_> {
    fn title(&mut self, options: &LayoutOptions) -> f32 {
        let Some(title) = &options.title else { return EDGE };
        let shown = text::fit(title, self.stage.width - 4.0, 13.0, Face::SansBold);
        self.stage.title = Some((shown, (EDGE + 1.0, 16.0)));
        TITLE_HEIGHT
    }

    /// Producers left, brokers right. Readers stand at the far right if there is room, else under the producers if
    /// the brokers are higher than both, else below the brokers.
    fn sides(&mut self, top: f32) -> f32 {
        let width = self.stage.width;
        // Lines such as `producer.commitTransaction();` are not cut.
        let card_min = if self.stage.is_transactional { 248.0 } else { 216.0 };
        let card_width = (width * 0.25).clamp(card_min, 280.0).floor();
        let gap = (width * if self.stage.gutter > 0.0 { 0.12 } else { 0.14 }).clamp(104.0, 150.0).floor();
        let reader_width = 208.0;
        let left = EDGE + card_width + gap;
        let has_readers = !self.snapshot.consumers.is_empty();
        let readers_right = has_readers && width - left - reader_width - gap * 0.8 >= 460.0;
        let right = if readers_right { width - EDGE - reader_width - (gap * 0.8).floor() } else { width - EDGE };

        let mut brokers_bottom = self.brokers(left, top, right - left);
        if readers_right {
            let x = width - EDGE - reader_width;
            let bottom = self.readers_stack(x, top, reader_width);
            self.center_cards(top, brokers_bottom, bottom, false);
            brokers_bottom = brokers_bottom.max(bottom);
        }
        let lanes_bottom = self.stage.brokers.iter().map(|broker| broker.area.bottom()).fold(top, f32::max);
        let bottom = self.producers_stack(EDGE, top, card_width);
        if has_readers && !readers_right {
            let readers_top = bottom + SIDE_GAP;
            let readers_bottom = readers_top + self.readers_height();
            if readers_bottom <= lanes_bottom + BESIDE_SLACK {
                self.readers_beside(readers_top, card_width);
                let shift = ((lanes_bottom - readers_bottom) / 2.0).floor().clamp(0.0, CENTER_MAX);
                self.shift_cards(shift, true);
                self.shift_cards(shift, false);
                return brokers_bottom.max(readers_bottom);
            }
            self.readers_below(brokers_bottom);
            brokers_bottom = self.readers_grid(left, brokers_bottom + READERS_GAP, right - left - self.stage.gutter);
        }
        self.center_cards(top, lanes_bottom, bottom, true);
        brokers_bottom.max(bottom)
    }

    /// Under the producers: what readers get leaves a broker beside what it gets from producers.
    fn readers_beside(&mut self, top: f32, width: f32) {
        self.readers_stack(EDGE, top, width);
        for card in &mut self.stage.readers {
            card.port.0 = card.area.right();
        }
        for broker in &mut self.stage.brokers {
            broker.reader_port = (broker.area.x, (broker.port.1 + READER_PORT).min(broker.area.bottom()));
        }
    }

    /// Clients above, lanes below, readers at the bottom.
    fn column(&mut self, top: f32) -> f32 {
        let width = self.stage.width - 2.0 * EDGE;
        let y = self.producers_grid(EDGE, top, width);
        let y = self.brokers(EDGE, y + NARROW_GAP, width);
        if self.snapshot.consumers.is_empty() {
            return y;
        }
        self.readers_below(y);
        self.readers_grid(EDGE, y + READERS_GAP, width)
    }

    /// What readers get leaves all brokers at the bottom of the last one, so that it crosses none.
    fn readers_below(&mut self, bottom: f32) {
        self.stage.readers_below = true;
        for broker in &mut self.stage.brokers {
            broker.reader_port = (broker.area.center().0, bottom);
        }
    }

    /// Moves a column of cards that is shorter than its neighbor toward the middle of it.
    fn center_cards(&mut self, top: f32, neighbor_bottom: f32, bottom: f32, producers: bool) {
        let shift = ((neighbor_bottom - bottom) / 2.0).floor().min(CENTER_MAX);
        if shift <= 0.0 || bottom <= top {
            return;
        }
        self.shift_cards(shift, producers);
        if producers && self.snapshot.producers.is_empty() {
            self.stage.notes.iter_mut().filter(|(_, at)| at.0 < 100.0).for_each(|(_, at)| at.1 += shift);
        }
    }

    fn shift_cards(&mut self, shift: f32, producers: bool) {
        let cards = if producers { &mut self.stage.producers } else { &mut self.stage.readers };
        for card in cards {
            card.area.y += shift;
            card.port.1 += shift;
        }
        if !producers {
            self.stage.groups.iter_mut().for_each(|group| group.shift(shift));
        }
    }

    fn note(&mut self, sentence: &str, x: f32, y: f32, room: f32) {
        self.stage.notes.push((text::fit(&sentence.into(), room, 13.0, Face::Sans), (x, y)));
    }

    /// Ways between brokers above each other: all of few, else those between neighbors.
    fn wires(&mut self) {
        let brokers: Vec<&crate::stage::BrokerBox> =
            self.stage.brokers.iter().filter(|broker| broker.broker.is_some()).collect();
        if self.stage.gutter == 0.0 || brokers.len() > LINKS {
            return;
        }
        let reach = if brokers.len() <= WIRED { brokers.len() } else { 1 };
        let mut wires = Vec::new();
        for (index, from) in brokers.iter().enumerate() {
            wires.extend(brokers[index + 1..].iter().take(reach).filter_map(|to| self.stage.between(from, to)));
        }
        self.stage.wires = wires;
    }

    fn links(&mut self) {
        let brokers = || self.stage.brokers.iter().enumerate().filter(|(_, broker)| broker.broker.is_some());
        let targets = if self.stage.is_merged { 1 } else { brokers().count() };
        if self.stage.producers.len() * targets > LINKS {
            return;
        }
        let mut links = Vec::new();
        for (producer, card) in self.stage.producers.iter().enumerate() {
            for (broker, target) in brokers() {
                // Where all brokers share one port, one line is enough.
                let curve = bend(card.port, target.port, self.stage.is_narrow);
                if !links.iter().any(|link: &Link| link.curve == curve) {
                    links.push(Link { producer, broker, curve });
                }
            }
        }
        self.stage.links = links;
    }
}

/// Equal cells in rows that fill a width.
struct Grid {
    count: usize,
    columns: usize,
    x: f32,
    cell_width: f32,
    gap: f32,
}

impl Grid {
    fn new(count: usize, x: f32, width: f32, cell_min: f32, gap: f32) -> Grid {
        let fitting = (((width + gap) / (cell_min + gap)).floor() as usize).max(1);
        // Cards share the width; tiles keep theirs, so that a short last row looks like the others.
        let columns = if cell_min > 100.0 { fitting.min(count.max(1)) } else { fitting };
        let cell_width = ((width - (columns - 1) as f32 * gap) / columns as f32).floor();
        Grid { count, columns, x, cell_width, gap }
    }

    fn area(&self, index: usize, top: f32, height: f32) -> Area {
        let (row, column) = (index / self.columns, index % self.columns);
        let x = self.x + column as f32 * (self.cell_width + self.gap);
        Area::new(x, top + row as f32 * (height + self.gap), self.cell_width, height)
    }

    fn bottom(&self, top: f32, height: f32) -> f32 {
        let rows = self.count.div_ceil(self.columns);
        top + rows as f32 * (height + self.gap) - self.gap
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
