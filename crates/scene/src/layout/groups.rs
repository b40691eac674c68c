//! Stages with groups: brokers in the middle or at the left, members at the right, on narrow stages at the bottom.
//!
//! What is written on a heading and on a card is drawn by `still/`. Where no consumer is a member, none of this counts.

use engine::Snapshot;
use engine::event::Name;
use engine::group::GroupType;

use super::lanes::has_traffic;
use super::{EDGE, Grid, Layout, NARROW_GAP, READERS_GAP, SIDE_GAP};
use crate::members::{Groups, membership};
use crate::stage::{Area, CardBox, CardForm, GateLine, GroupBox, Point, SeatBox, shown_topics};

/// From this width on producers, brokers and members stand side by side; the same where brokers have messages for each
/// other, and lanes may have tags.
const THREE_COLUMNS: f32 = 1_040.0;
const THREE_COLUMNS_TRAFFIC: f32 = 1_300.0;
/// From this width on members stand beside brokers, and producers above them; the same with such messages.
const TWO_COLUMNS: f32 = 640.0;
const TWO_COLUMNS_TRAFFIC: f32 = 840.0;
/// The same where one topic without followers has short names and signs instead of keys.
const COMPACT: f32 = 360.0;
/// With more groups their tabs leave no room for that.
const COMPACT_GROUPS: usize = 2;
/// Cards with sockets, at most; more members become rows, and then squares.
const CARDS: usize = 6;
const ROWS: usize = 16;
/// Squares of members, at most.
const TILES: usize = 240;
/// Tabs of owners on one lane, at most.
pub(crate) const TABS: usize = 2;
/// Room for tabs and tags.
const TAGS: f32 = 160.0;
/// The column of names is no wider beside members.
pub(super) const NAMES_MAX: f32 = 124.0;
/// The same beside rows on narrow stages.
pub(super) const NAMES_NARROW: f32 = 80.0;

const CARD: f32 = 82.0;
const ROW: f32 = 36.0;
const TILE: f32 = 24.0;
const CARD_GAP: f32 = 18.0;
const ROW_GAP: f32 = 8.0;
const TILE_GAP: f32 = 4.0;
/// Least width of a card in a grid.
const CARD_MIN: f32 = 168.0;
const GROUP_GAP: f32 = 28.0;
/// Heading: four lines where it is narrow, else two.
const HEAD_TALL: f32 = 84.0;
const HEAD_WIDE: f32 = 56.0;
/// From this width on a heading is wide.
pub(crate) const WIDE_HEAD: f32 = 460.0;
/// The line of the barrier stands so far before the cards.
const GATE_X: f32 = 17.0;
/// Room for a barrier above cards.
const GATE_ROOM: f32 = 34.0;
/// A group's row in its coordinator's broker.
const SEAT: f32 = 26.0;
const SEAT_GAP: f32 = 16.0;

/// How a stage with groups is arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// No group: see `layout.rs`.
    Plain,
    /// Producers, brokers, members.
    ThreeColumns,
    /// Brokers and members, producers above.
    TwoColumns,
    /// The same with little room.
    Compact,
    /// All below each other.
    OneColumn,
}

impl Arrangement {
    pub fn of(snapshot: &Snapshot, cast: &Cast, width: f32) -> Arrangement {
        let has_traffic = has_traffic(snapshot);
        let by_traffic = |plain: f32, traffic: f32| if has_traffic { traffic } else { plain };
        let two = by_traffic(TWO_COLUMNS, TWO_COLUMNS_TRAFFIC);
        let three = match snapshot.producers.is_empty() {
            true => two,
            false => by_traffic(THREE_COLUMNS, THREE_COLUMNS_TRAFFIC),
        };
        let is_simple = !has_traffic && shown_topics(snapshot).count() < 2 && cast.groups.len() <= COMPACT_GROUPS;
        match width {
            _ if cast.groups.is_empty() => Arrangement::Plain,
            _ if width >= three => Arrangement::ThreeColumns,
            _ if width >= two => Arrangement::TwoColumns,
            _ if width >= COMPACT && is_simple => Arrangement::Compact,
            _ => Arrangement::OneColumn,
        }
    }

