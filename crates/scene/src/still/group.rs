//! Groups in the still layer: their headings, their rows at the brokers that coordinate them, and the barrier that
//! members of a classic group wait at.
//!
//! Members are in `member.rs`, what is theirs on lanes in `owner.rs`.

use std::rc::Rc;

use engine::group::{GroupState, GroupType};

use super::group_words::{epoch_words, group_words, protocol_name, protocol_words};
use super::{Draw, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::layout::{CROWN_WIDTH, WIDE_HEAD};
use crate::members::{Group, Member};
use crate::palette::CROWN;
use crate::stage::{Area, GateLine, GroupBox, SeatBox};
use crate::text;

const PILL_HEIGHT: f32 = 20.0;
/// A member's place at the barrier.
const PLACE: f32 = 9.5;
const PLACE_PITCH: f32 = 26.0;

impl Draw<'_> {
    /// The headings of groups, and barriers.
    pub(super) fn groups(&self) -> Vec<Item> {
        self.stage.groups.iter().flat_map(|at| self.group(at)).collect()
    }

    fn group(&self, at: &GroupBox) -> Vec<Item> {
        let Some(group) = self.groups.groups.iter().find(|group| *group.name == at.group) else { return Vec::new() };
        let head = Item::new(Role::Group, rect(at.head, 8.0)).id(at.id.clone()).label(group_words(group));
        let mut items = vec![head.with(self.heading(at, group))];
        if let (Some(gate), Some((joined, all))) = (at.gate, group.barrier()) {
            items.extend(self.gate(at, gate, group, joined == all));
        }
        items
    }

    /// The id, the protocol, the state as its coordinator has it, the epoch, and how the members get on.
    fn heading(&self, at: &GroupBox, group: &Group<'_>) -> Vec<Item> {
        let head = at.head;
        let is_wide = head.width >= WIDE_HEAD;
        let id = &at.group;
        let protocol: Rc<str> = protocol_words(group, is_wide).into();
        let protocol_width = text::width(&protocol, 12.0, Face::Sans);
        let y = head.y + 14.0;
        let mut items = vec![line(Role::Badge, (head.right(), y), protocol, 12.0, Face::Sans, Anchor::End)];
        let pill_room = if is_wide { pill_width(group) + 10.0 } else { 0.0 };
        let title = text::fit_middle(id, head.width - protocol_width - 12.0 - pill_room, 13.0, Face::SansBold);
        let pill = group.state.map(|state| head_pill(at, group.group_type(), state.state));
        items.extend(pill.and_then(|pill| self.state_pill(group, (pill.x, pill.y), pill.right())));
        items.push(line(Role::BrokerTitle, (head.x, y), title, 13.0, Face::SansBold, Anchor::Start));
        let epoch: Rc<str> = epoch_words(group).into();
        let told = told(group);
        if is_wide {
            let y = head.y + 33.0;
            items.push(line(Role::CardSub, (head.x, y), epoch.clone(), 12.0, Face::Sans, Anchor::Start));
            let left = text::width(&epoch, 12.0, Face::Sans) + 16.0;
            items.extend(remark(told, (head.x + left, y), head.width - left));
            return items;
        }
        let used = pill_width(group).min(head.width) + 8.0;
        let y = head.y + 36.0;
        let fits = text::width(&epoch, 12.0, Face::Sans) <= head.width - used;
        if fits {
            items.push(line(Role::CardSub, (head.right(), y), epoch.clone(), 12.0, Face::Sans, Anchor::End));
        }
        let y = head.y + 57.0;
        let told = match told {
            (words, mark) if fits => (words, mark),
            (words, true) => (words, true),
            (words, false) => (format!("{epoch} · {words}"), false),
        };
        items.extend(remark(told, (head.x, y), head.width));
        items
    }

    fn state_pill(&self, group: &Group<'_>, (x, y): (f32, f32), right: f32) -> Option<Item> {
        let state = group.state?;
        let width = pill_width(group).min(right - x);
        let word = text::fit(&state.state.name().into(), width - 16.0, 11.0, Face::MonoBold);
        let shape = Shape::Pill { x, y, width, height: PILL_HEIGHT, text: word };
        Some(Item::new(of_group_state(state.state), shape).label(state.state.name()))
    }

    /// The line that all wait at, and who stands at it already.
    fn gate(&self, at: &GroupBox, gate: GateLine, group: &Group<'_>, is_open: bool) -> Vec<Item> {
        let class = Class::new(Role::Gate).mark(Mark::Lit, !is_open);
        let words =
            if is_open { "everybody has joined, the assignment is to come" } else { "members wait for each other" };
        let mut items = vec![Item::new(class, Shape::Line { from: gate.from, to: gate.to }).label(words)];
        if !gate.has_places {
            return items;
        }
        let cards = &self.stage.readers[at.cards.0..at.cards.0 + at.cards.1];
        let (mut x, most) = (gate.from.0 + PLACE, gate.to.0 - PLACE);
        for (member, card) in group.members.iter().zip(cards) {
            let Some(has_joined) = has_joined(member, group) else { continue };
            let at = if gate.is_upright() { (gate.from.0, card.area.center().1) } else { (x, gate.from.1) };
            if at.0 > most + 0.5 && !gate.is_upright() {
                break;
            }
            x += PLACE_PITCH;
            items.extend(place(member, at, has_joined));
        }
        items
    }

    /// The groups that a broker coordinates.
    pub(super) fn seats(&self, broker: Option<u32>) -> Vec<Item> {
        let here = self.stage.seats.iter().filter(|seat| Some(seat.broker) == broker);
        here.filter_map(|seat| self.seat(seat)).collect()
    }

    fn seat(&self, seat: &SeatBox) -> Option<Item> {
        let group = self.groups.groups.iter().find(|group| *group.name == seat.group)?;
        let state = group.state?;
        let area = seat.area;
        let (left, right) = (area.x + 8.0, area.right() - 8.0);
        let middle = area.y + area.height / 2.0;
        let class = Class::new(Role::Coordinator).mark(Mark::Selected, self.is_selected(&seat.id));
        let crown = Shape::Glyph { x: left + 6.0, y: middle, radius: 6.0, glyph: CROWN };
        let mut children = vec![Item::new(Role::Crown, crown).label("group coordinator")];
        let pill = seat_pill(seat, state.state);
        children.extend(pill.and_then(|pill| self.state_pill(group, (pill.x, pill.y), pill.right())));
        let room = pill.map_or(right, |pill| pill.x - 8.0) - left - CROWN_WIDTH;
        let name = text::fit_middle(&seat.group, room, 12.0, Face::Mono);
        let name_width = text::width(&name, 12.0, Face::Mono);
        children.push(line(Role::LaneName, (left + CROWN_WIDTH, middle + 4.0), name, 12.0, Face::Mono, Anchor::Start));
        let home: Rc<str> = format!("__consumer_offsets-{}", state.partition).into();
        if name_width + 14.0 + text::width(&home, 11.0, Face::Mono) <= room {
            let at = (left + CROWN_WIDTH + name_width + 14.0, middle + 4.0);
            children.push(line(Role::LaneCount, at, home, 11.0, Face::Mono, Anchor::Start));
        }
        Some(Item::new(class, rect(area, 8.0)).id(seat.id.clone()).label(group_words(group)).with(children))
    }
}

