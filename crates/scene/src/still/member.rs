//! Members of groups in the still layer: cards with sockets for what they own, rows, and squares.
//!
//! Callbacks that pop and how long an application is busy move, so they are in `frame/group.rs`.

use std::rc::Rc;

use engine::event::TopicPartition;
use engine::order::Order;

use super::card::more;
use super::group::has_joined;
use super::group_words::{generation_words, member_words, process_word, telling_state};
use super::replica::{Tag, tags_until};
use super::{Draw, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::members::{Group, Member};
use crate::stage::{Area, CardBox, CardForm};
use crate::text;

/// The strip in a member's color at the left of its card, and its distance from the edge.
const STRIP: f32 = 18.0;
const INSET: f32 = 6.0;
/// From a card's left edge to its words.
const LEFT: f32 = INSET + STRIP + 10.0;
const PAD: f32 = 12.0;
const SOCKET: f32 = 22.0;
const SOCKET_GAP: f32 = 4.0;
const SOCKET_MAX: f32 = 34.0;
/// From this width on a card has room for tags beside its name.
const TAG_WIDTH: f32 = 200.0;
/// From the top of a card to its sockets.
const SOCKETS: f32 = 50.0;

impl Draw<'_> {
    /// The card of a member. None if the snapshot does not know it as one.
    pub(super) fn member(&self, card: &CardBox) -> Option<Item> {
        let (group, member) = self.member_at(card.index)?;
        let children = match card.form {
            CardForm::MemberTile => return Some(self.member_tile(card, group, member)),
            CardForm::MemberRow => self.member_row(card.area, group, member),
            _ => self.member_card(card.area, group, member),
        };
        let class = Class::new(Role::Card)
            .mark(Mark::Muted, member.is_gone())
            .mark(Mark::Diff, member.is_still() && !member.is_gone())
            .mark(Mark::Selected, self.is_selected(&card.id));
        let radius = if card.form == CardForm::Member { 12.0 } else { 10.0 };
        let label = member_words(group, member, self.groups.lag_of(member));
        Some(Item::new(class, rect(card.area, radius)).id(card.id.clone()).label(label).with(children))
    }

    /// One square for members that have none of their own.
    pub(super) fn more_members(&self, card: &CardBox, count: usize) -> Item {
        if card.area.width >= 100.0 {
            return more(card, count, "members");
        }
        let words =
            text::fit(&format!("+{}", text::count(count as u64)).into(), card.area.width - 4.0, 11.0, Face::Mono);
        let at = (card.area.center().0, card.area.center().1 + 4.0);
        let words = line(Role::TileName, at, words, 11.0, Face::Mono, Anchor::Middle);
        let item = Item::new(Role::Tile, rect(card.area, 5.0)).id(card.id.clone());
        item.label(format!("{count} more members")).with(vec![words])
    }

    /// A member by its place among the consumers.
    fn member_at(&self, index: usize) -> Option<(&Group<'_>, &Member<'_>)> {
        self.groups.groups.iter().find_map(|group| {
            let at = group.members.binary_search_by_key(&index, |member| member.index).ok()?;
            Some((group, &group.members[at]))
        })
    }

    fn member_card(&self, area: Area, group: &Group<'_>, member: &Member<'_>) -> Vec<Item> {
        let (left, right) = (area.x + LEFT, area.right() - PAD);
        let mut items = strip(member, Area::new(area.x + INSET, area.y + INSET, STRIP, area.height - 2.0 * INSET));
        let name_width = text::width(&member.consumer.name, 13.0, Face::SansBold).min((right - left) * 0.5);
        let (tags, start) = tags_until(&tags(member, area.width), left + name_width + 8.0, right, area.y + 9.0);
        items.extend(tags);
        let room = if start < right { start - 8.0 } else { right } - left;
        let name = text::fit_middle(&member.consumer.name, room, 13.0, Face::SansBold);
        let title = Class::new(Role::CardTitle).mark(Mark::Muted, member.is_gone());
        items.push(line(title, (left, area.y + 22.0), name, 13.0, Face::SansBold, Anchor::Start));
        items.extend(match process_word(member).filter(|_| area.width < TAG_WIDTH) {
            Some(word) => vec![process_line(member, word, (left, area.y + 40.0))],
            None => self.member_line(member, (left, area.y + 40.0), right - left),
        });
        items.extend(sockets(group, member, Area::new(left, area.y + SOCKETS, right - left, SOCKET)));
        items
    }

    /// The line below the name: what the member is about, then its generation and its lag, as far as there is room.
    fn member_line(&self, member: &Member<'_>, at: (f32, f32), room: f32) -> Vec<Item> {
        let generation = generation_words(member);
        let lag = format!("lag {}", text::count(self.groups.lag_of(member)));
        if let Some(state) = telling_state(member, self.snapshot.moment.time) {
            let mut words = vec![format!("{state} · {generation}"), state];
            if member.membership.callback.is_some() {
                words.push("in a callback".to_string());
            }
            let words = fitting(&words, room);
            return vec![line(Role::ClockText, at, words, 12.0, Face::Sans, Anchor::Start)];
        }
        let twice = member.membership.repeated_count;
        if twice > 0 && room < TAG_WIDTH - LEFT - PAD {
            let words = [format!("{} twice · {lag}", text::count(twice)), format!("{} twice", text::count(twice))];
            let class = Class::new(Role::TagText).mark(Mark::Bad, true);
            return vec![line(class, at, fitting(&words, room), 12.0, Face::Sans, Anchor::Start)];
        }
        if let Some(shared) = member.shared {
            let held = format!("holds {}", text::count(shared.held.len() as u64));
            let done = format!("{held} · {} done", text::count(shared.acknowledged_counts[0]));
            let words = fitting(&[format!("{generation} · {done}"), done, held], room);
            return vec![line(Role::CardSub, at, words, 12.0, Face::Sans, Anchor::Start)];
        }
        let read = format!("{} read", text::count(member.consumer.read_count));
        let mut words = vec![format!("{generation} · {lag}"), lag.clone()];
        match &member.membership.instance {
            Some(instance) => words.insert(0, format!("static {instance} · {lag}")),
            None => words.insert(0, format!("{generation} · {lag} · {read}")),
        }
        vec![line(Role::CardSub, at, fitting(&words, room), 12.0, Face::Sans, Anchor::Start)]
    }

    fn member_row(&self, area: Area, group: &Group<'_>, member: &Member<'_>) -> Vec<Item> {
        let (left, right) = (area.x + LEFT, area.right() - PAD);
        let y = area.center().1;
        let mut items = strip(member, Area::new(area.x + 5.0, area.y + 5.0, STRIP, area.height - 10.0));
        let owned = &member.membership.owned;
        let words: Vec<String> = owned.iter().map(|one| group.partition_word(one)).collect();
        let widths: f32 = words.iter().map(|word| socket_width(word) + SOCKET_GAP).sum();
        let name_width = text::width(&member.consumer.name, 13.0, Face::SansBold);
        let end = if process_word(member).is_none() && widths > 0.0 && widths <= right - left - name_width - 6.0 {
            let start = right - widths + SOCKET_GAP;
            items.extend(sockets(group, member, Area::new(start, y - SOCKET / 2.0, widths, SOCKET)));
            start
        } else {
            let process = process_word(member).map(str::to_string);
            let words: Rc<str> =
                process.clone().unwrap_or_else(|| format!("{} p", text::count(owned.len() as u64))).into();
            let start = right - text::width(&words, 12.0, Face::Sans);
            if process.is_some() || start - left - 8.0 >= name_width {
                items.push(line(Role::CardSub, (right, y + 4.0), words, 12.0, Face::Sans, Anchor::End));
                start
            } else {
                right + 8.0
            }
        };
        let name = text::fit_middle(&member.consumer.name, end - left - 8.0, 13.0, Face::SansBold);
        let title = Class::new(Role::CardTitle).mark(Mark::Muted, member.is_gone());
        items.push(line(title, (left, y + 4.5), name, 13.0, Face::SansBold, Anchor::Start));
        items
    }

    /// A square in the member's color with the number of its partitions; an outline while the group waits for it.
    fn member_tile(&self, card: &CardBox, group: &Group<'_>, member: &Member<'_>) -> Item {
        let is_missing = has_joined(member, group) == Some(false);
        let class = Class::new(Role::Owner)
            .key(Some(member.look.color))
            .mark(Mark::Muted, is_missing || member.is_gone() || member.is_still())
            .mark(Mark::Selected, self.is_selected(&card.id));
        let area = card.area;
        let words: Rc<str> = text::count(member.membership.owned.len() as u64).into();
        let words = text::fit(&words, area.width - 2.0, 11.0, Face::MonoBold);
        let at = (area.center().0, area.center().1 + 4.0);
        let mut label = member_words(group, member, self.groups.lag_of(member));
        if is_missing {
            label.push_str(", has not joined yet");
        }
        let number = line(class, at, words, 11.0, Face::MonoBold, Anchor::Middle);
        Item::new(class, rect(area, 5.0)).id(card.id.clone()).label(label).with(vec![number])
    }
}

