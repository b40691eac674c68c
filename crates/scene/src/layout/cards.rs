//! Cards of clients: producers and readers, full, as rows, or counted; and how high each of them is.
//!
//! What is written on a card is drawn by `still/`; here is only its place.

use engine::snapshot::ProducerSnapshot;

use super::{Grid, Layout};
use crate::stage::{Area, CardBox, CardForm, Point};

/// Cards with code, at most; more become rows.
const FULL_CARDS: usize = 4;
/// Rows of clients, at most; the rest shares one row.
const ROW_CARDS: usize = 16;

const CARD_HEIGHT: f32 = 152.0;
const CARD_ROW_HEIGHT: f32 = 36.0;
const READER_HEIGHT: f32 = 112.0;
const CARD_GAP: f32 = 16.0;
/// Cards that are open without being selected, at most.
const OPEN_CARDS: usize = 3;
/// Rows of an open card: identity and state, the buffer, and the call that waits.
pub(crate) const IDENTITY_HEIGHT: f32 = 50.0;
pub(crate) const POOL_HEIGHT: f32 = 46.0;
pub(crate) const CALL_HEIGHT: f32 = 50.0;
/// Name and client above the first rule.
pub(crate) const HEAD_HEIGHT: f32 = 56.0;
/// From this width on an open card has two columns.
const WIDE_CARD: f32 = 520.0;
/// What a reader of committed records has not seen, or what any reader has of open transactions.
pub(crate) const ISOLATION_HEIGHT: f32 = 20.0;
/// Settings that make a producer's memory worth looking at.
const MEMORY_SETTINGS: [&str; 6] = [
    "buffer.memory",
    "max.block.ms",
    "delivery.timeout.ms",
    "queue.buffering.max.messages",
    "queue.buffering.max.kbytes",
    "message.timeout.ms",
];

