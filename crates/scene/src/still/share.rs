//! What share groups do on lanes: a sign at each record in flight, the start offset, and who reads together.
//!
//! How much of a lock is left moves, so it is in `frame/share.rs`.

use std::rc::Rc;

use engine::share::RecordState;
use engine::snapshot::{InFlightRecord, PartitionSnapshot};

use super::words::counted;
use super::{Draw, flags, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::layout::TABS;
use crate::log::Log;
use crate::members::Groups;
use crate::share::{Sharing, sharings};
use crate::stage::{Area, LaneBox, Window};
use crate::text;

/// The sign at a record: in its member's color while it is held.
const SIGN: f32 = 8.0;
/// The count of deliveries.
const COUNT: f32 = 7.0;
/// Below this height of a chip a sign has no letter.
const LETTER_HEIGHT: f32 = 16.0;

impl Draw<'_> {
    /// Everything of share groups on a lane; groups of other types have their tabs before them.
    pub(super) fn shares(
        &self,
        lane: &LaneBox,
        window: Window,
        log: &Log<'_>,
        partition: &PartitionSnapshot,
    ) -> Vec<Item> {
        if !lane.id.starts_with("partition:") || self.snapshot.share_consumers.is_empty() {
            return Vec::new();
        }
        let before = self.groups.places(&lane.topic, partition.partition).len();
        let mut items = Vec::new();
        let sharings = sharings(self.snapshot, &self.groups, &lane.topic, partition.partition);
        for (number, sharing) in sharings.iter().enumerate().take(TABS) {
            let group = self.groups.groups[sharing.group].name;
            items.extend(self.start(lane, window, log, sharing));
            let first = log.records.len() - window.shown;
            for (index, record) in log.records[first..].iter().enumerate() {
                if let Some(known) = sharing.record(record.offset) {
                    items.extend(self.sign(lane.slot(window, index), number, known, sharing));
                }
            }
            if before + number < lane.tabs {
                items.extend(self.shared_tab(lane.tab(before + number), sharing, group));
            }
        }
        items
    }

    /// The start offset: everything before the line is done.
    fn start(&self, lane: &LaneBox, window: Window, log: &Log<'_>, sharing: &Sharing<'_>) -> Option<Item> {
        let offset = sharing.state?.start_offset?;
        let x = flags::boundary(lane, window, log, offset)?;
        let group = self.groups.groups[sharing.group].name;
        let shape = Shape::Line { from: (x, lane.area.y + 1.0), to: (x, lane.area.bottom() - 1.0) };
        Some(Item::new(Role::Commit, shape).label(format!("{group} starts at offset {offset}, all before it is done")))
    }

    /// The sign at a record's upper right corner, of a second group at the upper left, and below it how often it was
    /// delivered, if that is more than once or it waits for somebody again.
    fn sign(&self, slot: Area, number: usize, known: &InFlightRecord, sharing: &Sharing<'_>) -> Vec<Item> {
        let group = &self.groups.groups[sharing.group];
        let holder = known.member.as_ref().and_then(|id| group.members.iter().find(|one| one.membership.member == *id));
        let is_again = known.state == RecordState::Available && known.delivery_count > 0;
        let (class, letter): (Class, Rc<str>) = match known.state {
            RecordState::Available if !is_again => return Vec::new(),
            RecordState::Available => (Class::new(Role::Owner).mark(Mark::Muted, true), "".into()),
            RecordState::Acquired => {
                let class = Class::new(Role::Owner).key(holder.map(|one| one.look.color));
                (class, holder.map_or_else(|| "?".into(), |one| one.look.letter.clone()))
            }
            RecordState::Acknowledged => (Class::new(Role::Tag).mark(Mark::Lit, true), "✓".into()),
            RecordState::Archived => (Class::new(Role::Tag).mark(Mark::Bad, true), "×".into()),
        };
        let x = if number == 0 { slot.right() - 2.0 } else { slot.x + 2.0 };
        let y = slot.y + 1.0;
        let radius = SIGN.min(slot.height / 2.0);
        let mut items = vec![
            Item::new(Role::Paper, Shape::Circle { x, y, radius: radius + 1.0 }),
            Item::new(class, Shape::Circle { x, y, radius }).label(record_words(
                group.name,
                known,
                holder.map(|one| &*one.consumer.name),
            )),
        ];
        if slot.height >= LETTER_HEIGHT && !letter.is_empty() {
            let ink = match class.role {
                Role::Tag => Class::new(Role::TagText)
                    .mark(Mark::Lit, class.has(Mark::Lit))
                    .mark(Mark::Bad, class.has(Mark::Bad)),
                _ => class,
            };
            let letter = text::fit(&letter, 2.0 * radius, 11.0, Face::MonoBold);
            items.push(line(ink, (x, y + 4.0), letter, 11.0, Face::MonoBold, Anchor::Middle));
        }
        if slot.height >= LETTER_HEIGHT && (known.delivery_count > 1 || is_again) {
            items.extend(count((x, slot.bottom() - 1.0), known.delivery_count));
        }
        items
    }

    /// A tab with a band for each member that reads the partition.
    fn shared_tab(&self, area: Area, sharing: &Sharing<'_>, group: &str) -> Vec<Item> {
        let members = &self.groups.groups[sharing.group].members;
        let readers: Vec<_> = sharing.members.iter().filter_map(|at| members.get(*at)).collect();
        if readers.is_empty() {
            let class = Class::new(Role::Owner).mark(Mark::Muted, true);
            return vec![Item::new(class, rect(area, 5.0)).label(format!("nobody of {group} reads it"))];
        }
        let height = area.height / readers.len() as f32;
        let band = |(number, member): (usize, &&crate::members::Member<'_>)| {
            let at = Area { y: area.y + number as f32 * height, height: (height - 1.0).max(1.0), ..area };
            let class = Class::new(Role::Owner).key(Some(member.look.color)).mark(Mark::Muted, member.is_still());
            let mut items =
                vec![Item::new(class, rect(at, 4.0)).label(format!("{} of {group} reads it", member.consumer.name))];
            if at.height >= 12.0 {
                let letter = text::fit(&member.look.letter, at.width + 3.0, 11.0, Face::MonoBold);
                let (x, y) = at.center();
                items.push(line(class, (x, y + 4.0), letter, 11.0, Face::MonoBold, Anchor::Middle));
            }
            items
        };
        readers.iter().enumerate().flat_map(band).collect()
    }
}

