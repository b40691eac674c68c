//! The way of a lookup: segment, index entry, batches that are passed over, and the batch that holds it.
//!
//! Every number is the engine's; here they get places and sentences.

use std::rc::Rc;

use engine::log_view::{BatchInSegment, LogView};

use super::{EDGE, Search, file_name, replica_name};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::stage::Area;
use crate::still::{counted, line, rect};
use crate::text;
use crate::tree::Node;

/// Batches in the picture of a segment, at most; the way needs those around it only.
const BLOCKS: usize = 64;
const PAD: f32 = 16.0;
const STEP: f32 = 19.0;
const BAR_HEIGHT: f32 = 30.0;

/// The steps of a search in sentences.
fn steps(search: Search<'_>) -> Vec<String> {
    match search {
        Search::Offset(lookup) => {
            let relative = lookup.offset.saturating_sub(lookup.segment);
            vec![
                format!(
                    "Segment {}: the last one that begins at or below offset {}.",
                    file_name(lookup.segment),
                    lookup.offset
                ),
                entry_words(lookup.entry, &format!("relative offset {relative}")),
                scan_words(lookup.batches_scanned),
                format!("Batch {} at position {} holds it.", lookup.batch_base_offset, lookup.position),
            ]
        }
        Search::Timestamp(lookup) => {
            let mut steps = vec![format!(
                "Segment {}: the first one that holds a timestamp of {} or more.",
                file_name(lookup.segment),
                lookup.timestamp
            )];
            steps.push(match lookup.time_entry {
                Some((timestamp, offset)) => {
                    format!("Time index: entry {timestamp} to relative offset {offset} is the last at or below it.")
                }
                None => {
                    "Time index: no entry at or below it, so the search begins at the segment's first batch.".into()
                }
            });
            steps.push(entry_words(lookup.entry, "that offset"));
            steps.push(scan_words(lookup.batches_scanned));
            let (timestamp, offset) = lookup.found;
            steps.push(format!(
                "Offset {offset} with timestamp {timestamp}, in the batch at position {}, is the first that is not older.",
                lookup.position
            ));
            steps
        }
    }
}

fn entry_words((offset, position): (u32, u32), of: &str) -> String {
    if (offset, position) == (0, 0) {
        return format!("Offset index: no entry at or below {of}, so reading begins at position 0.");
    }
    format!("Offset index: entry {offset} to position {position} is the last at or below {of}.")
}

fn scan_words(scanned: u32) -> String {
    match scanned {
        0 => "No batch has to be passed over.".to_string(),
        count => format!("From there {} passed over.", counted(u64::from(count), "batch is", "batches are")),
    }
}

fn title(search: Search<'_>) -> String {
    match search {
        Search::Offset(lookup) => format!("Looking for offset {}", lookup.offset),
        Search::Timestamp(lookup) => format!("Looking for timestamp {}", lookup.timestamp),
    }
}

/// The steps for a screen reader.
pub(super) fn node(view: &LogView, search: Search<'_>) -> Node {
    let name = replica_name(view);
    let steps = (1..).zip(steps(search)).map(|(number, step)| Node {
        id: format!("lookup:{name}:{number}").into(),
        label: step.into(),
        children: Vec::new(),
    });
    Node { id: format!("lookup:{name}").into(), label: title(search).into(), children: steps.collect() }
}

/// Draws the way as a card from a height on; where it ends.
pub(super) fn draw(
    view: &LogView,
    search: Search<'_>,
    batches: &[BatchInSegment],
    (top, width): (f32, f32),
    items: &mut Vec<Item>,
) -> f32 {
    let (left, room) = (EDGE + PAD, width - 2.0 * (EDGE + PAD));
    let words: Rc<str> = title(search).into();
    let shown = text::fit(&words, room, 13.0, Face::SansBold);
    let mut children = vec![line(Role::CardTitle, (left, top + 26.0), shown, 13.0, Face::SansBold, Anchor::Start)];
    let mut y = top + 50.0;
    for (number, step) in (1..).zip(steps(search)) {
        for (row, part) in wrapped(&step, room - 22.0).into_iter().enumerate() {
            if row == 0 {
                let number: Rc<str> = format!("{number}").into();
                children.push(line(Role::TileCount, (left, y), number, 12.0, Face::MonoBold, Anchor::Start));
            }
            children.push(line(Role::CardSub, (left + 22.0, y), part.into(), 12.0, Face::Sans, Anchor::Start));
            y += STEP;
        }
    }
    if let Some(bar) = Bar::of(search, batches, Area::new(left, y + 20.0, room, BAR_HEIGHT)) {
        children.extend(bar.items());
        y = bar.area.bottom() + 22.0;
    }
    let card = Area::new(EDGE, top, width - 2.0 * EDGE, y - top + 2.0);
    let id = format!("lookup:{}", replica_name(view));
    items.push(Item::new(Role::Card, rect(card, 12.0)).id(id).label(words).with(children));
    card.bottom()
}

