//! Producers and readers in the still layer: cards with code, batches and positions.
//!
//! The words of the code come from `code.rs`.

use std::rc::Rc;

use engine::snapshot::{BatchSnapshot, ConsumerSnapshot, ProducerSnapshot, ProducerState};

use super::lane::chip;
use super::words::records;
use super::{Draw, line, partition_of, rect};
use crate::class::{Class, Mark, Role};
use crate::code;
use crate::display::{Anchor, Face, Item, Shape};
use crate::stage::{Area, CardBox, CardForm};
use crate::text;

const PAD: f32 = 16.0;

impl Draw<'_> {
    /// The card of a producer. None if the snapshot does not know it.
    pub(super) fn producer(&self, card: &CardBox) -> Option<Item> {
        let producer = self.snapshot.producers.get(card.index)?;
        match card.form {
            CardForm::Full => Some(self.full_producer(card, producer)),
            CardForm::Row => Some(self.row(
                card,
                &producer.name,
                &client_words(producer),
                is_closed(producer),
                producer_words(producer),
            )),
            CardForm::More(count) => Some(more(card, count, "producers")),
        }
    }

    fn full_producer(&self, card: &CardBox, producer: &ProducerSnapshot) -> Item {
        let area = card.area;
        let muted = is_closed(producer);
        let (left, right) = (area.x + PAD, area.right() - PAD);
        let state = state_name(producer.state);
        let pill_width = text::pill_width(state);
        let pill = Area::new(right - pill_width + 4.0, area.y + 12.0, pill_width, 20.0);
        let name = text::fit(&producer.name, pill.x - left - 8.0, 14.0, Face::SansBold);
        let client = fitting_client(producer, right - left);
        let rule = Shape::Line { from: (left, area.y + 56.5), to: (right, area.y + 56.5) };
        let is_ready = producer.state == ProducerState::Ready;
        let mut children = vec![
            line(
                Class::new(Role::CardTitle).mark(Mark::Muted, muted),
                (left, area.y + 26.0),
                name,
                14.0,
                Face::SansBold,
                Anchor::Start,
            ),
            line(Role::CardSub, (left, area.y + 45.0), client, 12.0, Face::Sans, Anchor::Start),
            Item::new(
                Class::new(Role::State).mark(Mark::Lit, is_ready),
                Shape::Pill { x: pill.x, y: pill.y, width: pill.width, height: pill.height, text: state.into() },
            ),
            Item::new(Role::Rule, rule),
        ];
        for (index, code) in code::lines_of_card(self.stage.language, producer).into_iter().enumerate() {
            let y = area.y + 76.0 + index as f32 * 17.0;
            let class = Class::new(Role::CodeLine).mark(Mark::Lit, code.is_running);
            let face = if code.is_running { Face::MonoBold } else { Face::Mono };
            if code.is_running {
                let band = Area::new(area.x + 8.0, y - 12.5, area.width - 16.0, 17.0);
                children.push(Item::new(Role::CodeBand, rect(band, 4.0)));
            }
            let words = text::fit(&code.text.into(), right - left, 11.5, face);
            children.push(line(class, (left, y), words, 11.5, face, Anchor::Start));
        }
        children.extend(gauge(producer, Area::new(left, area.bottom() - 30.0, right - left, 18.0)));
        let class = Class::new(Role::Card).mark(Mark::Muted, muted).mark(Mark::Selected, self.is_selected(&card.id));
        Item::new(class, rect(area, 12.0)).id(card.id.clone()).label(producer_words(producer)).with(children)
    }

    fn row(&self, card: &CardBox, name: &Rc<str>, sub: &str, muted: bool, label: String) -> Item {
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
                reader_words(reader),
            )),
            CardForm::More(count) => Some(more(card, count, "readers")),
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
        children.extend(self.recently_read(reader, Area::new(left, area.y + 60.0, room, 28.0)));
        let class = Class::new(Role::Card).mark(Mark::Selected, self.is_selected(&card.id));
        Item::new(class, rect(area, 12.0)).id(card.id.clone()).label(reader_words(reader)).with(children)
    }

    /// The last records that a reader got, the newest at the right, with their offsets.
    fn recently_read(&self, reader: &ConsumerSnapshot, at: Area) -> Vec<Item> {
        let chip_width = self.stage.chip_width.min(at.width);
        let fitting = ((at.width + 6.0) / (chip_width + 6.0)).floor() as usize;
        let shown = reader.recent.len().min(fitting.max(1));
        let mut items = Vec::new();
        for (index, read) in reader.recent[reader.recent.len() - shown..].iter().enumerate() {
            let slot = Area::new(at.x + index as f32 * (chip_width + 6.0), at.y, chip_width, at.height);
            let look = self.options.palette.of(&read.record);
            let class = Class::new(Role::Chip).key(look.map(|look| look.color));
            items.push(Item::new(class, chip(slot, look, &read.record, true)));
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

    fn lag(&self, reader: &ConsumerSnapshot) -> u64 {
        let lags = reader.positions.iter().filter_map(|position| {
            let partition = partition_of(self.snapshot, &position.topic, position.partition)?;
            Some(partition.high_watermark.saturating_sub(position.position))
        });
        lags.sum()
    }
}

/// Open batches by partition: an outline waits, a full one is on its way.
fn gauge(producer: &ProducerSnapshot, at: Area) -> Vec<Item> {
    let baseline = at.y + 13.0;
    if producer.batches.is_empty() {
        let waiting = match producer.waiting_count {
            0 => format!("{} sent, no open batch", records(producer.sent_count)),
            waiting => format!("{} waiting for metadata", records(waiting)),
        };
        let words = text::fit(&waiting.into(), at.width, 11.0, Face::Sans);
        return vec![line(Role::LaneCount, (at.x, baseline), words, 11.0, Face::Sans, Anchor::Start)];
    }
    let words =
        |batch: &BatchSnapshot| format!("p{} × {}", batch.partition, text::count(u64::from(batch.record_count)));
    let mut items = Vec::new();
    let mut x = at.x;
    for (index, batch) in producer.batches.iter().enumerate() {
        let text: Rc<str> = words(batch).into();
        let width = text::pill_width(&text) - 4.0;
        let rest = producer.batches.len() - index;
        // The last place on the row is kept for the number of batches that do not fit.
        let kept = if rest > 1 { 36.0 } else { 0.0 };
        if x + width + kept > at.right() {
            let rest: Rc<str> = format!("+{rest}").into();
            items.push(line(Role::LaneCount, (x + 2.0, baseline), rest, 11.0, Face::Mono, Anchor::Start));
            break;
        }
        let label = format!(
            "batch of {}-{}, {}, {} bytes, {}",
            batch.topic,
            batch.partition,
            records(u64::from(batch.record_count)),
            batch.size_bytes,
            if batch.is_in_flight { "in flight" } else { "waiting" },
        );
        let pill = Shape::Pill { x, y: at.y, width, height: at.height, text };
        items.push(Item::new(Class::new(Role::Batch).mark(Mark::Lit, batch.is_in_flight), pill).label(label));
        x += width + 6.0;
    }
    items
}

fn more(card: &CardBox, count: usize, what: &str) -> Item {
    let area = card.area;
    let words: Rc<str> = format!("{count} more {what}").into();
    let words = text::fit(&words, area.width - 2.0 * PAD, 13.0, Face::Sans);
    let text = line(Role::CardSub, (area.x + PAD, area.y + 23.0), words.clone(), 13.0, Face::Sans, Anchor::Start);
    Item::new(Role::Card, rect(area, 10.0)).id(card.id.clone()).label(words).with(vec![text])
}

fn is_closed(producer: &ProducerSnapshot) -> bool {
    producer.state == ProducerState::Closed
}

fn state_name(state: ProducerState) -> &'static str {
    match state {
        ProducerState::Ready => "READY",
        ProducerState::Closing => "CLOSING",
        ProducerState::Closed => "CLOSED",
    }
}