/// How often a record was delivered.
fn count((x, y): (f32, f32), deliveries: u16) -> Vec<Item> {
    let words: Rc<str> = text::fit(&deliveries.to_string().into(), 2.0 * COUNT, 11.0, Face::MonoBold);
    let (tag, ink) = (Class::new(Role::Tag).mark(Mark::Diff, true), Class::new(Role::TagText).mark(Mark::Diff, true));
    vec![
        Item::new(Role::Paper, Shape::Circle { x, y, radius: COUNT + 1.0 }),
        Item::new(tag, Shape::Circle { x, y, radius: COUNT }),
        line(ink, (x, y + 4.0), words, 11.0, Face::MonoBold, Anchor::Middle),
    ]
}

/// A record in flight in words: "held by jobs-1 of jobs until 31.0 s, delivered twice".
fn record_words(group: &str, known: &InFlightRecord, holder: Option<&str>) -> String {
    let times = counted(u64::from(known.delivery_count), "delivery", "deliveries");
    match known.state {
        RecordState::Acquired => {
            let until = known.locked_until.map_or_else(String::new, |until| format!(" until {until}"));
            format!("held by {} of {group}{until}, {times}", holder.unwrap_or("somebody"))
        }
        RecordState::Available => format!("available to {group} again, {times}"),
        RecordState::Acknowledged => format!("acknowledged by {group}"),
        RecordState::Archived => format!("archived: nobody of {group} gets it any more, {times}"),
    }
}

/// What share groups do with a partition: ", shared by A and B of jobs, start offset 3, 2 records held".
pub(crate) fn shared_words(snapshot: &engine::Snapshot, groups: &Groups<'_>, topic: &str, partition: u32) -> String {
    let mut words = String::new();
    for sharing in sharings(snapshot, groups, topic, partition) {
        let group = &groups.groups[sharing.group];
        let names: Vec<&str> =
            sharing.members.iter().filter_map(|at| group.members.get(*at)).map(|one| &*one.consumer.name).collect();
        match names.as_slice() {
            [] => words.push_str(&format!(", read by nobody of {}", group.name)),
            [one] => words.push_str(&format!(", read by {one} of {}", group.name)),
            [rest @ .., last] => {
                words.push_str(&format!(", shared by {} and {last} of {}", rest.join(", "), group.name))
            }
        }
        let Some(state) = sharing.state else { continue };
        words.extend(state.start_offset.map(|offset| format!(", start offset {offset}")));
        let held = state.in_flight.iter().filter(|record| record.state == RecordState::Acquired).count();
        words.push_str(&format!(", {} held", counted(held as u64, "record", "records")));
    }
    words
}