/// A sentence in rows that fit a width.
fn wrapped(sentence: &str, room: f32) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match rows.last_mut() {
            Some(row) if text::width(&format!("{row} {word}"), 12.0, Face::Sans) <= room => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(text::fit(&word.into(), room, 12.0, Face::Sans).to_string()),
        }
    }
    rows
}

/// A part of a segment's file, from the index entry to the batch that was found, and what is around.
struct Bar<'a> {
    area: Area,
    batches: &'a [BatchInSegment],
    entry: u64,
    hit: u64,
}

impl<'a> Bar<'a> {
    fn of(search: Search<'_>, batches: &'a [BatchInSegment], area: Area) -> Option<Bar<'a>> {
        let (entry, hit) = match search {
            Search::Offset(lookup) => (u64::from(lookup.entry.1), lookup.position),
            Search::Timestamp(lookup) => (u64::from(lookup.entry.1), lookup.position),
        };
        let at = batches.iter().position(|batch| batch.position == hit)?;
        // Two batches before the entry and two after the hit show where the way begins and ends.
        let begin = batches.iter().position(|batch| batch.position >= entry).unwrap_or(at);
        let end = (at + 3).min(batches.len());
        let first = begin.saturating_sub(2).max(end.saturating_sub(BLOCKS));
        Some(Bar { area, batches: &batches[first..end], entry, hit })
    }

    fn items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = self.batches.iter().map(|batch| self.block(batch)).collect();
        let (from, to) = (self.x(self.entry), self.x(self.hit) + 1.0);
        let y = self.area.y - 10.0;
        let tick = Shape::Line { from: (from, y - 6.0), to: (from, self.area.bottom() + 4.0) };
        items.push(
            Item::new(Class::new(Role::Entry).mark(Mark::Lit, true), tick)
                .label(format!("index entry to position {}", self.entry)),
        );
        if to > from + 2.0 {
            items.push(Item::new(Role::Path, Shape::Line { from: (from, y), to: (to, y) }));
        }
        items.push(Item::new(Role::Path, Shape::Glyph { x: to + 2.0, y: self.area.y - 5.0, radius: 4.0, glyph: 8 }));
        let foot = self.area.bottom() + 16.0;
        let words: Rc<str> = format!("position {}", self.entry).into();
        let half = text::width(&words, 11.0, Face::Mono);
        let left = from.min(self.area.right() - half);
        items.push(line(Role::Offset, (left, foot), words, 11.0, Face::Mono, Anchor::Start));
        let words: Rc<str> = self.hit.to_string().into();
        let x = self.x(self.hit);
        if self.hit != self.entry
            && x > left + half + 10.0
            && x + text::width(&words, 11.0, Face::Mono) <= self.area.right()
        {
            items.push(line(Role::Offset, (x, foot), words, 11.0, Face::Mono, Anchor::Start));
        }
        items
    }

    /// Positions are spread over the width that the shown batches share.
    fn x(&self, position: u64) -> f32 {
        let (Some(first), Some(last)) = (self.batches.first(), self.batches.last()) else { return self.area.x };
        let span = last.position + u64::from(last.size_bytes) - first.position;
        let part = position.saturating_sub(first.position) as f32 / span.max(1) as f32;
        self.area.x + self.area.width * part.min(1.0)
    }

    fn block(&self, batch: &BatchInSegment) -> Item {
        let (from, to) = (self.x(batch.position), self.x(batch.position + u64::from(batch.size_bytes)));
        let is_hit = batch.position == self.hit;
        let is_scanned = batch.position >= self.entry && batch.position < self.hit;
        let class = Class::new(Role::Block).mark(Mark::Lit, is_hit).mark(Mark::Muted, is_scanned);
        let area = Area::new(from + 0.5, self.area.y, (to - from - 1.0).max(1.0), self.area.height);
        let words: Rc<str> = if batch.base_offset == batch.last_offset {
            batch.base_offset.to_string()
        } else {
            format!("{}–{}", batch.base_offset, batch.last_offset)
        }
        .into();
        let fits = text::width(&words, 11.0, Face::Mono) <= area.width - 4.0;
        let text = fits
            .then(|| line(class, (area.center().0, area.center().1 + 4.0), words, 11.0, Face::Mono, Anchor::Middle));
        let label = format!(
            "batch {} to {} at position {}, {}{}",
            batch.base_offset,
            batch.last_offset,
            batch.position,
            text::bytes(u64::from(batch.size_bytes)),
            if is_hit {
                ", found"
            } else if is_scanned {
                ", passed over"
            } else {
                ""
            }
        );
        Item::new(class, rect(area, 3.0)).label(label).with(text.into_iter().collect())
    }
}