/// The first of these words that fit, or as much of the last ones as fits.
fn fitting(words: &[String], room: f32) -> Rc<str> {
    let fits = |words: &&String| text::width(words, 12.0, Face::Sans) <= room;
    match (words.iter().find(fits), words.last()) {
        (Some(words), _) => words.as_str().into(),
        (None, Some(last)) => text::fit(&last.as_str().into(), room, 12.0, Face::Sans),
        (None, None) => "".into(),
    }
}

/// The member's color with its letter.
fn strip(member: &Member<'_>, area: Area) -> Vec<Item> {
    let class =
        Class::new(Role::Owner).key(Some(member.look.color)).mark(Mark::Muted, member.is_gone() || member.is_still());
    let letter = text::fit(&member.look.letter, area.width + 3.0, 11.0, Face::MonoBold);
    let at = (area.center().0, area.center().1 + 4.0);
    vec![Item::new(class, rect(area, 6.0)), line(class, at, letter, 11.0, Face::MonoBold, Anchor::Middle)]
}

/// How the process is, and what was read twice.
fn tags(member: &Member<'_>, width: f32) -> Vec<Tag> {
    let mut tags = Vec::new();
    if let Some(word) = process_word(member).filter(|_| width >= TAG_WIDTH) {
        let mark = if word == "closed" { None } else { Some(mark_of_process(member)) };
        tags.push(Tag::new(word, mark));
    }
    if member.membership.repeated_count > 0 && width >= TAG_WIDTH {
        tags.push(Tag::new(format!("{} twice", text::count(member.membership.repeated_count)), Some(Mark::Bad)));
    }
    tags
}

