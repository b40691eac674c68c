//! Readers in the still layer, and what the cards of all clients share.
//!
//! Producers' cards are in `producer.rs`.

use std::rc::Rc;

use engine::Snapshot;
use engine::snapshot::{ConsumerSnapshot, PositionSnapshot};

use super::replica::{Tag, tags_from};
use super::words::records;
use super::{Draw, line, partition_of, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item};
use crate::layout::ISOLATION_HEIGHT;
use crate::members::membership;
use crate::stage::{Area, CardBox, CardForm, is_transactional};
use crate::text;

pub(super) const PAD: f32 = 16.0;

impl Draw<'_> {
    /// A card of one line.
    pub(super) fn row(&self, card: &CardBox, name: &Rc<str>, sub: &str, muted: bool, label: String) -> Item {
        let area = card.area;
        let room = area.width - 2.0 * PAD;
        let name = text::fit(name, room * 0.55, 13.0, Face::SansBold);
        let sub = text::fit(&sub.into(), room * 0.45 - 10.0, 12.0, Face::Sans);
        let class = Class::new(Role::Card).mark(Mark::Muted, muted).mark(Mark::Selected, self.is_selected(&card.id));
        let y = area.y + 23.0;
        let children = vec![
            line(
                Class::new(Role::CardTitle).mark(Mark::Muted, muted),
                (area.x + PAD, y),
                name,
                13.0,
                Face::SansBold,
                Anchor::Start,
            ),
            line(Role::CardSub, (area.right() - PAD, y), sub, 12.0, Face::Sans, Anchor::End),
        ];
        Item::new(class, rect(area, 10.0)).id(card.id.clone()).label(label).with(children)
    }

    /// The card of a reader. None if the snapshot does not know it.
    pub(super) fn reader(&self, card: &CardBox) -> Option<Item> {
        let reader = self.snapshot.consumers.get(card.index)?;
        match card.form {
            CardForm::Full => Some(self.full_reader(card, reader)),
            CardForm::Row => Some(self.row(
                card,
                &reader.name,
                &format!("{} read", text::count(reader.read_count)),
                false,
                reader_words(self.snapshot, reader),
            )),
            CardForm::More(count) if membership(reader).is_some() => Some(self.more_members(card, count)),
            CardForm::More(count) => Some(more(card, count, "readers")),
            CardForm::Member | CardForm::MemberRow | CardForm::MemberTile => self.member(card),
        }
    }

    fn full_reader(&self, card: &CardBox, reader: &ConsumerSnapshot) -> Item {
        let area = card.area;
        let (left, room) = (area.x + PAD, area.width - 2.0 * PAD);
        let name = text::fit(&reader.name, room, 14.0, Face::SansBold);
        let read: Rc<str> =
            format!("has read {}, lag {}", records(reader.read_count), text::count(self.lag(reader))).into();
        let mut children = vec![
            line(Role::CardTitle, (left, area.y + 26.0), name, 14.0, Face::SansBold, Anchor::Start),
            line(
                Role::CardSub,
                (left, area.y + 45.0),
                text::fit(&read, room, 12.0, Face::Sans),
                12.0,
                Face::Sans,
                Anchor::Start,
            ),
        ];
        let mut top = area.y + 60.0;
        if self.stage.is_transactional {
            children.extend(self.isolation(reader, Area::new(left, top - 6.0, room, ISOLATION_HEIGHT)));
            top += ISOLATION_HEIGHT;
        }
        children.extend(self.recently_read(reader, Area::new(left, top, room, 28.0)));
        let class = Class::new(Role::Card).mark(Mark::Selected, self.is_selected(&card.id));
        Item::new(class, rect(area, 12.0)).id(card.id.clone()).label(reader_words(self.snapshot, reader)).with(children)
    }

    /// The last records that a reader got, the newest at the right, with their offsets.
    fn recently_read(&self, reader: &ConsumerSnapshot, at: Area) -> Vec<Item> {
        let chip_width = self.stage.chip_width.min(at.width);
        let fitting = ((at.width + 6.0) / (chip_width + 6.0)).floor() as usize;
        let shown = reader.recent.len().min(fitting.max(1));
        let mut items = Vec::new();
        for (index, read) in reader.recent[reader.recent.len() - shown..].iter().enumerate() {
            let slot = Area::new(at.x + index as f32 * (chip_width + 6.0), at.y, chip_width, at.height);
            items.push(self.read_record(slot, read));
            let place: Rc<str> = format!("p{} @ {}", read.partition, read.offset).into();
            let place = text::fit(&place, chip_width, 11.0, Face::Mono);
            items.push(line(
                Role::Offset,
                (slot.center().0, at.bottom() + 14.0),
                place,
                11.0,
                Face::Mono,
                Anchor::Middle,
            ));
        }
        items
    }

    /// The isolation level, and what it keeps from the reader.
    fn isolation(&self, reader: &ConsumerSnapshot, at: Area) -> Vec<Item> {
        let word = if reader.is_read_committed { "read_committed" } else { "read_uncommitted" };
        let mark = reader.is_read_committed.then_some(Mark::Lit);
        let (mut items, end) = tags_from(&[Tag::new(word, mark)], at.x, at.right(), at.y);
        let room = at.right() - end - 2.0;
        let fits = |words: &String| text::width(words, 11.0, Face::Sans) <= room;
        let told = self.unseen(reader).into_iter().find(fits);
        items.extend(told.map(|words| {
            line(Role::LaneCount, (end + 2.0, at.y + 12.0), words.into(), 11.0, Face::Sans, Anchor::Start)
        }));
        items
    }

    /// What a reader has not seen, in words that get shorter.
    fn unseen(&self, reader: &ConsumerSnapshot) -> Vec<String> {
        let waits = waits_at(self.snapshot, reader);
        let skipped = text::count(reader.skipped_count);
        match (waits.first(), waits.len(), reader.skipped_count) {
            (None, _, 0) => Vec::new(),
            (None, ..) => vec![format!("skipped {skipped} aborted"), format!("{skipped} skipped")],
            (Some((name, offset)), 1, _) => vec![format!("waits at {offset} of {name}"), format!("waits at {offset}")],
            (Some(_), many, _) => vec![format!("waits in {many} partitions"), "waits".to_string()],
        }
    }

    fn lag(&self, reader: &ConsumerSnapshot) -> u64 {
        let lags = reader.positions.iter().filter_map(|position| {
            let partition = partition_of(self.snapshot, &position.topic, position.partition)?;
            Some(partition.high_watermark.saturating_sub(position.position))
        });
        lags.sum()
    }
}