/// The state's pill of a group.
fn pill_width(group: &Group<'_>) -> f32 {
    group.state.map_or(0.0, |state| text::pill_width(state.state.name()) - 2.0)
}

/// How a group's state looks.
pub(crate) fn of_group_state(state: GroupState) -> Class {
    let class = Class::new(Role::State);
    match state {
        GroupState::Stable => class.mark(Mark::Lit, true),
        GroupState::PreparingRebalance
        | GroupState::CompletingRebalance
        | GroupState::Assigning
        | GroupState::Reconciling => class.mark(Mark::Diff, true),
        GroupState::Dead => class.mark(Mark::Bad, true),
        GroupState::Empty => class,
    }
}

/// What a heading tells of the members, and whether they are held up.
fn told(group: &Group<'_>) -> (String, bool) {
    let until =
        group.state.and_then(|state| state.due).map_or_else(String::new, |due| format!(", at most until {due}"));
    let strangers = match group.stranger_count {
        0 => String::new(),
        count => format!(" · {count} without a process"),
    };
    match group.barrier() {
        Some((joined, all)) if joined < all => (format!("{joined} of {all} have joined{until}"), true),
        Some(_) => ("all joined, assignment to come".to_string(), true),
        None => {
            let assignor = group.state.map_or("", |state| &*state.assignor);
            (
                if assignor.is_empty() {
                    strangers.trim_start_matches(" · ").to_string()
                } else {
                    format!("{assignor}{strangers}")
                },
                false,
            )
        }
    }
}