/// Client library and version: `Java 3.3 and later`. A binding's language comes first unless the name says it.
fn client_words(producer: &ProducerSnapshot) -> String {
    let Some(client) = partitioner::client(&producer.client) else { return producer.client.to_string() };
    let language = code::languages(client.id).first().map(|language| language.name());
    let is_said = |language: &&str| client.name.to_lowercase().contains(&language.to_lowercase());
    // Version texts with remarks are for the catalogue's page.
    let versions = versions(client);
    let name =
        language.filter(|language| !is_said(language)).map_or_else(String::new, |language| format!("{language} · "));
    format!("{name}{} {versions}", client.name).trim_end().to_string()
}

/// The versions of a catalogue entry; none if it holds for all.
fn versions(client: &'static partitioner::Client) -> &'static str {
    let versions = client.versions.split(';').next().unwrap_or_default();
    if versions == "all" { "" } else { versions }
}

/// The client as it fits into a width: without its versions if it has to be.
fn fitting_client(producer: &ProducerSnapshot, room: f32) -> Rc<str> {
    let words: Rc<str> = client_words(producer).into();
    if text::width(&words, 12.0, Face::Sans) <= room {
        return words;
    }
    let versions = partitioner::client(&producer.client)
        .map_or("", |client| client.versions.split(';').next().unwrap_or_default());
    text::fit(&words.trim_end_matches(versions).trim_end().into(), room, 12.0, Face::Sans)
}

pub(crate) fn producer_words(producer: &ProducerSnapshot) -> String {
    let mut words = format!("producer {}, {}, {}", producer.name, client_words(producer), state_name(producer.state));
    words.push_str(&format!(
        ", {} sent, {} acknowledged",
        records(producer.sent_count),
        text::count(producer.acknowledged_count)
    ));
    if producer.failed_count > 0 {
        words.push_str(&format!(", {} failed", text::count(producer.failed_count)));
    }
    words
}

pub(crate) fn reader_words(reader: &ConsumerSnapshot) -> String {
    format!("reader {}, has read {}", reader.name, records(reader.read_count))
}