    /// The width that brokers get, as far as the form of lanes depends on it.
    pub fn lanes_width(self, width: f32) -> f32 {
        match self {
            Arrangement::TwoColumns => width - members_width(width),
            // Tabs and tags take room beside lanes: names stand above them earlier.
            Arrangement::OneColumn => width - TAGS,
            _ => width,
        }
    }
}

fn members_width(width: f32) -> f32 {
    let share = match width {
        _ if width < TWO_COLUMNS => 0.385,
        _ if width < THREE_COLUMNS => 0.25,
        _ => 0.2,
    };
    (width * share).clamp(148.0, 232.0).floor()
}

/// What a layout has to know of groups.
#[derive(Default)]
pub(super) struct Cast {
    groups: Vec<Crew>,
    /// Consumers without a group.
    pub readers: Vec<usize>,
}

/// The members of one group.
pub(super) struct Crew {
    name: Name,
    has_gate: bool,
    coordinator: Option<u32>,
    members: Vec<usize>,
}

impl Cast {
    pub fn of(snapshot: &Snapshot) -> Cast {
        let crew = |group: &crate::members::Group<'_>| Crew {
            name: group.name.clone(),
            has_gate: group.group_type() == GroupType::Classic,
            coordinator: group.state.and_then(|state| state.coordinator),
            members: group.members.iter().map(|member| member.index).collect(),
        };
        let readers = snapshot.consumers.iter().enumerate().filter(|(_, one)| membership(one).is_none());
        Cast {
            groups: Groups::of(snapshot).groups.iter().map(crew).collect(),
            readers: readers.map(|(at, _)| at).collect(),
        }
    }

    /// Tabs on each lane: where lanes have tags as well, and little room, one must do, and with hardly any room none.
    pub fn tabs(&self, snapshot: &Snapshot, arrangement: Arrangement, width: f32) -> usize {
        let most = match arrangement == Arrangement::OneColumn && has_traffic(snapshot) {
            true if width < COMPACT => 0,
            true => 1,
            false => TABS,
        };
        self.groups.len().min(most)
    }

    fn form(&self) -> CardForm {
        match self.groups.iter().map(|crew| crew.members.len()).sum::<usize>() {
            0..=CARDS => CardForm::Member,
            count if count <= ROWS => CardForm::MemberRow,
            _ => CardForm::MemberTile,
        }
    }
}

/// Height of a card and the gap to the next.
fn size(form: CardForm) -> (f32, f32) {
    match form {
        CardForm::Member => (CARD, CARD_GAP),
        CardForm::MemberRow => (ROW, ROW_GAP),
        _ => (TILE, TILE_GAP),
    }
}

fn head(x: f32, y: f32, width: f32) -> Area {
    Area::new(x, y, width, if width >= WIDE_HEAD { HEAD_WIDE } else { HEAD_TALL })
}