fn mark_of_process(member: &Member<'_>) -> Mark {
    if member.is_gone() { Mark::Bad } else { Mark::Diff }
}

/// The same instead of what the member is about, where there is no room for a tag.
fn process_line(member: &Member<'_>, word: &str, at: (f32, f32)) -> Item {
    let class = Class::new(Role::TagText).mark(mark_of_process(member), !member.membership.is_closed);
    line(class, at, word.into(), 12.0, Face::Sans, Anchor::Start)
}

fn socket_width(word: &str) -> f32 {
    (text::width(word, 11.0, Face::MonoBold) + 8.0).ceil()
}

/// Partitions in the order of their names: those that the member owns, that it is giving up, and that it waits for.
fn sockets(group: &Group<'_>, member: &Member<'_>, at: Area) -> Vec<Item> {
    let mut parts: Vec<(&TopicPartition, bool)> = member.membership.owned.iter().map(|one| (one, true)).collect();
    parts.extend(member.awaited(group).into_iter().map(|one| (one, false)));
    parts.order_by_key(|(one, _)| *one);
    let words: Vec<String> = parts.iter().map(|(one, _)| group.partition_word(one)).collect();
    if parts.is_empty() {
        let empty = Area { width: SOCKET_MAX, ..at };
        return vec![Item::new(Class::new(Role::Socket), rect(empty, 6.0)).label("owns nothing")];
    }
    let tight: f32 = words.iter().map(|word| socket_width(word)).sum::<f32>() + (words.len() - 1) as f32 * SOCKET_GAP;
    if tight > at.width {
        return counted_sockets(group, member, at);
    }
    // What is left goes to all of them, up to a comfortable width.
    let spare = ((at.width - tight) / words.len() as f32).floor();
    let mut x = at.x;
    let mut items = Vec::new();
    for ((partition, is_owned), word) in parts.into_iter().zip(words) {
        let width = socket_width(&word);
        let width = (width + spare).min(SOCKET_MAX.max(width));
        items.push(socket(member, partition, is_owned, word, Area { x, width, ..at }));
        x += width + SOCKET_GAP;
    }
    items
}

fn socket(member: &Member<'_>, partition: &TopicPartition, is_owned: bool, word: String, area: Area) -> Item {
    let is_held = is_owned && !member.reads(partition) && !member.is_gone();
    let class = Class::new(Role::Socket)
        .key(Some(member.look.color))
        .mark(Mark::Open, is_held)
        .mark(Mark::Muted, !is_owned || member.is_gone());
    let mut children = Vec::new();
    if is_held {
        children.push(Item::new(
            class,
            Shape::Hatch { x: area.x + 1.0, y: area.y + 1.0, width: area.width - 2.0, height: area.height - 2.0 },
        ));
    }
    let label = match (is_owned, is_held) {
        (true, false) if member.shared.is_some() => format!("reads {partition}"),
        (true, false) => format!("owns {partition}"),
        (true, true) => format!("owns {partition} and may not read it"),
        (false, _) => format!("waits for {partition}"),
    };
    let at = (area.center().0, area.center().1 + 4.0);
    let face = if is_owned { Face::MonoBold } else { Face::Mono };
    children.push(line(class, at, word.into(), 11.0, face, Anchor::Middle));
    Item::new(class, rect(area, 6.0)).label(label).with(children)
}

/// Too many for sockets: their number, and a bar for those that may be read.
fn counted_sockets(group: &Group<'_>, member: &Member<'_>, at: Area) -> Vec<Item> {
    let membership = member.membership;
    let (owned, held) = (membership.owned.len(), membership.held.len());
    let mut words = super::counted(owned as u64, "partition", "partitions");
    if held > 0 {
        words.push_str(&format!(", {} held", text::count(held as u64)));
    }
    let words = text::fit(&words.into(), at.width, 12.0, Face::Sans);
    let label = super::group_words::partition_list(group, &membership.owned);
    let track = Area::new(at.x, at.bottom() - 5.0, at.width, 5.0);
    let share = (owned - held.min(owned)) as f32 / owned.max(1) as f32;
    let class = Class::new(Role::Lag).key(Some(member.look.color));
    vec![
        line(Role::CardSub, (at.x, at.y + 12.0), words, 12.0, Face::Sans, Anchor::Start).label(label),
        Item::new(Role::BarTrack, rect(track, 2.5)),
        Item::new(class, rect(Area { width: (at.width * share).max(1.0), ..track }, 2.5)),
    ]
}