/// The card that counts those that do not fit.
pub(super) fn more(card: &CardBox, count: usize, what: &str) -> Item {
    let area = card.area;
    let words: Rc<str> = format!("{count} more {what}").into();
    let words = text::fit(&words, area.width - 2.0 * PAD, 13.0, Face::Sans);
    let text = line(Role::CardSub, (area.x + PAD, area.y + 23.0), words.clone(), 13.0, Face::Sans, Anchor::Start);
    Item::new(Role::Card, rect(area, 10.0)).id(card.id.clone()).label(words).with(vec![text])
}

/// Partitions in which open transactions keep a reader from records that others see, with the offset.
fn waits_at(snapshot: &Snapshot, reader: &ConsumerSnapshot) -> Vec<(String, u64)> {
    let waits = |at: &&PositionSnapshot| {
        partition_of(snapshot, &at.topic, at.partition).is_some_and(|partition| {
            at.position == partition.last_stable_offset && partition.last_stable_offset < partition.high_watermark
        })
    };
    let waiting = reader.positions.iter().filter(|_| reader.is_read_committed).filter(waits);
    waiting.map(|at| (format!("{}-{}", at.topic, at.partition), at.position)).collect()
}

/// A reader in one sentence.
pub(crate) fn reader_words(snapshot: &Snapshot, reader: &ConsumerSnapshot) -> String {
    let mut words = format!("reader {}, has read {}", reader.name, records(reader.read_count));
    if !is_transactional(snapshot) && !reader.is_read_committed {
        return words;
    }
    words.push_str(if reader.is_read_committed { ", read_committed" } else { ", read_uncommitted" });
    for (name, offset) in waits_at(snapshot, reader) {
        words.push_str(&format!(", waits at the last stable offset {offset} of {name}"));
    }
    if reader.skipped_count > 0 {
        words.push_str(&format!(", skipped {} of aborted transactions", records(reader.skipped_count)));
    }
    words
}