impl Layout<'_> {
    /// Everything of a stage with groups below the title; the bottom edge.
    pub(super) fn with_groups(&mut self, arrangement: Arrangement, top: f32) -> f32 {
        match arrangement {
            Arrangement::ThreeColumns => self.three_columns(top),
            Arrangement::TwoColumns | Arrangement::Compact => self.two_columns(top),
            Arrangement::Plain | Arrangement::OneColumn => self.one_column(top),
        }
    }

    fn three_columns(&mut self, top: f32) -> f32 {
        let width = self.stage.width;
        let has_producers = !self.snapshot.producers.is_empty();
        let card_min = if self.stage.is_transactional { 236.0 } else { 216.0 };
        let (card, gap) = match has_producers {
            true => ((width * 0.19).clamp(card_min, 264.0).floor(), (width * 0.085).clamp(84.0, 130.0).floor()),
            false => (0.0, 0.0),
        };
        let members = members_width(width);
        let members_gap = (width * 0.08).clamp(76.0, 120.0).floor();
        let left = EDGE + card + gap;
        let right = width - EDGE - members - members_gap;
        let brokers_bottom = self.brokers(left, top, right - left);
        let members_bottom = self.members_stack(width - EDGE - members, top, members);
        let lanes_bottom = self.stage.brokers.iter().map(|broker| broker.area.bottom()).fold(top, f32::max);
        self.center_cards(top, lanes_bottom, members_bottom, false);
        if !has_producers {
            return brokers_bottom.max(members_bottom);
        }
        let bottom = self.producers_stack(EDGE, top, card);
        self.center_cards(top, lanes_bottom.max(members_bottom), bottom, true);
        brokers_bottom.max(members_bottom).max(bottom)
    }

    fn two_columns(&mut self, top: f32) -> f32 {
        let width = self.stage.width;
        let mut y = top;
        if !self.snapshot.producers.is_empty() {
            y = self.producers_grid(EDGE, top, width - 2.0 * EDGE) + NARROW_GAP;
        }
        let members = members_width(width);
        let gap = (width * 0.09).clamp(36.0, 76.0).floor();
        let right = width - EDGE - members - gap;
        let brokers_bottom = self.brokers(EDGE, y, right - EDGE);
        self.readers_at_the_side(right);
        let bottom = self.members_stack(width - EDGE - members, y, members);
        self.center_cards(y, brokers_bottom, bottom, false);
        brokers_bottom.max(bottom)
    }

    /// What members get leaves brokers at their right, though what producers send enters at their top.
    fn readers_at_the_side(&mut self, right: f32) {
        let merged = self.stage.is_merged;
        let tops = self.stage.brokers.iter().map(|one| one.area.y).fold(f32::MAX, f32::min);
        let bottoms = self.stage.brokers.iter().map(|one| one.area.bottom()).fold(0.0, f32::max);
        for broker in &mut self.stage.brokers {
            let middle = (if merged { (tops + bottoms) / 2.0 } else { broker.area.center().1 }).floor();
            broker.reader_port = (if merged { right - self.stage.gutter } else { broker.area.right() }, middle);
        }
    }

    fn one_column(&mut self, top: f32) -> f32 {
        let width = self.stage.width - 2.0 * EDGE;
        let mut y = top;
        if !self.snapshot.producers.is_empty() {
            y = self.producers_grid(EDGE, top, width) + NARROW_GAP;
        }
        let y = self.brokers(EDGE, y, width);
        self.readers_below(y);
        self.members_grid(EDGE, y + READERS_GAP, width)
    }

    /// Groups below each other, their members in one column, and below them readers without a group.
    fn members_stack(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let form = self.cast.form();
        let (height, gap) = size(form);
        let mut y = top;
        for index in 0..self.cast.groups.len() {
            let head = head(x, y, width);
            let start = head.bottom();
            let (from, crew) = (self.stage.readers.len(), &self.cast.groups[index]);
            let (members, has_gate) = (crew.members.clone(), crew.has_gate);
            let bottom = if form == CardForm::MemberTile {
                self.tiles_of_members(&members, Area { y: start, ..head }, (x, (start + TILE / 2.0).floor()))
            } else {
                let mut at = start;
                for member in &members {
                    let area = Area::new(x, at, width, height);
                    self.member(*member, form, area, (x, area.center().1));
                    at += height + gap;
                }
                at - gap
            };
            let gate = has_gate.then(|| GateLine {
                from: (x - GATE_X, start),
                to: (x - GATE_X, bottom),
                has_places: form != CardForm::MemberTile,
            });
            self.push_group(index, head, bottom, from, gate);
            y = bottom + GROUP_GAP;
        }
        y -= GROUP_GAP;
        if self.cast.readers.is_empty() { y } else { self.readers_stack(x, y + SIDE_GAP, width) }
    }

    /// The same in rows that fill the width.
    fn members_grid(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let form = self.cast.form();
        let (height, gap) = size(form);
        let mut y = top;
        for index in 0..self.cast.groups.len() {
            let head = head(x, y, width);
            let (from, crew) = (self.stage.readers.len(), &self.cast.groups[index]);
            let (members, has_gate) = (crew.members.clone(), crew.has_gate);
            let start = head.bottom() + if has_gate { GATE_ROOM } else { 0.0 };
            let bottom = if form == CardForm::MemberTile {
                self.tiles_of_members(&members, Area { y: start, ..head }, (head.center().0, y))
            } else {
                let cells = Grid::new(members.len(), x, width, CARD_MIN, gap);
                for (at, member) in members.iter().enumerate() {
                    let area = cells.area(at, start, height);
                    self.member(*member, form, area, (area.center().0, y));
                }
                cells.bottom(start, height)
            };
            let line = head.bottom() + GATE_ROOM / 2.0 - 4.0;
            let gate = has_gate.then_some(GateLine {
                from: (x, line),
                to: (x + width, line),
                has_places: form != CardForm::MemberTile,
            });
            self.push_group(index, head, bottom, from, gate);
            y = bottom + GROUP_GAP;
        }
        y -= GROUP_GAP;
        if self.cast.readers.is_empty() { y } else { self.readers_grid(x, y + SIDE_GAP, width) }
    }

    fn push_group(&mut self, index: usize, head: Area, bottom: f32, from: usize, gate: Option<GateLine>) {
        let crew = &self.cast.groups[index];
        self.stage.groups.push(GroupBox {
            group: crew.name.clone(),
            id: format!("group:{}", crew.name).into(),
            area: Area { height: bottom - head.y, ..head },
            head,
            cards: (from, self.stage.readers.len() - from),
            gate,
        });
    }

    /// A square for each member, as many as fit into the bound, and one for the rest; the bottom edge.
    fn tiles_of_members(&mut self, members: &[usize], at: Area, port: Point) -> f32 {
        let most = (TILES / self.cast.groups.len().max(1)).max(2);
        let shown = if members.len() > most { most - 1 } else { members.len() };
        let cells = Grid::new(shown + 2, at.x, at.width, TILE, TILE_GAP);
        let square = |index: usize| Area { width: TILE, ..cells.area(index, at.y, TILE) };
        for (index, member) in members[..shown].iter().enumerate() {
            self.member(*member, CardForm::MemberTile, square(index), port);
        }
        let rest = &members[shown..];
        let Some(first) = rest.first() else { return square(shown.saturating_sub(1)).bottom() };
        let mut area = square(shown);
        if area.x + 2.0 * TILE > at.right() {
            area = square(shown.div_ceil(cells.columns) * cells.columns);
        }
        let area = Area { width: (2.0 * TILE + TILE_GAP).min(at.width), ..area };
        for member in &rest[1..] {
            self.stage.reader_of.insert(self.snapshot.consumers[*member].name.clone(), self.stage.readers.len());
        }
        self.member(*first, CardForm::More(rest.len()), area, port);
        area.bottom()
    }

    fn member(&mut self, index: usize, form: CardForm, area: Area, port: Point) {
        let name = &self.snapshot.consumers[index].name;
        self.stage.reader_of.insert(name.clone(), self.stage.readers.len());
        let id = match form {
            CardForm::More(_) => format!("members:{}", self.stage.readers.len()).into(),
            _ => format!("consumer:{name}").into(),
        };
        self.stage.readers.push(CardBox { index, id, area, form, port, is_open: false, is_wide: false });
    }

    /// The rows of groups that a broker coordinates, from a top edge on; the bottom edge of the last one.
    pub(super) fn seats(&mut self, broker: Option<u32>, at: Area) -> f32 {
        let Some(broker) = broker else { return at.y };
        let mut y = at.y;
        for crew in self.cast.groups.iter().filter(|crew| crew.coordinator == Some(broker)) {
            let (group, id) = (crew.name.clone(), format!("group:{}", crew.name).into());
            self.stage.seats.push(SeatBox { group, id, broker, area: Area::new(at.x, y, at.width, SEAT) });
            y += SEAT + SEAT_GAP;
        }
        y
    }
}
