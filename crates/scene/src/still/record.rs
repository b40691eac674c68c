//! Records on a lane: chips with the fate of their transaction, and control records as diamonds.
//!
//! Where they stand is decided by the lane's window; records on their way are in `frame.rs`.

use std::rc::Rc;

use engine::event::Record;
use engine::snapshot::{Fate, LogRecord, PartitionSnapshot, ReadRecord};
use engine::transaction::MarkerKind;

use super::words::record_words;
use super::{Draw, line, partition_of};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, CHIP_TEXT_END, CHIP_TEXT_SIZE, CHIP_TEXT_X, ChipForm, Face, Item, Shape};
use crate::palette::KeyColor;
use crate::stage::{Area, LaneBox, LaneForm};
use crate::text;

/// A diamond that is smaller has no letter.
const LETTER_RADIUS: f32 = 8.0;

impl Draw<'_> {
    pub(super) fn record(&self, lane: &LaneBox, slot: Area, record: &LogRecord) -> Item {
        if let Some(marker) = marker_of(record) {
            return self.marker(lane, slot, record, marker);
        }
        let id = lane.record_id(&record.record);
        let key = record.record.key.clone();
        let differs =
            key.is_some_and(|key| self.options.diff.is_some_and(|diff| diff.contains(&(lane.topic.clone(), key))));
        let look = self.options.palette.of(&record.record);
        let fate = fate_of(record);
        let class = of_fate(Class::new(Role::Chip).key(look.map(|look| look.color)), fate)
            .mark(Mark::Diff, differs)
            .mark(Mark::Selected, self.is_selected(&id));
        let chip = chip(slot, look, &record.record, lane.form != LaneForm::Row, form_of(fate));
        let mut label = record_words(record);
        if differs {
            label.push_str(", lands in another partition on the other side");
        }
        let item = Item::new(class, chip).id(id).label(label);
        if !differs {
            return item;
        }
        let sign = Shape::Circle { x: slot.right() - 2.0, y: slot.y + 2.0, radius: 4.5 };
        item.with(vec![Item::new(Role::DiffSign, sign)])
    }

    /// A control record: a diamond with the first letter of COMMIT or ABORT.
    fn marker(&self, lane: &LaneBox, slot: Area, record: &LogRecord, marker: MarkerKind) -> Item {
        let id = lane.marker_id(record.offset);
        let is_selected = self.is_selected(&id);
        diamond(slot, marker, is_selected).id(id).label(record_words(record))
    }

    /// A record on a reader's card, with the fate that its log tells now.
    pub(super) fn read_record(&self, slot: Area, read: &ReadRecord) -> Item {
        let look = self.options.palette.of(&read.record);
        let fate = partition_of(self.snapshot, &read.topic, read.partition)
            .and_then(|partition| held(partition, read.offset))
            .and_then(fate_of);
        let class = of_fate(Class::new(Role::Chip).key(look.map(|look| look.color)), fate);
        Item::new(class, chip(slot, look, &read.record, true, form_of(fate)))
    }
}

/// The record at an offset, if it is among those at hand.
pub(super) fn held(partition: &PartitionSnapshot, offset: u64) -> Option<&LogRecord> {
    let index = partition.records.binary_search_by_key(&offset, |record| record.offset).ok()?;
    partition.records.get(index)
}

/// Which marker a record is, if it is one.
pub(crate) fn marker_of(record: &LogRecord) -> Option<MarkerKind> {
    record.origin.as_ref()?.marker
}

/// What became of a record; none for records outside of transactions.
pub(crate) fn fate_of(record: &LogRecord) -> Option<Fate> {
    record.origin.as_ref()?.fate
}

fn of_fate(class: Class, fate: Option<Fate>) -> Class {
    class.mark(Mark::Open, fate == Some(Fate::Open)).mark(Mark::Muted, fate == Some(Fate::Aborted))
}

fn form_of(fate: Option<Fate>) -> ChipForm {
    match fate {
        Some(Fate::Open) => ChipForm::Hatched,
        Some(Fate::Aborted) => ChipForm::Struck,
        Some(Fate::Committed) | None => ChipForm::Plain,
    }
}

/// A control record in a slot.
pub(crate) fn diamond(slot: Area, marker: MarkerKind, is_selected: bool) -> Item {
    let (x, y) = slot.center();
    let radius = (slot.height / 2.0).min(slot.width / 2.0);
    let is_abort = marker == MarkerKind::Abort;
    let class = Class::new(Role::Marker).mark(Mark::Bad, is_abort).mark(Mark::Selected, is_selected);
    let item = Item::new(class, Shape::Diamond { x, y, radius });
    if radius < LETTER_RADIUS {
        return item;
    }
    let letter: Rc<str> = if is_abort { "A" } else { "C" }.into();
    let class = Class::new(Role::MarkerText).mark(Mark::Bad, is_abort);
    let letter = line(class, (x, y + 4.0), letter, CHIP_TEXT_SIZE, Face::MonoBold, Anchor::Middle);
    item.with(vec![letter])
}

/// A record as a chip with its key.
pub(crate) fn chip(slot: Area, look: Option<KeyColor>, record: &Record, has_text: bool, form: ChipForm) -> Shape {
    let Area { x, y, width, height } = slot;
    let glyph = look.map(|look| look.glyph);
    let text = match (&record.key_text, has_text) {
        (_, false) => "".into(),
        (Some(key), true) if key.is_empty() => "\"\"".into(),
        (Some(key), true) => text::fit_middle(key, width - CHIP_TEXT_X - CHIP_TEXT_END, CHIP_TEXT_SIZE, Face::MonoBold),
        (None, true) => "null".into(),
    };
    Shape::Chip { x, y, width, height, glyph, text, form }
}