impl Layout<'_> {
    pub(super) fn producers_stack(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let forms = self.producer_forms();
        if forms.is_empty() {
            self.note("No producer yet.", x + 2.0, top + 20.0, width);
            return top + 32.0;
        }
        let mut y = top;
        for (index, form) in forms {
            let height = self.producer_height(index, form, width);
            let area = Area::new(x, y, width, height);
            self.producer(index, form, area, (area.right(), area.center().1));
            y += height + if form == CardForm::Full { CARD_GAP } else { 6.0 };
        }
        y - 6.0
    }

    pub(super) fn producers_grid(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let forms = self.producer_forms();
        if forms.is_empty() {
            self.note("No producer yet.", x + 2.0, top + 20.0, width);
            return top + 32.0;
        }
        let cells = Grid::new(forms.len(), x, width, 250.0, CARD_GAP);
        let heights = forms.iter().map(|(index, form)| self.producer_height(*index, *form, cells.cell_width));
        let height = heights.fold(CARD_ROW_HEIGHT, f32::max);
        let bottom = cells.bottom(top, height);
        for (at, (index, form)) in forms.into_iter().enumerate() {
            let area =
                Area { height: self.producer_height(index, form, cells.cell_width), ..cells.area(at, top, height) };
            // A card above another one leaves its messages at the bottom of the block, so none crosses a card.
            self.producer(index, form, area, (area.center().0, bottom));
        }
        bottom
    }

    /// Rows where there are many producers; the selected one is shown in full nevertheless.
    fn producer_forms(&self) -> Vec<(usize, CardForm)> {
        let is_selected = |index: usize| self.is_selected(&self.snapshot.producers[index]);
        let opened = |(index, form)| match form {
            CardForm::Row if is_selected(index) => (index, CardForm::Full),
            form => (index, form),
        };
        forms(self.snapshot.producers.len()).into_iter().map(opened).collect()
    }

    fn is_selected(&self, producer: &ProducerSnapshot) -> bool {
        self.selected.and_then(|id| id.strip_prefix("producer:")) == Some(&*producer.name)
    }

    /// Whether a card shows what the producer holds: when it is selected, and where its settings say that this matters.
    fn is_open(&self, producer: &ProducerSnapshot) -> bool {
        let matters = || {
            producer.transactional_id.is_some()
                || MEMORY_SETTINGS.iter().any(|name| producer.configs.contains_key(*name))
        };
        self.is_selected(producer) || self.snapshot.producers.len() <= OPEN_CARDS && matters()
    }

    fn producer_height(&self, index: usize, form: CardForm, width: f32) -> f32 {
        if form != CardForm::Full {
            return CARD_ROW_HEIGHT;
        }
        let producer = &self.snapshot.producers[index];
        let identity = if producer.transactional_id.is_some() { IDENTITY_HEIGHT } else { 0.0 };
        match self.is_open(producer) {
            false => CARD_HEIGHT + identity,
            true if width >= WIDE_CARD => (CARD_HEIGHT + identity).max(HEAD_HEIGHT + POOL_HEIGHT + CALL_HEIGHT),
            true => CARD_HEIGHT + identity + POOL_HEIGHT + CALL_HEIGHT,
        }
    }

    fn producer(&mut self, index: usize, form: CardForm, area: Area, port: Point) {
        let count = if let CardForm::More(count) = form { count } else { 1 };
        let at = self.stage.producers.len();
        for producer in &self.snapshot.producers[index..index + count] {
            self.stage.producer_of.insert(producer.name.clone(), at);
        }
        let producer = &self.snapshot.producers[index];
        let is_open = form == CardForm::Full && self.is_open(producer);
        let id = if count > 1 { "producers:more".into() } else { format!("producer:{}", producer.name).into() };
        let is_wide = is_open && area.width >= WIDE_CARD;
        self.stage.producers.push(CardBox { index, id, area, form, port, is_open, is_wide });
    }

    pub(super) fn readers_stack(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let mut y = top;
        for (index, form) in forms(self.cast.readers.len()) {
            let height = self.reader_height(form);
            let area = Area::new(x, y, width, height);
            self.reader(index, form, area, (area.x, area.center().1));
            y += height + if form == CardForm::Full { CARD_GAP } else { 6.0 };
        }
        y - 6.0
    }

    pub(super) fn readers_grid(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let forms = forms(self.cast.readers.len());
        let cells = Grid::new(forms.len(), x, width, 208.0, CARD_GAP);
        let height = self.reader_height(forms[0].1);
        for (at, (index, form)) in forms.into_iter().enumerate() {
            let area = cells.area(at, top, height);
            self.reader(index, form, area, (area.center().0, top));
        }
        cells.bottom(top, height)
    }

    /// The height of all readers above each other.
    pub(super) fn readers_height(&self) -> f32 {
        let heights = forms(self.cast.readers.len())
            .into_iter()
            .map(|(_, form)| self.reader_height(form) + if form == CardForm::Full { CARD_GAP } else { 6.0 });
        heights.sum::<f32>() - 6.0
    }

    fn reader_height(&self, form: CardForm) -> f32 {
        let isolation = if self.stage.is_transactional { ISOLATION_HEIGHT } else { 0.0 };
        if form == CardForm::Full { READER_HEIGHT + isolation } else { CARD_ROW_HEIGHT }
    }

    fn reader(&mut self, index: usize, form: CardForm, area: Area, port: Point) {
        let count = if let CardForm::More(count) = form { count } else { 1 };
        let at = self.stage.readers.len();
        let readers = &self.cast.readers[index..index + count];
        for reader in readers {
            self.stage.reader_of.insert(self.snapshot.consumers[*reader].name.clone(), at);
        }
        let index = readers[0];
        let name = &self.snapshot.consumers[index].name;
        let id = if count > 1 { "consumers:more".into() } else { format!("consumer:{name}").into() };
        self.stage.readers.push(CardBox { index, id, area, form, port, is_open: false, is_wide: false });
    }
}

/// Which of `count` clients are shown and how: the index of the first one in each box.
fn forms(count: usize) -> Vec<(usize, CardForm)> {
    if count <= FULL_CARDS {
        return (0..count).map(|index| (index, CardForm::Full)).collect();
    }
    let rows = if count <= ROW_CARDS { count } else { ROW_CARDS - 1 };
    let mut forms: Vec<_> = (0..rows).map(|index| (index, CardForm::Row)).collect();
    if rows < count {
        forms.push((rows, CardForm::More(count - rows)));
    }
    forms
}