fn remark((words, is_held): (String, bool), at: (f32, f32), room: f32) -> Option<Item> {
    let mut words = words;
    // What may be left out stands at the end.
    if text::width(&words, 12.0, Face::Sans) > room
        && let Some((first, _)) = words.split_once(", at most")
    {
        words = first.to_string();
    }
    let words = text::fit(&words.into(), room, 12.0, Face::Sans);
    let role = if is_held { Role::ClockText } else { Role::CardSub };
    (!words.is_empty()).then(|| line(role, at, words, 12.0, Face::Sans, Anchor::Start))
}

/// Whether a member stands at the barrier; none if the group does not wait for it.
pub(super) fn has_joined(member: &Member<'_>, group: &Group<'_>) -> Option<bool> {
    group.barrier()?;
    let known = member.known?;
    Some(known.is_joining || group.state.is_some_and(|state| state.state == GroupState::CompletingRebalance))
}

/// The place of a member: full with its letter if it has joined, an empty outline if it is missing.
fn place(member: &Member<'_>, (x, y): (f32, f32), has_joined: bool) -> Vec<Item> {
    let class = Class::new(Role::Owner).key(Some(member.look.color)).mark(Mark::Muted, !has_joined);
    let name = &member.consumer.name;
    let label = if has_joined { format!("{name} has joined") } else { format!("{name} has not joined yet") };
    // The line does not run through an empty place.
    let ground = (!has_joined).then(|| Item::new(Role::Paper, Shape::Circle { x, y, radius: PLACE }));
    let circle = Item::new(class, Shape::Circle { x, y, radius: PLACE }).label(label);
    let letter = line(class, (x, y + 4.0), member.look.letter.clone(), 11.0, Face::MonoBold, Anchor::Middle);
    ground.into_iter().chain([circle, letter]).collect()
}

/// The place of a group's state in its row; none if the id leaves no room for it, as its heading tells it as well.
pub(crate) fn seat_pill(seat: &SeatBox, state: GroupState) -> Option<Area> {
    let area = seat.area;
    let width = text::pill_width(state.name()) - 2.0;
    let name = text::width(&seat.group, 12.0, Face::Mono);
    let x = area.right() - 4.0 - width;
    let fits = area.x + 8.0 + CROWN_WIDTH + name.min(area.width * 0.4) + 8.0 <= x;
    fits.then(|| Area::new(x, area.center().1 - PILL_HEIGHT / 2.0, width, PILL_HEIGHT))
}

/// The place of a group's state in its heading.
pub(crate) fn head_pill(at: &GroupBox, group_type: GroupType, state: GroupState) -> Area {
    let head = at.head;
    let width = (text::pill_width(state.name()) - 2.0).min(head.width);
    if head.width < WIDE_HEAD {
        return Area::new(head.x, head.y + 22.0, width, PILL_HEIGHT);
    }
    let protocol = text::width(&protocol_name(group_type, true), 12.0, Face::Sans);
    let title = text::fit_middle(&at.group, head.width - protocol - 22.0 - width, 13.0, Face::SansBold);
    Area::new(head.x + text::width(&title, 13.0, Face::SansBold) + 10.0, head.y, width, PILL_HEIGHT)
}
